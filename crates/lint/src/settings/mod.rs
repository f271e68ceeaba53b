//! Lint settings: which rules, at which levels, for which agents, within which budgets.
//!
//! ```text
//! default levels of the rules
//!   └ profile
//!       └ [lint]: select, extend-select, ignore, then levels by name
//!           └ [[lint.overrides]] that match the path, the last first
//!               └ the same from the command line
//! ```
//!
//! Later entries have precedence. Security rules (SK7) are not affected by selections, only by a level that names one of
//! them.

mod budgets;
mod paths;

use std::sync::LazyLock;

use super::rules;
use super::{Rule, RuleCheck};
use skillpm_core::error::{Error, Result, nearest_name};
use skillpm_core::manifest::lint::{LintTable, LocatedText};
use skillpm_core::package::Sha256Digest;
use skillpm_core::report::{Diagnostic, DiagnosticLevel};

pub use budgets::SizeBudgets;
pub use skillpm_core::manifest::lint::{LintLevel, LintProfile};

use paths::{PathGlobs, PathMapping};

/// The settings of the linter. The default is that of a project without `[lint]`.
#[derive(Debug, Clone)]
pub struct LintSettings {
    /// The budgets.
    pub budgets: SizeBudgets,
    /// The lint profile.
    pub profile: LintProfile,
    /// The ids of the agents that the skills are for; empty if unspecified.
    pub targets: Vec<String>,
    /// Whether a skill may exempt itself.
    pub exemptions: ExemptionPolicy,
    /// Whether notes are shown: if not, they are only counted.
    pub reports_notes: bool,
    /// The level of each rule, by its index in the table.
    rule_levels: Vec<RuleLevel>,
    overrides: Vec<PathOverride>,
    /// Levels from the command line, which have precedence over all others.
    forced_levels: Vec<Option<RuleLevel>>,
    path_mapping: PathMapping,
    /// The table and the flags that the settings were made of, as text.
    origin: String,
}

/// Whether inline exemptions in a skill's files are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExemptionPolicy {
    /// They are: the author of the skill lints it.
    #[default]
    Honored,
    /// They are not: the skill is from a third party.
    Ignored,
}

/// The handling of a rule's findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RuleLevel {
    /// They are dropped.
    Off,
    /// They keep the level that the rule gives them.
    AsFound,
    /// They get this level.
    Always(DiagnosticLevel),
}

#[derive(Debug, Clone)]
struct PathOverride {
    paths: PathGlobs,
    levels: Vec<(usize, RuleLevel)>,
}

/// Lint options of the command line, which have precedence over the manifest.
#[derive(Debug, Clone, Default)]
pub struct LintFlags {
    /// `--select`; empty if not given.
    pub select: Vec<String>,
    /// `--extend-select`.
    pub extend_select: Vec<String>,
    /// `--ignore`.
    pub ignore: Vec<String>,
    /// `--allow`, `--note`, `--warn`, `--deny`.
    pub levels: Vec<(String, LintLevel)>,
    /// `--profile`.
    pub profile: Option<LintProfile>,
    /// `--target`; empty if not given.
    pub targets: Vec<String>,
}

/// An entry of `[lint]` without effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsWarning {
    /// The message, with its place.
    pub message: String,
    /// A suggestion.
    pub help: Option<String>,
}

impl Default for LintSettings {
    fn default() -> Self {
        LintSettings {
            budgets: SizeBudgets::default(),
            profile: LintProfile::default(),
            targets: Vec::new(),
            exemptions: ExemptionPolicy::default(),
            reports_notes: true,
            rule_levels: rules::all().map(RuleLevel::default_for).collect(),
            overrides: Vec::new(),
            forced_levels: vec![None; rules::all().count()],
            path_mapping: PathMapping::default(),
            origin: String::new(),
        }
    }
}

impl LintSettings {
    /// Combines `[lint]` of a manifest with the command line; also returns warnings about entries without effect.
    ///
    /// # Errors
    /// If a flag names an unknown rule, or a path pattern is invalid.
    pub fn new(
        table: Option<&LintTable>,
        flags: &LintFlags,
    ) -> Result<(LintSettings, Vec<SettingsWarning>)> {
        let mut settings = LintSettings::default();
        let mut warnings = Vec::new();

        // The profile comes first: everything after it may override one of its levels.
        let written = table.and_then(|table| table.profile);
        settings.apply_profile(flags.profile.or(written).unwrap_or_default());
        if let Some(table) = table {
            settings.read_table(table, &mut warnings)?;
        }
        settings.apply_flags(flags)?;
        settings.origin = format!("{table:?} {flags:?}");

        Ok((settings, warnings))
    }

