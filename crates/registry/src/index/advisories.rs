//! The advisories of an index, and databases of advisories alone, which are read through the same transports.

use std::path::Path;

use url::Url;

use super::transport::{self, IndexTransport};
use super::{Index, IndexContext};
use skillpm_core::advisory::pack::{self, UnpackedAdvisories, unpack};
use skillpm_core::advisory::{ADVISORY_DIR, AdvisoryId, parse};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::IndexUrl;

impl Index<'_> {
    /// Reads the advisories of the index; `None` if it has none according to `config.json`.
    ///
    /// # Errors
    /// If the file cannot be read, or is invalid.
    pub fn advisories(&self) -> Result<Option<UnpackedAdvisories>> {
        if !self.config.advisories {
            return Ok(None);
        }
        match read_pack(&*self.transport, &self.url)? {
            Some(pack) => Ok(Some(pack)),
            None => Err(Error::integrity(format!(
                "advisories `{}` not found in index `{}`, which lists them in `config.json`",
                pack::pack_path(),
                self.url
            ))
            .help("`skillpm registry advise` writes the file; report it to the registry's owners")),
        }
    }
}

/// Reads the advisories at a URL, which need not be an index: one file of all, or a file for each, in `advisories/` or at
/// the top.
///
/// # Errors
/// If the URL cannot be read, or there are none.
pub fn read_database(url: &IndexUrl, tools: IndexContext<'_>) -> Result<UnpackedAdvisories> {
    let transport = transport::open(url, None, tools)?;
    // Packed into one file, they cost one request.
    if let Some(unpacked) = read_pack(&*transport, url)? {
        return Ok(unpacked);
    }

    let no_advisories = || {
        Error::usage(format!("no advisories found at `{url}`")).help(format!(
            "a database has `{}`, or a file `{ADVISORY_DIR}/ID.json` for each",
            pack::pack_path()
        ))
    };

    let paths: Vec<String> = transport
        .list_paths()?
        .unwrap_or_default()
        .into_iter()
        .filter(|path| is_advisory_path(path))
        .collect();

    if paths.is_empty() {
        return Err(no_advisories());
    }

    // An invalid advisory does not hide the others.
    let mut unpacked = UnpackedAdvisories::default();
    for (path, file) in paths.iter().zip(transport.read_all(&paths)) {
        match parse(&file?.unwrap_or_default()) {
            Ok(parsed) => unpacked.advisories.push(parsed.advisory),
            Err(reason) => unpacked.skipped.push(format!("`{path}`: {reason}")),
        }
    }
    Ok(unpacked)
}

/// Reads the advisories in a local directory.
///
/// # Errors
/// As for [`read_database`]; and if the path is not absolute.
pub fn read_database_dir(dir: &Path, tools: IndexContext<'_>) -> Result<UnpackedAdvisories> {
    let url = Url::from_directory_path(dir).map_err(|()| {
        Error::usage(format!(
            "invalid directory `{}`: expected an absolute path",
            dir.display()
        ))
    })?;
    read_database(&url.as_str().parse()?, tools)
}

fn read_pack(transport: &dyn IndexTransport, url: &IndexUrl) -> Result<Option<UnpackedAdvisories>> {
    let Some(bytes) = transport.read(&pack::pack_path())? else {
        return Ok(None);
    };

    let invalid = |reason| {
        Error::integrity(format!(
            "failed to parse advisories `{}` of `{url}`: {reason}",
            pack::pack_path()
        ))
    };

    unpack(&bytes).map(Some).map_err(invalid)
}

/// Whether a path is that of an advisory's own file.
fn is_advisory_path(path: &str) -> bool {
    let file = path
        .strip_prefix(ADVISORY_DIR)
        .map_or(path, |below| below.trim_start_matches('/'));
    file.strip_suffix(".json")
        .is_some_and(|id| id.parse::<AdvisoryId>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_an_advisory_is_recognized_by_its_path() {
        let paths = [
            "advisories/SKSA-2026-1.json",
            "CVE-2026-1.json",
            "config.json",
            "advisories/all.json",
            "a/SKSA-1.json",
        ];
        assert_eq!(
            paths.map(is_advisory_path),
            [true, true, false, false, false]
        );
    }
}
