//! A claim becomes a package: where it comes from, exactly, and how what lies on the disk stands to that.

use std::path::Path;

use super::records::Claimed;
use super::survey::Survey;
use crate::error::{Error, Kind, Result};
use crate::foreign::{IN_SKILL, Origin, Tool};
use crate::install::plan::Found;
use crate::io::disk::{self, normal_path};
use crate::lockfile::Locked;
use crate::manifest::edit::Entry;
use crate::ops::add::reference_fields;
use crate::ops::fetch;
use crate::ops::targets::relative;
use crate::package::{Checksum, Dependency, GitReference, GitUrl, RelPath, SkillName, SourceId, Summary, Tree};
use crate::sources::trace::{By, Search, Traced};
use crate::sources::{Fetched, FoundSkill, Lack, Offer, Sources};
use crate::workspace::{Sort, Workspace};

/// How what lies on the disk stands to the package that it is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Nothing of it lies there: it is installed.
    Absent,
    /// It is the package, byte for byte.
    Same,
    /// It is the package, and beside it what the other tool left in it.
    Marked,
    /// It is something else, which stays as a person's edits.
    Edited {
        /// The files that differ.
        files: Vec<RelPath>,
        /// Whether it is what the other tool installed; `None` if that cannot be told.
        as_installed: Option<bool>,
        /// Whether the package is only the best guess of what it began as.
        guessed: bool,
    },
}

/// A claim with its package.
pub(super) struct Pinned {
    pub(super) name: SkillName,
    pub(super) tool: Option<Tool>,
    pub(super) entry: Entry,
    pub(super) locked: Locked,
    pub(super) standing: Standing,
    pub(super) upstream: Checksum,
}

/// Why there is no package for a claim.
pub(super) enum Unpinned {
    /// Its source is none of skillpm's, or what lies on the disk is nobody's to take.
    Refused {
        /// Why.
        reason: String,
        /// What a person can do about it.
        help: Option<String>,
    },
    /// It could not be found out.
    Failed(Error),
}

impl From<Error> for Unpinned {
    fn from(error: Error) -> Self {
        Unpinned::Failed(error)
    }
}

fn refused(reason: impl Into<String>) -> Unpinned {
    Unpinned::Refused { reason: reason.into(), help: None }
}

impl Pinned {
    /// What lies at a place began as this: what differs from it is a person's.
    pub(super) fn base(&self, found: &Found, remove_marks: bool) -> Checksum {
        match (&self.standing, found) {
            // As upstream has it, though it is installed under another name.
            (_, Found::Tree(found)) if *found == self.upstream => *found,
            (Standing::Marked, Found::Tree(found)) if remove_marks => *found,
            _ => self.locked.checksum,
        }
    }

    /// Whether what was decided is told to the solver; of a directory and a web site it reads what there is.
    pub(super) fn is_kept(&self) -> bool {
        matches!(self.locked.source, SourceId::Git { .. } | SourceId::Registry(_))
    }
}

/// What claims are pinned with.
pub(super) struct Pinner<'p, 's> {
    pub(super) workspace: &'p Workspace,
    pub(super) sources: &'p Sources<'s>,
    pub(super) survey: &'p Survey,
}

impl Pinner<'_, '_> {
    /// The package that a claim is on.
    pub(super) fn pin(&self, claimed: &Claimed, name: &SkillName) -> Result<Pinned, Unpinned> {
        let origin = claimed.claim.origin.as_ref().map_err(refused)?;
        let disk = self.on_disk(name)?;
        let plain = disk.as_ref().map(without_marks).transpose()?;
        let found = match origin {
            Origin::Git { url, .. } => self.in_repository(claimed, name, url, plain.as_ref())?,
            Origin::Path(written) => self.in_directory(claimed, name, origin, written)?,
            Origin::Site(site) => {
                let fetched = self.only(name, SourceId::WellKnown(site.clone()))?;
                Source { fetched, fields: vec![("well-known", site.to_string())], by: None }
            }
        };
        Ok(pinned(claimed, name, found, (plain.as_ref(), disk.as_ref()))?)
    }

    fn in_repository(
        &self,
        claimed: &Claimed,
        name: &SkillName,
        url: &GitUrl,
        plain: Option<&Tree>,
    ) -> Result<Source, Unpinned> {
        let proof = |tree: &Tree| claimed.claim.proof.holds(tree);
        let search = Search { disk: plain, proof: &proof, ..search(claimed, name, url) };
        let traced = self.sources.trace(&search).map_err(|error| match error.kind() {
            Kind::Negative => {
                Unpinned::Refused { reason: error.message().to_owned(), help: error.helps().first().cloned() }
            }
            _ => Unpinned::Failed(error),
        })?;
        Ok(Source { fetched: self.fetch(name, url, &traced)?, fields: git_fields(url, &traced), by: Some(traced.by) })
    }

