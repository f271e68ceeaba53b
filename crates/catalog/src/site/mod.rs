//! A static web site of skills: skills in, files by path out. Nothing is read or written here.
//!
//! ```text
//! index.html                                     search, filters, what is new
//! skills/acme/pdf/index.html                     a page for each skill
//! browse/, rules.html, assets/                   lists by letter, the rules of findings, style, script, search data
//! .well-known/agent-skills/index.json            discovery 0.2, with `files` for readers of 0.1
//! .well-known/agent-skills/pdf.tar.gz            a skill of several files
//! .well-known/agent-skills/pdf/SKILL.md          the same files, loose
//! .well-known/skills/index.json                  discovery 0.1
//! .well-known/skills/pdf/SKILL.md
//! ```
//!
//! The pages are a [`SiteIndex`] and a [`PackagePage`] for each skill. They load nothing from elsewhere, and work from a
//! disk.
//!
//! Other trees of the same skills, each for readers of another sort: [`agentskills_http`](AgentskillsHttp),
//! a [`ClaudeMarketplace`] of Claude Code's, and the [zips](ClaudeZip) that Anthropic's interface takes. All are [`SiteBuilder`]s.
//!
//! The same skills give the same bytes. The caller puts what else a site holds (the files of a registry) beside these.

mod agentskills_http;
mod badge;
mod claude_zip;
mod html_text;
mod install_command;
mod json_text;
mod list_pages;
mod markdown;
mod marketplace;
mod package_page;
mod package_row;
mod search_index;
mod served_files;
mod site_builder;
mod templates;
mod well_known;

pub use agentskills_http::AgentskillsHttp;
pub use claude_zip::ClaudeZip;
pub use install_command::InstallCommand;
pub use list_pages::{RuleEntry, SiteIndex};
pub use marketplace::ClaudeMarketplace;
pub use package_page::{
    AgentSupport, AuditFinding, AuditSummary, CapabilityList, FilePlace, InstalledPlace,
    PackagePage, PageFile, RelatedPackage, UsedValue, VersionDiff, VersionRow,
};
pub use package_row::{FacetGroup, PackageFacet, PackageRow};
pub use site_builder::{OfferedMetadata, OfferedSkill, SiteBuilder, SiteFiles};
pub use well_known::{SiteHost, WellKnown, active_files};
