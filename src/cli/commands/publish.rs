//! `publish`: publishes packages in the order of their dependencies, with [`publish`], and reports each as soon as it
//! is done.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::plural;
use crate::cli::CliSession;
use crate::cli::shell::CliShell;
use crate::error::Result;
use crate::ops::publish::{
    PublishOptions, PublishReport, PublishStatus, PublishedPackage, publish,
};
use crate::report::{EventReporter, ProgressEvent};

/// Publish a skill to a registry
///
/// Packs the skill in DIR (by default, this directory), checks it against the
/// requirements of the registry, and makes one change of its index: the archive, its
/// index line, and for a new name or scope, the owner. Concurrent publishing is safe.
/// A published version never changes; publishing identical content again succeeds.
///
/// The registry is that of `--registry`, else the only one that the skill's
/// `publish` allows, else `registry.default`. Writes to the URL of the index, or to
/// `registries.NAME.publish`. The publisher's identity is `registry.identity`, else
/// git's author of a commit.
///
/// `--tag` creates the git tag NAME-vX.Y.Z in the skill's repository, without
/// pushing it.
///
/// Examples:
///
///   skillpm publish --dry-run
///   skillpm publish skills/pdf --registry acme
///   skillpm publish --workspace --tag
///   skillpm publish --branch publish/pdf-1.2.0     push it for review
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
pub(in crate::cli) struct PublishArgs {
    /// The directory of the skill, or with --workspace a project's
    dir: Option<PathBuf>,

    /// The registry to publish to, as named in the settings
    #[arg(long, value_name = "NAME")]
    registry: Option<String>,

    /// Check everything without publishing
    #[arg(long)]
    dry_run: bool,

    /// Push to this branch of the index for review
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,

    /// Tag the published commit as NAME-vX.Y.Z
    #[arg(long)]
    tag: bool,

    /// Publish every workspace member with a new version
    #[arg(long)]
    workspace: bool,

    /// Sign the commit of the index with your key
    ///
    /// Uses git's signing key: `user.signingKey`, SSH or OpenPGP according to `gpg.format`. Not needed if git's
    /// `commit.gpgSign` is set. The registry's owners list the public key: see docs/provenance.md.
    #[arg(long)]
    sign: bool,

    /// Allow uncommitted changes
    #[arg(long)]
    allow_dirty: bool,

    /// Allow a new name similar to an existing one
    #[arg(long)]
    allow_similar: bool,
}

impl PublishArgs {
    /// The flags that are settings.
    pub(super) fn settings(&self) -> Vec<String> {
        // A setting as well, so that a registry may be signed by default; the flag is its highest
        // layer.
        self.sign
            .then(|| "registry.sign=true".to_owned())
            .into_iter()
            .collect()
    }

    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
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
        // With `--workspace`, packages before the one that failed are published, and are reported.
        let PublishReport { packages, failed } = publish(&session.context, &options)?;

        if session.wants_json()? {
            packages
                .iter()
                .for_each(|package| session.shell.print_object(&publication_json(package)));
            session
                .shell
                .print_object(&summary_json(&packages, self.dry_run));
        } else {
            packages
                .iter()
                .for_each(|package| print_publication(session, package));
            if self.dry_run {
                session.shell.status("Dry run:", "nothing was changed");
            }
        }

        // Last, so that what was published before the failure is not lost from the output.
        failed.map_or(Ok(0), Err)
    }
}

fn print_publication(session: &CliSession<'_>, package: &PublishedPackage) {
    let what = format!("{} {}", package.name, package.version);
    let registry = &package.registry;
    let files = plural(package.files, "file");

    match package.outcome {
        PublishStatus::Published => {
            let verb = if package.branch.is_some() {
                // On a branch of the index it counts as published only once it is merged.
                "Proposed"
            } else {
                "Published"
            };
            session
                .shell
                .status(verb, &format!("{what} to {registry}, {files}"));
        }
        PublishStatus::WouldPublish => session
            .shell
            .status("Would publish", &format!("{what} to {registry}, {files}")),
        PublishStatus::AlreadyPublished { yanked } => {
            session.shell.status(
                "Unchanged",
                &format!("{what} is already in {registry}, with identical content"),
            );
            if yanked {
                warn_about_yanked(session.shell, package);
            }
        }
        PublishStatus::NotForRegistry => session.shell.status(
            "Skipped",
            &format!("{what}, which is not for this registry"),
        ),
    }

    if let Some(branch) = &package.branch {
        print_branch(session.shell, branch, &package.index);
    }

    if let Some(tag) = &package.tag {
        session.shell.report(ProgressEvent::Done {
            verb: "Tagged",
            what: format!("{tag}; to push it: git push origin {tag}"),
        });
    }
    // One line a package on stdout, which a release script can read.
    if package.outcome != PublishStatus::NotForRegistry {
        session
            .shell
            .print_line(&format!("{what} {registry} {}", package.checksum));
    }
}

/// Warns that publishing a yanked version again does not unyank it.
fn warn_about_yanked(shell: &CliShell, package: &PublishedPackage) {
    let help = format!(
        "run `skillpm yank {}@{} --undo` to unyank it",
        package.name, package.version
    );

    shell.warn(
        &format!("`{} {}` was yanked", package.name, package.version),
        Some(&help),
    );
}

/// Prints the branch that waits for a review, and the ways to merge it.
fn print_branch(shell: &CliShell, branch: &str, index: &str) {
    shell.status("Waiting", &format!("on branch {branch} of {index}"));

    // Not every host has pull requests, so that the commands of git are given as well.
    let pushed = format!("git fetch origin && git push origin origin/{branch}:HEAD");
    shell.status(
        "To merge:",
        &format!("open a pull request, or in a clone of the index: {pushed}"),
    );
}

fn publication_json(package: &PublishedPackage) -> Value {
    json!({
        "type": match package.outcome {
            PublishStatus::Published => "published",
            PublishStatus::WouldPublish => "would-publish",
            PublishStatus::AlreadyPublished { .. } => "already-published",
            PublishStatus::NotForRegistry => "not-published",
        },
        "name": package.name,
        "version": package.version,
        "registry": package.registry,
        "index": package.index,
        "checksum": package.checksum,
        "archive": format!("sha256:{}", package.archive),
        "files": package.files,
        "yanked": matches!(package.outcome, PublishStatus::AlreadyPublished { yanked: true }),
        "commit": package.commit,
        "branch": package.branch,
        "tag": package.tag,
    })
}

fn summary_json(packages: &[PublishedPackage], dry_run: bool) -> Value {
    let published = packages
        .iter()
        .filter(|package| package.outcome == PublishStatus::Published)
        .count();
    json!({"type": "summary", "packages": packages.len(), "published": published, "dry_run": dry_run})
}
