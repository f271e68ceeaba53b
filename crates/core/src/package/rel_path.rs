//! A path inside a package, which cannot climb out of it.

use std::borrow::Borrow;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::error::{Error, Result};

/// Longest path, in bytes. The longest of 2,958 published skills has 85 (`shared/SECURITY.md` §2.3).
const PATH_MAX: usize = 512;
/// Longest part of a path, in bytes: what every common file system can store.
const PART_MAX: usize = 255;

/// A relative path with `/` between its parts that means the same on every file system and cannot leave the
/// directory it is joined to: no `.` or `..`, nothing absolute, NFC, no control or invisible characters, no `\` or
/// `:`, no name that Windows reserves, no trailing dot or space, and no part that git or skillpm keeps for itself.
///
/// Ordered by its bytes, which is the order of the tree checksum.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RelPath(String);

impl RelPath {
    /// Most parts of a path. The deepest of 2,958 published skills has 6; 62 is what the adversarial controls have.
    pub const DEPTH_MAX: usize = 64;

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its parts, outermost first; never empty.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// The last part.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&self.0, |(_, last)| last)
    }

    /// The path of the directory it stands in; `None` at the top.
    #[must_use]
    pub fn parent(&self) -> Option<RelPath> {
        self.0.rsplit_once('/').map(|(parent, _)| RelPath(parent.to_owned()))
    }

    /// The directories it lies in, outermost first, and then itself.
    pub fn with_ancestors(&self) -> impl Iterator<Item = RelPath> {
        let ends = self.0.match_indices('/').map(|(at, _)| at).chain([self.0.len()]);
        ends.map(|end| RelPath(self.0[..end].to_owned()))
    }

    /// `self/child`.
    ///
    /// # Errors
    /// If the joined path is too long or too deep.
    pub fn join(&self, child: &str) -> Result<RelPath> {
        format!("{self}/{child}").parse()
    }

    /// What remains after `ancestor/`; `None` if the path does not lie below it.
    #[must_use]
    pub fn below(&self, ancestor: &RelPath) -> Option<RelPath> {
        let rest = self.0.strip_prefix(&ancestor.0)?.strip_prefix('/')?;
        Some(RelPath(rest.to_owned()))
    }

    /// The path in the form of this operating system, still relative.
    #[must_use]
    pub fn to_path(&self) -> PathBuf {
        self.parts().collect()
    }

    /// The key under which two paths would meet on a file system that folds case or normalises Unicode.
    #[must_use]
    pub fn folded(&self) -> String {
        if self.0.is_ascii() {
            return self.0.to_ascii_lowercase();
        }
        // Lower, upper and lower again approximates full case folding: `ẞ` and `ß` meet `ss`, and the ligature `ﬁ` meets `fi`.
        let lower = self.0.nfkc().flat_map(char::to_lowercase);
        lower.flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfkc().collect()
    }
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
        match fault(text) {
            None => Ok(RelPath(text.to_owned())),
            Some(fault) => {
                let shown: String = text.chars().take(PATH_MAX).collect();
                Err(Error::integrity(format!("`{}` is not a path a package may hold: {fault}", shown.escape_debug())))
            }
        }
    }
}

/// What is wrong with `text` as a path; `None` if nothing is.
fn fault(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("it is empty".into());
    }
    if text.len() > PATH_MAX {
        return Some(format!("it has {} bytes; the limit is {PATH_MAX}", text.len()));
    }
    if let Some(bad) = text.chars().find(|&c| is_forbidden(c)) {
        return Some(format!("it holds `{}`", bad.escape_unicode()));
    }
    if !is_nfc(text) {
        return Some("it is not in Unicode normal form C".into());
    }
    let mut depth = 0;
    for part in text.split('/') {
        depth += 1;
        if let Some(fault) = part_fault(part) {
            return Some(fault.into());
        }
    }
    let most = RelPath::DEPTH_MAX;
    (depth > most).then(|| format!("it is {depth} levels deep; the limit is {most}"))
}

