//! The table of settings: what there is, and of what type each is.

use super::registries::EMBEDDED_REGISTRY;
use super::scope::{SettingScope, Stricter};
use crate::error::{Error, Result};

/// The type of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// Any text.
    Text,
    /// `true` or `false`.
    Switch,
    /// A whole number that is not negative.
    Number,
    /// The URL of an index.
    Index,
    /// The URL of a directory or a bucket that archives are put into.
    Archives,
    /// The name of a registry, or the URL of an index.
    Registry,
    /// A list of those, separated by `,`.
    Registries,
    /// A list of texts; in the environment and on the command line separated by `:` or `,`.
    List,
}

/// One setting that skillpm knows.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its dotted key; a `*` stands for a name.
    pub key: &'static str,
    /// The type of its value.
    pub kind: Type,
    /// What holds where nobody set it, as text.
    pub default: Option<&'static str>,
    /// Who may set it.
    pub scope: SettingScope,
    /// What it does, for `config list` and the documentation.
    pub about: &'static str,
}

impl Setting {
    /// The environment variables that set it, the one that counts most last; none for a key with a `*`.
    #[must_use]
    pub fn variables(&self) -> Vec<String> {
        let short = match self.key {
            key if key.contains('*') => return Vec::new(),
            "net.offline" => Some("SKILLPM_OFFLINE"),
            "bundled.paths" => Some("SKILLPM_BUNDLED_PATH"),
            _ => None,
        };
        let plain = format!("SKILLPM_{}", self.key.to_uppercase().replace(['.', '-'], "_"));
        short.map(str::to_owned).into_iter().chain([plain]).collect()
    }
}

const SECRETS: &str = "it decides where your tokens come from or go, which is for you to say";
const FILES_READ: &str = "it decides which of your files is read, which is for you to say";
const OWN_SKILLS: &str = "it decides where your own skills are put, which is for you to say";
const SHADOWING: &str = "it decides which of two skills of a name you are warned of, which is for you to say";
const BUNDLED: &str = "it decides whose skills count as bundled, which is for you to say";
const TRUST: &str = "it decides which servers and registries you trust, which is for you to say";
const IDENTITY: &str = "it decides in whose name you publish, which is for you to say";
const OWNERS: &str = "it decides whose projects are used, which is for you to say";
const POLICY: &str = "what you forbid, no project may allow; it can forbid it in its `skillpm.toml`";

