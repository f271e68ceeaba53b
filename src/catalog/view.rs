//! Who sees what: the filters between all skills and a catalog.

use super::{Assume, Candidate, Missing, gates};

/// Why a skill is not in the listing an agent is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// Another skill of its name covers it.
    Shadowed,
    /// Only others were asked for.
    NotAskedFor,
    /// A deny list names it.
    Denied,
    /// There is an allow list that does not name it.
    NotAllowed,
    /// Something it needs is missing.
    Ineligible,
    /// It says that a model may not choose it by itself.
    NotModelInvocable,
}

impl Why {
    /// The reason's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Why::Shadowed => "shadowed",
            Why::NotAskedFor => "not-asked-for",
            Why::Denied => "denied",
            Why::NotAllowed => "not-allowed",
            Why::Ineligible => "ineligible",
            Why::NotModelInvocable => "not-model-invocable",
        }
    }

    /// Whether the skill is out of this catalog altogether, rather than only out of what a model is shown.
    #[must_use]
    pub fn is_outside(self) -> bool {
        !matches!(self, Why::Ineligible | Why::NotModelInvocable)
    }
}

/// What of all skills is wanted.
#[derive(Debug)]
pub struct View {
    /// Only these names; `None` for all.
    pub only: Option<Vec<String>>,
    /// Only names that fit one of these patterns; `None` for all, and an empty list for none.
    pub allow: Option<Vec<String>>,
    /// Not the names that fit one of these patterns.
    pub deny: Vec<String>,
    /// What is there, for the gates.
    pub assume: Assume,
}

impl View {
    /// Everything that these assumptions leave.
    #[must_use]
    pub fn all(assume: Assume) -> Self {
        View { only: None, allow: None, deny: Vec::new(), assume }
    }

    /// What `candidate` lacks, and why it is left out, if it is.
    #[must_use]
    pub fn judge(&self, candidate: &Candidate) -> (Missing, Option<Why>) {
        let name = &*candidate.listing.name;
        let facts = candidate.listing.facts();
        let fits = |patterns: &[String]| patterns.iter().any(|pattern| fits(pattern, name));
        let missing = facts.gates.as_ref().map(|gates| gates::missing(gates, &self.assume)).unwrap_or_default();
        let why = if self.only.as_ref().is_some_and(|only| !only.iter().any(|wanted| wanted == name)) {
            Some(Why::NotAskedFor)
        } else if fits(&self.deny) {
            Some(Why::Denied)
        } else if self.allow.as_ref().is_some_and(|allow| !fits(allow)) {
            Some(Why::NotAllowed)
        } else if !missing.is_empty() {
            Some(Why::Ineligible)
        } else {
            (!facts.model_invocable).then_some(Why::NotModelInvocable)
        };
        (missing, why)
    }
}

/// Whether `name` fits `pattern`, in which `*` stands for any characters.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(head) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return name.ends_with(part);
        }
        match name.find(part) {
            Some(at) => name = &name[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name) in
            [("*", ""), ("*", "pdf"), ("pdf", "pdf"), ("pdf-*", "pdf-"), ("*-*-x", "a-b-c-x"), ("a*a", "aa")]
        {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("pdf", "pdf-forms"), ("pdf-*", "pdf"), ("a*a", "a"), ("*-x", "x"), ("a*b*c", "acb")] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
