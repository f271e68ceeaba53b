//! The file format of a search table.
//!
//! ```text
//! "skillpm search 2"
//! block      starts   offset of each row's text, and the end of the last     (rows + 1) × u32
//!            text     name US keywords US description, in lower case         one row after the other
//!            starts   offset of each row's record, and the end of the last   (rows + 1) × u32
//!            records  checksum of the row (u32), the row as postcard
//! block …
//! marks      the state of each file of the index when it was read, as postcard
//! meta       postcard: basis, seal, and the offset of each block
//! footer     offset, length and checksum of meta; "skillpm search 2"
//! ```
//!
//! A search reads meta, then starts and text of each block into one buffer that fits into the processor's cache; then the
//! records of the shown rows. Numbers are little-endian. All data is checked against its checksum (CRC-32), so that damage is
//! detected (not malice: anyone who can write the file can write the skills).

use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::SearchRow;
use super::query::fold_text;
use skillpm_io::skills_dir::{self, File, OpenedFile};

const MAGIC: &[u8; 16] = b"skillpm search 2";

/// Length of the footer.
const FOOTER_SIZE: usize = 40;

/// The text size of a block; a row is never split.
const BLOCK_SIZE: usize = 256 << 10;

/// Largest valid piece, in bytes.
const PIECE_MAX: u64 = 1 << 30;

/// The separator of the fields in a row's text.
pub(super) const SEPARATOR: u8 = 0x1f;

/// The data that a table was built from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableBasis {
    /// The files of all packages.
    Files,
    /// The list that the index publishes (`search.jsonl`).
    Published,
    /// The cached files of packages: the index publishes no list.
    Cached,
}

/// The state of an index that a table was built from, to detect changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::index) enum TableSeal {
    /// Unknown: the table is always built again.
    Never,
    /// The commit it was built from.
    Commit(String),
    /// The stamps of directories and files in the index, each with its path; 0 where one is too recent to be reliable.
    Stamps(Vec<(String, u64)>),
    /// The digest of the published list.
    Published(String),
}

/// The state of a package's file when its row was built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileMark {
    pub path: String,
    /// Its mark, as in [`IndexSurvey::files`].
    pub state: u64,
    /// Whether the file has a row, since it has a version that is not withdrawn.
    pub row: bool,
}

/// The metadata of a table.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct TableMeta {
    pub url: String,
    pub basis: TableBasis,
    pub seal: TableSeal,
    pub rows: u32,
    /// Bytes of text in all blocks.
    pub text: u64,
    blocks: Vec<TableBlock>,
    marks: (u64, u64, u64),
}

impl TableMeta {
    /// The metadata of an empty table.
    fn new(url: &str) -> TableMeta {
        TableMeta {
            url: url.to_owned(),
            basis: TableBasis::Files,
            seal: TableSeal::Never,
            rows: 0,
            text: 0,
            blocks: Vec::new(),
            marks: (0, 0, 0),
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct TableBlock {
    at: u64,
    rows: u32,
    text: u32,
    records: u32,
    /// The checksum of starts and text.
    sum: u32,
}

impl TableBlock {
    fn offsets_size(&self) -> usize {
        (self.rows as usize + 1) * 4
    }

    /// The offset of the records' starts in the file.
    fn records_offset(&self) -> u64 {
        self.at + self.offsets_size() as u64 + u64::from(self.text)
    }
}

/// The error that a table is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DamagedTable;

trait TableSource: Read + Seek + Send {}
impl<T: Read + Seek + Send> TableSource for T {}

/// The searchable packages of one index.
pub struct SearchTable {
    bytes: Box<dyn TableSource>,
    pub(super) meta: TableMeta,
    /// The statistics of all packages, if the table has only some of them, for one query.
    pub(super) sample: Option<TableSample>,
    buffer: Vec<u8>,
}

/// The statistics of an index of whose packages a table has only the best for one query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableSample {
    /// The number of packages.
    pub rows: u32,
    /// Bytes of their text.
    pub text: u64,
    /// How many of them have each word of the query.
    pub rows_with: Vec<u32>,
    /// How many of them have all words.
    pub hits: usize,
}

/// One block's rows as text.
pub(super) struct BlockTexts<'t> {
    /// The number of its first row.
    pub first: u32,
    /// The offset of each row in `text`, and the end of the last.
    pub starts: &'t [u32],
    /// The rows, one after the other.
    pub text: &'t [u8],
}

impl SearchTable {
    /// Opens a table; `None` if there is no usable one.
    pub(super) fn open(path: &Path) -> Option<SearchTable> {
        // Any failure means no table: it is a cache, and is built again.
        match skills_dir::open_file(path) {
            Ok(OpenedFile::File(file, _)) => SearchTable::from_source::<File>(file).ok(),
            _ => None,
        }
    }

