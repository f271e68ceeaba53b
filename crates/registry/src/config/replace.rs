//! `[source]`: mirrors and directories that replace sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Config, SettingOrigin, SettingValue, set_value, unset_value};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{IndexUrl, SourceId};

/// The name of the source that `skillpm vendor` writes into settings.
pub const DIRECTORY_SOURCE: &str = "vendored";

/// The replacements of sources, by their keys ([`SourceId::location_key`]).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceReplacements {
    /// Indexes and repositories that are read at another URL, which has the same form as a key.
    pub urls: BTreeMap<String, String>,
    /// Sources whose locked packages are in a directory.
    pub directories: BTreeMap<String, ReplacementDirectory>,
}

/// A directory that replaces sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacementDirectory {
    /// The path as it is written.
    pub path: String,
    /// Where it was set, which a relative path depends on.
    pub origin: SettingOrigin,
}

/// The replacement of one source.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ReplacementTarget {
    Url(String),
    Directory(ReplacementDirectory),
}

type DirectReplacements<'a> = BTreeMap<String, (ReplacementTarget, &'a SettingValue)>;

impl Config {
    /// Resolves all replacements of sources.
    ///
    /// # Errors
    /// If a replacement names an unknown source, or one that cannot replace the other, or they form a cycle; the message
    /// names the layer.
    pub fn replacements(&self) -> Result<SourceReplacements> {
        let mut direct = DirectReplacements::new();
        for (key, set) in &self.values {
            let Some(name) = replaced_name(key) else {
                continue;
            };
            let replacement = self
                .resolve_pair(name, set)
                .map_err(|error| error.note(format!("`{key}` is set in {}", set.origin)))?;
            let Some((from, instead)) = replacement else {
                continue;
            };

            // One layer may name a registry, and another the URL of its index, and mean the same source.
            let is_outranked = direct
                .get(&from)
                .is_some_and(|(_, other)| origin_rank(&other.origin) > origin_rank(&set.origin));
            if !is_outranked {
                direct.insert(from, (instead, set));
            }
        }

        let mut replacements = SourceReplacements::default();
        // A mirror may itself be replaced, so each chain is followed to its end.
        for from in direct.keys() {
            match follow_replacements(&direct, from)? {
                ReplacementTarget::Url(url) => drop(replacements.urls.insert(from.clone(), url)),
                ReplacementTarget::Directory(directory) => {
                    drop(replacements.directories.insert(from.clone(), directory));
                }
            }
        }
        Ok(replacements)
    }

    /// The key of a source, and what replaces it; `None` for a directory where `vendor.use` is off.
    fn resolve_pair(
        &self,
        name: &str,
        set: &SettingValue,
    ) -> Result<Option<(String, ReplacementTarget)>> {
        let Some(instead) = self.resolve_replacement(&set.text)? else {
            return Ok(None);
        };
        let from = self.resolve_source_key(name)?;

        if matches!(instead, ReplacementTarget::Url(_)) {
            // A mirror that comes with a clone could serve other content under a trusted source's name.
            if matches!(set.origin, SettingOrigin::Project(_)) {
                self.check_mirror(&from)?;
            }
            // Directories, archives and sites have no mirror: only a vendored directory replaces them.
            if from.parse::<IndexUrl>().is_err() {
                return Err(
                    Error::usage(format!("cannot replace `{from}` with `{}`", set.text))
                        .help("only a directory written by `skillpm vendor` can replace it"),
                );
            }
        }
        Ok(Some((from, instead)))
    }

    /// Refuses a mirror that a project sets for a source that the user's own settings refer to: packages that these allow
    /// from that source would come from elsewhere.
    fn check_mirror(&self, from: &str) -> Result<()> {
        let is_own = |set: &SettingValue| !matches!(set.origin, SettingOrigin::Project(_));
        let is_index = |key: &str| matches!(key.rsplit_once('.'), Some((name, "index")) if name.starts_with("registries."));
        let named = self
            .values
            .iter()
            .find(|(key, set)| is_index(key) && is_own(set) && set.text == from);

        let policy = ["allow-sources", "deny-sources", "require-signed", "signers"];
        // Each of these allows or denies sources by where they are.
        let policy = policy
            .iter()
            .map(|key| format!("policy.{key}"))
            .find(|key| self.values.contains_key(key));

        let why = match (named, policy) {
            _ if from == SourceId::EMBEDDED_INDEX => {
                "it is the registry embedded in skillpm".to_owned()
            }
            (Some((key, set)), _) => format!("`{key}` is set in {}", set.origin),
            (None, Some(policy)) => format!("`{policy}` restricts where packages may come from"),
            (None, None) => return Ok(()),
        };

        Err(Error::usage(format!(
            "refusing to read `{from}` from a mirror that a project sets"
        ))
        .note(why)
        .help("remove it there, or move it to your own settings"))
    }

