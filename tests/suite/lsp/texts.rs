//! Texts that are large, or whose columns and lines are not those of ASCII.

use serde_json::json;

use super::client::{Client, apply, edits, lines};
use super::{PDF, world};

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

#[test]
fn columns_count_utf16_in_a_text_with_carriage_returns() {
    let sandbox = world();
    let Some(mut client) = Client::start(&sandbox, "visual_studio_code", &json!({})) else {
        return;
    };
    let (page, path) = ("skills/pdf/SKILL.md", client.path("skills/pdf/SKILL.md"));
    let text = "---\nname: pdf\ndescription: 🚀 Reads PDF.\nallowed_tools: Bash\n---\n\
                é🚀 [n](references/none.md)\n"
        .replace('\n', "\r\n");
    let broken = |found: &serde_json::Value| {
        let found = lines(found).into_iter();
        found
            .filter(|line| line.contains("SK501"))
            .collect::<Vec<_>>()
    };
    let found = client.open(page, &text);
    assert!(broken(&found)[0].starts_with("5:8-5:26 "), "{found}");

    // What is inserted has the line ends of the text.
    let actions = client.actions(page, 3);
    let fixed = apply(&text, edits(&actions[0]["edit"]));
    assert_eq!(fixed, text.replace("allowed_tools", "allowed-tools"));
    let allowed = apply(&text, edits(&actions[1]["edit"]));
    assert!(
        allowed.starts_with(
            "---\r\n# skillpm: ignore[misspelled-field] TODO: say why\r\nname: pdf\r\n"
        ),
        "{allowed:?}"
    );

    // Behind a character of two columns, and in the middle of it.
    let replace = |from: u32, to: u32, text: &str| {
        let at = |character| json!({"line": 5, "character": character});
        json!({"range": {"start": at(from), "end": at(to)}, "text": text})
    };
    let found = client.ask(&json!(["change", path, 2, [replace(19, 23, "fields")]]));
    assert!(broken(&found).is_empty(), "{found}");
    let changes = [replace(2, 2, "x"), replace(20, 26, "none")];
    let found = client.ask(&json!(["change", path, 3, changes]));
    assert!(broken(&found)[0].starts_with("5:9-5:27 "), "{found}");
    client.exit();
}

#[test]
fn document_over_the_limit_is_reported_and_not_checked() {
    let sandbox = world();
    let Some(mut client) = Client::start(&sandbox, "visual_studio_code", &json!({})) else {
        return;
    };
    let page = "skills/pdf/SKILL.md";
    let text = format!("{PDF}{}", "Read it.\n".repeat(1_200_000));
    let found = client.open(page, &text);
    assert_eq!(
        lines(&found),
        [format!(
            "0:0-0:0 1 - failed to check: the document has {} bytes, and the limit is 10485760",
            text.len()
        )]
    );
    assert_eq!(client.actions(page, 3), Vec::<serde_json::Value>::new());

    // Once it is smaller, it is checked again.
    let path = client.path(page);
    let found = client.ask(&json!(["change", path, 2, [{"text": PDF}]]));
    assert!(lines(&found)[0].contains("SK131"), "{found}");
    client.exit();
}
