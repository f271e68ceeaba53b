//! Turns the tables of security patterns (`src/rules/security/**/*.toml`) into Rust source and
//! precompiled automata, in `OUT_DIR`.
//!
//! It only reads and writes files; what the tables mean is in `build/`.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads its input and writes its output"
)]

#[path = "src/rules/security/pattern/compile.rs"]
mod compile;
#[path = "src/rules/security/pattern/encoding.rs"]
mod encoding;
#[path = "build/mod.rs"]
mod tables;

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::tables::TableText;

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"))
        .join("src/rules/security");
    let sources: Vec<TableText> = find_tables(&root)
        .into_iter()
        .map(|path| read_table(&root, &path))
        .collect();

    let files = tables::generate(&sources).unwrap_or_else(|error| panic!("{error}"));

    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it")).join("security");
    for file in files {
        let path = out.join(file.path);
        let directory = path.parent().expect("it is below the directory of output");
        fs::create_dir_all(directory).expect("the directory of output is writable");
        fs::write(&path, file.bytes).expect("the directory of output is writable");
    }

    println!("cargo:rustc-env=SKILLPM_RULES={:016x}", digest_rules());
}

/// A digest of everything that decides what the rules find: this crate, and in a checkout the reader of skills and the
/// versions of dependencies. Outside of one, the version of skillpm, which a verdict names as well, distinguishes these.
fn digest_rules() -> u64 {
    let mut hasher = DefaultHasher::new();
    for place in [
        "build.rs",
        "build",
        "src",
        "../core/src",
        "../../Cargo.lock",
    ] {
        let place = Path::new(place);
        if place.exists() {
            println!("cargo:rerun-if-changed={}", place.display());
            hash_files(place, &mut hasher);
        }
    }
    hasher.finish()
}

/// Hashes the paths and contents of all files, in the order of their names.
fn hash_files(place: &Path, hasher: &mut DefaultHasher) {
    if place.is_dir() {
        for entry in list_sorted(place) {
            hash_files(&entry, hasher);
        }
        return;
    }

    let bytes = fs::read(place)
        .unwrap_or_else(|error| panic!("failed to read `{}`: {error}", place.display()));
    place.to_string_lossy().replace('\\', "/").hash(hasher);
    bytes.hash(hasher);
}

/// Finds all tables, in the order of their names, so that the output is the same on each machine.
fn find_tables(directory: &Path) -> Vec<PathBuf> {
    // A directory is named to Cargo, too, so that a new table is noticed.
    println!("cargo:rerun-if-changed={}", directory.display());
    let mut tables = Vec::new();
    for path in list_sorted(directory) {
        if path.is_dir() {
            tables.extend(find_tables(&path));
        } else if path.extension().is_some_and(|ending| ending == "toml") {
            tables.push(path);
        }
    }
    tables
}

/// The entries of a directory, in the order of their names.
fn list_sorted(directory: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(directory)
        .unwrap_or_else(|error| panic!("failed to list `{}`: {error}", directory.display()))
        .map(|entry| {
            entry
                .expect("a directory that was opened can be listed")
                .path()
        })
        .collect();
    entries.sort();
    entries
}

fn read_table(root: &Path, path: &Path) -> TableText {
    println!("cargo:rerun-if-changed={}", path.display());
    let text = fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("failed to read `{}`: {error}", path.display()));
    let name = path
        .strip_prefix(root)
        .expect("it was found below the root")
        .to_string_lossy()
        .replace('\\', "/");
    TableText { name, text }
}
