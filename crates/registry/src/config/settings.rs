//! The table of settings, with the type, default and scope of each.

use super::registries::EMBEDDED_REGISTRY;
use skillpm_core::error::{Error, Result};

/// The type of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingType {
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

impl SettingType {
    /// Whether a value is a list.
    pub(super) fn is_list(self) -> bool {
        matches!(self, SettingType::List | SettingType::Registries)
    }
}

/// Who may set something besides the user, who sets it on the command line, in the environment or in their own file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingScope {
    /// Only the user, for this reason. A project's file that sets it is an error.
    User(&'static str),
    /// A project, to be stricter than the user is. A value that is less strict is ignored, with a warning.
    Stricter(StrictnessOrder),
    /// A project, for registries and sources that the user's own settings do not name. Others are ignored, with a
    /// warning; a mirror for them is an error.
    Unclaimed,
    /// A project, whatever the user sets: it is about the project alone.
    Project,
}

/// Which of two values is the stricter one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrictnessOrder {
    /// `true`.
    On,
    /// `false`.
    Off,
    /// The smaller number.
    Fewer,
    /// The longer age.
    Older,
    /// The earlier date.
    Earlier,
}

/// One setting that skillpm knows.
#[derive(Debug, Clone, Copy)]
pub struct SettingSpec {
    /// Its dotted key; a `*` is a placeholder for a name.
    pub key: &'static str,
    /// The type of its value.
    pub kind: SettingType,
    /// The value where it is not set, as text; `None` if it has no default.
    pub default: Option<&'static str>,
    /// Who may set it.
    pub scope: SettingScope,
    /// What it does, for `config list` and the documentation.
    pub about: &'static str,
}

impl SettingSpec {
    /// The environment variables that set it, the one with the highest precedence last; none for a key with a `*`.
    #[must_use]
    pub fn env_variables(&self) -> Vec<String> {
        // A `*` stands for a name, which a variable could not spell.
        let short = match self.key {
            key if key.contains('*') => return Vec::new(),
            "net.offline" => Some("SKILLPM_OFFLINE"),
            "bundled.paths" => Some("SKILLPM_BUNDLED_PATH"),
            // The variable of ClawHub's own program.
            "clawhub.url" => Some("CLAWHUB_REGISTRY"),
            _ => None,
        };

        let plain = format!(
            "SKILLPM_{}",
            self.key.to_uppercase().replace(['.', '-'], "_")
        );

        short
            .map(str::to_owned)
            .into_iter()
            .chain([plain])
            .collect()
    }
}

// The reasons that are shown when a project's file sets something that is the user's.
// Each says what a clone could otherwise do to the user who runs a command in it.
const SECRETS: &str = "it decides where your tokens come from or go, so only you may set it";
const FILES_READ: &str = "it decides which of your files is read, so only you may set it";
const OWN_SKILLS: &str = "it decides where your own skills are installed, so only you may set it";
const SHADOWING: &str =
    "it decides which duplicate skills you are warned about, so only you may set it";
const BUNDLED: &str = "it decides whose skills count as bundled, so only you may set it";
const TRUST: &str = "it decides which servers and registries you trust, so only you may set it";
const IDENTITY: &str = "it decides in whose name you publish, so only you may set it";
const OWNERS: &str = "it decides whose projects are used, so only you may set it";
const POLICY: &str =
    "a project may not allow what you forbid; it sets its own policy in `skillpm.toml`";

const SERVER: &str = "it decides how many clients your server takes, so only you may set it";

