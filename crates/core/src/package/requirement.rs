//! Parses version requirements, with suggestions for the syntax of other tools.

use semver::VersionReq;

use super::SkillName;
use crate::error::{Error, Result};

/// Words by which other tools mean the newest version.
const NEWEST: [&str; 5] = ["latest", "newest", "stable", "any", "current"];

/// Operators of other tools, and their equivalents here.
const OPERATORS: [(&str, &str); 6] = [
    ("===", "="),
    ("==", "="),
    ("=>", ">="),
    ("=<", "<="),
    ("~=", "~"),
    ("^=", "^"),
];

/// Parses a version requirement.
///
/// # Errors
/// If it is invalid; the help suggests how to write what was probably meant.
pub fn parse_requirement(text: &str) -> Result<VersionReq> {
    VersionReq::parse(text).map_err(|cause| {
        let error = Error::usage(format!(
            "invalid version requirement `{}`: {cause}",
            text.escape_debug()
        ));
        error.help(suggest_requirement(text.trim()))
    })
}

/// Suggests what to write instead.
fn suggest_requirement(text: &str) -> String {
    if text.is_empty() || NEWEST.contains(&text.to_ascii_lowercase().as_str()) {
        return "for the newest version, omit the requirement or write `*`".into();
    }

    if text.contains("||") {
        return match cover_alternatives(text) {
            Some(range) => {
                format!("`||` is not supported; a range that covers all of it is `{range}`")
            }
            None => "`||` is not supported; write one range, such as `>=1, <3`".into(),
        };
    }

    if text.contains("!=") {
        return "`!=` is not supported; write a range without that version, such as `>=1.2, <1.4`"
            .into();
    }

    if let Some(range) = hyphen_range(text).filter(|range| is_requirement(range)) {
        return format!("write the range as `{range}`");
    }

    match rewrite_requirement(text) {
        Some(fixed) => format!("write it as `{fixed}`"),
        None if text.parse::<SkillName>().is_ok() => format!(
            "for the skill `{text}` of a repository, pass `--skill {text}`; for a branch or tag, `--branch {text}` or `--tag {text}`"
        ),
        None => "write a requirement such as `^1.2`, `~1.2.3`, `=2.0.1` or `>=1, <3`; for a branch or tag, use `--branch` or \
                 `--tag`, in skillpm.toml `branch` or `tag`"
            .into(),
    }
}

fn is_requirement(text: &str) -> bool {
    VersionReq::parse(text).is_ok()
}

/// Translates the syntax of other tools: their operators, a `v` before the number, missing commas.
fn rewrite_requirement(text: &str) -> Option<String> {
    let comparators: Vec<String> = split_comparators(text)
        .iter()
        .map(|comparator| translate_comparator(comparator))
        .collect();

    let fixed = comparators.join(", ");
    (fixed != text && is_requirement(&fixed)).then_some(fixed)
}

/// The comparators of a requirement, separated by commas or whitespace.
fn split_comparators(text: &str) -> Vec<String> {
    let mut comparators: Vec<String> = Vec::new();

    for word in text.split([',', ' ', '\t']).filter(|word| !word.is_empty()) {
        // `>= 1` is one comparator.
        match comparators
            .last_mut()
            .filter(|last| last.ends_with(is_operator))
        {
            Some(operator) => operator.push_str(word),
            None => comparators.push(word.to_owned()),
        }
    }

    comparators
}

fn is_operator(c: char) -> bool {
    "<>=~^!".contains(c)
}

fn translate_comparator(comparator: &str) -> String {
    let version = comparator.trim_start_matches(is_operator);
    let operator = &comparator[..comparator.len() - version.len()];
    let version = version.strip_prefix(['v', 'V']).unwrap_or(version);

    // `~> 1.2` allows the second number to rise, as a caret does; `~> 1.2.3` the third.
    let pessimistic = if version.split('.').count() > 2 {
        "~"
    } else {
        "^"
    };

    let operator = match operator {
        "~>" => pessimistic,
        other => OPERATORS
            .iter()
            .find(|(theirs, _)| *theirs == other)
            .map_or(other, |(_, here)| here),
    };

    format!("{operator}{version}")
}

