//! Wanted − present = plan. Pure: the caller has looked at the disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::package::{Checksum, SkillName};

/// A skill's place: a target directory and a name in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The target directory, as the state writes it: relative to the project, or absolute.
    pub target: PathBuf,
    /// The skill.
    pub name: SkillName,
}

impl Place {
    /// Where that is.
    #[must_use]
    pub fn path(&self, root: &Path) -> PathBuf {
        root.join(&self.target).join(self.name.as_str())
    }

    fn shown(&self) -> String {
        format!("`{}`", self.target.join(self.name.as_str()).display())
    }
}

/// What is to stand at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A directory with this content.
    Tree(Checksum),
    /// A symbolic link that leads here.
    Link(PathBuf),
}

/// What stands at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nothing.
    Nothing,
    /// A directory with this content.
    Tree(Checksum),
    /// A symbolic link that leads here.
    Link(PathBuf),
    /// Something else: a file, or a directory that cannot be a package, and why.
    Other(String),
}

/// What is known of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Present {
    /// What skillpm put there, as far as state or lockfile know.
    pub base: Option<Checksum>,
    /// What stands there now.
    pub found: Found,
}

/// What is to be done at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// It is as it should be.
    Keep,
    /// It is as it should be but for a person's edits, which stay.
    KeepEdited,
    /// A person and upstream have changed it: put both changes there.
    Merge,
    /// Put a person's edits of another copy there.
    Carry,
    /// Nothing is there; put it there.
    Create,
    /// Put it there instead of what skillpm put there before.
    Replace,
    /// As [`Action::Replace`], after saving a person's work aside.
    ReplaceSaving,
    /// Take away what skillpm put there.
    Remove,
    /// As [`Action::Remove`], after saving a person's work aside.
    RemoveSaving,
    /// It is gone already.
    Forget,
}

/// What is to be done, by place.
pub type Plan = BTreeMap<Place, Action>;

/// Whether a person's work may be moved aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Force {
    /// No: refuse.
    No,
    /// Yes, where it stands in the way: into a backup.
    SaveAside,
    /// Yes, wherever something is not as it should be: into a backup.
    Restore,
}

/// Decides what is to be done.
///
/// `wanted` has every place that is to hold something; `present` has those and every place that skillpm has put
/// something at before.
///
/// # Errors
/// If something that is not skillpm's, or that a person has edited, would be replaced or removed; all such places are
/// named at once.
pub fn plan(wanted: &BTreeMap<Place, Content>, present: &BTreeMap<Place, Present>, force: Force) -> Result<Plan> {
    let mut plan = Plan::new();
    let mut refused = Refused::default();
    for (place, present) in present {
        let action = match wanted.get(place) {
            Some(content) => to_have(content, present),
            None => to_lack(present),
        };
        let action = action.or_else(|reason| match (force, wanted.contains_key(place)) {
            (Force::No, _) => Err(reason),
            (Force::SaveAside | Force::Restore, true) => Ok(Action::ReplaceSaving),
            (Force::SaveAside | Force::Restore, false) => Ok(Action::RemoveSaving),
        });
        match action {
            Ok(Action::KeepEdited) if force == Force::Restore => {
                plan.insert(place.clone(), Action::ReplaceSaving);
            }
            Ok(Action::Merge) if force != Force::No => {
                plan.insert(place.clone(), Action::ReplaceSaving);
            }
            Ok(action) => {
                plan.insert(place.clone(), action);
            }
            Err(reason) => refused.add(place, reason, present),
        }
    }
    refused.into_result(plan)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    Foreign,
    Edited,
}

fn to_have(wanted: &Content, present: &Present) -> Result<Action, Reason> {
    match (wanted, &present.found, &present.base) {
        (_, Found::Nothing, _) => Ok(Action::Create),
        (Content::Tree(wanted), Found::Tree(found), _) if found == wanted => Ok(Action::Keep),
        (Content::Link(wanted), Found::Link(found), _) if found == wanted => Ok(Action::Keep),
        (_, Found::Tree(found), Some(base)) if found == base => Ok(Action::Replace),
        // A link holds no work of anybody's.
        (_, Found::Link(_), Some(_)) => Ok(Action::Replace),
        (Content::Tree(wanted), Found::Tree(_), Some(base)) if base == wanted => Ok(Action::KeepEdited),
        (Content::Tree(_), Found::Tree(_), Some(_)) => Ok(Action::Merge),
        (_, _, Some(_)) => Err(Reason::Edited),
        (_, _, None) => Err(Reason::Foreign),
    }
}

fn to_lack(present: &Present) -> Result<Action, Reason> {
    match (&present.found, &present.base) {
        (Found::Nothing, _) => Ok(Action::Forget),
        (Found::Tree(found), Some(base)) if found == base => Ok(Action::Remove),
        (Found::Link(_), Some(_)) => Ok(Action::Remove),
        // Nothing says that it was ever ours: leave it alone.
        (_, None) => Ok(Action::Forget),
        (_, Some(_)) => Err(Reason::Edited),
    }
}

#[derive(Default)]
struct Refused {
    foreign: Vec<String>,
    edited: Vec<String>,
}

