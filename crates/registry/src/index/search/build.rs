//! Builds the search table of an index.
//!
//! If the files of an index can be listed with a mark each (a stamp of the disk, the id of a blob), only those with a new
//! mark are read, and all other rows are copied from the old table. If they cannot be listed, the index may publish
//! `search.jsonl`; if it does not, only cached packages are searched.

use std::hash::{Hash, Hasher as _};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::query::SearchQuery;
use super::row::SearchRow;
use super::shards::{self, SEARCH_HEAD, SearchHead, ShardSearch};
use super::table::{
    DamagedTable, FileMark, RawRows, SearchTable, TableBasis, TableSeal, TableWriter,
};
use crate::index::{Index, decode_text, layout};
use skillpm_core::error::{Error, ErrorContext, FailureKind, Result};
use skillpm_core::package::{IndexKind, Sha256Digest};
use skillpm_core::report::{EventReporter, ProgressEvent};
use skillpm_io::{archive, disk, run_parallel, skills_dir};

/// The file in which an index publishes its rows, compressed or plain.
pub(in crate::index) const PUBLISHED_FILES: [&str; 2] = ["search.jsonl.gz", "search.jsonl"];

/// How many files are handled in one chunk.
const CHUNK_SIZE: usize = 4096;

/// How many of them one thread reads in one batch.
const BATCH_SIZE: usize = 64;

/// From how many new files on the reading is reported.
const ANNOUNCE_MIN: usize = 2000;

/// Largest `search.jsonl`, in bytes, compressed or not. It is in memory while the table is built.
pub(in crate::index) const PUBLISHED_MAX: u64 = 64 << 20;

/// The packages of an index, listed without reading their files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::index) struct IndexSurvey {
    /// `None` where building the table again costs no more than keeping it.
    pub seal: Option<TableSeal>,
    /// The path of each package's file, with a mark that changes whenever its content does; 0 where it is unknown.
    pub files: Vec<(String, u64)>,
}

/// The directory of search tables, and the context for building them.
#[derive(Clone)]
pub struct TableStore<'a> {
    /// The directory; it is created when it is needed, and may be deleted at any time.
    pub dir: PathBuf,
    /// The time before the first file is read.
    pub now: SystemTime,
    /// How many files are read at once.
    pub jobs: usize,
    /// The reporter of progress and warnings.
    pub reporter: &'a dyn EventReporter,
}

/// Why a table was not built.
enum TableBuildError {
    /// The index cannot be read.
    Index(Error),
    /// The new table cannot be written.
    Output,
    /// The old table is damaged.
    OldTable,
}

impl From<Error> for TableBuildError {
    fn from(error: Error) -> Self {
        TableBuildError::Index(error)
    }
}

impl From<std::io::Error> for TableBuildError {
    fn from(_: std::io::Error) -> Self {
        TableBuildError::Output
    }
}

impl From<DamagedTable> for TableBuildError {
    fn from(_: DamagedTable) -> Self {
        TableBuildError::OldTable
    }
}

/// Writes a table, copying current rows from an old one.
type TableBuildFn<'b> =
    dyn Fn(Option<SearchTable>, &mut dyn Write) -> Result<(), TableBuildError> + 'b;

