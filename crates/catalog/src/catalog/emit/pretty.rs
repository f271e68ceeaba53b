//! JSON as every format writes it: indented by one blank, and with nothing in it that acts without being seen.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

use skillpm_core::text::is_hidden;

/// Writes `value` and a line end. Characters that act on a terminal are written as `\u` escapes, which mean the same.
pub(super) fn write_json(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    // Serialized straight to `out` in large pieces: a long catalog is never in memory as text.
    let mut out = EscapingWriter {
        buffer: Vec::with_capacity(2 * EscapingWriter::CHUNK),
        out,
    };

    value.serialize(&mut serde_json::Serializer::with_formatter(
        &mut out,
        LineFormatter::default(),
    ))?;

    out.write_all(b"\n")?;
    out.flush()
}

/// What is written before a value in an array, or a key in an object; of the blanks as many as it is deep.
const LINE_START: &[u8] = b",\n                                ";

/// Indents by one blank, as serde's own formatter does, with one write for each line instead of one for each blank.
#[derive(Default)]
struct LineFormatter {
    depth: usize,
    /// Whether the array or object that ends next has anything in it.
    has_value: bool,
}

impl LineFormatter {
    fn begin_line(&self, out: &mut (impl Write + ?Sized), is_first: bool) -> io::Result<()> {
        let line = &LINE_START[usize::from(is_first)..];
        let separators = 2 - usize::from(is_first);
        match line.get(..separators + self.depth) {
            Some(start) => out.write_all(start),
            // Deeper than any of our documents is.
            None => {
                out.write_all(&line[..separators])?;
                (0..self.depth).try_for_each(|_| out.write_all(b" "))
            }
        }
    }

    fn end_lines(&mut self, out: &mut (impl Write + ?Sized), end: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.has_value {
            self.begin_line(out, true)?;
        }
        out.write_all(end)
    }
}

impl Formatter for LineFormatter {
    fn begin_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        self.has_value = false;
        out.write_all(b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.end_lines(out, b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.begin_line(out, first)
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn begin_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        self.has_value = false;
        out.write_all(b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.end_lines(out, b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.begin_line(out, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }
}

/// Gathers JSON text and passes it on with the characters that cannot be seen as escapes. Outside strings JSON has
/// none, so the text need not be understood for it.
struct EscapingWriter<'a> {
    /// Whole characters only, since the serializer writes no parts of them.
    buffer: Vec<u8>,
    out: &'a mut dyn Write,
}

impl EscapingWriter<'_> {
    /// So much text is passed on at once, in bytes.
    const CHUNK: usize = 1 << 16;

    fn write_escaped(&mut self) -> io::Result<()> {
        let text = std::str::from_utf8(&self.buffer).map_err(io::Error::other)?;

        let (mut done, mut at) = (0, 0);
        // Only bytes from 0x7f on can begin a hidden character: JSON escapes the other controls.
        while let Some(beyond) = find_beyond_ascii(&text.as_bytes()[at..]) {
            at += beyond;
            let c = text[at..]
                .chars()
                .next()
                .expect("a character begins at every byte that follows ASCII");

            if is_hidden(c) {
                self.out.write_all(&text.as_bytes()[done..at])?;
                // JSON escapes are UTF-16: two units beyond the first plane.
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(self.out, "\\u{unit:04x}")?;
                }
                done = at + c.len_utf8();
            }

            at += c.len_utf8();
        }

        self.out.write_all(&text.as_bytes()[done..])?;
        self.buffer.clear();
        Ok(())
    }
}

/// The first byte from 0x7f on. Blocks without one, which is most of them, are looked at in a loop that is vectorized.
fn find_beyond_ascii(bytes: &[u8]) -> Option<usize> {
    let is_beyond = |byte: &u8| *byte >= 0x7f;
    let blocks = bytes.chunks(64);
    let plain = blocks
        .take_while(|block| !block.iter().fold(false, |any, byte| any | is_beyond(byte)))
        .map(<[u8]>::len)
        .sum::<usize>();
    let found = bytes[plain..].iter().position(is_beyond)?;
    Some(plain + found)
}

impl Write for EscapingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    // The serializer calls it for each quote and comma, so that the loop of the default is felt.
    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        // Gathered first, and passed on in large pieces.
        if self.buffer.len() >= Self::CHUNK {
            self.write_escaped()?;
        }

        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_escaped()?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_indented_as_serde_does() {
        let mut deep = json!([]);
        for _ in 0..40 {
            deep = json!([deep, {}, [1, "two", null], {"a": {"b": []}, "c": {}}]);
        }
        for value in [json!(null), json!({}), json!([[], {}]), deep] {
            let mut found = Vec::new();
            write_json(&value, &mut found).unwrap();
            let mut wanted = Vec::new();
            let formatter = serde_json::ser::PrettyFormatter::with_indent(b" ");
            let mut serializer = serde_json::Serializer::with_formatter(&mut wanted, formatter);
            value.serialize(&mut serializer).unwrap();
            wanted.push(b'\n');
            assert_eq!(
                String::from_utf8(found).unwrap(),
                String::from_utf8(wanted).unwrap()
            );
        }
    }
}
