//! Settings, in layers: flag > environment > project > user > default. Each value has its origin.
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
//! [agents.claude-code]                              # overrides for an agent in `agents.toml`
//! project-dir = ".claude-work/skills"
//!
//! [agents.ours]                                     # or another agent
//! project-dir = ".ours/skills"
//! max-characters = 4000
//! ```
//!
//! | file | contains |
//! |---|---|
//! | `mod` | the layers |
//! | `settings` | the table of all settings |
//! | `scope` | which layer may set what |
//! | `value` | the valid values of each type |
//! | `registries` | registries |
//! | `replace` | mirrors and directories that replace sources |
//! | `edit` | edits of a settings file |

mod edit;
mod registries;
mod replace;
mod scope;
mod settings;
mod value;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use scope::ProjectValueDecision;
use settings::find_setting;
use value::normalize_value;

use skillpm_core::error::{Error, Result};
use skillpm_core::toml_error::parse_error;

pub use edit::{set_value, sets_value, unset_value};
pub use registries::EMBEDDED_REGISTRY;
pub use replace::{
    DIRECTORY_SOURCE, ReplacementDirectory, SourceReplacements, with_vendored_sources,
};
pub use scope::IgnoredValue;
pub use settings::{
    SETTINGS, SettingScope, SettingSpec, SettingType, StrictnessOrder, setting_scope,
};
pub(crate) use value::{is_true, split_list};

/// Where a value was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingOrigin {
    /// `--config` on the command line.
    Flag,
    /// An environment variable.
    Environment(String),
    /// The user's own file.
    File(PathBuf),
    /// The file of a project, or of a directory above it.
    Project(PathBuf),
    /// Nowhere: the default.
    Default,
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingOrigin::Flag => f.write_str("--config"),
            SettingOrigin::Environment(name) => f.write_str(name),
            SettingOrigin::File(path) | SettingOrigin::Project(path) => {
                write!(f, "{}", path.display())
            }
            SettingOrigin::Default => f.write_str("default"),
        }
    }
}

/// A value and where it was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingValue {
    /// The value, as text; lists are joined by `,`.
    pub text: String,
    /// Where it was set.
    pub origin: SettingOrigin,
}

/// All settings of one run.
#[derive(Debug, Clone, Default)]
pub struct Config {
    values: BTreeMap<String, SettingValue>,
    ignored: Vec<IgnoredValue>,
}

impl Config {
    /// Starts with the defaults; the other layers are added over them, lowest first.
    #[must_use]
    pub fn new() -> Self {
        Config::default()
    }

    /// Adds the text of the user's own file over the present values.
    ///
    /// # Errors
    /// If it is not TOML, has an unknown key, or a value of the wrong type; the message names the file.
    pub fn add_file(&mut self, path: &Path, text: &str) -> Result<()> {
        self.add_text(path, text, &SettingOrigin::File(path.to_owned()))
    }

    /// Adds the text of a project's file over the present values.
    ///
    /// # Errors
    /// As [`Config::add_file`]; also if it sets what only the user may set, such as a program to be run. A value that would
    /// weaken what the user set is not an error, but ignored: see [`Config::ignored`].
    pub fn add_project_file(&mut self, path: &Path, text: &str) -> Result<()> {
        self.add_text(path, text, &SettingOrigin::Project(path.to_owned()))
    }

    fn add_text(&mut self, path: &Path, text: &str, origin: &SettingOrigin) -> Result<()> {
        let mut table: toml::Table =
            toml::from_str(text).map_err(|error| settings_parse_error(path, text, &error))?;
        if matches!(origin, SettingOrigin::File(_)) {
            // A table of entries, which the `audit` command reads itself.
            table.remove("audit");
        }

        let mut flat = Vec::new();
        flatten_table("", &table, &mut flat);
        for (key, value) in flat {
            // Dates, floats and lists of tables: no setting has such a value.
            let text = value_to_text(&value).ok_or_else(|| {
                Error::usage(format!(
                    "invalid type of `{key}` in `{}`: expected a string, an integer, a boolean or a list of them",
                    path.display()
                ))
            })?;
            self.set(&key, text, origin.clone())?;
        }
        Ok(())
    }

    /// Adds environment variables over the present values: `SKILLPM_NET_OFFLINE` is `net.offline`.
    ///
    /// # Errors
    /// If one of them has a value of the wrong type.
    pub fn add_environment(&mut self, variable: &dyn Fn(&str) -> Option<String>) -> Result<()> {
        for setting in SETTINGS {
            for name in setting.env_variables() {
                if let Some(text) = variable(&name).filter(|text| !text.is_empty()) {
                    // A variable separates items by `:`, as PATH does; a list of registries cannot, since
                    // URLs have colons.
                    let text = if setting.kind == SettingType::List {
                        text.replace(':', ",")
                    } else {
                        text
                    };
                    self.set(setting.key, text, SettingOrigin::Environment(name))?;
                }
            }
        }
        Ok(())
    }

