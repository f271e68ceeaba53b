//! The pages of `docs/`: every command that a page shows with its output runs here, as a reader types it, every other command
//! line is accepted by the program, and every link resolves.
//!
//! ````text
//! Write `skills/notes/SKILL.md`:            the next block is written to this file
//!
//! ```markdown
//! …
//! ```
//!
//! <!-- run: touch ~/seen -->                a step that is not shown; none in a tutorial or a how-to
//!
//! ```console
//! $ skillpm add ./notes                     run in a shell, in the directory where the one before ended
//!    Installed notes                        stdout and stderr; a line `...` means any lines, `…` any text in a line
//! $ skillpm show nope
//! error: …
//! $ echo $?                                 a command that fails is followed by this; any other must exit with 0
//! 1
//! ```
//! ````
//!
//! `SNAPSHOTS=overwrite cargo test --test suite -- documents::` writes outputs that differ into the pages.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use snapbox::IntoData;

use crate::names::{files_below, root};
use crate::support::{overwrites, report_count, skipped};

mod command_lines;
#[cfg(unix)]
mod fixtures;
#[cfg(unix)]
mod session;

/// The directories in which each page has commands, all of which run.
#[cfg(unix)]
const TESTED_DIRS: [&str; 2] = ["docs/tutorial", "docs/how-to"];

/// How many steps of a page are not shown, and why. A page of `TESTED_DIRS` has none, so that it can be followed as typed.
#[cfg(unix)]
const HIDDEN_STEPS: [(&str, usize, &str); 3] = [
    (
        "docs/advisories.md",
        2,
        "an index of others gets an advisory and a fixed version, and is damaged",
    ),
    ("docs/live.md", 2, "a skill changes while the command runs"),
    (
        "docs/lockfile.md",
        3,
        "two branches are merged, and a lockfile is damaged",
    ),
];

/// The page whose commands need `ssh-keygen`.
#[cfg(unix)]
const SIGNED_PAGE: &str = "docs/provenance.md";

/// What the URLs of files of this repository begin with, to which the book links.
const OWN_URLS: [&str; 2] = [
    "https://github.com/skillpm/skillpm/blob/main/",
    "https://github.com/skillpm/skillpm/tree/main/",
];

/// Directories and files whose links are checked.
const LINKED: [&str; 5] = [
    "docs",
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
];

/// How many commands of a page ran, and how many of these call skillpm.
#[cfg(unix)]
#[derive(Default)]
struct PageCount {
    commands: usize,
    skillpm: usize,
}

#[cfg(unix)]
#[test]
fn commands_of_the_pages_print_what_the_pages_show() {
    let mut pages = pages_of("docs");
    pages.push(root().join("README.md"));
    // It prints its usage and fails, but it is there.
    let has_keys = std::process::Command::new("ssh-keygen")
        .arg("-?")
        .output()
        .is_ok();
    if !has_keys {
        skipped("there is no ssh-keygen, which docs/provenance.md needs");
    }
    pages.retain(|page| {
        let is_runnable = has_keys || relative(page) != SIGNED_PAGE;
        is_runnable && fs::read_to_string(page).unwrap().contains("```console\n")
    });

    // Each page has a sandbox of its own, and mostly waits for the disk.
    let results: Vec<Result<PageCount, String>> = std::thread::scope(|scope| {
        let running: Vec<_> = pages
            .iter()
            .map(|page| {
                scope.spawn(move || {
                    session::run_page(&relative(page), &fs::read_to_string(page).unwrap())
                })
            })
            .collect();
        running.into_iter().map(|run| run.join().unwrap()).collect()
    });

    let mut total = PageCount::default();
    let mut faults = Vec::new();
    for (page, result) in pages.iter().zip(results) {
        match result {
            Ok(count) => {
                assert!(count.commands > 0, "{} has no command", relative(page));
                total.commands += count.commands;
                total.skillpm += count.skillpm;
            }
            Err(fault) => faults.push(fault),
        }
    }

    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    report_count(&format!(
        "documents: {} commands of {} pages ran, {} of them skillpm",
        total.commands,
        pages.len(),
        total.skillpm
    ));
}

