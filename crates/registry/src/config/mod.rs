//! Settings, in layers: flag > environment > project > user > default. Each value remembers where it was set.
//!
//! ```toml
//! # $SKILLPM_HOME/config.toml, or .skillpm/config.toml in a project or a directory above it
//! [registry]
//! default = "acme"
//!
//! [registries.acme]
//! index = "sparse+https://skills.acme.dev/"
//! publish = "git+ssh://git@acme.dev/skills-index"   # where it is written, if that is not `index` itself
//!
//! [source.acme]                                     # a registry's name, or the URL of its index
//! replace-with = "file:///srv/mirror"               # where it is read from instead; lockfiles keep its own URL
//!
//! [source."git+https://github.com/acme/skills"]     # or another source, as a lockfile writes it, without its reference
//! replace-with = "vendored"
//!
//! [source.vendored]                                 # a directory that `skillpm vendor` made
//! directory = "vendor"
//!
//! [net]
//! offline = true
//!
//! [agents.claude-code]                              # what is different of an agent in `agents.toml`
//! project-dir = ".claude-work/skills"
//!
//! [agents.ours]                                     # or an agent that is not there
//! project-dir = ".ours/skills"
//! max-characters = 4000
//! ```
//!
//! | file | holds |
//! |---|---|
//! | here | the layers |
//! | `settings` | the table of what can be set |
//! | `scope` | who may set what |
//! | `value` | what a value of each type may be |
//! | `registries` | registries |
//! | `replace` | what is read in the place of sources |
//! | `edit` | changes of a settings file |

mod edit;
mod registries;
mod replace;
mod scope;
mod settings;
mod value;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use scope::Verdict;
use settings::setting;
use value::check;

use crate::error::{Error, Result};

pub use edit::{edit, unset};
pub use registries::EMBEDDED_REGISTRY;
pub use replace::{DIRECTORY_SOURCE, Directory, Replacements, vendored};
pub use scope::{IgnoredValue, SettingScope, Stricter};
pub use settings::{SETTINGS, Setting, Type, scope_of};
pub(crate) use value::{is_true, list};

/// Where a value was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// `--config` on the command line.
    Flag,
    /// An environment variable.
    Environment(String),
    /// The person's own file.
    File(PathBuf),
    /// The file of a project, or of a directory above it.
    Project(PathBuf),
    /// Nowhere: the default.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Flag => f.write_str("--config"),
            Origin::Environment(name) => f.write_str(name),
            Origin::File(path) | Origin::Project(path) => write!(f, "{}", path.display()),
            Origin::Default => f.write_str("default"),
        }
    }
}

/// A value and where it was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// The value, as text; lists are joined by `,`.
    pub text: String,
    /// Where it was set.
    pub origin: Origin,
}

/// All settings of one run.
#[derive(Debug, Clone, Default)]
pub struct Config {
    values: BTreeMap<String, Set>,
    ignored: Vec<IgnoredValue>,
}

impl Config {
    /// Starts with the lowest layer; others are laid over it in order.
    #[must_use]
    pub fn new() -> Self {
        Config::default()
    }

    /// Lays the text of the person's own file over what is there.
    ///
    /// # Errors
    /// If it is not TOML, has an unknown key, or a value of the wrong type; the message names the file.
    pub fn add_file(&mut self, path: &Path, text: &str) -> Result<()> {
        self.add_text(path, text, &Origin::File(path.to_owned()))
    }

    /// Lays the text of a project's file over what is there.
    ///
    /// # Errors
    /// As [`Config::add_file`]; also if it sets what only the person may set, such as a program to be run. What a project
    /// may set and would weaken something is no error: see [`Config::ignored`].
    pub fn add_project_file(&mut self, path: &Path, text: &str) -> Result<()> {
        self.add_text(path, text, &Origin::Project(path.to_owned()))
    }

