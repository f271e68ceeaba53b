//! Edits of a package's file: from bytes to bytes, or a refusal. Lines are only appended; in an existing line only `yanked`
//! and `revoked` change, and every other line stays the same byte for byte.

use std::collections::BTreeMap;

use semver::Version;
use serde_json::{Map, Value};

use super::owners::{self, PublishRight};
use super::{IndexEdit, IndexFiles, similar};
use crate::index::{
    EntryDependency, IndexEntry, entry_path, is_reserved_scope, owners_path, parse_entry_path,
};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::PackageName;

/// A version to publish.
#[derive(Debug, Clone, Copy)]
pub struct IndexPublishRequest<'a> {
    /// Its entry.
    pub entry: &'a IndexEntry,
    /// The archive with its path in the index; `None` where it is stored elsewhere.
    pub archive: Option<(&'a str, &'a [u8])>,
    /// The identity of the publisher.
    pub identity: &'a str,
    /// Whether a new name may be similar to one of another owner.
    pub allow_similar: bool,
}

/// The decision about a publication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublishDecision {
    /// The version is already published with the same content.
    AlreadyPublished {
        /// Whether it was yanked since.
        yanked: bool,
    },
    /// The edit that publishes it.
    New(IndexEdit),
}

/// Computes the edit of a publication for one state of an index.
///
/// # Errors
/// [`Negative`](skillpm_core::error::FailureKind::Negative) if the version is published with other content, the name
/// belongs to another owner or is too similar to one, or a dependency is not in the index.
pub fn decide_publish(
    files: &dyn IndexFiles,
    wanted: &IndexPublishRequest<'_>,
) -> Result<PublishDecision> {
    let entry = wanted.entry;
    let path = entry_path(&entry.name);
    let file = files.read(&path)?;

    // Before anything else, so that a retry after a kill succeeds.
    let appended = match append_entry(file.as_deref(), entry)? {
        AppendOutcome::AlreadyPublished { yanked } => {
            return Ok(PublishDecision::AlreadyPublished { yanked });
        }
        AppendOutcome::New(bytes) => bytes,
    };

    refuse_reserved_scope(&entry.name)?;

    let mut written = BTreeMap::from([(path, appended)]);
    written.extend(claim_name(files, &entry.name, wanted.identity)?);

    // Only new names: a later version must not fail because of a name that was accepted.
    if file.is_none() && !wanted.allow_similar {
        refuse_similar(files, &entry.name, wanted.identity)?;
    }

    // A version that can never be resolved must not be published.
    for needed in entry.deps.iter().filter(|needed| needed.registry.is_none()) {
        require_dependency(files, entry, needed)?;
    }

    let archives = wanted
        .archive
        .map(|(path, bytes)| (path.to_owned(), bytes.to_vec()));
    let message = format!("publish {} {}", entry.name, entry.vers);
    Ok(PublishDecision::New(IndexEdit {
        message,
        archives: archives.into_iter().collect(),
        files: written,
    }))
}

fn refuse_reserved_scope(name: &PackageName) -> Result<()> {
    // Files of the scope would mix with other files of the index.
    match name.scope().filter(|scope| is_reserved_scope(scope)) {
        Some(scope) => Err(Error::negative(format!(
            "invalid scope `{scope}`: the name is reserved, as an index has other files in a folder of that name"
        ))
        .help("choose another scope")),
        None => Ok(()),
    }
}

/// The path and new content of the owners' file, if the name is claimed by this publication.
fn claim_name(
    files: &dyn IndexFiles,
    name: &PackageName,
    identity: &str,
) -> Result<Option<(String, Vec<u8>)>> {
    let path = owners_path(name);
    match owners::may_publish(files.read(&path)?.as_deref(), name, identity)? {
        PublishRight::Claim(bytes) => Ok(Some((path, bytes))),
        PublishRight::Owner => Ok(None),
    }
}

/// The result of appending a version to a package's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppendOutcome {
    /// The new file.
    New(Vec<u8>),
    /// The version is already published with the same content.
    AlreadyPublished {
        /// Whether it was yanked since.
        yanked: bool,
    },
}

