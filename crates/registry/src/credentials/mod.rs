//! Tokens: which secret goes with which index, and who keeps it.
//!
//! A token belongs to one index, by its whole canonical URL and nothing less: not to a host, and not to a name, which a
//! project could give to another place. Who is asked for it, in the order of `registry.credential-providers`:
//!
//! | provider | keeps it in |
//! |---|---|
//! | `environment` | `SKILLPM_REGISTRIES_<NAME>_TOKEN`; `SKILLPM_TOKEN` for the default registry |
//! | `command` | another program, asked in one line of JSON (`command.rs`) |
//! | `file` | `$SKILLPM_HOME/credentials.toml`, for its owner alone (`file.rs`) |
//! | `keyring` | the operating system's keyring |
//!
//! What is here shows no token, in no message and no form.

mod command;
mod file;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::io::keychain;
use crate::io::program::Program;
use crate::package::{IndexKind, IndexUrl, Secret};
use crate::report::Reporter;

/// Longest token, in bytes; servers take heads of 8 KiB and more.
const TOKEN_MAX: usize = 8 << 10;

/// Who keeps tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Provider {
    /// Environment variables.
    Environment,
    /// `credentials.toml`.
    File,
    /// The operating system's keyring.
    Keyring,
    /// Another program.
    Command,
}

impl FromStr for Provider {
    type Err = Error;

    fn from_str(text: &str) -> Result<Provider> {
        Ok(match text {
            "environment" => Provider::Environment,
            "file" => Provider::File,
            "keyring" => Provider::Keyring,
            "command" => Provider::Command,
            other => {
                return Err(Error::usage(format!("nobody called `{}` keeps tokens", other.escape_debug()))
                    .help("it is one of `environment`, `command`, `file` and `keyring`"));
            }
        })
    }
}

/// One registry, as far as its token is concerned.
#[derive(Debug, Clone)]
pub struct Registry {
    /// What the person calls it; `None` where an index is only known by its URL.
    pub name: Option<String>,
    /// The URL of its index, in its canonical form.
    pub url: String,
    /// Who is asked for its token, in this order.
    pub providers: Vec<Provider>,
    /// The program that is asked; `None` if there is none.
    pub command: Option<Program>,
    /// The environment's token for it, and the variable it stands in.
    pub environment: Option<(String, Secret)>,
}

/// The tokens of one person.
pub struct Credentials {
    /// `credentials.toml`.
    file: PathBuf,
    /// Those with a name.
    registries: Vec<Registry>,
    /// Who is asked for the others.
    otherwise: Registry,
    /// What was found in this run, so that nobody is asked twice.
    found: Mutex<BTreeMap<String, Option<Secret>>>,
}

/// Where a token was put, or taken from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keeper {
    /// This file.
    File(PathBuf),
    /// The operating system's keyring.
    Keyring,
    /// This program.
    Command(String),
}

impl fmt::Display for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Keeper::File(path) => write!(f, "`{}`", path.display()),
            Keeper::Keyring => f.write_str("the keyring of this system"),
            Keeper::Command(name) => write!(f, "`{name}`"),
        }
    }
}

/// How long to wait for a lock, and who hears of it.
pub type Waiting<'a> = (Duration, &'a dyn Reporter);

impl Credentials {
    /// The tokens that `home` (`$SKILLPM_HOME`) and those whom the registries name keep; `otherwise` says who is asked
    /// for a registry without a name.
    #[must_use]
    pub fn new(home: &Path, registries: Vec<Registry>, otherwise: Registry) -> Credentials {
        Credentials { file: home.join("credentials.toml"), registries, otherwise, found: Mutex::default() }
    }

    /// The token that goes with just this URL of an index; `None` if there is none.
    ///
    /// # Errors
    /// If somebody who may have it cannot be asked, or what it gives is no token.
    pub fn find(&self, url: &str) -> Result<Option<Secret>> {
        let Some(url) = takes_token(url).map(String::from) else { return Ok(None) };
        // Held while asking, so that several at once do not make a person type a password several times.
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = found.get(&url) {
            return Ok(known.clone());
        }
        let token = self.ask(&self.registry(&url), &url)?;
        found.insert(url, token.clone());
        Ok(token)
    }

