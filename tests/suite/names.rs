//! The rules of naming that can be counted (CONTRIBUTING.md, Names and words), over everything that is built or read:
//! public types in two words, no type name in three modules, functions that say what they do, tests whose names state a
//! fact, and no word that a user of cargo and git would not search for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Nouns of the field: each is the name of one type, and needs no second word.
const FIELD_NOUNS: &[&str] = &[
    "Advisory",
    "Candidates",
    "Catalog",
    "Checksum",
    "Config",
    "Conflict",
    "Diagnostic",
    "Error",
    "Index",
    "Lockfile",
    "Manifest",
    "Package",
    "Plan",
    "Policy",
    "Registry",
    "Result",
    "Rule",
    "Severity",
    "Signature",
    "Skill",
    "Source",
    "Span",
    "Store",
    "Tier",
    "Transaction",
    "Tree",
    "Version",
    "Workspace",
];

/// Associated types that traits of the standard library and of crates name.
const TRAIT_TYPES: &[&str] = &["Err", "Error", "Item", "Result", "Value"];

/// Words that nobody searches for, with those to use instead.
const WORDS: &[(&str, &str)] = &[
    ("amiss", "invalid"),
    ("anew", "again"),
    ("at hand", "cached, available"),
    ("behaviour", "behavior"),
    ("behaviours", "behaviors"),
    ("brought", "fetched"),
    ("desk", "state"),
    ("favour", "favor"),
    ("goes back on", "changes a published version"),
    ("heed", "check, follow"),
    ("heeds", "checks, follows"),
    ("held against", "checked against"),
    ("hold against", "check against"),
    ("holds against", "checks against"),
    ("honour", "honor"),
    ("honoured", "honored"),
    ("keeper", "owner, store"),
    ("keepers", "owners"),
    ("mend", "fix, repair"),
    ("mended", "fixed, repaired"),
    ("mending", "fixing, repairing"),
    ("mends", "fixes, repairs"),
    ("neighbour", "neighbor"),
    ("neighbours", "neighbors"),
    ("nobody", "no one, not … by any"),
    ("normalise", "normalize"),
    ("normalised", "normalized"),
    ("recognise", "recognize"),
    ("recognised", "recognized"),
    ("serialise", "serialize"),
    ("serialised", "serialized"),
    ("shelf", "cache"),
    ("somebody", "a user, someone"),
    ("stranger", "unknown, third party"),
    ("strangers", "unknown, third parties"),
    ("tell", "report, show"),
    ("tells", "reports, shows"),
    ("told", "reported, shown"),
    ("vouch", "sign"),
    ("vouched", "signed"),
    ("vouches", "signs"),
    ("whoever", "anyone who"),
];

/// Functions of one word that say nothing, with what they could be.
const FUNCTIONS: &[(&str, &str)] = &[
    ("below", "under, list_…"),
    ("hold", "lock"),
    ("judge", "classify, check"),
    ("look", "read, scan"),
    ("of", "from_…"),
    ("tell", "render, report"),
    ("told", "reported"),
];

/// The longest name of a test: with its module it fits into a line of a terminal.
const TEST_NAME_MAX: usize = 70;

/// Words that a test's name does not begin with: alone, the name does not say what it is about.
const UNCLEAR_BEGINNINGS: &[&str] = &[
    "by", "it", "its", "of", "that", "they", "those", "what", "whatever", "who", "whoever",
];

/// Where such a word is right: a path or its beginning, the words (none: all of them), and why.
const EXCEPTIONS: &[(&str, &[&str], &str)] = &[
    (
        "crates/lint/src/rules/security",
        &[
            "tell", "tells", "told", "nobody", "somebody", "brought", "at hand",
        ],
        "trigger words of instructions that attackers write, and texts in which nothing is found",
    ),
    (
        "crates/lint/src/rules/contents/links.rs",
        &["told"],
        "examples of skills",
    ),
    (
        "crates/lint/src/rules/formats/nova.rs",
        &["somebody"],
        "examples of skills",
    ),
    (
        "crates/registry/src/install/target/directories.rs",
        &["desk"],
        "AiderDesk is the name of a product",
    ),
    (
        "src/cli/commands/doctor.rs",
        &["mended"],
        "a key of the JSON that programs read",
    ),
    (
        "docs/schemas/README.md",
        &["mended"],
        "the same key, documented",
    ),
    (
        ".ci/adversarial",
        &["normalise"],
        "part of the name of a case",
    ),
    (
        "docs/durability.md",
        &["nobody"],
        "the name of a user of the system",
    ),
];