/// Appends a version to a package's file; `None` is the file of a new package.
///
/// # Errors
/// If that version is published with other content, or one that differs only in build metadata.
pub fn append_entry(file: Option<&[u8]>, entry: &IndexEntry) -> Result<AppendOutcome> {
    let file = file.unwrap_or_default();
    // By precedence: build metadata alone does not make another version.
    let same = |line: &PackageLine| line.version.cmp_precedence(&entry.vers).is_eq();
    if let Some(line) = parse_lines(file).into_iter().find(same) {
        let (published, new) = (line.string_value("cksum"), entry.cksum.to_string());
        // With the same content it is a retry of the same publication.
        return if line.version == entry.vers && published == new {
            Ok(AppendOutcome::AlreadyPublished {
                yanked: line.is_yanked(),
            })
        } else {
            Err(version_exists_error(entry, &line.version, &published, &new))
        };
    }

    let mut bytes = file.to_vec();
    // Never after a truncated line.
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }

    let line = serde_json::to_string(entry)
        .map_err(|cause| Error::internal(format!("failed to serialize an index entry: {cause}")))?;
    bytes.extend_from_slice(line.as_bytes());
    bytes.push(b'\n');
    Ok(AppendOutcome::New(bytes))
}

fn version_exists_error(
    entry: &IndexEntry,
    version: &Version,
    published: &str,
    new: &str,
) -> Error {
    let help = "a published version never changes: raise the version, and publish again";
    if *version != entry.vers {
        return Error::negative(format!(
            "`{} {version}` is already published, and build metadata alone does not make another version",
            entry.name
        ))
        .note(format!("`{}` counts as the same", entry.vers))
        .help(help);
    }

    Error::negative(format!(
        "`{} {version}` is already published with other content",
        entry.name
    ))
    .note(format!("published  {published}"))
    .note(format!("this one   {new}"))
    .help(help)
}

/// A mark of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VersionMark {
    /// It is no longer chosen.
    Yanked,
    /// It is chosen again.
    Unyanked,
    /// It may no longer be installed, for this reason; it is also yanked.
    Revoked(String),
    /// It may be installed again, and is chosen again.
    Unrevoked,
}

/// Marks one version in a package's file; `None` if it has that mark already.
///
/// # Errors
/// If there is no such package or version, or a revoked version is to be unyanked.
pub fn set_mark(
    file: Option<&[u8]>,
    name: &PackageName,
    version: &Version,
    mark: &VersionMark,
) -> Result<Option<Vec<u8>>> {
    let file = file.ok_or_else(|| {
        Error::negative(format!("package `{name}` not found in the index"))
            .help("check the name, and the registry it is in")
    })?;

    let lines = parse_lines(file);
    let Some(line) = lines.iter().find(|line| line.version == *version) else {
        return Err(unknown_version_error(name, version, &lines));
    };
    // Undoing a yank must not undo a revocation.
    if let (VersionMark::Unyanked, Some(why)) = (mark, line.revoked()) {
        return Err(Error::negative(format!(
            "cannot unyank `{name} {version}`, which is revoked: {}",
            why.escape_debug()
        ))
        .help(format!(
            "to undo the revocation, run `skillpm yank {name}@{version} --revoke --undo`"
        )));
    }

    let object = line.marked_object(mark);
    if object == line.object {
        return Ok(None);
    }

    // Every other byte of the file stays as it is.
    let (before, after) = (&file[..line.start], &file[line.start + line.length..]);
    Ok(Some(
        [before, Value::Object(object).to_string().as_bytes(), after].concat(),
    ))
}

fn unknown_version_error(name: &PackageName, version: &Version, lines: &[PackageLine]) -> Error {
    // The newest few are the most useful ones.
    let known: Vec<String> = lines
        .iter()
        .rev()
        .take(5)
        .map(|line| format!("`{}`", line.version))
        .collect();
    Error::negative(format!(
        "version `{version}` of `{name}` not found in the index"
    ))
    .note(format!("newest versions: {}", known.join(", ")))
    .help("specify one of its versions: `NAME@VERSION`")
}

/// Lists the versions in a package's file, each with its checksum as text and whether it was yanked.
#[must_use]
pub fn read_versions(file: &[u8]) -> Vec<(Version, String, bool)> {
    parse_lines(file)
        .into_iter()
        .map(|line| {
            (
                line.version.clone(),
                line.string_value("cksum"),
                line.is_yanked(),
            )
        })
        .collect()
}

