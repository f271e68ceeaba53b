//! Finds the tokens of registries, from settings and environment variables.

use super::CommandContext;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{IndexUrl, SecretString};
use skillpm_io::http::RegistryLogin;
use skillpm_io::program::ExternalProgram;
use skillpm_registry::config::EMBEDDED_REGISTRY;
use skillpm_registry::credentials::{CredentialProvider, CredentialStore, RegistryAuth};
use skillpm_registry::sources::hub_token_url;

/// The environment variables that a credential command gets: those that it needs to find itself,
/// its secrets and its agents.
const PASSED_ON: [&str; 20] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "TERM",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "SSH_AUTH_SOCK",
    "GNUPGHOME",
    "GPG_TTY",
    "GPG_AGENT_INFO",
    "PASSWORD_STORE_DIR",
];

/// The name that ClawHub, or another server with its API, has for `login`, unless a registry has it.
pub(super) const CLAWHUB: &str = "clawhub";

/// The settings with a registry's URLs that a token may be sent to.
const URLS: [&str; 2] = ["index", "publish"];

/// Loads the credential sources of the configured registries.
///
/// # Errors
/// If a setting names an unknown provider.
pub(super) fn load_credentials(context: &CommandContext<'_>) -> Result<CredentialStore> {
    let mut registries = Vec::new();

    for name in context.config.configured_registries() {
        // `publish` may be another URL than `index`, with a token of its own.
        for key in URLS {
            registries.extend(registry_credentials(context, &name, key)?);
        }
    }

    // Its URL cannot be set by a project. An invalid one is an error of the commands that use it.
    if let Ok(hub) = context.config.clawhub_url()
        && !context.config.is_registry(CLAWHUB)
    {
        registries.push(RegistryAuth {
            name: Some(CLAWHUB.to_owned()),
            url: hub_token_url(&hub),
            providers: parse_all(&context.config.list("registry.credential-providers"))?,
            command: program(context, "registry.credential-command"),
            environment: token_variable(context, CLAWHUB),
        });
    }

    // An index by URL has no name, hence no variable of its own.
    let fallback = RegistryAuth {
        name: None,
        url: String::new(),
        providers: parse_all(&context.config.list("registry.credential-providers"))?,
        command: program(context, "registry.credential-command"),
        environment: None,
    };

    Ok(CredentialStore::new(
        &context.dirs.skillpm_home,
        registries,
        fallback,
    ))
}

/// The credential source of the URL that `key` sets for a registry; `None` if it is not set.
fn registry_credentials(
    context: &CommandContext<'_>,
    name: &str,
    key: &str,
) -> Result<Option<RegistryAuth>> {
    let Some(url) = context.config.string(&format!("registries.{name}.{key}")) else {
        return Ok(None);
    };

    let own = context
        .config
        .string(&format!("registries.{name}.credential-provider"));
    let providers = match own {
        Some(own) => vec![own],
        None => context.config.list("registry.credential-providers"),
    };
    let command = program(context, &format!("registries.{name}.credential-command"));

    Ok(Some(RegistryAuth {
        name: Some(name.to_owned()),
        url,
        providers: parse_all(&providers)?,
        command: command.or_else(|| program(context, "registry.credential-command")),
        environment: token_variable(context, name)
            .filter(|_| withheld_reason(context, name, key).is_none()),
    }))
}

/// The token of a registry in the environment, after the name of its variable.
fn token_variable(context: &CommandContext<'_>, name: &str) -> Option<(String, SecretString)> {
    let is_default = context.config.string("registry.default").as_deref() == Some(name);
    let own = format!("SKILLPM_REGISTRIES_{}_TOKEN", variable_part(name));
    let names = std::iter::once(own).chain(is_default.then(|| "SKILLPM_TOKEN".to_owned()));

    let mut found = names
        .filter_map(|name| (context.env_var)(&name).map(|text| (name, SecretString::new(&text))));
    // An empty variable counts as unset: CI systems leave it so without the secret.
    found.find(|(_, token)| !token.reveal().is_empty())
}

/// Why the environment's token for a registry is not sent to the URL that `key` sets; `None` if it
/// is sent, or there is no token.
///
/// The variable has only the registry's name. If a project could set the URL of that name, it would
/// receive the token; so the URL must come from the user.
fn withheld_reason(context: &CommandContext<'_>, name: &str, key: &str) -> Option<String> {
    // Without a token there is nothing to send.
    let (variable, _) = token_variable(context, name)?;
    let setting = format!("registries.{name}.{key}");

    let is_default =
        variable == "SKILLPM_TOKEN" && context.config.is_set_by_project("registry.default");
    // The user's own settings decide where the token goes: nothing to prevent.
    if !is_default && !context.config.is_set_by_project(&setting) {
        return None;
    }

    // The user can confirm the project's URL with a variable of the same value.
    let own = format!(
        "SKILLPM_REGISTRIES_{}_{}",
        variable_part(name),
        variable_part(key)
    );

    let confirmed = (context.env_var)(&own)
        .and_then(|url| url.parse::<IndexUrl>().ok())
        .map(String::from);

    if confirmed.is_some() && confirmed == context.config.string(&setting) {
        return None;
    }

    Some(format!(
        "the token in `{variable}` was not sent: the URL of `{name}` is set by a file of the project; confirm it \
        in `{own}` or in your own settings"
    ))
}

/// The credential command of a setting, with its environment; `None` if it is not set.
fn program(context: &CommandContext<'_>, key: &str) -> Option<ExternalProgram> {
    let command = context.config.list(key);
    if command.is_empty() {
        return None;
    }
    // Any other variable could be a secret that the command must not get.
    let pair = |name: &&str| Some(((*name).to_owned(), (context.env_var)(name)?));

    Some(ExternalProgram {
        command,
        environment: PASSED_ON.iter().filter_map(pair).collect(),
    })
}

/// The registries' servers, with their names, for messages about failed logins.
pub(super) fn logins(context: &CommandContext<'_>) -> Vec<RegistryLogin> {
    context
        .config
        .configured_registries()
        .into_iter()
        // The embedded registry has no server to log in to.
        .filter(|name| name != EMBEDDED_REGISTRY)
        .filter_map(|name| read_login(context, name))
        .collect()
}

fn read_login(context: &CommandContext<'_>, name: String) -> Option<RegistryLogin> {
    let index = context.config.string(&format!("registries.{name}.index"))?;
    // Only indexes over HTTP have a login.
    let url = index.strip_prefix("sparse+")?.to_owned();

    Some(RegistryLogin {
        url,
        withheld: withheld_reason(context, &name, "index"),
        name,
    })
}

fn parse_all(names: &[String]) -> Result<Vec<CredentialProvider>> {
    let parse = |name: &String| {
        name.parse().map_err(|error: Error| {
            error.note(
                "it is set by `registry.credential-providers` or `registries.NAME.credential-provider`",
            )
        })
    };
    names.iter().map(parse).collect()
}

/// A name as part of an environment variable's name: upper case, `_` for other characters.
fn variable_part(name: &str) -> String {
    name.to_uppercase()
        .replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}
