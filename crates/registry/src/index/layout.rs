//! The paths of files in an index: cargo's layout, in a folder for the scope.

use std::fmt;

use url::Url;

use super::IndexEntry;
use skillpm_core::package::{IndexUrl, PackageName, RelPath, SkillName};

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

/// The path of the owners' file of a name: `_`, which is not a valid scope, is for names without one.
#[must_use]
pub fn owners_path(name: &PackageName) -> String {
    format!(
        "owners/{}.toml",
        name.scope().map_or("_", |scope| scope.as_str())
    )
}

/// Whether a scope's name is reserved, since an index has other files in a folder of that name: names of one to three
/// letters, advisories, archives, owners.
#[must_use]
pub fn is_reserved_scope(scope: &SkillName) -> bool {
    matches!(
        scope.as_str(),
        "1" | "2" | "3" | "advisories" | "archives" | "owners"
    )
}

/// Parses the name of the package whose file has this path; `None` if it is another kind of file.
#[must_use]
pub fn parse_entry_path(path: &str) -> Option<PackageName> {
    let (above, skill) = path.rsplit_once('/')?;
    // Parsed both ways, and accepted only if such a name really has this path.
    let unscoped: PackageName = skill.parse().ok()?;
    if entry_path(&unscoped) == path {
        return Some(unscoped);
    }

    let scope = above.split('/').next()?;
    let scoped: PackageName = format!("{scope}/{skill}").parse().ok()?;
    (entry_path(&scoped) == path).then_some(scoped)
}

/// The path or URL of a version's archive by a registry's template.
#[must_use]
pub fn archive_path(template: &str, entry: &IndexEntry) -> String {
    let whole = if template.contains('{') {
        template.to_owned()
    } else {
        format!(
            "{}/{{name}}-{{version}}.tar.gz",
            template.trim_end_matches('/')
        )
    };

    whole
        .replace("{name}", &entry.name.to_string())
        .replace("{version}", &entry.vers.to_string())
        .replace("{checksum}", &entry.cksum.digest().to_string())
}

/// What is wrong with a registry's template for archives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateFault {
    /// Clients would take one version's archive for another's.
    SharedArchive,
    /// The path is outside of the index, for this reason.
    OutsideIndex(String),
    /// Clients refuse it, for this reason.
    Refused(String),
}

impl TemplateFault {
    /// Finds the error in a template as its author writes it; `None` if it is valid.
    #[must_use]
    pub fn find(template: &str) -> Option<TemplateFault> {
        // Without placeholders, name and version are appended.
        let is_whole = !template.contains('{')
            || template.contains("{checksum}")
            || (template.contains("{name}") && template.contains("{version}"));
        if template.is_empty() || !is_whole {
            return Some(TemplateFault::SharedArchive);
        }
        find_template_fault(template, None)
    }
}

impl fmt::Display for TemplateFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TemplateFault::SharedArchive => "two versions would have the same archive",
            TemplateFault::OutsideIndex(_) => "the path is outside of the index",
            TemplateFault::Refused(reason) => reason,
        })
    }
}

/// Finds the error for which clients refuse a template; `None` if it is valid.
///
/// Whatever replaces its placeholders, the result must be inside the index, or on one server. `index` is `None` where its
/// URL is not known yet.
pub(super) fn find_template_fault(
    template: &str,
    index: Option<&IndexUrl>,
) -> Option<TemplateFault> {
    // With unusual values: the slash of a scope, the plus of build metadata.
    let filled = template
        .replace("{name}", "a/b")
        .replace("{version}", "1.0.0+c")
        .replace("{checksum}", "0");

    if filled.contains(['{', '}']) {
        return Some(TemplateFault::Refused(format!(
            "unknown placeholder in `{template}`: expected `{{name}}`, `{{version}}` or `{{checksum}}`"
        )));
    }

    // A path in the index, with the rules of a package's files: no `..`.
    if !template.contains("://") {
        let path = filled.trim_end_matches('/').parse::<RelPath>();
        return path
            .err()
            .map(|error| TemplateFault::OutsideIndex(error.message().to_owned()));
    }

    find_url_fault(template, &filled, index).map(TemplateFault::Refused)
}

