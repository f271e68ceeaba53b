//! The cache of discovery, so that an unchanged skill is not read again in the next run.
//!
//! A file of frames, in the order of discovery: by root, then by directory. Both are read side by side, so neither is
//! ever in memory as a whole.
//!
//! ```text
//! frame    length (4 bytes), hash (8 bytes), that many bytes of postcard
//! header   { layout, crate version, roots: ["/p/skills", …], records: 419 }
//! records  of the first root …, an empty frame, those of the second …
//! ```
//!
//! It may be deleted at any time, and a file that is damaged, of another version, or about other roots is simply not
//! used. A record is valid only as long as its [`FileStamp`]s are, and is not kept if a file changed so shortly before that a
//! later change might not show in its stamp.
//!
//! [`FileStamp`]: skillpm_io::skills_dir::FileStamp

use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use foldhash::quality::FixedState;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use skillpm_core::package::Sha256Digest;
use skillpm_io::skills_dir::{self, File, OpenedFile};

/// Layout version of the records, increased for changes within one version of the crate.
const LAYOUT: &str = concat!("skillpm catalog 6 ", env!("CARGO_PKG_VERSION"));

/// Maximum size of a frame, in bytes.
const FRAME_MAX: usize = 16 << 20;

/// The location of the cache, and the current time.
#[derive(Debug, Clone)]
pub struct DiscoveryCache {
    path: PathBuf,
    now: SystemTime,
}

impl DiscoveryCache {
    /// The memory for one project in `dir`; `now` is the time before the first file is looked at.
    #[must_use]
    pub fn new(dir: &Path, project: Option<&Path>, now: SystemTime) -> Self {
        // A digest of the path, so that projects of one name have caches of their own.
        let project = project
            .unwrap_or(Path::new(""))
            .as_os_str()
            .as_encoded_bytes();

        // Eight bytes are enough: a collision costs time, since the roots in the header differ.
        let digest = hex::encode(&Sha256Digest::hash_bytes(project).as_bytes()[..8]);
        DiscoveryCache {
            path: dir.join(format!("catalog-{digest}.postcard")),
            now,
        }
    }

    /// The cache file for the metadata of each skill.
    pub(super) fn listings(&self) -> PathBuf {
        self.path.clone()
    }

    /// The cache file for what an agent makes of each `SKILL.md`.
    pub(crate) fn readings(&self) -> PathBuf {
        self.path.with_extension("readings.postcard")
    }

    /// The cache file for the files of each skill.
    pub(super) fn contents(&self) -> PathBuf {
        self.path.with_extension("files.postcard")
    }

    /// The cache file for the files of the skills whose names others have, too.
    pub(super) fn shadowed_contents(&self) -> PathBuf {
        self.path.with_extension("shadowed.postcard")
    }

    /// The cache file for the findings of each skill.
    #[must_use]
    pub fn lint_results(&self) -> PathBuf {
        self.path.with_extension("lint.postcard")
    }

    /// The time before the first file was looked at.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        self.now
    }
}

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct CacheHeader {
    layout: String,
    roots: Vec<String>,
    records: usize,
}

/// A cached record of the skill in one directory.
pub trait CacheRecord: DeserializeOwned {
    /// The directory's name.
    fn directory(&self) -> &str;
}

/// Reads the records of a file, root by root, directory by directory.
pub struct CacheReader<R> {
    file: Option<BufReader<File>>,
    header: CacheHeader,
    /// The root whose records come next.
    current_root: usize,
    next: Option<R>,
    taken: usize,
    scratch: Vec<u8>,
}

impl<R: CacheRecord> CacheReader<R> {
    /// Opens the file; a missing or unusable one has no records.
    #[must_use]
    pub fn open(path: Option<&Path>) -> Self {
        let mut reader = CacheReader {
            file: None,
            header: CacheHeader::default(),
            current_root: 0,
            next: None,
            taken: 0,
            scratch: Vec::new(),
        };

        if let Some(Ok(OpenedFile::File(file, _))) = path.map(skills_dir::open_file) {
            // Read in large pieces, side by side with the walk, and never as a whole.
            reader.file = Some(BufReader::with_capacity(1 << 16, file));
            match reader.next_frame::<CacheHeader>() {
                // Another layout or version is not migrated: the skills are read again.
                CacheFrame::Value(header) if header.layout == LAYOUT => reader.header = header,
                _ => reader.file = None,
            }
        }

        reader
    }

