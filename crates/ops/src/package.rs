//! `package`: from a directory to the archive that a registry serves, and back.
//!
//! ```text
//! directory ─ select ─ Tree ─ describe, check ─ publish the manifest ─ pack ─ unpack again, compare ─ Packed
//!             include    the files              alone, without its        same tree, same bytes
//!             exclude                           workspace
//!             git
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use semver::{Version, VersionReq};

use super::lint::lint_tree;
use super::{Context, agents};
use crate::error::{Context as _, Error, Result};
use crate::index::Origin;
use crate::io::git::Checkout;
use crate::io::ignore::{FILE as IGNORE_FILE, Selection, Tracked};
use crate::io::{archive, disk};
use crate::lint::package::{self as rules, Facts, Need, Subject};
use crate::lockfile;
use crate::manifest::publish::{Line, published};
use crate::manifest::{self, Manifest, Publish, WorkspaceTable};
use crate::package::{Checksum, Dependency, PackageName, RelPath, Sha256, SkillName, SourceId, Tree};
use crate::report::{Event, Finding, Level};
use crate::sources::linked_from_outside;
use crate::workspace::{Member, Workspace};

/// A package, ready to be published.
#[derive(Debug, Clone)]
pub struct Packed {
    /// Its name.
    pub name: PackageName,
    /// Its version.
    pub version: Version,
    /// Its files.
    pub tree: Tree,
    /// The checksum of its files.
    pub checksum: Checksum,
    /// The archive: a reproducible `.tar.gz` with one top directory, `<skill>-<version>/`.
    pub archive: Vec<u8>,
    /// The digest of the archive.
    pub sha256: Sha256,
    /// What it needs, all of it from registries.
    pub dependencies: Vec<Dependency>,
    /// What it is for, on one line.
    pub description: Option<String>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// Its licence, as an SPDX expression.
    pub license: Option<String>,
    /// Which registries it may go to.
    pub publish: Publish,
    /// The commit that holds these very files and that its remote has, too.
    pub git: Option<Origin>,
    /// Files that are not as they were committed; empty outside git.
    pub uncommitted: Vec<RelPath>,
    /// Files that have another name elsewhere on this disk.
    pub linked: Vec<String>,
    /// What was found, none of which forbids publishing.
    pub diagnostics: Vec<Finding>,
    /// The texts of the files that it was found in, by path.
    pub sources: BTreeMap<String, String>,
    /// Where it lies, without links.
    pub dir: PathBuf,
}

impl Packed {
    /// The name of the archive, without a directory: `<skill>-<version>.tar.gz`.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}.tar.gz", top(&self.name, &self.version))
    }
}

/// Packs the skill in a directory.
///
/// # Errors
/// [`Negative`](crate::error::Kind::Negative), with every finding, if one of them forbids publishing; if its files cannot
/// be read, or are no package.
pub fn pack(context: &Context<'_>, dir: &Path) -> Result<Packed> {
    pack_among(context, &Neighbours::around(context, dir)?, dir)
}

/// Packs the skill in a directory alone, or with `workspace` every member of the workspace around it.
///
/// # Errors
/// As [`pack`], for the first that cannot be packed; or if there is no workspace with members.
pub fn pack_all(context: &Context<'_>, dir: &Path, workspace: bool) -> Result<Vec<Packed>> {
    if !workspace {
        return Ok(vec![pack(context, dir)?]);
    }
    let found = context.project_around(&disk::real_path(&context.places.here.join(dir)))?;
    let neighbours = found.map(|found| Neighbours::around(context, &found.root)).transpose()?;
    let dirs = neighbours.as_ref().map(Neighbours::directories).unwrap_or_default();
    let Some(neighbours) = neighbours.filter(|_| !dirs.is_empty()) else {
        let dir = disk::real_path(&context.places.here.join(dir));
        return Err(Error::usage(format!("`{}` lies in no workspace that has members", dir.display()))
            .help("list the skills in the root's `skillpm.toml`: `members = [\"skills/*\"]` below `[workspace]`"));
    };
    dirs.iter().map(|dir| pack_among(context, &neighbours, dir)).collect()
}

