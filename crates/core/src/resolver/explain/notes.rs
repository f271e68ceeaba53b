//! The notes of a conflict: the chains of requirements, and what is known of versions that do not fit.

use std::collections::BTreeSet;

use semver::Version;

use super::{LIST_MAX, join_list, render_versions, render_want, render_want_with_dir};
use crate::package::{PackageDependency, PackageId, PackageName};
use crate::resolver::candidates::ExclusionReason;
use crate::resolver::conflict::{
    CandidateHints, Conflict, ConflictCause, ConflictRemedy, ConflictRequester,
    ConflictRequirement, ConflictSubject, VersionFailure,
};

pub(super) fn render_notes(conflict: &Conflict) -> Vec<String> {
    let mut notes = Vec::new();
    match &*conflict.cause {
        ConflictCause::Unknown { requirements, .. } => push_unless_direct(requirements, &mut notes),
        ConflictCause::NothingFits {
            requirements,
            hints,
            ..
        } => {
            push_unless_direct(requirements, &mut notes);
            push_hints(requirements, hints, conflict.remedy.as_deref(), &mut notes);
        }
        ConflictCause::NameClash { requirements, .. } => {
            // The packages have one name, so that only their sources differ.
            push_requirements(requirements, &render_want_with_source, &mut notes);
        }
        ConflictCause::EachVersion {
            subject,
            requirements,
            cases,
        } => {
            push_requirements(requirements, &render_want, &mut notes);
            for case in cases {
                push_failure(subject, case, &mut notes);
            }
        }
        ConflictCause::Incompatible { requirements, more } => {
            push_requirements(requirements, &render_want, &mut notes);
            notes.extend((*more > 0).then(|| format!("and {more} more")));
        }
        ConflictCause::TooComplex { .. } => {}
    }
    notes
}

/// Whether the only requirement is a dependency of the project itself.
pub(super) fn is_direct(requirements: &[ConflictRequirement]) -> bool {
    matches!(
        requirements,
        [ConflictRequirement {
            requester: ConflictRequester::Project,
            ..
        }]
    )
}

/// Whether the only requirement is a dependency of the project or of a member.
fn is_one_line(requirements: &[ConflictRequirement]) -> bool {
    matches!(
        requirements,
        [ConflictRequirement {
            requester: ConflictRequester::Project | ConflictRequester::Member(_),
            ..
        }]
    )
}

/// Whether the conflict is about a single dependency of the project, so that the advice to remove it would be
/// redundant.
pub(super) fn is_about_one_line(cause: &ConflictCause) -> bool {
    match cause {
        ConflictCause::Unknown { requirements, .. }
        | ConflictCause::NothingFits { requirements, .. } => is_one_line(requirements),
        _ => false,
    }
}

fn push_unless_direct(requirements: &[ConflictRequirement], notes: &mut Vec<String>) {
    if !is_direct(requirements) {
        let directories: BTreeSet<_> = requirements
            .iter()
            .flat_map(|requirement| &requirement.wants)
            .filter_map(|want| want.subdir.as_ref())
            .collect();
        // Directories are shown only where they differ.
        let want: &dyn Fn(&PackageDependency) -> String = if directories.len() > 1 {
            &render_want_with_dir
        } else {
            &render_want
        };

        push_requirements(requirements, want, notes);
    }
}

fn push_requirements(
    requirements: &[ConflictRequirement],
    want: &dyn Fn(&PackageDependency) -> String,
    notes: &mut Vec<String>,
) {
    for requirement in requirements {
        push_requirement(requirement, "", 0, want, notes);
    }
}

/// Adds the line of a requirement, and below it why the package that has it is needed.
fn push_requirement(
    requirement: &ConflictRequirement,
    lead: &str,
    indent: usize,
    want: &dyn Fn(&PackageDependency) -> String,
    notes: &mut Vec<String>,
) {
    notes.push(format!(
        "{:indent$}{lead}{}",
        "",
        render_requirement(requirement, want)
    ));
    push_reasons(&requirement.because, indent + 2, notes);
}

