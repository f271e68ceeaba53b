//! Gives a skill another name: one value in its frontmatter changes, every other byte stays.

use crate::error::{Error, Result};
use crate::package::SkillName;
use crate::report::{Applicability, Change, Fix, Level, Span};

use super::Frontmatter;
use super::yaml::{self, Kind, Layout, Node, Typed};

/// Replaces the `name` in the frontmatter of a `SKILL.md`, or adds one where there is none.
///
/// Quotes and comments around it stay, as do a byte order mark and the kind of line end.
///
/// # Errors
/// If the file has no frontmatter that can be read, or its name is written in a way that cannot be replaced.
pub fn rename(source: &[u8], to: &SkillName) -> Result<Vec<u8>> {
    let failed = |reason: &str| Error::usage(format!("could not rename the skill to `{to}`: {reason}"));
    let source = std::str::from_utf8(source).map_err(|_| failed("its SKILL.md is not UTF-8"))?;

    let mut diagnostics = Vec::new();
    let Some(frontmatter) = Frontmatter::open(source, &mut diagnostics) else {
        let reason = diagnostics.iter().find(|diagnostic| diagnostic.level == Level::Error);
        return Err(match reason {
            Some(reason) => failed(&reason.message).note(reason.place("SKILL.md")),
            None => failed("its frontmatter cannot be read"),
        });
    };
    match renaming(source, &frontmatter, to.as_str(), Applicability::Safe) {
        Some(fix) => Ok(fix.apply(source).into_bytes()),
        None => {
            Err(failed("its frontmatter is written in an unusual way")
                .help(format!("write `name: {to}` into it yourself")))
        }
    }
}

/// What gives a skill another name; `None` if its frontmatter is written in too unusual a way.
pub(super) fn renaming(source: &str, frontmatter: &Frontmatter, to: &str, applicability: Applicability) -> Option<Fix> {
    let changes = edits(source, frontmatter, to).into_iter().map(|(span, content)| Change::Edit { span, content });
    let fix = Fix { applicability, message: format!("name it `{to}`"), changes: changes.collect() };
    let renamed = fix.apply(source);
    let written = Frontmatter::open(&renamed, &mut Vec::new())?;
    let is_named = written.root.get("name").and_then(Node::text).map(str::trim) == Some(to);
    let again = edits(&renamed, &written, to).into_iter().map(|(span, content)| Change::Edit { span, content });
    let again = Fix { applicability, message: String::new(), changes: again.collect() };
    // An alias of the name would take the new one, too; and where the name is not all that was changed, it changes again.
    (is_named && but_name(&written) == but_name(frontmatter) && again.apply(&renamed) == renamed).then_some(fix)
}

/// All that a frontmatter says, without the name.
fn but_name(frontmatter: &Frontmatter) -> serde_json::Value {
    let mut all = frontmatter.root.to_json();
    if let Some(fields) = all.as_object_mut() {
        fields.remove("name");
    }
    all
}

/// What is to be written where, in the order of the file.
fn edits(source: &str, frontmatter: &Frontmatter, to: &str) -> Vec<(Span, String)> {
    let Some((key, value)) = frontmatter.root.entry("name") else {
        return vec![added(source, frontmatter, to)];
    };
    let again = frontmatter.duplicates.iter().filter(|duplicate| duplicate.first == key.span);
    let again = again.map(|duplicate| replaced(source, &duplicate.second, &duplicate.value, to));
    std::iter::once(replaced(source, &key.span, &value.span, to)).chain(again).collect()
}

/// Writes the name where `value` stands.
fn replaced(source: &str, key: &Span, value: &Span, to: &str) -> (Span, String) {
    let written = &source[value.clone()];
    if written.is_empty() {
        let after = &source[key.end..];
        let blanks = after.len() - after.trim_start_matches([' ', '\t']).len();
        let colon = key.end + blanks;
        return if after[blanks..].starts_with(':') {
            (colon + 1..colon + 1, format!(" {}", scalar(to)))
        } else {
            (key.end..key.end, format!(": {}", scalar(to)))
        };
    }
    for quote in ['"', '\''] {
        if written.len() > 1 && written.starts_with(quote) && written.ends_with(quote) {
            return (value.clone(), format!("{quote}{to}{quote}"));
        }
    }
    let blank = if source[..value.start].ends_with(':') { " " } else { "" };
    (value.clone(), format!("{blank}{}", scalar(to)))
}

