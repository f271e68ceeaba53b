//! Who may publish what.
//!
//! ```toml
//! # owners/acme.toml: every name of the scope `acme`
//! owners = ["alice@acme.dev", "github:alice"]
//!
//! # owners/_.toml: names without a scope
//! owners = ["keeper@index.dev"]        # may publish each of them; where nobody is named here, a new name is whoever's comes first
//! [packages]
//! pdf = ["bob@x.dev"]                  # and these may publish this one
//! ```
//!
//! Either may also list the keys by which commits of the index are signed; those in `_.toml` vouch for every name:
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
//! A scope without a file, and a name that nobody keeps, is claimed by its first publisher, in the same change. Identities
//! are compared as they are written.

use toml_edit::{Array, DocumentMut, Item, Table, Value, value};

use crate::error::{Error, Kind, Result};
use crate::package::{PackageName, SkillName};
use crate::provenance::{Key, Validity};

/// Whose right it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Realm {
    /// All names of a scope.
    Scope(SkillName),
    /// One name without a scope.
    Name(SkillName),
    /// All names without a scope.
    Unscoped,
}

impl Realm {
    /// What decides over a package.
    #[must_use]
    pub fn of(name: &PackageName) -> Realm {
        match name.scope() {
            Some(scope) => Realm::Scope(scope.clone()),
            None => Realm::Name(name.skill().clone()),
        }
    }

    /// The file it is written in.
    #[must_use]
    pub fn path(&self) -> String {
        match self {
            Realm::Scope(scope) => format!("owners/{scope}.toml"),
            Realm::Name(_) | Realm::Unscoped => "owners/_.toml".into(),
        }
    }
}

impl std::fmt::Display for Realm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Realm::Scope(scope) => write!(f, "{scope}/"),
            Realm::Name(name) => write!(f, "{name}"),
            Realm::Unscoped => f.write_str("_"),
        }
    }
}

/// Why somebody may publish a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Right {
    /// They are among its owners.
    Owner,
    /// It is nobody's yet; the file as it is once they have claimed it.
    Claim(Vec<u8>),
}

/// Whether somebody may publish a name, by the file that decides over it.
///
/// # Errors
/// [`Kind::Negative`] if it is another's; [`Kind::Integrity`] if the file cannot be read.
pub fn may_publish(file: Option<&[u8]>, name: &PackageName, identity: &str) -> Result<Right> {
    let realm = Realm::of(name);
    let owners = Owners::parse(file, &realm)?;
    let named = owners.of(&realm);
    if named.iter().any(|owner| owner == identity) {
        return Ok(Right::Owner);
    }
    if named.is_empty() {
        return Ok(Right::Claim(owners.with(&realm, &[identity.to_owned()])?));
    }
    let what = match &realm {
        Realm::Scope(scope) => format!("scope `{scope}` belongs"),
        _ => format!("`{name}` belongs"),
    };
    Err(Error::negative(format!("{what} to {}, not to `{}`", listed(&named), identity.escape_debug()))
        .note("who you are is `registry.identity`, else the address that git gives the author of a commit")
        .help(format!("one of its owners can let you in: `skillpm owner add {realm} '{}'`", identity.escape_debug())))
}

/// Whether somebody is among those who may publish a name.
///
/// # Errors
/// If the file cannot be read.
pub fn is_owner(file: Option<&[u8]>, name: &PackageName, identity: &str) -> Result<bool> {
    Ok(owners(file, &Realm::of(name))?.iter().any(|owner| owner == identity))
}

/// Everybody who may publish there, in the order of the file; nobody where it is nobody's.
///
/// # Errors
/// If the file cannot be read.
pub fn owners(file: Option<&[u8]>, realm: &Realm) -> Result<Vec<String>> {
    Ok(Owners::parse(file, realm)?.of(realm))
}

/// Those who are named for just this realm, in the order of the file.
///
/// # Errors
/// If the file cannot be read.
pub fn own(file: Option<&[u8]>, realm: &Realm) -> Result<Vec<String>> {
    Ok(Owners::parse(file, realm)?.own(realm))
}

