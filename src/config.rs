//! Settings, in layers: flag > environment > project > user > default. Each value remembers where it was set.
//!
//! ```toml
//! # $SKILLPM_HOME/config.toml, or .skillpm/config.toml in a project or a directory above it
//! [registry]
//! default = "acme"
//!
//! [registries.acme]
//! index = "file:///srv/skills-index"
//!
//! [net]
//! offline = true
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use toml_edit::DocumentMut;

use crate::error::{Error, Result, nearest};
use crate::package::SourceId;

/// The name that the registry inside this program goes by.
pub const EMBEDDED_REGISTRY: &str = "default";

/// The type of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// Any text.
    Text,
    /// `true` or `false`.
    Switch,
    /// A whole number that is not negative.
    Number,
    /// A list of texts; in the environment and on the command line separated by `:` or `,`.
    List,
}

/// One setting that skillpm knows.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its dotted key; a `*` stands for a name.
    pub key: &'static str,
    /// The type of its value.
    pub kind: Type,
    /// What holds where nobody set it, as text.
    pub default: Option<&'static str>,
    /// What it does, for `config list` and the documentation.
    pub about: &'static str,
}

impl Setting {
    /// The environment variables that set it, the one that counts most last; none for a key with a `*`.
    #[must_use]
    pub fn variables(&self) -> Vec<String> {
        let short = match self.key {
            key if key.contains('*') => return Vec::new(),
            "net.offline" => Some("SKILLPM_OFFLINE"),
            "bundled.paths" => Some("SKILLPM_BUNDLED_PATH"),
            _ => None,
        };
        let plain = format!("SKILLPM_{}", self.key.to_uppercase().replace(['.', '-'], "_"));
        short.map(str::to_owned).into_iter().chain([plain]).collect()
    }
}

/// Every setting, sorted by key.
pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "bundled.paths",
        kind: Type::List,
        default: None,
        about: "further directories of the bundled tier, read-only",
    },
    Setting {
        key: "lock.timeout",
        kind: Type::Number,
        default: Some("300"),
        about: "seconds to wait for another skillpm",
    },
    Setting {
        key: "managed.dir",
        kind: Type::Text,
        default: Some("~/.agents/skills"),
        about: "where `--global` installs",
    },
    Setting {
        key: "net.allow-http",
        kind: Type::Switch,
        default: Some("false"),
        about: "whether plain http may leave this machine",
    },
    Setting { key: "net.ca-file", kind: Type::Text, default: None, about: "further root certificates, as PEM" },
    Setting { key: "net.jobs", kind: Type::Number, default: Some("8"), about: "repositories fetched at once" },
    Setting { key: "net.offline", kind: Type::Switch, default: Some("false"), about: "whether the network is off" },
    Setting {
        key: "registries.*.index",
        kind: Type::Text,
        default: None,
        about: "the index of a registry: `file:///…`",
    },
    Setting {
        key: "registry.default",
        kind: Type::Text,
        default: Some(EMBEDDED_REGISTRY),
        about: "the registry of names without one",
    },
    Setting {
        key: "resolver.exclude-newer",
        kind: Type::Text,
        default: None,
        about: "pass over what registries published after this date, `2026-11-01` or RFC 3339",
    },
    Setting {
        key: "resolver.min-release-age",
        kind: Type::Text,
        default: None,
        about: "pass over what registries published more lately than this, such as `24h` or `7 days`",
    },
];

/// Where a value was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// `--config` on the command line.
    Flag,
    /// An environment variable.
    Environment(String),
    /// A file.
    File(PathBuf),
    /// Nowhere: the default.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Flag => f.write_str("--config"),
            Origin::Environment(name) => f.write_str(name),
            Origin::File(path) => write!(f, "{}", path.display()),
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
}

impl Config {
    /// Starts with the lowest layer; others are laid over it in order.
    #[must_use]
    pub fn new() -> Self {
        Config::default()
    }

    /// Lays a file's text over what is there.
    ///
    /// # Errors
    /// If it is not TOML, has an unknown key, or a value of the wrong type; the message names the file.
    pub fn add_file(&mut self, path: &Path, text: &str) -> Result<()> {
        let table: toml::Table = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            Error::usage(format!("{}:{line}: {}", path.display(), error.message().trim_end()))
                .help("`skillpm config list` shows all settings and their forms")
        })?;
        let mut flat = Vec::new();
        flatten("", &table, &mut flat);
        for (key, value) in flat {
            let text = as_text(&value)
                .ok_or_else(|| Error::usage(format!("`{key}` in `{}` has a value of no known type", path.display())))?;
            self.set(&key, text, Origin::File(path.to_owned()))?;
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
        check(setting, key, &text).map_err(|error| error.note(format!("it is set in {origin}")))?;
        self.values.insert(key.to_owned(), Set { text, origin });
        Ok(())
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
        let text = self.text(key).unwrap_or_default();
        text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }

    /// The index URL of a registry; of the default one for `None`.
    ///
    /// # Errors
    /// If no registry of that name is configured; the message offers the ones that are.
    pub fn registry(&self, name: Option<&str>) -> Result<String> {
        let name = match name {
            Some(name) => name.to_owned(),
            None => self.text("registry.default").unwrap_or_else(|| EMBEDDED_REGISTRY.to_owned()),
        };
        match self.values.get(&format!("registries.{name}.index")) {
            Some(set) => Ok(set.text.clone()),
            None if name == EMBEDDED_REGISTRY => Ok(SourceId::EMBEDDED_INDEX.to_owned()),
            None => {
                let known =
                    self.values.keys().filter_map(|key| key.strip_prefix("registries.")?.strip_suffix(".index"));
                let near = nearest(&name, known.chain([EMBEDDED_REGISTRY]));
                let error = Error::usage(format!("no registry `{name}` is configured"));
                let error = near.map_or(error.clone(), |near| error.help(format!("did you mean `{near}`?")));
                Err(error
                    .help(format!("set one with `skillpm config set registries.{name}.index file:///path/to/index`")))
            }
        }
    }
}

