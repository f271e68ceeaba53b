//! Renames a skill: one value in its frontmatter changes, every other byte stays.

use crate::error::{Error, Result};
use crate::package::SkillName;
use crate::report::{DiagnosticFix, DiagnosticLevel, FixApplicability, FixChange, Span};

use super::SkillFrontmatter;
use super::yaml::{self, TypedScalar, YamlLayout, YamlNode, YamlNodeKind};

/// Replaces the `name` in the frontmatter of a `SKILL.md`, or adds one where there is none.
///
/// Quotes and comments around it stay, as do a byte order mark and the kind of line end.
///
/// # Errors
/// If the frontmatter is missing or invalid, or its name is written in a way that cannot be replaced.
pub fn rename_skill(source: &[u8], to: &SkillName) -> Result<Vec<u8>> {
    let failed =
        |reason: &str| Error::usage(format!("failed to rename the skill to `{to}`: {reason}"));
    let source = std::str::from_utf8(source).map_err(|_| failed("its SKILL.md is not UTF-8"))?;

    let mut diagnostics = Vec::new();
    let Some(frontmatter) = SkillFrontmatter::open(source, &mut diagnostics) else {
        let reason = diagnostics
            .iter()
            .find(|diagnostic| diagnostic.level == DiagnosticLevel::Error);
        return Err(match reason {
            Some(reason) => failed(&reason.message).note(reason.location("SKILL.md")),
            None => failed("its frontmatter is invalid"),
        });
    };

    match rename_fix(source, &frontmatter, to.as_str(), FixApplicability::Safe) {
        Some(fix) => Ok(fix.apply(source).into_bytes()),
        None => Err(failed("unsupported syntax in its frontmatter")
            .help(format!("write `name: {to}` into it yourself"))),
    }
}

/// Renames a skill as [`rename_skill`] does; a name that is none for an installed skill, such as `Brainstorming Ideas`,
/// stays as `display-name` in its `metadata`, where the file can take it.
///
/// # Errors
/// As for [`rename_skill`].
pub fn rename_for_install(source: &[u8], to: &SkillName) -> Result<Vec<u8>> {
    let renamed = rename_skill(source, to)?;
    let Some(display_name) = read_display_name(source) else {
        return Ok(renamed);
    };
    let text = std::str::from_utf8(&renamed).expect("a renamed file is UTF-8");
    Ok(add_display_name(text, &display_name).map_or(renamed, String::into_bytes))
}

/// The name for people in a `SKILL.md`: its `name`, if no skill can be installed under that.
fn read_display_name(source: &[u8]) -> Option<String> {
    let source = std::str::from_utf8(source).ok()?;
    let frontmatter = SkillFrontmatter::open(source, &mut Vec::new())?;
    let name = frontmatter.root.get("name")?.text()?.trim();
    // A control character is no part of a name, and would show as something else.
    let is_text = !name.is_empty() && !name.chars().any(char::is_control);
    (is_text && SkillName::parse_install_name(name).is_err()).then(|| name.to_owned())
}

/// `source` with a `display-name` in its `metadata`; `None` if it has one, or is written in an unsupported way.
fn add_display_name(source: &str, display_name: &str) -> Option<String> {
    let frontmatter = SkillFrontmatter::open(source, &mut Vec::new())?;
    if let YamlNodeKind::Mapping(_, YamlLayout::Flow) = frontmatter.root.kind {
        return None;
    }

    let line_end = if source[frontmatter.fences.open.end..].starts_with('\r') {
        "\r\n"
    } else {
        "\n"
    };
    let entry = format!("display-name: {}{line_end}", yaml::quote(display_name));
    let (start, added) = match frontmatter.root.entry("metadata") {
        // Before the first entry of the mapping, with its indentation.
        Some((_, metadata)) => {
            let start = metadata.span.start;
            let indent = indent_before(source, start)?;
            (start, format!("{entry}{indent}"))
        }
        None => {
            let (key, _) = frontmatter.root.entry("name")?;
            let indent = indent_before(source, key.span.start)?;
            let added = format!("{indent}metadata:{line_end}{indent}  {entry}");
            (frontmatter.fences.yaml.end, added)
        }
    };

    let (before, after) = source.split_at(start);
    let named = format!("{before}{added}{after}");
    let written = SkillFrontmatter::open(&named, &mut Vec::new())?;
    let mut expected = frontmatter.root.to_json();
    let metadata = expected
        .as_object_mut()?
        .entry("metadata")
        .or_insert_with(|| serde_json::json!({}))
        .as_object_mut()?;
    if metadata.contains_key("display-name") {
        return None;
    }

    // Read back: in unusual YAML the lines may be part of something else.
    metadata.insert("display-name".to_owned(), display_name.into());
    (written.root.to_json() == expected).then_some(named)
}

