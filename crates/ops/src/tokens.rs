//! Which tokens there are, by the settings and the environment.

use super::Context;
use crate::config::EMBEDDED_REGISTRY;
use crate::credentials::{Credentials, Provider, Registry};
use crate::error::{Error, Result};
use crate::io::http::Login;
use crate::io::program::Program;
use crate::package::{IndexUrl, Secret};

/// What a program that keeps tokens may see of the environment: where it and its secrets are, and whom it can ask.
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

/// The settings that give a registry a URL a token may go to.
const URLS: [&str; 2] = ["index", "publish"];

/// Who knows the tokens of the registries that are configured.
///
/// # Errors
/// If a setting names a provider that there is none of.
pub(super) fn credentials(context: &Context<'_>) -> Result<Credentials> {
    let mut registries = Vec::new();
    for name in context.config.configured_registries() {
        for key in URLS {
            registries.extend(registry(context, &name, key)?);
        }
    }
    let otherwise = Registry {
        name: None,
        url: String::new(),
        providers: parse_all(&context.config.list("registry.credential-providers"))?,
        command: program(context, "registry.credential-command"),
        environment: None,
    };
    Ok(Credentials::new(&context.places.skillpm, registries, otherwise))
}

/// The registry at the URL that `key` gives to a name; `None` if it gives none.
fn registry(context: &Context<'_>, name: &str, key: &str) -> Result<Option<Registry>> {
    let Some(url) = context.config.string(&format!("registries.{name}.{key}")) else { return Ok(None) };
    let own = context.config.string(&format!("registries.{name}.credential-provider"));
    let providers = match own {
        Some(own) => vec![own],
        None => context.config.list("registry.credential-providers"),
    };
    let command = program(context, &format!("registries.{name}.credential-command"));
    Ok(Some(Registry {
        name: Some(name.to_owned()),
        url,
        providers: parse_all(&providers)?,
        command: command.or_else(|| program(context, "registry.credential-command")),
        environment: variable(context, name).filter(|_| withheld(context, name, key).is_none()),
    }))
}

/// The environment's token for a registry, after the variable that has it.
fn variable(context: &Context<'_>, name: &str) -> Option<(String, Secret)> {
    let is_default = context.config.string("registry.default").as_deref() == Some(name);
    let own = format!("SKILLPM_REGISTRIES_{}_TOKEN", in_capitals(name));
    let names = std::iter::once(own).chain(is_default.then(|| "SKILLPM_TOKEN".to_owned()));
    let mut found = names.filter_map(|name| (context.variable)(&name).map(|text| (name, Secret::new(&text))));
    found.find(|(_, token)| !token.reveal().is_empty())
}

/// Why the environment's token for a registry is not sent to the URL that `key` gives it; `None` if it is, or there is
/// none.
///
/// The variable says the registry's name, and it is the person who says what it means: else any project could give
/// the name to a place of its own, and be sent the token.
fn withheld(context: &Context<'_>, name: &str, key: &str) -> Option<String> {
    let (variable, _) = variable(context, name)?;
    let setting = format!("registries.{name}.{key}");
    let is_default = variable == "SKILLPM_TOKEN" && context.config.is_of_project("registry.default");
    if !is_default && !context.config.is_of_project(&setting) {
        return None;
    }
    let own = format!("SKILLPM_REGISTRIES_{}_{}", in_capitals(name), in_capitals(key));
    let said = (context.variable)(&own).and_then(|url| url.parse::<IndexUrl>().ok()).map(String::from);
    if said.is_some() && said == context.config.string(&setting) {
        return None;
    }
    Some(format!(
        "the token in `{variable}` was not sent: it is a project's file that says where `{name}` is; say so yourself, \
         in `{own}` or in your own settings"
    ))
}

/// A program with the little it may see of the environment; `None` if the setting names none.
fn program(context: &Context<'_>, key: &str) -> Option<Program> {
    let command = context.config.list(key);
    if command.is_empty() {
        return None;
    }
    let pair = |name: &&str| Some(((*name).to_owned(), (context.variable)(name)?));
    Some(Program { command, environment: PASSED_ON.iter().filter_map(pair).collect() })
}

/// The servers of registries, and what a person calls them.
pub(super) fn logins(context: &Context<'_>) -> Vec<Login> {
    let login = |name: String| {
        let index = context.config.string(&format!("registries.{name}.index"))?;
        let url = index.strip_prefix("sparse+")?.to_owned();
        Some(Login { url, withheld: withheld(context, &name, "index"), name })
    };
    context
        .config
        .configured_registries()
        .into_iter()
        .filter(|name| name != EMBEDDED_REGISTRY)
        .filter_map(login)
        .collect()
}

fn parse_all(names: &[String]) -> Result<Vec<Provider>> {
    let parse = |name: &String| {
        name.parse().map_err(|error: Error| {
            error.note("`registry.credential-providers` or `registries.NAME.credential-provider` names it")
        })
    };
    names.iter().map(parse).collect()
}

/// A registry's name as a part of a variable's.
fn in_capitals(name: &str) -> String {
    name.to_uppercase().replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}
