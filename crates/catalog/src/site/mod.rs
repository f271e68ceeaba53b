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
//! a [`ClaudeMarketplace`] of Claude Code's, and the [zips](ClaudeZip) that Anthropic's interface takes. All are [`SiteBuilder`]s.
//!
//! The same skills give the same bytes. The caller puts what else a site holds (the files of a registry) beside these.

mod agentskills_http;
mod claude_zip;
mod marketplace;
mod page;
mod site_builder;
mod well_known;

pub use agentskills_http::AgentskillsHttp;
pub use claude_zip::ClaudeZip;
pub use marketplace::ClaudeMarketplace;
pub use page::{PageRow, SitePage};
pub use site_builder::{OfferedMetadata, OfferedSkill, SiteBuilder, SiteFiles};
pub use well_known::WellKnown;
