//! What a file of Python declares, whether or not this build can read it.

use crate::report::Span;
use crate::skill::SkillTool;

/// The tools that a file declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredTools {
    /// Its tools, in the order of `get_tools`, else in that of the file.
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