    /// Adds one `KEY=VALUE` of the command line over the present values.
    ///
    /// # Errors
    /// If it has no `=`, the key is unknown, or the value of the wrong type.
    pub fn add_flag(&mut self, assignment: &str) -> Result<()> {
        let (key, value) = assignment.split_once('=').ok_or_else(|| {
            Error::usage(format!(
                "invalid value `{assignment}` for `--config`: missing `=`"
            ))
            .help("write it as in `--config net.offline=true`")
        })?;

        let (key, value) = (key.trim(), value.trim());
        // Also a list as a settings file has it: taken literally, it would be one item with brackets.
        let text = match find_setting(key) {
            Ok(setting) if setting.kind.is_list() && value.starts_with('[') => {
                parse_array(key, value)?
            }
            _ => value.trim_matches('"').to_owned(),
        };
        self.set(key, text, SettingOrigin::Flag)
    }

    fn set(&mut self, key: &str, text: String, origin: SettingOrigin) -> Result<()> {
        let setting =
            find_setting(key).map_err(|error| error.note(format!("it is set in {origin}")))?;

        // Before the value is checked: a key that only the user may set is refused with any value.
        if let SettingOrigin::Project(path) = &origin {
            check_project_key(path, key)?;
        }

        let text = normalize_value(setting, key, text)
            .map_err(|error| error.note(format!("it is set in {origin}")))?;

        // A project comes with a clone, so it may only be stricter than the present value.
        if matches!(origin, SettingOrigin::Project(_)) {
            match self.check_project_value(setting, key, &text) {
                ProjectValueDecision::Accept => {}
                ProjectValueDecision::Keep => return Ok(()),
                ProjectValueDecision::Ignore(reason) => {
                    self.ignored.push(IgnoredValue {
                        key: key.to_owned(),
                        set: SettingValue { text, origin },
                        reason,
                    });
                    return Ok(());
                }
            }
        }

        self.values
            .insert(key.to_owned(), SettingValue { text, origin });
        Ok(())
    }

    /// The values of projects that are ignored, since they would weaken what the user set.
    #[must_use]
    pub fn ignored(&self) -> &[IgnoredValue] {
        &self.ignored
    }

    /// A value and its origin; `None` if it is set nowhere and has no default.
    ///
    /// # Errors
    /// If the key is unknown.
    pub fn get(&self, key: &str) -> Result<Option<SettingValue>> {
        let setting = find_setting(key)?;
        let default = || {
            setting.default.map(|text| SettingValue {
                text: text.to_owned(),
                origin: SettingOrigin::Default,
            })
        };
        Ok(self.values.get(key).cloned().or_else(default))
    }

    /// Every value that is set or has a default, by key.
    #[must_use]
    pub fn all_values(&self) -> BTreeMap<String, SettingValue> {
        let mut all: BTreeMap<String, SettingValue> = BTreeMap::new();
        for setting in SETTINGS {
            let Some(text) = setting.default else {
                continue;
            };
            let value = SettingValue {
                text: text.to_owned(),
                origin: SettingOrigin::Default,
            };
            all.insert(setting.key.to_owned(), value);
        }

        // A set value replaces the default of the same key.
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
        self.text(key)
            .and_then(|text| text.parse().ok())
            .unwrap_or(0)
    }

    /// A list; empty if it is set nowhere.
    #[must_use]
    pub fn list(&self, key: &str) -> Vec<String> {
        split_list(&self.text(key).unwrap_or_default())
    }

    /// The ids of all agents with a setting, sorted.
    #[must_use]
    pub fn configured_agents(&self) -> Vec<String> {
        self.names_under("agents.")
    }

    /// The names that keys have between `prefix` and their last part, sorted.
    fn names_under(&self, prefix: &str) -> Vec<String> {
        let keys = self
            .values
            .keys()
            .filter_map(|key| key.strip_prefix(prefix)?.rsplit_once('.'));
        let mut names: Vec<String> = keys.map(|(name, _)| name.to_owned()).collect();
        // Keys are sorted, so equal names are neighbors.
        names.dedup();
        names
    }

