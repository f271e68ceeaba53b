//! The owners of packages: who may publish what.
//!
//! ```toml
//! # owners/acme.toml: every name of the scope `acme`
//! owners = ["alice@acme.dev", "github:alice"]
//!
//! # owners/_.toml: names without a scope
//! owners = ["admin@index.dev"]         # may publish each of them; without this list, a new name belongs to its first publisher
//! [packages]
//! pdf = ["bob@x.dev"]                  # and these may publish this one
//! ```
//!
//! Either may also list the keys that sign commits of the index; those in `_.toml` are trusted for every name:
//!
//! ```toml
//! keys = ["ssh-ed25519 AAAAC3Nza… alice@acme.dev"]
//!
//! [[key]]
//! key = "ssh-ed25519 AAAAC3Nza… old-laptop"
//! valid-from = "2025-01-01"
//! valid-until = "2026-06-30"
//! ```
//!
//! A scope without a file, and a name without owners, is claimed by its first publisher, in the same change. Identities are
//! compared as they are written.

use toml_edit::{Array, DocumentMut, Item, Table, Value, value};

use skillpm_core::error::{Error, Result};
use skillpm_core::package::{PackageName, SkillName};
use skillpm_core::provenance::{KeyValidity, TrustedKey};

/// Largest owners' file, in bytes, as of other TOML: some 12,000 names without a scope. Parsed, it takes up to a hundred
/// times as much memory.
pub const OWNERS_MAX: usize = 512 << 10;

/// The names that a list of owners is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnershipScope {
    /// All names of a scope.
    Scope(SkillName),
    /// One name without a scope.
    Name(SkillName),
    /// All names without a scope.
    Unscoped,
}

impl OwnershipScope {
    /// The scope of a package's owners.
    #[must_use]
    pub fn for_package(name: &PackageName) -> OwnershipScope {
        // A scope is owned as a whole; a name without one is owned by itself.
        match name.scope() {
            Some(scope) => OwnershipScope::Scope(scope.clone()),
            None => OwnershipScope::Name(name.skill().clone()),
        }
    }

    /// The path of the owners' file.
    #[must_use]
    pub fn path(&self) -> String {
        match self {
            OwnershipScope::Scope(scope) => format!("owners/{scope}.toml"),
            OwnershipScope::Name(_) | OwnershipScope::Unscoped => "owners/_.toml".into(),
        }
    }
}

impl std::fmt::Display for OwnershipScope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OwnershipScope::Scope(scope) => write!(f, "{scope}/"),
            OwnershipScope::Name(name) => write!(f, "{name}"),
            OwnershipScope::Unscoped => f.write_str("_"),
        }
    }
}

/// The right to publish a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublishRight {
    /// The identity is one of its owners.
    Owner,
    /// The name has no owner yet; the file with the identity as its owner.
    Claim(Vec<u8>),
}

/// Checks whether an identity may publish a name, by its owners' file.
///
/// # Errors
/// [`Negative`](skillpm_core::error::FailureKind::Negative) if the name belongs to others; [`Integrity`](skillpm_core::error::FailureKind::Integrity) if the file is invalid.
pub fn may_publish(
    file: Option<&[u8]>,
    name: &PackageName,
    identity: &str,
) -> Result<PublishRight> {
    let realm = OwnershipScope::for_package(name);
    let owners = OwnersFile::parse(file, &realm)?;
    // Owners of all names count, too, or they could not fix a name of another owner.
    let named = owners.all_owners(&realm);

    if named.iter().any(|owner| owner == identity) {
        return Ok(PublishRight::Owner);
    }
    // The first publisher claims a name without owners.
    if named.is_empty() {
        return Ok(PublishRight::Claim(
            owners.with_owners(&realm, &[identity.to_owned()])?,
        ));
    }

    let owned = match &realm {
        OwnershipScope::Scope(scope) => format!("scope `{scope}`"),
        _ => "it".to_owned(),
    };

    Err(Error::negative(format!(
        "refusing to change `{name}`: {owned} belongs to {}, not to `{}`",
        format_owners(&named),
        identity.escape_debug()
    ))
    .note("your identity is `registry.identity`, else the email of git's commit author")
    .help(format!(
        "one of its owners can add you: `skillpm owner add {realm} '{}' --registry NAME`, with the name of this registry",
        identity.escape_debug()
    )))
}

