//! What a skill has agents do and reach: commands, hosts, variables, paths outside of itself, tools, scripts. An inventory,
//! not a judgement.
//!
//! ```text
//! file ─ Part (fence, inline command, script, prose) ─ words in it ─ Seen {value, places}
//! ```
//!
//! Of prose only hosts, paths and memory files are taken; commands and variables are taken from what is run.

mod shell;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::{File, SkillDir};
use crate::skill;

/// Something that was seen, and where: `SKILL.md:9`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// What.
    pub value: String,
    /// Where, each place once, in the order of files and lines.
    pub places: Vec<String>,
}

/// A file that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// Its path.
    pub path: String,
    /// What runs it; `None` if neither its first line nor its name says so.
    pub interpreter: Option<String>,
    /// Its size, in bytes.
    pub bytes: u64,
}

/// What a skill has agents do and reach, each list sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// Programs that its fences, inline commands and scripts run.
    pub commands: Vec<Seen>,
    /// Hosts that it names.
    pub hosts: Vec<Seen>,
    /// Environment variables that it reads.
    pub variables: Vec<Seen>,
    /// Paths outside of itself, and files that agents load by themselves.
    pub paths: Vec<Seen>,
    /// What it asks to be allowed.
    pub tools: Vec<String>,
    /// What of it can be run.
    pub scripts: Vec<Script>,
    /// What of that reaches the network.
    pub network: Vec<Seen>,
}

/// How a part of a file is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Prose,
    Shell,
    /// A session in a terminal: only what follows a prompt is run.
    Session,
    Code,
}

/// A line of a file, by its number from 1.
struct Line<'a> {
    number: usize,
    text: &'a str,
    sort: Sort,
}

/// Programs that reach the network whatever they are told.
const NETWORK: &[&str] = &[
    "aria2c", "curl", "dig", "ftp", "gh", "http", "https", "httpie", "irm", "iwr", "lftp", "nc", "ncat", "netcat",
    "nslookup", "ping", "rclone", "rsync", "scp", "sftp", "socat", "ssh", "telnet", "wget", "aws", "gcloud", "az",
    "kubectl", "npx", "uvx", "pipx", "bunx", "pnpx",
];

/// Files that agents load by themselves.
const MEMORY: &str = r"\b(?:CLAUDE(?:\.local)?|AGENTS|GEMINI|SOUL|MEMORY|IDENTITY|HEARTBEAT|QWEN)\.md\b|\bcopilot-instructions\.md\b|\.cursorrules\b|\.windsurfrules\b|\.clinerules\b";

/// Takes stock of a skill.
#[must_use]
pub fn capabilities(dir: &SkillDir) -> Capabilities {
    let mut stock = Stock::default();
    for file in &dir.files {
        if let Some(text) = file.text() {
            stock.read(file, text);
        }
    }
    let page = dir.page().and_then(|page| Some((page.text()?, dir.directory.as_str())));
    let tools = page.and_then(|(text, name)| skill::read(text.as_bytes(), name).skill).map(|skill| skill.allowed_tools);
    Capabilities {
        commands: seen(stock.commands),
        hosts: seen(stock.hosts),
        variables: seen(stock.variables),
        paths: seen(stock.paths),
        tools: tools.unwrap_or_default(),
        scripts: dir.files.iter().filter_map(script).collect(),
        network: seen(stock.network),
    }
}

/// What was seen so far.
#[derive(Default)]
struct Stock {
    commands: BTreeMap<String, Vec<String>>,
    hosts: BTreeMap<String, Vec<String>>,
    variables: BTreeMap<String, Vec<String>>,
    paths: BTreeMap<String, Vec<String>>,
    network: BTreeMap<String, Vec<String>>,
}

