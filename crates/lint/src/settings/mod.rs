//! How skills are to be judged: which rules, how loud, for which agents, within which budgets.
//!
//! ```text
//! the table's own levels
//!   └ profile
//!       └ [lint]: select, extend-select, ignore, then levels by name
//!           └ [[lint.overrides]] that match the path, the last first
//!               └ the same from the command line
//! ```
//!
//! What stands further down has the last word. Rules about security (SK7) are moved by no selection, only by a level that
//! names one of them.

mod budgets;
mod paths;

use std::sync::LazyLock;

use super::rules;
use super::{Check, Rule};
use crate::error::{Error, Result, nearest};
use crate::manifest::lint::{LintTable, Written};
use crate::report::{Diagnostic, Level};

pub use crate::manifest::lint::{Profile, Setting};
pub use budgets::Budgets;

use paths::{Patterns, View};

/// How skills are to be judged. The default is what `lint` does in a project that says nothing.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The budgets.
    pub budgets: Budgets,
    /// What the skills are judged for.
    pub profile: Profile,
    /// The ids of the agents that the skills are for; empty if nothing says so.
    pub targets: Vec<String>,
    /// Whether a skill may exempt itself.
    pub exemptions: Exemptions,
    /// Whether somebody sees notes: if not, they are only counted.
    pub notes_are_told: bool,
    /// By the place of the rule in the table.
    base: Vec<Hearing>,
    overrides: Vec<Override>,
    /// What the command line says; nothing moves it.
    top: Vec<Option<Hearing>>,
    view: View,
}

/// Whether what a skill says about rules in its own files counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Exemptions {
    /// It does: who wrote the skill is who lints it.
    #[default]
    Honoured,
    /// It does not: the skill is a stranger's.
    Ignored,
}

/// What is done with the findings of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hearing {
    /// They are dropped.
    Off,
    /// They are as loud as the rule makes them.
    AsFound,
    /// They are as loud as somebody says.
    At(Level),
}

#[derive(Debug, Clone)]
struct Override {
    paths: Patterns,
    levels: Vec<(usize, Hearing)>,
}

/// What the command line says about judging; it goes before what the manifest says.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    /// `--select`; empty if it is not given.
    pub select: Vec<String>,
    /// `--extend-select`.
    pub extend_select: Vec<String>,
    /// `--ignore`.
    pub ignore: Vec<String>,
    /// `--allow`, `--note`, `--warn`, `--deny`.
    pub levels: Vec<(String, Setting)>,
    /// `--profile`.
    pub profile: Option<Profile>,
    /// `--target`; empty if it is not given.
    pub targets: Vec<String>,
}

/// Something in `[lint]` that does nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// One sentence, with its place.
    pub message: String,
    /// What was probably meant.
    pub help: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            budgets: Budgets::default(),
            profile: Profile::default(),
            targets: Vec::new(),
            exemptions: Exemptions::default(),
            notes_are_told: true,
            base: rules::all().map(Hearing::of).collect(),
            overrides: Vec::new(),
            top: vec![None; rules::all().count()],
            view: View::default(),
        }
    }
}

impl Settings {
    /// What `[lint]` of a manifest and the command line say together, and what of the first does nothing.
    ///
    /// # Errors
    /// If a flag names no rule, or a pattern of paths is none.
    pub fn new(table: Option<&LintTable>, flags: &Flags) -> Result<(Settings, Vec<Remark>)> {
        let mut settings = Settings::default();
        let mut remarks = Vec::new();
        let written = table.and_then(|table| table.profile);
        settings.for_profile(flags.profile.or(written).unwrap_or_default());
        if let Some(table) = table {
            settings.read(table, &mut remarks)?;
        }
        settings.command(flags)?;
        Ok((settings, remarks))
    }

    /// Says that paths of findings that begin with `shown` are, for the manifest, those that begin with `below`.
    pub fn see_from(&mut self, shown: &str, below: &str) {
        self.view.add(shown, below);
    }

    /// The same for a file of which nothing else of its skill is known: whatever asks for other files is off.
    #[must_use]
    pub fn for_one_file(mut self) -> Self {
        for (at, _) in rules::all().enumerate().filter(|(_, rule)| rule.code.starts_with("SK5")) {
            self.top[at] = Some(Hearing::Off);
        }
        self
    }

    /// How loud a rule is about the file at a path; `None` if it is off there.
    #[must_use]
    pub fn level(&self, rule: &Rule, path: &str) -> Option<Level> {
        let at = rules::position(rule.name)?;
        self.loudness(self.hearing(at, path), rule.level.unwrap_or(Level::Note))
    }

