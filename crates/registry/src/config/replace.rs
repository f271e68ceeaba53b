//! `[source]`: what sources are read from instead of themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Config, Origin, Set, edit, unset};
use crate::error::{Error, Result};
use crate::package::{IndexUrl, SourceId};

/// The name by which `skillpm vendor` calls its directory.
pub const DIRECTORY_SOURCE: &str = "vendored";

/// What stands in for sources, by their keys ([`SourceId::key`]).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replacements {
    /// Indexes and repositories that are read at another URL, which has the same form as a key.
    pub urls: BTreeMap<String, String>,
    /// Sources of which a directory has what is locked.
    pub directories: BTreeMap<String, Directory>,
}

/// A directory that stands in for sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// The path as it is written.
    pub path: String,
    /// Where it was set, which a relative path depends on.
    pub origin: Origin,
}

/// What one source is replaced with.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Instead {
    Url(String),
    Directory(Directory),
}

type Direct<'a> = BTreeMap<String, (Instead, &'a Set)>;

impl Config {
    /// What sources are read from instead of themselves.
    ///
    /// # Errors
    /// If a replacement names a source that there is not, or one that cannot stand in, or they lead round in a circle; the
    /// message names the layer.
    pub fn replacements(&self) -> Result<Replacements> {
        let mut direct = Direct::new();
        for (key, set) in &self.values {
            let Some(name) = key.strip_prefix("source.").and_then(|rest| rest.strip_suffix(".replace-with")) else {
                continue;
            };
            let told = |error: Error| error.note(format!("`{key}` is set in {}", set.origin));
            let Some(instead) = self.instead(&set.text).map_err(told)? else { continue };
            let from = self.source_of(name).map_err(told)?;
            if matches!((&instead, &set.origin), (Instead::Url(_), Origin::Project(_))) {
                self.check_mirror(&from).map_err(told)?;
            }
            if matches!(instead, Instead::Url(_)) && from.parse::<IndexUrl>().is_err() {
                return Err(told(
                    Error::usage(format!("`{from}` is replaced with `{}`", set.text))
                        .help("only a directory that `skillpm vendor` made can stand in for it"),
                ));
            }
            let is_outranked = direct.get(&from).is_some_and(|(_, other)| rank(&other.origin) > rank(&set.origin));
            if !is_outranked {
                direct.insert(from, (instead, set));
            }
        }
        let mut replacements = Replacements::default();
        for from in direct.keys() {
            match follow(&direct, from)? {
                Instead::Url(url) => drop(replacements.urls.insert(from.clone(), url)),
                Instead::Directory(directory) => drop(replacements.directories.insert(from.clone(), directory)),
            }
        }
        Ok(replacements)
    }

    /// Refuses a mirror that a project names for a source that the person's own settings mean something by: what they let
    /// through as coming from there would come from elsewhere.
    fn check_mirror(&self, from: &str) -> Result<()> {
        let is_own = |set: &Set| !matches!(set.origin, Origin::Project(_));
        let is_index =
            |key: &str| matches!(key.rsplit_once('.'), Some((name, "index")) if name.starts_with("registries."));
        let named = self.values.iter().find(|(key, set)| is_index(key) && is_own(set) && set.text == from);
        let policy = ["allow-sources", "deny-sources", "require-signed", "signers"];
        let policy = policy.iter().map(|key| format!("policy.{key}")).find(|key| self.values.contains_key(key));

        let why = match (named, policy) {
            _ if from == SourceId::EMBEDDED_INDEX => "it is the registry inside this program".to_owned(),
            (Some((key, set)), _) => format!("`{key}` is set in {}", set.origin),
            (None, Some(policy)) => format!("`{policy}` says what may come from where"),
            (None, None) => return Ok(()),
        };
        Err(Error::usage(format!("refusing to read `{from}` from a mirror that a project names"))
            .note(why)
            .help("take it out there, or move it to your own settings"))
    }

    /// What the value of a `replace-with` means; `None` for a directory where those are not used.
    fn instead(&self, text: &str) -> Result<Option<Instead>> {
        match self.values.get(&format!("source.{text}.directory")) {
            Some(set) => {
                let directory = Directory { path: set.text.clone(), origin: set.origin.clone() };
                Ok(self.switch("vendor.use").then_some(Instead::Directory(directory)))
            }
            None => self.index_of(text).map(|url| Some(Instead::Url(url))),
        }
    }

    /// The key of the source that a name or a text in a `[source]` table means.
    fn source_of(&self, text: &str) -> Result<String> {
        if ["path+", "archive+", "well-known+"].iter().any(|kind| text.starts_with(kind)) {
            return text.parse::<SourceId>().map(|source| source.key());
        }
        self.index_of(text)
    }
}

