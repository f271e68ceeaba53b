//! `init`: writes a manifest with [`init`], with the detected agents that the user accepts as targets.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::detect_args::{AgentPrompt, DetectArgs, print_detected};
use crate::cli::CliSession;
use crate::cli::render::json::detected_json;
use crate::error::Result;
use crate::ops::agents::TargetProposal;
use crate::ops::create::{InitOptions, init};

/// Create a manifest for the project
///
/// Writes a `skillpm.toml` without skills. Add them with `skillpm add`, and commit
/// the manifest together with `skillpm.lock`. Agents that are used here and need a
/// directory of their own become targets. In a git repository, a line in
/// `.gitattributes` keeps git from converting the line endings of committed skills.
///
/// Examples:
///
///   skillpm init
///   skillpm init path/to/project
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct InitArgs {
    /// The directory to create it in [default: this one]
    directory: Option<PathBuf>,

    #[command(flatten)]
    detection: DetectArgs,
}

impl InitArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let agents = AgentPrompt::default();
        let choose = |proposals: &[TargetProposal]| agents.choose(session, proposals);
        let options = InitOptions {
            dir: self.directory.as_deref(),
            detect: if self.detection.is_enabled(session) {
                Some(&choose)
            } else {
                None
            },
        };

        let as_json = session.wants_json()?;
        let created = init(&session.context, &options)?;
        if as_json {
            let detected: Vec<_> = created.detected.iter().map(detected_json).collect();
            session.shell.print_object(&json!({
                "type": "initialized",
                "path": created.path,
                "gitattributes": created.attributes,
                "detected": detected,
            }));
            return Ok(0);
        }

        session
            .shell
            .status("Created", &created.path.display().to_string());
        if let Some(attributes) = created.attributes {
            let what = format!(
                "{}: git keeps the line endings of skills",
                attributes.display()
            );
            session.shell.status("Changed", &what);
        }
        print_detected(session.shell, &created.detected, false);
        Ok(0)
    }
}