impl TableStore<'_> {
    /// Opens the table of the index at a URL; `None` if there is no usable one.
    #[must_use]
    pub fn open_table(&self, url: &str) -> Option<SearchTable> {
        SearchTable::open(&self.table_path(url)).filter(|table| table.meta.url == url)
    }

    /// When the table of an index was last checked against the index; `None` if there is none.
    #[must_use]
    pub fn last_checked(&self, url: &str) -> Option<SystemTime> {
        disk::lstat(&self.table_path(url)).ok()??.modified().ok()
    }

    /// Removes a damaged table.
    ///
    /// # Errors
    /// If the disk cannot be written.
    pub fn discard(&self, url: &str) -> Result<()> {
        disk::remove(&self.table_path(url))
    }

    fn table_path(&self, url: &str) -> PathBuf {
        self.dir.join(format!(
            "{}.table",
            hex::encode(&Sha256Digest::hash_bytes(url.as_bytes()).as_bytes()[..8])
        ))
    }

    /// Records that a table was just found to be current.
    fn mark_checked(&self, table: SearchTable) -> SearchTable {
        // The time is only shown to users, so an error does not matter.
        let _ = disk::set_modified(&self.table_path(&table.meta.url), self.now);
        table
    }

    /// Replaces a table with a new one, which is only in memory if the disk cannot be written.
    fn replace_table(
        &self,
        url: &str,
        old: Option<SearchTable>,
        build: &TableBuildFn<'_>,
    ) -> Result<SearchTable> {
        let path = self.table_path(url);
        // A damaged old table is not an error: the new one is built from scratch.
        let written = match write_table(&path, old, build) {
            Err(TableBuildError::OldTable) => write_table(&path, None, build),
            other => other,
        };

        // If the disk cannot be written, the search still works, with a table in memory.
        match written {
            Ok(Ok(())) => self
                .open_table(url)
                .map_or_else(|| build_in_memory(build), Ok),
            Err(TableBuildError::Index(error)) => Err(error),
            Ok(Err(_)) | Err(TableBuildError::Output | TableBuildError::OldTable) => {
                build_in_memory(build)
            }
        }
    }
}

/// Writes a table to a file; the inner error is of the disk.
fn write_table(
    path: &Path,
    old: Option<SearchTable>,
    build: &TableBuildFn<'_>,
) -> Result<Result<()>, TableBuildError> {
    // `replace_file` only returns I/O errors, so the real cause is kept beside it.
    let mut fault = None;
    let written = skills_dir::replace_file(path, |out| {
        build(old, out).map_err(|other| {
            fault = Some(other);
            std::io::Error::other("the table was not built")
        })
    });
    fault.map_or(Ok(written), Err)
}

fn build_in_memory(build: &TableBuildFn<'_>) -> Result<SearchTable> {
    let mut bytes = Vec::new();
    match build(None, &mut bytes) {
        Ok(()) => SearchTable::in_memory(bytes)
            .map_err(|DamagedTable| Error::internal("a table in memory is damaged")),
        Err(TableBuildError::Index(error)) => Err(error),
        Err(TableBuildError::Output | TableBuildError::OldTable) => {
            Err(Error::internal("failed to write a table in memory"))
        }
    }
}

