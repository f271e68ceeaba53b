//! From paths that somebody names to skills.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::installed::Installed;
use super::{Context, LintOptions, shown};
use crate::error::{Error, Result};
use crate::io::disk;
use crate::io::ignore::walk::{Ignored, Kind, Walked, walk};
use crate::lint::subject::{PAGE, is_page};
use crate::skill::formats;

/// All that is to be linted.
pub(super) struct Found {
    /// What somebody named.
    pub(super) bases: Vec<Base>,
    /// The skills, in the order in which they were named, then by path.
    pub(super) places: Vec<Place>,
    /// How many were passed over because skillpm had installed them.
    pub(super) installed: usize,
}

/// A directory that was searched.
pub(super) struct Base {
    /// As people will look for it; empty for the place itself.
    pub(super) shown: String,
    /// Where it is, without links.
    pub(super) dir: PathBuf,
    /// Whether all skills below it are meant, and not only its own.
    pub(super) is_whole: bool,
}

/// A skill that was found, not yet read.
pub(super) struct Place {
    /// As people will look for it.
    pub(super) shown: String,
    /// Where it is, without links.
    pub(super) dir: PathBuf,
    /// Its directory's own name; empty if it has none.
    pub(super) directory: String,
    /// Its files, sorted by path.
    pub(super) files: Vec<Walked>,
    /// The pages of skills further down.
    pub(super) nested: Vec<String>,
    /// A file of it whose text is not that on the disk.
    pub(super) given: Option<(String, Vec<u8>)>,
    /// Whether its files other than the one that was given are not there.
    pub(super) is_alone: bool,
    /// The place of its base in [`Found::bases`].
    pub(super) base: usize,
}

impl Place {
    /// Where a file of it lies that a finding names.
    pub(super) fn real(&self, path: &str) -> PathBuf {
        self.dir.join(crate::lint::below(&self.shown, path).unwrap_or_default())
    }
}

/// Skills by where people look for them.
pub(super) struct ByPath<'a>(BTreeMap<&'a str, &'a Place>);

impl<'a> ByPath<'a> {
    pub(super) fn of(found: &'a Found) -> ByPath<'a> {
        ByPath(found.places.iter().map(|place| (place.shown.as_str(), place)).collect())
    }

    /// The skill that a path of a finding belongs to: the innermost.
    pub(super) fn place(&self, path: &str) -> Option<&'a Place> {
        let mut dir = path;
        loop {
            if let Some(place) = self.0.get(dir) {
                return Some(place);
            }
            dir = match dir.rsplit_once('/') {
                Some((dir, _)) => dir,
                None if dir.is_empty() => return None,
                None => "",
            };
        }
    }
}

/// Finds the skills that are meant.
pub(super) fn find(context: &Context<'_>, options: &LintOptions) -> Result<Found> {
    let mut found = Found { bases: Vec::new(), places: Vec::new(), installed: 0 };
    if let Some(given) = &options.given {
        found.take_given(&context.places.here, given.path.as_deref(), &given.text)?;
        return Ok(found);
    }
    let here = [PathBuf::new()];
    let paths = if options.paths.is_empty() { &here[..] } else { &options.paths };
    let installed = LazyCell::new(|| Installed::around(context));
    let mut known = Known::default();
    for path in paths {
        let place = disk::real_path(&context.places.here.join(path));
        match disk::lstat(&place)? {
            None => {
                return Err(Error::usage(format!("there is no `{}`", path.display()))
                    .help("name directories with skills below them, or files of skills"));
            }
            Some(meta) if meta.is_dir() => {
                let base = Base { shown: tidy(path), dir: place, is_whole: true };
                found.take_all(base, &installed, options.paths.is_empty())?;
            }
            Some(_) => found.take_one(&context.places.here, path, &mut known)?,
        }
    }
    let mut seen = BTreeSet::new();
    found.places.retain(|place| seen.insert(place.dir.clone()));
    Ok(found)
}

impl Found {
    /// Takes every skill below a directory; of one that has none, the directory itself unless it was not named.
    fn take_all(&mut self, base: Base, installed: &Installed, is_unnamed: bool) -> Result<()> {
        let mut walked = walk(&base.dir, Ignored::Skipped, 0)?;
        walked.retain(|one| !installed.keeps(&base.dir.join(&one.path), &base.dir));
        let mut places = skills(&base, walked, self.bases.len());
        if places.is_empty() && !is_unnamed {
            places = skills(&base, walk(&base.dir, Ignored::Included, 0)?, self.bases.len());
        }
        if places.is_empty() && !is_unnamed {
            places.push(empty(&base.shown, &base.dir, self.bases.len()));
        }
        let before = places.len();
        places.retain(|place| !installed.holds(&place.dir, &base.dir));
        self.installed += before - places.len();
        self.places.append(&mut places);
        self.bases.push(base);
        Ok(())
    }

