//! Files that are no text, as `git diff --binary` has them: deflated, then in base 85, both ways, so that the patch can be
//! taken back.
//!
//! They are read here, too: the crate that reads patches goes round for ever where deflated bytes are cut short, and has
//! no bound on what they become.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::bufread::ZlibDecoder;
use flate2::write::ZlibEncoder;

use super::FileChange;
use crate::package::Limits;

const DIGITS: &[u8; 85] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
/// Bytes in a full line.
const LINE: usize = 52;

/// Puts what makes the later file of the earlier, and the other way round, behind a patch.
pub(super) fn write(change: &FileChange, patch: &mut Vec<u8>) {
    write_index(change, patch);
    patch.extend_from_slice(b"GIT binary patch\n");
    for bytes in [&change.after, &change.before] {
        patch.extend_from_slice(format!("literal {}\n", bytes.len()).as_bytes());
        deflated(bytes).chunks(LINE).for_each(|chunk| line(chunk, patch));
        patch.push(b'\n');
    }
}

/// Puts what git calls the content before and afterwards behind a patch.
pub(super) fn write_index(change: &FileChange, patch: &mut Vec<u8>) {
    let id = |path: &Option<String>, bytes: &[u8]| if path.is_some() { blob_id(bytes) } else { "0".repeat(40) };
    let (before, after) = (&change.before, &change.after);
    patch.extend_from_slice(format!("index {}..{}", id(&change.from, before), id(&change.to, after)).as_bytes());
    // As git has it: no mode where other lines tell it.
    let (was, is) = change.executable;
    if change.from.is_some() && change.to.is_some() && was == is {
        patch.extend_from_slice(if is { b" 100755" } else { b" 100644" });
    }
    patch.push(b'\n');
}

/// What git calls these bytes. It takes no patch of what is no text without it.
pub(super) fn blob_id(bytes: &[u8]) -> String {
    let mut hasher = gix_hash::hasher(gix_hash::Kind::Sha1);
    hasher.update(format!("blob {}\0", bytes.len()).as_bytes());
    hasher.update(bytes);
    hasher.try_finalize().map(|id| id.to_string()).unwrap_or_default()
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes all")
}

/// One line: how many bytes it has, then five digits for each four of them.
fn line(bytes: &[u8], patch: &mut Vec<u8>) {
    let count = u8::try_from(bytes.len()).expect("a line is short");
    patch.push(if count <= 26 { b'A' + count - 1 } else { b'a' + count - 27 });
    for word in bytes.chunks(4) {
        let mut four = [0; 4];
        four[..word.len()].copy_from_slice(word);
        let number = u32::from_be_bytes(four);
        patch.extend((0..5).rev().map(|power| DIGITS[(number / 85_u32.pow(power) % 85) as usize]));
    }
    patch.push(b'\n');
}

/// What a patch says of a file that is no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// All of its bytes.
    Literal,
    /// Which of its bytes stay, and what comes between.
    Delta,
}

/// The bytes that a patch makes of `base`: `lines` are those of its block, which is said to inflate to `size` bytes.
pub(super) fn read(form: Form, size: u64, lines: &[u8], base: &[u8]) -> Result<Vec<u8>, &'static str> {
    let bytes = inflated(&packed(lines)?, size)?;
    match form {
        Form::Literal => Ok(bytes),
        Form::Delta => Delta { rest: &bytes }.apply(base),
    }
}

/// Whether a block is complete: `lines` inflate to `size` bytes.
pub(super) fn check(size: u64, lines: &[u8]) -> Result<(), &'static str> {
    inflated(&packed(lines)?, size).map(drop)
}

const NO_DIGITS: &str = "its binary data is not in base 85";
const TOO_LARGE: &str = "it would be larger than a file may be";

fn packed(lines: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut bytes = Vec::new();
    for line in lines.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end) {
        let [first, digits @ ..] = line else { continue };
        let count = match first {
            b'A'..=b'Z' => first - b'A' + 1,
            b'a'..=b'z' => first - b'a' + 27,
            _ => return Err(NO_DIGITS),
        };
        let count = usize::from(count);
        if digits.len() != count.div_ceil(4) * 5 {
            return Err(NO_DIGITS);
        }
        let end = bytes.len() + count;
        for five in digits.chunks(5) {
            bytes.extend_from_slice(&word(five).ok_or(NO_DIGITS)?.to_be_bytes());
        }
        bytes.truncate(end);
    }
    Ok(bytes)
}

/// The number that five digits are; `None` if it is too large for four bytes.
fn word(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0_u32, |word, digit| {
        let value = DIGITS.iter().position(|other| other == digit)?;
        word.checked_mul(85)?.checked_add(u32::try_from(value).ok()?)
    })
}

