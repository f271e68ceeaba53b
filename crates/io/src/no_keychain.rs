//! The keyring of builds without the feature `keyring`: every operation fails.

use skillpm_core::error::{Error, Result};
use skillpm_core::package::SecretString;

/// No secret can be read.
///
/// # Errors
/// Always.
pub fn get(_: &str) -> Result<Option<SecretString>> {
    Err(unsupported())
}

/// No secret can be stored.
///
/// # Errors
/// Always.
pub fn set(_: &str, _: &SecretString) -> Result<()> {
    Err(unsupported())
}

/// No secret can be removed.
///
/// # Errors
/// Always.
pub fn remove(_: &str) -> Result<bool> {
    Err(unsupported())
}

fn unsupported() -> Error {
    Error::network("unsupported credential provider `keyring`")
        .cause("this skillpm was built without the feature `keyring`")
        .help(concat!(
                "install a program with it: `cargo install --locked --git ",
                env!("CARGO_PKG_REPOSITORY"),
                " --features keyring`"
            ))
        .help("store tokens in a file instead: `skillpm config set registry.credential-providers environment,file`")
}
