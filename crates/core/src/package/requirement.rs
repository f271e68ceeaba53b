//! Version requirements as a person writes them, with what was probably meant by one that is none.

use semver::VersionReq;

use crate::error::{Error, Result};

/// Words by which other tools ask for the newest.
const NEWEST: [&str; 5] = ["latest", "newest", "stable", "any", "current"];

/// The operators that other tools have, and what is the same here.
const OPERATORS: [(&str, &str); 6] = [("===", "="), ("==", "="), ("=>", ">="), ("=<", "<="), ("~=", "~"), ("^=", "^")];

/// Reads a version requirement.
///
/// # Errors
/// If it is none; with a help that says how to write what was probably meant.
pub fn parse_requirement(text: &str) -> Result<VersionReq> {
    VersionReq::parse(text).map_err(|cause| {
        let error = Error::usage(format!("`{}` is not a version requirement: {cause}", text.escape_debug()));
        error.help(suggestion(text.trim()))
    })
}

/// What to write instead.
fn suggestion(text: &str) -> String {
    if text.is_empty() || NEWEST.contains(&text.to_ascii_lowercase().as_str()) {
        return "for the newest version, leave the requirement out or write `*`".into();
    }
    if text.contains("||") {
        return match spanned(text) {
            Some(range) => format!("`||` is not supported; one range that covers all of it is `{range}`"),
            None => "`||` is not supported; write one range, such as `>=1, <3`".into(),
        };
    }
    if text.contains("!=") {
        return "`!=` is not supported; write a range without that version, such as `>=1.2, <1.4`".into();
    }
    if let Some(range) = hyphen_range(text).filter(|range| is_requirement(range)) {
        return format!("write the range as `{range}`");
    }
    match rewritten(text) {
        Some(fixed) => format!("write it as `{fixed}`"),
        None => "a requirement looks like `^1.2`, `~1.2.3`, `=2.0.1` or `>=1, <3`; a branch or a tag is asked for by `--branch` \
                 or `--tag`, in skillpm.toml by `branch` or `tag`"
            .into(),
    }
}

fn is_requirement(text: &str) -> bool {
    VersionReq::parse(text).is_ok()
}

/// The same in what is understood here: operators of other tools, a `v` before the number, commas left out.
fn rewritten(text: &str) -> Option<String> {
    let comparators: Vec<String> = separated(text).iter().map(|comparator| comparator_here(comparator)).collect();
    let fixed = comparators.join(", ");
    (fixed != text && is_requirement(&fixed)).then_some(fixed)
}

/// The comparators of a requirement, whether commas are between them or blanks.
fn separated(text: &str) -> Vec<String> {
    let mut comparators: Vec<String> = Vec::new();
    for word in text.split([',', ' ', '\t']).filter(|word| !word.is_empty()) {
        // `>= 1` is one comparator.
        match comparators.last_mut().filter(|last| last.ends_with(is_operator)) {
            Some(operator) => operator.push_str(word),
            None => comparators.push(word.to_owned()),
        }
    }
    comparators
}

fn is_operator(c: char) -> bool {
    "<>=~^!".contains(c)
}

fn comparator_here(comparator: &str) -> String {
    let version = comparator.trim_start_matches(is_operator);
    let operator = &comparator[..comparator.len() - version.len()];
    let version = version.strip_prefix(['v', 'V']).unwrap_or(version);
    // Of two parts, `~>` lets the second rise, as a caret does; of three, the third.
    let pessimistic = if version.split('.').count() > 2 { "~" } else { "^" };
    let operator = match operator {
        "~>" => pessimistic,
        other => OPERATORS.iter().find(|(theirs, _)| *theirs == other).map_or(other, |(_, here)| here),
    };
    format!("{operator}{version}")
}

/// `1.2 - 1.4` as npm has it.
fn hyphen_range(text: &str) -> Option<String> {
    let (low, high) = text.split_once(" - ")?;
    let number = |text: &str| text.trim().trim_start_matches(['v', 'V']).to_owned();
    Some(format!(">={}, <={}", number(low), number(high)))
}

/// The range from the lowest to the highest major version of alternatives that name nothing else.
fn spanned(text: &str) -> Option<String> {
    let major = |alternative: &str| -> Option<u64> {
        let number = alternative.trim().trim_start_matches(is_operator).trim_start_matches(['v', 'V']);
        let (major, rest) = number.split_once('.').unwrap_or((number, ""));
        let is_plain = rest.chars().all(|c| c.is_ascii_digit() || ".xX*".contains(c));
        is_plain.then(|| major.parse().ok()).flatten()
    };
    let has_bounds = text.contains(['<', '>', ',', '=']) || text.contains(" - ");
    let majors = text.split("||").map(major).collect::<Option<Vec<u64>>>().filter(|_| !has_bounds)?;
    let (low, high) = (majors.iter().min()?, majors.iter().max()?);
    Some(format!(">={low}, <{}", high.checked_add(1)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(text: &str) -> String {
        parse_requirement(text).unwrap_err().helps().join("; ")
    }

    #[test]
    fn each_bad_requirement_gets_its_own_help() {
        let newest = "for the newest version, leave the requirement out or write `*`";
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
            ("1.x || 2.x", "`||` is not supported; one range that covers all of it is `>=1, <3`"),
            ("^1 || ^3", "`||` is not supported; one range that covers all of it is `>=1, <4`"),
            ("<1 || >=2", "`||` is not supported; write one range, such as `>=1, <3`"),
            ("!=1.3.0", "`!=` is not supported; write a range without that version, such as `>=1.2, <1.4`"),
        ] {
            assert_eq!(help(text), expected, "{text}");
        }
        assert!(help("main").contains("`--branch`"));
        assert!(help("1.2.3.4").starts_with("a requirement looks like"));
    }

    #[test]
    fn what_is_suggested_is_a_requirement() {
        for text in ["v1.2", "^v1", "==1", "~>1", ">=1 <2", "1 - 2", "1 || 2", "=v1.2.3-rc.1", ">v1 <=v2.3"] {
            let help = help(text);
            let suggested = help.split('`').rev().nth(1).unwrap();
            assert!(VersionReq::parse(suggested).is_ok(), "{help}");
        }
    }
}