/// Every setting, sorted by key.
pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "agents.*.also-reads-project",
        kind: Type::List,
        default: None,
        scope: SettingScope::Project,
        about: "further directories of a project that an agent reads",
    },
    Setting {
        key: "agents.*.also-reads-user",
        kind: Type::List,
        default: None,
        scope: SettingScope::User(FILES_READ),
        about: "further directories of yours that an agent reads",
    },
    Setting {
        key: "agents.*.config-file",
        kind: Type::Text,
        default: None,
        scope: SettingScope::User(FILES_READ),
        about: "an agent's own configuration, for what skills ask of it",
    },
    Setting {
        key: "agents.*.display-name",
        kind: Type::Text,
        default: None,
        scope: SettingScope::Project,
        about: "what people call an agent",
    },
    Setting {
        key: "agents.*.emit",
        kind: Type::Text,
        default: None,
        scope: SettingScope::Project,
        about: "the form of an agent's listing, one of `skillpm catalog --list-formats`",
    },
    Setting {
        key: "agents.*.id-from",
        kind: Type::Text,
        default: None,
        scope: SettingScope::User(SHADOWING),
        about: "what an agent knows a skill by: `dir` or `frontmatter`",
    },
    Setting {
        key: "agents.*.max-characters",
        kind: Type::Number,
        default: None,
        scope: SettingScope::Project,
        about: "most characters of the listing that an agent shows its model",
    },
    Setting {
        key: "agents.*.max-description",
        kind: Type::Number,
        default: None,
        scope: SettingScope::Project,
        about: "most characters of a description in it",
    },
    Setting {
        key: "agents.*.max-skills",
        kind: Type::Number,
        default: None,
        scope: SettingScope::Project,
        about: "most skills in it",
    },
    Setting {
        key: "agents.*.order",
        kind: Type::List,
        default: None,
        scope: SettingScope::User(SHADOWING),
        about: "the directories that an agent reads, the one that wins first",
    },
    Setting {
        key: "agents.*.project-dir",
        kind: Type::Text,
        default: None,
        scope: SettingScope::Project,
        about: "an agent's own directory in a project",
    },
    Setting {
        key: "agents.*.same-name",
        kind: Type::Text,
        default: None,
        scope: SettingScope::User(SHADOWING),
        about: "what an agent does with two skills of a name: `one-wins`, `first-wins`, `lists-all`, …",
    },
    Setting {
        key: "agents.*.user-beats-project",
        kind: Type::Switch,
        default: None,
        scope: SettingScope::User(SHADOWING),
        about: "whether an agent lets your own skills win against a project's",
    },
    Setting {
        key: "agents.*.user-dir",
        kind: Type::Text,
        default: None,
        scope: SettingScope::User(OWN_SKILLS),
        about: "an agent's own directory of yours",
    },
    Setting {
        key: "bundled.paths",
        kind: Type::List,
        default: None,
        scope: SettingScope::User(BUNDLED),
        about: "further directories of the bundled tier, read-only",
    },
    Setting {
        key: "lock.timeout",
        kind: Type::Number,
        default: Some("300"),
        scope: SettingScope::Stricter(Stricter::Fewer),
        about: "seconds to wait for another skillpm",
    },
    Setting {
        key: "managed.dir",
        kind: Type::Text,
        default: Some("~/.agents/skills"),
        scope: SettingScope::User(OWN_SKILLS),
        about: "where `--global` installs",
    },
    Setting {
        key: "net.allow-http",
        kind: Type::Switch,
        default: Some("false"),
        scope: SettingScope::Stricter(Stricter::Off),
        about: "whether plain http may leave this machine",
    },
    Setting {
        key: "net.ca-file",
        kind: Type::Text,
        default: None,
        scope: SettingScope::User(TRUST),
        about: "further root certificates, as PEM",
    },
    Setting {
        key: "net.jobs",
        kind: Type::Number,
        default: Some("8"),
        scope: SettingScope::Stricter(Stricter::Fewer),
        about: "repositories fetched at once",
    },
    Setting {
        key: "net.offline",
        kind: Type::Switch,
        default: Some("false"),
        scope: SettingScope::Stricter(Stricter::On),
        about: "whether the network is off",
    },
    Setting {
        key: "policy.allow-findings",
        kind: Type::List,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "rules about security whose findings stop no install",
    },
    Setting {
        key: "policy.allow-licenses",
        kind: Type::List,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "the licences that will do, as SPDX names them",
    },
    Setting {
        key: "policy.allow-revoked",
        kind: Type::Switch,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "whether what its registry revoked is installed all the same; heeded of `--config` alone",
    },
    Setting {
        key: "policy.allow-sources",
        kind: Type::List,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "where packages may come from: `registry:NAME`, `git:https://host/*`, `path`, …",
    },
    Setting {
        key: "policy.allow-unlicensed",
        kind: Type::Switch,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "whether a package may have no licence, or an unclear one",
    },
    Setting {
        key: "policy.allow-unsigned",
        kind: Type::Switch,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "whether what was locked as signed may be followed by something that is not",
    },
    Setting {
        key: "policy.deny-findings",
        kind: Type::Text,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "from which severity on findings about security stop an install: `high`, `medium` or `low`",
    },
    Setting {
        key: "policy.deny-licenses",
        kind: Type::List,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "licences that will not do",
    },
    Setting {
        key: "policy.deny-lint",
        kind: Type::List,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "rules of lint whose findings keep a package from being installed",
    },
    Setting {
        key: "policy.deny-shadowing",
        kind: Type::Switch,
        default: Some("false"),
        scope: SettingScope::User(POLICY),
        about: "whether a project's skill that covers one of yours or a bundled one is left out",
    },
    Setting {
        key: "policy.deny-sources",
        kind: Type::List,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "where packages may not come from",
    },
    Setting {
        key: "policy.enforce",
        kind: Type::Switch,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "whether what you set in `[policy]` holds beside what a project sets, not only where it sets nothing",
    },
    Setting {
        key: "policy.require-reachable",
        kind: Type::Switch,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "whether a commit must be in the history of a branch or tag of its repository",
    },
    Setting {
        key: "policy.require-signed",
        kind: Type::List,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "whether only what is signed may be installed (`true`), or from which sources",
    },
    Setting {
        key: "policy.signers",
        kind: Type::List,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "the keys that vouch for what comes from git, each alone or after a source",
    },
    Setting {
        key: "registries.*.archives",
        kind: Type::Archives,
        default: None,
        scope: SettingScope::Unclaimed,
        about: "where a registry's archives are put, if not into its index: `file:///…`, `s3://…`",
    },
    Setting {
        key: "registries.*.credential-command",
        kind: Type::List,
        default: None,
        scope: SettingScope::User(SECRETS),
        about: "the program that knows this registry's token, with its arguments",
    },
    Setting {
        key: "registries.*.credential-provider",
        kind: Type::Text,
        default: None,
        scope: SettingScope::User(SECRETS),
        about: "who knows this registry's token: `environment`, `file`, `keyring` or `command`",
    },
    Setting {
        key: "registries.*.endpoint",
        kind: Type::Text,
        default: None,
        scope: SettingScope::User(SECRETS),
        about: "the server of a registry in an object store, where it is not the service's own",
    },
    Setting {
        key: "registries.*.index",
        kind: Type::Index,
        default: None,
        scope: SettingScope::Unclaimed,
        about: "the index of a registry: `sparse+https://…`, `git+https://…`, `git+ssh://…`, `file:///…`, `s3://…`",
    },
    Setting {
        key: "registries.*.publish",
        kind: Type::Index,
        default: None,
        scope: SettingScope::Unclaimed,
        about: "where a registry is written, if not where it is read: `git+ssh://…`, `file:///…`, `s3://…`",
    },
    Setting {
        key: "registries.*.region",
        kind: Type::Text,
        default: None,
        scope: SettingScope::Unclaimed,
        about: "the region of a registry in an object store",
    },
    Setting {
        key: "registry.accept-expired",
        kind: Type::Registries,
        default: None,
        scope: SettingScope::User(TRUST),
        about: "registries, by name or URL, that versions are chosen from past the time that they name",
    },
    Setting {
        key: "registry.accept-rewritten",
        kind: Type::Registries,
        default: None,
        scope: SettingScope::User(TRUST),
        about: "registries, by name or URL, that may go back on what they said of a version",
    },
    Setting {
        key: "registry.credential-command",
        kind: Type::List,
        default: None,
        scope: SettingScope::User(SECRETS),
        about: "the program that knows tokens, with its arguments",
    },
    Setting {
        key: "registry.credential-providers",
        kind: Type::List,
        default: Some("environment,command,file"),
        scope: SettingScope::User(SECRETS),
        about: "who is asked for a token, in this order: `environment`, `command`, `file`, `keyring`",
    },
    Setting {
        key: "registry.default",
        kind: Type::Text,
        default: Some(EMBEDDED_REGISTRY),
        scope: SettingScope::Project,
        about: "the registry of names without one",
    },
    Setting {
        key: "registry.identity",
        kind: Type::Text,
        default: None,
        scope: SettingScope::User(IDENTITY),
        about: "who you are where owners are named, instead of git's `user.email`",
    },
    Setting {
        key: "registry.sign",
        kind: Type::Switch,
        default: None,
        scope: SettingScope::Stricter(Stricter::On),
        about: "whether changes of an index in git are signed, instead of git's `commit.gpgSign`",
    },
    Setting {
        key: "resolver.exclude-newer",
        kind: Type::Text,
        default: None,
        scope: SettingScope::Stricter(Stricter::Earlier),
        about: "pass over what registries published after this date, `2026-11-01` or RFC 3339",
    },
    Setting {
        key: "resolver.min-release-age",
        kind: Type::Text,
        default: None,
        scope: SettingScope::Stricter(Stricter::Older),
        about: "pass over what registries published more lately than this, such as `24h` or `7 days`",
    },
    Setting {
        key: "safe.directories",
        kind: Type::List,
        default: None,
        scope: SettingScope::User(OWNERS),
        about: "directories whose projects are used though another user owns them; `*` for all",
    },
    Setting {
        key: "source.*.directory",
        kind: Type::Text,
        default: None,
        scope: SettingScope::Project,
        about: "the directory, as `skillpm vendor` makes it, that `replace-with` means by this name",
    },
    Setting {
        key: "source.*.replace-with",
        kind: Type::Registry,
        default: None,
        scope: SettingScope::Unclaimed,
        about: "the registry, repository or directory, by name or URL, that this source is read from instead",
    },
    Setting {
        key: "vendor.use",
        kind: Type::Switch,
        default: Some("true"),
        scope: SettingScope::Project,
        about: "whether directories stand in for sources, as `replace-with` says",
    },
    Setting {
        key: "well-known.allow-origins",
        kind: Type::List,
        default: None,
        scope: SettingScope::User(TRUST),
        about: "hosts that a site's list of skills may point to besides its own",
    },
];

/// The setting that a key belongs to.
pub(super) fn setting(key: &str) -> Result<&'static Setting> {
    SETTINGS.iter().find(|setting| name_in(setting, key).is_some()).ok_or_else(|| {
        Error::usage(format!("there is no setting `{}`", key.escape_debug()))
            .help("`skillpm config list` shows all of them")
    })
}

/// Who may set the setting that a key belongs to; `None` if there is none.
#[must_use]
pub fn scope_of(key: &str) -> Option<SettingScope> {
    setting(key).ok().map(|setting| setting.scope)
}

/// What stands for the `*` of a setting's key, empty if it has none; `None` if the key is of another setting.
pub(super) fn name_in<'k>(setting: &Setting, key: &'k str) -> Option<&'k str> {
    let Some((before, after)) = setting.key.split_once('*') else { return (setting.key == key).then_some("") };
    let name = key.strip_prefix(before)?.strip_suffix(after)?;
    // Only the URL of an index may have dots in it.
    let is_name = !name.is_empty() && (setting.kind == Type::Registry || !name.contains('.'));
    is_name.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_sorted() {
        assert!(SETTINGS.is_sorted_by_key(|setting| setting.key));
    }
}
