//! Registries: where each is read, and what is read in its place.

use std::collections::{BTreeMap, BTreeSet};

use super::{Config, Set};
use crate::error::{Error, Result, nearest};
use crate::package::{IndexUrl, SourceId};

/// The name that the registry inside this program goes by.
pub const EMBEDDED_REGISTRY: &str = "default";

impl Config {
    /// The name of the registry of names without one.
    #[must_use]
    pub fn default_registry(&self) -> String {
        self.text("registry.default").unwrap_or_else(|| EMBEDDED_REGISTRY.to_owned())
    }

    /// The names of all registries of which something is set, sorted.
    #[must_use]
    pub fn configured_registries(&self) -> Vec<String> {
        self.named_below("registries.")
    }

    /// The names of all registries, the default one first, then the one inside this program, then by name.
    #[must_use]
    pub fn registry_names(&self) -> Vec<String> {
        let mut names = vec![self.default_registry(), EMBEDDED_REGISTRY.to_owned()];
        names.extend(self.registries().into_keys());
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()));
        names
    }

    /// The index URL of a registry, canonical; of the default one for `None`.
    ///
    /// # Errors
    /// If no registry of that name is configured; the message offers the ones that are.
    pub fn registry(&self, name: Option<&str>) -> Result<String> {
        let name = match name {
            Some(name) => name.to_owned(),
            None => self.default_registry(),
        };
        match self.values.get(&format!("registries.{name}.index")) {
            Some(set) => Ok(set.text.clone()),
            None if name == EMBEDDED_REGISTRY => Ok(SourceId::EMBEDDED_INDEX.to_owned()),
            None => Err(self.no_registry(&name)),
        }
    }

    fn no_registry(&self, name: &str) -> Error {
        let registries = self.registries();
        let names: Vec<String> = registries.keys().map(|name| format!("`{name}`")).collect();
        let error = Error::usage(format!("no registry `{}` is configured", name.escape_debug()))
            .note(format!("there is {}", names.join(", ")));
        let error = match nearest(name, registries.keys().map(String::as_str)) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        };
        error.help(format!("set one with `skillpm config set registries.{name}.index sparse+https://host/path/`"))
    }

    /// The index URLs of all registries, by name; the one inside this program, too, unless its name is taken.
    #[must_use]
    pub fn registries(&self) -> BTreeMap<String, String> {
        let own = (EMBEDDED_REGISTRY.to_owned(), SourceId::EMBEDDED_INDEX.to_owned());
        let named = |(key, set): (&String, &Set)| {
            let name = key.strip_prefix("registries.")?.strip_suffix(".index")?;
            Some((name.to_owned(), set.text.clone()))
        };
        [own].into_iter().chain(self.values.iter().filter_map(named)).collect()
    }

    /// The URLs of indexes that may go back on what they said before.
    ///
    /// # Errors
    /// If there is no such registry; the message names the layer.
    pub fn rewritten(&self) -> Result<BTreeSet<String>> {
        self.accepted("registry.accept-rewritten")
    }

    /// The URLs of indexes that something may be chosen from past the time that they name.
    ///
    /// # Errors
    /// As for [`Config::rewritten`].
    pub fn expired(&self) -> Result<BTreeSet<String>> {
        self.accepted("registry.accept-expired")
    }

    /// The URLs of the indexes that a setting lists, and those that they are read at instead.
    fn accepted(&self, key: &str) -> Result<BTreeSet<String>> {
        let mirrors = self.replacements()?.urls;
        let mut urls = BTreeSet::new();
        for name in self.list(key) {
            let origin = self.get(key)?.map(|set| set.origin.to_string()).unwrap_or_default();
            let url = self.index_of(&name).map_err(|error| error.note(format!("`{key}` is set in {origin}")))?;
            urls.extend(mirrors.get(&url).cloned());
            urls.insert(url);
        }
        Ok(urls)
    }

    /// The index that a registry's name or an index's URL means.
    pub(super) fn index_of(&self, text: &str) -> Result<String> {
        if text.contains(':') { Ok(text.parse::<IndexUrl>()?.into()) } else { self.registry(Some(text)) }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::configured;
    use super::*;

    #[test]
    fn registries_are_found_by_name_and_the_default_can_be_another() {
        let mut config = Config::new();
        assert_eq!(config.registry(None).unwrap(), SourceId::EMBEDDED_INDEX);
        config
            .add_file(Path::new("c"), "[registries.acme]\nindex = \"file:///srv/i\"\n[registry]\ndefault = \"acme\"\n")
            .unwrap();
        assert_eq!(config.registry(None).unwrap(), "file:///srv/i");
        assert_eq!(config.registry(Some("default")).unwrap(), SourceId::EMBEDDED_INDEX);
        assert!(config.registry(Some("none")).is_err());
    }

    #[test]
    fn an_index_has_one_url_however_it_is_written_and_a_bad_one_names_its_layer() {
        let config = configured("[registries.acme]\nindex = \"sparse+https://Acme.dev/i\"\n");
        assert_eq!(config.registry(Some("acme")).unwrap(), "sparse+https://acme.dev/i/");
        let mut config = Config::new();
        let error = config.add_flag("registries.acme.index=https://acme.dev/i").unwrap_err();
        assert_eq!(error.message(), "`registries.acme.index` cannot be used");
        assert_eq!(error.notes(), ["it is set in --config"]);
        assert!(error.helps()[0].contains("`sparse+https://acme.dev/i`"), "{error:?}");
        assert!(config.add_flag("registries.acme.archives=https://acme.dev/i").is_err());
        assert!(config.add_flag("registries.a.b.index=file:///i").is_err(), "a name has no dot");
    }

    #[test]
    fn who_may_rewrite_is_known_by_name_url_and_mirror() {
        let mut config = configured("[source.default]\nreplace-with = \"file:///m\"\n");
        assert!(config.rewritten().unwrap().is_empty());
        config.add_flag("registry.accept-rewritten=default,file:///x/").unwrap();
        let urls: Vec<String> = config.rewritten().unwrap().into_iter().collect();
        assert_eq!(urls, ["embedded:default", "file:///m", "file:///x"]);
        let variable = |name: &str| (name == "SKILLPM_REGISTRY_ACCEPT_REWRITTEN").then(|| "file:///y".to_owned());
        config.values.clear();
        config.add_environment(&variable).unwrap();
        assert!(config.rewritten().unwrap().contains("file:///y"), "its colons are its own");
        assert!(config.expired().unwrap().is_empty());
    }
}
