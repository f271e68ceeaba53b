//! The registry that a command writes to, and the author of the change.

use std::path::Path;

use super::CommandContext;
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::PublishTargets;
use skillpm_core::package::{PackageName, SourceId};
use skillpm_io::git::{self, CommitAuthor, GitIdentity};
use skillpm_registry::index::write::{self, IndexEdit, IndexFiles, IndexWriteOptions, IndexWriter};
use skillpm_registry::sources::SourceContext;

/// A registry that is written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RegistryTarget {
    /// Its name in the settings.
    pub(super) name: String,
    /// The URL its index is read from; it identifies the registry.
    pub(super) index: String,
    /// The URL its index is written to.
    pub(super) write: String,
    /// The URL its archives are uploaded to, if they are not in the index.
    pub(super) archives: Option<String>,
}

impl RegistryTarget {
    /// The registry with a name, or the default one.
    ///
    /// # Errors
    /// If it is not configured, or cannot be written.
    pub(super) fn from_name(
        context: &CommandContext<'_>,
        name: Option<&str>,
    ) -> Result<RegistryTarget> {
        let name = name.map_or_else(|| context.config.default_registry(), str::to_owned);
        let index = context.config.registry(Some(&name))?;

        if index == SourceId::EMBEDDED_INDEX {
            return Err(Error::usage(format!("cannot write to registry `{name}`: it is bundled with skillpm"))
                .help(
                    "pass another one with `--registry NAME`, or set the default: `skillpm config set registry.default NAME`",
                )
                .help("to add a registry, run `skillpm config set registries.NAME.index git+ssh://git@host/index.git`"));
        }

        // Most registries are written where they are read. The URLs differ if the index is served
        // by a web server and changed in a repository or a bucket.
        let setting = |key: &str| context.config.string(&format!("registries.{name}.{key}"));
        let write = setting("publish").unwrap_or_else(|| index.clone());

        Ok(RegistryTarget {
            archives: setting("archives"),
            write,
            index,
            name,
        })
    }

    /// The registry that a package is published to: the requested one, else the only allowed one,
    /// else the default one.
    ///
    /// # Errors
    /// If it may not be published there, or several registries are allowed and none was requested.
    pub(super) fn for_package(
        context: &CommandContext<'_>,
        requested: Option<&str>,
        name: &PackageName,
        publish: &PublishTargets,
    ) -> Result<RegistryTarget> {
        match (publish, requested) {
            // `publish = false` wins over `--registry`: the manifest decides about the package.
            (PublishTargets::Nowhere, _) => {
                Err(Error::negative(format!("`{name}` cannot be published"))
                    .note("its manifest has `publish = false`")
                    .help("to allow it, remove that line from `[package]`"))
            }
            (PublishTargets::Only(only), Some(requested))
                if !only.iter().any(|name| name == requested) =>
            {
                Err(Error::negative(format!(
                    "`{name}` cannot be published to registry `{requested}`"
                ))
                .note(format!("its manifest has `publish = {only:?}`"))
                .help("to allow it, add the registry to `publish` in `[package]`"))
            }
            (PublishTargets::Only(only), None) => match &only[..] {
                [one] => RegistryTarget::from_name(context, Some(one)),
                _ => Err(Error::usage(format!(
                    "`{name}` requires `--registry`: it can be published to several registries"
                ))
                .note(format!("its manifest has `publish = {only:?}`"))
                .help("pass one with `--registry NAME`")),
            },
            // Any registry is allowed, or the requested one is.
            (_, requested) => RegistryTarget::from_name(context, requested),
        }
    }

