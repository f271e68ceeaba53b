//! The skills that come with the program: `src/bundled/` as it was when it was built.

use crate::package::BundledSkill;

/// The bundled tier's own skills.
pub static SKILLS: &[BundledSkill] = include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// Digits that tell these skills from those of another build.
pub const DIGEST: &str = include_str!(concat!(env!("OUT_DIR"), "/bundled.digest"));

/// What `skillpm new` writes, with `{{name}}` and `{{title}}` to be filled in.
pub const TEMPLATE: &str = include_str!("bundled/template/SKILL.md.tmpl");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Level;

    #[test]
    fn every_bundled_skill_is_a_package_and_reads_without_a_finding() {
        assert_eq!(SKILLS.len(), 2);
        for skill in SKILLS {
            let tree = skill.tree();
            let reading = crate::skill::read(tree.get("SKILL.md").unwrap(), skill.name);
            assert_eq!(reading.skill.unwrap().name, skill.name);
            let findings: Vec<_> = reading.diagnostics.iter().filter(|found| found.level > Level::Note).collect();
            assert!(findings.is_empty(), "{findings:?}");
        }
    }
}
