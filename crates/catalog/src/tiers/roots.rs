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
//! | bundled | those a product names, then the skills built into the binary | `bundled` |
//! | extra | those the configuration names | `extra` |

use std::path::{Path, PathBuf};

use crate::catalog::{SkillRoot, Tier};
use skillpm_core::package::{BundledSkill, join_slashed};

/// A root, and the base it is relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TierRoot {
    /// The root, as displayed.
    pub root: SkillRoot,
    /// Where its skills come from.
    pub source: RootSource,
}

/// Where the skills of a root come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootSource {
    /// The directory at the root's path.
    Disk,
    /// The binary; the root's path is where they are unpacked for agents to read.
    Binary(&'static [BundledSkill]),
}

impl TierRoot {
    /// A directory, which need not exist.
    #[must_use]
    pub fn directory(tier: Tier, label: &str, path: impl Into<PathBuf>) -> Self {
        TierRoot {
            root: SkillRoot {
                tier,
                label: label.into(),
                path: path.into(),
            },
            source: RootSource::Disk,
        }
    }
}

/// What the tiers are made of, as values.
#[derive(Debug, Clone, Copy, Default)]
pub struct TierInputs<'a> {
    /// The project's root; `None` outside any.
    pub project: Option<&'a Path>,
    /// `[install] dir`, below the project.
    pub install_dir: &'a str,
    /// Agents' ids and their directories below a project.
    pub in_project: &'a [(&'a str, &'a str)],
    /// The home directory; `None` if it is unknown.
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
/// people keep in `skills` has precedence over installed skills.
#[must_use]
pub fn tier_roots(inputs: &TierInputs<'_>) -> Vec<TierRoot> {
    // The position of a root is its rank, so the order of these lines is the order of the tiers.
    let mut places = Vec::new();
    if let Some(project) = inputs.project {
        push_workspace_roots(&mut places, project, inputs);
    }
    push_managed_roots(&mut places, inputs);
    push_bundled_roots(&mut places, inputs);

    places.extend(
        inputs
            .extra
            .iter()
            .map(|path| TierRoot::directory(Tier::Extra, "extra", path)),
    );

    places
}

fn push_workspace_roots(places: &mut Vec<TierRoot>, project: &Path, inputs: &TierInputs<'_>) {
    let mut add = |label: &str, subdir: &str| {
        places.push(TierRoot::directory(
            Tier::Workspace,
            label,
            join_slashed(project, subdir),
        ));
    };

    // Spelled in another way it is one of the two below, and must not count twice.
    let install_dir = inputs
        .install_dir
        .trim_start_matches("./")
        .trim_end_matches('/');

    if !matches!(install_dir, "" | "skills" | ".agents/skills") {
        add("workspace", install_dir);
    }

    add("workspace", "skills");
    add("project-agents", ".agents/skills");

    // What only one agent reads comes last: the common directories are what all of them agree on.
    inputs
        .in_project
        .iter()
        .for_each(|(agent, subdir)| add(agent, subdir));
}

fn push_managed_roots(places: &mut Vec<TierRoot>, inputs: &TierInputs<'_>) {
    let mut add = |label: &str, path: &Path| {
        places.push(TierRoot::directory(Tier::Managed, label, path));
    };

    if let Some(home) = inputs.home {
        add("personal-agents", &join_slashed(home, ".agents/skills"));
    }

    inputs.managed.iter().for_each(|path| add("managed", path));
    inputs
        .of_user
        .iter()
        .for_each(|(agent, path)| add(agent, path));
}

fn push_bundled_roots(places: &mut Vec<TierRoot>, inputs: &TierInputs<'_>) {
    places.extend(
        inputs
            .bundled
            .iter()
            .map(|path| TierRoot::directory(Tier::Bundled, "bundled", path)),
    );

    // Below a product's own directories: a product that ships skillpm may replace its skills.
    if let Some((skills, path)) = inputs.binary {
        let root = SkillRoot {
            tier: Tier::Bundled,
            label: "bundled".into(),
            path: path.to_owned(),
        };
        places.push(TierRoot {
            root,
            source: RootSource::Binary(skills),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(around: &TierInputs<'_>) -> Vec<String> {
        let describe = |place: &TierRoot| {
            format!(
                "{} {} {}",
                place.root.tier.name(),
                place.root.label,
                place.root.path.display()
            )
        };
        tier_roots(around).iter().map(describe).collect()
    }

    #[test]
    #[cfg_attr(windows, ignore = "its paths are those of Unix")]
    fn tiers_and_their_ranks_stand_in_order() {
        let around = TierInputs {
            project: Some(Path::new("/p")),
            install_dir: ".agents/skills",
            in_project: &[("claude-code", ".claude/skills")],
            home: Some(Path::new("/h")),
            of_user: &[("claude-code", "/h/.claude/skills".into())],
            bundled: &["/product".into()],
            binary: Some((&[], Path::new("/h/.skillpm/bundled"))),
            extra: &["/x".into()],
            ..TierInputs::default()
        };
        assert_eq!(
            shown(&around),
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
    #[cfg_attr(windows, ignore = "its paths are those of Unix")]
    fn an_install_dir_of_its_own_comes_first() {
        let around = TierInputs {
            project: Some(Path::new("/p")),
            install_dir: "tools/",
            ..TierInputs::default()
        };
        assert_eq!(
            shown(&around)[..2],
            [
                "workspace workspace /p/tools",
                "workspace workspace /p/skills"
            ]
        );
    }
}