    /// The target that a `replace-with` value names; `None` for a directory where `vendor.use` is off.
    fn resolve_replacement(&self, text: &str) -> Result<Option<ReplacementTarget>> {
        match self.values.get(&format!("source.{text}.directory")) {
            // A name of a directory first: only `skillpm vendor` defines such names.
            Some(set) => {
                let directory = ReplacementDirectory {
                    path: set.text.clone(),
                    origin: set.origin.clone(),
                };
                Ok(self
                    .switch("vendor.use")
                    .then_some(ReplacementTarget::Directory(directory)))
            }
            None => self
                .resolve_index(text)
                .map(|url| Some(ReplacementTarget::Url(url))),
        }
    }

    /// The key of the source that a name or URL in a `[source]` table refers to.
    fn resolve_source_key(&self, text: &str) -> Result<String> {
        if ["path+", "archive+", "well-known+", "clawhub+"]
            .iter()
            .any(|kind| text.starts_with(kind))
        {
            return text.parse::<SourceId>().map(|source| source.location_key());
        }
        self.resolve_index(text)
    }
}

/// The name or URL of the source that a key replaces; `None` for any other key.
fn replaced_name(key: &str) -> Option<&str> {
    key.strip_prefix("source.")?.strip_suffix(".replace-with")
}

/// The precedence of a value, where two keys refer to the same source.
fn origin_rank(origin: &SettingOrigin) -> (u8, usize) {
    // As the layers rank, though here the keys differ and so do not replace one another.
    match origin {
        SettingOrigin::Default => (0, 0),
        SettingOrigin::File(_) => (1, 0),
        // Of two projects the inner one takes precedence: the path of its file is longer.
        SettingOrigin::Project(path) => (2, path.components().count()),
        SettingOrigin::Environment(_) => (3, 0),
        SettingOrigin::Flag => (4, 0),
    }
}

/// Follows the replacements of a source to the last one.
fn follow_replacements(direct: &DirectReplacements<'_>, from: &str) -> Result<ReplacementTarget> {
    // All that were passed, so that the message can show the whole cycle.
    let mut chain = vec![from];
    let mut last = &direct[from];

    while let (ReplacementTarget::Url(to), set) = last {
        if chain.contains(&to.as_str()) {
            let shown: Vec<String> = chain
                .iter()
                .chain([&to.as_str()])
                .map(|url| format!("`{url}`"))
                .collect();
            return Err(Error::usage(format!(
                "detected a cycle of `replace-with` sources: {}",
                shown.join(" -> ")
            ))
            .note(format!("the last of them is set in {}", set.origin))
            .help(
                "remove one `source.….replace-with`; `skillpm config list` shows where each is set",
            ));
        }

        chain.push(to);
        match direct.get(to) {
            Some(next) => last = next,
            None => break,
        }
    }

    Ok(last.0.clone())
}

/// Edits the text of a project's settings file, so that a directory replaces exactly these sources, by key; without
/// sources the directory is removed from it. Every other byte survives.
///
/// # Errors
/// If the text is not a settings file, or replaces one of the sources with something else.
pub fn with_vendored_sources(
    file: &Path,
    text: &str,
    directory: &str,
    sources: &BTreeSet<String>,
) -> Result<String> {
    // Read alone, without other layers: only what this file says may be changed in it.
    let mut own = Config::new();
    own.add_project_file(file, text)?;
    let (mut text, done) = remove_stale_replacements(file, &own, text, sources)?;

    if sources.is_empty() {
        return unset_value(&text, &directory_key());
    }
    // Left as it is where it is right, so that the file does not change for nothing.
    let set = own.values.get(&directory_key());
    if set.is_none_or(|set| set.text != directory) {
        text = set_value(&text, &directory_key(), directory)?;
    }

    for source in sources.difference(&done) {
        let key = format!("source.{source}.replace-with");
        text = set_value(&text, &key, DIRECTORY_SOURCE)?;
    }
    Ok(text)
}

