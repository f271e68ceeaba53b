//! An agent's own configuration of skills: switches, lists, and values for gates.
//!
//! ```json5
//! // ~/.openclaw/openclaw.json
//! {
//!   browser: { enabled: false },                                 // the gate `config: ["browser.enabled"]`
//!   skills: {
//!     entries: { pdf: { enabled: false }, mail: { apiKey: "…", env: { MAIL_TOKEN: "…" } } },
//!     allowBundled: ["peekaboo"],
//!   },
//!   agents: { defaults: { skills: ["pdf", "mail"] } },
//! }
//! ```
//!
//! Kodelet's (`skills.enabled`, `skills.allowed`, where an empty list means all) are read, too. Values of variables and
//! keys are not kept: only their presence matters, and they are never printed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::SkillFilter;
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::location_at;
use skillpm_core::skill::yaml::{self, YamlError};

/// An agent's configuration, as far as skills go.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentSettings {
    /// The dotted paths of its truthy values: not false, not null, not 0, not empty text.
    pub true_paths: BTreeSet<String>,
    /// Who is switched on or off and who is listed at all.
    pub filters: Vec<SkillFilter>,
    /// For bundled skills, the only ones that are listed; `None` for all.
    pub allow_bundled: Option<Vec<String>>,
    /// By a skill's key: the variables that the agent sets for it.
    pub variables: BTreeMap<String, BTreeSet<String>>,
    /// The keys of skills that have an API key, which is their `primaryEnv`.
    pub api_keys: BTreeSet<String>,
}

impl AgentSettings {
    /// Reads the text of a configuration: JSON, JSON with comments and bare keys, or YAML. `file` is its name for
    /// messages and reasons, `agent` the id under which the file lists agents of its own.
    ///
    /// # Errors
    /// If it is not valid in any of these.
    pub fn parse(text: &str, file: &str, agent: &str) -> Result<Self> {
        let layer = ConfigLayer {
            file: file.to_owned(),
            text: text.to_owned(),
        };
        AgentSettings::parse_layers(&[layer], agent)
    }

    /// Reads a configuration of several files, each of which overrides single keys of those before it.
    ///
    /// # Errors
    /// If one of them is not valid.
    pub fn parse_layers(layers: &[ConfigLayer], agent: &str) -> Result<Self> {
        let (mut value, mut file) = (Value::Null, "");
        for layer in layers {
            let parsed = layer.parse()?;
            check_selection(&parsed["skills"], layer)?;
            // Reasons name the file that decides: the last one that says something of skills.
            if file.is_empty() || !parsed["skills"].is_null() {
                file = &layer.file;
            }
            merge_values(&mut value, parsed);
        }

        let mut settings = AgentSettings::default();
        collect_true_paths(&value, &mut String::new(), &mut settings.true_paths);
        // On unless it is switched off, as in OpenClaw.
        if value.pointer("/browser/enabled").is_none() {
            settings.true_paths.insert("browser.enabled".to_owned());
        }

        // Indexing never fails here: a key that is missing, or of another type, reads as null.
        let skills = &value["skills"];
        for (key, entry) in skills["entries"].as_object().into_iter().flatten() {
            settings.add_entry(file, key, entry);
        }

        settings.allow_bundled = string_list(&skills["allowBundled"]);
        // After the entries: the first filter that leaves a skill out gives the reason.
        settings
            .filters
            .extend(selection_filter(&value, file, agent));

        Ok(settings)
    }

    /// Takes in what the configuration says about the skill of one key.
    fn add_entry(&mut self, file: &str, key: &str, entry: &Value) {
        if entry["enabled"] == Value::Bool(false) {
            self.filters.push(SkillFilter {
                enabled: true,
                ..SkillFilter::denying(file, key)
            });
        }

        // Only whether a value is there counts: none of them is kept.
        let variables = entry["env"]
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(_, value)| is_true(value));
        self.variables.insert(
            key.to_owned(),
            variables.map(|(name, _)| name.clone()).collect(),
        );

