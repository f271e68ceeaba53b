//! An index in an object store: read, and written by many at once. The servers are real, and none of ours.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sha2::Digest;
use skillpm::error::{FailureKind, Result};
use skillpm::index::IndexContext;
use skillpm::index::write::{self, IndexEdit, IndexEditOutcome, IndexFiles, IndexWriteOptions};
use skillpm::io::bucket::{
    BucketOptions, ObjectBucket, ObjectResponse, PutOutcome, SizeLimits, WriteCondition,
};
use skillpm::io::git::{CommitAuthor, GitClient, GitIdentity, GitOptions};
use skillpm::io::http::{self, ByteAllowance, HttpClient};
use skillpm::report::SilentReporter;

use crate::support::{ObjectStore, Run, Sandbox, closed_port};

const LIMIT: u64 = 1 << 20;

/// The options that an environment with these variables gives.
fn options(env: &[(&'static str, String)]) -> BucketOptions {
    let names: BTreeSet<String> = env.iter().map(|(name, _)| (*name).to_owned()).collect();
    let find = |wanted: &str| {
        env.iter()
            .find(|(name, _)| *name == wanted)
            .map(|(_, value)| value.clone())
    };
    let timing = http::HttpTiming {
        retry: http::RetryPolicy {
            delay: Duration::from_millis(5),
            ..http::RetryPolicy::default()
        },
        ..http::HttpTiming::default()
    };
    BucketOptions::new(
        http::HttpClientOptions {
            timing,
            ..http::HttpClientOptions::default()
        },
        &names,
        &find,
    )
}

fn open(store: &ObjectStore, prefix: &str) -> ObjectBucket {
    ObjectBucket::open(&store.url(prefix), &options(&store.env)).unwrap()
}

fn read(bucket: &ObjectBucket, path: &str) -> Option<String> {
    match bucket.get(path, None, LIMIT, &SilentReporter).unwrap() {
        ObjectResponse::Fresh { bytes, .. } => Some(String::from_utf8(bytes).unwrap()),
        _ => None,
    }
}

fn list(bucket: &ObjectBucket, folder: &str, most: usize) -> Option<Vec<String>> {
    bucket.list(&[folder.to_owned()], most).unwrap()
}

/// The environment, by way of a server that stands before the real one.
fn env_by_way_of(store: &ObjectStore, proxy: &Proxy) -> Vec<(&'static str, String)> {
    let mut env = store.env.clone();
    for (_, value) in env
        .iter_mut()
        .filter(|(name, _)| *name == "AWS_ENDPOINT_URL")
    {
        *value = format!("http://{}", proxy.address);
    }
    env
}

/// What both kinds of store must do alike.
fn conditions_are_kept(store: &ObjectStore) {
    let bucket = open(store, "index");
    bucket.check_conditions().unwrap();
    assert_eq!(
        bucket.get("3/p/pdf", None, LIMIT, &SilentReporter).unwrap(),
        ObjectResponse::Missing
    );
    let PutOutcome::Done(first) = bucket
        .put("3/p/pdf", b"one", WriteCondition::Absent)
        .unwrap()
    else {
        panic!("it is absent")
    };
    assert_eq!(
        bucket
            .put("3/p/pdf", b"two", WriteCondition::Absent)
            .unwrap(),
        PutOutcome::Conflict
    );
    assert_eq!(read(&bucket, "3/p/pdf").unwrap(), "one");
    let PutOutcome::Done(second) = bucket
        .put("3/p/pdf", b"two", WriteCondition::Unchanged(&first))
        .unwrap()
    else {
        panic!("it is so")
    };
    assert_eq!(
        bucket
            .put("3/p/pdf", b"three", WriteCondition::Unchanged(&first))
            .unwrap(),
        PutOutcome::Conflict
    );
    assert_eq!(
        bucket
            .put("3/p/other", b"three", WriteCondition::Unchanged(&second))
            .unwrap(),
        PutOutcome::Conflict
    );
    assert_eq!(read(&bucket, "3/p/pdf").unwrap(), "two");
    assert!(matches!(
        bucket
            .put("3/p/pdf", b"four", WriteCondition::Always)
            .unwrap(),
        PutOutcome::Done(_)
    ));
}

/// Asking again, limits and lists.
fn objects_are_brought(store: &ObjectStore) {
    let bucket = open(store, "a/index");
    let etag = |path: &str| match bucket.get(path, None, LIMIT, &SilentReporter).unwrap() {
        ObjectResponse::Fresh { revision, .. } => revision.etag.unwrap(),
        other => panic!("{other:?}"),
    };
    for path in [
        "3/p/pdf",
        "acme/3/p/pdf",
        "archives/pdf-1.0.0+build.1.tar.gz",
    ] {
        bucket
            .put(path, path.as_bytes(), WriteCondition::Absent)
            .unwrap();
    }
    let old = etag("3/p/pdf");
    assert_eq!(
        bucket
            .get("3/p/pdf", Some(&old), LIMIT, &SilentReporter)
            .unwrap(),
        ObjectResponse::NotModified
    );
    bucket
        .put("3/p/pdf", b"new", WriteCondition::Always)
        .unwrap();
    let wanted = [
        ("3/p/pdf", Some(old.as_str())),
        ("3/n/no", None),
        ("acme/3/p/pdf", None),
        ("../x", None),
    ];
    let limits = SizeLimits {
        each: LIMIT,
        together: &ByteAllowance::new(LIMIT),
    };
    let answers = bucket.get_all(&wanted, limits, &SilentReporter);
    assert!(
        matches!(&answers[0], Ok(ObjectResponse::Fresh { bytes, .. }) if bytes == b"new"),
        "{answers:?}"
    );
    assert!(matches!(&answers[1], Ok(ObjectResponse::Missing)));
    assert!(
        matches!(&answers[2], Ok(ObjectResponse::Fresh { bytes, .. }) if bytes == b"acme/3/p/pdf")
    );
    assert_eq!(answers[3].as_ref().unwrap_err().kind(), FailureKind::Usage);
    let limits = SizeLimits {
        each: LIMIT,
        together: &ByteAllowance::new(10),
    };
    let answers = bucket.get_all(
        &[("3/p/pdf", None), ("acme/3/p/pdf", None)],
        limits,
        &SilentReporter,
    );
    assert!(
        answers.iter().any(Result::is_err),
        "15 bytes of two objects are more than 10"
    );
    let error = bucket
        .get("acme/3/p/pdf", None, 3, &SilentReporter)
        .unwrap_err();
    assert!(
        error.causes()[0].ends_with("larger than the limit of 3 bytes"),
        "{error:?}"
    );
    let all = [
        "3/p/pdf",
        "acme/3/p/pdf",
        "archives/pdf-1.0.0+build.1.tar.gz",
    ]
    .map(str::to_owned)
    .to_vec();
    assert_eq!(list(&bucket, "", 3), Some(all));
    assert_eq!(list(&bucket, "", 2), None);
    assert_eq!(list(&bucket, "acme", 9).unwrap(), ["acme/3/p/pdf"]);
    assert_eq!(bucket.folders().unwrap(), ["3", "acme", "archives"]);
}

#[test]
fn s3_obeys_conditional_writes() {
    let Some(store) = ObjectStore::s3() else {
        return;
    };
    conditions_are_kept(&store);
    objects_are_brought(&store);
}

#[test]
fn azure_obeys_conditional_writes() {
    let Some(store) = ObjectStore::azure() else {
        return;
    };
    conditions_are_kept(&store);
    objects_are_brought(&store);
}

#[test]
fn bucket_errors_are_named_without_secrets() {
    let Some(store) = ObjectStore::s3() else {
        return;
    };
    open(&store, "index")
        .put("config.json", b"{}", WriteCondition::Always)
        .unwrap();
    let failure = |url: &str, variable: &'static str, value: &str| {
        let mut env = store.env.clone();
        env.retain(|(name, _)| *name != variable);
        env.push((variable, value.to_owned()));
        let error = ObjectBucket::open(url, &options(&env))
            .unwrap()
            .get("config.json", None, LIMIT, &SilentReporter)
            .unwrap_err();
        assert_eq!(error.kind(), FailureKind::Network);
        assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
        (error.message().to_owned(), error.causes().join("; "))
    };
    let url = store.url("index");
    let at = format!("failed to fetch `{url}/config.json`");
    assert_eq!(
        failure("s3://nobody-made-this/index", "AWS_REGION", "us-east-1"),
        (
            "failed to fetch `s3://nobody-made-this/index/config.json`".into(),
            "the server responded with NoSuchBucket; bucket `nobody-made-this` not found".into()
        )
    );
    // Without a signature one is nobody, and may not read.
    assert_eq!(failure(&url, "AWS_SKIP_SIGNATURE", "true").0, at);
    assert_eq!(
        failure(&url, "AWS_ENDPOINT_URL", &closed_port()),
        (at, "failed to connect".into())
    );
}

#[test]
fn put_into_a_missing_bucket_is_not_a_conflict() {
    let Some(store) = ObjectStore::s3() else {
        return;
    };
    let bucket = ObjectBucket::open("s3://nobody-made-this", &options(&store.env)).unwrap();
    for when in [WriteCondition::Absent, WriteCondition::Always] {
        let error = bucket.put("a", b"1", when).unwrap_err();
        assert_eq!(error.causes()[1], "bucket `nobody-made-this` not found");
    }
}

/// Works with tools that reach nothing but object stores.
fn with_tools<T>(env: &[(&'static str, String)], work: impl FnOnce(IndexContext<'_>) -> T) -> T {
    let cache = tempfile::tempdir().unwrap();
    work(IndexContext {
        git: &GitClient::new(cache.path().join("git"), GitOptions::default()),
        http: &HttpClient::default(),
        buckets: &options(env),
        cache: cache.path(),
        offline: false,
        tokens: &|_| Ok(None),
        accept_rewritten: &BTreeSet::new(),
        reporter: &SilentReporter,
    })
}

/// One version more in an entry's file: what `publish` decides, as far as an index in a bucket is concerned.
fn publish(
    env: &[(&'static str, String)],
    url: &str,
    name: &str,
    version: u32,
) -> Result<Option<IndexEditOutcome>> {
    with_tools(env, |tools| {
        let committer = GitIdentity {
            name: "Ann".into(),
            email: "ann@x.dev".into(),
        };
        let author = CommitAuthor {
            name: "Ann".into(),
            email: "ann@x.dev".into(),
            committer,
            signing: None,
        };
        let patience = Duration::from_secs(9);
        let ledger = write::open(
            url,
            IndexWriteOptions {
                tools,
                author: &author,
                time: 0,
                branch: None,
                timeout: patience,
            },
        )?;
        ledger.update(&mut |files| decide(files, name, version))
    })
}

/// The owner, if there is none; the line, unless it is there.
fn decide(files: &dyn IndexFiles, name: &str, version: u32) -> Result<Option<IndexEdit>> {
    let (owners, entry) = (format!("owners/{name}.toml"), format!("{name}/3/p/pdf"));
    let line = format!("{{\"vers\":\"{version}.0.0\"}}\n");
    let text = String::from_utf8(files.read(&entry)?.unwrap_or_default()).unwrap();
    if text.lines().any(|old| old == line.trim()) {
        return Ok(None);
    }
    let mut edit = IndexEdit {
        message: String::new(),
        archives: [].into(),
        files: [].into(),
    };
    if files.read(&owners)?.is_none() {
        edit.files
            .insert(owners, b"owners = [\"a@b.c\"]\n".to_vec());
    }
    edit.archives.insert(
        format!("archives/{name}/pdf-{version}.0.0.tar.gz"),
        format!("{version}").into_bytes(),
    );
    edit.files
        .insert(entry, format!("{text}{line}").into_bytes());
    Ok(Some(edit))
}

fn versions(bucket: &ObjectBucket, name: &str) -> Vec<u32> {
    let text = read(bucket, &format!("{name}/3/p/pdf")).unwrap_or_default();
    let version = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["vers"]
            .as_str()
            .unwrap()
            .trim_end_matches(".0.0")
            .parse()
            .unwrap()
    };
    let mut versions: Vec<u32> = text.lines().map(version).collect();
    versions.sort_unstable();
    versions
}

fn twenty_at_once(store: &ObjectStore) {
    std::thread::scope(|scope| {
        for version in 0..20 {
            scope.spawn(move || {
                publish(&store.env, &store.url("index"), "acme", version)
                    .unwrap()
                    .unwrap()
            });
        }
    });
    let bucket = open(store, "index");
    assert_eq!(versions(&bucket, "acme"), (0..20).collect::<Vec<_>>());
    assert_eq!(list(&bucket, "archives", 99).unwrap().len(), 20);
    assert_eq!(
        read(&bucket, "owners/acme.toml").unwrap(),
        "owners = [\"a@b.c\"]\n"
    );
}

#[test]
fn twenty_concurrent_publishes_to_s3_all_succeed() {
    let Some(store) = ObjectStore::s3() else {
        return;
    };
    twenty_at_once(&store);
}

#[test]
fn twenty_concurrent_publishes_to_azure_all_succeed() {
    let Some(store) = ObjectStore::azure() else {
        return;
    };
    twenty_at_once(&store);
}

/// A publisher in a process of its own, for [`killed_publish_leaves_a_valid_index_and_can_be_retried`].
#[test]
#[ignore = "run by another test, and killed by it"]
fn publisher_process() {
    let variable = |name: &str| std::env::var(name).unwrap();
    let env = [
        "AWS_ENDPOINT_URL",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
    ]
    .map(|name| (name, variable(name)));
    let name = variable("SKILLPM_TEST_NAME");
    publish(
        &env,
        &variable("SKILLPM_TEST_INDEX"),
        &name,
        variable("SKILLPM_TEST_VERSION").parse().unwrap(),
    )
    .unwrap();
}

#[test]
fn killed_publish_leaves_a_valid_index_and_can_be_retried() {
    let Some(store) = ObjectStore::s3() else {
        return;
    };
    let bucket = open(&store, "index");
    for round in 0..24_u32 {
        let name = format!("scope{round}");
        let mut publisher = Command::new(std::env::current_exe().unwrap());
        publisher
            .args(["--exact", "bucket::publisher_process", "--ignored"])
            .envs(store.env.clone());
        publisher
            .env("SKILLPM_TEST_INDEX", store.url("index"))
            .env("SKILLPM_TEST_NAME", &name);
        publisher
            .env("SKILLPM_TEST_VERSION", "1")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = publisher.spawn().unwrap();
        // At a moment of its whole life, or right after the first of its objects is there.
        if round.is_multiple_of(2) {
            std::thread::sleep(Duration::from_millis(u64::from(round) * 5));
        } else {
            let owners = format!("owners/{name}.toml");
            while read(&bucket, &owners).is_none() && child.try_wait().unwrap().is_none() {}
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if !versions(&bucket, &name).is_empty() {
            assert_eq!(
                read(&bucket, &format!("archives/{name}/pdf-1.0.0.tar.gz")).unwrap(),
                "1"
            );
        }
        publish(&store.env, &store.url("index"), &name, 1).unwrap();
        assert_eq!(versions(&bucket, &name), [1]);
        assert_eq!(
            read(&bucket, &format!("archives/{name}/pdf-1.0.0.tar.gz")).unwrap(),
            "1"
        );
    }
}

#[test]
fn archive_is_written_after_the_owner_and_before_the_line() {
    let Some(store) = ObjectStore::s3() else {
        return;
    };
    let proxy = Proxy::start(store.address(), |_| Action::Pass);
    publish(
        &env_by_way_of(&store, &proxy),
        &store.url("index"),
        "acme",
        1,
    )
    .unwrap();
    let puts: Vec<String> = proxy
        .seen()
        .into_iter()
        .filter(|line| line.starts_with("PUT "))
        .collect();
    let path = |line: &String| line.split_once("/index/").unwrap().1.to_owned();
    let paths: Vec<String> = puts
        .iter()
        .map(path)
        .filter(|path| !path.starts_with(".skillpm"))
        .collect();
    assert_eq!(
        paths,
        [
            "owners/acme.toml",
            "archives/acme/pdf-1.0.0.tar.gz",
            "acme/3/p/pdf"
        ]
    );
}

#[test]
fn archive_is_never_replaced() {
    let Some(store) = ObjectStore::s3() else {
        return;
    };
    let bucket = open(&store, "index");
    bucket
        .put(
            "archives/acme/pdf-1.0.0.tar.gz",
            b"other",
            WriteCondition::Absent,
        )
        .unwrap();
    let error = publish(&store.env, &store.url("index"), "acme", 1).unwrap_err();
    assert_eq!(error.kind(), FailureKind::Negative);
    assert!(
        error
            .message()
            .contains("archives/acme/pdf-1.0.0.tar.gz`: it exists with other content"),
        "{error:?}"
    );
    assert_eq!(
        read(&bucket, "archives/acme/pdf-1.0.0.tar.gz").unwrap(),
        "other"
    );
    assert_eq!(versions(&bucket, "acme"), [0_u32; 0]);
    // The next version is not held up by it.
    publish(&store.env, &store.url("index"), "acme", 2).unwrap();
    assert_eq!(versions(&bucket, "acme"), [2]);
}

#[test]
fn archives_in_a_bucket_are_written_once() {
    let Some(store) = ObjectStore::s3() else {
        return;
    };
    let put = |bytes: &[u8]| {
        with_tools(&store.env, |tools| {
            write::open_archive_store(&store.url("dl"), &tools)?.put("pdf-1.0.0.tar.gz", bytes)
        })
    };
    put(b"one").unwrap();
    put(b"one").unwrap();
    assert!(
        put(b"two")
            .unwrap_err()
            .message()
            .contains("it exists with other content")
    );
    assert_eq!(
        read(&open(&store, "dl"), "pdf-1.0.0.tar.gz").unwrap(),
        "one"
    );
}

#[test]
fn server_without_conditional_writes_is_refused() {
    let Some(store) = ObjectStore::s3() else {
        return;
    };
    for header in ["if-match", "if-none-match"] {
        let proxy = Proxy::start(store.address(), move |_| Action::Without(header));
        let error = publish(
            &env_by_way_of(&store, &proxy),
            &store.url("index"),
            "acme",
            1,
        )
        .unwrap_err();
        assert!(
            error
                .message()
                .ends_with("does not support conditional writes"),
            "{error:?}"
        );
    }
    assert_eq!(list(&open(&store, "index"), "acme", 9).unwrap(), [""; 0]);
}

#[test]
fn busy_server_is_retried_and_a_lost_answer_is_no_conflict() {
    let Some(store) = ObjectStore::s3() else {
        return;
    };
    let count = AtomicUsize::new(0);
    // Each first of two requests gets an error, the writing ones after they were done.
    let proxy = Proxy::start(store.address(), move |head| {
        match count.fetch_add(1, Ordering::SeqCst) % 2 {
            0 if head.starts_with("PUT ") => Action::PassAndLose,
            0 => Action::Busy,
            _ => Action::Pass,
        }
    });
    let env = env_by_way_of(&store, &proxy);
    publish(&env, &store.url("index"), "acme", 1).unwrap();
    publish(&env, &store.url("index"), "acme", 2).unwrap();
    let bucket = open(&store, "index");
    assert_eq!(versions(&bucket, "acme"), [1, 2]);
}

#[test]
fn wrong_region_is_reported() {
    let Some(store) = ObjectStore::s3() else {
        return;
    };
    let proxy = Proxy::start(store.address(), |_| Action::Elsewhere);
    let bucket = ObjectBucket::open(
        &store.url("index"),
        &options(&env_by_way_of(&store, &proxy)),
    )
    .unwrap();
    let error = bucket
        .get("config.json", None, LIMIT, &SilentReporter)
        .unwrap_err();
    assert_eq!(error.causes(), ["the bucket is in another region"]);
    assert_eq!(
        error.helps(),
        ["set `AWS_REGION`, or `registries.NAME.region`, to the region of the bucket"]
    );
}

/// The committed index, in a bucket.
fn index_in(store: &ObjectStore) -> ObjectBucket {
    fn put_all(bucket: &ObjectBucket, dir: &Path, prefix: &str) {
        for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
            let path = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            if entry.path().is_dir() {
                put_all(bucket, &entry.path(), &format!("{path}/"));
            } else {
                bucket
                    .put(
                        &path,
                        &fs::read(entry.path()).unwrap(),
                        WriteCondition::Absent,
                    )
                    .unwrap();
            }
        }
    }
    let bucket = open(store, "index");
    put_all(
        &bucket,
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("registry-index"),
        "",
    );
    bucket
}

/// A project whose default registry is in a bucket.
fn project(store: &ObjectStore) -> Sandbox {
    let sandbox = Sandbox::project_here();
    let url = store.url("index");
    sandbox.write(
        "~/.skillpm/config.toml",
        format!("[registry]\ndefault = \"acme\"\n[registries.acme]\nindex = \"{url}\"\n"),
    );
    sandbox
}

#[test]
fn package_is_added_from_a_bucket_and_restored_elsewhere() {
    let Some(store) = ObjectStore::s3() else {
        return;
    };
    index_in(&store);
    let sandbox = project(&store);
    let outcome = sandbox
        .skillpm("add commit-messages")
        .envs(&store.env)
        .exits(0);
    outcome.never_prints("CANARY");
    sandbox.has([".agents/skills/commit-messages/SKILL.md"]);
    assert!(
        sandbox
            .locked("commit-messages", "source")
            .starts_with(&format!("registry+{}", store.url("index")))
    );
    let clone = sandbox.fresh_clone("elsewhere");
    let config = sandbox.read("~/.skillpm/config.toml");
    let run = sandbox
        .skillpm("install --locked")
        .home("other")
        .in_dir(&clone)
        .envs(&store.env);
    fs::create_dir_all(sandbox.root().join("other/.skillpm")).unwrap();
    fs::write(sandbox.root().join("other/.skillpm/config.toml"), config).unwrap();
    run.exits(0);
    assert!(
        clone
            .join(".agents/skills/commit-messages/SKILL.md")
            .exists()
    );
    sandbox.holds_nowhere("CANARY");
}

#[test]
fn bucket_files_are_fetched_only_if_they_changed() {
    let Some(store) = ObjectStore::s3() else {
        return;
    };
    let bucket = index_in(&store);
    let sandbox = project(&store);
    sandbox
        .skillpm("add commit-messages@=1.0.0")
        .envs(&store.env)
        .exits(0);
    let unreachable = closed_port();
    let offline: Vec<(&str, String)> = store
        .env
        .iter()
        .map(|(name, value)| match *name {
            "AWS_ENDPOINT_URL" => (*name, unreachable.clone()),
            name => (name, value.clone()),
        })
        .collect();
    sandbox
        .skillpm("outdated --offline")
        .envs(&offline)
        .exits(0)
        .stdout_has("1.2.0");
    sandbox
        .skillpm("outdated")
        .envs(&offline)
        .exits(4)
        .explains(["failed to connect"]);
    // A copy that is not what it was is no copy.
    let cache = sandbox.tree("~/.skillpm/index");
    let copy = cache
        .paths()
        .into_iter()
        .find(|path| path.ends_with("commit-messages"))
        .unwrap()
        .to_owned();
    let copy = format!("~/.skillpm/index/{copy}");
    sandbox.write(&copy, sandbox.read(&copy).replace("1.2.0", "1.9.0"));
    sandbox
        .skillpm("outdated --offline")
        .envs(&offline)
        .exits(4)
        .explains(["cannot read `co/mm/commit-messages` from index"]);
    sandbox
        .skillpm("outdated")
        .envs(&store.env)
        .exits(0)
        .stdout_has("1.2.0");
    // What is new is seen at once, and what goes back on a word is refused.
    let text = read(&bucket, "co/mm/commit-messages").unwrap();
    let (first, last) = text.trim_end().rsplit_once('\n').unwrap();
    let yanked = format!(
        "{first}\n{}\n",
        last.replace("\"yanked\":false", "\"yanked\":true")
    );
    bucket
        .put(
            "co/mm/commit-messages",
            yanked.as_bytes(),
            WriteCondition::Always,
        )
        .unwrap();
    sandbox
        .skillpm("outdated")
        .envs(&store.env)
        .exits(0)
        .stderr_has("all up to date");
    bucket
        .put(
            "co/mm/commit-messages",
            first.as_bytes(),
            WriteCondition::Always,
        )
        .unwrap();
    sandbox
        .skillpm("outdated")
        .envs(&store.env)
        .exits(3)
        .explains(["version 1.2.0 was removed"]);
}

#[test]
fn changed_archive_in_a_bucket_is_refused() {
    let Some(store) = ObjectStore::s3() else {
        return;
    };
    let bucket = index_in(&store);
    let path = "archives/commit-messages-1.2.0.tar.gz";
    let ObjectResponse::Fresh { mut bytes, .. } =
        bucket.get(path, None, LIMIT, &SilentReporter).unwrap()
    else {
        panic!("{path}")
    };
    bytes[40] ^= 1;
    bucket.put(path, &bytes, WriteCondition::Always).unwrap();
    let sandbox = project(&store);
    let snapshot = sandbox.snapshot();
    let refused = sandbox
        .skillpm("add commit-messages")
        .envs(&store.env)
        .exits(3);
    refused.explains(["checksum mismatch for the archive of `commit-messages 1.2.0`"]);
    snapshot.still_holds();
}

/// An index in a bucket to which nothing was published yet.
fn empty_index(store: &ObjectStore) -> ObjectBucket {
    let bucket = open(store, "index");
    let config = b"{\"api-version\":1,\"dl\":\"archives/{name}-{version}.tar.gz\"}\n";
    bucket
        .put("config.json", config, WriteCondition::Absent)
        .unwrap();
    bucket
}

/// Writes `version` of a skill into a directory of its own, and starts to publish it.
fn publishes<'s>(sandbox: &'s Sandbox, store: &ObjectStore, version: u32) -> Run<'s> {
    let text = format!(
        "---\nname: pdf\ndescription: Fills in forms of kind {version} when asked to.\nlicense: MIT\nmetadata:\n  \
         version: {version}.0.0\n---\n\n# It\n\nWork with care.\n"
    );
    sandbox.write(&format!("{version}/pdf/SKILL.md"), text);
    sandbox
        .skillpm("-v publish")
        .in_dir(format!("{version}/pdf"))
        .envs(&store.env)
}

/// What is in the index, each version with its archive as its line says.
fn published(bucket: &ObjectBucket) -> Vec<String> {
    let lines = read(bucket, "3/p/pdf").unwrap_or_default();
    let version = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let version = line["vers"].as_str().unwrap().to_owned();
        let path = format!("archives/pdf-{version}.tar.gz");
        let ObjectResponse::Fresh { bytes, .. } =
            bucket.get(&path, None, LIMIT, &SilentReporter).unwrap()
        else {
            panic!("{path}")
        };
        assert_eq!(
            line["archive"],
            format!("sha256:{}", hex::encode(sha2::Sha256::digest(&bytes)))
        );
        version
    };
    let mut versions: Vec<String> = lines.lines().map(version).collect();
    versions.sort();
    versions
}

