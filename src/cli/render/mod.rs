//! Events and outcomes as lines: for people, for programs, and while they happen.

pub(super) mod findings;
pub(super) mod foreign_text;
pub(super) mod human;
pub(super) mod json;
pub(super) mod patch;
pub(super) mod progress;
pub(super) mod terminal;