impl Stock {
    fn read(&mut self, file: &File, text: &str) {
        for line in lines(file, text) {
            let place = format!("{}:{}", file.path, line.number);
            self.hosts_in(line.text, &place, line.sort);
            self.paths_in(line.text, &place);
            match line.sort {
                Sort::Prose => self.inline(line.text, &place),
                Sort::Shell | Sort::Session => {
                    let run = if line.sort == Sort::Session { shell::after_prompt(line.text) } else { Some(line.text) };
                    run.into_iter().for_each(|run| self.run(run, &place));
                    self.variables_in(line.text, &place);
                }
                Sort::Code => {
                    self.calls(line.text, &place);
                    self.variables_in(line.text, &place);
                }
            }
        }
    }

    /// A line of shell.
    fn run(&mut self, text: &str, place: &str) {
        for words in shell::commands(text) {
            let Some(program) = words.first() else { continue };
            let name = program.rsplit('/').next().unwrap_or(program);
            add(&mut self.commands, program, place);
            let reaches = NETWORK.contains(&name)
                || matches!(
                    (name, words.get(1).map(String::as_str)),
                    ("git", Some("clone" | "fetch" | "pull" | "push" | "ls-remote" | "submodule"))
                        | (
                            "npm" | "pnpm" | "yarn" | "bun",
                            Some("install" | "i" | "add" | "ci" | "publish" | "exec" | "dlx" | "create")
                        )
                        | (
                            "pip" | "pip3" | "uv" | "cargo" | "go" | "gem" | "brew" | "apt" | "apt-get" | "dnf" | "apk",
                            Some("install" | "add" | "get" | "update" | "pip" | "tool" | "publish" | "sync")
                        )
                        | ("docker" | "podman", Some("pull" | "push" | "run" | "login"))
                );
            if reaches {
                add(&mut self.network, name, place);
            }
        }
    }

    /// Commands that an agent's loader runs: !`git status`.
    fn inline(&mut self, text: &str, place: &str) {
        static INLINE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"!`([^`\n]+)`").expect("the pattern is one"));
        for run in INLINE.captures_iter(text).filter_map(|found| found.get(1)) {
            self.run(run.as_str(), place);
            self.variables_in(run.as_str(), place);
        }
    }

    /// Commands and connections of programs.
    fn calls(&mut self, text: &str, place: &str) {
        static CALL: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r#"\b(?:subprocess\.\w+|os\.(?:system|popen)|exec(?:Sync|File|FileSync)?|spawn(?:Sync)?|system|shell_exec|popen)\(\s*\[?\s*[rf]?["'`]([^"'`\n]+)"#)
                .expect("the pattern is one")
        });
        static WIRE: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"\b(?:import\s+(requests|httpx|aiohttp|socket|websockets|smtplib|ftplib|paramiko)|from\s+(requests|httpx|aiohttp|socket|urllib|smtplib)|(urllib)\.request|(fetch)\(|(axios)\b|(XMLHttpRequest)\b|(WebSocket)\(|(https?)\.(?:get|request)\(|(Invoke-WebRequest|Invoke-RestMethod)\b)")
                .expect("the pattern is one")
        });
        for run in CALL.captures_iter(text).filter_map(|found| found.get(1)) {
            self.run(run.as_str(), place);
        }
        for found in WIRE.captures_iter(text) {
            if let Some(what) = found.iter().skip(1).flatten().next() {
                add(&mut self.network, what.as_str(), place);
            }
        }
    }

    fn hosts_in(&mut self, text: &str, place: &str, sort: Sort) {
        static URL: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r#"(?i)\b(?:https?|wss?|ftps?|ssh|git|sftp)://(?:[^\s/"'<>`)\]@]+@)?(\[[0-9a-f:]+\]|[^\s/"'<>`)\]}:?#,;\\|$(*{]+)|\bgit@([\w.-]+):"#)
                .expect("the pattern is one")
        });
        for found in URL.captures_iter(text) {
            let Some(host) = found.get(1).or(found.get(2)) else { continue };
            let host = host.as_str().trim_end_matches('.').to_lowercase();
            let is_host = host == "localhost" || host.starts_with('[') || host.contains('.');
            if is_host {
                add(&mut self.hosts, &host, place);
                if sort != Sort::Prose && !matches!(host.as_str(), "localhost" | "127.0.0.1" | "[::1]") {
                    add(&mut self.network, &host, place);
                }
            }
        }
    }

    fn variables_in(&mut self, text: &str, place: &str) {
        static NAME: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r#"\$\{?([A-Z][A-Z0-9_]+)\b|\$env:(\w+)|\b(?:os\.environ(?:\.get\(|\[)|os\.getenv\(|getenv\(|ENV\[|ENV\.fetch\(|env::var\(|os\.Getenv\()\s*["']([A-Za-z_]\w*)|\bprocess\.env\.([A-Za-z_]\w*)|\bprocess\.env\[["']([A-Za-z_]\w*)"#)
                .expect("the pattern is one")
        });
        for found in NAME.captures_iter(text) {
            if let Some(name) = found.iter().skip(1).flatten().next() {
                add(&mut self.variables, name.as_str(), place);
            }
        }
    }

    fn paths_in(&mut self, text: &str, place: &str) {
        static PATH: LazyLock<Regex> = LazyLock::new(|| {
            let pattern = format!(
                r#"((?:~|\$HOME|\$\{{HOME\}}|%USERPROFILE%|\$env:USERPROFILE)[/\\][\w./\\*@+-]*\w)|(?:^|[\s"'`=(:,<>])(/(?:etc|usr|var|tmp|dev|proc|sys|root|home|opt|bin|sbin|srv|mnt|Library|Users|System|private|Applications)(?:/[\w.*@+-]+)+)|\b([A-Z]:\\[\w\\.-]+)|({MEMORY})"#
            );
            Regex::new(&pattern).expect("the pattern is one")
        });
        for found in PATH.captures_iter(text) {
            let Some(path) = found.iter().skip(1).flatten().next() else { continue };
            let path = path.as_str().trim_end_matches('.');
            if !matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/usr/bin/env" | "/bin/sh" | "/bin/bash") {
                add(&mut self.paths, path, place);
            }
        }
    }
}

