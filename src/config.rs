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

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use toml_edit::DocumentMut;

use crate::error::{Error, Result, nearest};
use crate::package::{IndexKind, IndexUrl, SourceId};

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
    /// The URL of an index.
    Index,
    /// The URL of a directory or a bucket that archives are put into.
    Archives,
    /// The name of a registry, or the URL of an index.
    Registry,
    /// A list of those, separated by `,`.
    Registries,
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
        key: "agents.*.also-reads-project",
        kind: Type::List,
        default: None,
        about: "further directories of a project that an agent reads",
    },
    Setting {
        key: "agents.*.also-reads-user",
        kind: Type::List,
        default: None,
        about: "further directories of yours that an agent reads",
    },
    Setting {
        key: "agents.*.config-file",
        kind: Type::Text,
        default: None,
        about: "an agent's own configuration, for what skills ask of it",
    },
    Setting { key: "agents.*.display-name", kind: Type::Text, default: None, about: "what people call an agent" },
    Setting {
        key: "agents.*.emit",
        kind: Type::Text,
        default: None,
        about: "the form of an agent's listing, one of `skillpm catalog --list-formats`",
    },
    Setting {
        key: "agents.*.id-from",
        kind: Type::Text,
        default: None,
        about: "what an agent knows a skill by: `dir` or `frontmatter`",
    },
    Setting {
        key: "agents.*.max-characters",
        kind: Type::Number,
        default: None,
        about: "most characters of the listing that an agent shows its model",
    },
    Setting {
        key: "agents.*.max-description",
        kind: Type::Number,
        default: None,
        about: "most characters of a description in it",
    },
    Setting { key: "agents.*.max-skills", kind: Type::Number, default: None, about: "most skills in it" },
    Setting {
        key: "agents.*.order",
        kind: Type::List,
        default: None,
        about: "the directories that an agent reads, the one that wins first",
    },
    Setting {
        key: "agents.*.project-dir",
        kind: Type::Text,
        default: None,
        about: "an agent's own directory in a project",
    },
    Setting {
        key: "agents.*.same-name",
        kind: Type::Text,
        default: None,
        about: "what an agent does with two skills of a name: `one-wins`, `first-wins`, `lists-all`, …",
    },
    Setting {
        key: "agents.*.user-beats-project",
        kind: Type::Switch,
        default: None,
        about: "whether an agent lets your own skills win against a project's",
    },
    Setting { key: "agents.*.user-dir", kind: Type::Text, default: None, about: "an agent's own directory of yours" },
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
        key: "policy.allow-licenses",
        kind: Type::List,
        default: None,
        about: "the licences that will do, as SPDX names them",
    },
    Setting {
        key: "policy.allow-sources",
        kind: Type::List,
        default: None,
        about: "where packages may come from: `registry:NAME`, `git:https://host/*`, `path`, …",
    },
    Setting {
        key: "policy.allow-unlicensed",
        kind: Type::Switch,
        default: None,
        about: "whether a package may have no licence, or an unclear one",
    },
    Setting {
        key: "policy.deny-licenses",
        kind: Type::List,
        default: None,
        about: "licences that will not do",
    },
    Setting {
        key: "policy.deny-lint",
        kind: Type::List,
        default: None,
        about: "rules of lint whose findings keep a package from being installed",
    },
    Setting {
        key: "policy.deny-shadowing",
        kind: Type::Switch,
        default: Some("false"),
        about: "whether a project's skill that covers one of yours or a bundled one is left out",
    },
    Setting {
        key: "policy.deny-sources",
        kind: Type::List,
        default: None,
        about: "where packages may not come from",
    },
    Setting {
        key: "policy.enforce",
        kind: Type::Switch,
        default: None,
        about: "whether what you set in `[policy]` holds beside what a project sets, not only where it sets nothing",
    },
    Setting {
        key: "policy.require-signed",
        kind: Type::Switch,
        default: None,
        about: "whether only what is signed may be installed",
    },
    Setting {
        key: "registries.*.archives",
        kind: Type::Archives,
        default: None,
        about: "where a registry's archives are put, if not into its index: `file:///…`, `s3://…`",
    },
    Setting {
        key: "registries.*.credential-command",
        kind: Type::List,
        default: None,
        about: "the program that knows this registry's token, with its arguments",
    },
    Setting {
        key: "registries.*.credential-provider",
        kind: Type::Text,
        default: None,
        about: "who knows this registry's token: `environment`, `file`, `keyring` or `command`",
    },
    Setting {
        key: "registries.*.endpoint",
        kind: Type::Text,
        default: None,
        about: "the server of a registry in an object store, where it is not the service's own",
    },
    Setting {
        key: "registries.*.index",
        kind: Type::Index,
        default: None,
        about: "the index of a registry: `sparse+https://…`, `git+https://…`, `git+ssh://…`, `file:///…`, `s3://…`",
    },
    Setting {
        key: "registries.*.publish",
        kind: Type::Index,
        default: None,
        about: "where a registry is written, if not where it is read: `git+ssh://…`, `file:///…`, `s3://…`",
    },
    Setting {
        key: "registries.*.region",
        kind: Type::Text,
        default: None,
        about: "the region of a registry in an object store",
    },
    Setting {
        key: "registry.accept-rewritten",
        kind: Type::Registries,
        default: None,
        about: "registries, by name or URL, that may go back on what they said of a version",
    },
    Setting {
        key: "registry.credential-command",
        kind: Type::List,
        default: None,
        about: "the program that knows tokens, with its arguments",
    },
    Setting {
        key: "registry.credential-providers",
        kind: Type::List,
        default: Some("environment,command,file"),
        about: "who is asked for a token, in this order: `environment`, `command`, `file`, `keyring`",
    },
    Setting {
        key: "registry.default",
        kind: Type::Text,
        default: Some(EMBEDDED_REGISTRY),
        about: "the registry of names without one",
    },
    Setting {
        key: "registry.identity",
        kind: Type::Text,
        default: None,
        about: "who you are where owners are named, instead of git's `user.email`",
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
    Setting {
        key: "source.*.replace-with",
        kind: Type::Registry,
        default: None,
        about: "the registry, by name or URL, that this one is read from instead",
    },
    Setting {
        key: "well-known.allow-origins",
        kind: Type::List,
        default: None,
        about: "hosts that a site's list of skills may point to besides its own",
    },
];

