//! A conflict in words: one sentence, the chains of who asked, and what to do.
//!
//! ```text
//! error: no version of `pdf-core` fits all that is asked of it
//!   `docx-theme 3.1.0` needs `pdf-core =1.3.0`
//!     because `brand-style 2.0.0` needs `docx-theme ^3`
//!     because this project needs `brand-style ^2`
//!   this project needs `pdf-core ^1.5`
//! help: `brand-style 3.0.0` would fit; ask for it with `skillpm add brand-style@^3`
//! ```

use std::collections::BTreeSet;

use semver::{Version, VersionReq};

use super::candidates::Barred;
use super::conflict::{Ask, Asker, Case, Cause, Conflict, Hints, Remedy, Subject};
use super::root::{Member, Root};
use crate::error::{Error, distance};
use crate::package::{Dependency, GitReference, PackageName, SkillName, SourceId};

/// How many nearest names are offered, and how many candidates that cannot be used are listed.
const LISTED: usize = 3;

/// What only the caller knows, and an explanation is better for.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The index of the registry that a bare name means; it is not mentioned. `None` mentions every registry.
    pub default_registry: Option<&'a str>,
    /// The names that a source is known to have, to offer the nearest.
    pub names: &'a dyn Fn(&SourceId) -> Vec<PackageName>,
}

impl Default for Surroundings<'_> {
    fn default() -> Self {
        Surroundings { default_registry: None, names: &|_| Vec::new() }
    }
}

impl Conflict {
    /// Puts the conflict into words.
    #[must_use]
    pub fn explain(&self, surroundings: &Surroundings<'_>) -> Error {
        let mut error = Error::negative(surroundings.headline(&self.cause));
        for note in notes(self) {
            error = error.note(note);
        }
        for help in surroundings.helps(self) {
            error = error.help(help);
        }
        error
    }
}

