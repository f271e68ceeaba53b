//! Tokens: which secret is for which index, and which provider stores it.
//!
//! A token belongs to one index, by its whole canonical URL: not to a host, and not to a name, which a project could give
//! to another registry. Its providers, in the order of `registry.credential-providers`:
//!
//! | provider | stores it in |
//! |---|---|
//! | `environment` | `SKILLPM_REGISTRIES_<NAME>_TOKEN`; `SKILLPM_TOKEN` for the default registry |
//! | `command` | another program, which gets one line of JSON per request (`command.rs`) |
//! | `file` | `$SKILLPM_HOME/credentials.toml`, readable by its owner alone (`file.rs`) |
//! | `keyring` | the operating system's keyring |
//!
//! No message and no `Debug` form of these types contains a token.

mod command;
mod file;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use skillpm_core::error::{Error, Result};
use skillpm_core::package::{IndexKind, IndexUrl, SecretString};
use skillpm_core::report::EventReporter;
use skillpm_io::keychain;
use skillpm_io::program::ExternalProgram;

/// Longest token, in bytes; servers accept request heads of 8 KiB and more.
const TOKEN_MAX: usize = 8 << 10;

/// A place that tokens are stored in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CredentialProvider {
    /// Environment variables.
    Environment,
    /// `credentials.toml`.
    File,
    /// The operating system's keyring.
    Keyring,
    /// Another program.
    Command,
}

impl FromStr for CredentialProvider {
    type Err = Error;

    fn from_str(text: &str) -> Result<CredentialProvider> {
        Ok(match text {
            "environment" => CredentialProvider::Environment,
            "file" => CredentialProvider::File,
            "keyring" => CredentialProvider::Keyring,
            "command" => CredentialProvider::Command,
            other => {
                return Err(Error::usage(format!(
                    "unknown credential provider `{}`",
                    other.escape_debug()
                ))
                .help("use one of `environment`, `command`, `file` and `keyring`"));
            }
        })
    }
}

/// How to find the token of one registry.
#[derive(Debug, Clone)]
pub struct RegistryAuth {
    /// Its name in the settings; `None` where an index is only known by its URL.
    pub name: Option<String>,
    /// The URL of its index, in its canonical form.
    pub url: String,
    /// The providers of its token, in the order they are queried.
    pub providers: Vec<CredentialProvider>,
    /// The program of [`CredentialProvider::Command`]; `None` if there is none.
    pub command: Option<ExternalProgram>,
    /// The name of the environment variable with its token, and the token.
    pub environment: Option<(String, SecretString)>,
}

/// The tokens of one user.
pub struct CredentialStore {
    /// `credentials.toml`.
    file: PathBuf,
    /// The registries with a name.
    registries: Vec<RegistryAuth>,
    /// The providers for all other registries.
    fallback_auth: RegistryAuth,
    /// The tokens found in this run, so that no provider is queried twice.
    lookup_cache: Mutex<BTreeMap<String, Option<SecretString>>>,
}

/// Where a token was stored, or erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CredentialBackend {
    /// This file.
    File(PathBuf),
    /// The operating system's keyring.
    Keyring,
    /// This program.
    Command(String),
}

impl fmt::Display for CredentialBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CredentialBackend::File(path) => write!(f, "`{}`", path.display()),
            CredentialBackend::Keyring => f.write_str("the system keyring"),
            CredentialBackend::Command(name) => write!(f, "`{name}`"),
        }
    }
}

/// How long to wait for a lock, and the reporter of that wait.
pub type LockWait<'a> = (Duration, &'a dyn EventReporter);

impl CredentialStore {
    /// Creates the store of the tokens in `home` (`$SKILLPM_HOME`) and at the providers of the registries;
    /// `fallback_auth` has the providers for a registry without a name.
    #[must_use]
    pub fn new(
        home: &Path,
        registries: Vec<RegistryAuth>,
        fallback_auth: RegistryAuth,
    ) -> CredentialStore {
        CredentialStore {
            file: home.join("credentials.toml"),
            registries,
            fallback_auth,
            lookup_cache: Mutex::default(),
        }
    }

