//! `owner`: who may publish a name, or the names of a scope.

use std::collections::BTreeMap;

use super::Context;
use super::ledger::{Target, With, author};
use crate::error::{Error, Result};
use crate::index::Index;
use crate::index::write::owners::{self, Realm, Turn};
use crate::index::write::{self, Edit};
use crate::package::{PackageName, SkillName};

/// What a person means by a name on the command line: `acme/pdf` and `acme/` are the scope `acme`, whose names have the
/// same owners; `pdf` is a name without a scope; `_` is all of those.
///
/// # Errors
/// If it is none of these.
pub fn realm(text: &str) -> Result<Realm> {
    if text == "_" {
        return Ok(Realm::Unscoped);
    }
    if let Some(scope) = text.strip_suffix('/') {
        return Ok(Realm::Scope(scope.parse::<SkillName>()?));
    }
    Ok(Realm::of(&text.parse::<PackageName>()?))
}

/// Who may publish there, and the registry's name.
///
/// # Errors
/// If the index cannot be read, or it is nobody's.
pub fn list(context: &Context<'_>, realm: &Realm, registry: Option<&str>) -> Result<(String, Vec<String>)> {
    let name = registry.map_or_else(|| context.config.default_registry(), str::to_owned);
    let url = context.config.registry(Some(&name))?;
    let tools = context.tools()?;
    let index = Index::open(&url, tools.for_index(context.reporter))?;
    let owners = owners::owners(index.file(&realm.path())?.as_deref(), realm)?;
    if owners.is_empty() {
        return Err(Error::negative(format!("`{realm}` is nobody's yet in registry `{name}`")).help(match realm {
            Realm::Name(skill) => format!("its first publisher claims it; the scope is `{skill}/`"),
            _ => "its first publisher claims it".to_owned(),
        }));
    }
    Ok((name, owners))
}

/// A change of those who may publish.
#[derive(Debug, Clone)]
pub struct OwnerOptions {
    /// Where.
    pub realm: Realm,
    /// Whether they are let in or out.
    pub turn: Turn,
    /// Who.
    pub identities: Vec<String>,
    /// The registry, by name.
    pub registry: Option<String>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The registry, by name.
    pub registry: String,
    /// Whether anything had to be changed.
    pub changed: bool,
    /// The commit of the index.
    pub commit: Option<String>,
}

/// Lets others in, or out.
///
/// # Errors
/// If whoever asks is no owner, nobody would be left, or the registry cannot be written.
pub fn change(context: &Context<'_>, options: &OwnerOptions) -> Result<Changed> {
    for identity in &options.identities {
        if identity.trim() != identity || identity.is_empty() || identity.chars().any(char::is_control) {
            return Err(Error::usage(format!("`{}` is not an identity", identity.escape_debug()))
                .help("an identity is an address such as `alice@acme.dev`, or `github:alice`"));
        }
    }
    let target = Target::named(context, options.registry.as_deref())?;
    let (author, tools) = (author(context, &context.places.here)?, context.tools()?);
    let with = With { context, tools: &tools, author: &author };
    let path = options.realm.path();
    let written = target.open(&with, None)?.change(&mut |files| {
        write::config(files, &target.write)?;
        let file = files.read(&path)?;
        let changed =
            owners::change(file.as_deref(), &options.realm, &author.email, options.turn, &options.identities)?;
        let verb = if options.turn == Turn::Add { "add" } else { "remove" };
        Ok(changed.map(|bytes| Edit {
            message: format!("{verb} owner of {}: {}", options.realm, options.identities.join(", ")),
            archives: BTreeMap::new(),
            files: BTreeMap::from([(path.clone(), bytes)]),
        }))
    })?;
    Ok(Changed {
        registry: target.name,
        changed: written.is_some(),
        commit: written.and_then(|written| written.commit),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::owners_path;

    #[test]
    fn a_name_on_the_command_line_means_one_thing() {
        for (text, path) in [
            ("acme/pdf", "owners/acme.toml"),
            ("acme/", "owners/acme.toml"),
            ("pdf", "owners/_.toml"),
            ("_", "owners/_.toml"),
        ] {
            assert_eq!(realm(text).unwrap().path(), path, "{text}");
        }
        assert_eq!(realm("acme/pdf").unwrap().path(), owners_path(&"acme/pdf".parse().unwrap()));
        assert!(realm("/").is_err() && realm("a/b/").is_err() && realm("").is_err());
    }
}