impl Index<'_> {
    /// Opens the index's table, which is built or updated if necessary.
    ///
    /// With `refresh`, the published list is requested again, and every file of a directory is checked; otherwise an
    /// existing table of a published list is used as it is.
    ///
    /// # Errors
    /// If the files of the index cannot be read.
    pub fn search_table(&self, tables: &TableStore<'_>, refresh: bool) -> Result<SearchTable> {
        let old = match tables.open_table(self.url()) {
            Some(old) if self.transport.is_unchanged_since(&old.meta.seal) => {
                match &old.meta.seal {
                    // A file can change without changing the stamps of its directory.
                    TableSeal::Stamps(_) if refresh => Some(old),
                    // The seal alone proves that nothing has changed.
                    _ if refresh => return Ok(tables.mark_checked(old)),
                    _ => return Ok(old),
                }
            }
            old => old,
        };

        if let Some(survey) = self.transport.survey(tables.now)? {
            let reader = RowReader {
                index: self,
                tables,
                survey: &survey,
            };
            return match &survey.seal {
                Some(seal) => {
                    tables.replace_table(self.url(), old, &|old, out| reader.write(old, seal, out))
                }
                // Building it costs no more than reading it.
                None => build_in_memory(&|old, out| reader.write(old, &TableSeal::Never, out)),
            };
        }

        match old {
            Some(old) if !refresh && old.basis() == TableBasis::Published => Ok(old),
            old => self.published_table(tables, old, refresh),
        }
    }

    fn published_table(
        &self,
        tables: &TableStore<'_>,
        old: Option<SearchTable>,
        refresh: bool,
    ) -> Result<SearchTable> {
        let published = match self.read_published() {
            // Offline, a list that was never cached counts as not published.
            Err(error) if !refresh && error.kind() == FailureKind::Network => None,
            published => published?,
        };

        let Some(bytes) = published else {
            let cached = self.transport.cached_entry_files()?;
            return build_in_memory(&|_, out| self.write_cached(&cached, out));
        };

        let seal = TableSeal::Published(Sha256Digest::hash_bytes(&bytes).to_string());
        match old {
            // Only the time of this check is new.
            Some(old) if old.meta.seal == seal => Ok(tables.mark_checked(old)),
            _ => tables.replace_table(self.url(), None, &|_, out| {
                self.write_published(tables, &bytes, &seal, out)
            }),
        }
    }

    /// Reads the published list, decompressed; `None` if the index publishes none.
    fn read_published(&self) -> Result<Option<Vec<u8>>> {
        for name in PUBLISHED_FILES {
            if let Some(bytes) = self.transport.read(name)? {
                // By its first bytes: a proxy may have decompressed a `.gz` file.
                let is_compressed = bytes.starts_with(&[0x1f, 0x8b]);
                return if is_compressed {
                    archive::gunzip(&bytes, PUBLISHED_MAX)
                } else {
                    Ok(bytes)
                }
                .map(Some);
            }
        }
        Ok(None)
    }

    fn write_published(
        &self,
        tables: &TableStore<'_>,
        bytes: &[u8],
        seal: &TableSeal,
        out: &mut dyn Write,
    ) -> Result<(), TableBuildError> {
        let mut writer = TableWriter::new(out, self.url());

        let mut skipped = 0;

        for line in bytes
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.trim_ascii().is_empty())
        {
            match std::str::from_utf8(line)
                .ok()
                .and_then(SearchRow::from_line)
            {
                Some(row) => writer.push(&row)?,
                None => skipped += 1,
            }
        }

        if skipped > 0 {
            let message = format!(
                "ignoring {skipped} invalid lines of `{}` in index `{}`",
                PUBLISHED_FILES[1], self.url
            );
            tables.reporter.report(ProgressEvent::warning(message));
        }

        Ok(writer.finish(TableBasis::Published, seal.clone(), &[])?)
    }

    fn write_cached(
        &self,
        files: &[(String, Vec<u8>)],
        out: &mut dyn Write,
    ) -> Result<(), TableBuildError> {
        let mut writer = TableWriter::new(out, self.url());

        for (path, bytes) in files {
            let row = layout::parse_entry_path(path)
                .and_then(|name| SearchRow::from_entry_file(&name, &decode_text(bytes)));
            row.iter().try_for_each(|row| writer.push(row))?;
        }

        Ok(writer.finish(TableBasis::Cached, TableSeal::Never, &[])?)
    }

    /// Finds the packages for a query with the search index that this index publishes, reading a few files of it; `None` if
    /// it publishes none, or is read more cheaply as a whole.
    ///
    /// # Errors
    /// If a file of the search index cannot be read, or is invalid.
    pub fn search_shards(
        &self,
        query: &SearchQuery,
        limit: usize,
        reporter: &dyn EventReporter,
    ) -> Result<Option<SearchTable>> {
        let is_static = matches!(self.url.kind(), IndexKind::Sparse | IndexKind::Bucket);
        if !self.config.search || !is_static {
            return Ok(None);
        }
        let Some(head) = self.transport.read(SEARCH_HEAD)? else {
            reporter.report(ProgressEvent::warning(format!(
                "ignoring the search index of `{}`: `{SEARCH_HEAD}` not found",
                self.url
            )));
            return Ok(None);
        };

        let mut used = vec![SEARCH_HEAD.to_owned()];
        let found = self.search_with_head(&head, query, limit, &mut used);
        found.map(Some).map_err(|error| {
            // A file that is invalid may be correct by the next search, with the same validators.
            used.iter()
                .for_each(|path| self.transport.discard_copy(path));
            error.wrap(format!("failed to search index `{}`", self.url))
        })
    }

    /// Finds the packages for a query; adds the paths of the files that it reads to `used`.
    fn search_with_head(
        &self,
        head: &[u8],
        query: &SearchQuery,
        limit: usize,
        used: &mut Vec<String>,
    ) -> Result<SearchTable> {
        let head = SearchHead::parse(head)?;
        let search = ShardSearch {
            head: &head,
            query,
            limit,
        };
        search.run(&mut |paths| {
            used.extend_from_slice(paths);
            self.transport.read_all(paths).into_iter().collect()
        })
    }

    /// Writes the search index that may be published with the index, each file by `put`. Returns the number of packages.
    ///
    /// # Errors
    /// If the files of the index cannot be listed or read, or `put` fails.
    pub fn write_search_shards(
        &self,
        tables: &TableStore<'_>,
        put: &mut dyn FnMut(&str, &[u8]) -> Result<()>,
    ) -> Result<usize> {
        let survey = self.list_packages(tables)?;
        let mut table = match &survey.seal {
            Some(_) => self.search_table(tables, true)?,
            None => {
                let reader = RowReader {
                    index: self,
                    tables,
                    survey: &survey,
                };
                build_in_memory(&|old, out| reader.write(old, &TableSeal::Never, out))?
            }
        };
        shards::write_shards(&mut table, put)?;
        Ok(table.len())
    }

    /// The packages of an index, also of one that can only list their paths.
    fn list_packages(&self, tables: &TableStore<'_>) -> Result<IndexSurvey> {
        if let Some(survey) = self.transport.survey(tables.now)? {
            return Ok(survey);
        }

        let paths = self.transport.list_paths()?.ok_or_else(|| {
            Error::usage(format!("cannot list the packages of index `{}`", self.url))
                .help("run it on the index itself: a directory or a git repository")
        })?;
        let mut files: Vec<(String, u64)> = paths
            .into_iter()
            .filter(|path| layout::parse_entry_path(path).is_some())
            .map(|path| (path, 0))
            .collect();
        files.sort_unstable();
        Ok(IndexSurvey { seal: None, files })
    }

    /// Writes the list that may be published with the index, `search.jsonl`: one package per line. Returns their number.
    ///
    /// # Errors
    /// If the files of the index cannot be listed or read, or `out` cannot be written.
    pub fn write_jsonl(&self, tables: &TableStore<'_>, out: &mut dyn Write) -> Result<usize> {
        let survey = self.list_packages(tables)?;

        let reader = RowReader {
            index: self,
            tables,
            survey: &survey,
        };

        let mut count = 0;
        // In chunks: not all files of a large index need to be in memory at once.
        for chunk in survey.files.chunks(CHUNK_SIZE) {
            let paths: Vec<String> = chunk.iter().map(|(path, _)| path.clone()).collect();
            for row in reader
                .read_rows(&paths)?
                .iter()
                .filter_map(|read| read.row.as_ref())
            {
                let line = row
                    .to_line()
                    .ok_or_else(|| Error::internal("the row of a package is invalid"))?;
                writeln!(out, "{line}")
                    .context(|| format!("failed to write `{}`", PUBLISHED_FILES[1]))?;
                count += 1;
            }
        }

        Ok(count)
    }
}

