//! A catalog that follows the disk.
//!
//! ```text
//! Live::open ──▶ Live { catalog } ──wait──▶ Update { catalog, changes } ──wait──▶ …
//! ```
//!
//! Nothing runs by itself: whoever wants to hear of changes waits for them, in a thread of its own if need be. What
//! cannot be read leaves the catalog as it was, and is told once.
//!
//! ```no_run
//! # fn f(context: &skillpm::ops::Context<'_>) -> skillpm::error::Result<()> {
//! use skillpm::ops::catalog::CatalogOptions;
//! use skillpm::ops::live::{Attention, Live};
//!
//! let mut live = Live::open(context, CatalogOptions::default(), Attention::Events)?;
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

use super::Context;
use super::catalog::{CatalogOptions, resolve};
use crate::catalog::{Catalog, Change, Root};
use crate::error::{Error, Result};
use crate::io::watch::{DEBOUNCE, Wake, Watch};
use crate::{lockfile, manifest};

pub use crate::io::watch::{Attention, Stop};

/// How often the roots are looked for again where reading them changes which there are.
const ROUNDS: usize = 3;

/// A catalog that follows the disk.
pub struct Live<'a> {
    context: &'a Context<'a>,
    options: CatalogOptions,
    catalog: Arc<Catalog>,
    watch: Watch,
    /// The failure that was told last.
    failure: Option<String>,
    started: Instant,
    /// What the last look took.
    cost: Duration,
}

/// A newer catalog.
#[derive(Debug, Clone)]
pub struct Update {
    /// As it is now.
    pub catalog: Arc<Catalog>,
    /// What is different; at least one.
    pub changes: Vec<Change>,
}

impl<'a> Live<'a> {
    /// The catalog as `options` want it, with the files of every skill, and watched from now on.
    ///
    /// # Errors
    /// If a manifest or lockfile cannot be understood, or the agent is unknown. Names in `only` may be: they may come to be.
    pub fn open(context: &'a Context<'a>, options: CatalogOptions, attention: Attention) -> Result<Self> {
        let mut live = Live {
            context,
            options: CatalogOptions { contents: true, ..options },
            catalog: Arc::default(),
            watch: Watch::new(attention, DEBOUNCE),
            failure: None,
            started: Instant::now(),
            cost: Duration::ZERO,
        };
        live.catalog = Arc::new(live.read()?);
        Ok(live)
    }

    /// The catalog as it was when somebody looked last.
    #[must_use]
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog)
    }

    /// How changes are noticed.
    #[must_use]
    pub fn attention(&self) -> &Attention {
        self.watch.attention()
    }

    /// What ends [`Live::wait`] and [`Live::follow`], from any thread.
    #[must_use]
    pub fn stopper(&self) -> Stop {
        self.watch.stopper()
    }

    /// Looks now; `None` if nothing has changed.
    ///
    /// # Errors
    /// If the catalog cannot be read, for the first time for this reason; it stays as it was then.
    pub fn refresh(&mut self) -> Result<Option<Update>> {
        let catalog = match self.read() {
            Ok(catalog) => catalog,
            Err(error) => return self.tell_once(error),
        };
        self.failure = None;
        let changes = catalog.changes_since(&self.catalog);
        self.catalog = Arc::new(catalog);
        Ok((!changes.is_empty()).then(|| Update { catalog: self.catalog(), changes }))
    }

    /// Waits until something has changed; `None` if `at_most` has passed, or if it was stopped.
    ///
    /// # Errors
    /// As for [`Live::refresh`].
    pub fn wait(&mut self, at_most: Option<Duration>) -> Result<Option<Update>> {
        let end = at_most.map(|most| Instant::now() + most);
        loop {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if self.watch.wait(left, self.cost) != Wake::Look {
                return Ok(None);
            }
            if let Some(update) = self.refresh()? {
                return Ok(Some(update));
            }
        }
    }

    /// Hands every update to `hear`, and every failure to read, until somebody says stop.
    pub fn follow(&mut self, mut hear: impl FnMut(Result<Update>)) {
        while let Some(update) = self.wait(None).transpose() {
            hear(update);
        }
    }

    /// Reads the catalog, after all that it is read from is watched.
    fn read(&mut self) -> Result<Catalog> {
        let begin = Instant::now();
        let context = self.context.later(self.started.elapsed());
        let mut roots = self.catalog.roots.clone();
        for _ in 1..ROUNDS {
            self.watch.attend(&self.paths(&roots)?);
            let catalog = resolve(&context, &self.options)?;
            if catalog.roots == roots {
                self.cost = begin.elapsed();
                return Ok(catalog);
            }
            roots.clone_from(&catalog.roots);
        }
        resolve(&context, &self.options)
    }

    /// What the catalog is read from.
    fn paths(&self, roots: &[Root]) -> Result<Vec<PathBuf>> {
        let mut paths: Vec<PathBuf> = roots.iter().map(|root| root.path.clone()).collect();
        if self.options.dirs.is_empty() {
            let places = &self.context.places;
            let project = self.context.project()?.map(|workspace| workspace.root);
            for dir in [project.as_deref().unwrap_or(&places.here), &places.skillpm] {
                paths.extend([manifest::FILE, lockfile::FILE].map(|file| dir.join(file)));
            }
        }
        Ok(paths)
    }

    fn tell_once(&mut self, error: Error) -> Result<Option<Update>> {
        let told = Some(format!("{error:?}"));
        if self.failure == told {
            return Ok(None);
        }
        self.failure = told;
        Err(error)
    }
}
