//! Holds the imports of `src/` to the floors of the house: a room imports from lower floors only, neighbours on a floor
//! do not import each other, and each outside package has its owner.

use std::fs;
use std::path::Path;

/// The rooms by floor, the ground floor first.
const FLOORS: [&[&str]; 10] = [
    &["error"],
    &["package"],
    &["report", "resolver", "manifest", "merge", "bundled", "provenance"],
    &["advisory", "skill", "lockfile", "io"],
    &["lint", "catalog", "index", "config", "credentials", "foreign", "sbom", "site", "store", "vendor", "workspace"],
    &["sources", "install", "tiers"],
    &["ops"],
    &["mcp"],
    &["cli"],
    &["fuzz"],
];

/// The rooms that never import `io`, so that string literals are enough to test them.
const PURE: [&str; 10] =
    ["advisory", "provenance", "resolver", "manifest", "lockfile", "skill", "lint", "catalog", "foreign", "sbom"];

/// Outside packages, and the only modules that may name them. `ops` is free of clap and indicatif by this table, and of
/// `cli` by the floors.
const OWNERS: &[(&str, &[&str])] = &[
    ("gix", &["io/git"]),
    ("reqwest", &["io/http", "io/git/http", "io/git/remote", "io/git/mod", "io/git", "io/bucket"]),
    ("object_store", &["io/bucket"]),
    ("base64", &["io/git", "provenance", "lint/rules/security", "mcp/resources"]),
    ("keyring", &["io/keychain"]),
    ("tar", &["io/archive", "fuzz/archive"]),
    ("flate2", &["io/archive", "merge/patch/binary", "fuzz/archive"]),
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
        &["manifest", "lockfile", "config", "credentials", "install/target", "lint/baseline", "foreign/dotagents"],
    ),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("indicatif", &["cli/render"]),
    ("ignore", &["io/ignore"]),
    ("regex", &["lint"]),
    ("regex_automata", &["lint/rules/security/form"]),
    ("regex_syntax", &["lint/rules/security/form"]),
    ("packageurl", &["sbom/purl"]),
    ("cvss", &["advisory/osv"]),
    ("spdx", &["lint", "manifest/policy"]),
    ("pulldown_cmark", &["lint/markdown"]),
    ("annotate_snippets", &["cli/render"]),
    ("globset", &["lint"]),
    ("foldhash", &["lint"]),
    ("mimalloc", &["main"]),
    ("signal_hook", &["io/disk/limit"]),
    // Not `similar` alone, which is a module of `index`, too.
    ("similar::capture_diff_slices", &["merge/patch", "cli/render"]),
    ("rustpython_ruff_python_parser", &["skill/formats/python", "lint/rules/scripts"]),
    ("rustpython_ruff_python_ast", &["skill/formats/python", "lint/rules/scripts"]),
    ("notify", &["io/watch"]),
    ("minijinja", &["catalog/emit/template"]),
    ("rmcp", &["mcp"]),
    ("axum", &["mcp"]),
    ("diffy", &["merge/patch/read", "skill/proposal/patch"]),
    ("std::fs", &["io", "fuzz/tarfile"]),
];

#[test]
fn imports_run_downstairs_and_every_package_has_its_owner() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut faults = Vec::new();
    for file in sources(&root.join("src")).into_iter().chain(sources(&root.join("crates"))) {
        let path = room_path(file.strip_prefix(root).unwrap().to_str().unwrap());
        faults.extend(check(&path, &fs::read_to_string(&file).unwrap()));
    }
    assert!(faults.is_empty(), "{} imports break the house's rules:\n{}", faults.len(), faults.join("\n"));
}

/// The path of a file as if all rooms were below `src`: the directory of a crate is a room itself, or has rooms.
fn room_path(path: &str) -> String {
    let Some((name, inside)) = path.strip_prefix("crates/").and_then(|rest| rest.split_once("/src/")) else {
        return path.trim_start_matches("src/").to_owned();
    };
    let inside = inside.replace("sbom_formats/", "sbom/");
    let is_room = matches!(name, "io" | "lint" | "mcp" | "merge" | "ops")
        && !inside.starts_with("foreign/")
        && !inside.starts_with("sbom/");
    let inside = if is_room && inside == "lib.rs" { "mod.rs".to_owned() } else { inside };
    if is_room { format!("{name}/{inside}") } else { inside }
}

fn sources(dir: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let (dirs, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let is_source =
        |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs");
    files.into_iter().filter(is_source).chain(dirs.iter().flat_map(|dir| sources(dir))).collect()
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
            rooms.iter().filter_map(|other| import_fault(room, other)).for_each(&mut broken);
        }
        let is_named = word(at + 1) == "::" || at > 0 && matches!(word(at - 1), "use" | "crate");
        for (package, owners) in OWNERS.iter().filter(|_| is_named) {
            let (outer, inner) = package.split_once("::").unwrap_or((package, ""));
            let named =
                word(at) == outer && (inner.is_empty() || roots(&tokens, at + 2).iter().any(|root| root == inner));
            let owned = owners
                .iter()
                .any(|owner| module.strip_prefix(owner).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
            if named && !owned {
                broken(format!("`{package}` belongs to {}", owners.join(", ")));
            }
        }
    }
    faults
}

