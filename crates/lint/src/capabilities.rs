//! Lists what a skill makes agents run and access: commands, hosts, variables, paths outside the skill, tools, scripts.
//! An inventory, not a verdict.
//!
//! ```text
//! file ─ SourceLine (fence, inline command, script, prose) ─ words in it ─ CapabilityUse {value, locations}
//! ```
//!
//! From prose only hosts, paths and memory files are taken; commands and variables come from code that is run.

mod shell;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::heredoc::HeredocReader;
use super::{SkillDir, SkillFile};
use skillpm_core::skill;

/// A command, host or the like, and where it is used: `SKILL.md:9`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapabilityUse {
    /// The command, host, variable or path.
    pub value: String,
    /// Where it is used, each place once, in the order of files and lines.
    pub locations: Vec<String>,
}

/// A file that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptFile {
    /// Its path.
    pub path: String,
    /// Its interpreter; `None` if neither its first line nor its name says so.
    pub interpreter: Option<String>,
    /// Its size, in bytes.
    pub bytes: u64,
}

/// What a skill makes agents run and access, each list sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillCapabilities {
    /// Programs that its fences, inline commands and scripts run.
    pub commands: Vec<CapabilityUse>,
    /// Hosts that it names.
    pub hosts: Vec<CapabilityUse>,
    /// Environment variables that it reads.
    pub variables: Vec<CapabilityUse>,
    /// Paths outside the skill, and files that agents load automatically.
    pub paths: Vec<CapabilityUse>,
    /// The tools it asks permission for.
    pub tools: Vec<String>,
    /// Its executable files.
    pub scripts: Vec<ScriptFile>,
    /// The commands and hosts that use the network.
    pub network: Vec<CapabilityUse>,
}

/// How a line of a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineLanguage {
    Prose,
    Shell,
    /// A session in a terminal: only what follows a prompt is run.
    Session,
    Code,
}

/// A line of a file with its 1-based number.
struct SourceLine<'a> {
    number: usize,
    text: &'a str,
    language: LineLanguage,
}

/// Programs that use the network whatever their arguments.
const NETWORK_PROGRAMS: &[&str] = &[
    "aria2c", "curl", "dig", "ftp", "gh", "http", "https", "httpie", "irm", "iwr", "lftp", "nc",
    "ncat", "netcat", "nslookup", "ping", "rclone", "rsync", "scp", "sftp", "socat", "ssh",
    "telnet", "wget", "aws", "gcloud", "az", "kubectl", "npx", "uvx", "pipx", "bunx", "pnpx",
];

/// Files that agents load automatically.
const MEMORY: &str = r"\b(?:CLAUDE(?:\.local)?|AGENTS|GEMINI|SOUL|MEMORY|IDENTITY|HEARTBEAT|QWEN)\.md\b|\bcopilot-instructions\.md\b|\.cursorrules\b|\.windsurfrules\b|\.clinerules\b";

/// Lists the capabilities of a skill.
#[must_use]
pub fn capabilities(dir: &SkillDir) -> SkillCapabilities {
    let mut collector = CapabilityCollector::default();
    for file in &dir.files {
        if let Some(text) = file.text() {
            collector.read(file, text);
        }
    }

    let page = dir
        .skill_file()
        .and_then(|page| Some((page.text()?, dir.directory.as_str())));
    let tools = page
        .and_then(|(text, name)| skill::read(text.as_bytes(), name).skill)
        .map(|skill| skill.allowed_tools);

    SkillCapabilities {
        commands: into_uses(collector.commands),
        hosts: into_uses(collector.hosts),
        variables: into_uses(collector.variables),
        paths: into_uses(collector.paths),
        tools: tools.unwrap_or_default(),
        scripts: dir.files.iter().filter_map(script_file).collect(),
        network: into_uses(collector.network),
    }
}

/// Collects uses while files are read.
#[derive(Default)]
struct CapabilityCollector {
    commands: BTreeMap<String, Vec<String>>,
    hosts: BTreeMap<String, Vec<String>>,
    variables: BTreeMap<String, Vec<String>>,
    paths: BTreeMap<String, Vec<String>>,
    network: BTreeMap<String, Vec<String>>,
}

