//! `login` and `logout`: giving a token into custody, and having it forgotten.

use super::Context;
use super::tokens::credentials;
use crate::credentials::Keeper;
use crate::error::Result;
use crate::package::{IndexUrl, Secret};

/// What to log in to.
#[derive(Debug, Clone)]
pub struct LoginOptions {
    /// The registry, by its name or by the URL of its index; the default one for `None`.
    pub registry: Option<String>,
    /// The token.
    pub token: Secret,
}

/// What came of logging in.
#[derive(Debug, Clone)]
pub struct LoggedIn {
    /// The index the token goes with, and no other.
    pub index: String,
    /// Who keeps it.
    pub keeper: Keeper,
    /// The variable whose token goes before it.
    pub variable: Option<String>,
}

/// What came of logging out.
#[derive(Debug, Clone)]
pub struct LoggedOut {
    /// The index whose token it was.
    pub index: String,
    /// Who had one, and has it no longer.
    pub keepers: Vec<Keeper>,
    /// The variable whose token is used still.
    pub variable: Option<String>,
}

/// The URL of the index that a registry's name, or its URL, stands for.
///
/// # Errors
/// If no registry of that name is configured.
pub fn index_of(context: &Context<'_>, registry: Option<&str>) -> Result<String> {
    match registry {
        Some(url) if url.contains("://") => Ok(url.parse::<IndexUrl>()?.into()),
        name => context.config.registry(name),
    }
}

/// Gives a token into custody.
///
/// # Errors
/// If there is no such registry, it takes no token, or the token cannot be kept.
pub fn login(context: &Context<'_>, options: &LoginOptions) -> Result<LoggedIn> {
    let index = index_of(context, options.registry.as_deref())?;
    let credentials = credentials(context)?;
    let keeper = credentials.store(&index, &options.token, (context.patience(), context.reporter))?;
    let variable = credentials.variable(&index);
    Ok(LoggedIn { index, keeper, variable })
}

/// Has a token forgotten, by all who keep it; it stays valid for who has it elsewhere.
///
/// # Errors
/// If there is no such registry, it takes no token, or somebody who may have it cannot be asked.
pub fn logout(context: &Context<'_>, registry: Option<&str>) -> Result<LoggedOut> {
    let index = index_of(context, registry)?;
    let credentials = credentials(context)?;
    let keepers = credentials.forget(&index, (context.patience(), context.reporter))?;
    let variable = credentials.variable(&index);
    Ok(LoggedOut { index, keepers, variable })
}
