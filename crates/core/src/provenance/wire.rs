//! SSH's encoding: each field is its length in four bytes, then its bytes (RFC 4251, section 5).

use super::Doubt;

/// Fields that are read one after the other.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    /// So many bytes as they are.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Doubt> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Doubt::Malformed("it ends too early"))?;
        self.0 = rest;
        Ok(taken)
    }

    /// A number of four bytes.
    pub(super) fn number(&mut self) -> Result<u32, Doubt> {
        let bytes = self.take(4)?;
        Ok(bytes.iter().fold(0, |number, &byte| number << 8 | u32::from(byte)))
    }

    /// A field.
    pub(super) fn bytes(&mut self) -> Result<&'a [u8], Doubt> {
        let length = self.number()?;
        self.take(usize::try_from(length).unwrap_or(usize::MAX))
    }

    /// A field that is a text.
    pub(super) fn text(&mut self) -> Result<&'a str, Doubt> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Doubt::Malformed("a name in it is no text"))
    }

    /// That nothing follows.
    pub(super) fn end(self) -> Result<(), Doubt> {
        if self.0.is_empty() { Ok(()) } else { Err(Doubt::Malformed("something follows its end")) }
    }
}

/// A number without the zeros before it.
pub(super) fn trimmed(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|&&byte| byte == 0).count();
    &number[zeros..]
}

/// A number in so many bytes, appended to others.
pub(super) fn push_padded(onto: &mut Vec<u8>, number: &[u8], width: usize) -> Result<(), Doubt> {
    let number = trimmed(number);
    let zeros = width.checked_sub(number.len()).ok_or(Doubt::Malformed("a number in it is too large"))?;
    onto.resize(onto.len() + zeros, 0);
    onto.extend_from_slice(number);
    Ok(())
}

/// A field, appended to others.
pub(super) fn push_field(onto: &mut Vec<u8>, field: &[u8]) {
    let length = u32::try_from(field.len()).expect("a field of a signature is short");
    onto.extend_from_slice(&length.to_be_bytes());
    onto.extend_from_slice(field);
}
