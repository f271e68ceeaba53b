//! The official extension, `io.modelcontextprotocol/skills`: each skill with its frontmatter as the author wrote it, and
//! the digest of every file.

use rmcp::ErrorData;
use rmcp::model::{JsonObject, Skill, SkillFrontmatter, SkillResource, SkillResources};
use serde_json::{Value, json};

use super::resources::{fits_extension, skill_uri};
use skillpm_catalog::catalog::CatalogEntry;
use skillpm_core::skill;
use skillpm_ops::serve::ServedCatalog;

const SKILL_MD: &str = "SKILL.md";

/// How many skills one page has: the `SKILL.md` of each is read for it.
const PAGE: usize = 100;

/// Prefix of a cursor; the last listed name follows.
const CURSOR: &str = "after:";

/// One page of skills, and the cursor of the next page.
///
/// # Errors
/// If the cursor is invalid.
pub(super) fn list_page(
    served: &ServedCatalog,
    cursor: Option<&str>,
) -> Result<(Vec<Skill>, Option<String>), ErrorData> {
    let (entries, next) = paginate(
        served.skills().filter(|entry| fits_extension(entry)),
        cursor,
        PAGE,
    )?;

    Ok((
        entries
            .into_iter()
            // A page may have fewer skills than its size: one whose file cannot be read is skipped.
            .filter_map(|entry| extension_skill(served, entry))
            .collect(),
        next,
    ))
}

/// `size` of these entries, which are sorted by name, starting at the cursor.
///
/// # Errors
/// If the cursor is invalid.
pub(super) fn paginate<'a>(
    entries: impl Iterator<Item = &'a CatalogEntry>,
    cursor: Option<&str>,
    size: usize,
) -> Result<(Vec<&'a CatalogEntry>, Option<String>), ErrorData> {
    let after = match cursor {
        None => None,
        Some(cursor) => Some(cursor.strip_prefix(CURSOR).ok_or_else(|| {
            ErrorData::invalid_params(
                "invalid cursor: not issued by this server",
                Some(json!({"cursor": cursor})),
            )
        })?),
    };

    // By name and not by number, so that a page still follows when skills come and go.
    let mut rest = entries
        .skip_while(|entry| after.is_some_and(|after| &*entry.candidate.listing.name <= after));

    let page: Vec<&CatalogEntry> = rest.by_ref().take(size).collect();
    let last = page
        .last()
        .map(|entry| format!("{CURSOR}{}", entry.candidate.listing.name));
    // There is a next page only if something is left after this one.
    Ok((page, rest.next().and(last)))
}

/// The skill whose `SKILL.md` has this URI.
///
/// # Errors
/// If the skill is not found.
pub(super) fn get_skill(served: &ServedCatalog, uri: &str) -> Result<Skill, ErrorData> {
    let name = uri
        .strip_prefix("skill://")
        .and_then(|rest| rest.strip_suffix("/SKILL.md"));

    let entry = name
        .and_then(|name| served.get(name))
        .filter(|entry| fits_extension(entry));

    entry
        .and_then(|entry| extension_skill(served, entry))
        .ok_or_else(|| {
            ErrorData::invalid_params("no skill found at that URI", Some(json!({"uri": uri})))
        })
}

/// A skill in the extension's format; `None` if its file is missing, or has another name than the catalog.
fn extension_skill(served: &ServedCatalog, entry: &CatalogEntry) -> Option<Skill> {
    let name = &*entry.candidate.listing.name;
    // Read from the disk, because the extension shows the frontmatter as it was written.
    let bytes = served.read(entry, SKILL_MD).ok()?;
    let read = skill::read(&bytes, &entry.candidate.directory).skill?;

    let Value::Object(mut fields) = read.frontmatter else {
        return None;
    };

    // Taken out, since the extension has them as fields and all others as extra.
    let text = |fields: &mut JsonObject, key| match fields.shift_remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };

    let (called, description) = (
        text(&mut fields, "name")?,
        text(&mut fields, "description")?,
    );
    // The file has another name than the catalog: the list would contradict itself.
    if called != name {
        return None;
    }

    let mut frontmatter = SkillFrontmatter::new(called, description);
    frontmatter.extra = fields;

    let resource = |file: &skillpm_catalog::catalog::FileFact| {
        SkillResource::new(
            skill_uri(name, &file.path),
            format!("sha256:{}", file.sha256),
            file.size,
        )
    };

    let resources = entry.candidate.files().iter().map(resource).collect();
    Some(Skill::new(
        skill_uri(name, SKILL_MD),
        frontmatter,
        SkillResources::Files(resources),
    ))
}
