//! Binary files, as `git diff --binary` writes them: deflated, then in base 85, for both directions, so that the patch can
//! be reverted.
//!
//! They are decoded here, too: the crate that reads patches loops forever on truncated deflated data, and does not limit
//! its inflated size.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::bufread::ZlibDecoder;
use flate2::write::ZlibEncoder;

use super::FileChange;
use skillpm_core::package::TreeLimits;

const BASE85_DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
/// Bytes in a full line.
const LINE_BYTES: usize = 52;

/// Appends the binary data of a change to a patch, forward and backward.
pub(super) fn write_binary(change: &FileChange, patch: &mut Vec<u8>) {
    write_index(change, patch);
    patch.extend_from_slice(b"GIT binary patch\n");
    // Both directions, as git writes them, so that `git apply --reverse` works.
    for bytes in [&change.after, &change.before] {
        patch.extend_from_slice(format!("literal {}\n", bytes.len()).as_bytes());
        deflate(bytes)
            .chunks(LINE_BYTES)
            .for_each(|chunk| write_line(chunk, patch));
        patch.push(b'\n');
    }
}

/// Appends the `index` line of a change to a patch: the blob ids before and after.
pub(super) fn write_index(change: &FileChange, patch: &mut Vec<u8>) {
    let before = side_id(change.from.as_deref(), &change.before);
    let after = side_id(change.to.as_deref(), &change.after);
    patch.extend_from_slice(format!("index {before}..{after}").as_bytes());

    // As git does: no mode where other header lines have it.
    let (was, is) = change.executable;
    if change.from.is_some() && change.to.is_some() && was == is {
        patch.extend_from_slice(if is { b" 100755" } else { b" 100644" });
    }

    patch.push(b'\n');
}

/// The blob id of one side; only zeros where there is no file.
fn side_id(path: Option<&str>, bytes: &[u8]) -> String {
    if path.is_some() {
        blob_id(bytes)
    } else {
        "0".repeat(40)
    }
}

/// git's blob id of these bytes. `git apply` requires it for binary files.
pub(super) fn blob_id(bytes: &[u8]) -> String {
    let mut hasher = gix_hash::hasher(gix_hash::Kind::Sha1);
    hasher.update(format!("blob {}\0", bytes.len()).as_bytes());
    hasher.update(bytes);
    hasher
        .try_finalize()
        .map(|id| id.to_string())
        .unwrap_or_default()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .expect("memory takes all")
}

/// Appends one line: the number of bytes, then five digits for each four of them.
fn write_line(bytes: &[u8], patch: &mut Vec<u8>) {
    let count = u8::try_from(bytes.len()).expect("a line is short");
    // The length of a line is a letter: `A` to `Z` for 1 to 26, `a` to `z` for 27 to 52.
    patch.push(if count <= 26 {
        b'A' + count - 1
    } else {
        b'a' + count - 27
    });

    for word in bytes.chunks(4) {
        let mut four = [0; 4];
        four[..word.len()].copy_from_slice(word);
        let number = u32::from_be_bytes(four);
        patch.extend(
            (0..5)
                .rev()
                .map(|power| BASE85_DIGITS[(number / 85_u32.pow(power) % 85) as usize]),
        );
    }
    patch.push(b'\n');
}

/// The form of binary data in a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BinaryForm {
    /// All of its bytes.
    Literal,
    /// Bytes to copy from the file before, and bytes to insert.
    Delta,
}

/// Decodes a block and applies it to `base`: `lines` are those of the block, which states that it inflates to `size` bytes.
///
/// # Errors
/// If the block is damaged, too large, or made for another file than `base`.
pub(super) fn decode_block(
    form: BinaryForm,
    size: u64,
    lines: &[u8],
    base: &[u8],
) -> Result<Vec<u8>, &'static str> {
    let bytes = inflate(&decode_base85(lines)?, size)?;
    match form {
        BinaryForm::Literal => Ok(bytes),
        BinaryForm::Delta => GitDelta { rest: &bytes }.apply(base),
    }
}

/// Checks that a block is complete: `lines` inflate to `size` bytes.
pub(super) fn check_block(size: u64, lines: &[u8]) -> Result<(), &'static str> {
    inflate(&decode_base85(lines)?, size).map(drop)
}

const NO_DIGITS: &str = "invalid base 85 in binary data";
const TOO_LARGE: &str = "the file would exceed the size limit";

fn decode_base85(lines: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut bytes = Vec::new();
    for line in lines
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii_end)
    {
        let [first, digits @ ..] = line else { continue };
        let count = match first {
            b'A'..=b'Z' => first - b'A' + 1,
            b'a'..=b'z' => first - b'a' + 27,
            _ => return Err(NO_DIGITS),
        };
        let count = usize::from(count);
        // The last word is padded to four bytes, so that each one has five digits.
        if digits.len() != count.div_ceil(4) * 5 {
            return Err(NO_DIGITS);
        }

        let end = bytes.len() + count;
        for five in digits.chunks(5) {
            bytes.extend_from_slice(&decode_word(five).ok_or(NO_DIGITS)?.to_be_bytes());
        }
        bytes.truncate(end);
    }
    Ok(bytes)
}

/// Decodes five digits; `None` if one is unknown or the number is too large for four bytes.
fn decode_word(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0_u32, |word, digit| {
        let value = BASE85_DIGITS.iter().position(|other| other == digit)?;
        // Five digits can be more than 32 bits, which no encoder writes.
        word.checked_mul(85)?
            .checked_add(u32::try_from(value).ok()?)
    })
}

