//! From one format into another: files in, files out.
//!
//! | from | to | how |
//! |---|---|---|
//! | any | `nova` | a `manifest.yaml` (name of the directory, version in quotes, description on one line), an `instructions.md` |
//! | any | `skill-md` | frontmatter of what was said; for Devai's a table of the parameters and how it is run |
//! | any | `devai` | a `skill.json`, and an `execute.ts` that answers with the instructions |
//!
//! Every other file comes along unchanged. What the new format has no word for is lost from its descriptor; the files of
//! the old one are left out.

use serde_json::json;

use super::{codex, devai, nova, of_tree, slug};
use crate::error::{Error, Result};
use crate::package::{SkillName, Tree};
use crate::skill::{Format, Skill, rename, unreadable, yaml};

/// What came of a conversion.
#[derive(Debug, Clone, PartialEq)]
pub struct Converted {
    /// The files.
    pub tree: Tree,
    /// What the directory is to be called.
    pub directory: String,
    /// The format that it was in.
    pub from: Format,
}

/// Turns the skill that `tree` holds, from a directory called `directory`, into another format. `version` is what is known
/// of its version where it does not say one itself.
///
/// # Errors
/// If it holds no skill that any agent would list, is of that format already, or can have no name in the new one.
pub fn convert(tree: &Tree, directory: &str, to: Format, version: Option<&str>) -> Result<Converted> {
    let read = of_tree(tree, directory).ok_or_else(|| {
        Error::negative("there is no skill here to be converted").help("name the directory of a skill")
    })?;
    let diagnostics: Vec<_> = read.findings.iter().map(|finding| finding.diagnostic.clone()).collect();
    let file = read.findings.first().map_or("SKILL.md", |finding| finding.path.as_str());
    let mut skill = read.skill.ok_or_else(|| unreadable(file, &diagnostics))?;
    let from = skill.format;
    if from == to {
        return Err(Error::usage(format!("it is of the format `{}` already", to.name())));
    }
    if skill.version.is_none() {
        skill.version = version.map(str::to_owned);
    }
    let body = instructions(&skill, tree);
    let name = if to == Format::Nova { None } else { Some(named(&skill, directory)?) };
    let directory = name.as_ref().map_or(directory, SkillName::as_str).to_owned();
    let made: Vec<(&str, Vec<u8>)> = match (to, name) {
        (Format::SkillMd, Some(name)) => vec![("SKILL.md", page(&skill, &name, &body)?)],
        (Format::Devai, Some(name)) => {
            vec![(devai::MANIFEST, descriptor(&skill, &name).into()), ("execute.ts", script(&body).into())]
        }
        _ => vec![(nova::MANIFEST, manifest(&skill, &directory).into()), ("instructions.md", body.into())],
    };
    let mut out = Tree::builder();
    for (path, file) in tree.files() {
        let is_of_old = of(from).contains(&path.as_str());
        if !is_of_old && made.iter().all(|(name, _)| *name != path.as_str()) {
            out.add(path.as_str(), file.bytes.clone(), file.executable)?;
        }
    }
    for (path, bytes) in made {
        out.add(path, bytes, false)?;
    }
    Ok(Converted { tree: out.finish(), directory, from })
}

/// The files of a format that its successor has no use for; those that are run stay.
fn of(format: Format) -> &'static [&'static str] {
    match format {
        Format::SkillMd => &["SKILL.md", codex::FILE],
        Format::Nova => &[nova::MANIFEST, "instructions.md"],
        Format::Devai => &[devai::MANIFEST],
    }
}

/// What a skill is called that follows the specification, and its directory too.
///
/// # Errors
/// If neither its name nor its directory's can be one.
fn named(skill: &Skill, directory: &str) -> Result<SkillName> {
    let slugs = [slug(&skill.name), slug(directory)];
    slugs.iter().find(|slug| !slug.is_empty()).map_or(directory, String::as_str).parse()
}

/// What an agent is to read once it has chosen the skill.
fn instructions(skill: &Skill, tree: &Tree) -> String {
    let text = |path: &str| tree.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default();
    match skill.format {
        Format::SkillMd => skill.body(&text("SKILL.md")).trim_start_matches(['\n', '\r']).to_owned(),
        Format::Nova => text("instructions.md"),
        Format::Devai => devai::instructions(&skill.description, &skill.tools, skill.run.script.as_deref()),
    }
}

