//! Wanted − installed = plan. Pure: the caller reads the disk.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use skillpm_core::error::{Error, Result};
use skillpm_core::package::{Checksum, SkillName};
use skillpm_core::skill::SkillFormat;

/// The path of an installed skill: a target directory and a name in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct InstallTarget {
    /// The target directory, as the state writes it: relative to the project, or absolute.
    pub target: PathBuf,
    /// The skill.
    pub name: SkillName,
    /// Its directory: its name, or for a copy that was converted to `SKILL.md`, as the specification allows it.
    pub directory: SkillName,
}

impl InstallTarget {
    /// The path of a skill in the directory of its name.
    #[must_use]
    pub fn new(target: PathBuf, name: SkillName) -> Self {
        InstallTarget {
            target,
            directory: name.clone(),
            name,
        }
    }

    /// The path of the skill in the project at `root`.
    #[must_use]
    pub fn path(&self, root: &Path) -> PathBuf {
        root.join(&self.target).join(self.directory.as_str())
    }

    fn display_name(&self) -> String {
        format!("`{}`", self.target.join(self.directory.as_str()).display())
    }
}

/// The wanted content at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetContent {
    /// A directory with this content: the package as it is.
    Tree(Checksum),
    /// A directory with this content: the package in the format that the target's agents read.
    Converted(Checksum, PackageConversion),
    /// A symbolic link to this target.
    Link(PathBuf),
}

/// The conversion that a copy of a package is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageConversion {
    /// The checksum of the package.
    pub package: Checksum,
    /// The format that it was converted to.
    pub to: SkillFormat,
}

impl TargetContent {
    /// The checksum of the wanted directory; `None` for a link.
    #[must_use]
    pub fn tree(&self) -> Option<Checksum> {
        match self {
            TargetContent::Tree(checksum) | TargetContent::Converted(checksum, _) => {
                Some(*checksum)
            }
            TargetContent::Link(_) => None,
        }
    }

    /// The format that the package is converted to; `None` if it is installed as it is.
    #[must_use]
    pub fn converted_to(&self) -> Option<SkillFormat> {
        match self {
            TargetContent::Converted(_, conversion) => Some(conversion.to),
            TargetContent::Tree(_) | TargetContent::Link(_) => None,
        }
    }
}

/// The present content at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnDisk {
    /// Nothing.
    Nothing,
    /// A directory with this content.
    Tree(Checksum),
    /// A symbolic link to this target.
    Link(PathBuf),
    /// Something else, which is described: a file, or a directory that cannot be a package.
    Other(String),
}

/// The record of a path and its present content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledState {
    /// The content that skillpm installed, as far as state or lockfile know.
    pub base: Option<Checksum>,
    /// The content after the last command: `base`, or `base` with the user's edits.
    pub last: Option<Checksum>,
    /// The target of the link that skillpm created there; `None` if it created none.
    pub link: Option<PathBuf>,
    /// The conversion that `base` is; `None` if it is a package as it is.
    pub conversion: Option<PackageConversion>,
    /// The present content.
    pub on_disk: OnDisk,
    /// Whether that is a dangling link.
    pub is_dangling: bool,
    /// The other scope, if it has installed the skill at the same path.
    pub other_owner: Option<ScopeOwner>,
}

/// A scope that has skills in a directory of another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScopeOwner {
    /// The user's own skills.
    Managed,
    /// The project in this directory.
    Project(PathBuf),
}

impl ScopeOwner {
    /// The command that removes a skill from it.
    #[must_use]
    pub fn remove_command(&self, name: &SkillName) -> String {
        match self {
            ScopeOwner::Managed => format!("skillpm remove --global {name}"),
            ScopeOwner::Project(root) => {
                format!("skillpm -C '{}' remove {name}", root.display())
            }
        }
    }
}

impl fmt::Display for ScopeOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScopeOwner::Managed => f.write_str("your own skills (`--global`)"),
            ScopeOwner::Project(root) => write!(f, "the project in `{}`", root.display()),
        }
    }
}