    /// Creates a table in memory, of rows that are not from an index.
    #[must_use]
    pub fn from_rows(rows: &[SearchRow]) -> SearchTable {
        let mut bytes = Vec::new();
        let mut writer = TableWriter::new(&mut bytes, "");
        let written = rows.iter().try_for_each(|row| writer.push(row));
        written
            .and_then(|()| writer.finish(TableBasis::Files, TableSeal::Never, &[]))
            .expect("memory can be written");
        SearchTable::in_memory(bytes).expect("a table that was just written is valid")
    }

    pub(super) fn in_memory(bytes: Vec<u8>) -> Result<SearchTable, DamagedTable> {
        SearchTable::from_source(Cursor::new(bytes))
    }

    fn from_source<T: Read + Seek + Send + 'static>(
        mut bytes: T,
    ) -> Result<SearchTable, DamagedTable> {
        let damaged = |_| DamagedTable;
        // From the end: the footer is written last, and shows that the table is complete.
        let end = bytes.seek(SeekFrom::End(0)).map_err(damaged)?;
        let at = end.checked_sub(FOOTER_SIZE as u64).ok_or(DamagedTable)?;
        let mut footer = [0; FOOTER_SIZE];
        bytes.seek(SeekFrom::Start(at)).map_err(damaged)?;
        bytes.read_exact(&mut footer).map_err(damaged)?;

        let number =
            |at: usize| u64::from_le_bytes(footer[at..at + 8].try_into().expect("eight bytes"));
        // The meta block must end exactly where the footer begins.
        if &footer[24..] != MAGIC || number(0).checked_add(number(8)) != Some(at) {
            return Err(DamagedTable);
        }

        let mut table = SearchTable {
            bytes: Box::new(bytes),
            meta: TableMeta::new(""),
            sample: None,
            buffer: Vec::new(),
        };
        table.meta = table.read_piece((number(0), number(8), number(16)))?;
        Ok(table)
    }

