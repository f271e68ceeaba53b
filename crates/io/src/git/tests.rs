//! Against real repositories, made by git and served by git over HTTP on this machine.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tempfile::TempDir;

use super::loopback::{LoopbackHost, LoopbackOrigin};
use super::*;
use skillpm_core::error::FailureKind;
use skillpm_core::package::slashed;

const SECRET: &str = "CANARY7f3a";

/// Three skills and a file that is never requested.
const FILES: [(&str, &str); 6] = [
    ("README.md", "about"),
    ("skills/pdf/SKILL.md", "---\nname: pdf\n---\n"),
    ("skills/pdf/scripts/fill.sh", "#!/bin/sh\n"),
    ("skills/docx/SKILL.md", "---\nname: docx\n---\n"),
    ("skills/xlsx/SKILL.md", "---\nname: xlsx\n---\n"),
    ("media/video.txt", "0123456789abcdef, and so on"),
];

/// A directory with an origin, a host for it, and a cache.
struct World {
    directory: TempDir,
    origin: LoopbackOrigin,
    host: LoopbackHost,
}

impl World {
    fn new() -> World {
        let directory = tempfile::tempdir().unwrap();
        let origin = LoopbackOrigin::new(directory.path().join("hosted/skills.git"));
        let host = LoopbackHost::new(&directory.path().join("hosted"));
        World {
            directory,
            origin,
            host,
        }
    }

    fn with_skills() -> (World, String) {
        let world = World::new();
        let commit = world.origin.commit(&FILES);
        (world, commit)
    }

    fn cache(&self) -> PathBuf {
        self.directory.path().join("cache")
    }

    fn url(&self) -> GitUrl {
        self.host.url("skills.git").parse().unwrap()
    }

    fn open(&self) -> GitRepository<'static> {
        self.open_with(&self.url(), GitOptions::default())
    }

    fn open_with(&self, url: &GitUrl, options: GitOptions) -> GitRepository<'static> {
        GitClient::new(self.cache(), options).open(url).unwrap()
    }

    fn open_offline(&self) -> GitRepository<'static> {
        self.open_with(
            &self.url(),
            GitOptions {
                offline: true,
                ..GitOptions::default()
            },
        )
    }

    fn open_here(&self) -> GitRepository<'static> {
        self.open_with(&file_url(&self.origin.path), GitOptions::default())
    }

    fn requests(&self) -> Vec<String> {
        self.host.take().0
    }

    fn packs(&self) -> Vec<PathBuf> {
        let mut packs = files_below(&self.cache());
        packs.retain(|path| path.extension().is_some_and(|ext| ext == "pack"));
        packs
    }
}

fn file_url(path: &Path) -> GitUrl {
    let path = slashed(path);
    format!("file:///{}", path.trim_start_matches('/'))
        .parse()
        .unwrap()
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if entry.is_dir() {
            files.extend(files_below(&entry));
        } else {
            files.push(entry);
        }
    }
    files
}

fn id<T: std::str::FromStr<Err = Error>>(hex: &str) -> T {
    hex.parse().unwrap()
}

/// What `add` does: resolve, list, fetch one directory, read it.
fn add(repository: &mut GitRepository<'_>, path: &str) -> Result<Tree> {
    let resolved = repository.resolve(&GitReference::Default)?;
    let listing = repository.list_commit(&resolved.commit)?;
    repository.fetch_blobs(&listing.blobs_below(path))?;
    repository.read_tree(&listing.tree_at(path).unwrap())
}

fn paths(tree: &Tree) -> Vec<&str> {
    tree.files().map(|(path, _)| path.as_str()).collect()
}

#[test]
fn repositories_may_be_used_on_any_thread() {
    fn is_send<T: Send>() {}
    fn is_shared<T: Send + Sync>() {}
    is_send::<GitRepository<'_>>();
    is_shared::<GitClient>();
}

#[test]
fn a_cold_add_is_three_requests_and_brings_one_skill() {
    let (world, commit) = World::with_skills();
    let mut repository = world.open();
    let tree = add(&mut repository, "skills/pdf").unwrap();
    assert_eq!(paths(&tree), ["SKILL.md", "scripts/fill.sh"]);
    assert_eq!(
        tree.get("SKILL.md"),
        Some("---\nname: pdf\n---\n".as_bytes())
    );
    assert_eq!(
        tree.files()
            .map(|(_, file)| file.executable)
            .collect::<Vec<_>>(),
        [false, true]
    );
    assert_eq!(world.requests().len(), 3);
    assert_eq!(repository.commit_time(&id(&commit)), Some(1_700_000_000));

    let elsewhere = repository
        .list_commit(&id(&commit))
        .unwrap()
        .entry("media/video.txt")
        .unwrap()
        .id;
    assert!(
        repository.read_blob(&elsewhere).is_err(),
        "what was not asked for must not be fetched"
    );
    assert!(world.requests().is_empty());
}

