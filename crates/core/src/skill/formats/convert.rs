//! Converts skills between formats: files in, files out.
//!
//! | from | to | how |
//! |---|---|---|
//! | any | `nova` | a `manifest.yaml` (name of the directory, version in quotes, description on one line), an `instructions.md` |
//! | any | `skill-md` | frontmatter from the descriptor; from Devai also a table of the parameters and how it is run |
//! | any | `devai` | a `skill.json`, and an `execute.ts` that answers with the instructions |
//!
//! Every other file is copied unchanged. Fields that the new format does not have are dropped, as are the descriptors of
//! the old one. A `SKILL.md` has only the fields of the specification, so that its validator accepts it; the id that the
//! skill had, its title and its tags are in `metadata`.
//!
//! [`convert`] is asked for by a person; [`convert_installed`] is what an installation does for an agent that reads
//! another format, and refuses what that agent could not use.

use serde_json::json;

use super::{codex, detect_format, devai, nova, read_tree, slug};
use crate::error::{Error, Result};
use crate::package::{SkillName, Tree};
use crate::skill::{DESCRIPTION_MAX, Skill, SkillFormat, rename_skill, unreadable_error, yaml};

/// The result of a conversion.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvertedTree {
    /// The files.
    pub tree: Tree,
    /// The name that the directory must have.
    pub directory: String,
    /// The format before.
    pub from: SkillFormat,
}

/// Converts the skill in `tree`, from a directory called `directory`, into another format. `version` is its version where
/// the skill itself has none.
///
/// # Errors
/// If there is no skill that any agent lists, it is already in that format, or it cannot have a valid name there.
pub fn convert(
    tree: &Tree,
    directory: &str,
    to: SkillFormat,
    version: Option<&str>,
) -> Result<ConvertedTree> {
    let mut skill = read_listed_skill(tree, directory)?;
    let from = skill.format;
    if from == to {
        return Err(Error::usage(format!(
            "the skill is already in the format `{}`",
            to.name()
        )));
    }

    if skill.version.is_none() {
        skill.version = version.map(str::to_owned);
    }

    // Nova names a skill after its directory, whatever that is; the other two require a valid name.
    let name = if to == SkillFormat::Nova {
        None
    } else {
        Some(converted_name(&skill, directory)?)
    };
    let renamed = name
        .as_ref()
        .map_or(directory, SkillName::as_str)
        .to_owned();

    let new_files = match (to, name) {
        (SkillFormat::SkillMd, Some(name)) => {
            vec![("SKILL.md", render_skill_md(&skill, &name, directory, tree)?)]
        }
        (SkillFormat::Devai, Some(name)) => render_devai_files(&skill, &name, tree),
        _ => render_nova_files(&skill, directory, tree),
    };

    Ok(ConvertedTree {
        tree: replace_descriptors(tree, from, new_files)?,
        directory: renamed,
        from,
    })
}

/// Converts an installed package for an agent that reads the format `to`, under its install name; `None` if that agent
/// reads it as it is.
///
/// # Errors
/// If the agent could not use the result: a call that only Devai can make, or instructions where code is run.
pub fn convert_installed(
    tree: &Tree,
    name: &SkillName,
    to: SkillFormat,
    version: Option<&str>,
) -> Result<Option<Tree>> {
    if has_format(tree, to) {
        return Ok(None);
    }

    let from = detect_format(&|path| tree.get(path).is_some());
    if from == Some(SkillFormat::Devai) {
        return Err(Error::negative(
            "a Devai skill is a call that only Devai can make, and has no instructions",
        )
        .help(format!(
            "`skillpm convert DIR --to {}` writes a skill that describes the call",
            to.name()
        )));
    }
    if to == SkillFormat::Devai && find_script(tree).is_none() {
        return Err(Error::negative(
            "Devai runs the code of a skill, and this one has only instructions",
        )
        .help(
            "`skillpm convert DIR --to devai` writes a skill that answers with its instructions",
        ));
    }

    Ok(Some(convert(tree, name.as_str(), to, version)?.tree))
}

