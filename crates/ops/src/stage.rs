//! A directory that is replaced atomically: written beside the old one, then swapped.
//!
//! ```text
//! public/.skillpm-site            Written by `skillpm registry site`, …      (or by `skillpm catalog`)
//!                                 .nojekyll
//!                                 index.html
//! .public.skillpm-stage/          the new files, or those of a killed run
//! ```

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use skillpm_catalog::site::SiteFiles;
use skillpm_core::error::{Error, Result};
use skillpm_core::report::EventReporter;
use skillpm_io::disk::{self, FileLock};

/// The list of all written files, one path per line: the next run may replace these.
const LIST: &str = ".skillpm-site";

/// The commands that write whole directories: each replaces only its own.
#[derive(Debug, Clone, Copy)]
pub(super) enum StageWriter {
    RegistrySite,
    Catalog,
}

impl StageWriter {
    fn command(self) -> &'static str {
        match self {
            StageWriter::RegistrySite => "registry site",
            StageWriter::Catalog => "catalog",
        }
    }

    /// The first line of the list.
    fn header(self) -> String {
        format!(
            "Written by `skillpm {}`, which replaces all of this:",
            self.command()
        )
    }
}

/// The highest number of unknown files in an error.
const SHOWN: usize = 5;

/// A directory while it is written; dropped before [`StagedDirectory::finish`] it leaves nothing
/// behind.
pub(super) struct StagedDirectory {
    writer: StageWriter,
    out: PathBuf,
    dir: PathBuf,
    paths: BTreeSet<String>,
    bytes: u64,
    _lock: FileLock,
}

impl StagedDirectory {
    /// Checks that `out` may be replaced, and creates the staging directory.
    pub(super) fn begin(
        writer: StageWriter,
        out: &Path,
        timeout: Duration,
        reporter: &dyn EventReporter,
    ) -> Result<StagedDirectory> {
        let (Some(parent), Some(name)) =
            (out.parent(), out.file_name().and_then(|name| name.to_str()))
        else {
            return Err(
                Error::usage(format!("invalid output directory `{}`", out.display()))
                    .help("pass a new one, such as `public`"),
            );
        };
        refuse_foreign(writer, out)?;

        disk::create_dir(parent)?;
        let lock = FileLock::acquire_dir(parent, timeout, reporter)?;
        let dir = parent.join(format!(".{name}.skillpm-stage"));

        // No other process has the lock, so that the files are from a killed run.
        disk::remove(&dir)?;
        disk::create_dir(&dir)?;

        Ok(StagedDirectory {
            writer,
            out: out.to_owned(),
            dir,
            paths: BTreeSet::new(),
            bytes: 0,
            _lock: lock,
        })
    }

