//! Git repositories, made by the real git.

use std::cell::Cell;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::sandbox::clean_command;
use super::{Sandbox, file_url, skipped};

/// A repository with a work tree, in the sandbox's `repos`. Commits are dated one minute apart from a fixed day, so
/// that they have the same ids in every run.
pub(crate) struct Repo {
    root: PathBuf,
    path: PathBuf,
    clock: Cell<u32>,
}

/// The bytes of a `SKILL.md` whose name is the last part of `dir`.
pub(crate) fn skill_md(dir: &str, description: &str) -> String {
    let name = dir.rsplit('/').next().unwrap_or(dir);
    format!("---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\nWork with care.\n")
}

impl Repo {
    /// An empty repository called `name`, on branch `main`, that serves filtered and by commit as the big hosts do.
    pub(crate) fn new(sandbox: &Sandbox, name: &str) -> Self {
        let path = sandbox.root().join("repos").join(name);
        let repo = Repo {
            root: sandbox.root().to_owned(),
            path,
            clock: Cell::new(0),
        };
        fs::create_dir_all(&repo.path).unwrap();
        repo.git(&["init", "-q", "-b", "main"]);
        repo.serve_as_hosts_do();
        repo
    }

    /// A copy of one of the real repositories of the corpus, with its branches and tags. Without the corpus, this says
    /// that the test is skipped and returns `None`.
    ///
    /// The corpus is looked for in `$SKILLPM_CORPUS`, then in `../shared/corpus` beside this repository.
    pub(crate) fn from_bundle(sandbox: &Sandbox, name: &str) -> Option<Self> {
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
        let corpus = std::env::var_os("SKILLPM_CORPUS").map_or(beside, PathBuf::from);
        let bundle = corpus.join(format!("{name}.bundle"));
        let repo = Repo::cloned_bundle(sandbox, name, &bundle);
        if repo.is_none() {
            skipped(&format!(
                "there is no {}; set SKILLPM_CORPUS",
                bundle.display()
            ));
        }
        repo
    }

    /// A mirror of a bundle; `None` if there is no such file.
    pub(super) fn cloned_bundle(sandbox: &Sandbox, name: &str, bundle: &Path) -> Option<Self> {
        if !bundle.exists() {
            return None;
        }

        let path = sandbox.root().join("repos").join(name);
        let repo = Repo {
            root: sandbox.root().to_owned(),
            path,
            clock: Cell::new(0),
        };
        let mut clone = clean_command("git", &repo.root, &repo.root.join("home"));
        succeed(
            clone
                .args(["clone", "-q", "--mirror"])
                .args([bundle, repo.path.as_path()]),
            b"",
        );
        repo.serve_as_hosts_do();
        Some(repo)
    }

    /// A copy of another repository with a work tree, to be changed.
    pub(crate) fn cloned(sandbox: &Sandbox, of: &Repo, name: &str) -> Self {
        let path = sandbox.root().join("repos").join(name);
        let repo = Repo {
            root: sandbox.root().to_owned(),
            path,
            clock: Cell::new(0),
        };
        let mut clone = clean_command("git", &repo.root, &repo.root.join("home"));
        succeed(
            clone.args(["clone", "-q"]).args([&of.path, &repo.path]),
            b"",
        );
        repo.serve_as_hosts_do();
        repo
    }

    fn serve_as_hosts_do(&self) {
        self.config("uploadpack.allowFilter", "true")
            .config("uploadpack.allowAnySHA1InWant", "true");
    }