/// The keys that a file lists; none where there is no file.
///
/// # Errors
/// [`Kind::Integrity`] if it cannot be read, or lists something else: what is meant as a key must not be passed over.
pub fn keys(file: Option<&[u8]>, path: &str) -> Result<Vec<Key>> {
    let broken = |cause: &str| {
        Error::integrity(format!("`{path}` of the index cannot be read: {cause}"))
            .help("whoever keeps the index can mend it")
    };
    let unreadable = |error: Error| error.notes().iter().cloned().fold(broken(error.message()), Error::note);
    let text = std::str::from_utf8(file.unwrap_or_default()).map_err(|_| broken("it is not UTF-8 text"))?;
    let document: DocumentMut = text.parse().map_err(|_| broken("it is no TOML"))?;
    let mut keys = Vec::new();
    if let Some(item) = document.get("keys") {
        let list = item.as_array().ok_or_else(|| broken("`keys` is no list"))?;
        for line in list {
            let line = line.as_str().ok_or_else(|| broken("`keys` is no list of texts"))?;
            keys.push(line.parse::<Key>().map_err(unreadable)?);
        }
    }
    if let Some(item) = document.get("key") {
        let tables = item.as_array_of_tables().ok_or_else(|| broken("`key` is no list of tables: `[[key]]`"))?;
        for table in tables {
            let text = |name: &str| table.get(name).and_then(moment);
            let line = text("key").ok_or_else(|| broken("a `[[key]]` has no `key`"))?;
            let key: Key = line.parse().map_err(unreadable)?;
            let validity =
                Validity::between(text("valid-from").as_deref(), text("valid-until").as_deref()).map_err(unreadable)?;
            keys.push(key.within(validity));
        }
    }
    Ok(keys)
}

/// A text, or a date of TOML as one.
fn moment(item: &Item) -> Option<String> {
    let value = item.as_value()?;
    match value.as_str() {
        Some(text) => Some(text.to_owned()),
        None => value.as_datetime().map(ToString::to_string),
    }
}

/// What the files of a scope decide over (`_` for names without one), taken together.
///
/// # Errors
/// If one of them cannot be read, or speaks of what can be no scope or name.
pub fn realms<const N: usize>(scope: &str, files: [Option<&[u8]>; N]) -> Result<Vec<Realm>> {
    if scope != "_" {
        let realm = Realm::Scope(scope.parse()?);
        for file in files {
            Owners::parse(file, &realm)?;
        }
        return Ok(vec![realm]);
    }
    let mut names = std::collections::BTreeSet::new();
    for file in files {
        let owners = Owners::parse(file, &Realm::Unscoped)?;
        let packages = owners.0.get("packages").and_then(Item::as_table_like);
        for (name, _) in packages.into_iter().flat_map(|table| table.iter()) {
            names.insert(name.parse::<SkillName>()?);
        }
    }
    Ok([Realm::Unscoped].into_iter().chain(names.into_iter().map(Realm::Name)).collect())
}

/// A change of those who may publish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// They are let in.
    Add,
    /// They are let out.
    Remove,
}