/// Reads the files of an index as rows.
struct RowReader<'r> {
    index: &'r Index<'r>,
    tables: &'r TableStore<'r>,
    survey: &'r IndexSurvey,
}

/// The result of reading one file.
struct FileRow {
    row: Option<SearchRow>,
    /// Whether it is read again by the next search even if its mark is the same.
    reread: bool,
}

impl RowReader<'_> {
    /// Writes the table, reading only the files that changed since `old`.
    fn write(
        &self,
        old: Option<SearchTable>,
        seal: &TableSeal,
        out: &mut dyn Write,
    ) -> Result<(), TableBuildError> {
        // Without an old table every file is new.
        let mut old = old.unwrap_or_else(|| SearchTable::from_rows(&[]));
        let known = old.read_marks()?;
        let new = self.survey.files.iter();
        self.report_reading(new.filter(|file| is_new(&known, file)).count());

        let mut update = TableUpdate {
            known: &known,
            known_rows: known.iter(),
            raw: old.raw_rows(),
            writer: TableWriter::new(out, self.index.url()),
            marks: Vec::with_capacity(self.survey.files.len()),
        };
        // In chunks: not all new files need to be in memory at once.
        for chunk in self.survey.files.chunks(CHUNK_SIZE) {
            self.write_chunk(chunk, &mut update)?;
        }

        let TableUpdate { writer, marks, .. } = update;
        Ok(writer.finish(TableBasis::Files, seal.clone(), &marks)?)
    }

    fn write_chunk(
        &self,
        chunk: &[(String, u64)],
        update: &mut TableUpdate<'_, '_>,
    ) -> Result<(), TableBuildError> {
        let new: Vec<String> = chunk
            .iter()
            .filter(|file| is_new(update.known, file))
            .map(|(path, _)| path.clone())
            .collect();
        let mut read = self.read_rows(&new)?.into_iter();

        for file in chunk {
            let (path, mut state) = file.clone();
            let row = if is_new(update.known, file) {
                let FileRow { row, reread: again } = read.next().expect("each new file was read");
                // With mark 0 it is read again by the next search.
                state = if again { 0 } else { state };
                row.as_ref()
                    .map(|row| update.writer.push(row))
                    .transpose()?
                    .is_some()
            } else {
                copy_row(
                    &path,
                    &mut update.known_rows,
                    &mut update.raw,
                    &mut update.writer,
                )?
            };
            update.marks.push(FileMark { path, state, row });
        }
        Ok(())
    }

    fn report_reading(&self, new: usize) {
        if new >= ANNOUNCE_MIN {
            let what = format!("{new} packages of `{}` for the search", self.index.url);
            self.tables.reporter.report(ProgressEvent::Done {
                verb: "Reading",
                what,
            });
        }
    }

    /// Reads the rows of files.
    fn read_rows(&self, paths: &[String]) -> Result<Vec<FileRow>> {
        // Read as archives are, so that no file is compared and cached for a search alone.
        let files = self.index.transport.fetch_archives(paths, u64::MAX);
        let pairs: Vec<_> = paths.iter().zip(files).collect();
        let batches: Vec<_> = pairs.chunks(BATCH_SIZE).collect();
        let read = run_parallel(self.tables.jobs, &batches, |batch| {
            batch
                .iter()
                .map(|(path, file)| self.read_row(path, file))
                .collect::<Result<Vec<FileRow>>>()
        });

        Ok(read
            .into_iter()
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect())
    }

    fn read_row(&self, path: &str, file: &Result<Option<Vec<u8>>>) -> Result<FileRow> {
        match file {
            Ok(file) => {
                let name = layout::parse_entry_path(path);
                let text = decode_text(file.as_deref().unwrap_or_default());
                Ok(FileRow {
                    row: name.and_then(|name| SearchRow::from_entry_file(&name, &text)),
                    reread: false,
                })
            }
            // One unreadable file must not hide the others.
            Err(error) if error.kind() == FailureKind::Disk => {
                self.tables.reporter.report(ProgressEvent::warning(format!(
                    "ignoring a package: {error}"
                )));
                Ok(FileRow {
                    row: None,
                    reread: true,
                })
            }
            Err(error) => Err(error.clone()),
        }
    }
}

