//! What becomes of a package's file: from its bytes to its bytes, or a refusal. Lines are only appended; of a line that is
//! there, only `yanked` and `revoked` change, and every other line stays as it is to the byte.

use std::collections::BTreeMap;

use semver::Version;
use serde_json::{Map, Value};

use super::owners::{self, Right};
use super::{Edit, Files, similar};
use crate::error::{Error, Result};
use crate::index::{Entry, EntryDependency, entry_path, is_taken, name_at, owners_path};
use crate::package::PackageName;

/// What is to be published.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The line.
    pub entry: &'a Entry,
    /// The archive, and its place in the index; `None` where it lies elsewhere.
    pub archive: Option<(&'a str, &'a [u8])>,
    /// Who publishes.
    pub identity: &'a str,
    /// Whether a new name may be like one that another has.
    pub allow_similar: bool,
}

/// Whether there is anything to publish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The very same content is there at that version.
    Already {
        /// Whether it was yanked meanwhile.
        yanked: bool,
    },
    /// This is to be done.
    New(Edit),
}

/// Decides about a publication at one state of an index.
///
/// # Errors
/// [`Kind::Negative`](crate::error::Kind::Negative) if the version is there with other content, the name is another's or
/// too much like another's, or the version needs what the index does not have.
pub fn publish(files: &dyn Files, wanted: &Wanted<'_>) -> Result<Verdict> {
    let entry = wanted.entry;
    let path = entry_path(&entry.name);
    let file = files.read(&path)?;
    // Before anything else, so that whoever tries again after a kill hears that all is well.
    let appended = match append(file.as_deref(), entry)? {
        Appended::Already { yanked } => return Ok(Verdict::Already { yanked }),
        Appended::New(bytes) => bytes,
    };
    if let Some(scope) = entry.name.scope().filter(|scope| is_taken(scope)) {
        return Err(Error::negative(format!(
            "`{scope}` cannot be a scope: an index has other files in a folder of that name"
        ))
        .help("choose another scope"));
    }
    let mut written = BTreeMap::from([(path, appended)]);
    let owners = owners_path(&entry.name);
    if let Right::Claim(bytes) = owners::may_publish(files.read(&owners)?.as_deref(), &entry.name, wanted.identity)? {
        written.insert(owners, bytes);
    }
    if file.is_none() && !wanted.allow_similar {
        refuse_similar(files, &entry.name, wanted.identity)?;
    }
    for needed in entry.deps.iter().filter(|needed| needed.registry.is_none()) {
        require(files, entry, needed)?;
    }
    let archives = wanted.archive.map(|(path, bytes)| (path.to_owned(), bytes.to_vec()));
    let message = format!("publish {} {}", entry.name, entry.vers);
    Ok(Verdict::New(Edit { message, archives: archives.into_iter().collect(), files: written }))
}

/// A package's file with a version appended, or the word that it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Appended {
    /// The file as it will be.
    New(Vec<u8>),
    /// The very same content is there at that version.
    Already {
        /// Whether it was yanked meanwhile.
        yanked: bool,
    },
}

/// Appends a version to a package's file; `None` is the file of a new package.
///
/// # Errors
/// If that version is there with other content, or one that differs in build metadata only.
pub fn append(file: Option<&[u8]>, entry: &Entry) -> Result<Appended> {
    let file = file.unwrap_or_default();
    let same = |line: &Line| line.version.cmp_precedence(&entry.vers).is_eq();
    if let Some(line) = lines(file).into_iter().find(same) {
        let (there, ours) = (line.text("cksum"), entry.cksum.to_string());
        return if line.version == entry.vers && there == ours {
            Ok(Appended::Already { yanked: line.is_yanked() })
        } else {
            Err(taken(entry, &line.version, &there, &ours))
        };
    }
    let mut bytes = file.to_vec();
    // Never behind a line that was cut short.
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    let line = serde_json::to_string(entry).map_err(|cause| Error::internal(format!("a line is not JSON: {cause}")))?;
    bytes.extend_from_slice(line.as_bytes());
    bytes.push(b'\n');
    Ok(Appended::New(bytes))
}

