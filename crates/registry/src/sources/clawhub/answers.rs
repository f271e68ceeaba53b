//! The JSON of ClawHub's API, as far as it is used. Unknown keys are ignored.

use jiff::Timestamp;
use semver::Version;
use serde::Deserialize;

use skillpm_core::package::{PackageName, SkillName};

/// Most characters of a cursor, which becomes part of a URL.
const CURSOR_MAX: usize = 2048;

/// A skill as `/skills/SLUG` describes it.
#[derive(Debug)]
pub(super) struct SkillCard {
    /// Its present slug.
    pub slug: SkillName,
    /// The handle of its owner.
    pub owner: Option<String>,
    /// Whether the server blocks it as malware.
    pub is_blocked: bool,
    /// Whether the server flags it as suspicious.
    pub is_suspicious: bool,
}

#[derive(Deserialize)]
struct RawCard {
    skill: RawSkill,
    owner: Option<RawOwner>,
    moderation: Option<RawModeration>,
}

#[derive(Deserialize)]
struct RawSkill {
    slug: String,
}

#[derive(Deserialize)]
struct RawOwner {
    handle: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct RawModeration {
    is_suspicious: bool,
    is_malware_blocked: bool,
}

impl SkillCard {
    pub(super) fn parse(bytes: &[u8]) -> Result<SkillCard, String> {
        let raw: RawCard = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let moderation = raw.moderation.unwrap_or_default();
        Ok(SkillCard {
            slug: raw
                .skill
                .slug
                .parse()
                .map_err(|error: skillpm_core::error::Error| error.message().to_owned())?,
            owner: raw.owner.and_then(|owner| owner.handle),
            is_blocked: moderation.is_malware_blocked,
            is_suspicious: moderation.is_suspicious,
        })
    }

    /// Its name with its owner; without one whose handle no name can have.
    pub(super) fn package_name(&self) -> PackageName {
        let scoped = self.owner.as_ref().and_then(|owner| {
            format!("{}/{}", owner.to_ascii_lowercase(), self.slug)
                .parse()
                .ok()
        });
        scoped.unwrap_or_else(|| self.slug.clone().into())
    }
}

/// A page of `/skills/SLUG/versions`.
pub(super) struct VersionPage {
    /// The versions of the page.
    pub versions: Vec<(Version, Option<Timestamp>)>,
    /// The cursor of the next page.
    pub next: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawPage {
    items: Vec<RawVersion>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawVersion {
    version: String,
    created_at: Option<i64>,
}

impl VersionPage {
    pub(super) fn parse(bytes: &[u8]) -> Result<VersionPage, String> {
        let raw: RawPage = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let next = raw.next_cursor.filter(|cursor| !cursor.is_empty());
        if next
            .as_ref()
            .is_some_and(|cursor| cursor.len() > CURSOR_MAX)
        {
            return Err(format!("a cursor of more than {CURSOR_MAX} characters"));
        }

        // A commit, which skills of repositories may have as their version, is not one that can be required.
        let version = |raw: RawVersion| {
            let published = raw
                .created_at
                .and_then(|at| Timestamp::from_millisecond(at).ok());
            Some((Version::parse(&raw.version).ok()?, published))
        };
        Ok(VersionPage {
            versions: raw.items.into_iter().filter_map(version).collect(),
            next,
        })
    }
}

/// A skill in a repository on GitHub, which the server only refers to.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GitHubPointer {
    source_ref: String,
    commit: String,
    /// The directory of the skill; the root if it is missing or empty.
    pub path: Option<String>,
    /// An archive of the repository at that commit.
    pub archive_url: String,
}

impl GitHubPointer {
    pub(super) fn parse(bytes: &[u8]) -> Result<GitHubPointer, String> {
        let pointer: GitHubPointer =
            serde_json::from_slice(bytes).map_err(|error| format!("invalid answer: {error}"))?;
        if pointer.source_ref != "public-github" {
            return Err(format!(
                "unknown `sourceRef` `{}`",
                pointer.source_ref.escape_debug()
            ));
        }

        let commit = &pointer.commit;
        // A branch would give other files tomorrow.
        if commit.len() != 40 || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(format!(
                "invalid `commit` `{}`: it is not a full commit id",
                commit.escape_debug()
            ));
        }
        if !pointer.archive_url.contains(commit.as_str()) {
            return Err("its `archiveUrl` is not of its `commit`".to_owned());
        }
        Ok(pointer)
    }
}

/// The version that the server's own file in a zip names; `None` if it is a file of the skill.
pub(super) fn meta_version(bytes: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Meta {
        #[serde(rename = "slug")]
        _slug: String,
        version: String,
        #[serde(rename = "publishedAt")]
        _published_at: i64,
    }

    let meta: Meta = serde_json::from_slice(bytes).ok()?;
    Some(meta.version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_names_its_owner_and_its_moderation() {
        let card = SkillCard::parse(
            br#"{"skill":{"slug":"pdf","stats":{}},"latestVersion":null,"owner":{"handle":"Acme","image":null},
                "moderation":{"isSuspicious":true,"verdict":"suspicious"}}"#,
        )
        .unwrap();
        assert_eq!(card.package_name().to_string(), "acme/pdf");
        assert!(card.is_suspicious && !card.is_blocked);

        let card =
            SkillCard::parse(br#"{"skill":{"slug":"pdf"},"owner":{"handle":"a_b"}}"#).unwrap();
        assert_eq!(card.package_name().to_string(), "pdf");
        assert!(SkillCard::parse(br#"{"skill":{"slug":"../pdf"}}"#).is_err());
    }

    #[test]
    fn versions_that_are_none_are_left_out() {
        let page = VersionPage::parse(
            br#"{"items":[{"version":"1.2.3","createdAt":1763766000000},{"version":"main"}],"nextCursor":""}"#,
        )
        .unwrap();
        assert_eq!(page.versions.len(), 1);
        assert_eq!(page.next, None);
        let long = format!(r#"{{"items":[],"nextCursor":"{}"}}"#, "x".repeat(3000));
        assert!(VersionPage::parse(long.as_bytes()).is_err());
    }

    #[test]
    fn a_pointer_is_to_a_whole_commit() {
        let commit = "6838e77d0c5b1f3a6838e77d0c5b1f3a6838e77d";
        let pointer = |commit: &str, url: &str| {
            GitHubPointer::parse(
                format!(
                    r#"{{"sourceRef":"public-github","repo":"a/b","commit":"{commit}","path":"s","contentHash":"x","archiveUrl":"{url}"}}"#
                )
                .as_bytes(),
            )
        };
        let url = format!("https://codeload.github.com/a/b/zip/{commit}");
        assert!(pointer(commit, &url).is_ok());
        assert!(pointer("main", &url).is_err());
        assert!(pointer(commit, "https://codeload.github.com/a/b/zip/main").is_err());
    }

    #[test]
    fn only_a_file_of_the_server_is_its_own() {
        let meta = br#"{"ownerId":"x","slug":"pdf","version":"1.0.0","publishedAt":1}"#;
        assert_eq!(meta_version(meta).as_deref(), Some("1.0.0"));
        assert_eq!(meta_version(br#"{"version":"1.0.0"}"#), None);
    }
}
