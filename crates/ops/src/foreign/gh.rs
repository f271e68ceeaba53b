//! `gh skill`: reads what it adds to the frontmatter of each skill; it has no file of its own.
//!
//! ```yaml
//! metadata:
//!     github-path: skills/pdf
//!     github-pinned: v1.2.0              # what `--pin` named: a tag, a branch or a commit
//!     github-ref: refs/tags/v1.2.0
//!     github-repo: https://github.com/acme/skills
//!     github-tree-sha: 58b9a0bd…         # the git id of the directory
//! ```
//!
//! A skill from a directory has only `local-path`. Early versions wrote `github-owner` beside the bare name of the
//! repository, and `github-sha`, the commit.

use serde_json::{Map, Value};

use super::{
    ClaimOrigin, ContentProof, ForeignTool, SkillClaim, git_origin, parse_directory,
    parse_repository,
};
use skillpm_core::package::Tree;
use skillpm_core::skill::SkillFrontmatter;

/// The file that has the record.
pub(super) const FILE: &str = "SKILL.md";

/// Reads the record in the text of a `SKILL.md`; `None` if it has none.
pub(super) fn read(text: &str, name: &str) -> Option<SkillClaim> {
    let record = frontmatter(text)?.remove("metadata")?;
    let origin = match record.get("github-repo").and_then(Value::as_str) {
        Some(repository) => git_record(repository, &record),
        // Skills have fields of this name for other uses; the tool writes the absolute path.
        None => {
            let path = record.get("local-path")?.as_str()?;
            let is_absolute = std::path::Path::new(path).is_absolute();
            is_absolute.then(|| Ok(ClaimOrigin::Path(path.to_owned())))?
        }
    };

    Some(SkillClaim {
        tool: ForeignTool::Gh,
        name: Some(name.to_owned()),
        origin,
        proof: ContentProof::None,
        installed: None,
        dev: false,
    })
}

fn git_record(repository: &str, record: &Value) -> Result<ClaimOrigin, String> {
    let field = |key: &str| record.get(key).and_then(Value::as_str);
    let url = match field("github-owner") {
        Some(owner) if !repository.contains('/') => {
            parse_repository(&format!("{owner}/{repository}"), "github.com")?
        }
        _ => parse_repository(repository, "github.com")?,
    };

    let mut origin = git_origin(url);
    if let ClaimOrigin::Git {
        reference,
        path,
        commit,
        tree,
        ..
    } = &mut origin
    {
        let pinned = field("github-pinned");
        *reference = pinned.or(field("github-ref")).map(str::to_owned);
        *path = field("github-path").map(parse_directory).transpose()?;
        *commit = [field("github-sha"), pinned, field("github-ref")]
            .into_iter()
            .flatten()
            .find(|id| is_object_id(id))
            .map(str::to_owned);
        *tree = field("github-tree-sha")
            .filter(|id| is_object_id(id))
            .map(str::to_owned);
    }
    Ok(origin)
}

fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Undoes what the tool changes in a skill: files that differ from `upstream` only by that become those of `upstream`.
///
/// It writes the whole frontmatter, in its own order and style, and no file is executable.
#[must_use]
pub fn undo_changes(disk: &Tree, upstream: &Tree) -> Tree {
    let page = |tree: &Tree| String::from_utf8(tree.get(FILE)?.to_vec()).ok();
    let (Some(written), Some(original)) = (page(disk), page(upstream)) else {
        return disk.clone();
    };
    if read(&written, "").is_none() {
        return disk.clone();
    }

    let mut undone = disk.clone();
    for (path, file) in upstream.files() {
        let is_page = path.as_str() == FILE && is_rewritten(&written, &original);
        let is_same = disk.get(path.as_str()) == Some(&file.bytes);
        if is_page || is_same {
            undone = undone.with_entry(path.clone(), file.clone());
        }
    }
    undone
}

/// Whether a `SKILL.md` has the values and the instructions of another one, but for the record.
fn is_rewritten(written: &str, original: &str) -> bool {
    let (Some(left), Some(right)) = (frontmatter(written), frontmatter(original)) else {
        return false;
    };
    let fields = |frontmatter| Value::Object(without_record(frontmatter));
    is_same_value(&fields(left), &fields(right)) && body(written) == body(original)
}

