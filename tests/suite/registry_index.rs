//! `registry-index/`, held to what every index must be by `registry check`, and line by line to `skills/`, which it is
//! made of.
//!
//! ```text
//! skills/<name>/                       the newest version of each package
//! skills/.history/<name>-<version>/    every version before it
//! ```
//!
//! A version that is not in the index yet is added by `SNAPSHOTS=overwrite cargo test --test suite registry_index`.
//! Nothing that is in it is ever rewritten, but for `yanked`, by hand. Archives are held to the digest in their line and
//! to the tree they unpack to, and not to what would be packed today: another release of the compressor may pack the
//! same tree into other bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use semver::Version;
use skillpm::index::{EntryDependency, IndexEntry, archive_path, entry_path};
use skillpm::io::{archive, disk};
use skillpm::package::{Checksum, PackageName, Sha256Digest, Tree};
use skillpm::skill::{self, Skill};

use crate::support::{Sandbox, overwrites};

/// A line of the index and where it stands.
struct Line {
    path: String,
    number: usize,
    entry: IndexEntry,
}

/// One version as the sources have it.
struct Source {
    dir: PathBuf,
    tree: Tree,
    skill: Skill,
    text: String,
}

/// Every line, in the order of the files, once what is missing was added if that was asked for.
static LINES: LazyLock<Vec<Line>> = LazyLock::new(|| {
    let lines = read_lines();
    let published: BTreeSet<_> = lines
        .iter()
        .map(|line| (line.entry.name.clone(), line.entry.vers.clone()))
        .collect();
    let missing: Vec<_> = SOURCES
        .iter()
        .filter(|source| !published.contains(&source.id()))
        .collect();
    if missing.is_empty() || !overwrites() {
        return lines;
    }
    missing.into_iter().for_each(publish);
    read_lines()
});

/// Every version that `skills/` holds, older ones first.
static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let skills = root().join("skills");
    let mut sources: Vec<Source> = [skills.join(".history"), skills]
        .iter()
        .flat_map(|dir| sources_in(dir))
        .collect();
    sources.sort_by_key(Source::id);
    sources
});

impl Source {
    fn read(dir: PathBuf) -> Self {
        let tree = disk::read_tree(&dir).unwrap();
        let bytes = tree.get("SKILL.md").unwrap();
        let called = dir.file_name().unwrap().to_str().unwrap();
        let name = if is_old(&dir) {
            called.rsplit_once('-').unwrap().0
        } else {
            called
        };
        let reading = skill::read(bytes, name);
        assert!(
            reading.diagnostics.is_empty(),
            "{}: {:?}",
            dir.display(),
            reading.diagnostics
        );
        let text = std::str::from_utf8(bytes).unwrap().to_owned();
        Source {
            skill: reading.skill.unwrap(),
            dir,
            tree,
            text,
        }
    }

    fn id(&self) -> (PackageName, Version) {
        let version = self.skill.version.as_deref().unwrap();
        (self.skill.name.parse().unwrap(), version.parse().unwrap())
    }