#[test]
fn a_lockfile_is_fetched_in_one_request_without_commit_or_listing() {
    let (world, _) = World::with_skills();
    let tree =
        |path: &str| id::<TreeId>(&world.origin.git(&["rev-parse", &format!("main:{path}")]));
    let trees = [tree("skills/pdf"), tree("skills/docx")];
    let mut repository = world.open();
    assert!(repository.fetch_trees(&trees).unwrap());
    assert_eq!(world.requests(), ["POST /skills.git/git-upload-pack"]);
    assert_eq!(
        paths(&repository.read_tree(&trees[0]).unwrap()),
        ["SKILL.md", "scripts/fill.sh"]
    );
    assert_eq!(
        paths(&repository.read_tree(&trees[1]).unwrap()),
        ["SKILL.md"]
    );

    assert!(
        world.open_offline().fetch_trees(&trees).unwrap(),
        "a second time it needs no network"
    );
    assert!(repository.fetch_trees(&trees).unwrap());
    assert!(world.requests().is_empty());
}

#[test]
fn tree_that_the_host_does_not_have_is_reported_as_missing() {
    let (world, _) = World::with_skills();
    let unknown = id("0123456789012345678901234567890123456789");
    assert!(!world.open().fetch_trees(&[unknown]).unwrap());
    assert!(!world.open_here().fetch_trees(&[unknown]).unwrap());
    let error = world.open_offline().fetch_trees(&[unknown]).unwrap_err();
    assert_eq!(error.kind(), FailureKind::Network);
    assert!(format!("{error:?}").contains("--offline"));
}

#[test]
fn a_host_that_cannot_filter_sends_one_commit_whole() {
    let (world, first) = World::with_skills();
    world
        .origin
        .git(&["config", "uploadpack.allowFilter", "false"]);
    world.origin.commit(&[("skills/pdf/SKILL.md", "new")]);
    let mut repository = world.open();
    assert_eq!(
        add(&mut repository, "skills/pdf").unwrap().get("SKILL.md"),
        Some("new".as_bytes())
    );
    let asked = world.requests();
    assert!(asked.len() <= 4, "{asked:?}");
    assert!(
        repository
            .objects
            .read_commit(id::<CommitId>(&first).0)
            .is_err(),
        "its history is not fetched"
    );

    // Its capabilities are known by now, so nothing is assumed.
    world.origin.commit(&[("skills/pdf/SKILL.md", "newer")]);
    add(&mut world.open(), "skills/pdf").unwrap();
    assert_eq!(world.requests().len(), 2);
}

#[test]
fn a_host_of_the_older_protocol_works() {
    let (world, _) = World::with_skills();
    world
        .origin
        .git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    world.host.use_old_protocol();
    assert_eq!(
        paths(&add(&mut world.open(), "skills/docx").unwrap()),
        ["SKILL.md"]
    );
    world
        .origin
        .git(&["config", "uploadpack.allowFilter", "false"]);
    world
        .origin
        .git(&["config", "uploadpack.allowAnySHA1InWant", "false"]);
    world.origin.commit(&[("skills/pdf/SKILL.md", "new")]);
    assert_eq!(
        add(&mut world.open(), "skills/pdf")
            .unwrap()
            .get("SKILL.md"),
        Some("new".as_bytes())
    );
}

#[test]
fn sha256_repository_is_detected() {
    let mut world = World::new();
    world.origin =
        LoopbackOrigin::with_hash(world.directory.path().join("hosted/sha256.git"), "sha256");
    let commit = world.origin.commit(&FILES);
    assert_eq!(commit.len(), 64);
    let url = world.host.url("sha256.git").parse().unwrap();
    let mut repository = world.open_with(&url, GitOptions::default());
    assert_eq!(
        paths(&add(&mut repository, "skills/docx").unwrap()),
        ["SKILL.md"]
    );
    assert_eq!(
        repository
            .resolve(&GitReference::Rev(commit.clone()))
            .unwrap()
            .commit
            .to_string(),
        commit
    );
    world.requests();
    let mut again = world.open_with(&url, GitOptions::default());
    assert_eq!(
        paths(&add(&mut again, "skills/pdf").unwrap()),
        ["SKILL.md", "scripts/fill.sh"]
    );
    assert_eq!(world.requests().len(), 2, "ls-refs and the blobs");
    assert_eq!(
        paths(&add(&mut world.open_here(), "skills/docx").unwrap()),
        ["SKILL.md"]
    );
}

#[test]
fn only_fetched_objects_are_available_offline() {
    let (world, commit) = World::with_skills();
    let error = add(&mut world.open_offline(), "skills/pdf").unwrap_err();
    assert_eq!(error.kind(), FailureKind::Network);
    add(&mut world.open(), "skills/pdf").unwrap();
    world.requests();

    let mut repository = world.open_offline();
    assert_eq!(
        paths(&add(&mut repository, "skills/pdf").unwrap()),
        ["SKILL.md", "scripts/fill.sh"]
    );
    let resolved = repository.resolve(&GitReference::Default).unwrap();
    assert_eq!(
        (resolved.commit, resolved.full_name.as_deref()),
        (id(&commit), Some("refs/heads/main"))
    );
    let short = repository
        .resolve(&GitReference::Rev(commit[..10].to_owned()))
        .unwrap();
    assert_eq!(short.commit, id(&commit));
    let listing = repository.list_commit(&id(&commit)).unwrap();
    let error = repository
        .fetch_blobs(&listing.blobs_below("skills/docx"))
        .unwrap_err();
    assert!(
        format!("{error:?}").contains("network access is disabled"),
        "{error:?}"
    );
    let error = repository.refs(&["refs/tags/"]).unwrap_err();
    assert_eq!(
        error.kind(),
        FailureKind::Network,
        "tags were never asked for"
    );
    assert!(world.requests().is_empty());
}