/// A line with a readable version, whatever else is in it: also one of a newer format.
struct PackageLine {
    start: usize,
    /// Without the line's end.
    length: usize,
    version: Version,
    object: Map<String, Value>,
}

impl PackageLine {
    fn string_value(&self, key: &str) -> String {
        self.object
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    }

    fn is_yanked(&self) -> bool {
        self.object
            .get("yanked")
            .and_then(Value::as_bool)
            .unwrap_or(false)
    }
}

impl PackageLine {
    fn revoked(&self) -> Option<&str> {
        self.object.get("revoked").and_then(Value::as_str)
    }

    /// The line's object with a mark.
    fn marked_object(&self, mark: &VersionMark) -> Map<String, Value> {
        let mut object = self.object.clone();
        let yanked = match mark {
            VersionMark::Yanked | VersionMark::Revoked(_) => true,
            VersionMark::Unyanked | VersionMark::Unrevoked => {
                object.shift_remove("revoked");
                false
            }
        };

        object.insert("yanked".into(), Value::Bool(yanked));
        if let VersionMark::Revoked(reason) = mark {
            // At the position that it has in a new line.
            object.shift_remove("revoked");
            let after = object
                .keys()
                .position(|key| key == "yanked")
                .map_or(object.len(), |at| at + 1);
            object.shift_insert(after, "revoked".into(), Value::String(reason.clone()));
        }
        object
    }
}

fn parse_lines(file: &[u8]) -> Vec<PackageLine> {
    let mut start = 0;
    let mut lines = Vec::new();

    for whole in file.split_inclusive(|&byte| byte == b'\n') {
        let text = whole.trim_ascii_end();
        // Any line with a version counts, even of a newer format: it cannot be published twice.
        if let Ok(object) = serde_json::from_slice::<Map<String, Value>>(text)
            && let Some(version) = object
                .get("vers")
                .and_then(Value::as_str)
                .and_then(|text| text.parse().ok())
        {
            lines.push(PackageLine {
                start,
                length: text.len(),
                version,
                object,
            });
        }
        // In bytes, since the caller replaces exactly these.
        start += whole.len();
    }
    lines
}

fn refuse_similar(files: &dyn IndexFiles, name: &PackageName, identity: &str) -> Result<()> {
    let names: Vec<PackageName> = files
        .list_paths(&|dir| similar::may_hold_similar(dir, name))?
        .unwrap_or_default()
        .iter()
        .filter_map(|path| parse_entry_path(path))
        .collect();

    // The scope exists, so its name was accepted before.
    if name.scope().is_some() && names.iter().any(|other| other.scope() == name.scope()) {
        return Ok(());
    }
    for (other, reason) in similar::find_similar(name, &names) {
        let file = files.read(&owners_path(other))?;
        // One owner may have several similar names.
        if owners::is_owner(file.as_deref(), other, identity)? {
            continue;
        }

        let (new, existing) = match (name.scope(), other.scope()) {
            (Some(scope), Some(others)) => (format!("scope `{scope}`"), others.to_string()),
            _ => (format!("`{name}`"), other.to_string()),
        };
        return Err(Error::negative(format!(
            "refusing {new}: it could be confused with `{existing}` of another owner, as {reason}"
        ))
        .help("choose another name, or pass `--allow-similar` to use this one"));
    }
    Ok(())
}