    /// Runs git here; gives its trimmed answer.
    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_with(args, b"")
    }

    #[track_caller]
    fn git_with(&self, args: &[&str], stdin: &[u8]) -> String {
        let mut git = clean_command("git", &self.root, &self.root.join("home"));
        let date = format!("{} +0000", 1_750_000_000 + 60 * self.clock.get());
        git.env("GIT_AUTHOR_DATE", &date)
            .env("GIT_COMMITTER_DATE", &date)
            .current_dir(&self.path)
            .args(args);
        String::from_utf8(succeed(&mut git, stdin))
            .unwrap()
            .trim()
            .to_owned()
    }

    /// Whether git can store the references of this repository as a reftable, and now does; reported if not.
    pub(crate) fn to_reftable(&self) -> bool {
        // Older versions of git do not convert those.
        fs::remove_dir_all(self.path.join(".git/logs")).unwrap();
        let mut git = clean_command("git", &self.root, &self.root.join("home"));
        git.current_dir(&self.path)
            .args(["refs", "migrate", "--ref-format=reftable"]);
        let is_done = git.output().unwrap().status.success();
        if !is_done {
            skipped("git is older than 2.46, which cannot convert to reftable");
        }
        is_done
    }

    /// Sets a key of the repository's own configuration.
    pub(crate) fn config(&self, key: &str, value: &str) -> &Self {
        self.git(&["config", key, value]);
        self
    }

    /// Writes a file.
    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    /// Writes a skill's `SKILL.md`; its name is the directory's.
    pub(crate) fn skill(&self, dir: &str, description: &str) -> &Self {
        self.write(&format!("{dir}/SKILL.md"), skill_md(dir, description))
    }

    /// Deletes a file or a directory.
    pub(crate) fn remove(&self, path: &str) -> &Self {
        self.git(&["rm", "-rqf", path]);
        self
    }

    /// Writes an executable file.
    #[cfg(unix)]
    pub(crate) fn script(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Self {
        use std::os::unix::fs::PermissionsExt;
        self.write(path, bytes);
        fs::set_permissions(self.path.join(path), fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Makes a symbolic link.
    #[cfg(unix)]
    pub(crate) fn link(&self, path: &str, to: impl AsRef<Path>) -> &Self {
        let path = self.path.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(to, path).unwrap();
        self
    }

    /// Commits everything that was written.
    pub(crate) fn commit(&self, message: &str) -> &Self {
        self.clock.set(self.clock.get() + 1);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self
    }

    /// The commit that is checked out.
    pub(crate) fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    /// The commit that a name stands for.
    pub(crate) fn commit_of(&self, name: &str) -> String {
        self.git(&["rev-parse", &format!("{name}^{{commit}}")])
    }

    /// Tags the newest commit.
    pub(crate) fn tag(&self, name: &str) -> &Self {
        self.git(&["tag", name]);
        self
    }

    /// Tags the newest commit with a tag object, as releases are.
    pub(crate) fn annotated_tag(&self, name: &str) -> &Self {
        self.git(&["tag", "-a", "-m", name, name]);
        self
    }

    /// Moves a tag to the newest commit, as a forced push does.
    pub(crate) fn move_tag(&self, name: &str) -> &Self {
        self.git(&["tag", "-f", name]);
        self
    }

    /// Goes to a branch, made at the newest commit if it is not there.
    pub(crate) fn branch(&self, name: &str) -> &Self {
        let known = self.git(&["branch", "--list", name]);
        let args: &[&str] = if known.is_empty() {
            &["switch", "-q", "-c", name]
        } else {
            &["switch", "-q", name]
        };
        self.git(args);
        self
    }

    /// Makes a commit from raw tree entries (mode, name, id), checked by nobody, and points `main` at it.
    ///
    /// This is how a hostile server's repository is made: git itself refuses such names.
    pub(crate) fn commit_raw_tree(&self, entries: &[(&str, &str, &str)]) -> &Self {
        let tree = self.raw_tree(entries);
        let commit = self.git(&["commit-tree", "-m", "raw", &tree]);
        self.git(&["update-ref", "refs/heads/main", &commit]);
        self
    }

    /// The id of a tree made from raw entries (mode, name, id).
    pub(crate) fn raw_tree(&self, entries: &[(&str, &str, &str)]) -> String {
        let mut bytes = Vec::new();
        for (mode, name, id) in entries {
            write!(bytes, "{mode} {name}\0").unwrap();
            bytes.extend(hex::decode(id).unwrap());
        }
        self.git_with(
            &["hash-object", "-t", "tree", "-w", "--literally", "--stdin"],
            &bytes,
        )
    }

    /// The id of a blob.
    pub(crate) fn blob(&self, bytes: impl AsRef<[u8]>) -> String {
        self.git_with(&["hash-object", "-w", "--stdin"], bytes.as_ref())
    }

    /// Adds an object as it is, and points a reference at it.
    pub(crate) fn add_object(&self, kind: &str, bytes: &[u8], reference: &str) -> &Self {
        let id = self.git_with(
            &["hash-object", "-t", kind, "-w", "--literally", "--stdin"],
            bytes,
        );
        self.git(&["update-ref", reference, &id]);
        self
    }

    /// Where the repository lies.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its `file://` URL.
    pub(crate) fn url(&self) -> String {
        file_url(&self.path)
    }

    /// Deletes it: the origin is gone.
    pub(crate) fn delete(&self) {
        remove_repository(&self.path);
    }
}

/// Removes a directory in which git made files read-only, which Windows does not remove.
pub(crate) fn remove_repository(dir: &Path) {
    #[cfg(windows)]
    super::sandbox::make_writable(dir);
    fs::remove_dir_all(dir).unwrap();
}

#[track_caller]
fn succeed(command: &mut Command, stdin: &[u8]) -> Vec<u8> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(stdin).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

#[test]
fn same_steps_make_the_same_commit() {
    let id = || {
        let sandbox = Sandbox::new();
        let repo = Repo::new(&sandbox, "skills");
        repo.skill("skills/pdf", "Reads PDF.")
            .commit("first")
            .tag("v1.0.0")
            .skill("skills/csv", "Reads CSV.")
            .commit("second");
        assert_ne!(repo.commit_of("v1.0.0"), repo.head());
        repo.move_tag("v1.0.0");
        assert_eq!(repo.commit_of("v1.0.0"), repo.head());
        repo.head()
    };
    assert_eq!(id(), id());
}

#[test]
fn raw_tree_can_have_names_that_git_refuses() {
    let sandbox = Sandbox::new();
    let repo = Repo::new(&sandbox, "hostile");
    let blob = repo.blob("x");
    repo.commit_raw_tree(&[("100644", "..", &blob)]);
    assert_eq!(repo.git(&["ls-tree", "--name-only", "main"]), "..");
}