/// Packs the skill in a directory of a workspace that has been read.
///
/// # Errors
/// As [`pack`].
pub fn pack_among(context: &Context<'_>, neighbours: &Neighbours, dir: &Path) -> Result<Packed> {
    let around = Around::find(context, neighbours, dir)?;
    let home = around.select(context)?;
    let (facts, mut findings) = rules::describe(Subject {
        tree: &home,
        directory: around.directory(),
        scope: around.scope,
        manifest: around.manifest.as_ref(),
    });
    let facts = facts.map(|facts| around.with_siblings(facts, &mut findings));
    findings.extend(rules::check(&home));
    findings.extend(rules::left_out(&home, &|path| around.has_file(path)));
    add_others(&mut findings, lint_tree(context, &around.dir, around.directory(), &home)?);
    let Some(facts) = facts.filter(|_| !findings.iter().any(Finding::denies)) else {
        return Err(refused(&around.shown(), &findings));
    };
    let tree = around.published(&home, &facts.needs)?;
    let archive = archive::pack(&tree, &top(&facts.name, &facts.version))?;
    unpacks_to(&archive, &facts, &tree)?;
    let (git, uncommitted) = around.in_git(&home, &tree)?;
    Ok(Packed {
        checksum: Checksum::of(&tree),
        sha256: Sha256::of(&archive),
        archive,
        dependencies: dependencies(context, &facts.needs)?,
        publish: around.package().map(|own| own.publish.clone()).unwrap_or_default(),
        name: facts.name,
        version: facts.version,
        tree,
        description: Some(facts.description).filter(|text| !text.is_empty()),
        keywords: facts.keywords,
        license: facts.license,
        git,
        uncommitted,
        linked: around.linked(&home)?,
        sources: sources(&home, &findings),
        dir: around.dir,
        diagnostics: findings,
    })
}

/// The texts that findings are about, as far as they are of the tree.
fn sources(tree: &Tree, findings: &[Finding]) -> BTreeMap<String, String> {
    let text = |finding: &Finding| {
        let text = std::str::from_utf8(tree.get(&finding.path)?).ok()?;
        Some((finding.path.clone(), text.to_owned()))
    };
    findings.iter().filter_map(text).collect()
}

/// Adds what nobody has said yet: neither by the same rule about the same file, nor about the same place in it.
fn add_others(findings: &mut Vec<Finding>, others: Vec<Finding>) {
    let said = findings.len();
    for other in others {
        let span = &other.diagnostic.span;
        let is_said = |one: &Finding| {
            one.path == other.path
                && (one.diagnostic.rule == other.diagnostic.rule || span.is_some() && one.diagnostic.span == *span)
        };
        if !findings[..said].iter().any(is_said) {
            findings.push(other);
        }
    }
}

/// The files of a skill that are meant for others, and nothing that may not leave this machine.
///
/// # Errors
/// If they cannot be read, or one of them denies it, such as a secret.
pub fn files(context: &Context<'_>, neighbours: &Neighbours, dir: &Path) -> Result<Tree> {
    let around = Around::find(context, neighbours, dir)?;
    let home = around.select(context)?;
    let findings = rules::check(&home);
    if findings.iter().any(Finding::denies) {
        return Err(refused(&around.shown(), &findings));
    }
    Ok(home)
}

/// Reports the findings of a package, but for mere notes, and what is not committed.
pub fn report(context: &Context<'_>, packed: &Packed) {
    report_findings(context, packed);
    if let Some(first) = packed.uncommitted.first() {
        let more = packed.uncommitted.len() - 1;
        let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
        context.reporter.report(Event::Warning {
            message: format!("`{first}`{rest} of `{}` is not committed as it is packed", packed.name),
            help: Some("commit it, so that what is published can be found again".into()),
        });
    }
}

/// Reports the findings of a package, but for mere notes, with their paths from here on; and files that may be those of
/// somebody else.
pub(super) fn report_findings(context: &Context<'_>, packed: &Packed) {
    if let Some(linked) = linked_from_outside(&packed.name.to_string(), &packed.linked) {
        context.reporter.report(linked);
    }
    let place = packed.dir.strip_prefix(&context.places.here).unwrap_or(&packed.dir);
    let shown = |path: &str| place.join(path).display().to_string();
    let told = packed.diagnostics.iter().filter(|finding| finding.diagnostic.level > Level::Note);
    let told = told.map(|finding| Finding { path: shown(&finding.path), diagnostic: finding.diagnostic.clone() });
    let findings: Vec<Finding> = told.collect();
    if !findings.is_empty() {
        let sources = packed.sources.iter().map(|(path, text)| (shown(path), text.clone())).collect();
        context.reporter.report(Event::Judged { findings, sources });
    }
}

