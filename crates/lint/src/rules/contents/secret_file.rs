//! Files that hold secrets, by their names.

use super::exclude;
use crate::lint::rules::package::include::is_left_out;
use crate::lint::{Check, Content, Docs, Fixes, Found, Piece, Rule, Subject};
use crate::report::{Diagnostic, Level};

pub(in crate::lint) static RULE: Rule = Rule {
    code: "SK514",
    name: "secret-file",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "a file that holds secrets and little else",
    docs: Docs {
        finds: "A file that is called as files of passwords, tokens and keys are (`.env`, `.npmrc`, `id_rsa`, `*.pfx`, a `*.pem` \
                with a private key), and is not empty. Templates, such as `.env.example`, are passed over. `package` and \
                `publish` refuse them.",
        hurts: "Whoever gets the skill gets the secret, and what was published once cannot be taken back.",
        ignore: "The file is called so, and holds none: a sample for tests, say.",
        bad: &[
            page_and!("Fill the form.\n", ("pdf/.env", Piece::Text("TOKEN=1\n"))),
            page_and!("Fill the form.\n", ("pdf/keys/id_rsa", Piece::Text("key\n"))),
        ],
        good: &[page_and!("Copy `.env.example`.\n", ("pdf/.env.example", Piece::Text("TOKEN=\n")))],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    for file in &subject.skill.files {
        let bytes = match &file.content {
            Content::Text(text) => text.as_bytes(),
            Content::Bytes(bytes) | Content::Large(_, bytes) => bytes,
            Content::Link(_) | Content::Special => continue,
        };
        if let Some(diagnostic) = finding(&file.path, bytes)
            && !is_left_out(subject.skill, &file.path)
        {
            found.add(&file.path, diagnostic);
        }
    }
}

/// Tells of a file that holds secrets.
pub(in crate::lint) fn finding(path: &str, bytes: &[u8]) -> Option<Diagnostic> {
    let name = secret_name(path, bytes)?;
    let told = RULE.finding(format!("a file called `{name}` usually holds secrets"));
    Some(told.help(super::keep_out(path)).fix(exclude(path)))
}

/// Names of files that hold secrets and little else.
const FILES: [&str; 18] = [
    ".env",
    ".npmrc",
    ".pypirc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".htpasswd",
    ".git-credentials",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "credentials.json",
    "credentials.toml",
    "client_secret.json",
    "service-account.json",
    ".vault-token",
    ".dockercfg",
];

/// The name, if a file of that name holds secrets: a template of one does not.
fn secret_name<'p>(path: &'p str, bytes: &[u8]) -> Option<&'p str> {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let is_template = ["example", "sample", "template", "dist", "schema"].iter().any(|word| name.contains(word));
    let is_environment = name.starts_with(".env.") && !is_template;
    let is_key = [".p12", ".pfx", ".jks", ".keystore", ".ppk", ".kdbx"].iter().any(|end| name.ends_with(end));
    // A certificate, which is for everybody, is often called so, too.
    let is_pem = name.rsplit_once('.').is_some_and(|(_, end)| end == "pem")
        && memchr::memmem::find(bytes, b"PRIVATE KEY-----").is_some();
    let is_known = FILES.contains(&name) || path.ends_with(".aws/credentials") || path.ends_with(".docker/config.json");
    // An empty one only marks a place.
    ((is_environment || is_key || is_pem || is_known) && !bytes.trim_ascii().is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_hold_secrets_are_known_by_name_and_templates_of_them_are_not() {
        for bad in [".env", "a/.env.local", "keys/id_rsa", ".npmrc", "x.pfx", ".aws/credentials", "credentials.toml"] {
            assert!(finding(bad, b"KEY=1").is_some(), "{bad}");
        }
        for good in [".env.example", ".env.sample", "env.md", "id_rsa.pub", "credentials.md", "x.pem"] {
            assert_eq!(finding(good, b"KEY=1"), None, "{good}");
        }
        let key = ["-----BEGIN PRIVATE", " KEY-----\n"].concat();
        assert!(finding("x.pem", key.as_bytes()).is_some());
        assert_eq!(finding(".env", b"\n"), None);
    }
}
