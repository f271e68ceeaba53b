//! `init` and `new`: create a project, and a skill that passes `lint`.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::agents::{self, AgentChooser, DetectedTarget};
use super::{CommandContext, line_endings, targets};
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::{FILE, edit};
use skillpm_core::package::SkillName;
use skillpm_core::skill::{self, SkillFormat};
use skillpm_io::disk;
use skillpm_io::git::ATTRIBUTES_FILE;
use skillpm_registry::bundled::TEMPLATE;
use skillpm_registry::workspace::Workspace;

/// Options of [`init`].
pub struct InitOptions<'a> {
    /// The directory of the manifest; `None` for the current one.
    pub dir: Option<&'a Path>,
    /// Asks which of the detected agents become targets; `None` to detect none.
    pub detect: Option<AgentChooser<'a>>,
}

/// The result of [`init`].
#[derive(Debug, Clone)]
pub struct InitReport {
    /// The path of the manifest.
    pub path: PathBuf,
    /// The path of `.gitattributes`, if a line was added to it.
    pub attributes: Option<PathBuf>,
    /// Agents that were detected, and are targets.
    pub detected: Vec<DetectedTarget>,
}

/// Creates a manifest in a directory, with the agents that are used there as targets.
///
/// # Errors
/// If a manifest exists already, the user cancels, or on an I/O error.
pub fn init(context: &CommandContext<'_>, options: &InitOptions<'_>) -> Result<InitReport> {
    let dir = options.dir.map_or_else(
        || context.dirs.cwd.clone(),
        |dir| context.dirs.cwd.join(dir),
    );
    let path = dir.join(FILE);
    if disk::lstat(&path)?.is_some() {
        return Err(
            Error::usage(format!("destination `{}` already exists", path.display()))
                .help("`skillpm add` adds packages to it"),
        );
    }

    let mut text = edit::EMPTY_MANIFEST.to_owned();
    let mut detected = Vec::new();
    let workspace = Workspace::new_in(&dir)?;
    if let Some(choose) = options.detect {
        let found = agents::detect_targets(context, &workspace, text, choose)?;
        (text, detected) = (found.text, found.targets);
    }

    let workspace = workspace.with_edited_text(&text);
    let registries = |name: Option<&str>| context.config.registry(name);
    let directories = targets::directories(context, &workspace, &workspace.manifest(&registries)?)?;
    let mut attributes = None;
    if let Some(lines) = line_endings::protecting_text(&dir, &directories)? {
        let path = dir.join(ATTRIBUTES_FILE);
        disk::write_atomic(&path, lines.as_bytes())?;
        attributes = Some(path);
    }

    disk::write_atomic(&path, text.as_bytes())?;
    Ok(InitReport {
        path,
        attributes,
        detected,
    })
}

/// What [`new`] creates.
#[derive(Debug, Clone, Copy)]
pub struct NewSkill<'a> {
    /// Its name, and that of its directory.
    pub name: &'a SkillName,
    /// Where to create the directory; `None` for the current one.
    pub parent: Option<&'a Path>,
    /// `SKILL.md`, or a call of Devai's.
    pub format: SkillFormat,
}

/// Creates a skill in a directory of its name; returns the path of the file that describes it.
///
/// # Errors
/// If a file or directory of that name exists already, or on an I/O error.
pub fn new(context: &CommandContext<'_>, skill: &NewSkill<'_>) -> Result<PathBuf> {
    let NewSkill {
        name,
        parent,
        format,
    } = *skill;
    let parent = parent.map_or_else(
        || context.dirs.cwd.clone(),
        |dir| context.dirs.cwd.join(dir),
    );

    let dir = parent.join(name.as_str());
    // A directory without a skill becomes one; nothing in it is overwritten.
    let found = disk::lstat(&dir)?;
    let descriptors = ["SKILL.md", "execute.ts", format.descriptor()];
    let mut in_the_way = descriptors.iter().map(|file| dir.join(file));
    let taken = match found {
        Some(meta) if meta.is_dir() => in_the_way.find(|path| path.symlink_metadata().is_ok()),
        Some(_) => Some(dir.clone()),
        None => None,
    };
    if let Some(taken) = taken {
        return Err(
            Error::negative(format!("destination `{}` already exists", taken.display()))
                .help("choose another name or directory"),
        );
    }

    if format == SkillFormat::Devai {
        // Its code first: a manifest without code is no skill, and code without one is not found.
        disk::write_atomic(&dir.join("execute.ts"), DEVAI_SCRIPT.as_bytes())?;
        let path = dir.join(format.descriptor());
        disk::write_atomic(&path, fill_devai_manifest(name).as_bytes())?;
        return Ok(path);
    }

    let path = dir.join("SKILL.md");
    disk::write_atomic(&path, &fill_template(name)?)?;
    Ok(path)
}

/// The code of a new Devai skill: its contract, and nothing else.
const DEVAI_SCRIPT: &str = r#"import type { SkillContext, SkillResult } from "@devai/skill-runtime";

// `ctx` has fetch, env, readFile, writeFile and log. Do not import from `apps/api/src`.
export async function execute(
  args: Record<string, unknown>,
  ctx: SkillContext
): Promise<SkillResult> {
  ctx.log(`called with ${args.input}`);
  return { success: true, result: args.input };
}
"#;

/// The manifest of a new Devai skill, which its loader accepts.
fn fill_devai_manifest(name: &SkillName) -> String {
    let manifest = json!({
        "id": name.as_str(),
        "name": title(name),
        "description": "What the skill does, and when to call it",
        "version": "1.0.0",
        "parameters": {
            "input": {"type": "string", "required": true, "description": "What the skill works on"},
        },
        "tags": [],
    });
    format!("{manifest:#}\n")
}

/// The template with a name filled in, quoted in the frontmatter only if required (`on`, `123`).
fn fill_template(name: &SkillName) -> Result<Vec<u8>> {
    // A plain name first: the real one may require quotes, which `rename_skill` adds.
    let text = TEMPLATE
        .replace("{{name}}", "template")
        .replace("{{title}}", &title(name));
    skill::rename_skill(text.as_bytes(), name)
}

/// The name as a title: `pdf-forms` as `Pdf forms`.
fn title(name: &SkillName) -> String {
    let words = name.as_str().replace('-', " ");
    let mut chars = words.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillpm_core::report::DiagnosticLevel;

    #[test]
    fn new_skills_are_read_without_findings() {
        for name in ["pdf-forms", "on", "123"] {
            let name: SkillName = name.parse().unwrap();
            let text = String::from_utf8(fill_template(&name).unwrap()).unwrap();
            let reading = skill::read(text.as_bytes(), name.as_str());
            assert_eq!(reading.skill.unwrap().name, name.as_str());
            let findings: Vec<_> = reading
                .diagnostics
                .iter()
                .filter(|found| found.level > DiagnosticLevel::Note)
                .collect();
            assert!(findings.is_empty(), "{findings:?}");
            assert!(!text.contains("{{"));
        }
    }
}
