//! The facts and handles a verb works with. Fields and constructors; no verbs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

use super::{interrupted, ownership, tokens};
use crate::config::{self, Config, Origin};
use crate::error::{Error, Result};
use crate::index::search::Tables;
use crate::install::state_dir::StateDir;
use crate::io::bucket::{self, Address, Site};
use crate::io::git::{self, Git, GitOptions};
use crate::io::http::{self, Http};
use crate::report::Reporter;
use crate::sources::Tools;
use crate::vendor;
use crate::workspace::{Sort, Workspace};

/// Where things are on this machine.
#[derive(Debug, Clone)]
pub struct Places {
    /// The person's home.
    pub home: PathBuf,
    /// `$SKILLPM_HOME`.
    pub skillpm: PathBuf,
    /// The directory the command runs in.
    pub here: PathBuf,
}

/// The facts and handles a verb works with.
pub struct Context<'a> {
    /// Where things are.
    pub places: Places,
    /// Settings.
    pub config: Config,
    /// Who hears of what happens.
    pub reporter: &'a dyn Reporter,
    /// The environment, as it was when the program started.
    pub variable: &'a (dyn Fn(&str) -> Option<String> + Sync),
    /// The names of its variables.
    pub variable_names: &'a (dyn Fn() -> BTreeSet<String> + Sync),
    /// Whether a person may be asked.
    pub interactive: bool,
    /// Seconds since 1970, for the names of backups.
    pub now: u64,
    /// The name of the command, for whoever wants to undo it.
    pub command: &'a str,
}