fn taken(entry: &Entry, version: &Version, there: &str, ours: &str) -> Error {
    let help = "a published version never changes: raise the version, and publish again";
    if *version != entry.vers {
        return Error::negative(format!(
            "`{} {version}` is published, and build metadata alone makes no version",
            entry.name
        ))
        .note(format!("`{}` counts as the same", entry.vers))
        .help(help);
    }
    Error::negative(format!("`{} {version}` is published already, with other content", entry.name))
        .note(format!("published  {there}"))
        .note(format!("this one   {ours}"))
        .help(help)
}

/// What a version is marked as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// Nobody chooses it anew.
    Yanked,
    /// It is taken back in.
    Unyanked,
    /// Nobody may have it any more, for this reason; it is yanked, too.
    Revoked(String),
    /// It may be had again, and is taken back in.
    Unrevoked,
}

/// A package's file with one version marked; `None` if it is so already.
///
/// # Errors
/// If there is no such package, or no such version of it, or a revoked one is to be taken back in as if it were only
/// yanked.
pub fn set_mark(file: Option<&[u8]>, name: &PackageName, version: &Version, mark: &Mark) -> Result<Option<Vec<u8>>> {
    let file = file.ok_or_else(|| {
        Error::negative(format!("there is no `{name}` in the index")).help("check the name, and the registry it is in")
    })?;
    let lines = lines(file);
    let Some(line) = lines.iter().find(|line| line.version == *version) else {
        let known: Vec<String> = lines.iter().rev().take(5).map(|line| format!("`{}`", line.version)).collect();
        let error = Error::negative(format!("there is no version `{version}` of `{name}` in the index"));
        return Err(error
            .note(format!("it has {}", known.join(", ")))
            .help("name one of its versions: `NAME@VERSION`"));
    };
    let revoked = line.object.get("revoked").and_then(Value::as_str);
    let mut object = line.object.clone();
    let yanked = match mark {
        Mark::Yanked => true,
        Mark::Unyanked if revoked.is_some() => {
            let why = revoked.unwrap_or_default().escape_debug();
            return Err(Error::negative(format!("`{name} {version}` is not only yanked, it is revoked: {why}"))
                .help(format!("if that was wrong: `skillpm yank {name}@{version} --revoke --undo`")));
        }
        Mark::Unyanked | Mark::Unrevoked => {
            object.shift_remove("revoked");
            false
        }
        Mark::Revoked(_) => true,
    };
    object.insert("yanked".into(), Value::Bool(yanked));
    if let Mark::Revoked(reason) = mark {
        // Where a line has it that is written anew.
        object.shift_remove("revoked");
        let after = object.keys().position(|key| key == "yanked").map_or(object.len(), |at| at + 1);
        object.shift_insert(after, "revoked".into(), Value::String(reason.clone()));
    }
    if object == line.object {
        return Ok(None);
    }
    let (before, after) = (&file[..line.start], &file[line.start + line.length..]);
    Ok(Some([before, Value::Object(object).to_string().as_bytes(), after].concat()))
}

/// The versions in a package's file, each with its checksum as it stands there and whether it was yanked.
#[must_use]
pub fn versions(file: &[u8]) -> Vec<(Version, String, bool)> {
    lines(file).into_iter().map(|line| (line.version.clone(), line.text("cksum"), line.is_yanked())).collect()
}

/// A line of which the version can be read, whatever else it holds: also one of a form that is newer than this program.
struct Line {
    start: usize,
    /// Without the line's end.
    length: usize,
    version: Version,
    object: Map<String, Value>,
}

