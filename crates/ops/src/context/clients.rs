//! Builds the clients of a command, for git, HTTP and object stores, from the settings.

use std::path::PathBuf;
use std::sync::Arc;

use super::CommandContext;
use crate::auth_tokens;
use skillpm_core::error::Result;
use skillpm_io::git::{self, AuthoritySource, GitClient, GitOptions};
use skillpm_io::http::{self, HttpClient};
use skillpm_registry::credentials::CredentialStore;
use skillpm_registry::sources::SourceContext;

/// What the clients are built from.
pub(super) struct ClientBuilder<'a> {
    pub context: &'a CommandContext<'a>,
    /// Whether the clients use only caches and local files.
    pub offline: bool,
}

impl ClientBuilder<'_> {
    pub(super) fn build(&self) -> Result<SourceContext> {
        let context = self.context;
        let config = &context.config;
        let replacements = config.replacements()?;
        // One set of tokens, which git and HTTP share.
        let credentials = Arc::new(auth_tokens::load_credentials(context)?);
        let git = self.git_options(Arc::clone(&credentials));
        let http = self.http_options();

        Ok(SourceContext {
            git: GitClient::new(context.dirs.skillpm_home.join("git"), git),
            buckets: context.object_store_options(&http),
            http: HttpClient::new(http),
            jobs: usize::try_from(config.number("net.jobs"))
                .unwrap_or(1)
                .max(1),
            // The setting is in MiB.
            files_max: config.number("net.max-files"),
            size_max: config.number("net.max-size").saturating_mul(1 << 20),
            index_cache: context.dirs.skillpm_home.join("index"),
            offline: self.offline,
            allow_origins: config.list("well-known.allow-origins"),
            tokens: Box::new(move |url| credentials.find(url)),
            registries: config.registries().into_values().collect(),
            mirrors: replacements.urls,
            vendored: context.vendor_directories(replacements.directories),
            accept_rewritten: config.accept_rewritten()?,
            accept_expired: config.accept_expired()?,
            now: context.timestamp(),
        })
    }

    fn git_options(&self, credentials: Arc<CredentialStore>) -> GitOptions {
        let variable = |name: &str| {
            let value = (self.context.env_var)(name);
            value.filter(|value| !value.is_empty())
        };
        // Those that git reads and gix does not.
        let ssl = [
            ("GIT_SSL_CAPATH", "http.sslCAPath"),
            ("GIT_SSL_CERT", "http.sslCert"),
            ("GIT_SSL_KEY", "http.sslKey"),
        ];
        let ssl = ssl
            .into_iter()
            .filter_map(|(name, key)| Some(format!("{key}={}", variable(name)?)));

        GitOptions {
            config: ssl.collect(),
            netrc: Some(self.netrc()),
            ca_file: self.ca_file(),
            authorities: match variable("SSL_CERT_FILE").or_else(|| variable("SSL_CERT_DIR")) {
                Some(_) => AuthoritySource::Environment,
                None => AuthoritySource::System,
            },
            offline: self.offline,
            allow_http: self.context.config.switch("net.allow-http"),
            interactive: self.context.interactive,
            // `GIT_CONFIG_KEY_n` of the environment count up to this number.
            environment_config: (self.context.env_var)("GIT_CONFIG_COUNT")
                .and_then(|count| count.parse().ok())
                .unwrap_or(0),
            unread_environment: self.unread_environment(),
            tokens: git::TokenLookup::new(move |url| credentials.find(&format!("git+{url}"))),
            traffic: self.context.traffic.clone(),
            ..GitOptions::default()
        }
    }

    /// What the environment passes to git, and is not supported.
    fn unread_environment(&self) -> Vec<String> {
        let is_set =
            |name: &str| (self.context.env_var)(name).is_some_and(|value| !value.is_empty());
        let mut unread = Vec::new();
        if is_set("GIT_CONFIG_PARAMETERS") {
            unread
                .push("`GIT_CONFIG_PARAMETERS` is not supported; `GIT_CONFIG_COUNT` is".to_owned());
        }
        if is_set("SSH_ASKPASS") && !is_set("GIT_ASKPASS") && !self.context.interactive {
            unread.push(
                "`SSH_ASKPASS` is run on a terminal only; `GIT_ASKPASS` is always run".to_owned(),
            );
        }
        unread
    }

    /// The file of logins: the one that `NETRC` names, or that in the home directory.
    fn netrc(&self) -> PathBuf {
        if let Some(path) = (self.context.env_var)("NETRC").filter(|path| !path.is_empty()) {
            return self.context.expand_path(&path);
        }
        let home = &self.context.dirs.home;
        let file = home.join(".netrc");
        // The name that curl uses there.
        if cfg!(windows) && !file.exists() {
            return home.join("_netrc");
        }
        file
    }

    fn ca_file(&self) -> Option<PathBuf> {
        let path = self.context.config.string("net.ca-file");
        path.map(|path| self.context.expand_path(&path))
    }

    fn http_options(&self) -> http::HttpClientOptions {
        http::HttpClientOptions {
            offline: self.offline,
            allow_http: self.context.config.switch("net.allow-http"),
            ca_file: self.ca_file(),
            logins: auth_tokens::logins(self.context),
            traffic: self.context.traffic.clone(),
            ..http::HttpClientOptions::default()
        }
    }
}