fn inflate(bytes: &[u8], size: u64) -> Result<Vec<u8>, &'static str> {
    // Before anything is inflated, since a few bytes can inflate to gigabytes.
    if size > TreeLimits::default().file {
        return Err(TOO_LARGE);
    }

    // One byte more than stated is enough to detect a larger file.
    let mut inflated = Vec::new();
    let read = ZlibDecoder::new(bytes)
        .take(size + 1)
        .read_to_end(&mut inflated);

    if read.is_err() || inflated.len() as u64 != size {
        return Err("corrupt binary data");
    }
    Ok(inflated)
}

/// A delta in git's format: two sizes, then the bytes to copy from the base or to insert.
struct GitDelta<'d> {
    rest: &'d [u8],
}

impl<'d> GitDelta<'d> {
    fn apply(mut self, base: &[u8]) -> Result<Vec<u8>, &'static str> {
        const BROKEN: &str = "binary delta is out of range";
        let before = self.read_size().ok_or(BROKEN)?;
        let after = self.read_size().ok_or(BROKEN)?;

        if before != base.len() as u64 {
            return Err("the file has a different size than the patch expects");
        }
        if after > TreeLimits::default().file {
            return Err(TOO_LARGE);
        }

        let mut made = Vec::new();
        while !self.rest.is_empty() {
            made.extend_from_slice(self.next_step(base).ok_or(BROKEN)?);
            if made.len() as u64 > after {
                return Err(BROKEN);
            }
        }

        if made.len() as u64 == after {
            Ok(made)
        } else {
            Err(BROKEN)
        }
    }

    fn next_byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// A variable-length number: seven bits a byte, the least significant first.
    fn read_size(&mut self) -> Option<u64> {
        let mut size = 0_u64;
        for shift in (0..63).step_by(7) {
            let byte = self.next_byte()?;
            size |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(size);
            }
        }
        None
    }

    /// The bytes of the next step, copied or inserted; `None` if it is out of range.
    fn next_step<'s>(&mut self, base: &'s [u8]) -> Option<&'s [u8]>
    where
        'd: 's,
    {
        let control = self.next_byte()?;
        // Without the high bit: the number of bytes to insert. Zero is reserved.
        if control & 0x80 == 0 {
            let (inserted, rest) = self
                .rest
                .split_at_checked(usize::from(control))
                .filter(|_| control > 0)?;
            self.rest = rest;
            return Some(inserted);
        }

        // With it: bits 0 to 3 say which bytes of the offset follow, 4 to 6 which of the length.
        let (mut start, mut count) = (0_usize, 0_usize);
        for bit in 0..7 {
            if control & (1 << bit) != 0 {
                let byte = usize::from(self.next_byte()?);
                if bit < 4 {
                    start |= byte << (8 * bit);
                } else {
                    count |= byte << (8 * (bit - 4));
                }
            }
        }

        // A length of zero means 64 KiB.
        base.get(start..start.checked_add(if count == 0 { 0x10000 } else { count })?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block as `write_binary` makes one, of any bytes.
    fn block(bytes: &[u8]) -> Vec<u8> {
        let mut lines = Vec::new();
        deflate(bytes)
            .chunks(LINE_BYTES)
            .for_each(|chunk| write_line(chunk, &mut lines));
        lines
    }

    #[test]
    fn a_literal_is_read_as_it_was_written() {
        let noise: Vec<u8> = (0..1_000_u32)
            .map(|at| at.wrapping_mul(2_654_435_761).to_be_bytes()[1])
            .collect();
        for bytes in [&noise[..], b"", b"\0"] {
            assert_eq!(
                decode_block(BinaryForm::Literal, bytes.len() as u64, &block(bytes), b""),
                Ok(bytes.to_vec())
            );
        }
    }

    #[test]
    fn truncated_damaged_or_oversized_data_is_refused_at_once() {
        let whole = block(&[7; 5_000]);
        assert!(decode_block(BinaryForm::Literal, 5_001, &whole, b"").is_err());
        assert!(decode_block(BinaryForm::Literal, 4_999, &whole, b"").is_err());
        let packed = deflate(&[7; 5_000]);
        let mut cut = Vec::new();
        write_line(&packed[..packed.len() / 2], &mut cut);
        assert_eq!(
            decode_block(BinaryForm::Literal, 5_000, &cut, b""),
            Err("corrupt binary data")
        );
        assert_eq!(
            decode_block(BinaryForm::Literal, u64::MAX, &whole, b""),
            Err(TOO_LARGE)
        );
        for digits in ["A", "A0000", "D~~~~~", "D0000\"", "!00000"] {
            assert_eq!(
                decode_block(BinaryForm::Literal, 1, digits.as_bytes(), b""),
                Err(NO_DIGITS),
                "{digits}"
            );
        }
    }

    #[test]
    fn a_delta_copies_and_inserts_within_its_stated_sizes() {
        let base = b"0123456789";
        let delta =
            |steps: &[u8]| decode_block(BinaryForm::Delta, steps.len() as u64, &block(steps), base);
        assert_eq!(
            delta(&[10, 5, 0x91, 8, 2, 3, b'a', b'b', b'c']),
            Ok(b"89abc".to_vec())
        );
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