fn all_of(count: u32) -> Vec<String> {
    let mut all: Vec<String> = (0..count).map(|version| format!("{version}.0.0")).collect();
    all.sort();
    all
}

#[test]
fn twenty_concurrent_publishes_to_one_file_all_succeed() {
    let Some(store) = ObjectStore::s3() else {
        return;
    };
    let bucket = empty_index(&store);
    let sandbox = project(&store);
    let running: Vec<_> = (0..20)
        .map(|version| publishes(&sandbox, &store, version).spawn())
        .collect();
    for run in running {
        run.wait().ended(0).never_prints("CANARY");
    }
    assert_eq!(published(&bucket), all_of(20));
    sandbox.skillpm("add pdf").envs(&store.env).exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    sandbox.skillpm("yank pdf@19.0.0").envs(&store.env).exits(0);
    sandbox
        .skillpm("install --locked")
        .envs(&store.env)
        .exits(0);
    sandbox.holds_nowhere("CANARY");
}

#[test]
fn publish_makes_the_documented_number_of_requests() {
    let Some(store) = ObjectStore::s3() else {
        return;
    };
    empty_index(&store);
    let sandbox = project(&store);
    publishes(&sandbox, &store, 1).exits(0);
    let proxy = Proxy::start(store.address(), |_| Action::Pass);
    let run = publishes(&sandbox, &store, 2)
        .envs(&env_by_way_of(&store, &proxy))
        .exits(0);
    let short = |line: &String| {
        let (method, target) = line.split_once(' ').unwrap();
        format!(
            "{method} {}",
            target
                .split_once("/index/")
                .map_or(target, |(_, path)| path)
        )
    };
    let seen: Vec<String> = proxy.seen().iter().map(short).collect();
    assert_eq!(
        seen,
        [
            "GET config.json",
            "GET 3/p/pdf",
            "GET owners/_.toml",
            "PUT .skillpm-conditions",
            "PUT .skillpm-conditions",
            "PUT archives/pdf-2.0.0.tar.gz",
            "PUT 3/p/pdf"
        ]
    );

    // `--verbose` lists the same.
    let listed = run.stderr_text().lines().filter_map(|line| {
        let (method, rest) = line.trim().strip_prefix("Requested ")?.split_once(' ')?;
        let (_, path) = rest.split_once("/index/")?;
        Some(format!("{method} {}", path.split(": ").next()?))
    });
    assert_eq!(listed.collect::<Vec<_>>(), seen);
}