#[cfg(unix)]
#[test]
fn tutorials_and_how_tos_hide_no_step() {
    let mut pages = pages_of("docs");
    pages.push(root().join("README.md"));
    let mut hidden: Vec<(String, usize)> = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let count = text.lines().filter_map(session::hidden_command).count();
        if count > 0 {
            hidden.push((relative(&page), count));
        }
    }

    let known = HIDDEN_STEPS.map(|(page, count, _)| (page.to_owned(), count));
    assert_eq!(hidden, known);
    for (page, _) in &hidden {
        let is_tested = TESTED_DIRS.iter().any(|dir| page.starts_with(dir));
        assert!(!is_tested, "{page} has to show each step");
    }
    let steps: usize = hidden.iter().map(|(_, count)| count).sum();
    report_count(&format!(
        "documents: {steps} steps of {} pages are not shown",
        hidden.len()
    ));
}

/// The recordings are made from the pages, whose outputs the test above compares.
#[cfg(unix)]
#[test]
fn recordings_match_the_pages() {
    let mut script = std::process::Command::new(root().join(".ci/recordings.py"));
    if !overwrites() {
        script.arg("--check");
    }
    let output = script.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn every_link_and_anchor_resolves() {
    let mut faults = Vec::new();
    let mut count = 0;
    let mut anchors: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    for page in LINKED.iter().flat_map(|linked| pages_of(linked)) {
        let text = fs::read_to_string(&page).unwrap();
        for (line, target) in links_of(&text) {
            let own = OWN_URLS.iter().find_map(|url| target.strip_prefix(url));
            if own.is_none() && (target.contains("://") || target.starts_with("mailto:")) {
                continue;
            }
            count += 1;

            let local = own.unwrap_or(&target);
            let (path, anchor) = local.split_once('#').unwrap_or((local, ""));
            let file = match own {
                Some(_) => root().join(path),
                None if path.is_empty() => page.clone(),
                None => page.parent().unwrap().join(path),
            };
            let Ok(file) = file.canonicalize() else {
                faults.push(format!("{}:{line}: no file `{path}`", relative(&page)));
                continue;
            };
            let docs = root().join("docs");
            if own.is_none() && page.starts_with(&docs) && !file.starts_with(&docs) {
                faults.push(format!(
                    "{}:{line}: `{path}` is not in the book; name its URL",
                    relative(&page)
                ));
            }
            let known = anchors
                .entry(file.clone())
                .or_insert_with(|| anchors_of(&file));
            if !anchor.is_empty() && !known.contains(anchor) {
                faults.push(format!(
                    "{}:{line}: no anchor in `{target}`",
                    relative(&page)
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    report_count(&format!("documents: {count} links resolve"));
}

/// A block of `sh` would not run.
#[cfg(unix)]
#[test]
fn commands_of_tested_pages_are_in_console_blocks() {
    for page in TESTED_DIRS.iter().flat_map(|dir| pages_of(dir)) {
        let text = fs::read_to_string(&page).unwrap();
        for block in ["```sh", "```bash", "```shell"] {
            assert!(!text.contains(block), "{}: {block}", relative(&page));
        }
    }
}

/// A page that the book does not list has no place in it.
#[test]
fn summary_lists_every_page_once() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut listed: Vec<String> = links_of(&summary)
        .into_iter()
        .map(|(_, target)| format!("docs/{target}"))
        .collect();
    listed.sort();
    let pages: Vec<String> = pages_of("docs")
        .iter()
        .map(|page| relative(page))
        .filter(|page| page != "docs/SUMMARY.md")
        .collect();
    assert_eq!(listed, pages);
}

/// Help, messages and comments refer to pages by path, such as `docs/linting.md`.
#[test]
fn pages_that_the_sources_name_exist() {
    let mut missing = Vec::new();
    let mut count = 0;
    for file in ["src", "crates"]
        .iter()
        .flat_map(|dir| files_below(root().join(dir), "rs"))
        .filter(|file| !file.ends_with("tests.rs"))
    {
        let text = fs::read_to_string(&file).unwrap();
        let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for (at, _) in text.match_indices("docs/") {
            let rest = &text[at..];
            let end = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || "/._-".contains(c)))
                .unwrap_or(rest.len());
            let path = rest[..end].trim_end_matches('.');
            let is_page = Path::new(path).extension().is_some_and(|end| end == "md");
            if is_page && !text[..at].ends_with(['/', '-']) {
                count += 1;
                if !root().join(path).exists() {
                    missing.push(format!("{}: {path}", relative(&file)));
                }
            }
        }
    }
    assert!(count > 20, "only {count} pages are named");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn readme_has_at_most_150_lines() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let lines = text.lines().count();
    assert!(lines <= 150, "{lines} lines");
}

/// The markdown of a directory, or one page.
fn pages_of(path: &str) -> Vec<PathBuf> {
    let path = root().join(path);
    if path.is_file() {
        return vec![path];
    }
    files_below(&path, "md")
}

/// The lines of a page outside of fenced blocks, with their numbers from 1.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let ticks = &trimmed[..trimmed.len() - trimmed.trim_start_matches('`').len()];
        match fence {
            Some(open) if ticks.len() >= open.len() && trimmed == ticks => fence = None,
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => lines.push((at + 1, line)),
            Some(_) => {}
        }
    }
    lines
}

/// The targets of the links in a page, `[text](target)`, with their lines. A link may go over two lines.
fn links_of(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        // Code is no link: `[a](b)`.
        let spoken: String = line
            .split('`')
            .enumerate()
            .map(|(at, part)| if at % 2 == 0 { part } else { "" })
            .collect();
        for (at, _) in spoken.match_indices("](") {
            if let Some(end) = spoken[at..].find(')') {
                found.push((number, spoken[at + 2..at + end].to_owned()));
            }
        }
    }
    found
}

