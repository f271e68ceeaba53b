//! A world of its own for one test.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::listing::Snapshot;
use super::{Listing, Repo, Run, skill_md, words};

/// A temporary directory with a home, a project and an environment that owes nothing to the machine.
///
/// ```text
/// [ROOT]/project    the current directory of every run
/// [ROOT]/home       HOME, printed as [HOME]; SKILLPM_HOME is not set, so skillpm's own files lie in home/.skillpm
/// [ROOT]/tmp        TMPDIR
/// [ROOT]/repos      what Repo makes and Server serves
/// [ROOT]/www        plain files that Server serves
/// ```
pub(crate) struct Sandbox {
    root: PathBuf,
    _held: TempDir,
}

/// What of the machine's environment a program cannot run without, or a coverage tool needs.
const INHERITED: [&str; 6] = [
    "PATH",
    "SystemRoot",
    "SystemDrive",
    "PATHEXT",
    "COMSPEC",
    "LLVM_PROFILE_FILE",
];

/// The git configuration of every home: an identity, and nothing that depends on git's version.
const GITCONFIG: &str = "\
[user]
\tname = Tester
\temail = tester@example.org
[init]
\tdefaultBranch = main
[commit]
\tgpgSign = false
[advice]
\tdetachedHead = false
";

impl Sandbox {
    /// An empty project in a clean world.
    pub(crate) fn new() -> Self {
        Sandbox::in_dir(TempDir::with_prefix("skillpm-").unwrap())
    }

    /// The same on a disk that is in memory, if there is one: nothing waits for the disk there.
    pub(crate) fn in_memory() -> Self {
        Sandbox::in_dir(
            TempDir::with_prefix_in("skillpm-", "/dev/shm")
                .unwrap_or_else(|_| TempDir::new().unwrap()),
        )
    }

    /// The same in `/tmp`, wherever temporary files are: some pages show how long a text is that has its path in it.
    #[cfg(unix)]
    pub(crate) fn in_tmp() -> Self {
        Sandbox::in_dir(TempDir::with_prefix_in("skillpm-", "/tmp").unwrap())
    }

    fn in_dir(held: TempDir) -> Self {
        // macOS puts temporary directories behind a link, and skillpm prints real paths.
        let root = dunce::canonicalize(held.path()).unwrap();
        for dir in ["project", "tmp", "repos", "www"] {
            fs::create_dir(root.join(dir)).unwrap();
        }
        prepare_home(&root.join("home"));
        Sandbox { root, _held: held }
    }

    /// The same, with a manifest that asks for nothing.
    pub(crate) fn project_here() -> Self {
        let sandbox = Sandbox::new();
        sandbox.write("skillpm.toml", "[dependencies]\n");
        sandbox
    }

