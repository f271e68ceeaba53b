//! Checks that the dependencies of new lines exist in the index.

use std::collections::BTreeMap;

use super::lines::{self, CheckedLine};
use super::{IndexChecker, fault_at_line};
use skillpm_core::error::Result;
use skillpm_core::package::PackageName;
use skillpm_registry::index::{EntryDependency, entry_path};

/// The lines of packages, by name.
type LinesByName = BTreeMap<PackageName, Vec<CheckedLine>>;

impl IndexChecker<'_> {
    /// Checks that every dependency in this index matches a version; those in other registries are
    /// not checked.
    pub(super) fn check_needs(&mut self, lines: &[CheckedLine]) -> Result<()> {
        let mut known = LinesByName::new();
        for line in lines {
            known
                .entry(line.entry.name.clone())
                .or_default()
                .push(line.clone());
        }

        // The dependencies of a withdrawn version no longer matter.
        let new = lines
            .iter()
            .filter(|line| line.is_new && !line.entry.is_withdrawn());
        for line in new {
            // Another registry cannot be read here.
            let needs = line.entry.deps.iter();
            for needed in needs.filter(|needed| needed.registry.is_none()) {
                let offered = self.read_known(&mut known, &needed.name)?;
                if let Some(message) = unmet_need(needed, offered) {
                    self.report(fault_at_line(line, "dependency", message));
                }
            }
        }
        Ok(())
    }

    /// The lines of a package, which is read if it is not checked in this run.
    fn read_known<'k>(
        &self,
        known: &'k mut LinesByName,
        name: &PackageName,
    ) -> Result<&'k [CheckedLine]> {
        // An unchanged package is read when another depends on it. Its own faults are not those of
        // the change, and not reported.
        if !known.contains_key(name) {
            let path = entry_path(name);
            let bytes = self.state.read(&path)?.unwrap_or_default();
            let lines = lines::read_lines(&path, name, &bytes, &mut Vec::new());
            known.insert(name.clone(), lines);
        }
        Ok(known.get(name).map(Vec::as_slice).unwrap_or_default())
    }
}

/// Why no offered version can be selected for a dependency; `None` if one can.
fn unmet_need(needed: &EntryDependency, offered: &[CheckedLine]) -> Option<String> {
    let fits =
        |line: &CheckedLine| needed.req.matches(&line.entry.vers) && !line.entry.is_withdrawn();
    if offered.iter().any(fits) {
        return None;
    }

    Some(if offered.is_empty() {
        format!(
            "no matching package named `{}` found in this index",
            needed.name
        )
    } else {
        format!(
            "no version of `{}` in this index matches `{}`",
            needed.name, needed.req
        )
    })
}
