//! Names of skills and packages, validated when they are parsed.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Longest name of a skill, in bytes (all of them ASCII).
///
/// See <https://agentskills.io/specification#name-field>.
const NAME_MAX: usize = 64;

/// A skill's name by the specification: 1 to 64 of `a-z`, `0-9` and `-`, with no hyphen at an end and no
/// two in a row. Windows' device names are refused as well, so it is safe as a directory name on every file
/// system.
///
/// As an install name ([`SkillName::parse_install_name`]) it may have underscores in the place of hyphens: a skill of Nova
/// is identified by its directory, such as `employee_onboarding`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SkillName(String);

impl SkillName {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Parses a name that a skill may be installed under.
    ///
    /// # Errors
    /// If it is not valid with hyphens for its underscores.
    pub fn parse_install_name(text: &str) -> Result<Self> {
        // The same rules otherwise, so that it is as safe as a directory's name.
        if text.contains('_') && find_name_fault(&text.replace('_', "-")).is_none() {
            return Ok(SkillName(text.to_owned()));
        }
        text.parse()
    }

    /// The name with hyphens for its underscores, as the specification allows it.
    #[must_use]
    pub fn to_specified(&self) -> SkillName {
        SkillName(self.0.replace('_', "-"))
    }

    /// Whether the specification allows it; else it is an install name of a skill of Nova.
    #[must_use]
    pub fn is_specified(&self) -> bool {
        !self.0.contains('_')
    }
}

impl FromStr for SkillName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match find_name_fault(text) {
            None => Ok(SkillName(text.to_owned())),
            Some(fault) => {
                let error = Error::usage(format!(
                    "invalid skill name `{}`: {fault}",
                    text.escape_debug()
                ));
                Err(match suggest_name(text) {
                    Some(name) => error.help(format!("a similar valid name is `{name}`")),
                    None => error.help("a name is 1 to 64 characters of a-z and 0-9 with single hyphens between them, such as `pdf-forms`"),
                })
            }
        }
    }
}

/// Why `text` is not a valid name; `None` if it is one.
fn find_name_fault(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("it is empty".into());
    }
    if let Some(bad) = text
        .chars()
        .find(|c| !matches!(c, 'a'..='z' | '0'..='9' | '-'))
    {
        return Some(format!("it contains `{}`", bad.escape_debug()));
    }
    if text.len() > NAME_MAX {
        return Some(format!(
            "it has {} characters; the limit is {NAME_MAX}",
            text.len()
        ));
    }
    if text.starts_with('-') || text.ends_with('-') {
        return Some("it begins or ends with a hyphen".into());
    }
    if text.contains("--") {
        return Some("it contains two hyphens in a row".into());
    }
    // A directory of that name cannot be created on Windows.
    if super::rel_path::is_windows_device(text) {
        return Some("it is a reserved device name on Windows".into());
    }
    None
}

/// A similar valid name; `None` if there is no plausible one.
fn suggest_name(text: &str) -> Option<SkillName> {
    // The text is a path and not a misspelled name.
    if text.contains(['/', '\\']) || text.contains("..") {
        return None;
    }

    let mut name = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            'a'..='z' | '0'..='9' => name.push(c),
            // Any run of other characters becomes one hyphen.
            _ if name.is_empty() || name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }

    let name: String = name.trim_end_matches('-').chars().take(NAME_MAX).collect();
    // The cut may have left a hyphen at the end.
    let name = name.trim_end_matches('-');
    find_name_fault(name)
        .is_none()
        .then(|| SkillName(name.to_owned()))
}

impl fmt::Display for SkillName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Reads an install name: those are what manifests, lockfiles and states have besides names of packages.
impl TryFrom<String> for SkillName {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        SkillName::parse_install_name(&text)
    }
}

impl From<SkillName> for String {
    fn from(name: SkillName) -> String {
        name.0
    }
}

/// A package's name in a registry: `[scope/]name`. The last part is the skill's name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PackageName {
    scope: Option<SkillName>,
    skill: SkillName,
}

impl PackageName {
    /// The part before the slash; `None` for an unscoped name.
    #[must_use]
    pub fn scope(&self) -> Option<&SkillName> {
        self.scope.as_ref()
    }

    /// The part that names the skill.
    #[must_use]
    pub fn skill(&self) -> &SkillName {
        &self.skill
    }