    /// A digest of all that findings depend on: two equal ones make the same of the same skill.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        // The derived text has every field, so that none that is added later is missing.
        let (agents, mapping) = (&self.targets, &self.path_mapping);
        let rest = (self.exemptions, self.reports_notes, agents, mapping);
        let text = format!("{} {rest:?} {:?}", self.origin, self.budgets);
        *Sha256Digest::hash_bytes(text.as_bytes()).as_bytes()
    }

    /// Maps paths of findings that begin with `shown` to paths in the manifest that begin with `below`.
    pub fn map_paths(&mut self, shown: &str, below: &str) {
        self.path_mapping.add(shown, below);
    }

    /// Turns off the rules that need other files of the skill, for linting a single file.
    #[must_use]
    pub fn for_one_file(mut self) -> Self {
        for (at, _) in rules::all()
            .enumerate()
            // These rules look for other files, and of a single file from standard input there are
            // none.
            .filter(|(_, rule)| rule.code.starts_with("SK5"))
        {
            // In `forced_levels`, so that no override of a path turns such a rule on again.
            self.forced_levels[at] = Some(RuleLevel::Off);
        }

        self
    }

    /// The level of a rule for the file at a path; `None` if it is off there.
    #[must_use]
    pub fn level(&self, rule: &Rule, path: &str) -> Option<DiagnosticLevel> {
        let at = rules::position(rule.name)?;
        self.effective_level(
            self.level_for(at, path),
            rule.level.unwrap_or(DiagnosticLevel::Note),
        )
    }

    /// Whether findings of a rule at its own level are shown for a file of the skill at `dir`.
    #[must_use]
    pub fn is_reported(&self, rule: &Rule, dir: &str, path: &str) -> bool {
        let level = || self.level(rule, &super::join(dir, path));
        self.reports_notes || level().is_some_and(|level| level > DiagnosticLevel::Note)
    }

    /// Whether a rule is on for any path.
    #[must_use]
    pub fn is_enabled(&self, rule: &Rule) -> bool {
        rules::position(rule.name).is_some_and(|at| self.is_enabled_at(at))
    }

    /// Whether the check of the rule at this index must run: for itself or for the rules that share it.
    pub(super) fn should_run(&self, at: usize) -> bool {
        self.is_enabled_at(at) || SHARED_CHECKS[at].iter().any(|at| self.is_enabled_at(*at))
    }

    /// Sets the level of a finding at a path; returns false if it is off.
    pub(super) fn apply_level(&self, path: &str, diagnostic: &mut Diagnostic) -> bool {
        // Findings of the reader without a rule in the table keep their level.
        let Some(at) = rules::position(&diagnostic.rule) else {
            return true;
        };

        let level = self.effective_level(self.level_for(at, path), diagnostic.level);
        level.map(|level| diagnostic.level = level).is_some()
    }

    fn is_enabled_at(&self, at: usize) -> bool {
        let is_on = |level: RuleLevel| level != RuleLevel::Off;
        // An override may turn on a rule that is off elsewhere, so its check must run.
        let somewhere = || {
            self.overrides
                .iter()
                .flat_map(|one| &one.levels)
                .any(|(rule, how)| *rule == at && is_on(*how))
        };

        self.forced_levels[at].map_or_else(|| is_on(self.rule_levels[at]) || somewhere(), is_on)
    }

    fn level_for(&self, at: usize, path: &str) -> RuleLevel {
        if let Some(last) = self.forced_levels[at] {
            return last;
        }
        if self.overrides.is_empty() {
            return self.rule_levels[at];
        }

        let path = self.path_mapping.map_path(path);
        // Within one table the later line wins, as the later table wins over the earlier one.
        let level_in = |one: &PathOverride| {
            one.levels
                .iter()
                .rev()
                .find(|(rule, _)| *rule == at)
                .map(|(_, how)| *how)
        };

        let matching = self
            .overrides
            .iter()
            .rev()
            .filter_map(|one| level_in(one).filter(|_| one.paths.is_match(&path)));

        matching.into_iter().next().unwrap_or(self.rule_levels[at])
    }

    fn effective_level(
        &self,
        rule_level: RuleLevel,
        found: DiagnosticLevel,
    ) -> Option<DiagnosticLevel> {
        match rule_level {
            RuleLevel::Off => None,
            RuleLevel::Always(level) => Some(level),
            // `strict` raises the rule's own level. A level that the user chose (`Always`) stays.
            RuleLevel::AsFound
                if self.profile == LintProfile::Strict && found == DiagnosticLevel::Note =>
            {
                Some(DiagnosticLevel::Warning)
            }
            RuleLevel::AsFound if self.profile == LintProfile::Strict => {
                Some(DiagnosticLevel::Error)
            }
            RuleLevel::AsFound => Some(found),
        }
    }

    fn apply_profile(&mut self, profile: LintProfile) {
        self.profile = profile;
        if profile == LintProfile::Publish {
            for (name, level) in PUBLISH_RULES {
                if let Some(at) = rules::position(name) {
                    self.rule_levels[at] = RuleLevel::Always(level);
                }
            }
        }
    }

    fn read_table(&mut self, table: &LintTable, warnings: &mut Vec<SettingsWarning>) -> Result<()> {
        self.targets = table
            .targets
            .iter()
            .flatten()
            .map(|target| target.text.clone())
            .collect();
        self.budgets.read(&table.budgets);

        if let Some(select) = &table.select {
            let chosen = resolve_selectors(select, "select", warnings);
            // A selection lists what a project cares about; it must not turn off security rules by omission.
            for (at, rule) in rules::all()
                .enumerate()
                .filter(|(_, rule)| !rule.is_security())
            {
                self.rule_levels[at] = if chosen.contains(&at) {
                    self.rule_levels[at].enabled(rule)
                } else {
                    RuleLevel::Off
                };
            }
        }

        for at in resolve_selectors(&table.extend_select, "extend-select", warnings) {
            self.rule_levels[at] = self.rule_levels[at].enabled(rule_at(at));
        }
        for at in resolve_selectors(&table.ignore, "ignore", warnings) {
            self.rule_levels[at] = RuleLevel::Off;
        }

        // Levels by name come last: they are the only way to turn off a security rule.
        for (at, how) in parse_levels(&table.levels, warnings) {
            self.rule_levels[at] = how;
        }

        for one in &table.overrides {
            let levels = parse_levels(&one.levels, warnings);
            self.overrides.push(PathOverride {
                paths: PathGlobs::new(&one.paths)?,
                levels,
            });
        }

        Ok(())
    }

    fn apply_flags(&mut self, flags: &LintFlags) -> Result<()> {
        if !flags.targets.is_empty() {
            self.targets.clone_from(&flags.targets);
        }

        if !flags.select.is_empty() {
            let chosen = resolve_flag_selectors(&flags.select, "select")?;
            for (at, rule) in rules::all()
                .enumerate()
                .filter(|(_, rule)| !rule.is_security())
            {
                if chosen.contains(&at) {
                    // The level and the overrides of the manifest still apply.
                    self.rule_levels[at] = self.rule_levels[at].enabled(rule);
                } else {
                    // Forced off: an override in the manifest must not turn it on again.
                    self.forced_levels[at] = Some(RuleLevel::Off);
                }
            }
        }

        for at in resolve_flag_selectors(&flags.extend_select, "extend-select")? {
            self.rule_levels[at] = self.rule_levels[at].enabled(rule_at(at));
            // A rule that `--select` forced off follows the manifest again.
            self.forced_levels[at] = None;
        }

        for at in resolve_flag_selectors(&flags.ignore, "ignore")? {
            self.forced_levels[at] = Some(RuleLevel::Off);
        }

        for (name, setting) in &flags.levels {
            let at = rules::position(name).ok_or_else(|| unknown_rule(name))?;
            self.forced_levels[at] = Some(RuleLevel::from(*setting));
        }

        Ok(())
    }
}