#[test]
fn a_repository_on_this_disk_is_read_where_it_is() {
    let (world, commit) = World::with_skills();
    world
        .origin
        .git(&["tag", "-a", "-m", "x", "v1.0.0", &commit]);
    let mut repository = world.open_here();
    let resolved = repository
        .resolve(&GitReference::Tag("v1.0.0".into()))
        .unwrap();
    assert_eq!(
        (resolved.commit, resolved.full_name.as_deref()),
        (id(&commit), Some("refs/tags/v1.0.0"))
    );
    assert_eq!(
        paths(&add(&mut repository, "skills/pdf").unwrap()),
        ["SKILL.md", "scripts/fill.sh"]
    );
    assert!(!world.cache().exists());

    let replacement = world.origin.blob("forged");
    let honest = world.origin.git(&["rev-parse", "main:skills/pdf/SKILL.md"]);
    world.origin.git(&["replace", &honest, &replacement]);
    let tree = add(&mut world.open_here(), "skills/pdf").unwrap();
    assert_ne!(
        tree.get("SKILL.md"),
        Some("forged".as_bytes()),
        "an id means the bytes it was made of"
    );
}

#[test]
fn hexadecimal_digits_are_a_commit_whatever_a_branch_is_called() {
    let (world, commit) = World::with_skills();
    let evil = world.origin.commit(&[("skills/pdf/SKILL.md", "evil")]);
    world
        .origin
        .git(&["update-ref", &format!("refs/heads/{commit}"), &evil]);
    world.origin.git(&[
        "update-ref",
        &format!("refs/heads/{}", &commit[..12]),
        &evil,
    ]);
    world.origin.git(&["update-ref", "refs/heads/old", &commit]);
    for mut repository in [world.open(), world.open_here()] {
        for rev in [&commit, &commit[..12]] {
            let resolved = repository
                .resolve(&GitReference::Rev(rev.to_owned()))
                .unwrap();
            assert_eq!(
                resolved,
                ResolvedReference {
                    commit: id(&commit),
                    full_name: None
                }
            );
        }
        let branch = repository
            .resolve(&GitReference::Branch(commit.clone()))
            .unwrap();
        assert_eq!(branch.commit, id(&evil), "who says branch gets the branch");
        let listing = repository.list_commit(&id(&commit)).unwrap();
        repository
            .fetch_blobs(&listing.blobs_below("skills/pdf"))
            .unwrap();
        let tree = repository
            .read_tree(&listing.tree_at("skills/pdf").unwrap())
            .unwrap();
        assert_ne!(tree.get("SKILL.md"), Some("evil".as_bytes()));
    }
}

#[test]
fn tag_and_branch_of_one_name_are_distinguished() {
    let (world, first) = World::with_skills();
    world
        .origin
        .git(&["update-ref", "refs/tags/stable", &first]);
    let second = world.origin.commit(&[("a", "b")]);
    world
        .origin
        .git(&["update-ref", "refs/heads/stable", &second]);
    let mut repository = world.open();
    let mut commit = |reference| repository.resolve(&reference).unwrap().commit;
    assert_eq!(commit(GitReference::Tag("stable".into())), id(&first));
    assert_eq!(commit(GitReference::Branch("stable".into())), id(&second));
    assert_eq!(
        commit(GitReference::Rev("refs/tags/stable".into())),
        id(&first)
    );
}

#[test]
fn a_moved_tag_is_seen_by_the_next_command() {
    let (world, first) = World::with_skills();
    world.origin.git(&["tag", "-a", "-m", "x", "v1", &first]);
    let tags = |repository: &mut GitRepository| {
        let refs = repository.refs(&["refs/tags/"]).unwrap();
        refs.into_iter()
            .map(|found| (found.name, found.commit.to_string()))
            .collect::<Vec<_>>()
    };
    let mut repository = world.open();
    assert_eq!(
        tags(&mut repository),
        [("refs/tags/v1".to_owned(), first.clone())],
        "an annotated tag is followed"
    );
    let second = world.origin.commit(&[("a", "b")]);
    world.origin.git(&["tag", "--force", "v1", &second]);
    assert_eq!(
        tags(&mut repository),
        [("refs/tags/v1".to_owned(), first.clone())],
        "one command sees one state"
    );
    assert_eq!(
        tags(&mut world.open()),
        [("refs/tags/v1".to_owned(), second)]
    );
    assert_eq!(world.requests().len(), 2);
}