impl InstalledState {
    /// The checksum of the present directory; `None` if it is something else.
    #[must_use]
    pub fn tree(&self) -> Option<Checksum> {
        if let OnDisk::Tree(checksum) = &self.on_disk {
            Some(*checksum)
        } else {
            None
        }
    }

    /// Whether the content was edited since the last command.
    #[must_use]
    pub fn is_edited(&self) -> bool {
        self.tree().is_some() && self.last.is_some() && self.tree() != self.last
    }

    /// The other scope whose skill is there.
    #[must_use]
    pub fn shared_with(&self) -> Option<&ScopeOwner> {
        self.other_owner
            .as_ref()
            .filter(|_| self.on_disk != OnDisk::Nothing)
    }
}

/// The action at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanAction {
    /// Keep it: it is as wanted.
    Keep,
    /// Keep it with the user's edits: it is as wanted otherwise.
    KeepEdited,
    /// Merge the user's edits with the changes of the new version.
    Merge,
    /// Apply the user's edits of another copy.
    CarryEdits,
    /// No copy is wanted here any longer: carry the user's edits to the other copies, then remove it, or replace it with
    /// the wanted link.
    CarryAndRemove,
    /// Leave it alone: the user put a link there, or something in place of skillpm's link, or it is no longer a skill.
    Leave,
    /// Create it: nothing is there.
    Create,
    /// Replace what skillpm installed before.
    Replace,
    /// As [`PlanAction::Replace`], after a backup of the user's files.
    ReplaceWithBackup,
    /// Remove what skillpm installed.
    Remove,
    /// As [`PlanAction::Remove`], after a backup of the user's files.
    RemoveWithBackup,
    /// Only forget it: it is removed already, or not skillpm's.
    Forget,
}

impl PlanAction {
    /// Whether the action moves what is there to the backup.
    #[must_use]
    pub fn moves_to_backup(&self) -> bool {
        matches!(
            self,
            PlanAction::ReplaceWithBackup | PlanAction::RemoveWithBackup
        )
    }

    /// Whether the action writes a package's own content.
    #[must_use]
    pub fn writes_package(&self) -> bool {
        matches!(
            self,
            PlanAction::Merge
                | PlanAction::Create
                | PlanAction::Replace
                | PlanAction::ReplaceWithBackup
        )
    }
}

/// The actions by path.
pub type Plan = BTreeMap<InstallTarget, PlanAction>;

/// Whether the user's files may be moved to the backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForceMode {
    /// No: changing them is an error.
    No,
    /// Yes, where they are in the way.
    SaveAside,
    /// Yes, wherever something differs from the wanted content.
    Restore,
}

/// Computes the action for each path.
///
/// `wanted` has every path with wanted content; `present` has those and every path that skillpm installed to before.
///
/// # Errors
/// If something that is not skillpm's, or that was edited, would be replaced or removed; the message names all such
/// paths.
pub fn compute_plan(
    wanted: &BTreeMap<InstallTarget, TargetContent>,
    present: &BTreeMap<InstallTarget, InstalledState>,
    force: impl Fn(&SkillName) -> ForceMode,
) -> Result<Plan> {
    let mut plan = Plan::new();
    // All refusals in one error: the user can resolve them at once.
    let mut refused = RefusedTargets::default();
    for (place, present) in present {
        let force = force(&place.name);
        let action = match wanted.get(place) {
            Some(content) => plan_wanted(place, content, present, wanted),
            None => plan_unwanted(place, present, wanted),
        };

        // Not with `--force` either: the other scope would miss it.
        if present.shared_with().is_some() {
            match plan_shared(action, wanted.contains_key(place), force) {
                Ok(action) => {
                    plan.insert(place.clone(), action);
                }
                Err(reason) => refused.add(place, reason, present),
            }
            continue;
        }

        // With `--force` a refusal becomes a backup, so that no edits are lost either way.
        let action = action.or_else(|reason| match (force, wanted.contains_key(place)) {
            // It cannot be read as a skill, and need not change: it stops no other skill.
            (ForceMode::No, true) if is_damaged(present, &wanted[place]) => Ok(PlanAction::Leave),
            (ForceMode::No, _) => Err(reason),
            (ForceMode::SaveAside | ForceMode::Restore, true) => Ok(PlanAction::ReplaceWithBackup),
            (ForceMode::SaveAside | ForceMode::Restore, false) => Ok(PlanAction::RemoveWithBackup),
        });

        match action {
            // `--force` also replaces where the user's files could stay or be carried along.
            Ok(action) if is_forced(&action, force) => {
                let saving = if wanted.contains_key(place) {
                    PlanAction::ReplaceWithBackup
                } else {
                    PlanAction::RemoveWithBackup
                };
                plan.insert(place.clone(), saving);
            }
            Ok(action) => {
                plan.insert(place.clone(), action);
            }
            Err(reason) => refused.add(place, reason, present),
        }
    }

    refused.into_result(plan)
}