/// A head of a search index without packages.
const SEARCH_HEAD: &[u8] = b"{\"v\":1,\"base\":\"0123456789abcdef\",\"packages\":0,\"text\":0,\"block\":256,\"leaves\":[],\"words\":[]}";

#[test]
fn search_index_of_a_bucket_is_kept_current() {
    let Some(store) = ObjectStore::s3() else {
        return;
    };
    let bucket = open(&store, "index");
    for (path, bytes) in [
        (
            "config.json",
            &b"{\"api-version\":1,\"dl\":\"archives/{name}-{version}.tar.gz\",\"search\":true}\n"[..],
        ),
        ("search.d/head.json.gz", SEARCH_HEAD),
    ] {
        bucket.put(path, bytes, WriteCondition::Absent).unwrap();
    }
    let sandbox = project(&store);

    // Each changes the one head.
    let running: Vec<_> = (0..8)
        .map(|version| publishes(&sandbox, &store, version).spawn())
        .collect();
    for run in running {
        run.wait()
            .ended(0)
            .never_prints("warning: failed to update");
    }
    let search = || {
        sandbox
            .skillpm("search kind --registry acme")
            .envs(&store.env)
    };
    search().exits(0).stdout_has("pdf  7.0.0  acme");

    let proxy = Proxy::start(store.address(), |_| Action::Pass);
    publishes(&sandbox, &store, 9)
        .envs(&env_by_way_of(&store, &proxy))
        .exits(0);
    let seen = proxy.seen();
    let of_head = seen.iter().filter(|line| line.contains("search.d"));
    let methods: Vec<&str> = of_head.map(|line| &line[..3]).collect();
    assert_eq!((methods, seen.len()), (vec!["GET", "PUT"], 9), "{seen:?}");

    search().exits(0).stdout_has("pdf  9.0.0  acme");
    for version in [9, 7] {
        let line = format!("yank pdf@{version}.0.0");
        sandbox.skillpm(line).envs(&store.env).exits(0);
    }
    search().exits(0).stdout_has("pdf  6.0.0  acme");
}

