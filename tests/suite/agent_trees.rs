//! What real agents list, recorded tree by tree (`tests/agents/record_trees.py`), and what `catalog --agent` lists.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::catalog::skills;
use crate::support::{Outcome, Sandbox};

/// The trees on which skillpm differs, each with the reason.
const KNOWN: &[(&str, &str, &str)] = &[
    (
        "codex",
        "many-mixed",
        "with skills in three directories it has room for nine tokens less",
    ),
    (
        "openclaw",
        "gate-aliases",
        "it no longer knows the alias `clawdis` for its requirements, which skillpm reads",
    ),
    (
        "opencode",
        "broken-yaml",
        "it reads a line that is indented by a tab as a field of its own",
    ),
    (
        "opencode",
        "shadow-invalid-winner",
        "of two copies the one that is read last counts, and chance decides which that is",
    ),
];

/// The agents that the trees were shown to, and what people call them.
const AGENTS: [(&str, &str); 6] = [
    ("claude-code", "Claude Code"),
    ("codex", "Codex"),
    ("gemini-cli", "Gemini CLI"),
    ("openclaw", "OpenClaw"),
    ("opencode", "OpenCode"),
    ("pi", "pi"),
];

/// The agents whose lists are in no order that is the same in each run, so that the recording has them by name.
const UNORDERED: [&str; 1] = ["gemini-cli"];

/// A description that is longer is recorded by its length and the beginning of its digest.
const LONG: usize = 200;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents")
}

fn trees() -> Vec<Value> {
    let text = fs::read_to_string(fixtures().join("trees.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn verdicts() -> Value {
    let text = fs::read_to_string(fixtures().join("tree_verdicts.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A tree on disk, for one agent.
struct TreeOnDisk<'t> {
    tree: &'t Value,
    base: PathBuf,
    agent: &'t str,
}

impl<'t> TreeOnDisk<'t> {
    fn lay_out(base: PathBuf, tree: &'t Value, agent: &'t str) -> Self {
        let place = TreeOnDisk { tree, base, agent };
        for part in ["home", "project"] {
            fs::create_dir_all(place.base.join(part)).unwrap();
        }

        for (path, content) in tree["files"].as_object().unwrap() {
            let path = place.base.join(place.named(path));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match &content["link"] {
                Value::String(target) => symlink(place.named(target), path).unwrap(),
                _ => fs::write(path, place.named(content.as_str().unwrap())).unwrap(),
            }
        }
        for many in tree["many"].as_array().into_iter().flatten() {
            place.write_many(many);
        }

        let roots = tree.get("git").cloned().unwrap_or(json!(["project"]));
        for root in roots.as_array().unwrap() {
            let git = place.base.join(root.as_str().unwrap()).join(".git");
            fs::create_dir_all(git.join("objects")).unwrap();
            fs::create_dir_all(git.join("refs")).unwrap();
            fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        }
        fs::create_dir_all(place.cwd()).unwrap();
        place
    }

    /// Writes skills whose names and descriptions are made by a formula, that of `record_trees.py`.
    fn write_many(&self, many: &Value) {
        let length = usize::try_from(many["length"].as_u64().unwrap()).unwrap();
        let prefix = many["prefix"].as_str().unwrap_or("skill");
        for number in 0..many["count"].as_u64().unwrap() {
            let name = format!("{prefix}-{number:03}");
            let text = format!("Skill {number:03} {}", "abcdefghi ".repeat(length));
            let text = text[..length - 1].trim_end();
            let description = format!("{text:x<width$}.", width = length - 1);
            let under = self.named(many["under"].as_str().unwrap());
            let dir = self.base.join(under).join(&name);
            fs::create_dir_all(&dir).unwrap();
            let page = format!("---\nname: {name}\ndescription: {description}\n---\nBody.\n");
            fs::write(dir.join("SKILL.md"), page).unwrap();
        }
    }

    fn named(&self, text: &str) -> String {
        let skills = if self.agent == "claude-code" {
            ".claude/skills"
        } else {
            ".agents/skills"
        };
        let at = |part: &str| self.base.join(part).display().to_string();
        text.replace("$SKILLS", skills)
            .replace("$PROJECT", &at("project"))
            .replace("$HOME", &at("home"))
    }

    fn cwd(&self) -> PathBuf {
        self.base
            .join(self.tree["cwd"].as_str().unwrap_or("project"))
    }

    /// What `catalog --agent` lists, in the agent's order, in the form of the recording.
    fn listed(&self) -> Vec<Value> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillpm"));
        command
            .args(["catalog", "--format", "json", "--agent", self.agent])
            .current_dir(self.cwd())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.base.join("home"))
            .env("SKILLPM_HOME", self.base.join("skillpm"));
        for (name, value) in self.tree["env"].as_object().into_iter().flatten() {
            command.env(name, self.named(value.as_str().unwrap()));
        }
        // The only argument that a tree gives its agent is one that skillpm has as well.
        for argument in self.tree["arguments"].as_array().into_iter().flatten() {
            command.arg(argument.as_str().unwrap());
        }

        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "{} {}: {}",
            self.agent,
            self.tree["tree"],
            String::from_utf8_lossy(&output.stderr)
        );
        let catalog: Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut listed: Vec<&Value> = catalog["skills"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|skill| skill["hidden"].is_null())
            .map(|skill| &skill["listed"])
            .collect();

        if UNORDERED.contains(&self.agent) {
            listed.sort_by_key(|skill| [&skill["name"], &skill["location"]].map(Value::to_string));
        } else {
            listed.sort_by_key(|skill| skill["position"].as_u64().unwrap());
        }
        listed
            .into_iter()
            .map(|skill| self.recorded_form(skill))
            .collect()
    }

    /// A skill as it is recorded: its path is relative to the tree.
    fn recorded_form(&self, skill: &Value) -> Value {
        let mut form = json!({"name": skill["name"]});
        if let Some(description) = skill["description"].as_str() {
            form["description"] = description.into();
        }
        if let Some(location) = skill["location"].as_str() {
            let base = format!("{}/", self.base.display());
            form["location"] = location.replace(&base, "").into();
        }
        form
    }
}

/// The form of a skill with a long description.
fn shorten(mut skill: Value) -> Value {
    let long = skill["description"]
        .as_str()
        .filter(|text| text.chars().count() > LONG)
        .map(str::to_owned);
    if let Some(text) = long {
        skill.as_object_mut().unwrap().remove("description");
        skill["length"] = text.chars().count().into();
        skill["sha256"] = hex::encode(Sha256::digest(&text))[..16].into();
    }
    skill
}

/// How much of their descriptions skills keep that follow each other.
fn runs(skills: &[Value]) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for skill in skills {
        let kept = skill["description"].as_str().map(|text| {
            let text = text.strip_suffix('…').unwrap_or(text);
            text.strip_suffix("...").unwrap_or(text).chars().count()
        });
        match found.last_mut() {
            Some(run) if run["kept"] == json!(kept) => {
                run["count"] = (run["count"].as_u64().unwrap() + 1).into();
            }
            _ => found.push(json!({"first": skill["name"], "count": 1, "kept": kept})),
        }
    }
    found
}

