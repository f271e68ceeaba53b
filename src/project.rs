//! A project as a library opens it: its skills are resolved, installed, listed, watched and checked as by the program.
//!
//! ```text
//! SkillProject::open(dir, environment) ──▶ resolve ──▶ Lockfile
//!                                          sync    ──▶ SyncReport
//!                                          catalog ──▶ Catalog      watch ──▶ CatalogUpdate …
//!                                          enable  ──▶ LoadedSkill  lint  ──▶ LintReport
//! ```
//!
//! Nothing here prints or prompts: warnings and progress go to an [`EventReporter`].

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::catalog::Catalog;
use crate::catalog::loaded::LoadedSkill;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::io::disk;
use crate::lockfile::Lockfile;
use crate::ops::catalog::{CatalogOptions, catalog};
use crate::ops::lint::{LintOptions, LintReport, lint};
use crate::ops::live::{CatalogUpdate, LiveCatalog, WatchMode};
use crate::ops::show::{SourceChoice, show};
use crate::ops::sync::{SyncOptions, SyncReport, SyncRequest, lock_project, sync};
use crate::ops::{BaseDirs, CommandContext};
use crate::report::{EventReporter, SilentReporter};
use crate::settings::read_settings;
use crate::workspace::WorkspaceKind;

/// What a project depends on besides its own files.
///
/// All of it is given, and nothing is read from the process: one program can open projects of several users.
///
/// ```
/// use std::collections::BTreeMap;
/// use std::time::SystemTime;
///
/// let environment = skillpm::ProjectEnvironment {
///     home: "/home/ann".into(),
///     variables: BTreeMap::from([("SKILLPM_TOKEN".to_owned(), "s3cret".to_owned())]),
///     time: SystemTime::now(),
/// };
/// assert!(environment.home.is_absolute());
/// ```
#[derive(Debug, Clone)]
pub struct ProjectEnvironment {
    /// The user's home directory.
    pub home: PathBuf,
    /// The environment variables, such as `SKILLPM_HOME`, settings, and tokens of registries.
    pub variables: BTreeMap<String, String>,
    /// The current time, by which release ages and expiry dates are checked.
    pub time: SystemTime,
}

/// A project: the directory with a `skillpm.toml`, and the settings that apply there.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let root = dir.path().join("project");
/// # std::fs::create_dir_all(root.join("skills/notes")).unwrap();
/// # std::fs::write(
/// #     root.join("skills/notes/SKILL.md"),
/// #     "---\nname: notes\ndescription: Takes notes of a meeting. Use it when a meeting begins.\n---\n\nWrite.\n",
/// # ).unwrap();
/// # std::fs::write(root.join("skillpm.toml"), "[dependencies]\nnotes = { path = \"skills/notes\" }\n").unwrap();
/// # let environment = skillpm::ProjectEnvironment {
/// #     home: dir.path().join("home"),
/// #     variables: Default::default(),
/// #     time: std::time::SystemTime::now(),
/// # };
/// use skillpm::{CatalogOptions, LintOptions, SkillProject, SyncOptions};
///
/// let project = SkillProject::open(&root, environment)?;
/// let lockfile = project.resolve()?;
/// assert_eq!(lockfile.packages().len(), 1);
///
/// let synced = project.sync(SyncOptions::default())?;
/// assert_eq!(synced.packages, 1);
/// assert!(root.join(".agents/skills/notes/SKILL.md").exists());
///
/// let catalog = project.catalog(&CatalogOptions::default())?;
/// assert!(catalog.listed().any(|entry| &*entry.candidate.listing.name == "notes"));
///
/// let linted = project.lint(&LintOptions::default())?;
/// assert!(!linted.denies());
/// # Ok::<(), skillpm::Error>(())
/// ```
pub struct SkillProject {
    dirs: BaseDirs,
    config: Config,
    variables: BTreeMap<String, String>,
    now: u64,
    reporter: Box<dyn EventReporter + Send>,
}

