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
//! Other trees of the same skills, each for readers of another sort: [`agentskills_http`](AgentskillsHttp),
//! a [`Marketplace`] of Claude Code's, and the [zips](ClaudeZip) that Anthropic's interface takes. All are [`Offering`]s.
//!
//! The same skills give the same bytes. What else a site holds (the files of a registry) is put beside these by whoever
//! writes them down.

mod agentskills_http;
mod claude_zip;
mod marketplace;
mod offering;
mod page;
mod well_known;

pub use agentskills_http::AgentskillsHttp;
pub use claude_zip::ClaudeZip;
pub use marketplace::Marketplace;
pub use offering::{About, Files, Offered, Offering};
pub use page::{Page, Row};
pub use well_known::WellKnown;