    fn in_directory(
        &self,
        claimed: &Claimed,
        name: &SkillName,
        origin: &Origin,
        written: &str,
    ) -> Result<Source, Unpinned> {
        let Some(SourceId::Path(path)) = source(origin, claimed, self.workspace) else {
            return Err(refused(format!("`{written}` is no directory")));
        };
        let path = self.skill_below(path, name)?;
        self.is_apart(&path, name)?;
        let spelled = if path.starts_with(['/', '.']) { path.clone() } else { format!("./{path}") };
        let fetched = self.only(name, SourceId::path(&path))?;
        Ok(Source { fetched, fields: vec![("path", spelled)], by: None })
    }

    /// What lies on the disk under a name: the copy in the main directory, else the first. Links are passed over if they lead
    /// to another copy, and refused if they lead elsewhere.
    fn on_disk(&self, name: &SkillName) -> Result<Option<Tree>, Unpinned> {
        let mut found = None;
        let reals: Vec<_> = self.survey.dirs().filter(|at| self.survey.is_real(*at, name.as_str())).collect();
        let real_paths: Vec<_> =
            reals.iter().map(|at| disk::real_path(&self.survey.path(*at).join(name.as_str()))).collect();
        for at in self.survey.dirs().filter(|at| self.survey.has(*at, name.as_str())) {
            let path = self.survey.path(at).join(name.as_str());
            let shown = self.survey.target(at).join(name.as_str()).display().to_string();
            if !self.survey.is_real(at, name.as_str()) {
                // One that leads nowhere holds nothing, and is mended.
                let leads = disk::real_path(&path);
                if disk::lstat(&leads)?.is_some_and(|meta| !meta.is_symlink()) && !real_paths.contains(&leads) {
                    let reason = format!("`{shown}` is a link to `{}`", leads.display());
                    let help = Some("put a directory in its place, or leave it to whoever made it".into());
                    return Err(Unpinned::Refused { reason, help });
                }
                continue;
            }
            match disk::read_tree(&path) {
                Ok(tree) => found = found.or(Some(tree)),
                Err(error) => {
                    return Err(refused(format!("`{shown}` cannot be a package: {}", error.message())));
                }
            }
        }
        Ok(found)
    }

    fn fetch(&self, name: &SkillName, url: &GitUrl, traced: &Traced) -> Result<Fetched> {
        let source = SourceId::Git { url: url.clone(), reference: traced.reference.clone() };
        let needed = Dependency { subdir: traced.path.clone(), ..any_of(name, source) };
        let read = self.sources.read(&[Summary::unread(&needed)], &[Some(&traced.commit)]).remove(0);
        read.map_err(|lack| match lack {
            Lack::Failed(error) => error,
            Lack::Unavailable(reason) => Error::negative(reason),
        })
    }

    /// The package of a source that has but one content.
    fn only(&self, name: &SkillName, source: SourceId) -> Result<Fetched> {
        let offers = self.sources.query(&[any_of(name, source)]).remove(0)?;
        let fetched = offers.into_iter().find_map(|offer| match offer {
            Offer::Fetched(fetched) => Some(*fetched),
            Offer::Summary(_) => None,
        });
        fetched.ok_or_else(|| Error::internal("a source with one package offered a choice"))
    }

    /// The directory of a skill: the one that is named, or the one of that name among the skills below it.
    fn skill_below(&self, path: String, name: &SkillName) -> Result<String> {
        if disk::lstat(&self.workspace.root.join(&path).join("SKILL.md"))?.is_some() {
            return Ok(path);
        }
        let found = self.sources.discover_path(&path)?;
        let is_it = |found: &&FoundSkill| {
            let called = found.dir.as_ref().is_some_and(|dir| dir.file_name() == name.as_str());
            called || found.skill.as_ref().is_ok_and(|skill| skill.name == name.as_str())
        };
        let dir = found.iter().find(is_it).and_then(|found| found.dir.as_ref());
        Ok(dir.map_or_else(|| path.clone(), |dir| format!("{}/{dir}", path.trim_end_matches('/'))))
    }

    /// Refuses a source that is itself a directory that skills go into.
    fn is_apart(&self, path: &str, name: &SkillName) -> Result<(), Unpinned> {
        let real = disk::real_path(&self.workspace.root.join(path));
        let mut places = self.survey.dirs().map(|at| disk::real_path(&self.survey.path(at).join(name.as_str())));
        if places.any(|place| place == real) {
            return Err(refused(format!("its source `{path}` is the very directory that it lies in")));
        }
        Ok(())
    }
}

