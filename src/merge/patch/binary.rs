//! Files that are no text, as `git diff --binary` has them: deflated, then in base 85, both ways, so that the patch can be
//! taken back.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::FileChange;

const DIGITS: &[u8; 85] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
/// Bytes in a full line.
const LINE: usize = 52;

/// Puts what makes the later file of the earlier, and the other way round, behind a patch.
pub(super) fn write(change: &FileChange, patch: &mut Vec<u8>) {
    let id = |path: &Option<String>, bytes: &[u8]| if path.is_some() { blob_id(bytes) } else { "0".repeat(40) };
    let (before, after) = (&change.before, &change.after);
    patch.extend_from_slice(format!("index {}..{}", id(&change.from, before), id(&change.to, after)).as_bytes());
    // As git has it: no mode where other lines tell it.
    let (was, is) = change.executable;
    if change.from.is_some() && change.to.is_some() && was == is {
        patch.extend_from_slice(if is { b" 100755" } else { b" 100644" });
    }
    patch.extend_from_slice(b"\nGIT binary patch\n");
    for bytes in [after, before] {
        patch.extend_from_slice(format!("literal {}\n", bytes.len()).as_bytes());
        deflated(bytes).chunks(LINE).for_each(|chunk| line(chunk, patch));
        patch.push(b'\n');
    }
}

/// What git calls these bytes. It takes no patch of what is no text without it.
fn blob_id(bytes: &[u8]) -> String {
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
