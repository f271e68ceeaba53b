//! From an index to its table.
//!
//! Where the files of an index can be listed with a mark each (a stamp of the disk, the id of a blob), only those whose
//! mark is new are read, and all other rows are taken over as they are. Where they cannot be listed, the index may
//! publish `search.jsonl`; where it does not, the packages that were ever asked for are what is known of it.

use std::hash::{Hash, Hasher as _};
use std::io::Write;
use std::path::PathBuf;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::row::Row;
use super::table::{Damaged, RawRows, Table, Writer};
use crate::error::{Context, Error, Kind, Result};
use crate::index::{Index, layout};
use crate::io::{archive, disk, parallel, skills_dir};
use crate::package::Sha256;
use crate::report::{Event, Reporter};

/// The file in which an index publishes what a search needs, packed or plain.
pub(in crate::index) const PUBLISHED: [&str; 2] = ["search.jsonl.gz", "search.jsonl"];

/// How many files are looked at in one go.
const CHUNK: usize = 4096;

/// How many of them one thread reads in one go.
const BATCH: usize = 64;

/// From how many new files on it is said that they are being read.
const MANY: usize = 2000;

/// Largest `search.jsonl`, in bytes, packed or not. It is held in memory while the table is made of it.
pub(in crate::index) const PUBLISHED_MAX: u64 = 64 << 20;

/// What a table was made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Basis {
    /// The files of all packages.
    Files,
    /// The list that the index publishes.
    Published,
    /// The files that were brought for other reasons: the index publishes no list.
    Brought,
}

/// By what it is told whether a table still tells what the index does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::index) enum Seal {
    /// By nothing.
    Never,
    /// The commit it was made from.
    Commit(String),
    /// The stamps of directories and files below the index's own, each by its path; 0 where one was too young to tell.
    Stamps(Vec<(String, u64)>),
    /// The digest of what the index publishes.
    Published(String),
}

/// Which packages there are, as a place tells it without reading any file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::index) struct Survey {
    /// `None` where making the table anew costs no more than keeping it.
    pub seal: Option<Seal>,
    /// The path of each package's file, with a mark that changes whenever its content does; 0 where that cannot be told.
    pub files: Vec<(String, u64)>,
}

/// What a package's file was when its row was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    path: String,
    /// Its mark, as in [`Survey::files`].
    state: u64,
    /// Whether there was a version to make a row of.
    row: bool,
}

/// Where tables are kept from one search to the next.
#[derive(Clone)]
pub struct Tables<'a> {
    /// The directory; it is made when it is needed, and may be deleted at any time.
    pub dir: PathBuf,
    /// The time before the first file is looked at.
    pub now: SystemTime,
    /// How many files are read at once.
    pub jobs: usize,
    /// Who hears of what happens.
    pub reporter: &'a dyn Reporter,
}

/// Why a table was not made.
enum Fault {
    /// The index cannot be read.
    Index(Error),
    /// The new table cannot be written.
    Out,
    /// The old table is damaged.
    Old,
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Fault::Index(error)
    }
}

impl From<std::io::Error> for Fault {
    fn from(_: std::io::Error) -> Self {
        Fault::Out
    }
}

impl From<Damaged> for Fault {
    fn from(_: Damaged) -> Self {
        Fault::Old
    }
}

/// Writes a table, taking over from an old one what still holds.
type Build<'b> = dyn Fn(Option<Table>, &mut dyn Write) -> Result<(), Fault> + 'b;