/// Removes the replacements of sources that are not in `sources`, where skillpm wrote them; returns the text, and the
/// sources that are replaced already.
fn remove_stale_replacements(
    file: &Path,
    own: &Config,
    text: &str,
    sources: &BTreeSet<String>,
) -> Result<(String, BTreeSet<String>)> {
    let (mut text, mut done) = (text.to_owned(), BTreeSet::new());
    for (key, set) in &own.values {
        let Some(name) = replaced_name(key) else {
            continue;
        };
        // A name that only another layer defines is not the source of any URL in this file.
        let source = own.resolve_source_key(name).unwrap_or_default();
        // Whether `skillpm vendor` wrote it, and whether the source is still locked.
        match (set.text == DIRECTORY_SOURCE, sources.contains(&source)) {
            (true, true) => drop(done.insert(source)),
            (true, false) => text = unset_value(&text, key)?,
            (false, true) => {
                let note = format!("`{key}` is set in {}", file.display());
                return Err(already_replaced_error(&source, &set.text).note(note));
            }
            (false, false) => {}
        }
    }
    Ok((text, done))
}

fn directory_key() -> String {
    format!("source.{DIRECTORY_SOURCE}.directory")
}

fn already_replaced_error(source: &str, instead: &str) -> Error {
    Error::negative(format!(
        "cannot vendor `{source}`: it is already replaced with `{instead}`"
    ))
    .help("remove that, or move it to your own settings, over which the project's take precedence")
}

#[cfg(test)]
mod tests {
    use super::super::config_from_text;
    use super::*;

    #[test]
    fn a_registry_is_replaced_by_name_or_url_over_several_steps() {
        let config = config_from_text(
            "[registries.acme]\nindex = \"file:///acme\"\n[registries.far]\nindex = \"sparse+https://far.dev\"\n\
             [source.acme]\nreplace-with = \"far\"\n[source.\"sparse+https://far.dev/\"]\nreplace-with = \"file:///m/\"\n",
        );
        let mirrors = config.replacements().unwrap().urls;
        assert_eq!(mirrors["file:///acme"], "file:///m");
        assert_eq!(mirrors["sparse+https://far.dev/"], "file:///m");
        assert_eq!(mirrors.len(), 2);
    }

    #[test]
    fn the_error_for_a_cycle_or_an_unknown_source_names_the_layer() {
        let cycle = config_from_text(
            "[source.\"file:///a\"]\nreplace-with = \"file:///b\"\n[source.\"file:///b\"]\nreplace-with = \"file:///a\"\n",
        );
        let error = cycle.replacements().unwrap_err();
        assert!(
            error
                .message()
                .ends_with("`file:///a` -> `file:///b` -> `file:///a`"),
            "{error:?}"
        );
        assert_eq!(error.notes(), ["the last of them is set in c"]);
        let error = config_from_text("[source.default]\nreplace-with = \"none\"\n")
            .replacements()
            .unwrap_err();
        assert_eq!(error.message(), "unknown registry `none`");
        assert_eq!(
            error.notes().last().unwrap(),
            "`source.default.replace-with` is set in c"
        );
        let itself = config_from_text("[source.default]\nreplace-with = \"default\"\n");
        assert!(itself.replacements().is_err());
    }

    #[test]
    fn a_project_sets_no_mirror_for_a_source_in_user_settings() {
        let with = |own: &str, project: &str| {
            let mut config = config_from_text(own);
            config
                .add_project_file(Path::new("p/.skillpm/config.toml"), project)
                .unwrap();
            config.replacements()
        };
        let acme = "[registries.acme]\nindex = \"file:///acme\"\n";
        let git = "[source.\"git+https://h/s\"]\nreplace-with = \"git+https://m/s\"\n";
        for (own, project, why) in [
            (
                acme,
                "[source.acme]\nreplace-with = \"file:///evil\"\n",
                "`registries.acme.index` is set in c",
            ),
            (
                acme,
                "[source.\"file:///acme\"]\nreplace-with = \"file:///evil\"\n",
                "`registries.acme.index` is set in c",
            ),
            (
                "",
                "[source.default]\nreplace-with = \"file:///evil\"\n",
                "it is the registry embedded in skillpm",
            ),
            (
                "policy.allow-sources = [\"git:https://h/*\"]\n",
                git,
                "`policy.allow-sources` restricts where packages may come from",
            ),
        ] {
            let error = with(own, project).unwrap_err();
            assert!(
                error
                    .message()
                    .ends_with("from a mirror that a project sets"),
                "{error:?}"
            );
            assert_eq!(error.notes()[0], why);
            assert!(
                error.notes()[1].ends_with("is set in p/.skillpm/config.toml"),
                "{error:?}"
            );
        }
        assert!(with("", git).is_ok());
        assert!(
            with(
                "",
                &format!("{acme}[source.acme]\nreplace-with = \"file:///near\"\n")
            )
            .is_ok()
        );
        // A directory is allowed, since its packages are checked against the lockfile.
        let vendored = "[source.d]\ndirectory = \"vendor\"\n[source.acme]\nreplace-with = \"d\"\n";
        assert_eq!(with(acme, vendored).unwrap().directories.len(), 1);
        let own = format!("{acme}[source.acme]\nreplace-with = \"file:///near\"\n");
        assert_eq!(with(&own, "").unwrap().urls["file:///acme"], "file:///near");
    }

