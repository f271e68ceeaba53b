//! What Cargo cannot refuse: inside a crate, a module imports from lower layers only, modules of one layer do not import
//! each other, and each outside package has its owner.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

/// The modules of the crates that have several, by layer, the lowest first. Between crates Cargo refuses what climbs.
const LAYERS: [&[&str]; 8] = [
    // core
    &["error", "text"],
    &["package", "toml_error"],
    &["report", "resolver", "manifest", "provenance"],
    &["advisory", "skill", "lockfile"],
    // registry and catalog
    &[
        "bundled",
        "catalog",
        "config",
        "credentials",
        "index",
        "site",
        "store",
        "vendor",
        "workspace",
    ],
    &["install", "sources", "tiers"],
    &["loaders"],
    // the program
    &["cli", "fuzz"],
];

/// Modules of crates that depend on `skillpm-io`, and that never name it: string literals are enough to test them.
const PURE: [&str; 1] = ["catalog"];

/// Crates whose modules are at their root: `crate::` is the crate itself there.
const FLAT: [&str; 6] = ["io", "lint", "lsp", "mcp", "merge", "ops"];

/// Outside packages, and the only modules that may name them. `ops` is free of clap and indicatif by this table, and of
/// `cli` by the floors.
const OWNERS: &[(&str, &[&str])] = &[
    ("gix", &["io/git"]),
    ("gix_attributes", &["io/git"]),
    (
        "reqwest",
        &[
            "io/http",
            "io/git/http",
            "io/git/remote",
            "io/git/mod",
            "io/git",
            "io/bucket",
        ],
    ),
    ("rustls_native_certs", &["io/git"]),
    ("object_store", &["io/bucket"]),
    (
        "base64",
        &[
            "io/git",
            "provenance",
            "lint/rules/security",
            "mcp/resources",
            "mcp/guard",
        ],
    ),
    ("keyring", &["io/keychain"]),
    ("tar", &["io/archive", "fuzz/archive"]),
    (
        "flate2",
        &["io/archive", "merge/patch/binary", "fuzz/archive"],
    ),
    ("zip", &["io/archive"]),
    ("sha2", &["package/checksum"]),
    ("ring", &["provenance/algorithm", "install/state_dir"]),
    ("granit_parser", &["skill/yaml"]),
    ("pubgrub", &["resolver"]),
    ("gix_merge", &["merge/text"]),
    ("gix_hash", &["merge/patch/binary"]),
    ("tiktoken_rs", &["skill/tokens"]),
    (
        "toml",
        &[
            "manifest",
            "lockfile",
            "config",
            "credentials",
            "install/target",
            "lint/baseline",
            "toml_error",
            "ops/catalog/agent_switches/codex",
            "ops/foreign/dotagents",
        ],
    ),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("indicatif", &["cli/render"]),
    ("ignore", &["io/ignore"]),
    ("regex", &["lint"]),
    ("regex_automata", &["lint/rules/security/pattern"]),
    ("regex_syntax", &["lint/rules/security/pattern"]),
    ("packageurl", &["ops/sbom_formats/purl"]),
    ("cvss", &["advisory/osv"]),
    ("spdx", &["lint", "manifest/policy"]),
    ("pulldown_cmark", &["lint/markdown", "site/markdown"]),
    ("annotate_snippets", &["cli/render"]),
    ("globset", &["lint"]),
    ("foldhash", &["lint", "tiers"]),
    ("mimalloc", &["main"]),
    ("signal_hook", &["io/unix"]),
    ("rustix", &["io/unix"]),
    ("same_file", &["io/portable"]),
    ("dunce", &["io/portable"]),
    ("junction", &["io/portable"]),
    ("terminal_size", &["cli/render/terminal"]),
    ("crossterm", &["cli/picker"]),
    ("inquire", &["cli"]),
    // Not `similar` alone, which is a module of `index`, too.
    (
        "similar::capture_diff_slices",
        &["merge/patch", "cli/render", "lsp/edits"],
    ),
    (
        "rustpython_ruff_python_parser",
        &["skill/formats/python", "lint/rules/scripts"],
    ),
    (
        "rustpython_ruff_python_ast",
        &["skill/formats/python", "lint/rules/scripts"],
    ),
    ("notify", &["io/watch"]),
    ("minijinja", &["catalog/emit/template", "site"]),
    ("rmcp", &["mcp"]),
    ("lsp_server", &["lsp"]),
    ("lsp_types", &["lsp"]),
    ("axum", &["mcp"]),
    ("diffy", &["merge/patch/apply", "skill/proposal/patch"]),
    ("std::fs", &["io", "fuzz/tarfile"]),
];