    fn add_text(&mut self, path: &Path, text: &str, origin: &Origin) -> Result<()> {
        let table: toml::Table = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            Error::usage(format!("{}:{line}: {}", path.display(), error.message().trim_end()))
                .help("`skillpm config list` shows all settings and their forms")
        })?;
        let mut table = table;
        if matches!(origin, Origin::File(_)) {
            // A table of entries, which `audit` reads itself.
            table.remove("audit");
        }
        let mut flat = Vec::new();
        flatten("", &table, &mut flat);
        for (key, value) in flat {
            let text = as_text(&value)
                .ok_or_else(|| Error::usage(format!("`{key}` in `{}` has a value of no known type", path.display())))?;
            self.set(&key, text, origin.clone())?;
        }
        Ok(())
    }

    /// Lays environment variables over what is there: `SKILLPM_NET_OFFLINE` is `net.offline`.
    ///
    /// # Errors
    /// If one of them has a value of the wrong type.
    pub fn add_environment(&mut self, variable: &dyn Fn(&str) -> Option<String>) -> Result<()> {
        for setting in SETTINGS {
            for name in setting.variables() {
                if let Some(text) = variable(&name).filter(|text| !text.is_empty()) {
                    let text = if setting.kind == Type::List { text.replace(':', ",") } else { text };
                    self.set(setting.key, text, Origin::Environment(name))?;
                }
            }
        }
        Ok(())
    }

    /// Lays one `KEY=VALUE` of the command line over what is there.
    ///
    /// # Errors
    /// If it has no `=`, the key is unknown, or the value of the wrong type.
    pub fn add_flag(&mut self, assignment: &str) -> Result<()> {
        let (key, value) = assignment.split_once('=').ok_or_else(|| {
            Error::usage(format!("`--config {assignment}` has no `=`")).help("write `--config net.offline=true`")
        })?;
        self.set(key.trim(), value.trim().trim_matches('"').to_owned(), Origin::Flag)
    }

    fn set(&mut self, key: &str, text: String, origin: Origin) -> Result<()> {
        let setting = setting(key).map_err(|error| error.note(format!("it is set in {origin}")))?;
        if let Origin::Project(path) = &origin {
            check_project(path, key)?;
        }
        let text = check(setting, key, text).map_err(|error| error.note(format!("it is set in {origin}")))?;
        if matches!(origin, Origin::Project(_)) {
            match self.judge(setting, key, &text) {
                Verdict::Takes => {}
                Verdict::Keeps => return Ok(()),
                Verdict::Ignores(because) => {
                    self.ignored.push(IgnoredValue { key: key.to_owned(), set: Set { text, origin }, because });
                    return Ok(());
                }
            }
        }
        self.values.insert(key.to_owned(), Set { text, origin });
        Ok(())
    }

    /// The values of projects that do not count, since they would weaken what the person set.
    #[must_use]
    pub fn ignored(&self) -> &[IgnoredValue] {
        &self.ignored
    }

    /// A value and its origin; `None` if it is set nowhere and has no default.
    ///
    /// # Errors
    /// If the key is unknown.
    pub fn get(&self, key: &str) -> Result<Option<Set>> {
        let setting = setting(key)?;
        let default = || setting.default.map(|text| Set { text: text.to_owned(), origin: Origin::Default });
        Ok(self.values.get(key).cloned().or_else(default))
    }

    /// Every value that is set or has a default, by key.
    #[must_use]
    pub fn all(&self) -> BTreeMap<String, Set> {
        let mut all: BTreeMap<String, Set> = SETTINGS
            .iter()
            .filter_map(|setting| Some((setting, setting.default?)))
            .map(|(setting, text)| (setting.key.to_owned(), Set { text: text.to_owned(), origin: Origin::Default }))
            .collect();
        all.extend(self.values.clone());
        all
    }

    fn text(&self, key: &str) -> Option<String> {
        self.get(key).ok().flatten().map(|set| set.text)
    }

    /// A text setting; `None` if it is set nowhere and has no default.
    #[must_use]
    pub fn string(&self, key: &str) -> Option<String> {
        self.text(key)
    }

    /// A switch; false if it is set nowhere.
    #[must_use]
    pub fn switch(&self, key: &str) -> bool {
        self.text(key).as_deref().is_some_and(is_true)
    }

    /// A number; 0 if it is set nowhere.
    #[must_use]
    pub fn number(&self, key: &str) -> u64 {
        self.text(key).and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    /// A list; empty if it is set nowhere.
    #[must_use]
    pub fn list(&self, key: &str) -> Vec<String> {
        list(&self.text(key).unwrap_or_default())
    }

    /// The ids of all agents of which something is set, sorted.
    #[must_use]
    pub fn configured_agents(&self) -> Vec<String> {
        self.named_below("agents.")
    }

    /// The names that keys have between `prefix` and their last part, sorted.
    fn named_below(&self, prefix: &str) -> Vec<String> {
        let keys = self.values.keys().filter_map(|key| key.strip_prefix(prefix)?.rsplit_once('.'));
        let mut names: Vec<String> = keys.map(|(name, _)| name.to_owned()).collect();
        names.dedup();
        names
    }

    /// Whether a project's file says what a setting is.
    #[must_use]
    pub fn is_of_project(&self, key: &str) -> bool {
        self.values.get(key).is_some_and(|set| matches!(set.origin, Origin::Project(_)))
    }
}