#[test]
fn missing_names_suggest_existing_ones() {
    let (world, _) = World::with_skills();
    world.origin.git(&["tag", "v1.2.0", "main"]);
    for mut repository in [world.open(), world.open_here()] {
        let mut message = |reference| {
            let error = repository.resolve(&reference).unwrap_err();
            assert_eq!(error.kind(), FailureKind::Negative);
            format!("{error:?}")
        };
        assert!(message(GitReference::Tag("v1.2".into())).contains("`v1.2.0`"));
        assert!(message(GitReference::Branch("mein".into())).contains("`main`"));
        assert!(message(GitReference::Rev("0123456".into())).contains("the full commit id"));
        let missing = id("0123456789012345678901234567890123456789");
        let error = repository.list_commit(&missing).unwrap_err();
        assert_eq!(error.kind(), FailureKind::Negative);
        assert!(error.message().contains("commit 0123456789"), "{error:?}");
    }
}

#[test]
fn empty_repository_is_reported_as_empty() {
    let world = World::new();
    for mut repository in [world.open(), world.open_here()] {
        let error = repository.resolve(&GitReference::Default).unwrap_err();
        assert_eq!(error.kind(), FailureKind::Negative);
        assert!(error.message().contains("is empty"), "{error:?}");
    }
}

#[test]
fn links_and_submodules_are_refused_by_name_and_only_where_they_are() {
    let (world, _) = World::with_skills();
    let origin = &world.origin;
    let (file, target) = (
        origin.blob("---\nname: x\n---\n"),
        origin.blob("/etc/passwd"),
    );
    let commit = "0123456789012345678901234567890123456789";
    let linked = origin.tree(&[
        ("100644", &file, b"SKILL.md"),
        ("120000", &target, b"notes.md"),
    ]);
    let inner = origin.tree(&[("120000", &target, b"up")]);
    let nested = origin.tree(&[("100644", &file, b"SKILL.md"), ("40000", &inner, b"deep")]);
    let module = origin.tree(&[("100644", &file, b"SKILL.md"), ("160000", commit, b"lib")]);
    let good = origin.tree(&[("100664", &file, b"SKILL.md")]);
    let root = origin.tree(&[
        ("120000", &target, b"aside"),
        ("40000", &good, b"good"),
        ("40000", &linked, b"linked"),
        ("40000", &module, b"module"),
        ("40000", &nested, b"nested"),
    ]);
    origin.commit_tree(&root, "main");
    for mut repository in [world.open(), world.open_here()] {
        assert_eq!(paths(&add(&mut repository, "good").unwrap()), ["SKILL.md"]);
        for (path, named) in [
            ("linked", "`notes.md`"),
            ("nested", "`deep/up`"),
            ("module", "`lib`"),
        ] {
            let error = add(&mut repository, path).unwrap_err();
            assert_eq!(error.kind(), FailureKind::Integrity);
            assert!(error.message().contains(named), "{error:?}");
        }
        let head = repository.resolve(&GitReference::Default).unwrap().commit;
        let listing = repository.list_commit(&head).unwrap();
        assert_eq!(listing.entry("aside").unwrap().kind, EntryKind::Link);
        assert_eq!(
            listing.entry("module/lib").unwrap().kind,
            EntryKind::Submodule
        );
        let target = listing.entry("aside").unwrap().id;
        assert!(
            listing.blobs_below("").contains(&target),
            "where a link leads is in its blob, which is fetched with the files"
        );
    }
}

#[test]
fn odd_names_are_refused_where_they_are_wanted_and_hide_nothing_else() {
    let (world, _) = World::with_skills();
    let origin = &world.origin;
    let file = origin.blob("x");
    let skill = origin.tree(&[("100644", &file, b"SKILL.md")]);
    let odd: [&[u8]; 6] = [
        b".git",
        b".GIT",
        b"\xff\xfe",
        b"a\\b",
        b"CON",
        "zero\u{200b}width".as_bytes(),
    ];
    let holders: Vec<String> = odd
        .iter()
        .map(|name| origin.tree(&[("100644", &file, name)]))
        .collect();
    let dirs: Vec<String> = odd
        .iter()
        .map(|name| origin.tree(&[("40000", &skill, name)]))
        .collect();
    let twice = origin.tree(&[
        ("100644", &file, b"a"),
        ("100644", &skill_blob(origin), b"a"),
    ]);
    let names: Vec<String> = (0..odd.len())
        .flat_map(|at| [format!("dir{at}"), format!("file{at}")])
        .collect();
    let mut entries: Vec<(&str, &str, &[u8])> = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let id = if at % 2 == 0 {
            &dirs[at / 2]
        } else {
            &holders[at / 2]
        };
        entries.push(("40000", id, name.as_bytes()));
    }
    entries.push(("40000", &skill, b"good"));
    entries.push(("40000", &twice, b"twice"));
    entries.extend(odd.map(|name| ("40000", skill.as_str(), name)));
    origin.commit_tree(&origin.tree(&entries), "main");

    // Only a local repository: git's own upload-pack refuses to walk some of these.
    let mut repository = world.open_here();
    assert_eq!(paths(&add(&mut repository, "good").unwrap()), ["SKILL.md"]);
    for name in names.iter().map(String::as_str).chain(["twice"]) {
        let error = add(&mut repository, name).unwrap_err();
        assert_eq!(error.kind(), FailureKind::Integrity, "{name}: {error:?}");
    }
    let head = repository.resolve(&GitReference::Default).unwrap().commit;
    let listing = repository.list_commit(&head).unwrap();
    assert_eq!(listing.tree_at(".git"), None);
}