/// Puts archives where they are wanted: into a directory, or into the one file named; gives their paths.
///
/// # Errors
/// If several are to go into one file, or the disk refuses.
pub fn write(context: &Context<'_>, packed: &[Packed], output: Option<&Path>) -> Result<Vec<PathBuf>> {
    let output = output.map_or_else(|| context.places.here.clone(), |path| context.places.here.join(path));
    let is_dir = disk::lstat(&disk::real_path(&output))?.is_some_and(|meta| meta.is_dir());
    let ends_as_dir = output.as_os_str().to_string_lossy().ends_with('/');
    if !is_dir && !ends_as_dir && packed.len() > 1 {
        return Err(Error::usage(format!("{} packages cannot be one file", packed.len()))
            .help(format!("name a directory: `--output {}/`", output.display())));
    }
    let place = |packed: &Packed| {
        if is_dir || ends_as_dir { output.join(packed.file_name()) } else { output.clone() }
    };
    let mut paths = Vec::new();
    for packed in packed {
        let path = place(packed);
        if paths.contains(&path) {
            return Err(Error::negative(format!("two packages would be written to `{}`", path.display()))
                .help("pack them one by one, with `--output`"));
        }
        disk::write_atomic(&path, &packed.archive)?;
        paths.push(path);
    }
    Ok(paths)
}

/// What came out of an archive.
#[derive(Debug, Clone)]
pub struct Extracted {
    /// Where it is.
    pub dir: PathBuf,
    /// What the archive's one top directory was called, if it has one.
    pub top: Option<String>,
    /// The files.
    pub tree: Tree,
    /// The digest of the archive.
    pub sha256: Sha256,
}

/// Checks an archive just as installing it does, and unpacks it into a directory that is empty or not there.
///
/// # Errors
/// As for every archive that is installed; if something is in the directory.
pub fn extract(context: &Context<'_>, file: &Path, dir: &Path) -> Result<Extracted> {
    let (path, dir) = (context.places.here.join(file), context.places.here.join(dir));
    let bytes = disk::read_up_to(&path, archive::ARCHIVE_MAX)?.ok_or_else(|| {
        Error::usage(format!("there is no file `{}`", file.display()))
            .help("name an archive and the directory it is to go to")
    })?;
    let is_free = match disk::lstat(&dir)? {
        None => true,
        Some(meta) => meta.is_dir() && disk::is_empty(&dir)?,
    };
    if !is_free {
        return Err(Error::usage(format!("`{}` is there, and not empty", dir.display()))
            .help("name a directory that is new or empty"));
    }
    let name = path.display().to_string();
    let kind = archive::Kind::of(&name, &bytes)?;
    let unpacked = archive::unpack(&bytes, kind).and_then(archive::strip_top);
    let (tree, top) = unpacked.context(|| format!("`{}` cannot be unpacked", file.display()))?;
    is_package(&tree, kind, top.as_deref()).context(|| format!("`{}` is no package", file.display()))?;
    disk::place_tree(&dir, &tree)?;
    Ok(Extracted { dir, top, tree, sha256: Sha256::of(&bytes) })
}

/// Refuses an archive that holds no skill, or more than one directory. A zip may have its files at the root, as those of
/// other tools do.
fn is_package(tree: &Tree, kind: archive::Kind, top: Option<&str>) -> Result<()> {
    if kind == archive::Kind::TarGz && top.is_none() {
        return Err(Error::integrity("its files do not all lie in one directory, `<name>-<version>/`")
            .help("`skillpm package` makes archives as they should be"));
    }
    if tree.get("SKILL.md").is_none() {
        return Err(Error::integrity("it has no `SKILL.md`")
            .help("take an archive that holds one skill, with its `SKILL.md` on top"));
    }
    Ok(())
}

