//! What discovery remembers from one run to the next, so that an unchanged skill is not read again.
//!
//! A file of frames, sorted as discovery walks: by root, then by directory. Both are read side by side, so neither is
//! ever held whole.
//!
//! ```text
//! frame    length (4 bytes), hash (8 bytes), that many bytes of postcard
//! header   { layout, crate version, roots: ["/p/skills", …], records: 419 }
//! records  of the first root …, an empty frame, those of the second …
//! ```
//!
//! It may be deleted at any time, and a file that is damaged, of another version, or about other roots is simply not
//! used. A record holds only as long as its [`Stamp`]s do, and is not kept if a file changed so shortly before that a
//! later change might not show in its stamp.
//!
//! [`Stamp`]: crate::io::skills_dir::Stamp

use std::hash::Hasher;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::io::skills_dir::{self, File, Opened};
use crate::package::Sha256;

/// Counts the changes to what records hold within one version of the crate.
const LAYOUT: &str = concat!("skillpm catalog 5 ", env!("CARGO_PKG_VERSION"));

/// Longest frame that is believed in, in bytes.
const FRAME_MAX: usize = 16 << 20;

/// Where discovery keeps what it remembers, and what time it is.
#[derive(Debug, Clone)]
pub struct Memory {
    path: PathBuf,
    now: SystemTime,
}

impl Memory {
    /// The memory for one project in `dir`; `now` is the time before the first file is looked at.
    #[must_use]
    pub fn new(dir: &Path, project: Option<&Path>, now: SystemTime) -> Self {
        let project = project.unwrap_or(Path::new("")).as_os_str().as_encoded_bytes();
        let digest = hex::encode(&Sha256::of(project).as_bytes()[..8]);
        Memory { path: dir.join(format!("catalog-{digest}.postcard")), now }
    }

    /// The file that remembers what each `SKILL.md` says.
    pub(super) fn listings(&self) -> PathBuf {
        self.path.clone()
    }

    /// The file that remembers what files each skill has.
    pub(super) fn contents(&self) -> PathBuf {
        self.path.with_extension("files.postcard")
    }

    /// The time before the first file was looked at.
    pub(super) fn now(&self) -> SystemTime {
        self.now
    }
}

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    layout: String,
    roots: Vec<String>,
    records: usize,
}

/// Something that is remembered of the skill in one directory.
pub(super) trait Record: DeserializeOwned {
    /// The directory's name.
    fn directory(&self) -> &str;
}

/// Reads the records of a file, root by root, directory by directory.
pub(super) struct Reader<R> {
    file: Option<BufReader<File>>,
    header: Header,
    /// The root whose records come next.
    at: usize,
    next: Option<R>,
    used: usize,
    scratch: Vec<u8>,
}

impl<R: Record> Reader<R> {
    /// Opens the file; one that is not there, or that cannot be used, holds nothing.
    pub(super) fn open(path: Option<&Path>) -> Self {
        let mut reader =
            Reader { file: None, header: Header::default(), at: 0, next: None, used: 0, scratch: Vec::new() };
        if let Some(Ok(Opened::File(file, _))) = path.map(skills_dir::open) {
            reader.file = Some(BufReader::with_capacity(1 << 16, file));
            match reader.frame::<Header>() {
                Frame::Holds(header) if header.layout == LAYOUT => reader.header = header,
                _ => reader.file = None,
            }
        }
        reader
    }

    /// Goes to the records of `root`, if there are any and they have not been passed.
    pub(super) fn enter(&mut self, root: &str) {
        self.next = None;
        let wanted = self.header.roots.iter().position(|known| known == root);
        let Some(wanted) = wanted.filter(|wanted| *wanted >= self.at) else { return };
        while self.at < wanted {
            match self.frame::<R>() {
                Frame::Holds(_) => {}
                Frame::Empty => self.at += 1,
                Frame::Unreadable(cause) => {
                    self.file = None;
                    return unread(&cause);
                }
                Frame::Nothing => return,
            }
        }
        self.advance();
    }

    /// The record of `directory` in the root that was entered; directories are asked for in order.
    pub(super) fn take(&mut self, directory: &str) -> Option<R> {
        while self.next.as_ref().is_some_and(|record| record.directory() < directory) {
            self.advance();
        }
        let record = self.next.take_if(|record| record.directory() == directory)?;
        self.used += 1;
        self.advance();
        Some(record)
    }

    /// Whether every record was asked for.
    pub(super) fn is_spent(&self) -> bool {
        self.used == self.header.records
    }

    fn advance(&mut self) {
        self.next = match self.frame() {
            Frame::Holds(record) => Some(record),
            Frame::Empty => {
                self.at += 1;
                None
            }
            Frame::Unreadable(cause) => {
                self.file = None;
                unread(&cause);
                None
            }
            Frame::Nothing => None,
        };
    }

    /// The next frame; a damaged one ends the file.
    fn frame<T: DeserializeOwned>(&mut self) -> Frame<T> {
        let Some(file) = &mut self.file else { return Frame::Nothing };
        read_frame(file, &mut self.scratch).unwrap_or_else(|| {
            self.file = None;
            Frame::Nothing
        })
    }
}