#[test]
fn a_name_that_no_git_writes_makes_the_whole_repository_suspect() {
    for name in [&b".."[..], b".", b"a/b", b"../../evil.txt"] {
        let (world, _) = World::with_skills();
        let origin = &world.origin;
        let file = origin.blob("x");
        let skill = origin.tree(&[("100644", &file, b"SKILL.md")]);
        origin.commit_tree(
            &origin.tree(&[("40000", &skill, b"good"), ("100644", &file, name)]),
            "main",
        );
        let error = add(&mut world.open_here(), "good").unwrap_err();
        assert_eq!(error.kind(), FailureKind::Integrity, "{error:?}");
        assert!(error.message().contains("directory entry"), "{error:?}");
    }
}

fn skill_blob(origin: &LoopbackOrigin) -> String {
    origin.blob("another")
}

#[test]
fn a_bomb_of_shared_trees_is_refused() {
    let (world, _) = World::with_skills();
    let origin = &world.origin;
    let file = origin.blob("x");
    let names: Vec<String> = (0..10).map(|at| format!("d{at}")).collect();
    let mut files = origin.tree(&[("100644", &file, b"f")]);
    let mut bare = origin.tree(&[]);
    for _ in 0..10 {
        let level = |tree: &str| {
            let entries: Vec<_> = names
                .iter()
                .map(|name| ("40000", tree, name.as_bytes()))
                .collect();
            origin.tree(&entries)
        };
        (files, bare) = (level(&files), level(&bare));
    }
    origin.commit_tree(
        &origin.tree(&[("40000", &bare, b"bare"), ("40000", &files, b"files")]),
        "main",
    );
    for mut repository in [world.open(), world.open_here()] {
        let head = repository.resolve(&GitReference::Default).unwrap().commit;
        let error = repository.list_commit(&head).unwrap_err();
        assert_eq!(error.kind(), FailureKind::Integrity, "{error:?}");
        for tree in [&files, &bare] {
            assert_eq!(
                repository.fetch_trees(&[id(tree)]).unwrap_err().kind(),
                FailureKind::Integrity
            );
            assert_eq!(
                repository.read_tree(&id(tree)).unwrap_err().kind(),
                FailureKind::Integrity
            );
        }
    }
}

#[test]
fn too_deep_directories_are_left_out() {
    let (world, _) = World::with_skills();
    let origin = &world.origin;
    let file = origin.blob("x");
    let mut deep = origin.tree(&[("100644", &file, b"SKILL.md")]);
    let good = deep.clone();
    for _ in 0..200 {
        deep = origin.tree(&[("40000", &deep, b"d")]);
    }
    origin.commit_tree(
        &origin.tree(&[("40000", &deep, b"deep"), ("40000", &good, b"good")]),
        "main",
    );
    let mut repository = world.open();
    assert_eq!(paths(&add(&mut repository, "good").unwrap()), ["SKILL.md"]);
    assert_eq!(
        add(&mut repository, "deep").unwrap_err().kind(),
        FailureKind::Integrity
    );
}

#[test]
fn a_file_over_the_limit_is_refused_before_it_is_read() {
    let (world, _) = World::with_skills();
    let large = world.origin.blob(&"0".repeat(11 << 20));
    let tree = world.origin.tree(&[("100644", &large, b"SKILL.md")]);
    world
        .origin
        .commit_tree(&world.origin.tree(&[("40000", &tree, b"large")]), "main");
    let mut repository = world.open();
    let error = add(&mut repository, "large").unwrap_err();
    assert_eq!(error.kind(), FailureKind::Integrity);
    assert!(
        error.message().contains("`SKILL.md` has 11534336 bytes"),
        "{error:?}"
    );
    assert_eq!(
        repository.read_blob(&id(&large)).unwrap_err().kind(),
        FailureKind::Integrity
    );
}

/// What can happen to a pack of the cache.
const DAMAGES: [fn(&Path); 4] = [
    |pack| {
        let file = std::fs::File::options().write(true).open(pack).unwrap();
        file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    },
    |pack| std::fs::write(pack.with_extension("idx"), "garbage").unwrap(),
    |pack| {
        let mut bytes = std::fs::read(pack).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..middle + 8].copy_from_slice(b"poisoned");
        std::fs::write(pack, bytes).unwrap();
    },
    |pack| std::fs::write(pack.ancestors().nth(3).unwrap().join("config"), "[core\n").unwrap(),
];

fn damage_packs(world: &World, damage: fn(&Path)) {
    for pack in world.packs() {
        // Packs land read-only.
        #[expect(
            clippy::permissions_set_readonly_false,
            reason = "a test damages its own files"
        )]
        for file in [pack.clone(), pack.with_extension("idx")] {
            let mut permissions = file.metadata().unwrap().permissions();
            permissions.set_readonly(false);
            std::fs::set_permissions(file, permissions).unwrap();
        }
        damage(&pack);
    }
}

