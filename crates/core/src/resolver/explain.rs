//! A conflict as text: one sentence, the chains of requirements that lead to it, and what to do.
//!
//! ```text
//! error: failed to select a version for `pdf-core`: no version meets all requirements
//!   `docx-theme 3.1.0` needs `pdf-core =1.3.0`
//!     because `brand-style 2.0.0` needs `docx-theme ^3`
//!     because this project needs `brand-style ^2`
//!   this project needs `pdf-core ^1.5`
//! help: `brand-style 3.0.0` would fit; to use it, run `skillpm add brand-style@^3`
//! ```

mod notes;
mod remedy;

pub use remedy::{command_in, shell_quoted};

use semver::{Version, VersionReq};

use super::conflict::{
    CandidateHints, Conflict, ConflictCause, ConflictRequirement, ConflictSubject,
};
use super::root::{MemberRef, RootDependency};
use crate::error::{Error, edit_distance};
use crate::package::{GitReference, PackageDependency, PackageId, PackageName, SourceId};
use notes::{is_about_one_line, is_direct, render_notes};

/// Most similar names that are suggested, and most excluded candidates that are listed.
const LIST_MAX: usize = 3;

/// Facts that only the caller knows and that improve an explanation.
#[derive(Clone, Copy)]
pub struct ExplainContext<'a> {
    /// The index of the default registry, which is left out of messages; `None` names every registry.
    pub default_registry: Option<&'a str>,
    /// The names that a source is known to have, to suggest similar ones.
    pub names: &'a dyn Fn(&SourceId) -> Vec<PackageName>,
}

impl Default for ExplainContext<'_> {
    fn default() -> Self {
        ExplainContext {
            default_registry: None,
            names: &|_| Vec::new(),
        }
    }
}

impl Conflict {
    /// Renders the conflict as an error with notes and help.
    #[must_use]
    pub fn explain(&self, context: &ExplainContext<'_>) -> Error {
        let mut error = Error::negative(context.render_headline(&self.cause));

        // Notes before helps, as they are printed: first why, then what to do.
        for note in render_notes(self) {
            error = error.note(note);
        }
        for help in context.render_helps(self) {
            error = error.help(help);
        }

        error
    }
}