    /// Takes the skill that a file belongs to; nothing if it belongs to none.
    fn take_one(&mut self, here: &Path, file: &Path, known: &mut Known) -> Result<()> {
        let full = here.join(file);
        let Some((dir, up)) = known.around(&full) else { return Ok(()) };
        let base = Base { shown: above(here, file, up, &dir), dir: disk::real_path(&dir), is_whole: false };
        if !known.taken.insert(base.dir.clone()) {
            return Ok(());
        }
        let at = self.bases.len();
        let mut places = skills(&base, walk(&base.dir, Ignored::Skipped, 1)?, at);
        if places.iter().all(|place| place.dir != base.dir) {
            places = skills(&base, walk(&base.dir, Ignored::Included, 1)?, at);
        }
        self.places.extend(places.into_iter().filter(|place| place.dir == base.dir));
        self.bases.push(base);
        Ok(())
    }

    /// Takes the skill whose file an editor has.
    fn take_given(&mut self, here: &Path, path: Option<&Path>, text: &[u8]) -> Result<()> {
        let at = self.bases.len();
        let file = |path: &str| Walked { path: path.to_owned(), kind: Kind::File };
        let Some(path) = path else {
            let place = Place { given: Some((PAGE.into(), text.to_owned())), is_alone: true, ..empty("", here, at) };
            self.places.push(Place { files: vec![file(PAGE)], directory: String::new(), ..place });
            self.bases.push(Base { shown: String::new(), dir: here.to_owned(), is_whole: false });
            return Ok(());
        };
        let full = here.join(path);
        let parent = full.parent().unwrap_or(here).to_owned();
        let (dir, up) = Known::default().around(&full).unwrap_or((parent, 1));
        let below = full.strip_prefix(&dir).unwrap_or(&full).to_string_lossy().replace('\\', "/");
        let base = Base { shown: above(here, path, up, &dir), dir: disk::real_path(&dir), is_whole: false };
        let is_there = disk::lstat(&dir.join(PAGE))?.is_some();
        let walked = if is_there { walk(&base.dir, Ignored::Skipped, 1)? } else { Vec::new() };
        let places = skills(&base, walked, at).into_iter().filter(|place| place.dir == base.dir);
        let mut place = places.into_iter().next().unwrap_or_else(|| empty(&base.shown, &base.dir, at));
        if let Err(at) = place.files.binary_search_by(|walked| walked.path.as_str().cmp(&below)) {
            place.files.insert(at, file(&below));
        }
        self.places.push(Place { given: Some((below, text.to_owned())), is_alone: !is_there, ..place });
        self.bases.push(base);
        Ok(())
    }
}

/// Cuts what lies below a directory into skills.
pub(super) fn skills(base: &Base, walked: Vec<Walked>, at: usize) -> Vec<Place> {
    let mut places: BTreeMap<String, Place> = BTreeMap::new();
    let paths: BTreeSet<&str> = walked.iter().map(|one| one.path.as_str()).collect();
    for root in
        walked.iter().filter(|one| is_page(&one.path) || describes(&one.path, &paths)).map(|one| parent(&one.path))
    {
        if !places.contains_key(root) {
            let dir = if root.is_empty() { base.dir.clone() } else { base.dir.join(root) };
            let shown = if root.is_empty() { base.shown.clone() } else { crate::lint::join(&base.shown, root) };
            places.insert(root.to_owned(), empty(&shown, &dir, at));
        }
    }
    if places.is_empty() {
        return Vec::new();
    }
    for one in walked {
        let mut roots = ancestors(&one.path).filter(|root| places.contains_key(*root));
        let Some(own) = roots.next().map(str::to_owned) else { continue };
        if is_page(&one.path) && parent(&one.path) == own {
            let outer: Vec<String> = roots.map(str::to_owned).collect();
            for root in outer {
                let nested = below(&root, &one.path);
                places.entry(root).and_modify(|place| place.nested.push(nested));
            }
        }
        let path = below(&own, &one.path);
        places.entry(own).and_modify(|place| place.files.push(Walked { path, kind: one.kind }));
    }
    places.into_values().collect()
}