impl Tables<'_> {
    /// The table of the index at a URL, as it was last made; `None` if there is none that could be used.
    #[must_use]
    pub fn take(&self, url: &str) -> Option<Table> {
        Table::open(&self.path(url)).filter(|table| table.meta.url == url)
    }

    /// When the table of an index was last held against the index; `None` if there is none.
    #[must_use]
    pub fn checked(&self, url: &str) -> Option<SystemTime> {
        disk::lstat(&self.path(url)).ok()??.modified().ok()
    }

    /// Takes away a table, since it is damaged.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn discard(&self, url: &str) -> Result<()> {
        disk::remove(&self.path(url))
    }

    fn path(&self, url: &str) -> PathBuf {
        self.dir.join(format!("{}.table", hex::encode(&Sha256::of(url.as_bytes()).as_bytes()[..8])))
    }

    /// Notes that a table was just found to hold.
    fn confirm(&self, table: Table) -> Table {
        // Its age is told to people, and hangs on nothing else.
        let _ = disk::set_modified(&self.path(&table.meta.url), self.now);
        table
    }

    /// Puts a new table in the place of the old one; where the disk refuses, it is in memory for this once.
    fn put(&self, url: &str, old: Option<Table>, build: &Build<'_>) -> Result<Table> {
        let path = self.path(url);
        let attempt = |old: Option<Table>| {
            let mut fault = None;
            let written = skills_dir::replace(&path, |out| {
                build(old, out).map_err(|other| {
                    fault = Some(other);
                    std::io::Error::other("the table was not made")
                })
            });
            fault.map_or(Ok(written), Err)
        };
        let made = match attempt(old) {
            Err(Fault::Old) => attempt(None),
            made => made,
        };
        match made {
            Ok(Ok(())) => self.take(url).map_or_else(|| in_memory(build), Ok),
            Err(Fault::Index(error)) => Err(error),
            Ok(Err(_)) | Err(Fault::Out | Fault::Old) => in_memory(build),
        }
    }
}

fn in_memory(build: &Build<'_>) -> Result<Table> {
    let mut bytes = Vec::new();
    match build(None, &mut bytes) {
        Ok(()) => Table::in_memory(bytes).map_err(|Damaged| Error::internal("a table in memory is damaged")),
        Err(Fault::Index(error)) => Err(error),
        Err(Fault::Out | Fault::Old) => Err(Error::internal("a table in memory cannot be written")),
    }
}

impl Index<'_> {
    /// The index's table, made or brought up to date if it has to be.
    ///
    /// With `anew`, what only the network can tell is asked for again, and every file of a directory looked at; otherwise a
    /// table that is there is taken for what the index publishes.
    ///
    /// # Errors
    /// If the files of the index cannot be had.
    pub fn table(&self, tables: &Tables<'_>, anew: bool) -> Result<Table> {
        let old = match tables.take(self.url()) {
            Some(old) if self.place.holds(&old.meta.seal) => match &old.meta.seal {
                Seal::Stamps(_) if anew => Some(old),
                _ if anew => return Ok(tables.confirm(old)),
                _ => return Ok(old),
            },
            old => old,
        };
        if let Some(survey) = self.place.survey(tables.now)? {
            let reading = Reading { index: self, tables, survey: &survey };
            return match &survey.seal {
                Some(seal) => tables.put(self.url(), old, &|old, out| reading.write(old, seal, out)),
                None => in_memory(&|old, out| reading.write(old, &Seal::Never, out)),
            };
        }
        match old {
            Some(old) if !anew && old.basis() == Basis::Published => Ok(old),
            old => self.table_of_published(tables, old, anew),
        }
    }

    fn table_of_published(&self, tables: &Tables<'_>, old: Option<Table>, anew: bool) -> Result<Table> {
        let published = match self.published() {
            // With the network off, what was never brought is as good as not there.
            Err(error) if !anew && error.kind() == Kind::Network => None,
            published => published?,
        };
        let Some(bytes) = published else {
            let brought = self.place.brought()?;
            return in_memory(&|_, out| self.write_brought(&brought, out));
        };
        let seal = Seal::Published(Sha256::of(&bytes).to_string());
        match old {
            Some(old) if old.meta.seal == seal => Ok(tables.confirm(old)),
            _ => tables.put(self.url(), None, &|_, out| self.write_published(tables, &bytes, &seal, out)),
        }
    }

    /// What the index publishes for searches, unpacked; `None` if it publishes nothing.
    fn published(&self) -> Result<Option<Vec<u8>>> {
        for name in PUBLISHED {
            if let Some(bytes) = self.place.read(name)? {
                let is_packed = bytes.starts_with(&[0x1f, 0x8b]);
                return if is_packed { archive::gunzip(&bytes, PUBLISHED_MAX) } else { Ok(bytes) }.map(Some);
            }
        }
        Ok(None)
    }

    fn write_published(
        &self,
        tables: &Tables<'_>,
        bytes: &[u8],
        seal: &Seal,
        out: &mut dyn Write,
    ) -> Result<(), Fault> {
        let mut writer = Writer::new(out, self.url());
        let mut odd = 0;
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            match std::str::from_utf8(line).ok().and_then(Row::of_line) {
                Some(row) => writer.push(&row)?,
                None => odd += 1,
            }
        }
        if odd > 0 {
            let message = format!("passed over {odd} lines of `{}` in index `{}`", PUBLISHED[1], self.url);
            tables.reporter.report(Event::warning(message));
        }
        Ok(writer.finish(Basis::Published, seal.clone(), &[])?)
    }

    fn write_brought(&self, brought: &[(String, Vec<u8>)], out: &mut dyn Write) -> Result<(), Fault> {
        let mut writer = Writer::new(out, self.url());
        for (path, bytes) in brought {
            let row = layout::name_at(path).and_then(|name| Row::of_file(&name, &String::from_utf8_lossy(bytes)));
            row.iter().try_for_each(|row| writer.push(row))?;
        }
        Ok(writer.finish(Basis::Brought, Seal::Never, &[])?)
    }

    /// What may be published with the index for searches, `search.jsonl`: one package a line. Gives their number.
    ///
    /// # Errors
    /// If the files of the index cannot be listed or read, or `out` not be written.
    pub fn write_jsonl(&self, tables: &Tables<'_>, out: &mut dyn Write) -> Result<usize> {
        let survey = self.place.survey(tables.now)?;
        let survey = survey.ok_or_else(|| {
            Error::usage(format!("the packages of index `{}` cannot be listed", self.url))
                .help("make it where the index itself is: a directory or a git repository")
        })?;
        let reading = Reading { index: self, tables, survey: &survey };
        let mut count = 0;
        for chunk in survey.files.chunks(CHUNK) {
            let paths: Vec<String> = chunk.iter().map(|(path, _)| path.clone()).collect();
            for row in reading.rows(&paths)?.iter().filter_map(|read| read.row.as_ref()) {
                let line = row.to_line().ok_or_else(|| Error::internal("a package's row is none"))?;
                writeln!(out, "{line}").context(|| format!("could not write `{}`", PUBLISHED[1]))?;
                count += 1;
            }
        }
        Ok(count)
    }
}