impl CapabilityCollector {
    fn read(&mut self, file: &SkillFile, text: &str) {
        for line in read_lines(file, text) {
            let place = format!("{}:{}", file.path, line.number);
            // Hosts, paths and memory files count in prose too: an agent follows what it reads
            // there.
            self.read_hosts(line.text, &place, line.language);
            self.read_paths(line.text, &place);

            match line.language {
                LineLanguage::Prose => self.read_inline_code(line.text, &place),
                LineLanguage::Shell | LineLanguage::Session => {
                    let run = if line.language == LineLanguage::Session {
                        shell::after_prompt(line.text)
                    } else {
                        Some(line.text)
                    };
                    run.into_iter()
                        .for_each(|run| self.read_command(run, &place));
                    self.read_variables(line.text, &place);
                }
                LineLanguage::Code => {
                    self.read_calls(line.text, &place);
                    self.read_variables(line.text, &place);
                }
            }
        }
    }

    /// A line of shell.
    fn read_command(&mut self, text: &str, place: &str) {
        for words in shell::commands(text) {
            let Some(program) = words.first() else {
                continue;
            };
            // `/usr/bin/curl` uses the network as `curl` does, but is listed as it is written.
            let name = program.rsplit('/').next().unwrap_or(program);
            add_use(&mut self.commands, program, place);

            // Some programs always reach the network, others only with certain subcommands.
            let uses_network = NETWORK_PROGRAMS.contains(&name)
                || matches!(
                    (name, words.get(1).map(String::as_str)),
                    (
                        "git",
                        Some("clone" | "fetch" | "pull" | "push" | "ls-remote" | "submodule")
                    ) | (
                        "npm" | "pnpm" | "yarn" | "bun",
                        Some(
                            "install" | "i" | "add" | "ci" | "publish" | "exec" | "dlx" | "create"
                        )
                    ) | (
                        "pip"
                            | "pip3"
                            | "uv"
                            | "cargo"
                            | "go"
                            | "gem"
                            | "brew"
                            | "apt"
                            | "apt-get"
                            | "dnf"
                            | "apk",
                        Some(
                            "install"
                                | "add"
                                | "get"
                                | "update"
                                | "pip"
                                | "tool"
                                | "publish"
                                | "sync"
                        )
                    ) | ("docker" | "podman", Some("pull" | "push" | "run" | "login"))
                );

            if uses_network {
                add_use(&mut self.network, name, place);
            }
        }
    }