/// The file after `identity` has let others in or out; `None` if it is so already.
///
/// # Errors
/// If `identity` is no owner itself, somebody to be let out is none, or nobody would be left.
pub fn change(
    file: Option<&[u8]>,
    realm: &Realm,
    identity: &str,
    turn: Turn,
    others: &[String],
) -> Result<Option<Vec<u8>>> {
    let owners = Owners::parse(file, realm)?;
    let entitled = owners.of(realm);
    if entitled.is_empty() {
        return Err(Error::negative(format!("`{realm}` is nobody's yet")).help("its first publisher claims it"));
    }
    if !entitled.iter().any(|owner| owner == identity) {
        return Err(Error::negative(format!(
            "`{realm}` belongs to {}, not to `{}`",
            listed(&entitled),
            identity.escape_debug()
        ))
        .help("one of its owners can change who they are"));
    }
    let own = owners.own(realm);
    let mut names = own.clone();
    match turn {
        Turn::Add => names.extend(others.iter().filter(|other| !entitled.contains(other)).cloned()),
        Turn::Remove => {
            if let Some(stranger) = others.iter().find(|other| !own.contains(other)) {
                return Err(not_among(realm, stranger, entitled.contains(stranger)));
            }
            names.retain(|name| !others.contains(name));
            if names.is_empty() && entitled.len() == own.len() {
                return Err(Error::negative(format!(
                    "`{realm}` would be nobody's, and whoever comes next could take it"
                ))
                .help("let somebody else in first: `skillpm owner add`"));
            }
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    if names == own { Ok(None) } else { owners.with(realm, &names).map(Some) }
}

fn not_among(realm: &Realm, stranger: &str, elsewhere: bool) -> Error {
    let error = Error::negative(format!("`{}` is not among the owners of `{realm}`", stranger.escape_debug()));
    if elsewhere {
        error.help(format!("they may publish every name without a scope: `skillpm owner remove _ '{stranger}'`"))
    } else {
        error.help(format!("`skillpm owner list {realm}` shows who is"))
    }
}

fn listed(owners: &[String]) -> String {
    let shown: Vec<String> = owners.iter().take(5).map(|owner| format!("`{}`", owner.escape_debug())).collect();
    let more = if owners.len() > shown.len() { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// A file of owners, to be changed without touching what it says beside them.
struct Owners(DocumentMut);

impl Owners {
    fn parse(file: Option<&[u8]>, realm: &Realm) -> Result<Owners> {
        let broken = |cause: String| {
            Error::new(Kind::Integrity, format!("`{}` of the index cannot be read: {cause}", realm.path()))
                .help("whoever keeps the index can mend it")
        };
        let text = std::str::from_utf8(file.unwrap_or_default()).map_err(|_| broken("it is not UTF-8 text".into()))?;
        let document: DocumentMut = text.parse().map_err(|cause: toml_edit::TomlError| {
            broken(cause.message().lines().next().unwrap_or_default().to_owned())
        })?;
        let owners = Owners(document);
        for item in owners.items() {
            let is_list = item.as_array().is_some_and(|list| list.iter().all(Value::is_str));
            if !is_list {
                return Err(broken("owners are given as a list of texts".into()));
            }
        }
        Ok(owners)
    }

    /// Every list in it.
    fn items(&self) -> impl Iterator<Item = &Item> {
        let packages = self.0.get("packages").and_then(Item::as_table_like);
        self.0
            .get("owners")
            .into_iter()
            .chain(packages.into_iter().flat_map(|table| table.iter().map(|(_, item)| item)))
    }

    /// Those who are named for just this realm.
    fn own(&self, realm: &Realm) -> Vec<String> {
        let item = match realm {
            Realm::Scope(_) | Realm::Unscoped => self.0.get("owners"),
            Realm::Name(name) => self.0.get("packages").and_then(|table| table.get(name.as_str())),
        };
        let names = item.and_then(Item::as_array).into_iter().flatten();
        names.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Everybody who may publish there.
    fn of(&self, realm: &Realm) -> Vec<String> {
        let mut owners = self.own(realm);
        if let Realm::Name(_) = realm {
            owners.extend(self.own(&Realm::Unscoped));
        }
        owners
    }

    /// The file with these named for just this realm.
    fn with(mut self, realm: &Realm, names: &[String]) -> Result<Vec<u8>> {
        let mut list: Array = names.iter().map(String::as_str).collect();
        list.fmt();
        match realm {
            Realm::Scope(_) | Realm::Unscoped => self.0["owners"] = value(list),
            Realm::Name(name) => {
                let packages = self.0.entry("packages").or_insert_with(|| Item::Table(Table::new()));
                let table = packages.as_table_like_mut().ok_or_else(|| {
                    Error::integrity(format!("`packages` in `{}` is no table", realm.path()))
                        .help("whoever keeps the index can mend it")
                })?;
                if names.is_empty() {
                    table.remove(name.as_str());
                } else {
                    table.insert(name.as_str(), value(list));
                }
            }
        }
        Ok(self.0.to_string().into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT: &str = "# ours\nowners = [\"keeper@x.dev\"]\n\n[packages]\npdf = [\"bob@x.dev\"] # his\n";

    fn right(file: Option<&str>, name: &str, identity: &str) -> Option<Right> {
        may_publish(file.map(str::as_bytes), &name.parse().unwrap(), identity).ok()
    }

    fn changed(file: &str, realm: &Realm, who: &str, turn: Turn, other: &str) -> Result<Option<String>> {
        let changed = change(Some(file.as_bytes()), realm, who, turn, &[other.to_owned()])?;
        Ok(changed.map(|bytes| String::from_utf8(bytes).unwrap()))
    }

    fn name(text: &str) -> Realm {
        Realm::of(&text.parse().unwrap())
    }

    #[test]
    fn what_is_nobody_s_is_claimed_and_what_is_another_s_is_not() {
        let claim = |text: &str| Some(Right::Claim(text.as_bytes().to_vec()));
        assert_eq!(right(None, "acme/pdf", "a@x.dev"), claim("owners = [\"a@x.dev\"]\n"));
        assert_eq!(right(None, "pdf", "a@x.dev"), claim("[packages]\npdf = [\"a@x.dev\"]\n"));
        let taken = "[packages]\npdf = [\"b@x.dev\"]\n";
        assert_eq!(right(Some(taken), "csv", "a@x.dev"), claim(&format!("{taken}csv = [\"a@x.dev\"]\n")));
        assert_eq!(right(Some(taken), "pdf", "a@x.dev"), None);
        assert_eq!(right(Some("owners = [\"b@x.dev\"]\n"), "acme/pdf", "a@x.dev"), None);
        assert_eq!(right(Some("owners = [\"b@x.dev\"]\n"), "acme/pdf", "b@x.dev"), Some(Right::Owner));
    }

    #[test]
    fn where_somebody_keeps_the_names_without_a_scope_nobody_else_takes_a_new_one() {
        for (package, identity, may) in [
            ("pdf", "bob@x.dev", true),
            ("pdf", "keeper@x.dev", true),
            ("pdf", "eve@x.dev", false),
            ("csv", "keeper@x.dev", true),
            ("csv", "bob@x.dev", false),
        ] {
            assert_eq!(right(Some(KEPT), package, identity).is_some(), may, "{package} {identity}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_lets_nobody_in() {
        for bad in ["owners = \"all\"", "owners = [1]", "owners", "[packages]\npdf = true\n", "\u{feff}x"] {
            let error = may_publish(Some(bad.as_bytes()), &"pdf".parse().unwrap(), "a").unwrap_err();
            assert_eq!(error.kind(), Kind::Integrity, "{bad}");
        }
    }

    #[test]
    fn owners_let_others_in_and_out_and_the_rest_of_the_file_stays() {
        let (pdf, all) = (name("pdf"), Realm::Unscoped);
        let added = changed(KEPT, &pdf, "bob@x.dev", Turn::Add, "github:ann").unwrap().unwrap();
        assert!(
            added.starts_with(
                "# ours\nowners = [\"keeper@x.dev\"]\n\n[packages]\npdf = [\"bob@x.dev\", \"github:ann\"]"
            )
        );
        assert_eq!(changed(KEPT, &pdf, "bob@x.dev", Turn::Add, "bob@x.dev").unwrap(), None);
        assert!(changed(KEPT, &pdf, "eve@x.dev", Turn::Add, "eve@x.dev").is_err());
        assert!(changed(KEPT, &all, "bob@x.dev", Turn::Add, "bob@x.dev").is_err());
        let removed = changed(KEPT, &pdf, "keeper@x.dev", Turn::Remove, "bob@x.dev").unwrap().unwrap();
        assert_eq!(removed, "# ours\nowners = [\"keeper@x.dev\"]\n\n[packages]\n");
    }

    #[test]
    fn nothing_becomes_nobody_s_again() {
        let file = "owners = [\"a@x.dev\"]\n";
        let error = changed(file, &name("acme/pdf"), "a@x.dev", Turn::Remove, "a@x.dev").unwrap_err();
        assert!(error.message().contains("would be nobody's"), "{error:?}");
        assert!(changed(file, &name("acme/pdf"), "a@x.dev", Turn::Remove, "b@x.dev").is_err());
        assert!(change(None, &name("acme/pdf"), "a@x.dev", Turn::Add, &["a@x.dev".into()]).is_err());
        let keeper = changed(KEPT, &name("pdf"), "bob@x.dev", Turn::Remove, "keeper@x.dev").unwrap_err();
        assert!(keeper.helps()[0].contains("owner remove _"), "{keeper:?}");
    }
}
