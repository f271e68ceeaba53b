//! What is reported to people, as data. Nothing here prints: `cli` renders it, once.

mod diagnostic;
mod event;
mod severity;

pub use diagnostic::{
    Diagnostic, DiagnosticFix, DiagnosticLabel, DiagnosticLevel, FileFinding, FixApplicability,
    FixChange, PositionTracker, Span, position,
};
pub use event::{EventReporter, ProgressEvent, SilentReporter};
pub use severity::Severity;