/// Whether something that is no skill is in the place of the version that is wanted.
fn is_damaged(present: &InstalledState, content: &TargetContent) -> bool {
    matches!(present.on_disk, OnDisk::Other(_))
        && present.base.is_some()
        && content.tree() == present.base
}

/// Whether `--force` moves the user's files to the backup though it need not.
fn is_forced(action: &PlanAction, force: ForceMode) -> bool {
    match action {
        PlanAction::KeepEdited | PlanAction::Leave => force == ForceMode::Restore,
        PlanAction::Merge | PlanAction::CarryAndRemove => force != ForceMode::No,
        _ => false,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RefusalReason {
    Foreign,
    Edited,
    Shared,
}

/// The action for a path where the other scope has installed the skill, too: it neither changes nor removes it.
fn plan_shared(
    action: Result<PlanAction, RefusalReason>,
    is_wanted: bool,
    force: ForceMode,
) -> Result<PlanAction, RefusalReason> {
    match action {
        _ if !is_wanted => Ok(PlanAction::Forget),
        Ok(action) if is_forced(&action, force) => Err(RefusalReason::Shared),
        Ok(action @ (PlanAction::Keep | PlanAction::KeepEdited | PlanAction::Leave)) => Ok(action),
        _ => Err(RefusalReason::Shared),
    }
}

fn plan_wanted(
    place: &InstallTarget,
    content: &TargetContent,
    present: &InstalledState,
    wanted: &BTreeMap<InstallTarget, TargetContent>,
) -> Result<PlanAction, RefusalReason> {
    if let Some(action) = plan_lossless(content, present) {
        return Ok(action);
    }

    // A refusal is last.
    match (content, &present.on_disk, &present.base) {
        // Edited, and the version is the same: the edits stay.
        (_, OnDisk::Tree(_), Some(base)) if content.tree() == Some(*base) => {
            Ok(PlanAction::KeepEdited)
        }
        // Changed on both sides.
        (TargetContent::Tree(_) | TargetContent::Converted(..), OnDisk::Tree(_), Some(_)) => {
            Ok(PlanAction::Merge)
        }
        // Another target has the copy now, which the edits are carried to.
        (TargetContent::Link(_), OnDisk::Tree(_), Some(_))
            if stays_elsewhere(place, present, wanted) =>
        {
            Ok(PlanAction::CarryAndRemove)
        }
        (_, _, Some(_)) => Err(RefusalReason::Edited),
        (_, _, None) => Err(RefusalReason::Foreign),
    }
}

/// The action where nothing of the user can be lost; `None` if something could.
fn plan_lossless(content: &TargetContent, present: &InstalledState) -> Option<PlanAction> {
    // The order of the arms decides.
    match (content, &present.on_disk, &present.base) {
        // Whatever was recorded, there is nothing to lose.
        (_, OnDisk::Nothing, _) => Some(PlanAction::Create),
        (_, OnDisk::Tree(found), _) if content.tree() == Some(*found) => Some(PlanAction::Keep),
        (TargetContent::Link(wanted), OnDisk::Link(found), _) if found == wanted => {
            Some(PlanAction::Keep)
        }
        // Where skillpm created a link, anything else is the user's.
        (_, OnDisk::Tree(_) | OnDisk::Other(_), _) if present.link.is_some() => {
            Some(PlanAction::Leave)
        }
        // It is the installed content, without edits.
        (_, OnDisk::Tree(found), Some(base)) if found == base => Some(PlanAction::Replace),
        (_, OnDisk::Link(found), Some(_)) => Some(plan_linked(found, present)),
        _ => None,
    }
}

/// The action for a link in the place of other wanted content.
fn plan_linked(found: &Path, present: &InstalledState) -> PlanAction {
    // A dangling link has no content that could be lost; a link to something else, such as a checkout, is the user's.
    if present.is_dangling || present.link.as_deref() == Some(found) {
        PlanAction::Replace
    } else {
        PlanAction::Leave
    }
}

/// Whether another copy of a skill can take over the edits of this one: it is the package in the same format.
fn stays_elsewhere(
    place: &InstallTarget,
    present: &InstalledState,
    wanted: &BTreeMap<InstallTarget, TargetContent>,
) -> bool {
    // The files of a converted copy are others, so that its edits mean nothing there.
    let format = present.conversion.map(|conversion| conversion.to);
    wanted.iter().any(|(other, content)| {
        other.name == place.name && content.tree().is_some() && content.converted_to() == format
    })
}

fn plan_unwanted(
    place: &InstallTarget,
    present: &InstalledState,
    wanted: &BTreeMap<InstallTarget, TargetContent>,
) -> Result<PlanAction, RefusalReason> {
    // Nothing is removed that has no record, whatever is there.
    match (&present.on_disk, &present.base) {
        (OnDisk::Nothing, _) => Ok(PlanAction::Forget),
        // The link is the one that skillpm created.
        (OnDisk::Link(found), _) if present.link.as_ref() == Some(found) => Ok(PlanAction::Remove),
        (_, Some(_)) if present.link.is_some() => Ok(PlanAction::Leave),
        (OnDisk::Tree(found), Some(base)) if found == base => Ok(PlanAction::Remove),
        (OnDisk::Link(_), Some(_)) => Ok(PlanAction::Leave),
        // The edits move to another copy of the skill, so they are not lost.
        (OnDisk::Tree(_), Some(_)) if stays_elsewhere(place, present, wanted) => {
            Ok(PlanAction::CarryAndRemove)
        }
        // No record that skillpm installed it: leave it alone.
        (_, None) => Ok(PlanAction::Forget),
        (_, Some(_)) => Err(RefusalReason::Edited),
    }
}

#[derive(Default)]
struct RefusedTargets {
    foreign: Vec<String>,
    edited: Vec<String>,
    /// Each with its owner, and the command that removes it there.
    shared: Vec<(String, String, String)>,
}

impl RefusedTargets {
    fn add(&mut self, place: &InstallTarget, reason: RefusalReason, present: &InstalledState) {
        let shown = match &present.on_disk {
            OnDisk::Other(what) => format!("{} ({what})", place.display_name()),
            OnDisk::Link(_) => format!("{} (a symbolic link)", place.display_name()),
            _ => place.display_name(),
        };

        match reason {
            RefusalReason::Foreign => self.foreign.push(shown),
            RefusalReason::Edited => self.edited.push(shown),
            RefusalReason::Shared => {
                let owner = present
                    .shared_with()
                    .expect("only such a path is refused so");
                let command = owner.remove_command(&place.name);
                self.shared.push((shown, owner.to_string(), command));
            }
        }
    }

    fn into_result(self, plan: Plan) -> Result<Plan> {
        if let Some((_, owner, command)) = self.shared.first() {
            let paths: Vec<String> = self.shared.iter().map(|(path, ..)| path.clone()).collect();
            let error = Error::negative(refusal_message(
                "change",
                &paths,
                &format!("it belongs to {owner}, too"),
                &format!("they belong to {owner}, too"),
            ));
            return Err(error.help(format!(
                "to have it in one of the two only, run `{command}`, or remove it here"
            )));
        }

        if !self.foreign.is_empty() {
            let error = Error::negative(refusal_message(
                "overwrite",
                &self.foreign,
                "it was not installed by skillpm",
                "they were not installed by skillpm",
            ));
            return Err(error
                .help("move it away, or install under another name with `--as NAME`")
                .help(
                    "pass `--force` to continue and move the present files to `.skillpm/backup`",
                ));
        }

        if !self.edited.is_empty() {
            let error = Error::negative(refusal_message(
                "change",
                &self.edited,
                "it was edited since it was installed",
                "they were edited since they were installed",
            ));
            return Err(error.help("run `skillpm diff` to see the edits").help(
                "pass `--force` to continue and move the present files to `.skillpm/backup`",
            ));
        }

        Ok(plan)
    }
}

fn refusal_message(verb: &str, paths: &[String], one: &str, many: &str) -> String {
    let reason = if paths.len() == 1 { one } else { many };
    format!("refusing to {verb} {}: {reason}", paths.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillpm_core::package::Tree;

    fn sum(text: &str) -> Checksum {
        let mut tree = Tree::builder();
        tree.add("SKILL.md", text.into(), false).unwrap();
        Checksum::from_tree(&tree.finish())
    }

    fn place() -> InstallTarget {
        InstallTarget::new(".agents/skills".into(), "pdf".parse().unwrap())
    }

    fn present(base: Option<&str>, link: Option<&str>, found: OnDisk) -> InstalledState {
        let base = base.map(sum);
        InstalledState {
            base,
            last: base,
            link: link.map(PathBuf::from),
            conversion: None,
            on_disk: found,
            is_dangling: false,
            other_owner: None,
        }
    }

    fn decide(
        wanted: Option<&str>,
        base: Option<&str>,
        found: OnDisk,
        force: ForceMode,
    ) -> Result<PlanAction> {
        let wanted = wanted
            .map(|text| (place(), TargetContent::Tree(sum(text))))
            .into_iter()
            .collect();
        let present = [(place(), present(base, None, found))].into();
        compute_plan(&wanted, &present, |_| force).map(|plan| plan[&place()].clone())
    }

    #[test]
    fn each_row_of_the_table_has_its_action() {
        let tree = |text: &str| OnDisk::Tree(sum(text));
        for (wanted, base, found, action) in [
            (Some("new"), None, OnDisk::Nothing, PlanAction::Create),
            (
                Some("new"),
                Some("old"),
                OnDisk::Nothing,
                PlanAction::Create,
            ),
            (Some("new"), None, tree("new"), PlanAction::Keep),
            (Some("new"), Some("old"), tree("new"), PlanAction::Keep),
            (Some("new"), Some("old"), tree("old"), PlanAction::Replace),
            (
                Some("new"),
                Some("new"),
                tree("edited"),
                PlanAction::KeepEdited,
            ),
            (Some("new"), Some("old"), tree("edited"), PlanAction::Merge),
            (None, Some("old"), tree("old"), PlanAction::Remove),
            (None, Some("old"), OnDisk::Nothing, PlanAction::Forget),
            (None, None, tree("mine"), PlanAction::Forget),
        ] {
            let case = format!("{wanted:?} {base:?} {found:?}");
            assert_eq!(
                decide(wanted, base, found, ForceMode::No).unwrap(),
                action,
                "{case}"
            );
        }
    }

    #[test]
    fn a_link_is_replaced_by_a_copy_and_a_copy_by_a_link() {
        let to = |content: TargetContent, found: OnDisk| {
            let wanted = [(place(), content)].into();
            let present = [(
                place(),
                present(Some("old"), Some("../../.agents/skills/pdf"), found),
            )]
            .into();
            compute_plan(&wanted, &present, |_| ForceMode::No).unwrap()[&place()].clone()
        };
        let link = || PathBuf::from("../../.agents/skills/pdf");
        assert_eq!(
            to(TargetContent::Tree(sum("old")), OnDisk::Link(link())),
            PlanAction::Replace
        );
        assert_eq!(
            to(TargetContent::Link(link()), OnDisk::Link(link())),
            PlanAction::Keep
        );
        let copied = [(
            place(),
            present(Some("old"), None, OnDisk::Tree(sum("old"))),
        )]
        .into();
        let wanted = [(place(), TargetContent::Link(link()))].into();
        assert_eq!(
            compute_plan(&wanted, &copied, |_| ForceMode::No).unwrap()[&place()],
            PlanAction::Replace
        );
    }

    #[test]
    fn a_link_of_the_user_stays_unless_forced() {
        let link = "../../.agents/skills/pdf";
        for wanted in [
            TargetContent::Tree(sum("old")),
            TargetContent::Tree(sum("new")),
            TargetContent::Link(link.into()),
        ] {
            for made in [None, Some(link)] {
                let present = [(
                    place(),
                    present(Some("old"), made, OnDisk::Link("../checkout".into())),
                )]
                .into();
                let wanted = [(place(), wanted.clone())].into();
                let to =
                    |force| compute_plan(&wanted, &present, |_| force).unwrap()[&place()].clone();
                assert_eq!(to(ForceMode::No), PlanAction::Leave, "{wanted:?}, {made:?}");
                assert_eq!(
                    to(ForceMode::Restore),
                    PlanAction::ReplaceWithBackup,
                    "{wanted:?}, {made:?}"
                );
                let nothing = InstalledState {
                    is_dangling: true,
                    ..present[&place()].clone()
                };
                let replaced =
                    super::compute_plan(&wanted, &[(place(), nothing)].into(), |_| ForceMode::No)
                        .unwrap();
                assert_eq!(replaced[&place()], PlanAction::Replace, "a dangling link");
            }
        }
    }

    #[test]
    fn edits_are_carried_from_an_unwanted_copy_to_a_wanted_one() {
        let other = InstallTarget::new(".claude/skills".into(), "pdf".parse().unwrap());
        let to = |wanted: Option<TargetContent>, link: Option<&str>, found: OnDisk, force| {
            let mut all = BTreeMap::from([(place(), TargetContent::Tree(sum("old")))]);
            all.extend(wanted.map(|content| (other.clone(), content)));
            let present = [(other.clone(), present(Some("old"), link, found))].into();
            compute_plan(&all, &present, |_| force).unwrap()[&other].clone()
        };
        let link = || Some(TargetContent::Link("to".into()));
        let edited = || OnDisk::Tree(sum("edited"));
        for wanted in [None, link()] {
            let saving = if wanted.is_some() {
                PlanAction::ReplaceWithBackup
            } else {
                PlanAction::RemoveWithBackup
            };
            assert_eq!(
                to(wanted.clone(), None, edited(), ForceMode::No),
                PlanAction::CarryAndRemove
            );
            assert_eq!(
                to(wanted.clone(), None, edited(), ForceMode::SaveAside),
                saving
            );
            assert_eq!(
                to(wanted.clone(), Some("to"), edited(), ForceMode::No),
                PlanAction::Leave
            );
            assert_eq!(
                to(
                    wanted.clone(),
                    Some("to"),
                    OnDisk::Tree(sum("old")),
                    ForceMode::No
                ),
                PlanAction::Leave
            );
            assert_eq!(
                to(
                    wanted,
                    Some("to"),
                    OnDisk::Other("a file".into()),
                    ForceMode::No
                ),
                PlanAction::Leave
            );
        }
        assert_eq!(
            to(None, Some("to"), OnDisk::Link("to".into()), ForceMode::No),
            PlanAction::Remove
        );
        assert_eq!(
            to(
                None,
                Some("to"),
                OnDisk::Link("of the user".into()),
                ForceMode::No
            ),
            PlanAction::Leave
        );
        assert_eq!(
            to(
                None,
                None,
                OnDisk::Link("of the user".into()),
                ForceMode::No
            ),
            PlanAction::Leave
        );
        assert_eq!(
            to(
                Some(TargetContent::Tree(sum("old"))),
                Some("to"),
                edited(),
                ForceMode::No
            ),
            PlanAction::Leave
        );
        assert_eq!(
            to(
                Some(TargetContent::Tree(sum("old"))),
                Some("to"),
                edited(),
                ForceMode::Restore
            ),
            PlanAction::ReplaceWithBackup
        );
    }

    #[test]
    #[cfg_attr(windows, ignore = "its paths are those of Unix")]
    fn edits_of_a_converted_copy_stay_with_it() {
        let other = InstallTarget::new("backend/skills".into(), "pdf".parse().unwrap());
        let conversion = |text: &str| PackageConversion {
            package: sum(text),
            to: SkillFormat::Nova,
        };
        let to = |wanted: Option<&str>, found: &str, force| {
            let mut all = BTreeMap::from([(place(), TargetContent::Tree(sum("package")))]);
            all.extend(wanted.map(|text| {
                let content = TargetContent::Converted(sum(text), conversion(text));
                (other.clone(), content)
            }));
            let converted = InstalledState {
                conversion: Some(conversion("old")),
                ..present(Some("old"), None, OnDisk::Tree(sum(found)))
            };
            compute_plan(&all, &[(other.clone(), converted)].into(), |_| force)
                .map(|plan| plan[&other].clone())
        };

        for (wanted, found, action) in [
            (Some("old"), "old", PlanAction::Keep),
            (Some("new"), "old", PlanAction::Replace),
            (Some("old"), "edited", PlanAction::KeepEdited),
            (Some("new"), "edited", PlanAction::Merge),
            (None, "old", PlanAction::Remove),
        ] {
            assert_eq!(to(wanted, found, ForceMode::No).unwrap(), action);
        }
        // The package's own copy cannot take them over, so that a former target is refused.
        let error = to(None, "edited", ForceMode::No).unwrap_err();
        assert_eq!(
            error.message(),
            "refusing to change `backend/skills/pdf`: it was edited since it was installed"
        );
        assert_eq!(
            to(None, "edited", ForceMode::SaveAside).unwrap(),
            PlanAction::RemoveWithBackup
        );
    }

    #[test]
    #[cfg_attr(windows, ignore = "its paths are those of Unix")]
    fn user_files_are_refused_and_backed_up_with_force() {
        let edited = || OnDisk::Tree(sum("edited"));
        for (wanted, base, saving) in [
            (Some("new"), None, PlanAction::ReplaceWithBackup),
            (Some("new"), Some("old"), PlanAction::ReplaceWithBackup),
            (None, Some("old"), PlanAction::RemoveWithBackup),
        ] {
            let is_merged = wanted.is_some() && base.is_some();
            assert_eq!(
                decide(wanted, base, edited(), ForceMode::No).ok(),
                is_merged.then_some(PlanAction::Merge)
            );
            assert_eq!(
                decide(wanted, base, edited(), ForceMode::SaveAside).unwrap(),
                saving
            );
        }
        let kept = |force| decide(Some("old"), Some("old"), edited(), force).unwrap();
        assert_eq!(kept(ForceMode::SaveAside), PlanAction::KeepEdited);
        assert_eq!(kept(ForceMode::Restore), PlanAction::ReplaceWithBackup);
        let error = decide(
            Some("new"),
            None,
            OnDisk::Link("../else".into()),
            ForceMode::No,
        )
        .unwrap_err();
        assert_eq!(
            error.message(),
            "refusing to overwrite `.agents/skills/pdf` (a symbolic link): it was not installed by skillpm"
        );
    }
}