impl ExplainContext<'_> {
    fn render_headline(&self, cause: &ConflictCause) -> String {
        match cause {
            ConflictCause::Unknown {
                subject,
                requirements,
            } => self.render_unknown(subject, requirements),
            ConflictCause::NothingFits {
                subject,
                requirements,
                hints,
            } => self.render_nothing_fits(subject, requirements, hints),
            ConflictCause::NameClash { alias, .. } => {
                format!("conflicting names: two packages would be installed as `{alias}`")
            }
            ConflictCause::EachVersion { subject, .. } => {
                let ConflictSubject { name, source } = subject;
                format!(
                    "failed to select a version for `{name}`{}: every version conflicts with other requirements",
                    self.render_origin(source)
                )
            }
            ConflictCause::Incompatible { .. } => {
                "failed to resolve dependencies: these requirements conflict".into()
            }
            ConflictCause::TooComplex {
                steps, candidates, ..
            } => {
                format!(
                    "failed to resolve dependencies: gave up after {steps} steps with {candidates} candidate versions"
                )
            }
        }
    }

    fn render_unknown(
        &self,
        ConflictSubject { name, source }: &ConflictSubject,
        requirements: &[ConflictRequirement],
    ) -> String {
        let place = source.describe();

        let subdir = requirements
            .iter()
            .flat_map(|requirement| &requirement.wants)
            .find_map(|want| want.subdir.as_ref());

        match (source, subdir) {
            // Elsewhere the default registry is left out; here it may be the wrong one, so its URL
            // is shown.
            (SourceId::Registry(index), _) if self.is_default(source) => {
                format!(
                    "no matching package named `{name}` found in the default registry, `{index}`"
                )
            }
            (SourceId::Registry(_), _) => {
                format!("no matching package named `{name}` found in {place}")
            }
            // The directory decides and not the name, which is only a guess until the skill is
            // read.
            (_, Some(subdir)) => format!("no skill found in directory `{subdir}` of {place}"),
            (_, None) => format!("no matching skill named `{name}` found in {place}"),
        }
    }

    fn render_nothing_fits(
        &self,
        ConflictSubject { name, source }: &ConflictSubject,
        requirements: &[ConflictRequirement],
        hints: &CandidateHints,
    ) -> String {
        let from = self.render_origin(source);
        if let Some(precise) = &hints.precise {
            return render_unfit_precise(precise, &from, requirements, hints);
        }

        let wants: Vec<&PackageDependency> = requirements
            .iter()
            .flat_map(|requirement| &requirement.wants)
            .collect();

        // A single dependency is named with its requirement; several are listed in the notes.
        let (place, why) = match wants.as_slice() {
            [want] => match single_reference(want) {
                Some(reference) if want.req == VersionReq::STAR => {
                    return format!("`{name}`{from} not found at {reference}");
                }
                Some(reference) => (
                    format!(" at {reference}"),
                    format!("it does not match `{}`", want.req),
                ),
                None if want.source.has_versions() => {
                    (String::new(), format!("no version matches `{}`", want.req))
                }
                None => (String::new(), format!("it does not match `{}`", want.req)),
            },
            wants if wants.iter().all(|want| want.source.has_versions()) => (
                String::new(),
                "no version meets all requirements".to_owned(),
            ),
            _ => (
                String::new(),
                "no candidate meets all requirements".to_owned(),
            ),
        };

        format!("failed to select a version for `{name}`{from}{place}: {why}")
    }

    fn render_helps(&self, conflict: &Conflict) -> Vec<String> {
        let mut helps = Vec::new();
        // Nothing is known to conflict, so no change was tried; fewer versions make the search
        // shorter.
        if let ConflictCause::TooComplex { widest, .. } = &*conflict.cause {
            helps.extend(
                widest
                    .as_ref()
                    .map(|(line, width)| self.render_narrowing(line, *width)),
            );
            helps.push(
                "to pin a package to one version, also a transitive dependency, use `[patch]` in skillpm.toml"
                    .into(),
            );
            return helps;
        }

        if let ConflictCause::Unknown {
            subject,
            requirements,
        } = &*conflict.cause
        {
            helps.extend(self.render_nearest(subject));
            // A dependency of a package was written by its author, who meant a package.
            helps.extend(suggest_github(subject).filter(|_| is_direct(requirements)));
            helps.extend(suggest_search(subject));
        }

        match conflict.remedy.as_deref() {
            Some(remedy) => helps.extend(self.render_remedy(remedy, conflict)),
            None if !is_about_one_line(&conflict.cause) => {
                helps.push(
                    "no change to a single dependency helps; `[patch]` in skillpm.toml can replace a package".into(),
                );
            }
            None => {}
        }

        // Only where nothing else helps, since it takes other people.
        if helps.is_empty() {
            helps.extend(suggest_yank_owner(&conflict.cause));
        }

        helps
    }

    fn is_default(&self, source: &SourceId) -> bool {
        matches!(source, SourceId::Registry(index) if Some(index.as_str()) == self.default_registry)
    }

    fn render_origin(&self, source: &SourceId) -> String {
        if self.is_default(source) {
            String::new()
        } else {
            format!(" from {}", source.describe())
        }
    }

    /// Suggests the names most similar to the unknown one; `None` if none is similar.
    fn render_nearest(&self, ConflictSubject { name, source }: &ConflictSubject) -> Option<String> {
        // Sorted by distance, then by name, so that equal input gives equal text.
        let mut near: Vec<(usize, PackageName)> = (self.names)(source)
            .into_iter()
            .filter_map(|known| Some((nearness(name, &known)?, known)))
            .collect();
        near.sort();
        near.dedup();
        near.truncate(LIST_MAX);

        let names: Vec<String> = near
            .into_iter()
            .map(|(_, known)| format!("`{known}`"))
            .collect();

        match names.as_slice() {
            [] => None,
            _ => Some(format!("did you mean {}?", join_list(&names, "or"))),
        }
    }
}

/// Says why the one version that `--precise` allows was not selected.
fn render_unfit_precise(
    precise: &PackageId,
    from: &str,
    requirements: &[ConflictRequirement],
    hints: &CandidateHints,
) -> String {
    // Its version matches, so it is yanked or excluded; for the latter the notes give the reason.
    if let Some(yanked) = hints.yanked.last() {
        return format!(
            "failed to select `{} {yanked}`{from}: it was yanked, and `--precise` does not select yanked versions",
            precise.name
        );
    }
    if !hints.excluded.is_empty() {
        return format!("failed to select `{precise}`{from}");
    }
    if !hints.precise_exists {
        return format!("`{precise}`{from} not found");
    }

    match requirements {
        [requirement] if is_direct(requirements) && requirement.wants.len() == 1 => format!(
            "failed to select `{precise}`{from}: it does not match `{}`, which this project requires",
            requirement.wants[0].req
        ),
        _ => format!("failed to select `{precise}`{from}: it does not meet all requirements"),
    }
}

