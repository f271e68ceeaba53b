//! Published programs of agents, asked where they are installed; `.ci/run` installs some of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Sandbox, skipped, test_tools};

#[test]
fn published_agents_behave_as_recorded() {
    let Some(tools) = installed(&[
        "node_modules/@google/gemini-cli-core",
        "node_modules/skills",
    ]) else {
        return;
    };

    let report = check("record.py", &tools, &[]);
    for agent in [
        "gemini-cli: 325 cases, 288 listed, 0 other",
        "npx-skills: 325 cases, 176 listed, 0 other",
    ] {
        assert!(report.contains(agent), "{report}");
    }
}

#[test]
fn published_loaders_show_the_trees_as_recorded() {
    let Some(tools) = installed(&[
        "node_modules/@google/gemini-cli-core",
        "node_modules/@mariozechner/pi-coding-agent",
    ]) else {
        return;
    };

    let report = check("record_trees.py", &tools, &["--agents", "gemini-cli,pi"]);
    for agent in ["gemini-cli: 96 trees, 0 other", "pi: 105 trees, 0 other"] {
        assert!(report.contains(agent), "{report}");
    }
}

/// Each tree costs a second or two, so only those that say most are asked about.
#[test]
fn published_programs_show_the_trees_as_recorded() {
    let asked = [
        (
            "opencode",
            "node_modules/opencode-linux-x64",
            "opencode-deny*,subdirectory-*,shadow-p*",
        ),
        (
            "claude-code",
            "../claude-code/node_modules/@anthropic-ai",
            "claude-o*,subdirectory-*,link-o*,many-60-400",
        ),
    ];
    for (agent, program, trees) in asked {
        let Some(tools) = installed(&[program]) else {
            continue;
        };
        let report = check(
            "record_trees.py",
            &tools,
            &["--agents", agent, "--trees", trees],
        );
        assert!(report.contains(" trees, 0 other"), "{report}");
    }
}

/// An agent whose program can be asked for its skills.
struct PublishedAgent {
    id: &'static str,
    /// What people call it.
    title: &'static str,
    /// The only file of an agent that its project has; none where the agent has none.
    marker: Option<&'static str>,
    /// The directory that it finds the skill in.
    directory: &'static str,
    /// Whether it says where a skill is.
    shows_paths: bool,
}

const fn agent(
    id: &'static str,
    title: &'static str,
    marker: &'static str,
    directory: &'static str,
) -> PublishedAgent {
    PublishedAgent {
        id,
        title,
        marker: Some(marker),
        directory,
        shows_paths: true,
    }
}

const PUBLISHED_AGENTS: [PublishedAgent; 16] = [
    agent("amp", "Amp", ".amp/", ".agents/skills"),
    agent("augment", "Augment", ".augment/", ".agents/skills"),
    PublishedAgent {
        shows_paths: false,
        ..agent("claude-code", "Claude Code", ".claude/", ".claude/skills")
    },
    agent("cline", "Cline", ".clinerules/", ".agents/skills"),
    agent("codex", "Codex", ".codex/", ".agents/skills"),
    PublishedAgent {
        shows_paths: false,
        ..agent("continue", "Continue", ".continue/", ".continue/skills")
    },
    agent("gemini-cli", "Gemini CLI", "GEMINI.md", ".agents/skills"),
    agent(
        "github-copilot",
        "GitHub Copilot",
        ".github/copilot-instructions.md",
        ".agents/skills",
    ),
    agent("kilo", "Kilo Code", ".kilocode/", ".agents/skills"),
    agent(
        "kimi-code-cli",
        "Kimi Code CLI",
        ".kimi-code/",
        ".agents/skills",
    ),
    PublishedAgent {
        marker: None,
        ..agent("openclaw", "OpenClaw", "", ".agents/skills")
    },
    agent("opencode", "OpenCode", ".opencode/", ".agents/skills"),
    agent("pi", "pi", ".pi/", ".agents/skills"),
    agent("qoder", "Qoder", ".qoder/", ".agents/skills"),
    PublishedAgent {
        shows_paths: false,
        ..agent("qwen-code", "Qwen Code", ".qwen/", ".agents/skills")
    },
    PublishedAgent {
        shows_paths: false,
        ..agent("reasonix", "Reasonix", ".reasonix/", ".agents/skills")
    },
];

