//! The settings of each skill: those of the nearest `skillpm.toml` above it that has `[lint]`, up
//! to the root of the repository.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::super::agents;
use super::find::{LintInput, LocatedSkill};
use super::{CommandContext, LintOptions, display_path};
use skillpm_core::error::Result;
use skillpm_core::manifest::{self, lint::LintTable};
use skillpm_core::report::ProgressEvent;
use skillpm_io::disk;
use skillpm_lint::LintSettings;

/// The settings of all skills.
pub(super) struct SettingsByDirectory {
    directories: Vec<DirectorySettings>,
    by_skill: HashMap<PathBuf, usize>,
}

/// The settings of one manifest.
pub(super) struct DirectorySettings {
    /// Its directory; `None` for the defaults, where no manifest has `[lint]`.
    pub(super) root: Option<PathBuf>,
    settings: LintSettings,
    /// The file of known findings.
    pub(super) baseline: Option<PathBuf>,
}

impl SettingsByDirectory {
    pub(super) fn resolve(
        context: &CommandContext<'_>,
        options: &LintOptions,
        found: &LintInput,
    ) -> Result<SettingsByDirectory> {
        let mut resolver = SettingsResolver {
            context,
            options,
            directories: Vec::new(),
            by_dir: HashMap::new(),
        };

        let mut by_skill = HashMap::new();
        for located in &found.skills {
            let directory = if options.isolated {
                resolver.add(None)?
            } else {
                resolver.resolve(&located.dir)?
            };
            by_skill.insert(located.dir.clone(), directory);
        }

        // Paths are mapped last: one manifest may apply to skills below several arguments.
        let mut directories = resolver.directories;
        for located in &found.skills {
            let directory = &mut directories[by_skill[&located.dir]];
            let base = &found.roots[located.root];
            let view = match directory.root.as_deref() {
                None => (base.shown.clone(), String::new()),
                Some(root) => path_prefixes(root, &base.dir, &base.shown),
            };
            directory.settings.map_paths(&view.0, &view.1);
            directory.settings.reports_notes = options.notes;
        }

        Ok(SettingsByDirectory {
            directories,
            by_skill,
        })
    }

    /// The settings for a skill.
    pub(super) fn of_skill(&self, located: &LocatedSkill) -> &LintSettings {
        &self.directories[self.index_of(located)].settings
    }

    /// The index of a skill's settings.
    pub(super) fn index_of(&self, located: &LocatedSkill) -> usize {
        self.by_skill[&located.dir]
    }

    /// The directory of the manifest that settings come from; `None` for the defaults.
    pub(super) fn root(&self, index: usize) -> Option<&Path> {
        self.directories[index].root.as_deref()
    }

    /// All settings with their indexes.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &LintSettings)> {
        self.directories
            .iter()
            .map(|directory| &directory.settings)
            .enumerate()
    }

    /// The baseline of the manifest that applies to a skill.
    pub(super) fn baseline(&self, located: &LocatedSkill) -> Option<&Path> {
        self.directories[self.index_of(located)].baseline.as_deref()
    }
}

/// The settings of a single skill, whose findings have paths relative to it.
pub(super) fn settings_for_dir(
    context: &CommandContext<'_>,
    options: &LintOptions,
    dir: &Path,
) -> Result<LintSettings> {
    let mut resolver = SettingsResolver {
        context,
        options,
        directories: Vec::new(),
        by_dir: HashMap::new(),
    };

    let at = resolver.resolve(dir)?;
    let mut directory = resolver.directories.swap_remove(at);
    // For one skill the paths of findings begin at the skill, those of the manifest above it.
    if let Some(root) = &directory.root {
        let (shown, below) = path_prefixes(root, dir, "");
        directory.settings.map_paths(&shown, &below);
    }
    Ok(directory.settings)
}

/// The prefix of finding paths below a searched directory, and the prefix of the same paths
/// relative to the manifest.
fn path_prefixes(root: &Path, base: &Path, shown: &str) -> (String, String) {
    let text = |path: &Path| super::display_path(Path::new(""), path);
    match (base.strip_prefix(root), root.strip_prefix(base)) {
        (Ok(below), _) => (shown.to_owned(), text(below)),
        (_, Ok(below)) => (skillpm_lint::join(shown, &text(below)), String::new()),
        // Neither contains the other: no path of the manifest leads there.
        _ => (shown.to_owned(), String::new()),
    }
}

