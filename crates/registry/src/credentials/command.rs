//! Another program that keeps tokens. It is run once a question, is given one line of JSON on stdin, and answers with one
//! on stdout:
//!
//! ```text
//! {"v":1,"action":"get","index":"sparse+https://skills.acme.dev/index/","name":"acme"}
//!     {"v":1,"token":"…"}        or null, if it has none
//! {"v":1,"action":"store","index":"…","name":"acme","token":"…"}
//!     {"v":1,"done":true}
//! {"v":1,"action":"erase","index":"…","name":null}
//!     {"v":1,"done":true}        or false, if there was none
//! any
//!     {"v":1,"error":"the vault is locked"}
//! ```
//!
//! Keys that are not known are ignored, on both sides.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::io::program::Program;
use crate::package::Secret;

/// How long a program may take; some ask a person for a password.
const PATIENCE: Duration = Duration::from_mins(1);
/// The form of question and answer.
const FORM: u32 = 1;
/// Most characters that are shown of a program's own words.
const WORDS_MAX: usize = 200;

#[derive(Serialize)]
struct Question<'a> {
    v: u32,
    action: &'a str,
    index: &'a str,
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
}

#[derive(Deserialize)]
struct Answer {
    v: u32,
    #[serde(default)]
    token: Option<String>,
    #[serde(default)]
    done: bool,
    #[serde(default)]
    error: Option<String>,
}

pub(super) fn get(program: &Program, name: Option<&str>, index: &str) -> Result<Option<Secret>> {
    let answer = ask(program, &Question { v: FORM, action: "get", index, name, token: None })?;
    Ok(answer.token.map(|token| Secret::new(&token)))
}

pub(super) fn store(program: &Program, name: Option<&str>, index: &str, token: &Secret) -> Result<()> {
    let question = Question { v: FORM, action: "store", index, name, token: Some(token.reveal()) };
    if ask(program, &question)?.done {
        return Ok(());
    }
    Err(failed(program, "it did not say that it keeps the token"))
}

pub(super) fn erase(program: &Program, name: Option<&str>, index: &str) -> Result<bool> {
    Ok(ask(program, &Question { v: FORM, action: "erase", index, name, token: None })?.done)
}

fn ask(program: &Program, question: &Question<'_>) -> Result<Answer> {
    let mut line = serde_json::to_vec(question)
        .map_err(|cause| Error::internal(format!("a question for a program cannot be written: {cause}")))?;
    line.push(b'\n');
    let bytes = program.ask(&line, PATIENCE).map_err(|error| error.help(HELP))?;
    // What serde says of it may quote it.
    let answer: Answer =
        serde_json::from_slice(&bytes).map_err(|_| failed(program, "its answer is not the JSON that was expected"))?;
    if answer.v != FORM {
        return Err(failed(program, &format!("it answers in form {}, and form {FORM} was expected", answer.v)));
    }
    match &answer.error {
        None => Ok(answer),
        Some(words) => {
            let mut words: String = words.chars().take(WORDS_MAX).collect();
            if let Some(token) = question.token {
                words = words.replace(token, "…");
            }
            Err(failed(program, &format!("it says: {words}")))
        }
    }
}

const HELP: &str = "docs/credentials.md says what such a program is asked; `registry.credential-command` names it";

fn failed(program: &Program, why: &str) -> Error {
    let name = super::name_of(program);
    Error::network(format!("`{}` gave no token", name.escape_debug())).cause(why).help(HELP)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Program {
        let command = ["/bin/sh", "-c", script].map(str::to_owned).to_vec();
        Program { command, environment: vec![("PATH".into(), "/usr/bin:/bin".into())] }
    }

    const INDEX: &str = "sparse+https://a.dev/";

    #[test]
    fn a_program_is_asked_in_one_line_of_json() {
        let dir = tempfile::tempdir().unwrap();
        let seen = dir.path().join("seen");
        let program = |answer: &str| shell(&format!("cat >> {}; echo '{answer}'", seen.display()));
        let token = get(&program("{\"v\":1,\"token\":\"t\",\"more\":1}"), Some("acme"), INDEX).unwrap();
        assert_eq!(token.unwrap().reveal(), "t");
        assert_eq!(get(&program("{\"v\":1,\"token\":null}"), None, INDEX).unwrap(), None);
        store(&program("{\"v\":1,\"done\":true}"), None, INDEX, &Secret::new("s")).unwrap();
        assert!(!erase(&program("{\"v\":1,\"done\":false}"), None, INDEX).unwrap());
        assert_eq!(
            std::fs::read_to_string(seen).unwrap(),
            "{\"v\":1,\"action\":\"get\",\"index\":\"sparse+https://a.dev/\",\"name\":\"acme\"}\n\
             {\"v\":1,\"action\":\"get\",\"index\":\"sparse+https://a.dev/\",\"name\":null}\n\
             {\"v\":1,\"action\":\"store\",\"index\":\"sparse+https://a.dev/\",\"name\":null,\"token\":\"s\"}\n\
             {\"v\":1,\"action\":\"erase\",\"index\":\"sparse+https://a.dev/\",\"name\":null}\n"
        );
    }

    #[test]
    fn no_failure_of_a_program_shows_a_token() {
        for script in [
            "echo CANARY",
            "echo '{\"v\":1,\"token\":[\"CANARY\"]}'",
            "echo '{\"v\":2,\"token\":\"CANARY\"}'",
            "echo CANARY; echo CANARY >&2; exit 1",
            "read -r line; echo '{\"v\":1,\"error\":\"I keep no CANARY\"}'",
        ] {
            let error = store(&shell(script), None, INDEX, &Secret::new("CANARY")).unwrap_err();
            assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
        }
    }
}
