//! The environment of a command: directories, settings, clock and clients. Accessors and
//! constructors only.

mod clients;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

use self::clients::ClientBuilder;
use super::{interrupted, ownership};
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest;
use skillpm_core::report::{EventReporter, ProgressEvent, SilentReporter};
use skillpm_io::bucket::{self, BucketOverrides, BucketUrl};
use skillpm_io::disk::{self, find_repository_root};
use skillpm_io::http;
use skillpm_io::traffic::TrafficLog;
use skillpm_registry::config::{self, Config, SettingOrigin};
use skillpm_registry::index::search::TableStore;
use skillpm_registry::install::state_dir::StateDir;
use skillpm_registry::sources::SourceContext;
use skillpm_registry::store::Store;
use skillpm_registry::vendor;
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// The directories that commands start from.
#[derive(Debug, Clone)]
pub struct BaseDirs {
    /// The user's home directory.
    pub home: PathBuf,
    /// `$SKILLPM_HOME`.
    pub skillpm_home: PathBuf,
    /// The current directory.
    pub cwd: PathBuf,
}

/// The environment of a command.
pub struct CommandContext<'a> {
    /// The directories.
    pub dirs: BaseDirs,
    /// The settings.
    pub config: Config,
    /// Receives progress and warnings.
    pub reporter: &'a dyn EventReporter,
    /// Reads an environment variable, as of the start of the program.
    pub env_var: &'a (dyn Fn(&str) -> Option<String> + Sync),
    /// Lists the names of the environment variables.
    pub env_names: &'a (dyn Fn() -> BTreeSet<String> + Sync),
    /// Where the clients log their requests.
    pub traffic: TrafficLog,
    /// Whether the user can be prompted.
    pub interactive: bool,
    /// The time at which the program started, in seconds since 1970.
    pub now: u64,
    /// The name of the command, as `undo` shows it.
    pub command: &'a str,
}