#[test]
fn file_that_is_damaged_in_the_cache_is_fetched_again_when_it_is_read() {
    let (world, commit) = World::with_skills();
    for damage in DAMAGES {
        add(&mut world.open(), "skills/pdf").unwrap();
        damage_packs(&world, damage);

        let mut repository = world.open();
        let listing = repository.list_commit(&id(&commit)).unwrap();
        let skill = listing.entry("skills/pdf/SKILL.md").unwrap().id;
        repository.fetch_missing_blobs(&[skill]).unwrap();
        let read = repository.fetch_and_read_blob(&skill).unwrap();
        let expected = FILES
            .iter()
            .find(|(path, _)| *path == "skills/pdf/SKILL.md");
        assert_eq!(read, expected.unwrap().1.as_bytes());
    }
}

#[test]
fn a_damaged_cache_is_fetched_again() {
    let (world, commit) = World::with_skills();
    for damage in DAMAGES {
        add(&mut world.open(), "skills/pdf").unwrap();
        damage_packs(&world, damage);
        let mut repository = world.open();
        assert_eq!(
            paths(&add(&mut repository, "skills/pdf").unwrap()),
            ["SKILL.md", "scripts/fill.sh"]
        );
        assert_eq!(
            repository
                .list_commit(&id(&commit))
                .unwrap()
                .entries()
                .len(),
            FILES.len()
        );
    }
}

#[test]
fn interrupted_response_leaves_nothing_and_is_retried() {
    let (world, _) = World::with_skills();
    world.host.break_after(Some(300));
    let error = add(&mut world.open(), "skills/pdf").unwrap_err();
    assert_eq!(error.kind(), FailureKind::Network, "{error:?}");
    assert!(world.packs().is_empty());
    world.host.break_after(None);
    assert_eq!(
        paths(&add(&mut world.open(), "skills/docx").unwrap()),
        ["SKILL.md"]
    );
}

/// A host that takes connections, sends `answer` to each, and says nothing more; how many there were.
fn stalling_host(answer: &'static str) -> (GitUrl, Arc<AtomicU64>) {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/skills.git", listener.local_addr().unwrap())
        .parse()
        .unwrap();
    let count = Arc::new(AtomicU64::new(0));
    let counted = count.clone();
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            counted.fetch_add(1, Ordering::Relaxed);
            let _ = stream.read(&mut [0; 4096]);
            stream.write_all(answer.as_bytes()).unwrap();
            open.push(stream);
        }
    });
    (url, count)
}

#[test]
fn silent_host_times_out_without_a_retry() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-result\r\nContent-Length: 999\r\n\r\n";
    for answer in ["", head] {
        let (url, count) = stalling_host(answer);
        let silence = Duration::from_millis(200);
        let options = GitOptions {
            silence: Some(silence),
            ..GitOptions::default()
        };
        let error = World::new()
            .open_with(&url, options)
            .resolve(&GitReference::Default)
            .unwrap_err();
        assert_eq!(error.kind(), FailureKind::Network);
        assert_eq!(
            error.message(),
            "failed to fetch from `127.0.0.1`: almost no data for 0.2 s"
        );
        assert_eq!(count.load(Ordering::Relaxed), 1, "{answer}");
    }
}

#[test]
fn concurrent_fetches_share_one_cache() {
    let (world, _) = World::with_skills();
    std::thread::scope(|scope| {
        for skill in ["pdf", "docx", "xlsx"].repeat(4) {
            let world = &world;
            scope.spawn(move || {
                let tree = add(&mut world.open(), &format!("skills/{skill}")).unwrap();
                let text = format!("---\nname: {skill}\n---\n");
                assert_eq!(tree.get("SKILL.md"), Some(text.as_bytes()));
            });
        }
    });
    let left: Vec<_> = std::fs::read_dir(world.cache())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(
        left.len(),
        3,
        "the folder, its lock and the lock of all: {left:?}"
    );
}

/// Configuration that makes this shell script the only credential helper.
fn helper(script: &str) -> GitOptions {
    let config = vec![
        "credential.helper=".to_owned(),
        format!("credential.helper=!f() {{ {script}; }}; f"),
    ];
    GitOptions {
        config,
        ..GitOptions::default()
    }
}

#[test]
fn a_private_repository_is_read_with_what_the_credential_helper_gives() {
    let (world, _) = World::with_skills();
    world.host.require_login("dXNlcjpDQU5BUlk3ZjNh"); // user:CANARY7f3a
    let log = world.directory.path().join("helper.log");
    let script = format!(
        "cat >/dev/null; echo $1 >>{}; echo username=user; echo password={SECRET}",
        log.display()
    );
    let mut repository = world.open_with(&world.url(), helper(&script));
    assert_eq!(
        paths(&add(&mut repository, "skills/pdf").unwrap()),
        ["SKILL.md", "scripts/fill.sh"]
    );
    assert_eq!(world.requests().len(), 4, "the first is asked twice");
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "get\nstore\n");
    for file in files_below(&world.cache()) {
        let bytes = std::fs::read(&file).unwrap();
        assert!(
            !bytes
                .windows(SECRET.len())
                .any(|window| window == SECRET.as_bytes()),
            "{}",
            file.display()
        );
    }
}