#[test]
fn publishes_that_were_killed_can_be_run_again() {
    let Some(store) = ObjectStore::s3() else {
        return;
    };
    let bucket = empty_index(&store);
    let sandbox = project(&store);
    let running: Vec<_> = (0..12)
        .map(|version| publishes(&sandbox, &store, version).spawn())
        .collect();
    for run in running {
        std::thread::sleep(Duration::from_millis(40));
        run.kill();
        // Whoever looks at any moment finds whole lines only, each with its archive.
        published(&bucket);
    }
    let again: Vec<_> = (0..12)
        .map(|version| publishes(&sandbox, &store, version).spawn())
        .collect();
    for run in again {
        run.wait().ended(0);
    }
    assert_eq!(published(&bucket), all_of(12));
    assert_eq!(list(&bucket, "archives", 99).unwrap().len(), 12);
}

/// A server before the real one that meddles with what goes through it.
struct Proxy {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
}

/// What is done with a request.
enum Action {
    /// It is passed on.
    Pass,
    /// It is passed on without this header.
    Without(&'static str),
    /// It is passed on, and its answer is not.
    PassAndLose,
    /// It is answered with 503.
    Busy,
    /// It is answered as by S3 in another region.
    Elsewhere,
}

impl Proxy {
    /// Each request goes over a connection of its own.
    fn start(to: &str, action: impl Fn(&str) -> Action + Send + Sync + 'static) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, seen) = (
            listener.local_addr().unwrap(),
            Arc::new(Mutex::new(Vec::new())),
        );
        let (to, shared, action) = (to.to_owned(), Arc::clone(&seen), Arc::new(action));
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let (to, seen, action) = (to.clone(), Arc::clone(&shared), Arc::clone(&action));
                std::thread::spawn(move || converse(client, &to, &seen, &*action));
            }
        });
        Proxy { address, seen }
    }

    /// The first lines of the requests so far, without the protocol's version.
    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