fn manifest(skill: &Skill, directory: &str) -> String {
    let mut text = format!("name: {}\n", yaml::quote(directory));
    text += &format!("version: {}\n", yaml::quote(skill.version.as_deref().unwrap_or("0.0.0")));
    text += &format!("description: {}\n", yaml::quote(&skill.summary_line()));
    if let Some(author) = &skill.author {
        text += &format!("author: {}\n", yaml::quote(author));
    }
    text + &tags(skill)
}

/// The line of the tags; none where there are none.
fn tags(skill: &Skill) -> String {
    let tags: Vec<String> = skill.tags.iter().map(|tag| yaml::quote(tag)).collect();
    if tags.is_empty() { String::new() } else { format!("tags: [{}]\n", tags.join(", ")) }
}

fn page(skill: &Skill, name: &SkillName, body: &str) -> Result<Vec<u8>> {
    let mut text = format!("---\nname: skill\ndescription: {}\n", yaml::quote(&skill.summary_line()));
    let metadata: Vec<(&str, &String)> = [("version", &skill.version), ("author", &skill.author)]
        .into_iter()
        .filter_map(|(key, value)| Some((key, value.as_ref()?)))
        .collect();
    if !metadata.is_empty() {
        text += "metadata:\n";
        metadata.iter().for_each(|(key, value)| text += &format!("  {key}: {}\n", yaml::quote(value)));
    }
    text += &tags(skill);
    // In quotes only where some reader would take it for a number.
    rename(format!("{text}---\n\n{body}").as_bytes(), name)
}

fn descriptor(skill: &Skill, id: &SkillName) -> String {
    let mut manifest = json!({
        "id": id.as_str(),
        "name": skill.display_name.as_deref().unwrap_or(&skill.name),
        "description": skill.summary_line(),
    });
    if let Some(version) = &skill.version {
        manifest["version"] = version.as_str().into();
    }
    if let Some(author) = &skill.author {
        manifest["createdBy"] = author.as_str().into();
    }
    if !skill.tags.is_empty() {
        manifest["tags"] = skill.tags.as_slice().into();
    }
    format!("{manifest:#}\n")
}