/// Whether an identity is one of the owners of a name.
///
/// # Errors
/// If the file is invalid.
pub fn is_owner(file: Option<&[u8]>, name: &PackageName, identity: &str) -> Result<bool> {
    Ok(read_owners(file, &OwnershipScope::for_package(name))?
        .iter()
        .any(|owner| owner == identity))
}

/// Lists all owners of a scope or name, in the order of the file; none if it has no owner.
///
/// # Errors
/// If the file is invalid.
pub fn read_owners(file: Option<&[u8]>, realm: &OwnershipScope) -> Result<Vec<String>> {
    Ok(OwnersFile::parse(file, realm)?.all_owners(realm))
}

/// Lists the owners in the list of exactly this scope or name, in the order of the file.
///
/// # Errors
/// If the file is invalid.
pub fn read_direct_owners(file: Option<&[u8]>, realm: &OwnershipScope) -> Result<Vec<String>> {
    Ok(OwnersFile::parse(file, realm)?.direct_owners(realm))
}

/// Lists the keys in a file; none if there is no file.
///
/// # Errors
/// [`Integrity`](skillpm_core::error::FailureKind::Integrity) if it is invalid, or lists something else: an invalid key must not be ignored.
pub fn read_keys(file: Option<&[u8]>, path: &str) -> Result<Vec<TrustedKey>> {
    let broken = |cause: &str| broken_keys_error(path, cause);
    // A missing file is an empty one: nothing is trusted for that scope.
    let text = decode_file(file).map_err(|reason| broken(&reason))?;
    let document: DocumentMut = text.parse().map_err(|_| broken("invalid TOML"))?;

    let mut keys = Vec::new();
    // `keys` lists plain keys; a `[[key]]` also has the time in which it is valid.
    if let Some(item) = document.get("keys") {
        let list = item
            .as_array()
            .ok_or_else(|| broken("invalid `keys`, expected a list"))?;
        for line in list {
            let line = line
                .as_str()
                .ok_or_else(|| broken("invalid `keys`, expected a list of strings"))?;
            let key = line.parse::<TrustedKey>();
            keys.push(key.map_err(|error| unreadable_key_error(path, &error))?);
        }
    }

    if let Some(item) = document.get("key") {
        let tables = item
            .as_array_of_tables()
            .ok_or_else(|| broken("invalid `key`, expected tables `[[key]]`"))?;
        for table in tables {
            keys.push(read_key_table(table, path)?);
        }
    }

    Ok(keys)
}

/// Reads a `[[key]]`.
fn read_key_table(table: &Table, path: &str) -> Result<TrustedKey> {
    let text = |name: &str| table.get(name).and_then(text_or_date);
    let line = text("key").ok_or_else(|| broken_keys_error(path, "missing `key` in `[[key]]`"))?;

    let unreadable = |error: Error| unreadable_key_error(path, &error);
    let key: TrustedKey = line.parse().map_err(unreadable)?;
    let validity = KeyValidity::from_bounds(
        text("valid-from").as_deref(),
        text("valid-until").as_deref(),
    )
    .map_err(unreadable)?;
    Ok(key.with_validity(validity))
}

fn broken_keys_error(path: &str, cause: &str) -> Error {
    Error::integrity(format!("failed to parse `{path}` of the index: {cause}"))
        .help("the maintainer of the index can fix it")
}

/// The error for a key or a date that cannot be parsed, which only its maintainer can fix.
fn unreadable_key_error(path: &str, error: &Error) -> Error {
    let broken = broken_keys_error(path, error.message());
    error.notes().iter().cloned().fold(broken, Error::note)
}

/// A string, or a TOML date as a string.
fn text_or_date(item: &Item) -> Option<String> {
    // Both are natural in TOML, and a date that is ignored would be a key without an end.
    let value = item.as_value()?;
    match value.as_str() {
        Some(text) => Some(text.to_owned()),
        None => value.as_datetime().map(ToString::to_string),
    }
}

/// Lists the scopes and names in the owners' files of a scope (`_` for names without one), taken together.
///
/// # Errors
/// If one of them is invalid, or has an invalid scope or name.
pub fn read_scopes<const N: usize>(
    scope: &str,
    files: [Option<&[u8]>; N],
) -> Result<Vec<OwnershipScope>> {
    if scope != "_" {
        let realm = OwnershipScope::Scope(scope.parse()?);
        for file in files {
            OwnersFile::parse(file, &realm)?;
        }
        return Ok(vec![realm]);
    }

    let mut names = std::collections::BTreeSet::new();
    // Of all files together: a change may remove a name from the later one.
    for file in files {
        let owners = OwnersFile::parse(file, &OwnershipScope::Unscoped)?;
        let packages = owners.0.get("packages").and_then(Item::as_table_like);
        for (name, _) in packages.into_iter().flat_map(|table| table.iter()) {
            names.insert(name.parse::<SkillName>()?);
        }
    }

    Ok([OwnershipScope::Unscoped]
        .into_iter()
        .chain(names.into_iter().map(OwnershipScope::Name))
        .collect())
}

