use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;

use super::plural;
use crate::cli::Session;
use crate::error::Result;
use crate::ops::site::{SiteOptions, site};
use crate::package::SiteUrl;

/// Make a registry into files for a web server
///
/// `site` writes a directory of static files that any web server can serve: a page
/// to look through, and the skills below `/.well-known/agent-skills`, where agents
/// and other tools look for them. With `--registry` the registry itself is in it
/// too, to be read as `sparse+https://…`.
///
/// Without `--registry` it offers what is here: the members of the workspace, or
/// the package, or the skills that the project has installed.
///
/// The directory is replaced as a whole; one with anything else in it is refused.
///
/// Examples:
///
///   skillpm registry site public
///   skillpm registry site public --registry acme --base-url https://skills.acme.dev
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Write a static site of skills
    Site {
        /// The directory: new, empty, or an earlier site
        out: PathBuf,
        /// Make it from this registry
        #[arg(long, value_name = "REGISTRY")]
        registry: Option<String>,
        /// Where it will be served
        #[arg(long, value_name = "URL")]
        base_url: Option<String>,
    },
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let Action::Site { out, registry, base_url } = &self.action;
        let as_json = session.json()?;
        let base = base_url.as_deref().map(str::parse::<SiteUrl>).transpose()?;
        let made = site(&session.context, &SiteOptions { out: out.clone(), registry: registry.clone(), base })?;
        if as_json {
            session.shell.object(&json!({
                "type": "site",
                "out": made.out,
                "skills": made.skills,
                "packages": made.packages,
                "versions": made.versions,
                "files": made.files,
                "bytes": made.bytes,
            }));
            return Ok(0);
        }
        let versions = match made.versions {
            0 => String::new(),
            count => format!(", {} of {}", plural(count, "version"), plural(made.packages, "package")),
        };
        let (skills, files) = (plural(made.skills, "skill"), plural(made.files, "file"));
        session.shell.status("Wrote", &format!("{skills}{versions} to {} ({files})", made.out.display()));
        Ok(0)
    }
}
