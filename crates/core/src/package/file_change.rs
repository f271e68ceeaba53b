//! A change to one file of a package.

/// A change to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Its path before; `None` for a new file.
    pub from: Option<String>,
    /// Its path afterwards; `None` for one that was removed.
    pub to: Option<String>,
    /// Its bytes before; empty for a new file.
    pub before: Vec<u8>,
    /// Its bytes afterwards; empty for one that was removed.
    pub after: Vec<u8>,
    /// Whether it is executable, before and afterwards.
    pub executable: (bool, bool),
}

impl FileChange {
    /// Whether both sides are text and can be compared line by line.
    #[must_use]
    pub fn is_text(&self) -> bool {
        is_text(&self.before) && is_text(&self.after)
    }

    /// Its path, or its former path if it was removed.
    #[must_use]
    pub fn path(&self) -> &str {
        self.to
            .as_deref()
            .or(self.from.as_deref())
            .unwrap_or_default()
    }
}

/// Whether bytes are text, as git decides it: no NUL among the first 8,000.
#[must_use]
pub fn is_text(bytes: &[u8]) -> bool {
    memchr::memchr(0, &bytes[..bytes.len().min(8_000)]).is_none()
}
