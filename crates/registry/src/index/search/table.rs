//! The file of a table.
//!
//! ```text
//! "skillpm search 1"
//! block      starts   where each row's text begins, and the last ends     (rows + 1) × u32
//!            text     name US keywords US description, in lower case      each row after the other
//!            starts   where each row's record begins, and the last ends   (rows + 1) × u32
//!            records  sum of what follows (u32), the row as postcard
//! block …
//! marks      what each file of the index was when it was read, as postcard
//! meta       postcard: what it was made of, and where each block lies
//! footer     where meta begins, its length, its sum; "skillpm search 1"
//! ```
//!
//! A search reads meta, then starts and text of each block into one buffer that never leaves the processor's cache;
//! then the records of what it shows. Numbers are little-endian. What is read is held against its sum, so that damage
//! (not malice: whoever can write the file can write the skills) is noticed where it matters.

use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Row;
use super::build::{Basis, Mark, Seal};
use super::query::fold;
use crate::io::skills_dir::{self, File, Opened};

const MAGIC: &[u8; 16] = b"skillpm search 1";

/// Length of the footer.
const FOOTER: usize = 40;

/// How much text is a block; a row is never cut.
const BLOCK: usize = 256 << 10;

/// Largest piece that is believed in, in bytes.
const PIECE_MAX: u64 = 1 << 30;

/// What parts the fields of a row's text.
pub(super) const SEPARATOR: u8 = 0x1f;

/// What is known of a table as a whole.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Meta {
    pub url: String,
    pub basis: Basis,
    pub seal: Seal,
    pub rows: u32,
    /// Bytes of text in all blocks.
    pub text: u64,
    blocks: Vec<Block>,
    marks: (u64, u64, u64),
}

impl Meta {
    /// A table of nothing yet.
    fn of(url: &str) -> Meta {
        Meta {
            url: url.to_owned(),
            basis: Basis::Files,
            seal: Seal::Never,
            rows: 0,
            text: 0,
            blocks: Vec::new(),
            marks: (0, 0, 0),
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Block {
    at: u64,
    rows: u32,
    text: u32,
    records: u32,
    /// Of starts and text.
    sum: u64,
}

impl Block {
    fn starts(&self) -> usize {
        (self.rows as usize + 1) * 4
    }

    /// Where the starts of the records are in the file.
    fn tail(&self) -> u64 {
        self.at + self.starts() as u64 + u64::from(self.text)
    }
}

/// The table is not what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damaged;

trait Bytes: Read + Seek + Send {}
impl<T: Read + Seek + Send> Bytes for T {}

/// The packages of one index, ready to be searched.
pub struct Table {
    bytes: Box<dyn Bytes>,
    pub(super) meta: Meta,
    buffer: Vec<u8>,
}

/// One block's rows as text.
pub(super) struct Texts<'t> {
    /// The number of its first row.
    pub first: u32,
    /// Where each row begins in `text`, and the last ends.
    pub starts: &'t [u32],
    /// The rows, one after the other.
    pub text: &'t [u8],
}

impl Table {
    /// Opens a table; `None` if there is none that could be used.
    pub(super) fn open(path: &Path) -> Option<Table> {
        match skills_dir::open(path) {
            Ok(Opened::File(file, _)) => Table::read::<File>(file).ok(),
            _ => None,
        }
    }

    /// A table that is nowhere but in memory, of rows that come from no index.
    #[must_use]
    pub fn of(rows: &[Row]) -> Table {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes, "");
        let written = rows.iter().try_for_each(|row| writer.push(row));
        written.and_then(|()| writer.finish(Basis::Files, Seal::Never, &[])).expect("memory can be written");
        Table::in_memory(bytes).expect("what was just written is whole")
    }

    pub(super) fn in_memory(bytes: Vec<u8>) -> Result<Table, Damaged> {
        Table::read(Cursor::new(bytes))
    }

    fn read<T: Read + Seek + Send + 'static>(mut bytes: T) -> Result<Table, Damaged> {
        let damaged = |_| Damaged;
        let end = bytes.seek(SeekFrom::End(0)).map_err(damaged)?;
        let at = end.checked_sub(FOOTER as u64).ok_or(Damaged)?;
        let mut footer = [0; FOOTER];
        bytes.seek(SeekFrom::Start(at)).map_err(damaged)?;
        bytes.read_exact(&mut footer).map_err(damaged)?;
        let number = |at: usize| u64::from_le_bytes(footer[at..at + 8].try_into().expect("eight bytes"));
        if &footer[24..] != MAGIC || number(0).checked_add(number(8)) != Some(at) {
            return Err(Damaged);
        }
        let mut table = Table { bytes: Box::new(bytes), meta: Meta::of(""), buffer: Vec::new() };
        table.meta = table.piece((number(0), number(8), number(16)))?;
        Ok(table)
    }