/// A table that is being written from an old one.
struct TableUpdate<'t, 'w> {
    known: &'t [FileMark],
    /// The marks that were not passed yet, beside `raw`.
    known_rows: std::slice::Iter<'t, FileMark>,
    raw: RawRows<'t>,
    writer: TableWriter<'w>,
    marks: Vec<FileMark>,
}

/// Whether a file with this mark has to be read, since the old table does not have it like that.
fn is_new(known: &[FileMark], (path, mark): &(String, u64)) -> bool {
    let at = known.binary_search_by(|known| known.path.as_str().cmp(path));
    // 0 means written so recently that the next change might not change the mark.
    *mark == 0 || at.is_err() || at.is_ok_and(|at| known[at].state != *mark)
}

/// Copies the row of an unchanged file, if it has one; skips those of removed and changed files.
fn copy_row<'m>(
    path: &str,
    known: &mut impl Iterator<Item = &'m FileMark>,
    raw: &mut RawRows<'_>,
    writer: &mut TableWriter<'_>,
) -> Result<bool, TableBuildError> {
    // Old rows and files are both sorted by path, so one walk over the rows is enough.
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

    // The old table lacks rows of its marks.
    Err(TableBuildError::OldTable)
}

/// The mark of a file by its stamp; 0 while a later change might have the same stamp.
pub(in crate::index) fn settled_mark(stamp: &skills_dir::FileStamp, now: SystemTime) -> u64 {
    if stamp.is_settled(now) {
        hash_mark(stamp)
    } else {
        0
    }
}

