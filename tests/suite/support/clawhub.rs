//! ClawHub's public API, as far as installing needs it: skills, pages of versions, downloads.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::json;

use super::archive::{self, Member};
use super::{Sandbox, Server, skill_md};

/// Versions in a page, whatever limit is requested: few, so that there are several pages.
const PAGE: usize = 2;

/// A server with the skills that were published to it.
pub(crate) struct ClawHub {
    server: Server,
    skills: Arc<Mutex<BTreeMap<String, HubSkill>>>,
}

#[derive(Clone, Default)]
struct HubSkill {
    owner: String,
    versions: Vec<HubVersion>,
    /// The slug that it is answered under.
    renamed: Option<String>,
    moderation: serde_json::Value,
}

#[derive(Clone)]
struct HubVersion {
    version: String,
    created: i64,
    download: Download,
}

/// What a download answers: status, type and body.
type Download = (u16, &'static str, Vec<u8>);

impl ClawHub {
    /// Starts a server, and sets it as the user's ClawHub.
    pub(crate) fn start(sandbox: &Sandbox) -> Self {
        let server = Server::start(sandbox);
        let skills: Arc<Mutex<BTreeMap<String, HubSkill>>> = Arc::default();
        let for_handler = Arc::clone(&skills);
        server.handle(Arc::new(move |path, query| {
            answer(&for_handler.lock().unwrap(), path, query)
        }));
        let hub = ClawHub { server, skills };
        sandbox
            .skillpm(format!("config set clawhub.url {}", hub.url()))
            .exits(0);
        hub
    }

    /// Its base URL.
    pub(crate) fn url(&self) -> String {
        self.server.url("").trim_end_matches('/').to_owned()
    }

    /// The server below, for faults and counters.
    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    /// Publishes a version of one file, and the file that ClawHub itself puts into each zip.
    pub(crate) fn publish(&self, name: &str, version: &str, text: &str) {
        let slug = name.rsplit('/').next().unwrap();
        let meta = json!({"ownerId": "u1", "slug": slug, "version": version, "publishedAt": 1});
        self.publish_files(
            name,
            version,
            &[
                ("SKILL.md", skill_md(slug, text).as_bytes(), 0o644),
                ("_meta.json", meta.to_string().as_bytes(), 0o644),
            ],
        );
    }

    /// Publishes a version with these files in its zip.
    pub(crate) fn publish_files(&self, name: &str, version: &str, files: &[Member<'_>]) {
        self.publish_download(name, version, (200, "application/zip", archive::zip(files)));
    }

    /// Publishes a version whose download answers so; again for one that exists already.
    pub(crate) fn publish_download(&self, name: &str, version: &str, download: Download) {
        let (owner, slug) = name.split_once('/').unwrap();
        let mut skills = self.skills.lock().unwrap();
        let skill = skills.entry(slug.to_owned()).or_default();
        owner.clone_into(&mut skill.owner);
        skill.versions.retain(|known| known.version != version);
        let created = 1_763_000_000_000 + 86_400_000 * i64::try_from(skill.versions.len()).unwrap();
        skill.versions.push(HubVersion {
            version: version.to_owned(),
            created,
            download,
        });
    }

    /// Removes a version from the list.
    pub(crate) fn remove(&self, slug: &str, version: &str) {
        let mut skills = self.skills.lock().unwrap();
        let skill = skills.get_mut(slug).unwrap();
        skill.versions.retain(|known| known.version != version);
    }

    /// Gives a skill another slug; the former answers under the new one.
    pub(crate) fn rename(&self, slug: &str, to: &str) {
        let mut skills = self.skills.lock().unwrap();
        let skill = skills.get(slug).unwrap().clone();
        skills.get_mut(slug).unwrap().renamed = Some(to.to_owned());
        skills.insert(to.to_owned(), skill);
    }

    /// Sets what the server says of a skill's safety.
    pub(crate) fn moderate(&self, slug: &str, moderation: serde_json::Value) {
        self.skills
            .lock()
            .unwrap()
            .get_mut(slug)
            .unwrap()
            .moderation = moderation;
    }

    /// The URL of an archive that is served besides, as GitHub would.
    pub(crate) fn serve_archive(
        &self,
        sandbox: &Sandbox,
        path: &str,
        files: &[Member<'_>],
    ) -> String {
        sandbox.write(&format!("../www/{path}"), archive::zip(files));
        format!("{}/{path}", self.url())
    }
}

fn answer(skills: &BTreeMap<String, HubSkill>, path: &str, query: &str) -> Option<Download> {
    let rest = path.strip_prefix("/api/v1/")?;
    let parameter = |key: &str| {
        url::form_urlencoded::parse(query.as_bytes())
            .find(|(name, _)| name == key)
            .map(|(_, value)| value.into_owned())
    };
    let found = match rest.split('/').collect::<Vec<_>>().as_slice() {
        ["skills", slug] => skills.get(*slug).map(|skill| card(slug, skill)),
        ["skills", slug, "versions"] => skills
            .get(*slug)
            .map(|skill| page(skill, parameter("cursor"))),
        ["download"] => skills.get(&parameter("slug")?).and_then(|skill| {
            let wanted = parameter("version")?;
            let known = skill
                .versions
                .iter()
                .find(|known| known.version == wanted)?;
            Some(known.download.clone())
        }),
        _ => None,
    };
    Some(found.unwrap_or_else(|| {
        (
            404,
            "text/plain; charset=utf-8",
            b"Skill not found".to_vec(),
        )
    }))
}

fn card(slug: &str, skill: &HubSkill) -> Download {
    let latest = skill
        .versions
        .last()
        .map(|last| json!({"version": last.version, "createdAt": 0}));
    let value = json!({
        "skill": {"slug": skill.renamed.as_deref().unwrap_or(slug), "displayName": slug, "tags": {}, "stats": {}},
        "latestVersion": latest,
        "owner": {"handle": skill.owner, "displayName": skill.owner, "image": null},
        "moderation": skill.moderation,
    });
    json_answer(&value)
}

fn page(skill: &HubSkill, cursor: Option<String>) -> Download {
    let start: usize = cursor.map_or(0, |cursor| cursor.trim_start_matches("c=").parse().unwrap());
    // The newest first, as the server does.
    let items: Vec<_> = skill
        .versions
        .iter()
        .rev()
        .skip(start)
        .take(PAGE)
        .map(
            |known| json!({"version": known.version, "createdAt": known.created, "changelog": "…"}),
        )
        .collect();
    let next = start + items.len();
    let cursor = (next < skill.versions.len()).then(|| format!("c={next}"));
    json_answer(&json!({"items": items, "nextCursor": cursor}))
}

fn json_answer(value: &serde_json::Value) -> Download {
    (200, "application/json", value.to_string().into_bytes())
}
