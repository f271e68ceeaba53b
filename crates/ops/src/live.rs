//! A catalog that follows the disk.
//!
//! ```text
//! LiveCatalog::open ──▶ LiveCatalog ──wait──▶ CatalogUpdate { catalog, changes } ──wait──▶ …
//! ```
//!
//! Nothing runs in the background: a caller that wants changes waits for them, in its own thread if
//! needed. After a failed read the catalog stays as it was, and the error is returned once.
//!
//! ```no_run
//! # fn f(context: &skillpm_ops::CommandContext<'_>) -> skillpm_core::error::Result<()> {
//! use skillpm_ops::catalog::CatalogOptions;
//! use skillpm_ops::live::{LiveCatalog, WatchMode};
//!
//! let mut live = LiveCatalog::open(context, CatalogOptions::default(), WatchMode::Events)?;
//! let stop = live.stopper();
//! std::thread::scope(|scope| {
//!     scope.spawn(|| live.follow(|update| drop(update)));
//!     stop.stop();
//! });
//! # Ok(()) }
//! ```

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::CommandContext;
use super::catalog::{CatalogOptions, NOVA_PERMISSIONS, resolve};
use skillpm_catalog::catalog::{Catalog, CatalogChange, SkillRoot};
use skillpm_core::error::{Error, Result};
use skillpm_core::{lockfile, manifest};
use skillpm_io::watch::{DEBOUNCE, FileWatch, WakeReason};

pub use skillpm_io::watch::{WatchMode, WatchStopper};

/// How often the catalog is read again while its set of roots keeps changing.
const ROOT_PASSES: usize = 3;

/// A catalog that follows the disk.
pub struct LiveCatalog<'a> {
    context: &'a CommandContext<'a>,
    options: CatalogOptions,
    catalog: Arc<Catalog>,
    watch: FileWatch,
    /// The last failure that was returned.
    failure: Option<String>,
    started: Instant,
    /// The duration of the last read.
    cost: Duration,
}

/// A newer catalog.
#[derive(Debug, Clone)]
pub struct CatalogUpdate {
    /// The new catalog.
    pub catalog: Arc<Catalog>,
    /// The differences; at least one.
    pub changes: Vec<CatalogChange>,
}

impl<'a> LiveCatalog<'a> {
    /// Reads the catalog with `options` and the contents of every skill, and watches it from now
    /// on.
    ///
    /// # Errors
    /// If a manifest or lockfile is invalid, or the agent is unknown. Names in `only` may be
    /// unknown: such skills may appear.
    pub fn open(
        context: &'a CommandContext<'a>,
        options: CatalogOptions,
        mode: WatchMode,
    ) -> Result<Self> {
        let mut live = LiveCatalog {
            context,
            options: CatalogOptions {
                contents: true,
                ..options
            },
            catalog: Arc::default(),
            watch: FileWatch::new(mode, DEBOUNCE),
            failure: None,
            started: Instant::now(),
            cost: Duration::ZERO,
        };

        live.catalog = Arc::new(live.read()?);
        Ok(live)
    }

    /// The catalog as of the last read.
    #[must_use]
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog)
    }

    /// How changes are detected.
    #[must_use]
    pub fn attention(&self) -> &WatchMode {
        self.watch.mode()
    }

    /// Returns a handle that ends [`LiveCatalog::wait`] and [`LiveCatalog::follow`], from any
    /// thread.
    #[must_use]
    pub fn stopper(&self) -> WatchStopper {
        self.watch.stopper()
    }

    /// Reads the catalog now; `None` if nothing has changed.
    ///
    /// # Errors
    /// If the catalog cannot be read, for the first time for this reason; it stays as it was.
    pub fn refresh(&mut self) -> Result<Option<CatalogUpdate>> {
        let catalog = match self.read() {
            Ok(catalog) => catalog,
            Err(error) => return self.report_once(error),
        };

        // After a successful read the same failure is reported again.
        self.failure = None;
        let changes = catalog.changes_since(&self.catalog);
        self.catalog = Arc::new(catalog);

        Ok((!changes.is_empty()).then(|| CatalogUpdate {
            catalog: self.catalog(),
            changes,
        }))
    }

    /// Waits until something has changed; `None` if `at_most` has passed or the watch was stopped.
    ///
    /// # Errors
    /// As for [`LiveCatalog::refresh`].
    pub fn wait(&mut self, at_most: Option<Duration>) -> Result<Option<CatalogUpdate>> {
        let end = at_most.map(|most| Instant::now() + most);

        loop {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            // Passes on the cost of the last read: polling spends a tenth of its time at most.
            if self.watch.wait(left, self.cost) != WakeReason::Changed {
                return Ok(None);
            }

            // Events that did not change the catalog are ignored.
            if let Some(update) = self.refresh()? {
                return Ok(Some(update));
            }
        }
    }

    /// Calls `on_update` with every update and every read failure, until the watch is stopped.
    pub fn follow(&mut self, mut on_update: impl FnMut(Result<CatalogUpdate>)) {
        while let Some(update) = self.wait(None).transpose() {
            on_update(update);
        }
    }

    /// Reads the catalog after watching everything that it is read from.
    fn read(&mut self) -> Result<Catalog> {
        let begin = Instant::now();
        let context = self.context.with_elapsed(self.started.elapsed());

        let mut roots = self.catalog.roots.clone();
        // Watched before it is read: a change in between wakes the next wait.
        for _ in 1..ROOT_PASSES {
            self.watch.watch_paths(&self.watched_paths(&roots)?);
            let catalog = resolve(&context, &self.options)?;

            if catalog.roots == roots {
                self.cost = begin.elapsed();
                return Ok(catalog);
            }
            // A manifest can name further directories; those have to be watched, too.
            roots.clone_from(&catalog.roots);
        }

        // The roots keep changing while they are read: the next read watches the new ones.
        resolve(&context, &self.options)
    }

    /// The files and directories that the catalog is read from.
    fn watched_paths(&self, roots: &[SkillRoot]) -> Result<Vec<PathBuf>> {
        let mut paths: Vec<PathBuf> = roots.iter().map(|root| root.path.clone()).collect();
        if self.options.dirs.is_empty() {
            let places = &self.context.dirs;
            let project = self.context.project()?.map(|workspace| workspace.root);
            for dir in [
                project.as_deref().unwrap_or(&places.cwd),
                &places.skillpm_home,
            ] {
                paths.extend([manifest::FILE, lockfile::FILE].map(|file| dir.join(file)));
            }
            // Of Nova alone; that of no other agent is read from a project.
            if self.options.agent.as_deref() == Some("nova") {
                let root = project.as_deref().unwrap_or(&places.cwd);
                paths.push(root.join(NOVA_PERMISSIONS));
            }
        }

        Ok(paths)
    }

    fn report_once(&mut self, error: Error) -> Result<Option<CatalogUpdate>> {
        let failure = Some(format!("{error:?}"));

        if self.failure == failure {
            return Ok(None);
        }

        self.failure = failure;
        Err(error)
    }
}