    /// How many packages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.meta.rows as usize
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.meta.rows == 0
    }

    /// What it was made of.
    #[must_use]
    pub fn basis(&self) -> Basis {
        self.meta.basis
    }

    /// Goes through the text of all rows, block by block.
    pub(super) fn texts(&mut self, mut each: impl FnMut(&Texts<'_>)) -> Result<(), Damaged> {
        let (mut first, mut starts) = (0, Vec::new());
        for at in 0..self.meta.blocks.len() {
            self.load(at, &mut starts)?;
            let block = &self.meta.blocks[at];
            each(&Texts { first, starts: &starts, text: &self.buffer[block.starts()..] });
            first += block.rows;
        }
        Ok(())
    }

    /// Reads starts and text of a block into the buffer.
    fn load(&mut self, at: usize, starts: &mut Vec<u32>) -> Result<(), Damaged> {
        let Block { at, rows, text, sum, .. } = self.meta.blocks[at];
        let length = (rows as usize + 1) * 4;
        self.fill(at, length as u64 + u64::from(text))?;
        if self::sum(&self.buffer) != sum {
            return Err(Damaged);
        }
        numbers(&self.buffer[..length], text, starts)
    }

    /// Reads `length` bytes at `at` into the buffer.
    fn fill(&mut self, at: u64, length: u64) -> Result<(), Damaged> {
        let length = usize::try_from(length).ok().filter(|_| length <= PIECE_MAX).ok_or(Damaged)?;
        self.buffer.resize(length, 0);
        self.bytes.seek(SeekFrom::Start(at)).map_err(|_| Damaged)?;
        self.bytes.read_exact(&mut self.buffer).map_err(|_| Damaged)
    }

    fn piece<T: DeserializeOwned>(&mut self, (at, length, sum): (u64, u64, u64)) -> Result<T, Damaged> {
        self.fill(at, length)?;
        if self::sum(&self.buffer) != sum {
            return Err(Damaged);
        }
        postcard::from_bytes(&self.buffer).map_err(|cause| unread(&cause))
    }

    /// One row, by its number.
    ///
    /// # Errors
    /// If the table is damaged there.
    pub fn row(&mut self, number: u32) -> Result<Row, Damaged> {
        let mut first = 0;
        let block = self.meta.blocks.iter().find(|block| {
            first += block.rows;
            number < first
        });
        let block = block.ok_or(Damaged)?.clone();
        let inside = number - (first - block.rows);
        self.fill(block.tail() + u64::from(inside) * 4, 8)?;
        let word = |at: usize| u32::from_le_bytes(self.buffer[at..at + 4].try_into().expect("four bytes"));
        let (start, end) = (word(0), word(4));
        if start > end || end > block.records {
            return Err(Damaged);
        }
        self.fill(block.tail() + block.starts() as u64 + u64::from(start), u64::from(end - start))?;
        decode(&self.buffer)
    }

    /// What each file of the index was when it was read, in the order of the rows.
    pub(super) fn marks(&mut self) -> Result<Vec<Mark>, Damaged> {
        self.piece(self.meta.marks)
    }

    /// Goes through text and record of every row as they are in the file.
    pub(super) fn raw(&mut self) -> RawRows<'_> {
        RawRows { table: self, block: 0, row: 0, starts: Vec::new(), tails: Vec::new(), records: Vec::new() }
    }
}

/// The rows of a table as they are in the file, one after the other.
pub(super) struct RawRows<'t> {
    table: &'t mut Table,
    /// The block that comes next.
    block: usize,
    /// The row that comes next in the block that is loaded.
    row: usize,
    starts: Vec<u32>,
    tails: Vec<u32>,
    records: Vec<u8>,
}

impl RawRows<'_> {
    /// The next row's text and record.
    pub(super) fn next(&mut self) -> Result<(&[u8], &[u8]), Damaged> {
        while self.row + 1 >= self.starts.len() {
            self.load()?;
        }
        let at = self.row;
        self.row += 1;
        let text = &self.table.buffer[self.starts.len() * 4..];
        let text = &text[self.starts[at] as usize..self.starts[at + 1] as usize];
        let record = &self.records[self.tails[at] as usize..self.tails[at + 1] as usize];
        Ok((text, record))
    }

    fn load(&mut self) -> Result<(), Damaged> {
        let block = self.table.meta.blocks.get(self.block).ok_or(Damaged)?.clone();
        self.table.fill(block.tail(), block.starts() as u64 + u64::from(block.records))?;
        numbers(&self.table.buffer[..block.starts()], block.records, &mut self.tails)?;
        self.records.clear();
        self.records.extend_from_slice(&self.table.buffer[block.starts()..]);
        self.table.load(self.block, &mut self.starts)?;
        (self.block, self.row) = (self.block + 1, 0);
        Ok(())
    }
}

