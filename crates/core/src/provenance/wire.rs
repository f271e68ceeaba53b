//! SSH's encoding: each field is its length in four bytes, then its bytes (RFC 4251, section 5).

use super::VerifyError;

/// Fields that are read one after the other.
#[derive(Clone, Copy)]
pub(super) struct WireReader<'a>(pub &'a [u8]);

impl<'a> WireReader<'a> {
    /// The next `count` bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], VerifyError> {
        // Lengths come from the data itself, and may point past its end.
        let (taken, rest) = self
            .0
            .split_at_checked(count)
            .ok_or(VerifyError::Malformed("unexpected end of data"))?;
        self.0 = rest;
        Ok(taken)
    }

    /// A big-endian number of four bytes.
    pub(super) fn read_u32(&mut self) -> Result<u32, VerifyError> {
        let bytes = self.take(4)?;
        Ok(bytes
            .iter()
            .fold(0, |number, &byte| number << 8 | u32::from(byte)))
    }

    /// A field.
    pub(super) fn read_bytes(&mut self) -> Result<&'a [u8], VerifyError> {
        let length = self.read_u32()?;
        self.take(usize::try_from(length).unwrap_or(usize::MAX))
    }

    /// A field that is UTF-8.
    pub(super) fn read_text(&mut self) -> Result<&'a str, VerifyError> {
        std::str::from_utf8(self.read_bytes()?)
            .map_err(|_| VerifyError::Malformed("a field is not UTF-8"))
    }

    /// Checks that no bytes are left.
    pub(super) fn expect_end(self) -> Result<(), VerifyError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(VerifyError::Malformed("unexpected data after its end"))
        }
    }
}

/// A number without its leading zeros.
pub(super) fn trim_leading_zeros(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|&&byte| byte == 0).count();
    &number[zeros..]
}

/// Appends a number, padded with zeros to `width` bytes.
pub(super) fn push_padded(
    onto: &mut Vec<u8>,
    number: &[u8],
    width: usize,
) -> Result<(), VerifyError> {
    // SSH writes a zero before a number whose first bit is set, which may be one byte too many.
    let number = trim_leading_zeros(number);
    let zeros = width
        .checked_sub(number.len())
        .ok_or(VerifyError::Malformed("a number in it is too large"))?;

    onto.resize(onto.len() + zeros, 0);
    onto.extend_from_slice(number);
    Ok(())
}

/// Appends a field with its length.
pub(super) fn push_field(onto: &mut Vec<u8>, field: &[u8]) {
    let length = u32::try_from(field.len()).expect("a field of a signature is short");
    onto.extend_from_slice(&length.to_be_bytes());
    onto.extend_from_slice(field);
}
