//! A credential provider that is another program. It is run once per request, gets one line of JSON on stdin, and answers
//! with one on stdout:
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
//! Unknown keys are ignored, on both sides.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use skillpm_core::error::{Error, Result};
use skillpm_core::package::SecretString;
use skillpm_io::program::ExternalProgram;

/// How long a program may take; some prompt for a password.
const TIMEOUT: Duration = Duration::from_mins(1);
/// The version of requests and responses.
const PROTOCOL_VERSION: u32 = 1;
/// Most characters that are shown of a program's own message.
const MESSAGE_MAX: usize = 200;

#[derive(Serialize)]
struct CredentialRequest<'a> {
    v: u32,
    action: &'a str,
    index: &'a str,
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
}

#[derive(Deserialize)]
struct CredentialResponse {
    v: u32,
    #[serde(default)]
    token: Option<String>,
    #[serde(default)]
    done: bool,
    #[serde(default)]
    error: Option<String>,
}

pub(super) fn get(
    program: &ExternalProgram,
    name: Option<&str>,
    index: &str,
) -> Result<Option<SecretString>> {
    let answer = send_request(
        program,
        &CredentialRequest {
            v: PROTOCOL_VERSION,
            action: "get",
            index,
            name,
            token: None,
        },
    )?;
    Ok(answer.token.map(|token| SecretString::new(&token)))
}

pub(super) fn store(
    program: &ExternalProgram,
    name: Option<&str>,
    index: &str,
    token: &SecretString,
) -> Result<()> {
    let request = CredentialRequest {
        v: PROTOCOL_VERSION,
        action: "store",
        index,
        name,
        token: Some(token.reveal()),
    };

    if send_request(program, &request)?.done {
        return Ok(());
    }
    Err(provider_error(
        program,
        "it did not confirm that it stored the token",
    ))
}

pub(super) fn erase(program: &ExternalProgram, name: Option<&str>, index: &str) -> Result<bool> {
    Ok(send_request(
        program,
        &CredentialRequest {
            v: PROTOCOL_VERSION,
            action: "erase",
            index,
            name,
            token: None,
        },
    )?
    .done)
}

fn send_request(
    program: &ExternalProgram,
    request: &CredentialRequest<'_>,
) -> Result<CredentialResponse> {
    let mut line = serde_json::to_vec(request).map_err(|cause| {
        Error::internal(format!("failed to serialize a credential request: {cause}"))
    })?;
    line.push(b'\n');

    let bytes = program
        .query(&line, TIMEOUT)
        .map_err(|error| error.help(HELP))?;
    // The error of serde is dropped, since it may quote the token.
    let answer: CredentialResponse = serde_json::from_slice(&bytes)
        .map_err(|_| provider_error(program, "invalid response: it is not the expected JSON"))?;

    if answer.v != PROTOCOL_VERSION {
        return Err(provider_error(
            program,
            &format!(
                "unsupported protocol version {} in its response; expected {PROTOCOL_VERSION}",
                answer.v
            ),
        ));
    }

    match &answer.error {
        None => Ok(answer),
        Some(text) => {
            // The program's message is shown to the user, and may be of any length.
            let mut message: String = text.chars().take(MESSAGE_MAX).collect();
            // An error may quote the request, with the token in it.
            if let Some(token) = request.token {
                message = message.replace(token, "…");
            }
            Err(provider_error(program, &format!("it reported: {message}")))
        }
    }
}

const HELP: &str =
    "`registry.credential-command` sets the program; docs/credentials.md describes its protocol";

fn provider_error(program: &ExternalProgram, why: &str) -> Error {
    let name = super::program_name(program);
    Error::network(format!(
        "credential provider `{}` failed",
        name.escape_debug()
    ))
    .cause(why)
    .help(HELP)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> ExternalProgram {
        let command = ["/bin/sh", "-c", script].map(str::to_owned).to_vec();
        ExternalProgram {
            command,
            environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        }
    }

    const INDEX: &str = "sparse+https://a.dev/";

    #[test]
    fn a_request_is_one_line_of_json() {
        let dir = tempfile::tempdir().unwrap();
        let seen = dir.path().join("seen");
        let program = |answer: &str| shell(&format!("cat >> {}; echo '{answer}'", seen.display()));
        let token = get(
            &program("{\"v\":1,\"token\":\"t\",\"more\":1}"),
            Some("acme"),
            INDEX,
        )
        .unwrap();
        assert_eq!(token.unwrap().reveal(), "t");
        assert_eq!(
            get(&program("{\"v\":1,\"token\":null}"), None, INDEX).unwrap(),
            None
        );
        store(
            &program("{\"v\":1,\"done\":true}"),
            None,
            INDEX,
            &SecretString::new("s"),
        )
        .unwrap();
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
    fn no_error_of_a_provider_contains_a_token() {
        for script in [
            "echo CANARY",
            "echo '{\"v\":1,\"token\":[\"CANARY\"]}'",
            "echo '{\"v\":2,\"token\":\"CANARY\"}'",
            "echo CANARY; echo CANARY >&2; exit 1",
            "read -r line; echo '{\"v\":1,\"error\":\"I keep no CANARY\"}'",
        ] {
            let error =
                store(&shell(script), None, INDEX, &SecretString::new("CANARY")).unwrap_err();
            assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
        }
    }
}