impl SkillProject {
    /// Opens the project that `dir` is in, with its settings and the user's.
    ///
    /// ```no_run
    /// # fn environment() -> skillpm::ProjectEnvironment { unimplemented!() }
    /// let project = skillpm::SkillProject::open("/srv/app".as_ref(), environment())?;
    /// # Ok::<(), skillpm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If neither `dir` nor a directory above it has a `skillpm.toml`, another user owns it, or a file of it or of the
    /// settings is invalid.
    pub fn open(dir: &Path, environment: ProjectEnvironment) -> Result<Self> {
        let ProjectEnvironment {
            home,
            variables,
            time,
        } = environment;

        // Without links, as the program has it: paths in reports are then the same for both.
        let cwd = disk::real_path(dir);
        let variable = |name: &str| variables.get(name).cloned();
        let skillpm_home = match variable("SKILLPM_HOME").filter(|path| !path.is_empty()) {
            Some(path) => cwd.join(path),
            None => home.join(".skillpm"),
        };
        let dirs = BaseDirs {
            home,
            skillpm_home,
            cwd,
        };

        let config = read_settings(&dirs, &variable, &[])?;
        let project = SkillProject {
            dirs,
            config,
            now: time
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_secs()),
            variables,
            // A library that prints on its own would be no good inside another program.
            reporter: Box::new(SilentReporter),
        };