    /// Whether the value of a setting is from a project's file.
    #[must_use]
    pub fn is_set_by_project(&self, key: &str) -> bool {
        self.values
            .get(key)
            .is_some_and(|set| matches!(set.origin, SettingOrigin::Project(_)))
    }
}

fn settings_parse_error(path: &Path, text: &str, error: &toml::de::Error) -> Error {
    parse_error("settings", error, text, &path.display().to_string())
        .help("run `skillpm config list` to see all settings and their values")
}

/// Refuses a setting in a project's file that only the user may set.
///
/// # Errors
/// If it is one, or the key is unknown.
pub fn check_project_key(path: &Path, key: &str) -> Result<()> {
    let SettingScope::User(why) = find_setting(key)?.scope else {
        return Ok(());
    };

    Err(
        Error::usage(format!("cannot set `{key}` in a project's settings"))
            .note(format!("it is set in {}", path.display()))
            .note(why)
            .help(format!(
                "remove it there; to set it for yourself, run `skillpm config set {key} VALUE`"
            )),
    )
}

fn flatten_table(prefix: &str, table: &toml::Table, into: &mut Vec<(String, toml::Value)>) {
    for (name, value) in table {
        let key = if prefix.is_empty() {
            name.clone()
        } else {
            format!("{prefix}.{name}")
        };

        match value {
            toml::Value::Table(table) => flatten_table(&key, table, into),
            value => into.push((key, value.clone())),
        }
    }
}

/// The stored form of a list that is written as in a file: `["a", "b"]` is `a,b`.
fn parse_array(key: &str, value: &str) -> Result<String> {
    let parsed = toml::from_str::<toml::Table>(&format!("value = {value}"));
    let text = parsed
        .ok()
        // A line break could add keys of its own.
        .filter(|table| table.len() == 1)
        .and_then(|table| value_to_text(table.get("value")?));

    text.ok_or_else(|| array_error(key, value))
}

fn array_error(key: &str, value: &str) -> Error {
    Error::usage(format!(
        "invalid value `{}` for `{key}`: expected a list such as `[\"a\", \"b\"]`",
        value.escape_debug()
    ))
    .note("it is set in --config")
    .help(format!(
        "write it as in `--config '{key}=[\"a\", \"b\"]'`, or as `--config {key}=a,b`"
    ))
}

fn value_to_text(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Boolean(switch) => Some(switch.to_string()),
        // The same form as on the command line.
        toml::Value::Array(list) => list
            .iter()
            .map(value_to_text)
            .collect::<Option<Vec<_>>>()
            .map(|parts| parts.join(",")),
        _ => None,
    }
}