/// Every setting, sorted by key.
pub const SETTINGS: &[SettingSpec] = &[
    SettingSpec {
        key: "agents.*.also-reads-project",
        kind: SettingType::List,
        default: None,
        scope: SettingScope::Project,
        about: "additional project directories that an agent reads",
    },
    SettingSpec {
        key: "agents.*.also-reads-user",
        kind: SettingType::List,
        default: None,
        scope: SettingScope::User(FILES_READ),
        about: "additional user directories that an agent reads",
    },
    SettingSpec {
        key: "agents.*.config-file",
        kind: SettingType::Text,
        default: None,
        scope: SettingScope::User(FILES_READ),
        about: "an agent's configuration file, where the requirements of skills are looked up",
    },
    SettingSpec {
        key: "agents.*.display-name",
        kind: SettingType::Text,
        default: None,
        scope: SettingScope::Project,
        about: "the name of an agent in messages",
    },
    SettingSpec {
        key: "agents.*.emit",
        kind: SettingType::Text,
        default: None,
        scope: SettingScope::Project,
        about: "the format of an agent's skill list, one of `skillpm catalog --list-formats`",
    },
    SettingSpec {
        key: "agents.*.id-from",
        kind: SettingType::Text,
        default: None,
        scope: SettingScope::User(SHADOWING),
        about: "where an agent takes a skill's name from: `dir` or `frontmatter`",
    },
    SettingSpec {
        key: "agents.*.max-characters",
        kind: SettingType::Number,
        default: None,
        scope: SettingScope::Project,
        about: "the most characters of the skill list that an agent shows its model",
    },
    SettingSpec {
        key: "agents.*.max-description",
        kind: SettingType::Number,
        default: None,
        scope: SettingScope::Project,
        about: "the most characters of a description in that list",
    },
    SettingSpec {
        key: "agents.*.max-skills",
        kind: SettingType::Number,
        default: None,
        scope: SettingScope::Project,
        about: "the most skills in that list",
    },
    SettingSpec {
        key: "agents.*.order",
        kind: SettingType::List,
        default: None,
        scope: SettingScope::User(SHADOWING),
        about: "the directories that an agent reads, highest precedence first",
    },
    SettingSpec {
        key: "agents.*.project-dir",
        kind: SettingType::Text,
        default: None,
        scope: SettingScope::Project,
        about: "an agent's skill directory in a project",
    },
    SettingSpec {
        key: "agents.*.same-name",
        kind: SettingType::Text,
        default: None,
        scope: SettingScope::User(SHADOWING),
        about: "what an agent does with two skills of the same name: `one-wins`, `first-wins`, `lists-all`, …",
    },
    SettingSpec {
        key: "agents.*.user-beats-project",
        kind: SettingType::Switch,
        default: None,
        scope: SettingScope::User(SHADOWING),
        about: "whether your own skills take precedence over a project's in an agent",
    },
    SettingSpec {
        key: "agents.*.user-dir",
        kind: SettingType::Text,
        default: None,
        scope: SettingScope::User(OWN_SKILLS),
        about: "an agent's skill directory of the user",
    },
    SettingSpec {
        key: "bundled.paths",
        kind: SettingType::List,
        default: None,
        scope: SettingScope::User(BUNDLED),
        about: "additional directories of the bundled tier, read-only",
    },
    SettingSpec {
        key: "catalog.enabled",
        kind: SettingType::Switch,
        default: Some("true"),
        scope: SettingScope::Stricter(StrictnessOrder::Off),
        about: "whether agents are shown skills at all",
    },
    SettingSpec {
        key: "clawhub.url",
        kind: SettingType::Text,
        default: Some("https://clawhub.ai"),
        scope: SettingScope::User(TRUST),
        about: "where ClawHub is, or another server with its API",
    },
    SettingSpec {
        key: "install.detect",
        kind: SettingType::Switch,
        default: Some("true"),
        scope: SettingScope::Stricter(StrictnessOrder::Off),
        about: "whether a new project gets the agents that are used in it as targets",
    },
    SettingSpec {
        key: "lock.timeout",
        kind: SettingType::Number,
        default: Some("300"),
        scope: SettingScope::Stricter(StrictnessOrder::Fewer),
        about: "seconds to wait for a lock of another skillpm process",
    },
    SettingSpec {
        key: "managed.dir",
        kind: SettingType::Text,
        default: Some("~/.agents/skills"),
        scope: SettingScope::User(OWN_SKILLS),
        about: "the directory that `--global` installs into",
    },
    SettingSpec {
        key: "net.allow-http",
        kind: SettingType::Switch,
        default: Some("false"),
        scope: SettingScope::Stricter(StrictnessOrder::Off),
        about: "whether plain HTTP to other machines is allowed",
    },
    SettingSpec {
        key: "net.ca-file",
        kind: SettingType::Text,
        default: None,
        scope: SettingScope::User(TRUST),
        about: "additional root certificates, as PEM; for git, too",
    },
    SettingSpec {
        key: "net.jobs",
        kind: SettingType::Number,
        default: Some("8"),
        scope: SettingScope::Stricter(StrictnessOrder::Fewer),
        about: "the number of repositories fetched at once",
    },
    SettingSpec {
        key: "net.max-files",
        kind: SettingType::Number,
        default: Some("1000"),
        scope: SettingScope::Stricter(StrictnessOrder::Fewer),
        about: "the most files of one skill, up to 10,000",
    },
    SettingSpec {
        key: "net.max-size",
        kind: SettingType::Number,
        default: Some("128"),
        scope: SettingScope::Stricter(StrictnessOrder::Fewer),
        about: "the most MiB of skills that one command fetches",
    },
    SettingSpec {
        key: "net.offline",
        kind: SettingType::Switch,
        default: Some("false"),
        scope: SettingScope::Stricter(StrictnessOrder::On),
        about: "whether the network is not used",
    },
    SettingSpec {
        key: "policy.allow-findings",
        kind: SettingType::List,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "security rules whose findings do not stop an install",
    },
    SettingSpec {
        key: "policy.allow-licenses",
        kind: SettingType::List,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "allowed licenses, as SPDX identifiers",
    },
    SettingSpec {
        key: "policy.allow-revoked",
        kind: SettingType::Switch,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "whether revoked versions are installed all the same; only honored from `--config`",
    },
    SettingSpec {
        key: "policy.allow-sources",
        kind: SettingType::List,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "sources that packages may come from: `registry:NAME`, `git:https://host/*`, `path`, …",
    },
    SettingSpec {
        key: "policy.allow-unlicensed",
        kind: SettingType::Switch,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "whether a package may have no license, or an unclear one",
    },
    SettingSpec {
        key: "policy.allow-unsigned",
        kind: SettingType::Switch,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "whether a version locked as signed may be updated to an unsigned one",
    },
    SettingSpec {
        key: "policy.deny-findings",
        kind: SettingType::Text,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "the lowest severity of security findings that stop an install: `high`, `medium` or `low`",
    },
    SettingSpec {
        key: "policy.deny-licenses",
        kind: SettingType::List,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "denied licenses, as SPDX identifiers",
    },
    SettingSpec {
        key: "policy.deny-lint",
        kind: SettingType::List,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "lint rules whose findings stop an install",
    },
    SettingSpec {
        key: "policy.deny-shadowing",
        kind: SettingType::Switch,
        default: Some("false"),
        scope: SettingScope::User(POLICY),
        about: "whether a project's skill that shadows one of yours or a bundled one is left out",
    },
    SettingSpec {
        key: "policy.deny-sources",
        kind: SettingType::List,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "sources that packages may not come from",
    },
    SettingSpec {
        key: "policy.enforce",
        kind: SettingType::Switch,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "whether your `[policy]` applies in addition to a project's, not only where it sets nothing",
    },
    SettingSpec {
        key: "policy.require-reachable",
        kind: SettingType::Switch,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "whether a commit must be in the history of a branch or tag of its repository",
    },
    SettingSpec {
        key: "policy.require-signed",
        kind: SettingType::List,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "whether only signed packages may be installed (`true`), or the sources for which that is so",
    },
    SettingSpec {
        key: "policy.signers",
        kind: SettingType::List,
        default: None,
        scope: SettingScope::User(POLICY),
        about: "the trusted keys for packages from git, each alone or after a source",
    },
    SettingSpec {
        key: "registries.*.archives",
        kind: SettingType::Archives,
        default: None,
        scope: SettingScope::Unclaimed,
        about: "where a registry's archives are stored, if not in its index: `file:///…`, `s3://…`",
    },
    SettingSpec {
        key: "registries.*.credential-command",
        kind: SettingType::List,
        default: None,
        scope: SettingScope::User(SECRETS),
        about: "the program that provides this registry's token, with its arguments",
    },
    SettingSpec {
        key: "registries.*.credential-provider",
        kind: SettingType::Text,
        default: None,
        scope: SettingScope::User(SECRETS),
        about: "the credential provider of this registry: `environment`, `file`, `keyring` or `command`",
    },
    SettingSpec {
        key: "registries.*.endpoint",
        kind: SettingType::Text,
        default: None,
        scope: SettingScope::User(SECRETS),
        about: "the server of a registry in an object store, where it is not the service's own",
    },
    SettingSpec {
        key: "registries.*.index",
        kind: SettingType::Index,
        default: None,
        scope: SettingScope::Unclaimed,
        about: "the index of a registry: `sparse+https://…`, `git+https://…`, `git+ssh://…`, `file:///…`, `s3://…`",
    },
    SettingSpec {
        key: "registries.*.publish",
        kind: SettingType::Index,
        default: None,
        scope: SettingScope::Unclaimed,
        about: "the URL a registry is published to, if not that of its index: `git+ssh://…`, `file:///…`, `s3://…`",
    },
    SettingSpec {
        key: "registries.*.region",
        kind: SettingType::Text,
        default: None,
        scope: SettingScope::Unclaimed,
        about: "the region of a registry in an object store",
    },
    SettingSpec {
        key: "registry.accept-expired",
        kind: SettingType::Registries,
        default: None,
        scope: SettingScope::User(TRUST),
        about: "registries, by name or URL, whose index may be used after it expired",
    },
    SettingSpec {
        key: "registry.accept-rewritten",
        kind: SettingType::Registries,
        default: None,
        scope: SettingScope::User(TRUST),
        about: "registries, by name or URL, that may change published versions",
    },
    SettingSpec {
        key: "registry.credential-command",
        kind: SettingType::List,
        default: None,
        scope: SettingScope::User(SECRETS),
        about: "the program that provides tokens, with its arguments",
    },
    SettingSpec {
        key: "registry.credential-providers",
        kind: SettingType::List,
        default: Some("environment,command,file"),
        scope: SettingScope::User(SECRETS),
        about: "the credential providers, in this order: `environment`, `command`, `file`, `keyring`",
    },
    SettingSpec {
        key: "registry.default",
        kind: SettingType::Text,
        default: Some(EMBEDDED_REGISTRY),
        scope: SettingScope::Project,
        about: "the registry for package names without one",
    },
    SettingSpec {
        key: "registry.identity",
        kind: SettingType::Text,
        default: None,
        scope: SettingScope::User(IDENTITY),
        about: "your identity as an owner of packages, instead of git's `user.email`",
    },
    SettingSpec {
        key: "registry.sign",
        kind: SettingType::Switch,
        default: None,
        scope: SettingScope::Stricter(StrictnessOrder::On),
        about: "whether commits to an index in git are signed, instead of git's `commit.gpgSign`",
    },
    SettingSpec {
        key: "resolver.exclude-newer",
        kind: SettingType::Text,
        default: None,
        scope: SettingScope::Stricter(StrictnessOrder::Earlier),
        about: "ignore versions published after this date, `2026-11-01` or RFC 3339",
    },
    SettingSpec {
        key: "resolver.min-release-age",
        kind: SettingType::Text,
        default: None,
        scope: SettingScope::Stricter(StrictnessOrder::Older),
        about: "ignore versions published less than this long ago, such as `24h` or `7 days`",
    },
    SettingSpec {
        key: "safe.directories",
        kind: SettingType::List,
        default: None,
        scope: SettingScope::User(OWNERS),
        about: "directories whose projects are used though another user owns them; `*` for all",
    },
    SettingSpec {
        key: "serve.max-connections",
        kind: SettingType::Number,
        default: None,
        scope: SettingScope::User(SERVER),
        about: "the most connections of `serve --http`; 256, or 128 on macOS, if it is not set",
    },
    SettingSpec {
        key: "serve.max-session-streams",
        kind: SettingType::Number,
        default: Some("8"),
        scope: SettingScope::User(SERVER),
        about: "the most event streams of one session of `serve --http`",
    },
    SettingSpec {
        key: "serve.max-streams",
        kind: SettingType::Number,
        default: None,
        scope: SettingScope::User(SERVER),
        about: "the most event streams of `serve --http`; a quarter of the connections, if it is not set",
    },
    SettingSpec {
        key: "source.*.directory",
        kind: SettingType::Text,
        default: None,
        scope: SettingScope::Project,
        about: "the directory, written by `skillpm vendor`, that `replace-with` refers to by this name",
    },
    SettingSpec {
        key: "source.*.replace-with",
        kind: SettingType::Registry,
        default: None,
        scope: SettingScope::Unclaimed,
        about: "the registry, repository or directory, by name or URL, that this source is read from instead",
    },
    SettingSpec {
        key: "vendor.use",
        kind: SettingType::Switch,
        default: Some("true"),
        scope: SettingScope::Project,
        about: "whether directories replace sources, as `replace-with` sets",
    },
    SettingSpec {
        key: "well-known.allow-origins",
        kind: SettingType::List,
        default: None,
        scope: SettingScope::User(TRUST),
        about: "hosts that a site's list of skills may link to besides its own",
    },
];

