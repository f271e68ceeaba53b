//! What other tools wrote down: found, read, and brought together by skill.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::seen_from;
use super::survey::Survey;
use crate::error::{Error, Result};
use crate::foreign::{self, Claim, Proof, Sort as FileSort, Tool};
use crate::io::disk::{self, normal_path, repository_around};
use crate::ops::{Context, agents};
use crate::workspace::{Sort, Workspace};

/// A claim and where it was made.
pub(super) struct Claimed {
    pub(super) claim: Claim,
    /// What paths in it are relative to.
    pub(super) base: PathBuf,
}

/// A file of another tool that speaks of many skills.
pub(super) struct File {
    /// As seen from the project.
    pub(super) path: PathBuf,
    pub(super) tool: Tool,
    pub(super) names: Vec<Option<String>>,
    pub(super) others: Vec<String>,
}

/// Everything that was found.
#[derive(Default)]
pub(super) struct Records {
    by_name: BTreeMap<String, Claimed>,
    nameless: Vec<Claimed>,
    files: Vec<File>,
    targets: Vec<&'static str>,
    /// The directories of skills that were asked for; all if there are none.
    within: Vec<usize>,
}

/// Where a project begins that does not exist yet: where a tool's file is, upwards of here as far as the repository goes;
/// else at the root of that.
pub(super) fn root(context: &Context<'_>) -> PathBuf {
    let here = &context.places.here;
    let top = repository_around(here).unwrap_or(here);
    let has_file =
        |dir: &&Path| foreign::IN_PROJECT.iter().any(|sort| matches!(disk::lstat(&dir.join(sort.file)), Ok(Some(_))));
    here.ancestors().take_while(|dir| dir.starts_with(top)).find(has_file).unwrap_or(top).to_owned()
}

impl Records {
    /// Reads the files that were named, or all that are known here.
    pub(super) fn find(
        context: &Context<'_>,
        workspace: &Workspace,
        survey: &Survey,
        named: &[PathBuf],
    ) -> Result<Records> {
        let mut records = Records::default();
        if named.is_empty() {
            match workspace.sort {
                Sort::Project => records.look_in(workspace, &workspace.root)?,
                Sort::Managed => records.look_at_user(context, workspace)?,
            };
            for at in survey.dirs().filter(|at| survey.is_for_agents(*at)).collect::<Vec<_>>() {
                records.read_marks(workspace, survey, at)?;
            }
            return Ok(records);
        }
        for named in named {
            let path = normal_path(&context.places.here.join(named));
            records.read_named(workspace, survey, &path)?;
        }
        Ok(records)
    }

    fn read_named(&mut self, workspace: &Workspace, survey: &Survey, path: &Path) -> Result<()> {
        let shown = path.display();
        let is_dir = match disk::lstat(path)? {
            None => return Err(Error::usage(format!("there is no `{shown}`"))),
            Some(_) => disk::lstat(&path.join("."))?.is_some(),
        };
        if !is_dir {
            let sort = FileSort::of(&path.to_string_lossy()).ok_or_else(|| {
                let known: Vec<String> = foreign::IN_PROJECT.iter().map(|sort| format!("`{}`", sort.file)).collect();
                Error::usage(format!("`{shown}` is no file that can be taken over"))
                    .help(format!("what can be is called {}, `.skill-lock.json`, or is a directory", known.join(", ")))
            })?;
            return self.read(workspace, sort, path, true);
        }
        let has_files = self.look_in(workspace, path)?;
        if let Some(at) = survey.at_path(path) {
            self.within.push(at);
            return self.read_marks(workspace, survey, at);
        }
        if has_files {
            return Ok(());
        }
        Err(Error::usage(format!("`{shown}` has no file of another tool, and is no directory that an agent reads"))
            .help("`skillpm import` without arguments looks in all places that are known"))
    }

    fn look_in(&mut self, workspace: &Workspace, dir: &Path) -> Result<bool> {
        let mut found = false;
        for sort in foreign::IN_PROJECT {
            let path = dir.join(sort.file);
            if disk::lstat(&path)?.is_some() {
                let is_told = sort.unless.is_some_and(|other| matches!(disk::lstat(&dir.join(other)), Ok(Some(_))));
                self.read(workspace, sort, &path, !is_told)?;
                found = true;
            }
        }
        Ok(found)
    }