/// Reads where rows begin; they must rise, and end where the whole does.
fn numbers(bytes: &[u8], end: u32, into: &mut Vec<u32>) -> Result<(), Damaged> {
    into.clear();
    into.extend(bytes.chunks_exact(4).map(|four| u32::from_le_bytes(four.try_into().expect("four bytes"))));
    let whole = into.is_sorted() && into.last() == Some(&end);
    if whole { Ok(()) } else { Err(Damaged) }
}

/// Reads a row's record.
pub(super) fn decode(record: &[u8]) -> Result<Row, Damaged> {
    let (written, row) = record.split_first_chunk::<4>().ok_or(Damaged)?;
    if short_sum(row) != u32::from_le_bytes(*written) {
        return Err(Damaged);
    }
    postcard::from_bytes(row).map_err(|cause| unread(&cause))
}

/// What was written is whole and cannot be read. Then tables are made again and again, with the same answers: only a failing
/// test shows it.
fn unread(cause: &postcard::Error) -> Damaged {
    debug_assert!(false, "a part of a table cannot be read: {cause}");
    Damaged
}

/// Writes a table from its first row to its last; never holds more than a block of it.
pub(super) struct Writer<'w> {
    out: &'w mut dyn Write,
    at: u64,
    meta: Meta,
    starts: Vec<u32>,
    text: Vec<u8>,
    tails: Vec<u32>,
    records: Vec<u8>,
}

impl<'w> Writer<'w> {
    pub(super) fn new(out: &'w mut dyn Write, url: &str) -> Self {
        let meta = Meta::of(url);
        Writer {
            out,
            at: 0,
            meta,
            starts: Vec::new(),
            text: Vec::with_capacity(BLOCK),
            tails: Vec::new(),
            records: Vec::with_capacity(BLOCK),
        }
    }

    /// Adds a row.
    pub(super) fn push(&mut self, row: &Row) -> std::io::Result<()> {
        let mut text = fold(&row.name).into_bytes();
        for field in [&row.keywords.join(" "), row.description.as_deref().unwrap_or_default()] {
            text.push(SEPARATOR);
            text.extend_from_slice(fold(field).as_bytes());
        }
        let row = postcard::to_stdvec(row).map_err(std::io::Error::other)?;
        let record = [&short_sum(&row).to_le_bytes()[..], &row].concat();
        self.push_raw(&text, &record)
    }

    /// Adds a row as another table has it.
    pub(super) fn push_raw(&mut self, text: &[u8], record: &[u8]) -> std::io::Result<()> {
        if self.text.len() + text.len() > BLOCK {
            self.close()?;
        }
        self.starts.push(small(self.text.len())?);
        self.text.extend_from_slice(text);
        self.tails.push(small(self.records.len())?);
        self.records.extend_from_slice(record);
        self.meta.rows += 1;
        Ok(())
    }

