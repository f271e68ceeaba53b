//! The reader of Python of a build without the feature `python`: no file can be parsed.

use crate::report::Span;
use crate::skill::SkillTool;

/// The tools that a file declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredTools {
    /// Its tools.
    pub tools: Vec<SkillTool>,
    /// Whether its `get_tools` could be read.
    pub get_tools: GetTools,
}

/// Whether a file's `get_tools` could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GetTools {
    /// Not defined.
    Absent,
    /// It returns a list that could be read.
    Read,
    /// Its returned value is not known without running it.
    Opaque,
}

/// Why a file cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PythonError {
    /// One sentence, lower case, without a full stop.
    pub message: String,
    /// The span of the error.
    pub at: Span,
}

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
