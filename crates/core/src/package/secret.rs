//! A text that nobody may see.

use std::fmt;

/// A token or a password: it can be used, and never be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a text into custody, without blanks around it.
    #[must_use]
    pub fn new(text: &str) -> Secret {
        Secret(text.trim().to_owned())
    }

    /// The text, for the one who sends it where it belongs.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_does_not_show_itself() {
        let secret = Secret::new(" s3cret\n");
        assert_eq!(secret.reveal(), "s3cret");
        assert!(!format!("{secret:?}").contains("s3cret"));
    }
}
