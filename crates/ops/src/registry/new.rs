//! `registry new`: creates an empty index, with the files that a shared one needs.
//!
//! ```text
//! config.json                     {"api-version":1,"dl":"archives/{name}-{version}.tar.gz"}
//! owners/_.toml                   who maintains the index, and may publish names without a scope
//! README.md                       how to use it, publish to it, and maintain it
//! .gitattributes                  no conversion of line endings
//! .github/workflows/check.yml     `skillpm registry check` on every pull request
//! .gitlab-ci.yml                  the same for GitLab
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::{CommandContext, registry_target};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::Tree;
use skillpm_io::disk;
use skillpm_io::git::{self, CommitAuthor, GitIdentity};
use skillpm_registry::index::{IndexConfig, TemplateFault};

/// The default template of archive paths: in the index itself.
const DL: &str = "archives/{name}-{version}.tar.gz";

/// The new index.
#[derive(Debug, Clone, Default)]
pub struct NewOptions {
    /// The directory: new or empty.
    pub dir: PathBuf,
    /// Whether to create a git repository with a first commit.
    pub git: bool,
    /// The template of archive URLs or paths; `None` for paths in the index itself.
    pub dl: Option<String>,
    /// Its owners; empty for the git user.
    pub owners: Vec<String>,
}

/// The result of [`create_index`].
#[derive(Debug, Clone)]
pub struct NewIndex {
    /// The directory.
    pub dir: PathBuf,
    /// The files.
    pub files: Vec<String>,
    /// Its owners.
    pub owners: Vec<String>,
    /// The first commit, if a repository was created.
    pub commit: Option<String>,
}

/// Creates an index.
///
/// # Errors
/// If the directory is not empty, `dl` is the same for two versions, or no owner is known.
pub fn create_index(context: &CommandContext<'_>, options: &NewOptions) -> Result<NewIndex> {
    let dir = context.dirs.cwd.join(&options.dir);
    if let Some(meta) = disk::lstat(&dir)?
        && !(meta.is_dir() && disk::is_empty(&dir)?)
    {
        return Err(Error::negative(format!("directory `{}` is not empty", dir.display()))
            .help("pass a new or empty directory; to check an existing index, run `skillpm registry check`"));
    }

    let dl = validate_dl(options.dl.as_deref().unwrap_or(DL))?;
    let author = find_author(context, &dir, options)?;
    let owners = if options.owners.is_empty() {
        vec![author.email.clone()]
    } else {
        options.owners.clone()
    };
    let files = index_files(dl, &owners)?;

    let mut tree = Tree::builder();
    for (path, text) in &files {
        tree.add(path, text.clone().into_bytes(), false)?;
    }
    disk::write_tree_atomic(&dir, &tree.finish())?;

    // After the files: a failed commit leaves an index that git can still be added to.
    let commit = if options.git {
        let time = i64::try_from(context.now).unwrap_or_default();
        Some(git::init_repository(&dir, &files, &author, time)?.to_string())
    } else {
        None
    };

    Ok(NewIndex {
        // Its URL has no `..`.
        dir: disk::real_path(&dir),
        files: files.into_keys().collect(),
        owners,
        commit,
    })
}

/// The author of the first commit, who owns the index if the command line names no owner.
fn find_author(
    context: &CommandContext<'_>,
    dir: &Path,
    options: &NewOptions,
) -> Result<CommitAuthor> {
    // The directory may not exist yet: git's configuration is that of the nearest one above.
    let existing = dir
        .ancestors()
        .find(|at| disk::lstat(at).is_ok_and(|meta| meta.is_some()))
        .unwrap_or(dir);

    let configured = registry_target::resolve_author(context, existing);
    match (configured, options.owners.first()) {
        // Owners of the command line replace the git identity.
        (Err(_), Some(owner)) => Ok(author_from_owner(owner)),
        (Err(error), None) => {
            Err(error.help("or pass an owner: `skillpm registry new DIR --owner ADDRESS`"))
        }
        (Ok(author), _) => Ok(author),
    }
}

fn author_from_owner(owner: &str) -> CommitAuthor {
    CommitAuthor {
        name: owner.to_owned(),
        email: owner.to_owned(),
        committer: GitIdentity {
            name: owner.to_owned(),
            email: owner.to_owned(),
        },
        signing: None,
    }
}

fn validate_dl(dl: &str) -> Result<&str> {
    match TemplateFault::find(dl) {
        None => Ok(dl),
        Some(fault) => {
            let help = match fault {
                TemplateFault::SharedArchive => {
                    "use `{name}` and `{version}`, or `{checksum}`: `--dl 'https://cdn.acme.dev/{name}-{version}.tar.gz'`"
                }
                _ => "use a path below the index, or a complete URL",
            };
            Err(Error::usage(format!("invalid `--dl` template `{dl}`: {fault}")).help(help))
        }
    }
}

fn index_files(dl: &str, owners: &[String]) -> Result<BTreeMap<String, String>> {
    let config = IndexConfig {
        api_version: 1,
        dl: Some(dl.to_owned()),
        advisories: false,
        search: false,
        serial: None,
        expires: None,
    };

    let config =
        serde_json::to_string(&config).map_err(|cause| Error::internal(cause.to_string()))?;

    let list: Vec<String> = owners.iter().map(|owner| toml_text(owner)).collect();
    let owners_file = format!(
        "# Who maintains this index, and may publish names without a scope.\nowners = [{}]\n\n\
         # Owners of names without a scope.\n[packages]\n",
        list.join(", ")
    );

    let texts = [
        ("config.json", format!("{config}\n")),
        ("owners/_.toml", owners_file),
        ("README.md", include_str!("template/README.md").to_owned()),
        (
            ".gitattributes",
            include_str!("template/gitattributes").to_owned(),
        ),
        (
            ".github/workflows/check.yml",
            include_str!("template/check.yml").to_owned(),
        ),
        (
            ".gitlab-ci.yml",
            include_str!("template/gitlab-ci.yml").to_owned(),
        ),
    ];
    Ok(texts
        .into_iter()
        .map(|(path, text)| (path.to_owned(), text))
        .collect())
}

/// A text as a TOML string.
fn toml_text(text: &str) -> String {
    // Quoted by the library: an address may have quotes or line breaks.
    toml_edit::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_written_as_texts_whatever_is_in_them() {
        let files = index_files(DL, &["a\"]\n[x".into()]).unwrap();
        let realm = skillpm_registry::index::write::owners::OwnershipScope::Unscoped;
        let read = skillpm_registry::index::write::owners::read_owners(
            Some(files["owners/_.toml"].as_bytes()),
            &realm,
        )
        .unwrap();
        assert_eq!(read, ["a\"]\n[x"]);
    }
}