/// The top directory of a package's archive.
fn top(name: &PackageName, version: &Version) -> String {
    format!("{}-{version}", name.skill())
}

/// Reads the archive again as whoever installs it will.
fn unpacks_to(bytes: &[u8], facts: &Facts, tree: &Tree) -> Result<()> {
    let top = top(&facts.name, &facts.version);
    let (again, found) = archive::strip_top(archive::unpack(bytes, archive::Kind::TarGz)?)?;
    // A package whose files all lie in one directory below the top one is lifted only once.
    if again != *tree || found.as_ref() != Some(&top) {
        return Err(Error::internal(format!("the archive of `{}` does not unpack to what was packed", facts.name)));
    }
    Ok(())
}

fn refused(place: &str, findings: &[Finding]) -> Error {
    let denials: Vec<&Finding> = findings.iter().filter(|finding| finding.denies()).collect();
    let count = denials.len();
    let what = if count == 1 { "one finding forbids it".to_owned() } else { format!("{count} findings forbid it") };
    let mut error = Error::negative(format!("`{place}` cannot be published: {what}"));
    for Finding { path, diagnostic } in &denials {
        error = error.note(format!("{}: {} ({})", diagnostic.place(path), diagnostic.message, diagnostic.rule));
    }
    let mut helps: Vec<&str> = denials.iter().filter_map(|finding| finding.diagnostic.help.as_deref()).collect();
    helps.dedup();
    helps.into_iter().take(HELPS_MAX).fold(error, Error::help)
}

/// How many things that would help are told at once.
const HELPS_MAX: usize = 4;

fn line(need: &Need) -> Line<'_> {
    Line {
        alias: need.alias.as_str(),
        package: need.name.to_string(),
        req: need.req.to_string(),
        registry: need.registry.as_deref(),
    }
}

fn dependencies(context: &Context<'_>, needs: &[Need]) -> Result<Vec<Dependency>> {
    let dependency = |need: &Need| {
        Ok(Dependency {
            alias: need.alias.clone(),
            package: need.name.clone(),
            source: SourceId::Registry(context.config.registry(need.registry.as_deref())?),
            subdir: None,
            req: need.req.clone(),
            dev: false,
            optional: need.optional,
        })
    };
    needs.iter().map(dependency).collect()
}

/// The workspace around skills, read once for all that are packed together.
pub struct Neighbours {
    workspace: Option<Workspace>,
    table: Option<WorkspaceTable>,
    members: Vec<Member>,
}

impl Neighbours {
    /// Reads the workspace around a directory, if it belongs to one.
    ///
    /// # Errors
    /// If the workspace or a member of it cannot be read or understood.
    pub fn around(context: &Context<'_>, dir: &Path) -> Result<Neighbours> {
        let dir = disk::real_path(&context.places.here.join(dir));
        let registries = |name: Option<&str>| context.config.registry(name);
        let workspace = context.project_around(&dir)?;
        let root = workspace.as_ref().map(|found| found.manifest(&registries)).transpose()?;
        let mut neighbours = Neighbours { workspace, table: root.and_then(|root| root.workspace), members: Vec::new() };
        if neighbours.table.is_some() && (neighbours.is_root(&dir) || neighbours.member_in(&dir).is_some()) {
            let found = neighbours.workspace.as_ref().map(|found| found.members(&registries)).transpose()?;
            neighbours.members = found.unwrap_or_default();
        }
        Ok(neighbours)
    }

    /// The members of the workspace; none where it belongs to none.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The directories of the members.
    #[must_use]
    pub fn directories(&self) -> Vec<PathBuf> {
        let root = self.workspace.as_ref().map(|found| found.root.as_path());
        root.map(|root| self.members.iter().map(|member| member.place(root)).collect()).unwrap_or_default()
    }

    fn is_root(&self, dir: &Path) -> bool {
        self.workspace.as_ref().is_some_and(|found| found.root == dir)
    }

    /// The member whose directory this is, by its place below the root.
    fn member_in(&self, dir: &Path) -> Option<&RelPath> {
        let found = self.workspace.as_ref()?;
        let members = found.member.iter().chain(self.members.iter().filter_map(|member| member.dir.as_ref()));
        members.into_iter().find(|member| found.root.join(member.to_path()) == dir)
    }
}

