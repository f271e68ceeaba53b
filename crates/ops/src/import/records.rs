//! Finds and reads the files of other tools, and merges their claims by skill.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::relative_to_root;
use super::survey::DirectorySurvey;
use crate::foreign::{self, ClaimOrigin, ContentProof, ForeignFile, ForeignTool, SkillClaim};
use crate::{CommandContext, agents};
use skillpm_core::error::{Error, Result};
use skillpm_io::disk::{self, normalize_path};
use skillpm_io::skills_dir::{self, PathKind};
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// A claim with the directory that its paths are relative to.
pub(super) struct LocatedClaim {
    pub(super) claim: SkillClaim,
    /// The base of relative paths in the claim.
    pub(super) base: PathBuf,
}

/// A file of another tool that lists several skills.
pub(super) struct RecordFile {
    /// Its path, relative to the project.
    pub(super) path: PathBuf,
    pub(super) tool: ForeignTool,
    pub(super) names: Vec<Option<String>>,
    pub(super) others: Vec<String>,
}

/// All claims and files that were found.
#[derive(Default)]
pub(super) struct ClaimRecords {
    by_name: BTreeMap<String, LocatedClaim>,
    nameless: Vec<LocatedClaim>,
    files: Vec<RecordFile>,
    targets: Vec<&'static str>,
    /// The positions of the requested directories.
    requested_dirs: Vec<usize>,
}

/// The root of a project that does not exist yet: the nearest parent directory with a file of
/// another tool, inside the repository; else the root of the repository.
pub(super) fn find_root(context: &CommandContext<'_>) -> PathBuf {
    let here = &context.dirs.cwd;
    let top = context.new_project_root();
    let has_file = |dir: &&Path| {
        foreign::IN_PROJECT
            .iter()
            .any(|kind| matches!(disk::lstat(&dir.join(kind.file)), Ok(Some(_))))
            || find_declaring_package(dir).is_some()
    };

    // Not above the repository: a file there belongs to another project.
    here.ancestors()
        .take_while(|dir| dir.starts_with(top))
        .find(has_file)
        .unwrap_or(top)
        .to_owned()
}

/// The `package.json` of a directory, if it declares skills.
fn find_declaring_package(dir: &Path) -> Option<PathBuf> {
    let path = dir.join(foreign::PACKAGE_JSON.file);
    // One that cannot be read is npm's problem, and declares none.
    let text = disk::read_text(&path).ok().flatten()?;
    foreign::declares_skills(&text).then_some(path)
}

impl ClaimRecords {
    /// Reads the named files, or all known ones.
    pub(super) fn read_all(
        context: &CommandContext<'_>,
        workspace: &Workspace,
        survey: &DirectorySurvey,
        named: &[PathBuf],
    ) -> Result<ClaimRecords> {
        let mut records = ClaimRecords::default();
        if named.is_empty() {
            match workspace.kind {
                WorkspaceKind::Project => records.read_project_files(workspace, &workspace.root)?,
                WorkspaceKind::Managed => records.read_user_files(context, workspace)?,
            };
            for at in survey
                .dirs()
                .filter(|at| survey.is_for_agents(*at))
                .collect::<Vec<_>>()
            {
                records.read_marks(workspace, survey, at)?;
            }
            return Ok(records);
        }
        for named in named {
            let path = normalize_path(&context.dirs.cwd.join(named));
            records.read_named(workspace, survey, &path)?;
        }
        Ok(records)
    }

    fn read_named(
        &mut self,
        workspace: &Workspace,
        survey: &DirectorySurvey,
        path: &Path,
    ) -> Result<()> {
        let shown = path.display();
        let is_dir = match disk::lstat(path)? {
            None => return Err(Error::usage(format!("`{shown}` not found"))),
            Some(_) => skills_dir::followed_kind(path) == Some(PathKind::Directory),
        };

        if !is_dir {
            let kind = ForeignFile::from_path(&path.to_string_lossy())
                .ok_or_else(|| unsupported_file(path))?;
            return self.read_file(workspace, kind, path, true);
        }

        // A directory may have both: files of a tool, and skills with their own records.
        let has_files = self.read_project_files(workspace, path)?;
        if let Some(at) = survey.at_path(path) {
            // Unclaimed skills are searched only in the directories that were named.
            self.requested_dirs.push(at);
            return self.read_marks(workspace, survey, at);
        }

        if has_files {
            return Ok(());
        }

        Err(Error::usage(format!(
            "nothing to import in `{shown}`: it has no file of another tool, and no agent reads it"
        ))
        .help("`skillpm import` without arguments searches all known locations"))
    }