/// Whether an agent that reads `format` finds a skill in the tree, whatever else is in it.
#[must_use]
pub fn has_format(tree: &Tree, format: SkillFormat) -> bool {
    let has = |path: &str| tree.get(path).is_some();
    match format {
        SkillFormat::SkillMd => has("SKILL.md"),
        SkillFormat::Nova => has(nova::MANIFEST) && has("instructions.md"),
        SkillFormat::Devai => has(devai::MANIFEST) && find_script(tree).is_some(),
    }
}

fn find_script(tree: &Tree) -> Option<&'static str> {
    devai::SCRIPTS
        .into_iter()
        .find(|script| tree.get(script).is_some())
}

fn render_devai_files(
    skill: &Skill,
    name: &SkillName,
    tree: &Tree,
) -> Vec<(&'static str, Vec<u8>)> {
    let manifest = (devai::MANIFEST, render_devai_manifest(skill, name).into());
    // Its own code is what Devai is to run, as in a skill that was converted from Devai before.
    if find_script(tree).is_some() {
        return vec![manifest];
    }

    let body = render_instructions(skill, tree);
    vec![manifest, ("execute.ts", render_devai_script(&body).into())]
}

fn render_nova_files(skill: &Skill, directory: &str, tree: &Tree) -> Vec<(&'static str, Vec<u8>)> {
    let body = render_instructions(skill, tree);
    vec![
        (
            nova::MANIFEST,
            render_nova_manifest(skill, directory).into(),
        ),
        ("instructions.md", body.into()),
    ]
}

/// The skill in a tree, if any agent lists it.
fn read_listed_skill(tree: &Tree, directory: &str) -> Result<Skill> {
    let read = read_tree(tree, directory).ok_or_else(|| {
        Error::negative("no skill found to convert").help("name the directory of a skill")
    })?;

    let diagnostics: Vec<_> = read
        .findings
        .iter()
        .map(|finding| finding.diagnostic.clone())
        .collect();
    let file = read
        .findings
        .first()
        .map_or("SKILL.md", |finding| finding.path.as_str());

    read.skill
        .ok_or_else(|| unreadable_error(file, &diagnostics))
}

/// The files of a skill in the format `from`, with those of another format in place of its descriptors.
fn replace_descriptors(
    tree: &Tree,
    from: SkillFormat,
    new_files: Vec<(&str, Vec<u8>)>,
) -> Result<Tree> {
    // New files replace those of the same name, and the old descriptors are left out: beside the
    // new one they would describe the skill a second time.
    let mut builder = Tree::builder();
    for (path, file) in tree.files() {
        let is_of_old = descriptor_files(from).contains(&path.as_str());
        if !is_of_old && new_files.iter().all(|(name, _)| *name != path.as_str()) {
            builder.add(path.as_str(), file.bytes.clone(), file.executable)?;
        }
    }

    for (path, bytes) in new_files {
        builder.add(path, bytes, false)?;
    }
    Ok(builder.finish())
}

/// The files of a format that are dropped from the converted skill; scripts stay.
fn descriptor_files(format: SkillFormat) -> &'static [&'static str] {
    match format {
        SkillFormat::SkillMd => &["SKILL.md", codex::FILE],
        SkillFormat::Nova => &[nova::MANIFEST, "instructions.md"],
        SkillFormat::Devai => &[devai::MANIFEST],
    }
}

/// The name of a converted skill and of its directory, valid by the specification.
///
/// # Errors
/// If neither its name nor its directory's can be one.
fn converted_name(skill: &Skill, directory: &str) -> Result<SkillName> {
    let slugs = [slug(&skill.name), slug(directory)];
    slugs
        .iter()
        .find(|slug| !slug.is_empty())
        .map_or(directory, String::as_str)
        .parse()
}