fn part_fault(part: &str) -> Option<&'static str> {
    match part {
        "" => return Some("a part of it is empty"),
        "." | ".." => return Some("it holds `.` or `..`"),
        _ if part.len() > PART_MAX => return Some("a part of it is longer than 255 bytes"),
        _ => {}
    }
    if part.ends_with(['.', ' ']) || part.starts_with(' ') {
        return Some("a part of it begins or ends with a blank or ends with a dot");
    }
    if is_windows_device(part) {
        return Some("Windows reserves a part of it for a device");
    }
    let lower = part.to_ascii_lowercase();
    if lower == ".git" || lower == "git~1" {
        return Some("a part of it is git's own directory");
    }
    if lower == ".skillpm" || lower.starts_with(".skillpm-stage") {
        return Some("a part of it is skillpm's own directory");
    }
    None
}

/// Characters that no path may hold: separators of other systems, wildcards Windows forbids, controls, and
/// everything a reader cannot see (zero-width, direction, tags, fillers, private use, non-characters).
fn is_forbidden(c: char) -> bool {
    matches!(c,
        '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '\0'..='\x1f' | '\x7f'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffd}' | '\u{e000}'..='\u{f8ff}'
        | '\u{e0000}'..='\u{10ffff}')
}

/// Whether Windows would open a device for this name (`con`, `nul.txt`, `com1`, …).
pub(crate) fn is_windows_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).trim_end().to_ascii_lowercase();
    match stem.as_str() {
        "con" | "prn" | "aux" | "nul" | "conin$" | "conout$" => true,
        _ => {
            let Some(number) = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt")) else { return false };
            matches!(number, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
        }
    }
}

/// The path that `path` leads to from the directory `dir`, both below one root and with `/` between their parts: without
/// `.`, `..` and doubled `/`, `""` for the root itself. `None` if it leaves the root on the way.
pub(crate) fn resolve_below(dir: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = dir.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
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
    fn a_path_is_resolved_below_its_root_and_not_out_of_it() {
        for (dir, path, expected) in [
            ("skills/pdf", "../style", Some("skills/style")),
            ("skills/pdf", "../..", Some("")),
            ("skills//pdf", "./a//b/.", Some("skills/pdf/a/b")),
            ("", "a/../b", Some("b")),
            ("skills/pdf", "../../../etc", None),
            ("", "a/../../a", None),
        ] {
            assert_eq!(resolve_below(dir, path).as_deref(), expected, "{dir} {path}");
        }
    }

    #[test]
    fn ordinary_paths_are_accepted() {
        for good in ["SKILL.md", "scripts/run.sh", "a/.env.example", "Größe/日本語.md", ".gitignore", "con-text.md"]
        {
            assert_eq!(good.parse::<RelPath>().unwrap().as_str(), good);
        }
    }

    #[test]
    fn paths_that_climb_or_mean_two_things_are_refused() {
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
        assert!(vec!["x".repeat(200); 3].join("/").parse::<RelPath>().is_err());
    }

    #[test]
    fn folding_brings_together_what_a_file_system_would() {
        let folded = |text: &str| text.parse::<RelPath>().unwrap().folded();
        assert_eq!(folded("README.md"), folded("readme.MD"));
        assert_eq!(folded("stra\u{df}e"), folded("STRASSE"));
        assert_eq!(folded("STRA\u{1e9e}E"), folded("stra\u{df}e"));
        assert_eq!(folded("\u{fb01}le"), folded("file"));
        assert_ne!(folded("a"), folded("b"));
    }

    #[test]
    fn below_takes_whole_parts_only() {
        let path: RelPath = "skills/pdf/SKILL.md".parse().unwrap();
        assert_eq!(path.below(&"skills/pdf".parse().unwrap()).unwrap().as_str(), "SKILL.md");
        assert_eq!(path.below(&"skills/pd".parse().unwrap()), None);
    }
}
