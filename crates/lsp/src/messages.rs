//! Reads the messages of a client: a header with the length, and JSON.
//!
//! ```text
//! Content-Length: 52\r\n
//! \r\n
//! {"jsonrpc":"2.0","id":1,"method":"shutdown"}
//! ```

use std::io::{self, BufRead, Read};

use lsp_server::{ErrorCode, Message};

/// The limit of a message's JSON, in bytes: an editor sends a whole document in one message.
pub(crate) const MESSAGE_MAX: u64 = 32 << 20;

/// The limit of a message's header, in bytes.
pub(crate) const HEADER_MAX: u64 = 8 << 10;

/// What was read.
#[derive(Debug)]
pub(crate) enum IncomingFrame {
    /// A message.
    Message(Message),
    /// Something else of the announced length; the next message can be read.
    Invalid(ErrorCode, String),
    /// The client has closed its end.
    End,
}

/// Reads one message.
///
/// # Errors
/// If the input cannot be read, or a header is invalid: where the next message begins is not known then.
pub(crate) fn read_frame(input: &mut impl BufRead) -> io::Result<IncomingFrame> {
    let Some(length) = read_header(input)? else {
        return Ok(IncomingFrame::End);
    };

    if length > MESSAGE_MAX {
        // Read, so that the next message is found, and dropped.
        io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
        let reason = format!("the message has {length} bytes, and the limit is {MESSAGE_MAX}");
        return Ok(IncomingFrame::Invalid(ErrorCode::InvalidRequest, reason));
    }

    let mut json = Vec::new();
    input.by_ref().take(length).read_to_end(&mut json)?;
    if (json.len() as u64) < length {
        return Ok(IncomingFrame::End);
    }
    Ok(parse_message(&json))
}

fn parse_message(json: &[u8]) -> IncomingFrame {
    let value: serde_json::Value = match serde_json::from_slice(json) {
        Ok(value) => value,
        Err(error) => {
            let reason = format!("invalid JSON: {error}");
            return IncomingFrame::Invalid(ErrorCode::ParseError, reason);
        }
    };
    match serde_json::from_value(value) {
        Ok(message) => IncomingFrame::Message(message),
        Err(_) => {
            let reason = "invalid message: neither a request, a response nor a notification";
            IncomingFrame::Invalid(ErrorCode::InvalidRequest, reason.to_owned())
        }
    }
}

/// Reads the header of a message: the length of what follows; `None` at the end of the input.
fn read_header(input: &mut impl BufRead) -> io::Result<Option<u64>> {
    let mut length = None;
    let mut left = HEADER_MAX;
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(left).read_until(b'\n', &mut line)?;
        if read == 0 && left > 0 {
            return Ok(None);
        }
        left -= read as u64;
        if line.last() != Some(&b'\n') {
            return Err(invalid_header("the header is too long or cut off"));
        }

        let line = line.trim_ascii_end();
        if line.is_empty() {
            return length
                .map(Some)
                .ok_or_else(|| invalid_header("`Content-Length` is missing"));
        }
        if let Some(value) = content_length(line) {
            let value = value
                .parse()
                .map_err(|_| invalid_header("`Content-Length` is no number"))?;
            length = Some(value);
        }
    }
}

/// The value of `Content-Length: N`; `None` for another header.
fn content_length(line: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(line).ok()?;
    let (name, value) = text.split_once(':')?;
    let is_length = name.trim().eq_ignore_ascii_case("content-length");
    is_length.then_some(value.trim())
}

fn invalid_header(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(json: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{json}", json.len())
    }

    #[test]
    fn invalid_json_does_not_hide_the_next_message() {
        let input = [
            framed("{"),
            framed("[1]"),
            framed("{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}"),
        ]
        .concat();
        let mut input = input.as_bytes();
        let mut next = || read_frame(&mut input).unwrap();
        assert!(matches!(
            next(),
            IncomingFrame::Invalid(ErrorCode::ParseError, _)
        ));
        assert!(matches!(
            next(),
            IncomingFrame::Invalid(ErrorCode::InvalidRequest, _)
        ));
        assert!(matches!(
            next(),
            IncomingFrame::Message(Message::Notification(_))
        ));
        assert!(matches!(next(), IncomingFrame::End));
    }

    #[test]
    fn message_over_the_limit_is_dropped() {
        let size = MESSAGE_MAX + 1;
        let head = format!("Content-Length: {size}\r\n\r\n");
        let rest = framed("{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}");
        let mut input = head
            .as_bytes()
            .chain(io::BufReader::new(io::repeat(b' ').take(size)))
            .chain(rest.as_bytes());
        assert!(matches!(
            read_frame(&mut input).unwrap(),
            IncomingFrame::Invalid(..)
        ));
        assert!(matches!(
            read_frame(&mut input).unwrap(),
            IncomingFrame::Message(_)
        ));
    }

    #[test]
    fn invalid_header_is_an_error() {
        for header in [
            "X: 1\r\n\r\n",
            "Content-Length: x\r\n\r\n",
            "Content-Length: 1",
        ] {
            assert!(read_frame(&mut header.as_bytes()).is_err(), "{header}");
        }
        let endless = io::repeat(b'x');
        assert!(read_frame(&mut io::BufReader::new(endless)).is_err());
    }
}
