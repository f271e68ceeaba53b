//! Lists the files that go into the binary: the default registry's index and the bundled skills.
//!
//! It writes two tables, sorted by path, which their owners include; the bytes themselves are taken by `include_bytes!`,
//! so that nothing is copied here:
//!
//! - `registry_index.rs`: `&[(path, bytes, executable)]`
//! - `bundled.rs`: `&[BundledSkill { name, files: &[(path, bytes, executable)] }]`
//!
//! and `bundled.digest`: 16 digits that change with the bundled skills, so that no run has to hash them.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script lives on its environment and the disk"
)]

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(
        out.join("registry_index.rs"),
        render_table(&index_dir(&root)),
    )
    .expect("cargo's folder can be written");

    let mut bundled = String::from("&[\n");
    let mut digest = DefaultHasher::new();
    for name in ["skillpm", "writing-skills"] {
        let folder = root.join("src/bundled").join(name);
        for (path, executable) in list_files(&folder) {
            // Names and modes count, too: a file that only moves changes the digest.
            let bytes = fs::read(folder.join(&path)).expect("it was just listed");
            (name, path, executable, bytes).hash(&mut digest);
        }
        let files = render_table(&folder);
        writeln!(
            bundled,
            "BundledSkill {{ name: {name:?}, files: {files} }},"
        )
        .expect("text grows");
    }

    bundled.push_str("]\n");
    // Hashed here, once, so that the program need not read its own skills to name them.
    fs::write(out.join("bundled.rs"), bundled).expect("cargo's folder can be written");
    let digest = format!("{:016x}", digest.finish());
    fs::write(out.join("bundled.digest"), digest).expect("cargo's folder can be written");
}

/// The default registry's index. `registry-index` is a symbolic link here, which `cargo package` follows, so that the published
/// crate has the files; a checkout without symbolic links has a text file in its place.
fn index_dir(root: &Path) -> PathBuf {
    let packed = root.join("registry-index");
    if packed.is_dir() {
        packed
    } else {
        root.join("../../registry-index")
    }
}

/// The files of a folder, sorted by path, and whether each may be run.
fn list_files(folder: &Path) -> Vec<(String, bool)> {
    let mut files = Vec::new();
    collect_files(folder, "", &mut files);
    files.sort();
    files
}

/// The files of a folder as the text of a slice.
fn render_table(folder: &Path) -> String {
    let mut text = String::from("&[\n");
    for (path, executable) in list_files(folder) {
        let place = folder
            .join(&path)
            .into_os_string()
            .into_string()
            .expect("cargo's folder is UTF-8");
        writeln!(
            text,
            "    ({path:?}, include_bytes!({place:?}).as_slice(), {executable}),"
        )
        .expect("text grows");
    }

    text.push(']');
    text
}

fn collect_files(dir: &Path, prefix: &str, files: &mut Vec<(String, bool)>) {
    // The directory itself is watched, so that a new file in it triggers a rebuild.
    println!("cargo::rerun-if-changed={}", dir.display());
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry
            .file_name()
            .into_string()
            .expect("our own names are UTF-8");
        let path = if prefix.is_empty() {
            name
        } else {
            format!("{prefix}/{name}")
        };

        if entry.path().is_dir() {
            collect_files(&entry.path(), &path, files);
        } else {
            files.push((path, is_executable(&entry.path())));
        }
    }
}

/// Not by its mode, which not every system has: a file that begins with `#!`, as those of the package do that are meant to run.
fn is_executable(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"#!"))
}