        // A directory without a project fails here, and not at the first use.
        project.with_context(|context| context.find_workspace(WorkspaceKind::Project))?;
        Ok(project)
    }

    /// The same project, whose progress and warnings `reporter` receives; without one they are dropped.
    ///
    /// ```no_run
    /// use skillpm::{EventReporter, ProgressEvent};
    ///
    /// struct Log;
    ///
    /// impl EventReporter for Log {
    ///     fn report(&self, event: ProgressEvent) {
    ///         if let ProgressEvent::Warning { message, .. } = event {
    ///             eprintln!("{message}");
    ///         }
    ///     }
    /// }
    ///
    /// # fn open() -> skillpm::SkillProject { unimplemented!() }
    /// let project = open().with_reporter(Log);
    /// ```
    #[must_use]
    pub fn with_reporter(self, reporter: impl EventReporter + Send + 'static) -> Self {
        SkillProject {
            reporter: Box::new(reporter),
            ..self
        }
    }

    /// Resolves the manifest, and writes the lockfile. Locked versions stay as long as they match; nothing is installed.
    ///
    /// ```no_run
    /// # fn open() -> skillpm::SkillProject { unimplemented!() }
    /// for package in open().resolve()?.packages() {
    ///     println!("{} {}", package.name, package.revision());
    /// }
    /// # Ok::<(), skillpm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If no versions satisfy all requirements, a source cannot be reached, or another skillpm changes the project.
    pub fn resolve(&self) -> Result<Lockfile> {
        self.sync(SyncOptions {
            lock_only: true,
            ..SyncOptions::default()
        })?;

        // Read again: the project under the lock has the text from before.
        let lockfile = self.with_context(|context| {
            context
                .find_workspace(WorkspaceKind::Project)
                .and_then(|workspace| workspace.lockfile())
        })?;
        Ok(lockfile.unwrap_or_default())
    }

    /// Makes the installed skills match the manifest and the lockfile, in one transaction. Local edits are kept.
    ///
    /// ```no_run
    /// use skillpm::SyncOptions;
    ///
    /// # fn open() -> skillpm::SkillProject { unimplemented!() }
    /// let options = SyncOptions { dry_run: true, ..SyncOptions::default() };
    /// println!("{} changes", open().sync(options)?.changes.len());
    /// # Ok::<(), skillpm::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`SkillProject::resolve`]; or if a check refuses a package, or a file cannot be written. Nothing is changed
    /// then.
    pub fn sync(&self, options: SyncOptions) -> Result<SyncReport> {
        self.with_context(|context| {
            let lock = lock_project(context, WorkspaceKind::Project, None)?;
            sync(context, &lock, &SyncRequest::default(), options)
        })
    }

    /// Lists the skills of all tiers, or what one agent sees of them.
    ///
    /// ```no_run
    /// use skillpm::CatalogOptions;
    ///
    /// # fn open() -> skillpm::SkillProject { unimplemented!() }
    /// let options = CatalogOptions { agent: Some("codex".to_owned()), ..CatalogOptions::default() };
    /// for entry in open().catalog(&options)?.listed() {
    ///     println!("{}: {}", entry.candidate.listing.name, entry.candidate.listing.summary());
    /// }
    /// # Ok::<(), skillpm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a manifest or lockfile is invalid, or a name or the agent in the options is unknown.
    pub fn catalog(&self, options: &CatalogOptions) -> Result<Catalog> {
        self.with_context(|context| catalog(context, options))
    }

    /// Loads a skill for a model, as the tool `enable_skill` of `skillpm serve` does: its instructions, the tools that it
    /// declares and the paths of its other files. Nothing of it is run.
    ///
    /// ```no_run
    /// use skillpm::CatalogOptions;
    ///
    /// # fn open() -> skillpm::SkillProject { unimplemented!() }
    /// let skill = open().enable(&CatalogOptions::default(), "release")?;
    /// println!("{} ({} tokens)\n{}", skill.name, skill.tokens, skill.body);
    /// # Ok::<(), skillpm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the catalog of these options has no skill with this name or id; the nearest name is suggested. If its file cannot
    /// be read.
    pub fn enable(&self, options: &CatalogOptions, name: &str) -> Result<LoadedSkill> {
        self.with_context(|context| {
            let shown = show(
                context,
                options.clone(),
                name,
                SourceChoice::default(),
                None,
            )?;
            let loaded = shown.to_loaded();
            loaded.ok_or_else(|| Error::internal("a skill was read without its instructions"))
        })
    }

    /// Watches the catalog, and calls `on_update` for each change and each failure to read it, until that breaks.
    ///
    /// ```no_run
    /// use std::ops::ControlFlow;
    ///
    /// use skillpm::CatalogOptions;
    ///
    /// # fn open() -> skillpm::SkillProject { unimplemented!() }
    /// open().watch(CatalogOptions::default(), |update| match update {
    ///     Ok(update) => {
    ///         println!("{} changes", update.changes.len());
    ///         ControlFlow::Continue(())
    ///     }
    ///     Err(_) => ControlFlow::Break(()),
    /// })?;
    /// # Ok::<(), skillpm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the catalog cannot be read at the start.
    pub fn watch(
        &self,
        options: CatalogOptions,
        on_update: impl FnMut(Result<CatalogUpdate>) -> ControlFlow<()>,
    ) -> Result<()> {
        self.with_context(|context| follow_catalog(context, options, on_update))
    }

    /// Checks the project's own skills, or those below some paths, against the rules.
    ///
    /// ```no_run
    /// use skillpm::LintOptions;
    ///
    /// # fn open() -> skillpm::SkillProject { unimplemented!() }
    /// for finding in open().lint(&LintOptions::default())?.findings {
    ///     println!("{}: {}", finding.path, finding.diagnostic.message);
    /// }
    /// # Ok::<(), skillpm::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a path does not exist, or the manifest or a file of a skill cannot be read.
    pub fn lint(&self, options: &LintOptions) -> Result<LintReport> {
        self.with_context(|context| lint(context, options))
    }

    /// Runs a command in this project.
    fn with_context<T>(&self, run: impl FnOnce(&CommandContext<'_>) -> T) -> T {
        let variable = |name: &str| self.variables.get(name).cloned();
        let names = || self.variables.keys().cloned().collect();

        run(&CommandContext {
            dirs: self.dirs.clone(),
            config: self.config.clone(),
            reporter: &*self.reporter,
            env_var: &variable,
            env_names: &names,
            traffic: crate::io::traffic::TrafficLog::default(),
            // A library has no one to ask: what would be a question is an error.
            interactive: false,
            now: self.now,
            command: "skillpm",
        })
    }
}

fn follow_catalog(
    context: &CommandContext<'_>,
    options: CatalogOptions,
    mut on_update: impl FnMut(Result<CatalogUpdate>) -> ControlFlow<()>,
) -> Result<()> {
    let mut live = LiveCatalog::open(context, options, WatchMode::Events)?;
    let stopper = live.stopper();

    live.follow(|update| {
        if on_update(update).is_break() {
            stopper.stop();
        }
    });
    Ok(())
}