#[test]
fn public_types_have_two_words() {
    let single: Vec<String> = types()
        .into_iter()
        .filter(|found| found.is_public && humps(&found.name) == 1)
        .filter(|found| !FIELD_NOUNS.contains(&&*found.name))
        .filter(|found| !TRAIT_TYPES.contains(&&*found.name))
        .map(|found| format!("{}:{}: {}", found.file, found.line, found.name))
        .collect();
    assert!(
        single.is_empty(),
        "types with one word for a name, where two say which:\n{}",
        single.join("\n")
    );
}

#[test]
fn no_type_name_is_in_three_modules() {
    let mut files: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for found in types() {
        files.entry(found.name).or_default().insert(found.file);
    }
    let shared: Vec<String> = files
        .iter()
        .filter(|(name, files)| files.len() > 2 && !TRAIT_TYPES.contains(&name.as_str()))
        .map(|(name, files)| format!("{name}: {files:?}"))
        .collect();
    assert!(
        shared.is_empty(),
        "types that share their name with two others:\n{}",
        shared.join("\n")
    );
}

#[test]
fn functions_say_what_they_do() {
    let mut found = Vec::new();
    for path in sources() {
        let file = relative(&path);
        let text = fs::read_to_string(&path).unwrap();
        for (line, code) in production_lines(&file, &text) {
            let Some(name) = defined_function(code) else {
                continue;
            };
            for (word, instead) in FUNCTIONS.iter().filter(|(word, _)| *word == name) {
                found.push(format!("{file}:{line}: `{word}`: say {instead}"));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn names_of_tests_state_a_fact() {
    let tests = test_names();
    assert!(tests.len() > 1000, "only {} tests were found", tests.len());
    let found: Vec<String> = tests
        .iter()
        .flat_map(|(place, name)| {
            name_faults(name)
                .into_iter()
                .map(move |fault| format!("{place}: `{name}` {fault}"))
        })
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn faults_of_a_test_name_are_found() {
    assert!(name_faults("expired_index_is_refused").is_empty());
    assert_eq!(
        name_faults("what_nobody_mends"),
        [
            "begins with `what`",
            "has `mends`: say fixes, repairs",
            "has `nobody`: say no one, not … by any"
        ]
    );
    assert_eq!(
        name_faults(&"a".repeat(TEST_NAME_MAX + 1)),
        ["has 71 letters; the limit is 70"]
    );
}

#[test]
fn no_word_of_the_list_is_used() {
    let mut found = Vec::new();
    for path in sources().into_iter().chain(pages()) {
        let name = relative(&path);
        let text = fs::read_to_string(&path).unwrap();
        for (number, line) in production_lines(&name, &text) {
            let spoken = spaced(line);
            for (word, instead) in WORDS {
                if spoken.contains(&format!(" {word} ")) && !is_exception(&name, word) {
                    found.push(format!("{name}:{number}: `{word}`: say {instead}"));
                }
            }
        }
    }
    assert!(
        found.is_empty(),
        "{} words of no one's search:\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn every_exception_is_used() {
    for (path, words, reason) in EXCEPTIONS {
        assert!(!reason.is_empty());
        let texts: Vec<String> = sources()
            .into_iter()
            .chain(pages())
            .filter(|file| relative(file).starts_with(path))
            .map(|file| spaced(&fs::read_to_string(file).unwrap()))
            .collect();
        assert!(
            texts
                .iter()
                .any(|text| words.iter().any(|word| text.contains(&format!(" {word} ")))),
            "{path}"
        );
    }
}

struct FoundType {
    file: String,
    line: usize,
    name: String,
    is_public: bool,
}

fn types() -> Vec<FoundType> {
    let mut found = Vec::new();
    for path in sources() {
        let file = relative(&path);
        let text = fs::read_to_string(&path).unwrap();
        for (line, code) in production_lines(&file, &text) {
            if let Some((name, is_public)) = defined_type(code) {
                found.push(FoundType {
                    file: file.clone(),
                    line,
                    name,
                    is_public,
                });
            }
        }
    }
    assert!(found.len() > 1000, "only {} types were found", found.len());
    found
}

/// The type that a line defines, and whether it is public in any way.
fn defined_type(line: &str) -> Option<(String, bool)> {
    let line = line.trim_start();
    let (is_public, rest) = match line.strip_prefix("pub") {
        None => (false, line),
        Some(rest) => match rest.strip_prefix('(') {
            Some(inside) => (true, inside.split_once(')')?.1.trim_start()),
            None => (true, rest.strip_prefix(' ')?),
        },
    };
    let rest = ["struct ", "enum ", "trait ", "type ", "union "]
        .iter()
        .find_map(|keyword| rest.strip_prefix(keyword))?;
    let name: String = rest
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    name.starts_with(char::is_uppercase)
        .then_some((name, is_public))
}

/// The function that a line defines.
fn defined_function(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("fn ")?;
    let is_definition = before
        .split_whitespace()
        .all(|word| ["const", "async", "unsafe"].contains(&word) || word.starts_with("pub"));
    let name = rest.split(['(', '<']).next()?;
    is_definition.then_some(name)
}

/// Every test of the suite: its file and line, and its name.
fn test_names() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for path in files_below("tests/suite", "rs") {
        let text = fs::read_to_string(&path).unwrap();
        let mut is_test = false;
        for (at, line) in text.lines().enumerate() {
            is_test |= line.trim() == "#[test]";
            if let Some(name) = defined_function(line).filter(|_| is_test) {
                found.push((format!("{}:{}", relative(&path), at + 1), name.to_owned()));
                is_test = false;
            }
        }
    }
    found
}

/// What is wrong with the name of a test.
fn name_faults(name: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if name.len() > TEST_NAME_MAX {
        faults.push(format!(
            "has {} letters; the limit is {TEST_NAME_MAX}",
            name.len()
        ));
    }

    let beginning = name.split('_').next().unwrap_or_default();
    if UNCLEAR_BEGINNINGS.contains(&beginning) {
        faults.push(format!("begins with `{beginning}`"));
    }

    let spoken = spaced(name);
    for (word, instead) in WORDS {
        if spoken.contains(&format!(" {word} ")) {
            faults.push(format!("has `{word}`: say {instead}"));
        }
    }
    faults
}

/// How many words a name in camel case has: a run of capitals is one.
fn humps(name: &str) -> usize {
    let chars: Vec<char> = name.chars().collect();
    (0..chars.len())
        .filter(|&at| chars[at].is_uppercase())
        .filter(|&at| {
            let after_small = at == 0 || !chars[at - 1].is_uppercase();
            let before_small = chars.get(at + 1).is_some_and(|c| c.is_lowercase());
            after_small || before_small
        })
        .count()
}

/// A text in small words with one space around each: names in snake and camel case are taken apart.
fn spaced(text: &str) -> String {
    let mut spaced = String::from(" ");
    let mut last = ' ';
    for c in text.chars() {
        if c.is_alphabetic() {
            if c.is_uppercase() && last.is_lowercase() {
                spaced.push(' ');
            }
            spaced.extend(c.to_lowercase());
        } else if !spaced.ends_with(' ') {
            spaced.push(' ');
        }
        last = c;
    }
    spaced.push(' ');
    spaced
}

/// The lines of a file without its test modules, with their numbers from 1.
fn production_lines<'t>(file: &str, text: &'t str) -> Vec<(usize, &'t str)> {
    let is_source = Path::new(file).extension().is_some_and(|end| end == "rs");
    text.lines()
        .enumerate()
        .take_while(|(_, line)| !(is_source && *line == "#[cfg(test)]"))
        .map(|(at, line)| (at + 1, line))
        .collect()
}

fn is_exception(file: &str, word: &str) -> bool {
    EXCEPTIONS
        .iter()
        .any(|(path, words, _)| file.starts_with(path) && words.contains(&word))
}

/// Every source file that is built into the program, without files of tests.
fn sources() -> Vec<PathBuf> {
    let mut found = files_below("src", "rs");
    found.extend(files_below("crates", "rs"));
    found.retain(|path| {
        let name = relative(path);
        !name.ends_with("/tests.rs") && !name.contains("/tests/") && !name.ends_with("/samples.rs")
    });
    found
}

/// Every page and script that people read. `docs/rules.md` is made from the sources, which are checked.
fn pages() -> Vec<PathBuf> {
    let mut found = files_below("docs", "md");
    found.retain(|path| !path.ends_with("docs/rules.md"));
    for folder in [".", ".ci"] {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        let files = entries
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file());
        found.extend(
            files
                .filter(|path| folder == ".ci" || path.extension().is_some_and(|end| end == "md"))
                .map(|path| root().join(relative(&path))),
        );
    }
    found.sort();
    found
}

/// The files of that extension below a folder of the repository, sorted.
pub(crate) fn files_below(folder: impl AsRef<Path>, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn relative(path: &Path) -> String {
    let path = path.strip_prefix(root()).unwrap();
    let path = path.strip_prefix(".").unwrap_or(path);
    path.display().to_string()
}