    /// Parses the key of a dependency, whose last part is the name that the skill is installed under.
    ///
    /// # Errors
    /// If one of its parts is invalid.
    pub fn parse_key(text: &str) -> Result<Self> {
        let (scope, skill) = match text.split_once('/') {
            Some((scope, skill)) => (Some(scope.parse()?), skill),
            None => (None, text),
        };
        Ok(PackageName {
            scope,
            skill: SkillName::parse_install_name(skill)?,
        })
    }

    /// The name with hyphens for its underscores: that of a package of which this is the key.
    #[must_use]
    pub fn to_specified(&self) -> PackageName {
        PackageName {
            scope: self.scope.clone(),
            skill: self.skill.to_specified(),
        }
    }
}

/// Ordered as its text is.
impl Ord for PackageName {
    fn cmp(&self, other: &Self) -> Ordering {
        // Without allocating the text: the slash after a scope takes part.
        fn text(name: &PackageName) -> impl Iterator<Item = u8> {
            let scope = name
                .scope
                .iter()
                .flat_map(|scope| scope.0.bytes().chain([b'/']));
            scope.chain(name.skill.0.bytes())
        }

        // The resolver compares names so often that byte by byte it was two thirds of `lock`.
        if self.scope == other.scope {
            return self.skill.0.cmp(&other.skill.0);
        }
        text(self).cmp(text(other))
    }
}

impl PartialOrd for PackageName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<SkillName> for PackageName {
    fn from(skill: SkillName) -> Self {
        PackageName { scope: None, skill }
    }
}

impl FromStr for PackageName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.split_once('/') {
            None => Ok(PackageName {
                scope: None,
                skill: text.parse()?,
            }),
            Some((scope, skill)) => Ok(PackageName {
                scope: Some(scope.parse()?),
                skill: skill.parse()?,
            }),
        }
    }
}

impl fmt::Display for PackageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.scope {
            Some(scope) => write!(f, "{scope}/{}", self.skill),
            None => write!(f, "{}", self.skill),
        }
    }
}

impl TryFrom<String> for PackageName {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<PackageName> for String {
    fn from(name: PackageName) -> String {
        name.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_by_the_specification_are_accepted() {
        for good in ["a", "pdf", "pdf-forms", "0x1", &"a".repeat(64)] {
            assert_eq!(good.parse::<SkillName>().unwrap().as_str(), good);
        }
    }

    #[test]
    fn invalid_names_are_refused_with_the_reason() {
        for (bad, fault) in [
            ("", "it is empty"),
            ("Pdf", "it contains `P`"),
            ("a_b", "it contains `_`"),
            ("../evil", "it contains `.`"),
            ("-a", "it begins or ends with a hyphen"),
            ("a-", "it begins or ends with a hyphen"),
            ("a--b", "it contains two hyphens in a row"),
            ("con", "it is a reserved device name on Windows"),
            ("d\u{e9}mo", "it contains `é`"),
            ("a\u{1b}[31m", "it contains `\\u{1b}`"),
        ] {
            let error = bad.parse::<SkillName>().unwrap_err();
            assert!(
                error.message().ends_with(fault),
                "{}: {}",
                bad.escape_debug(),
                error.message()
            );
        }
        assert!("a".repeat(65).parse::<SkillName>().is_err());
    }

    #[test]
    fn install_names_may_have_underscores_for_hyphens() {
        let name = SkillName::parse_install_name("employee_onboarding").unwrap();
        assert!(!name.is_specified());
        assert_eq!(name.to_specified().as_str(), "employee-onboarding");
        assert_eq!(
            PackageName::parse_key("a/b_c").unwrap().to_string(),
            "a/b_c"
        );
        for bad in [
            "_a",
            "a_",
            "a__b",
            "a_-b",
            "__pycache__",
            "_",
            "A_b",
            "a_/b",
        ] {
            assert!(SkillName::parse_install_name(bad).is_err(), "{bad}");
        }
        assert!(PackageName::parse_key("a_b/c").is_err());
    }

    #[test]
    fn similar_name_is_suggested_but_never_for_a_path() {
        assert_eq!(
            "My_Skill".parse::<SkillName>().unwrap_err().helps(),
            ["a similar valid name is `my-skill`"]
        );
        assert!(
            !"../../evil".parse::<SkillName>().unwrap_err().helps()[0]
                .contains("a similar valid name")
        );
    }

    #[test]
    fn a_package_name_has_at_most_one_scope() {
        let name: PackageName = "acme/pdf".parse().unwrap();
        assert_eq!(
            (name.scope().unwrap().as_str(), name.skill().as_str()),
            ("acme", "pdf")
        );
        assert!("a/b/c".parse::<PackageName>().is_err());
        assert!("/b".parse::<PackageName>().is_err());
    }
}