    fn read_project_files(&mut self, workspace: &Workspace, dir: &Path) -> Result<bool> {
        let mut found = false;
        for kind in foreign::IN_PROJECT {
            let path = dir.join(kind.file);
            if disk::lstat(&path)?.is_some() {
                let is_superseded = kind
                    .superseded_by
                    .is_some_and(|other| matches!(disk::lstat(&dir.join(other)), Ok(Some(_))));
                self.read_file(workspace, kind, &path, !is_superseded)?;
                found = true;
            }
        }
        if let Some(path) = find_declaring_package(dir) {
            self.read_file(workspace, &foreign::PACKAGE_JSON, &path, true)?;
            found = true;
        }
        Ok(found)
    }

    fn read_user_files(
        &mut self,
        context: &CommandContext<'_>,
        workspace: &Workspace,
    ) -> Result<bool> {
        let expand = agents::path_expansion(context);
        let mut found = false;
        // Superseded files are read, too: they are listed, and removed with the others on request.
        for kind in foreign::OF_USER {
            let Some(path) = expand.expand(kind.file) else {
                continue;
            };
            let exists = |path: &Path| matches!(disk::lstat(path), Ok(Some(_)));
            if exists(&path) {
                let is_superseded = kind
                    .superseded_by
                    .and_then(|other| expand.expand(other))
                    .is_some_and(|other| exists(&other));
                self.read_file(workspace, kind, &path, !is_superseded)?;
                found = true;
            }
        }
        Ok(found)
    }

    /// Reads a file. Its claims are added only if `counts`: unless a more exact file supersedes it.
    fn read_file(
        &mut self,
        workspace: &Workspace,
        kind: &'static ForeignFile,
        path: &Path,
        counts: bool,
    ) -> Result<()> {
        let shown = relative_to_root(workspace, path);
        let text = disk::read_text(path)?.unwrap_or_default();
        let record = kind.read(&text, &shown.display().to_string())?;
        self.targets.extend(record.targets);

        // A superseded file is listed, but its claims are dropped.
        let claims = if counts { record.claims } else { Vec::new() };
        let names = claims.iter().map(|claim| claim.name.clone()).collect();
        // The project's own manifest is no file that is no longer needed.
        if kind.file != foreign::PACKAGE_JSON.file {
            self.files.push(RecordFile {
                path: shown,
                tool: kind.tool,
                names,
                others: record.others,
            });
        }

        // Paths in a project's file are relative to the project's root, which is the parent of
        // `.clawhub/`; those in a user's file are relative to the file's directory.
        let depth = kind.file.matches('/').count();
        let base = path.ancestors().nth(
            1 + if kind.file.starts_with(['~', '$']) {
                0
            } else {
                depth
            },
        );
        let base = base.unwrap_or(path).to_owned();

        claims.into_iter().for_each(|claim| {
            self.add_claim(LocatedClaim {
                claim,
                base: base.clone(),
            });
        });
        Ok(())
    }