/// The anchors of a page: those that GitHub and mdBook derive from its headings, and `<a id="…">`.
fn anchors_of(file: &Path) -> BTreeSet<String> {
    let Ok(text) = fs::read_to_string(file) else {
        return BTreeSet::new();
    };
    let mut found = BTreeSet::new();
    for (_, line) in prose(&text) {
        // A row of a table has no heading.
        let named = line.split("<a id=\"").skip(1);
        found.extend(named.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));

        let heading = line.trim_start_matches('#');
        if heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let anchor = anchor_of(heading);
        let again = (1..).map(|count| format!("{anchor}-{count}"));
        let free = std::iter::once(anchor.clone())
            .chain(again)
            .find(|one| !found.contains(one));
        found.extend(free);
    }
    found
}

fn anchor_of(heading: &str) -> String {
    // The text of a link, without its target.
    let mut text = heading.trim().to_owned();
    while let Some(at) = text.find("](") {
        let end = text[at..].find(')').map_or(text.len(), |end| at + end + 1);
        text.replace_range(at..end, "");
    }
    text.to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// Whether an output is as shown: a line `...` means any lines, `…` any text in a line. If it is not, where they differ.
#[cfg(unix)]
fn compare_output(actual: &str, shown: &str) -> Result<(), String> {
    let shown = shown.replace('…', "[..]");
    snapbox::Assert::new()
        .try_eq(None, actual.into_data(), shown.into_data())
        .map_err(|error| error.to_string())
}

fn relative(path: &Path) -> String {
    let path = path.strip_prefix(root()).unwrap();
    path.to_str().unwrap().replace('\\', "/")
}

#[test]
fn anchors_follow_headings() {
    assert_eq!(anchor_of(" `serve --http`"), "serve---http");
    assert_eq!(anchor_of(" What [git](a.md) does: A/B"), "what-git-does-ab");
}

#[test]
fn links_in_code_are_none() {
    let text = "[a](b.md#c) `[d](e)`\n```text\n[f](g)\n```\n[h](i)\n";
    assert_eq!(
        links_of(text),
        [(1, "b.md#c".to_owned()), (5, "i".to_owned())]
    );
}

#[cfg(unix)]
#[test]
fn abbreviated_output_fits_and_another_does_not() {
    assert!(compare_output("a 1\nb\nc", "a …\n...\nc").is_ok());
    assert!(compare_output("a 1\nb\nc", "a …\nc").is_err());
}
