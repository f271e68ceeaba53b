//! pi: `skills` of its `settings.json`: further directories, and patterns that leave files out.
//!
//! ```json
//! {"skills": ["../more", "!draft-*", "+skills/draft-pdf", "-skills/old/SKILL.md"]}
//! ```

use std::path::{Path, PathBuf};

use super::{AgentSwitches, FurtherRoot, RootPlace, SwitchFile, SwitchFiles};
use skillpm_catalog::catalog::Tier;
use skillpm_catalog::catalog::matches_glob;
use skillpm_catalog::loaders::find_loader;
use skillpm_core::error::Result;
use skillpm_io::disk;

/// The patterns of one file, which count for the skills of its own tier.
#[derive(Debug)]
pub(in super::super) struct FileOverrides {
    tier: Tier,
    /// The directory that the patterns are relative to.
    base: PathBuf,
    set_by: String,
    entries: Vec<String>,
}

impl FileOverrides {
    /// Why a skill's file is left out; `None` if it is not.
    pub(in super::super) fn exclusion_reason(&self, tier: Tier, file: &Path) -> Option<String> {
        if tier != self.tier {
            return None;
        }

        let is_exact = |entry: &str| {
            let path = disk::normalize_path(&self.base.join(entry));
            path == file || Some(&*path) == skill_directory(file)
        };
        let named = |sign: char| {
            let entries = self.entries.iter();
            entries.filter_map(move |entry| entry.strip_prefix(sign))
        };

        // `!` leaves out by pattern, `+` takes one back, and `-` has the last word.
        let mut is_out = named('!').any(|pattern| self.matches(pattern, file));
        is_out &= !named('+').any(is_exact);
        is_out |= named('-').any(is_exact);
        is_out.then(|| format!("it is left out in {}", self.set_by))
    }

    /// Whether a pattern fits a file: its path, its name, or those of the skill's directory.
    fn matches(&self, pattern: &str, file: &Path) -> bool {
        let paths = [Some(file), skill_directory(file)];
        paths.into_iter().flatten().any(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let below = relative_path(path, &self.base);
            [&*below, &*name, &*path.to_string_lossy()]
                .iter()
                .any(|text| matches_glob(pattern, text))
        })
    }
}

/// The directory of a skill; `None` for a skill that is a single file.
fn skill_directory(file: &Path) -> Option<&Path> {
    file.parent().filter(|_| file.ends_with("SKILL.md"))
}

/// A path relative to `base`, with `..` where it is not below it.
fn relative_path(path: &Path, base: &Path) -> String {
    let common = base
        .ancestors()
        .find(|above| path.starts_with(above))
        .unwrap_or(Path::new("/"));
    let up = base
        .strip_prefix(common)
        .unwrap_or(base)
        .components()
        .count();
    let down = path.strip_prefix(common).unwrap_or(path);
    format!("{}{}", "../".repeat(up), down.display())
}

pub(super) fn read(files: &SwitchFiles<'_>) -> Result<AgentSwitches> {
    let mut switches = AgentSwitches::default();
    let own = [
        (
            files.in_project(".pi/settings.json")?,
            Tier::Workspace,
            RootPlace::First,
        ),
        (
            files.of_user("~/.pi/agent/settings.json")?,
            Tier::Managed,
            RootPlace::BetweenTiers,
        ),
    ];
    for (file, tier, place) in own {
        if let Some(file) = file {
            add_file(&mut switches, files, &file, (tier, place));
        }
    }
    Ok(switches)
}

fn add_file(
    switches: &mut AgentSwitches,
    files: &SwitchFiles<'_>,
    file: &SwitchFile,
    (tier, place): (Tier, RootPlace),
) {
    let Some(loader) = find_loader("pi") else {
        return;
    };
    let (patterns, paths): (Vec<String>, Vec<String>) = file
        .strings("/skills")
        .into_iter()
        .partition(|entry| entry.starts_with(['!', '+', '-']));

    // A path with a wildcard is a pattern that chooses among the others.
    for path in paths.iter().filter(|path| !path.contains(['*', '?'])) {
        switches.roots.push(FurtherRoot {
            path: files.resolve(path, &file.dir),
            tier,
            label: "extra",
            rules: loader.search,
            place,
        });
    }
    switches.excluded.push(FileOverrides {
        tier,
        base: file.dir.clone(),
        set_by: file.place("skills"),
        entries: patterns,
    });
}