impl Line {
    fn text(&self, key: &str) -> String {
        self.object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    fn is_yanked(&self) -> bool {
        self.object.get("yanked").and_then(Value::as_bool).unwrap_or(false)
    }
}

fn lines(file: &[u8]) -> Vec<Line> {
    let mut start = 0;
    let mut lines = Vec::new();
    for whole in file.split_inclusive(|&byte| byte == b'\n') {
        let text = whole.trim_ascii_end();
        if let Ok(object) = serde_json::from_slice::<Map<String, Value>>(text)
            && let Some(version) = object.get("vers").and_then(Value::as_str).and_then(|text| text.parse().ok())
        {
            lines.push(Line { start, length: text.len(), version, object });
        }
        start += whole.len();
    }
    lines
}

fn refuse_similar(files: &dyn Files, name: &PackageName, identity: &str) -> Result<()> {
    let names: Vec<PackageName> = files.paths()?.unwrap_or_default().iter().filter_map(|path| name_at(path)).collect();
    if name.scope().is_some() && names.iter().any(|other| other.scope() == name.scope()) {
        return Ok(());
    }
    for (other, reason) in similar::similar(name, &names) {
        let file = files.read(&owners_path(other))?;
        if owners::is_owner(file.as_deref(), other, identity)? {
            continue;
        }
        let (ours, theirs) = match (name.scope(), other.scope()) {
            (Some(scope), Some(others)) => (format!("scope `{scope}`"), others.to_string()),
            _ => (format!("`{name}`"), other.to_string()),
        };
        return Err(Error::negative(format!("{ours} could be taken for `{theirs}`, which is another's: {reason}"))
            .help("choose another name; if it has to be this one, `--allow-similar` lets it pass"));
    }
    Ok(())
}

fn require(files: &dyn Files, entry: &Entry, needed: &EntryDependency) -> Result<()> {
    let file = files.read(&entry_path(&needed.name))?;
    let versions = versions(file.as_deref().unwrap_or_default());
    if versions.iter().any(|(version, _, yanked)| !yanked && needed.req.matches(version)) {
        return Ok(());
    }
    let error = Error::negative(format!(
        "`{} {}` needs `{} {}`, which the index does not have",
        entry.name, entry.vers, needed.name, needed.req
    ));
    Err(match versions.iter().filter(|(.., yanked)| !yanked).map(|(version, ..)| version).max() {
        Some(newest) => error.note(format!("the newest there is `{newest}`")).help("change what it asks for"),
        None => error.help(format!("publish `{}` first; `--workspace` does so for those beside it", needed.name)),
    })
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

    fn entry(name: &str, vers: &str, cksum: char) -> Entry {
        Entry::parse(&line(name, vers, cksum, ""), &name.parse().unwrap()).unwrap()
    }

    fn wanted(entry: &Entry) -> Wanted<'_> {
        Wanted { entry, archive: Some(("archives/x", b"bytes")), identity: "me@x.dev", allow_similar: false }
    }

    fn refusal(files: &Table, entry: &Entry) -> String {
        publish(files, &wanted(entry)).unwrap_err().message().to_owned()
    }

    #[test]
    fn a_version_is_appended_and_nothing_before_it_changes() {
        let first = append(None, &entry("pdf", "1.0.0", '1')).unwrap();
        assert_eq!(first, Appended::New(format!("{}\n", line("pdf", "1.0.0", '1', "")).into_bytes()));
        for before in ["{\"v\":9,\"vers\":\"0.1.0\",  \"new\":[1.50]}\n", "garbage", "\n\n"] {
            let Appended::New(bytes) = append(Some(before.as_bytes()), &entry("pdf", "1.0.0", '1')).unwrap() else {
                panic!("it is there already");
            };
            let text = String::from_utf8(bytes).unwrap();
            assert!(text.starts_with(before), "{text}");
            assert!(text.ends_with(&format!("\n{}\n", line("pdf", "1.0.0", '1', ""))), "{text}");
        }
    }

    #[test]
    fn the_same_again_is_no_fault_and_other_content_is_one_with_both_checksums() {
        let file = format!("{}\n{}\n", line("pdf", "1.0.0", '1', ""), line("pdf", "1.1.0", '2', ""));
        let again = append(Some(file.as_bytes()), &entry("pdf", "1.0.0", '1')).unwrap();
        assert_eq!(again, Appended::Already { yanked: false });
        let error = append(Some(file.as_bytes()), &entry("pdf", "1.1.0", '1')).unwrap_err();
        assert_eq!(error.kind(), crate::error::Kind::Negative);
        assert!(error.notes()[0].ends_with(&"2".repeat(64)) && error.notes()[1].ends_with(&"1".repeat(64)));
        assert!(append(Some(file.as_bytes()), &entry("pdf", "1.1.0+build", '2')).is_err());
        let newer_form = b"{\"v\":9,\"vers\":\"1.0.0\",\"cksum\":\"other\"}\n";
        assert!(append(Some(newer_form), &entry("pdf", "1.0.0", '1')).is_err());
    }