    /// Reads the files that tools wrote into the skills of a directory.
    fn read_marks(
        &mut self,
        workspace: &Workspace,
        survey: &DirectorySurvey,
        at: usize,
    ) -> Result<()> {
        for name in survey.names(at).filter(|name| survey.is_real(at, name)) {
            let dir = survey.path(at).join(name);
            for file in foreign::IN_SKILL {
                let path = dir.join(file);
                let Some(text) = disk::read_text(&path)? else {
                    continue;
                };

                let shown = relative_to_root(workspace, &path).display().to_string();
                let claim = foreign::read_skill_file(file, name, &text, &shown)?;
                // Its paths, if any, were typed in the project.
                self.add_claim(LocatedClaim {
                    claim,
                    base: workspace.root.clone(),
                });
            }

            // A file that is no valid `SKILL.md`, or none at all, has no record.
            let page = disk::read_text(&dir.join("SKILL.md")).ok().flatten();
            if let Some(claim) = page.and_then(|text| foreign::read_skill_record(&text, name)) {
                self.add_claim(LocatedClaim {
                    claim,
                    base: workspace.root.clone(),
                });
            }
        }
        Ok(())
    }

    /// Adds a claim. Of two claims on one skill the more exact one counts, completed by the other.
    fn add_claim(&mut self, claimed: LocatedClaim) {
        // A claim on all skills of a source has no name that another claim could share.
        let Some(name) = claimed.claim.name.clone() else {
            return self.nameless.push(claimed);
        };
        let Some(before) = self.by_name.remove(&name) else {
            self.by_name.insert(name, claimed);
            return;
        };

        let (mut best, other) = if claim_rank(&claimed.claim) > claim_rank(&before.claim) {
            (claimed, before)
        } else {
            (before, claimed)
        };

        // Two files of one tool complete each other; another tool computes another kind of hash.
        if best.claim.tool == other.claim.tool {
            if best.claim.proof == ContentProof::None {
                best.claim.proof = other.claim.proof;
            }
            best.claim.installed = best.claim.installed.or(other.claim.installed);
        }

        self.by_name.insert(name, best);
    }

    /// All claims, sorted by name; then those on a whole source of which no skill is claimed by name.
    pub(super) fn claims(&self) -> impl Iterator<Item = &LocatedClaim> {
        let is_unnamed = |whole: &&LocatedClaim| {
            let is_of = |named: &LocatedClaim| is_same_place(&named.claim, &whole.claim);
            !self.by_name.values().any(is_of)
        };
        self.by_name
            .values()
            .chain(self.nameless.iter().filter(is_unnamed))
    }

    /// Whether a tool claims a skill of that name.
    pub(super) fn has_claim(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The files that list several skills.
    pub(super) fn files(&self) -> impl Iterator<Item = &RecordFile> + Clone {
        self.files.iter()
    }

    /// The agents that the tools install skills for.
    pub(super) fn targets(&self) -> impl Iterator<Item = &'static str> {
        self.targets.iter().copied()
    }

    /// Whether a directory is one of the requested ones; if none was `named`, all are.
    pub(super) fn is_requested(&self, at: usize, named: bool) -> bool {
        if named {
            self.requested_dirs.contains(&at)
        } else {
            true
        }
    }
}

fn is_same_place(left: &SkillClaim, right: &SkillClaim) -> bool {
    match (&left.origin, &right.origin) {
        (Ok(ClaimOrigin::Git { url: left, .. }), Ok(ClaimOrigin::Git { url: right, .. })) => {
            left == right
        }
        _ => false,
    }
}

fn unsupported_file(path: &Path) -> Error {
    let known: Vec<String> = foreign::IN_PROJECT
        .iter()
        .map(|kind| format!("`{}`", kind.file))
        .collect();

    Error::usage(format!("unsupported file `{}`", path.display())).help(format!(
        "supported are {}, `.skill-lock.json`, `package.json`, and directories",
        known.join(", ")
    ))
}

/// How exact a claim is: with a source, of this installation, with a commit, with a hash.
fn claim_rank(claim: &SkillClaim) -> (bool, bool, bool, bool) {
    // Authors publish skills with the record of their own installation in the frontmatter.
    let is_own = claim.tool != ForeignTool::Gh;
    let has_commit = matches!(
        &claim.origin,
        Ok(ClaimOrigin::Git {
            commit: Some(_),
            ..
        })
    );

    (
        claim.origin.is_ok(),
        is_own,
        has_commit,
        claim.proof != ContentProof::None,
    )
}