/// Which of two values counts, where they are of keys that mean the same source.
fn rank(origin: &Origin) -> (u8, usize) {
    match origin {
        Origin::Default => (0, 0),
        Origin::File(_) => (1, 0),
        Origin::Project(path) => (2, path.components().count()),
        Origin::Environment(_) => (3, 0),
        Origin::Flag => (4, 0),
    }
}

/// Where the replacements of a source end.
fn follow(direct: &Direct<'_>, from: &str) -> Result<Instead> {
    let mut way = vec![from];
    let mut last = &direct[from];
    while let (Instead::Url(to), set) = last {
        if way.contains(&to.as_str()) {
            let steps: Vec<String> = way.iter().chain([&to.as_str()]).map(|url| format!("`{url}`")).collect();
            return Err(Error::usage(format!("registries replace one another in a circle: {}", steps.join(" -> ")))
                .note(format!("the last of them is set in {}", set.origin))
                .help("take one `source.….replace-with` out; `skillpm config list` shows where each is set"));
        }
        way.push(to);
        match direct.get(to) {
            Some(next) => last = next,
            None => break,
        }
    }
    Ok(last.0.clone())
}

/// The text of a project's settings file with these sources, by key, replaced with a directory, and no others; without
/// sources, with nothing of it. Every other byte survives.
///
/// # Errors
/// If the text is not a settings file, or replaces one of the sources with something else.
pub fn vendored(file: &Path, text: &str, directory: &str, sources: &BTreeSet<String>) -> Result<String> {
    let mut own = Config::new();
    own.add_project_file(file, text)?;
    let mut text = text.to_owned();
    let mut done = BTreeSet::new();
    for (key, set) in &own.values {
        let Some(name) = key.strip_prefix("source.").and_then(|rest| rest.strip_suffix(".replace-with")) else {
            continue;
        };
        // A name that only another layer knows is not the source of any URL that is written here.
        let source = own.source_of(name).unwrap_or_default();
        match (set.text == DIRECTORY_SOURCE, sources.contains(&source)) {
            (true, true) => drop(done.insert(source)),
            (true, false) => text = unset(&text, key)?,
            (false, true) => {
                return Err(Error::negative(format!("`{source}` is replaced with `{}` already", set.text))
                    .note(format!("`{key}` is set in {}", file.display()))
                    .help("take that out, or move it to your own settings, where the project's count more"));
            }
            (false, false) => {}
        }
    }
    let own_key = format!("source.{DIRECTORY_SOURCE}.directory");
    if sources.is_empty() {
        return unset(&text, &own_key);
    }
    if own.values.get(&own_key).is_none_or(|set| set.text != directory) {
        text = edit(&text, &own_key, directory)?;
    }
    for source in sources.difference(&done) {
        text = edit(&text, &format!("source.{source}.replace-with"), DIRECTORY_SOURCE)?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::configured;
    use super::*;

    #[test]
    fn a_registry_is_replaced_by_name_or_url_over_several_steps() {
        let config = configured(
            "[registries.acme]\nindex = \"file:///acme\"\n[registries.far]\nindex = \"sparse+https://far.dev\"\n\
             [source.acme]\nreplace-with = \"far\"\n[source.\"sparse+https://far.dev/\"]\nreplace-with = \"file:///m/\"\n",
        );
        let mirrors = config.replacements().unwrap().urls;
        assert_eq!(mirrors["file:///acme"], "file:///m");
        assert_eq!(mirrors["sparse+https://far.dev/"], "file:///m");
        assert_eq!(mirrors.len(), 2);
    }

    #[test]
    fn a_circle_of_replacements_and_an_unknown_one_name_the_layer() {
        let circle = configured(
            "[source.\"file:///a\"]\nreplace-with = \"file:///b\"\n[source.\"file:///b\"]\nreplace-with = \"file:///a\"\n",
        );
        let error = circle.replacements().unwrap_err();
        assert!(error.message().ends_with("`file:///a` -> `file:///b` -> `file:///a`"), "{error:?}");
        assert_eq!(error.notes(), ["the last of them is set in c"]);
        let error = configured("[source.default]\nreplace-with = \"none\"\n").replacements().unwrap_err();
        assert_eq!(error.message(), "no registry `none` is configured");
        assert_eq!(error.notes().last().unwrap(), "`source.default.replace-with` is set in c");
        let itself = configured("[source.default]\nreplace-with = \"default\"\n");
        assert!(itself.replacements().is_err());
    }

    #[test]
    fn a_project_names_no_mirror_for_what_the_person_means_something_by() {
        let with = |own: &str, project: &str| {
            let mut config = configured(own);
            config.add_project_file(Path::new("p/.skillpm/config.toml"), project).unwrap();
            config.replacements()
        };
        let acme = "[registries.acme]\nindex = \"file:///acme\"\n";
        let git = "[source.\"git+https://h/s\"]\nreplace-with = \"git+https://m/s\"\n";
        for (own, project, why) in [
            (acme, "[source.acme]\nreplace-with = \"file:///evil\"\n", "`registries.acme.index` is set in c"),
            (
                acme,
                "[source.\"file:///acme\"]\nreplace-with = \"file:///evil\"\n",
                "`registries.acme.index` is set in c",
            ),
            ("", "[source.default]\nreplace-with = \"file:///evil\"\n", "it is the registry inside this program"),
            (
                "policy.allow-sources = [\"git:https://h/*\"]\n",
                git,
                "`policy.allow-sources` says what may come from where",
            ),
        ] {
            let error = with(own, project).unwrap_err();
            assert!(error.message().ends_with("from a mirror that a project names"), "{error:?}");
            assert_eq!(error.notes()[0], why);
            assert!(error.notes()[1].ends_with("is set in p/.skillpm/config.toml"), "{error:?}");
        }
        assert!(with("", git).is_ok());
        assert!(with("", &format!("{acme}[source.acme]\nreplace-with = \"file:///near\"\n")).is_ok());
        // A directory is held to the checksums of the lockfile.
        let vendored = "[source.d]\ndirectory = \"vendor\"\n[source.acme]\nreplace-with = \"d\"\n";
        assert_eq!(with(acme, vendored).unwrap().directories.len(), 1);
        let own = format!("{acme}[source.acme]\nreplace-with = \"file:///near\"\n");
        assert_eq!(with(&own, "").unwrap().urls["file:///acme"], "file:///near");
    }

    #[test]
    fn any_source_can_be_replaced_with_a_directory_and_only_an_index_or_a_repository_with_a_url() {
        let text = "[source.d]\ndirectory = \"vendor\"\n\
                    [source.default]\nreplace-with = \"d\"\n\
                    [source.\"git+https://h/r\"]\nreplace-with = \"d\"\n\
                    [source.\"git+https://h/s\"]\nreplace-with = \"git+https://m/s\"\n\
                    [source.\"path+../style\"]\nreplace-with = \"d\"\n";
        let replacements = configured(text).replacements().unwrap();
        let keys: Vec<&String> = replacements.directories.keys().collect();
        assert_eq!(keys, ["embedded:default", "git+https://h/r", "path+../style"]);
        assert_eq!(replacements.directories["path+../style"].path, "vendor");
        assert_eq!(replacements.urls["git+https://h/s"], "git+https://m/s");
        let error = configured("[source.\"path+../a\"]\nreplace-with = \"default\"\n").replacements().unwrap_err();
        assert_eq!(error.message(), "`path+../a` is replaced with `default`");
    }

    #[test]
    fn without_directories_the_mirrors_of_other_layers_hold() {
        let mut config = configured("[source.default]\nreplace-with = \"file:///m\"\n");
        let project = "[source.d]\ndirectory = \"vendor\"\n[source.\"embedded:default\"]\nreplace-with = \"d\"\n";
        config.add_project_file(Path::new("p/.skillpm/config.toml"), project).unwrap();
        assert!(config.replacements().unwrap().urls.is_empty(), "the project's word counts more");
        config.add_flag("vendor.use=false").unwrap();
        let replacements = config.replacements().unwrap();
        assert_eq!(replacements.urls["embedded:default"], "file:///m");
        assert!(replacements.directories.is_empty());
    }

    #[test]
    fn the_replacements_of_a_project_are_written_once_and_go_when_they_are_stale() {
        let sources = |keys: &[&str]| keys.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
        let file = Path::new("p/.skillpm/config.toml");
        let text = "# ours\n[net]\njobs = 2\n";
        let both = vendored(file, text, "vendor", &sources(&["embedded:default", "git+https://h/r"])).unwrap();
        assert_eq!(
            both,
            "# ours\n[net]\njobs = 2\n\n[source.vendored]\ndirectory = \"vendor\"\n\n\
             [source.\"embedded:default\"]\nreplace-with = \"vendored\"\n\n\
             [source.\"git+https://h/r\"]\nreplace-with = \"vendored\"\n"
        );
        let again = vendored(file, &both, "vendor", &sources(&["embedded:default", "git+https://h/r"])).unwrap();
        assert_eq!(again, both);
        let one = vendored(file, &both, "third", &sources(&["git+https://h/r"])).unwrap();
        assert!(one.contains("\"third\"") && !one.contains("embedded"), "{one}");
        assert_eq!(vendored(file, &one, "third", &sources(&[])).unwrap(), text);
        let taken = "[source.default]\nreplace-with = \"file:///m\"\n";
        let error = vendored(file, taken, "vendor", &sources(&["embedded:default"])).unwrap_err();
        assert_eq!(error.message(), "`embedded:default` is replaced with `file:///m` already");
    }
}
