//! A manifest as one who looks for faults sees it: what can be read of it, each with its place, though the rest be wrong.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{FILE, Manifest, conflict_marker, schema};
use crate::error::nearest;

/// What is to be seen of a manifest. All places count bytes from its start.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Look {
    /// What is wrong with it as such, in the order of the file.
    pub faults: Vec<Fault>,
    /// Whether there is `[package]`.
    pub is_package: bool,
    /// `package.name`, as written.
    pub name: Option<Text>,
    /// `package.version`, as written; `None` also if it is inherited.
    pub version: Option<Text>,
    /// Keys of `[package]`, those that are inherited among them.
    pub keys: Vec<String>,
    /// `package.include`.
    pub include: Vec<Text>,
    /// `package.exclude`.
    pub exclude: Vec<Text>,
    /// What `[dependencies]` and `[dev-dependencies]` declare.
    pub needs: Vec<Need>,
}

/// A text and its place, with its quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Where it is.
    pub span: Range<usize>,
}

/// A dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// Its key.
    pub key: Text,
    /// Its requirement, if it has one.
    pub version: Option<Text>,
    /// The directory it is taken from, if it is one.
    pub path: Option<String>,
    /// Whether it comes from somewhere else than a registry, or says what it is elsewhere.
    pub is_bound: bool,
    /// The whole of its value.
    pub span: Range<usize>,
}

/// Something that is wrong with a manifest as such.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// One sentence, lower case, without a full stop.
    pub message: String,
    /// Where; `None` if that cannot be told.
    pub span: Option<Range<usize>>,
    /// What sort of fault it is.
    pub kind: FaultKind,
    /// What would mend it.
    pub help: Option<String>,
}

/// What sort of fault a manifest has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// No TOML, or a value that cannot be.
    Syntax,
    /// A key that skillpm does not know; the one that was probably meant.
    UnknownKey(Option<String>),
}

/// Looks at the text of a manifest.
#[must_use]
pub fn look(text: &str) -> Look {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut look = Look::default();
    look.read(table.get_ref());
    look.faults = if let Some(line) = conflict_marker(text) {
        vec![Fault {
            message: "git left the marks of a merge".into(),
            span: text
                .split_inclusive('\n')
                .scan(0, |at, line| Some(std::mem::replace(at, *at + line.len())))
                .nth(line - 1)
                .map(|at| at..at + text[at..].lines().next().map_or(0, str::len)),
            kind: FaultKind::Syntax,
            help: Some("finish the merge, then run `skillpm lock`".into()),
        }]
    } else if errors.is_empty() {
        look.meaning(text).into_iter().collect()
    } else {
        errors.iter().map(|error| syntax(error.message(), error.span())).collect()
    };
    look
}

impl Look {
    fn read(&mut self, table: &DeTable<'_>) {
        if let Some(package) = table.get("package").and_then(|value| as_table(value.get_ref())) {
            self.is_package = true;
            self.name = package.get("name").and_then(text);
            self.version = package.get("version").and_then(text);
            self.keys = package.keys().map(|key| key.get_ref().to_string()).collect();
            self.include = package.get("include").map(texts).unwrap_or_default();
            self.exclude = package.get("exclude").map(texts).unwrap_or_default();
        }
        for name in ["dependencies", "dev-dependencies"] {
            let Some(entries) = table.get(name).and_then(|value| as_table(value.get_ref())) else { continue };
            self.needs.extend(entries.iter().map(|(key, value)| need(key, value)));
        }
        self.needs.sort_by_key(|need| need.key.span.start);
    }

    /// What is wrong with what the TOML says.
    fn meaning(&self, text: &str) -> Option<Fault> {
        let Err(error) = toml::from_str::<schema::Manifest>(text) else { return sense(text) };
        // A version that is none is told by whoever knows of versions.
        let is_version = self.version.as_ref().is_some_and(|version| Some(&version.span) == error.span().as_ref());
        if is_version {
            return None;
        }
        let Some((key, known)) = unknown_key(error.message()) else {
            return Some(syntax(error.message(), error.span()));
        };
        let meant = nearest(&key, known.iter().map(String::as_str)).map(str::to_owned);
        let help = meant
            .as_ref()
            .map_or_else(|| format!("it can be one of {}", list(&known)), |meant| format!("write `{meant}`"));
        Some(Fault {
            message: format!("skillpm knows no key `{}` here", key.escape_debug()),
            span: error.span(),
            kind: FaultKind::UnknownKey(meant),
            help: Some(help),
        })
    }
}