struct SettingsResolver<'a> {
    context: &'a CommandContext<'a>,
    options: &'a LintOptions,
    directories: Vec<DirectorySettings>,
    by_dir: HashMap<PathBuf, usize>,
}

impl SettingsResolver<'_> {
    /// The index of the settings that apply in a directory.
    fn resolve(&mut self, dir: &Path) -> Result<usize> {
        if let Some(known) = self.by_dir.get(dir) {
            return Ok(*known);
        }
        // The nearest manifest with `[lint]` wins; those above it add nothing.
        let directory = match self.read_table(dir)? {
            Some(table) => self.add(Some((dir, &table)))?,
            // A repository is its own project: settings outside of it do not apply.
            None if self.is_boundary(dir)? => self.add(None)?,
            None => match dir.parent() {
                Some(parent) => self.resolve(parent)?,
                None => self.add(None)?,
            },
        };

        self.by_dir.insert(dir.to_owned(), directory);
        Ok(directory)
    }

    fn is_boundary(&self, dir: &Path) -> Result<bool> {
        // Above the home directory, files are not the user's.
        Ok(dir == self.context.dirs.home || disk::lstat(&dir.join(".git"))?.is_some())
    }

    fn read_table(&self, dir: &Path) -> Result<Option<LintTable>> {
        let path = dir.join(manifest::FILE);
        let bytes = match self.unsaved_manifest(&path) {
            Some(text) => Some(text),
            None => disk::read(&path)?,
        };
        // One that is not UTF-8 has no settings; commands that use the project report it.
        let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) else {
            return Ok(None);
        };
        let table =
            manifest::lint::parse_lint_table(&text, &display_path(&self.context.dirs.cwd, &path))?;
        // As for a project that another command uses: settings of another user could hide findings.
        if table.is_some() {
            self.context.check_owner(&path).map_err(|error| {
                error.help("or, to lint without its settings, pass `--isolated`")
            })?;
        }
        Ok(table)
    }

    /// The text of a manifest that an editor has not saved.
    fn unsaved_manifest(&self, path: &Path) -> Option<Vec<u8>> {
        let is_this = |given: &Path| {
            given.ends_with(manifest::FILE)
                && disk::real_path(&self.context.dirs.cwd.join(given)) == path
        };
        let mut files = self.options.unsaved.iter();
        let file = files.find(|file| file.path.as_deref().is_some_and(is_this))?;
        Some(file.text.clone())
    }

    /// Adds the settings of a manifest, or those without one.
    fn add(&mut self, found: Option<(&Path, &LintTable)>) -> Result<usize> {
        let root = found.map(|(dir, _)| dir.to_owned());
        // Each manifest is added once, so that its remarks are reported once.
        if let Some(known) = self
            .directories
            .iter()
            .position(|directory| directory.root == root)
        {
            return Ok(known);
        }
        let table = found.map(|(_, table)| table);

        let (settings, remarks) = LintSettings::new(table, &self.options.flags)?;
        for remark in remarks {
            self.context.reporter.report(ProgressEvent::Warning {
                message: remark.message,
                help: remark.help,
            });
        }

        // Which agents exist depends on the configuration, so that the parser cannot check this.
        for written in table
            .iter()
            .filter_map(|table| table.targets.as_ref())
            .flatten()
        {
            agents::required_agent(self.context, &written.text)
                .map_err(|error| error.wrap(format!("unknown target at {}", written.location)))?;
        }
        for id in &self.options.flags.targets {
            agents::required_agent(self.context, id)?;
        }

        let baseline = table
            .and_then(|table| table.baseline.as_ref())
            .zip(root.as_ref());
        let baseline = baseline.map(|(file, root)| root.join(file));

        self.directories.push(DirectorySettings {
            root,
            settings,
            baseline,
        });
        Ok(self.directories.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_prefixes_are_relative_to_the_manifest() {
        let view = |root: &str, base: &str, shown: &str| {
            path_prefixes(Path::new(root), Path::new(base), shown)
        };
        assert_eq!(view("/p", "/p", ""), (String::new(), String::new()));
        assert_eq!(
            view("/p", "/p/skills", "skills"),
            ("skills".into(), "skills".into())
        );
        assert_eq!(
            view("/p", "/p/skills", "../p/skills"),
            ("../p/skills".into(), "skills".into())
        );
        assert_eq!(view("/p/a", "/p", "x"), ("x/a".into(), String::new()));
    }
}