/// A package and how the manifest names its source.
struct Source {
    fetched: Fetched,
    fields: Vec<(&'static str, String)>,
    /// By what its commit was found.
    by: Option<By>,
}

fn pinned(
    claimed: &Claimed,
    name: &SkillName,
    Source { fetched, mut fields, by }: Source,
    (plain, disk): (Option<&Tree>, Option<&Tree>),
) -> Result<Pinned> {
    let own = fetched.skill.as_ref().and_then(|skill| skill.name.parse::<SkillName>().ok());
    let own = own.filter(|own| own != name);
    fields.extend(own.iter().map(|own| ("package", own.to_string())));
    let upstream = Checksum::of(&fetched.tree);
    let checksum = Checksum::of(&fetch::as_installed(&fetched.tree, name)?);
    let standing = match (plain, disk) {
        (Some(plain), Some(disk)) if Checksum::of(plain) == upstream || Checksum::of(plain) == checksum => {
            if plain.len() < disk.len() { Standing::Marked } else { Standing::Same }
        }
        (Some(plain), _) => {
            let drift = fetched.tree.drift(plain);
            let files = drift.changed.into_iter().chain(drift.added).chain(drift.missing).collect();
            let guessed = matches!(by, Some(By::Time | By::Newest));
            Standing::Edited { files, as_installed: claimed.claim.proof.holds(plain), guessed }
        }
        (None, _) => Standing::Absent,
    };
    let locked = Locked {
        name: own.clone().unwrap_or_else(|| name.clone()).into(),
        alias: own.is_some().then(|| name.clone()),
        source_checksum: (checksum != upstream).then_some(upstream),
        // A reference to nothing makes the solver read what it needs.
        dependencies: vec![String::new()],
        ..fetched.locked(checksum)
    };
    let entry = Entry { key: name.to_string(), fields, dev: claimed.claim.dev };
    Ok(Pinned { name: name.clone(), tool: Some(claimed.claim.tool), entry, locked, standing, upstream })
}

/// A skill without what other tools left in it.
pub(super) fn without_marks(tree: &Tree) -> Result<Tree> {
    let mut plain = Tree::builder();
    for (path, file) in tree.files().filter(|(path, _)| !IN_SKILL.contains(&path.as_str())) {
        plain.add(path.as_str(), file.bytes.clone(), file.executable)?;
    }
    Ok(plain.finish())
}

/// The source that a claim names, as the project sees it; `None` for a directory that is none.
pub(super) fn source(origin: &Origin, claimed: &Claimed, workspace: &Workspace) -> Option<SourceId> {
    Some(match origin {
        Origin::Git { url, .. } => SourceId::Git { url: url.clone(), reference: GitReference::Default },
        Origin::Site(site) => SourceId::WellKnown(site.clone()),
        Origin::Path(written) => {
            let path = normal_path(&claimed.base.join(written));
            disk::lstat(&path).ok().flatten()?;
            let is_own = workspace.sort == Sort::Managed || Path::new(written).is_absolute();
            if is_own {
                SourceId::path(&path.display().to_string())
            } else {
                SourceId::path(&relative(&path, &workspace.root))
            }
        }
    })
}

fn search<'s>(claimed: &'s Claimed, name: &'s SkillName, url: &'s GitUrl) -> Search<'s> {
    let (reference, path, commit, tree) = match &claimed.claim.origin {
        Ok(Origin::Git { reference, path, commit, tree, .. }) => (reference, path, commit, tree),
        _ => (&None, &None, &None, &None),
    };
    Search {
        url,
        reference: reference.as_deref(),
        name,
        path: path.as_deref(),
        commit: commit.as_deref(),
        tree: tree.as_deref(),
        disk: None,
        proof: &|_| None,
        installed: claimed.claim.installed,
    }
}

fn git_fields(url: &GitUrl, traced: &Traced) -> Vec<(&'static str, String)> {
    let mut fields = vec![("git", url.to_string())];
    fields.extend(traced.path.iter().map(|path| ("path", path.to_string())));
    fields.extend(reference_fields(&traced.reference, None));
    fields
}

/// A dependency on a package of a source, whatever its version.
fn any_of(name: &SkillName, source: SourceId) -> Dependency {
    Dependency {
        alias: name.clone(),
        package: name.clone().into(),
        source,
        subdir: None,
        req: semver::VersionReq::STAR,
        dev: false,
        optional: false,
    }
}