    /// Commands that an agent's loader runs: !`git status`.
    fn read_inline_code(&mut self, text: &str, place: &str) {
        static INLINE: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"!`([^`\n]+)`").expect("the regular expression is valid"));
        for run in INLINE.captures_iter(text).filter_map(|found| found.get(1)) {
            self.read_command(run.as_str(), place);
            self.read_variables(run.as_str(), place);
        }
    }

    /// Commands and connections of programs.
    fn read_calls(&mut self, text: &str, place: &str) {
        static CALL: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r#"\b(?:subprocess\.\w+|os\.(?:system|popen)|exec(?:Sync|File|FileSync)?|spawn(?:Sync)?|system|shell_exec|popen)\(\s*\[?\s*[rf]?["'`]([^"'`\n]+)"#)
                .expect("the regular expression is valid")
        });
        static WIRE: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"\b(?:import\s+(requests|httpx|aiohttp|socket|websockets|smtplib|ftplib|paramiko)|from\s+(requests|httpx|aiohttp|socket|urllib|smtplib)|(urllib)\.request|(fetch)\(|(axios)\b|(XMLHttpRequest)\b|(WebSocket)\(|(https?)\.(?:get|request)\(|(Invoke-WebRequest|Invoke-RestMethod)\b)")
                .expect("the regular expression is valid")
        });

        for run in CALL.captures_iter(text).filter_map(|found| found.get(1)) {
            self.read_command(run.as_str(), place);
        }
        for found in WIRE.captures_iter(text) {
            if let Some(what) = found.iter().skip(1).flatten().next() {
                add_use(&mut self.network, what.as_str(), place);
            }
        }
    }

    fn read_hosts(&mut self, text: &str, place: &str, sort: LineLanguage) {
        static URL: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r#"(?i)\b(?:https?|wss?|ftps?|ssh|git|sftp)://(?:[^\s/"'<>`)\]@]+@)?(\[[0-9a-f:]+\]|[^\s/"'<>`)\]}:?#,;\\|$(*{]+)|\bgit@([\w.-]+):"#)
                .expect("the regular expression is valid")
        });

        for found in URL.captures_iter(text) {
            let Some(host) = found.get(1).or(found.get(2)) else {
                continue;
            };
            let host = host.as_str().trim_end_matches('.').to_lowercase();
            // `https://name` without a dot is a placeholder or a host of someone's own network.
            let is_host = host == "localhost" || host.starts_with('[') || host.contains('.');
            if is_host {
                add_use(&mut self.hosts, &host, place);
                // A host in prose is mentioned, not contacted.
                if sort != LineLanguage::Prose
                    && !matches!(host.as_str(), "localhost" | "127.0.0.1" | "[::1]")
                {
                    add_use(&mut self.network, &host, place);
                }
            }
        }
    }

    fn read_variables(&mut self, text: &str, place: &str) {
        static NAME: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r#"\$\{?([A-Z][A-Z0-9_]+)\b|\$env:(\w+)|\b(?:os\.environ(?:\.get\(|\[)|os\.getenv\(|getenv\(|ENV\[|ENV\.fetch\(|env::var\(|os\.Getenv\()\s*["']([A-Za-z_]\w*)|\bprocess\.env\.([A-Za-z_]\w*)|\bprocess\.env\[["']([A-Za-z_]\w*)"#)
                .expect("the regular expression is valid")
        });

        for found in NAME.captures_iter(text) {
            if let Some(name) = found.iter().skip(1).flatten().next() {
                add_use(&mut self.variables, name.as_str(), place);
            }
        }
    }

    fn read_paths(&mut self, text: &str, place: &str) {
        static PATH: LazyLock<Regex> = LazyLock::new(|| {
            let pattern = format!(
                r#"((?:~|\$HOME|\$\{{HOME\}}|%USERPROFILE%|\$env:USERPROFILE)[/\\][\w./\\*@+-]*\w)|(?:^|[\s"'`=(:,<>])(/(?:etc|usr|var|tmp|dev|proc|sys|root|home|opt|bin|sbin|srv|mnt|Library|Users|System|private|Applications)(?:/[\w.*@+-]+)+)|\b([A-Z]:\\[\w\\.-]+)|({MEMORY})"#
            );
            Regex::new(&pattern).expect("the regular expression is valid")
        });

        for found in PATH.captures_iter(text) {
            let Some(path) = found.iter().skip(1).flatten().next() else {
                continue;
            };
            // A full stop at the end belongs to the sentence.
            let path = path.as_str().trim_end_matches('.');

            // Nearly every script has these, so they say nothing about a skill.
            if !matches!(
                path,
                "/dev/null"
                    | "/dev/stdout"
                    | "/dev/stderr"
                    | "/usr/bin/env"
                    | "/bin/sh"
                    | "/bin/bash"
            ) {
                add_use(&mut self.paths, path, place);
            }
        }
    }
}

fn add_use(list: &mut BTreeMap<String, Vec<String>>, value: &str, place: &str) {
    let places = list.entry(value.to_owned()).or_default();
    // Lines are read in order, so a repetition on one line is always the last place.
    if places.last().is_none_or(|last| last != place) {
        places.push(place.to_owned());
    }
}

fn into_uses(list: BTreeMap<String, Vec<String>>) -> Vec<CapabilityUse> {
    list.into_iter()
        .map(|(value, places)| CapabilityUse {
            value,
            locations: places,
        })
        .collect()
}