impl Surroundings<'_> {
    fn headline(&self, cause: &Cause) -> String {
        match cause {
            Cause::Unknown { subject, asks } => self.unknown(subject, asks),
            Cause::NothingFits { subject, asks, hints } => self.nothing_fits(subject, asks, hints),
            Cause::NameClash { alias, .. } => format!("two packages want to be called `{alias}`"),
            Cause::EachVersion { subject, .. } => {
                let Subject { name, source } = subject;
                format!("no version of `{name}`{} goes with everything else that is needed", self.from(source))
            }
            Cause::Together { .. } => "these requirements do not go together".into(),
            Cause::TooHard { steps } => format!("which versions fit together was not found out in {steps} steps"),
        }
    }

    fn unknown(&self, Subject { name, source }: &Subject, asks: &[Ask]) -> String {
        let place = source.place();
        let subdir = asks.iter().flat_map(|ask| &ask.wants).find_map(|want| want.subdir.as_ref());
        match (source, subdir) {
            (SourceId::Registry(_), _) if self.is_default(source) => format!("there is no package `{name}`"),
            (SourceId::Registry(_), _) => format!("there is no package `{name}` in {place}"),
            (_, Some(subdir)) => format!("there is no skill in `{subdir}` of {place}"),
            (_, None) => format!("there is no skill `{name}` in {place}"),
        }
    }

    fn nothing_fits(&self, Subject { name, source }: &Subject, asks: &[Ask], hints: &Hints) -> String {
        let from = self.from(source);
        if let Some(precise) = &hints.precise {
            return match (hints.precise_exists, asks) {
                (true, [Ask { asker: Asker::Project, wants, .. }]) if wants.len() == 1 => {
                    format!("`{precise}`{from} does not fit `{}`, which this project asks for", wants[0].req)
                }
                (true, _) => format!("`{precise}`{from} does not fit what is asked of it"),
                (false, _) => format!("there is no `{precise}`{from}"),
            };
        }
        let mut wants = asks.iter().flat_map(|ask| &ask.wants);
        match (wants.next(), wants.next()) {
            (Some(want), None) => match reference(want) {
                Some(reference) if want.req == VersionReq::STAR => format!("there is no `{name}`{from} at {reference}"),
                Some(reference) => format!("`{name}`{from} at {reference} does not fit `{}`", want.req),
                None if is_versioned(want) => format!("no version of `{name}`{from} fits `{}`", want.req),
                None => format!("`{name}`{from} does not fit `{}`", want.req),
            },
            _ if asks.iter().flat_map(|ask| &ask.wants).all(is_versioned) => {
                format!("no version of `{name}`{from} fits all that is asked of it")
            }
            _ => format!("nothing that `{name}`{from} offers fits all that is asked of it"),
        }
    }

    fn helps(&self, conflict: &Conflict) -> Vec<String> {
        let mut helps = Vec::new();
        if let Cause::TooHard { .. } = *conflict.cause {
            helps.push("real packages are not that hard; look for one that has no business in this project".into());
            return helps;
        }
        if let Cause::Unknown { subject, asks } = &*conflict.cause {
            helps.extend(self.nearest(subject));
            helps.extend(on_github(subject).filter(|_| is_direct(asks)));
        }
        match conflict.remedy.as_deref() {
            Some(remedy) => helps.extend(self.remedy(remedy, conflict)),
            None if !is_about_one_line(&conflict.cause) => {
                helps.push(
                    "no change of one dependency helps; `[patch]` can put another package in place of one".into(),
                );
            }
            None => {}
        }
        if helps.is_empty() {
            helps.extend(about_yanks(&conflict.cause));
        }
        helps
    }

    fn remedy(&self, remedy: &Remedy, conflict: &Conflict) -> Option<String> {
        match remedy {
            Remedy::Change { line, req, version } => Some(self.change(line, req, version.as_ref(), &conflict.cause)),
            Remedy::Rename { line, alias } => Some(match self.command(line, &line.dependency.req, alias) {
                Some(command) => format!("give one of them another name, such as `{command}`"),
                None => {
                    format!("give one of them another name, such as `--as {alias}` for `{}`", line.dependency.package)
                }
            }),
            Remedy::LessPrecise(id) => Some(format!("without `--precise`, `{id}` is chosen")),
            Remedy::Without { .. } if is_about_one_line(&conflict.cause) => None,
            Remedy::Without { lines } => Some(match (lines.as_slice(), conflict.lines.as_slice()) {
                ([line], [_]) => format!("the rest fits without {}", spoken(line)),
                ([line], all) => {
                    format!("no other version of {} helps; the rest fits without {}", aliases(all), spoken(line))
                }
                (_, all) => format!("no other version of {} helps; the rest fits without one of them", aliases(all)),
            }),
        }
    }

    fn change(&self, line: &Root, req: &VersionReq, version: Option<&Version>, cause: &Cause) -> String {
        let asked = &line.dependency;
        let is_newest = matches!(cause, Cause::NothingFits { asks, hints, .. }
            if is_direct(asks) && is_versioned(asked) && version.is_some() && hints.newest.as_ref() == version);
        let is_pre_release = version.is_some_and(|version| !version.pre.is_empty());
        let why = match version {
            Some(version) if is_newest => format!("`{version}` is the newest; "),
            Some(version) if is_pre_release => format!("`{version}` is a pre-release; "),
            Some(version) => format!("`{} {version}` would fit; ", asked.package),
            None => String::new(),
        };
        match self.command(line, req, &asked.alias).filter(|_| is_versioned(asked)) {
            Some(command) => format!("{why}ask for it with `{command}`"),
            None => format!("{why}ask for {} with `{req}` instead of `{}`", spoken(line), asked.req),
        }
    }

    /// The command that asks for a dependency; `None` if it cannot be told from here.
    fn command(&self, line: &Root, req: &VersionReq, alias: &SkillName) -> Option<String> {
        let Root { dependency: line, member } = line;
        let at = if *req == VersionReq::STAR { String::new() } else { format!("@{req}") };
        let mut words = match &line.source {
            SourceId::Registry(_) if self.is_default(&line.source) => vec![format!("{}{at}", line.package)],
            SourceId::Registry(_) => return None,
            SourceId::Git { url, reference } => {
                let at = if *reference == GitReference::Versions { at } else { String::new() };
                let mut words = vec![format!("{url}{at}")];
                words.extend(flag(reference));
                match &line.subdir {
                    Some(subdir) => words.extend(["--path".into(), subdir.to_string()]),
                    None => words.extend(["--skill".into(), line.package.to_string()]),
                }
                words
            }
            SourceId::Path(path) if path.starts_with(['/', '.']) => vec![path.clone()],
            SourceId::Path(path) => vec![format!("./{path}")],
            SourceId::Archive(place) => vec![place.clone()],
            SourceId::WellKnown(site) => vec![site.spelled(), "--skill".into(), line.package.to_string()],
        };
        if alias != line.package.skill() {
            words.extend(["--as".into(), alias.to_string()]);
        }
        if line.dev {
            words.push("--dev".into());
        }
        let words: Vec<String> = words.into_iter().map(quoted).collect();
        let place = member.as_ref().map_or(String::new(), |member| format!("-C {} ", quoted(member.dir.clone())));
        Some(format!("skillpm {place}add {}", words.join(" ")))
    }

    fn is_default(&self, source: &SourceId) -> bool {
        matches!(source, SourceId::Registry(index) if Some(index.as_str()) == self.default_registry)
    }

    fn from(&self, source: &SourceId) -> String {
        if self.is_default(source) { String::new() } else { format!(" from {}", source.place()) }
    }

    /// The names nearest to the one that is unknown.
    fn nearest(&self, Subject { name, source }: &Subject) -> Option<String> {
        let mut near: Vec<(usize, PackageName)> =
            (self.names)(source).into_iter().filter_map(|known| Some((nearness(name, &known)?, known))).collect();
        near.sort();
        near.dedup();
        near.truncate(LISTED);
        let names: Vec<String> = near.into_iter().map(|(_, known)| format!("`{known}`")).collect();
        match names.as_slice() {
            [] => None,
            [one] => Some(format!("the nearest name there is {one}")),
            _ => Some(format!("the nearest names there are {}", listed(&names, "and"))),
        }
    }
}

fn notes(conflict: &Conflict) -> Vec<String> {
    let mut notes = Vec::new();
    match &*conflict.cause {
        Cause::Unknown { asks, .. } => tell_unless_direct(asks, &mut notes),
        Cause::NothingFits { asks, hints, .. } => {
            tell_unless_direct(asks, &mut notes);
            tell_hints(asks, hints, conflict.remedy.as_deref(), &mut notes);
        }
        Cause::NameClash { asks, .. } => tell_all(asks, &want_from, &mut notes),
        Cause::EachVersion { subject, asks, cases } => {
            tell_all(asks, &want, &mut notes);
            for case in cases {
                tell_case(subject, case, &mut notes);
            }
        }
        Cause::Together { asks, more } => {
            tell_all(asks, &want, &mut notes);
            notes.extend((*more > 0).then(|| format!("and {more} more")));
        }
        Cause::TooHard { .. } => {}
    }
    notes
}