fn require_dependency(
    files: &dyn IndexFiles,
    entry: &IndexEntry,
    needed: &EntryDependency,
) -> Result<()> {
    let file = files.read(&entry_path(&needed.name))?;
    let versions = read_versions(file.as_deref().unwrap_or_default());

    if versions
        .iter()
        .any(|(version, _, yanked)| !yanked && needed.req.matches(version))
    {
        return Ok(());
    }

    let error = Error::negative(format!(
        "no matching version of `{} {}` found in the index, required by `{} {}`",
        needed.name, needed.req, entry.name, entry.vers
    ));
    Err(
        match versions
            .iter()
            .filter(|(.., yanked)| !yanked)
            .map(|(version, ..)| version)
            .max()
        {
            Some(newest) => error
                .note(format!("the newest version is `{newest}`"))
                .help("change the requirement"),
            None => error.help(format!(
                "publish `{}` first; `--workspace` does so for members of the workspace",
                needed.name
            )),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::Table;
    use super::*;

    fn line(name: &str, vers: &str, cksum: char, more: &str) -> String {
        format!(
            r#"{{"name":"{name}","vers":"{vers}","deps":[],"cksum":"skill-tree-v1:{}","archive":"sha256:{}","yanked":false{more},"v":1}}"#,
            cksum.to_string().repeat(64),
            "0".repeat(64)
        )
    }

    fn entry(name: &str, vers: &str, cksum: char) -> IndexEntry {
        IndexEntry::parse(&line(name, vers, cksum, ""), &name.parse().unwrap()).unwrap()
    }

    fn wanted(entry: &IndexEntry) -> IndexPublishRequest<'_> {
        IndexPublishRequest {
            entry,
            archive: Some(("archives/x", b"bytes")),
            identity: "me@x.dev",
            allow_similar: false,
        }
    }

    fn refusal(files: &Table, entry: &IndexEntry) -> String {
        decide_publish(files, &wanted(entry))
            .unwrap_err()
            .message()
            .to_owned()
    }

    #[test]
    fn a_version_is_appended_and_nothing_before_it_changes() {
        let first = append_entry(None, &entry("pdf", "1.0.0", '1')).unwrap();
        assert_eq!(
            first,
            AppendOutcome::New(format!("{}\n", line("pdf", "1.0.0", '1', "")).into_bytes())
        );
        for before in [
            "{\"v\":9,\"vers\":\"0.1.0\",  \"new\":[1.50]}\n",
            "garbage",
            "\n\n",
        ] {
            let AppendOutcome::New(bytes) =
                append_entry(Some(before.as_bytes()), &entry("pdf", "1.0.0", '1')).unwrap()
            else {
                panic!("already published");
            };
            let text = String::from_utf8(bytes).unwrap();
            assert!(text.starts_with(before), "{text}");
            assert!(
                text.ends_with(&format!("\n{}\n", line("pdf", "1.0.0", '1', ""))),
                "{text}"
            );
        }
    }

    #[test]
    fn republishing_other_content_is_an_error_with_both_checksums() {
        let file = format!(
            "{}\n{}\n",
            line("pdf", "1.0.0", '1', ""),
            line("pdf", "1.1.0", '2', "")
        );
        let again = append_entry(Some(file.as_bytes()), &entry("pdf", "1.0.0", '1')).unwrap();
        assert_eq!(again, AppendOutcome::AlreadyPublished { yanked: false });
        let error = append_entry(Some(file.as_bytes()), &entry("pdf", "1.1.0", '1')).unwrap_err();
        assert_eq!(error.kind(), skillpm_core::error::FailureKind::Negative);
        assert!(
            error.notes()[0].ends_with(&"2".repeat(64))
                && error.notes()[1].ends_with(&"1".repeat(64))
        );
        assert!(append_entry(Some(file.as_bytes()), &entry("pdf", "1.1.0+build", '2')).is_err());
        let newer_form = b"{\"v\":9,\"vers\":\"1.0.0\",\"cksum\":\"other\"}\n";
        assert!(append_entry(Some(newer_form), &entry("pdf", "1.0.0", '1')).is_err());
    }

    #[test]
    fn a_yank_changes_one_line_and_keeps_unknown_keys() {
        let odd = line(
            "pdf",
            "1.1.0",
            '2',
            r#","note":"say \"yanked\":false","size":1.50,"x":{"yanked":false}"#,
        );
        let file = format!(
            "garbage\r\n{}\n\n{odd}\n{}",
            line("pdf", "1.0.0", '1', ""),
            line("pdf", "2.0.0", '3', "")
        );
        let (name, version) = ("pdf".parse().unwrap(), "1.1.0".parse().unwrap());
        let yanked = set_mark(Some(file.as_bytes()), &name, &version, &VersionMark::Yanked)
            .unwrap()
            .unwrap();
        let expected = file.replace(
            &odd,
            &odd.replacen("\"yanked\":false,\"note\"", "\"yanked\":true,\"note\"", 1),
        );
        assert_eq!(
            String::from_utf8(yanked.clone()).unwrap(),
            expected.replace("1.50", "1.5")
        );
        assert_eq!(
            set_mark(Some(&yanked), &name, &version, &VersionMark::Yanked).unwrap(),
            None
        );
        let back = set_mark(Some(&yanked), &name, &version, &VersionMark::Unyanked)
            .unwrap()
            .unwrap();
        assert_eq!(
            String::from_utf8(back).unwrap(),
            file.replace("1.50", "1.5")
        );
        let unknown = set_mark(
            Some(file.as_bytes()),
            &name,
            &"9.0.0".parse().unwrap(),
            &VersionMark::Yanked,
        )
        .unwrap_err();
        assert_eq!(
            unknown.notes(),
            ["newest versions: `2.0.0`, `1.1.0`, `1.0.0`"]
        );
        assert!(set_mark(None, &name, &version, &VersionMark::Yanked).is_err());
    }

    #[test]
    fn a_first_version_claims_its_scope_in_the_same_edit() {
        let files = Table::of([]);
        let PublishDecision::New(edit) =
            decide_publish(&files, &wanted(&entry("acme/pdf", "1.0.0", '1'))).unwrap()
        else {
            panic!()
        };
        assert_eq!(edit.message, "publish acme/pdf 1.0.0");
        assert_eq!(
            edit.files.keys().collect::<Vec<_>>(),
            ["acme/3/p/pdf", "owners/acme.toml"]
        );
        assert_eq!(
            edit.archives,
            BTreeMap::from([("archives/x".to_owned(), b"bytes".to_vec())])
        );
    }

    #[test]
    fn a_name_of_another_owner_is_refused_and_so_is_a_similar_one() {
        let theirs = line("pdf-forms", "1.0.0", '1', "");
        let files = Table::of([
            ("pd/f-/pdf-forms", &theirs),
            (
                "owners/_.toml",
                "[packages]\npdf-forms = [\"other@x.dev\"]\n",
            ),
            ("owners/acme.toml", "owners = [\"other@x.dev\"]\n"),
        ]);
        assert!(refusal(&files, &entry("acme/pdf", "1.0.0", '1')).contains("not to `me@x.dev`"));
        assert!(refusal(&files, &entry("pdf-forms", "2.0.0", '1')).contains("not to `me@x.dev`"));
        assert!(
            refusal(&files, &entry("pdf-form", "1.0.0", '1'))
                .contains("could be confused with `pdf-forms`")
        );
        let own = entry("pdf-form", "1.0.0", '1');
        assert!(
            decide_publish(
                &files,
                &IndexPublishRequest {
                    allow_similar: true,
                    ..wanted(&own)
                }
            )
            .is_ok()
        );
        assert!(
            decide_publish(
                &files,
                &IndexPublishRequest {
                    identity: "other@x.dev",
                    ..wanted(&own)
                }
            )
            .is_ok()
        );
        assert!(refusal(&files, &entry("2/pdf", "1.0.0", '1')).contains("invalid scope `2`"));
    }

    #[test]
    fn dependencies_must_be_published_and_not_yanked() {
        let yanked = line("base", "1.0.0", '1', "").replace("\"yanked\":false", "\"yanked\":true");
        let mut needing = entry("pdf", "1.0.0", '1');
        let need = |req: &str| EntryDependency {
            name: "base".parse().unwrap(),
            req: req.parse().unwrap(),
            registry: None,
        };
        needing.deps = vec![need("^1")];
        assert!(refusal(&Table::of([]), &needing).contains("no matching version of `base ^1`"));
        assert!(
            refusal(&Table::of([("ba/se/base", &yanked)]), &needing)
                .contains("no matching version of `base ^1`")
        );
        let both = format!("{yanked}\n{}\n", line("base", "1.1.0", '2', ""));
        assert!(decide_publish(&Table::of([("ba/se/base", &both)]), &wanted(&needing)).is_ok());
        needing.deps = vec![EntryDependency {
            registry: Some("elsewhere".into()),
            ..need("^9")
        }];
        assert!(decide_publish(&Table::of([]), &wanted(&needing)).is_ok());
    }
}