/// The mark of a file by a value that changes whenever its content does; never 0.
pub(in crate::index) fn hash_mark(identity: &impl Hash) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    identity.hash(&mut hasher);
    hasher.finish() | 1
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::index::transport;
    use skillpm_core::report::SilentReporter;

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
            let world = World {
                dir: tempfile::tempdir().unwrap(),
                now: SystemTime::now() + Duration::from_secs(10),
            };
            world.write("config.json", r#"{"api-version":1,"dl":"archives"}"#);
            world
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.dir.path().join("index").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }

        fn with<T>(&self, work: impl FnOnce(&Index<'_>, &TableStore<'_>) -> T) -> T {
            let url = url::Url::from_file_path(self.dir.path().join("index")).unwrap();
            let index =
                transport::tests::with_tools(|tools| Index::open(url.as_str(), tools).unwrap());
            let dir = self.dir.path().join("search");
            work(
                &index,
                &TableStore {
                    dir,
                    now: self.now,
                    jobs: 2,
                    reporter: &SilentReporter,
                },
            )
        }

        fn rows(&self) -> Vec<SearchRow> {
            let mut table = self.with(|index, tables| index.search_table(tables, false).unwrap());
            (0..u32::try_from(table.len()).unwrap())
                .map(|row| table.row(row).unwrap())
                .collect()
        }

        fn versions(&self) -> Vec<String> {
            let version = |row: SearchRow| format!("{} {}", row.name, row.vers.unwrap_or_default());
            self.rows().into_iter().map(version).collect()
        }

        fn table_file(&self) -> PathBuf {
            let names = disk::list_names(&self.dir.path().join("search")).unwrap();
            assert_eq!(names.len(), 1);
            self.dir.path().join("search").join(&names[0])
        }
    }

    #[test]
    fn the_row_is_the_newest_version_that_is_not_withdrawn() {
        let world = World::new();
        let text = [
            line("pdf", "1.9.0", false, "nine"),
            line("pdf", "1.10.0", false, "ten"),
            line("pdf", "2.0.0-rc.1", false, "candidate"),
            line("pdf", "1.11.0", true, "withdrawn"),
            line("pdf", "1.9.1", false, "fixed"),
            line("other", "9.0.0", false, "another's"),
            "garbage\n".to_owned(),
        ];
        world.write("3/p/pdf", &text.concat());
        world.write("3/c/csv", &line("csv", "1.0.0-rc.1", false, "candidate"));
        world.write("acme/2/go", &line("acme/go", "1.0.0", true, "withdrawn"));
        assert_eq!(world.versions(), ["csv 1.0.0-rc.1", "pdf 1.10.0"]);
    }

    #[test]
    fn after_a_change_only_what_changed_is_read() {
        let world = World::new();
        for name in ["pdf", "csv", "png"] {
            world.write(
                &format!("3/{}/{name}", &name[..1]),
                &line(name, "1.0.0", false, "first"),
            );
        }
        assert_eq!(world.versions(), ["csv 1.0.0", "pdf 1.0.0", "png 1.0.0"]);
        // Rows with a version that no file has show whether they were read again or copied.
        let marks = world.with(|_, tables| {
            let url = url::Url::from_file_path(world.dir.path().join("index")).unwrap();
            let mut old = tables.open_table(url.as_str()).unwrap();
            let (seal, marks) = (old.meta.seal.clone(), old.read_marks().unwrap());
            let mut rows: Vec<SearchRow> = (0..3).map(|row| old.row(row).unwrap()).collect();
            rows.iter_mut()
                .for_each(|row| row.vers = Some("0.0.0".into()));
            // Not every system replaces a file that is open.
            drop(old);
            let write = |_, out: &mut dyn Write| {
                let mut writer = TableWriter::new(out, url.as_str());
                rows.iter().try_for_each(|row| writer.push(row))?;
                Ok(writer.finish(TableBasis::Files, seal.clone(), &marks)?)
            };
            tables.replace_table(url.as_str(), None, &write).unwrap();
            marks.len()
        });
        assert_eq!(marks, 3);
        assert_eq!(world.versions(), ["csv 0.0.0", "pdf 0.0.0", "png 0.0.0"]);
        world.write(
            "3/p/pdf",
            &(line("pdf", "1.0.0", false, "first") + &line("pdf", "2.0.0", false, "second")),
        );
        world.write("3/p/pie", &line("pie", "1.0.0", false, "new"));
        std::fs::remove_file(world.dir.path().join("index/3/c/csv")).unwrap();
        assert_eq!(world.versions(), ["pdf 2.0.0", "pie 1.0.0", "png 0.0.0"]);
    }

    #[test]
    fn a_damaged_table_is_detected_or_built_again() {
        let world = World::new();
        world.write("3/p/pdf", &line("pdf", "1.0.0", false, "first"));
        let whole = world.rows();
        let bytes = std::fs::read(world.table_file()).unwrap();
        for at in (0..bytes.len()).step_by(3) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x41;
            std::fs::write(world.table_file(), &changed).unwrap();
            let mut table = world.with(|index, tables| index.search_table(tables, false).unwrap());
            let found = table.for_each_block(|_| {}).and_then(|()| table.row(0));
            assert!(
                found.as_ref() == Ok(&whole[0]) || found == Err(DamagedTable),
                "byte {at}: {found:?}"
            );
        }
        std::fs::write(world.table_file(), &bytes[..bytes.len() / 2]).unwrap();
        assert_eq!(world.rows(), whole);
    }

    #[test]
    fn without_a_writable_directory_the_table_is_in_memory() {
        let world = World::new();
        world.write("3/p/pdf", &line("pdf", "1.0.0", false, "first"));
        std::fs::write(world.dir.path().join("search"), "in the way").unwrap();
        assert_eq!(world.versions(), ["pdf 1.0.0"]);
    }

    #[test]
    fn a_published_list_is_read_back() {
        let world = World::new();
        world.write(
            "3/p/pdf",
            &line("pdf", "1.0.0", false, "tab\\t, \\\"quote\\\", \\u001b[31m"),
        );
        world.write("acme/3/c/csv", &line("acme/csv", "2.0.0", false, "second"));
        let mut text = Vec::new();
        assert_eq!(
            world
                .with(|index, tables| index.write_jsonl(tables, &mut text))
                .unwrap(),
            2
        );
        let text = String::from_utf8(text).unwrap();
        assert_eq!(
            text.lines()
                .map(|line| SearchRow::from_line(line).unwrap())
                .collect::<Vec<_>>(),
            world.rows()
        );
        assert!(
            text.starts_with(r#"{"name":"pdf","vers":"1.0.0","description":"tab\t"#),
            "{text}"
        );
    }
}