/// Translates a range `1.2 - 1.4` of npm.
fn hyphen_range(text: &str) -> Option<String> {
    let (low, high) = text.split_once(" - ")?;
    let number = |text: &str| text.trim().trim_start_matches(['v', 'V']).to_owned();
    Some(format!(">={}, <={}", number(low), number(high)))
}

/// The range from the lowest to the highest major version of alternatives; `None` if one has bounds of its own.
fn cover_alternatives(text: &str) -> Option<String> {
    // With bounds within an alternative, a single range would admit unwanted versions.
    let has_bounds = text.contains(['<', '>', ',', '=']) || text.contains(" - ");
    let majors = text
        .split("||")
        .map(major_version)
        .collect::<Option<Vec<u64>>>()
        .filter(|_| !has_bounds)?;

    let (low, high) = (majors.iter().min()?, majors.iter().max()?);
    Some(format!(">={low}, <{}", high.checked_add(1)?))
}

/// The major version of an alternative such as `^1` or `2.x`; `None` if it has other parts.
fn major_version(alternative: &str) -> Option<u64> {
    let number = alternative
        .trim()
        .trim_start_matches(is_operator)
        .trim_start_matches(['v', 'V']);
    let (major, rest) = number.split_once('.').unwrap_or((number, ""));

    let is_plain = rest
        .chars()
        .all(|c| c.is_ascii_digit() || ".xX*".contains(c));
    is_plain.then(|| major.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(text: &str) -> String {
        parse_requirement(text).unwrap_err().helps().join("; ")
    }

    #[test]
    fn each_bad_requirement_gets_its_own_help() {
        let newest = "for the newest version, omit the requirement or write `*`";
        for (text, expected) in [
            ("latest", newest),
            ("", newest),
            ("v1.2", "write it as `1.2`"),
            ("^v1", "write it as `^1`"),
            ("==1.2.3", "write it as `=1.2.3`"),
            ("~>1.2", "write it as `^1.2`"),
            ("~> 1.2.3", "write it as `~1.2.3`"),
            ("~=1.2.3", "write it as `~1.2.3`"),
            ("=>1", "write it as `>=1`"),
            (">=1 <2", "write it as `>=1, <2`"),
            (">= 1 < 2", "write it as `>=1, <2`"),
            ("1.2 - 1.4", "write the range as `>=1.2, <=1.4`"),
            (
                "1.x || 2.x",
                "`||` is not supported; a range that covers all of it is `>=1, <3`",
            ),
            (
                "^1 || ^3",
                "`||` is not supported; a range that covers all of it is `>=1, <4`",
            ),
            (
                "<1 || >=2",
                "`||` is not supported; write one range, such as `>=1, <3`",
            ),
            (
                "!=1.3.0",
                "`!=` is not supported; write a range without that version, such as `>=1.2, <1.4`",
            ),
        ] {
            assert_eq!(help(text), expected, "{text}");
        }
        assert!(help("main").contains("pass `--skill main`; for a branch or tag, `--branch main`"));
        assert!(help("1.2.3.4").starts_with("write a requirement such as"));
    }

    #[test]
    fn suggestions_are_valid_requirements() {
        for text in [
            "v1.2",
            "^v1",
            "==1",
            "~>1",
            ">=1 <2",
            "1 - 2",
            "1 || 2",
            "=v1.2.3-rc.1",
            ">v1 <=v2.3",
        ] {
            let help = help(text);
            let suggested = help.split('`').rev().nth(1).unwrap();
            assert!(VersionReq::parse(suggested).is_ok(), "{help}");
        }
    }
}
