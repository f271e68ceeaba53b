//! Which registry a command writes to, where, and in whose name.

use std::path::Path;

use super::Context;
use crate::error::{Error, Result};
use crate::index::write::{self, Ledger, Writing};
use crate::io::git::{self, Author, Person};
use crate::manifest::Publish;
use crate::package::{PackageName, SourceId};
use crate::sources::Tools;

/// A registry that is written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// Its name in the settings.
    pub(super) name: String,
    /// Where its index is read: what it is known by.
    pub(super) index: String,
    /// Where its index is written.
    pub(super) write: String,
    /// Where its archives are put, if that is not the index.
    pub(super) archives: Option<String>,
}

impl Target {
    /// The registry called `name`, or the default one.
    ///
    /// # Errors
    /// If none of that name is configured, or it cannot be written.
    pub(super) fn named(context: &Context<'_>, name: Option<&str>) -> Result<Target> {
        let name = name.map_or_else(|| context.config.default_registry(), str::to_owned);
        let index = context.config.registry(Some(&name))?;
        if index == SourceId::EMBEDDED_INDEX {
            return Err(Error::usage(format!("registry `{name}` is part of skillpm, and cannot be written"))
                .help(
                    "name another with `--registry NAME`, or once for all: `skillpm config set registry.default NAME`",
                )
                .help("`skillpm config set registries.NAME.index git+ssh://git@host/index.git` makes one known"));
        }
        let setting = |key: &str| context.config.string(&format!("registries.{name}.{key}"));
        let write = setting("publish").unwrap_or_else(|| index.clone());
        Ok(Target { archives: setting("archives"), write, index, name })
    }

    /// The registry that a package goes to: the one asked for, else the only one it may go to, else the default one.
    ///
    /// # Errors
    /// If it may not go there, or it is not said to which of several.
    pub(super) fn of_package(
        context: &Context<'_>,
        asked: Option<&str>,
        (name, publish): (&PackageName, &Publish),
    ) -> Result<Target> {
        match (publish, asked) {
            (Publish::Nowhere, _) => Err(Error::negative(format!("`{name}` is not for publishing"))
                .note("its manifest says `publish = false`")
                .help("if that has changed, take the line out of `[package]`")),
            (Publish::Only(only), Some(asked)) if !only.iter().any(|name| name == asked) => {
                Err(Error::negative(format!("`{name}` may not go to registry `{asked}`"))
                    .note(format!("its manifest says `publish = {only:?}`"))
                    .help("if that has changed, add the registry to `publish` in `[package]`"))
            }
            (Publish::Only(only), None) => match &only[..] {
                [one] => Target::named(context, Some(one)),
                _ => Err(Error::usage(format!("`{name}` may go to several registries, and it is not said to which"))
                    .note(format!("its manifest says `publish = {only:?}`"))
                    .help("name one with `--registry NAME`")),
            },
            (_, asked) => Target::named(context, asked),
        }
    }

    /// Opens it for writing.
    ///
    /// # Errors
    /// If it cannot be written, or not that way.
    pub(super) fn open<'a>(&self, with: &With<'a>, branch: Option<&'a str>) -> Result<Box<dyn Ledger + 'a>> {
        let writing = Writing {
            tools: with.tools.for_index(with.context.reporter),
            author: with.author,
            time: i64::try_from(with.context.now).unwrap_or_default(),
            branch,
            patience: with.context.patience(),
        };
        write::open(&self.write, writing).map_err(|error| {
            if self.write == self.index {
                error
            } else {
                error.note(format!("`registries.{}.publish` says so", self.name))
            }
        })
    }
}

/// What a change of a registry is made with.
#[derive(Clone, Copy)]
pub(super) struct With<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) tools: &'a Tools,
    pub(super) author: &'a Author,
}

/// Who changes a registry from this directory. Their address is what owners are named by.
pub(super) fn author(context: &Context<'_>, dir: &Path) -> Result<Author> {
    let git = git::author(dir, context.variable)?;
    let identity = context.config.string("registry.identity").map(|identity| identity.trim().to_owned());
    let identity = identity.filter(|identity| !identity.is_empty());
    let email = identity.clone().unwrap_or(git.email);
    if email.is_empty() || email.contains(['<', '>']) || email.chars().any(char::is_control) {
        return Err(Error::usage("it is not known who you are, and a registry asks for it")
            .note("neither `registry.identity`, nor `GIT_AUTHOR_EMAIL`, git's configuration or `EMAIL` says it")
            .help("`git config --global user.email ADDRESS` tells git and skillpm alike")
            .help("`skillpm config set registry.identity ADDRESS` tells it to skillpm alone"));
    }
    let asked = context.config.string("registry.sign").map(|_| context.config.switch("registry.sign"));
    let signing = git::signing(dir, asked, &git.committer.email)?;
    // A name is for people only, and an address is better than none.
    let named = |name: String, email: &str| if name.is_empty() { email.to_owned() } else { name };
    let address = identity.unwrap_or(git.committer.email);
    let address = if address.is_empty() { email.clone() } else { address };
    let committer = Person { name: named(git.committer.name, &address), email: address };
    Ok(Author { name: named(git.name, &email), email, committer, signing })
}
