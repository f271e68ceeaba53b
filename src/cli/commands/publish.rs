use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::plural;
use crate::cli::Session;
use crate::error::Result;
use crate::ops::publish::{Outcome, Publication, PublishOptions, Published, publish};
use crate::report::{Event, Reporter};

/// Publish a skill to a registry
///
/// Packs the skill in DIR (by default, in this directory), holds it to what the
/// registry asks for, and makes one change of its index: the archive, the line
/// that names it, and for a new name or scope, whose it is. Of any number who
/// publish at once, each lands once. A published version never changes; the very
/// same published again is no fault.
///
/// It goes to the registry that `--registry` names, else to the only one that the
/// skill's `publish` allows, else to `registry.default`. The index is written
/// where it is read, or where `registries.NAME.publish` says. You are who
/// `registry.identity` says, else who git takes for the author of a commit.
///
/// `--tag` makes the git tag NAME-vX.Y.Z where the skill is developed, and does
/// not push it.
///
/// Examples:
///
///   skillpm publish --dry-run
///   skillpm publish skills/pdf --registry acme
///   skillpm publish --workspace --tag
///   skillpm publish --branch publish/pdf-1.2.0     leave it for review
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub(in crate::cli) struct Arguments {
    /// The directory of the skill, or with --workspace a project's
    dir: Option<PathBuf>,

    /// The registry to publish to, by its name in the settings
    #[arg(long, value_name = "NAME")]
    registry: Option<String>,

    /// Do all but the change
    #[arg(long)]
    dry_run: bool,

    /// Leave it on this branch of the index, for review
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,

    /// Tag the commit it is made from as NAME-vX.Y.Z
    #[arg(long)]
    tag: bool,

    /// Publish every member whose version is new
    #[arg(long)]
    workspace: bool,

    /// Sign the commit of the index with your key
    ///
    /// The one that git signs with: `user.signingKey`, of SSH or OpenPGP as `gpg.format` says. Where git's `commit.gpgSign`
    /// is set, this is not needed. The registry's owners list the public half: see docs/provenance.md.
    #[arg(long)]
    sign: bool,

    /// Publish what was not committed, too
    #[arg(long)]
    allow_dirty: bool,

    /// Take a new name that is like another's
    #[arg(long)]
    allow_similar: bool,
}

impl Arguments {
    /// The flags that are settings.
    pub(super) fn settings(&self) -> Vec<String> {
        self.sign.then(|| "registry.sign=true".to_owned()).into_iter().collect()
    }

    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let options = PublishOptions {
            dir: self.dir.clone(),
            registry: self.registry.clone(),
            branch: self.branch.clone(),
            dry_run: self.dry_run,
            tag: self.tag,
            workspace: self.workspace,
            allow_dirty: self.allow_dirty,
            allow_similar: self.allow_similar,
        };
        let Published { packages, failed } = publish(&session.context, &options)?;
        if session.json()? {
            packages.iter().for_each(|package| session.shell.object(&as_json(package)));
            session.shell.object(&summary(&packages, self.dry_run));
        } else {
            packages.iter().for_each(|package| tell(session, package));
            if self.dry_run {
                session.shell.status("Dry run", "nothing was changed");
            }
        }
        failed.map_or(Ok(0), Err)
    }
}

fn tell(session: &Session<'_>, package: &Publication) {
    let what = format!("{} {}", package.name, package.version);
    let registry = &package.registry;
    let files = plural(package.files, "file");
    match package.outcome {
        Outcome::Published => {
            let verb = if package.branch.is_some() { "Proposed" } else { "Published" };
            session.shell.status(verb, &format!("{what} to {registry}, {files}"));
        }
        Outcome::WouldPublish => session.shell.status("Would publish", &format!("{what} to {registry}, {files}")),
        Outcome::Already { yanked } => {
            session.shell.status("Unchanged", &format!("{what} is in {registry} already, the very same"));
            if yanked {
                let help = format!("`skillpm yank {}@{} --undo` takes it back in", package.name, package.version);
                session.shell.warn(&format!("`{what}` was yanked"), Some(&help));
            }
        }
        Outcome::NotMeant => session.shell.status("Skipped", &format!("{what}, which is not for this registry")),
    }
    if let Some(branch) = &package.branch {
        session.shell.status("Waiting", &format!("on branch {branch} of {}", package.index));
        let pushed = format!("git fetch origin && git push origin origin/{branch}:HEAD");
        session.shell.status("To merge", &format!("open a request for it, or in a clone of the index: {pushed}"));
    }
    if let Some(tag) = &package.tag {
        session.shell.report(Event::Done { verb: "Tagged", what: format!("{tag}; to push it: git push origin {tag}") });
    }
    if package.outcome != Outcome::NotMeant {
        session.shell.line(&format!("{what} {registry} {}", package.checksum));
    }
}

fn as_json(package: &Publication) -> Value {
    json!({
        "type": match package.outcome {
            Outcome::Published => "published",
            Outcome::WouldPublish => "would-publish",
            Outcome::Already { .. } => "already-published",
            Outcome::NotMeant => "not-published",
        },
        "name": package.name,
        "version": package.version,
        "registry": package.registry,
        "index": package.index,
        "checksum": package.checksum,
        "archive": format!("sha256:{}", package.archive),
        "files": package.files,
        "yanked": matches!(package.outcome, Outcome::Already { yanked: true }),
        "commit": package.commit,
        "branch": package.branch,
        "tag": package.tag,
    })
}

fn summary(packages: &[Publication], dry_run: bool) -> Value {
    let published = packages.iter().filter(|package| package.outcome == Outcome::Published).count();
    json!({"type": "summary", "packages": packages.len(), "published": published, "dry-run": dry_run})
}
