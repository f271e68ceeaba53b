//! A manifest as the linter reads it: every value that can be read, with its span, even if the rest is invalid.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Value};

use super::{FILE, Manifest, find_conflict_marker, schema};
use crate::error::Error;
use crate::toml_error::unknown_key;

/// The readable parts of a manifest. All spans are in bytes from its start.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ManifestOutline {
    /// Its syntax and schema errors, in the order of the file.
    pub faults: Vec<ManifestFault>,
    /// Whether there is `[package]`.
    pub is_package: bool,
    /// `package.name`, as written.
    pub name: Option<SpannedText>,
    /// `package.version`, as written; `None` also if it is inherited.
    pub version: Option<SpannedText>,
    /// Keys of `[package]`, including inherited ones.
    pub keys: Vec<String>,
    /// `package.include`.
    pub include: Vec<SpannedText>,
    /// `package.exclude`.
    pub exclude: Vec<SpannedText>,
    /// The entries of `[dependencies]` and `[dev-dependencies]`.
    pub dependencies: Vec<SpannedDependency>,
    /// `install.targets`.
    pub targets: Vec<SpannedText>,
}

/// A string and its span, including its quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpannedText {
    /// The text.
    pub text: String,
    /// Its span.
    pub span: Range<usize>,
}

/// A dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpannedDependency {
    /// Its key.
    pub key: SpannedText,
    /// Its requirement, if it has one.
    pub version: Option<SpannedText>,
    /// The directory it is taken from; `None` for any other source.
    pub path: Option<String>,
    /// Whether it has a source other than a registry, or is inherited.
    pub has_explicit_source: bool,
    /// The span of its value.
    pub span: Range<usize>,
}

/// A syntax or schema error of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestFault {
    /// One sentence, lower case, without a full stop.
    pub message: String,
    /// Its span; `None` if unknown.
    pub span: Option<Range<usize>>,
    /// Its kind.
    pub kind: ManifestFaultKind,
    /// How to fix it.
    pub help: Option<String>,
}

/// The kind of a manifest fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ManifestFaultKind {
    /// Invalid TOML or an invalid value.
    Syntax,
    /// An unknown key, with the one that was probably meant.
    UnknownKey(Option<String>),
}

/// The keys of the table at a path of a manifest whose values are texts, such as `version` and `registry` of a dependency;
/// empty if there is no table, or the text is not TOML.
#[must_use]
pub fn text_entries(text: &str, path: &[String]) -> BTreeMap<String, String> {
    let Ok(root) = text.parse::<toml::Table>() else {
        return BTreeMap::new();
    };
    let root = Value::Table(root);
    let found = path.iter().try_fold(&root, |value, key| value.get(key));
    let entries = found.and_then(Value::as_table).into_iter().flatten();
    entries
        .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
        .collect()
}

/// Reads the outline of a manifest, which may be invalid.
#[must_use]
pub fn inspect_manifest(text: &str) -> ManifestOutline {
    // The recoverable parser gives, besides its errors, whatever it could read.
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut outline = ManifestOutline::default();
    outline.read(table.get_ref());

    // One kind of fault at a time: markers break the syntax, and broken syntax the meaning.
    outline.faults = if let Some(line) = find_conflict_marker(text) {
        vec![ManifestFault {
            message: "unresolved merge conflict markers".into(),
            span: text
                .split_inclusive('\n')
                .scan(0, |at, line| Some(std::mem::replace(at, *at + line.len())))
                .nth(line - 1)
                .map(|at| at..at + text[at..].lines().next().map_or(0, str::len)),
            kind: ManifestFaultKind::Syntax,
            help: Some("resolve the conflict, then run `skillpm lock`".into()),
        }]
    } else if errors.is_empty() {
        outline.check_schema(text).into_iter().collect()
    } else {
        errors
            .iter()
            .map(|error| syntax_fault(error.message(), error.span()))
            .collect()
    };

    outline
}

impl ManifestOutline {
    fn read(&mut self, table: &DeTable<'_>) {
        if let Some(package) = table
            .get("package")
            .and_then(|value| as_table(value.get_ref()))
        {
            self.is_package = true;
            self.name = package.get("name").and_then(read_text);
            self.version = package.get("version").and_then(read_text);
            self.keys = package
                .keys()
                .map(|key| key.get_ref().to_string())
                .collect();
            self.include = package.get("include").map(read_texts).unwrap_or_default();
            self.exclude = package.get("exclude").map(read_texts).unwrap_or_default();
        }

        let install = table
            .get("install")
            .and_then(|value| as_table(value.get_ref()));
        if let Some(targets) = install.and_then(|install| install.get("targets")) {
            self.targets = read_texts(targets);
        }

        for name in ["dependencies", "dev-dependencies"] {
            let Some(entries) = table.get(name).and_then(|value| as_table(value.get_ref())) else {
                continue;
            };

            self.dependencies.extend(
                entries
                    .iter()
                    .map(|(key, value)| read_dependency(key, value)),
            );
        }

        // In the order of the file, which the parser's map does not keep.
        self.dependencies.sort_by_key(|need| need.key.span.start);
    }

