//! Who sees what: the filters between all skills and a catalog.

use super::permission::Permissions;
use super::text::one_line;
use super::{Assume, Candidate, Clash, Finding, Missing, Settings, Tier, gates};
use crate::report::{Diagnostic, Level};
use crate::skill::Format;

/// Why a skill is not in the listing an agent is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// Another skill of its name covers it.
    Shadowed,
    /// It would cover one that may not be covered.
    ShadowingDenied,
    /// Only others were asked for.
    NotAskedFor,
    /// Skills are switched off.
    Disabled,
    /// A deny list names it.
    Denied,
    /// There is an allow list that does not name it.
    NotAllowed,
    /// The agent reads another format.
    OtherFormat,
    /// Something it needs is missing.
    Ineligible,
    /// It says that a model may not choose it by itself.
    NotModelInvocable,
}

impl Why {
    /// Every reason, in the order in which they are looked for.
    pub const ALL: [Why; 9] = [
        Why::Shadowed,
        Why::ShadowingDenied,
        Why::NotAskedFor,
        Why::Disabled,
        Why::Denied,
        Why::NotAllowed,
        Why::OtherFormat,
        Why::Ineligible,
        Why::NotModelInvocable,
    ];

    /// The reason's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Why::Shadowed => "shadowed",
            Why::ShadowingDenied => "shadowing-denied",
            Why::NotAskedFor => "not-asked-for",
            Why::Disabled => "disabled",
            Why::Denied => "denied",
            Why::NotAllowed => "not-allowed",
            Why::OtherFormat => "other-format",
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

/// One set of filters, and who made it. Patterns are of names; `*` in them stands for any characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Who made it, for the reason: `` `[catalog]` of skillpm.toml ``.
    pub by: String,
    /// Whether there are skills at all.
    pub enabled: bool,
    /// Only names that fit one of these patterns; `None` for all, and an empty list for none.
    pub allow: Option<Vec<String>>,
    /// Not the names that fit one of these patterns.
    pub deny: Vec<String>,
}

impl Rules {
    /// The filter of `file` that leaves out one name.
    #[must_use]
    pub fn denying(file: &str, name: &str) -> Self {
        Rules { by: format!("`{file}`"), enabled: true, allow: None, deny: vec![name.to_owned()] }
    }

    fn judge(&self, name: &str) -> Option<(Why, String)> {
        if !self.enabled {
            return Some((Why::Disabled, format!("skills are switched off in {}", self.by)));
        }
        if let Some(pattern) = self.deny.iter().find(|pattern| fits(pattern, name)) {
            return Some((Why::Denied, format!("`{}` is denied in {}", one_line(pattern), self.by)));
        }
        let is_left_out = self.allow.as_ref().is_some_and(|allow| !allow.iter().any(|pattern| fits(pattern, name)));
        is_left_out.then(|| (Why::NotAllowed, format!("only others are allowed in {}", self.by)))
    }
}

/// What of all skills is wanted.
#[derive(Debug)]
pub struct View {
    /// Only these names; `None` for all.
    pub only: Option<Vec<String>>,
    /// The filters, each of which can leave a skill out.
    pub rules: Vec<Rules>,
    /// The names of the skills whose instructions the agent always carries, in its order.
    pub always: Vec<String>,
    /// What may be done with tools.
    pub permissions: Permissions,
    /// What is there, for the gates.
    pub assume: Assume,
    /// The agent's own configuration, if it is at hand.
    pub settings: Option<Settings>,
    /// The product that looks, by its name in `agents/openai.yaml`: others do not heed that file.
    pub product: Option<&'static str>,
    /// What becomes of several skills of one name.
    pub clash: Clash,
    /// The only format that the agent reads; `None` for any.
    pub format: Option<Format>,
    /// Who forbids that a skill of the project covers another: `` `policy.deny-shadowing` in skillpm.toml ``.
    pub deny_shadowing: Option<String>,
}