/// The setting that a key belongs to.
pub(super) fn find_setting(key: &str) -> Result<&'static SettingSpec> {
    SETTINGS
        .iter()
        // An unknown key is an error: a typo in a security setting must not pass unnoticed.
        .find(|setting| name_in_key(setting, key).is_some())
        .ok_or_else(|| {
            let names = SETTINGS.iter().map(|setting| setting.key);
            Error::usage(format!("unknown setting `{}`", key.escape_debug())).help_nearest(
                key,
                names,
                "run `skillpm config list` to see all settings",
            )
        })
}

/// Who may set the setting that a key belongs to; `None` if there is none.
#[must_use]
pub fn setting_scope(key: &str) -> Option<SettingScope> {
    find_setting(key).ok().map(|setting| setting.scope)
}

/// The part of a key in place of the `*` of a setting's key, empty if it has none; `None` if the key is of another setting.
pub(super) fn name_in_key<'k>(setting: &SettingSpec, key: &'k str) -> Option<&'k str> {
    let Some((before, after)) = setting.key.split_once('*') else {
        return (setting.key == key).then_some("");
    };

    // Longer than the literal parts, or `a.*.b` would match `a.b`.
    let name = key.strip_prefix(before)?.strip_suffix(after)?;
    // Only the URL of an index may have dots in it.
    let is_name =
        !name.is_empty() && (setting.kind == SettingType::Registry || !name.contains('.'));
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