    /// Finds the token of the index with exactly this URL; `None` if there is none.
    ///
    /// # Errors
    /// If a provider cannot be queried, or returns an invalid token.
    pub fn find(&self, url: &str) -> Result<Option<SecretString>> {
        // Not an error: the index is read without a token.
        let Some(url) = parse_token_url(url).map(String::from) else {
            return Ok(None);
        };

        // Locked during the query, so that several threads do not prompt for the same password several times.
        let mut found = self
            .lookup_cache
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = found.get(&url) {
            return Ok(known.clone());
        }

        let token = self.query_providers(&self.auth_for_url(&url), &url)?;
        found.insert(url, token.clone());
        Ok(token)
    }

    fn query_providers(&self, registry: &RegistryAuth, url: &str) -> Result<Option<SecretString>> {
        for provider in &registry.providers {
            let token = match provider {
                CredentialProvider::Environment => {
                    registry.environment.clone().map(|(_, token)| token)
                }
                CredentialProvider::File => file::read_token(&self.file, url)?,
                CredentialProvider::Keyring => keychain::get(url)?,
                CredentialProvider::Command => match &registry.command {
                    Some(program) => command::get(program, registry.name.as_deref(), url)?,
                    None => None,
                },
            };
            if let Some(token) = token {
                // A line break in a token would add headers to every request with it.
                check_token(&token).map_err(|error| {
                    error.note(format!(
                        "it is from the credential provider {provider:?}, for `{url}`"
                    ))
                })?;
                return Ok(Some(token));
            }
        }
        Ok(None)
    }

    /// Stores a token for an index with the first of its providers that can store any.
    ///
    /// # Errors
    /// If the index supports no tokens, the token is invalid, or it cannot be stored.
    pub fn store(
        &self,
        url: &str,
        token: &SecretString,
        waiting: LockWait<'_>,
    ) -> Result<CredentialBackend> {
        let url = check_url(url)?;
        check_token(token)?;

        let registry = self.auth_for_url(&url);
        for provider in &registry.providers {
            match (provider, &registry.command) {
                (CredentialProvider::File, _) => {
                    file::update_tokens(&self.file, waiting, |tokens| {
                        tokens.insert(url.clone(), token.clone());
                    })?;
                    return Ok(CredentialBackend::File(self.file.clone()));
                }
                (CredentialProvider::Keyring, _) => {
                    return keychain::set(&url, token).map(|()| CredentialBackend::Keyring);
                }
                (CredentialProvider::Command, Some(program)) => {
                    command::store(program, registry.name.as_deref(), &url, token)?;
                    return Ok(CredentialBackend::Command(program_name(program)));
                }
                // Neither of them can store anything.
                (CredentialProvider::Environment, _) | (CredentialProvider::Command, None) => {}
            }
        }

        Err(Error::usage(format!("no configured credential provider can store a token for `{url}`"))
            .help("`skillpm config set registry.credential-providers environment,file` stores tokens in a file"))
    }

    /// Erases the tokens of an index; returns the backends that had one.
    ///
    /// # Errors
    /// If the index supports no tokens, or a provider cannot be queried.
    pub fn erase(&self, url: &str, waiting: LockWait<'_>) -> Result<Vec<CredentialBackend>> {
        let url = check_url(url)?;
        let registry = self.auth_for_url(&url);

        let mut erased_from = Vec::new();
        for provider in &registry.providers {
            match (provider, &registry.command) {
                (CredentialProvider::File, _) => {
                    // Without a token for this index the file stays as it is.
                    if file::read_token(&self.file, &url)?.is_some() {
                        file::update_tokens(&self.file, waiting, |tokens| {
                            tokens.remove(&url);
                        })?;
                        erased_from.push(CredentialBackend::File(self.file.clone()));
                    }
                }
                (CredentialProvider::Keyring, _) => erased_from
                    .extend(keychain::remove(&url)?.then_some(CredentialBackend::Keyring)),
                (CredentialProvider::Command, Some(program)) => {
                    let erased = command::erase(program, registry.name.as_deref(), &url)?;
                    erased_from
                        .extend(erased.then(|| CredentialBackend::Command(program_name(program))));
                }
                (CredentialProvider::Environment, _) | (CredentialProvider::Command, None) => {}
            }
        }

        Ok(erased_from)
    }

