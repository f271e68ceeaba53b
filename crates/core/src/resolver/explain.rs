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

use std::collections::BTreeSet;

use semver::{Version, VersionReq};

use super::candidates::ExclusionReason;
use super::conflict::{
    CandidateHints, Conflict, ConflictCause, ConflictRemedy, ConflictRequester,
    ConflictRequirement, ConflictSubject, VersionFailure,
};
use super::root::{MemberRef, RootDependency};
use crate::error::{Error, edit_distance};
use crate::package::{
    GitReference, PackageDependency, PackageId, PackageName, SkillName, SourceId,
};

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
                None if is_versioned(want) => {
                    (String::new(), format!("no version matches `{}`", want.req))
                }
                None => (String::new(), format!("it does not match `{}`", want.req)),
            },
            wants if wants.iter().all(|want| is_versioned(want)) => (
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

    fn render_remedy(&self, remedy: &ConflictRemedy, conflict: &Conflict) -> Option<String> {
        match remedy {
            ConflictRemedy::Change { line, req, version } => {
                Some(self.render_change(line, req, version.as_ref(), &conflict.cause))
            }
            ConflictRemedy::Rename { line, alias } => {
                Some(match self.add_command(line, &line.dependency.req, alias) {
                    Some(command) => {
                        format!("install one of them under another name, such as with `{command}`")
                    }
                    None => {
                        format!(
                            "install one of them under another name, such as with `--as {alias}` for `{}`",
                            line.dependency.package
                        )
                    }
                })
            }
            ConflictRemedy::WithoutPrecise(id) => {
                Some(format!("without `--precise`, `{id}` is selected"))
            }
            // Removing the one dependency in question is not a remedy, it is giving up on it.
            ConflictRemedy::RemoveOneOf { .. } if is_about_one_line(&conflict.cause) => None,
            ConflictRemedy::RemoveOneOf { lines } => {
                Some(match (lines.as_slice(), conflict.lines.as_slice()) {
                    ([line], [_]) => format!(
                        "the other dependencies resolve without {}",
                        render_line(line)
                    ),
                    ([line], all) => {
                        format!(
                            "no other version of {} helps; the other dependencies resolve without {}",
                            render_aliases(all),
                            render_line(line)
                        )
                    }
                    (_, all) => format!(
                        "no other version of {} helps; the other dependencies resolve without one of them",
                        render_aliases(all)
                    ),
                })
            }
        }
    }

    fn render_change(
        &self,
        line: &RootDependency,
        req: &VersionReq,
        version: Option<&Version>,
        cause: &ConflictCause,
    ) -> String {
        let asked = &line.dependency;
        let is_newest = matches!(cause, ConflictCause::NothingFits { requirements, hints, .. }
            if is_direct(requirements) && is_versioned(asked) && version.is_some() && hints.newest.as_ref() == version);

        let is_pre_release = version.is_some_and(|version| !version.pre.is_empty());

        let why = match version {
            Some(version) if is_newest => format!("`{version}` is the newest version; "),
            Some(version) if is_pre_release => format!("`{version}` is a pre-release; "),
            Some(version) => format!("`{} {version}` would fit; ", asked.package),
            None => String::new(),
        };

        // `add` takes a requirement only where there are versions to choose from.
        match self
            .add_command(line, req, &asked.alias)
            .filter(|_| is_versioned(asked))
        {
            Some(command) => format!("{why}to use it, run `{command}`"),
            None => format!(
                "{why}change the requirement of {} from `{}` to `{req}`",
                render_line(line),
                asked.req
            ),
        }
    }

    /// Suggests narrowing the requirement that leaves the search the most versions.
    fn render_narrowing(&self, line: &RootDependency, width: usize) -> String {
        let name = render_line(line);
        match &line.dependency.source {
            // For another one `info` requires its name, which is not known here.
            SourceId::Registry(_) if self.is_default(&line.dependency.source) => format!(
                "narrow the requirement of {name}, which matches {width} versions; `skillpm info {}` lists them",
                line.dependency.package
            ),
            _ => format!("narrow the requirement of {name}, which matches {width} versions"),
        }
    }

    /// The command that adds a dependency; `None` if only a registry's index is known and not its name.
    fn add_command(
        &self,
        line: &RootDependency,
        req: &VersionReq,
        alias: &SkillName,
    ) -> Option<String> {
        let RootDependency {
            dependency: line,
            member,
        } = line;

        let mut words = self.spec_words(line, req)?;
        if alias != line.package.skill() {
            words.extend(["--as".into(), alias.to_string()]);
        }
        if line.dev {
            words.push("--dev".into());
        }

        // The command is meant to be pasted into a shell, and names come from packages and hosts.
        let words: Vec<String> = words.into_iter().map(shell_quoted).collect();
        let place = member.as_ref().map_or(String::new(), |member| {
            format!("-C {} ", shell_quoted(member.dir.clone()))
        });

        Some(format!("skillpm {place}add {}", words.join(" ")))
    }

    /// The arguments of `add` that name a dependency's package and its requirement.
    fn spec_words(&self, line: &PackageDependency, req: &VersionReq) -> Option<Vec<String>> {
        let at = if *req == VersionReq::STAR {
            String::new()
        } else {
            format!("@{req}")
        };

        Some(match &line.source {
            SourceId::Registry(_) if self.is_default(&line.source) => {
                vec![format!("{}{at}", line.package)]
            }
            // `add` needs a registry's name, and only the URL of its index is known here.
            SourceId::Registry(_) => return None,
            // A branch, tag or commit leaves no version to require.
            SourceId::Git { url, reference } if *reference == GitReference::Versions => {
                git_words(format!("{url}{at}"), reference, line)
            }
            SourceId::Git { url, reference } => git_words(url.to_string(), reference, line),
            SourceId::Path(path) if path.starts_with(['/', '.']) => vec![path.clone()],
            // Without the dot it would be the name of a package.
            SourceId::Path(path) => vec![format!("./{path}")],
            SourceId::Archive(place) => vec![place.clone()],
            SourceId::WellKnown(site) => {
                vec![site.to_spec(), "--skill".into(), line.package.to_string()]
            }
            SourceId::ClawHub(_) => vec![format!("clawhub:{}{at}", line.package)],
        })
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

fn render_notes(conflict: &Conflict) -> Vec<String> {
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
fn is_direct(requirements: &[ConflictRequirement]) -> bool {
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
fn is_about_one_line(cause: &ConflictCause) -> bool {
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
    let name = if is_versioned(dependency) || *req != VersionReq::STAR {
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

/// A dependency with its source.
fn render_want_with_source(dependency: &PackageDependency) -> String {
    format!(
        "{} from {}",
        render_want(dependency),
        dependency.source.describe()
    )
}

/// Whether there are versions to choose from.
fn is_versioned(dependency: &PackageDependency) -> bool {
    matches!(
        dependency.source,
        SourceId::Registry(_)
            | SourceId::Git {
                reference: GitReference::Versions,
                ..
            }
    )
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

/// Adds hints about the candidates that do not fit, except those that the remedy repeats.
fn push_hints(
    requirements: &[ConflictRequirement],
    hints: &CandidateHints,
    remedy: Option<&ConflictRemedy>,
    notes: &mut Vec<String>,
) {
    let is_direct = is_direct(requirements);
    let is_single = matches!(requirements, [ConflictRequirement { wants, .. }] if matches!(wants.as_slice(), [want] if is_versioned(want)));
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

/// The arguments that name a skill of a git repository.
fn git_words(spec: String, reference: &GitReference, line: &PackageDependency) -> Vec<String> {
    let mut words = vec![spec];
    words.extend(reference_flags(reference));

    match &line.subdir {
        Some(subdir) => words.extend(["--path".into(), subdir.to_string()]),
        None => words.extend(["--skill".into(), line.package.to_string()]),
    }
    words
}

fn reference_flags(reference: &GitReference) -> Vec<String> {
    match reference {
        GitReference::Default | GitReference::Versions => Vec::new(),
        GitReference::Branch(name) => vec!["--branch".into(), name.clone()],
        GitReference::Tag(name) => vec!["--tag".into(), name.clone()],
        GitReference::Rev(name) => vec!["--rev".into(), name.clone()],
    }
}

/// A word quoted for a POSIX shell where it needs that.
fn shell_quoted(word: String) -> String {
    // A list of what is safe, and not of what is special: shells differ in the latter. `~` and `*`
    // are quoted.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@^=._/:+-".contains(c);
    if word.chars().all(is_plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
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