/// The files of an index on their way to rows.
struct Reading<'r> {
    index: &'r Index<'r>,
    tables: &'r Tables<'r>,
    survey: &'r Survey,
}

/// What came of reading one file.
struct Read {
    row: Option<Row>,
    /// Whether it is worth looking at again although nothing tells that it has changed.
    again: bool,
}

impl Reading<'_> {
    /// Writes the table, reading only the files that `old` does not know as they are.
    fn write(&self, old: Option<Table>, seal: &Seal, out: &mut dyn Write) -> Result<(), Fault> {
        let mut old = old.unwrap_or_else(|| Table::of(&[]));
        let known = old.marks()?;
        let is_new = |(path, mark): &(String, u64)| {
            let at = known.binary_search_by(|known| known.path.as_str().cmp(path));
            *mark == 0 || at.is_err() || at.is_ok_and(|at| known[at].state != *mark)
        };
        self.announce(self.survey.files.iter().filter(|file| is_new(file)).count());
        let (mut raw, mut known_rows) = (old.raw(), known.iter());
        let mut writer = Writer::new(out, self.index.url());
        let mut marks = Vec::with_capacity(self.survey.files.len());
        for chunk in self.survey.files.chunks(CHUNK) {
            let new: Vec<String> = chunk.iter().filter(|file| is_new(file)).map(|(path, _)| path.clone()).collect();
            let mut read = self.rows(&new)?.into_iter();
            for file in chunk {
                let (path, mut state) = file.clone();
                let row = if is_new(file) {
                    let Read { row, again } = read.next().expect("each new file was read");
                    state = if again { 0 } else { state };
                    row.as_ref().map(|row| writer.push(row)).transpose()?.is_some()
                } else {
                    take_over(&path, &mut known_rows, &mut raw, &mut writer)?
                };
                marks.push(Mark { path, state, row });
            }
        }
        Ok(writer.finish(Basis::Files, seal.clone(), &marks)?)
    }

    fn announce(&self, new: usize) {
        if new >= MANY {
            let what = format!("{new} packages of `{}`, to search them", self.index.url);
            self.tables.reporter.report(Event::Done { verb: "Reading", what });
        }
    }

    /// The rows that files tell.
    fn rows(&self, paths: &[String]) -> Result<Vec<Read>> {
        let files = self.index.place.bring_all(paths);
        let pairs: Vec<_> = paths.iter().zip(files).collect();
        let batches: Vec<_> = pairs.chunks(BATCH).collect();
        let read = parallel(self.tables.jobs, &batches, |batch| {
            batch.iter().map(|(path, file)| self.row(path, file)).collect::<Result<Vec<Read>>>()
        });
        Ok(read.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    fn row(&self, path: &str, file: &Result<Option<Vec<u8>>>) -> Result<Read> {
        match file {
            Ok(file) => {
                let name = layout::name_at(path);
                let text = String::from_utf8_lossy(file.as_deref().unwrap_or_default());
                Ok(Read { row: name.and_then(|name| Row::of_file(&name, &text)), again: false })
            }
            // One file that cannot be read must not hide the others.
            Err(error) if error.kind() == Kind::Disk => {
                self.tables.reporter.report(Event::warning(format!("passed over a package: {error}")));
                Ok(Read { row: None, again: true })
            }
            Err(error) => Err(error.clone()),
        }
    }
}

/// Takes over the row of a file that has not changed, if it has one; passes over those of files that are gone or new.
fn take_over<'m>(
    path: &str,
    known: &mut impl Iterator<Item = &'m Mark>,
    raw: &mut RawRows<'_>,
    writer: &mut Writer<'_>,
) -> Result<bool, Fault> {
    for mark in known {
        let is_wanted = mark.path == path;
        if mark.row {
            let (text, record) = raw.next()?;
            if is_wanted {
                writer.push_raw(text, record)?;
            }
        }
        if is_wanted {
            return Ok(mark.row);
        }
    }
    Err(Fault::Old)
}

