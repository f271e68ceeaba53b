//! Text of others in the output of every command: nothing of it acts on a terminal, hides from a reader, or is a command of
//! the build service whose log it is.

#![cfg(unix)]

use std::sync::Arc;

use serde_json::json;

use crate::support::{IndexDir, Repo, Sandbox, Server};

/// One of each kind of what a reader does not see, and what a terminal obeys.
const UNSEEN: &str = "a\u{200b}b\u{200d}c\u{2060}d\u{ad}e\u{34f}f\u{3164}g\u{fe0f}h\u{e0100}i\u{200e}j\u{2800}k\u{e0041}l\u{202e}m\
                      \u{feff}n\u{2028}o\u{9b}p\u{85}q\u{1b}[31mr\u{7}";

/// Lines that GitHub Actions and Azure Pipelines obey in a log.
const COMMANDS: &str =
    "x\n##vso[task.setvariable variable=A]evil\n  ::error::evil\n\r::warning::evil";

fn hostile() -> String {
    format!("{UNSEEN} {COMMANDS}")
}

/// A text in YAML and JSON, with all but ASCII escaped.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            ' '..='~' if !matches!(c, '"' | '\\') => quoted.push(c),
            _ => quoted.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    quoted + "\""
}

/// A skill that says it with every field that it has.
fn page(name: &str) -> String {
    let text = quoted(&hostile());
    format!(
        "---\nname: {name}\ndescription: {text}\nlicense: {text}\ncompatibility: {text}\ntags: [{text}]\nallowed-tools: {text}\n\
         requires: [{text}]\nmetadata:\n  author: {text}\n  display-name: {text}\n  version: {text}\n  {text}: {text}\n---\n\
         # {UNSEEN}\n\nText {UNSEEN}.\n[link]({UNSEEN}.md)\n"
    )
}

struct World {
    sandbox: Sandbox,
    repo: Repo,
    index: IndexDir,
    server: Server,
}

/// A project with hostile skills of its own, a repository, a registry and a server that say hostile things.
fn world() -> World {
    let sandbox = Sandbox::project_here();
    sandbox.write("skills/own/SKILL.md", page("own"));
    sandbox.write(&format!("skills/own/references/{UNSEEN}.md"), "x");
    sandbox.write(&format!("skills/own/{COMMANDS}.md"), "x");
    sandbox.write(&format!("skills/{COMMANDS}/SKILL.md"), page("b"));
    sandbox.write(&format!("skills/{UNSEEN}/SKILL.md"), page("c"));
    sandbox.write("::error::here/SKILL.md", page("d"));
    sandbox.write("##vso[here]/SKILL.md", "no skill");
    sandbox.write(&format!(".agents/skills/{COMMANDS}/SKILL.md"), page("e"));
    sandbox.write("new.md", page("own") + "More.\n");
    sandbox.write(
        ".skillpm/proposals/forged.md",
        format!(
            "---\nid: forged\nskill: {}\n---\n{}",
            quoted(&hostile()),
            hostile()
        ),
    );

    let repo = Repo::new(&sandbox, "skills");
    repo.config("user.name", UNSEEN)
        .write("skills/demo/SKILL.md", page("demo"))
        .write("skills/plain/SKILL.md", page("plain"))
        .write(&format!("skills/{COMMANDS}/SKILL.md"), page("other"))
        .commit(&hostile())
        .tag("v1.0.0\u{200b}\u{200e}")
        .branch("b\u{200b}\u{200e}");

    let index = IndexDir::new(&sandbox, "../www/index");
    index.publish_with("acme/pdf", "1.0.0", &[], |entry| {
        for key in ["description", "license", "repository", "homepage"] {
            entry[key] = hostile().into();
        }
        entry["authors"] = json!([hostile()]);
        entry["keywords"] = json!([hostile()]);
    });
    index.publish_with("acme/gone", "1.0.0", &[], |entry| {
        entry["yanked"] = true.into();
        entry["reason"] = hostile().into();
    });
    index.owned_by("acme/pdf", &["someone\u{200b}\u{202e}"]);
    IndexDir::configure(&sandbox, "acme", &index.url());

    let server = Server::start(&sandbox);
    // Whatever it is asked for.
    server.handle(Arc::new(|_, path| {
        let status = if path.contains("bad") { 403 } else { 200 };
        Some((status, "text/plain", hostile().into_bytes()))
    }));
    World {
        sandbox,
        repo,
        index,
        server,
    }
}

