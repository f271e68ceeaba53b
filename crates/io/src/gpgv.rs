//! Signatures of OpenPGP, by the program that Linux distributions verify their packages with: `gpgv --status-fd 1`.
//!
//! It is given three files of our own and an empty home, sees nothing else of the environment than where programs are, and
//! asks no network. What it says is judged in [`provenance`](crate::provenance).

use std::fs;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use super::program::{Program, Silence};
use crate::provenance::{Detached, Doubt, Flaw, Openpgp};

const NAME: &str = "gpgv";
/// Longest that it may take; it takes some milliseconds.
const PATIENCE: Duration = Duration::from_secs(30);
/// What of the environment a program cannot be found or run without.
const PASSED_ON: [&str; 2] = ["PATH", "SystemRoot"];

/// The `gpgv` that is installed here.
#[derive(Debug, Clone, Copy)]
pub struct Gpgv;

impl Openpgp for Gpgv {
    fn status(&self, signed: &Detached<'_>) -> Result<String, Doubt> {
        let unclear = |why: String| Doubt::Openpgp(Flaw::Unclear(why));
        let dir = TempDir::with_prefix("skillpm-gpgv-").map_err(|error| unclear(error.to_string()))?;
        let program = prepared(dir.path(), signed).map_err(|error| unclear(error.to_string()))?;
        match program.hear(b"", PATIENCE) {
            Ok((_, bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(Silence::Missing) => Err(Doubt::Openpgp(Flaw::NoProgram(NAME))),
            Err(Silence::Other(why)) => Err(unclear(format!("`{NAME}`: {why}"))),
        }
    }
}

/// Writes what it is asked about into a directory, of which it sees nothing else.
fn prepared(dir: &Path, signed: &Detached<'_>) -> std::io::Result<Program> {
    let file = |name: &str, bytes: &[u8]| -> std::io::Result<String> {
        let path = dir.join(name);
        fs::write(&path, bytes)?;
        Ok(path.display().to_string())
    };
    let [keyring, signature, payload] =
        [file("keyring.gpg", signed.keyring)?, file("signature", signed.signature)?, file("payload", signed.payload)?];
    let home = dir.join("home");
    fs::create_dir(&home)?;
    let home = home.display().to_string();
    let command = [NAME, "--homedir", &home, "--status-fd", "1", "--keyring", &keyring, "--", &signature, &payload];
    let passed_on = PASSED_ON.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
    let environment = passed_on.chain([("LC_ALL".to_owned(), "C".to_owned())]).collect();
    Ok(Program { command: command.map(str::to_owned).to_vec(), environment })
}
