//! What is told to people, as data. Nothing here prints: `cli` renders it, once.

mod diagnostic;
mod event;
mod severity;

pub use diagnostic::{Applicability, Change, Diagnostic, Finding, Fix, Label, Level, Span, position};
pub use event::{Event, Reporter, Silent};
pub use severity::Severity;