    #[test]
    fn a_yank_changes_one_line_and_keeps_what_it_does_not_know() {
        let odd = line("pdf", "1.1.0", '2', r#","note":"say \"yanked\":false","size":1.50,"x":{"yanked":false}"#);
        let file = format!("garbage\r\n{}\n\n{odd}\n{}", line("pdf", "1.0.0", '1', ""), line("pdf", "2.0.0", '3', ""));
        let (name, version) = ("pdf".parse().unwrap(), "1.1.0".parse().unwrap());
        let yanked = set_mark(Some(file.as_bytes()), &name, &version, &Mark::Yanked).unwrap().unwrap();
        let expected = file.replace(&odd, &odd.replacen("\"yanked\":false,\"note\"", "\"yanked\":true,\"note\"", 1));
        assert_eq!(String::from_utf8(yanked.clone()).unwrap(), expected.replace("1.50", "1.5"));
        assert_eq!(set_mark(Some(&yanked), &name, &version, &Mark::Yanked).unwrap(), None);
        let back = set_mark(Some(&yanked), &name, &version, &Mark::Unyanked).unwrap().unwrap();
        assert_eq!(String::from_utf8(back).unwrap(), file.replace("1.50", "1.5"));
        let unknown = set_mark(Some(file.as_bytes()), &name, &"9.0.0".parse().unwrap(), &Mark::Yanked).unwrap_err();
        assert_eq!(unknown.notes(), ["it has `2.0.0`, `1.1.0`, `1.0.0`"]);
        assert!(set_mark(None, &name, &version, &Mark::Yanked).is_err());
    }

    #[test]
    fn a_first_version_claims_its_scope_in_the_same_edit() {
        let files = Table::of([]);
        let Verdict::New(edit) = publish(&files, &wanted(&entry("acme/pdf", "1.0.0", '1'))).unwrap() else { panic!() };
        assert_eq!(edit.message, "publish acme/pdf 1.0.0");
        assert_eq!(edit.files.keys().collect::<Vec<_>>(), ["acme/3/p/pdf", "owners/acme.toml"]);
        assert_eq!(edit.archives, BTreeMap::from([("archives/x".to_owned(), b"bytes".to_vec())]));
    }

    #[test]
    fn another_s_name_is_refused_and_so_is_one_like_it() {
        let theirs = line("pdf-forms", "1.0.0", '1', "");
        let files = Table::of([
            ("pd/f-/pdf-forms", &theirs),
            ("owners/_.toml", "[packages]\npdf-forms = [\"other@x.dev\"]\n"),
            ("owners/acme.toml", "owners = [\"other@x.dev\"]\n"),
        ]);
        assert!(refusal(&files, &entry("acme/pdf", "1.0.0", '1')).contains("not to `me@x.dev`"));
        assert!(refusal(&files, &entry("pdf-forms", "2.0.0", '1')).contains("not to `me@x.dev`"));
        assert!(refusal(&files, &entry("pdf-form", "1.0.0", '1')).contains("could be taken for `pdf-forms`"));
        let own = entry("pdf-form", "1.0.0", '1');
        assert!(publish(&files, &Wanted { allow_similar: true, ..wanted(&own) }).is_ok());
        assert!(publish(&files, &Wanted { identity: "other@x.dev", ..wanted(&own) }).is_ok());
        assert!(refusal(&files, &entry("2/pdf", "1.0.0", '1')).contains("cannot be a scope"));
    }

    #[test]
    fn what_a_version_needs_must_be_there_and_not_yanked() {
        let yanked = line("base", "1.0.0", '1', "").replace("\"yanked\":false", "\"yanked\":true");
        let mut needing = entry("pdf", "1.0.0", '1');
        let need =
            |req: &str| EntryDependency { name: "base".parse().unwrap(), req: req.parse().unwrap(), registry: None };
        needing.deps = vec![need("^1")];
        assert!(refusal(&Table::of([]), &needing).contains("needs `base ^1`"));
        assert!(refusal(&Table::of([("ba/se/base", &yanked)]), &needing).contains("needs `base ^1`"));
        let both = format!("{yanked}\n{}\n", line("base", "1.1.0", '2', ""));
        assert!(publish(&Table::of([("ba/se/base", &both)]), &wanted(&needing)).is_ok());
        needing.deps = vec![EntryDependency { registry: Some("elsewhere".into()), ..need("^9") }];
        assert!(publish(&Table::of([]), &wanted(&needing)).is_ok());
    }
}