    /// Whether somebody sees what a rule finds in a file of the skill at `dir`, if it is as loud as the rule by itself.
    #[must_use]
    pub fn tells(&self, rule: &Rule, dir: &str, path: &str) -> bool {
        let level = || self.level(rule, &super::join(dir, path));
        self.notes_are_told || level().is_some_and(|level| level > Level::Note)
    }

    /// Whether a rule may speak anywhere at all.
    #[must_use]
    pub fn is_on(&self, rule: &Rule) -> bool {
        rules::position(rule.name).is_some_and(|at| self.may_speak(at))
    }

    /// Whether the check of the rule at this place of the table has anything to find: for itself or for those that share
    /// it.
    pub(super) fn runs(&self, at: usize) -> bool {
        self.may_speak(at) || FOLLOWERS[at].iter().any(|at| self.may_speak(*at))
    }

    /// Gives a finding the loudness that it has at a path; false if it is not to be told.
    pub(super) fn judge(&self, path: &str, diagnostic: &mut Diagnostic) -> bool {
        // What the reader finds and the table does not know is as loud as the reader says.
        let Some(at) = rules::position(&diagnostic.rule) else { return true };
        let loudness = self.loudness(self.hearing(at, path), diagnostic.level);
        loudness.map(|level| diagnostic.level = level).is_some()
    }

    fn may_speak(&self, at: usize) -> bool {
        let is_on = |hearing: Hearing| hearing != Hearing::Off;
        let somewhere =
            || self.overrides.iter().flat_map(|one| &one.levels).any(|(rule, how)| *rule == at && is_on(*how));
        self.top[at].map_or_else(|| is_on(self.base[at]) || somewhere(), is_on)
    }

    fn hearing(&self, at: usize, path: &str) -> Hearing {
        if let Some(last) = self.top[at] {
            return last;
        }
        if self.overrides.is_empty() {
            return self.base[at];
        }
        let path = self.view.of(path);
        let said = |one: &Override| one.levels.iter().rev().find(|(rule, _)| *rule == at).map(|(_, how)| *how);
        let matching = self.overrides.iter().rev().filter_map(|one| said(one).filter(|_| one.paths.hold(&path)));
        matching.into_iter().next().unwrap_or(self.base[at])
    }

    fn loudness(&self, hearing: Hearing, found: Level) -> Option<Level> {
        match hearing {
            Hearing::Off => None,
            Hearing::At(level) => Some(level),
            Hearing::AsFound if self.profile == Profile::Strict && found == Level::Note => Some(Level::Warning),
            Hearing::AsFound if self.profile == Profile::Strict => Some(Level::Error),
            Hearing::AsFound => Some(found),
        }
    }

    fn for_profile(&mut self, profile: Profile) {
        self.profile = profile;
        if profile == Profile::Publish {
            for name in PUBLISHED {
                if let Some(at) = rules::position(name) {
                    self.base[at] = Hearing::At(Level::Warning);
                }
            }
        }
    }

    fn read(&mut self, table: &LintTable, remarks: &mut Vec<Remark>) -> Result<()> {
        self.targets = table.targets.iter().flatten().map(|target| target.text.clone()).collect();
        self.budgets.read(&table.budgets);
        if let Some(select) = &table.select {
            let chosen = places(select, "select", remarks);
            for (at, rule) in rules::all().enumerate().filter(|(_, rule)| !rule.is_security()) {
                self.base[at] = if chosen.contains(&at) { self.base[at].on(rule) } else { Hearing::Off };
            }
        }
        for at in places(&table.extend_select, "extend-select", remarks) {
            self.base[at] = self.base[at].on(rule_at(at));
        }
        for at in places(&table.ignore, "ignore", remarks) {
            self.base[at] = Hearing::Off;
        }
        for (at, how) in levels(&table.levels, remarks) {
            self.base[at] = how;
        }
        for one in &table.overrides {
            let levels = levels(&one.levels, remarks);
            self.overrides.push(Override { paths: Patterns::new(&one.paths)?, levels });
        }
        Ok(())
    }

    fn command(&mut self, flags: &Flags) -> Result<()> {
        if !flags.targets.is_empty() {
            self.targets.clone_from(&flags.targets);
        }
        if !flags.select.is_empty() {
            let chosen = given(&flags.select, "select")?;
            for (at, rule) in rules::all().enumerate().filter(|(_, rule)| !rule.is_security()) {
                if chosen.contains(&at) {
                    self.base[at] = self.base[at].on(rule);
                } else {
                    self.top[at] = Some(Hearing::Off);
                }
            }
        }
        for at in given(&flags.extend_select, "extend-select")? {
            self.base[at] = self.base[at].on(rule_at(at));
            self.top[at] = None;
        }
        for at in given(&flags.ignore, "ignore")? {
            self.top[at] = Some(Hearing::Off);
        }
        for (name, setting) in &flags.levels {
            let at = rules::position(name).ok_or_else(|| no_rule(name))?;
            self.top[at] = Some(Hearing::from(*setting));
        }
        Ok(())
    }
}