/// What is wrong although every key and value has its form, such as two sources of one dependency.
fn sense(text: &str) -> Option<Fault> {
    // What is inherited can be known to the whole workspace only.
    if text.contains("workspace") {
        return None;
    }
    let error = Manifest::parse(text, FILE, &|name| Ok(name.unwrap_or_default().to_owned())).err()?;
    let message = error.message().strip_prefix(FILE).unwrap_or(error.message());
    let (place, message) = match message.split_once(": ") {
        Some((place, rest)) if place.starts_with(':') || place.is_empty() => (place, rest),
        _ => ("", message),
    };
    let mut numbers = place.split(':').filter_map(|number| number.parse::<usize>().ok());
    let at = numbers.next().zip(numbers.next()).and_then(|(line, column)| byte(text, line, column));
    let end = at.map(|at| at + text[at..].lines().next().map_or(0, str::len));
    Some(Fault {
        message: message.to_owned(),
        span: at.zip(end).map(|(start, end)| start..end),
        kind: FaultKind::Syntax,
        help: error.helps().first().cloned(),
    })
}

/// The byte at a line and column, which count from 1 and in characters.
fn byte(text: &str, line: usize, column: usize) -> Option<usize> {
    let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let (offset, _) = text.get(start..)?.char_indices().nth(column - 1)?;
    Some(start + offset)
}

fn syntax(message: &str, span: Option<Range<usize>>) -> Fault {
    Fault { message: message.trim_end().replace('\n', " "), span, kind: FaultKind::Syntax, help: None }
}

/// The key, and those that are known, of a message that a key is not.
fn unknown_key(message: &str) -> Option<(String, Vec<String>)> {
    let rest = message.strip_prefix("unknown field ")?;
    let mut quoted = rest.split('`').skip(1).step_by(2).map(str::to_owned);
    Some((quoted.next()?, quoted.collect()))
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn need(key: &Spanned<std::borrow::Cow<'_, str>>, value: &Spanned<DeValue<'_>>) -> Need {
    let key = Text { text: key.get_ref().to_string(), span: key.span() };
    let mut need = Need { key, version: text(value), path: None, is_bound: false, span: value.span() };
    if let Some(table) = as_table(value.get_ref()) {
        need.version = table.get("version").and_then(text);
        need.path = table.get("path").and_then(text).map(|path| path.text).filter(|_| !table.contains_key("git"));
        need.is_bound =
            ["git", "path", "archive", "well-known", "workspace"].iter().any(|key| table.contains_key(*key));
    }
    need
}

fn as_table<'t, 'i>(value: &'t DeValue<'i>) -> Option<&'t DeTable<'i>> {
    match value {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

fn text(value: &Spanned<DeValue<'_>>) -> Option<Text> {
    match value.get_ref() {
        DeValue::String(text) => Some(Text { text: text.to_string(), span: value.span() }),
        _ => None,
    }
}

fn texts(value: &Spanned<DeValue<'_>>) -> Vec<Text> {
    match value.get_ref() {
        DeValue::Array(items) => items.iter().filter_map(text).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(source: &str) -> Vec<(String, String)> {
        let told = |fault: Fault| {
            let at = fault.span.map_or_else(|| "-".to_owned(), |span| source[span].to_owned());
            (at, fault.message)
        };
        look(source).faults.into_iter().map(told).collect()
    }

    #[test]
    fn faults_have_their_places() {
        let one = |source: &str| faults(source).remove(0);
        assert_eq!(
            one("[package]\nname = \"a\"\nlicence = \"MIT\"\n"),
            ("licence".into(), "skillpm knows no key `licence` here".into())
        );
        assert_eq!(one("[package]\nname = 1\n").0, "1");
        assert_eq!(one("[package\nname = \"a\"\n").1, "unclosed table, expected `]`");
        assert_eq!(one("<<<<<<< ours\n").0, "<<<<<<< ours");
        let two_sources = "[dependencies]\nb = { git = \"https://h/r\", archive = \"x.zip\" }\n";
        assert_eq!(one(two_sources).0, "{ git = \"https://h/r\", archive = \"x.zip\" }");
        assert_eq!(faults("[package]\nname = \"a\"\nversion = \"1.0\"\n"), []);
        assert_eq!(faults("[package]\nname = \"a\"\nlicense.workspace = true\n"), []);
    }

    #[test]
    fn what_can_be_read_is_read_though_the_rest_is_wrong() {
        let source = "[package]\nname = \"acme/pdf\"\nversion = \"1.0\"\nexclude = [\"*.log\"]\nx = \n\n[dependencies]\nforms = \"*\"\nstyle = { path = \"../style\" }\n";
        let look = look(source);
        let place = |text: &Text| source[text.span.clone()].to_owned();
        assert_eq!(look.name.as_ref().map(place).as_deref(), Some("\"acme/pdf\""));
        assert_eq!(look.version.as_ref().map(|version| version.text.as_str()), Some("1.0"));
        assert_eq!(look.exclude.iter().map(place).collect::<Vec<_>>(), ["\"*.log\""]);
        let needs: Vec<_> =
            look.needs.iter().map(|need| (need.key.text.as_str(), need.is_bound, need.path.as_deref())).collect();
        assert_eq!(needs, [("forms", false, None), ("style", true, Some("../style"))]);
    }
}