/// How keys end, or begin, that no project may set for the person who works in it, each with the reason.
const PERSONAL: [(&str, &str); 7] = [
    (".credential-command", SECRET),
    (".credential-provider", SECRET),
    (".credential-providers", SECRET),
    (".endpoint", SECRET),
    (".config-file", "it decides which of your files is read, which is for you to say"),
    (".user-dir", "it decides where your own skills are put, which is for you to say"),
    ("policy.", "what you forbid, no project may allow; it can forbid it in its `skillpm.toml`"),
];

const SECRET: &str = "it decides where your tokens come from or go, which is for you to say";

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
    /// As [`Config::add_file`]; also if it sets what only the person may set, such as a program to be run.
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

    /// The name of the registry of names without one.
    #[must_use]
    pub fn default_registry(&self) -> String {
        self.text("registry.default").unwrap_or_else(|| EMBEDDED_REGISTRY.to_owned())
    }

    /// The names of all registries of which something is set, sorted.
    #[must_use]
    pub fn configured_registries(&self) -> Vec<String> {
        let keys = self.values.keys().filter_map(|key| key.strip_prefix("registries.")?.rsplit_once('.'));
        let mut names: Vec<String> = keys.map(|(name, _)| name.to_owned()).collect();
        names.dedup();
        names
    }

    /// The ids of all agents of which something is set, sorted.
    #[must_use]
    pub fn configured_agents(&self) -> Vec<String> {
        let keys = self.values.keys().filter_map(|key| key.strip_prefix("agents.")?.rsplit_once('.'));
        let mut ids: Vec<String> = keys.map(|(id, _)| id.to_owned()).collect();
        ids.dedup();
        ids
    }

    /// Whether a project's file says what a setting is.
    #[must_use]
    pub fn is_of_project(&self, key: &str) -> bool {
        self.values.get(key).is_some_and(|set| matches!(set.origin, Origin::Project(_)))
    }

    /// The names of all registries, the default one first, then the one inside this program, then by name.
    #[must_use]
    pub fn registry_names(&self) -> Vec<String> {
        let mut names = vec![self.default_registry(), EMBEDDED_REGISTRY.to_owned()];
        names.extend(self.registries().into_keys());
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()));
        names
    }

    /// The index URL of a registry, canonical; of the default one for `None`.
    ///
    /// # Errors
    /// If no registry of that name is configured; the message offers the ones that are.
    pub fn registry(&self, name: Option<&str>) -> Result<String> {
        let name = match name {
            Some(name) => name.to_owned(),
            None => self.default_registry(),
        };
        match self.values.get(&format!("registries.{name}.index")) {
            Some(set) => Ok(set.text.clone()),
            None if name == EMBEDDED_REGISTRY => Ok(SourceId::EMBEDDED_INDEX.to_owned()),
            None => Err(self.no_registry(&name)),
        }
    }

    fn no_registry(&self, name: &str) -> Error {
        let registries = self.registries();
        let names: Vec<String> = registries.keys().map(|name| format!("`{name}`")).collect();
        let error = Error::usage(format!("no registry `{}` is configured", name.escape_debug()))
            .note(format!("there is {}", names.join(", ")));
        let error = match nearest(name, registries.keys().map(String::as_str)) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        };
        error.help(format!("set one with `skillpm config set registries.{name}.index sparse+https://host/path/`"))
    }

    /// The index URLs of all registries, by name; the one inside this program, too, unless its name is taken.
    #[must_use]
    pub fn registries(&self) -> BTreeMap<String, String> {
        let own = (EMBEDDED_REGISTRY.to_owned(), SourceId::EMBEDDED_INDEX.to_owned());
        let named = |(key, set): (&String, &Set)| {
            let name = key.strip_prefix("registries.")?.strip_suffix(".index")?;
            Some((name.to_owned(), set.text.clone()))
        };
        [own].into_iter().chain(self.values.iter().filter_map(named)).collect()
    }

    /// The index that each index is read from instead, both by URL.
    ///
    /// # Errors
    /// If a replacement names a registry that there is not, or they lead round in a circle; the message names the layer.
    pub fn mirrors(&self) -> Result<BTreeMap<String, String>> {
        let mut direct: BTreeMap<String, (String, &Set)> = BTreeMap::new();
        for (key, set) in &self.values {
            let Some(name) = key.strip_prefix("source.").and_then(|rest| rest.strip_suffix(".replace-with")) else {
                continue;
            };
            let told = |error: Error| error.note(format!("`{key}` is set in {}", set.origin));
            let from = self.index_of(name).map_err(told)?;
            let to = self.index_of(&set.text).map_err(told)?;
            direct.insert(from, (to, set));
        }
        direct.keys().map(|from| Ok((from.clone(), follow(&direct, from)?))).collect()
    }

    /// The URLs of indexes that may go back on what they said before.
    ///
    /// # Errors
    /// If there is no such registry; the message names the layer.
    pub fn rewritten(&self) -> Result<BTreeSet<String>> {
        let mirrors = self.mirrors()?;
        let mut urls = BTreeSet::new();
        for name in self.list("registry.accept-rewritten") {
            let origin = self.get("registry.accept-rewritten")?.map(|set| set.origin.to_string()).unwrap_or_default();
            let url = self
                .index_of(&name)
                .map_err(|error| error.note(format!("`registry.accept-rewritten` is set in {origin}")))?;
            urls.extend(mirrors.get(&url).cloned());
            urls.insert(url);
        }
        Ok(urls)
    }

    /// The index that a registry's name or an index's URL means.
    fn index_of(&self, text: &str) -> Result<String> {
        if text.contains(':') { Ok(text.parse::<IndexUrl>()?.into()) } else { self.registry(Some(text)) }
    }
}