fn names(skills: &[Value]) -> Vec<String> {
    let mut names: Vec<String> = skills
        .iter()
        .map(|skill| skill["name"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Whether skillpm lists for a tree what the agent was recorded to list.
fn agrees(tree: &Value, agent: &str, ours: Vec<Value>, theirs: &Value) -> Result<(), String> {
    let pair = if theirs["runs"].is_array() {
        (json!(runs(&ours)), theirs["runs"].clone())
    } else {
        let is_chance = tree["undetermined"]
            .as_array()
            .is_some_and(|agents| agents.contains(&json!(agent)));
        let theirs = theirs["model"].as_array().unwrap();
        if is_chance {
            (json!(names(&ours)), json!(names(theirs)))
        } else {
            let ours: Vec<Value> = ours.into_iter().map(shorten).collect();
            (json!(ours), json!(theirs))
        }
    };
    if pair.0 == pair.1 {
        return Ok(());
    }
    Err(format!("  they {}\n  we   {}", pair.1, pair.0))
}

/// What came of the trees of one agent.
#[derive(Default)]
struct Comparison {
    trees: usize,
    skills: usize,
    differing: BTreeMap<String, String>,
}

fn compare(agent: &str, trees: &[Value], verdicts: &Value) -> Comparison {
    // The length of the path counts in a budget, so it is that of the recording.
    let base = tempfile::Builder::new()
        .prefix("agents-")
        .rand_bytes(8)
        .tempdir_in("/tmp")
        .unwrap();
    let mut comparison = Comparison::default();
    for (number, tree) in trees.iter().enumerate() {
        let name = tree["tree"].as_str().unwrap();
        let theirs = &verdicts[name][agent];
        if theirs.is_null() {
            continue;
        }
        let place = TreeOnDisk::lay_out(base.path().join(format!("{number:03}")), tree, agent);
        let ours = place.listed();
        comparison.trees += 1;
        comparison.skills += ours.len();
        if let Err(difference) = agrees(tree, agent, ours, theirs) {
            comparison.differing.insert(name.to_owned(), difference);
        }
    }
    comparison
}

#[test]
fn catalog_of_an_agent_is_what_the_agent_lists() {
    let (trees, verdicts) = (trees(), verdicts());
    let compared: Vec<Comparison> = std::thread::scope(|scope| {
        let runs = AGENTS.map(|(agent, _)| scope.spawn(|| compare(agent, &trees, &verdicts)));
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });

    let mut wrong = Vec::new();
    let mut rows = Vec::new();
    for ((agent, title), compared) in AGENTS.iter().zip(compared) {
        let (trees, skills, differing) = (compared.trees, compared.skills, &compared.differing);
        assert!(trees >= 60, "{agent}: {trees} trees");
        rows.push(format!(
            "| {title} | {trees} | {skills} | {} |",
            differing.len()
        ));
        let is_known = |tree: &str| {
            KNOWN
                .iter()
                .any(|known| known.0 == *agent && known.1 == tree)
        };
        wrong.extend(
            differing
                .iter()
                .filter(|(tree, _)| !is_known(tree))
                .map(|(tree, difference)| format!("{agent} {tree}\n{difference}")),
        );
        // A difference that chance makes may be absent.
        let gone = KNOWN.iter().filter(|(of, tree, reason)| {
            of == agent && !differing.contains_key(*tree) && !reason.contains("chance")
        });
        wrong.extend(gone.map(|(agent, tree, _)| format!("{agent} {tree}: differs no longer")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));

    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/agents.md")).unwrap();
    for row in &rows {
        assert!(
            page.contains(row),
            "docs/agents.md has to have\n{}",
            rows.join("\n")
        );
    }
}

/// The names that a command prints as lines of JSON.
fn names_in_lines(outcome: &Outcome, of_type: &str) -> Vec<String> {
    let lines = outcome.stdout_json_lines();
    let listed = lines
        .iter()
        .filter(|line| line["type"] == of_type && line["hidden"].is_null());
    listed
        .map(|line| line["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn every_command_has_the_same_view_of_an_agent() {
    let sandbox = Sandbox::project_here();
    sandbox.write("skillpm.toml", "[dependencies]\n");
    sandbox.write_skill(".agents/skills/pdf", "The project's.");
    sandbox.write_skill("~/.agents/skills/pdf", "Mine.");
    sandbox.write_skill(".agents/skills/group/deep", "Below a group.");
    sandbox.write_skill(".agents/skills/off", "Switched off.");
    sandbox.write(
        ".agents/skills/bare/SKILL.md",
        "---\nname: bare\n---\nText.\n",
    );
    sandbox.write(
        "~/.codex/config.toml",
        "[[skills.config]]\nname = \"off\"\nenabled = false\n",
    );
    let catalog = sandbox.skillpm("catalog --agent codex").exits(0);
    let mut listed: Vec<(u64, String)> = skills(&catalog)
        .iter()
        .filter(|skill| skill["hidden"].is_null())
        .map(|skill| {
            let listed = &skill["listed"];
            let name = listed["name"].as_str().unwrap().to_owned();
            (listed["position"].as_u64().unwrap(), name)
        })
        .collect();
    listed.sort();
    let expected: Vec<String> = listed.into_iter().map(|(_, name)| name).collect();
    assert_eq!(expected, ["deep", "pdf", "pdf"]);

    let shown = sandbox.skillpm("list --agent codex --format json").exits(0);
    assert_eq!(names_in_lines(&shown, "skill"), expected);
    let budget = sandbox
        .skillpm("budget --agent codex --format json")
        .exits(0);
    assert_eq!(budget.stdout_json_lines()[0]["skills"], 3);

    // What the agent does not load is checked as well: the finding says why.
    let lint = sandbox.skillpm("lint --agent codex --format json").exits(1);
    let findings = lint.stdout_text();
    assert!(
        findings.contains(".agents/skills/bare/SKILL.md"),
        "{findings}"
    );
    assert!(!findings.contains("skills/off/"), "{findings}");

    let why = sandbox.skillpm("catalog --agent codex --all").exits(0);
    let off = skills(&why)
        .into_iter()
        .find(|skill| skill["name"] == "off")
        .unwrap();
    assert_eq!(
        (&off["hidden"], &off["because"]),
        (
            &json!("denied"),
            &json!("`off` is switched off in `~/.codex/config.toml` (`skills.config`)")
        )
    );
}
