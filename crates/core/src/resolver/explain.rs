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
            Cause::TooHard { steps, candidates, .. } => {
                format!("failed to decide which of {candidates} versions fit together: given up after {steps} steps")
            }
        }
    }

    fn unknown(&self, Subject { name, source }: &Subject, asks: &[Ask]) -> String {
        let place = source.place();
        let subdir = asks.iter().flat_map(|ask| &ask.wants).find_map(|want| want.subdir.as_ref());
        match (source, subdir) {
            (SourceId::Registry(index), _) if self.is_default(source) => {
                format!("there is no package `{name}` in the default registry, `{index}`")
            }
            (SourceId::Registry(_), _) => format!("there is no package `{name}` in {place}"),
            (_, Some(subdir)) => format!("there is no skill in `{subdir}` of {place}"),
            (_, None) => format!("there is no skill `{name}` in {place}"),
        }
    }

    fn nothing_fits(&self, Subject { name, source }: &Subject, asks: &[Ask], hints: &Hints) -> String {
        let from = self.from(source);
        if let Some(precise) = &hints.precise {
            // It would fit: what keeps it out is another thing, which the notes say of a version that is barred.
            if let Some(yanked) = hints.yanked.last() {
                return format!("`{} {yanked}`{from} was yanked, and `--precise` does not bring it back", precise.name);
            }
            if !hints.barred.is_empty() {
                return format!("`{precise}`{from} cannot be chosen");
            }
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
        if let Cause::TooHard { widest, .. } = &*conflict.cause {
            helps.extend(widest.as_ref().map(|(line, width)| self.narrow(line, *width)));
            helps.push("`[patch]` in skillpm.toml leaves one version of a package, also of one deep down".into());
            return helps;
        }
        if let Cause::Unknown { subject, asks } = &*conflict.cause {
            helps.extend(self.nearest(subject));
            helps.extend(on_github(subject).filter(|_| is_direct(asks)));
            helps.extend(search(subject));
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

    /// What to do about a line that leaves the search too many versions.
    fn narrow(&self, line: &Root, width: usize) -> String {
        let name = spoken(line);
        match &line.dependency.source {
            SourceId::Registry(_) if self.is_default(&line.dependency.source) => format!(
                "{name} leaves {width} versions to choose from; ask for fewer of them: `skillpm info {}` shows all",
                line.dependency.package
            ),
            _ => format!("{name} leaves {width} versions to choose from; ask for fewer of them"),
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
        // The headline says it.
        _ if hints.precise.is_some() => {}
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

/// A registry can be searched by words.
fn search(Subject { name, source }: &Subject) -> Option<String> {
    let is_registry = matches!(source, SourceId::Registry(_));
    is_registry.then(|| format!("`skillpm search {}` looks through all configured registries", name.skill()))
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
mod tests;