fn frontmatter(text: &str) -> Option<Map<String, Value>> {
    let frontmatter = SkillFrontmatter::open(text, &mut Vec::new())?;
    match frontmatter.root.to_json() {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

/// The instructions; the tool removes blank lines before them, and ends the last line.
fn body(text: &str) -> Option<&str> {
    let start = SkillFrontmatter::open(text, &mut Vec::new())?
        .fences
        .body_start;
    let body = text.get(start..)?.trim_start_matches(['\r', '\n']);
    Some(body.strip_suffix('\n').unwrap_or(body))
}

fn without_record(mut frontmatter: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Object(metadata)) = frontmatter.get_mut("metadata") {
        metadata.retain(|key, _| !key.starts_with("github-") && key != "local-path");
        if metadata.is_empty() {
            frontmatter.remove("metadata");
        }
    }
    frontmatter
}

/// Compares without the order of fields, and `1.0` as equal to `1`, which the tool writes instead.
fn is_same_value(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| {
                    right
                        .get(key)
                        .is_some_and(|other| is_same_value(value, other))
                })
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(value, other)| is_same_value(value, other))
        }
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "58b9a0bdb00d97953bfc840cb4dc3b38faf03759";
    const COMMIT: &str = "4dadc23e28750f9da50ebeb56a9e18ac73d61d34";

    fn origin(metadata: &str) -> Result<ClaimOrigin, String> {
        let text = format!("---\nname: pdf\ndescription: d\nmetadata:\n{metadata}---\nText.\n");
        read(&text, "pdf").expect("a record").origin
    }

    #[test]
    fn reference_is_the_pinned_one_or_the_recorded_one() {
        let repository =
            "  github-path: skills/pdf\n  github-repo: https://github.com/acme/skills\n";
        for (more, reference, commit) in [
            ("  github-ref: refs/heads/main\n", "refs/heads/main", None),
            (
                "  github-ref: refs/tags/v1\n  github-pinned: v1\n",
                "v1",
                None,
            ),
            (
                &format!("  github-ref: refs/heads/x\n  github-pinned: {COMMIT}\n"),
                COMMIT,
                Some(COMMIT),
            ),
        ] {
            let found = origin(&format!("{repository}{more}  github-tree-sha: {TREE}\n"));
            let ClaimOrigin::Git {
                url,
                reference: named,
                path,
                commit: at,
                tree,
            } = found.unwrap()
            else {
                panic!("{more}")
            };
            assert_eq!(url.as_str(), "https://github.com/acme/skills");
            assert_eq!(
                (named.as_deref(), at.as_deref(), path.as_deref()),
                (Some(reference), commit, Some("skills/pdf"))
            );
            assert_eq!(tree.as_deref(), Some(TREE));
        }
    }

    #[test]
    fn owner_of_early_versions_is_part_of_the_url() {
        let found = origin("  github-owner: acme\n  github-repo: skills\n  github-ref: v1.0.0\n");
        assert!(
            matches!(found, Ok(ClaimOrigin::Git { url, .. }) if url.as_str() == "https://github.com/acme/skills")
        );
    }

    #[test]
    fn local_path_is_a_record_only_if_absolute() {
        assert_eq!(
            origin("  local-path: /srv/skills/pdf\n"),
            Ok(ClaimOrigin::Path("/srv/skills/pdf".into()))
        );
        let text = "---\nname: pdf\ndescription: d\nmetadata:\n  local-path: data\n---\n";
        assert_eq!(read(text, "pdf"), None);
    }

    #[test]
    fn rewritten_file_has_the_same_values_and_instructions() {
        let original =
            "---\nname: pdf # mine\nversion: 1.0\ndescription: >-\n  Reads\n  PDF.\n---\n\n# pdf";
        let written = "---\ndescription: Reads PDF.\nmetadata:\n    github-repo: https://github.com/a/b\nname: pdf\n\
                       version: 1\n---\n# pdf\n";
        assert!(is_rewritten(written, original));
        assert!(!is_rewritten(&written.replace("# pdf", "# mine"), original));
        assert!(!is_rewritten(&written.replace("Reads", "Writes"), original));
    }
}