#[test]
fn refused_credentials_are_forgotten_by_the_helper_and_never_shown() {
    let (world, _) = World::with_skills();
    world.host.require_login("c29tZXRoaW5nIGVsc2U=");
    let log = world.directory.path().join("helper.log");
    let script = format!(
        "cat >/dev/null; echo $1 >>{}; echo username=user; echo password={SECRET}",
        log.display()
    );
    let error = add(
        &mut world.open_with(&world.url(), helper(&script)),
        "skills/pdf",
    )
    .unwrap_err();
    assert_eq!(error.kind(), FailureKind::Network);
    let text = format!("{error:?}");
    assert!(
        text.contains("credentials were rejected")
            && text.contains("127.0.0.1")
            && !text.contains(SECRET),
        "{text}"
    );
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "get\nerase\n");
}

#[test]
fn error_without_credentials_suggests_a_login() {
    let (world, _) = World::with_skills();
    world.host.require_login("dXNlcjpDQU5BUlk3ZjNh");
    let none = GitOptions {
        config: vec!["credential.helper=".into()],
        ..GitOptions::default()
    };
    let error = add(&mut world.open_with(&world.url(), none), "skills/pdf").unwrap_err();
    assert_eq!(error.kind(), FailureKind::Network);
    assert!(
        format!("{error:?}").contains("no credential helper is configured"),
        "{error:?}"
    );
    let error = add(
        &mut world.open_with(&world.url(), helper("true")),
        "skills/pdf",
    )
    .unwrap_err();
    assert!(
        format!("{error:?}").contains("helper provided no user and password"),
        "{error:?}"
    );
}

#[test]
fn first_request_is_redirected_only_within_the_rules() {
    let (world, _) = World::with_skills();
    let url = world.host.url("moved/skills.git").parse().unwrap();
    let tree = add(
        &mut world.open_with(&url, GitOptions::default()),
        "skills/pdf",
    )
    .unwrap();
    assert_eq!(paths(&tree), ["SKILL.md", "scripts/fill.sh"]);
    let url = world.host.url("astray/skills.git").parse().unwrap();
    world.requests();
    let error = add(
        &mut world.open_with(&url, GitOptions::default()),
        "skills/pdf",
    )
    .unwrap_err();
    assert!(format!("{error:?}").contains("198.51.100.1"), "{error:?}");
}

#[test]
fn missing_and_unencrypted_repositories_are_reported() {
    let (world, _) = World::with_skills();
    let git = GitClient::new(world.cache(), GitOptions::default());
    let refused = git
        .open(&"http://example.test/a".parse().unwrap())
        .err()
        .unwrap();
    assert_eq!(refused.kind(), FailureKind::Usage);
    assert!(
        !world.cache().exists(),
        "nothing happens before the URL is found good"
    );

    let missing = world.host.url("missing.git").parse().unwrap();
    let error = git.open(&missing).unwrap().refs(&["HEAD"]).unwrap_err();
    assert!(
        error.message().contains("not found") && error.kind() == FailureKind::Network,
        "{error:?}"
    );
    let closed = "http://127.0.0.1:9/a".parse().unwrap();
    let error = git.open(&closed).unwrap().refs(&["HEAD"]).unwrap_err();
    assert!(
        error.message().contains("failed to connect") && error.kind() == FailureKind::Network,
        "{error:?}"
    );
    let nothing = file_url(&world.cache());
    assert_eq!(
        git.open(&nothing).err().unwrap().kind(),
        FailureKind::Negative,
        "no network has part in it"
    );
}

#[test]
fn url_rewrite_may_name_a_mirror_but_not_weaken_encryption() {
    let (world, _) = World::with_skills();
    let url: GitUrl = "https://skills.test/acme/skills.git".parse().unwrap();
    let rewritten = |base: &str| GitOptions {
        config: vec![format!("url.{base}.insteadOf=https://skills.test/acme/")],
        ..GitOptions::default()
    };
    let tree = add(
        &mut world.open_with(&url, rewritten(&world.host.url(""))),
        "skills/pdf",
    )
    .unwrap();
    assert_eq!(paths(&tree), ["SKILL.md", "scripts/fill.sh"]);
    for base in ["http://mirror.test/", "git://mirror.test/"] {
        let error = world
            .open_with(&url, rewritten(base))
            .refs(&["refs/tags/"])
            .unwrap_err();
        assert_eq!(error.kind(), FailureKind::Usage);
        assert!(format!("{error:?}").contains("insteadOf"), "{error:?}");
    }
}

