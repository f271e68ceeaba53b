//! `init` and `new`: create a project, and a skill that passes `lint`.

use std::path::{Path, PathBuf};

use super::CommandContext;
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::{FILE, edit};
use skillpm_core::package::SkillName;
use skillpm_core::skill;
use skillpm_io::disk;
use skillpm_registry::bundled::TEMPLATE;

/// Creates a manifest in a directory (`None` for the current one); returns its path.
///
/// # Errors
/// If a manifest exists already, or on an I/O error.
pub fn init(context: &CommandContext<'_>, dir: Option<&Path>) -> Result<PathBuf> {
    let dir = dir.map_or_else(
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

    disk::write_atomic(&path, edit::EMPTY_MANIFEST.as_bytes())?;
    Ok(path)
}

/// Creates a skill in a directory of its name under `parent` (`None` for the current directory);
/// returns the path of its `SKILL.md`.
///
/// # Errors
/// If a file or directory of that name exists already, or on an I/O error.
pub fn new(
    context: &CommandContext<'_>,
    name: &SkillName,
    parent: Option<&Path>,
) -> Result<PathBuf> {
    let parent = parent.map_or_else(
        || context.dirs.cwd.clone(),
        |dir| context.dirs.cwd.join(dir),
    );

    let dir = parent.join(name.as_str());
    if disk::lstat(&dir)?.is_some() {
        return Err(
            Error::negative(format!("destination `{}` already exists", dir.display()))
                .help("choose another name or directory"),
        );
    }

    let path = dir.join("SKILL.md");
    disk::write_atomic(&path, &fill_template(name)?)?;
    Ok(path)
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