/// The settings of one file.
#[cfg(test)]
fn config_from_text(text: &str) -> Config {
    let mut config = Config::new();
    config.add_file(Path::new("c"), text).unwrap();
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_layers_take_precedence_and_are_named() {
        let mut config = Config::new();
        assert_eq!(
            config.get("lock.timeout").unwrap().unwrap().origin,
            SettingOrigin::Default
        );
        config
            .add_file(Path::new("user.toml"), "[net]\noffline = true\njobs = 2\n")
            .unwrap();
        config
            .add_file(Path::new("project.toml"), "net.jobs = 3\n")
            .unwrap();
        config
            .add_environment(&|name| (name == "SKILLPM_NET_JOBS").then(|| "4".into()))
            .unwrap();
        assert_eq!(
            config.get("net.jobs").unwrap().unwrap().origin.to_string(),
            "SKILLPM_NET_JOBS"
        );
        config.add_flag("net.jobs=5").unwrap();
        assert_eq!(config.number("net.jobs"), 5);
        assert!(config.switch("net.offline"));
        assert_eq!(
            config
                .get("net.offline")
                .unwrap()
                .unwrap()
                .origin
                .to_string(),
            "user.toml"
        );
    }

    #[test]
    fn a_wrong_key_or_value_names_its_layer() {
        let mut config = Config::new();
        let error = config
            .add_file(Path::new("user.toml"), "[net]\noffline = \"maybe\"\n")
            .unwrap_err();
        assert_eq!(
            error.message(),
            "invalid value `maybe` for `net.offline`: expected `true` or `false`"
        );
        assert_eq!(error.notes(), ["it is set in user.toml"]);
        assert_eq!(
            config.add_flag("net.ofline=true").unwrap_err().message(),
            "unknown setting `net.ofline`"
        );
        assert!(config.add_flag("net.offline").is_err());
    }

    #[test]
    fn list_of_a_flag_is_written_as_in_a_file_or_with_commas() {
        for (flag, items) in [
            ("bundled.paths=[\"/a b\", '/c']", ["/a b", "/c"].as_slice()),
            ("bundled.paths=/a b,/c", &["/a b", "/c"]),
            ("bundled.paths = []", &[]),
            ("registry.accept-expired=[\"acme\"]", &["acme"]),
        ] {
            let mut config = Config::new();
            config.add_flag(flag).unwrap();
            let key = flag.split('=').next().unwrap().trim();
            assert_eq!(config.list(key), items, "{flag}");
        }

        for bad in ["[", "[/a]", "[\"a\"] x", "[[\"a\"], 1.5]", "[]\nx = 1"] {
            let error = Config::new()
                .add_flag(&format!("bundled.paths={bad}"))
                .unwrap_err();
            assert!(error.message().starts_with("invalid value `["), "{bad}");
        }
    }

    /// The user's value, a weaker one in a project's file, and one that a project may set.
    const WEAKER: [(&str, &str, &str, &str); 15] = [
        ("catalog.enabled", "false", "true", "false"),
        ("install.detect", "false", "true", "false"),
        ("net.allow-http", "false", "true", "false"),
        ("net.jobs", "4", "64", "2"),
        ("net.offline", "true", "false", "true"),
        ("lock.timeout", "60", "86400", "30"),
        ("registry.sign", "true", "false", "true"),
        (
            "resolver.exclude-newer",
            "2026-01-01",
            "2026-01-02",
            "2025-12-31T12:00:00Z",
        ),
        ("net.max-files", "2000", "5000", "500"),
        ("net.max-size", "64", "1024", "32"),
        ("resolver.min-release-age", "30 days", "0s", "5 weeks"),
        (
            "registries.*.archives",
            "file:///own",
            "file:///other",
            "file:///own",
        ),
        (
            "registries.*.index",
            "file:///own",
            "file:///other",
            "file:///own",
        ),
        (
            "registries.*.publish",
            "file:///own",
            "file:///other",
            "file:///own",
        ),
        ("registries.*.region", "own", "other", "own"),
    ];

    /// Settings that are about a project alone: none of them allows anything that would else be refused.
    const PROJECT_SETTINGS: [&str; 10] = [
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

    fn any_value(setting: &SettingSpec) -> &'static str {
        match setting.kind {
            SettingType::Text
            | SettingType::List
            | SettingType::Registry
            | SettingType::Registries => "x",
            SettingType::Switch => "true",
            SettingType::Number => "1",
            SettingType::Index | SettingType::Archives => "file:///x",
        }
    }

    #[test]
    fn no_project_weakens_any_setting_of_the_table() {
        let project = Path::new("p/.skillpm/config.toml");
        for setting in SETTINGS {
            let key = setting.key.replace('*', "acme");
            let with = |value: &str| set_value("", &key, value).unwrap();
            match setting.scope {
                SettingScope::User(why) => {
                    let error = Config::new()
                        .add_project_file(project, &with(any_value(setting)))
                        .unwrap_err();
                    assert_eq!(
                        error.message(),
                        format!("cannot set `{key}` in a project's settings")
                    );
                    assert_eq!(error.notes(), ["it is set in p/.skillpm/config.toml", why]);
                    assert!(check_project_key(project, &key).is_err());
                }
                SettingScope::Project => assert!(PROJECT_SETTINGS.contains(&setting.key), "{key}"),
                // The test below.
                SettingScope::Unclaimed if setting.key == "source.*.replace-with" => {}
                SettingScope::Stricter(_) | SettingScope::Unclaimed => {
                    let row = WEAKER.iter().find(|(known, ..)| *known == setting.key);
                    let (_, own, weaker, fine) =
                        row.unwrap_or_else(|| panic!("no values for {key}"));
                    let mut config = Config::new();
                    config.add_file(Path::new("user.toml"), &with(own)).unwrap();
                    let before = config.get(&key).unwrap();
                    config.add_project_file(project, &with(weaker)).unwrap();
                    assert_eq!(config.get(&key).unwrap(), before, "{key}");
                    let ignored = config.ignored().last().unwrap();
                    assert_eq!(
                        (ignored.key.as_str(), ignored.set.text.as_str()),
                        (key.as_str(), *weaker)
                    );
                    assert!(ignored.reason.contains("user.toml"), "{ignored:?}");

                    config.add_project_file(project, &with(fine)).unwrap();
                    assert_eq!(config.get(&key).unwrap().unwrap().text, *fine, "{key}");
                    assert_eq!(config.ignored().len(), 1);
                    // A project around it, or in it, is a project, too.
                    config
                        .add_project_file(Path::new("p/q/.skillpm/config.toml"), &with(weaker))
                        .unwrap();
                    assert_eq!(config.get(&key).unwrap().unwrap().text, *fine, "{key}");
                    // A flag is the user's own, and always takes precedence.
                    config.add_flag(&format!("{key}={weaker}")).unwrap();
                    assert_eq!(config.get(&key).unwrap().unwrap().text, *weaker, "{key}");
                }
            }
        }
    }

    #[test]
    fn the_page_about_settings_has_the_table() {
        let page = include_str!("../../../../docs/settings.md");
        let rows: Vec<&str> = page
            .lines()
            .filter(|line| line.starts_with("| `") && line.contains('.'))
            .collect();
        let expected: Vec<String> = SETTINGS
            .iter()
            .map(|setting| {
                let what = match setting.scope {
                    SettingScope::Stricter(StrictnessOrder::On) => ": on",
                    SettingScope::Stricter(StrictnessOrder::Off) => ": off",
                    SettingScope::Stricter(StrictnessOrder::Fewer) => ": lower",
                    SettingScope::Stricter(StrictnessOrder::Older) => ": longer",
                    SettingScope::Stricter(StrictnessOrder::Earlier) => ": earlier",
                    SettingScope::User(_) | SettingScope::Unclaimed | SettingScope::Project => "",
                };
                let default = setting
                    .default
                    .map_or("–".to_owned(), |text| format!("`{text}`"));
                let (key, scope, about) = (setting.key, setting.scope.name(), setting.about);
                format!("| `{key}` | {scope}{what} | {default} | {about} |")
            })
            .collect();
        assert_eq!(rows, expected);
    }

    #[test]
    fn a_project_adds_registries_and_changes_none_of_the_user() {
        let project = Path::new("p/.skillpm/config.toml");
        let mut config = config_from_text("registries.acme.index = \"file:///acme\"\n");
        let text = "[registries.acme]\npublish = \"file:///evil\"\n[registries.default]\nindex = \"file:///evil\"\n\
                    [registries.new]\nindex = \"file:///new\"\n";
        config.add_project_file(project, text).unwrap();
        assert_eq!(config.get("registries.acme.publish").unwrap(), None);
        assert_eq!(
            config.registry(Some("default")).unwrap(),
            skillpm_core::package::SourceId::EMBEDDED_INDEX
        );
        assert_eq!(config.registry(Some("new")).unwrap(), "file:///new");
        let ignored: Vec<&str> = config
            .ignored()
            .iter()
            .map(|ignored| ignored.key.as_str())
            .collect();
        assert_eq!(
            ignored,
            ["registries.acme.publish", "registries.default.index"]
        );
    }

    #[test]
    fn a_project_may_not_weaken_a_default() {
        let mut config = Config::new();
        let text = "[net]\nallow-http = true\njobs = 9\n[registry]\nsign = false\n";
        config.add_project_file(Path::new("p"), text).unwrap();
        assert!(!config.switch("net.allow-http"));
        assert_eq!(config.number("net.jobs"), 8);
        assert_eq!(config.get("registry.sign").unwrap(), None);
        assert_eq!(config.ignored().len(), 3);
    }

    #[test]
    fn a_project_cannot_set_where_tokens_come_from_or_go() {
        for (text, key) in [
            (
                "[registry]\ncredential-command = [\"evil\"]\n",
                "registry.credential-command",
            ),
            (
                "registry.credential-providers = [\"command\"]\n",
                "registry.credential-providers",
            ),
            (
                "registries.acme.credential-provider = \"command\"\n",
                "registries.acme.credential-provider",
            ),
            (
                "registries.acme.credential-command = [\"evil\"]\n",
                "registries.acme.credential-command",
            ),
            (
                "registries.acme.endpoint = \"https://evil\"\n",
                "registries.acme.endpoint",
            ),
        ] {
            let error = Config::new()
                .add_project_file(Path::new("p/.skillpm/config.toml"), text)
                .unwrap_err();
            assert_eq!(
                error.message(),
                format!("cannot set `{key}` in a project's settings")
            );
            assert_eq!(error.notes()[0], "it is set in p/.skillpm/config.toml");
            Config::new()
                .add_file(Path::new("user.toml"), text)
                .unwrap();
        }
        let mut config = Config::new();
        config
            .add_project_file(Path::new("p"), "registries.acme.index = \"file:///x\"\n")
            .unwrap();
        assert!(config.is_set_by_project("registries.acme.index"));
        config.add_flag("registries.acme.index=file:///y").unwrap();
        assert!(!config.is_set_by_project("registries.acme.index"));
        assert_eq!(config.configured_registries(), ["acme"]);
    }
}