/// Each in a project that nothing but its own marker says it is used in.
#[test]
fn added_skill_is_listed_by_the_program_of_the_agent() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/agents.md"))
            .unwrap();
    let mut absent = Vec::new();
    for agent in &PUBLISHED_AGENTS {
        let sandbox = Sandbox::new();
        if let Some(marker) = agent.marker {
            match marker.strip_suffix('/') {
                Some(dir) => std::fs::create_dir_all(sandbox.path(dir)).unwrap(),
                None => sandbox.write(marker, "Be brief.\n"),
            }
        }
        sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
        for dir in [".git/objects", ".git/refs"] {
            std::fs::create_dir_all(sandbox.path(dir)).unwrap();
        }
        sandbox.skillpm("add release").exits(0);

        let answer = agent.list_skills(&sandbox);
        if answer.is_null() {
            absent.push(agent.id);
            continue;
        }
        agent.assert_lists(&sandbox, &answer, "release");
        let row = agent.row(&answer);
        assert!(page.contains(&row), "docs/agents.md has to have\n{row}");
    }

    if !absent.is_empty() {
        skipped(&format!("not installed: {}", absent.join(", ")));
    }
}

impl PublishedAgent {
    /// Its version, and the skills that it has for the project; null where it is not installed.
    fn list_skills(&self, sandbox: &Sandbox) -> Value {
        let tools = test_tools("agents");
        if !tools.exists() {
            return Value::Null;
        }
        let output = Command::new("python3")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/list_skills.py"))
            .args(["--agent", self.id, "--tools"])
            .arg(tools)
            .arg("--project")
            .arg(sandbox.path(""))
            .arg("--home")
            .arg(sandbox.path("~/"))
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}: {}",
            self.id,
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn assert_lists(&self, sandbox: &Sandbox, answer: &Value, name: &str) {
        let skills = answer["skills"].as_array().unwrap();
        let skill = skills.iter().find(|skill| skill["name"] == name);
        let skill = skill.unwrap_or_else(|| panic!("{}: {answer}", self.id));
        if !self.shows_paths {
            sandbox.has([&format!("{}/{name}/SKILL.md", self.directory)]);
            return;
        }

        let directory = sandbox.path(self.directory).join(name);
        let location = skill["location"].as_str().unwrap();
        assert_eq!(
            location.trim_end_matches("/SKILL.md"),
            directory.to_str().unwrap(),
            "{}",
            self.id
        );
    }

    /// The beginning of its row in `docs/agents.md`.
    fn row(&self, answer: &Value) -> String {
        let marker = self
            .marker
            .map_or("none".to_owned(), |marker| format!("`{marker}`"));
        format!(
            "| {} | {} | {marker} | `{}` |",
            self.title,
            answer["version"].as_str().unwrap(),
            self.directory
        )
    }
}

/// The directory of the agents, if it has these programs.
fn installed(programs: &[&str]) -> Option<PathBuf> {
    let tools = test_tools("agents");
    if programs.iter().all(|program| tools.join(program).exists()) {
        return Some(tools);
    }
    skipped("there are no agents below `target/test-tools`; `.ci/run` installs some");
    None
}

/// What a recorder prints when it compares its recordings with what the programs do now.
fn check(recorder: &str, tools: &Path, options: &[&str]) -> String {
    let output = Command::new("python3")
        .arg(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/agents")
                .join(recorder),
        )
        .args(["--check", "--tools"])
        .arg(tools)
        .args(options)
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{report}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    report
}

#[test]
fn agents_alone_lists_the_agents() {
    let sandbox = crate::support::Sandbox::project_here();
    std::fs::create_dir_all(sandbox.path(".claude")).unwrap();
    let listed = sandbox.skillpm("agents list").exits(0);
    let alone = sandbox.skillpm("agents").exits(0);
    assert_eq!(alone.stdout_text(), listed.stdout_text());
    assert_eq!(alone.stderr_text(), listed.stderr_text());
    sandbox
        .skillpm("agents --format json")
        .exits(0)
        .stdout_has("claude-code");
}

#[test]
fn beginning_of_an_agent_finds_it() {
    let sandbox = crate::support::Sandbox::project_here();
    for (typed, meant) in [
        ("claud", "claude-code"),
        ("claude", "claude-code"),
        ("cluade", "claude-code"),
        ("copil", "github-copilot"),
        ("gemni", "gemini-cli"),
        ("curser", "cursor"),
    ] {
        let failed = sandbox.skillpm(format!("agents add {typed}")).exits(2);
        let first = failed
            .stderr_text()
            .lines()
            .find_map(|line| line.strip_prefix("help: "));
        assert_eq!(first, Some(&*format!("did you mean `{meant}`?")), "{typed}");
    }
}