    fn ask(&self, registry: &Registry, url: &str) -> Result<Option<Secret>> {
        for provider in &registry.providers {
            let token = match provider {
                Provider::Environment => registry.environment.clone().map(|(_, token)| token),
                Provider::File => file::get(&self.file, url)?,
                Provider::Keyring => keychain::get(url)?,
                Provider::Command => match &registry.command {
                    Some(program) => command::get(program, registry.name.as_deref(), url)?,
                    None => None,
                },
            };
            if let Some(token) = token {
                check(&token).map_err(|error| error.note(format!("it is of provider {provider:?}, for `{url}`")))?;
                return Ok(Some(token));
            }
        }
        Ok(None)
    }

    /// Keeps a token for an index, with the first of its providers that keeps any.
    ///
    /// # Errors
    /// If the index takes none, the token cannot be one, or it cannot be kept.
    pub fn store(&self, url: &str, token: &Secret, waiting: Waiting<'_>) -> Result<Keeper> {
        let url = check_url(url)?;
        check(token)?;
        let registry = self.registry(&url);
        for provider in &registry.providers {
            match (provider, &registry.command) {
                (Provider::File, _) => {
                    file::change(&self.file, waiting, |tokens| {
                        tokens.insert(url.clone(), token.clone());
                    })?;
                    return Ok(Keeper::File(self.file.clone()));
                }
                (Provider::Keyring, _) => return keychain::set(&url, token).map(|()| Keeper::Keyring),
                (Provider::Command, Some(program)) => {
                    command::store(program, registry.name.as_deref(), &url, token)?;
                    return Ok(Keeper::Command(name_of(program)));
                }
                (Provider::Environment, _) | (Provider::Command, None) => {}
            }
        }
        Err(Error::usage(format!("nobody is set to keep a token for `{url}`"))
            .help("`skillpm config set registry.credential-providers environment,file` lets a file keep it"))
    }

    /// Forgets the tokens that are kept for an index; says who had one.
    ///
    /// # Errors
    /// If the index takes none, or somebody who may have it cannot be asked.
    pub fn forget(&self, url: &str, waiting: Waiting<'_>) -> Result<Vec<Keeper>> {
        let url = check_url(url)?;
        let registry = self.registry(&url);
        let mut had = Vec::new();
        for provider in &registry.providers {
            match (provider, &registry.command) {
                (Provider::File, _) => {
                    if file::get(&self.file, &url)?.is_some() {
                        file::change(&self.file, waiting, |tokens| {
                            tokens.remove(&url);
                        })?;
                        had.push(Keeper::File(self.file.clone()));
                    }
                }
                (Provider::Keyring, _) => had.extend(keychain::remove(&url)?.then_some(Keeper::Keyring)),
                (Provider::Command, Some(program)) => {
                    let erased = command::erase(program, registry.name.as_deref(), &url)?;
                    had.extend(erased.then(|| Keeper::Command(name_of(program))));
                }
                (Provider::Environment, _) | (Provider::Command, None) => {}
            }
        }
        Ok(had)
    }

    /// The environment variable whose token goes before those that are kept for an index; `None` if none does.
    #[must_use]
    pub fn variable(&self, url: &str) -> Option<String> {
        let registry = self.registry(url);
        let listens = registry.providers.contains(&Provider::Environment);
        registry.environment.filter(|_| listens).map(|(name, _)| name)
    }

    fn registry(&self, url: &str) -> Registry {
        let named = self.registries.iter().filter(|registry| registry.url == url);
        // Of two names for one index, the one that has a token of its own is meant.
        let best = named.max_by_key(|registry| registry.environment.is_some());
        best.unwrap_or(&self.otherwise).clone()
    }
}

/// The canonical URL of an index that takes a token.
fn check_url(url: &str) -> Result<String> {
    if let Some(index) = takes_token(url) {
        return Ok(index.into());
    }
    let error = Error::usage(format!("`{}` takes no token", url.escape_debug()));
    Err(match url.split_once("://").map_or("", |(scheme, _)| scheme) {
        "s3" | "gs" | "az" => error
            .note("an object store is told who asks by its own environment variables")
            .help("docs/object-store.md says which: `AWS_…`, `GOOGLE_…`, `AZURE_…`"),
        "git+ssh" => error.help("ssh has your key; `ssh-add` gives it to the agent"),
        "git+http" | "sparse+http" => {
            error.note("it is not encrypted, and leads to another machine").help("use its `https` form")
        }
        _ => error.help("tokens go with `sparse+https://…` and `git+https://…`"),
    })
}