fn import_fault(room: &str, other: &str) -> Option<String> {
    let floor = |room: &str| FLOORS.iter().position(|rooms| rooms.contains(&room));
    if room == other || matches!(room, "lib" | "main") {
        return None;
    }
    let (Some(own), Some(its)) = (floor(room), floor(other)) else {
        return Some(format!(
            "`{room}` imports `crate::{other}`, and one of them has no floor in tests/suite/layers.rs"
        ));
    };
    if its > own {
        return Some(format!("`{room}` (floor {own}) imports `{other}` (floor {its}); imports run downstairs only"));
    }
    if its == own {
        return Some(format!("`{room}` imports its neighbour `{other}` on floor {own}"));
    }
    (other == "io" && PURE.contains(&room)).then(|| format!("`{room}` imports `io`, which it must be testable without"))
}

/// Where the path continues if it starts here at the root of the crate: `crate::…`, or as many `super::` as there are
/// modules above.
fn crate_root(tokens: &[Token], at: usize, module: &str) -> Option<usize> {
    let supers = tokens[at..].chunks(2).take_while(|pair| pair[0].1 == "super").count();
    let is_crate = tokens[at].1 == "crate" && tokens.get(at + 1).is_some_and(|token| token.1 == "::");
    let climbs_out = supers > 0 && supers >= module.split('/').count();
    if is_crate { Some(at + 2) } else { climbs_out.then_some(at + 2 * supers) }
}

/// The first part of a path, or of each path in a group.
fn roots(tokens: &[Token], at: usize) -> Vec<String> {
    let Some(first) = tokens.get(at).filter(|token| token.1 == "{") else {
        return tokens.get(at).map(|token| token.1.clone()).into_iter().collect();
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

/// The words of a source file, without comments, strings, characters and blanks.
fn tokens(text: &str) -> Vec<Token> {
    let pattern = r#"(?x) //[^\n]* | /\*(?s:.*?)\*/
        | b?r\#\#"(?s:.*?)"\#\# | b?r\#"(?s:.*?)"\# | b?r"[^"]*" | b?"(?s:\\.|[^"\\])*"
        | b?'(\\[^\n]+?|[^\\'\n])' | '[a-z_]+
        | (?<word> [A-Za-z_][A-Za-z0-9_]* | :: | [^\ \t\r\n] )"#;
    let regex = regex::Regex::new(pattern).unwrap();
    let words = regex.captures_iter(text).filter_map(|captures| captures.name("word"));
    words.map(|word| (1 + text[..word.start()].matches('\n').count(), word.as_str().to_owned())).collect()
}

/// The tokens but for items under `#[cfg(test)]` or `#[cfg(all(test, …))]`.
fn without_tests(tokens: &[Token]) -> Vec<Token> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let ahead: Vec<_> = tokens[at..].iter().take(7).map(|token| token.1.as_str()).collect();
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
fn the_checker_finds_each_kind_of_fault_and_its_line() {
    for (path, text, fault) in [
        (
            "ops/add.rs",
            "use crate::error::Error;\nuse crate::cli::Shell;",
            "2: `ops` (floor 6) imports `cli` (floor 8)",
        ),
        (
            "store.rs",
            "use crate::{error, config::{self, Config}};",
            "1: `store` imports its neighbour `config` on floor 4",
        ),
        ("lint/mod.rs", "\n\nfn f() { crate::io::disk::read() }", "3: `lint` imports `io`"),
        ("skill/yaml.rs", "use super::super::io::disk;", "1: `skill` imports its neighbour `io`"),
        ("error.rs", "use super::package::Tree;", "1: `error` (floor 0) imports `package`"),
        ("ops/add.rs", "#[derive(clap::Args)] struct A;", "1: `clap` belongs to cli"),
        ("io/disk.rs", "use gix;", "1: `gix` belongs to io/git"),
        ("io/gitignore.rs", "use gix::Url;", "1: `gix` belongs to io/git"),
        ("store.rs", "use std::{io::Write, fs::{self, File}};", "1: `std::fs` belongs to io"),
        ("store.rs", "fn f() { std::fs::read(\"x\") }", "1: `std::fs` belongs to io"),
        ("helpers.rs", "use crate::error::Error;", "1: `helpers` imports `crate::error`, and one of them has no floor"),
        ("ops/add.rs", "let s = r#\"a \" b\"#; let c = '\"'; use crate::mcp;", "1: `ops` (floor 6) imports `mcp`"),
        (
            "ops/add.rs",
            "#[cfg(test)] use std::fs; fn f<'a>(x: &'a str) { crate::cli::x() }",
            "1: `ops` (floor 6) imports `cli`",
        ),
    ] {
        let faults = check(path, text);
        assert!(faults.len() == 1 && faults[0].starts_with(&format!("src/{path}:{fault}")), "{text}: {faults:?}");
    }
}

#[test]
fn the_checker_lets_pass_what_is_allowed() {
    for (path, text) in [
        ("ops/add.rs", "use crate::{error::{Error, Result}, package, sources::git, ops::sync};"),
        ("ops/add.rs", "// use crate::cli::Shell;\n/* clap:: */ const A: &str = \"crate::cli \\\" clap::\";"),
        (
            "ops/add.rs",
            "/// See [`crate::cli`].\nfn f() {}\n#[cfg(test)]\nmod tests { use crate::cli::Shell; fn g() { std::fs::read(\"x\"); } }",
        ),
        ("skill/yaml.rs", "use super::Skill; use super::formats::{self, nova}; use granit_parser::Parser;"),
        ("skill/formats/nova.rs", "use super::super::body;"),
        ("io/git.rs", "use std::fs; use gix::Url; use super::disk;"),
        ("io/git/fetch.rs", "use gix::Url;"),
        ("config.rs", "let x: toml::Table = a.zip(b).collect(); self::tar::go();"),
        ("lib.rs", "pub use crate::cli::run;"),
    ] {
        assert_eq!(check(path, text), [""; 0], "{text}");
    }
}