fn push_reasons(because: &[ConflictRequirement], indent: usize, notes: &mut Vec<String>) {
    for (at, requirement) in because.iter().enumerate() {
        // A chain has one indentation: each line is the reason of the line above it.
        let lead = if at == 0 { "because" } else { "and because" };
        notes.push(format!(
            "{:indent$}{lead} {}",
            "",
            render_requirement(requirement, &render_want)
        ));
        push_reasons(&requirement.because, indent, notes);
    }
}

fn render_requirement(
    requirement: &ConflictRequirement,
    want: &dyn Fn(&PackageDependency) -> String,
) -> String {
    let (requester, needs, joint) = match &requirement.requester {
        ConflictRequester::Project => ("this project".to_owned(), "needs", "and"),
        ConflictRequester::Member(member) => (member.to_string(), "needs", "and"),
        ConflictRequester::ProjectIndirectly => {
            // The chain was cut at `CHAIN_MAX`, so the links in between are missing.
            (
                "this project (through packages not shown)".to_owned(),
                "needs",
                "and",
            )
        }
        // Several versions may each want another one, hence `or`.
        ConflictRequester::Package(name, versions) if versions.len() > 1 => {
            (render_versions(name, versions), "need", "or")
        }
        ConflictRequester::Package(name, versions) => {
            (render_versions(name, versions), "needs", "and")
        }
        // It is named as a patch, since the package of that name in the registry has other
        // dependencies.
        ConflictRequester::Patch {
            name,
            versions,
            patched: None,
        } => (
            format!(
                "{}, patched in skillpm.toml,",
                render_versions(name, versions)
            ),
            "needs",
            "and",
        ),
        ConflictRequester::Patch {
            name,
            versions,
            patched: Some(patched),
        } => {
            let patched: Vec<String> = patched
                .iter()
                .map(|version| format!("`{version}`"))
                .collect();
            let patched = join_list(&patched, "and");
            (
                format!(
                    "{} ({patched} patched in skillpm.toml)",
                    render_versions(name, versions)
                ),
                "need",
                "or",
            )
        }
    };

    let mut wants: Vec<String> = requirement.wants.iter().map(want).collect();
    wants.dedup();
    format!("{requester} {needs} {}", join_list(&wants, joint))
}

/// Adds hints about the candidates that do not fit, except those that the remedy repeats.
fn push_hints(
    requirements: &[ConflictRequirement],
    hints: &CandidateHints,
    remedy: Option<&ConflictRemedy>,
    notes: &mut Vec<String>,
) {
    let is_direct = is_direct(requirements);
    let is_single = matches!(requirements, [ConflictRequirement { wants, .. }] if matches!(wants.as_slice(), [want] if want.source.has_versions()));
    let remedied = match remedy {
        Some(ConflictRemedy::Change { version, .. }) if is_direct => version.as_ref(),
        _ => None,
    };

    if let Some(precise) = &hints.precise
        && hints.precise_exists
    {
        notes.push(format!("`--precise` allows only `{precise}`"));
    }

    // With `--precise`, or if the help names it anyway, the newest version would be redundant.
    let is_known = hints.precise_exists || hints.newest.as_ref() == remedied;
    if let Some(newest) = hints.newest.as_ref().filter(|_| is_single && !is_known) {
        notes.push(format!("the newest version is `{newest}`"));
    }

    if let Some(version) = &hints.pre_release
        && Some(version) != remedied
    {
        notes.push(render_pre_release(version, is_direct));
    }
    // With `--precise` the headline says that it was yanked.
    if hints.precise.is_none() {
        notes.extend(render_yanked(&hints.yanked));
    }

    push_excluded(&hints.excluded, notes);
    push_unfit_patches(&hints.patches, notes);
    notes.extend(render_stated_version(hints));
}

