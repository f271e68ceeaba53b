//! Who may set what. A project's settings come with a clone, so they may not weaken what protects the person who works
//! in it; [`SETTINGS`](super::SETTINGS) says of each setting what that means.

use super::registries::EMBEDDED_REGISTRY;
use super::settings::Setting;
use super::value::is_true;
use super::{Config, Origin, Set};
use crate::package::{age, instant};

/// Who may set something, besides the person who works here: on the command line, in the environment, in their own file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingScope {
    /// Nobody else, for this reason. A project's file that sets it is an error.
    User(&'static str),
    /// A project, to be stricter than the person is. A value that is less strict is ignored, with a warning.
    Stricter(Stricter),
    /// A project, for registries and sources that the person's own settings do not name. Others are ignored, with a
    /// warning; a mirror for them is an error.
    Unclaimed,
    /// A project, whatever the person says: it is about the project alone.
    Project,
}

/// Which of two values is the stricter one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stricter {
    /// `true`.
    On,
    /// `false`.
    Off,
    /// The smaller number.
    Fewer,
    /// The longer age.
    Older,
    /// The earlier date.
    Earlier,
}

/// A project's value that does not count, since it would weaken what the person set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredValue {
    /// The setting's key.
    pub key: String,
    /// The value, and the project's file.
    pub set: Set,
    /// Why it does not count; ends the sentence "it is ignored: …".
    pub because: String,
}

/// What becomes of a project's value.
pub(super) enum Verdict {
    /// It counts.
    Takes,
    /// What was there counts as much.
    Keeps,
    /// It would weaken what is there, for this reason.
    Ignores(String),
}

impl SettingScope {
    /// The word for it: `user`, `stricter`, `unclaimed` or `project`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SettingScope::User(_) => "user",
            SettingScope::Stricter(_) => "stricter",
            SettingScope::Unclaimed => "unclaimed",
            SettingScope::Project => "project",
        }
    }
}

impl Config {
    /// What becomes of a value that a project gives to a setting.
    pub(super) fn judge(&self, setting: &Setting, key: &str, text: &str) -> Verdict {
        match setting.scope {
            // Refused before this is asked.
            SettingScope::User(why) => Verdict::Ignores(why.to_owned()),
            SettingScope::Stricter(stricter) => self.judge_stricter(stricter, setting, (key, text)),
            // What is replaced can only be known once all settings are read: see `Config::replacements`.
            SettingScope::Unclaimed if key.starts_with("source.") => Verdict::Takes,
            SettingScope::Unclaimed => self.judge_unclaimed(key, text),
            SettingScope::Project => Verdict::Takes,
        }
    }

    fn judge_stricter(&self, stricter: Stricter, setting: &Setting, (key, text): (&str, &str)) -> Verdict {
        let set = self.values.get(key).map(|set| (set.text.as_str(), set.origin.to_string()));
        let current = set.or_else(|| Some((setting.default?, "the default".to_owned())));
        let old = current.as_ref().map(|(text, _)| *text);

        if stricter.is_looser(text, old) {
            let may = stricter.what_may_be();
            let kept = match &current {
                Some((old, place)) => format!("it is `{old}` ({place})"),
                None => "it is not set".to_owned(),
            };
            return Verdict::Ignores(format!("a project may only {may}, and {kept}"));
        }
        let is_stricter = old.is_none_or(|old| stricter.is_looser(old, Some(text)));
        // One that cannot be read is an error for whoever uses it, which names this place.
        if is_stricter || !stricter.is_readable(text) { Verdict::Takes } else { Verdict::Keeps }
    }

    fn judge_unclaimed(&self, key: &str, text: &str) -> Verdict {
        let name = key.strip_prefix("registries.").and_then(|rest| rest.rsplit_once('.')).map_or("", |(name, _)| name);
        let own = |key: &str| self.values.get(key).filter(|set| !matches!(set.origin, Origin::Project(_)));

        if own(key).is_some_and(|set| set.text == text) {
            return Verdict::Keeps;
        }
        match own(key).or_else(|| own(&format!("registries.{name}.index"))) {
            Some(set) => Verdict::Ignores(format!("a project may not change a registry that {} sets", set.origin)),
            None if name == EMBEDDED_REGISTRY => {
                Verdict::Ignores(format!("a project may not give another meaning to the registry `{name}`"))
            }
            None => Verdict::Takes,
        }
    }
}

impl Stricter {
    /// Whether a value is less strict than another; than what holds where nothing is set, for `None`.
    fn is_looser(self, text: &str, than: Option<&str>) -> bool {
        match self {
            Stricter::On => !is_true(text) && than.is_none_or(is_true),
            Stricter::Off => is_true(text) && !than.is_some_and(is_true),
            Stricter::Fewer => ordered(text, than, number).is_some_and(|(new, old)| new > old),
            Stricter::Older => ordered(text, than, age).is_some_and(|(new, old)| new < old),
            Stricter::Earlier => ordered(text, than, instant).is_some_and(|(new, old)| new > old),
        }
    }

    fn is_readable(self, text: &str) -> bool {
        match self {
            Stricter::On | Stricter::Off => true,
            Stricter::Fewer => number(text).is_some(),
            Stricter::Older => age(text).is_some(),
            Stricter::Earlier => instant(text).is_some(),
        }
    }

    fn what_may_be(self) -> &'static str {
        match self {
            Stricter::On => "turn it on",
            Stricter::Off => "turn it off",
            Stricter::Fewer => "lower it",
            Stricter::Older => "raise it",
            Stricter::Earlier => "set an earlier date",
        }
    }
}

fn number(text: &str) -> Option<u64> {
    text.parse().ok()
}

/// Both values as they are compared; `None` if one cannot be.
fn ordered<T>(text: &str, than: Option<&str>, read: impl Fn(&str) -> Option<T>) -> Option<(T, T)> {
    Some((read(text)?, read(than?)?))
}
