//! The server's answers to bytes that are no protocol, and to messages in the wrong order.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::Sandbox;

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