    /// The environment variable whose token takes precedence over the stored ones of an index; `None` if none does.
    #[must_use]
    pub fn env_variable(&self, url: &str) -> Option<String> {
        let registry = self.auth_for_url(url);
        let asks_environment = registry
            .providers
            .contains(&CredentialProvider::Environment);
        registry
            .environment
            .filter(|_| asks_environment)
            .map(|(name, _)| name)
    }

    fn auth_for_url(&self, url: &str) -> RegistryAuth {
        let named = self
            .registries
            .iter()
            .filter(|registry| registry.url == url);

        // Of two names for one index, the one with a token of its own is preferred.
        let best = named.max_by_key(|registry| registry.environment.is_some());
        best.unwrap_or(&self.fallback_auth).clone()
    }
}

/// The canonical URL of an index that supports tokens.
fn check_url(url: &str) -> Result<String> {
    if let Some(index) = parse_token_url(url) {
        return Ok(index.into());
    }

    let error = Error::usage(format!("cannot use a token with `{}`", url.escape_debug()));
    Err(
        match url.split_once("://").map_or("", |(scheme, _)| scheme) {
            "s3" | "gs" | "az" => error
                .note("an object store takes credentials from its own environment variables")
                .help("docs/object-store.md lists them: `AWS_…`, `GOOGLE_…`, `AZURE_…`"),
            "git+ssh" => {
                error.help("ssh authenticates with your key: run `ssh-add` to add it to the agent")
            }
            "git+http" | "sparse+http" => error
                .note("plain HTTP to another machine is not encrypted")
                .help("use its `https` URL"),
            _ => error.help("tokens are supported with `sparse+https://…` and `git+https://…`"),
        },
    )
}

/// The index, if a token may be sent there: over TLS, or without leaving this machine.
fn parse_token_url(url: &str) -> Option<IndexUrl> {
    let index: IndexUrl = url.parse().ok()?;
    // Object stores have credentials of their own, and directories need none.
    let is_on_the_web = matches!(index.kind(), IndexKind::Sparse | IndexKind::Git);
    // Over plain HTTP only where the token does not leave this machine.
    let is_safe = index.inner().starts_with("https://")
        || (index.inner().starts_with("http://") && index.is_on_loopback());
    (is_on_the_web && is_safe).then_some(index)
}

/// Rejects a token that could not be sent in a header unchanged.
fn check_token(token: &SecretString) -> Result<()> {
    let text = token.reveal();
    let reason = match () {
        () if text.is_empty() => "it is empty",
        () if text.len() > TOKEN_MAX => "it is longer than 8 KiB",
        () if !text.bytes().all(|byte| byte.is_ascii_graphic()) => {
            "it contains whitespace or non-ASCII characters"
        }
        () => return Ok(()),
    };

    Err(Error::usage(format!("invalid token: {reason}"))
        .help("a token is one word, as the registry showed it"))
}

