//! JSON as every format writes it: indented by one blank, and with nothing in it that acts without being seen.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::PrettyFormatter;

use crate::catalog::text::is_hidden;

/// Writes `value` and a line end. Characters that act on a terminal are written as `\u` escapes, which mean the same.
pub(super) fn write(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut out = Visible { gathered: Vec::with_capacity(2 * Visible::CHUNK), out };
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut out, PrettyFormatter::with_indent(b" ")))?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Gathers JSON text and passes it on with the characters that cannot be seen as escapes. Outside strings JSON has
/// none, so the text need not be understood for it.
struct Visible<'a> {
    /// Whole characters only, since the serializer writes no parts of them.
    gathered: Vec<u8>,
    out: &'a mut dyn Write,
}

impl Visible<'_> {
    /// So much text is passed on at once, in bytes.
    const CHUNK: usize = 1 << 16;

    fn pass_on(&mut self) -> io::Result<()> {
        let text = std::str::from_utf8(&self.gathered).map_err(io::Error::other)?;
        let (mut done, mut at) = (0, 0);
        while let Some(beyond) = text.as_bytes()[at..].iter().position(|&byte| byte >= 0x7f) {
            at += beyond;
            let c = text[at..].chars().next().expect("a character begins at every byte that follows ASCII");
            if is_hidden(c) {
                self.out.write_all(&text.as_bytes()[done..at])?;
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(self.out, "\\u{unit:04x}")?;
                }
                done = at + c.len_utf8();
            }
            at += c.len_utf8();
        }
        self.out.write_all(&text.as_bytes()[done..])?;
        self.gathered.clear();
        Ok(())
    }
}

impl Write for Visible<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.gathered.len() >= Self::CHUNK {
            self.pass_on()?;
        }
        self.gathered.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on()?;
        self.out.flush()
    }
}