/// Refuses a setting in a project's file that is for the person to say.
///
/// # Errors
/// If it is one, or no setting at all.
pub fn check_project(path: &Path, key: &str) -> Result<()> {
    let SettingScope::User(why) = setting(key)?.scope else { return Ok(()) };
    Err(Error::usage(format!("`{key}` may not be set by a project"))
        .note(format!("it is set in {}", path.display()))
        .note(why)
        .help(format!("take it out there; for yourself set it with `skillpm config set {key} VALUE`")))
}

fn flatten(prefix: &str, table: &toml::Table, into: &mut Vec<(String, toml::Value)>) {
    for (name, value) in table {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match value {
            toml::Value::Table(table) => flatten(&key, table, into),
            value => into.push((key, value.clone())),
        }
    }
}

fn as_text(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Boolean(switch) => Some(switch.to_string()),
        toml::Value::Array(list) => list.iter().map(as_text).collect::<Option<Vec<_>>>().map(|parts| parts.join(",")),
        _ => None,
    }
}

/// Settings of one file.
#[cfg(test)]
fn configured(text: &str) -> Config {
    let mut config = Config::new();
    config.add_file(Path::new("c"), text).unwrap();
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_layers_win_and_are_named() {
        let mut config = Config::new();
        assert_eq!(config.get("lock.timeout").unwrap().unwrap().origin, Origin::Default);
        config.add_file(Path::new("user.toml"), "[net]\noffline = true\njobs = 2\n").unwrap();
        config.add_file(Path::new("project.toml"), "net.jobs = 3\n").unwrap();
        config.add_environment(&|name| (name == "SKILLPM_NET_JOBS").then(|| "4".into())).unwrap();
        assert_eq!(config.get("net.jobs").unwrap().unwrap().origin.to_string(), "SKILLPM_NET_JOBS");
        config.add_flag("net.jobs=5").unwrap();
        assert_eq!(config.number("net.jobs"), 5);
        assert!(config.switch("net.offline"));
        assert_eq!(config.get("net.offline").unwrap().unwrap().origin.to_string(), "user.toml");
    }

    #[test]
    fn a_wrong_key_or_value_names_its_layer() {
        let mut config = Config::new();
        let error = config.add_file(Path::new("user.toml"), "[net]\noffline = \"maybe\"\n").unwrap_err();
        assert_eq!(error.message(), "`net.offline` is `maybe`; `true` or `false` was expected");
        assert_eq!(error.notes(), ["it is set in user.toml"]);
        assert_eq!(config.add_flag("net.ofline=true").unwrap_err().message(), "there is no setting `net.ofline`");
        assert!(config.add_flag("net.offline").is_err());
    }

    /// What a person sets, what weakens it in a project's file, and what a project may set instead.
    const WEAKER: [(&str, &str, &str, &str); 11] = [
        ("net.allow-http", "false", "true", "false"),
        ("net.jobs", "4", "64", "2"),
        ("net.offline", "true", "false", "true"),
        ("lock.timeout", "60", "86400", "30"),
        ("registry.sign", "true", "false", "true"),
        ("resolver.exclude-newer", "2026-01-01", "2026-01-02", "2025-12-31T12:00:00Z"),
        ("resolver.min-release-age", "30 days", "0s", "5 weeks"),
        ("registries.*.archives", "file:///own", "file:///other", "file:///own"),
        ("registries.*.index", "file:///own", "file:///other", "file:///own"),
        ("registries.*.publish", "file:///own", "file:///other", "file:///own"),
        ("registries.*.region", "own", "other", "own"),
    ];

    /// Settings that are about a project alone: none of them lets anything through that would else be stopped.
    const OF_PROJECTS: [&str; 10] = [
        "agents.*.also-reads-project",
        "agents.*.display-name",
        "agents.*.emit",
        "agents.*.max-characters",
        "agents.*.max-description",
        "agents.*.max-skills",
        "agents.*.project-dir",
        "registry.default",
        "source.*.directory",
        "vendor.use",
    ];

    fn any_value(setting: &Setting) -> &'static str {
        match setting.kind {
            Type::Text | Type::List | Type::Registry | Type::Registries => "x",
            Type::Switch => "true",
            Type::Number => "1",
            Type::Index | Type::Archives => "file:///x",
        }
    }

    #[test]
    fn no_project_weakens_any_setting_of_the_table() {
        let project = Path::new("p/.skillpm/config.toml");
        for setting in SETTINGS {
            let key = setting.key.replace('*', "acme");
            let with = |value: &str| edit("", &key, value).unwrap();
            match setting.scope {
                SettingScope::User(why) => {
                    let error = Config::new().add_project_file(project, &with(any_value(setting))).unwrap_err();
                    assert_eq!(error.message(), format!("`{key}` may not be set by a project"));
                    assert_eq!(error.notes(), ["it is set in p/.skillpm/config.toml", why]);
                    assert!(check_project(project, &key).is_err());
                }
                SettingScope::Project => assert!(OF_PROJECTS.contains(&setting.key), "{key}"),
                // The test below.
                SettingScope::Unclaimed if setting.key == "source.*.replace-with" => {}
                SettingScope::Stricter(_) | SettingScope::Unclaimed => {
                    let row = WEAKER.iter().find(|(known, ..)| *known == setting.key);
                    let (_, own, weaker, fine) = row.unwrap_or_else(|| panic!("no values for {key}"));
                    let mut config = Config::new();
                    config.add_file(Path::new("user.toml"), &with(own)).unwrap();
                    let before = config.get(&key).unwrap();
                    config.add_project_file(project, &with(weaker)).unwrap();
                    assert_eq!(config.get(&key).unwrap(), before, "{key}");
                    let ignored = config.ignored().last().unwrap();
                    assert_eq!((ignored.key.as_str(), ignored.set.text.as_str()), (key.as_str(), *weaker));
                    assert!(ignored.because.contains("user.toml"), "{ignored:?}");

                    config.add_project_file(project, &with(fine)).unwrap();
                    assert_eq!(config.get(&key).unwrap().unwrap().text, *fine, "{key}");
                    assert_eq!(config.ignored().len(), 1);
                    // A project around it, or in it, is a project, too.
                    config.add_project_file(Path::new("p/q/.skillpm/config.toml"), &with(weaker)).unwrap();
                    assert_eq!(config.get(&key).unwrap().unwrap().text, *fine, "{key}");
                    // The person's own word of the moment counts whatever it says.
                    config.add_flag(&format!("{key}={weaker}")).unwrap();
                    assert_eq!(config.get(&key).unwrap().unwrap().text, *weaker, "{key}");
                }
            }
        }
    }

    #[test]
    fn the_page_about_settings_has_the_table() {
        let page = include_str!("../../../../docs/settings.md");
        let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `") && line.contains('.')).collect();
        let expected: Vec<String> = SETTINGS
            .iter()
            .map(|setting| {
                let what = match setting.scope {
                    SettingScope::Stricter(Stricter::On) => ": on",
                    SettingScope::Stricter(Stricter::Off) => ": off",
                    SettingScope::Stricter(Stricter::Fewer) => ": lower",
                    SettingScope::Stricter(Stricter::Older) => ": longer",
                    SettingScope::Stricter(Stricter::Earlier) => ": earlier",
                    SettingScope::User(_) | SettingScope::Unclaimed | SettingScope::Project => "",
                };
                let default = setting.default.map_or("–".to_owned(), |text| format!("`{text}`"));
                let (key, scope, about) = (setting.key, setting.scope.name(), setting.about);
                format!("| `{key}` | {scope}{what} | {default} | {about} |")
            })
            .collect();
        assert_eq!(rows, expected);
    }

    #[test]
    fn a_project_names_new_registries_and_changes_none_that_the_person_names() {
        let project = Path::new("p/.skillpm/config.toml");
        let mut config = configured("registries.acme.index = \"file:///acme\"\n");
        let text = "[registries.acme]\npublish = \"file:///evil\"\n[registries.default]\nindex = \"file:///evil\"\n\
                    [registries.new]\nindex = \"file:///new\"\n";
        config.add_project_file(project, text).unwrap();
        assert_eq!(config.get("registries.acme.publish").unwrap(), None);
        assert_eq!(config.registry(Some("default")).unwrap(), crate::package::SourceId::EMBEDDED_INDEX);
        assert_eq!(config.registry(Some("new")).unwrap(), "file:///new");
        let ignored: Vec<&str> = config.ignored().iter().map(|ignored| ignored.key.as_str()).collect();
        assert_eq!(ignored, ["registries.acme.publish", "registries.default.index"]);
    }

    #[test]
    fn a_default_is_as_good_as_what_the_person_says() {
        let mut config = Config::new();
        let text = "[net]\nallow-http = true\njobs = 9\n[registry]\nsign = false\n";
        config.add_project_file(Path::new("p"), text).unwrap();
        assert!(!config.switch("net.allow-http"));
        assert_eq!(config.number("net.jobs"), 8);
        assert_eq!(config.get("registry.sign").unwrap(), None);
        assert_eq!(config.ignored().len(), 3);
    }

    #[test]
    fn a_project_cannot_say_where_tokens_come_from_or_go() {
        for (text, key) in [
            ("[registry]\ncredential-command = [\"evil\"]\n", "registry.credential-command"),
            ("registry.credential-providers = [\"command\"]\n", "registry.credential-providers"),
            ("registries.acme.credential-provider = \"command\"\n", "registries.acme.credential-provider"),
            ("registries.acme.credential-command = [\"evil\"]\n", "registries.acme.credential-command"),
            ("registries.acme.endpoint = \"https://evil\"\n", "registries.acme.endpoint"),
        ] {
            let error = Config::new().add_project_file(Path::new("p/.skillpm/config.toml"), text).unwrap_err();
            assert_eq!(error.message(), format!("`{key}` may not be set by a project"));
            assert_eq!(error.notes()[0], "it is set in p/.skillpm/config.toml");
            Config::new().add_file(Path::new("user.toml"), text).unwrap();
        }
        let mut config = Config::new();
        config.add_project_file(Path::new("p"), "registries.acme.index = \"file:///x\"\n").unwrap();
        assert!(config.is_of_project("registries.acme.index"));
        config.add_flag("registries.acme.index=file:///y").unwrap();
        assert!(!config.is_of_project("registries.acme.index"));
        assert_eq!(config.configured_registries(), ["acme"]);
    }
}