        if is_true(&entry["apiKey"]) {
            self.api_keys.insert(key.to_owned());
        }
    }

    /// Whether the agent gives the skill of that key a variable; `primary` is what its API key is passed as.
    #[must_use]
    pub fn provides(&self, key: &str, variable: &str, primary: Option<&str>) -> bool {
        self.variables
            .get(key)
            .is_some_and(|set| set.contains(variable))
            || (primary == Some(variable) && self.api_keys.contains(key))
    }
}

/// One file of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigLayer {
    /// Its name for messages and reasons.
    pub file: String,
    /// Its text.
    pub text: String,
}

impl ConfigLayer {
    /// Reads it: JSON, JSON with comments and bare keys, or YAML.
    ///
    /// # Errors
    /// If it is none of these.
    pub fn parse(&self) -> Result<Value> {
        // Strict JSON first: it is the common case, and the fallback would accept too much of it.
        match serde_json::from_str(&self.text) {
            Ok(value) => Ok(value),
            Err(_) => parse_relaxed(&self.text).map_err(|fault| {
                let place = location_at(&self.text, &self.file, fault.at);
                Error::usage(format!("failed to parse `{place}`: {}", fault.message)).help(format!(
                    "fix `{}`: the agent cannot read it either",
                    self.file
                ))
            }),
        }
    }

    /// Where the value of a key of `skills` is; the file alone if it is not plain YAML.
    fn place_of_selection(&self, key: &str) -> String {
        let document = yaml::parse_text(&self.text).ok();
        let value = document
            .as_ref()
            .and_then(|document| document.root.as_ref()?.get("skills")?.get(key));
        value.map_or_else(
            || self.file.clone(),
            |value| location_at(&self.text, &self.file, value.span.start),
        )
    }
}

/// Checks the types of Kodelet's two keys: read as if it were absent, a wrong one would show what it is to hide.
fn check_selection(skills: &Value, layer: &ConfigLayer) -> Result<()> {
    let invalid = |key: &str, expected: &str| {
        let place = layer.place_of_selection(key);
        Err(Error::usage(format!("invalid `skills.{key}` in `{place}`"))
            .note(format!("found `{}`, expected {expected}", skills[key]))
            .help(format!("fix `{}`: set {expected}", layer.file)))
    };

    if !matches!(skills["enabled"], Value::Null | Value::Bool(_)) {
        return invalid("enabled", "`true` or `false`");
    }
    let is_list = |value: &Value| {
        value
            .as_array()
            .is_some_and(|items| items.iter().all(Value::is_string))
    };
    if !skills["allowed"].is_null() && !is_list(&skills["allowed"]) {
        return invalid("allowed", "a list of names of skills");
    }
    Ok(())
}

/// Puts `above` over `value`: keys of objects one by one, anything else as a whole.
fn merge_values(value: &mut Value, above: Value) {
    match (value, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (key, above) in above {
                merge_values(below.entry(key).or_insert(Value::Null), above);
            }
        }
        // A file with nothing but comments says nothing.
        (_, Value::Null) => {}
        (value, above) => *value = above,
    }
}

/// The filter of the whole configuration: a switch, and the list of the agent, or else of all agents. `None` if it has
/// neither.
fn selection_filter(value: &Value, file: &str, agent: &str) -> Option<SkillFilter> {
    let skills = &value["skills"];

    // OpenClaw's list for one agent replaces the one for all; the two are never combined.
    let own = string_list(&own_entry(&value["agents"]["entries"], agent)["skills"]);
    let listed = own.or_else(|| string_list(&value["agents"]["defaults"]["skills"]));

    // Kodelet's empty list means all.
    let allowed =
        listed.or_else(|| string_list(&skills["allowed"]).filter(|names| !names.is_empty()));

    let enabled = skills["enabled"] != Value::Bool(false);
    (allowed.is_some() || !enabled).then(|| SkillFilter {
        set_by: format!("`{file}`"),
        enabled,
        allow: allowed,
        deny: Vec::new(),
    })
}

