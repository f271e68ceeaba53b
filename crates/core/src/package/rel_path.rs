//! A relative path inside a package, which cannot leave it.

use std::borrow::Borrow;
use std::fmt;
use std::path::{MAIN_SEPARATOR, MAIN_SEPARATOR_STR, Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::error::{Error, Result};

/// Maximum length of a path, in bytes. The longest of 2,958 published skills has 85 (`shared/SECURITY.md` §2.3).
const PATH_MAX: usize = 512;
/// Maximum length of a path component, in bytes, which every common file system supports.
const PART_MAX: usize = 255;

/// A relative path with `/` between its parts that means the same on every file system and cannot leave the
/// directory it is joined to: no `.` or `..`, nothing absolute, NFC, no control or invisible characters, no `\` or
/// `:`, no name that Windows reserves, no trailing dot or space, and no directory of git or skillpm itself.
///
/// Ordered by its bytes, which is the order of the tree checksum.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RelPath(String);

impl RelPath {
    /// Maximum number of components. The deepest of 2,958 published skills has 6, the adversarial test data 62.
    pub const DEPTH_MAX: usize = 64;

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its components, outermost first; never empty.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// The last component.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&self.0, |(_, last)| last)
    }

    /// The path of its directory; `None` at the top level.
    #[must_use]
    pub fn parent(&self) -> Option<RelPath> {
        self.0
            .rsplit_once('/')
            .map(|(parent, _)| RelPath(parent.to_owned()))
    }

    /// The directories above it, outermost first, and then itself.
    pub fn with_ancestors(&self) -> impl Iterator<Item = RelPath> {
        let ends = self
            .0
            .match_indices('/')
            .map(|(at, _)| at)
            .chain([self.0.len()]);

        ends.map(|end| RelPath(self.0[..end].to_owned()))
    }

    /// `self/child`.
    ///
    /// # Errors
    /// If the joined path is too long or too deep.
    pub fn join(&self, child: &str) -> Result<RelPath> {
        format!("{self}/{child}").parse()
    }

    /// The rest after `ancestor/`; `None` if the path is not below it.
    #[must_use]
    pub fn strip_prefix(&self, ancestor: &RelPath) -> Option<RelPath> {
        let rest = self.0.strip_prefix(&ancestor.0)?.strip_prefix('/')?;
        Some(RelPath(rest.to_owned()))
    }

    /// The path with the separators of this operating system, still relative.
    #[must_use]
    pub fn to_path(&self) -> PathBuf {
        self.parts().collect()
    }

    /// A key that is equal for two paths that would be one file on a file system that folds case or normalizes Unicode.
    #[must_use]
    pub fn folded(&self) -> String {
        if self.0.is_ascii() {
            return self.0.to_ascii_lowercase();
        }

        // Lower, upper and lower again approximates full case folding: `ẞ` and `ß` meet `ss`, and the ligature `ﬁ` meets `fi`.
        let lower = self.0.nfkc().flat_map(char::to_lowercase);
        lower
            .flat_map(char::to_uppercase)
            .flat_map(char::to_lowercase)
            .nfkc()
            .collect()
    }
}

/// Joins a path that is written with `/`, as in a manifest or in a table of agents, with the separators of this operating
/// system.
#[must_use]
pub fn join_slashed(base: &Path, below: &str) -> PathBuf {
    base.join(below.replace('/', MAIN_SEPARATOR_STR))
}

/// A path as it is written in patches, manifests and lockfiles: with `/` between its parts. Bytes that are no UTF-8 are
/// replaced.
#[must_use]
pub fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace(MAIN_SEPARATOR, "/")
}

/// Equal, ordered and hashed as its text.
impl Borrow<str> for RelPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl FromStr for RelPath {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match find_path_fault(text) {
            None => Ok(RelPath(text.to_owned())),
            Some(fault) => {
                let shown: String = text.chars().take(PATH_MAX).collect();
                Err(Error::integrity(format!(
                    "invalid path `{}`: {fault}",
                    shown.escape_debug()
                )))
            }
        }
    }
}

/// Why `text` is not a valid path; `None` if it is one.
fn find_path_fault(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("it is empty".into());
    }
    if text.len() > PATH_MAX {
        return Some(format!(
            "it has {} bytes; the limit is {PATH_MAX}",
            text.len()
        ));
    }
    if let Some(bad) = text.chars().find(|&c| is_forbidden(c)) {
        return Some(format!("it contains `{}`", bad.escape_unicode()));
    }

    // Two normal forms of one name look the same, and are one file on macOS.
    if !is_nfc(text) {
        return Some("it is not in Unicode normal form C".into());
    }

    let mut depth = 0;
    for part in text.split('/') {
        depth += 1;
        if let Some(fault) = find_part_fault(part) {
            return Some(fault.into());
        }
    }

    let most = RelPath::DEPTH_MAX;
    (depth > most).then(|| format!("it is {depth} levels deep; the limit is {most}"))
}