fn inflated(bytes: &[u8], size: u64) -> Result<Vec<u8>, &'static str> {
    if size > Limits::default().file {
        return Err(TOO_LARGE);
    }
    let mut inflated = Vec::new();
    let read = ZlibDecoder::new(bytes).take(size + 1).read_to_end(&mut inflated);
    if read.is_err() || inflated.len() as u64 != size {
        return Err("its binary data is damaged");
    }
    Ok(inflated)
}

/// The steps of git's own delta: two sizes, then what to copy from the base or to insert.
struct Delta<'d> {
    rest: &'d [u8],
}

impl<'d> Delta<'d> {
    fn apply(mut self, base: &[u8]) -> Result<Vec<u8>, &'static str> {
        const BROKEN: &str = "its binary data goes beyond its end";
        let before = self.size().ok_or(BROKEN)?;
        let after = self.size().ok_or(BROKEN)?;
        if before != base.len() as u64 {
            return Err("the file has another size than the one it was made for");
        }
        if after > Limits::default().file {
            return Err(TOO_LARGE);
        }
        let mut made = Vec::new();
        while !self.rest.is_empty() {
            made.extend_from_slice(self.step(base).ok_or(BROKEN)?);
            if made.len() as u64 > after {
                return Err(BROKEN);
            }
        }
        if made.len() as u64 == after { Ok(made) } else { Err(BROKEN) }
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// A number in sevenths of a byte, the least first.
    fn size(&mut self) -> Option<u64> {
        let mut size = 0_u64;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            size |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(size);
            }
        }
        None
    }

    /// What comes next.
    fn step<'s>(&mut self, base: &'s [u8]) -> Option<&'s [u8]>
    where
        'd: 's,
    {
        let control = self.byte()?;
        if control & 0x80 == 0 {
            let (inserted, rest) = self.rest.split_at_checked(usize::from(control)).filter(|_| control > 0)?;
            self.rest = rest;
            return Some(inserted);
        }
        let (mut start, mut count) = (0_usize, 0_usize);
        for bit in 0..7 {
            if control & (1 << bit) != 0 {
                let byte = usize::from(self.byte()?);
                if bit < 4 { start |= byte << (8 * bit) } else { count |= byte << (8 * (bit - 4)) }
            }
        }
        base.get(start..start.checked_add(if count == 0 { 0x10000 } else { count })?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block as `write` makes one, of any bytes.
    fn block(bytes: &[u8]) -> Vec<u8> {
        let mut lines = Vec::new();
        deflated(bytes).chunks(LINE).for_each(|chunk| line(chunk, &mut lines));
        lines
    }

    #[test]
    fn a_literal_is_read_as_it_was_written() {
        let noise: Vec<u8> = (0..1_000_u32).map(|at| at.wrapping_mul(2_654_435_761).to_be_bytes()[1]).collect();
        for bytes in [&noise[..], b"", b"\0"] {
            assert_eq!(read(Form::Literal, bytes.len() as u64, &block(bytes), b""), Ok(bytes.to_vec()));
        }
    }

    #[test]
    fn what_is_cut_damaged_or_without_end_is_refused_at_once() {
        let whole = block(&[7; 5_000]);
        assert!(read(Form::Literal, 5_001, &whole, b"").is_err());
        assert!(read(Form::Literal, 4_999, &whole, b"").is_err());
        let packed = deflated(&[7; 5_000]);
        let mut cut = Vec::new();
        line(&packed[..packed.len() / 2], &mut cut);
        assert_eq!(read(Form::Literal, 5_000, &cut, b""), Err("its binary data is damaged"));
        assert_eq!(read(Form::Literal, u64::MAX, &whole, b""), Err(TOO_LARGE));
        for digits in ["A", "A0000", "D~~~~~", "D0000\"", "!00000"] {
            assert_eq!(read(Form::Literal, 1, digits.as_bytes(), b""), Err(NO_DIGITS), "{digits}");
        }
    }

    #[test]
    fn a_delta_copies_and_inserts_within_what_it_promises() {
        let base = b"0123456789";
        let delta = |steps: &[u8]| read(Form::Delta, steps.len() as u64, &block(steps), base);
        assert_eq!(delta(&[10, 5, 0x91, 8, 2, 3, b'a', b'b', b'c']), Ok(b"89abc".to_vec()));
        for broken in [
            &[9, 1, 1, b'a'][..],
            &[10, 1, 2, b'a', b'b'],
            &[10, 2, 1, b'a'],
            &[10, 1, 0],
            &[10, 4, 0x91, 8, 4],
            &[10, 1, 0x80],
            &[10, 1, 0x9f],
            &[0xff; 12],
            &[10, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, b'a'],
            &[],
        ] {
            assert!(delta(broken).is_err(), "{broken:?}");
        }
    }
}