/// Whether a file makes its directory a skill of another format.
fn describes(path: &str, paths: &BTreeSet<&str>) -> bool {
    let (dir, name) = (parent(path), path.rsplit('/').next().unwrap_or(path));
    formats::describes(name, &|beside| paths.contains(crate::lint::join(dir, beside).as_str()))
}

fn empty(shown: &str, dir: &Path, base: usize) -> Place {
    Place {
        shown: shown.to_owned(),
        directory: dir.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned()),
        dir: dir.to_owned(),
        files: Vec::new(),
        nested: Vec::new(),
        given: None,
        is_alone: false,
        base,
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// The directories that a path lies in, the nearest first, and at last the empty one.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(parent(path)), |dir| (!dir.is_empty()).then(|| parent(dir)))
}

fn below(root: &str, path: &str) -> String {
    crate::lint::below(root, path).unwrap_or(path).to_owned()
}

/// What is known of the directories that files were named in: a hook names all files of a commit.
#[derive(Default)]
struct Known {
    /// By directory, how many steps up there is a skill.
    skills: BTreeMap<PathBuf, Option<usize>>,
    /// The skills that were taken.
    taken: BTreeSet<PathBuf>,
}

impl Known {
    /// The nearest directory around a file that is a skill, and how many steps it is up from the file.
    fn around(&mut self, file: &Path) -> Option<(PathBuf, usize)> {
        let up = self.above(file.parent()?)? + 1;
        Some((file.ancestors().nth(up)?.to_owned(), up))
    }

    /// How many steps up from a directory there is a skill. None is looked for above the root of a repository.
    fn above(&mut self, dir: &Path) -> Option<usize> {
        if let Some(known) = self.skills.get(dir) {
            return *known;
        }
        let names = disk::names(dir).unwrap_or_default();
        let among: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        let found = if names.iter().any(|name| is_page(name) || describes(name, &among)) {
            Some(0)
        } else if names.iter().any(|name| name == ".git") {
            None
        } else {
            dir.parent().and_then(|parent| self.above(parent)).map(|up| up + 1)
        };
        self.skills.insert(dir.to_owned(), found);
        found
    }
}

/// How the directory so many steps above a path is shown.
fn above(here: &Path, path: &Path, up: usize, dir: &Path) -> String {
    let is_plain = path.components().rev().take(up).all(|part| matches!(part, Component::Normal(_)));
    match path.ancestors().nth(up) {
        Some(above) if is_plain => tidy(above),
        _ => shown(here, dir),
    }
}

/// A path without `./` in front and `/` behind.
fn tidy(path: &Path) -> String {
    let plain: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
    shown(Path::new(""), &plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_to_the_innermost_skill_and_outer_ones_know_of_its_page() {
        let base = Base { shown: "s".into(), dir: "/x".into(), is_whole: true };
        let paths = ["README.md", "a/SKILL.md", "a/b/c/SKILL.md", "a/b/c/y.sh", "a/b/z.md", "d/skill.md"];
        let walked = paths.map(|path| Walked { path: path.into(), kind: Kind::File });
        let told: Vec<String> = skills(&base, walked.to_vec(), 0)
            .iter()
            .map(|place| {
                let files: Vec<&str> = place.files.iter().map(|file| file.path.as_str()).collect();
                format!("{} {} {} [{}]", place.shown, place.directory, files.join(" "), place.nested.join(" "))
            })
            .collect();
        assert_eq!(told, ["s/a a SKILL.md b/z.md [b/c/SKILL.md]", "s/a/b/c c SKILL.md y.sh []", "s/d d skill.md []"]);
    }

    #[test]
    fn paths_are_shown_as_they_were_given_but_tidied() {
        for (path, expected) in [("", ""), (".", ""), ("./a/", "a"), ("../a", "../a"), ("/a/./b", "/a/b")] {
            assert_eq!(tidy(Path::new(path)), expected, "{path}");
        }
        let here = Path::new("/p/q");
        assert_eq!(above(here, Path::new("s/a/x/y.sh"), 2, Path::new("/p/q/s/a")), "s/a");
        assert_eq!(above(here, Path::new("y.sh"), 2, Path::new("/p")), "/p");
        assert_eq!(above(here, Path::new("y.sh"), 1, Path::new("/p/q")), "");
    }
}
