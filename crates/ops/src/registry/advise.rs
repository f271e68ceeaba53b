//! `registry advise`: the advisories of an index, or of a directory that has nothing else, held to their form and put into
//! the one file that readers ask for.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::advisory::pack::{self, pack};
use crate::advisory::{AdvisoryId, FOLDER, parse};
use crate::error::{Error, Result};
use crate::io::disk;
use crate::ops::Context;
use crate::report::{Diagnostic, Finding, Level};

/// What was made of advisories.
#[derive(Debug, Clone, Default)]
pub struct Advised {
    /// The directory.
    pub dir: PathBuf,
    /// How many there are.
    pub advisories: usize,
    /// What is wrong with them; if one denies, nothing was written.
    pub findings: Vec<Finding>,
    /// The files that were written, as seen from the directory.
    pub written: Vec<String>,
}

/// Puts the advisories in a directory together: `advisories/all.json` is written anew, and `config.json` says that there
/// are some.
///
/// # Errors
/// If there are none, or a file cannot be read or written.
pub fn advise(context: &Context<'_>, dir: Option<&PathBuf>) -> Result<Advised> {
    let dir = dir.map_or_else(|| context.places.here.clone(), |dir| context.places.here.join(dir));
    let dir = disk::real_path(&dir);
    let (paths, _) = disk::walk(&dir.join(FOLDER)).unwrap_or_default();
    let mut files = BTreeMap::new();
    for path in paths {
        let bytes = disk::read(&dir.join(FOLDER).join(&path))?.unwrap_or_default();
        files.insert(format!("{FOLDER}/{path}"), bytes);
    }
    let before = files.remove(&pack::path());
    if files.is_empty() {
        return Err(Error::usage(format!("there are no advisories in `{}`", dir.join(FOLDER).display()))
            .help(format!("write one to `{FOLDER}/SKSA-2026-0001.json` first; docs/advisories.md shows its form")));
    }
    let (texts, findings) = judge(&files);
    let mut advised = Advised { dir, advisories: files.len(), findings, written: Vec::new() };
    if advised.findings.iter().any(Finding::denies) {
        return Ok(advised);
    }
    let all = pack(&texts).map_err(Error::internal)?;
    if before.as_deref() != Some(all.as_bytes()) {
        disk::write_atomic(&advised.dir.join(pack::path()), all.as_bytes())?;
        advised.written.push(pack::path());
    }
    let config = advised.dir.join("config.json");
    if let Some(text) = disk::read_text(&config)?
        && let Some(marked) = marked(&text)?
    {
        disk::write_atomic(&config, marked.as_bytes())?;
        advised.written.push("config.json".to_owned());
    }
    Ok(advised)
}

/// `config.json` saying that there are advisories; `None` if it does.
fn marked(text: &str) -> Result<Option<String>> {
    let wrong = |cause: serde_json::Error| Error::negative(format!("`config.json` cannot be read: {cause}"));
    let mut config: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).map_err(wrong)?;
    if config.insert("advisories".into(), true.into()) == Some(true.into()) {
        return Ok(None);
    }
    Ok(Some(format!("{}\n", serde_json::Value::Object(config))))
}

/// What is wrong with the files of advisories, by path, and those that can be put together.
pub(super) fn judge(files: &BTreeMap<String, Vec<u8>>) -> (BTreeMap<AdvisoryId, Vec<u8>>, Vec<Finding>) {
    let (mut texts, mut findings) = (BTreeMap::new(), Vec::new());
    for (path, bytes) in files {
        let mut tell = |level, message: String| {
            findings.push(Finding { path: path.clone(), diagnostic: Diagnostic::new("advisory", level, message) });
        };
        match parse(bytes) {
            Err(reason) => tell(Level::Error, reason),
            Ok(parsed) => {
                let id = parsed.advisory.id;
                if id.path() != *path {
                    tell(Level::Error, format!("its id is `{id}`, so that it should be at `{}`", id.path()));
                }
                parsed.doubts.into_iter().for_each(|doubt| tell(Level::Warning, doubt));
                texts.insert(id, bytes.clone());
            }
        }
    }
    (texts, findings)
}