/// The spaces before a byte on its line; `None` if there is anything else.
fn indent_before(source: &str, at: usize) -> Option<&str> {
    let line = source[..at].rfind('\n').map_or(0, |end| end + 1);
    let indent = &source[line..at];
    indent.chars().all(|c| c == ' ').then_some(indent)
}

/// The fix that renames a skill; `None` if its frontmatter is written in an unsupported way.
pub(super) fn rename_fix(
    source: &str,
    frontmatter: &SkillFrontmatter,
    to: &str,
    applicability: FixApplicability,
) -> Option<DiagnosticFix> {
    let changes = name_edits(source, frontmatter, to)
        .into_iter()
        .map(|(span, content)| FixChange::Edit { span, content });
    let fix = DiagnosticFix {
        applicability,
        message: format!("name it `{to}`"),
        changes: changes.collect(),
    };

    // The result is read back: in unusual YAML the edit may change more, or something else.
    let renamed = fix.apply(source);
    let written = SkillFrontmatter::open(&renamed, &mut Vec::new())?;
    let is_named = written
        .root
        .get("name")
        .and_then(YamlNode::text)
        .map(str::trim)
        == Some(to);
    let again = name_edits(&renamed, &written, to)
        .into_iter()
        .map(|(span, content)| FixChange::Edit { span, content });
    let again = DiagnosticFix {
        applicability,
        message: String::new(),
        changes: again.collect(),
    };

    // An alias of the name would take the new one, too; and an edit that changed more than the name would apply again.
    (is_named
        && json_without_name(&written) == json_without_name(frontmatter)
        && again.apply(&renamed) == renamed)
        .then_some(fix)
}

/// The whole frontmatter as JSON, without the name.
fn json_without_name(frontmatter: &SkillFrontmatter) -> serde_json::Value {
    let mut all = frontmatter.root.to_json();
    if let Some(fields) = all.as_object_mut() {
        fields.remove("name");
    }
    all
}

/// The edits that set the name, in the order of the file.
fn name_edits(source: &str, frontmatter: &SkillFrontmatter, to: &str) -> Vec<(Span, String)> {
    let Some((key, value)) = frontmatter.root.entry("name") else {
        return vec![insert_name(source, frontmatter, to)];
    };

    // Some agents take the last of two names, so each of them changes.
    let again = frontmatter
        .duplicates
        .iter()
        .filter(|duplicate| duplicate.first == key.span);
    let again =
        again.map(|duplicate| replace_name(source, &duplicate.second, &duplicate.value, to));

    std::iter::once(replace_name(source, &key.span, &value.span, to))
        .chain(again)
        .collect()
}

/// The edit that writes the name in place of `value`.
fn replace_name(source: &str, key: &Span, value: &Span, to: &str) -> (Span, String) {
    let written = &source[value.clone()];

    if written.is_empty() {
        // `name:` without a value: the text goes after the colon, which may be missing as well.
        let after = &source[key.end..];
        let spaces = after.len() - after.trim_start_matches([' ', '\t']).len();
        let colon = key.end + spaces;
        return if after[spaces..].starts_with(':') {
            (colon + 1..colon + 1, format!(" {}", yaml_scalar(to)))
        } else {
            (key.end..key.end, format!(": {}", yaml_scalar(to)))
        };
    }

    for quote in ['"', '\''] {
        if written.len() > 1 && written.starts_with(quote) && written.ends_with(quote) {
            return (value.clone(), format!("{quote}{to}{quote}"));
        }
    }

    let space = if source[..value.start].ends_with(':') {
        " "
    } else {
        ""
    };
    (value.clone(), format!("{space}{}", yaml_scalar(to)))
}

/// The edit that writes the name as the first entry of the mapping.
fn insert_name(source: &str, frontmatter: &SkillFrontmatter, to: &str) -> (Span, String) {
    let start = frontmatter.root.span.start;
    // Any position will do in a mapping with brackets, and quotes are valid in JSON as well.
    if let YamlNodeKind::Mapping(_, YamlLayout::Flow) = frontmatter.root.kind {
        return (start + 1..start + 1, format!("\"name\": \"{to}\", "));
    }

    let line = source[..start].rfind('\n').map_or(0, |at| at + 1);
    let indent = &source[line..start];
    let indent = &indent[..indent.len() - indent.trim_start_matches(' ').len()];

    let line_end = if source[frontmatter.fences.open.end..].starts_with('\r') {
        "\r\n"
    } else {
        "\n"
    };

    (
        line..line,
        format!("{indent}name: {}{line_end}", yaml_scalar(to)),
    )
}

