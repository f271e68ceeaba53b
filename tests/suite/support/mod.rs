//! What the end-to-end tests are built on: a sandbox for each test, and real git, HTTP and ssh on loopback.
//!
//! | want | say |
//! |---|---|
//! | an own home, project and environment | [`Sandbox::new`], [`Sandbox::project_here`] |
//! | to run the real binary and check what it did | `sandbox.skillpm("add ./x").exits(0).stderr("…")` |
//! | a shell that has the real binary on its path | [`Sandbox::shell`] |
//! | a git repository with history and tags | [`Repo::new`], [`Repo::from_bundle`] |
//! | it over HTTP, with faults, counters and passwords | [`Server::start`] |
//! | a server with ClawHub's API | [`ClawHub::start`] |
//! | commits and tags that are signed | [`SshKey::of`], `repo.sign_with(&key)`; [`GpgKey::of`], `repo.sign_with_gpg(&key)` |
//! | it over ssh, with an agent | [`Ssh::start`] |
//! | an index that can be published to | [`Registry::bare`], [`Registry::directory`] |
//! | an object store of S3 or Azure | [`ObjectStore::s3`], [`ObjectStore::azure`] |
//! | an archive | [`archive::tar_gz`], [`archive::zip`] |
//! | a script of PowerShell parsed | [`assert_powershell_parses`] |
//! | a client in Python | [`JsonLinesClient::start`], [`find_python`] |
//! | a registry | [`IndexDir::new`], in `www` or in a repository's work tree |
//! | a full or a read-only disk | [`mount::permitted`], [`Run::after_mounting`] |
//! | limits of the system, and signals | [`Run::after`], [`Running::signal`] |
//! | what may not be read or written | [`Sandbox::hand_over`], [`Sandbox::forbid`], [`Run::unprivileged`] |
//! | to leave a test out, with its reason | [`skipped`] |
//! | to leave out what only Unix promises | [`has_unix`], [`IS_PORTABLE`] |
//! | a person at a terminal | [`Run::on_terminal`] |
//! | stdout that cannot be written, or that is closed | [`Run::into_full_device`], [`Run::into_closed_pipe`] |
//! | what is printed checked against the schemas | nothing: every run does it, see [`schema`] |
//! | to know that nothing changed | [`Sandbox::snapshot`], [`Sandbox::tree`] |

pub(crate) mod archive;
mod clawhub;
mod follow;
mod index;
mod json_lines;
mod listing;
#[cfg(target_os = "linux")]
pub(crate) mod mount;
mod object_store;
mod powershell;
mod registry;
mod repo;
mod run;
mod sandbox;
pub(crate) mod schema;
mod server;
mod signing;
mod skip;
#[cfg(unix)]
mod ssh;
#[cfg(unix)]
mod unprivileged_user;

pub(crate) use clawhub::ClawHub;
pub(crate) use follow::Following;
pub(crate) use index::{IndexDir, flip_a_bit};
pub(crate) use json_lines::{JsonLinesClient, find_python};
pub(crate) use listing::Listing;
pub(crate) use object_store::ObjectStore;
pub(crate) use powershell::assert_powershell_parses;
pub(crate) use registry::{Registry, configure, package, package_needing, published};
pub(crate) use repo::{Repo, skill_md};
pub(crate) use run::{Outcome, Run, path_text, with_slashes};
pub(crate) use sandbox::Sandbox;
pub(crate) use server::{Fault, Server, closed_port};
pub(crate) use signing::{GpgKey, SshKey};
#[cfg(target_os = "linux")]
pub(crate) use skip::is_traceable;
pub(crate) use skip::{IS_PORTABLE, has_unix, skipped};
#[cfg(unix)]
pub(crate) use ssh::{FakeSsh, Ssh};
#[cfg(unix)]
pub(crate) use unprivileged_user::Others;

/// Prints on the terminal, past the test harness's capture, how often something was tried.
pub(crate) fn report_count(what: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{what}");
}

/// The `file://` URL of a path.
pub(crate) fn file_url(path: &std::path::Path) -> String {
    let path = path.to_str().unwrap().replace('\\', "/");
    format!("file:///{}", path.trim_start_matches('/'))
}

/// Where `.ci/run` puts a tool that only tests need. Its tools are programs of Unix: another system has none of them, even
/// under wine.
pub(crate) fn test_tools(tool: &str) -> std::path::PathBuf {
    let tools = if cfg!(windows) {
        "target/windows/test-tools"
    } else {
        "target/test-tools"
    };
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(tools)
        .join(tool)
}

/// Whether files that tests compare with are to be written again instead: `SNAPSHOTS=overwrite`, as snapbox reads it.
pub(crate) fn overwrites() -> bool {
    std::env::var_os(snapbox::assert::DEFAULT_ACTION_ENV)
        .is_some_and(|action| action == "overwrite")
}

/// Splits a command line as a shell does: at blanks, with `'…'` and `"…"` kept whole. A backslash means itself, so
/// that Windows paths need no care.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ' | '\n') => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    assert!(quote.is_none(), "a quote is not closed in `{line}`");
    words.extend(word);
    words
}

/// A project with `pdf` and `csv` of one git repository, which are followed by branch.
#[track_caller]
pub(crate) fn pdf_and_csv() -> (Sandbox, Repo) {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.")
        .skill("skills/csv", "Reads CSV.")
        .commit("first");
    sandbox
        .skillpm(format!("add {} --all --branch main", repo.url()))
        .exits(0);
    (sandbox, repo)
}

#[test]
fn command_line_splits_as_in_a_shell() {
    assert_eq!(
        words("add  './a b' --as \"\" c\\d"),
        ["add", "./a b", "--as", "", "c\\d"]
    );
}