    /// Its line, as published with this archive at this time.
    fn entry(&self, archive: &str, pubtime: Option<&str>) -> IndexEntry {
        let (name, vers) = self.id();
        let needs = skill::dependencies::read_dependencies(&self.skill, &self.text);
        assert!(
            needs.diagnostics.is_empty(),
            "{name}: {:?}",
            needs.diagnostics
        );
        let deps = needs
            .packages
            .into_iter()
            .map(|(name, req)| EntryDependency {
                name,
                req,
                registry: None,
            });
        IndexEntry {
            name,
            vers,
            deps: deps.collect(),
            cksum: Checksum::from_tree(&self.tree),
            archive: Some(archive.to_owned()),
            yanked: false,
            revoked: None,
            description: Some(self.skill.summary_line()),
            keywords: self.skill.tags.clone(),
            license: self.skill.license.clone(),
            repository: None,
            pubtime: pubtime.map(str::to_owned),
            src: None,
            v: 1,
            rest: serde_json::Map::new(),
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn index_file(path: &str) -> PathBuf {
    root().join("registry-index").join(path)
}

fn is_old(dir: &Path) -> bool {
    dir.parent().unwrap().ends_with(".history")
}

/// Skills that are directories right here, but for hidden ones.
fn sources_in(dir: &Path) -> Vec<Source> {
    let names = disk::list_names(dir).unwrap();
    names
        .iter()
        .filter(|name| !name.starts_with('.'))
        .map(|name| Source::read(dir.join(name)))
        .collect()
}

fn template() -> String {
    let config: serde_json::Value =
        serde_json::from_slice(&fs::read(index_file("config.json")).unwrap()).unwrap();
    config["dl"].as_str().unwrap().to_owned()
}

/// The paths of all files of the index.
fn files() -> Vec<String> {
    disk::list_files(&index_file(""), 9).unwrap()
}

fn is_entries(path: &str) -> bool {
    path != "config.json" && !path.starts_with("archives/") && !path.starts_with("owners/")
}

fn read_lines() -> Vec<Line> {
    let paths = files().into_iter().filter(|path| is_entries(path));
    paths.flat_map(|path| lines_of(&path)).collect()
}

fn lines_of(path: &str) -> Vec<Line> {
    let text = fs::read_to_string(index_file(path)).unwrap();
    assert!(
        text.ends_with('\n'),
        "`{path}` should end with a line's end"
    );
    let parse = |(at, text): (usize, &str)| {
        let named: serde_json::Value = serde_json::from_str(text).unwrap();
        let name = named["name"].as_str().unwrap().parse().unwrap();
        match IndexEntry::parse(text, &name) {
            Ok(entry) => Line {
                path: path.to_owned(),
                number: at + 1,
                entry,
            },
            Err(why) => panic!("{path}:{}: {why}", at + 1),
        }
    };
    text.lines().enumerate().map(parse).collect()
}

/// Appends a version that the index does not have. Refuses to put an archive where there is one.
fn publish(source: &Source) {
    let (name, version) = source.id();
    let bytes = archive::pack(&source.tree, &format!("{}-{version}", name.skill())).unwrap();
    let now = jiff::Timestamp::now()
        .round(jiff::Unit::Second)
        .unwrap()
        .to_string();
    let entry = source.entry(
        &format!("sha256:{}", Sha256Digest::hash_bytes(&bytes)),
        Some(&now),
    );
    let (lines, archive) = (
        index_file(&entry_path(&name)),
        index_file(&archive_path(&template(), &entry)),
    );
    assert!(
        !archive.exists(),
        "{} is there, and no line tells of it",
        archive.display()
    );
    let mut text = fs::read_to_string(&lines).unwrap_or_default();
    text.push_str(&serde_json::to_string(&entry).unwrap());
    text.push('\n');
    for (path, bytes) in [(archive, bytes), (lines, text.into_bytes())] {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// Fails with all the faults at once.
#[track_caller]
fn none(faults: impl IntoIterator<Item = String>) {
    let faults: Vec<String> = faults.into_iter().collect();
    assert!(
        faults.is_empty(),
        "registry-index/ has faults:\n{}",
        faults.join("\n")
    );
}

/// The faults of each line.
fn each(fault: impl Fn(&Line) -> Option<String>) -> impl Iterator<Item = String> {
    LINES
        .iter()
        .filter_map(move |line| Some(format!("{}:{}: {}", line.path, line.number, fault(line)?)))
}

/// Puts a published version among the older sources: the directory in its archive is called as one there.
fn keep(entry: &IndexEntry) -> String {
    let IndexEntry { name, vers, .. } = entry;
    format!("tar -xzf registry-index/archives/{name}-{vers}.tar.gz -C skills/.history")
}

#[test]
fn every_version_in_skills_is_published_unchanged() {
    let fault = |source: &Source| {
        let (name, version) = source.id();
        let dir = source.dir.strip_prefix(root()).unwrap().display();
        let Some(line) = LINES
            .iter()
            .find(|line| (&line.entry.name, &line.entry.vers) == (&name, &version))
        else {
            return Some(format!(
                "{dir}: `{name} {version}` is not published; `SNAPSHOTS=overwrite cargo test --test suite registry_index` adds it"
            ));
        };
        let published = &line.entry;
        let mut own = source.entry(
            published.archive.as_deref().unwrap(),
            published.pubtime.as_deref(),
        );
        own.yanked = published.yanked;
        (own != *published).then(|| {
            format!(
                "{dir}: not what was published as `{name} {version}`, which never changes: raise `metadata.version`, and \
                 keep the published one with `{}`",
                keep(published)
            )
        })
    };
    none(SOURCES.iter().filter_map(fault));
}

#[test]
fn every_published_version_has_its_source_in_skills() {
    let sources: BTreeSet<_> = SOURCES.iter().map(Source::id).collect();
    none(each(|line| {
        let IndexEntry { name, vers, .. } = &line.entry;
        let kept = sources.contains(&(name.clone(), vers.clone()));
        (!kept).then(|| format!("its source is gone; `{}` brings it back", keep(&line.entry)))
    }));
}

#[test]
fn directories_in_skills_are_named_by_skill_and_version() {
    for source in SOURCES.iter() {
        let (name, version) = source.id();
        let expected = if is_old(&source.dir) {
            format!("{name}-{version}")
        } else {
            name.to_string()
        };
        assert!(
            source.dir.ends_with(&expected),
            "{} should be called `{expected}`",
            source.dir.display()
        );
    }
}

#[test]
fn version_in_skills_is_the_newest() {
    let newest: BTreeMap<_, _> = SOURCES.iter().map(Source::id).collect();
    for source in sources_in(&root().join("skills")) {
        let (name, version) = source.id();
        assert_eq!(newest[&name], version, "{name}");
    }
}

#[test]
fn built_in_index_passes_registry_check() {
    let sandbox = Sandbox::new();
    let checked = sandbox
        .skillpm(format!(
            "registry check {}",
            root().join("registry-index").display()
        ))
        .exits(0);
    checked.stdout("");
}

#[test]
fn versions_and_their_times_ascend() {
    for pair in LINES.windows(2).filter(|pair| pair[0].path == pair[1].path) {
        let time = |line: &Line| {
            line.entry
                .pubtime
                .as_deref()
                .unwrap()
                .parse::<jiff::Timestamp>()
                .unwrap()
        };
        let (before, after) = (&pair[0], &pair[1]);
        assert!(
            before.entry.vers < after.entry.vers,
            "{}:{}: the version does not rise",
            after.path,
            after.number
        );
        assert!(
            time(before) < time(after),
            "{}:{}: the time does not rise",
            after.path,
            after.number
        );
    }
}

#[test]
fn every_line_has_description_license_and_time() {
    none(each(|line| {
        let IndexEntry {
            description,
            license,
            pubtime,
            keywords,
            ..
        } = &line.entry;
        let told = description.is_some() && license.is_some() && !keywords.is_empty();
        let dated = pubtime
            .as_deref()
            .is_some_and(|time| time.ends_with('Z') && time.parse::<jiff::Timestamp>().is_ok());
        (!told || !dated)
            .then(|| "`description`, `license`, `keywords` or `pubtime` is missing".to_owned())
    }));
}

#[test]
fn only_the_old_release_notes_are_yanked() {
    let yanked = LINES.iter().filter(|line| line.entry.yanked);
    let yanked: Vec<_> = yanked
        .map(|line| format!("{} {}", line.entry.name, line.entry.vers))
        .collect();
    assert_eq!(yanked, ["writing-release-notes 2.0.0"]);
}

/// An address may be, or become, somebody else's; a name with a colon in front of it is nobody's.
#[test]
fn owners_of_the_built_in_registry_have_no_address() {
    for path in files()
        .into_iter()
        .filter(|path| path.starts_with("owners/"))
    {
        let text = fs::read_to_string(index_file(&path)).unwrap();
        let owners = skillpm::index::write::owners::read_owners(
            Some(text.as_bytes()),
            &skillpm::index::write::owners::OwnershipScope::Unscoped,
        );
        assert_eq!(owners.unwrap(), ["skillpm:maintainers"], "{path}");
    }
    assert!(!files().is_empty());
}
