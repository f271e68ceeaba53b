//! What git does to the line ends of files in a working tree.

use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;
use gix_attributes::StateRef;
use gix_attributes::search::{MetadataCollection, Outcome};

use super::GitCheckout;
use super::config::load_config;
use crate::disk;
use skillpm_core::error::{Error, ErrorContext as _, Result};
use skillpm_core::skill::line_ending;

/// The file of attributes, in any directory of a working tree.
pub const ATTRIBUTES_FILE: &str = ".gitattributes";

impl GitCheckout {
    /// Whether git may convert the line ends of a file, at a path relative to the root: no attribute says that it keeps
    /// them, or checks them out as line feeds. What a person's own configuration says is that of one machine, and not read.
    ///
    /// # Errors
    /// If a file of attributes cannot be read.
    pub fn may_convert_line_ends(&self, path: &str) -> Result<bool> {
        let (mut buffer, mut collection) = (Vec::new(), MetadataCollection::default());
        let failed = || "failed to read the attributes of git".to_owned();
        let none: [PathBuf; 0] = [];
        let mut search = gix_attributes::Search::new_globals(none, &mut buffer, &mut collection)
            .context(failed)?;

        // The nearest directory has the last word, and `info/attributes` after all of them.
        let above: Vec<&Path> = Path::new(path).ancestors().skip(1).collect();
        for directory in above.into_iter().rev() {
            let file = self.root().join(directory).join(ATTRIBUTES_FILE);
            search
                .add_patterns_file(
                    file,
                    false,
                    Some(self.root()),
                    &mut buffer,
                    &mut collection,
                    directory.as_os_str().is_empty(),
                )
                .context(failed)?;
        }
        let info = self.git_dir().join("info/attributes");
        search
            .add_patterns_file(info, true, None, &mut buffer, &mut collection, true)
            .context(failed)?;

        let mut found = Outcome::default();
        found.initialize_with_selection(&collection, ["text", "eol"]);
        search.pattern_matching_relative_path(
            path.as_bytes().as_bstr(),
            gix::glob::pattern::Case::Sensitive,
            Some(false),
            &mut found,
        );
        let is_kept = found.iter_selected().any(|found| {
            match (found.assignment.name.as_str(), found.assignment.state) {
                ("text", StateRef::Unset) => true,
                ("eol", StateRef::Value(end)) => end.as_bstr() == "lf",
                _ => false,
            }
        });
        Ok(!is_kept)
    }
}

/// The setting of git by which text files in a directory get CRLF, such as `core.autocrlf=true`; `None` if there is none.
#[must_use]
pub fn crlf_setting(dir: &Path) -> Option<&'static str> {
    let config = load_config(dir).ok()?;
    let is = |key: &str, value: &str| {
        config
            .string(key)
            .is_some_and(|found| found.eq_ignore_ascii_case(value.as_bytes()))
    };
    if is("core.autocrlf", "true") {
        Some("core.autocrlf=true")
    } else if is("core.eol", "crlf") {
        Some("core.eol=crlf")
    } else {
        None
    }
}

/// The text of the file of attributes in a directory, which may not exist, with these lines at its end.
///
/// # Errors
/// If it is not a regular file, or cannot be read.
pub fn with_attributes(dir: &Path, lines: &[String]) -> Result<String> {
    let path = dir.join(ATTRIBUTES_FILE);
    // Git itself follows no link here.
    if disk::lstat(&path)?.is_some_and(|meta| !meta.is_file()) {
        return Err(Error::disk(format!(
            "refusing to write `{}`: not a regular file",
            path.display()
        )));
    }

    let mut text = disk::read_text(&path)?.unwrap_or_default();
    let newline = line_ending(&text);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(newline);
    }
    for line in lines {
        text.push_str(line);
        text.push_str(newline);
    }
    Ok(text)
}

/// The line of a file of attributes by which git keeps every byte of the files below a directory, which is relative to
/// that file.
#[must_use]
pub fn keep_line_ends_line(dir: &str) -> String {
    let pattern = format!("/{dir}/**");
    if pattern.contains(char::is_whitespace) {
        // Quoted as a C string.
        let escaped = pattern.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{escaped}\" -text")
    } else {
        format!("{pattern} -text")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_of_all_directories_count() {
        let dir = tempfile::tempdir().unwrap();
        let root = disk::real_path(dir.path());
        let git = std::process::Command::new("git")
            .args(["init", "--quiet"])
            .current_dir(&root)
            .status();
        assert!(git.unwrap().success());
        let path = "app/my skills/pdf/SKILL.md";
        std::fs::create_dir_all(root.join("app/my skills/pdf")).unwrap();
        let own = keep_line_ends_line("my skills");
        for (at, text, may_convert) in [
            ("", "", true),
            ("", "* text=auto\n", true),
            ("", "*.md text eol=crlf\n", true),
            ("", "*.md text eol=lf\n", false),
            ("", "* -text\n", false),
            ("", "* binary\n", false),
            ("", "* -text\n*.md text\n", true),
            ("", "/other/** -text\n", true),
            ("app", own.as_str(), false),
            ("app/my skills", "* -text\n", false),
        ] {
            let file = root.join(at).join(ATTRIBUTES_FILE);
            std::fs::write(&file, text).unwrap();
            let checkout = GitCheckout::discover(&root).unwrap().unwrap();
            assert_eq!(
                checkout.may_convert_line_ends(path).unwrap(),
                may_convert,
                "{at} {text}"
            );
            std::fs::remove_file(&file).unwrap();
        }
    }
}
