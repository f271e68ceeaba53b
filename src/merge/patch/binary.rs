//! Files that are no text, as `git diff --binary` has them: deflated, then in base 85, both ways, so that the patch can be
//! taken back.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

const DIGITS: &[u8; 85] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
/// Bytes in a full line.
const LINE: usize = 52;

/// Puts what makes `after` of `before`, and the other way round, behind a patch.
pub(super) fn write(before: &[u8], after: &[u8], patch: &mut Vec<u8>) {
    patch.extend_from_slice(b"GIT binary patch\n");
    for bytes in [after, before] {
        patch.extend_from_slice(format!("literal {}\n", bytes.len()).as_bytes());
        deflated(bytes).chunks(LINE).for_each(|chunk| line(chunk, patch));
        patch.push(b'\n');
    }
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