/// A call that answers with the instructions: a text is all that there is to give.
fn script(body: &str) -> String {
    // What JSON leaves as it is ends a line of TypeScript.
    let text = serde_json::Value::from(body).to_string().replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    format!("export async function execute() {{\n  return {{ success: true, result: {text} }};\n}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::builder();
        files.iter().for_each(|(path, text)| tree.add(path, text.as_bytes().to_vec(), false).unwrap());
        tree.finish()
    }

    /// The files as `path`, then their text.
    fn told(tree: &Tree) -> Vec<(String, String)> {
        tree.files().map(|(path, file)| (path.to_string(), String::from_utf8(file.bytes.clone()).unwrap())).collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    }

    const PAGE: &str = "---\nname: pdf\ndescription: |\n  Fill: PDF\n  forms.\nmetadata: {version: 1.0, author: me}\ntags: [a]\n---\n\n# PDF\n\nDo.\n";

    #[test]
    fn a_skill_becomes_a_directory_of_novas() {
        let converted =
            convert(&tree(&[("SKILL.md", PAGE), ("scripts/a.py", "x")]), "pdf_forms", Format::Nova, None).unwrap();
        assert_eq!((converted.directory.as_str(), converted.from), ("pdf_forms", Format::SkillMd));
        assert_eq!(
            told(&converted.tree),
            pairs(&[
                ("instructions.md", "# PDF\n\nDo.\n"),
                (
                    "manifest.yaml",
                    "name: \"pdf_forms\"\nversion: \"1.0\"\ndescription: \"Fill: PDF forms.\"\nauthor: \"me\"\ntags: [\"a\"]\n"
                ),
                ("scripts/a.py", "x"),
            ])
        );
        let back = convert(&converted.tree, "pdf_forms", Format::SkillMd, None).unwrap();
        assert_eq!(back.directory, "pdf-forms");
        let page = "---\nname: pdf-forms\ndescription: \"Fill: PDF forms.\"\nmetadata:\n  version: \"1.0\"\n  author: \"me\"\ntags: [\"a\"]\n---\n\n# PDF\n\nDo.\n";
        assert_eq!(told(&back.tree), pairs(&[("SKILL.md", page), ("scripts/a.py", "x")]));
    }

    #[test]
    fn a_version_that_the_lockfile_knows_is_taken_where_the_skill_says_none() {
        let bare = tree(&[("SKILL.md", "---\nname: x\ndescription: d\n---\nb\n")]);
        let manifest = |version| {
            let converted = convert(&bare, "x", Format::Nova, version).unwrap();
            String::from_utf8(converted.tree.get("manifest.yaml").unwrap().to_vec()).unwrap()
        };
        assert!(manifest(Some("2.1.0")).contains("version: \"2.1.0\"\n"));
        assert!(manifest(None).contains("version: \"0.0.0\"\n"));
    }

    #[test]
    fn a_call_becomes_a_skill_with_a_table_of_its_parameters() {
        let json = r#"{"id":"unit-convert","name":"Units","description":"Converts.","version":"1.0.0","parameters":{"a|b":{"type":"string","description":"x\ny"}}}"#;
        let files = tree(&[("skill.json", json), ("execute.ts", "run")]);
        let converted = convert(&files, "unit-convert", Format::SkillMd, None).unwrap();
        let page = "---\nname: unit-convert\ndescription: \"Converts.\"\nmetadata:\n  version: \"1.0.0\"\n---\n\nConverts.\n\n\
                    | Parameter | Type | Required | Default | What it is |\n|---|---|---|---|---|\n| `a\\|b` | string | yes |  | x y |\n\n\
                    Devai offers it as the tool `skill_unit_convert`, and runs `execute(args, ctx)` of `execute.ts` with these \
                    parameters for at most 30 seconds. `ctx` has `fetch`, `env`, `readFile`, `writeFile` and `log`; the answer \
                    is `success` and `result`, or `error`.\n";
        assert_eq!(told(&converted.tree), pairs(&[("SKILL.md", page), ("execute.ts", "run")]));
    }

    #[test]
    fn a_skill_becomes_a_call_that_answers_with_its_text() {
        let text = "---\nname: My Skill\ndescription: d\n---\n\"x\"\u{2028}\n";
        let converted = convert(&tree(&[("SKILL.md", text)]), "x", Format::Devai, None).unwrap();
        assert_eq!(converted.directory, "my-skill");
        assert_eq!(
            told(&converted.tree),
            pairs(&[
                (
                    "execute.ts",
                    "export async function execute() {\n  return { success: true, result: \"\\\"x\\\"\\u2028\\n\" };\n}\n"
                ),
                ("skill.json", "{\n  \"id\": \"my-skill\",\n  \"name\": \"My Skill\",\n  \"description\": \"d\"\n}\n"),
            ])
        );
    }

    #[test]
    fn a_name_that_some_reader_takes_for_a_number_is_quoted() {
        let files = [("manifest.yaml", "name: a\nversion: '1'\ndescription: d\n"), ("instructions.md", "Do.\n")];
        let converted = convert(&tree(&files), "123", Format::SkillMd, None).unwrap();
        let page = String::from_utf8(converted.tree.get("SKILL.md").unwrap().to_vec()).unwrap();
        assert!(page.starts_with("---\nname: \"123\"\ndescription: \"d\"\n"), "{page}");
        assert_eq!(of_tree(&converted.tree, "123").unwrap().findings, []);
    }

    #[test]
    fn what_can_have_no_name_is_refused() {
        let files = [("manifest.yaml", "name: a\nversion: '1'\ndescription: d\n"), ("instructions.md", "")];
        let page = [("SKILL.md", "---\nname: 日本語\ndescription: d\n---\n")];
        for (files, to) in [(&files[..], Format::SkillMd), (&files, Format::Devai), (&page, Format::Devai)] {
            let error = convert(&tree(files), "日本語", to, None).unwrap_err();
            assert_eq!(error.message(), "`日本語` is not a skill name: it holds `日`");
        }
        assert_eq!(convert(&tree(&page), "pdf", Format::Devai, None).unwrap().directory, "pdf");
        assert_eq!(convert(&tree(&page), "日本語", Format::Nova, None).unwrap().directory, "日本語");
    }

    #[test]
    fn what_is_no_skill_or_of_that_format_already_is_refused() {
        let error = |files: &[(&str, &str)], to| convert(&tree(files), "x", to, None).unwrap_err().message().to_owned();
        assert_eq!(error(&[("a", "")], Format::Nova), "there is no skill here to be converted");
        assert_eq!(error(&[("SKILL.md", PAGE)], Format::SkillMd), "it is of the format `skill-md` already");
        assert!(error(&[("skill.json", "{")], Format::SkillMd).contains("is no JSON"));
    }
}
