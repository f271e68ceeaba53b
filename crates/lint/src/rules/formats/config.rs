//! Secrets in the defaults of a skill of Nova's.

use super::nova::FINE;
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Subject};
use crate::report::Level;
use crate::skill::Format;
use crate::skill::formats::nova::CONFIG;
use crate::skill::yaml::{self, Node, Typed};

const PAGE: Piece = Piece::Text("# First week\n\nBe kind.\n");

pub(super) static RULE: Rule = Rule {
    code: "SKB05",
    name: "nova-config-secret",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "a `config.yaml` with what looks like a password or a key",
    docs: Docs {
        finds: "In the `config.yaml` of a skill of Nova's, a text under a key such as `password`, `token` or `api_key`. One that \
                is empty, names an environment variable (`${TOKEN}`) or is plainly to be filled in is passed over.",
        hurts: "The file holds defaults, and goes wherever the skill goes: whoever gets the skill gets the secret.",
        ignore: "The value is a made-up one that opens nothing.",
        bad: &[Example::files(&[
            ("week/manifest.yaml", Piece::Text(FINE)),
            ("week/instructions.md", PAGE),
            ("week/config.yaml", Piece::Text("host: hr.example\nauth:\n  password: winter-2031\n")),
        ])],
        good: &[Example::files(&[
            ("week/manifest.yaml", Piece::Text(FINE)),
            ("week/instructions.md", PAGE),
            (
                "week/config.yaml",
                Piece::Text(
                    "host: hr.example\nauth:\n  password: ${HR_PASSWORD}\n  token: \"\"\n  api_key: <your key>\nmax_tokens: 500\n\
                     token_file: secrets/token\n",
                ),
            ),
        ])],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    if subject.skill.other() != Some(Format::Nova) {
        return;
    }
    let Some(source) = subject.skill.file(CONFIG).and_then(|file| file.text()) else { return };
    let Some(root) = yaml::parse_text(source).ok().and_then(|document| document.root) else { return };
    look(&root, source, found);
}

fn look(node: &Node<'_>, source: &str, found: &mut Found) {
    node.items().unwrap_or_default().iter().for_each(|item| look(item, source, found));
    for (key, value) in node.entries().unwrap_or_default() {
        let name = key.text().unwrap_or_default();
        if is_secret(name) && value.typed().is_some_and(|value| is_given(&value)) {
            let message = format!("`{}` looks like a secret", name.escape_debug());
            let told = RULE.finding(message).at(value.span.clone(), source);
            found.add(CONFIG, told.help("take it from the environment: `${NAME}`; and withdraw the one that was here"));
        }
        look(value, source, found);
    }
}

/// Whether a value of this name is usually a secret, and not about one.
fn is_secret(key: &str) -> bool {
    let key = key.to_lowercase().replace('-', "_");
    let ends =
        ["password", "passwd", "passphrase", "secret", "token", "api_key", "apikey", "private_key", "access_key"];
    ends.iter().any(|end| key.ends_with(end)) || key.starts_with("secret_key")
}

/// Whether a value is one, and not the place for one.
fn is_given(value: &Typed<'_>) -> bool {
    let Typed::Text(text) = value else { return matches!(value, Typed::Int(_)) };
    let text = text.trim();
    let lower = text.to_lowercase();
    let is_elsewhere = text.contains("${") || text.starts_with('$') || text.contains("{{") || lower.starts_with("env:");
    let is_to_be_filled_in = text.starts_with('<')
        || ["your", "change", "example", "placeholder", "todo", "xxx", "...", "***"]
            .iter()
            .any(|word| lower.contains(word));
    !text.is_empty() && !is_elsewhere && !is_to_be_filled_in
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_secrets_are_told_from_those_about_them() {
        for key in ["password", "DB_PASSWORD", "api-key", "githubToken", "client_secret"] {
            assert!(is_secret(key), "{key}");
        }
        for key in ["max_tokens", "token_file", "password_env", "secret_name", "keys", "tokenizer"] {
            assert!(!is_secret(key), "{key}");
        }
    }
}