    fn look_at_user(&mut self, context: &Context<'_>, workspace: &Workspace) -> Result<bool> {
        let places = agents::expansion(context);
        let mut found = false;
        for sort in foreign::OF_USER {
            let Some(path) = places.expand(sort.file) else { continue };
            let is_there = |path: &Path| matches!(disk::lstat(path), Ok(Some(_)));
            if is_there(&path) {
                let is_told = sort.unless.and_then(|other| places.expand(other)).is_some_and(|other| is_there(&other));
                self.read(workspace, sort, &path, !is_told)?;
                found = true;
            }
        }
        Ok(found)
    }

    /// Reads a file; what it says of skills counts only if no other says the same more exactly.
    fn read(&mut self, workspace: &Workspace, sort: &'static FileSort, path: &Path, counts: bool) -> Result<()> {
        let shown = seen_from(workspace, path);
        let text = disk::read_text(path)?.unwrap_or_default();
        let record = sort.read(&text, &shown.display().to_string())?;
        self.targets.extend(record.targets);
        let claims = if counts { record.claims } else { Vec::new() };
        let names = claims.iter().map(|claim| claim.name.clone()).collect();
        self.files.push(File { path: shown, tool: sort.tool, names, others: record.others });
        let depth = sort.file.matches('/').count();
        let base = path.ancestors().nth(1 + if sort.file.starts_with(['~', '$']) { 0 } else { depth });
        let base = base.unwrap_or(path).to_owned();
        claims.into_iter().for_each(|claim| self.add(Claimed { claim, base: base.clone() }));
        Ok(())
    }

    /// Reads what tools left in the skills of a directory.
    fn read_marks(&mut self, workspace: &Workspace, survey: &Survey, at: usize) -> Result<()> {
        for name in survey.names(at).filter(|name| survey.is_real(at, name)) {
            let dir = survey.path(at).join(name);
            for file in foreign::IN_SKILL {
                let path = dir.join(file);
                let Some(text) = disk::read_text(&path)? else { continue };
                let shown = seen_from(workspace, &path).display().to_string();
                let claim = foreign::in_skill(file, name, &text, &shown)?;
                self.add(Claimed { claim, base: workspace.root.clone() });
            }
        }
        Ok(())
    }

    /// Adds a claim; of two on one skill that which says more counts, with what only the other says.
    fn add(&mut self, claimed: Claimed) {
        let Some(name) = claimed.claim.name.clone() else { return self.nameless.push(claimed) };
        let Some(before) = self.by_name.remove(&name) else {
            self.by_name.insert(name, claimed);
            return;
        };
        let (mut best, other) =
            if weight(&claimed.claim) > weight(&before.claim) { (claimed, before) } else { (before, claimed) };
        if best.claim.tool == other.claim.tool {
            if best.claim.proof == Proof::None {
                best.claim.proof = other.claim.proof;
            }
            best.claim.installed = best.claim.installed.or(other.claim.installed);
        }
        self.by_name.insert(name, best);
    }

    /// All claims, by name; then those on what has none.
    pub(super) fn claims(&self) -> impl Iterator<Item = &Claimed> {
        self.by_name.values().chain(&self.nameless)
    }

    /// Whether somebody claims a skill of that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The files that speak of many skills.
    pub(super) fn files(&self) -> impl Iterator<Item = &File> + Clone {
        self.files.iter()
    }

    /// The agents that they want skills for.
    pub(super) fn targets(&self) -> impl Iterator<Item = &'static str> {
        self.targets.iter().copied()
    }

    /// Whether a directory of skills is one that was asked for.
    pub(super) fn is_within(&self, at: usize, named: bool) -> bool {
        if named { self.within.contains(&at) } else { true }
    }
}

/// How much a claim says.
fn weight(claim: &Claim) -> (bool, bool, bool) {
    let has_commit = matches!(&claim.origin, Ok(foreign::Origin::Git { commit: Some(_), .. }));
    (claim.origin.is_ok(), has_commit, claim.proof != Proof::None)
}
