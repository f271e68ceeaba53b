//! `login` and `logout`: store the token of a registry, and erase it.

use super::CommandContext;
use super::auth_tokens::{CLAWHUB, load_credentials};
use skillpm_core::error::Result;
use skillpm_core::package::{IndexUrl, SecretString};
use skillpm_registry::credentials::CredentialBackend;
use skillpm_registry::sources::hub_token_url;

/// What to log in to.
#[derive(Debug, Clone)]
pub struct LoginOptions {
    /// The name of the registry or the URL of its index; `None` for the default registry.
    pub registry: Option<String>,
    /// The token.
    pub token: SecretString,
}

/// The result of [`login`].
#[derive(Debug, Clone)]
pub struct LoggedIn {
    /// The only index that the token is sent to.
    pub index: String,
    /// Where it is stored.
    pub backend: CredentialBackend,
    /// The environment variable whose token takes precedence.
    pub variable: Option<String>,
}

/// The result of [`logout`].
#[derive(Debug, Clone)]
pub struct LoggedOut {
    /// The index whose token was erased.
    pub index: String,
    /// The backends that had a token.
    pub backends: Vec<CredentialBackend>,
    /// The environment variable whose token is still used.
    pub variable: Option<String>,
}

/// The index URL of a registry that is given by name or URL.
///
/// # Errors
/// If no registry of that name is configured.
pub fn index_url(context: &CommandContext<'_>, registry: Option<&str>) -> Result<String> {
    match registry {
        Some(url) if url.contains("://") => Ok(url.parse::<IndexUrl>()?.into()),
        Some(CLAWHUB) if !context.config.is_registry(CLAWHUB) => {
            Ok(hub_token_url(&context.config.clawhub_url()?))
        }
        name => context.config.registry(name),
    }
}

/// Stores a token.
///
/// # Errors
/// If the registry is not configured, it takes no token, or the token cannot be stored.
pub fn login(context: &CommandContext<'_>, options: &LoginOptions) -> Result<LoggedIn> {
    let index = index_url(context, options.registry.as_deref())?;
    let credentials = load_credentials(context)?;

    let backend = credentials.store(
        &index,
        &options.token,
        (context.lock_timeout(), context.reporter),
    )?;

    // A variable takes precedence over the stored token. The user has to know why that has no
    // effect.
    let variable = credentials.env_variable(&index);

    Ok(LoggedIn {
        index,
        backend,
        variable,
    })
}

/// Erases a token from all backends; it stays valid at the registry.
///
/// # Errors
/// If the registry is not configured, it takes no token, or a backend that may have it fails.
pub fn logout(context: &CommandContext<'_>, registry: Option<&str>) -> Result<LoggedOut> {
    let index = index_url(context, registry)?;
    let credentials = load_credentials(context)?;

    let backends = credentials.erase(&index, (context.lock_timeout(), context.reporter))?;
    // skillpm cannot unset a variable, so that the token may be used after a logout.
    let variable = credentials.env_variable(&index);

    Ok(LoggedOut {
        index,
        backends,
        variable,
    })
}
