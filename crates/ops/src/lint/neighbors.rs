//! The skills of a project beside the one that an editor has open, for rules about several skills.

use std::path::{Path, PathBuf};

use super::find::{self, LocatedSkill};
use super::settings::SettingsByDirectory;
use super::{CommandContext, LintOptions, read_skill};
use skillpm_core::error::Result;
use skillpm_io::run_on_all_processors;
use skillpm_lint::SkillSummary;

/// The summaries of the skills below a directory, as they are on disk.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NeighborSkills(Vec<NeighborSkill>);

#[derive(Debug, Clone, PartialEq)]
struct NeighborSkill {
    /// Its real directory.
    dir: PathBuf,
    /// The directory of the manifest with its settings.
    settings: Option<PathBuf>,
    summary: SkillSummary,
}

impl NeighborSkills {
    /// Reads the skills below the current directory, without those that skillpm installed. Their paths are relative to
    /// that directory. A skill that cannot be read is left out.
    ///
    /// # Errors
    /// If a directory cannot be read, or the settings of a manifest are invalid.
    pub fn read(context: &CommandContext<'_>) -> Result<NeighborSkills> {
        let options = LintOptions::default();
        let found = find::find_skills(context, &options)?;
        let settings = SettingsByDirectory::resolve(context, &options, &found)?;

        let summarize = |located: &LocatedSkill| {
            let skill = read_skill(located).ok()?;
            let summary = skillpm_lint::summarize(&skill, settings.of_skill(located))?;
            Some(NeighborSkill {
                dir: located.dir.clone(),
                settings: settings
                    .root(settings.index_of(located))
                    .map(Path::to_owned),
                summary,
            })
        };
        let skills = run_on_all_processors(&found.skills, summarize);
        Ok(NeighborSkills(skills.into_iter().flatten().collect()))
    }

    /// The summaries of the skills with the settings of one manifest, without those that are checked themselves.
    pub(super) fn summaries_with(
        &self,
        settings: Option<&Path>,
        checked: &[LocatedSkill],
    ) -> impl Iterator<Item = SkillSummary> {
        let is_checked =
            |neighbor: &NeighborSkill| checked.iter().any(|located| located.dir == neighbor.dir);
        self.0
            .iter()
            .filter(move |neighbor| neighbor.settings.as_deref() == settings)
            .filter(move |neighbor| !is_checked(neighbor))
            .map(|neighbor| neighbor.summary.clone())
    }
}
