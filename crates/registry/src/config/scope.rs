//! Which layer may set what. A project's settings come with a clone, so they may not weaken what protects its user;
//! [`SETTINGS`](super::SETTINGS) has the scope of each setting.

use super::registries::EMBEDDED_REGISTRY;
use super::settings::{SettingScope, SettingSpec, StrictnessOrder};
use super::value::is_true;
use super::{Config, SettingOrigin, SettingValue};
use skillpm_core::package::{parse_age, parse_cutoff};

/// A project's value that is ignored, since it would weaken what the user set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredValue {
    /// The setting's key.
    pub key: String,
    /// The value, and the project's file.
    pub set: SettingValue,
    /// Why it is ignored; ends the sentence "it is ignored: …".
    pub reason: String,
}

/// How a project's value is treated.
pub(super) enum ProjectValueDecision {
    /// It is used.
    Accept,
    /// It is no stricter than the present value, which is kept.
    Keep,
    /// It would weaken the present value, for this reason.
    Ignore(String),
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
    /// Decides how a value that a project gives to a setting is treated.
    pub(super) fn check_project_value(
        &self,
        setting: &SettingSpec,
        key: &str,
        text: &str,
    ) -> ProjectValueDecision {
        match setting.scope {
            // An error before this is called: see `check_project_key`.
            SettingScope::User(why) => ProjectValueDecision::Ignore(why.to_owned()),
            SettingScope::Stricter(stricter) => self.check_stricter(stricter, setting, key, text),
            // What is replaced can only be known once all settings are read: see `Config::replacements`.
            SettingScope::Unclaimed if key.starts_with("source.") => ProjectValueDecision::Accept,
            SettingScope::Unclaimed => self.check_unclaimed(key, text),
            SettingScope::Project => ProjectValueDecision::Accept,
        }
    }

    fn check_stricter(
        &self,
        stricter: StrictnessOrder,
        setting: &SettingSpec,
        key: &str,
        text: &str,
    ) -> ProjectValueDecision {
        let set = self
            .values
            .get(key)
            .map(|set| (set.text.as_str(), set.origin.to_string()));
        let current = set.or_else(|| Some((setting.default?, "the default".to_owned())));
        let old = current.as_ref().map(|(text, _)| *text);

        if stricter.is_looser(text, old) {
            let may = stricter.allowed_change();
            let kept = match &current {
                Some((old, origin)) => format!("it is `{old}` ({origin})"),
                None => "it is not set".to_owned(),
            };
            return ProjectValueDecision::Ignore(format!("a project may only {may}, and {kept}"));
        }

        let is_stricter = old.is_none_or(|old| stricter.is_looser(old, Some(text)));
        // An invalid value is an error where it is used, which names its origin.
        if is_stricter || !stricter.is_readable(text) {
            ProjectValueDecision::Accept
        } else {
            ProjectValueDecision::Keep
        }
    }

    /// A value that no project has set.
    pub(super) fn own_value(&self, key: &str) -> Option<&SettingValue> {
        let set = self.values.get(key)?;
        (!matches!(set.origin, SettingOrigin::Project(_))).then_some(set)
    }

    fn check_unclaimed(&self, key: &str, text: &str) -> ProjectValueDecision {
        let name = key
            .strip_prefix("registries.")
            .and_then(|rest| rest.rsplit_once('.'))
            .map_or("", |(name, _)| name);
        // Another project's value does not count: that came with a clone as well.
        let own = |key: &str| self.own_value(key);

        // The same value changes nothing, so there is nothing to warn about.
        if own(key).is_some_and(|set| set.text == text) {
            return ProjectValueDecision::Keep;
        }

        match own(key).or_else(|| own(&format!("registries.{name}.index"))) {
            Some(set) => ProjectValueDecision::Ignore(format!(
                "a project may not change a registry that {} sets",
                set.origin
            )),
            // The embedded registry is the user's even where nothing is configured.
            None if name == EMBEDDED_REGISTRY => ProjectValueDecision::Ignore(format!(
                "a project may not redefine the registry `{name}`"
            )),
            None => ProjectValueDecision::Accept,
        }
    }
}

impl StrictnessOrder {
    /// Whether a value is less strict than another; for `None`, than the behavior where nothing is set.
    fn is_looser(self, text: &str, than: Option<&str>) -> bool {
        match self {
            // An unset switch counts as the stricter value, which a project may not loosen either.
            StrictnessOrder::On => !is_true(text) && than.is_none_or(is_true),
            StrictnessOrder::Off => is_true(text) && !than.is_some_and(is_true),
            StrictnessOrder::Fewer => {
                parse_both(text, than, number).is_some_and(|(new, old)| new > old)
            }
            StrictnessOrder::Older => {
                parse_both(text, than, parse_age).is_some_and(|(new, old)| new < old)
            }
            StrictnessOrder::Earlier => {
                parse_both(text, than, parse_cutoff).is_some_and(|(new, old)| new > old)
            }
        }
    }

    fn is_readable(self, text: &str) -> bool {
        match self {
            StrictnessOrder::On | StrictnessOrder::Off => true,
            StrictnessOrder::Fewer => number(text).is_some(),
            StrictnessOrder::Older => parse_age(text).is_some(),
            StrictnessOrder::Earlier => parse_cutoff(text).is_some(),
        }
    }

    fn allowed_change(self) -> &'static str {
        match self {
            StrictnessOrder::On => "turn it on",
            StrictnessOrder::Off => "turn it off",
            StrictnessOrder::Fewer => "lower it",
            StrictnessOrder::Older => "raise it",
            StrictnessOrder::Earlier => "set an earlier date",
        }
    }
}

fn number(text: &str) -> Option<u64> {
    text.parse().ok()
}

/// Both values parsed for a comparison; `None` if one is invalid.
fn parse_both<T>(
    text: &str,
    than: Option<&str>,
    read: impl Fn(&str) -> Option<T>,
) -> Option<(T, T)> {
    Some((read(text)?, read(than?)?))
}