    /// Writes a file that is not executable.
    pub(super) fn put(&mut self, path: &str, bytes: &[u8]) -> Result<()> {
        let place = self.dir.join(path);
        disk::create_dir(place.parent().expect("the path is below the stage"))?;
        disk::write_marker(&place, bytes)?;

        self.paths.insert(path.to_owned());
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Writes files.
    pub(super) fn put_all(&mut self, files: SiteFiles) -> Result<()> {
        for (path, file) in files {
            self.put(&path, &file.bytes)?;
            if file.executable {
                disk::make_executable(&self.dir.join(&path))?;
            }
        }
        Ok(())
    }

    /// Swaps the directory with the old one; returns the number of files and bytes.
    pub(super) fn finish(mut self) -> Result<(usize, u64)> {
        let header = self.writer.header();
        let list: Vec<&str> = std::iter::once(&*header)
            .chain(self.paths.iter().map(String::as_str))
            .collect();
        let list = format!("{}\n", list.join("\n"));
        self.put(LIST, list.as_bytes())?;

        // Synced before the swap, so that a crash leaves the old or the new directory.
        disk::sync_trees(&self.dir, self.paths.len())?;
        // The old directory may have got other files meanwhile.
        refuse_foreign(self.writer, &self.out)?;

        // The exchange is atomic: a web server never serves half of a site.
        match disk::lstat(&self.out)? {
            Some(_) => disk::exchange(&self.dir, &self.out)?,
            None => disk::move_into_place(&self.dir, &self.out)?,
        }

        Ok((self.paths.len(), self.bytes))
    }
}

impl Drop for StagedDirectory {
    fn drop(&mut self) {
        // After an exchange this is the old directory; after a failure the next run removes it.
        let _ = disk::remove(&self.dir);
    }
}

/// Refuses a directory with files that this command did not write.
fn refuse_foreign(writer: StageWriter, out: &Path) -> Result<()> {
    // A file is never replaced by a directory.
    match disk::lstat(out)? {
        None => return Ok(()),
        Some(meta) if !meta.is_dir() => {
            return Err(Error::negative(format!(
                "refusing to replace `{}`: it is not a directory",
                out.display()
            ))
            .help("pass a new directory, or one that the same command wrote before"));
        }
        Some(_) => {}
    }

    let listed = disk::read_text(&out.join(LIST))?.unwrap_or_default();
    let mut lines = listed.lines();
    // The first line has the command: a list of the other command does not count.
    let known: BTreeSet<&str> = if lines.next() == Some(&*writer.header()) {
        lines.chain([LIST]).collect()
    } else {
        BTreeSet::new()
    };

    let mut unknown = Vec::new();
    collect_unknown(out, "", &known, &mut unknown)?;
    if unknown.is_empty() {
        return Ok(());
    }

    let error = Error::negative(format!(
        "refusing to replace `{}`: it has files that `skillpm {}` did not write",
        out.display(),
        writer.command()
    ));
    let error = unknown.iter().take(SHOWN).fold(error, |error, path| {
        error.note(format!("`{}`", path.escape_debug()))
    });
    Err(error.help(
        "pass a new directory, or one that the same command wrote before, and copy the files from there",
    ))
}

/// Collects unknown files below a directory, up to the number that is shown.
fn collect_unknown(
    dir: &Path,
    prefix: &str,
    known: &BTreeSet<&str>,
    unknown: &mut Vec<String>,
) -> Result<()> {
    for name in disk::list_names(dir)? {
        let path = if prefix.is_empty() {
            name.clone()
        } else {
            format!("{prefix}/{name}")
        };

        let is_dir = disk::lstat(&dir.join(&name))?.is_some_and(|meta| meta.is_dir());
        if is_dir {
            collect_unknown(&dir.join(&name), &path, known, unknown)?;
        } else if !known.contains(path.as_str()) {
            unknown.push(path);
        }
        // Stops early: the directory may be someone's home.
        if unknown.len() >= SHOWN {
            return Ok(());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillpm_core::report::SilentReporter;

    fn stage(out: &Path) -> Result<StagedDirectory> {
        StagedDirectory::begin(
            StageWriter::RegistrySite,
            out,
            Duration::ZERO,
            &SilentReporter,
        )
    }

    #[test]
    fn dropped_stage_leaves_nothing_and_finished_stage_replaces_all() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("public");
        let mut dropped = stage(&out).unwrap();
        dropped.put("a/b", b"x").unwrap();
        drop(dropped);
        assert_eq!(disk::list_names(dir.path()).unwrap(), [""; 0]);
        for files in [["a/b", "c"], ["c", "d"]] {
            let mut stage = stage(&out).unwrap();
            files.iter().for_each(|path| stage.put(path, b"x").unwrap());
            assert_eq!(stage.finish().unwrap().0, 3);
        }
        assert_eq!(disk::list_names(&out).unwrap(), [".skillpm-site", "c", "d"]);
        assert_eq!(disk::list_names(dir.path()).unwrap(), ["public"]);
    }

    #[cfg(unix)]
    #[test]
    fn other_commands_files_are_not_replaced_and_executables_stay_executable() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("public");
        let mut stage = stage(&out).unwrap();
        let file = |executable| skillpm_core::package::TreeFile {
            bytes: b"x".to_vec(),
            executable,
        };
        stage
            .put_all(SiteFiles::from([
                ("run".to_owned(), file(true)),
                ("text".to_owned(), file(false)),
            ]))
            .unwrap();
        stage.finish().unwrap();
        let mode = |name: &str| {
            std::fs::metadata(out.join(name))
                .unwrap()
                .permissions()
                .mode()
                & 0o111
        };
        assert!(mode("run") != 0 && mode("text") == 0);
        assert!(
            StagedDirectory::begin(StageWriter::Catalog, &out, Duration::ZERO, &SilentReporter)
                .is_err()
        );
    }

    #[test]
    fn unknown_file_is_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("public");
        std::fs::create_dir(&out).unwrap();
        stage(&out).unwrap().finish().unwrap();
        std::fs::create_dir(out.join(".git")).unwrap();
        std::fs::write(out.join(".git/HEAD"), "x").unwrap();
        let error = stage(&out).err().unwrap();
        assert_eq!(error.notes(), ["`.git/HEAD`"]);
        std::fs::write(dir.path().join("file"), "x").unwrap();
        assert!(stage(&dir.path().join("file")).is_err());
    }
}
