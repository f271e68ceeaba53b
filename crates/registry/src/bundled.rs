//! The skills that come with the program: `crates/registry/src/bundled/` at build time.

use skillpm_core::package::BundledSkill;

/// The bundled tier's own skills.
pub static SKILLS: &[BundledSkill] = include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// A digest of these skills, which differs between builds with different ones.
pub const DIGEST: &str = include_str!(concat!(env!("OUT_DIR"), "/bundled.digest"));

/// What `skillpm new` writes, with `{{name}}` and `{{title}}` to be filled in.
pub const TEMPLATE: &str = include_str!("bundled/template/SKILL.md.tmpl");

#[cfg(test)]
mod tests {
    use super::*;
    use skillpm_core::report::DiagnosticLevel;

    #[test]
    fn every_bundled_skill_is_a_package_without_findings() {
        assert_eq!(SKILLS.len(), 2);
        for skill in SKILLS {
            let tree = skill.tree();
            let reading = skillpm_core::skill::read(tree.get("SKILL.md").unwrap(), skill.name);
            assert_eq!(reading.skill.unwrap().name, skill.name);
            let findings: Vec<_> = reading
                .diagnostics
                .iter()
                .filter(|found| found.level > DiagnosticLevel::Note)
                .collect();
            assert!(findings.is_empty(), "{findings:?}");
        }
    }
}