/// The flags without which the gate refuses what is hidden.
const ALLOWED: &str = "--allow-finding SK701,SK702,SK703,SK704,SK705";

/// Each command with what it is run with, in this order.
#[expect(clippy::too_many_lines, reason = "a table of all commands")]
fn cases(world: &World) -> Vec<(&'static str, Vec<String>)> {
    let (repo, server) = (world.repo.url(), world.server.url(""));
    let lines = |lines: &[&str]| {
        lines
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<String>>()
    };
    vec![
        ("init", lines(&["init"])),
        ("new", lines(&["new tidy"])),
        (
            "add",
            vec![
                format!("add ./skills/own {ALLOWED}"),
                format!("add {repo} --skill demo {ALLOWED}"),
                format!("add {repo} --skill demo"),
                format!("add {repo} --skill nothing"),
                format!("add {repo}"),
                format!("add acme/pdf --registry acme {ALLOWED}"),
                format!("add {server}bad.tar.gz"),
                format!("add {server}"),
            ],
        ),
        (
            "install",
            lines(&["install", "install --locked", "install -v"]),
        ),
        (
            "update",
            lines(&["update", "update --dry-run", "update -v"]),
        ),
        ("lock", lines(&["lock"])),
        ("outdated", lines(&["outdated"])),
        ("patch", lines(&["patch demo"])),
        ("restore", lines(&["restore demo --dry-run"])),
        ("disable", lines(&["disable demo --dry-run"])),
        ("enable", lines(&["enable demo --dry-run"])),
        (
            "list",
            lines(&["list", "list --agent claude-code", "list --tokens"]),
        ),
        ("status", lines(&["status"])),
        ("tree", lines(&["tree"])),
        ("why", lines(&["why demo", "why own"])),
        (
            "search",
            lines(&[
                "search pdf --registry acme --refresh",
                "search own --installed",
            ]),
        ),
        (
            "info",
            vec![
                "info acme/pdf --registry acme --versions".to_owned(),
                "info acme/gone --registry acme --versions".to_owned(),
                format!("info {repo} --skill demo"),
                "info ./skills/own".to_owned(),
            ],
        ),
        ("show", lines(&["show own --files", "show demo --files"])),
        ("verify", lines(&["verify", "verify -v"])),
        (
            "audit",
            lines(&[
                "audit",
                "audit --low",
                "audit --capabilities",
                "audit skills --format short",
            ]),
        ),
        ("sbom", lines(&["sbom", "sbom --format spdx"])),
        (
            "lint",
            lines(&[
                "lint",
                "lint --format short",
                "lint --statistics",
                "lint .",
                "lint ::error::here --format short",
            ]),
        ),
        ("validate", lines(&["validate", "validate skills"])),
        ("package", lines(&["package skills/own --list"])),
        (
            "convert",
            lines(&["convert skills/own --to nova --out ../converted"]),
        ),
        (
            "proposals new",
            lines(&["proposals new own --file new.md -j Faster."]),
        ),
        (
            "proposals list",
            lines(&["proposals list", "proposals list --all"]),
        ),
        ("proposals show", lines(&["proposals show nothing"])),
        ("proposals reject", lines(&["proposals reject own"])),
        ("proposals apply", lines(&["proposals apply own"])),
        ("publish", lines(&["publish --dry-run --registry acme"])),
        ("yank", lines(&["yank acme/pdf@9.9.9 --registry acme"])),
        (
            "registry yank",
            lines(&["registry yank acme/pdf@9.9.9 --registry acme"]),
        ),
        (
            "registry owner list",
            lines(&["registry owner list acme/pdf --registry acme"]),
        ),
        (
            "registry owner add",
            lines(&["registry owner add acme/pdf nobody --registry acme"]),
        ),
        (
            "registry owner remove",
            lines(&["registry owner remove acme/pdf nobody --registry acme"]),
        ),
        (
            "owner list",
            lines(&["owner list acme/pdf --registry acme"]),
        ),
        (
            "owner add",
            lines(&["owner add acme/pdf nobody --registry acme"]),
        ),
        (
            "owner remove",
            lines(&["owner remove acme/pdf nobody --registry acme"]),
        ),
        ("registry new", lines(&["registry new ../new-index"])),
        ("registry check", lines(&["registry check ../www/index"])),
        ("registry advise", lines(&["registry advise ../www/index"])),
        ("registry renew", lines(&["registry renew ../www/index"])),
        ("registry site", lines(&["registry site ../site"])),
        ("agents list", lines(&["agents list"])),
        ("agents add", lines(&["agents add claude-code"])),
        ("agents remove", lines(&["agents remove claude-code"])),
        ("import", lines(&["import --dry-run", "import --gather"])),
        ("vendor", lines(&["vendor"])),
        ("bundle", lines(&["bundle"])),
        ("doctor", lines(&["doctor"])),
        ("cache size", lines(&["cache size"])),
        ("cache dir", lines(&["cache dir"])),
        ("cache verify", lines(&["cache verify"])),
        ("cache prune", lines(&["cache prune --dry-run"])),
        ("cache clean", lines(&["cache clean"])),
        ("config list", lines(&["config list"])),
        ("config get", lines(&["config get registry.default"])),
        ("config set", lines(&["config set net.jobs 4"])),
        ("config unset", lines(&["config unset net.jobs"])),
        ("diff", lines(&["diff --stat"])),
        ("remove", lines(&["remove nothing", "remove demo"])),
        ("undo", lines(&["undo --list", "undo"])),
        ("logout", lines(&["logout --registry acme"])),
        ("login", lines(&["login --registry nothing"])),
        (
            "registry logout",
            lines(&["registry logout --registry acme"]),
        ),
        (
            "registry login",
            lines(&["registry login --registry nothing"]),
        ),
    ]
}