/// What a configuration has for the agent of this id; else for the one of its own agents that is the default.
fn own_entry<'v>(entries: &'v Value, agent: &str) -> &'v Value {
    if !entries[agent].is_null() {
        return &entries[agent];
    }
    let is_default = |(_, entry): &(&String, &Value)| entry["default"] == Value::Bool(true);
    let mut all = entries.as_object().into_iter().flatten();
    all.find(is_default)
        .map_or(&entries["main"], |(_, entry)| entry)
}

/// JSON as people write it (comments, bare keys, single quotes, commas at the end), or YAML: the first is the second's
/// flow form once its comments are gone.
fn parse_relaxed(text: &str) -> std::result::Result<Value, YamlError> {
    // Only in JSON is `//` a comment: in YAML it is part of a URL, and comments begin with `#`.
    let plain = if text.trim_start().starts_with(['{', '/']) {
        strip_comments(text)
    } else {
        PlainText {
            text: text.to_owned(),
            shifts: Vec::new(),
        }
    };

    let document = yaml::parse_text(&plain.text).map_err(|fault| YamlError {
        at: plain.written_offset(fault.at),
        ..fault
    })?;
    Ok(document.root.map_or(Value::Null, |root| root.to_json()))
}

/// A text without its comments.
struct PlainText {
    text: String,
    /// Where offsets in it and in the text as it was written begin to differ by another number: the two offsets.
    shifts: Vec<(usize, usize)>,
}

impl PlainText {
    /// Where a byte of it is in the text as it was written.
    fn written_offset(&self, at: usize) -> usize {
        let before = self.shifts.iter().take_while(|(plain, _)| *plain <= at);
        before
            .last()
            .map_or(at, |(plain, written)| written + (at - plain))
    }
}

/// `text` with blanks in the place of `// …` and `/* … */` outside strings, and of tabs; and with one behind every `:`,
/// without which YAML would take key and value for one word.
fn strip_comments(text: &str) -> PlainText {
    let mut out = String::with_capacity(text.len());
    let mut shifts = Vec::new();
    let mut rest = text;
    let mut quote = None;

    while let Some(c) = rest.chars().next() {
        let length = match (quote, c) {
            // An escaped quote does not end the string, so the backslash takes what follows along.
            (Some(_), '\\') => c.len_utf8() + rest[1..].chars().next().map_or(0, char::len_utf8),
            (Some(open), _) => {
                quote = (c != open).then_some(open);
                c.len_utf8()
            }
            (None, '"' | '\'') => {
                quote = Some(c);
                1
            }

            (None, '/') if rest.starts_with("//") => {
                rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
                shifts.push((out.len(), text.len() - rest.len()));
                continue;
            }
            // A comment that never ends takes the rest of the file.
            (None, '/') if rest.starts_with("/*") => {
                let end = rest[2..].find("*/").map_or(rest.len(), |end| end + 4);
                out.push(' ');
                // Its lines still count in the place of an error.
                out.extend(rest[..end].matches('\n'));
                rest = &rest[end..];
                shifts.push((out.len(), text.len() - rest.len()));
                continue;
            }
            (None, _) => c.len_utf8(),
        };

        match c {
            // YAML forbids tabs for indentation, and needs a blank behind the colon of a key.
            '\t' if quote.is_none() => out.push(' '),
            ':' if quote.is_none() => {
                out.push_str(": ");
                shifts.push((out.len(), text.len() - rest.len() + length));
            }
            _ => out.push_str(&rest[..length]),
        }

        rest = &rest[length..];
    }

    PlainText { text: out, shifts }
}

fn collect_true_paths(value: &Value, path: &mut String, truths: &mut BTreeSet<String>) {
    if !path.is_empty() && is_true(value) {
        truths.insert(path.clone());
    }

    for (key, value) in value.as_object().into_iter().flatten() {
        // One buffer for all paths: it grows on the way down, and is cut back on the way up.
        let before = path.len();
        if before > 0 {
            path.push('.');
        }
        path.push_str(key);

        collect_true_paths(value, path, truths);
        path.truncate(before);
    }
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        // 0 is false in JavaScript, and OpenClaw checks its settings there.
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.trim().is_empty(),
        _ => true,
    }
}

