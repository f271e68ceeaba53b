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
    /// What was there after the last command: `base`, or that with a person's edits.
    pub last: Option<Checksum>,
    /// Where the link leads that skillpm put there, if it put a link there.
    pub link: Option<PathBuf>,
    /// What stands there now.
    pub found: Found,
    /// Whether that is a link to nothing.
    pub is_dangling: bool,
}

impl Present {
    /// The content of the directory that stands there; `None` if it is something else.
    #[must_use]
    pub fn tree(&self) -> Option<Checksum> {
        if let Found::Tree(checksum) = &self.found { Some(*checksum) } else { None }
    }

    /// Whether a person changed the content since the last command.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.tree().is_some() && self.last.is_some() && self.tree() != self.last
    }
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
    /// Its place is no longer one of a copy: carry a person's edits of it to the other copies, then take it away, or
    /// put the link there that is wanted.
    GiveWay,
    /// A person put a link there, or something in place of a link of skillpm's: it is theirs.
    Leave,
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

impl Action {
    /// Whether it puts a package's own content there.
    #[must_use]
    pub fn writes(&self) -> bool {
        matches!(self, Action::Merge | Action::Create | Action::Replace | Action::ReplaceSaving)
    }
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
            None => to_lack(place, present, wanted),
        };
        let action = action.or_else(|reason| match (force, wanted.contains_key(place)) {
            (Force::No, _) => Err(reason),
            (Force::SaveAside | Force::Restore, true) => Ok(Action::ReplaceSaving),
            (Force::SaveAside | Force::Restore, false) => Ok(Action::RemoveSaving),
        });
        match action {
            Ok(action) if is_forced(&action, force) => {
                let saving = if wanted.contains_key(place) { Action::ReplaceSaving } else { Action::RemoveSaving };
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

/// Whether a person's work is moved aside though it need not be.
fn is_forced(action: &Action, force: Force) -> bool {
    match action {
        Action::KeepEdited | Action::Leave => force == Force::Restore,
        Action::Merge | Action::GiveWay => force != Force::No,
        _ => false,
    }
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
        // Where a link was made, whatever else stands there is a person's.
        (_, Found::Tree(_) | Found::Other(_), _) if present.link.is_some() => Ok(Action::Leave),
        (_, Found::Tree(found), Some(base)) if found == base => Ok(Action::Replace),
        (_, Found::Link(_), Some(_)) if present.is_dangling => Ok(Action::Replace),
        (_, Found::Link(found), Some(_)) if present.link.as_ref() == Some(found) => Ok(Action::Replace),
        // A link to somewhere else, such as a checkout, is a person's.
        (_, Found::Link(_), Some(_)) => Ok(Action::Leave),
        (Content::Tree(wanted), Found::Tree(_), Some(base)) if base == wanted => Ok(Action::KeepEdited),
        (Content::Tree(_), Found::Tree(_), Some(_)) => Ok(Action::Merge),
        (Content::Link(_), Found::Tree(_), Some(_)) => Ok(Action::GiveWay),
        (_, _, Some(_)) => Err(Reason::Edited),
        (_, _, None) => Err(Reason::Foreign),
    }
}

fn to_lack(place: &Place, present: &Present, wanted: &BTreeMap<Place, Content>) -> Result<Action, Reason> {
    let stays_elsewhere =
        || wanted.iter().any(|(other, content)| other.name == place.name && matches!(content, Content::Tree(_)));
    match (&present.found, &present.base) {
        (Found::Nothing, _) => Ok(Action::Forget),
        (Found::Link(found), _) if present.link.as_ref() == Some(found) => Ok(Action::Remove),
        (_, Some(_)) if present.link.is_some() => Ok(Action::Leave),
        (Found::Tree(found), Some(base)) if found == base => Ok(Action::Remove),
        (Found::Link(_), Some(_)) => Ok(Action::Leave),
        (Found::Tree(_), Some(_)) if stays_elsewhere() => Ok(Action::GiveWay),
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

    fn present(base: Option<&str>, link: Option<&str>, found: Found) -> Present {
        let base = base.map(sum);
        Present { base, last: base, link: link.map(PathBuf::from), found, is_dangling: false }
    }

    fn decide(wanted: Option<&str>, base: Option<&str>, found: Found, force: Force) -> Result<Action> {
        let wanted = wanted.map(|text| (place(), Content::Tree(sum(text)))).into_iter().collect();
        let present = [(place(), present(base, None, found))].into();
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
            let present = [(place(), present(Some("old"), Some("../../.agents/skills/pdf"), found))].into();
            plan(&wanted, &present, Force::No).unwrap()[&place()].clone()
        };
        let link = || PathBuf::from("../../.agents/skills/pdf");
        assert_eq!(to(Content::Tree(sum("old")), Found::Link(link())), Action::Replace);
        assert_eq!(to(Content::Link(link()), Found::Link(link())), Action::Keep);
        let copied = [(place(), present(Some("old"), None, Found::Tree(sum("old"))))].into();
        let wanted = [(place(), Content::Link(link()))].into();
        assert_eq!(plan(&wanted, &copied, Force::No).unwrap()[&place()], Action::Replace);
    }

    #[test]
    fn a_link_that_a_person_made_stays_until_force_saves_it() {
        let link = "../../.agents/skills/pdf";
        for wanted in [Content::Tree(sum("old")), Content::Tree(sum("new")), Content::Link(link.into())] {
            for made in [None, Some(link)] {
                let present = [(place(), present(Some("old"), made, Found::Link("../checkout".into())))].into();
                let wanted = [(place(), wanted.clone())].into();
                let to = |force| plan(&wanted, &present, force).unwrap()[&place()].clone();
                assert_eq!(to(Force::No), Action::Leave, "{wanted:?}, {made:?}");
                assert_eq!(to(Force::Restore), Action::ReplaceSaving, "{wanted:?}, {made:?}");
                let nothing = Present { is_dangling: true, ..present[&place()].clone() };
                let replaced = super::plan(&wanted, &[(place(), nothing)].into(), Force::No).unwrap();
                assert_eq!(replaced[&place()], Action::Replace, "a link to nothing");
            }
        }
    }

    #[test]
    fn what_is_no_longer_wanted_there_is_carried_where_it_is_wanted() {
        let other = Place { target: ".claude/skills".into(), name: "pdf".parse().unwrap() };
        let to = |wanted: Option<Content>, link: Option<&str>, found: Found, force| {
            let mut all = BTreeMap::from([(place(), Content::Tree(sum("old")))]);
            all.extend(wanted.map(|content| (other.clone(), content)));
            let present = [(other.clone(), present(Some("old"), link, found))].into();
            plan(&all, &present, force).unwrap()[&other].clone()
        };
        let link = || Some(Content::Link("to".into()));
        let edited = || Found::Tree(sum("edited"));
        for wanted in [None, link()] {
            let saving = if wanted.is_some() { Action::ReplaceSaving } else { Action::RemoveSaving };
            assert_eq!(to(wanted.clone(), None, edited(), Force::No), Action::GiveWay);
            assert_eq!(to(wanted.clone(), None, edited(), Force::SaveAside), saving);
            assert_eq!(to(wanted.clone(), Some("to"), edited(), Force::No), Action::Leave);
            assert_eq!(to(wanted.clone(), Some("to"), Found::Tree(sum("old")), Force::No), Action::Leave);
            assert_eq!(to(wanted, Some("to"), Found::Other("a file".into()), Force::No), Action::Leave);
        }
        assert_eq!(to(None, Some("to"), Found::Link("to".into()), Force::No), Action::Remove);
        assert_eq!(to(None, Some("to"), Found::Link("a person's".into()), Force::No), Action::Leave);
        assert_eq!(to(None, None, Found::Link("a person's".into()), Force::No), Action::Leave);
        assert_eq!(to(Some(Content::Tree(sum("old"))), Some("to"), edited(), Force::No), Action::Leave);
        assert_eq!(to(Some(Content::Tree(sum("old"))), Some("to"), edited(), Force::Restore), Action::ReplaceSaving);
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