const BUSY: &[u8] = b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

fn converse(
    mut client: TcpStream,
    to: &str,
    seen: &Mutex<Vec<String>>,
    action: &dyn Fn(&str) -> Action,
) {
    let Some((head, body)) = receive(&mut client) else {
        return;
    };
    seen.lock().unwrap().push(
        head.lines()
            .next()
            .unwrap()
            .trim_end_matches(" HTTP/1.1")
            .to_owned(),
    );
    let action = action(&head);
    let answer = match action {
        Action::Busy => BUSY.to_vec(),
        Action::Elsewhere => {
            b"HTTP/1.1 301 Moved\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec()
        }
        Action::Pass => forward(to, &head, &body, None),
        Action::Without(header) => forward(to, &head, &body, Some(header)),
        Action::PassAndLose => {
            forward(to, &head, &body, None);
            BUSY.to_vec()
        }
    };
    let _ = client.write_all(&answer);
    let _ = client.shutdown(Shutdown::Write);
}

/// Head and body of a request.
fn receive(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        if let Some(end) = memchr::memmem::find(&bytes, b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length")
                    .then(|| value.trim().parse::<usize>().ok())?
            });
            if bytes.len() >= end + 4 + length.unwrap_or(0) {
                return Some((head, bytes[end + 4..].to_vec()));
            }
        }
        match stream.read(&mut buffer).ok()? {
            0 => return None,
            count => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

fn forward(to: &str, head: &str, body: &[u8], without: Option<&str>) -> Vec<u8> {
    let keeps = |line: &&str| {
        let name = line.split(':').next().unwrap().to_ascii_lowercase();
        name != "connection" && Some(name.as_str()) != without
    };
    let head: Vec<&str> = head.lines().filter(keeps).collect();
    let mut server = TcpStream::connect(to).unwrap();
    server
        .write_all(format!("{}\r\nConnection: close\r\n\r\n", head.join("\r\n")).as_bytes())
        .unwrap();
    server.write_all(body).unwrap();
    let mut answer = Vec::new();
    server.read_to_end(&mut answer).unwrap();
    answer
}
