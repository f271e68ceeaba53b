//! The operating system's store of secrets: Keychain on macOS, Credential Manager on Windows, the Secret Service of the
//! desktop elsewhere. The only owner of `keyring`.

use keyring::{Entry, Error as KeyringError};

use crate::error::{Error, Result};
use crate::package::Secret;

/// Under which name our secrets stand there.
const SERVICE: &str = "skillpm";

/// The secret that is kept for `what`; `None` if there is none.
///
/// # Errors
/// If no keyring can be reached, or it is locked.
pub fn get(what: &str) -> Result<Option<Secret>> {
    match entry(what)?.get_password() {
        Ok(text) => Ok(Some(Secret::new(&text))),
        Err(KeyringError::NoEntry) => Ok(None),
        Err(error) => Err(failed(&error)),
    }
}

/// Keeps a secret for `what`, in the place of one that is there.
///
/// # Errors
/// As [`get`].
pub fn set(what: &str, secret: &Secret) -> Result<()> {
    entry(what)?.set_password(secret.reveal()).map_err(|error| failed(&error))
}

/// Forgets the secret for `what`; says whether there was one.
///
/// # Errors
/// As [`get`].
pub fn remove(what: &str) -> Result<bool> {
    match entry(what)?.delete_credential() {
        Ok(()) => Ok(true),
        Err(KeyringError::NoEntry) => Ok(false),
        Err(error) => Err(failed(&error)),
    }
}

fn entry(what: &str) -> Result<Entry> {
    Entry::new(SERVICE, what).map_err(|error| match Entry::store_status() {
        Err(why) => failed(why),
        Ok(()) => failed(&error),
    })
}

fn failed(error: &KeyringError) -> Error {
    // Only these say nothing of what they were given.
    let why = match error {
        KeyringError::PlatformFailure(cause) | KeyringError::NoStorageAccess(cause) => cause.to_string(),
        KeyringError::NoDefaultStore => "there is none on this machine".to_owned(),
        KeyringError::Ambiguous(_) => "it holds several secrets of this name".to_owned(),
        _ => "it gave no answer that can be understood".to_owned(),
    };
    Error::network("the keyring of this system cannot be used")
        .cause(why)
        .note("on Linux it is part of a desktop's session; a server and a CI machine have none")
        .help("use the file instead: `skillpm config set registry.credential-providers environment,file`")
}
