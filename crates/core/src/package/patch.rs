//! An entry of `[patch]`: a package that replaces another.

use super::{GitReference, GitUrl, PackageDependency, PackageName, SourceId};

/// One entry of `[patch]`: a package that replaces another wherever that is required, if its version fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchEntry {
    /// The package that is replaced.
    pub package: PackageName,
    /// The source of the replaced package.
    pub target: PatchedSource,
    /// The replacement. Its alias is not significant, since the replaced dependency gives the install name.
    pub replacement: PackageDependency,
}

/// The source that a table of `[patch]` names. A URL may be that of a repository or of an index; both are matched, so that
/// the user does not have to say which it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchedSource {
    /// The table's key as it is written.
    pub written: String,
    /// The index URL, if it can be a registry.
    pub index: Option<String>,
    /// The repository URL, if it can be a repository.
    pub repository: Option<GitUrl>,
}

impl PatchedSource {
    /// Whether a source is this one, at any git reference.
    #[must_use]
    pub fn matches(&self, source: &SourceId) -> bool {
        match source {
            // Manifests write an index with and without a trailing slash.
            SourceId::Registry(index) => self
                .index
                .as_ref()
                .is_some_and(|own| own.trim_end_matches('/') == index.trim_end_matches('/')),
            SourceId::Git { url, .. } => self.repository.as_ref() == Some(url),
            _ => false,
        }
    }
}

impl PatchEntry {
    /// Whether it applies to a dependency: by the package name, or by the last part of the dependency's directory.
    #[must_use]
    pub fn is_for(&self, dependency: &PackageDependency) -> bool {
        let in_directory = || {
            dependency
                .subdir
                .as_ref()
                .is_some_and(|dir| dir.file_name() == self.package.skill().as_str())
        };

        self.target.matches(&dependency.source)
            && (dependency.package == self.package || in_directory())
    }

    /// The replaced package and its source, as in a lockfile: `acme/pdf registry+embedded:default`.
    #[must_use]
    pub fn replaced_reference(&self, source: &SourceId) -> String {
        let place = match source {
            // A patch replaces a repository's package at any git reference.
            SourceId::Git { url, .. } => SourceId::Git {
                url: url.clone(),
                reference: GitReference::Default,
            },
            other => other.clone(),
        };

        format!("{} {place}", self.package)
    }

    /// Whether a reference in a lockfile ([`PatchEntry::replaced_reference`]) refers to this patch.
    #[must_use]
    pub fn is_recorded_as(&self, replaced: &str) -> bool {
        let Some((name, source)) = replaced.split_once(' ') else {
            return false;
        };

        let is_place = source
            .parse::<SourceId>()
            .is_ok_and(|source| self.target.matches(&source));

        is_place && name == self.package.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::RelPath;

    fn patch() -> PatchEntry {
        let by = dependency("pdf", SourceId::from_path("vendor/pdf"), None);
        let place = PatchedSource {
            written: "gh:acme/skills".into(),
            index: None,
            repository: Some("gh:acme/skills".parse().unwrap()),
        };
        PatchEntry {
            package: "pdf".parse().unwrap(),
            target: place,
            replacement: by,
        }
    }

    fn dependency(name: &str, source: SourceId, subdir: Option<&str>) -> PackageDependency {
        PackageDependency {
            alias: "any".parse().unwrap(),
            package: name.parse().unwrap(),
            source,
            subdir: subdir.map(|dir| dir.parse::<RelPath>().unwrap()),
            req: semver::VersionReq::STAR,
            dev: false,
            optional: false,
        }
    }

    fn git(reference: GitReference) -> SourceId {
        SourceId::Git {
            url: "https://github.com/acme/skills".parse().unwrap(),
            reference,
        }
    }

    #[test]
    fn patch_applies_by_name_and_by_directory_at_any_reference() {
        let at = |name, subdir| {
            patch().is_for(&dependency(
                name,
                git(GitReference::Branch("dev".into())),
                subdir,
            ))
        };
        assert!(
            at("pdf", None) && at("pdf", Some("skills/forms")) && at("old-pdf", Some("skills/pdf"))
        );
        assert!(!at("old-pdf", None) && !at("old-pdf", Some("skills/pdf/inner")));
        assert!(!patch().is_for(&dependency(
            "pdf",
            SourceId::Registry("file:///i".into()),
            None
        )));
    }

    #[test]
    fn reference_in_the_lockfile_refers_to_the_patch() {
        let written = patch().replaced_reference(&git(GitReference::Versions));
        assert_eq!(written, "pdf git+https://github.com/acme/skills");
        assert!(patch().is_recorded_as(&written));
        assert!(
            !patch().is_recorded_as("pdf registry+file:///i") && !patch().is_recorded_as("pdf")
        );
    }
}