fn string_list(value: &Value) -> Option<Vec<String>> {
    Some(
        value
            .as_array()?
            .iter()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> AgentSettings {
        AgentSettings::parse(text, "openclaw.json", "openclaw").unwrap()
    }

    #[test]
    fn what_is_true_is_known_by_its_path_and_the_browser_is_unless_it_is_said_not_to_be() {
        let settings = read(
            "{ // mine\n\tmail: {on: true, off: false, url: 'http://x//y', n: 0,}, /* } */ \"a\": [],\n}",
        );
        let truths: Vec<_> = settings.true_paths.iter().map(String::as_str).collect();
        assert_eq!(
            truths,
            ["a", "browser.enabled", "mail", "mail.on", "mail.url"]
        );
        assert!(
            !read("{\"browser\": {\"enabled\": false}}")
                .true_paths
                .contains("browser.enabled")
        );
        assert!(
            read("mail:\n  on: true\n").true_paths.contains("mail.on"),
            "YAML is read, too"
        );
    }

    #[test]
    fn entries_switch_skills_off_and_give_them_variables() {
        let settings = read(
            "{skills: {entries: {pdf: {enabled: false}, mail: {apiKey: 'k', env: {TOKEN: 't', NONE: ''}}}, \
             allowBundled: ['a']}}",
        );
        assert_eq!(
            settings.filters,
            [SkillFilter::denying("openclaw.json", "pdf")]
        );
        assert!(
            settings.provides("mail", "TOKEN", None)
                && settings.provides("mail", "MAIL_KEY", Some("MAIL_KEY"))
        );
        assert!(
            !settings.provides("mail", "NONE", None)
                && !settings.provides("pdf", "TOKEN", Some("TOKEN"))
        );
        assert_eq!(settings.allow_bundled.unwrap(), ["a"]);
    }

    #[test]
    fn lists_of_an_agent_replace_the_default_and_only_kodelets_empty_one_means_all() {
        let allow = |text: &str| read(text).filters.pop().and_then(|rules| rules.allow);
        assert_eq!(
            allow("{agents: {defaults: {skills: ['a']}}}").unwrap(),
            ["a"]
        );
        let own = "{agents: {defaults: {skills: ['a']}, entries: {openclaw: {skills: []}}}}";
        assert_eq!(allow(own).unwrap(), [""; 0]);
        assert_eq!(allow("skills:\n  allowed: []\n"), None);
        assert_eq!(allow("skills:\n  allowed: [b]\n").unwrap(), ["b"]);
        assert!(!read("skills:\n  enabled: false\n").filters[0].enabled);
    }

    #[test]
    fn blanks_behind_colons_may_be_left_out_and_a_comment_may_begin_with_a_slash() {
        let settings = read(
            "/*/ mine */ {skills:{entries:{pdf:{enabled:false},mail:{apiKey:'a:b'}}},agents:{defaults:{skills:['a']}}}",
        );
        assert_eq!(
            settings.filters[0],
            SkillFilter::denying("openclaw.json", "pdf")
        );
        assert_eq!(
            settings.filters[1].allow.as_deref(),
            Some(["a".to_owned()].as_slice())
        );
        assert!(settings.provides("mail", "KEY", Some("KEY")));
        assert!(
            !read("{browser:{enabled:false}}")
                .true_paths
                .contains("browser.enabled")
        );
        assert_eq!(
            parse_relaxed("{a:'b:c',\"d\":\"e:\\\"f:\"}"),
            Ok(serde_json::json!({"a": "b:c", "d": "e:\"f:"}))
        );
    }

    #[test]
    fn what_cannot_be_understood_names_the_file_with_line_and_column() {
        // Comments and the blanks that are put behind colons do not move the place.
        for (text, place) in [
            ("{a:1,b:[2", "openclaw.json:1:8"),
            ("/* one\n */ {a:1, // two\n b:[2", "openclaw.json:3:4"),
            ("skills:\n  allowed: [pdf\n", "openclaw.json:2:12"),
        ] {
            let error = AgentSettings::parse(text, "openclaw.json", "x").unwrap_err();
            let start = format!("failed to parse `{place}`: ");
            assert!(error.message().starts_with(&start), "{error:?}");
        }
    }
}
