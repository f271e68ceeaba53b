//! Reads the metadata of a registry's package from its index, without fetching the package.

use semver::VersionReq;

use super::{DependencyInfo, InfoReader, InfoReport, PackageInfo, VersionInfo, expected_verdict};
use crate::add;
use crate::search::{NamedRegistry, installed_copies};
use skillpm_core::error::{Error, FailureKind, Result, nearest_name};
use skillpm_core::package::{PackageName, SourceId};
use skillpm_core::provenance::VerifyResult;
use skillpm_core::report::ProgressEvent;
use skillpm_registry::index::search::{SearchQuery, suggest_names};
use skillpm_registry::index::{Index, IndexEntry, IndexLookup};

/// Looks a package up in the registries.
pub(super) struct RegistryReader<'r, 't, 's> {
    pub reader: &'r InfoReader<'t, 's>,
    pub name: &'r PackageName,
    pub req: Option<&'r VersionReq>,
}

impl RegistryReader<'_, '_, '_> {
    /// Reads the metadata from the first registry that has the package.
    pub(super) fn read(&self) -> Result<InfoReport> {
        let read = |registry: &NamedRegistry| self.read_from(registry);
        let info = self.find_first(read)?;
        Ok(InfoReport::Package(Box::new(info)))
    }

    /// The first registry that has the package.
    pub(super) fn find_registry(&self) -> Result<NamedRegistry> {
        self.find_first(|registry| {
            let index = self.reader.sources.open_index(&registry.index)?;
            let entries = self.readable_entries(index.lookup(self.name)?)?;
            Ok((!entries.is_empty()).then(|| registry.clone()))
        })
    }

    /// What is found in the registry that was asked for, or else in the first that has it.
    fn find_first<T>(&self, find: impl Fn(&NamedRegistry) -> Result<Option<T>>) -> Result<T> {
        let config = &self.reader.context.config;
        let names = match &self.reader.options.registry {
            Some(registry) => vec![registry.clone()],
            None => config.registry_names(),
        };
        let mut missing = None;

        for (at, registry) in names.into_iter().enumerate() {
            let registry = NamedRegistry {
                index: config.registry(Some(&registry))?,
                name: registry,
            };
            match find(&registry) {
                Ok(Some(found)) => return Ok(found),
                // The error names the first registry: it is the one that the user expects.
                Ok(None) if missing.is_none() => missing = Some(registry),
                Ok(None) => {}
                // Only the first registry has to be reachable: it alone can hide the others.
                Err(error) if at == 0 || error.kind() != FailureKind::Network => return Err(error),
                Err(error) => {
                    let message = format!("failed to query registry `{}`: {error}", registry.name);
                    self.reader
                        .context
                        .reporter
                        .report(ProgressEvent::warning(message));
                }
            }
        }

        let registry = missing.ok_or_else(|| Error::internal("no registry was queried"))?;
        Err(self.unknown_package_error(&registry))
    }

    /// Reads the metadata from one registry; `None` if it does not have the package.
    fn read_from(&self, registry: &NamedRegistry) -> Result<Option<PackageInfo>> {
        let index = self.reader.sources.open_index(&registry.index)?;
        let entries = self.readable_entries(index.lookup(self.name)?)?;
        if entries.is_empty() {
            return Ok(None);
        }

        let chosen = choose_version(&entries, self.req)
            .ok_or_else(|| no_version_error(self.name, self.req, &entries))?;

        let mut facts = info_from_entry(chosen, &registry.index);
        facts.versions = entries.iter().map(version_info).collect();
        facts.signed = self.verify_entry(&index, registry, chosen)?;
        facts.owners = index.owners(self.name)?;
        facts.installed = installed_copies(&self.reader.usage.locks, &registry.index, &facts.name);
        facts.required_by = self.reader.usage.find_dependents(&|source, package, _| {
            package == self.name
                && matches!(source, SourceId::Registry(index) if *index == registry.index)
        })?;
        facts.registry = Some(registry.clone());
        Ok(Some(facts))
    }

    /// The entries of a package, the newest first.
    fn readable_entries(&self, lookup: IndexLookup) -> Result<Vec<IndexEntry>> {
        for skipped in &lookup.skipped {
            self.reader
                .context
                .reporter
                .report(ProgressEvent::warning(format!("ignoring {skipped}")));
        }

        let mut entries = lookup.entries;
        // Invalid lines are ignored with a warning, unless there are no others.
        if entries.is_empty()
            && let Some(reason) = lookup.skipped.first()
        {
            return Err(add::unreadable_package_error(self.name, reason));
        }
        entries.sort_by(|a, b| b.vers.cmp(&a.vers));
        Ok(entries)
    }

    fn verify_entry(
        &self,
        index: &Index<'_>,
        registry: &NamedRegistry,
        entry: &IndexEntry,
    ) -> Result<Option<VerifyResult>> {
        let source = SourceId::Registry(registry.index.clone());
        let keys = self.reader.effective_policy()?.signers(&source);
        let status = index
            .verify_entries(&[(entry, keys.as_slice())])
            .remove(0)?;
        Ok(expected_verdict(status))
    }

    fn unknown_package_error(&self, registry: &NamedRegistry) -> Error {
        let name = self.name;
        let error = Error::negative(format!(
            "no matching package named `{name}` found in registry `{}`",
            registry.name
        ));
        // Suggestions are only a help: an error while they are read must not replace this one.
        let near = self.suggest_names(registry).unwrap_or_default();
        let error = match near.as_slice() {
            [] => error.help("`skillpm search WORD` searches all registries"),
            near => error.help(format!("did you mean `{}`?", near.join("`, `"))),
        };

        match name.scope() {
            Some(_) => error.help(format!("for the repository on GitHub write `gh:{name}`")),
            None => error.help(format!(
                "write `./{name}` for a directory, `gh:owner/repo` for a repository"
            )),
        }
    }

    /// The names similar to the unknown one; from the search table, if the index cannot be listed.
    fn suggest_names(&self, registry: &NamedRegistry) -> Result<Vec<String>> {
        let name = self.name.to_string();
        let index = self.reader.sources.open_index(&registry.index)?;
        let names = index.package_names();
        if !names.is_empty() {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            let near = nearest_name(&name, names.iter().map(String::as_str));
            return Ok(near.into_iter().map(str::to_owned).collect());
        }

        // A sparse index cannot be listed, but its search table may be cached.
        let mut tables: Vec<_> = self
            .reader
            .context
            .search_tables(self.reader.tools)
            .open_table(index.url())
            .into_iter()
            .collect();
        Ok(suggest_names(&mut tables, &SearchQuery::new(&[name]), 3).unwrap_or_default())
    }
}