    /// The number of packages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.meta.rows as usize
    }

    /// Whether there are no packages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.meta.rows == 0
    }

    /// The data it was built from.
    #[must_use]
    pub fn basis(&self) -> TableBasis {
        self.meta.basis
    }

    /// Calls `each` with the text of all rows, block by block.
    pub(super) fn for_each_block(
        &mut self,
        mut each: impl FnMut(&BlockTexts<'_>),
    ) -> Result<(), DamagedTable> {
        // One buffer for all blocks: a search reads the whole table, and would allocate for each.
        let (mut first, mut starts) = (0, Vec::new());
        for at in 0..self.meta.blocks.len() {
            self.load_block(at, &mut starts)?;
            let block = &self.meta.blocks[at];
            each(&BlockTexts {
                first,
                starts: &starts,
                text: &self.buffer[block.offsets_size()..],
            });
            first += block.rows;
        }
        Ok(())
    }

    /// Reads starts and text of a block into the buffer.
    fn load_block(&mut self, at: usize, starts: &mut Vec<u32>) -> Result<(), DamagedTable> {
        let TableBlock {
            at,
            rows,
            text,
            sum,
            ..
        } = self.meta.blocks[at];

        let length = (rows as usize + 1) * 4;
        self.fill_buffer(at, length as u64 + u64::from(text))?;
        if crc32fast::hash(&self.buffer) != sum {
            return Err(DamagedTable);
        }
        read_offsets(&self.buffer[..length], text, starts)
    }

    /// Reads `length` bytes at `at` into the buffer.
    fn fill_buffer(&mut self, at: u64, length: u64) -> Result<(), DamagedTable> {
        // A damaged length must not make us allocate gigabytes.
        let length = usize::try_from(length)
            .ok()
            .filter(|_| length <= PIECE_MAX)
            .ok_or(DamagedTable)?;

        // Not cleared before: `read_exact` overwrites all of it.
        self.buffer.resize(length, 0);
        self.bytes
            .seek(SeekFrom::Start(at))
            .map_err(|_| DamagedTable)?;
        self.bytes
            .read_exact(&mut self.buffer)
            .map_err(|_| DamagedTable)
    }

    fn read_piece<T: DeserializeOwned>(
        &mut self,
        (at, length, sum): (u64, u64, u64),
    ) -> Result<T, DamagedTable> {
        self.fill_buffer(at, length)?;
        // Before decoding, so that damaged bytes never reach the decoder.
        if u64::from(crc32fast::hash(&self.buffer)) != sum {
            return Err(DamagedTable);
        }
        postcard::from_bytes(&self.buffer).map_err(|cause| undecodable(&cause))
    }

    /// One row, by its number.
    ///
    /// # Errors
    /// If the table is damaged there.
    pub fn row(&mut self, number: u32) -> Result<SearchRow, DamagedTable> {
        let mut first = 0;
        let block = self.meta.blocks.iter().find(|block| {
            // After each block `first` is the number of the next row.
            first += block.rows;
            number < first
        });

        let block = block.ok_or(DamagedTable)?.clone();
        // Two neighboring offsets, start and end, in one read.
        let inside = number - (first - block.rows);
        self.fill_buffer(block.records_offset() + u64::from(inside) * 4, 8)?;

        let word =
            |at: usize| u32::from_le_bytes(self.buffer[at..at + 4].try_into().expect("four bytes"));
        let (start, end) = (word(0), word(4));
        // The block's checksum covers text only, so the offsets of records are checked by themselves.
        if start > end || end > block.records {
            return Err(DamagedTable);
        }

        self.fill_buffer(
            block.records_offset() + block.offsets_size() as u64 + u64::from(start),
            u64::from(end - start),
        )?;
        decode_row(&self.buffer)
    }

    /// Reads the marks of the index's files, in the order of the rows.
    pub(super) fn read_marks(&mut self) -> Result<Vec<FileMark>, DamagedTable> {
        self.read_piece(self.meta.marks)
    }

    /// Iterates over text and record of every row as they are in the file.
    pub(super) fn raw_rows(&mut self) -> RawRows<'_> {
        RawRows {
            table: self,
            block: 0,
            row: 0,
            starts: Vec::new(),
            tails: Vec::new(),
            records: Vec::new(),
        }
    }
}

/// The rows of a table as they are in the file, one after the other.
pub(super) struct RawRows<'t> {
    table: &'t mut SearchTable,
    /// The next block.
    block: usize,
    /// The next row in the loaded block.
    row: usize,
    starts: Vec<u32>,
    tails: Vec<u32>,
    records: Vec<u8>,
}

impl RawRows<'_> {
    /// The next row's text and record.
    pub(super) fn next(&mut self) -> Result<(&[u8], &[u8]), DamagedTable> {
        // A loop, since a block could be empty.
        while self.row + 1 >= self.starts.len() {
            self.load_block()?;
        }

        let at = self.row;
        self.row += 1;
        let text = &self.table.buffer[self.starts.len() * 4..];
        let text = &text[self.starts[at] as usize..self.starts[at + 1] as usize];
        let record = &self.records[self.tails[at] as usize..self.tails[at + 1] as usize];
        Ok((text, record))
    }

    fn load_block(&mut self) -> Result<(), DamagedTable> {
        let block = self
            .table
            .meta
            .blocks
            .get(self.block)
            .ok_or(DamagedTable)?
            .clone();

        self.table.fill_buffer(
            block.records_offset(),
            block.offsets_size() as u64 + u64::from(block.records),
        )?;

        read_offsets(
            &self.table.buffer[..block.offsets_size()],
            block.records,
            &mut self.tails,
        )?;
        self.records.clear();
        self.records
            .extend_from_slice(&self.table.buffer[block.offsets_size()..]);
        // Loaded last, since `next` takes the text from that buffer.
        self.table.load_block(self.block, &mut self.starts)?;
        (self.block, self.row) = (self.block + 1, 0);
        Ok(())
    }
}

/// Reads the offsets of rows; they must be sorted, and end at `end`.
fn read_offsets(bytes: &[u8], end: u32, into: &mut Vec<u32>) -> Result<(), DamagedTable> {
    into.clear();
    into.extend(
        bytes
            .chunks_exact(4)
            .map(|four| u32::from_le_bytes(four.try_into().expect("four bytes"))),
    );

    // Sorted and ending at the text's end: no slice by them can be out of bounds.
    let whole = into.is_sorted() && into.last() == Some(&end);
    if whole { Ok(()) } else { Err(DamagedTable) }
}