fn program_name(program: &ExternalProgram) -> String {
    program.command.first().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillpm_core::report::SilentReporter;

    const URL: &str = "sparse+https://skills.acme.dev/index/";
    const NO_WAIT: LockWait<'_> = (Duration::from_secs(20), &SilentReporter);

    fn registry(name: Option<&str>, url: &str, providers: &[CredentialProvider]) -> RegistryAuth {
        let name = name.map(str::to_owned);
        RegistryAuth {
            name,
            url: url.to_owned(),
            providers: providers.to_vec(),
            command: None,
            environment: None,
        }
    }

    fn credentials(home: &Path, registries: Vec<RegistryAuth>) -> CredentialStore {
        CredentialStore::new(
            home,
            registries,
            registry(
                None,
                "",
                &[CredentialProvider::Environment, CredentialProvider::File],
            ),
        )
    }

    #[test]
    fn a_token_is_found_for_just_its_url() {
        let home = tempfile::tempdir().unwrap();
        let credentials = || credentials(home.path(), Vec::new());
        credentials()
            .store(URL, &SecretString::new("CANARY"), NO_WAIT)
            .unwrap();
        let found = |url: &str| credentials().find(url).unwrap().is_some();
        assert!(
            found(URL)
                && found(URL.trim_end_matches('/'))
                && found("sparse+https://SKILLS.acme.dev:443/index")
        );
        for other in [
            "sparse+https://skills.acme.dev/",
            "sparse+https://skills.acme.dev/index/more/",
            "sparse+https://skills.acme.dev:8443/index/",
            "sparse+https://skills.acme.dev./index/",
            "sparse+https://skills.acme.dev/INDEX/",
            "git+https://skills.acme.dev/index/",
            "sparse+http://skills.acme.dev/index/",
            "https://skills.acme.dev/index/",
        ] {
            assert!(!found(other), "{other}");
        }
        assert_eq!(
            credentials().erase(URL, NO_WAIT).unwrap(),
            [CredentialBackend::File(
                home.path().join("credentials.toml")
            )]
        );
        assert!(!found(URL));
        assert_eq!(credentials().erase(URL, NO_WAIT).unwrap(), []);
    }

    #[test]
    fn the_environment_takes_precedence_over_the_file_if_it_is_a_provider() {
        let home = tempfile::tempdir().unwrap();
        let with = |providers: &[CredentialProvider]| {
            let mut acme = registry(Some("acme"), URL, providers);
            acme.environment = Some((
                "SKILLPM_REGISTRIES_ACME_TOKEN".into(),
                SecretString::new("from-environment"),
            ));
            credentials(home.path(), vec![acme])
        };
        let both = with(&[CredentialProvider::Environment, CredentialProvider::File]);
        both.store(URL, &SecretString::new("from-file"), NO_WAIT)
            .unwrap();
        assert_eq!(
            both.find(URL).unwrap().unwrap().reveal(),
            "from-environment"
        );
        assert_eq!(
            both.env_variable(URL).as_deref(),
            Some("SKILLPM_REGISTRIES_ACME_TOKEN")
        );
        let file = with(&[CredentialProvider::File]);
        assert_eq!(file.find(URL).unwrap().unwrap().reveal(), "from-file");
        assert_eq!(file.env_variable(URL), None);
    }

    #[test]
    fn a_token_that_cannot_be_sent_is_invalid() {
        let home = tempfile::tempdir().unwrap();
        let credentials = credentials(home.path(), Vec::new());
        for text in [
            "",
            "CANARY two",
            "CANARY\nX: y",
            "CANARÝ",
            &"C".repeat(TOKEN_MAX + 1),
        ] {
            let error = credentials
                .store(URL, &SecretString::new(text), NO_WAIT)
                .unwrap_err();
            assert!(error.message().starts_with("invalid token: "), "{error:?}");
            assert!(!format!("{error:?}").contains("CANAR"));
        }
        for url in [
            "s3://skills/",
            "file:///srv/index",
            "git+ssh://git@h/a",
            "sparse+http://h/",
            "embedded:default",
        ] {
            let error = credentials
                .store(url, &SecretString::new("t"), NO_WAIT)
                .unwrap_err();
            assert_eq!(error.message(), format!("cannot use a token with `{url}`"));
        }
        assert!(
            credentials
                .store(
                    "sparse+http://127.0.0.1:80/",
                    &SecretString::new("t"),
                    NO_WAIT
                )
                .is_ok()
        );
    }
}
