//! A string that is never printed.

use std::fmt;

/// A token or password, which `Debug` does not show.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretString(String);

impl SecretString {
    /// Wraps a text, without surrounding whitespace.
    #[must_use]
    pub fn new(text: &str) -> SecretString {
        SecretString(text.trim().to_owned())
    }

    /// The text, to send it to its host.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_does_not_show_itself() {
        let secret = SecretString::new(" s3cret\n");
        assert_eq!(secret.reveal(), "s3cret");
        assert!(!format!("{secret:?}").contains("s3cret"));
    }
}
