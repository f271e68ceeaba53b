//! The official extension, `io.modelcontextprotocol/skills`: each skill with its frontmatter as the author wrote it, and
//! the digest of every file.

use rmcp::ErrorData;
use rmcp::model::{JsonObject, Skill, SkillFrontmatter, SkillResource, SkillResources};
use serde_json::{Value, json};

use super::resources::{is_plain, uri};
use crate::catalog::Entry;
use crate::ops::serve::Served;
use crate::skill;

const SKILL_MD: &str = "SKILL.md";

/// How many skills one page has: the `SKILL.md` of each is read for it.
const PAGE: usize = 100;

/// How a cursor begins; the last name that was told follows.
const CURSOR: &str = "after:";

/// Some of the skills, and the cursor that leads to the next.
///
/// # Errors
/// If the cursor is none that was given.
pub(super) fn page(served: &Served, cursor: Option<&str>) -> Result<(Vec<Skill>, Option<String>), ErrorData> {
    let (entries, next) = paged(served.skills().filter(|entry| is_plain(entry)), cursor, PAGE)?;
    Ok((entries.into_iter().filter_map(|entry| told(served, entry)).collect(), next))
}

/// `size` of these entries, which are sorted by name, from where the cursor says.
///
/// # Errors
/// If the cursor is none that was given.
pub(super) fn paged<'a>(
    entries: impl Iterator<Item = &'a Entry>,
    cursor: Option<&str>,
    size: usize,
) -> Result<(Vec<&'a Entry>, Option<String>), ErrorData> {
    let after = match cursor {
        None => None,
        Some(cursor) => Some(cursor.strip_prefix(CURSOR).ok_or_else(|| {
            ErrorData::invalid_params("the cursor is none that this server gave", Some(json!({"cursor": cursor})))
        })?),
    };
    let mut rest = entries.skip_while(|entry| after.is_some_and(|after| &*entry.candidate.listing.name <= after));
    let page: Vec<&Entry> = rest.by_ref().take(size).collect();
    let last = page.last().map(|entry| format!("{CURSOR}{}", entry.candidate.listing.name));
    Ok((page, rest.next().and(last)))
}

/// The skill whose `SKILL.md` has this URI.
///
/// # Errors
/// If there is none.
pub(super) fn get(served: &Served, asked: &str) -> Result<Skill, ErrorData> {
    let name = asked.strip_prefix("skill://").and_then(|rest| rest.strip_suffix("/SKILL.md"));
    let entry = name.and_then(|name| served.get(name)).filter(|entry| is_plain(entry));
    entry
        .and_then(|entry| told(served, entry))
        .ok_or_else(|| ErrorData::invalid_params("this server has no skill at that URI", Some(json!({"uri": asked}))))
}

/// A skill as the extension tells it; `None` if its file has gone, or does not call it what the catalog does.
fn told(served: &Served, entry: &Entry) -> Option<Skill> {
    let name = &*entry.candidate.listing.name;
    let bytes = served.read(entry, SKILL_MD).ok()?;
    let read = skill::read(&bytes, &entry.candidate.directory).skill?;
    let Value::Object(mut fields) = read.frontmatter else { return None };
    let text = |fields: &mut JsonObject, key| match fields.shift_remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let (called, description) = (text(&mut fields, "name")?, text(&mut fields, "description")?);
    if called != name {
        return None;
    }
    let mut frontmatter = SkillFrontmatter::new(called, description);
    frontmatter.extra = fields;
    let resource = |file: &crate::catalog::FileFact| {
        SkillResource::new(uri(name, &file.path), format!("sha256:{}", file.sha256), file.size)
    };
    let resources = entry.candidate.files().iter().map(resource).collect();
    Some(Skill::new(uri(name, SKILL_MD), frontmatter, SkillResources::Files(resources)))
}