/// Whether one line of the project itself says it all.
fn is_direct(asks: &[Ask]) -> bool {
    matches!(asks, [Ask { asker: Asker::Project, .. }])
}

/// Whether one line says it all, the project's or a member's.
fn is_one_line(asks: &[Ask]) -> bool {
    matches!(asks, [Ask { asker: Asker::Project | Asker::Member(_), .. }])
}

/// Whether nothing is to be seen but one line of the project that cannot be had, so that doing without it goes without
/// saying.
fn is_about_one_line(cause: &Cause) -> bool {
    match cause {
        Cause::Unknown { asks, .. } | Cause::NothingFits { asks, .. } => is_one_line(asks),
        _ => false,
    }
}

fn tell_unless_direct(asks: &[Ask], notes: &mut Vec<String>) {
    if !is_direct(asks) {
        let directories: BTreeSet<_> =
            asks.iter().flat_map(|ask| &ask.wants).filter_map(|want| want.subdir.as_ref()).collect();
        let want: &dyn Fn(&Dependency) -> String = if directories.len() > 1 { &want_in } else { &want };
        tell_all(asks, want, notes);
    }
}

fn tell_all(asks: &[Ask], want: &dyn Fn(&Dependency) -> String, notes: &mut Vec<String>) {
    for ask in asks {
        tell(ask, "", 0, want, notes);
    }
}

/// Adds the line of an ask, and below it those of who asked for the asker.
fn tell(ask: &Ask, lead: &str, indent: usize, want: &dyn Fn(&Dependency) -> String, notes: &mut Vec<String>) {
    notes.push(format!("{:indent$}{lead}{}", "", sentence(ask, want)));
    tell_because(&ask.because, indent + 2, notes);
}

fn tell_because(because: &[Ask], indent: usize, notes: &mut Vec<String>) {
    for (at, ask) in because.iter().enumerate() {
        let lead = if at == 0 { "because" } else { "and because" };
        notes.push(format!("{:indent$}{lead} {}", "", sentence(ask, &want)));
        tell_because(&ask.because, indent, notes);
    }
}

fn sentence(ask: &Ask, want: &dyn Fn(&Dependency) -> String) -> String {
    let (asker, needs, joint) = match &ask.asker {
        Asker::Project => ("this project".to_owned(), "needs", "and"),
        Asker::Member(member) => (member.to_string(), "needs", "and"),
        Asker::ProjectInTheEnd => ("in the end this project".to_owned(), "needs", "and"),
        Asker::Package(name, versions) if versions.len() > 1 => (span(name, versions), "need", "or"),
        Asker::Package(name, versions) => (span(name, versions), "needs", "and"),
        Asker::Patch { name, versions, patched: None } => {
            (format!("{}, patched in skillpm.toml,", span(name, versions)), "needs", "and")
        }
        Asker::Patch { name, versions, patched: Some(patched) } => {
            let patched: Vec<String> = patched.iter().map(|version| format!("`{version}`")).collect();
            let patched = listed(&patched, "and");
            (format!("{} ({patched} patched in skillpm.toml)", span(name, versions)), "need", "or")
        }
    };
    let mut wants: Vec<String> = ask.wants.iter().map(want).collect();
    wants.dedup();
    format!("{asker} {needs} {}", listed(&wants, joint))
}

/// A package in some versions: `a 1.0.0`, `a 1.0.0` and `1.1.0`, `a 1.0.0` to `1.9.0`.
fn span(name: &PackageName, versions: &[Version]) -> String {
    match versions {
        [] => format!("`{name}`"),
        [one] => format!("`{name} {one}`"),
        [one, two] => format!("`{name} {one}` and `{two}`"),
        [first, .., last] => format!("`{name} {first}` to `{last}`"),
    }
}

/// What is asked for, without the place.
fn want(dependency: &Dependency) -> String {
    let Dependency { package, req, .. } = dependency;
    let name = if is_versioned(dependency) || *req != VersionReq::STAR {
        format!("`{package} {req}`")
    } else {
        format!("`{package}`")
    };
    match reference(dependency) {
        Some(reference) => format!("{name} at {reference}"),
        None => name,
    }
}

/// What is asked for, with the directory.
fn want_in(dependency: &Dependency) -> String {
    match &dependency.subdir {
        Some(subdir) => format!("{} in `{subdir}`", want(dependency)),
        None => want(dependency),
    }
}

/// What is asked for, with the place.
fn want_from(dependency: &Dependency) -> String {
    format!("{} from {}", want(dependency), dependency.source.place())
}

/// Whether there are versions to choose from.
fn is_versioned(dependency: &Dependency) -> bool {
    matches!(dependency.source, SourceId::Registry(_) | SourceId::Git { reference: GitReference::Versions, .. })
}

/// The one reference that is asked for; `None` where versions are, and where there are no references.
fn reference(dependency: &Dependency) -> Option<&GitReference> {
    match &dependency.source {
        SourceId::Git { reference: GitReference::Versions, .. } => None,
        SourceId::Git { reference, .. } => Some(reference),
        _ => None,
    }
}