    /// The directory that holds everything of this test; printed as `[ROOT]`.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A run of the real binary in the project, not started yet.
    pub(crate) fn skillpm(&self, line: impl AsRef<str>) -> Run<'_> {
        Run::new(self, words(line.as_ref()))
    }

    /// A shell with this script, which finds the real binary as `skillpm`.
    #[cfg(unix)]
    pub(crate) fn shell(&self, script: &str) -> Command {
        let binary = Path::new(env!("CARGO_BIN_EXE_skillpm"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let dirs = std::iter::once(binary.parent().unwrap().to_owned())
            .chain(std::env::split_paths(&path));
        let mut command = clean_command("sh", &self.root, &self.home());
        command
            .args(["-c", script])
            .env("PATH", std::env::join_paths(dirs).unwrap())
            .current_dir(self.home());
        command
    }

    /// A file: relative to the project, `~/…` in the home, `/…` anywhere.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(rest) => self.root.join("home").join(rest),
            None => self.root.join("project").join(path),
        }
    }

    /// Writes a file and the directories above it.
    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
    }

    /// Changes one place of a file.
    #[track_caller]
    pub(crate) fn edit(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert_eq!(
            text.matches(from).count(),
            1,
            "`{from}` should stand once in `{path}`:\n{text}"
        );
        self.write(path, text.replace(from, to));
    }

    /// Writes a skill's directory; its name is the directory's.
    pub(crate) fn write_skill(&self, dir: &str, description: &str) {
        self.write(&format!("{dir}/SKILL.md"), skill_md(dir, description));
    }

    /// The text of a file.
    #[track_caller]
    pub(crate) fn read(&self, path: &str) -> String {
        let path = self.path(path);
        // Not `unwrap_or_else`: a closure would hide which test asked.
        match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => panic!("cannot read {}: {error}", path.display()),
        }
    }

    /// Fails unless the file holds just this text.
    #[track_caller]
    pub(crate) fn reads(&self, path: &str, text: &str) {
        snapbox::assert_data_eq!(self.read(path), snapbox::Data::text(text).raw());
    }

    /// Fails unless all of these are there.
    #[track_caller]
    pub(crate) fn has<const N: usize>(&self, paths: [&str; N]) {
        for path in paths {
            assert!(
                self.path(path).exists(),
                "`{path}` is missing; there is {:?}",
                self.tree(".")
            );
        }
    }

    /// Fails if any of these is there, even as a dangling link.
    #[track_caller]
    pub(crate) fn lacks<const N: usize>(&self, paths: [&str; N]) {
        for path in paths {
            assert!(
                self.path(path).symlink_metadata().is_err(),
                "`{path}` is there: {:?}",
                self.tree(".")
            );
        }
    }

    /// Deletes a file or a directory.
    #[track_caller]
    pub(crate) fn delete(&self, path: &str) {
        let path = self.path(path);
        #[cfg(windows)]
        make_writable(&path);
        let gone = if path.is_dir() {
            fs::remove_dir_all(&path)
        } else {
            fs::remove_file(&path)
        };
        assert!(gone.is_ok(), "cannot delete {}: {gone:?}", path.display());
    }

    /// Copies a file or a directory.
    pub(crate) fn copy(&self, from: &str, to: &str) {
        copy(&self.path(from), &self.path(to));
    }

    /// Every file below a directory with mode and digest, sorted.
    pub(crate) fn tree(&self, dir: &str) -> Listing {
        Listing::of(&self.path(dir))
    }

    /// The project as it is now, to be asked later whether it is still so.
    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot::of(&self.path("."))
    }

    /// The manifest, parsed.
    #[track_caller]
    pub(crate) fn manifest(&self) -> toml::Table {
        self.read("skillpm.toml").parse().unwrap()
    }

    /// The lockfile, parsed.
    #[track_caller]
    pub(crate) fn lock(&self) -> toml::Table {
        self.read("skillpm.lock").parse().unwrap()
    }

    /// One field of one package's block in the lockfile; empty if it has none.
    #[track_caller]
    pub(crate) fn locked(&self, name: &str, field: &str) -> String {
        let lock = self.lock();
        let packages = lock["package"].as_array().unwrap();
        let mut found = packages
            .iter()
            .filter(|package| package["name"].as_str() == Some(name));
        let Some(package) = found.next() else {
            panic!("`{name}` is not in\n{lock}")
        };
        package
            .get(field)
            .and_then(toml::Value::as_str)
            .unwrap_or_default()
            .to_owned()
    }

    /// The full commit that a package is locked to.
    #[track_caller]
    pub(crate) fn locked_commit(&self, name: &str) -> String {
        let source = self.locked(name, "source");
        let commit = source.split_once('#').map_or("", |(_, commit)| commit);
        let is_full = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        assert!(is_full, "`{source}` does not end with a full commit");
        commit.to_owned()
    }

    /// A project with `skillpm.toml` and `skillpm.lock` of this one and nothing else, as a clone of it would be.
    pub(crate) fn fresh_clone(&self, name: &str) -> PathBuf {
        let clone = self.root.join(name);
        fs::create_dir(&clone).unwrap();
        for file in ["skillpm.toml", "skillpm.lock"] {
            fs::copy(self.path(file), clone.join(file)).unwrap();
        }
        clone
    }

    /// Fails if this text stands in any file that skillpm could have written, or in a file's name.
    #[track_caller]
    pub(crate) fn holds_nowhere(&self, secret: &str) {
        for dir in ["project", "home", "tmp"] {
            let dir = self.root.join(dir);
            for path in Listing::of(&dir).paths() {
                let bytes = fs::read(dir.join(path)).unwrap_or_default();
                let found = memchr::memmem::find(&bytes, secret.as_bytes()).is_some()
                    || path.contains(secret);
                assert!(
                    !found || path == ".gitconfig",
                    "`{secret}` stands in {}",
                    dir.join(path).display()
                );
            }
        }
    }

    /// Adds to the git configuration of the sandbox's home.
    pub(crate) fn gitconfig(&self, text: &str) {
        self.write("~/.gitconfig", format!("{GITCONFIG}{text}"));
    }

    /// The home of the sandbox.
    pub(super) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// A repository with one committed skill, for tests that want nothing special of it.
    pub(crate) fn repo_with(&self, skill: &str) -> Repo {
        let repo = Repo::new(self, "skills");
        repo.skill(&format!("skills/{skill}"), "Does one thing well.")
            .commit("first");
        repo
    }
}

