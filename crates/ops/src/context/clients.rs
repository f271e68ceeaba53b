//! Builds the clients of a command, for git, HTTP and object stores, from the settings.

use std::sync::Arc;

use super::CommandContext;
use crate::auth_tokens;
use skillpm_core::error::Result;
use skillpm_io::git::{self, GitClient, GitOptions};
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
        GitOptions {
            offline: self.offline,
            allow_http: self.context.config.switch("net.allow-http"),
            interactive: self.context.interactive,
            // `GIT_CONFIG_KEY_n` of the environment count up to this number.
            environment_config: (self.context.env_var)("GIT_CONFIG_COUNT")
                .and_then(|count| count.parse().ok())
                .unwrap_or(0),
            tokens: git::TokenLookup::new(move |url| credentials.find(&format!("git+{url}"))),
            traffic: self.context.traffic.clone(),
            ..GitOptions::default()
        }
    }

    fn http_options(&self) -> http::HttpClientOptions {
        let ca_file = self.context.config.string("net.ca-file");
        http::HttpClientOptions {
            offline: self.offline,
            allow_http: self.context.config.switch("net.allow-http"),
            ca_file: ca_file.map(|path| self.context.expand_path(&path)),
            logins: auth_tokens::logins(self.context),
            traffic: self.context.traffic.clone(),
            ..http::HttpClientOptions::default()
        }
    }
}
