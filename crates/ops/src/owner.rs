//! `owner`: lists and changes who may publish a name, or the names of a scope.

use std::collections::BTreeMap;

use super::CommandContext;
use super::registry_target::{IndexChangeReport, change_index};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{PackageName, SkillName};
use skillpm_registry::index::Index;
use skillpm_registry::index::write::owners::{self, OwnerChange, OwnershipScope};
use skillpm_registry::index::write::{IndexEdit, IndexFiles};

/// Parses a name of the command line: `acme/pdf` and `acme/` are the scope `acme`, whose names have
/// the same owners; `pdf` is a name without a scope; `_` is all names without a scope.
///
/// # Errors
/// If it is not one of these.
pub fn parse_realm(text: &str) -> Result<OwnershipScope> {
    if text == "_" {
        return Ok(OwnershipScope::Unscoped);
    }
    // `acme/` is the scope alone, without a package after the slash.
    if let Some(scope) = text.strip_suffix('/') {
        return Ok(OwnershipScope::Scope(scope.parse::<SkillName>()?));
    }

    Ok(OwnershipScope::for_package(&text.parse::<PackageName>()?))
}

/// The registry's name, and the owners of a name or scope there.
///
/// # Errors
/// If the index cannot be read, or the name or scope has no owners.
pub fn list(
    context: &CommandContext<'_>,
    realm: &OwnershipScope,
    registry: Option<&str>,
) -> Result<(String, Vec<String>)> {
    let name = registry.map_or_else(|| context.config.default_registry(), str::to_owned);
    let url = context.config.registry(Some(&name))?;
    let tools = context.tools()?;
    let index = Index::open(&url, tools.for_index(context.reporter))?;

    let owners = owners::read_owners(index.read_file(&realm.path())?.as_deref(), realm)?;
    // Not an error of the index: a name without owners can be claimed.
    if owners.is_empty() {
        return Err(
            Error::negative(format!("no owners of `{realm}` found in registry `{name}`")).help(
                match realm {
                    OwnershipScope::Name(skill) => {
                        format!(
                            "the first to publish it becomes its owner; its scope is `{skill}/`"
                        )
                    }
                    _ => "the first to publish it becomes its owner".to_owned(),
                },
            ),
        );
    }

    Ok((name, owners))
}

/// A change of owners.
#[derive(Debug, Clone)]
pub struct OwnerOptions {
    /// The name or scope.
    pub realm: OwnershipScope,
    /// Whether owners are added or removed.
    pub action: OwnerChange,
    /// The owners.
    pub identities: Vec<String>,
    /// The registry, by name.
    pub registry: Option<String>,
}

/// Adds or removes owners.
///
/// # Errors
/// If the caller is not an owner, no owner would be left, or the registry cannot be written.
pub fn change(context: &CommandContext<'_>, options: &OwnerOptions) -> Result<IndexChangeReport> {
    // Checked before anything is fetched.
    for identity in &options.identities {
        check_identity(identity)?;
    }
    change_index(context, options.registry.as_deref(), |files, identity| {
        owners_edit(files, options, identity)
    })
}

/// The edit that changes the owners; `None` if they are as requested.
fn owners_edit(
    files: &dyn IndexFiles,
    options: &OwnerOptions,
    identity: &str,
) -> Result<Option<IndexEdit>> {
    let path = options.realm.path();
    let file = files.read(&path)?;
    let changed = owners::change_owners(
        file.as_deref(),
        &options.realm,
        identity,
        options.action,
        &options.identities,
    )?;

    let verb = match options.action {
        OwnerChange::Add => "add",
        OwnerChange::Remove => "remove",
    };
    Ok(changed.map(|bytes| IndexEdit {
        message: format!(
            "{verb} owner of {}: {}",
            options.realm,
            options.identities.join(", ")
        ),
        archives: BTreeMap::new(),
        files: BTreeMap::from([(path, bytes)]),
    }))
}

fn check_identity(identity: &str) -> Result<()> {
    // It is written to a file that others parse, where a line break would begin another entry.
    if !identity.is_empty()
        && identity.trim() == identity
        && !identity.chars().any(char::is_control)
    {
        return Ok(());
    }

    Err(
        Error::usage(format!("invalid identity `{}`", identity.escape_debug()))
            .help("use an email address such as `alice@acme.dev`, or `github:alice`"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillpm_registry::index::owners_path;

    #[test]
    fn realms_of_the_command_line_are_parsed() {
        for (text, path) in [
            ("acme/pdf", "owners/acme.toml"),
            ("acme/", "owners/acme.toml"),
            ("pdf", "owners/_.toml"),
            ("_", "owners/_.toml"),
        ] {
            assert_eq!(parse_realm(text).unwrap().path(), path, "{text}");
        }
        assert_eq!(
            parse_realm("acme/pdf").unwrap().path(),
            owners_path(&"acme/pdf".parse().unwrap())
        );
        assert!(
            parse_realm("/").is_err() && parse_realm("a/b/").is_err() && parse_realm("").is_err()
        );
    }
}
