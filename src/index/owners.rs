//! Who may publish: `owners/<scope>.toml`, and for names without a scope `owners/_.toml`.
//!
//! ```toml
//! owners = ["alice@acme.dev", "github:alice"]
//!
//! [packages]                       # in `_.toml` only: names with owners of their own
//! pdf = ["bob@x.dev"]
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::package::PackageName;

#[derive(Default, Deserialize)]
struct File {
    #[serde(default)]
    owners: Vec<String>,
    #[serde(default)]
    packages: BTreeMap<String, Vec<String>>,
}

/// Who may publish a package, by the text of the file at [`owners_path`](super::owners_path).
pub(super) fn owners(text: &str, name: &PackageName) -> Result<Vec<String>, toml::de::Error> {
    let mut file: File = toml::from_str(text)?;
    let own = match name.scope() {
        Some(_) => None,
        None => file.packages.remove(name.skill().as_str()),
    };
    Ok(own.unwrap_or(file.owners))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_scope_may_have_owners_of_its_own() {
        let text = "owners = [\"alice\"]\n[packages]\npdf = [\"bob\"]\n";
        for (name, owner) in [("pdf", "bob"), ("csv", "alice"), ("acme/pdf", "alice")] {
            assert_eq!(owners(text, &name.parse().unwrap()).unwrap(), [owner], "{name}");
        }
        assert!(owners("owners = 1", &"pdf".parse().unwrap()).is_err());
    }
}