impl CommandContext<'_> {
    /// Finds the project for a command that only reads; warns about the journal of a killed
    /// command.
    ///
    /// # Errors
    /// As for [`CommandContext::find_workspace`].
    pub fn workspace(&self, sort: WorkspaceKind) -> Result<Workspace> {
        let workspace = self.find_workspace(sort)?;
        interrupted::warn_if_idle(&self.state_dir(&workspace), self.reporter)?;
        Ok(workspace)
    }

    /// Finds the project: the one around the current directory, which is reported if its manifest is in another one, or the
    /// user's own skills.
    ///
    /// # Errors
    /// If no parent directory has a manifest, or another user owns it.
    pub fn find_workspace(&self, sort: WorkspaceKind) -> Result<Workspace> {
        match sort {
            WorkspaceKind::Managed => Workspace::managed(&self.dirs.skillpm_home),
            WorkspaceKind::Project => self.reported_project()?.ok_or_else(|| self.no_project()),
        }
    }

    fn no_project(&self) -> Error {
        let here = &self.dirs.cwd;
        let error = Error::usage(format!(
            "could not find `skillpm.toml` in `{}` or any parent directory",
            here.display()
        ));
        let help = "`skillpm init` creates one here; `--global` uses your own skills instead";

        // One that would be found if the search did not end there.
        let outside = find_repository_root(here).and_then(|repository| {
            let mut above = repository.ancestors().skip(1);
            above.find(|dir| matches!(disk::lstat(&dir.join(manifest::FILE)), Ok(Some(_))))
        });
        match outside {
            None => error.help(help),
            Some(dir) => error
                .note(format!(
                    "`{}` is outside of this repository, and is not used",
                    dir.join(manifest::FILE).display()
                ))
                .help(help)
                .help(format!("to use it, pass `-C {}`", dir.display())),
        }
    }

    /// As [`CommandContext::project`], for a command that works on it: it is reported if its manifest is not in the current
    /// directory.
    ///
    /// # Errors
    /// As for [`CommandContext::project_around`].
    pub fn reported_project(&self) -> Result<Option<Workspace>> {
        let project = self.project()?;
        if let Some(workspace) = &project
            && let Ok(inner) = self.dirs.cwd.strip_prefix(&workspace.root)
            && inner != Path::new("")
        {
            let up = "../".repeat(inner.components().count());
            self.reporter.report(ProgressEvent::Using {
                manifest: format!("{up}{}", manifest::FILE),
            });
        }
        Ok(project)
    }

    /// The root of a project that does not exist yet: that of the repository around the current directory, else the current
    /// directory.
    #[must_use]
    pub(crate) fn new_project_root(&self) -> &Path {
        let here = self.dirs.cwd.as_path();
        // Many keep their home directory in a repository, which makes it no project.
        find_repository_root(here)
            .filter(|root| !self.is_home(root))
            .unwrap_or(here)
    }

    /// Refuses to create a project in the home directory by the way: its skills would be in the directories of the user's own.
    ///
    /// # Errors
    /// Says how to do either on purpose.
    pub(crate) fn refuse_new_in_home(&self, root: &Path) -> Result<()> {
        if !self.is_home(root) {
            return Ok(());
        }
        Err(Error::usage(format!(
            "refusing to create a project in the home directory `{}`",
            root.display()
        ))
        .note("its skills would be in the same directories as your own (`--global`)")
        .help("pass `--global` to use your own skills instead")
        .help("to make it a project all the same, run `skillpm init` there first"))
    }

    fn is_home(&self, dir: &Path) -> bool {
        disk::real_path(dir) == disk::real_path(&self.dirs.home)
    }

    /// The project around the current directory; `None` if there is none.
    ///
    /// # Errors
    /// As for [`CommandContext::project_around`].
    pub fn project(&self) -> Result<Option<Workspace>> {
        self.project_around(&self.dirs.cwd)
    }

    /// The project around `dir`; `None` if there is none.
    ///
    /// # Errors
    /// If a file of the project is invalid or cannot be read, or another user owns it.
    pub fn project_around(&self, dir: &Path) -> Result<Option<Workspace>> {
        let found = Workspace::find(dir)?;
        // The manifest of another user must not decide what this user's agents read.
        if let Some(workspace) = &found {
            self.check_owner(&workspace.manifest_path())?;
            if let Some(member) = &workspace.member {
                self.check_owner(&workspace.root.join(member.to_path()).join(manifest::FILE))?;
            }
        }
        Ok(found)
    }

    /// Refuses a project's file if another user owns it or its directory.
    ///
    /// # Errors
    /// As for [`ownership::check`].
    pub fn check_owner(&self, file: &Path) -> Result<()> {
        ownership::check(
            file,
            &self.config.list("safe.directories"),
            &self.dirs.home,
            self.env_var,
        )
    }

    /// The directory of a project's state, journal and undo entries.
    #[must_use]
    pub fn state_dir(&self, workspace: &Workspace) -> StateDir {
        StateDir::new(
            &workspace.state_dir,
            &workspace.root,
            &self.dirs.skillpm_home,
        )
    }

    /// How long to wait for a lock of another skillpm.
    #[must_use]
    pub fn lock_timeout(&self) -> Duration {
        Duration::from_secs(self.config.number("lock.timeout"))
    }

    /// Opens the store of this machine.
    ///
    /// # Errors
    /// If it cannot be opened, or another process has it for longer than `lock.timeout`.
    pub(crate) fn store(&self) -> Result<Store> {
        Store::open(&self.dirs.skillpm_home, self.lock_timeout(), self.reporter)
    }

    /// Builds the clients for git, HTTP and object stores.
    ///
    /// # Errors
    /// If a network setting is invalid.
    pub fn tools(&self) -> Result<SourceContext> {
        ClientBuilder {
            context: self,
            offline: self.config.switch("net.offline"),
        }
        .build()
    }

    /// Builds clients that use only caches and local files, whatever `net.offline` says.
    ///
    /// # Errors
    /// As for [`CommandContext::tools`].
    pub fn offline_tools(&self) -> Result<SourceContext> {
        ClientBuilder {
            context: self,
            offline: true,
        }
        .build()
    }

    /// The time at which the program started.
    #[must_use]
    pub fn start_time(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.now)
    }

    /// The time at which the program started, for comparing dates.
    #[must_use]
    pub fn timestamp(&self) -> Timestamp {
        Timestamp::from_second(i64::try_from(self.now).unwrap_or(i64::MAX))
            .unwrap_or(Timestamp::MAX)
    }

    /// The same environment for a step that reports nothing.
    #[must_use]
    pub fn silent(&self) -> CommandContext<'_> {
        CommandContext {
            dirs: self.dirs.clone(),
            config: self.config.clone(),
            reporter: &SilentReporter,
            traffic: self.traffic.clone(),
            ..*self
        }
    }

    /// The same environment for a step that reports nothing and asks no server.
    ///
    /// # Errors
    /// If the setting is invalid.
    pub fn silent_offline(&self) -> Result<CommandContext<'_>> {
        let mut context = self.silent();
        context.config.add_flag("net.offline=true")?;
        Ok(context)
    }

    /// The same environment at a later time.
    #[must_use]
    pub fn with_elapsed(&self, elapsed: Duration) -> CommandContext<'_> {
        CommandContext {
            dirs: self.dirs.clone(),
            config: self.config.clone(),
            reporter: self.reporter,
            env_var: self.env_var,
            env_names: self.env_names,
            traffic: self.traffic.clone(),
            interactive: self.interactive,
            command: self.command,
            // Only the clock moves: settings are read once, at the start.
            now: self.now + elapsed.as_secs(),
        }
    }

    /// The search tables of registries.
    #[must_use]
    pub fn search_tables(&self, tools: &SourceContext) -> TableStore<'_> {
        let dir = tools.index_cache.join("search");
        TableStore {
            dir,
            now: self.start_time(),
            jobs: tools.jobs,
            reporter: self.reporter,
        }
    }

    /// The same environment without vendoring: sources are read from their origin.
    ///
    /// # Errors
    /// None in practice: the setting exists.
    pub fn without_vendoring(&self) -> Result<CommandContext<'_>> {
        let mut context = self.with_elapsed(Duration::ZERO);
        context.config.add_flag("vendor.use=false")?;
        Ok(context)
    }

    /// The vendor directories that replace sources, by the sources' keys.
    ///
    /// # Errors
    /// If a setting of one is invalid.
    pub fn vendored_sources(&self) -> Result<BTreeMap<String, vendor::VendorDirectory>> {
        Ok(self.vendor_directories(self.config.replacements()?.directories))
    }

    fn vendor_directories(
        &self,
        directories: BTreeMap<String, config::ReplacementDirectory>,
    ) -> BTreeMap<String, vendor::VendorDirectory> {
        directories
            .into_iter()
            .map(|(source, directory)| (source, self.vendor_directory(directory)))
            .collect()
    }

    fn vendor_directory(&self, directory: config::ReplacementDirectory) -> vendor::VendorDirectory {
        let project = match &directory.origin {
            // `<project>/.skillpm/config.toml`
            SettingOrigin::Project(file) => {
                file.parent().and_then(Path::parent).map(Path::to_owned)
            }
            _ => None,
        };

        let own_file = match &directory.origin {
            SettingOrigin::File(file) => file.parent().map(|dir| dir.join(&directory.path)),
            _ => None,
        };

        // A relative path is relative to the project's root or the user's settings file,
        // whichever it is written in; from a flag or variable, to the current directory.
        let dir = match (&project, own_file) {
            _ if directory.path.starts_with('~') => self.expand_path(&directory.path),
            (Some(project), _) => project.join(&directory.path),
            (None, Some(dir)) => dir,
            (None, None) => self.expand_path(&directory.path),
        };

        vendor::VendorDirectory {
            dir,
            display_path: directory.path,
            project,
        }
    }

    /// The options of object stores, from the environment; for a registry's own, from its settings.
    #[must_use]
    pub fn object_store_options(&self, http: &http::HttpClientOptions) -> bucket::BucketOptions {
        let mut options =
            bucket::BucketOptions::new(http.clone(), &(self.env_names)(), self.env_var);

        for name in self.config.configured_registries() {
            let setting = |key: &str| self.config.string(&format!("registries.{name}.{key}"));
            let site = BucketOverrides {
                endpoint: setting("endpoint"),
                region: setting("region"),
            };
            // The settings that may have the URL of a bucket.
            for url in ["index", "publish", "archives"]
                .iter()
                .filter_map(|key| setting(key))
            {
                // Other URLs have no endpoint and no region.
                if let Ok(address) = url.parse::<BucketUrl>() {
                    options.overrides.insert(address.to_string(), site.clone());
                }
            }
        }

        options
    }

    /// Expands `~` to the home directory; a relative path starts at the current directory.
    #[must_use]
    pub fn expand_path(&self, path: &str) -> PathBuf {
        match path.strip_prefix('~') {
            Some("") => self.dirs.home.clone(),
            Some(rest) if rest.starts_with('/') => self.dirs.home.join(&rest[1..]),
            // `~name` is not expanded: it is an ordinary relative path.
            _ => self.dirs.cwd.join(Path::new(path)),
        }
    }
}