/// The index, if a token may be sent there: over TLS, or without leaving this machine.
fn takes_token(url: &str) -> Option<IndexUrl> {
    let index: IndexUrl = url.parse().ok()?;
    let is_on_the_web = matches!(index.kind(), IndexKind::Sparse | IndexKind::Git);
    let is_safe =
        index.inner().starts_with("https://") || (index.inner().starts_with("http://") && index.is_on_loopback());
    (is_on_the_web && is_safe).then_some(index)
}

/// Refuses what could not be sent in a header as it is.
fn check(token: &Secret) -> Result<()> {
    let text = token.reveal();
    let fault = match () {
        () if text.is_empty() => "it is empty",
        () if text.len() > TOKEN_MAX => "it is longer than 8 KiB",
        () if !text.bytes().all(|byte| byte.is_ascii_graphic()) => "it holds a blank or what is not ASCII",
        () => return Ok(()),
    };
    Err(Error::usage(format!("this is no token: {fault}"))
        .help("a token is one word, as the registry showed it to you"))
}

fn name_of(program: &Program) -> String {
    program.command.first().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Silent;

    const URL: &str = "sparse+https://skills.acme.dev/index/";
    const NO_WAIT: Waiting<'_> = (Duration::from_secs(20), &Silent);

    fn registry(name: Option<&str>, url: &str, providers: &[Provider]) -> Registry {
        let name = name.map(str::to_owned);
        Registry { name, url: url.to_owned(), providers: providers.to_vec(), command: None, environment: None }
    }

    fn credentials(home: &Path, registries: Vec<Registry>) -> Credentials {
        Credentials::new(home, registries, registry(None, "", &[Provider::Environment, Provider::File]))
    }

    #[test]
    fn a_token_is_found_for_just_its_url() {
        let home = tempfile::tempdir().unwrap();
        let credentials = || credentials(home.path(), Vec::new());
        credentials().store(URL, &Secret::new("CANARY"), NO_WAIT).unwrap();
        let found = |url: &str| credentials().find(url).unwrap().is_some();
        assert!(found(URL) && found(URL.trim_end_matches('/')) && found("sparse+https://SKILLS.acme.dev:443/index"));
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
        assert_eq!(credentials().forget(URL, NO_WAIT).unwrap(), [Keeper::File(home.path().join("credentials.toml"))]);
        assert!(!found(URL));
        assert_eq!(credentials().forget(URL, NO_WAIT).unwrap(), []);
    }

    #[test]
    fn the_environment_goes_before_the_file_unless_it_is_not_asked() {
        let home = tempfile::tempdir().unwrap();
        let with = |providers: &[Provider]| {
            let mut acme = registry(Some("acme"), URL, providers);
            acme.environment = Some(("SKILLPM_REGISTRIES_ACME_TOKEN".into(), Secret::new("from-environment")));
            credentials(home.path(), vec![acme])
        };
        let both = with(&[Provider::Environment, Provider::File]);
        both.store(URL, &Secret::new("from-file"), NO_WAIT).unwrap();
        assert_eq!(both.find(URL).unwrap().unwrap().reveal(), "from-environment");
        assert_eq!(both.variable(URL).as_deref(), Some("SKILLPM_REGISTRIES_ACME_TOKEN"));
        let file = with(&[Provider::File]);
        assert_eq!(file.find(URL).unwrap().unwrap().reveal(), "from-file");
        assert_eq!(file.variable(URL), None);
    }

    #[test]
    fn what_cannot_be_sent_is_no_token() {
        let home = tempfile::tempdir().unwrap();
        let credentials = credentials(home.path(), Vec::new());
        for text in ["", "CANARY two", "CANARY\nX: y", "CANARÝ", &"C".repeat(TOKEN_MAX + 1)] {
            let error = credentials.store(URL, &Secret::new(text), NO_WAIT).unwrap_err();
            assert!(error.message().starts_with("this is no token: "), "{error:?}");
            assert!(!format!("{error:?}").contains("CANAR"));
        }
        for url in ["s3://skills/", "file:///srv/index", "git+ssh://git@h/a", "sparse+http://h/", "embedded:default"] {
            let error = credentials.store(url, &Secret::new("t"), NO_WAIT).unwrap_err();
            assert_eq!(error.message(), format!("`{url}` takes no token"));
        }
        assert!(credentials.store("sparse+http://127.0.0.1:80/", &Secret::new("t"), NO_WAIT).is_ok());
    }
}