/// The version that would be installed: the newest that matches and was not withdrawn; if all were,
/// the newest, so that there is something to show. Without a requirement a pre-release is selected
/// only if there is no release.
fn choose_version<'e>(
    newest_first: &'e [IndexEntry],
    req: Option<&VersionReq>,
) -> Option<&'e IndexEntry> {
    let matches = |entry: &&IndexEntry| req.is_none_or(|req| req.matches(&entry.vers));
    let is_release = |entry: &&IndexEntry| req.is_some() || entry.vers.pre.is_empty();
    let matching = || newest_first.iter().filter(matches);
    let available = || matching().filter(|entry| !entry.is_withdrawn());

    available()
        .find(is_release)
        .or_else(|| available().next())
        .or_else(|| matching().next())
}

fn no_version_error(
    name: &PackageName,
    req: Option<&VersionReq>,
    newest_first: &[IndexEntry],
) -> Error {
    let req = req.map(ToString::to_string).unwrap_or_default();
    let error = Error::negative(format!("no version of `{name}` matches `{req}`"));
    // Without the requirement: the version that could be requested instead.
    match choose_version(newest_first, None) {
        Some(newest) => error.help(format!(
            "the newest version is `{}`: `skillpm info {name}`",
            newest.vers
        )),
        None => error,
    }
}

fn info_from_entry(entry: &IndexEntry, index: &str) -> PackageInfo {
    let needs = entry.deps.iter().map(|need| DependencyInfo {
        name: need.name.to_string(),
        req: need.req.to_string(),
        source: need.registry.clone(),
    });
    // A key that has no field of its own is in `rest`.
    let homepage = entry
        .repository
        .as_deref()
        .or_else(|| entry.rest.get("homepage")?.as_str());

    PackageInfo {
        name: entry.name.to_string(),
        version: Some(entry.vers.clone()),
        yanked: entry.is_withdrawn(),
        description: entry.description.clone(),
        license: entry.license.clone(),
        keywords: entry.keywords.clone(),
        homepage: homepage.map(str::to_owned),
        source: SourceId::Registry(index.to_owned()).to_string(),
        git: entry.src.as_ref().map(|src| {
            (
                src.git.to_string(),
                src.rev.clone(),
                src.path.as_ref().map(ToString::to_string),
            )
        }),
        dependencies: needs.collect(),
        // As the index states it: `info` does not download the archive.
        checksum: Some(entry.cksum),
        archive: entry.archive.clone(),
        published: entry.pubtime.clone(),
        ..PackageInfo::default()
    }
}

/// What a line of the index says of a version.
pub(crate) fn version_info(entry: &IndexEntry) -> VersionInfo {
    VersionInfo {
        version: entry.vers.clone(),
        yanked: entry.is_withdrawn(),
        published: entry.pubtime.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(version: &str, yanked: bool) -> IndexEntry {
        let digits = "0".repeat(64);
        let line = format!(
            r#"{{"name":"pdf","vers":"{version}","cksum":"skill-tree-v1:{digits}","archive":"sha256:{digits}","yanked":{yanked}}}"#
        );
        IndexEntry::parse(&line, &"pdf".parse().unwrap()).unwrap()
    }

    #[test]
    fn shown_version_is_the_one_that_would_be_installed() {
        for (versions, req, chosen) in [
            (
                &[("2.0.0-rc.1", false), ("1.1.0", true), ("1.0.0", false)][..],
                None,
                Some("1.0.0"),
            ),
            (
                &[("2.0.0-rc.1", false), ("1.1.0", true)],
                None,
                Some("2.0.0-rc.1"),
            ),
            (&[("1.1.0", true), ("1.0.0", true)], None, Some("1.1.0")),
            (
                &[("1.1.0", true), ("1.0.0", false)],
                Some("^1"),
                Some("1.0.0"),
            ),
            (
                &[("1.1.0", true), ("1.0.0", false)],
                Some("=1.1.0"),
                Some("1.1.0"),
            ),
            (
                &[("2.0.0-rc.1", false), ("1.0.0", false)],
                Some("^2.0.0-rc"),
                Some("2.0.0-rc.1"),
            ),
            (&[("1.0.0", false)], Some("^2"), None),
        ] {
            let entries: Vec<IndexEntry> = versions
                .iter()
                .map(|(version, yanked)| entry(version, *yanked))
                .collect();
            let req = req.map(|req| req.parse().unwrap());
            let found = choose_version(&entries, req.as_ref()).map(|entry| entry.vers.to_string());
            assert_eq!(found.as_deref(), chosen, "{versions:?} {req:?}");
        }
    }
}