/// Adds what is known of the candidates that do not fit, but for what the remedy says anyway.
fn tell_hints(asks: &[Ask], hints: &Hints, remedy: Option<&Remedy>, notes: &mut Vec<String>) {
    let is_direct = is_direct(asks);
    let is_single = matches!(asks, [Ask { wants, .. }] if matches!(wants.as_slice(), [want] if is_versioned(want)));
    let remedied = match remedy {
        Some(Remedy::Change { version, .. }) if is_direct => version.as_ref(),
        _ => None,
    };
    if let Some(precise) = &hints.precise
        && hints.precise_exists
    {
        notes.push(format!("`--precise` allows no other version than `{precise}`"));
    }
    let is_known = hints.precise_exists || hints.newest.as_ref() == remedied;
    if let Some(newest) = hints.newest.as_ref().filter(|_| is_single && !is_known) {
        notes.push(format!("the newest is `{newest}`"));
    }
    match &hints.pre_release {
        Some(version) if Some(version) == remedied => {}
        Some(version) if is_direct => notes.push(format!("`{version}` is a pre-release; ask for it with `^{version}`")),
        Some(version) => notes.push(format!("`{version}` would fit, but is a pre-release that not everybody asks for")),
        None => {}
    }
    match hints.yanked.as_slice() {
        [] => {}
        [one] => notes.push(format!("`{one}` was yanked")),
        [first, .., last] => notes.push(format!("all that fit, `{first}` to `{last}`, were yanked")),
    }
    for (id, barred) in hints.barred.iter().rev().take(LISTED) {
        notes.push(match barred {
            Barred::Unavailable(reason) => format!("`{id}` cannot be used: {reason}"),
            Barred::TooNew(reason) => format!("`{id}` {reason}"),
        });
    }
    if hints.barred.len() > LISTED {
        notes.push(format!("nor can {} that are older", hints.barred.len() - LISTED));
    }
    for id in hints.patches.iter().rev().take(LISTED) {
        notes.push(format!("`{id}` from {}, patched in skillpm.toml, does not fit", id.source.place()));
    }
    match &hints.stated {
        Some(version) => notes.push(format!("it states version `{version}`")),
        None if hints.is_unversioned => notes.push("it states no version, and only `*` fits that".into()),
        None => {}
    }
}

fn tell_case(subject: &Subject, case: &Case, notes: &mut Vec<String>) {
    let (asks, ending) = match &case.cause {
        Cause::Unknown { asks, .. } => (asks, ", and there is no such package"),
        Cause::NothingFits { asks, .. } if asks.len() == 1 => (asks, ", and no version fits"),
        Cause::NothingFits { asks, .. } | Cause::NameClash { asks, .. } => (asks, ""),
        _ => return,
    };
    let want: &dyn Fn(&Dependency) -> String =
        if matches!(case.cause, Cause::NameClash { .. }) { &want_called } else { &want };
    let (own, others): (Vec<&Ask>, Vec<&Ask>) = asks.iter().partition(|ask| comes_from(ask, &subject.name));
    for (at, ask) in own.iter().enumerate() {
        tell(ask, if at == 0 { "" } else { "and " }, 0, want, notes);
        if at == 0
            && own.len() == asks.len()
            && let Some(line) = notes.last_mut().filter(|_| ask.because.is_empty())
        {
            line.push_str(ending);
        }
    }
    for ask in others {
        tell(ask, "but ", 2, want, notes);
    }
}

fn want_called(dependency: &Dependency) -> String {
    format!("{} as `{}`", want_from(dependency), dependency.alias)
}

fn comes_from(ask: &Ask, name: &PackageName) -> bool {
    matches!(&ask.asker, Asker::Package(asker, _) | Asker::Patch { name: asker, .. } if asker == name)
        || ask.because.iter().any(|ask| comes_from(ask, name))
}

fn aliases(lines: &[Root]) -> String {
    let names: Vec<String> = lines.iter().map(spoken).collect();
    listed(&names, "or")
}