#[test]
#[cfg(unix)]
fn ssh_of_the_system_is_used() {
    let (world, _) = World::with_skills();
    // An ssh that runs the command it is given on this machine.
    let ssh = world.directory.path().join("ssh");
    let script =
        "#!/bin/sh\nwhile [ $1 != git@host.test ]; do shift; done\nshift\nexec sh -c \"$*\"\n";
    std::fs::write(&ssh, script).unwrap();
    std::fs::set_permissions(&ssh, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let url: GitUrl = format!("ssh://git@host.test{}", world.origin.path.display())
        .parse()
        .unwrap();
    let options = GitOptions {
        config: vec![format!("core.sshCommand={}", ssh.display())],
        ..GitOptions::default()
    };
    let tree = add(&mut world.open_with(&url, options), "skills/pdf").unwrap();
    assert_eq!(paths(&tree), ["SKILL.md", "scripts/fill.sh"]);

    std::fs::write(
        &ssh,
        "#!/bin/sh\necho 'git@host.test: Permission denied (publickey).' >&2; exit 255\n",
    )
    .unwrap();
    let options = GitOptions {
        config: vec![format!("core.sshCommand={}", ssh.display())],
        ..GitOptions::default()
    };
    let error = world
        .open_with(&url, options)
        .refs(&["refs/tags/"])
        .unwrap_err();
    assert_eq!(error.kind(), FailureKind::Network);
    assert!(format!("{error:?}").contains("ssh-add -l"), "{error:?}");
    let options = GitOptions {
        config: vec!["core.sshCommand=/nonexistent/ssh".into()],
        ..GitOptions::default()
    };
    let error = world
        .open_with(&url, options)
        .refs(&["refs/tags/"])
        .unwrap_err();
    assert_eq!(error.message(), "failed to start ssh");
}

/// A repository behind an ssh that runs a shell script instead.
#[cfg(unix)]
fn behind_ssh(world: &World, script: &str, silence: Option<Duration>) -> GitRepository<'static> {
    let ssh = world.directory.path().join("ssh");
    std::fs::write(&ssh, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&ssh, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let config = vec![format!("core.sshCommand={}", ssh.display())];
    let url = "ssh://git@host.test/skills.git".parse().unwrap();
    world.open_with(
        &url,
        GitOptions {
            config,
            silence,
            ..GitOptions::default()
        },
    )
}

#[test]
#[cfg(unix)]
fn a_host_that_sends_without_end_over_ssh_is_given_up() {
    let greeting = r"printf '000eversion 2\n000cls-refs\n0000'";
    let abilities = r"printf '000eversion 2\n'; yes 0012ability=abcde";
    let references =
        format!("{greeting}; yes '003d6838e77d00000000000000000000000000000000 refs/heads/abcd'");
    let world = World::new();
    for script in [abilities, &references] {
        let error = behind_ssh(&world, script, None)
            .refs(&["refs/heads/"])
            .unwrap_err();
        assert_eq!(error.kind(), FailureKind::Integrity, "{script}: {error:?}");
        assert!(
            error.message().contains("the response is too large"),
            "{error:?}"
        );
    }
}

#[test]
#[cfg(unix)]
fn a_host_that_is_silent_over_ssh_is_given_up() {
    let world = World::new();
    for script in [
        "sleep 60",
        "printf '000eversion 2\\n'; sleep 60",
        "while :; do printf a; sleep 0.05; done",
    ] {
        let mut repository = behind_ssh(&world, script, Some(Duration::from_millis(300)));
        let error = repository.refs(&["refs/heads/"]).unwrap_err();
        assert_eq!(error.kind(), FailureKind::Network, "{script}: {error:?}");
        assert_eq!(
            error.message(),
            "failed to fetch from `host.test`: almost no data for 0.3 s",
            "{script}"
        );
    }
}

#[test]
#[cfg(unix)]
fn what_ssh_prints_is_shown_without_escape_sequences() {
    let world = World::new();
    let script = r"printf 'Host key verification failed.\033]0;title\007\n' >&2; exit 255";
    let error = behind_ssh(&world, script, None)
        .refs(&["refs/heads/"])
        .unwrap_err();
    assert_eq!(
        error.message(),
        "failed to connect to `host.test`: ssh exited before git responded"
    );
    let text = format!("{error:?}");
    assert!(
        text.contains("host key verification failed") && !text.contains('\u{1b}'),
        "{text}"
    );
}

#[test]
#[cfg(unix)]
fn ssh_command_of_another_name_is_probed_for_openssh() {
    let (world, _) = World::with_skills();
    for (knows_g, has_option) in [("exit 0", true), ("exit 1", false)] {
        let log = world.directory.path().join("asked");
        let program = world.directory.path().join("my-tunnel");
        let run = "while [ $1 != git@host.test ]; do shift; done\nshift\nexec sh -c \"$*\"";
        let script = format!(
            "#!/bin/sh\n[ $1 = -G ] && {knows_g}\necho \"$*\" >{}\n{run}\n",
            log.display()
        );
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(
            &program,
            std::os::unix::fs::PermissionsExt::from_mode(0o755),
        )
        .unwrap();
        let config = vec![format!("core.sshCommand={}", program.display())];
        let url: GitUrl = format!("ssh://git@host.test{}", world.origin.path.display())
            .parse()
            .unwrap();
        let mut repository = world.open_with(
            &url,
            GitOptions {
                config,
                ..GitOptions::default()
            },
        );
        assert!(!repository.refs(&["refs/"]).unwrap().is_empty());
        assert_eq!(
            std::fs::read_to_string(&log)
                .unwrap()
                .contains("SendEnv=GIT_PROTOCOL"),
            has_option
        );
    }
}

#[test]
fn a_bomb_of_one_object_is_refused_while_it_arrives() {
    let (world, _) = World::with_skills();
    let large = world.origin.blob(&"0".repeat(130 << 20));
    let tree = world.origin.tree(&[("100644", &large, b"SKILL.md")]);
    let error = world.open().fetch_trees(&[id(&tree)]).unwrap_err();
    assert_eq!(error.kind(), FailureKind::Integrity, "{error:?}");
}
