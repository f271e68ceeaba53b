//! What a client agrees on with the server: settings, folders, and the use of the network.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, lines};
use super::{PDF, world};
use crate::support::{IndexDir, Sandbox, Server, configure};

#[test]
fn sources_are_asked_only_if_the_client_allows_it() {
    let sandbox = Sandbox::project_here();
    let server = Server::start(&sandbox);
    let index = IndexDir::new(&sandbox, "../www/index");
    index.publish("acme/pdf", "1.0.0", &[]);
    configure(&sandbox, &format!("sparse+{}/", server.url("index")), "");
    sandbox.skillpm("add acme/pdf").exits(0);
    index.publish("acme/pdf", "2.0.1", &[]);
    let text = "[dependencies]\n\"acme/pdf\" = \"^1.0\"\n";

    server.forget();
    let options = json!({"network": false});
    let Some(mut client) = Client::start(&sandbox, "visual_studio_code", &options) else {
        return;
    };
    client.open("skillpm.toml", text);
    let lenses = client.request("textDocument/codeLens", "skillpm.toml", &json!({}));
    assert_eq!(lenses, json!([]));
    // The server ends after all that it does in the background.
    client.exit();
    let lines: Vec<String> = server.requests().into_iter().map(|it| it.line).collect();
    assert_eq!(lines, Vec::<String>::new());

    let options = json!({"network": true});
    let mut client = Client::start(&sandbox, "visual_studio_code", &options).unwrap();
    client.open("skillpm.toml", text);
    let start = Instant::now();
    let lens = loop {
        let lenses = client.request("textDocument/codeLens", "skillpm.toml", &json!({}));
        if lenses != json!([]) || start.elapsed() > Duration::from_mins(1) {
            break lenses[0]["command"]["title"].clone();
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(lens, "newer: 2.0.1");
    client.exit();
    let lines: Vec<String> = server.requests().into_iter().map(|it| it.line).collect();
    assert_eq!(lines, ["GET /index/config.json", "GET /index/acme/3/p/pdf"]);
}

#[test]
fn settings_that_a_client_does_not_send_stay() {
    let sandbox = world();
    let options = json!({"notes": true});
    let Some(mut client) = Client::start(&sandbox, "visual_studio_code", &options) else {
        return;
    };
    let (page, path) = ("skills/pdf/SKILL.md", client.path("skills/pdf/SKILL.md"));
    let has_note = |found: &Value| lines(found).iter().any(|line| line.contains(" 3 SK"));
    assert!(has_note(&client.open(page, PDF)));

    // Emacs sends an empty configuration at the start, and others none.
    for (version, settings, notes) in [
        (2, json!({}), true),
        (3, Value::Null, true),
        (4, json!({"skillpm": {"notes": false}}), false),
        (5, json!({"skillpm": {}}), false),
    ] {
        let method = "workspace/didChangeConfiguration";
        client.ask(&json!(["notify", method, {"settings": settings}]));
        let found = client.ask(&json!(["change", path, version, [{"text": PDF}]]));
        assert_eq!(has_note(&found), notes, "{settings}: {found}");
    }
    client.exit();
}

#[test]
fn each_folder_is_a_project_of_its_own() {
    let sandbox = world();
    sandbox.write("a/skillpm.toml", "[lint]\nmisspelled-field = \"deny\"\n");
    sandbox.write("b/skillpm.toml", "[lint]\nmisspelled-field = \"allow\"\n");
    let Some(mut client) = Client::start(&sandbox, "visual_studio_code", &json!({})) else {
        return;
    };
    let folder = |name: &str, uri: String| json!({"name": name, "uri": uri});
    let root = client.uri("").trim_end_matches('/').to_owned();
    let added = [folder("a", client.uri("a")), folder("b", client.uri("b"))];
    let event = json!({"added": added, "removed": [folder("root", root)]});
    let method = "workspace/didChangeWorkspaceFolders";
    client.ask(&json!(["notify", method, {"event": event}]));

    let codes = |found: &Value| -> Vec<String> {
        let code = |line: String| {
            line.split(' ')
                .skip(1)
                .take(2)
                .collect::<Vec<_>>()
                .join(" ")
        };
        lines(found).into_iter().map(code).collect()
    };
    let found = client.open("a/skills/pdf/SKILL.md", PDF);
    assert_eq!(codes(&found), ["1 SK131"]);
    let found = client.open("b/skills/pdf/SKILL.md", PDF);
    assert_eq!(codes(&found), Vec::<String>::new());
    client.exit();
}