/// Writes the name as the first entry of the mapping.
fn added(source: &str, frontmatter: &Frontmatter, to: &str) -> (Span, String) {
    let start = frontmatter.root.span.start;
    if let Kind::Mapping(_, Layout::Flow) = frontmatter.root.kind {
        return (start + 1..start + 1, format!("\"name\": \"{to}\", "));
    }
    let line = source[..start].rfind('\n').map_or(0, |at| at + 1);
    let indent = &source[line..start];
    let indent = &indent[..indent.len() - indent.trim_start_matches(' ').len()];
    let line_end = if source[frontmatter.fences.open.end..].starts_with('\r') { "\r\n" } else { "\n" };
    (line..line, format!("{indent}name: {}{line_end}", scalar(to)))
}

/// The name as YAML: in quotes where some reader would take it for something other than a text.
fn scalar(name: &str) -> String {
    let text = matches!(yaml::core_type(name), Typed::Text(_))
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !["y", "n", "yes", "no", "on", "off"].contains(&name);
    if text { name.to_owned() } else { yaml::quote(name) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::read;

    #[track_caller]
    fn renames(source: &str, to: &str, expected: &str) {
        let name: SkillName = to.parse().unwrap();
        let renamed = rename(source.as_bytes(), &name).unwrap();
        assert_eq!(std::str::from_utf8(&renamed).unwrap(), expected);
        let skill = read(&renamed, "elsewhere").skill.unwrap();
        assert_eq!((skill.name.as_str(), skill.named), (to, true));
    }

    #[test]
    fn a_name_that_other_fields_repeat_is_not_replaced() {
        let name: SkillName = "new".parse().unwrap();
        let error = rename(b"---\nname: &n old\ndescription: *n\n---\n", &name).unwrap_err();
        assert!(error.message().ends_with("its frontmatter is written in an unusual way"), "{error:?}");
        assert!(rename(b"---\nname: &n old\ndescription: d\n---\n", &name).is_ok());
    }

    #[test]
    fn only_the_name_changes_however_it_is_written() {
        for (old, new) in [
            ("name: old # ours", "name: new # ours"),
            ("name: \"old\"  # ours", "name: \"new\"  # ours"),
            ("name: 'o''ld'", "name: 'new'"),
            ("\"name\" :\told", "\"name\" :\tnew"),
            ("name: >-\n  old\n  name", "name: new"),
            ("name: |2 # why\n  old\n", "name: new\n"),
            ("name: old\n  folded", "name: new"),
            ("name: !!str old", "name: !!str new"),
            ("name: [old]", "name: new"),
            ("name: {a: b}", "name: new"),
            ("name:", "name: new"),
            ("name:  # none", "name: new  # none"),
            ("name: ~", "name: new"),
            ("name: Old: name", "name: new"),
            ("name: \"old\" name", "name: new"),
            ("name:old", "name: new"),
            ("name: old\nname: old", "name: new\nname: new"),
            ("? name\n: old", "? name\n: new"),
        ] {
            let file = |field: &str| format!("---\n# top\n{field}\ndescription: d\n---\nname: old\n");
            renames(&file(old), "new", &file(new));
            let file =
                |field: &str| format!("\u{feff}---\ndescription: dé\n{field}\n---\nname: old").replace('\n', "\r\n");
            renames(&file(old), "new", &file(new));
        }
    }

    #[test]
    fn a_name_is_added_where_there_is_none() {
        renames("---\n# top\ndescription: d\n---\n", "new", "---\n# top\nname: new\ndescription: d\n---\n");
        renames("---\r\ndescription: d\r\n---\r\n", "new", "---\r\nname: new\r\ndescription: d\r\n---\r\n");
        renames("---\n  description: d\n---\n", "new", "---\n  name: new\n  description: d\n---\n");
        renames("---\n{description: d}\n---\n", "new", "---\n{\"name\": \"new\", description: d}\n---\n");
        renames("---\n{name, description: d}\n---\n", "new", "---\n{name: new, description: d}\n---\n");
    }

    #[test]
    fn a_name_that_some_reader_takes_for_another_type_is_quoted() {
        for name in ["true", "null", "yes", "off", "n", "123", "1e3", "0x1f", "2026-01-25"] {
            renames(
                "---\nname: old\ndescription: d\n---\n",
                name,
                &format!("---\nname: \"{name}\"\ndescription: d\n---\n"),
            );
        }
    }

    #[test]
    fn what_cannot_be_renamed_says_why_and_where() {
        let name: SkillName = "new".parse().unwrap();
        let error = rename(b"---\nname: old\n", &name).unwrap_err();
        assert_eq!(error.message(), "could not rename the skill to `new`: the frontmatter has no closing `---`");
        assert_eq!(error.notes(), ["SKILL.md:1:1"]);
        let error = rename(b"---\nname: &a\ndescription: d\n---\n", &name).unwrap_err();
        assert_eq!(error.helps(), ["write `name: new` into it yourself"]);
    }
}
