//! Registries: the index of each, and those with exceptions.

use std::collections::{BTreeMap, BTreeSet};

use super::{Config, SettingValue};
use skillpm_core::error::{Error, Result, nearest_name};
use skillpm_core::manifest::CLAWHUB_LOOKUP;
use skillpm_core::package::{IndexUrl, SiteUrl, SourceId};

/// The name of the registry that is embedded in the program.
pub const EMBEDDED_REGISTRY: &str = "default";

impl Config {
    /// The name of the registry for package names without one.
    #[must_use]
    pub fn default_registry(&self) -> String {
        self.text("registry.default")
            .unwrap_or_else(|| EMBEDDED_REGISTRY.to_owned())
    }

    /// The default registry, if it is not the project that names it: a clone of the project would look elsewhere.
    #[must_use]
    pub fn own_default_registry(&self) -> Option<&str> {
        Some(&self.own_value("registry.default")?.text)
    }

    /// The index URL of a registry that a clone of the project does not know.
    #[must_use]
    pub fn own_index(&self, name: &str) -> Option<&str> {
        Some(&self.own_value(&format!("registries.{name}.index"))?.text)
    }

    /// The names of all registries of which something is set, sorted.
    #[must_use]
    pub fn configured_registries(&self) -> Vec<String> {
        self.names_under("registries.")
    }

    /// Whether the settings have a registry of that name.
    #[must_use]
    pub fn is_registry(&self, name: &str) -> bool {
        self.configured_registries()
            .iter()
            .any(|known| known == name)
    }

    /// The names of all registries, the default one first, then the embedded one, then by name.
    #[must_use]
    pub fn registry_names(&self) -> Vec<String> {
        let mut names = vec![self.default_registry(), EMBEDDED_REGISTRY.to_owned()];
        names.extend(self.registries().into_keys());
        let mut seen = BTreeSet::new();
        // The default registry may be the embedded one, and either may be configured.
        names.retain(|name| seen.insert(name.clone()));
        names
    }

    /// The index URL of a registry, canonical; of the default one for `None`.
    ///
    /// # Errors
    /// If no registry of that name is configured; the message offers the ones that are.
    pub fn registry(&self, name: Option<&str>) -> Result<String> {
        let name = match name {
            Some(CLAWHUB_LOOKUP) => return Ok(self.clawhub_url()?.as_str().to_owned()),
            Some(name) => name.to_owned(),
            None => self.default_registry(),
        };

        // A configured `default` takes precedence over the embedded one.
        match self.values.get(&format!("registries.{name}.index")) {
            Some(set) => Ok(set.text.clone()),
            None if name == EMBEDDED_REGISTRY => Ok(SourceId::EMBEDDED_INDEX.to_owned()),
            None => Err(self.unknown_registry_error(&name)),
        }
    }

    /// The base URL of ClawHub.
    ///
    /// # Errors
    /// If `clawhub.url` is not the URL of a site; the message names the layer.
    pub fn clawhub_url(&self) -> Result<SiteUrl> {
        let text = self.text("clawhub.url").unwrap_or_default();
        let parsed: Result<SiteUrl> = text.parse();
        parsed.map_err(|error| match self.get("clawhub.url") {
            Ok(Some(set)) => error.note(format!("`clawhub.url` is set in {}", set.origin)),
            _ => error,
        })
    }