#[test]
fn imports_go_to_lower_layers_and_packages_have_owners() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut faults = Vec::new();
    let crates = fs::read_dir(root.join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    for dir in crates.chain([root.to_owned()]) {
        let src = dir.join("src");
        let name = dir.file_name().unwrap().to_str().unwrap();
        let is_flat = FLAT.contains(&name);
        // The program may use all, by the names that its facade gives them.
        let has_layers = !is_flat && dir != root;
        for file in sources(&src) {
            let path = file
                .strip_prefix(&src)
                .unwrap()
                .to_str()
                .unwrap()
                .replace('\\', "/");
            let path = if is_flat {
                format!("{name}/{path}")
            } else {
                path
            };
            let text = fs::read_to_string(&file).unwrap();
            let found = check(&path, &text).into_iter();
            faults.extend(found.filter(|fault| has_layers || fault.contains(" belongs to ")));
        }
    }
    assert!(
        faults.is_empty(),
        "{} imports break the rules:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// The only folder whose code may name what only Unix has. Tests may, anywhere: they run where it is.
const UNIX_FOLDER: &str = "crates/io/src/unix/";

/// Paths of Rust that only Unix has.
const UNIX_APIS: [&str; 6] = [
    "std::os::unix",
    "std::os::fd",
    "tokio::signal::unix",
    "rustix",
    "libc",
    "nix",
];

#[test]
fn only_one_folder_names_apis_of_unix() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let build_scripts = ["build.rs", "crates/io/build.rs", "crates/registry/build.rs"];
    let files = ["src", "crates"]
        .into_iter()
        .flat_map(|dir| sources(&root.join(dir)))
        .chain(build_scripts.map(|path| root.join(path)));

    let mut faults = Vec::new();
    for file in files {
        let path = file.strip_prefix(root).unwrap().to_str().unwrap();
        let path = path.replace('\\', "/");
        let text = fs::read_to_string(&file).unwrap();
        // The other implementation uses none of them in its tests either.
        let named = unix_apis(&text, path.starts_with("crates/io/src/portable/"));
        if !path.starts_with(UNIX_FOLDER) && !path.contains("/benches/") {
            faults.extend(named.iter().map(|api| format!("{path}:{api}")));
        }
    }
    assert!(
        faults.is_empty(),
        "`{UNIX_FOLDER}` is where they belong:\n{}",
        faults.join("\n")
    );
}

/// Every API of Unix that a file names, as `LINE: API`.
fn unix_apis(text: &str, with_tests: bool) -> Vec<String> {
    let all = tokens(text);
    let tokens = if with_tests { all } else { without_tests(&all) };
    let mut named = Vec::new();
    for (at, (line, word)) in tokens.iter().enumerate() {
        let is_start = at == 0 || tokens[at - 1].1 != "::";
        for api in UNIX_APIS.iter().filter(|_| is_start) {
            let parts: Vec<&str> = api.split("::").collect();
            let (first, rest) = parts.split_first().unwrap();
            // A name without a path after it is a variable.
            let is_path = tokens.get(at + 1).is_some_and(|next| next.1 == "::")
                || at > 0 && tokens[at - 1].1 == "use";
            let leads_on = |part: &usize| {
                let next = roots(&tokens, at + 2 * (part + 1));
                next.iter().any(|name| name == rest[*part])
            };
            if word == first && is_path && (0..rest.len()).all(|part| leads_on(&part)) {
                named.push(format!("{line}: {api}"));
            }
        }
    }
    named
}

#[test]
fn apis_of_unix_are_found_in_code() {
    for (text, found) in [
        ("use std::os::unix::fs::MetadataExt;", "1: std::os::unix"),
        ("\nfn f(fd: impl std::os::fd::AsFd) {}", "2: std::os::fd"),
        ("use std::os::{fd::AsFd, unix};", "1: std::os::fd"),
        ("fn f() { rustix::fs::syncfs(x) }", "1: rustix"),
        ("use libc;", "1: libc"),
        ("use tokio::signal::unix::signal;", "1: tokio::signal::unix"),
    ] {
        assert!(unix_apis(text, false).contains(&found.to_owned()), "{text}");
    }
    let none = "use std::os::windows::fs; // std::os::unix\n#[cfg(test)] use std::os::unix::fs; let nix = 1;";
    assert_eq!(unix_apis(none, false), [""; 0]);
    assert_eq!(unix_apis(none, true), ["2: std::os::unix"]);
}

fn sources(dir: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let (dirs, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let is_source = |path: &std::path::PathBuf| {
        path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs")
    };
    files
        .into_iter()
        .filter(is_source)
        .chain(dirs.iter().flat_map(|dir| sources(dir)))
        .collect()
}

/// Every broken rule in one file, as `src/FILE:LINE: RULE`. `path` is relative to `src`.
fn check(path: &str, text: &str) -> Vec<String> {
    let module = path.trim_end_matches(".rs").trim_end_matches("/mod");
    let room = module.split('/').next().unwrap_or(module);
    let tokens = without_tests(&tokens(text));
    let word = |at: usize| tokens.get(at).map_or("", |token| token.1.as_str());
    let mut faults = Vec::new();
    for at in 0..tokens.len() {
        let mut broken = |rule: String| faults.push(format!("src/{path}:{}: {rule}", tokens[at].0));
        if at > 0 && word(at - 1) == "::" {
            continue;
        }
        if let Some(start) = crate_root(&tokens, at, module) {
            let rooms = roots(&tokens, start);
            rooms
                .iter()
                .filter_map(|other| import_fault(room, other))
                .for_each(&mut broken);
        }
        if word(at) == "skillpm_io" && PURE.contains(&room) {
            broken(format!(
                "`{room}` imports `skillpm_io`, which it must be testable without"
            ));
        }
        let is_named = word(at + 1) == "::" || at > 0 && matches!(word(at - 1), "use" | "crate");
        for (package, owners) in OWNERS.iter().filter(|_| is_named) {
            let (outer, inner) = package.split_once("::").unwrap_or((package, ""));
            let named = word(at) == outer
                && (inner.is_empty() || roots(&tokens, at + 2).iter().any(|root| root == inner));
            let owned = owners.iter().any(|owner| {
                module
                    .strip_prefix(owner)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            });
            if named && !owned {
                broken(format!("`{package}` belongs to {}", owners.join(", ")));
            }
        }
    }
    faults
}

fn import_fault(module: &str, other: &str) -> Option<String> {
    let layer = |module: &str| LAYERS.iter().position(|modules| modules.contains(&module));
    if module == other || matches!(module, "lib" | "main") {
        return None;
    }
    let (Some(own), Some(its)) = (layer(module), layer(other)) else {
        return Some(format!(
            "`{module}` imports `crate::{other}`, and one of them has no layer in tests/suite/layers.rs"
        ));
    };
    if its > own {
        return Some(format!(
            "`{module}` (layer {own}) imports `{other}` (layer {its}), which is above it"
        ));
    }
    (its == own).then(|| format!("`{module}` imports `{other}`, which is of the same layer {own}"))
}

/// Where the path continues if it starts here at the root of the crate: `crate::…`, or as many `super::` as there are
/// modules above.
fn crate_root(tokens: &[Token], at: usize, module: &str) -> Option<usize> {
    let supers = tokens[at..]
        .chunks(2)
        .take_while(|pair| pair[0].1 == "super")
        .count();
    let is_crate =
        tokens[at].1 == "crate" && tokens.get(at + 1).is_some_and(|token| token.1 == "::");
    let climbs_out = supers > 0 && supers >= module.split('/').count();
    if is_crate {
        Some(at + 2)
    } else {
        climbs_out.then_some(at + 2 * supers)
    }
}

/// The first part of a path, or of each path in a group.
fn roots(tokens: &[Token], at: usize) -> Vec<String> {
    let Some(first) = tokens.get(at).filter(|token| token.1 == "{") else {
        return tokens
            .get(at)
            .map(|token| token.1.clone())
            .into_iter()
            .collect();
    };
    let mut depth = 0;
    let mut before = &first.1;
    let mut roots = Vec::new();
    for (_, word) in &tokens[at..] {
        depth += i32::from(word == "{") - i32::from(word == "}");
        if depth == 0 {
            break;
        }
        if depth == 1 && (before == "{" || before == ",") && word != "{" {
            roots.push(word.clone());
        }
        before = word;
    }
    roots
}

/// Line and text: an identifier, `::`, or one other character.
type Token = (usize, String);

/// What is skipped in a source file, and its words. It is compiled once, which takes a debug build longer than to read a file.
static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"(?x) //[^\n]* | /\*(?s:.*?)\*/
        | b?r\#\#"(?s:.*?)"\#\# | b?r\#"(?s:.*?)"\# | b?r"[^"]*" | b?"(?s:\\.|[^"\\])*"
        | b?'(\\[^\n]+?|[^\\'\n])' | '[a-z_]+
        | (?<word> [A-Za-z_][A-Za-z0-9_]* | :: | [^\ \t\r\n] )"#;
    Regex::new(pattern).unwrap()
});

