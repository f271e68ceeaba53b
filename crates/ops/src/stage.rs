//! A directory that is replaced as a whole: written beside its place, then swapped in.
//!
//! ```text
//! public/.skillpm-site            Written by `skillpm registry site`, …      (or by `skillpm catalog`)
//!                                 .nojekyll
//!                                 index.html
//! .public.skillpm-stage/          what is on its way, or what a killed run left
//! ```

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::io::disk::{self, FileLock};
use crate::report::Reporter;
use crate::site::Files;

/// The list of all that was written, one path a line, by which the next run knows what it may replace.
const LIST: &str = ".skillpm-site";

/// The commands that write whole directories: each replaces its own, and none the other's.
#[derive(Debug, Clone, Copy)]
pub(super) enum Writer {
    RegistrySite,
    Catalog,
}

impl Writer {
    fn command(self) -> &'static str {
        match self {
            Writer::RegistrySite => "registry site",
            Writer::Catalog => "catalog",
        }
    }

    /// The first line of the list.
    fn header(self) -> String {
        format!("Written by `skillpm {}`, which replaces all of this:", self.command())
    }
}

/// How many strange files an error names.
const SHOWN: usize = 5;

/// A directory on its way to its place; dropped before [`Stage::finish`] it leaves nothing behind.
pub(super) struct Stage {
    writer: Writer,
    out: PathBuf,
    dir: PathBuf,
    paths: BTreeSet<String>,
    bytes: u64,
    _lock: FileLock,
}

impl Stage {
    /// Looks whether `out` may be replaced, and begins.
    pub(super) fn begin(writer: Writer, out: &Path, patience: Duration, reporter: &dyn Reporter) -> Result<Stage> {
        let (Some(parent), Some(name)) = (out.parent(), out.file_name().and_then(|name| name.to_str())) else {
            return Err(Error::usage(format!("`{}` is no directory to write to", out.display()))
                .help("name a new one, such as `public`"));
        };
        check(writer, out)?;
        disk::create_dir(parent)?;
        let lock = FileLock::of_dir(parent, patience, reporter)?;
        let dir = parent.join(format!(".{name}.skillpm-stage"));
        // Whoever holds the lock is alone, so this is what a killed run left.
        disk::remove(&dir)?;
        disk::create_dir(&dir)?;
        Ok(Stage { writer, out: out.to_owned(), dir, paths: BTreeSet::new(), bytes: 0, _lock: lock })
    }

    /// Writes a file that is no program.
    pub(super) fn put(&mut self, path: &str, bytes: &[u8]) -> Result<()> {
        let place = self.dir.join(path);
        disk::create_dir(place.parent().expect("it lies below the stage"))?;
        disk::write_mark(&place, bytes)?;
        self.paths.insert(path.to_owned());
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Writes files.
    pub(super) fn put_all(&mut self, files: Files) -> Result<()> {
        files.into_iter().try_for_each(|(path, file)| {
            self.put(&path, &file.bytes)?;
            if file.executable { disk::make_executable(&self.dir.join(&path)) } else { Ok(()) }
        })
    }

    /// Puts it in its place; says how many files and bytes it has.
    pub(super) fn finish(mut self) -> Result<(usize, u64)> {
        let header = self.writer.header();
        let list: Vec<&str> = std::iter::once(&*header).chain(self.paths.iter().map(String::as_str)).collect();
        let list = format!("{}\n", list.join("\n"));
        self.put(LIST, list.as_bytes())?;
        disk::sync_trees(&self.dir, self.paths.len())?;
        // Somebody may have put something there meanwhile.
        check(self.writer, &self.out)?;
        match disk::lstat(&self.out)? {
            Some(_) => disk::exchange(&self.dir, &self.out)?,
            None => disk::move_into_place(&self.dir, &self.out)?,
        }
        Ok((self.paths.len(), self.bytes))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // After an exchange this is the site before; a failure leaves it to the next run.
        let _ = disk::remove(&self.dir);
    }
}

/// Refuses a directory that holds anything which no run of this command wrote.
fn check(writer: Writer, out: &Path) -> Result<()> {
    match disk::lstat(out)? {
        None => return Ok(()),
        Some(meta) if !meta.is_dir() => {
            return Err(Error::negative(format!("`{}` is there, and is no directory", out.display()))
                .help("name a new directory, or one that the same command wrote before"));
        }
        Some(_) => {}
    }
    let listed = disk::read_text(&out.join(LIST))?.unwrap_or_default();
    let mut lines = listed.lines();
    let known: BTreeSet<&str> =
        if lines.next() == Some(&*writer.header()) { lines.chain([LIST]).collect() } else { BTreeSet::new() };
    let mut strange = Vec::new();
    below(out, "", &known, &mut strange)?;
    if strange.is_empty() {
        return Ok(());
    }
    let error = Error::negative(format!("`{}` holds what `{}` did not write", out.display(), writer.command()));
    let error = strange.iter().take(SHOWN).fold(error, |error, path| error.note(format!("`{}`", path.escape_debug())));
    Err(error.help(
        "name a new directory, or one that the same command wrote before; then copy from there to where it is served",
    ))
}

/// Collects what is not known below a directory; no more than can be shown.
fn below(dir: &Path, prefix: &str, known: &BTreeSet<&str>, strange: &mut Vec<String>) -> Result<()> {
    for name in disk::names(dir)? {
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
        let is_dir = disk::lstat(&dir.join(&name))?.is_some_and(|meta| meta.is_dir());
        if is_dir {
            below(&dir.join(&name), &path, known, strange)?;
        } else if !known.contains(path.as_str()) {
            strange.push(path);
        }
        if strange.len() >= SHOWN {
            return Ok(());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Silent;

    fn stage(out: &Path) -> Result<Stage> {
        Stage::begin(Writer::RegistrySite, out, Duration::ZERO, &Silent)
    }

    #[test]
    fn what_is_dropped_leaves_nothing_and_what_is_finished_replaces_all() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("public");
        let mut dropped = stage(&out).unwrap();
        dropped.put("a/b", b"x").unwrap();
        drop(dropped);
        assert_eq!(disk::names(dir.path()).unwrap(), [""; 0]);
        for files in [["a/b", "c"], ["c", "d"]] {
            let mut stage = stage(&out).unwrap();
            files.iter().for_each(|path| stage.put(path, b"x").unwrap());
            assert_eq!(stage.finish().unwrap().0, 3);
        }
        assert_eq!(disk::names(&out).unwrap(), [".skillpm-site", "c", "d"]);
        assert_eq!(disk::names(dir.path()).unwrap(), ["public"]);
    }

    #[test]
    fn what_another_command_wrote_is_not_replaced_and_programs_stay_programs() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("public");
        let mut stage = stage(&out).unwrap();
        let file = |executable| crate::package::File { bytes: b"x".to_vec(), executable };
        stage.put_all(Files::from([("run".to_owned(), file(true)), ("text".to_owned(), file(false))])).unwrap();
        stage.finish().unwrap();
        let mode = |name: &str| std::fs::metadata(out.join(name)).unwrap().permissions().mode() & 0o111;
        assert!(mode("run") != 0 && mode("text") == 0);
        assert!(Stage::begin(Writer::Catalog, &out, Duration::ZERO, &Silent).is_err());
    }

    #[test]
    fn a_strange_file_is_never_replaced() {
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
