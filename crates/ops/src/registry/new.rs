//! `registry new`: an index with nothing in it, and all that a shared one wants around it.
//!
//! ```text
//! config.json                     {"api-version":1,"dl":"archives/{name}-{version}.tar.gz"}
//! owners/_.toml                   who keeps the index, and may publish names without a scope
//! README.md                       how to use it, publish to it, and keep it
//! .gitattributes                  bytes as they are
//! .github/workflows/check.yml     `skillpm registry check` on every pull request
//! .gitlab-ci.yml                  the same for GitLab
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::index::IndexConfig;
use crate::io::disk;
use crate::io::git::{self, Author, Person};
use crate::ops::{Context, ledger};
use crate::package::Tree;

/// Where archives lie if nothing else is said: in the index itself.
const DL: &str = "archives/{name}-{version}.tar.gz";

/// What is wanted.
#[derive(Debug, Clone, Default)]
pub struct NewOptions {
    /// The directory: new or empty.
    pub dir: PathBuf,
    /// Whether to make a repository of it, with a first commit.
    pub git: bool,
    /// Where archives are: a template; `None` for in the index itself.
    pub dl: Option<String>,
    /// Who keeps it; nobody for whoever makes it.
    pub owners: Vec<String>,
}

/// What was made.
#[derive(Debug, Clone)]
pub struct Made {
    /// Where.
    pub dir: PathBuf,
    /// The files.
    pub files: Vec<String>,
    /// Who keeps it.
    pub owners: Vec<String>,
    /// The first commit, if a repository was made.
    pub commit: Option<String>,
}

/// Makes an index.
///
/// # Errors
/// If something is in the directory, `dl` gives two versions one archive, or nobody is known who keeps it.
pub fn new(context: &Context<'_>, options: &NewOptions) -> Result<Made> {
    let dir = context.places.here.join(&options.dir);
    if let Some(meta) = disk::lstat(&dir)?
        && !(meta.is_dir() && disk::is_empty(&dir)?)
    {
        return Err(Error::negative(format!("`{}` is there, and not empty", dir.display()))
            .help("name a directory that is new or empty; `skillpm registry check` tells whether one is an index"));
    }
    let dl = checked_dl(options.dl.as_deref().unwrap_or(DL))?;
    let place = dir.ancestors().find(|at| disk::lstat(at).is_ok_and(|meta| meta.is_some())).unwrap_or(&dir);
    let author = match ledger::author(context, place) {
        Ok(author) => author,
        // Whoever names the keepers has said enough.
        Err(_) if !options.owners.is_empty() => {
            let owner = &options.owners[0];
            let committer = Person { name: owner.clone(), email: owner.clone() };
            Author { name: owner.clone(), email: owner.clone(), committer, signing: None }
        }
        Err(error) => return Err(error.help("or name who keeps it: `skillpm registry new DIR --owner ADDRESS`")),
    };
    let owners = if options.owners.is_empty() { vec![author.email.clone()] } else { options.owners.clone() };
    let files = files(dl, &owners)?;
    let mut tree = Tree::builder();
    for (path, text) in &files {
        tree.add(path, text.clone().into_bytes(), false)?;
    }
    disk::place_tree(&dir, &tree.finish())?;
    let commit = if options.git {
        let time = i64::try_from(context.now).unwrap_or_default();
        Some(git::begin(&dir, &files, &author, time)?.to_string())
    } else {
        None
    };
    Ok(Made { dir, files: files.into_keys().collect(), owners, commit })
}

fn checked_dl(dl: &str) -> Result<&str> {
    let is_whole =
        !dl.contains('{') || dl.contains("{checksum}") || (dl.contains("{name}") && dl.contains("{version}"));
    if dl.is_empty() || !is_whole {
        return Err(Error::usage(format!("`{dl}` gives two versions one archive")).help(
            "write `{name}` and `{version}`, or `{checksum}`: `--dl 'https://cdn.acme.dev/{name}-{version}.tar.gz'`",
        ));
    }
    if !dl.contains("://") && (dl.starts_with('/') || dl.split('/').any(|part| matches!(part, "." | ".." | ""))) {
        return Err(
            Error::usage(format!("`{dl}` leads out of the index")).help("write a path below the index, or a whole URL")
        );
    }
    Ok(dl)
}

fn files(dl: &str, owners: &[String]) -> Result<BTreeMap<String, String>> {
    let config =
        IndexConfig { api_version: 1, dl: Some(dl.to_owned()), advisories: false, serial: None, expires: None };
    let config = serde_json::to_string(&config).map_err(|cause| Error::internal(cause.to_string()))?;
    let list: Vec<String> = owners.iter().map(|owner| toml_text(owner)).collect();
    let kept = format!(
        "# Who keeps this index, and may publish names without a scope.\nowners = [{}]\n\n\
         # Names without a scope that belong to somebody.\n[packages]\n",
        list.join(", ")
    );
    let texts = [
        ("config.json", format!("{config}\n")),
        ("owners/_.toml", kept),
        ("README.md", include_str!("template/README.md").to_owned()),
        (".gitattributes", include_str!("template/gitattributes").to_owned()),
        (".github/workflows/check.yml", include_str!("template/check.yml").to_owned()),
        (".gitlab-ci.yml", include_str!("template/gitlab-ci.yml").to_owned()),
    ];
    let versioned = |text: String| text.replace("SKILLPM_VERSION", env!("CARGO_PKG_VERSION"));
    Ok(texts.into_iter().map(|(path, text)| (path.to_owned(), versioned(text))).collect())
}

/// A text as TOML writes it.
fn toml_text(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_must_tell_versions_apart_and_stay_inside() {
        for good in [DL, "files", "https://cdn.acme.dev/{checksum}.tar.gz", "https://x.dev/a"] {
            assert!(checked_dl(good).is_ok(), "{good}");
        }
        for bad in ["", "{name}.tar.gz", "https://x.dev/{version}", "/srv/{name}-{version}", "../{name}-{version}"] {
            assert!(checked_dl(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn owners_are_written_as_texts_whatever_is_in_them() {
        let files = files(DL, &["a\"]\n[x".into()]).unwrap();
        let realm = crate::index::write::owners::Realm::Unscoped;
        let read = crate::index::write::owners::owners(Some(files["owners/_.toml"].as_bytes()), &realm).unwrap();
        assert_eq!(read, ["a\"]\n[x"]);
    }
}
