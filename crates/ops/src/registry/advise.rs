//! `registry advise`: checks the advisories of an index, or of a directory with nothing else, and
//! packs them into the one file that clients fetch.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::CommandContext;
use skillpm_core::advisory::pack::{self, pack};
use skillpm_core::advisory::{ADVISORY_DIR, AdvisoryId, parse};
use skillpm_core::error::{Error, Result};
use skillpm_core::report::{Diagnostic, DiagnosticLevel, FileFinding};
use skillpm_io::disk;

/// The result of [`advise`].
#[derive(Debug, Clone, Default)]
pub struct AdviseReport {
    /// The directory.
    pub dir: PathBuf,
    /// The number of advisories.
    pub advisories: usize,
    /// The findings; if one is an error, nothing was written.
    pub findings: Vec<FileFinding>,
    /// The written files, relative to the directory.
    pub written: Vec<String>,
}

/// Packs the advisories in a directory: `advisories/all.json` is written again, and `config.json`
/// gets `"advisories": true`.
///
/// # Errors
/// If there are none, or a file cannot be read or written.
pub fn advise(context: &CommandContext<'_>, dir: Option<&PathBuf>) -> Result<AdviseReport> {
    let dir = dir.map_or_else(
        || context.dirs.cwd.clone(),
        |dir| context.dirs.cwd.join(dir),
    );
    let dir = disk::real_path(&dir);

    let mut files = read_files(&dir.join(ADVISORY_DIR))?;
    // The packed file is made from the others, and is not one of them.
    let before = files.remove(&pack::pack_path());

    if files.is_empty() {
        return Err(Error::usage(format!(
            "no advisories found in `{}`",
            dir.join(ADVISORY_DIR).display()
            ))
            .help(format!(
                "write one to `{ADVISORY_DIR}/SKSA-2026-0001.json` first; docs/advisories.md has the format"
            )));
    }
    let (texts, findings) = check_advisories(&files);

    let mut advised = AdviseReport {
        dir,
        advisories: files.len(),
        findings,
        written: Vec::new(),
    };

    // A partial pack would hide an advisory from clients: it is written whole or not at all.
    if !advised.findings.iter().any(FileFinding::is_error) {
        advised.write_pack(&texts, before.as_deref())?;
    }
    Ok(advised)
}

/// The files of a directory of advisories, by their path in the index.
fn read_files(dir: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    // A missing directory and one without advisories get the same error.
    let (paths, _) = disk::walk_files(dir).unwrap_or_default();

    let mut files = BTreeMap::new();
    for path in paths {
        let bytes = disk::read(&dir.join(&path))?.unwrap_or_default();
        files.insert(format!("{ADVISORY_DIR}/{path}"), bytes);
    }
    Ok(files)
}

impl AdviseReport {
    /// Writes the packed advisories, and the key of `config.json` that announces them; `before` is
    /// the packed file as it is.
    fn write_pack(
        &mut self,
        texts: &BTreeMap<AdvisoryId, Vec<u8>>,
        before: Option<&[u8]>,
    ) -> Result<()> {
        let all = pack(texts).map_err(Error::internal)?;
        // Written only when it differs, so that an index in git has no change.
        if before != Some(all.as_bytes()) {
            disk::write_atomic(&self.dir.join(pack::pack_path()), all.as_bytes())?;
            self.written.push(pack::pack_path());
        }

        // A directory of advisories only has no `config.json`, and needs none.
        let config = self.dir.join("config.json");
        if let Some(text) = disk::read_text(&config)?
            && let Some(marked) = with_advisories_key(&text)?
        {
            disk::write_atomic(&config, marked.as_bytes())?;
            self.written.push("config.json".to_owned());
        }
        Ok(())
    }
}

/// `config.json` with `"advisories": true`; `None` if it has that already.
fn with_advisories_key(text: &str) -> Result<Option<String>> {
    let invalid = |cause: serde_json::Error| {
        Error::negative(format!("failed to parse `config.json`: {cause}"))
    };

    let mut config: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(text).map_err(invalid)?;

    if config.insert("advisories".into(), true.into()) == Some(true.into()) {
        return Ok(None);
    }
    Ok(Some(format!("{}\n", serde_json::Value::Object(config))))
}

/// Checks the files of advisories, by path; returns those that can be packed, and the findings.
pub(super) fn check_advisories(
    files: &BTreeMap<String, Vec<u8>>,
) -> (BTreeMap<AdvisoryId, Vec<u8>>, Vec<FileFinding>) {
    let (mut texts, mut findings) = (BTreeMap::new(), Vec::new());

    for (path, bytes) in files {
        let mut report = |level, message: String| {
            findings.push(FileFinding {
                path: path.clone(),
                diagnostic: Diagnostic::new("advisory", level, message),
            });
        };
        match parse(bytes) {
            Err(reason) => report(DiagnosticLevel::Error, reason),
            Ok(parsed) => {
                let id = parsed.advisory.id;
                // Clients look up an advisory by its id, so that its path must be that of its id.
                if id.path() != *path {
                    report(
                        DiagnosticLevel::Error,
                        format!(
                            "invalid path of advisory `{id}`: it must be `{}`",
                            id.path()
                        ),
                    );
                }

                parsed
                    .warnings
                    .into_iter()
                    .for_each(|warning| report(DiagnosticLevel::Warning, warning));

                texts.insert(id, bytes.clone());
            }
        }
    }
    (texts, findings)
}