/// The mark of a file by its stamp; 0 while a later change might leave it as it is.
pub(in crate::index) fn mark_of(stamp: &skills_dir::Stamp, now: SystemTime) -> u64 {
    if stamp.settled(now) { mark_by(stamp) } else { 0 }
}

/// The mark of a file by what changes whenever its content does; never 0.
pub(in crate::index) fn mark_by(identity: &impl Hash) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    identity.hash(&mut hasher);
    hasher.finish() | 1
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::index::place;
    use crate::report::Silent;

    struct World {
        dir: tempfile::TempDir,
        /// As if everything in it had been written long ago.
        now: SystemTime,
    }

    fn line(name: &str, version: &str, yanked: bool, description: &str) -> String {
        let digits = "0".repeat(64);
        format!(
            "{{\"name\":\"{name}\",\"vers\":\"{version}\",\"cksum\":\"skill-tree-v1:{digits}\",\"archive\":\"sha256:{digits}\",\"yanked\":{yanked},\"description\":\"{description}\"}}\n"
        )
    }

    impl World {
        fn new() -> World {
            let world = World { dir: tempfile::tempdir().unwrap(), now: SystemTime::now() + Duration::from_secs(10) };
            world.write("config.json", r#"{"api-version":1,"dl":"archives"}"#);
            world
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.dir.path().join("index").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }

        fn with<T>(&self, work: impl FnOnce(&Index<'_>, &Tables<'_>) -> T) -> T {
            let url = url::Url::from_file_path(self.dir.path().join("index")).unwrap();
            let index = place::tests::with_tools(|tools| Index::open(url.as_str(), tools).unwrap());
            let dir = self.dir.path().join("search");
            work(&index, &Tables { dir, now: self.now, jobs: 2, reporter: &Silent })
        }

        fn rows(&self) -> Vec<Row> {
            let mut table = self.with(|index, tables| index.table(tables, false).unwrap());
            (0..u32::try_from(table.len()).unwrap()).map(|row| table.row(row).unwrap()).collect()
        }

        fn told(&self) -> Vec<String> {
            let told = |row: Row| format!("{} {}", row.name, row.vers.unwrap_or_default());
            self.rows().into_iter().map(told).collect()
        }

        fn table_file(&self) -> PathBuf {
            let names = disk::names(&self.dir.path().join("search")).unwrap();
            assert_eq!(names.len(), 1);
            self.dir.path().join("search").join(&names[0])
        }
    }

    #[test]
    fn the_row_is_the_newest_version_that_can_be_had() {
        let world = World::new();
        let text = [
            line("pdf", "1.9.0", false, "nine"),
            line("pdf", "1.10.0", false, "ten"),
            line("pdf", "2.0.0-rc.1", false, "candidate"),
            line("pdf", "1.11.0", true, "withdrawn"),
            line("pdf", "1.9.1", false, "mended"),
            line("other", "9.0.0", false, "another's"),
            "garbage\n".to_owned(),
        ];
        world.write("3/p/pdf", &text.concat());
        world.write("3/c/csv", &line("csv", "1.0.0-rc.1", false, "candidate"));
        world.write("acme/2/go", &line("acme/go", "1.0.0", true, "withdrawn"));
        assert_eq!(world.told(), ["csv 1.0.0-rc.1", "pdf 1.10.0"]);
    }

    #[test]
    fn after_a_change_only_what_changed_is_read() {
        let world = World::new();
        for name in ["pdf", "csv", "png"] {
            world.write(&format!("3/{}/{name}", &name[..1]), &line(name, "1.0.0", false, "first"));
        }
        assert_eq!(world.told(), ["csv 1.0.0", "pdf 1.0.0", "png 1.0.0"]);
        // A row that tells what no file says shows whether it was read again or taken over.
        let marks = world.with(|_, tables| {
            let url = url::Url::from_file_path(world.dir.path().join("index")).unwrap();
            let mut old = tables.take(url.as_str()).unwrap();
            let (seal, marks) = (old.meta.seal.clone(), old.marks().unwrap());
            let mut rows: Vec<Row> = (0..3).map(|row| old.row(row).unwrap()).collect();
            rows.iter_mut().for_each(|row| row.vers = Some("0.0.0".into()));
            let write = |_, out: &mut dyn Write| {
                let mut writer = Writer::new(out, url.as_str());
                rows.iter().try_for_each(|row| writer.push(row))?;
                Ok(writer.finish(Basis::Files, seal.clone(), &marks)?)
            };
            tables.put(url.as_str(), None, &write).unwrap();
            marks.len()
        });
        assert_eq!(marks, 3);
        assert_eq!(world.told(), ["csv 0.0.0", "pdf 0.0.0", "png 0.0.0"]);
        world.write("3/p/pdf", &(line("pdf", "1.0.0", false, "first") + &line("pdf", "2.0.0", false, "second")));
        world.write("3/p/pie", &line("pie", "1.0.0", false, "new"));
        std::fs::remove_file(world.dir.path().join("index/3/c/csv")).unwrap();
        assert_eq!(world.told(), ["pdf 2.0.0", "pie 1.0.0", "png 0.0.0"]);
    }

    #[test]
    fn a_table_that_is_damaged_anywhere_is_made_anew_or_found_out() {
        let world = World::new();
        world.write("3/p/pdf", &line("pdf", "1.0.0", false, "first"));
        let whole = world.rows();
        let bytes = std::fs::read(world.table_file()).unwrap();
        for at in (0..bytes.len()).step_by(3) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x41;
            std::fs::write(world.table_file(), &changed).unwrap();
            let mut table = world.with(|index, tables| index.table(tables, false).unwrap());
            let found = table.texts(|_| {}).and_then(|()| table.row(0));
            assert!(found.as_ref() == Ok(&whole[0]) || found == Err(Damaged), "byte {at}: {found:?}");
        }
        std::fs::write(world.table_file(), &bytes[..bytes.len() / 2]).unwrap();
        assert_eq!(world.rows(), whole);
    }

    #[test]
    fn where_nothing_can_be_written_the_table_is_in_memory() {
        let world = World::new();
        world.write("3/p/pdf", &line("pdf", "1.0.0", false, "first"));
        std::fs::write(world.dir.path().join("search"), "in the way").unwrap();
        assert_eq!(world.told(), ["pdf 1.0.0"]);
    }

    #[test]
    fn what_is_published_for_searches_reads_back_as_it_was() {
        let world = World::new();
        world.write("3/p/pdf", &line("pdf", "1.0.0", false, "tab\\t, \\\"quote\\\", \\u001b[31m"));
        world.write("acme/3/c/csv", &line("acme/csv", "2.0.0", false, "second"));
        let mut text = Vec::new();
        assert_eq!(world.with(|index, tables| index.write_jsonl(tables, &mut text)).unwrap(), 2);
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text.lines().map(|line| Row::of_line(line).unwrap()).collect::<Vec<_>>(), world.rows());
        assert!(text.starts_with(r#"{"name":"pdf","vers":"1.0.0","description":"tab\t"#), "{text}");
    }
}