/// Returns the file if it can be run: it is executable, or its first line or its extension names an interpreter.
fn script_file(file: &SkillFile) -> Option<ScriptFile> {
    let interpreter = find_interpreter(file);
    // Without either, an agent can only read the file.
    let is_one = file.executable || interpreter.is_some();
    is_one.then(|| ScriptFile {
        path: file.path.clone(),
        interpreter,
        bytes: file.size(),
    })
}

/// The interpreter of a file, by its first line or its extension.
fn find_interpreter(file: &SkillFile) -> Option<String> {
    let first = file
        .text()
        .and_then(|text| text.lines().next())
        .and_then(|line| line.strip_prefix("#!"));

    // The first line says what runs the file; the extension is only a convention.
    if let Some(first) = first {
        let mut words = first
            .split_whitespace()
            .map(|word| word.rsplit('/').next().unwrap_or(word));
        let program = words.next()?;
        // `env -S A=1 python3`: options and variables come before the program.
        let named = if program == "env" {
            words.find(|word| !word.starts_with('-') && !word.contains('='))
        } else {
            None
        };

        return Some(named.unwrap_or(program).to_owned());
    }

    let by_name = match file.extension().to_ascii_lowercase().as_str() {
        "sh" => "sh",
        "bash" => "bash",
        "zsh" => "zsh",
        "fish" => "fish",
        "py" => "python",
        "js" | "mjs" | "cjs" => "node",
        "ts" | "tsx" => "typescript",
        "rb" => "ruby",
        "pl" => "perl",
        "php" => "php",
        "lua" => "lua",
        "r" => "Rscript",
        "ps1" => "powershell",
        "bat" | "cmd" => "cmd",
        "applescript" => "osascript",
        _ => return None,
    };
    Some(by_name.to_owned())
}

/// Classifies the lines of a file.
fn read_lines<'a>(file: &SkillFile, text: &'a str) -> Vec<SourceLine<'a>> {
    let mut classifier = LineClassifier::new(file);
    text.lines()
        .enumerate()
        .filter_map(|(at, line)| {
            Some(SourceLine {
                number: at + 1,
                text: line,
                language: classifier.classify(line)?,
            })
        })
        .collect()
}

/// Decides how each line of a file is read, from the lines before it.
struct LineClassifier {
    /// Whether the file is Markdown, in which fences matter.
    is_page: bool,
    /// How the lines outside of fences are read.
    whole: LineLanguage,
    /// The mark of the open fence, and how its lines are read.
    fence: Option<(&'static str, LineLanguage)>,
    heredoc: HeredocReader,
}

impl LineClassifier {
    fn new(file: &SkillFile) -> Self {
        let is_page = matches!(
            file.extension().to_ascii_lowercase().as_str(),
            "md" | "mdx" | "markdown"
        );
        let whole = match find_interpreter(file).as_deref() {
            Some("sh" | "bash" | "zsh" | "dash" | "ksh" | "fish") => LineLanguage::Shell,
            Some(_) => LineLanguage::Code,
            None => LineLanguage::Prose,
        };

        LineClassifier {
            is_page,
            whole,
            fence: None,
            heredoc: HeredocReader::default(),
        }
    }

    /// How a line is read; `None` for a fence itself. Called with each line in order.
    fn classify(&mut self, line: &str) -> Option<LineLanguage> {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| self.is_page && trimmed.starts_with(mark));

        let language = match (mark, self.fence) {
            (Some(mark), Some((open, _))) if mark == open => {
                self.fence = None;
                return None;
            }
            (Some(mark), None) => {
                // A heredoc that the block before left open ends with that block.
                self.heredoc = HeredocReader::default();
                let language = language_of(trimmed.trim_start_matches(['`', '~']));
                self.fence = Some((mark, language));
                return None;
            }
            (_, Some((_, language))) => language,
            (None, None) => self.whole,
        };

