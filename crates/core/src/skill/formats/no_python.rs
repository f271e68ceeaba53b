//! The reader of Python of a build without the feature `python`: no file can be parsed.

pub use super::declared_tools::{DeclaredTools, GetTools, PythonError};

use crate::report::Span;

/// Reads nothing.
///
/// # Errors
/// Always.
pub fn read_declared_tools(source: &str) -> Result<DeclaredTools, PythonError> {
    Err(PythonError {
        message: "this skillpm was built without the feature `python`".to_owned(),
        at: 0..source.find('\n').unwrap_or(source.len()),
    })
}

/// Finds nothing: no file can be parsed.
#[must_use]
pub fn find_escapable_strings(_source: &str) -> Option<Vec<Span>> {
    None
}