    /// Opens its index for writing.
    ///
    /// # Errors
    /// If it cannot be written, or has no branches.
    pub(super) fn open<'a>(
        &self,
        session: &RegistrySession<'a>,
        branch: Option<&'a str>,
    ) -> Result<Box<dyn IndexWriter + 'a>> {
        let write_options = IndexWriteOptions {
            tools: session.tools.for_index(session.context.reporter),
            author: session.author,
            time: i64::try_from(session.context.now).unwrap_or_default(),
            branch,
            timeout: session.context.lock_timeout(),
        };

        write::open(&self.write, write_options).map_err(|error| {
            if self.write == self.index {
                error
            } else {
                error.note(format!("set by `registries.{}.publish`", self.name))
            }
        })
    }
}

/// What a command changed in an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexChangeReport {
    /// The registry, by name.
    pub registry: String,
    /// Whether the index was changed.
    pub changed: bool,
    /// The commit of the index.
    pub commit: Option<String>,
}

/// Changes the index of a registry. `decide` returns the edit of a state of its files for the email address of the author,
/// or `None` if there is nothing to change.
///
/// # Errors
/// If it cannot be written, or has a newer format; or the error of `decide`.
pub(super) fn change_index(
    context: &CommandContext<'_>,
    registry: Option<&str>,
    decide: impl Fn(&dyn IndexFiles, &str) -> Result<Option<IndexEdit>>,
) -> Result<IndexChangeReport> {
    let target = RegistryTarget::from_name(context, registry)?;
    let author = resolve_author(context, &context.dirs.cwd)?;
    let session = RegistrySession {
        context,
        tools: &context.tools()?,
        author: &author,
    };

    let written = target.open(&session, None)?.update(&mut |files| {
        // Refuses an index of a newer format before its files are read.
        write::read_config(files, &target.write)?;
        decide(files, &author.email)
    })?;

    Ok(IndexChangeReport {
        registry: target.name,
        changed: written.is_some(),
        commit: written.and_then(|written| written.commit),
    })
}

/// The context of a change of a registry.
#[derive(Clone, Copy)]
pub(super) struct RegistrySession<'a> {
    pub(super) context: &'a CommandContext<'a>,
    pub(super) tools: &'a SourceContext,
    pub(super) author: &'a CommitAuthor,
}

/// The author of a change from this directory. Owners are identified by the email address.
pub(super) fn resolve_author(context: &CommandContext<'_>, dir: &Path) -> Result<CommitAuthor> {
    let git = git::commit_author(dir, context.env_var)?;

    let identity = context
        .config
        .string("registry.identity")
        .map(|identity| identity.trim().to_owned())
        .filter(|identity| !identity.is_empty());
    let email = identity.clone().unwrap_or(git.email);
    check_address(&email)?;

    // Unset is not the same as `false`: without the setting git's `commit.gpgSign` decides.
    let sign_setting = context
        .config
        .string("registry.sign")
        .map(|_| context.config.switch("registry.sign"));
    let signing = git::commit_signing(dir, sign_setting, &git.committer.email)?;

    // One identity for author and committer, so that the index shows a single person.
    let address = non_empty_or(identity.unwrap_or(git.committer.email), &email);

    // A name is only shown to people, and an address is better than none.
    let committer = GitIdentity {
        name: non_empty_or(git.committer.name, &address),
        email: address,
    };

    Ok(CommitAuthor {
        name: non_empty_or(git.name, &email),
        email,
        committer,
        signing,
    })
}

/// Checks the address that owners are compared by.
fn check_address(email: &str) -> Result<()> {
    // Git writes it between `<` and `>` in a commit, so that neither can be part of it.
    if email.is_empty() || email.contains(['<', '>']) || email.chars().any(char::is_control) {
        return Err(Error::usage("unknown author: writing to a registry requires an email address")
            .note("neither `registry.identity`, nor `GIT_AUTHOR_EMAIL`, git's configuration or `EMAIL` has one")
            .help("for git and skillpm, run `git config --global user.email ADDRESS`")
            .help("for skillpm only, run `skillpm config set registry.identity ADDRESS`"));
    }
    Ok(())
}

fn non_empty_or(text: String, otherwise: &str) -> String {
    if text.is_empty() {
        otherwise.to_owned()
    } else {
        text
    }
}