/// A skill's directory and what is around it.
struct Around<'a> {
    dir: PathBuf,
    manifest_text: Option<String>,
    manifest: Option<Manifest>,
    neighbours: &'a Neighbours,
    scope: Option<&'a SkillName>,
    checkout: Option<Checkout>,
}

impl<'a> Around<'a> {
    fn find(context: &Context<'_>, neighbours: &'a Neighbours, dir: &Path) -> Result<Self> {
        let dir = disk::real_path(&context.places.here.join(dir));
        if !disk::lstat(&dir)?.is_some_and(|meta| meta.is_dir()) {
            return Err(Error::usage(format!("there is no directory `{}`", dir.display()))
                .help("name the directory of a skill; without one it is this directory"));
        }
        let registries = |name: Option<&str>| context.config.registry(name);
        let (table, member) = (neighbours.table.as_ref(), neighbours.member_in(&dir));
        let manifest_text = disk::read_text(&dir.join(manifest::FILE))?;
        let shared = table.zip(member).map(|(table, member)| table.shared.seen_from(member));
        let file = member.map_or_else(|| manifest::FILE.to_owned(), |member| format!("{member}/{}", manifest::FILE));
        let parse = |text: &String| Manifest::parse_member(text, &file, &registries, shared.as_ref());
        let manifest = manifest_text.as_ref().map(parse).transpose()?;
        let belongs = neighbours.is_root(&dir) || member.is_some();
        let scope = table.filter(|_| belongs).and_then(|table| table.scope.as_ref());
        let checkout = Checkout::around(&dir)?;
        Ok(Around { dir, manifest_text, manifest, neighbours, scope, checkout })
    }

    fn package(&self) -> Option<&manifest::Package> {
        self.manifest.as_ref()?.package.as_ref()
    }

    /// The name that the directory is to have. A package that is named by its manifest may stand anywhere.
    fn directory(&self) -> &str {
        match self.package() {
            Some(package) => package.name.skill().as_str(),
            None => self.dir.file_name().and_then(|name| name.to_str()).unwrap_or_default(),
        }
    }

    fn shown(&self) -> String {
        self.package().map_or_else(|| self.dir.display().to_string(), |package| package.name.to_string())
    }

    /// Reads the files that are to be published.
    fn select(&self, context: &Context<'_>) -> Result<Tree> {
        let git = match &self.checkout {
            Some(checkout) if !checkout.is_bare() => Some(Tracked {
                root: checkout.root().to_owned(),
                git_dir: checkout.git_dir().to_owned(),
                files: checkout.tracked()?,
            }),
            _ => None,
        };
        let (include, exclude) = self.package().map_or((&[][..], &[][..]), |own| (&own.include, &own.exclude));
        let selection = Selection::new(&self.dir, include, exclude, git)?;
        let installed = self.installed(context)?;
        let own = ["SKILL.md", manifest::FILE];
        disk::read_tree_where(&self.dir, &|path, is_dir| {
            if own.contains(&path) {
                return true;
            }
            let is_skillpms = path == lockfile::FILE || path.rsplit('/').next() == Some(IGNORE_FILE);
            let is_elsewhere = is_dir && (installed.iter().any(|dir| dir == path) || self.is_another_package(path));
            !is_skillpms && !is_elsewhere && selection.holds(path, is_dir)
        })
    }

    /// The files that have another name elsewhere.
    fn linked(&self, tree: &Tree) -> Result<Vec<String>> {
        let linked = disk::linked_from_outside(&self.dir, tree.files().map(|(path, _)| path.as_str()))?;
        Ok(linked.into_iter().map(str::to_owned).collect())
    }

    /// Whether a file is there, published or not.
    fn has_file(&self, path: &str) -> bool {
        disk::lstat(&self.dir.join(path)).is_ok_and(|found| found.is_some_and(|meta| meta.is_file()))
    }

    /// The directories that skillpm itself puts skills into, where this is a project's root.
    fn installed(&self, context: &Context<'_>) -> Result<Vec<String>> {
        let is_root = self.neighbours.is_root(&self.dir);
        let Some(install) = self.manifest.as_ref().filter(|_| is_root).map(|manifest| &manifest.install) else {
            return Ok(Vec::new());
        };
        let mut dirs = vec![install.dir.to_string()];
        for id in &install.targets {
            dirs.extend(agents::agent(context, id)?.project_dir);
        }
        Ok(dirs)
    }

