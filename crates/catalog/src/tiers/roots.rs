//! Which directories make up the tiers, highest first.
//!
//! | tier | directories, highest first | label |
//! |---|---|---|
//! | workspace | `[install] dir`, where it is one of the project's own | `workspace` |
//! | | `<project>/skills` | `workspace` |
//! | | `<project>/.agents/skills` | `project-agents` |
//! | | the agents' directories in the project | the agent's id |
//! | managed | `~/.agents/skills` | `personal-agents` |
//! | | where `-g` installs, if that is elsewhere | `managed` |
//! | | the agents' directories of the user | the agent's id |
//! | bundled | those a product names, then what lies in the binary | `bundled` |
//! | extra | those the configuration names | `extra` |

use std::path::{Path, PathBuf};

use crate::catalog::{Root, Tier};
use crate::package::BundledSkill;

/// A root, and what it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The root, as it is told.
    pub root: Root,
    /// Where its skills come from.
    pub ground: Ground,
}

/// Where the skills of a root come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// The directory at the root's path.
    Disk,
    /// The binary; the root's path is where they are unpacked for agents to read.
    Binary(&'static [BundledSkill]),
}

impl Place {
    /// A directory, which need not exist.
    #[must_use]
    pub fn directory(tier: Tier, label: &str, path: impl Into<PathBuf>) -> Self {
        Place { root: Root { tier, label: label.into(), path: path.into() }, ground: Ground::Disk }
    }
}

/// What the tiers are made of, as values.
#[derive(Debug, Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// The project's root; `None` outside any.
    pub project: Option<&'a Path>,
    /// `[install] dir`, below the project.
    pub install_dir: &'a str,
    /// Agents' ids and their directories below a project.
    pub in_project: &'a [(&'a str, &'a str)],
    /// The home directory; `None` if there is none.
    pub home: Option<&'a Path>,
    /// Where `-g` installs; `None` for `~/.agents/skills`.
    pub managed: Option<&'a Path>,
    /// Agents' ids and their directories of the user.
    pub of_user: &'a [(&'a str, PathBuf)],
    /// The directories of `[bundled] paths` and `SKILLPM_BUNDLED_PATH`.
    pub bundled: &'a [PathBuf],
    /// The skills inside the binary, and where they are unpacked.
    pub binary: Option<(&'static [BundledSkill], &'a Path)>,
    /// Further directories, lowest of all.
    pub extra: &'a [PathBuf],
}

/// The roots of all tiers, highest first. They need not exist, and two may be one directory: discovery looks.
///
/// An `[install] dir` of `skills` or `.agents/skills`, its default, does not change their order: as for OpenClaw, what
/// people keep in `skills` goes before what is installed.
#[must_use]
pub fn roots(around: &Surroundings<'_>) -> Vec<Place> {
    let mut places = Vec::new();
    if let Some(project) = around.project {
        let mut add =
            |label: &str, below: &str| places.push(Place::directory(Tier::Workspace, label, project.join(below)));
        let install_dir = around.install_dir.trim_start_matches("./").trim_end_matches('/');
        if !matches!(install_dir, "" | "skills" | ".agents/skills") {
            add("workspace", install_dir);
        }
        add("workspace", "skills");
        add("project-agents", ".agents/skills");
        around.in_project.iter().for_each(|(agent, below)| add(agent, below));
    }
    let mut add = |tier, label: &str, path: &Path| places.push(Place::directory(tier, label, path));
    if let Some(home) = around.home {
        add(Tier::Managed, "personal-agents", &home.join(".agents/skills"));
    }
    around.managed.iter().for_each(|path| add(Tier::Managed, "managed", path));
    around.of_user.iter().for_each(|(agent, path)| add(Tier::Managed, agent, path));
    around.bundled.iter().for_each(|path| add(Tier::Bundled, "bundled", path));
    if let Some((skills, path)) = around.binary {
        let root = Root { tier: Tier::Bundled, label: "bundled".into(), path: path.to_owned() };
        places.push(Place { root, ground: Ground::Binary(skills) });
    }
    places.extend(around.extra.iter().map(|path| Place::directory(Tier::Extra, "extra", path)));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(around: &Surroundings<'_>) -> Vec<String> {
        let tell =
            |place: &Place| format!("{} {} {}", place.root.tier.name(), place.root.label, place.root.path.display());
        roots(around).iter().map(tell).collect()
    }

    #[test]
    fn tiers_and_their_ranks_stand_in_order() {
        let around = Surroundings {
            project: Some(Path::new("/p")),
            install_dir: ".agents/skills",
            in_project: &[("claude-code", ".claude/skills")],
            home: Some(Path::new("/h")),
            of_user: &[("claude-code", "/h/.claude/skills".into())],
            bundled: &["/product".into()],
            binary: Some((&[], Path::new("/h/.skillpm/bundled"))),
            extra: &["/x".into()],
            ..Surroundings::default()
        };
        assert_eq!(
            told(&around),
            [
                "workspace workspace /p/skills",
                "workspace project-agents /p/.agents/skills",
                "workspace claude-code /p/.claude/skills",
                "managed personal-agents /h/.agents/skills",
                "managed claude-code /h/.claude/skills",
                "bundled bundled /product",
                "bundled bundled /h/.skillpm/bundled",
                "extra extra /x",
            ]
        );
    }

    #[test]
    fn an_install_dir_of_its_own_comes_first() {
        let around = Surroundings { project: Some(Path::new("/p")), install_dir: "tools/", ..Surroundings::default() };
        assert_eq!(told(&around)[..2], ["workspace workspace /p/tools", "workspace workspace /p/skills"]);
    }
}