/// The words of a source file, without comments, strings, characters and blanks.
fn tokens(text: &str) -> Vec<Token> {
    let words = WORDS
        .captures_iter(text)
        .filter_map(|captures| captures.name("word"));
    let (mut line, mut counted) = (1, 0);
    words
        .map(|word| {
            line += text[counted..word.start()].matches('\n').count();
            counted = word.start();
            (line, word.as_str().to_owned())
        })
        .collect()
}

/// The tokens but for items under `#[cfg(test)]` or `#[cfg(all(test, …))]`.
fn without_tests(tokens: &[Token]) -> Vec<Token> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let ahead: Vec<_> = tokens[at..]
            .iter()
            .take(7)
            .map(|token| token.1.as_str())
            .collect();
        if ahead.starts_with(&["#", "[", "cfg", "(", "test"])
            || ahead.starts_with(&["#", "[", "cfg", "(", "all", "(", "test"])
        {
            at = end_of_item(tokens, at);
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

fn end_of_item(tokens: &[Token], start: usize) -> usize {
    let mut depth = 0;
    for (at, (_, word)) in tokens.iter().enumerate().skip(start) {
        match word.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 && matches!(word.as_str(), "}" | ";") {
            return at + 1;
        }
    }
    tokens.len()
}

#[test]
fn checker_finds_each_kind_of_fault_with_its_line() {
    for (path, text, fault) in [
        (
            "sources/git.rs",
            "use crate::config::Config;\nuse crate::cli::Shell;",
            "2: `sources` (layer 5) imports `cli` (layer 7)",
        ),
        (
            "store.rs",
            "use crate::{store, config::{self, Config}};",
            "1: `store` imports `config`, which is of the same layer 4",
        ),
        (
            "catalog/mod.rs",
            "\n\nfn f() { skillpm_io::disk::read() }",
            "3: `catalog` imports `skillpm_io`",
        ),
        (
            "skill/yaml.rs",
            "use super::super::lockfile::Locked;",
            "1: `skill` imports `lockfile`, which is of the same",
        ),
        (
            "error.rs",
            "use super::package::Tree;",
            "1: `error` (layer 0) imports `package`",
        ),
        (
            "ops/add.rs",
            "#[derive(clap::Args)] struct A;",
            "1: `clap` belongs to cli",
        ),
        ("io/disk.rs", "use gix;", "1: `gix` belongs to io/git"),
        (
            "io/gitignore.rs",
            "use gix::Url;",
            "1: `gix` belongs to io/git",
        ),
        (
            "store.rs",
            "use std::{io::Write, fs::{self, File}};",
            "1: `std::fs` belongs to io",
        ),
        (
            "store.rs",
            "fn f() { std::fs::read(\"x\") }",
            "1: `std::fs` belongs to io",
        ),
        (
            "helpers.rs",
            "use crate::error::Error;",
            "1: `helpers` imports `crate::error`, and one of them has no layer",
        ),
        (
            "store.rs",
            "let s = r#\"a \" b\"#; let c = '\"'; use crate::cli;",
            "1: `store` (layer 4) imports `cli`",
        ),
        (
            "store.rs",
            "#[cfg(test)] use std::fs; fn f<'a>(x: &'a str) { crate::cli::x() }",
            "1: `store` (layer 4) imports `cli`",
        ),
    ] {
        let faults = check(path, text);
        assert!(
            faults.len() == 1 && faults[0].starts_with(&format!("src/{path}:{fault}")),
            "{text}: {faults:?}"
        );
    }
}

#[test]
fn checker_accepts_allowed_imports() {
    for (path, text) in [
        (
            "sources/git.rs",
            "use crate::{config::{self, Config}, store, sources::path};",
        ),
        (
            "store.rs",
            "// use crate::cli::Shell;\n/* clap:: */ const A: &str = \"crate::cli \\\" clap::\";",
        ),
        (
            "store.rs",
            "/// See [`crate::cli`].\nfn f() {}\n#[cfg(test)]\nmod tests { use crate::cli::Shell; fn g() { std::fs::read(\"x\"); } }",
        ),
        (
            "skill/yaml.rs",
            "use super::Skill; use super::formats::{self, nova}; use granit_parser::Parser;",
        ),
        ("skill/formats/nova.rs", "use super::super::body;"),
        ("io/git.rs", "use std::fs; use gix::Url; use super::disk;"),
        ("io/git/fetch.rs", "use gix::Url;"),
        (
            "config.rs",
            "let x: toml::Table = a.zip(b).collect(); self::tar::go();",
        ),
        (
            "tiers/mod.rs",
            "use skillpm_io::disk; use crate::catalog::Tier;",
        ),
        ("lib.rs", "pub use crate::cli::run;"),
    ] {
        assert_eq!(check(path, text), [""; 0], "{text}");
    }
}