    /// Whether a directory inside is published by itself.
    fn is_another_package(&self, path: &str) -> bool {
        let is_below = |member: &Member| member.dir.as_ref().is_some_and(|dir| dir.as_str() == path);
        let is_member = self.neighbours.is_root(&self.dir) && self.neighbours.members.iter().any(is_below);
        is_member || disk::lstat(&self.dir.join(path).join(manifest::FILE)).is_ok_and(|found| found.is_some())
    }

    /// Gives siblings of the workspace the names and versions by which others get them.
    fn with_siblings(&self, mut facts: Facts, findings: &mut Vec<Finding>) -> Facts {
        for need in &mut facts.needs {
            let sibling = match &need.path {
                Some(path) => self.member_at(&self.dir.join(path)),
                None if need.optional && need.name.scope().is_none() => {
                    self.neighbours.members.iter().find(|member| member.name.skill() == need.name.skill())
                }
                None => None,
            };
            if let Some(sibling) = sibling {
                need.name = sibling.name.clone();
            }
            if need.path.is_none() || need.req != VersionReq::STAR {
                continue;
            }
            let version = sibling.and_then(|sibling| sibling.version.as_ref());
            match version.and_then(|version| VersionReq::parse(&format!("^{version}")).ok()) {
                Some(req) => need.req = req,
                None => findings.push(Finding {
                    path: manifest::FILE.into(),
                    diagnostic: rules::unpublished(
                        need.alias.as_str(),
                        &format!("`{}`", need.path.as_deref().unwrap_or_default()),
                    ),
                }),
            }
        }
        facts.needs.sort_by(|a, b| a.name.cmp(&b.name));
        facts
    }

    fn member_at(&self, dir: &Path) -> Option<&Member> {
        let root = &self.neighbours.workspace.as_ref()?.root;
        let real = disk::real_path(dir);
        self.neighbours.members.iter().find(|member| disk::real_path(&member.place(root)) == real)
    }

    /// The files with the manifest as others are to read it.
    fn published(&self, home: &Tree, needs: &[Need]) -> Result<Tree> {
        let (Some(text), Some(manifest)) = (&self.manifest_text, &self.manifest) else { return Ok(home.clone()) };
        match published(text, manifest, &needs.iter().map(line).collect::<Vec<_>>())? {
            Some(text) => home
                .clone()
                .with_file(manifest::FILE, text.into_bytes())
                .ok_or_else(|| Error::internal("the manifest is not among the files it was read from")),
            None => Ok(home.clone()),
        }
    }

    /// The commit that these files can also be had from, and those of them that are not committed.
    fn in_git(&self, home: &Tree, tree: &Tree) -> Result<(Option<Origin>, Vec<RelPath>)> {
        let Some(checkout) = self.checkout.as_ref().filter(|checkout| !checkout.is_bare()) else {
            return Ok((None, Vec::new()));
        };
        let Some(head) = checkout.head() else {
            return Ok((None, home.files().map(|(path, _)| path.clone()).collect()));
        };
        let committed = checkout.files(&head)?;
        if committed.is_empty() {
            // An ignored directory of a repository that has nothing to do with it.
            return Ok((None, Vec::new()));
        }
        let is_committed = |path: &RelPath, bytes: &[u8]| {
            committed.get(path.as_str()).is_some_and(|blob| checkout.is_blob(blob, bytes))
        };
        let uncommitted: Vec<RelPath> = home
            .files()
            .filter(|(path, file)| !is_committed(path, &file.bytes))
            .map(|(path, _)| path.clone())
            .collect();
        let is_had =
            uncommitted.is_empty() && checkout.package(&head).as_ref() == Some(tree) && checkout.is_pushed(&head);
        let path = match checkout.below() {
            "" => None,
            below => Some(below.parse()?),
        };
        let remote = checkout.remote().filter(|_| is_had);
        Ok((remote.map(|git| Origin { git, rev: head.to_string(), path }), uncommitted))
    }
}