    /// Goes to the records of `root`, if there are any and they have not been passed.
    pub fn seek_root(&mut self, root: &str) {
        self.next = None;

        let position = self.header.roots.iter().position(|known| known == root);
        // Only forward: the caller walks roots in the order in which they were written.
        let Some(target) = position.filter(|wanted| *wanted >= self.current_root) else {
            return;
        };

        while self.current_root < target {
            match self.next_frame::<R>() {
                CacheFrame::Value(_) => {}
                CacheFrame::RootEnd => self.current_root += 1,
                CacheFrame::Unreadable(cause) => {
                    self.file = None;
                    return report_unreadable(&cause);
                }
                CacheFrame::FileEnd => return,
            }
        }

        self.advance();
    }

    /// The record of `directory` in the root that was entered; directories are asked for in order.
    pub fn take_record(&mut self, directory: &str) -> Option<R> {
        while self
            .next
            .as_ref()
            .is_some_and(|record| record.directory() < directory)
        {
            self.advance();
        }

        let record = self
            .next
            .take_if(|record| record.directory() == directory)?;

        self.taken += 1;
        self.advance();
        Some(record)
    }

    /// Whether every record was asked for.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.taken == self.header.records
    }

    fn advance(&mut self) {
        self.next = match self.next_frame() {
            CacheFrame::Value(record) => Some(record),
            CacheFrame::RootEnd => {
                self.current_root += 1;
                None
            }
            CacheFrame::Unreadable(cause) => {
                self.file = None;
                report_unreadable(&cause);
                None
            }
            CacheFrame::FileEnd => None,
        };
    }

    /// The next frame; a damaged one ends the file.
    fn next_frame<T: DeserializeOwned>(&mut self) -> CacheFrame<T> {
        let Some(file) = &mut self.file else {
            return CacheFrame::FileEnd;
        };

        read_frame(file, &mut self.scratch).unwrap_or_else(|| {
            self.file = None;
            CacheFrame::FileEnd
        })
    }
}

/// One frame of the file.
enum CacheFrame<T> {
    /// It contains this record.
    Value(T),
    /// It is empty: a root ends.
    RootEnd,
    /// It is intact, but cannot be decoded: written by another version, or the formats of writing and reading differ.
    Unreadable(postcard::Error),
    /// There is no further frame.
    FileEnd,
}

/// A record of the same version cannot be decoded. Then nothing is cached and every run reads everything, with the same
/// result: only a failing test shows it.
fn report_unreadable(cause: &postcard::Error) {
    debug_assert!(false, "a record of the cache cannot be read: {cause}");
}

fn read_frame<T: DeserializeOwned>(
    file: &mut impl Read,
    scratch: &mut Vec<u8>,
) -> Option<CacheFrame<T>> {
    let (mut length, mut hash) = ([0; 4], [0; 8]);
    file.read_exact(&mut length).ok()?;

    let length = usize::try_from(u32::from_le_bytes(length))
        .ok()
        .filter(|length| *length <= FRAME_MAX)?;

    // A length of zero is the mark between two roots.
    if length == 0 {
        return Some(CacheFrame::RootEnd);
    }

    file.read_exact(&mut hash).ok()?;
    // The length is checked above, so that damage cannot make us allocate without a limit.
    scratch.resize(length, 0);
    file.read_exact(scratch).ok()?;

    // A wrong hash is damage, and what follows cannot be found behind it.
    if hash_of(scratch) != u64::from_le_bytes(hash) {
        return None;
    }

    Some(match postcard::from_bytes(scratch) {
        Ok(value) => CacheFrame::Value(value),
        Err(cause) => CacheFrame::Unreadable(cause),
    })
}

/// Detects damage, not attacks: anyone who can write the file can write the skills.
fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

/// Writes a file of records: for each root its path and its records in the order of their directories.
///
/// Write errors are ignored: the next run then reads the skills again.
pub fn write_records<T: Serialize>(path: &Path, roots: &[(String, Vec<T>)]) {
    let header = CacheHeader {
        layout: LAYOUT.to_owned(),
        roots: roots.iter().map(|(root, _)| root.clone()).collect(),
        records: roots.iter().map(|(_, records)| records.len()).sum(),
    };

    let written = skills_dir::replace_file(path, |out| write_frames(out, &header, roots));
    // A cache that could not be written costs time and nothing else.
    drop(written);
}

