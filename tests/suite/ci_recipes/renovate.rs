//! `renovate/*.json`, in Renovate itself: it reads a project as it does with `--platform=local`, and lists what it would change.

use serde_json::{Value, json};

use super::{Command, Path, PathBuf, fs, read, root, skipped, text, validate};
use crate::support::{IndexDir, Sandbox, Server, test_tools};

const PRESETS: [&str; 2] = ["renovate/skillpm.json", "renovate/outdated.json"];

/// A dependency as Renovate saw it: name, package, current and new value, empty if there is none.
type Seen = (String, String, String, String);

fn seen(name: &str, package: &str, current: &str, new: &str) -> Seen {
    (name.into(), package.into(), current.into(), new.into())
}

/// The directory of Renovate and of its Node.js; `None`, and a skipped test, without them.
fn find_renovate() -> Option<PathBuf> {
    let bin = test_tools("renovate/node_modules/.bin");
    if !bin.join("renovate").exists() || !bin.join("node").exists() {
        skipped("there is no Renovate below `target/test-tools`; `.ci/run` installs it");
        return None;
    }
    Some(bin)
}

/// Runs Renovate on the project with this configuration.
fn run_renovate(sandbox: &Sandbox, bin: &Path, config: &Value) -> Vec<Seen> {
    sandbox.write("renovate.json", serde_json::to_string(config).unwrap());
    let script = "git init -q && git add -A && exec renovate --platform=local --dry-run=full --repository-cache=disabled";
    let output = sandbox
        .shell(script)
        .current_dir(sandbox.path("."))
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .env("LOG_FORMAT", "json")
        .env("LOG_LEVEL", "debug")
        .output()
        .unwrap();
    let log = text(&output);
    assert!(output.status.success(), "{log}");

    let found = log
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find(|line| line["msg"] == "packageFiles with updates")
        .unwrap_or_else(|| panic!("{log}"));
    let files = found["config"]["regex"].as_array().unwrap();
    let mut seen: Vec<Seen> = files
        .iter()
        .flat_map(|file| file["deps"].as_array().unwrap())
        .map(|dependency| {
            let field = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            (
                field(&dependency["depName"]),
                field(&dependency["packageName"]),
                field(&dependency["currentValue"]),
                field(&dependency["updates"][0]["newValue"]),
            )
        })
        .collect();
    seen.sort();
    seen
}

fn preset(name: &str) -> Value {
    serde_json::from_str(&read(name)).unwrap()
}

#[test]
fn renovate_accepts_the_presets() {
    for name in PRESETS {
        if validate("vendor.renovate", &[], &root().join(name)).is_none() {
            return;
        }
    }
    let Some(bin) = find_renovate() else {
        return;
    };
    let output = Command::new(bin.join("renovate-config-validator"))
        .args(["--strict", "--no-global"])
        .args(PRESETS.map(|name| root().join(name)))
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert!(
        text(&output).contains("Config validated successfully against 2 file(s)"),
        "{}",
        text(&output)
    );
}

#[test]
fn renovate_raises_requirements_by_the_files_of_an_index() {
    let Some(bin) = find_renovate() else {
        return;
    };
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox);
    let index = IndexDir::new(&sandbox, "../www");
    index
        .publish("reports", "1.0.0", &[])
        .publish("reports", "2.1.0", &[]);
    index
        .publish("pdf", "1.0.0", &[])
        .publish("pdf", "1.2.0", &[])
        .publish("pdf", "1.3.0", &[]);
    index.yank("pdf", "1.3.0");
    index
        .publish("acme/notes", "1.0.0", &[])
        .publish("acme/notes", "3.0.0", &[]);
    index
        .publish("kept", "1.0.0", &[])
        .publish("kept", "1.4.0", &[]);
    sandbox.write(
        "skillpm.toml",
        "[project]\nname = \"x\"\n\n[dependencies]\n# what we use\nreports = \"^1.0\"\npdf = \"=1.0.0\" # pinned\n\
         kept = \"^1.0\"\n\"acme/notes\" = { version = \"^1\" }\nelsewhere = { version = \"^1\", registry = \"other\" }\n\
         local = { path = \"../local\" }\ntagged = { git = \"https://127.0.0.1:1/skills\", path = \"a\", version = \"^3\" }\n\
         reverse = { version = \"^4\", git = \"https://127.0.0.1:1/skills\" }\n\n[targets]\nname = \"1\"\n",
    );

    let mut config = preset(PRESETS[0]);
    config["customDatasources"]["skillpm-registry"]["defaultRegistryUrlTemplate"] =
        json!(server.url("{{{packageName}}}"));
    let expected = [
        seen("acme/notes", "acme/no/te/notes", "^1", "^3.0.0"),
        seen("kept", "ke/pt/kept", "^1.0", ""),
        seen("pdf", "3/p/pdf", "=1.0.0", "=1.2.0"),
        seen("reports", "re/po/reports", "^1.0", "^2.0.0"),
        seen("reverse", "https://127.0.0.1:1/skills", "^4", ""),
        seen("tagged", "https://127.0.0.1:1/skills", "^3", ""),
    ];
    assert_eq!(run_renovate(&sandbox, &bin, &config), expected);
}

#[test]
fn renovate_updates_the_lockfile_by_what_outdated_prints() {
    let Some(bin) = find_renovate() else {
        return;
    };
    let sandbox = Sandbox::new();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\ncommit-messages = \"^1.0\"\nchangelog = \"^1.1\"\n",
    );
    sandbox.skillpm("lock").exits(0);
    sandbox
        .skillpm("update commit-messages --precise 1.0.0")
        .exits(0);
    let outdated = sandbox.skillpm("outdated --format json").exits(0);
    sandbox.write("skillpm-outdated.jsonl", outdated.stdout_text());

    let seen_here = run_renovate(&sandbox, &bin, &preset(PRESETS[1]));
    let expected = [
        seen("changelog", "changelog", "1.1.0", ""),
        seen("commit-messages", "commit-messages", "1.0.0", "1.2.0"),
    ];
    assert_eq!(seen_here, expected);

    // Renovate writes the new version into the lockfile, and then runs the commands of the preset, which undo and do that properly.
    sandbox
        .shell("git -c user.name=a -c user.email=a@b commit -qam first")
        .current_dir(sandbox.path("."))
        .output()
        .unwrap();
    sandbox.edit(
        "skillpm.lock",
        "name = \"commit-messages\"\nversion = \"1.0.0\"",
        "name = \"commit-messages\"\nversion = \"1.2.0\"",
    );
    let config = preset(PRESETS[1]);
    let tasks = &config["packageRules"][0]["postUpgradeTasks"];
    let commands: Vec<&str> = tasks["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|command| command.as_str().unwrap())
        .collect();
    let ran = sandbox
        .shell(&commands.join(" && "))
        .current_dir(sandbox.path("."))
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", text(&ran));
    assert_eq!(sandbox.locked("commit-messages", "version"), "1.2.0");
    sandbox.skillpm("verify").exits(0);
    let _ = fs::remove_dir_all(sandbox.path(".git"));
}