    /// The first schema or semantic error.
    fn check_schema(&self, text: &str) -> Option<ManifestFault> {
        let Err(error) = toml::from_str::<schema::RawManifest>(text) else {
            return check_semantics(text);
        };

        // An invalid version is reported by the lint rule about versions.
        let is_version = self
            .version
            .as_ref()
            .is_some_and(|version| Some(&version.span) == error.span().as_ref());
        if is_version {
            return None;
        }

        let Some(unknown) = unknown_key(error.message()) else {
            return Some(syntax_fault(error.message(), error.span()));
        };

        Some(ManifestFault {
            message: format!("unknown key `{}`", unknown.key),
            span: error.span(),
            kind: ManifestFaultKind::UnknownKey(unknown.meant),
            help: Some(unknown.help),
        })
    }
}

/// An error in a manifest that matches the schema, such as two sources of one dependency.
fn check_semantics(text: &str) -> Option<ManifestFault> {
    // Inherited values can be checked only with the whole workspace.
    if text.contains("workspace") {
        return None;
    }

    // Every registry name is accepted, since the configuration is not known here.
    let error =
        Manifest::parse(text, FILE, &|name| Ok(name.unwrap_or_default().to_owned())).err()?;

    Some(fault_from_error(text, FILE, &error))
}

/// The fault that an error of a parser is about, with the span that the error has as `skillpm.toml:3:8`; `file` is the name
/// that the parser was called with.
#[must_use]
pub fn fault_from_error(text: &str, file: &str, error: &Error) -> ManifestFault {
    let located = std::iter::once(error.message())
        .chain(error.causes().iter().map(String::as_str))
        .find_map(|message| find_location(message, file));
    // Errors of the lockfile have the line alone.
    let line = error.in_one_line();
    let line = line.split_once("line ").and_then(|(_, rest)| {
        rest.split(|c: char| !c.is_ascii_digit())
            .next()?
            .parse()
            .ok()
    });
    let start = located
        .as_ref()
        .and_then(|location| byte_offset(text, location.line, location.column))
        .or_else(|| byte_offset(text, line?, 1));

    // A parser that underlines the span has as many carets as the span has characters.
    let carets = |note: &String| note.matches('^').count();
    let marked = error
        .notes()
        .iter()
        .map(carets)
        .max()
        .filter(|count| *count > 0);
    let span = start.map(|start| {
        let line = text[start..].lines().next().unwrap_or_default();
        let length = line
            .chars()
            .take(marked.unwrap_or(usize::MAX))
            .map(char::len_utf8);
        start..start + length.sum::<usize>()
    });

    let mut message = error.in_one_line();
    if let Some(location) = located {
        let place = location.text;
        // The place is shown by its span, so that the message is the rest.
        for around in [
            format!(" at `{place}`"),
            format!(" at {place}"),
            format!("{place}: "),
        ] {
            message = message.replace(&around, "");
        }
    }
    message = message.replace(&format!(" at `{file}`"), "");
    ManifestFault {
        message: message
            .strip_prefix(&format!("{file}: "))
            .unwrap_or(&message)
            .to_owned(),
        span,
        kind: ManifestFaultKind::Syntax,
        help: error.helps().first().cloned(),
    }
}

/// `skillpm.toml:3:8` in a message.
struct MessageLocation {
    text: String,
    line: usize,
    column: usize,
}

fn find_location(message: &str, file: &str) -> Option<MessageLocation> {
    let (_, rest) = message.split_once(&format!("{file}:"))?;
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();

    let line = &rest[..digits(rest)];
    let rest = rest[line.len()..].strip_prefix(':')?;
    let column = &rest[..digits(rest)];
    Some(MessageLocation {
        text: format!("{file}:{line}:{column}"),
        line: line.parse().ok()?,
        column: column.parse().ok()?,
    })
}