/// The rules whose levels profile `publish` raises: missing metadata, and a skill that is not written yet.
const PUBLISH_RULES: [(&str, DiagnosticLevel); 2] = [
    ("publish-metadata", DiagnosticLevel::Warning),
    ("description-placeholder", DiagnosticLevel::Error),
];

impl RuleLevel {
    fn default_for(rule: &Rule) -> Self {
        if rule.level.is_some() {
            RuleLevel::AsFound
        } else {
            RuleLevel::Off
        }
    }

    /// The level after a rule was selected.
    fn enabled(self, rule: &Rule) -> Self {
        match (self, rule.level) {
            (RuleLevel::Off, Some(_)) => RuleLevel::AsFound,
            (RuleLevel::Off, None) => RuleLevel::Always(DiagnosticLevel::Warning),
            (level, _) => level,
        }
    }
}

impl From<LintLevel> for RuleLevel {
    fn from(setting: LintLevel) -> Self {
        match setting {
            LintLevel::Allow => RuleLevel::Off,
            LintLevel::Note => RuleLevel::Always(DiagnosticLevel::Note),
            LintLevel::Warn => RuleLevel::Always(DiagnosticLevel::Warning),
            LintLevel::Deny => RuleLevel::Always(DiagnosticLevel::Error),
        }
    }
}

