//! The dependencies of a skill: the names in its `requires`.
//!
//! ```yaml
//! requires: [release-notes, acme/pdf@^1.2]
//! ```

use semver::VersionReq;

use crate::error::Error;
use crate::package::{PackageName, parse_requirement};
use crate::report::{Diagnostic, DiagnosticLevel, Span};

use super::{Skill, SkillFrontmatter};

/// The packages that a skill needs, in the order it names them, each once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SkillDependencies {
    /// Name and version requirement; `*` where none is given.
    pub packages: Vec<(PackageName, VersionReq)>,
    /// Invalid entries, as findings about the `SKILL.md`.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the `requires` of a skill; `source` is the text it was read from.
#[must_use]
pub fn read_dependencies(skill: &Skill, source: &str) -> SkillDependencies {
    let mut dependencies = SkillDependencies::default();
    for entry in &skill.requires {
        match parse_entry(entry) {
            Ok(package) if dependencies.packages.contains(&package) => {}
            Ok(package) => dependencies.packages.push(package),
            Err(error) => dependencies
                .diagnostics
                .push(malformed_entry_diagnostic(entry, &error, source)),
        }
    }

    dependencies
}

/// Reads `name` or `name@req`.
fn parse_entry(entry: &str) -> Result<(PackageName, VersionReq), Error> {
    // Spaces around the `@` are accepted: `pdf @ ^1`.
    let (name, req) = match entry.split_once('@') {
        Some((name, req)) => (name.trim_end(), Some(req.trim_start())),
        None => (entry, None),
    };

    let name: PackageName = name.parse()?;
    let req = req
        .map_or(Ok(VersionReq::STAR), parse_requirement)
        .map_err(|cause| invalid_requirement(req.unwrap_or_default(), &cause))?;

    Ok((name, req))
}

/// The error of a requirement, with the help of its cause.
fn invalid_requirement(req: &str, cause: &Error) -> Error {
    let req = req.escape_debug();
    let error = Error::usage(format!("invalid version requirement `{req}`"));
    cause
        .helps()
        .iter()
        .fold(error, |error, help| error.help(help.clone()))
}

fn malformed_entry_diagnostic(entry: &str, error: &Error, source: &str) -> Diagnostic {
    let message = format!("invalid entry in `requires`: {}", error.message());
    let mut diagnostic = Diagnostic::new("requires-malformed", DiagnosticLevel::Warning, message);

    if let Some(span) = entry_span(entry, source) {
        diagnostic = diagnostic.at(span, source);
    }
    diagnostic.help = error.helps().first().cloned();
    diagnostic
}

/// The span of `entry` in the frontmatter.
fn entry_span(entry: &str, source: &str) -> Option<Span> {
    let frontmatter = SkillFrontmatter::open(source, &mut Vec::new())?;
    let root = &frontmatter.root;

    let node = root
        .get("requires")
        .or_else(|| root.get("metadata")?.get("requires"))?;

    let item = node
        .items()
        .unwrap_or_default()
        .iter()
        .find(|item| item.text().map(str::trim) == Some(entry));

    // One text with commas is not a list of items, so the whole value is marked.
    Some(item.unwrap_or(node).span.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::read_str;

    /// A message and the line and column it is about.
    type PositionedMessage = (String, Option<(usize, usize)>);

    fn read_requires(requires: &str) -> (Vec<String>, Vec<PositionedMessage>) {
        let source = format!("---\nname: x\ndescription: d\n{requires}\n---\n");
        let found = read_dependencies(&read_str(&source, "x").skill.unwrap(), &source);
        (
            found
                .packages
                .into_iter()
                .map(|(name, req)| format!("{name} {req}"))
                .collect(),
            found
                .diagnostics
                .into_iter()
                .map(|d| (d.message, d.position))
                .collect(),
        )
    }

    #[test]
    fn names_with_and_without_versions_are_read_from_lists_and_from_texts() {
        let expected = vec![
            "notes *".to_owned(),
            "acme/pdf ^1.2".into(),
            "old >=1, <2".into(),
        ];
        for written in [
            "requires: [notes, 'acme/pdf@^1.2', 'old@>=1, <2', notes]",
            "requires:\n- notes\n- acme/pdf@1.2\n- old @ >=1, <2",
            "requires: notes, acme/pdf@^1.2, old@>=1, <2",
            "metadata:\n  requires: [notes, acme/pdf@^1.2, 'old@>=1, <2']",
            "metadata: '{\"requires\": [\"notes\", \"acme/pdf@^1.2\", \"old@>=1, <2\"]}'",
        ] {
            assert_eq!(
                read_requires(written),
                (expected.clone(), vec![]),
                "{written}"
            );
        }
    }

    #[test]
    fn openclaw_gates_are_not_packages() {
        assert_eq!(read_requires("requires: {bins: [git]}"), (vec![], vec![]));
    }

    #[test]
    fn an_invalid_entry_is_reported_with_its_position() {
        let (packages, messages) = read_requires(
            "requires:\n  - ok\n  - Not_One\n  - pdf@latest\n  - pdf@\n  - '@acme/pdf'",
        );
        assert_eq!(packages, ["ok *"]);
        let at = |line, message: &str| {
            (
                format!("invalid entry in `requires`: {message}"),
                Some((line, 5)),
            )
        };
        assert_eq!(
            messages,
            [
                at(6, "invalid skill name `Not_One`: it contains `N`"),
                at(7, "invalid version requirement `latest`"),
                at(8, "invalid version requirement ``"),
                at(9, "invalid skill name ``: it is empty"),
            ]
        );
    }
}