/// The instructions, which an agent reads once it has chosen the skill.
fn render_instructions(skill: &Skill, tree: &Tree) -> String {
    let text = |path: &str| {
        tree.get(path)
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
            .unwrap_or_default()
    };

    match skill.format {
        SkillFormat::SkillMd => skill
            .body(&text("SKILL.md"))
            .trim_start_matches(['\n', '\r'])
            .to_owned(),
        SkillFormat::Nova => text("instructions.md"),
        SkillFormat::Devai => devai::render_instructions(
            &skill.description,
            &skill.tools,
            skill.run.script.as_deref(),
        ),
    }
}

fn render_nova_manifest(skill: &Skill, directory: &str) -> String {
    let mut text = format!("name: {}\n", yaml::quote(directory));
    // In quotes: Nova refuses a version that its reader of YAML takes for a number.
    text += &format!(
        "version: {}\n",
        yaml::quote(skill.version.as_deref().unwrap_or("0.0.0"))
    );
    text += &format!("description: {}\n", yaml::quote(&skill.summary_line()));

    if let Some(author) = &skill.author {
        text += &format!("author: {}\n", yaml::quote(author));
    }

    text + &render_tags(skill)
}

/// The line of the tags; empty without tags.
fn render_tags(skill: &Skill) -> String {
    let tags: Vec<String> = skill.tags.iter().map(|tag| yaml::quote(tag)).collect();
    if tags.is_empty() {
        String::new()
    } else {
        format!("tags: [{}]\n", tags.join(", "))
    }
}

/// Renders a `SKILL.md`; `directory` is the old name of the skill's directory.
fn render_skill_md(
    skill: &Skill,
    name: &SkillName,
    directory: &str,
    tree: &Tree,
) -> Result<Vec<u8>> {
    let summary = skill.summary_line();
    let description = shorten_description(&summary);

    // `skill` is a placeholder, which `rename_skill` replaces below.
    let mut text = format!(
        "---\nname: skill\ndescription: {}\n",
        yaml::quote(&description)
    );
    text += &render_metadata(skill, name, directory);
    text += "---\n\n";

    // Nothing is lost: what the description has no place for begins the instructions.
    if description != summary {
        text += &format!("{summary}\n\n");
    }
    text += &render_instructions(skill, tree);

    // In quotes only where some reader would take it for a number.
    rename_skill(text.as_bytes(), name)
}

/// The `metadata` of a `SKILL.md`, all of it text, as the specification has it; empty without any.
fn render_metadata(skill: &Skill, name: &SkillName, directory: &str) -> String {
    // Nova knows a skill by its directory, Devai by the id in its manifest.
    let id = match skill.format {
        SkillFormat::Devai => skill.name.as_str(),
        SkillFormat::Nova | SkillFormat::SkillMd => directory,
    };
    let tags = skill.tags.join(", ");

    let metadata = [
        ("id", Some(id).filter(|id| *id != name.as_str())),
        ("display-name", skill.display_name.as_deref()),
        ("version", skill.version.as_deref()),
        ("author", skill.author.as_deref()),
        ("tags", Some(tags.as_str()).filter(|tags| !tags.is_empty())),
    ];

    let lines: String = metadata
        .into_iter()
        .filter_map(|(key, value)| Some(format!("  {key}: {}\n", yaml::quote(value?))))
        .collect();
    if lines.is_empty() {
        lines
    } else {
        format!("metadata:\n{lines}")
    }
}

/// Shortens a description to what the specification allows, at the end of a word.
fn shorten_description(summary: &str) -> String {
    if summary.chars().count() <= DESCRIPTION_MAX {
        return summary.to_owned();
    }

    // One character is the ellipsis.
    let kept: String = summary.chars().take(DESCRIPTION_MAX - 1).collect();
    let end = kept.rfind(' ').unwrap_or(kept.len());
    format!("{}…", kept[..end].trim_end())
}