        // The text of a heredoc is input of a command and is not run.
        let is_shell = matches!(language, LineLanguage::Shell | LineLanguage::Session);
        Some(if is_shell && self.heredoc.is_data(line) {
            LineLanguage::Prose
        } else {
            language
        })
    }
}

/// How a fenced block is read, by its info string.
fn language_of(info: &str) -> LineLanguage {
    let word = info
        .trim()
        .split(|c: char| c.is_whitespace() || c == '{')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();

    match word.as_str() {
        "sh" | "bash" | "shell" | "zsh" => LineLanguage::Shell,
        // In a block without a language, only lines with a prompt are commands.
        "console" | "terminal" | "shell-session" | "sh-session" | "" => LineLanguage::Session,
        "text" | "txt" | "markdown" | "md" | "json" | "yaml" | "toml" | "html" | "xml" | "diff"
        | "csv" => LineLanguage::Prose,
        _ => LineLanguage::Code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileContent;

    fn skill(files: &[(&str, &str)]) -> SkillCapabilities {
        let file = |(path, text): &(&str, &str)| SkillFile {
            path: (*path).to_owned(),
            content: FileContent::Text((*text).to_owned()),
            executable: false,
        };
        capabilities(&SkillDir {
            files: files.iter().map(file).collect(),
            directory: "pdf".into(),
            ..SkillDir::default()
        })
    }

    fn values(seen: &[CapabilityUse]) -> Vec<&str> {
        seen.iter().map(|one| one.value.as_str()).collect()
    }

    #[test]
    fn page_lists_commands_of_its_fences_and_the_hosts_it_names() {
        let page = "---\nname: pdf\ndescription: Fill.\nallowed-tools: Read Bash(git:*)\n---\n\n\
            State: !`git status --short`\nRead ~/.config/acme/key and CLAUDE.md, see https://docs.acme.dev/x.\n\n\
            ```bash\n# curl is a comment\nTOKEN=$ACME_TOKEN sudo curl -s https://api.acme.dev/v1 | jq -r .a && ls /etc/acme\n\
            cat <<EOF\nrm -rf of no command\nEOF\n```\n\n```\n$ make all\nout put\n```\n\n```python\nimport os, requests\n\
            subprocess.run([\"pdftk\", x])\nos.environ[\"HOME\"]\n```\n";
        let found = skill(&[("SKILL.md", page)]);
        assert_eq!(
            values(&found.commands),
            ["cat", "curl", "git", "jq", "ls", "make", "pdftk"]
        );
        assert_eq!(values(&found.hosts), ["api.acme.dev", "docs.acme.dev"]);
        assert_eq!(values(&found.variables), ["ACME_TOKEN", "HOME"]);
        assert_eq!(
            values(&found.paths),
            ["/etc/acme", "CLAUDE.md", "~/.config/acme/key"]
        );
        assert_eq!(found.tools, ["Read", "Bash(git:*)"]);
        assert_eq!(values(&found.network), ["api.acme.dev", "curl"]);
        assert_eq!(found.hosts[0].locations, ["SKILL.md:12"]);
    }

    #[test]
    fn script_is_listed_with_its_interpreter_and_commands() {
        let found = skill(&[
            ("SKILL.md", "---\nname: pdf\ndescription: Fill.\n---\n"),
            (
                "scripts/a.py",
                "#!/usr/bin/env -S python3 -u\nimport socket\nos.system('git push origin')\n",
            ),
            (
                "scripts/b.sh",
                "if command -v gs; then\n  exec gs \"$1\"\nfi\n",
            ),
            ("table.csv", "a,b\n"),
        ]);
        let scripts: Vec<_> = found
            .scripts
            .iter()
            .map(|one| (&*one.path, one.interpreter.as_deref()))
            .collect();
        assert_eq!(
            scripts,
            [
                ("scripts/a.py", Some("python3")),
                ("scripts/b.sh", Some("sh"))
            ]
        );
        assert_eq!(values(&found.commands), ["git", "gs"]);
        assert_eq!(values(&found.network), ["git", "socket"]);
    }
}