/// The byte at a line and column, which count from 1 and in characters.
fn byte_offset(text: &str, line: usize, column: usize) -> Option<usize> {
    let start: usize = text
        .split_inclusive('\n')
        .take(line.checked_sub(1)?)
        .map(str::len)
        .sum();
    let rest = text.get(start..)?;
    // An error at the end of the file is behind the last character.
    let mut offsets = rest
        .char_indices()
        .map(|(offset, _)| offset)
        .chain([rest.len()]);
    Some(start + offsets.nth(column.checked_sub(1)?)?)
}

fn syntax_fault(message: &str, span: Option<Range<usize>>) -> ManifestFault {
    ManifestFault {
        message: message.trim_end().replace('\n', " "),
        span,
        kind: ManifestFaultKind::Syntax,
        help: None,
    }
}

fn read_dependency(
    key: &Spanned<std::borrow::Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
) -> SpannedDependency {
    let key = SpannedText {
        text: key.get_ref().to_string(),
        span: key.span(),
    };

    let mut dependency = SpannedDependency {
        key,
        version: read_text(value),
        path: None,
        has_explicit_source: false,
        span: value.span(),
    };

    if let Some(table) = as_table(value.get_ref()) {
        dependency.version = table.get("version").and_then(read_text);
        // Next to `git`, `path` is a directory inside the repository.
        dependency.path = table
            .get("path")
            .and_then(read_text)
            .map(|path| path.text)
            .filter(|_| !table.contains_key("git"));
        dependency.has_explicit_source = ["git", "path", "archive", "well-known", "workspace"]
            .iter()
            .any(|key| table.contains_key(*key));
    }

    dependency
}

fn as_table<'t, 'i>(value: &'t DeValue<'i>) -> Option<&'t DeTable<'i>> {
    match value {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

fn read_text(value: &Spanned<DeValue<'_>>) -> Option<SpannedText> {
    match value.get_ref() {
        DeValue::String(text) => Some(SpannedText {
            text: text.to_string(),
            span: value.span(),
        }),
        _ => None,
    }
}

fn read_texts(value: &Spanned<DeValue<'_>>) -> Vec<SpannedText> {
    match value.get_ref() {
        DeValue::Array(items) => items.iter().filter_map(read_text).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(source: &str) -> Vec<(String, String)> {
        let described = |fault: ManifestFault| {
            let at = fault
                .span
                .map_or_else(|| "-".to_owned(), |span| source[span].to_owned());
            (at, fault.message)
        };
        inspect_manifest(source)
            .faults
            .into_iter()
            .map(described)
            .collect()
    }

    #[test]
    fn faults_have_their_spans() {
        let one = |source: &str| faults(source).remove(0);
        assert_eq!(
            one("[package]\nname = \"a\"\nlicence = \"MIT\"\n"),
            ("licence".into(), "unknown key `licence`".into())
        );
        assert_eq!(one("[package]\nname = 1\n").0, "1");
        assert_eq!(
            one("[package\nname = \"a\"\n").1,
            "unclosed table, expected `]`"
        );
        assert_eq!(one("<<<<<<< ours\n").0, "<<<<<<< ours");
        let two_sources = "[dependencies]\nb = { git = \"https://h/r\", archive = \"x.zip\" }\n";
        assert_eq!(
            one(two_sources).0,
            "{ git = \"https://h/r\", archive = \"x.zip\" }"
        );
        assert_eq!(faults("[package]\nname = \"a\"\nversion = \"1.0\"\n"), []);
        assert_eq!(
            faults("[package]\nname = \"a\"\nlicense.workspace = true\n"),
            []
        );
    }

    #[test]
    fn readable_parts_are_read_even_if_the_rest_is_invalid() {
        let source = "[package]\nname = \"acme/pdf\"\nversion = \"1.0\"\nexclude = [\"*.log\"]\nx = \n\n[dependencies]\nforms = \"*\"\nstyle = { path = \"../style\" }\n";
        let outline = inspect_manifest(source);
        let place = |text: &SpannedText| source[text.span.clone()].to_owned();
        assert_eq!(
            outline.name.as_ref().map(place).as_deref(),
            Some("\"acme/pdf\"")
        );
        assert_eq!(
            outline
                .version
                .as_ref()
                .map(|version| version.text.as_str()),
            Some("1.0")
        );
        assert_eq!(
            outline.exclude.iter().map(place).collect::<Vec<_>>(),
            ["\"*.log\""]
        );
        let needs: Vec<_> = outline
            .dependencies
            .iter()
            .map(|need| {
                (
                    need.key.text.as_str(),
                    need.has_explicit_source,
                    need.path.as_deref(),
                )
            })
            .collect();
        assert_eq!(
            needs,
            [("forms", false, None), ("style", true, Some("../style"))]
        );
    }
}