/// One frame of the file.
enum Frame<T> {
    /// It holds this.
    Holds(T),
    /// It is empty: a root ends.
    Empty,
    /// It is whole, and none of these: another version wrote it, or what is written is not what is read.
    Unreadable(postcard::Error),
    /// There is no further frame.
    Nothing,
}

/// A record that its own version wrote cannot be read. Then nothing is remembered any more and every run reads everything,
/// with the same answer: only a failing test shows it.
fn unread(cause: &postcard::Error) {
    debug_assert!(false, "a record of the cache cannot be read: {cause}");
}

fn read_frame<T: DeserializeOwned>(file: &mut impl Read, scratch: &mut Vec<u8>) -> Option<Frame<T>> {
    let (mut length, mut hash) = ([0; 4], [0; 8]);
    file.read_exact(&mut length).ok()?;
    let length = usize::try_from(u32::from_le_bytes(length)).ok().filter(|length| *length <= FRAME_MAX)?;
    if length == 0 {
        return Some(Frame::Empty);
    }
    file.read_exact(&mut hash).ok()?;
    scratch.resize(length, 0);
    file.read_exact(scratch).ok()?;
    if hash_of(scratch) != u64::from_le_bytes(hash) {
        return None;
    }
    Some(match postcard::from_bytes(scratch) {
        Ok(value) => Frame::Holds(value),
        Err(cause) => Frame::Unreadable(cause),
    })
}

/// Finds damage, not intent: whoever can write the file can write the skills.
fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// Writes a file of records: for each root its path and its records in the order of their directories.
///
/// A file that cannot be written is not written: the next run then reads what this one has read.
pub(super) fn write<T: Serialize>(path: &Path, roots: &[(String, Vec<T>)]) {
    let header = Header {
        layout: LAYOUT.to_owned(),
        roots: roots.iter().map(|(root, _)| root.clone()).collect(),
        records: roots.iter().map(|(_, records)| records.len()).sum(),
    };
    let written = skills_dir::replace(path, |out| {
        let mut buffer = Vec::new();
        write_frame(out, &mut buffer, &header)?;
        for (_, records) in roots {
            for record in records {
                write_frame(out, &mut buffer, record)?;
            }
            out.write_all(&0u32.to_le_bytes())?;
        }
        Ok(())
    });
    drop(written);
}

fn write_frame<T: Serialize>(out: &mut dyn Write, buffer: &mut Vec<u8>, value: &T) -> io::Result<()> {
    buffer.clear();
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

    impl Record for Pair {
        fn directory(&self) -> &str {
            &self.0
        }
    }

    fn pairs(names: &[&str]) -> Vec<Pair> {
        (0..).zip(names).map(|(number, name)| Pair((*name).to_owned(), number)).collect()
    }

    fn file() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("index/c.postcard");
        let (one, three) = (pairs(&["a", "c", "d"]), pairs(&["b"]));
        let roots = [("/one", one.iter().collect()), ("/two", vec![]), ("/three", three.iter().collect())];
        write(&path, &roots.map(|(root, records)| (root.to_owned(), records)));
        (dir, path)
    }

    /// What is found when these are asked for, in this order.
    fn ask(path: &Path, wanted: &[(&str, &[&str])]) -> (Vec<String>, bool) {
        let mut reader = Reader::<Pair>::open(Some(path));
        let mut found = Vec::new();
        for (root, directories) in wanted {
            reader.enter(root);
            found.extend(
                directories.iter().filter_map(|name| reader.take(name)).map(|pair| format!("{root}/{}", pair.0)),
            );
        }
        (found, reader.is_spent())
    }

    #[test]
    fn records_are_found_in_step_with_the_directories() {
        let (_dir, path) = file();
        let all: (Vec<String>, bool) =
            (vec!["/one/a".into(), "/one/c".into(), "/one/d".into(), "/three/b".into()], true);
        assert_eq!(ask(&path, &[("/one", &["a", "b", "c", "d"]), ("/three", &["b"])]), all);
        assert_eq!(ask(&path, &[("/one", &["b", "d", "e"])]), (vec!["/one/d".into()], false));
        assert_eq!(ask(&path, &[("/new", &["a"]), ("/three", &["b"])]), (vec!["/three/b".into()], false));
        assert_eq!(ask(&path, &[("/three", &["b"]), ("/one", &["a"])]), (vec!["/three/b".into()], false));
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
            assert!(found.iter().all(|name| all.contains(name)), "byte {at}: {found:?}");
            std::fs::write(&path, &whole[..at]).unwrap();
            let (found, _) = ask(&path, wanted);
            assert!(found.iter().all(|name| all.contains(name)), "cut at {at}: {found:?}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_is_no_failure() {
        let (_dir, path) = file();
        write(&path.join("below/a/file"), &[("/".to_owned(), vec![&pairs(&["a"])[0]])]);
        assert!(ask(&path.join("below"), &[]).1);
    }
}