/// Sets a value in the text of a settings file; every other byte survives.
///
/// # Errors
/// If the key is unknown, the value of the wrong type, or the text not TOML.
pub fn edit(text: &str, key: &str, value: &str) -> Result<String> {
    let known = setting(key)?;
    check(known, key, value)?;
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        Error::usage(format!("the settings file is not TOML: {}", error.message()))
    })?;
    let parts: Vec<&str> = key.split('.').collect();
    let (last, tables) = parts.split_last().expect("a key has a part");
    let mut item = document.as_item_mut();
    for table in tables {
        let parent =
            item.as_table_like_mut().ok_or_else(|| Error::usage(format!("`{table}` has no place in the file")))?;
        item = parent.entry(table).or_insert_with(|| {
            let mut new = toml_edit::Table::new();
            new.set_implicit(true);
            toml_edit::Item::Table(new)
        });
    }
    let table = item.as_table_like_mut().ok_or_else(|| Error::usage(format!("`{key}` has no place in the file")))?;
    let mut item = typed(known.kind, value);
    if let (Some(old), Some(new)) = (table.get(last).and_then(|old| old.as_value()), item.as_value_mut()) {
        *new.decor_mut() = old.decor().clone();
    }
    table.insert(last, item);
    Ok(document.to_string())
}

fn typed(kind: Type, text: &str) -> toml_edit::Item {
    match kind {
        Type::Switch => toml_edit::value(is_true(text)),
        Type::Number => toml_edit::value(text.parse::<i64>().unwrap_or(0)),
        Type::List => toml_edit::value(text.split(',').map(str::trim).collect::<toml_edit::Array>()),
        Type::Text => toml_edit::value(text),
    }
}

/// The setting that a key belongs to.
fn setting(key: &str) -> Result<&'static Setting> {
    let fits = |setting: &&Setting| {
        let (wanted, given): (Vec<&str>, Vec<&str>) = (setting.key.split('.').collect(), key.split('.').collect());
        wanted.len() == given.len() && wanted.iter().zip(&given).all(|(w, g)| w == g || (*w == "*" && !g.is_empty()))
    };
    SETTINGS.iter().find(fits).ok_or_else(|| {
        Error::usage(format!("there is no setting `{}`", key.escape_debug()))
            .help("`skillpm config list` shows all of them")
    })
}

fn check(setting: &Setting, key: &str, text: &str) -> Result<()> {
    let wanted = match setting.kind {
        Type::Text | Type::List => return Ok(()),
        Type::Switch if is_true(text) || is_false(text) => return Ok(()),
        Type::Number if text.parse::<u64>().is_ok() => return Ok(()),
        Type::Switch => "`true` or `false`",
        Type::Number => "a whole number",
    };
    Err(Error::usage(format!("`{key}` is `{}`; {wanted} was expected", text.escape_debug())))
}

fn is_true(text: &str) -> bool {
    matches!(text, "true" | "1" | "yes" | "on")
}

fn is_false(text: &str) -> bool {
    matches!(text, "false" | "0" | "no" | "off")
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

    #[test]
    fn registries_are_found_by_name_and_the_default_can_be_another() {
        let mut config = Config::new();
        assert_eq!(config.registry(None).unwrap(), SourceId::EMBEDDED_INDEX);
        config
            .add_file(Path::new("c"), "[registries.acme]\nindex = \"file:///srv/i\"\n[registry]\ndefault = \"acme\"\n")
            .unwrap();
        assert_eq!(config.registry(None).unwrap(), "file:///srv/i");
        assert_eq!(config.registry(Some("default")).unwrap(), SourceId::EMBEDDED_INDEX);
        assert!(config.registry(Some("none")).is_err());
    }

    #[test]
    fn editing_keeps_the_rest_of_the_file() {
        let text = "# mine\n[net]\njobs = 2 # few\n";
        assert_eq!(edit(text, "net.offline", "true").unwrap(), "# mine\n[net]\njobs = 2 # few\noffline = true\n");
        assert_eq!(
            edit("", "registries.acme.index", "file:///x").unwrap(),
            "[registries.acme]\nindex = \"file:///x\"\n"
        );
    }

    #[test]
    fn settings_are_sorted() {
        assert!(SETTINGS.is_sorted_by_key(|setting| setting.key));
    }
}