/// Where the replacements of an index end.
fn follow(direct: &BTreeMap<String, (String, &Set)>, from: &str) -> Result<String> {
    let mut way = vec![from];
    let mut last = None;
    while let Some((to, set)) = direct.get(way[way.len() - 1]) {
        if way.contains(&to.as_str()) {
            let steps: Vec<String> = way.iter().chain([&to.as_str()]).map(|url| format!("`{url}`")).collect();
            return Err(Error::usage(format!("registries replace one another in a circle: {}", steps.join(" -> ")))
                .note(format!("the last of them is set in {}", set.origin))
                .help("take one `source.….replace-with` out; `skillpm config list` shows where each is set"));
        }
        way.push(to);
        last = Some(to);
    }
    Ok(last.cloned().unwrap_or_else(|| from.to_owned()))
}

/// Refuses a setting in a project's file that is for the person to say.
///
/// # Errors
/// If it is one.
pub fn check_project(path: &Path, key: &str) -> Result<()> {
    let Some((_, why)) = PERSONAL.iter().find(|(part, _)| key.ends_with(part) || part.ends_with('.') && key.starts_with(part))
    else {
        return Ok(());
    };
    Err(Error::usage(format!("`{key}` may not be set by a project"))
        .note(format!("it is set in {}", path.display()))
        .note(*why)
        .help(format!("take it out there; for yourself set it with `skillpm config set {key} VALUE`")))
}

