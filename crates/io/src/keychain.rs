//! The operating system's store of secrets: Keychain on macOS, Credential Manager on Windows, the Secret Service of the
//! desktop elsewhere. Only this module uses the crate `keyring`.

use keyring::{Entry, Error as KeyringError};

use skillpm_core::error::{Error, Result};
use skillpm_core::package::SecretString;

/// Service name of our entries in the keyring.
const SERVICE: &str = "skillpm";

/// The secret stored for `what`; `None` if there is none.
///
/// # Errors
/// If no keyring can be reached, or it is locked.
pub fn get(what: &str) -> Result<Option<SecretString>> {
    match open_entry(what)?.get_password() {
        Ok(text) => Ok(Some(SecretString::new(&text))),
        Err(KeyringError::NoEntry) => Ok(None),
        Err(error) => Err(keyring_error(&error)),
    }
}

/// Stores a secret for `what`, replacing an existing one.
///
/// # Errors
/// As [`get`].
pub fn set(what: &str, secret: &SecretString) -> Result<()> {
    open_entry(what)?
        .set_password(secret.reveal())
        .map_err(|error| keyring_error(&error))
}

/// Removes the secret for `what`; returns whether there was one.
///
/// # Errors
/// As [`get`].
pub fn remove(what: &str) -> Result<bool> {
    match open_entry(what)?.delete_credential() {
        Ok(()) => Ok(true),
        Err(KeyringError::NoEntry) => Ok(false),
        Err(error) => Err(keyring_error(&error)),
    }
}

fn open_entry(what: &str) -> Result<Entry> {
    Entry::new(SERVICE, what).map_err(|error| match Entry::store_status() {
        // A missing store is the more useful reason.
        Err(why) => keyring_error(why),
        Ok(()) => keyring_error(&error),
    })
}

fn keyring_error(error: &KeyringError) -> Error {
    // Only the text of these errors cannot contain the secret.
    let why = match error {
        KeyringError::PlatformFailure(cause) | KeyringError::NoStorageAccess(cause) => {
            cause.to_string()
        }
        KeyringError::NoDefaultStore => "this machine has no keyring".to_owned(),
        KeyringError::Ambiguous(_) => "it has several entries with this name".to_owned(),
        _ => "unexpected response from the keyring".to_owned(),
    };

    Error::network("failed to access the system keyring")
        .cause(why)
        .note("on Linux the keyring is part of a desktop session; servers and CI machines have none")
        .help("store tokens in a file instead: `skillpm config set registry.credential-providers environment,file`")
}