fn render_devai_manifest(skill: &Skill, id: &SkillName) -> String {
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

/// A script that returns the instructions: a skill of text alone has nothing to run.
fn render_devai_script(body: &str) -> String {
    // JSON allows these two unescaped in strings; older JavaScript takes them for line ends.
    let text = serde_json::Value::from(body)
        .to_string()
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029");

    format!(
        "export async function execute() {{\n  return {{ success: true, result: {text} }};\n}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::builder();
        files
            .iter()
            .for_each(|(path, text)| tree.add(path, text.as_bytes().to_vec(), false).unwrap());
        tree.finish()
    }

    /// The files as `path`, then their text.
    fn texts(tree: &Tree) -> Vec<(String, String)> {
        tree.files()
            .map(|(path, file)| {
                (
                    path.to_string(),
                    String::from_utf8(file.bytes.clone()).unwrap(),
                )
            })
            .collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
            .collect()
    }

    const PAGE: &str = "---\nname: pdf\ndescription: |\n  Fill: PDF\n  forms.\nmetadata: {version: 1.0, author: me}\ntags: [a]\n---\n\n# PDF\n\nDo.\n";

    #[test]
    fn skill_is_converted_to_a_nova_directory() {
        let converted = convert(
            &tree(&[("SKILL.md", PAGE), ("scripts/a.py", "x")]),
            "pdf_forms",
            SkillFormat::Nova,
            None,
        )
        .unwrap();
        assert_eq!(
            (converted.directory.as_str(), converted.from),
            ("pdf_forms", SkillFormat::SkillMd)
        );
        assert_eq!(
            texts(&converted.tree),
            pairs(&[
                ("instructions.md", "# PDF\n\nDo.\n"),
                (
                    "manifest.yaml",
                    "name: \"pdf_forms\"\nversion: \"1.0\"\ndescription: \"Fill: PDF forms.\"\nauthor: \"me\"\ntags: [\"a\"]\n"
                ),
                ("scripts/a.py", "x"),
            ])
        );
        let back = convert(&converted.tree, "pdf_forms", SkillFormat::SkillMd, None).unwrap();
        assert_eq!(back.directory, "pdf-forms");
        let page = "---\nname: pdf-forms\ndescription: \"Fill: PDF forms.\"\nmetadata:\n  id: \"pdf_forms\"\n  display-name: \"pdf_forms\"\n  version: \"1.0\"\n  author: \"me\"\n  tags: \"a\"\n---\n\n# PDF\n\nDo.\n";
        assert_eq!(
            texts(&back.tree),
            pairs(&[("SKILL.md", page), ("scripts/a.py", "x")])
        );
    }

    #[test]
    fn skill_without_a_version_gets_that_of_the_lockfile() {
        let bare = tree(&[("SKILL.md", "---\nname: x\ndescription: d\n---\nb\n")]);
        let manifest = |version| {
            let converted = convert(&bare, "x", SkillFormat::Nova, version).unwrap();
            String::from_utf8(converted.tree.get("manifest.yaml").unwrap().to_vec()).unwrap()
        };
        assert!(manifest(Some("2.1.0")).contains("version: \"2.1.0\"\n"));
        assert!(manifest(None).contains("version: \"0.0.0\"\n"));
    }

    #[test]
    fn call_is_converted_to_a_skill_with_a_table_of_its_parameters() {
        let json = r#"{"id":"unit-convert","name":"Units","description":"Converts.","version":"1.0.0","parameters":{"a|b":{"type":"string","description":"x\ny"}}}"#;
        let files = tree(&[("skill.json", json), ("execute.ts", "run")]);
        let converted = convert(&files, "unit-convert", SkillFormat::SkillMd, None).unwrap();
        let page = "---\nname: unit-convert\ndescription: \"Converts.\"\nmetadata:\n  display-name: \"Units\"\n  version: \"1.0.0\"\n---\n\nConverts.\n\n\
                    | Parameter | Type | Required | Default | What it is |\n|---|---|---|---|---|\n| `a\\|b` | string | yes |  | x y |\n\n\
                    Devai offers it as the tool `skill_unit_convert`, and runs `execute(args, ctx)` of `execute.ts` with these \
                    parameters for at most 30 seconds. `ctx` has `fetch`, `env`, `readFile`, `writeFile` and `log`; the answer \
                    is `success` and `result`, or `error`.\n";
        assert_eq!(
            texts(&converted.tree),
            pairs(&[("SKILL.md", page), ("execute.ts", "run")])
        );
    }

    #[test]
    fn skill_is_converted_to_a_call_that_returns_its_text() {
        let text = "---\nname: My Skill\ndescription: d\n---\n\"x\"\u{2028}\n";
        let converted =
            convert(&tree(&[("SKILL.md", text)]), "x", SkillFormat::Devai, None).unwrap();
        assert_eq!(converted.directory, "my-skill");
        assert_eq!(
            texts(&converted.tree),
            pairs(&[
                (
                    "execute.ts",
                    "export async function execute() {\n  return { success: true, result: \"\\\"x\\\"\\u2028\\n\" };\n}\n"
                ),
                (
                    "skill.json",
                    "{\n  \"id\": \"my-skill\",\n  \"name\": \"My Skill\",\n  \"description\": \"d\"\n}\n"
                ),
            ])
        );
    }

    #[test]
    fn a_name_that_some_reader_takes_for_a_number_is_quoted() {
        let files = [
            ("manifest.yaml", "name: a\nversion: '1'\ndescription: d\n"),
            ("instructions.md", "Do.\n"),
        ];
        let converted = convert(&tree(&files), "123", SkillFormat::SkillMd, None).unwrap();
        let page = String::from_utf8(converted.tree.get("SKILL.md").unwrap().to_vec()).unwrap();
        assert!(
            page.starts_with("---\nname: \"123\"\ndescription: \"d\"\n"),
            "{page}"
        );
        assert_eq!(read_tree(&converted.tree, "123").unwrap().findings, []);
    }

    #[test]
    fn a_skill_that_cannot_have_a_name_is_refused() {
        let files = [
            ("manifest.yaml", "name: a\nversion: '1'\ndescription: d\n"),
            ("instructions.md", ""),
        ];
        let page = [("SKILL.md", "---\nname: 日本語\ndescription: d\n---\n")];
        for (files, to) in [
            (&files[..], SkillFormat::SkillMd),
            (&files, SkillFormat::Devai),
            (&page, SkillFormat::Devai),
        ] {
            let error = convert(&tree(files), "日本語", to, None).unwrap_err();
            assert_eq!(
                error.message(),
                "invalid skill name `日本語`: it contains `日`"
            );
        }
        assert_eq!(
            convert(&tree(&page), "pdf", SkillFormat::Devai, None)
                .unwrap()
                .directory,
            "pdf"
        );
        assert_eq!(
            convert(&tree(&page), "日本語", SkillFormat::Nova, None)
                .unwrap()
                .directory,
            "日本語"
        );
    }

    #[test]
    fn a_missing_skill_or_one_already_in_that_format_is_refused() {
        let error = |files: &[(&str, &str)], to| {
            convert(&tree(files), "x", to, None)
                .unwrap_err()
                .message()
                .to_owned()
        };
        assert_eq!(
            error(&[("a", "")], SkillFormat::Nova),
            "no skill found to convert"
        );
        assert_eq!(
            error(&[("SKILL.md", PAGE)], SkillFormat::SkillMd),
            "the skill is already in the format `skill-md`"
        );
        assert!(
            error(&[("skill.json", "{")], SkillFormat::SkillMd)
                .contains("failed to parse `skill.json`")
        );
    }
}