/// Reads a row's record.
pub(super) fn decode_row(record: &[u8]) -> Result<SearchRow, DamagedTable> {
    let (written, row) = record.split_first_chunk::<4>().ok_or(DamagedTable)?;
    if crc32fast::hash(row) != u32::from_le_bytes(*written) {
        return Err(DamagedTable);
    }
    postcard::from_bytes(row).map_err(|cause| undecodable(&cause))
}

/// The error for data with a valid checksum that cannot be decoded. In production the table is just built again, so the
/// assertion makes the fault visible in tests.
fn undecodable(cause: &postcard::Error) -> DamagedTable {
    debug_assert!(false, "failed to decode a part of a table: {cause}");
    DamagedTable
}

/// Writes a table row by row, with at most one block in memory.
pub(super) struct TableWriter<'w> {
    out: &'w mut dyn Write,
    at: u64,
    meta: TableMeta,
    starts: Vec<u32>,
    text: Vec<u8>,
    tails: Vec<u32>,
    records: Vec<u8>,
}

impl<'w> TableWriter<'w> {
    pub(super) fn new(out: &'w mut dyn Write, url: &str) -> Self {
        let meta = TableMeta::new(url);
        TableWriter {
            out,
            at: 0,
            meta,
            starts: Vec::new(),
            text: Vec::with_capacity(BLOCK_SIZE),
            tails: Vec::new(),
            records: Vec::with_capacity(BLOCK_SIZE),
        }
    }

    /// Adds a row.
    pub(super) fn push(&mut self, row: &SearchRow) -> std::io::Result<()> {
        // Folded once here, instead of in every search.
        let mut text = fold_text(&row.name).into_bytes();
        for field in [
            &row.keywords.join(" "),
            row.description.as_deref().unwrap_or_default(),
        ] {
            text.push(SEPARATOR);
            text.extend_from_slice(fold_text(field).as_bytes());
        }

        let row = postcard::to_stdvec(row).map_err(std::io::Error::other)?;
        let record = [&crc32fast::hash(&row).to_le_bytes()[..], &row].concat();
        self.push_raw(&text, &record)
    }

    /// Adds a row as another table has it.
    pub(super) fn push_raw(&mut self, text: &[u8], record: &[u8]) -> std::io::Result<()> {
        // Before the row is added, so that a block is only larger if one row is.
        if self.text.len() + text.len() > BLOCK_SIZE {
            self.finish_block()?;
        }

        // Offsets in 32 bits: half the size, and a block is far smaller.
        self.starts.push(to_u32(self.text.len())?);
        self.text.extend_from_slice(text);
        self.tails.push(to_u32(self.records.len())?);
        self.records.extend_from_slice(record);
        self.meta.rows += 1;
        Ok(())
    }

    fn finish_block(&mut self) -> std::io::Result<()> {
        if self.starts.is_empty() {
            return Ok(());
        }

        let rows = to_u32(self.starts.len())?;
        let (text, records) = (to_u32(self.text.len())?, to_u32(self.records.len())?);
        self.starts.push(text);
        self.tails.push(records);
        let mut front = offset_bytes(&self.starts);
        front.extend_from_slice(&self.text);

        // Once, before the first block.
        if self.at == 0 {
            self.write(MAGIC)?;
        }

        self.meta.blocks.push(TableBlock {
            at: self.at,
            rows,
            text,
            records,
            sum: crc32fast::hash(&front),
        });
        self.meta.text += u64::from(text);

        self.write(&front)?;
        self.write(&offset_bytes(&self.tails))?;
        // Taken out and put back, since `write` needs all of `self`.
        let records = std::mem::take(&mut self.records);
        self.write(&records)?;
        self.records = records;

        self.clear_block();
        Ok(())
    }

