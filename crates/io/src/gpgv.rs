//! OpenPGP signatures, verified by the program that Linux distributions use for packages: `gpgv --status-fd 1`.
//!
//! It gets three files of our own and an empty home, no environment except where programs are, and
//! uses no network. Its output is judged in [`provenance`](skillpm_core::provenance).

use std::fs;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use super::program::{ExternalProgram, ProgramFailure};
use skillpm_core::provenance::{DetachedSignature, OpenpgpError, OpenpgpVerifier, VerifyError};

const NAME: &str = "gpgv";
/// Time limit; a verification takes some milliseconds.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Environment variables without which a program cannot be found or run.
const INHERITED_VARIABLES: [&str; 2] = ["PATH", "SystemRoot"];

/// The `gpgv` that is installed here.
#[derive(Debug, Clone, Copy)]
pub struct GpgvVerifier;

impl OpenpgpVerifier for GpgvVerifier {
    fn status(&self, signed: &DetachedSignature<'_>) -> Result<String, VerifyError> {
        let unclear = |why: String| VerifyError::Openpgp(OpenpgpError::Unverified(why));
        let dir =
            TempDir::with_prefix("skillpm-gpgv-").map_err(|error| unclear(error.to_string()))?;
        let program =
            prepare_program(dir.path(), signed).map_err(|error| unclear(error.to_string()))?;

        match program.run(b"", TIMEOUT) {
            Ok((_, bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(ProgramFailure::Missing) => {
                Err(VerifyError::Openpgp(OpenpgpError::MissingProgram(NAME)))
            }
            Err(ProgramFailure::Other(why)) => Err(unclear(format!("`{NAME}`: {why}"))),
        }
    }
}

/// Writes the input files into a directory and prepares the command; `gpgv` sees no other files.
fn prepare_program(dir: &Path, signed: &DetachedSignature<'_>) -> std::io::Result<ExternalProgram> {
    let file = |name: &str, bytes: &[u8]| -> std::io::Result<String> {
        let path = dir.join(name);
        fs::write(&path, bytes)?;
        Ok(path.display().to_string())
    };

    let [keyring, signature, payload] = [
        file("keyring.gpg", signed.keyring)?,
        file("signature", signed.signature)?,
        file("payload", signed.payload)?,
    ];

    // An empty home: the user's own keyrings and options do not count.
    let home = dir.join("home");
    fs::create_dir(&home)?;
    let home = home.display().to_string();
    let command = [
        NAME,
        "--homedir",
        &home,
        "--status-fd",
        "1",
        "--keyring",
        &keyring,
        "--",
        &signature,
        &payload,
    ];

    // Many programs for Windows do not start without `SystemRoot`.
    let passed_on = INHERITED_VARIABLES
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
    let environment = passed_on
        .chain([("LC_ALL".to_owned(), "C".to_owned())])
        .collect();

    Ok(ExternalProgram {
        command: command.map(str::to_owned).to_vec(),
        environment,
    })
}