fn add(list: &mut BTreeMap<String, Vec<String>>, value: &str, place: &str) {
    let places = list.entry(value.to_owned()).or_default();
    if places.last().is_none_or(|last| last != place) {
        places.push(place.to_owned());
    }
}

fn seen(list: BTreeMap<String, Vec<String>>) -> Vec<Seen> {
    list.into_iter().map(|(value, places)| Seen { value, places }).collect()
}

/// A file that can be run: it has the right, a first line that says so, or lies among scripts under a name that does.
fn script(file: &File) -> Option<Script> {
    let interpreter = interpreter(file);
    let is_one = file.executable || interpreter.is_some();
    is_one.then(|| Script { path: file.path.clone(), interpreter, bytes: file.size() })
}

/// What runs a file, as its first line or its name says.
fn interpreter(file: &File) -> Option<String> {
    let first = file.text().and_then(|text| text.lines().next()).and_then(|line| line.strip_prefix("#!"));
    if let Some(first) = first {
        let mut words = first.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
        let program = words.next()?;
        let named =
            if program == "env" { words.find(|word| !word.starts_with('-') && !word.contains('=')) } else { None };
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

/// The lines of a file, each with how it is to be read.
fn lines<'a>(file: &File, text: &'a str) -> Vec<Line<'a>> {
    let is_page = matches!(file.extension().to_ascii_lowercase().as_str(), "md" | "mdx" | "markdown");
    let whole = match interpreter(file).as_deref() {
        Some("sh" | "bash" | "zsh" | "dash" | "ksh" | "fish") => Sort::Shell,
        Some(_) => Sort::Code,
        None => Sort::Prose,
    };
    let mut fence: Option<(&str, Sort)> = None;
    let mut shell = shell::Reader::default();
    let mut read = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| is_page && trimmed.starts_with(mark));
        let sort = match (mark, fence) {
            (Some(mark), Some((open, _))) if mark == open => {
                fence = None;
                continue;
            }
            (Some(mark), None) => {
                shell = shell::Reader::default();
                fence = Some((mark, sort_of(trimmed.trim_start_matches(['`', '~']))));
                continue;
            }
            (_, Some((_, sort))) => sort,
            (None, None) => whole,
        };
        let is_data = matches!(sort, Sort::Shell | Sort::Session) && shell.is_data(line);
        read.push(Line { number: at + 1, text: line, sort: if is_data { Sort::Prose } else { sort } });
    }
    read
}

