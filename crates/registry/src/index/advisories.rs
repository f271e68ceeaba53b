//! The advisories that an index carries, and databases of nothing else, which are read in the same places.

use std::path::Path;

use url::Url;

use super::place::{self, Place};
use super::{Index, Tools};
use crate::advisory::pack::{self, Unpacked, unpack};
use crate::advisory::{AdvisoryId, FOLDER, parse};
use crate::error::{Error, Result};
use crate::package::IndexUrl;

impl Index<'_> {
    /// The advisories of the index; `None` if `config.json` does not say that it has some.
    ///
    /// # Errors
    /// If the file cannot be had, or is none.
    pub fn advisories(&self) -> Result<Option<Unpacked>> {
        if !self.config.advisories {
            return Ok(None);
        }
        packed(&*self.place, &self.url)?.map(Some).ok_or_else(|| {
            Error::integrity(format!("index `{}` says that it has advisories, and has no `{}`", self.url, pack::path()))
                .help("`skillpm registry advise` writes it; tell the registry's owners")
        })
    }
}

/// The advisories at a place that need be no index: one file of all, or a file for each, in `advisories/` or on top.
///
/// # Errors
/// If the place cannot be read, or there are none.
pub fn database(url: &IndexUrl, tools: Tools<'_>) -> Result<Unpacked> {
    let place = place::open(url, None, tools)?;
    if let Some(unpacked) = packed(&*place, url)? {
        return Ok(unpacked);
    }
    let nothing = || {
        Error::usage(format!("there are no advisories at `{url}`"))
            .help(format!("a database has `{}`, or a file `{FOLDER}/ID.json` for each", pack::path()))
    };
    let paths: Vec<String> = place.paths()?.unwrap_or_default().into_iter().filter(|path| is_one(path)).collect();
    if paths.is_empty() {
        return Err(nothing());
    }
    let mut unpacked = Unpacked::default();
    for (path, file) in paths.iter().zip(place.read_all(&paths)) {
        match parse(&file?.unwrap_or_default()) {
            Ok(parsed) => unpacked.advisories.push(parsed.advisory),
            Err(reason) => unpacked.skipped.push(format!("`{path}`: {reason}")),
        }
    }
    Ok(unpacked)
}

/// The same in a directory of this machine.
///
/// # Errors
/// As for [`database`]; and if the path cannot be one.
pub fn database_in(dir: &Path, tools: Tools<'_>) -> Result<Unpacked> {
    let url = Url::from_directory_path(dir)
        .map_err(|()| Error::usage(format!("`{}` is no whole path of a directory", dir.display())))?;
    database(&url.as_str().parse()?, tools)
}

fn packed(place: &dyn Place, url: &IndexUrl) -> Result<Option<Unpacked>> {
    let Some(bytes) = place.read(&pack::path())? else { return Ok(None) };
    let wrong = |reason| Error::integrity(format!("`{}` of `{url}` is no list of advisories: {reason}", pack::path()));
    unpack(&bytes).map(Some).map_err(wrong)
}

/// Whether an advisory's own file stands at a path.
fn is_one(path: &str) -> bool {
    let file = path.strip_prefix(FOLDER).map_or(path, |below| below.trim_start_matches('/'));
    file.strip_suffix(".json").is_some_and(|id| id.parse::<AdvisoryId>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_advisory_s_file_is_told_by_its_path() {
        let paths =
            ["advisories/SKSA-2026-1.json", "CVE-2026-1.json", "config.json", "advisories/all.json", "a/SKSA-1.json"];
        assert_eq!(paths.map(is_one), [true, true, false, false, false]);
    }
}
