//! Secrets in the defaults of a Nova skill.

use super::nova::FINE;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::DiagnosticLevel;
use skillpm_core::skill::SkillFormat;
use skillpm_core::skill::formats::nova::CONFIG;
use skillpm_core::skill::yaml::{self, TypedScalar, YamlNode};

const PAGE: ExampleFile = ExampleFile::Text("# First week\n\nBe kind.\n");

pub(super) static RULE: Rule = Rule {
    code: "SKB05",
    name: "nova-config-secret",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "a `config.yaml` contains what looks like a password or a key",
    docs: RuleDocs {
        finds: "In the `config.yaml` of a Nova skill, a string under a key such as `password`, `token` or `api_key`. \
            Empty values, environment variables (`${TOKEN}`) and obvious placeholders are ignored.",
        hurts: "The file contains defaults and is part of the skill: anyone who gets the skill gets the secret.",
        ignore: "The value is made up and gives access to nothing.",
        bad: &[RuleExample::files(&[
            ("week/manifest.yaml", ExampleFile::Text(FINE)),
            ("week/instructions.md", PAGE),
            (
                "week/config.yaml",
                ExampleFile::Text("host: hr.example\nauth:\n  password: winter-2031\n"),
            ),
        ])],
        good: &[RuleExample::files(&[
            ("week/manifest.yaml", ExampleFile::Text(FINE)),
            ("week/instructions.md", PAGE),
            (
                "week/config.yaml",
                ExampleFile::Text(
                    "host: hr.example\nauth:\n  password: ${HR_PASSWORD}\n  token: \"\"\n  api_key: <your key>\nmax_tokens: 500\n\
                     token_file: secrets/token\n",
                ),
            ),
        ])],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    // `config.yaml` is a common name; only in a Nova skill it holds defaults.
    if subject.skill.other_format() != Some(SkillFormat::Nova) {
        return;
    }
    let Some(source) = subject.skill.file(CONFIG).and_then(|file| file.text()) else {
        return;
    };
    let Some(root) = yaml::parse_text(source)
        .ok()
        .and_then(|document| document.root)
    else {
        return;
    };

    check_node(&root, source, found);
}

fn check_node(node: &YamlNode<'_>, source: &str, found: &mut FindingList) {
    node.items()
        .unwrap_or_default()
        .iter()
        .for_each(|item| check_node(item, source, found));

    for (key, value) in node.entries().unwrap_or_default() {
        let name = key.text().unwrap_or_default();
        if is_secret_key(name) && value.typed().is_some_and(|value| is_literal_value(&value)) {
            let message = format!("`{}` looks like a secret", name.escape_debug());
            let finding = RULE.finding(message).at(value.span.clone(), source);
            found.add(
                CONFIG,
                finding.help(
                    "read it from the environment: `${NAME}`; and revoke the one in the file",
                ),
            );
        }
        // Below a secret's key too: `token: {value: …}` has the secret one level deeper.
        check_node(value, source, found);
    }
}

/// Whether a value with this key is usually a secret, not a setting about one.
fn is_secret_key(key: &str) -> bool {
    let key = key.to_lowercase().replace('-', "_");
    let ends = [
        "password",
        "passwd",
        "passphrase",
        "secret",
        "token",
        "api_key",
        "apikey",
        "private_key",
        "access_key",
    ];
    // At the end only: `token_file` and `password_policy` are settings about a secret.
    ends.iter().any(|end| key.ends_with(end)) || key.starts_with("secret_key")
}

/// Whether a value is literal, not a reference or a placeholder.
fn is_literal_value(value: &TypedScalar<'_>) -> bool {
    let TypedScalar::Text(text) = value else {
        // A password of digits is a number to YAML.
        return matches!(value, TypedScalar::Int(_));
    };
    let text = text.trim();
    let lower = text.to_lowercase();
    let is_elsewhere = text.contains("${")
        || text.starts_with('$')
        || text.contains("{{")
        || lower.starts_with("env:");

    let is_to_be_filled_in = text.starts_with('<')
        || [
            "your",
            "change",
            "example",
            "placeholder",
            "todo",
            "xxx",
            "...",
            "***",
        ]
        .iter()
        .any(|word| lower.contains(word));

    !text.is_empty() && !is_elsewhere && !is_to_be_filled_in
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_secrets_are_distinguished_from_keys_about_them() {
        for key in [
            "password",
            "DB_PASSWORD",
            "api-key",
            "githubToken",
            "client_secret",
        ] {
            assert!(is_secret_key(key), "{key}");
        }
        for key in [
            "max_tokens",
            "token_file",
            "password_env",
            "secret_name",
            "keys",
            "tokenizer",
        ] {
            assert!(!is_secret_key(key), "{key}");
        }
    }
}