    fn clear_block(&mut self) {
        // Cleared, not dropped: the next block needs as much memory.
        for list in [&mut self.starts, &mut self.tails] {
            list.clear();
        }
        for bytes in [&mut self.text, &mut self.records] {
            bytes.clear();
        }
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Writes the last block, the metadata and the footer.
    pub(super) fn finish(
        mut self,
        basis: TableBasis,
        seal: TableSeal,
        marks: &[FileMark],
    ) -> std::io::Result<()> {
        self.finish_block()?;
        // After the rows, in whose order they are.
        self.meta.marks = self.write_piece(marks)?;
        (self.meta.basis, self.meta.seal) = (basis, seal);
        // The footer is last: a truncated file has none, and is not a valid table.
        let (at, length, sum) = self.write_piece(&self.meta.clone())?;

        let mut footer: Vec<u8> = [at, length, sum]
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        footer.extend_from_slice(MAGIC);
        self.write(&footer)
    }

    fn write_piece<T: Serialize + ?Sized>(
        &mut self,
        value: &T,
    ) -> std::io::Result<(u64, u64, u64)> {
        let bytes = postcard::to_stdvec(value).map_err(std::io::Error::other)?;
        let piece = (
            self.at,
            bytes.len() as u64,
            u64::from(crc32fast::hash(&bytes)),
        );
        self.write(&bytes)?;
        Ok(piece)
    }
}

fn offset_bytes(offsets: &[u32]) -> Vec<u8> {
    offsets
        .iter()
        .flat_map(|offset| offset.to_le_bytes())
        .collect()
}

fn to_u32(number: usize) -> std::io::Result<u32> {
    u32::try_from(number).map_err(std::io::Error::other)
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use proptest::prelude::*;

    use super::*;
    use skillpm_core::package::arbitrary;

    fn reads_what_it_writes<T: Serialize + DeserializeOwned + Debug>(seed: u64) {
        let value: T = arbitrary::from_seed(seed);
        let read: T = postcard::from_bytes(&postcard::to_stdvec(&value).unwrap()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{value:?}"));
    }

    proptest! {
        #[test]
        fn every_part_of_a_table_is_read_as_it_was_written(seed in any::<u64>()) {
            reads_what_it_writes::<SearchRow>(seed);
            reads_what_it_writes::<TableMeta>(seed);
            reads_what_it_writes::<Vec<FileMark>>(seed);
        }
    }

    fn rows(count: u32) -> Vec<SearchRow> {
        let row = |number| SearchRow {
            name: format!("acme/pdf-{number}"),
            vers: Some("1.0.0".into()),
            description: Some(format!("Fills form {number}. {}", "Ünicode ".repeat(40))),
            keywords: vec!["PDF".into()],
            ..SearchRow::default()
        };
        (0..count).map(row).collect()
    }

    fn bytes(rows: &[SearchRow]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = TableWriter::new(&mut bytes, "file:///x");
        rows.iter().for_each(|row| writer.push(row).unwrap());
        writer
            .finish(TableBasis::Files, TableSeal::Commit("c".into()), &[])
            .unwrap();
        bytes
    }

    #[test]
    fn written_rows_are_read_back_over_many_blocks() {
        let rows = rows(3000);
        let mut table = SearchTable::in_memory(bytes(&rows)).unwrap();
        assert!(table.meta.blocks.len() > 3);
        for number in [0, 1, 700, 2999] {
            assert_eq!(table.row(number).unwrap(), rows[number as usize]);
        }
        assert_eq!(table.row(3000), Err(DamagedTable));
        let mut seen = 0;
        table
            .for_each_block(|texts| seen += texts.starts.len() - 1)
            .unwrap();
        assert_eq!(seen, 3000);
        let mut raw = table.raw_rows();
        for row in &rows {
            let (text, record) = raw.next().unwrap();
            assert!(text.starts_with(row.name.as_bytes()));
            assert_eq!(decode_row(record).unwrap(), *row);
        }
        assert_eq!(raw.next(), Err(DamagedTable));
    }

    #[test]
    fn an_empty_table_is_valid() {
        let mut table = SearchTable::from_rows(&[]);
        assert!(table.is_empty());
        table
            .for_each_block(|_| panic!("there is no block"))
            .unwrap();
    }

    #[test]
    fn every_changed_or_missing_byte_is_detected() {
        let rows = rows(3);
        let whole = bytes(&rows);
        let read_all = |bytes: Vec<u8>| -> Result<Vec<SearchRow>, DamagedTable> {
            let mut table = SearchTable::in_memory(bytes)?;
            let mut text = Vec::new();
            table.for_each_block(|texts| text.extend_from_slice(texts.text))?;
            table.read_marks()?;
            (0..table.meta.rows)
                .map(|number| table.row(number))
                .collect()
        };
        assert_eq!(read_all(whole.clone()).unwrap(), rows);
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x20;
            let read = read_all(changed);
            // The magic is at both ends, and only the last one is checked.
            assert!(at < MAGIC.len() || read.is_err(), "byte {at}");
            assert!(read_all(whole[..at].to_vec()).is_err(), "cut at {at}");
        }
    }
}