    fn close(&mut self) -> std::io::Result<()> {
        if self.starts.is_empty() {
            return Ok(());
        }
        let rows = small(self.starts.len())?;
        let (text, records) = (small(self.text.len())?, small(self.records.len())?);
        self.starts.push(text);
        self.tails.push(records);
        let mut front: Vec<u8> = self.starts.iter().flat_map(|start| start.to_le_bytes()).collect();
        front.extend_from_slice(&self.text);
        if self.at == 0 {
            self.write(MAGIC)?;
        }
        self.meta.blocks.push(Block { at: self.at, rows, text, records, sum: sum(&front) });
        self.meta.text += u64::from(text);
        self.write(&front)?;
        let tails: Vec<u8> = self.tails.iter().flat_map(|tail| tail.to_le_bytes()).collect();
        self.write(&tails)?;
        let records = std::mem::take(&mut self.records);
        self.write(&records)?;
        self.records = records;
        for list in [&mut self.starts, &mut self.tails] {
            list.clear();
        }
        for bytes in [&mut self.text, &mut self.records] {
            bytes.clear();
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Writes what is not written yet.
    pub(super) fn finish(mut self, basis: Basis, seal: Seal, marks: &[Mark]) -> std::io::Result<()> {
        self.close()?;
        self.meta.marks = self.write_piece(marks)?;
        (self.meta.basis, self.meta.seal) = (basis, seal);
        let (at, length, sum) = self.write_piece(&self.meta.clone())?;
        let mut footer: Vec<u8> = [at, length, sum].iter().flat_map(|number| number.to_le_bytes()).collect();
        footer.extend_from_slice(MAGIC);
        self.write(&footer)
    }

    fn write_piece<T: Serialize + ?Sized>(&mut self, value: &T) -> std::io::Result<(u64, u64, u64)> {
        let bytes = postcard::to_stdvec(value).map_err(std::io::Error::other)?;
        let piece = (self.at, bytes.len() as u64, sum(&bytes));
        self.write(&bytes)?;
        Ok(piece)
    }
}

fn small(number: usize) -> std::io::Result<u32> {
    u32::try_from(number).map_err(std::io::Error::other)
}

/// Finds damage at the speed of memory: four sums side by side, as one would wait for its own last step.
fn sum(bytes: &[u8]) -> u64 {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut lanes = [1, 2, 3, 4_u64];
    let mut chunks = bytes.chunks_exact(32);
    for chunk in &mut chunks {
        for (lane, eight) in lanes.iter_mut().zip(chunk.chunks_exact(8)) {
            let word = u64::from_le_bytes(eight.try_into().expect("eight bytes"));
            *lane = (*lane ^ word).wrapping_mul(STEP).rotate_left(29);
        }
    }
    let rest = chunks
        .remainder()
        .iter()
        .fold(bytes.len() as u64, |rest, byte| (rest ^ u64::from(*byte)).wrapping_mul(STEP).rotate_left(29));
    lanes.iter().fold(rest, |sum, lane| (sum ^ lane).wrapping_mul(STEP).rotate_left(31))
}

fn short_sum(bytes: &[u8]) -> u32 {
    (sum(bytes) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use proptest::prelude::*;

    use super::*;
    use crate::package::anything;

    fn reads_what_it_writes<T: Serialize + DeserializeOwned + Debug>(seed: u64) {
        let value: T = anything::of(seed);
        let read: T = postcard::from_bytes(&postcard::to_stdvec(&value).unwrap()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{value:?}"));
    }

    proptest! {
        #[test]
        fn every_part_of_a_table_is_read_as_it_was_written(seed in any::<u64>()) {
            reads_what_it_writes::<Row>(seed);
            reads_what_it_writes::<Meta>(seed);
            reads_what_it_writes::<Vec<Mark>>(seed);
        }
    }

    fn rows(count: u32) -> Vec<Row> {
        let row = |number| Row {
            name: format!("acme/pdf-{number}"),
            vers: Some("1.0.0".into()),
            description: Some(format!("Fills form {number}. {}", "Ünicode ".repeat(40))),
            keywords: vec!["PDF".into()],
            ..Row::default()
        };
        (0..count).map(row).collect()
    }

    fn bytes(rows: &[Row]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes, "file:///x");
        rows.iter().for_each(|row| writer.push(row).unwrap());
        writer.finish(Basis::Files, Seal::Commit("c".into()), &[]).unwrap();
        bytes
    }

    #[test]
    fn what_goes_in_comes_out_over_many_blocks() {
        let rows = rows(3000);
        let mut table = Table::in_memory(bytes(&rows)).unwrap();
        assert!(table.meta.blocks.len() > 3);
        for number in [0, 1, 700, 2999] {
            assert_eq!(table.row(number).unwrap(), rows[number as usize]);
        }
        assert_eq!(table.row(3000), Err(Damaged));
        let mut seen = 0;
        table.texts(|texts| seen += texts.starts.len() - 1).unwrap();
        assert_eq!(seen, 3000);
        let mut raw = table.raw();
        for row in &rows {
            let (text, record) = raw.next().unwrap();
            assert!(text.starts_with(row.name.as_bytes()));
            assert_eq!(decode(record).unwrap(), *row);
        }
        assert_eq!(raw.next(), Err(Damaged));
    }

    #[test]
    fn a_table_of_nothing_is_a_table() {
        let mut table = Table::of(&[]);
        assert!(table.is_empty());
        table.texts(|_| panic!("there is no block")).unwrap();
    }

    #[test]
    fn no_byte_can_change_and_none_be_missing_without_it_being_noticed() {
        let rows = rows(3);
        let whole = bytes(&rows);
        let read_all = |bytes: Vec<u8>| -> Result<Vec<Row>, Damaged> {
            let mut table = Table::in_memory(bytes)?;
            let mut text = Vec::new();
            table.texts(|texts| text.extend_from_slice(texts.text))?;
            table.marks()?;
            (0..table.meta.rows).map(|number| table.row(number)).collect()
        };
        assert_eq!(read_all(whole.clone()).unwrap(), rows);
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x20;
            let read = read_all(changed);
            // The name of the format stands at both ends, and only that at the end is read.
            assert!(at < MAGIC.len() || read.is_err(), "byte {at}");
            assert!(read_all(whole[..at].to_vec()).is_err(), "cut at {at}");
        }
    }
}