    #[test]
    fn only_an_index_or_a_repository_is_replaced_with_a_url() {
        let text = "[source.d]\ndirectory = \"vendor\"\n\
                    [source.default]\nreplace-with = \"d\"\n\
                    [source.\"git+https://h/r\"]\nreplace-with = \"d\"\n\
                    [source.\"git+https://h/s\"]\nreplace-with = \"git+https://m/s\"\n\
                    [source.\"path+../style\"]\nreplace-with = \"d\"\n";
        let replacements = config_from_text(text).replacements().unwrap();
        let keys: Vec<&String> = replacements.directories.keys().collect();
        assert_eq!(
            keys,
            ["embedded:default", "git+https://h/r", "path+../style"]
        );
        assert_eq!(replacements.directories["path+../style"].path, "vendor");
        assert_eq!(replacements.urls["git+https://h/s"], "git+https://m/s");
        let error = config_from_text("[source.\"path+../a\"]\nreplace-with = \"default\"\n")
            .replacements()
            .unwrap_err();
        assert_eq!(error.message(), "cannot replace `path+../a` with `default`");
    }

    #[test]
    fn without_directories_the_mirrors_of_other_layers_apply() {
        let mut config = config_from_text("[source.default]\nreplace-with = \"file:///m\"\n");
        let project = "[source.d]\ndirectory = \"vendor\"\n[source.\"embedded:default\"]\nreplace-with = \"d\"\n";
        config
            .add_project_file(Path::new("p/.skillpm/config.toml"), project)
            .unwrap();
        assert!(
            config.replacements().unwrap().urls.is_empty(),
            "the project's setting takes precedence"
        );
        config.add_flag("vendor.use=false").unwrap();
        let replacements = config.replacements().unwrap();
        assert_eq!(replacements.urls["embedded:default"], "file:///m");
        assert!(replacements.directories.is_empty());
    }

    #[test]
    fn the_replacements_of_a_project_are_written_once_and_removed_when_stale() {
        let sources = |keys: &[&str]| {
            keys.iter()
                .map(ToString::to_string)
                .collect::<BTreeSet<_>>()
        };
        let file = Path::new("p/.skillpm/config.toml");
        let text = "# ours\n[net]\njobs = 2\n";
        let both = with_vendored_sources(
            file,
            text,
            "vendor",
            &sources(&["embedded:default", "git+https://h/r"]),
        )
        .unwrap();
        assert_eq!(
            both,
            "# ours\n[net]\njobs = 2\n\n[source.vendored]\ndirectory = \"vendor\"\n\n\
             [source.\"embedded:default\"]\nreplace-with = \"vendored\"\n\n\
             [source.\"git+https://h/r\"]\nreplace-with = \"vendored\"\n"
        );
        let again = with_vendored_sources(
            file,
            &both,
            "vendor",
            &sources(&["embedded:default", "git+https://h/r"]),
        )
        .unwrap();
        assert_eq!(again, both);
        let one =
            with_vendored_sources(file, &both, "third", &sources(&["git+https://h/r"])).unwrap();
        assert!(
            one.contains("\"third\"") && !one.contains("embedded"),
            "{one}"
        );
        assert_eq!(
            with_vendored_sources(file, &one, "third", &sources(&[])).unwrap(),
            text
        );
        let taken = "[source.default]\nreplace-with = \"file:///m\"\n";
        let error = with_vendored_sources(file, taken, "vendor", &sources(&["embedded:default"]))
            .unwrap_err();
        assert_eq!(
            error.message(),
            "cannot vendor `embedded:default`: it is already replaced with `file:///m`"
        );
    }
}