fn write_frames<T: Serialize>(
    out: &mut dyn Write,
    header: &CacheHeader,
    roots: &[(String, Vec<T>)],
) -> io::Result<()> {
    let mut buffer = Vec::new();
    write_frame(out, &mut buffer, header)?;

    for (_, records) in roots {
        for record in records {
            write_frame(out, &mut buffer, record)?;
        }
        // An empty frame ends each root, also one without records.
        out.write_all(&0u32.to_le_bytes())?;
    }
    Ok(())
}

fn write_frame<T: Serialize>(
    out: &mut dyn Write,
    buffer: &mut Vec<u8>,
    value: &T,
) -> io::Result<()> {
    // One buffer for all records, since there may be a hundred thousand.
    buffer.clear();

    // Into the buffer first: length and hash stand before the bytes.
    postcard::to_io(value, &mut *buffer).map_err(io::Error::other)?;
    let length = u32::try_from(buffer.len()).map_err(io::Error::other)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&hash_of(buffer).to_le_bytes())?;
    out.write_all(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Pair(String, u32);

    impl CacheRecord for Pair {
        fn directory(&self) -> &str {
            &self.0
        }
    }

    fn pairs(names: &[&str]) -> Vec<Pair> {
        (0..)
            .zip(names)
            .map(|(number, name)| Pair((*name).to_owned(), number))
            .collect()
    }

    fn file() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("index/c.postcard");
        let (one, three) = (pairs(&["a", "c", "d"]), pairs(&["b"]));
        let roots = [
            ("/one", one.iter().collect()),
            ("/two", vec![]),
            ("/three", three.iter().collect()),
        ];
        write_records(
            &path,
            &roots.map(|(root, records)| (root.to_owned(), records)),
        );
        (dir, path)
    }

    /// The records found for these requests, in this order.
    fn ask(path: &Path, wanted: &[(&str, &[&str])]) -> (Vec<String>, bool) {
        let mut reader = CacheReader::<Pair>::open(Some(path));
        let mut found = Vec::new();
        for (root, directories) in wanted {
            reader.seek_root(root);
            found.extend(
                directories
                    .iter()
                    .filter_map(|name| reader.take_record(name))
                    .map(|pair| format!("{root}/{}", pair.0)),
            );
        }
        (found, reader.is_exhausted())
    }

    #[test]
    fn records_are_found_in_step_with_the_directories() {
        let (_dir, path) = file();
        let all: (Vec<String>, bool) = (
            vec![
                "/one/a".into(),
                "/one/c".into(),
                "/one/d".into(),
                "/three/b".into(),
            ],
            true,
        );
        assert_eq!(
            ask(
                &path,
                &[("/one", &["a", "b", "c", "d"]), ("/three", &["b"])]
            ),
            all
        );
        assert_eq!(
            ask(&path, &[("/one", &["b", "d", "e"])]),
            (vec!["/one/d".into()], false)
        );
        assert_eq!(
            ask(&path, &[("/new", &["a"]), ("/three", &["b"])]),
            (vec!["/three/b".into()], false)
        );
        assert_eq!(
            ask(&path, &[("/three", &["b"]), ("/one", &["a"])]),
            (vec!["/three/b".into()], false)
        );
    }

    #[test]
    fn a_damaged_file_gives_true_records_or_none() {
        let (_dir, path) = file();
        let whole = std::fs::read(&path).unwrap();
        let wanted: &[(&str, &[&str])] = &[("/one", &["a", "c", "d"]), ("/three", &["b"])];
        let (all, _) = ask(&path, wanted);
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x15;
            std::fs::write(&path, &bytes).unwrap();
            let (found, _) = ask(&path, wanted);
            assert!(
                found.iter().all(|name| all.contains(name)),
                "byte {at}: {found:?}"
            );
            std::fs::write(&path, &whole[..at]).unwrap();
            let (found, _) = ask(&path, wanted);
            assert!(
                found.iter().all(|name| all.contains(name)),
                "cut at {at}: {found:?}"
            );
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_is_no_failure() {
        let (_dir, path) = file();
        write_records(
            &path.join("below/a/file"),
            &[("/".to_owned(), vec![&pairs(&["a"])[0]])],
        );
        assert!(ask(&path.join("below"), &[]).1);
    }
}
