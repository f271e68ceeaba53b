//! A client of the language server protocol that is not ours, and how tests read what it got.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{JsonLinesClient, Sandbox, find_python};

/// The client of the `pytest-lsp` package, driven by `tests/fixtures/lsp/client.py`.
pub(super) struct Client {
    questions: JsonLinesClient,
    root: PathBuf,
}

impl Client {
    /// Starts `skillpm lsp` for an editor in the project; without that package, the test is skipped.
    pub(super) fn start(sandbox: &Sandbox, editor: &str, options: &Value) -> Option<Self> {
        let python = find_python("lsp", "`pytest-lsp`")?;
        let root = sandbox.path("").canonicalize().unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/lsp/client.py");
        let line = format!(
            "exec '{}' '{}' '{editor}' '{}' '{options}' skillpm lsp",
            python.display(),
            script.display(),
            root.display()
        );
        let questions = JsonLinesClient::start(&mut sandbox.shell(&line));
        Some(Client { questions, root })
    }

    pub(super) fn ask(&mut self, question: &Value) -> Value {
        self.questions.ask(question)
    }

    pub(super) fn path(&self, path: &str) -> String {
        self.root.join(path).display().to_string()
    }

    pub(super) fn uri(&self, path: &str) -> String {
        format!("file://{}", self.path(path))
    }

    /// Opens a file with a text, and returns its findings.
    pub(super) fn open(&mut self, path: &str, text: &str) -> Value {
        let path = self.path(path);
        self.ask(&json!(["open", path, text]))
    }

    /// A request about a file.
    pub(super) fn request(&mut self, method: &str, path: &str, more: &Value) -> Value {
        let mut params = json!({"textDocument": {"uri": self.uri(path)}});
        for (key, value) in more.as_object().unwrap() {
            params[key] = value.clone();
        }
        self.ask(&json!(["request", method, params]))
    }

    pub(super) fn at(&mut self, method: &str, path: &str, line: u32, character: u32) -> Value {
        let position = json!({"position": {"line": line, "character": character}});
        self.request(method, path, &position)
    }

    pub(super) fn hover(&mut self, path: &str, line: u32, character: u32) -> String {
        let hover = self.at("textDocument/hover", path, line, character);
        hover["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// What is suggested, as `label` or `label > inserted`.
    pub(super) fn complete(&mut self, path: &str, line: u32, character: u32) -> Vec<String> {
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

    pub(super) fn actions(&mut self, path: &str, line: u32) -> Vec<Value> {
        let range = json!({"start": {"line": line, "character": 0}, "end": {"line": line, "character": 200}});
        let more = json!({"range": range, "context": {"diagnostics": []}});
        let actions = self.request("textDocument/codeAction", path, &more);
        actions.as_array().cloned().unwrap_or_default()
    }

    /// Ends the session, which has to be as the specification wants it.
    pub(super) fn exit(mut self) {
        assert_eq!(self.ask(&json!(["warnings"])), json!([]));
        assert_eq!(self.ask(&json!(["exit"])), 0);
    }
}

/// Findings, one a line: position, severity, code and the first line of the message.
pub(super) fn lines(findings: &Value) -> Vec<String> {
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
pub(super) fn apply(text: &str, edits: &Value) -> String {
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
pub(super) fn edits(edit: &Value) -> &Value {
    &edit["documentChanges"][0]["edits"]
}