/// Finds the error in a template that is a URL; `filled` has values for its placeholders.
fn find_url_fault(template: &str, filled: &str, index: Option<&IndexUrl>) -> Option<String> {
    let authority = template
        .split("://")
        .nth(1)
        .and_then(|rest| rest.split(['/', '?', '#']).next())
        .unwrap_or_default();

    // With a placeholder in the server's name each package would choose its own server.
    if authority.contains('{')
        || template
            .split("://")
            .next()
            .is_some_and(|scheme| scheme.contains('{'))
    {
        return Some(format!("the server in `{template}` is a placeholder"));
    }

    let url = match Url::parse(filled) {
        Ok(url) => url,
        Err(cause) => return Some(format!("invalid URL `{template}`: {cause}")),
    };

    // An index that is read over TLS cannot refer its readers to a server without.
    match url.scheme() {
        "https" => None,
        "http"
            if index
                .is_none_or(|index| index.is_local() || index.inner().starts_with("http://")) =>
        {
            None
        }
        "http" => Some(format!("`{template}` is not encrypted, but the index is")),
        scheme => Some(format!(
            "unsupported scheme `{scheme}` in `{template}`: expected `https`"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_inside_the_index_or_on_one_server() {
        let fault = |template: &str, index: &str| {
            find_template_fault(template, Some(&index.parse().unwrap()))
        };
        let (far, near) = ("sparse+https://acme.dev/", "sparse+http://127.0.0.1:1/");
        for good in [
            "archives/{name}-{version}.tar.gz",
            "archives/",
            "a/{checksum}",
            "https://dl.acme.dev/{name}?v={version}",
        ] {
            assert_eq!(fault(good, far), None);
        }
        for bad in [
            "../{name}",
            "/srv/{name}",
            "a/../../{name}",
            "a\\b",
            "{sha}",
            "{name",
            "https://{name}.acme.dev/",
            "{name}://acme.dev/",
            "http://acme.dev/{name}",
            "file:///srv/{name}",
            "ftp://acme.dev/{name}",
        ] {
            assert!(fault(bad, far).is_some(), "{bad}");
        }
        assert_eq!(fault("http://127.0.0.1:2/{name}", near), None);
        assert_eq!(
            fault("http://127.0.0.1:2/{name}", "file:///srv/index"),
            None
        );
        assert!(fault("file:///srv/{name}", near).is_some());
    }

    #[test]
    fn template_of_an_author_distinguishes_versions() {
        for good in [
            "archives/{name}-{version}.tar.gz",
            "files",
            "https://cdn.acme.dev/{checksum}.tar.gz",
            "http://127.0.0.1:2/a",
        ] {
            assert_eq!(TemplateFault::find(good), None, "{good}");
        }
        for shared in ["", "{name}.tar.gz", "https://x.dev/{version}"] {
            let fault = TemplateFault::find(shared);
            assert_eq!(fault, Some(TemplateFault::SharedArchive), "{shared}");
        }
        for outside in ["/srv/{name}-{version}", "../{name}-{version}"] {
            let fault = TemplateFault::find(outside).unwrap();
            assert_eq!(fault.to_string(), "the path is outside of the index");
        }
        assert!(TemplateFault::find("{name}-{version}-{sha}").is_some());
    }

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
            assert_eq!(parse_entry_path(path), Some(name));
        }
        for other in [
            "config.json",
            "owners/acme.toml",
            "archives/pdf-1.0.0.tar.gz",
            "co/pdf",
        ] {
            assert_eq!(parse_entry_path(other), None, "{other}");
        }
    }

    #[test]
    fn a_scope_has_a_folder_for_itself() {
        for (scope, taken) in [
            ("1", true),
            ("3", true),
            ("archives", true),
            ("owners", true),
            ("4", false),
            ("acme", false),
        ] {
            assert_eq!(is_reserved_scope(&scope.parse().unwrap()), taken, "{scope}");
        }
    }
}