/// A line as it is spoken of: `pdf`, or `pdf` of `acme/forms`.
fn spoken(Root { dependency, member }: &Root) -> String {
    match member {
        Some(Member { name, .. }) => format!("`{}` of `{name}`", dependency.alias),
        None => format!("`{}`", dependency.alias),
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(items: &[String], joint: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {joint} {last}", first.join(", ")),
    }
}

/// A bare `owner/repo` is a registry's name; the repository is written differently.
fn on_github(Subject { name, source }: &Subject) -> Option<String> {
    let is_registry = matches!(source, SourceId::Registry(_)) && name.scope().is_some();
    is_registry.then(|| format!("if you mean the repository on GitHub, run `skillpm add gh:{name}`"))
}

fn flag(reference: &GitReference) -> Vec<String> {
    match reference {
        GitReference::Default | GitReference::Versions => Vec::new(),
        GitReference::Branch(name) => vec!["--branch".into(), name.clone()],
        GitReference::Tag(name) => vec!["--tag".into(), name.clone()],
        GitReference::Rev(name) => vec!["--rev".into(), name.clone()],
    }
}

/// A word that a shell takes as it is.
fn quoted(word: String) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@^=._/:+-".contains(c);
    if word.chars().all(is_plain) { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// How far a known name is from one that is not; `None` if too far to be meant.
fn nearness(unknown: &PackageName, known: &PackageName) -> Option<usize> {
    if unknown.skill() == known.skill() {
        return Some(1);
    }
    let (a, b) = (unknown.to_string(), known.to_string());
    let distance = distance(&a, &b);
    (distance <= (a.len() / 3).max(1)).then_some(distance)
}

/// Where all that fits was withdrawn: who can tell why.
fn about_yanks(cause: &Cause) -> Option<String> {
    match cause {
        Cause::NothingFits { subject, hints, .. } if !hints.yanked.is_empty() => Some(format!(
            "`skillpm info {}` shows all versions, and the owners, who alone can take a yank back",
            subject.name
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::{INDEX, candidates, explained, pins, roots};
    use super::super::{Candidates, Pins, resolve};
    use super::*;

    fn known(source: &SourceId) -> Vec<PackageName> {
        let names: &[&str] = match source {
            SourceId::Registry(_) => &["acme/pdf", "acme/pdfs", "zebra", "report"],
            _ => &["pdf", "release-notes"],
        };
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    fn conflict(lines: &str, pins: &Pins, candidates: &Candidates) -> String {
        let conflict = resolve(&roots(lines), pins, candidates).unwrap_err();
        let error = conflict.explain(&Surroundings { default_registry: Some(INDEX), names: &known });
        assert_eq!(error.kind(), crate::error::Kind::Negative);
        format!("\n{}", explained(&error))
    }

    fn told(roots: &str, table: &str) -> String {
        conflict(roots, &Pins::new(), &candidates(table))
    }

    #[test]
    fn an_unknown_name_gets_the_nearest_one_offered() {
        assert_eq!(
            told("acme/pfd ^1", ""),
            "
error: there is no package `acme/pfd`
help: the nearest names there are `acme/pdf` and `acme/pdfs`
help: if you mean the repository on GitHub, run `skillpm add gh:acme/pfd`
"
        );
    }

    #[test]
    fn an_unknown_name_deep_down_is_told_with_its_chain() {
        assert_eq!(
            told(
                "top *",
                "
            top 2.0.0 -> report ^1
            report 1.0.0 -> reprot *
            report 1.1.0 -> reprot *
        "
            ),
            "
error: there is no package `reprot`
  `report 1.0.0` and `1.1.0` need `reprot *`
    because `top 2.0.0` needs `report ^1`
    because this project needs `top *`
help: the nearest name there is `report`
help: the rest fits without `top`
"
        );
    }

    #[test]
    fn an_unknown_skill_of_a_repository() {
        assert_eq!(
            told("git/release-note *", ""),
            "
error: there is no skill `release-note` in `acme/skills`
help: the nearest name there is `release-notes`
"
        );
    }

    #[test]
    fn no_version_fits_and_the_newest_is_named() {
        assert_eq!(
            told(
                "acme/pdf ^3",
                "
            acme/pdf 1.0.0
            acme/pdf 2.4.1
        "
            ),
            "
error: no version of `acme/pdf` fits `^3`
help: `2.4.1` is the newest; ask for it with `skillpm add acme/pdf@^2`
"
        );
    }

    #[test]
    fn no_version_in_a_repository_fits() {
        assert_eq!(
            told(
                "git/pdf ^3",
                "
            git/pdf 2.0.0 tag:v2.0.0
        "
            ),
            "
error: no version of `pdf` from `acme/skills` fits `^3`
help: `2.0.0` is the newest; ask for it with `skillpm add https://github.com/acme/skills@^2 --skill pdf`
"
        );
    }

    #[test]
    fn a_pre_release_is_pointed_out() {
        assert_eq!(
            told(
                "a ^2",
                "
            a 1.0.0
            a 2.0.0-rc.1
        "
            ),
            "
error: no version of `a` fits `^2`
  `2.0.0-rc.1` is a pre-release; ask for it with `^2.0.0-rc.1`
help: `1.0.0` is the newest; ask for it with `skillpm add a@^1`
"
        );
    }

    #[test]
    fn only_pre_releases_exist() {
        assert_eq!(
            told(
                "a *",
                "
            a 2.0.0-rc.1
        "
            ),
            "
error: no version of `a` fits `*`
help: `2.0.0-rc.1` is a pre-release; ask for it with `skillpm add a@^2.0.0-rc.1`
"
        );
    }

    #[test]
    fn a_yank_is_pointed_out() {
        assert_eq!(
            told(
                "a ^1.2",
                "
            a 1.1.0
            a 1.2.0 yanked
        "
            ),
            "
error: no version of `a` fits `^1.2`
  `1.2.0` was yanked
help: `1.1.0` is the newest; ask for it with `skillpm add a@^1`
"
        );
    }

    #[test]
    fn where_all_was_yanked_the_owners_can_be_asked() {
        assert_eq!(
            told("a *", "a 1.0.0 yanked"),
            "
error: no version of `a` fits `*`
  `1.0.0` was yanked
help: `skillpm info a` shows all versions, and the owners, who alone can take a yank back
"
        );
    }

    #[test]
    fn two_askers_are_told_with_their_chains() {
        assert_eq!(
            told(
                "brand-style ^2, pdf-report ^2",
                "
            brand-style 2.0.0 -> docx-theme ^3
            docx-theme 3.1.0 -> pdf-core =1.3.0
            pdf-report 2.1.0 -> pdf-core ^1.5
            pdf-core 1.3.0
            pdf-core 1.5.2
            brand-style 3.0.0 -> docx-theme ^4
            docx-theme 4.0.0 -> pdf-core ^1.5
        "
            ),
            "
error: no version of `pdf-core` fits all that is asked of it
  `docx-theme 3.1.0` needs `pdf-core =1.3.0`
    because `brand-style 2.0.0` needs `docx-theme ^3`
    because this project needs `brand-style ^2`
  `pdf-report 2.1.0` needs `pdf-core ^1.5`
    because this project needs `pdf-report ^2`
help: `brand-style 3.0.0` would fit; ask for it with `skillpm add brand-style@^3`
"
        );
    }

    #[test]
    fn the_project_against_a_package() {
        assert_eq!(
            told(
                "pdf-core =1.3.0, pdf-report ^2",
                "
            pdf-report 2.1.0 -> pdf-core ^1.5
            pdf-report 2.2.0 -> pdf-core ^1.5
            pdf-core 1.3.0
            pdf-core 1.5.2
        "
            ),
            "
error: no version of `pdf-core` fits all that is asked of it
  this project needs `pdf-core =1.3.0`
  `pdf-report 2.1.0` and `2.2.0` need `pdf-core ^1.5`
    because this project needs `pdf-report ^2`
help: `pdf-core 1.5.2` would fit; ask for it with `skillpm add pdf-core@^1`
"
        );
    }

    #[test]
    fn tilde_against_tilde() {
        assert_eq!(
            told(
                "x *, y *",
                "
            x 1.0.0 -> c ~1.0.0
            y 1.0.0 -> c ~1.1.0
            c 1.0.0
            c 1.1.0
        "
            ),
            "
error: no version of `c` fits all that is asked of it
  `x 1.0.0` needs `c ~1.0.0`
    because this project needs `x *`
  `y 1.0.0` needs `c ~1.1.0`
    because this project needs `y *`
help: no other version of `x` or `y` helps; the rest fits without one of them
"
        );
    }

    #[test]
    fn a_package_that_asks_for_two_versions_at_once() {
        assert_eq!(
            told(
                "a ^1",
                "
            a 1.0.0 -> c =1.0.0, c =1.1.0 as:c-two
            c 1.0.0
            c 1.1.0
        "
            ),
            "
error: no version of `c` fits all that is asked of it
  `a 1.0.0` needs `c =1.0.0` and `c =1.1.0`
    because this project needs `a ^1`
help: the rest fits without `a`
"
        );
    }

    #[test]
    fn several_versions_of_an_asker_are_told_together() {
        assert_eq!(
            told(
                "a ^1, b ^1",
                "
            a 1.0.0 -> c ^1
            a 1.1.0 -> c ^1
            a 1.2.0 -> c ^1.1
            b 1.0.0 -> c ^2
            c 1.0.0
            c 1.1.0
            c 2.0.0
        "
            ),
            "
error: no version of `c` fits all that is asked of it
  `a 1.0.0` to `1.2.0` need `c ^1` or `c ^1.1`
    because this project needs `a ^1`
  `b 1.0.0` needs `c ^2`
    because this project needs `b ^1`
help: no other version of `a` or `b` helps; the rest fits without one of them
"
        );
    }

    #[test]
    fn each_version_fails_for_a_reason_of_its_own() {
        assert_eq!(
            told(
                "a *, b ^1, d *",
                "
            a 2.0.0 -> b ^2
            a 1.1.0 -> c ^2
            a 1.0.0 -> c ^2
            b 1.0.0
            b 2.0.0
            c 1.0.0
            c 2.0.0
            d 1.0.0 -> c ^1
        "
            ),
            "
error: no version of `a` goes with everything else that is needed
  this project needs `a *`
  `a 2.0.0` needs `b ^2`
    but this project needs `b ^1`
  `a 1.0.0` and `1.1.0` need `c ^2`
    but `d 1.0.0` needs `c ^1`
      because this project needs `d *`
help: `b 2.0.0` would fit; ask for it with `skillpm add b@^2`
"
        );
    }

    #[test]
    fn each_version_fails_and_one_of_them_by_an_unknown_name() {
        assert_eq!(
            told(
                "a *, b ^1",
                "
            a 2.0.0 -> b ^2
            a 1.0.0 -> ghost ^2
            b 1.0.0
            b 2.0.0
        "
            ),
            "
error: no version of `a` goes with everything else that is needed
  this project needs `a *`
  `a 2.0.0` needs `b ^2`
    but this project needs `b ^1`
  `a 1.0.0` needs `ghost ^2`, and there is no such package
help: `b 2.0.0` would fit; ask for it with `skillpm add b@^2`
"
        );
    }

    #[test]
    fn a_clash_of_names_offers_another_one() {
        assert_eq!(
            told(
                "acme/pdf ^1, docs *",
                "
            acme/pdf 1.0.0
            docs 1.0.0 -> git/pdf ^2
            git/pdf 2.0.0 tag:v2.0.0
        "
            ),
            "
error: two packages want to be called `pdf`
  this project needs `acme/pdf ^1` from registry `file:///index`
  `docs 1.0.0` needs `pdf ^2` from `acme/skills`
    because this project needs `docs *`
help: give one of them another name, such as `skillpm add acme/pdf@^1 --as acme-pdf`
"
        );
    }

    #[test]
    fn a_clash_of_names_among_packages() {
        assert_eq!(
            told(
                "x *, docs *",
                "
            pdf 1.0.0
            x 1.0.0 -> pdf *
            docs 1.0.0 -> other/pdf ^2
            other/pdf 2.0.0
        "
            ),
            "
error: two packages want to be called `pdf`
  `docs 1.0.0` needs `pdf ^2` from registry `https://other.dev/index`
    because this project needs `docs *`
  `x 1.0.0` needs `pdf *` from registry `file:///index`
    because this project needs `x *`
help: no other version of `docs` or `x` helps; the rest fits without one of them
"
        );
    }

    #[test]
    fn a_tag_against_a_requirement() {
        assert_eq!(
            told(
                "git/pdf * tag:v4.0.0, user *",
                "
            git/pdf 4.0.0 tag:v4.0.0
            git/pdf 3.0.0 tag:v3.0.0
            user 1.0.0 -> git/pdf ^3
        "
            ),
            "
error: nothing that `pdf` from `acme/skills` offers fits all that is asked of it
  this project needs `pdf` at tag `v4.0.0`
  `user 1.0.0` needs `pdf ^3`
    because this project needs `user *`
help: no other version of `pdf` or `user` helps; the rest fits without one of them
"
        );
    }

    #[test]
    fn a_branch_whose_version_does_not_fit() {
        assert_eq!(
            told(
                "git/pdf ^2 branch:main",
                "
            git/pdf 1.4.0 branch:main
        "
            ),
            "
error: `pdf` from `acme/skills` at branch `main` does not fit `^2`
  it states version `1.4.0`
help: `pdf 1.4.0` would fit; ask for `pdf` with `^1` instead of `^2`
"
        );
    }

    #[test]
    fn a_path_without_a_version() {
        assert_eq!(
            told(
                "path/style ^1",
                "
            path/style -
        "
            ),
            "
error: `style` from `../style` does not fit `^1`
  it states no version, and only `*` fits that
help: ask for `style` with `*` instead of `^1`
"
        );
    }

    #[test]
    fn two_directories_of_one_name() {
        assert_eq!(
            told(
                "git/pdf * dir:a/pdf, git/pdf * dir:b/pdf as:b, user *",
                "
            git/pdf 1.0.0 tag:v1.0.0 dir:a/pdf
            git/pdf 1.0.0 tag:v1.0.0 dir:b/pdf
            user 1.0.0 -> git/pdf *
        "
            ),
            "
error: no version of `pdf` from `acme/skills` fits all that is asked of it
  this project needs `pdf *` in `b/pdf`
  this project needs `pdf *` in `a/pdf`
help: no other version of `b` or `pdf` helps; the rest fits without one of them
"
        );
    }

    #[test]
    fn another_registry_is_named() {
        assert_eq!(
            told(
                "other/pdf ^3",
                "
            other/pdf 1.0.0
        "
            ),
            "
error: no version of `pdf` from registry `https://other.dev/index` fits `^3`
help: `1.0.0` is the newest; ask for `pdf` with `^1` instead of `^3`
"
        );
    }

    #[test]
    fn a_pre_release_deep_down_is_pointed_out() {
        assert_eq!(
            told(
                "a *",
                "
            a 1.0.0 -> b ^2
            b 1.0.0
            b 2.0.0-rc.1
        "
            ),
            "
error: no version of `b` fits `^2`
  `a 1.0.0` needs `b ^2`
    because this project needs `a *`
  the newest is `1.0.0`
  `2.0.0-rc.1` would fit, but is a pre-release that not everybody asks for
help: the rest fits without `a`
"
        );
    }

    #[test]
    fn what_nobody_can_follow_is_listed() {
        assert_eq!(
            told(
                "x *, y *, z *",
                "
            x 1.0.0 -> s =1.0.0
            x 2.0.0 -> t =1.0.0
            y 1.0.0 -> s =2.0.0
            y 2.0.0 -> t =2.0.0
            z 1.0.0 -> s =3.0.0
            z 2.0.0 -> t =3.0.0
            s 1.0.0
            s 2.0.0
            s 3.0.0
            t 1.0.0
            t 2.0.0
            t 3.0.0
        "
            ),
            "
error: these requirements do not go together
  this project needs `x *`
  this project needs `y *`
  this project needs `z *`
  `x 1.0.0` needs `s =1.0.0`
  `x 2.0.0` needs `t =1.0.0`
  `y 1.0.0` needs `s =2.0.0`
  `y 2.0.0` needs `t =2.0.0`
  `z 1.0.0` needs `s =3.0.0`
  `z 2.0.0` needs `t =3.0.0`
help: no other version of `x`, `y` or `z` helps; the rest fits without one of them
"
        );
    }

    #[test]
    fn a_ring_that_cannot_close() {
        assert_eq!(
            told(
                "a *",
                "
            a 1.0.0 -> b *
            b 1.0.0 -> a ^2
            b 1.1.0 -> a ^2
        "
            ),
            "
error: no version of `a` fits all that is asked of it
  this project needs `a *`
  `b 1.0.0` and `1.1.0` need `a ^2`
    because `a 1.0.0` needs `b *`
help: the rest fits without `a`
"
        );
    }

    #[test]
    fn an_asker_that_two_others_narrow() {
        assert_eq!(
            told(
                "p *, q *, c ^2",
                "
            p 1.0.0 -> m >=1.1
            q 1.0.0 -> m <1.2
            m 1.0.0 -> c ^2
            m 1.1.0 -> c ^1
            m 1.2.0 -> c ^2
            c 1.0.0
            c 2.0.0
        "
            ),
            "
error: no version of `c` fits all that is asked of it
  this project needs `c ^2`
  `m 1.1.0` needs `c ^1`
    because `p 1.0.0` needs `m >=1.1`
    because this project needs `p *`
    and because `q 1.0.0` needs `m <1.2`
    because this project needs `q *`
help: `c 1.0.0` would fit; ask for it with `skillpm add c@^1`
"
        );
    }

    #[test]
    fn a_precise_version_that_does_not_fit_is_blamed() {
        let table = candidates("c 1.0.0\nc 1.1.0\na 1.0.0 -> c ^1.1");
        assert_eq!(
            conflict("a *, c *", &pins("precise c 1.0.0"), &table),
            "
error: `c 1.0.0` does not fit what is asked of it
  `a 1.0.0` needs `c ^1.1`
    because this project needs `a *`
  `--precise` allows no other version than `c 1.0.0`
help: without `--precise`, `c 1.1.0` is chosen
"
        );
    }

    #[test]
    fn a_precise_version_that_does_not_exist_is_blamed() {
        let table = candidates("c 1.0.0\nc 1.1.0");
        assert_eq!(
            conflict("c ^1", &pins("precise c 1.0.9"), &table),
            "
error: there is no `c 1.0.9`
  the newest is `1.1.0`
help: without `--precise`, `c 1.1.0` is chosen
"
        );
    }

    #[test]
    fn what_cannot_be_used_is_told_with_its_reason() {
        let mut table = candidates("git/pdf 1.0.0 tag:v1.0.0 unread\ngit/pdf 0.9.0 tag:v0.9.0");
        let newest = table.iter().last().unwrap().id();
        table.mark_unavailable(&newest, None, "no skill `pdf` is at tag `v1.0.0`");
        assert_eq!(
            conflict("git/pdf ^1", &Pins::new(), &table),
            "
error: no version of `pdf` from `acme/skills` fits `^1`
  `pdf 1.0.0` cannot be used: no skill `pdf` is at tag `v1.0.0`
help: `0.9.0` is the newest; ask for it with `skillpm add https://github.com/acme/skills@^0.9 --skill pdf`
"
        );
    }

    #[test]
    fn what_is_patched_is_told_as_that() {
        assert_eq!(
            told(
                "a *, b ^1",
                "
            patch a by path/a *
            path/a 1.5.0 -> b ^2
            a 1.1.0 -> b ^3
            b 1.0.0
            b 2.0.0
        "
            ),
            "
error: no version of `b` fits all that is asked of it
  this project needs `b ^1`
  `a 1.1.0` and `1.5.0` (`1.5.0` patched in skillpm.toml) need `b ^3` or `b ^2`
    because this project needs `a *`
help: `b 2.0.0` would fit; ask for it with `skillpm add b@^2`
"
        );
        assert_eq!(
            told(
                "a ^2",
                "
            patch a by path/a *
            path/a 1.5.0
            a 1.1.0
        "
            ),
            "
error: no version of `a` fits `^2`
  `a 1.5.0` from `../a`, patched in skillpm.toml, does not fit
help: `1.5.0` is the newest; ask for it with `skillpm add a@^1`
"
        );
    }

    #[test]
    fn members_are_told_by_name_and_directory() {
        assert_eq!(
            told(
                "a ^1 in:skills/x, a ^2 in:skills/y, b * in:skills/x",
                "
            a 1.0.0
            a 2.0.0
            b 1.0.0
        "
            ),
            "
error: no version of `a` fits all that is asked of it
  `acme/x` (skills/x) needs `a ^1`
  `acme/y` (skills/y) needs `a ^2`
help: `a 2.0.0` would fit; ask for it with `skillpm -C skills/x add a@^2`
"
        );
        assert_eq!(
            told("ghost ^1 in:skills/x", ""),
            "
error: there is no package `ghost`
  `acme/x` (skills/x) needs `ghost ^1`
"
        );
    }

    #[test]
    fn what_is_too_new_is_told_with_its_rule() {
        assert_eq!(
            told(
                "a ^2",
                "
            a 1.0.0
            a 2.0.0 too-new
        "
            ),
            "
error: no version of `a` fits `^2`
  `a 2.0.0` was published today, and `min-release-age` is 7 days
help: `1.0.0` is the newest; ask for it with `skillpm add a@^1`
"
        );
    }

    #[test]
    fn giving_up_is_admitted() {
        let error = Conflict::new(Cause::TooHard { steps: 10 }).explain(&Surroundings::default());
        assert_eq!(
            format!("\n{}", explained(&error)),
            "
error: which versions fit together was not found out in 10 steps
help: real packages are not that hard; look for one that has no business in this project
"
        );
    }

    #[test]
    fn the_shell_gets_what_it_takes_for_one_word() {
        for (word, quoted_word) in
            [("acme/pdf@^1.2", "acme/pdf@^1.2"), ("pdf@>=1, <2", "'pdf@>=1, <2'"), ("a'b", r"'a'\''b'")]
        {
            assert_eq!(quoted(word.to_owned()), quoted_word);
        }
    }

    #[test]
    fn a_precise_version_that_the_project_itself_excludes_is_blamed() {
        assert_eq!(
            conflict("c ^1.1", &pins("precise c 1.0.0"), &candidates("c 1.0.0\nc 1.1.0")),
            "
error: `c 1.0.0` does not fit `^1.1`, which this project asks for
  `--precise` allows no other version than `c 1.0.0`
help: without `--precise`, `c 1.1.0` is chosen
"
        );
    }

    #[test]
    fn a_chain_without_end_is_cut() {
        let mut table: Vec<String> = (0..300).map(|at| format!("a{at} 1.0.0 -> a{} *", at + 1)).collect();
        table.push("a300 1.0.0 -> ghost *".into());
        let text = told("a0 *", &table.join("\n"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 20);
        assert_eq!(lines[1], "error: there is no package `ghost`");
        assert_eq!(lines[17], "    because `a285 1.0.0` needs `a286 *`");
        assert_eq!(lines[18], "    because in the end this project needs `a0 *`");
    }
}
