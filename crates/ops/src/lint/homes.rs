//! Which settings hold for which skill: those of the nearest `skillpm.toml` upwards that has `[lint]`, up to the root of
//! the repository.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::super::agents;
use super::find::{Found, Place};
use super::{Context, LintOptions, shown};
use crate::error::Result;
use crate::io::disk;
use crate::lint::Settings;
use crate::manifest::{self, lint::LintTable};
use crate::report::Event;

/// The settings of all skills.
pub(super) struct Homes {
    homes: Vec<Home>,
    by_place: HashMap<PathBuf, usize>,
}

/// What one manifest says.
pub(super) struct Home {
    /// Its directory; `None` for what holds where no manifest says anything.
    pub(super) root: Option<PathBuf>,
    settings: Settings,
    /// The file of findings that were there before.
    pub(super) baseline: Option<PathBuf>,
}

impl Homes {
    pub(super) fn of(context: &Context<'_>, options: &LintOptions, found: &Found) -> Result<Homes> {
        let mut search = Search { context, options, homes: Vec::new(), by_dir: HashMap::new() };
        let mut by_place = HashMap::new();
        for place in &found.places {
            let home = if options.isolated { search.home(None)? } else { search.around(&place.dir)? };
            by_place.insert(place.dir.clone(), home);
        }
        let mut homes = search.homes;
        for place in &found.places {
            let home = &mut homes[by_place[&place.dir]];
            let base = &found.bases[place.base];
            let view = match home.root.as_deref() {
                None => (base.shown.clone(), String::new()),
                Some(root) => view(root, &base.dir, &base.shown),
            };
            home.settings.see_from(&view.0, &view.1);
            home.settings.notes_are_told = options.notes;
        }
        Ok(Homes { homes, by_place })
    }

    /// The settings for a skill.
    pub(super) fn settings(&self, place: &Place) -> &Settings {
        &self.homes[self.home(place)].settings
    }

    /// The place of a skill's settings.
    pub(super) fn home(&self, place: &Place) -> usize {
        self.by_place[&place.dir]
    }

    /// All settings with their places.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, &Settings)> {
        self.homes.iter().map(|home| &home.settings).enumerate()
    }

    /// The baseline of the manifest that holds for a skill.
    pub(super) fn baseline(&self, place: &Place) -> Option<&Path> {
        self.homes[self.home(place)].baseline.as_deref()
    }
}

/// The settings for one skill by itself, whose findings have paths below it.
pub(super) fn settings_in(context: &Context<'_>, options: &LintOptions, dir: &Path) -> Result<Settings> {
    let mut search = Search { context, options, homes: Vec::new(), by_dir: HashMap::new() };
    let at = search.around(dir)?;
    let mut home = search.homes.swap_remove(at);
    if let Some(root) = &home.root {
        let (shown, below) = view(root, dir, "");
        home.settings.see_from(&shown, &below);
    }
    Ok(home.settings)
}

/// How paths of findings below a searched directory begin, and with what the same paths begin below the manifest.
fn view(root: &Path, base: &Path, shown: &str) -> (String, String) {
    let text = |path: &Path| super::shown(Path::new(""), path);
    match (base.strip_prefix(root), root.strip_prefix(base)) {
        (Ok(below), _) => (shown.to_owned(), text(below)),
        (_, Ok(below)) => (crate::lint::join(shown, &text(below)), String::new()),
        _ => (shown.to_owned(), String::new()),
    }
}

struct Search<'a> {
    context: &'a Context<'a>,
    options: &'a LintOptions,
    homes: Vec<Home>,
    by_dir: HashMap<PathBuf, usize>,
}

impl Search<'_> {
    /// The settings that hold in a directory.
    fn around(&mut self, dir: &Path) -> Result<usize> {
        if let Some(known) = self.by_dir.get(dir) {
            return Ok(*known);
        }
        let home = match self.table(dir)? {
            Some(table) => self.home(Some((dir, &table)))?,
            None if self.is_last(dir)? => self.home(None)?,
            None => match dir.parent() {
                Some(parent) => self.around(parent)?,
                None => self.home(None)?,
            },
        };
        self.by_dir.insert(dir.to_owned(), home);
        Ok(home)
    }

    fn is_last(&self, dir: &Path) -> Result<bool> {
        Ok(dir == self.context.places.home || disk::lstat(&dir.join(".git"))?.is_some())
    }

    fn table(&self, dir: &Path) -> Result<Option<LintTable>> {
        let path = dir.join(manifest::FILE);
        let Some(text) = disk::read(&path)?.and_then(|bytes| String::from_utf8(bytes).ok()) else { return Ok(None) };
        manifest::lint::table(&text, &shown(&self.context.places.here, &path))
    }

    /// Adds the settings of a manifest, or those without one.
    fn home(&mut self, found: Option<(&Path, &LintTable)>) -> Result<usize> {
        let root = found.map(|(dir, _)| dir.to_owned());
        if let Some(known) = self.homes.iter().position(|home| home.root == root) {
            return Ok(known);
        }
        let table = found.map(|(_, table)| table);
        let (settings, remarks) = Settings::new(table, &self.options.flags)?;
        for remark in remarks {
            self.context.reporter.report(Event::Warning { message: remark.message, help: remark.help });
        }
        for written in table.iter().filter_map(|table| table.targets.as_ref()).flatten() {
            agents::agent(self.context, &written.text)
                .map_err(|error| error.wrap(format!("{}: no such target", written.place)))?;
        }
        for id in &self.options.flags.targets {
            agents::agent(self.context, id)?;
        }
        let baseline = table.and_then(|table| table.baseline.as_ref()).zip(root.as_ref());
        let baseline = baseline.map(|(file, root)| root.join(file));
        self.homes.push(Home { root, settings, baseline });
        Ok(self.homes.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_seen_from_the_manifest() {
        let view = |root: &str, base: &str, shown: &str| view(Path::new(root), Path::new(base), shown);
        assert_eq!(view("/p", "/p", ""), (String::new(), String::new()));
        assert_eq!(view("/p", "/p/skills", "skills"), ("skills".into(), "skills".into()));
        assert_eq!(view("/p", "/p/skills", "../p/skills"), ("../p/skills".into(), "skills".into()));
        assert_eq!(view("/p/a", "/p", "x"), ("x/a".into(), String::new()));
    }
}