/// A change of owners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnerChange {
    /// Owners are added.
    Add,
    /// Owners are removed.
    Remove,
}

/// Adds or removes owners on behalf of `identity`; `None` if nothing changes.
///
/// # Errors
/// If `identity` is not an owner itself, one to be removed is not an owner, or no owner would be left.
pub fn change_owners(
    file: Option<&[u8]>,
    realm: &OwnershipScope,
    identity: &str,
    change: OwnerChange,
    others: &[String],
) -> Result<Option<Vec<u8>>> {
    let owners = OwnersFile::parse(file, realm)?;
    let entitled = owners.all_owners(realm);

    // Otherwise anyone could make themselves the owner without publishing anything.
    if entitled.is_empty() {
        return Err(Error::negative(format!("`{realm}` has no owner yet"))
            .help("its first publisher becomes its owner"));
    }
    if !entitled.iter().any(|owner| owner == identity) {
        return Err(Error::negative(format!(
            "refusing to change the owners of `{realm}`: it belongs to {}, not to `{}`",
            format_owners(&entitled),
            identity.escape_debug()
        ))
        .help("ask one of its owners to do so"));
    }

    let own = owners.direct_owners(realm);
    let mut names = match change {
        // One who may publish already, perhaps as an owner of all names, is not added.
        OwnerChange::Add => {
            let new = others.iter().filter(|other| !entitled.contains(other));
            own.iter().chain(new).cloned().collect()
        }
        OwnerChange::Remove => remaining_owners(realm, &own, &entitled, others)?,
    };
    // One name may be given twice.
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name: &String| seen.insert(name.clone()));

    if names == own {
        Ok(None)
    } else {
        owners.with_owners(realm, &names).map(Some)
    }
}

/// The owners in a list without `others`, of which each must be in it.
fn remaining_owners(
    realm: &OwnershipScope,
    own: &[String],
    entitled: &[String],
    others: &[String],
) -> Result<Vec<String>> {
    // Only those in this list can be removed.
    if let Some(non_owner) = others.iter().find(|other| !own.contains(other)) {
        return Err(not_an_owner_error(
            realm,
            non_owner,
            entitled.contains(non_owner),
        ));
    }

    let names: Vec<String> = own
        .iter()
        .filter(|name| !others.contains(name))
        .cloned()
        .collect();
    // Without the last owner anyone could claim the name.
    if names.is_empty() && entitled.len() == own.len() {
        return Err(Error::negative(format!(
            "cannot remove the last owner of `{realm}`: anyone could claim it then"
        ))
        .help("add another owner first: `skillpm owner add`"));
    }
    Ok(names)
}

fn not_an_owner_error(realm: &OwnershipScope, identity: &str, elsewhere: bool) -> Error {
    let error = Error::negative(format!(
        "`{}` not found among the owners of `{realm}`",
        identity.escape_debug()
    ));
    if elsewhere {
        error.help(format!(
            "they own every name without a scope: `skillpm owner remove _ '{identity}'`"
        ))
    } else {
        error.help(format!("run `skillpm owner list {realm}` to see them"))
    }
}

fn format_owners(owners: &[String]) -> String {
    // A few are enough to ask, and a file may list hundreds.
    let shown: Vec<String> = owners
        .iter()
        .take(5)
        .map(|owner| format!("`{}`", owner.escape_debug()))
        .collect();
    let more = if owners.len() > shown.len() {
        ", …"
    } else {
        ""
    };
    format!("{}{more}", shown.join(", "))
}

/// The text of an owners' file; the error is what is wrong with it.
fn decode_file(file: Option<&[u8]>) -> Result<&str, String> {
    let bytes = file.unwrap_or_default();
    if bytes.len() > OWNERS_MAX {
        let size = bytes.len();
        return Err(format!("it has {size} bytes; the limit is {OWNERS_MAX}"));
    }
    std::str::from_utf8(bytes).map_err(|_| "invalid UTF-8".to_owned())
}

/// An owners' file, which is edited without changing its other content.
struct OwnersFile(DocumentMut);

