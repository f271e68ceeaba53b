//! What depends on when messages come, or on a fault of the server: with messages that all wait, and without its threads.

use std::collections::BTreeSet;
use std::io::BufReader;
use std::sync::mpsc;
use std::thread;

use skillpm_core::report::SilentReporter;
use skillpm_io::traffic::TrafficLog;
use skillpm_ops::{BaseDirs, CommandContext};
use skillpm_registry::config::Config;

use super::*;
use crate::LspOptions;

/// Far longer than any check takes to start.
const PATIENCE: Duration = Duration::from_mins(1);

/// A path of Windows has a drive.
const MANIFEST: &str = if cfg!(windows) {
    "file:///C:/p/skillpm.toml"
} else {
    "file:///p/skillpm.toml"
};

#[expect(
    clippy::unnecessary_wraps,
    reason = "it has the type of one that can fail"
)]
fn valid_settings(_: &BaseDirs) -> Result<Config> {
    Ok(Config::new())
}

/// Runs with the checker of a server whose settings are read by a function.
fn with_checker<T>(
    settings: fn(&BaseDirs) -> Result<Config>,
    run: impl FnOnce(&DocumentChecker<'_>) -> T,
) -> T {
    let context = CommandContext {
        dirs: BaseDirs {
            home: "/h".into(),
            skillpm_home: "/h/.skillpm".into(),
            cwd: "/p".into(),
        },
        config: Config::new(),
        reporter: &SilentReporter,
        env_var: &|_| None,
        env_names: &BTreeSet::new,
        traffic: TrafficLog::default(),
        interactive: false,
        now: 0,
        command: "lsp",
    };
    let options = LspOptions {
        settings: &settings,
        rule_url: &str::to_owned,
    };
    run(&DocumentChecker::new(&context, options))
}

fn notification(method: &str, params: Value) -> ServerEvent {
    ServerEvent::Message(Notification::new(method.to_owned(), params).into())
}

fn request(id: i32, method: &str, params: Value) -> ServerEvent {
    ServerEvent::Message(Request::new(id.into(), method.to_owned(), params).into())
}

fn initialize() -> ServerEvent {
    request(1, "initialize", json!({"capabilities": {}}))
}

fn open(text: &str) -> ServerEvent {
    let document = json!({"uri": MANIFEST, "languageId": "toml", "version": 1, "text": text});
    notification("textDocument/didOpen", json!({"textDocument": document}))
}

fn at_position(line: u32, character: u32) -> Value {
    json!({"textDocument": {"uri": MANIFEST}, "position": {"line": line, "character": character}})
}

/// What a server sends in answer to events that all wait when it starts: the id, or `log`, and the code and message of an
/// error.
fn answers(checker: &DocumentChecker<'_>, waiting: Vec<ServerEvent>) -> Vec<String> {
    let (events, received) = mpsc::channel();
    for event in waiting {
        events.send(event).unwrap();
    }
    events.send(ServerEvent::End(None)).unwrap();
    let (jobs, _queue) = mpsc::channel();
    let mut output = Vec::new();
    LanguageServer::new(checker, &mut output, jobs)
        .serve(&received)
        .unwrap();

    let mut output = BufReader::new(output.as_slice());
    let mut lines = Vec::new();
    while let Some(message) = Message::read(&mut output).unwrap() {
        lines.push(match message {
            Message::Response(Response {
                id,
                response_result: Err(error),
            }) => format!("{id}: {} {}", error.code, error.message),
            Message::Response(Response { id, .. }) => format!("{id}: ok"),
            Message::Notification(log) => format!("log: {}", log.params["message"]),
            Message::Request(request) => format!("request: {}", request.method),
        });
    }
    lines
}

#[test]
fn many_changes_are_one_check() {
    let (events, received) = mpsc::channel();
    let (jobs, queue) = mpsc::channel();
    let last = 501;
    events.send(initialize()).unwrap();
    events.send(open("")).unwrap();
    for version in 2..=last {
        let document = json!({"uri": MANIFEST, "version": version});
        let changes = json!([{"text": format!("# {version}")}]);
        let params = json!({"textDocument": document, "contentChanges": changes});
        let change = notification("textDocument/didChange", params);
        events.send(change).unwrap();
    }

    // A failure here drops `events`, which ends the server.
    let checked = with_checker(valid_settings, |checker| {
        thread::scope(move |scope| {
            let server = LanguageServer::new(checker, Vec::new(), jobs);
            scope.spawn(move || server.serve(&received).unwrap());
            let mut checked: Vec<(i32, String)> = Vec::new();
            while checked.last().is_none_or(|(version, _)| *version != last) {
                let job = queue
                    .recv_timeout(PATIENCE)
                    .expect("the last text is checked");
                if let WorkerJob::Check(job) = job {
                    checked.push((job.document.version, job.document.text.to_string()));
                }
            }
            events.send(ServerEvent::End(None)).unwrap();
            checked
        })
    });
    // An opened document is checked at once.
    assert_eq!(checked[0], (1, String::new()));
    assert_eq!(checked.last().unwrap().1, format!("# {last}"));
    // Two, if the machine never stops for longer than a person who types.
    assert!(checked.len() < 50, "{} checks", checked.len());
}

#[test]
fn cancelled_request_is_answered_once_and_the_others_as_ever() {
    let cancel = |id: Value| notification("$/cancelRequest", json!({"id": id}));
    let text_id = Request::new(
        "a".to_owned().into(),
        "textDocument/hover".to_owned(),
        at_position(0, 0),
    );
    let lines = with_checker(valid_settings, |checker| {
        answers(
            checker,
            vec![
                initialize(),
                request(2, "textDocument/hover", at_position(0, 0)),
                request(3, "textDocument/hover", at_position(0, 0)),
                ServerEvent::Message(text_id.into()),
                cancel(json!(2)),
                cancel(json!("a")),
                // One that was never sent, twice the same, and one that is no id.
                cancel(json!(9)),
                cancel(json!(2)),
                cancel(json!([2])),
                request(4, "shutdown", Value::Null),
            ],
        )
    });
    assert_eq!(
        lines,
        [
            "2: -32800 cancelled by the client",
            "\"a\": -32800 cancelled by the client",
            "1: ok",
            "3: ok",
            "4: ok",
        ]
    );
}

#[test]
fn panic_is_the_answer_to_its_request_and_ends_nothing() {
    let panicking = |_: &BaseDirs| -> Result<Config> { panic!("a fault, for this test") };
    let lines = with_checker(panicking, |checker| {
        answers(
            checker,
            vec![
                initialize(),
                open("[install]\ntargets = [\"\"]\n"),
                request(2, "textDocument/completion", at_position(1, 12)),
                // A check that panics has no findings, and the request about it an empty answer.
                request(3, "textDocument/hover", at_position(1, 12)),
                request(4, "no/such", Value::Null),
                request(5, "shutdown", Value::Null),
            ],
        )
    });
    let reason = "internal: `textDocument/completion` panicked; please report it";
    assert_eq!(
        lines,
        [
            "1: ok",
            &format!("log: \"{reason}\""),
            &format!("2: -32603 {reason}"),
            "3: ok",
            "4: -32601 unknown method `no/such`",
            "5: ok",
        ]
    );
}