    fn unknown_registry_error(&self, name: &str) -> Error {
        let registries = self.registries();
        let names: Vec<String> = registries.keys().map(|name| format!("`{name}`")).collect();
        let error = Error::usage(format!("unknown registry `{}`", name.escape_debug()))
            .note(format!("configured registries: {}", names.join(", ")));

        let error = match nearest_name(name, registries.keys().map(String::as_str)) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        };
        error.help(format!(
            "set one with `skillpm config set registries.{name}.index sparse+https://host/path/`"
        ))
    }

    /// The index URLs of all registries, by name; the embedded one, too, unless its name is configured.
    #[must_use]
    pub fn registries(&self) -> BTreeMap<String, String> {
        let own = (
            EMBEDDED_REGISTRY.to_owned(),
            SourceId::EMBEDDED_INDEX.to_owned(),
        );
        let named = |(key, set): (&String, &SettingValue)| {
            let name = key.strip_prefix("registries.")?.strip_suffix(".index")?;
            Some((name.to_owned(), set.text.clone()))
        };

        // Chained last: a configured `default` replaces the embedded one.
        [own]
            .into_iter()
            .chain(self.values.iter().filter_map(named))
            .collect()
    }

    /// The URLs of indexes that may change published versions (`registry.accept-rewritten`).
    ///
    /// # Errors
    /// If a registry in the list is unknown; the message names the layer.
    pub fn accept_rewritten(&self) -> Result<BTreeSet<String>> {
        self.accepted_indexes("registry.accept-rewritten")
    }

    /// The URLs of indexes that may be used after they expired (`registry.accept-expired`).
    ///
    /// # Errors
    /// As for [`Config::accept_rewritten`].
    pub fn accept_expired(&self) -> Result<BTreeSet<String>> {
        self.accepted_indexes("registry.accept-expired")
    }

    /// The URLs of the indexes that a setting lists, and those of their mirrors.
    fn accepted_indexes(&self, key: &str) -> Result<BTreeSet<String>> {
        let mirrors = self.replacements()?.urls;
        let mut urls = BTreeSet::new();

        for name in self.list(key) {
            let origin = self
                .get(key)?
                .map(|set| set.origin.to_string())
                .unwrap_or_default();
            let url = self
                .resolve_index(&name)
                .map_err(|error| error.note(format!("`{key}` is set in {origin}")))?;
            // With a registry its mirror is accepted, too, as that is what is really read.
            urls.extend(mirrors.get(&url).cloned());
            urls.insert(url);
        }

        Ok(urls)
    }

    /// The index URL of a registry's name; an index's URL is made canonical.
    pub(super) fn resolve_index(&self, text: &str) -> Result<String> {
        if text.contains(':') {
            Ok(text.parse::<IndexUrl>()?.into())
        } else {
            self.registry(Some(text))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::config_from_text;
    use super::*;

    #[test]
    fn registries_are_found_by_name_and_the_default_can_be_another() {
        let mut config = Config::new();
        assert_eq!(config.registry(None).unwrap(), SourceId::EMBEDDED_INDEX);
        config
            .add_file(
                Path::new("c"),
                "[registries.acme]\nindex = \"file:///srv/i\"\n[registry]\ndefault = \"acme\"\n",
            )
            .unwrap();
        assert_eq!(config.registry(None).unwrap(), "file:///srv/i");
        assert_eq!(
            config.registry(Some("default")).unwrap(),
            SourceId::EMBEDDED_INDEX
        );
        assert!(config.registry(Some("none")).is_err());
    }

    #[test]
    fn invalid_index_url_is_reported_with_its_layer() {
        let config = config_from_text("[registries.acme]\nindex = \"sparse+https://Acme.dev/i\"\n");
        assert_eq!(
            config.registry(Some("acme")).unwrap(),
            "sparse+https://acme.dev/i/"
        );
        let mut config = Config::new();
        let error = config
            .add_flag("registries.acme.index=https://acme.dev/i")
            .unwrap_err();
        assert_eq!(error.message(), "invalid value for `registries.acme.index`");
        assert_eq!(error.notes(), ["it is set in --config"]);
        assert!(
            error.helps()[0].contains("`sparse+https://acme.dev/i`"),
            "{error:?}"
        );
        assert!(
            config
                .add_flag("registries.acme.archives=https://acme.dev/i")
                .is_err()
        );
        assert!(
            config.add_flag("registries.a.b.index=file:///i").is_err(),
            "a name has no dot"
        );
    }

    #[test]
    fn accepted_indexes_are_known_by_name_url_and_mirror() {
        let mut config = config_from_text("[source.default]\nreplace-with = \"file:///m\"\n");
        assert!(config.accept_rewritten().unwrap().is_empty());
        config
            .add_flag("registry.accept-rewritten=default,file:///x/")
            .unwrap();
        let urls: Vec<String> = config.accept_rewritten().unwrap().into_iter().collect();
        assert_eq!(urls, ["embedded:default", "file:///m", "file:///x"]);
        let variable = |name: &str| {
            (name == "SKILLPM_REGISTRY_ACCEPT_REWRITTEN").then(|| "file:///y".to_owned())
        };
        config.values.clear();
        config.add_environment(&variable).unwrap();
        assert!(
            config.accept_rewritten().unwrap().contains("file:///y"),
            "its colons are its own"
        );
        assert!(config.accept_expired().unwrap().is_empty());
    }
}