/// The name as YAML: in quotes where some reader would not take it for a string.
fn yaml_scalar(name: &str) -> String {
    // Readers of YAML 1.1 take `no` for a boolean and `2026-01-01` for a date.
    let text = matches!(yaml::core_type(name), TypedScalar::Text(_))
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !["y", "n", "yes", "no", "on", "off"].contains(&name);

    if text {
        name.to_owned()
    } else {
        yaml::quote(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::read;

    #[track_caller]
    fn renames(source: &str, to: &str, expected: &str) {
        let name: SkillName = to.parse().unwrap();
        let renamed = rename_skill(source.as_bytes(), &name).unwrap();
        assert_eq!(std::str::from_utf8(&renamed).unwrap(), expected);
        let skill = read(&renamed, "elsewhere").skill.unwrap();
        assert_eq!((skill.name.as_str(), skill.named), (to, true));
    }

    #[test]
    fn a_name_for_people_becomes_the_display_name() {
        let install = |source: &str| {
            let name: SkillName = "new".parse().unwrap();
            let renamed = rename_for_install(source.as_bytes(), &name).unwrap();
            String::from_utf8(renamed).unwrap()
        };
        for (source, expected) in [
            (
                "---\nname: Old Ideas\ndescription: d\n---\n",
                "---\nname: new\ndescription: d\nmetadata:\n  display-name: \"Old Ideas\"\n---\n",
            ),
            (
                "---\r\nname: Old\r\ndescription: d\r\nmetadata:\r\n    a: b\r\n---\r\n",
                "---\r\nname: new\r\ndescription: d\r\nmetadata:\r\n    display-name: \"Old\"\r\n    a: b\r\n---\r\n",
            ),
            // Nothing is added where a skill could have the name, or the file has no room for it.
            (
                "---\nname: old\ndescription: d\n---\n",
                "---\nname: new\ndescription: d\n---\n",
            ),
            (
                "---\nname: Old\nmetadata: {a: b}\n---\n",
                "---\nname: new\nmetadata: {a: b}\n---\n",
            ),
            (
                "---\n{name: Old, description: d}\n---\n",
                "---\n{name: new, description: d}\n---\n",
            ),
        ] {
            assert_eq!(install(source), expected);
        }
        let source = "---\nname: Old\nmetadata:\n  display-name: Mine\n---\n";
        assert_eq!(install(source), source.replace("Old", "new"));
        let skill = read(
            install("---\nname: Old Ideas\ndescription: d\n---\n").as_bytes(),
            "x",
        );
        assert_eq!(
            skill.skill.unwrap().display_name.as_deref(),
            Some("Old Ideas")
        );
    }

    #[test]
    fn a_name_that_other_fields_repeat_is_not_replaced() {
        let name: SkillName = "new".parse().unwrap();
        let error = rename_skill(b"---\nname: &n old\ndescription: *n\n---\n", &name).unwrap_err();
        assert!(
            error
                .message()
                .ends_with("unsupported syntax in its frontmatter"),
            "{error:?}"
        );
        assert!(rename_skill(b"---\nname: &n old\ndescription: d\n---\n", &name).is_ok());
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
            let file =
                |field: &str| format!("---\n# top\n{field}\ndescription: d\n---\nname: old\n");
            renames(&file(old), "new", &file(new));
            let file = |field: &str| {
                format!("\u{feff}---\ndescription: dé\n{field}\n---\nname: old")
                    .replace('\n', "\r\n")
            };
            renames(&file(old), "new", &file(new));
        }
    }

    #[test]
    fn a_name_is_added_where_there_is_none() {
        renames(
            "---\n# top\ndescription: d\n---\n",
            "new",
            "---\n# top\nname: new\ndescription: d\n---\n",
        );
        renames(
            "---\r\ndescription: d\r\n---\r\n",
            "new",
            "---\r\nname: new\r\ndescription: d\r\n---\r\n",
        );
        renames(
            "---\n  description: d\n---\n",
            "new",
            "---\n  name: new\n  description: d\n---\n",
        );
        renames(
            "---\n{description: d}\n---\n",
            "new",
            "---\n{\"name\": \"new\", description: d}\n---\n",
        );
        renames(
            "---\n{name, description: d}\n---\n",
            "new",
            "---\n{name: new, description: d}\n---\n",
        );
    }

    #[test]
    fn a_name_that_some_reader_takes_for_another_type_is_quoted() {
        for name in [
            "true",
            "null",
            "yes",
            "off",
            "n",
            "123",
            "1e3",
            "0x1f",
            "2026-01-25",
        ] {
            renames(
                "---\nname: old\ndescription: d\n---\n",
                name,
                &format!("---\nname: \"{name}\"\ndescription: d\n---\n"),
            );
        }
    }

    #[test]
    fn failed_rename_reports_its_reason_and_location() {
        let name: SkillName = "new".parse().unwrap();
        let error = rename_skill(b"---\nname: old\n", &name).unwrap_err();
        assert_eq!(
            error.message(),
            "failed to rename the skill to `new`: the frontmatter has no closing `---`"
        );
        assert_eq!(error.notes(), ["SKILL.md:1:1"]);
        let error = rename_skill(b"---\nname: &a\ndescription: d\n---\n", &name).unwrap_err();
        assert_eq!(error.helps(), ["write `name: new` into it yourself"]);
    }
}