/// Sets a value in the text of a settings file; every other byte survives.
///
/// # Errors
/// If the key is unknown, the value of the wrong type, or the text not TOML.
pub fn edit(text: &str, key: &str, value: &str) -> Result<String> {
    let known = setting(key)?;
    let value = &check(known, key, value.to_owned())?;
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        Error::usage(format!("the settings file is not TOML: {}", error.message()))
    })?;
    let parts = parts(known, key);
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
        Type::List | Type::Registries => toml_edit::value(text.split(',').map(str::trim).collect::<toml_edit::Array>()),
        Type::Text | Type::Index | Type::Archives | Type::Registry => toml_edit::value(text),
    }
}

/// The setting that a key belongs to.
fn setting(key: &str) -> Result<&'static Setting> {
    SETTINGS.iter().find(|setting| name_in(setting, key).is_some()).ok_or_else(|| {
        Error::usage(format!("there is no setting `{}`", key.escape_debug()))
            .help("`skillpm config list` shows all of them")
    })
}

/// What stands for the `*` of a setting's key, empty if it has none; `None` if the key is of another setting.
fn name_in<'k>(setting: &Setting, key: &'k str) -> Option<&'k str> {
    let Some((before, after)) = setting.key.split_once('*') else { return (setting.key == key).then_some("") };
    let name = key.strip_prefix(before)?.strip_suffix(after)?;
    // Only the URL of an index may have dots in it.
    let is_name = !name.is_empty() && (setting.kind == Type::Registry || !name.contains('.'));
    is_name.then_some(name)
}

/// The parts of a key, each of which is a table of the file but the last.
fn parts<'k>(setting: &Setting, key: &'k str) -> Vec<&'k str> {
    match name_in(setting, key).filter(|name| !name.is_empty()) {
        None => key.split('.').collect(),
        Some(name) => {
            let (before, after) = setting.key.split_once('*').unwrap_or((setting.key, ""));
            let around = |text: &'static str| text.split('.').filter(|part| !part.is_empty());
            around(before).chain([name]).chain(around(after)).collect()
        }
    }
}

/// A value as it is kept: the URL of an index in its one form, all else as it is written.
fn check(setting: &Setting, key: &str, text: String) -> Result<String> {
    let wanted = match setting.kind {
        Type::Text | Type::List => return Ok(text),
        Type::Index => return index(key, &text),
        Type::Registry if text.contains(':') => return index(key, &text),
        Type::Registry => return Ok(text),
        Type::Registries => {
            let urls = text.split(',').map(str::trim).filter(|part| part.contains(':'));
            return urls.map(|url| index(key, url)).collect::<Result<Vec<_>>>().map(|_| text.clone());
        }
        Type::Archives => match text.parse::<IndexUrl>() {
            Ok(url) if matches!(url.kind(), IndexKind::Directory | IndexKind::Bucket) => return Ok(url.into()),
            _ => "the URL of a directory or a bucket, `file:///…` or `s3://…`,",
        },
        Type::Switch if is_true(&text) || is_false(&text) => return Ok(text),
        Type::Number if text.parse::<u64>().is_ok() => return Ok(text),
        Type::Switch => "`true` or `false`",
        Type::Number => "a whole number",
    };
    Err(Error::usage(format!("`{key}` is `{}`; {wanted} was expected", text.escape_debug())))
}

