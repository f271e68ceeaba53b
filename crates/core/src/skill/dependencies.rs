//! What a skill says that it needs: the names in its `requires`.
//!
//! ```yaml
//! requires: [release-notes, acme/pdf@^1.2]
//! ```

use semver::VersionReq;

use crate::error::Error;
use crate::package::{PackageName, parse_requirement};
use crate::report::{Diagnostic, Level, Span};

use super::{Frontmatter, Skill};

/// The packages that a skill needs, in the order it names them, each once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dependencies {
    /// Name, and the versions that fit; `*` where none are given.
    pub packages: Vec<(PackageName, VersionReq)>,
    /// Entries that name no package, as findings about the `SKILL.md`.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the `requires` of a skill; `source` is the text it was read from.
#[must_use]
pub fn dependencies(skill: &Skill, source: &str) -> Dependencies {
    let mut dependencies = Dependencies::default();
    for entry in &skill.requires {
        match parse(entry) {
            Ok(package) if dependencies.packages.contains(&package) => {}
            Ok(package) => dependencies.packages.push(package),
            Err(error) => dependencies.diagnostics.push(malformed(entry, &error, source)),
        }
    }
    dependencies
}

/// Reads `name` or `name@req`.
fn parse(entry: &str) -> Result<(PackageName, VersionReq), Error> {
    let (name, req) = match entry.split_once('@') {
        Some((name, req)) => (name.trim_end(), Some(req.trim_start())),
        None => (entry, None),
    };
    let name: PackageName = name.parse()?;
    let req = req.map_or(Ok(VersionReq::STAR), parse_requirement).map_err(|cause| {
        let req = req.unwrap_or_default().escape_debug();
        let error = Error::usage(format!("`{req}` is not a version requirement"));
        cause.helps().iter().fold(error, |error, help| error.help(help.clone()))
    })?;
    Ok((name, req))
}

fn malformed(entry: &str, error: &Error, source: &str) -> Diagnostic {
    let message = format!("`requires` names no package: {}", error.message());
    let mut diagnostic = Diagnostic::new("requires-malformed", Level::Warning, message);
    if let Some(span) = place(entry, source) {
        diagnostic = diagnostic.at(span, source);
    }
    diagnostic.help = error.helps().first().cloned();
    diagnostic
}

/// Where `entry` stands in the frontmatter.
fn place(entry: &str, source: &str) -> Option<Span> {
    let frontmatter = Frontmatter::open(source, &mut Vec::new())?;
    let root = &frontmatter.root;
    let node = root.get("requires").or_else(|| root.get("metadata")?.get("requires"))?;
    let item = node.items().unwrap_or_default().iter().find(|item| item.text().map(str::trim) == Some(entry));
    Some(item.unwrap_or(node).span.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::read_str;

    /// A message and the line and column it is about.
    type Told = (String, Option<(usize, usize)>);

    fn of(requires: &str) -> (Vec<String>, Vec<Told>) {
        let source = format!("---\nname: x\ndescription: d\n{requires}\n---\n");
        let found = dependencies(&read_str(&source, "x").skill.unwrap(), &source);
        (
            found.packages.into_iter().map(|(name, req)| format!("{name} {req}")).collect(),
            found.diagnostics.into_iter().map(|d| (d.message, d.position)).collect(),
        )
    }

    #[test]
    fn names_with_and_without_versions_are_read_from_lists_and_from_texts() {
        let expected = vec!["notes *".to_owned(), "acme/pdf ^1.2".into(), "old >=1, <2".into()];
        for written in [
            "requires: [notes, 'acme/pdf@^1.2', 'old@>=1, <2', notes]",
            "requires:\n- notes\n- acme/pdf@1.2\n- old @ >=1, <2",
            "requires: notes, acme/pdf@^1.2, old@>=1, <2",
            "metadata:\n  requires: [notes, acme/pdf@^1.2, 'old@>=1, <2']",
            "metadata: '{\"requires\": [\"notes\", \"acme/pdf@^1.2\", \"old@>=1, <2\"]}'",
        ] {
            assert_eq!(of(written), (expected.clone(), vec![]), "{written}");
        }
    }

    #[test]
    fn the_gates_of_openclaw_are_no_packages() {
        assert_eq!(of("requires: {bins: [git]}"), (vec![], vec![]));
    }

    #[test]
    fn an_entry_that_names_no_package_is_told_with_its_place() {
        let (packages, told) = of("requires:\n  - ok\n  - Not_One\n  - pdf@latest\n  - pdf@\n  - '@acme/pdf'");
        assert_eq!(packages, ["ok *"]);
        let at = |line, message: &str| (format!("`requires` names no package: {message}"), Some((line, 5)));
        assert_eq!(
            told,
            [
                at(6, "`Not_One` is not a skill name: it holds `N`"),
                at(7, "`latest` is not a version requirement"),
                at(8, "`` is not a version requirement"),
                at(9, "`` is not a skill name: it is empty"),
            ]
        );
    }
}