impl Refused {
    fn add(&mut self, place: &Place, reason: Reason, present: &Present) {
        let shown = match &present.found {
            Found::Other(what) => format!("{} ({what})", place.shown()),
            Found::Link(_) => format!("{} (a symbolic link)", place.shown()),
            _ => place.shown(),
        };
        match reason {
            Reason::Foreign => self.foreign.push(shown),
            Reason::Edited => self.edited.push(shown),
        }
    }

    fn into_result(self, plan: Plan) -> Result<Plan> {
        if !self.foreign.is_empty() {
            let error =
                Error::negative(told(&self.foreign, "was not put there by skillpm", "were not put there by skillpm"));
            return Err(error
                .help("move it away, or install under another name with `--as NAME`")
                .help("`--force` saves what is there under `.skillpm/backup` and goes on"));
        }
        if !self.edited.is_empty() {
            let error = Error::negative(told(
                &self.edited,
                "was edited since it was installed",
                "were edited since they were installed",
            ));
            return Err(error
                .help("`skillpm verify` shows the edits")
                .help("`--force` saves what is there under `.skillpm/backup` and goes on"));
        }
        Ok(plan)
    }
}

fn told(places: &[String], one: &str, many: &str) -> String {
    match places {
        [place] => format!("{place} {one}, so it is left alone"),
        places => format!("{} {many}, so they are left alone", places.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::Tree;

    fn sum(text: &str) -> Checksum {
        let mut tree = Tree::builder();
        tree.add("SKILL.md", text.into(), false).unwrap();
        Checksum::of(&tree.finish())
    }

    fn place() -> Place {
        Place { target: ".agents/skills".into(), name: "pdf".parse().unwrap() }
    }

    fn decide(wanted: Option<&str>, base: Option<&str>, found: Found, force: Force) -> Result<Action> {
        let wanted = wanted.map(|text| (place(), Content::Tree(sum(text)))).into_iter().collect();
        let present = [(place(), Present { base: base.map(sum), found })].into();
        plan(&wanted, &present, force).map(|plan| plan[&place()].clone())
    }

    #[test]
    fn the_whole_table() {
        let tree = |text: &str| Found::Tree(sum(text));
        for (wanted, base, found, action) in [
            (Some("new"), None, Found::Nothing, Action::Create),
            (Some("new"), Some("old"), Found::Nothing, Action::Create),
            (Some("new"), None, tree("new"), Action::Keep),
            (Some("new"), Some("old"), tree("new"), Action::Keep),
            (Some("new"), Some("old"), tree("old"), Action::Replace),
            (Some("new"), Some("new"), tree("edited"), Action::KeepEdited),
            (Some("new"), Some("old"), tree("edited"), Action::Merge),
            (None, Some("old"), tree("old"), Action::Remove),
            (None, Some("old"), Found::Nothing, Action::Forget),
            (None, None, tree("mine"), Action::Forget),
        ] {
            let told = format!("{wanted:?} {base:?} {found:?}");
            assert_eq!(decide(wanted, base, found, Force::No).unwrap(), action, "{told}");
        }
    }

    #[test]
    fn a_link_gives_way_to_a_copy_and_a_copy_to_a_link() {
        let to = |content: Content, found: Found| {
            let wanted = [(place(), content)].into();
            let present = [(place(), Present { base: Some(sum("old")), found })].into();
            plan(&wanted, &present, Force::No).unwrap()[&place()].clone()
        };
        let link = || PathBuf::from("../../.agents/skills/pdf");
        assert_eq!(to(Content::Tree(sum("old")), Found::Link(link())), Action::Replace);
        assert_eq!(to(Content::Link(link()), Found::Tree(sum("old"))), Action::Replace);
        assert_eq!(to(Content::Link(link()), Found::Link(link())), Action::Keep);
        assert_eq!(to(Content::Link(link()), Found::Link("elsewhere".into())), Action::Replace);
    }

    #[test]
    fn a_persons_work_is_refused_and_with_force_saved() {
        let edited = || Found::Tree(sum("edited"));
        for (wanted, base, saving) in [
            (Some("new"), None, Action::ReplaceSaving),
            (Some("new"), Some("old"), Action::ReplaceSaving),
            (None, Some("old"), Action::RemoveSaving),
        ] {
            let is_merged = wanted.is_some() && base.is_some();
            assert_eq!(decide(wanted, base, edited(), Force::No).ok(), is_merged.then_some(Action::Merge));
            assert_eq!(decide(wanted, base, edited(), Force::SaveAside).unwrap(), saving);
        }
        let kept = |force| decide(Some("old"), Some("old"), edited(), force).unwrap();
        assert_eq!(kept(Force::SaveAside), Action::KeepEdited);
        assert_eq!(kept(Force::Restore), Action::ReplaceSaving);
        let error = decide(Some("new"), None, Found::Link("../else".into()), Force::No).unwrap_err();
        assert_eq!(
            error.message(),
            "`.agents/skills/pdf` (a symbolic link) was not put there by skillpm, so it is left alone"
        );
    }
}