fn index(key: &str, text: &str) -> Result<String> {
    let url: IndexUrl = text.parse().map_err(|error: Error| error.wrap(format!("`{key}` cannot be used")))?;
    Ok(url.into())
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

    fn configured(text: &str) -> Config {
        let mut config = Config::new();
        config.add_file(Path::new("c"), text).unwrap();
        config
    }

    #[test]
    fn an_index_has_one_url_however_it_is_written_and_a_bad_one_names_its_layer() {
        let config = configured("[registries.acme]\nindex = \"sparse+https://Acme.dev/i\"\n");
        assert_eq!(config.registry(Some("acme")).unwrap(), "sparse+https://acme.dev/i/");
        let mut config = Config::new();
        let error = config.add_flag("registries.acme.index=https://acme.dev/i").unwrap_err();
        assert_eq!(error.message(), "`registries.acme.index` cannot be used");
        assert_eq!(error.notes(), ["it is set in --config"]);
        assert!(error.helps()[0].contains("`sparse+https://acme.dev/i`"), "{error:?}");
        assert!(config.add_flag("registries.acme.archives=https://acme.dev/i").is_err());
        assert!(config.add_flag("registries.a.b.index=file:///i").is_err(), "a name has no dot");
    }

    #[test]
    fn a_registry_is_replaced_by_name_or_url_over_several_steps() {
        let config = configured(
            "[registries.acme]\nindex = \"file:///acme\"\n[registries.far]\nindex = \"sparse+https://far.dev\"\n\
             [source.acme]\nreplace-with = \"far\"\n[source.\"sparse+https://far.dev/\"]\nreplace-with = \"file:///m/\"\n",
        );
        let mirrors = config.mirrors().unwrap();
        assert_eq!(mirrors["file:///acme"], "file:///m");
        assert_eq!(mirrors["sparse+https://far.dev/"], "file:///m");
        assert_eq!(mirrors.len(), 2);
    }

    #[test]
    fn a_circle_of_replacements_and_an_unknown_one_name_the_layer() {
        let circle = configured(
            "[source.\"file:///a\"]\nreplace-with = \"file:///b\"\n[source.\"file:///b\"]\nreplace-with = \"file:///a\"\n",
        );
        let error = circle.mirrors().unwrap_err();
        assert!(error.message().ends_with("`file:///a` -> `file:///b` -> `file:///a`"), "{error:?}");
        assert_eq!(error.notes(), ["the last of them is set in c"]);
        let error = configured("[source.default]\nreplace-with = \"none\"\n").mirrors().unwrap_err();
        assert_eq!(error.message(), "no registry `none` is configured");
        assert_eq!(error.notes().last().unwrap(), "`source.default.replace-with` is set in c");
        let itself = configured("[source.default]\nreplace-with = \"default\"\n");
        assert!(itself.mirrors().is_err());
    }

    #[test]
    fn who_may_rewrite_is_known_by_name_url_and_mirror() {
        let mut config = configured("[source.default]\nreplace-with = \"file:///m\"\n");
        assert!(config.rewritten().unwrap().is_empty());
        config.add_flag("registry.accept-rewritten=default,file:///x/").unwrap();
        let urls: Vec<String> = config.rewritten().unwrap().into_iter().collect();
        assert_eq!(urls, ["embedded:default", "file:///m", "file:///x"]);
        let variable = |name: &str| (name == "SKILLPM_REGISTRY_ACCEPT_REWRITTEN").then(|| "file:///y".to_owned());
        config.values.clear();
        config.add_environment(&variable).unwrap();
        assert!(config.rewritten().unwrap().contains("file:///y"), "its colons are its own");
    }

    #[test]
    fn editing_keeps_the_rest_of_the_file() {
        let text = "# mine\n[net]\njobs = 2 # few\n";
        assert_eq!(edit(text, "net.offline", "true").unwrap(), "# mine\n[net]\njobs = 2 # few\noffline = true\n");
        assert_eq!(
            edit("", "registries.acme.index", "file:///x").unwrap(),
            "[registries.acme]\nindex = \"file:///x\"\n"
        );
        assert_eq!(
            edit("", "source.sparse+https://acme.dev/i/.replace-with", "default").unwrap(),
            "[source.\"sparse+https://acme.dev/i/\"]\nreplace-with = \"default\"\n"
        );
    }

    #[test]
    fn a_name_may_be_a_part_of_the_key_around_it() {
        for name in ["g", "registries", "index", "r"] {
            let key = format!("registries.{name}.index");
            let text = edit("", &key, "file:///x").unwrap();
            assert_eq!(text, format!("[registries.{name}]\nindex = \"file:///x\"\n"));
            let mut config = Config::new();
            config.add_file(Path::new("c"), &text).unwrap();
            assert_eq!(config.registry(Some(name)).unwrap(), "file:///x");
        }
    }

    #[test]
    fn settings_are_sorted() {
        assert!(SETTINGS.is_sorted_by_key(|setting| setting.key));
    }
}
