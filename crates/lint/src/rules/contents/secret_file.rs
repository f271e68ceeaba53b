//! Files that contain secrets, recognized by their names.

use super::exclude_fix;
use crate::exclusion::is_excluded;
use crate::{
    ExampleFile, FileContent, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs,
};
use skillpm_core::package::{is_secret_file, may_be_key};
use skillpm_core::report::{Diagnostic, DiagnosticLevel};

pub(crate) static RULE: Rule = Rule {
    code: "SK514",
    name: "secret-file",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Safely,
    summary: "a file that usually contains secrets, such as `.env` or `id_rsa`",
    docs: RuleDocs {
        finds: "A non-empty file with the name of a file for passwords, tokens or keys (`.env`, `.npmrc`, `id_rsa`, \
            `*.pfx`, a `*.pem` with a private key). Templates, such as `.env.example`, are ignored. `package` and \
            `publish` reject such files.",
        hurts: "Anyone who gets the skill gets the secret, and a published secret cannot be taken back.",
        ignore: "The file has this name but no secrets, for example a sample for tests.",
        bad: &[
            page_and!(
                "Fill the form.\n",
                ("pdf/.env", ExampleFile::Text("TOKEN=1\n"))
            ),
            page_and!(
                "Fill the form.\n",
                ("pdf/keys/id_rsa", ExampleFile::Text("key\n"))
            ),
        ],
        good: &[page_and!(
            "Copy `.env.example`.\n",
            ("pdf/.env.example", ExampleFile::Text("TOKEN=\n"))
        )],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    for file in &subject.skill.files {
        let bytes = match &file.content {
            FileContent::Text(text) => text.as_bytes(),
            FileContent::Bytes(bytes) | FileContent::Large(_, bytes) => bytes,
            FileContent::Link(_) | FileContent::Special => continue,
        };
        if let Some(diagnostic) = finding(&file.path, bytes)
            // A file that the package leaves out stays on the author's machine.
            && !is_excluded(subject.skill, &file.path)
        {
            found.add(&file.path, diagnostic);
        }
    }
}

/// Reports a file that contains secrets.
pub(crate) fn finding(path: &str, bytes: &[u8]) -> Option<Diagnostic> {
    let name = secret_name(path, bytes)?;
    let finding = RULE.finding(format!("a file named `{name}` usually contains secrets"));
    Some(
        finding
            .help(super::exclude_help(path))
            .fix(exclude_fix(path)),
    )
}

/// The file name, if a file with this name contains secrets; templates do not.
fn secret_name<'p>(path: &'p str, bytes: &[u8]) -> Option<&'p str> {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    // A public certificate often has this extension too.
    let is_key = may_be_key(path) && memchr::memmem::find(bytes, b"PRIVATE KEY-----").is_some();

    // An empty file is only a placeholder.
    ((is_secret_file(path) || is_key) && !bytes.trim_ascii().is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_files_are_recognized_by_name_and_templates_are_not() {
        for bad in [
            ".env",
            "a/.env.local",
            "keys/id_rsa",
            ".npmrc",
            "x.pfx",
            ".aws/credentials",
            "credentials.toml",
        ] {
            assert!(finding(bad, b"KEY=1").is_some(), "{bad}");
        }
        for good in [
            ".env.example",
            ".env.sample",
            "env.md",
            "id_rsa.pub",
            "credentials.md",
            "x.pem",
        ] {
            assert_eq!(finding(good, b"KEY=1"), None, "{good}");
        }
        let key = ["-----BEGIN PRIVATE", " KEY-----\n"].concat();
        assert!(finding("x.pem", key.as_bytes()).is_some());
        assert_eq!(finding(".env", b"\n"), None);
    }
}
