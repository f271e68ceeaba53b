//! `init` and `new`: a project, and a skill that passes lint as it stands.

use std::path::{Path, PathBuf};

use super::Context;
use crate::bundled::TEMPLATE;
use crate::error::{Error, Result};
use crate::io::disk;
use crate::manifest::{FILE, edit};
use crate::package::SkillName;
use crate::skill;

/// Makes a manifest in a directory; gives its path.
///
/// # Errors
/// If there is one already, or the disk refuses.
pub fn init(context: &Context<'_>, dir: Option<&Path>) -> Result<PathBuf> {
    let dir = dir.map_or_else(|| context.places.here.clone(), |dir| context.places.here.join(dir));
    let path = dir.join(FILE);
    if disk::lstat(&path)?.is_some() {
        return Err(Error::usage(format!("`{}` is there already", path.display())).help("`skillpm add` adds to it"));
    }
    disk::write_atomic(&path, edit::NEW.as_bytes())?;
    Ok(path)
}

/// Makes a skill in a directory of its name below `parent` (here, if none is given); gives the path of its `SKILL.md`.
///
/// # Errors
/// If something of that name is there already, or the disk refuses.
pub fn new(context: &Context<'_>, name: &SkillName, parent: Option<&Path>) -> Result<PathBuf> {
    let parent = parent.map_or_else(|| context.places.here.clone(), |dir| context.places.here.join(dir));
    let dir = parent.join(name.as_str());
    if disk::lstat(&dir)?.is_some() {
        return Err(
            Error::negative(format!("`{}` is there already", dir.display())).help("choose another name or directory")
        );
    }
    let path = dir.join("SKILL.md");
    disk::write_atomic(&path, &filled_in(name)?)?;
    Ok(path)
}

/// The template for a name, which is quoted in the frontmatter only if it has to be (`on`, `123`).
fn filled_in(name: &SkillName) -> Result<Vec<u8>> {
    let text = TEMPLATE.replace("{{name}}", "template").replace("{{title}}", &title(name));
    skill::rename(text.as_bytes(), name)
}

/// `pdf-forms` as `Pdf forms`.
fn title(name: &SkillName) -> String {
    let words = name.as_str().replace('-', " ");
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Level;

    #[test]
    fn what_new_writes_is_read_without_a_finding() {
        for name in ["pdf-forms", "on", "123"] {
            let name: SkillName = name.parse().unwrap();
            let text = String::from_utf8(filled_in(&name).unwrap()).unwrap();
            let reading = skill::read(text.as_bytes(), name.as_str());
            assert_eq!(reading.skill.unwrap().name, name.as_str());
            let findings: Vec<_> = reading.diagnostics.iter().filter(|found| found.level > Level::Note).collect();
            assert!(findings.is_empty(), "{findings:?}");
            assert!(!text.contains("{{"));
        }
    }
}
