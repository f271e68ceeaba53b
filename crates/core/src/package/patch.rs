//! What `[patch]` declares: a package that is taken in place of another.

use super::{Dependency, GitReference, GitUrl, PackageName, SourceId};

/// One entry of `[patch]`: wherever a package of some place is asked for, another may be chosen, and is if it fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// The package that is replaced.
    pub package: PackageName,
    /// Where it would come from.
    pub place: PatchedPlace,
    /// What is taken instead. Whoever asks gives it its name, so the alias in here says nothing.
    pub by: Dependency,
}

/// The place that a table of `[patch]` names. The URL of a repository can be that of an index as well, and nobody has to
/// know which it is: what is asked for there is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchedPlace {
    /// The table's key as it is written.
    pub written: String,
    /// The index of the registry that it is.
    pub index: Option<String>,
    /// The repository that it is.
    pub repository: Option<GitUrl>,
}

impl PatchedPlace {
    /// Whether a source is this place, at whatever reference.
    #[must_use]
    pub fn holds(&self, source: &SourceId) -> bool {
        match source {
            SourceId::Registry(index) => {
                self.index.as_ref().is_some_and(|own| own.trim_end_matches('/') == index.trim_end_matches('/'))
            }
            SourceId::Git { url, .. } => self.repository.as_ref() == Some(url),
            _ => false,
        }
    }
}

impl Patch {
    /// Whether it is for what a dependency asks for: by its name, or by the last part of the directory it names.
    #[must_use]
    pub fn is_for(&self, dependency: &Dependency) -> bool {
        let in_directory =
            || dependency.subdir.as_ref().is_some_and(|dir| dir.file_name() == self.package.skill().as_str());
        self.place.holds(&dependency.source) && (dependency.package == self.package || in_directory())
    }

    /// The package that is replaced and its place, as a lockfile writes it: `acme/pdf registry+embedded:default`.
    #[must_use]
    pub fn replaced(&self, source: &SourceId) -> String {
        let place = match source {
            SourceId::Git { url, .. } => SourceId::Git { url: url.clone(), reference: GitReference::Default },
            other => other.clone(),
        };
        format!("{} {place}", self.package)
    }

    /// Whether a lockfile that says so ([`Patch::replaced`]) speaks of this patch.
    #[must_use]
    pub fn accounts_for(&self, replaced: &str) -> bool {
        let Some((name, source)) = replaced.split_once(' ') else { return false };
        let is_place = source.parse::<SourceId>().is_ok_and(|source| self.place.holds(&source));
        is_place && name == self.package.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::RelPath;

    fn patch() -> Patch {
        let by = dependency("pdf", SourceId::path("vendor/pdf"), None);
        let place = PatchedPlace {
            written: "gh:acme/skills".into(),
            index: None,
            repository: Some("gh:acme/skills".parse().unwrap()),
        };
        Patch { package: "pdf".parse().unwrap(), place, by }
    }

    fn dependency(name: &str, source: SourceId, subdir: Option<&str>) -> Dependency {
        Dependency {
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
        SourceId::Git { url: "https://github.com/acme/skills".parse().unwrap(), reference }
    }

    #[test]
    fn it_is_found_by_name_and_by_directory_at_any_reference() {
        let at = |name, subdir| patch().is_for(&dependency(name, git(GitReference::Branch("dev".into())), subdir));
        assert!(at("pdf", None) && at("pdf", Some("skills/forms")) && at("old-pdf", Some("skills/pdf")));
        assert!(!at("old-pdf", None) && !at("old-pdf", Some("skills/pdf/inner")));
        assert!(!patch().is_for(&dependency("pdf", SourceId::Registry("file:///i".into()), None)));
    }

    #[test]
    fn what_the_lockfile_says_of_it_leads_back_to_it() {
        let written = patch().replaced(&git(GitReference::Versions));
        assert_eq!(written, "pdf git+https://github.com/acme/skills");
        assert!(patch().accounts_for(&written));
        assert!(!patch().accounts_for("pdf registry+file:///i") && !patch().accounts_for("pdf"));
    }
}