/// Commands that are not run here, and why.
const OTHERS: [(&str, &str); 10] = [
    (
        "catalog",
        "prints data for agents, which keeps its characters (docs/catalog.md)",
    ),
    ("serve", "a protocol of its own, on stdout"),
    ("lsp", "a protocol of its own, on stdout"),
    (
        "watch",
        "runs until it is ended; its lines go through the same writer",
    ),
    ("completions", "prints a script of its own"),
    ("man", "prints pages of its own"),
    // Only their subcommands print something.
    ("owner", ""),
    ("registry", ""),
    ("cache", ""),
    ("agents", ""),
];

fn is_unseen(c: char) -> bool {
    let is_layout = matches!(c, '\n' | '\t');
    c.is_control() && !is_layout
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

/// What is wrong with an output, if anything is.
fn fault(text: &str) -> Option<String> {
    if let Some(c) = text.chars().find(|c| is_unseen(*c)) {
        return Some(format!("prints {} raw", c.escape_unicode()));
    }
    let is_command = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("##") || line.starts_with("::")
    };
    let line = text.lines().find(is_command);
    line.map(|line| format!("begins a line with `{line}`"))
}

#[test]
fn foreign_text_is_escaped_in_the_output_of_every_command() {
    let world = world();
    let mut faults = Vec::new();
    for (command, lines) in cases(&world) {
        for line in lines {
            assert!(line.starts_with(command), "{line}");
            for format in ["", " --format json"] {
                // Those with a format of their own are run in it alone.
                if !format.is_empty() && (line.contains("--format") || command == "sbom") {
                    continue;
                }
                let run = world.sandbox.skillpm(format!("{line}{format}"));
                let outcome = run.exits_one_of([0, 1, 2, 3, 4, 5, 6, 7]);
                let (out, err) = (outcome.stdout_text(), outcome.stderr_text());
                if err.contains("Usage:") {
                    faults.push(format!("{line}{format}: {err}"));
                }
                for text in [out, err] {
                    faults.extend(fault(text).map(|fault| format!("{line}{format}: {fault}")));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    drop(world.index);
}

#[test]
fn commands_of_github_are_only_those_of_the_format() {
    let world = world();
    let outcome = world
        .sandbox
        .skillpm("lint --format github")
        .exits_one_of([0, 1]);
    for line in outcome.stdout_text().lines() {
        let own = ["::error ", "::warning ", "::notice ", "skillpm found "];
        assert!(own.iter().any(|own| line.starts_with(own)), "{line}");
    }
    assert_eq!(outcome.stdout_text().chars().find(|c| is_unseen(*c)), None);
}

#[test]
fn files_and_patches_are_escaped_on_a_terminal() {
    let world = world();
    let sandbox = &world.sandbox;
    sandbox
        .skillpm(format!(
            "add {} --skill demo --branch master {ALLOWED}",
            world.repo.url()
        ))
        .exits_one_of([0, 1, 2, 3]);
    let line = format!("add {} --skill demo {ALLOWED}", world.repo.url());
    sandbox.skillpm(line).exits_one_of([0, 1, 2]);
    sandbox
        .skillpm("propose own --file new.md -j Faster.")
        .exits(0);
    world
        .repo
        .write(
            "skills/demo/SKILL.md",
            page("demo") + &format!("\nEnd {UNSEEN}.\n"),
        )
        .commit("second");
    sandbox.write(
        ".agents/skills/demo/SKILL.md",
        page("demo") + &format!("\nMine {UNSEEN}.\n"),
    );

    for line in [
        "show own",
        "show demo",
        "proposals show own",
        "diff demo",
        "diff demo --to latest",
        "update --diff --dry-run",
    ] {
        let shown = sandbox.skillpm(line).on_terminal("no question", "");
        let text = shown.stdout_text();
        assert!(
            text.contains("\\u{200b}b\\u{200d}c\\u{2060}"),
            "{line}: {text}"
        );
        let unseen = text.chars().find(|c| *c != '\r' && is_unseen(*c));
        assert_eq!(unseen, None, "{line}: {text}");
    }
}

#[test]
fn joiners_that_spell_are_printed_and_those_in_a_review_are_not() {
    let sandbox = Sandbox::project_here();
    let description = "می\u{200c}خواهم ❤\u{fe0f} 👨\u{200d}👩\u{200d}👧 क्\u{200d}ष";
    let text = format!("---\nname: own\ndescription: {description}\n---\n# x\n");
    sandbox.write("skills/own/SKILL.md", text);
    sandbox.skillpm("list").exits(0).stdout_has(description);
    let shown = sandbox.skillpm("show own").on_terminal("no question", "");
    shown.stdout_has("\\u{200c}").stdout_has("\\u{fe0f}");
    // A program gets the bytes.
    sandbox.skillpm("show own").exits(0).stdout_has(description);
}

#[test]
fn every_command_is_run_with_foreign_text() {
    let world = world();
    let cases = cases(&world);
    let page = std::fs::read_to_string("docs/commands.md").unwrap();
    let commands = page
        .lines()
        .filter_map(|line| line.trim_start_matches('#').strip_prefix(" `skillpm "))
        .filter_map(|rest| rest.strip_suffix('`'));

    let mut count = 0;
    for command in commands {
        count += 1;
        let is_run = cases.iter().any(|(known, _)| {
            // A command with subcommands is covered by them.
            *known == command
                || known
                    .strip_prefix(command)
                    .is_some_and(|rest| rest.starts_with(' '))
        });
        let is_known = OTHERS.iter().any(|(known, _)| *known == command);
        assert!(
            is_run || is_known,
            "`{command}` is new: run it with foreign text"
        );
    }
    assert!(count > 60, "{count}");
}
