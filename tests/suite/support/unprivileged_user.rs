//! Somebody to whom things can be forbidden: nothing is to root.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, lchown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Sandbox;
use super::sandbox::clean_command;

/// `nobody`, who owns nothing.
const NOBODY: u32 = 65534;

/// What a copy of the program is called, which stays root's.
const PROGRAM: &str = "skillpm";

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A command of who runs the tests; where that is root, of `nobody`, for whom there is a copy of the program that he may run.
pub(super) fn command(root: &Path, home: &Path) -> Command {
    let program = root.join(PROGRAM);
    if !program.exists() {
        let built = env!("CARGO_BIN_EXE_skillpm");
        fs::hard_link(built, &program)
            .or_else(|_| copy_program(built, &program))
            .unwrap();
    }
    let mut command = clean_command(program, root, home);
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

/// Copies a program by another one: a process that is started meanwhile would inherit ours open for writing, and it could not be
/// run until that process has ended.
fn copy_program(from: &str, to: &Path) -> std::io::Result<()> {
    let status = Command::new("cp").arg(from).arg(to).status()?;
    status
        .success()
        .then_some(())
        .ok_or_else(|| std::io::Error::other("cp failed"))
}

/// Something that is forbidden until this is dropped.
#[must_use = "it is allowed again when this is dropped"]
pub(crate) struct Forbidden {
    path: PathBuf,
    mode: u32,
}

impl Drop for Forbidden {
    fn drop(&mut self) {
        let _ = fs::set_permissions(&self.path, Permissions::from_mode(self.mode));
    }
}

impl Sandbox {
    /// Gives all that is there to the somebody of [`Run::unprivileged`](super::Run::unprivileged).
    pub(crate) fn hand_over(&self) {
        if is_root() {
            fs::set_permissions(self.root(), Permissions::from_mode(0o755)).unwrap();
            let parts = fs::read_dir(self.root())
                .unwrap()
                .map(|entry| entry.unwrap().path());
            parts
                .filter(|part| !part.ends_with(PROGRAM))
                .for_each(|part| give(&part, NOBODY));
        }
    }

    /// Makes something, and what is below it, somebody else's, who lets others read or not: it is root's, or looks so.
    pub(crate) fn is_another_s(&self, path: &str, others: Others) -> Vec<Forbidden> {
        let path = self.path(path);
        if is_root() {
            give(&path, 0);
        }
        let mut forbidden = Vec::new();
        forbid_all(&path, others, &mut forbidden);
        forbidden
    }

    /// Gives a file or a directory this mode for a while.
    pub(crate) fn forbid(&self, path: &str, mode: u32) -> Forbidden {
        forbid(self.path(path), mode)
    }
}

/// What somebody lets others do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Others {
    /// Look.
    Read,
    /// Nothing.
    Nothing,
}

fn give(path: &Path, to: u32) {
    lchown(path, Some(to), Some(to)).unwrap();
    if path.symlink_metadata().unwrap().is_dir() {
        fs::read_dir(path)
            .unwrap()
            .for_each(|entry| give(&entry.unwrap().path(), to));
    }
}

fn forbid(path: PathBuf, mode: u32) -> Forbidden {
    let before = fs::metadata(&path).unwrap().permissions().mode();
    fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    Forbidden { path, mode: before }
}

/// From the inside out, and in that order it is undone: who must be allowed to enter comes last.
fn forbid_all(path: &Path, others: Others, forbidden: &mut Vec<Forbidden>) {
    if path.is_dir() && others == Others::Read {
        fs::read_dir(path)
            .unwrap()
            .for_each(|entry| forbid_all(&entry.unwrap().path(), others, forbidden));
    }
    let is_roots = fs::metadata(path).unwrap().uid() == 0;
    let mode = match others {
        Others::Read if path.is_dir() => 0o555,
        Others::Read => 0o444,
        // To root himself, an unreadable thing of his own is no obstacle.
        Others::Nothing if is_roots => 0o700,
        Others::Nothing => 0o000,
    };
    forbidden.insert(0, forbid(path.to_owned(), mode));
}