fn find_part_fault(part: &str) -> Option<&'static str> {
    match part {
        "" => return Some("it has an empty component"),
        "." | ".." => return Some("it contains `.` or `..`"),
        _ if part.len() > PART_MAX => return Some("it has a component of more than 255 bytes"),
        _ => {}
    }

    // Windows strips them, so the path would be that of another file.
    if part.ends_with(['.', ' ']) || part.starts_with(' ') {
        return Some("it has a component that begins or ends with a space, or ends with a dot");
    }

    if is_windows_device(part) {
        return Some("it has a component that is a reserved device name on Windows");
    }

    // Also in upper case and as the 8.3 short name, which both once gave access to git's own directory (CVE-2014-9390).
    let lower = part.to_ascii_lowercase();
    if lower == ".git" || lower == "git~1" {
        return Some("it has a component that is git's own directory");
    }
    if lower == ".skillpm" || lower.starts_with(".skillpm-stage") {
        return Some("it has a component that is skillpm's own directory");
    }

    None
}

/// Whether a character is not allowed in a path: separators of other systems, wildcards that Windows forbids, controls, and
/// all invisible characters (zero-width, direction, tags, fillers, private use, non-characters).
fn is_forbidden(c: char) -> bool {
    matches!(c,
        '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '\0'..='\x1f' | '\x7f'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffd}' | '\u{e000}'..='\u{f8ff}'
        | '\u{e0000}'..='\u{10ffff}')
}

/// Whether Windows would open a device for this name (`con`, `nul.txt`, `com1`, …).
#[must_use]
pub fn is_windows_device(part: &str) -> bool {
    // `nul.txt` and `con .md` are devices as well.
    let stem = part
        .split('.')
        .next()
        .unwrap_or(part)
        .trim_end()
        .to_ascii_lowercase();

    match stem.as_str() {
        "con" | "prn" | "aux" | "nul" | "conin$" | "conout$" => true,
        _ => {
            let Some(number) = stem
                .strip_prefix("com")
                .or_else(|| stem.strip_prefix("lpt"))
            else {
                return false;
            };

            // Windows treats the superscripts as digits.
            matches!(
                number,
                "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³"
            )
        }
    }
}

/// Resolves `path` from the directory `dir`, both relative to one root and separated by `/`. The result has no `.`, `..`
/// or double `/`, and is `""` for the root itself; `None` if the path leaves the root on the way.
#[must_use]
pub fn resolve_under(dir: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = dir.split('/').filter(|part| !part.is_empty()).collect();

    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                // `None` at the root: the path leaves it.
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }

    Some(parts.join("/"))
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for RelPath {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<RelPath> for String {
    fn from(path: RelPath) -> String {
        path.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_is_resolved_below_its_root_and_not_out_of_it() {
        for (dir, path, expected) in [
            ("skills/pdf", "../style", Some("skills/style")),
            ("skills/pdf", "../..", Some("")),
            ("skills//pdf", "./a//b/.", Some("skills/pdf/a/b")),
            ("", "a/../b", Some("b")),
            ("skills/pdf", "../../../etc", None),
            ("", "a/../../a", None),
        ] {
            assert_eq!(
                resolve_under(dir, path).as_deref(),
                expected,
                "{dir} {path}"
            );
        }
    }

    #[test]
    fn ordinary_paths_are_accepted() {
        for good in [
            "SKILL.md",
            "scripts/run.sh",
            "a/.env.example",
            "Größe/日本語.md",
            ".gitignore",
            "con-text.md",
        ] {
            assert_eq!(good.parse::<RelPath>().unwrap().as_str(), good);
        }
    }

    #[test]
    fn escaping_and_ambiguous_paths_are_refused() {
        for bad in [
            "",
            "/etc/passwd",
            "../x",
            "a/../b",
            "./a",
            "a//b",
            "a/",
            "a\\b",
            "C:/x",
            "a:b",
            "a\0b",
            "a\nb",
            "nul",
            "NUL.txt",
            "com1",
            "a/aux.md",
            "a.",
            "a ",
            " a",
            ".git",
            ".GIT/config",
            "a/git~1",
            ".g\u{200c}it",
            "e\u{301}",
            "a\u{202e}b",
            ".skillpm/state.json",
        ] {
            assert!(bad.parse::<RelPath>().is_err(), "{}", bad.escape_debug());
        }
        assert!(vec!["d"; 65].join("/").parse::<RelPath>().is_err());
        assert!("x".repeat(256).parse::<RelPath>().is_err());
        assert!(
            vec!["x".repeat(200); 3]
                .join("/")
                .parse::<RelPath>()
                .is_err()
        );
    }

    #[test]
    fn folded_paths_are_equal_where_a_file_system_merges_them() {
        let folded = |text: &str| text.parse::<RelPath>().unwrap().folded();
        assert_eq!(folded("README.md"), folded("readme.MD"));
        assert_eq!(folded("stra\u{df}e"), folded("STRASSE"));
        assert_eq!(folded("STRA\u{1e9e}E"), folded("stra\u{df}e"));
        assert_eq!(folded("\u{fb01}le"), folded("file"));
        assert_ne!(folded("a"), folded("b"));
    }

    #[test]
    fn strip_prefix_takes_whole_components_only() {
        let path: RelPath = "skills/pdf/SKILL.md".parse().unwrap();
        assert_eq!(
            path.strip_prefix(&"skills/pdf".parse().unwrap())
                .unwrap()
                .as_str(),
            "SKILL.md"
        );
        assert_eq!(path.strip_prefix(&"skills/pd".parse().unwrap()), None);
    }
}