impl Context<'_> {
    /// The project of `sort`, for a command that only reads: a journal that a killed command left is reported.
    ///
    /// # Errors
    /// As for [`Context::find_workspace`].
    pub fn workspace(&self, sort: Sort) -> Result<Workspace> {
        let workspace = self.find_workspace(sort)?;
        interrupted::warn_if_idle(&self.state_dir(&workspace), self.reporter)?;
        Ok(workspace)
    }

    /// The project of `sort`: for a workspace, the one this directory lies in.
    ///
    /// # Errors
    /// If there is no manifest upwards of here, or another user owns it.
    pub fn find_workspace(&self, sort: Sort) -> Result<Workspace> {
        match sort {
            Sort::Managed => Workspace::managed(&self.places.skillpm),
            Sort::Project => self.project()?.ok_or_else(|| {
                Error::usage(format!("there is no `skillpm.toml` in `{}` or above", self.places.here.display()))
                    .help("`skillpm init` makes one here; `--global` works on your own skills instead")
            }),
        }
    }

    /// The project that this directory lies in; `None` if there is none.
    ///
    /// # Errors
    /// As for [`Context::project_around`].
    pub fn project(&self) -> Result<Option<Workspace>> {
        self.project_around(&self.places.here)
    }

    /// The project that `dir` lies in; `None` if there is none.
    ///
    /// # Errors
    /// If a file of it cannot be read or understood, or another user owns it.
    pub fn project_around(&self, dir: &Path) -> Result<Option<Workspace>> {
        let found = Workspace::find(dir)?;
        if let Some(workspace) = &found {
            self.check_owner(&workspace.manifest_path())?;
        }
        Ok(found)
    }

    /// Refuses a file of a project that another user owns, or whose directory another user owns.
    ///
    /// # Errors
    /// As for [`ownership::check`].
    pub fn check_owner(&self, file: &Path) -> Result<()> {
        ownership::check(file, &self.config.list("safe.directories"), &self.places.home, self.variable)
    }

    /// Where a project's state, journal and undo entries are.
    #[must_use]
    pub fn state_dir(&self, workspace: &Workspace) -> StateDir {
        StateDir::new(&workspace.state_dir, &workspace.root, &self.places.skillpm)
    }

    /// How long to wait for another skillpm.
    #[must_use]
    pub fn patience(&self) -> Duration {
        Duration::from_secs(self.config.number("lock.timeout"))
    }

    /// The hands that reach other machines.
    ///
    /// # Errors
    /// If a setting of the network cannot be.
    pub fn tools(&self) -> Result<Tools> {
        self.reach(self.config.switch("net.offline"))
    }

    /// Hands that reach no other machine, whatever is set: for what is to be answered from what is here.
    ///
    /// # Errors
    /// As for [`Context::tools`].
    pub fn local_tools(&self) -> Result<Tools> {
        self.reach(true)
    }

    /// When the program started.
    #[must_use]
    pub fn clock(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.now)
    }

    /// When the program started, as dates are reckoned.
    #[must_use]
    pub fn timestamp(&self) -> Timestamp {
        Timestamp::from_second(i64::try_from(self.now).unwrap_or(i64::MAX)).unwrap_or(Timestamp::MAX)
    }

    /// The same, that much later.
    #[must_use]
    pub fn later(&self, elapsed: Duration) -> Context<'_> {
        Context {
            places: self.places.clone(),
            config: self.config.clone(),
            reporter: self.reporter,
            variable: self.variable,
            variable_names: self.variable_names,
            interactive: self.interactive,
            command: self.command,
            now: self.now + elapsed.as_secs(),
        }
    }

    /// The tables that registries are searched by.
    #[must_use]
    pub fn tables(&self, tools: &Tools) -> Tables<'_> {
        let dir = tools.index_cache.join("search");
        Tables { dir, now: self.clock(), jobs: tools.jobs, reporter: self.reporter }
    }

    fn reach(&self, offline: bool) -> Result<Tools> {
        let replacements = self.config.replacements()?;
        let allow_http = self.config.switch("net.allow-http");
        let ca_file = self.config.string("net.ca-file").map(|path| self.expand(&path));
        let credentials = Arc::new(tokens::credentials(self)?);
        let of_git = Arc::clone(&credentials);
        let git = GitOptions {
            offline,
            allow_http,
            interactive: self.interactive,
            environment_config: (self.variable)("GIT_CONFIG_COUNT").and_then(|count| count.parse().ok()).unwrap_or(0),
            tokens: git::Tokens::new(move |url| of_git.find(&format!("git+{url}"))),
            ..GitOptions::default()
        };
        let http =
            http::Options { offline, allow_http, ca_file, logins: tokens::logins(self), ..http::Options::default() };
        Ok(Tools {
            git: Git::new(self.places.skillpm.join("git"), git),
            buckets: self.buckets(&http),
            http: Http::new(http),
            jobs: usize::try_from(self.config.number("net.jobs")).unwrap_or(1).max(1),
            index_cache: self.places.skillpm.join("index"),
            offline,
            allow_origins: self.config.list("well-known.allow-origins"),
            tokens: Box::new(move |url| credentials.find(url)),
            registries: self.config.registries().into_values().collect(),
            mirrors: replacements.urls,
            vendored: self.directories(replacements.directories),
            rewritten: self.config.rewritten()?,
            expired: self.config.expired()?,
            now: self.timestamp(),
        })
    }

    /// The same, with sources that directories stand in for read from themselves.
    ///
    /// # Errors
    /// None that can be met: the setting is known.
    pub fn past_vendoring(&self) -> Result<Context<'_>> {
        let mut past = self.later(Duration::ZERO);
        past.config.add_flag("vendor.use=false")?;
        Ok(past)
    }

    /// The directories that stand in for sources, by the sources' keys.
    ///
    /// # Errors
    /// If the settings of them cannot be.
    pub fn vendored(&self) -> Result<BTreeMap<String, vendor::Directory>> {
        Ok(self.directories(self.config.replacements()?.directories))
    }

    fn directories(&self, directories: BTreeMap<String, config::Directory>) -> BTreeMap<String, vendor::Directory> {
        let place = |directory: config::Directory| {
            let of = match &directory.origin {
                // `<project>/.skillpm/config.toml`
                Origin::Project(file) => file.parent().and_then(Path::parent).map(Path::to_owned),
                _ => None,
            };
            let own_file = match &directory.origin {
                Origin::File(file) => file.parent().map(|dir| dir.join(&directory.path)),
                _ => None,
            };
            let dir = match (&of, own_file) {
                _ if directory.path.starts_with('~') => self.expand(&directory.path),
                (Some(project), _) => project.join(&directory.path),
                (None, Some(place)) => place,
                (None, None) => self.expand(&directory.path),
            };
            vendor::Directory { dir, shown: directory.path, of }
        };
        directories.into_iter().map(|(source, directory)| (source, place(directory))).collect()
    }

    /// How object stores are reached: as the environment says, and for a registry's own as its settings say.
    #[must_use]
    pub fn buckets(&self, http: &http::Options) -> bucket::Options {
        let mut options = bucket::Options::new(http.clone(), &(self.variable_names)(), self.variable);
        for name in self.config.configured_registries() {
            let setting = |key: &str| self.config.string(&format!("registries.{name}.{key}"));
            let site = Site { endpoint: setting("endpoint"), region: setting("region") };
            for url in ["index", "publish", "archives"].iter().filter_map(|key| setting(key)) {
                if let Ok(address) = url.parse::<Address>() {
                    options.sites.insert(address.to_string(), site.clone());
                }
            }
        }
        options
    }

    /// A path with `~` for the home.
    #[must_use]
    pub fn expand(&self, path: &str) -> PathBuf {
        match path.strip_prefix('~') {
            Some("") => self.places.home.clone(),
            Some(rest) if rest.starts_with('/') => self.places.home.join(&rest[1..]),
            _ => self.places.here.join(Path::new(path)),
        }
    }
}
