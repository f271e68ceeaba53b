//! A static web site of skills: skills in, files by path out. Nothing is read or written here.
//!
//! ```text
//! index.html                                     a page for people
//! .well-known/agent-skills/index.json            discovery 0.2, with `files` for readers of 0.1
//! .well-known/agent-skills/pdf.tar.gz            a skill of several files
//! .well-known/agent-skills/pdf/SKILL.md          the same files, loose
//! .well-known/skills/index.json                  discovery 0.1
//! .well-known/skills/pdf/SKILL.md
//! ```
//!
//! The same skills give the same bytes. What else a site holds (the files of a registry) is put beside these by whoever
//! writes them down.

mod page;
mod well_known;

use std::collections::BTreeMap;

pub use page::{Page, Row};
pub use well_known::{Offered, WellKnown, well_known};

/// Files by path, relative to the site's root.
pub type Files = BTreeMap<String, Vec<u8>>;
