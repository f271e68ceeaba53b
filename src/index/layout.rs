//! Where in an index a name's file stands: cargo's layout, below a folder for the scope.

use super::Entry;
use crate::package::PackageName;

/// The path of a package's file: `co/mm/commit-messages`, `3/p/pdf`, `acme/3/p/pdf`.
#[must_use]
pub fn entry_path(name: &PackageName) -> String {
    let skill = name.skill().as_str();
    let shard = match skill.len() {
        1 | 2 => skill.len().to_string(),
        3 => format!("3/{}", &skill[..1]),
        _ => format!("{}/{}", &skill[..2], &skill[2..4]),
    };
    match name.scope() {
        Some(scope) => format!("{scope}/{shard}/{skill}"),
        None => format!("{shard}/{skill}"),
    }
}

/// Where it says who may publish a name: `_`, which no scope can be called, is for names without one.
#[must_use]
pub fn owners_path(name: &PackageName) -> String {
    format!("owners/{}.toml", name.scope().map_or("_", |scope| scope.as_str()))
}

/// The package whose file stands at a path; `None` if it is another sort of file.
#[must_use]
pub fn name_at(path: &str) -> Option<PackageName> {
    let (above, skill) = path.rsplit_once('/')?;
    let unscoped: PackageName = skill.parse().ok()?;
    if entry_path(&unscoped) == path {
        return Some(unscoped);
    }
    let scope = above.split('/').next()?;
    let scoped: PackageName = format!("{scope}/{skill}").parse().ok()?;
    (entry_path(&scoped) == path).then_some(scoped)
}

/// The place of a version's archive by a registry's template.
#[must_use]
pub fn archive_path(template: &str, entry: &Entry) -> String {
    let whole = if template.contains('{') {
        template.to_owned()
    } else {
        format!("{}/{{name}}-{{version}}.tar.gz", template.trim_end_matches('/'))
    };
    whole
        .replace("{name}", &entry.name.to_string())
        .replace("{version}", &entry.vers.to_string())
        .replace("{checksum}", &entry.cksum.digest().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_its_path_are_one_to_one() {
        for (name, path) in [
            ("a", "1/a"),
            ("ab", "2/ab"),
            ("pdf", "3/p/pdf"),
            ("commit-messages", "co/mm/commit-messages"),
            ("acme/pdf", "acme/3/p/pdf"),
            ("acme/release-notes", "acme/re/le/release-notes"),
        ] {
            let name: PackageName = name.parse().unwrap();
            assert_eq!(entry_path(&name), path);
            assert_eq!(name_at(path), Some(name));
        }
        for other in ["config.json", "owners/acme.toml", "archives/pdf-1.0.0.tar.gz", "co/pdf"] {
            assert_eq!(name_at(other), None, "{other}");
        }
    }
}