/// By the index of a rule, the indexes of the rules that share its check.
static SHARED_CHECKS: LazyLock<Vec<Vec<usize>>> = LazyLock::new(index_shared_checks);

fn index_shared_checks() -> Vec<Vec<usize>> {
    let mut shared = vec![Vec::new(); rules::all().count()];
    for (at, rule) in rules::all().enumerate() {
        if let RuleCheck::SharedWith(name) = rule.check
            && let Some(leader) = rules::position(name)
        {
            shared[leader].push(at);
        }
    }

    shared
}

fn rule_at(at: usize) -> &'static Rule {
    rules::all()
        .nth(at)
        .expect("indexes are those of the table")
}

/// The rules that a selector matches: one by name or code, or all with a code prefix. Empty if there are none.
fn match_selector(word: &str) -> Vec<usize> {
    match rules::position(word) {
        Some(at) => vec![at],
        // Without this condition `S` would select everything.
        None if word.starts_with("SK") => rules::all()
            .enumerate()
            .filter(|(_, rule)| rule.code.starts_with(word))
            .map(|(at, _)| at)
            .collect(),
        None => Vec::new(),
    }
}

/// Whether a selector matches neither a rule nor a group (which may be empty).
fn is_unknown_selector(word: &str) -> bool {
    match_selector(word).is_empty() && !rules::GROUPS.iter().any(|group| group.code == word)
}

/// The rules that a list of selectors in `[lint]` matches.
fn resolve_selectors(
    words: &[LocatedText],
    key: &str,
    warnings: &mut Vec<SettingsWarning>,
) -> Vec<usize> {
    let mut places = Vec::new();
    for LocatedText {
        text,
        location: place,
    } in words
    {
        let found = match_selector(text);

        // A warning, as a whole manifest should not fail because of one word. In a flag it is an error.
        if is_unknown_selector(text) {
            let error = unknown_rule(text);
            warnings.push(SettingsWarning {
                message: format!("{place}: {}", error.message()),
                help: error.helps().first().cloned(),
            });
        }

        // Reported only if a single rule was named: a group skips its security rules silently.
        if key == "ignore" && found.len() == 1 && rule_at(found[0]).is_security() {
            let name = rule_at(found[0]).name;
            warnings.push(SettingsWarning {
                message: format!("{place}: cannot turn off security rule `{name}` with `ignore`"),
                help: Some(format!("use `{name} = \"allow\"` to turn it off")),
            });
        }

        // A group may include security rules, such as `SK` itself; those stay on.
        places.extend(
            found
                .into_iter()
                .filter(|at| key != "ignore" || !rule_at(*at).is_security()),
        );
    }

    places
}

fn parse_levels(
    written: &[(LocatedText, LintLevel)],
    warnings: &mut Vec<SettingsWarning>,
) -> Vec<(usize, RuleLevel)> {
    let mut levels = Vec::new();
    for (
        LocatedText {
            text,
            location: place,
        },
        setting,
    ) in written
    {
        match rules::position(text) {
            Some(at) => levels.push((at, RuleLevel::from(*setting))),
            None => {
                let error = unknown_rule(text);
                let message = format!("{place}: {}", error.message());
                warnings.push(SettingsWarning {
                    message,
                    help: error.helps().first().cloned(),
                });
            }
        }
    }

    levels
}

/// The rules that the selectors of a flag match.
fn resolve_flag_selectors(words: &[String], flag: &str) -> Result<Vec<usize>> {
    let mut places = Vec::new();
    for word in words {
        let found = match_selector(word);
        if is_unknown_selector(word) {
            return Err(unknown_rule(word));
        }

        if let (true, [at]) = (flag == "ignore", found.as_slice())
            && rule_at(*at).is_security()
        {
            let name = rule_at(*at).name;
            return Err(Error::usage(format!(
                "cannot turn off security rule `{name}` with `--ignore`"
            ))
            .help(format!("use `--allow {name}` to turn it off")));
        }

        places.extend(
            found
                .into_iter()
                .filter(|at| flag != "ignore" || !rule_at(*at).is_security()),
        );
    }

    Ok(places)
}

/// The error for an unknown rule, with a suggestion.
#[must_use]
pub fn unknown_rule(word: &str) -> Error {
    let error = Error::usage(format!("unknown rule `{}`", word.escape_debug()));
    match nearest_name(word, rules::all().flat_map(|rule| [rule.name, rule.code])) {
        Some(name) => error.help(format!("did you mean `{name}`?")),
        None => error.help("run `skillpm lint --explain SK` to list all rules"),
    }
}

#[cfg(test)]
mod tests;
