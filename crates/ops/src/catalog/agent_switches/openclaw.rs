//! OpenClaw: further directories, and how long its list may be. What switches skills off is in
//! [`AgentSettings`](skillpm_catalog::catalog::AgentSettings).

use std::path::Path;

use super::{AgentSwitches, FurtherRoot, RootPlace, SwitchFiles};
use skillpm_catalog::catalog::Tier;
use skillpm_catalog::loaders::{SearchRules, find_loader};
use skillpm_core::error::Result;
use skillpm_io::disk;

/// How many levels it searches below a further directory that is not called `skills`.
const FURTHER_DEPTH: usize = 2;

pub(super) fn read(files: &SwitchFiles<'_>) -> Result<AgentSwitches> {
    let mut switches = AgentSwitches::default();
    let Some(loader) = find_loader("openclaw") else {
        return Ok(switches);
    };

    let bundled = files.variable("OPENCLAW_BUNDLED_SKILLS_DIR");
    let configured = files.context.config.list("bundled.paths");
    for path in bundled.into_iter().chain(configured) {
        switches.roots.push(FurtherRoot {
            path: files.resolve(&path, &files.context.dirs.cwd),
            tier: Tier::Bundled,
            label: "bundled",
            rules: loader.search,
            place: RootPlace::Last,
        });
    }

    let Some(file) = files.of_user("~/.openclaw/openclaw.json")? else {
        return Ok(switches);
    };
    // Of two of its further directories the later one counts.
    for path in file.strings("/skills/load/extraDirs").iter().rev() {
        let path = files.resolve(path, &file.dir);
        let is_deep = path.ends_with("skills") || is_directory(&path.join("skills"));
        switches.roots.push(FurtherRoot {
            rules: SearchRules {
                depth: if is_deep {
                    loader.search.depth
                } else {
                    FURTHER_DEPTH
                },
                ..loader.search
            },
            path,
            tier: Tier::Extra,
            label: "extra",
            place: RootPlace::Last,
        });
    }
    let targets = file.strings("/skills/load/allowSymlinkTargets");
    let targets = targets.iter().map(|path| files.resolve(path, &file.dir));
    switches.link_targets = targets.map(|path| disk::real_path(&path)).collect();
    switches.limits.skills = file.number("/skills/limits/maxSkillsInPrompt");
    switches.limits.characters = file.number("/skills/limits/maxSkillsPromptChars");
    Ok(switches)
}

fn is_directory(path: &Path) -> bool {
    disk::lstat(path).is_ok_and(|found| found.is_some_and(|found| found.is_dir()))
}