/// The rules that profile `publish` makes warnings: what a published package lacks.
const PUBLISHED: [&str; 1] = ["publish-metadata"];

impl Hearing {
    fn of(rule: &Rule) -> Self {
        if rule.level.is_some() { Hearing::AsFound } else { Hearing::Off }
    }

    /// The same of a rule that was asked for.
    fn on(self, rule: &Rule) -> Self {
        match (self, rule.level) {
            (Hearing::Off, Some(_)) => Hearing::AsFound,
            (Hearing::Off, None) => Hearing::At(Level::Warning),
            (heard, _) => heard,
        }
    }
}

impl From<Setting> for Hearing {
    fn from(setting: Setting) -> Self {
        match setting {
            Setting::Allow => Hearing::Off,
            Setting::Note => Hearing::At(Level::Note),
            Setting::Warn => Hearing::At(Level::Warning),
            Setting::Deny => Hearing::At(Level::Error),
        }
    }
}

/// By the place of a rule, the places of those that share its check.
static FOLLOWERS: LazyLock<Vec<Vec<usize>>> = LazyLock::new(|| {
    let mut followers = vec![Vec::new(); rules::all().count()];
    for (at, rule) in rules::all().enumerate() {
        if let Check::With(name) = rule.check
            && let Some(leader) = rules::position(name)
        {
            followers[leader].push(at);
        }
    }
    followers
});

fn rule_at(at: usize) -> &'static Rule {
    rules::all().nth(at).expect("places are those of the table")
}

/// The rules that a word of a selection means: one by name or code, or all whose codes begin so. None if there are none.
fn meant(word: &str) -> Vec<usize> {
    match rules::position(word) {
        Some(at) => vec![at],
        None if word.starts_with("SK") => {
            rules::all().enumerate().filter(|(_, rule)| rule.code.starts_with(word)).map(|(at, _)| at).collect()
        }
        None => Vec::new(),
    }
}

/// Whether a word means no group, though there is no rule in it yet.
fn is_unknown(word: &str) -> bool {
    meant(word).is_empty() && !rules::GROUPS.iter().any(|group| group.code == word)
}

/// The rules that a list of `[lint]` means.
fn places(words: &[Written], key: &str, remarks: &mut Vec<Remark>) -> Vec<usize> {
    let mut places = Vec::new();
    for Written { text, place } in words {
        let found = meant(text);
        if is_unknown(text) {
            let error = no_rule(text);
            remarks.push(Remark {
                message: format!("{place}: {}", error.message()),
                help: error.helps().first().cloned(),
            });
        }
        if key == "ignore" && found.len() == 1 && rule_at(found[0]).is_security() {
            let name = rule_at(found[0]).name;
            remarks.push(Remark {
                message: format!("{place}: `{name}` is about security, which `ignore` does not turn off"),
                help: Some(format!("if it must be, say so by name: `{name} = \"allow\"`")),
            });
        }
        places.extend(found.into_iter().filter(|at| key != "ignore" || !rule_at(*at).is_security()));
    }
    places
}

fn levels(written: &[(Written, Setting)], remarks: &mut Vec<Remark>) -> Vec<(usize, Hearing)> {
    let mut levels = Vec::new();
    for (Written { text, place }, setting) in written {
        match rules::position(text) {
            Some(at) => levels.push((at, Hearing::from(*setting))),
            None => {
                let error = no_rule(text);
                let message = format!("{place}: {}", error.message());
                remarks.push(Remark { message, help: error.helps().first().cloned() });
            }
        }
    }
    levels
}

/// The rules that a flag means.
fn given(words: &[String], flag: &str) -> Result<Vec<usize>> {
    let mut places = Vec::new();
    for word in words {
        let found = meant(word);
        if is_unknown(word) {
            return Err(no_rule(word));
        }
        if let (true, [at]) = (flag == "ignore", found.as_slice())
            && rule_at(*at).is_security()
        {
            let name = rule_at(*at).name;
            return Err(Error::usage(format!("`{name}` is about security, which `--ignore` does not turn off"))
                .help(format!("if it must be, say so by name: `--allow {name}`")));
        }
        places.extend(found.into_iter().filter(|at| flag != "ignore" || !rule_at(*at).is_security()));
    }
    Ok(places)
}

/// That there is no such rule, and which was probably meant.
pub(crate) fn no_rule(word: &str) -> Error {
    let error = Error::usage(format!("there is no rule `{}`", word.escape_debug()));
    match nearest(word, rules::all().flat_map(|rule| [rule.name, rule.code])) {
        Some(name) => error.help(format!("did you mean `{name}`?")),
        None => error.help("docs/rules.md lists all rules"),
    }
}

#[cfg(test)]
mod tests;