impl OwnersFile {
    fn parse(file: Option<&[u8]>, realm: &OwnershipScope) -> Result<OwnersFile> {
        let text = decode_file(file).map_err(|reason| owners_parse_error(realm, &reason))?;
        let document: DocumentMut = text.parse().map_err(|cause: toml_edit::TomlError| {
            let reason = cause.message().lines().next().unwrap_or_default();
            owners_parse_error(realm, reason)
        })?;

        // Checked here, so that no invalid list of owners is ignored later.
        let owners = OwnersFile(document);
        for item in owners.owner_lists() {
            let is_list = item
                .as_array()
                .is_some_and(|list| list.iter().all(Value::is_str));
            if !is_list {
                let reason = "invalid owners, expected a list of strings";
                return Err(owners_parse_error(realm, reason));
            }
        }

        Ok(owners)
    }

    /// Every list of owners in the file.
    fn owner_lists(&self) -> impl Iterator<Item = &Item> {
        let packages = self.0.get("packages").and_then(Item::as_table_like);
        self.0.get("owners").into_iter().chain(
            packages
                .into_iter()
                .flat_map(|table| table.iter().map(|(_, item)| item)),
        )
    }

    /// The owners in the list of exactly this scope or name.
    fn direct_owners(&self, realm: &OwnershipScope) -> Vec<String> {
        let item = match realm {
            OwnershipScope::Scope(_) | OwnershipScope::Unscoped => self.0.get("owners"),
            OwnershipScope::Name(name) => self
                .0
                .get("packages")
                .and_then(|table| table.get(name.as_str())),
        };

        let names = item.and_then(Item::as_array).into_iter().flatten();
        names.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// All owners of a scope or name.
    fn all_owners(&self, realm: &OwnershipScope) -> Vec<String> {
        let mut owners = self.direct_owners(realm);
        if let OwnershipScope::Name(_) = realm {
            owners.extend(self.direct_owners(&OwnershipScope::Unscoped));
        }
        owners
    }

    /// Replaces the list of exactly this scope or name.
    fn with_owners(mut self, realm: &OwnershipScope, names: &[String]) -> Result<Vec<u8>> {
        let mut list: Array = names.iter().map(String::as_str).collect();
        // In the style of the file's other lists: the change is reviewed as a diff.
        list.fmt();

        match realm {
            OwnershipScope::Scope(_) | OwnershipScope::Unscoped => self.0["owners"] = value(list),
            OwnershipScope::Name(name) => {
                let packages = self
                    .0
                    .entry("packages")
                    .or_insert_with(|| Item::Table(Table::new()));
                let table = packages.as_table_like_mut().ok_or_else(|| {
                    Error::integrity(format!(
                        "invalid `packages` in `{}`: expected a table",
                        realm.path()
                    ))
                    .help("the maintainer of the index can fix it")
                })?;
                // Without a list of its own a package belongs to the owners of all names.
                if names.is_empty() {
                    table.remove(name.as_str());
                } else {
                    table.insert(name.as_str(), value(list));
                }
            }
        }

        let text = self.0.to_string();
        // No reader could read it any more.
        if text.len() > OWNERS_MAX {
            return Err(Error::negative(format!(
                "refusing to write `{}`: it would have more than {OWNERS_MAX} bytes",
                realm.path()
            ))
            .help(
                "publish the skill in a scope: a name without one has its own line in that file",
            ));
        }
        Ok(text.into_bytes())
    }
}

fn owners_parse_error(realm: &OwnershipScope, reason: &str) -> Error {
    Error::integrity(format!(
        "failed to parse `{}` of the index: {reason}",
        realm.path()
    ))
    .help("the maintainer of the index can fix it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillpm_core::error::FailureKind;

    const OWNED: &str =
        "# ours\nowners = [\"admin@x.dev\"]\n\n[packages]\npdf = [\"bob@x.dev\"] # his\n";

    fn right(file: Option<&str>, name: &str, identity: &str) -> Option<PublishRight> {
        may_publish(file.map(str::as_bytes), &name.parse().unwrap(), identity).ok()
    }

    fn changed(
        file: &str,
        realm: &OwnershipScope,
        who: &str,
        turn: OwnerChange,
        other: &str,
    ) -> Result<Option<String>> {
        let changed = change_owners(Some(file.as_bytes()), realm, who, turn, &[other.to_owned()])?;
        Ok(changed.map(|bytes| String::from_utf8(bytes).unwrap()))
    }

    fn name(text: &str) -> OwnershipScope {
        OwnershipScope::for_package(&text.parse().unwrap())
    }

    #[test]
    fn a_name_without_owners_is_claimed_and_others_are_not() {
        let claim = |text: &str| Some(PublishRight::Claim(text.as_bytes().to_vec()));
        assert_eq!(
            right(None, "acme/pdf", "a@x.dev"),
            claim("owners = [\"a@x.dev\"]\n")
        );
        assert_eq!(
            right(None, "pdf", "a@x.dev"),
            claim("[packages]\npdf = [\"a@x.dev\"]\n")
        );
        let taken = "[packages]\npdf = [\"b@x.dev\"]\n";
        assert_eq!(
            right(Some(taken), "csv", "a@x.dev"),
            claim(&format!("{taken}csv = [\"a@x.dev\"]\n"))
        );
        assert_eq!(right(Some(taken), "pdf", "a@x.dev"), None);
        assert_eq!(
            right(Some("owners = [\"b@x.dev\"]\n"), "acme/pdf", "a@x.dev"),
            None
        );
        assert_eq!(
            right(Some("owners = [\"b@x.dev\"]\n"), "acme/pdf", "b@x.dev"),
            Some(PublishRight::Owner)
        );
    }

    #[test]
    fn owners_of_unscoped_names_are_the_only_ones_to_publish_new_ones() {
        for (package, identity, may) in [
            ("pdf", "bob@x.dev", true),
            ("pdf", "admin@x.dev", true),
            ("pdf", "eve@x.dev", false),
            ("csv", "admin@x.dev", true),
            ("csv", "bob@x.dev", false),
        ] {
            assert_eq!(
                right(Some(OWNED), package, identity).is_some(),
                may,
                "{package} {identity}"
            );
        }
    }

    #[test]
    fn invalid_owners_file_grants_no_rights() {
        for bad in [
            "owners = \"all\"",
            "owners = [1]",
            "owners",
            "[packages]\npdf = true\n",
            "\u{feff}x",
        ] {
            let error =
                may_publish(Some(bad.as_bytes()), &"pdf".parse().unwrap(), "a").unwrap_err();
            assert_eq!(error.kind(), FailureKind::Integrity, "{bad}");
        }
    }

    #[test]
    fn owners_add_and_remove_others_and_the_rest_of_the_file_stays() {
        let (pdf, all) = (name("pdf"), OwnershipScope::Unscoped);
        let added = changed(OWNED, &pdf, "bob@x.dev", OwnerChange::Add, "github:ann")
            .unwrap()
            .unwrap();
        assert!(
            added.starts_with(
                "# ours\nowners = [\"admin@x.dev\"]\n\n[packages]\npdf = [\"bob@x.dev\", \"github:ann\"]"
            )
        );
        assert_eq!(
            changed(OWNED, &pdf, "bob@x.dev", OwnerChange::Add, "bob@x.dev").unwrap(),
            None
        );
        assert!(changed(OWNED, &pdf, "eve@x.dev", OwnerChange::Add, "eve@x.dev").is_err());
        assert!(changed(OWNED, &all, "bob@x.dev", OwnerChange::Add, "bob@x.dev").is_err());
        let removed = changed(OWNED, &pdf, "admin@x.dev", OwnerChange::Remove, "bob@x.dev")
            .unwrap()
            .unwrap();
        assert_eq!(
            removed,
            "# ours\nowners = [\"admin@x.dev\"]\n\n[packages]\n"
        );
    }

    #[test]
    fn the_last_owner_cannot_be_removed() {
        let file = "owners = [\"a@x.dev\"]\n";
        let error = changed(
            file,
            &name("acme/pdf"),
            "a@x.dev",
            OwnerChange::Remove,
            "a@x.dev",
        )
        .unwrap_err();
        assert!(
            error.message().contains("cannot remove the last owner"),
            "{error:?}"
        );
        assert!(
            changed(
                file,
                &name("acme/pdf"),
                "a@x.dev",
                OwnerChange::Remove,
                "b@x.dev"
            )
            .is_err()
        );
        assert!(
            change_owners(
                None,
                &name("acme/pdf"),
                "a@x.dev",
                OwnerChange::Add,
                &["a@x.dev".into()]
            )
            .is_err()
        );
        let admin = changed(
            OWNED,
            &name("pdf"),
            "bob@x.dev",
            OwnerChange::Remove,
            "admin@x.dev",
        )
        .unwrap_err();
        assert!(admin.helps()[0].contains("owner remove _"), "{admin:?}");
    }
}