/// How a fence is to be read, by the word behind its mark.
fn sort_of(info: &str) -> Sort {
    let word =
        info.trim().split(|c: char| c.is_whitespace() || c == '{').next().unwrap_or_default().to_ascii_lowercase();
    match word.as_str() {
        "sh" | "bash" | "shell" | "zsh" => Sort::Shell,
        "console" | "terminal" | "shell-session" | "sh-session" | "" => Sort::Session,
        "text" | "txt" | "markdown" | "md" | "json" | "yaml" | "toml" | "html" | "xml" | "diff" | "csv" => Sort::Prose,
        _ => Sort::Code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::Content;

    fn skill(files: &[(&str, &str)]) -> Capabilities {
        let file = |(path, text): &(&str, &str)| File {
            path: (*path).to_owned(),
            content: Content::Text((*text).to_owned()),
            executable: false,
        };
        capabilities(&SkillDir {
            files: files.iter().map(file).collect(),
            directory: "pdf".into(),
            ..SkillDir::default()
        })
    }

    fn values(seen: &[Seen]) -> Vec<&str> {
        seen.iter().map(|one| one.value.as_str()).collect()
    }

    #[test]
    fn a_page_gives_what_its_fences_run_and_what_it_names() {
        let page = "---\nname: pdf\ndescription: Fill.\nallowed-tools: Read Bash(git:*)\n---\n\n\
            State: !`git status --short`\nRead ~/.config/acme/key and CLAUDE.md, see https://docs.acme.dev/x.\n\n\
            ```bash\n# curl is a comment\nTOKEN=$ACME_TOKEN sudo curl -s https://api.acme.dev/v1 | jq -r .a && ls /etc/acme\n\
            cat <<EOF\nrm -rf of no command\nEOF\n```\n\n```\n$ make all\nout put\n```\n\n```python\nimport os, requests\n\
            subprocess.run([\"pdftk\", x])\nos.environ[\"HOME\"]\n```\n";
        let found = skill(&[("SKILL.md", page)]);
        assert_eq!(values(&found.commands), ["cat", "curl", "git", "jq", "ls", "make", "pdftk"]);
        assert_eq!(values(&found.hosts), ["api.acme.dev", "docs.acme.dev"]);
        assert_eq!(values(&found.variables), ["ACME_TOKEN", "HOME"]);
        assert_eq!(values(&found.paths), ["/etc/acme", "CLAUDE.md", "~/.config/acme/key"]);
        assert_eq!(found.tools, ["Read", "Bash(git:*)"]);
        assert_eq!(values(&found.network), ["api.acme.dev", "curl"]);
        assert_eq!(found.hosts[0].places, ["SKILL.md:12"]);
    }

    #[test]
    fn a_script_has_its_interpreter_and_size_and_what_it_does() {
        let found = skill(&[
            ("SKILL.md", "---\nname: pdf\ndescription: Fill.\n---\n"),
            ("scripts/a.py", "#!/usr/bin/env -S python3 -u\nimport socket\nos.system('git push origin')\n"),
            ("scripts/b.sh", "if command -v gs; then\n  exec gs \"$1\"\nfi\n"),
            ("table.csv", "a,b\n"),
        ]);
        let scripts: Vec<_> = found.scripts.iter().map(|one| (&*one.path, one.interpreter.as_deref())).collect();
        assert_eq!(scripts, [("scripts/a.py", Some("python3")), ("scripts/b.sh", Some("sh"))]);
        assert_eq!(values(&found.commands), ["git", "gs"]);
        assert_eq!(values(&found.network), ["git", "socket"]);
    }
}
