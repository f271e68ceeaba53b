//! What is told to people, as data. Nothing here prints: `cli` renders it, once.

mod diagnostic;
mod event;

pub use diagnostic::{Diagnostic, Finding, Label, Level, Span};
pub use event::{Event, Reporter, Silent};