/// Makes all files below a directory removable.
#[cfg(windows)]
pub(super) fn make_writable(path: &Path) {
    let mut permissions = fs::symlink_metadata(path).unwrap().permissions();
    permissions.set_readonly(false);
    fs::set_permissions(path, permissions).unwrap();
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        make_writable(&entry.path());
    }
}

/// Makes a home directory with a git identity in it.
pub(super) fn prepare_home(home: &Path) {
    fs::create_dir_all(home).unwrap();
    if !home.join(".gitconfig").exists() {
        fs::write(home.join(".gitconfig"), GITCONFIG).unwrap();
    }
}

/// A command that sees only what a sandbox with this root and home offers.
pub(super) fn clean_command(
    program: impl AsRef<std::ffi::OsStr>,
    root: &Path,
    home: &Path,
) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command.envs(
        INHERITED
            .iter()
            .filter_map(|key| Some((*key, std::env::var_os(key)?))),
    );
    let own: [(&str, OsString); 14] = [
        ("HOME", home.into()),
        ("USERPROFILE", home.into()),
        ("XDG_CONFIG_HOME", home.join(".config").into()),
        ("XDG_CACHE_HOME", home.join(".cache").into()),
        ("XDG_DATA_HOME", home.join(".local/share").into()),
        ("XDG_STATE_HOME", home.join(".local/state").into()),
        ("TMPDIR", root.join("tmp").into()),
        ("TMP", root.join("tmp").into()),
        ("TEMP", root.join("tmp").into()),
        ("NO_COLOR", "1".into()),
        ("TZ", "UTC".into()),
        ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ("GIT_TERMINAL_PROMPT", "0".into()),
        ("GIT_CEILING_DIRECTORIES", root.into()),
    ];
    command.envs(own);
    command
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let name = entry.unwrap().file_name();
            copy(&from.join(&name), &to.join(&name));
        }
    } else {
        fs::copy(from, to).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn command_sees_only_the_path_of_the_machine() {
    let sandbox = Sandbox::new();
    let output = clean_command("env", sandbox.root(), &sandbox.home())
        .output()
        .unwrap();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let (key, value) = line.split_once('=').unwrap();
        let known = INHERITED.contains(&key) || value.starts_with(sandbox.root().to_str().unwrap());
        assert!(known || ["1", "0", "UTC"].contains(&value), "{line}");
    }
}

#[test]
fn snapshot_detects_changed_bytes_and_empty_directories() {
    let sandbox = Sandbox::new();
    sandbox.write("a/b.txt", "1");
    let snapshot = sandbox.snapshot();
    sandbox.write(".skillpm/lock", "");
    snapshot.still_holds();
    sandbox.write("a/b.txt", "2");
    assert!(std::panic::catch_unwind(|| snapshot.still_holds()).is_err());
    sandbox.write("a/b.txt", "1");
    fs::create_dir(sandbox.path("litter")).unwrap();
    assert!(std::panic::catch_unwind(|| snapshot.still_holds()).is_err());
}