fn render_pre_release(version: &Version, is_direct: bool) -> String {
    if is_direct {
        format!("`{version}` is a pre-release; `^{version}` allows it")
    } else {
        format!(
            "`{version}` would fit, but it is a pre-release, which not every requirement allows"
        )
    }
}

fn render_yanked(yanked: &[Version]) -> Option<String> {
    match yanked {
        [] => None,
        [one] => Some(format!("`{one}` was yanked")),
        [first, .., last] => Some(format!(
            "all matching versions, `{first}` to `{last}`, were yanked"
        )),
    }
}

fn push_excluded(excluded: &[(PackageId, ExclusionReason)], notes: &mut Vec<String>) {
    // From new to old, and few: a policy can exclude hundreds.
    for (id, reason) in excluded.iter().rev().take(LIST_MAX) {
        notes.push(match reason {
            ExclusionReason::Unavailable(reason) => format!("`{id}` cannot be used: {reason}"),
            ExclusionReason::TooNew(reason) => format!("`{id}` {reason}"),
        });
    }

    if excluded.len() > LIST_MAX {
        notes.push(format!(
            "also excluded: {} older",
            excluded.len() - LIST_MAX
        ));
    }
}

fn push_unfit_patches(patches: &[PackageId], notes: &mut Vec<String>) {
    // A patch that does not match is silently left out of the search, and the user expects it
    // there.
    for id in patches.iter().rev().take(LIST_MAX) {
        notes.push(format!(
            "`{id}` from {}, patched in skillpm.toml, does not match",
            id.source.describe()
        ));
    }
}

fn render_stated_version(hints: &CandidateHints) -> Option<String> {
    match &hints.stated {
        Some(version) => Some(format!("its version is `{version}`")),
        None => hints
            .is_unversioned
            .then(|| "it has no version, which only `*` matches".to_owned()),
    }
}

fn push_failure(subject: &ConflictSubject, case: &VersionFailure, notes: &mut Vec<String>) {
    let (requirements, ending) = match &case.cause {
        ConflictCause::Unknown { requirements, .. } => {
            (requirements, ", but no such package was found")
        }
        ConflictCause::NothingFits { requirements, .. } if requirements.len() == 1 => {
            (requirements, ", but no version matches")
        }
        ConflictCause::NothingFits { requirements, .. }
        | ConflictCause::NameClash { requirements, .. } => (requirements, ""),
        _ => return,
    };

    let want: &dyn Fn(&PackageDependency) -> String =
        if matches!(case.cause, ConflictCause::NameClash { .. }) {
            &render_want_with_alias
        } else {
            &render_want
        };

    // First the requirements of the versions in question, then those that contradict them.
    let (own, others): (Vec<&ConflictRequirement>, Vec<&ConflictRequirement>) = requirements
        .iter()
        .partition(|requirement| comes_from(requirement, &subject.name));
    for (at, requirement) in own.iter().enumerate() {
        push_requirement(
            requirement,
            if at == 0 { "" } else { "and " },
            0,
            want,
            notes,
        );
        if at == 0
            // Where another requirement contradicts it, that line is the reason and not the missing
            // version.
            && own.len() == requirements.len()
            && let Some(line) = notes.last_mut().filter(|_| requirement.because.is_empty())
        {
            line.push_str(ending);
        }
    }

    for requirement in others {
        push_requirement(requirement, "but ", 2, want, notes);
    }
}

fn render_want_with_alias(dependency: &PackageDependency) -> String {
    format!(
        "{} as `{}`",
        render_want_with_source(dependency),
        dependency.alias
    )
}

fn comes_from(requirement: &ConflictRequirement, name: &PackageName) -> bool {
    matches!(&requirement.requester, ConflictRequester::Package(requester, _) | ConflictRequester::Patch { name: requester, .. } if requester == name)
        || requirement
            .because
            .iter()
            .any(|requirement| comes_from(requirement, name))
}

/// A dependency with its source.
fn render_want_with_source(dependency: &PackageDependency) -> String {
    format!(
        "{} from {}",
        render_want(dependency),
        dependency.source.describe()
    )
}