impl View {
    /// Everything that these assumptions leave.
    #[must_use]
    pub fn all(assume: Assume) -> Self {
        View {
            only: None,
            rules: Vec::new(),
            always: Vec::new(),
            permissions: Permissions::default(),
            assume,
            settings: None,
            product: None,
            clash: Clash::OneWins,
            format: None,
            deny_shadowing: None,
        }
    }

    /// What `candidate`, which stands in `tier`, lacks, and why it is left out, if it is.
    #[must_use]
    pub fn judge(&self, candidate: &Candidate, tier: Tier) -> (Missing, Option<(Why, String)>) {
        let name = &*candidate.listing.name;
        let facts = candidate.listing.facts();
        let missing = self.missing(candidate);
        let mut of_settings = self.settings.iter().flat_map(|settings| &settings.rules);
        let is_bundled = tier == Tier::Bundled;
        let bundled = self.settings.as_ref().and_then(|settings| settings.allow_bundled.as_ref());
        let why = if self.only.as_ref().is_some_and(|only| !only.iter().any(|wanted| wanted == name)) {
            Some((Why::NotAskedFor, "only others were asked for".to_owned()))
        } else if let Some(why) = self.rules.iter().find_map(|rules| rules.judge(name)) {
            Some(why)
        } else if let Some(why) = of_settings.find_map(|rules| rules.judge(key(candidate))) {
            Some(why)
        } else if is_bundled && bundled.is_some_and(|allow| !allow.iter().any(|allowed| allowed == name)) {
            Some((Why::NotAllowed, "the agent's `allowBundled` has others only".to_owned()))
        } else if !missing.is_empty() {
            Some((Why::Ineligible, missing.sentence()))
        } else if let Some(why) = self.openai_yaml(candidate) {
            Some(why)
        } else {
            (!facts.model_invocable).then(|| {
                let nobody = if facts.user_invocable { "" } else { ", nor a person call it by name" };
                (Why::NotModelInvocable, format!("it says that a model may not choose it by itself{nobody}"))
            })
        };
        (missing, why)
    }

    /// Why the skill's `agents/openai.yaml` keeps it from the product that looks.
    fn openai_yaml(&self, candidate: &Candidate) -> Option<(Why, String)> {
        let (product, codex) = (self.product?, candidate.codex()?);
        let is_for = |other: &String| other.eq_ignore_ascii_case(product);
        if !codex.products.is_empty() && !codex.products.iter().any(is_for) {
            return Some((Why::NotAllowed, "its `agents/openai.yaml` is for other products".to_owned()));
        }
        (codex.allow_implicit_invocation == Some(false)).then(|| {
            let by = "its `agents/openai.yaml` says that a model may not choose it by itself";
            (Why::NotModelInvocable, by.to_owned())
        })
    }

    fn missing(&self, candidate: &Candidate) -> Missing {
        let Some(gates) = &candidate.listing.facts().gates else { return Missing::default() };
        let mut missing = gates::missing(gates, &self.assume);
        if let Some(settings) = &self.settings {
            let (key, primary) = (key(candidate), gates.primary_env.as_deref());
            missing.env.retain(|variable| !settings.gives(key, variable, primary));
        }
        missing
    }
}

/// What an agent's own configuration knows a skill by.
fn key(candidate: &Candidate) -> &str {
    let own = candidate.listing.facts().gates.as_ref().and_then(|gates| gates.skill_key.as_deref());
    own.unwrap_or(&candidate.listing.name)
}

/// The finding that a skill which is always to be carried is not there.
pub(super) fn absent(name: &str) -> Finding {
    let name = one_line(name);
    let diagnostic =
        Diagnostic::new("always-absent", Level::Warning, format!("there is no skill `{name}` to carry always"));
    Finding { path: "skillpm.toml".into(), diagnostic: diagnostic.help("take it out of `always`, or add the skill") }
}

/// Whether `name` fits `pattern`, in which `*` stands for any characters.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
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