/// A package in some versions: `a 1.0.0`, `a 1.0.0` and `1.1.0`, `a 1.0.0` to `1.9.0`.
fn render_versions(name: &PackageName, versions: &[Version]) -> String {
    match versions {
        [] => format!("`{name}`"),
        [one] => format!("`{name} {one}`"),
        [one, two] => format!("`{name} {one}` and `{two}`"),
        [first, .., last] => format!("`{name} {first}` to `{last}`"),
    }
}

/// A dependency as `name requirement`, without its source.
fn render_want(dependency: &PackageDependency) -> String {
    let PackageDependency { package, req, .. } = dependency;
    // Where nothing can be selected, `*` says nothing.
    let name = if dependency.source.has_versions() || *req != VersionReq::STAR {
        format!("`{package} {req}`")
    } else {
        format!("`{package}`")
    };
    match single_reference(dependency) {
        Some(reference) => format!("{name} at {reference}"),
        None => name,
    }
}

/// A dependency with its directory.
fn render_want_with_dir(dependency: &PackageDependency) -> String {
    match &dependency.subdir {
        Some(subdir) => format!("{} in `{subdir}`", render_want(dependency)),
        None => render_want(dependency),
    }
}

/// The one git reference of a dependency; `None` where a version is to be selected, and for other sources.
fn single_reference(dependency: &PackageDependency) -> Option<&GitReference> {
    match &dependency.source {
        SourceId::Git {
            reference: GitReference::Versions,
            ..
        } => None,
        SourceId::Git { reference, .. } => Some(reference),
        _ => None,
    }
}

fn render_aliases(lines: &[RootDependency]) -> String {
    let names: Vec<String> = lines.iter().map(render_line).collect();
    join_list(&names, "or")
}

/// A dependency as messages name it: `pdf`, or `pdf` of `acme/forms`.
fn render_line(RootDependency { dependency, member }: &RootDependency) -> String {
    match member {
        Some(MemberRef { name, .. }) => format!("`{}` of `{name}`", dependency.alias),
        None => format!("`{}`", dependency.alias),
    }
}

/// `a`, `a and b`, `a, b and c`.
fn join_list(items: &[String], joint: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {joint} {last}", first.join(", ")),
    }
}

/// Suggests the GitHub repository: a bare `owner/repo` means a package of the registry.
fn suggest_github(ConflictSubject { name, source }: &ConflictSubject) -> Option<String> {
    // Without a scope it is not `owner/repo`.
    let is_registry = matches!(source, SourceId::Registry(_)) && name.scope().is_some();
    is_registry.then(|| format!("for the repository on GitHub, run `skillpm add gh:{name}`"))
}

/// Suggests a search of all registries.
fn suggest_search(ConflictSubject { name, source }: &ConflictSubject) -> Option<String> {
    let is_registry = matches!(source, SourceId::Registry(_));
    is_registry.then(|| {
        format!(
            "to search all configured registries, run `skillpm search {}`",
            name.skill()
        )
    })
}

/// The edit distance of a known name from the unknown one; `None` if it is too large for a typo.
fn nearness(unknown: &PackageName, known: &PackageName) -> Option<usize> {
    // The same skill of another scope is the likeliest mistake.
    if unknown.skill() == known.skill() {
        return Some(1);
    }

    let (a, b) = (unknown.to_string(), known.to_string());
    let distance = edit_distance(&a, &b);

    // A third of the letters: beyond that any two short names are similar.
    (distance <= (a.len() / 3).max(1)).then_some(distance)
}

/// Suggests asking the owners where all matching versions were yanked.
fn suggest_yank_owner(cause: &ConflictCause) -> Option<String> {
    match cause {
        ConflictCause::NothingFits { subject, hints, .. } if !hints.yanked.is_empty() => {
            Some(format!(
                "only the owners can undo a yank; `skillpm info {}` lists them and all versions",
                subject.name
            ))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
