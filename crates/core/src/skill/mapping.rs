//! The frontmatter of a skill as a mapping, with the spans of its values.

use crate::report::{Diagnostic, DiagnosticLevel, Span};

use super::fences::{self, FrontmatterFences};
use super::misplaced;
use super::repair;
use super::repair_strategy::RepairEdit;
use super::yaml::{DuplicateEntry, YamlNode};

/// A frontmatter with the spans of all its values, for callers that need more than a [`Skill`](super::Skill).
#[derive(Debug, Clone, PartialEq)]
pub struct SkillFrontmatter<'a> {
    /// The spans of its fences.
    pub fences: FrontmatterFences,
    /// Its mapping, repaired where it was invalid YAML. Of two entries with one key the first is kept.
    pub root: YamlNode<'a>,
    /// Entries that were left out because their key was there before.
    pub duplicates: Vec<DuplicateEntry>,
    /// The edits that make it valid YAML, except for duplicates; empty if it is valid.
    pub repairs: Vec<RepairEdit>,
}

impl<'a> SkillFrontmatter<'a> {
    /// Finds and parses the frontmatter of `source`, and adds its findings to `diagnostics`.
    ///
    /// `None` if no agent finds one or it is not a mapping; a diagnostic of level error says why.
    pub fn open(source: &'a str, diagnostics: &mut Vec<Diagnostic>) -> Option<Self> {
        let fences = match fences::locate_fences(source) {
            Ok(fences) => fences,
            Err(fault) => {
                diagnostics.push(misplaced::diagnose_fault(source, fault));
                return None;
            }
        };
        diagnostics.extend(fences::check_fences(source, &fences));

        let parsed = repair::parse_lenient(source, fences.yaml.clone());
        let faultless = parsed.diagnostics.is_empty();
        diagnostics.extend(parsed.diagnostics);

        match parsed.root {
            Some(root) if root.entries().is_some() => Some(SkillFrontmatter {
                fences,
                root,
                duplicates: parsed.duplicates,
                repairs: parsed.repairs,
            }),
            root => {
                // A fault that was reported above is the reason already.
                if faultless {
                    diagnostics.push(not_a_mapping_diagnostic(source, &fences, root.as_ref()));
                }
                None
            }
        }
    }

    /// The second of two entries of the top level that give `key` different values.
    #[must_use]
    pub fn contradiction(&self, key: &str) -> Option<&DuplicateEntry> {
        let (kept, _) = self.root.entry(key)?;
        self.duplicates
            .iter()
            .find(|duplicate| duplicate.first == kept.span && !duplicate.same_value)
    }
}

fn not_a_mapping_diagnostic(
    source: &str,
    fences: &FrontmatterFences,
    root: Option<&YamlNode>,
) -> Diagnostic {
    let (what, span): (_, Span) = match root {
        None => ("is empty", fences.open.clone()),
        Some(node) if node.items().is_some() => ("is a list, not a mapping", node.span.clone()),
        Some(node) => ("is text, not a mapping", node.span.clone()),
    };

    Diagnostic::new(
        "frontmatter-not-mapping",
        DiagnosticLevel::Error,
        format!("the frontmatter {what}"),
    )
    .at(span, source)
    .help("write `name: …` and `description: …` between the two `---` lines")
}
