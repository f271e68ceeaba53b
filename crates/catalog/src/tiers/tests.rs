//! Discovery over real directories.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::*;
use crate::catalog::SkillCandidate;
use skillpm_core::package::BundledSkill;

/// A directory of directories of skills.
struct Scene(tempfile::TempDir);

impl Scene {
    fn new() -> Self {
        Scene(tempfile::tempdir().unwrap())
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn skill(&self, directory: &str, name: &str, description: &str) {
        self.write(&format!("{directory}/SKILL.md"), &text(name, description));
    }

    /// The roots `a`, `b` in the workspace and `m` in the managed tier.
    fn places(&self) -> Vec<TierRoot> {
        vec![
            TierRoot::directory(Tier::Workspace, "workspace", self.path("a")),
            TierRoot::directory(Tier::Workspace, "project-agents", self.path("b")),
            TierRoot::directory(Tier::Managed, "personal-agents", self.path("m")),
        ]
    }

    /// A memory as of a moment when everything written so far has settled.
    fn memory(&self) -> DiscoveryCache {
        DiscoveryCache::new(
            &self.path("index"),
            None,
            SystemTime::now() + Duration::from_secs(10),
        )
    }

    fn discover(&self) -> DiscoveredSkills {
        discover(&self.places(), None)
    }
}

fn text(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nBody of {name}.\n")
}

fn named<'a>(discovery: &'a DiscoveredSkills, name: &str) -> &'a SkillCandidate {
    discovery
        .candidates
        .iter()
        .find(|candidate| &*candidate.listing.name == name)
        .unwrap()
}

/// Each skill as `name root/directory`.
fn shown(discovery: &DiscoveredSkills) -> Vec<String> {
    let describe = |skill: &SkillCandidate| {
        let root = discovery.roots[usize::from(skill.root)]
            .path
            .file_name()
            .unwrap()
            .to_string_lossy();
        format!("{} {root}/{}", skill.listing.name, skill.directory)
    };
    discovery.candidates.iter().map(describe).collect()
}

fn rules(discovery: &DiscoveredSkills) -> Vec<&str> {
    discovery
        .findings
        .iter()
        .map(|finding| finding.diagnostic.rule.as_str())
        .collect()
}

#[test]
fn the_highest_tier_with_a_valid_skill_wins() {
    let scene = Scene::new();
    scene.skill("a/pdf", "pdf", "Workspace.");
    scene.skill("m/pdf", "pdf", "Managed.");
    scene.write("a/csv/SKILL.md", "---\nname: csv\n---\nNo description.\n");
    scene.skill("m/csv", "csv", "Managed.");
    scene.skill("m/.hidden", "hidden", "Not looked at.");
    scene.skill("m/deep/er", "deeper", "One level only.");
    let discovery = scene.discover();
    assert_eq!(shown(&discovery), ["csv m/csv", "pdf a/pdf"]);
    assert_eq!(named(&discovery, "pdf").shadows.len(), 1);
    assert_eq!(discovery.unlisted.len(), 1);
    assert_eq!(discovery.unlisted[0].location, scene.path("a/csv/SKILL.md"));
}

#[test]
fn only_the_exact_name_skill_md_is_a_skill() {
    let scene = Scene::new();
    scene.write("a/pdf/skill.md", &text("pdf", "D."));
    scene.write("a/empty/README.md", "");
    scene.write("a/file", "");
    let discovery = scene.discover();
    if !skillpm_io::skills_dir::FOLDS_CASE {
        assert_eq!(discovery.candidates, []);
        assert_eq!(rules(&discovery), ["skill-md-wrong-case"]);
    }
}

#[cfg(unix)]
#[test]
fn a_linked_file_is_refused_and_a_linked_directory_noted() {
    use std::os::unix::fs::symlink;
    let scene = Scene::new();
    scene.skill("elsewhere/pdf", "pdf", "D.");
    scene.write("a/file/notes", "");
    symlink(
        scene.path("elsewhere/pdf/SKILL.md"),
        scene.path("a/file/SKILL.md"),
    )
    .unwrap();
    symlink(scene.path("elsewhere/pdf"), scene.path("a/pdf")).unwrap();
    symlink("nowhere", scene.path("a/broken")).unwrap();
    let discovery = scene.discover();
    assert_eq!(shown(&discovery), ["pdf a/pdf"]);
    assert_eq!(
        named(&discovery, "pdf").diagnostics[0].rule,
        "skill-dir-link"
    );
    assert_eq!(discovery.unlisted[0].diagnostics[0].rule, "skill-md-link");
    assert_eq!(rules(&discovery), ["link-broken"]);
}

#[cfg(unix)]
#[test]
fn one_directory_reached_twice_counts_once() {
    use std::os::unix::fs::symlink;
    let scene = Scene::new();
    scene.skill("a/pdf", "pdf", "D.");
    symlink("a", scene.path("b")).unwrap();
    fs::create_dir(scene.path("m")).unwrap();
    symlink(scene.path("a/pdf"), scene.path("m/pdf")).unwrap();
    let discovery = scene.discover();
    assert_eq!(shown(&discovery), ["pdf a/pdf"]);
    assert_eq!(named(&discovery, "pdf").shadows, []);
}

#[test]
fn skills_inside_the_binary_stand_in_their_tier() {
    static BUNDLED: &[BundledSkill] = &[BundledSkill {
        name: "help",
        files: &[
            (
                "SKILL.md",
                b"---\nname: help\ndescription: D.\n---\nBody.\n",
                false,
            ),
            ("x.sh", b"", true),
        ],
    }];
    let scene = Scene::new();
    let binary = TierInputs {
        binary: Some((BUNDLED, Path::new("/unpacked"))),
        ..TierInputs::default()
    };
    let mut places = tier_roots(&binary);
    let mut discovery = discover(&places, None);
    inspect(&mut discovery, &places, InspectScope::All, None);
    assert_eq!(
        discovery.candidates[0].location(&discovery.roots),
        Path::new("/unpacked/help/SKILL.md")
    );
    let content = discovery.candidates[0].content.as_ref().unwrap();
    assert_eq!(
        (
            content.files.len(),
            content.files[1].executable,
            content.est_tokens
        ),
        (2, true, 2)
    );

    scene.skill("a/help", "help", "Mine.");
    places.splice(0..0, scene.places());
    assert_eq!(shown(&discover(&places, None)), ["help a/help"]);
}

#[test]
fn what_is_remembered_is_what_would_be_read() {
    let scene = Scene::new();
    for name in ["b", "a", "c"] {
        scene.skill(&format!("a/{name}"), name, "D.");
        scene.skill(&format!("m/{name}"), name, "D.");
    }
    scene.write("b/bad/SKILL.md", "no frontmatter");
    scene.write(
        "b/gated/SKILL.md",
        "---\nname: Gated\ndescription: D.\nlicense: MIT\ntags: [x]\n---\n",
    );
    let (places, memory) = (scene.places(), scene.memory());
    let first = discover(&places, Some(&memory));
    let written = fs::read(memory.listings()).unwrap();
    let second = discover(&places, Some(&memory));
    assert_eq!(first, second);
    assert_eq!(first, discover(&places, None));
    assert_eq!(fs::read(memory.listings()).unwrap(), written);
}

#[test]
fn a_changed_skill_is_read_again_and_a_new_or_lost_one_noticed() {
    let scene = Scene::new();
    for name in ["a", "b", "c"] {
        scene.skill(&format!("a/{name}"), name, "Old.");
    }
    discover(&scene.places(), Some(&scene.memory()));
    scene.skill("a/b", "b", "New.");
    scene.skill("a/d", "d", "New.");
    fs::remove_dir_all(scene.path("a/a")).unwrap();
    let discovery = discover(&scene.places(), Some(&scene.memory()));
    assert_eq!(shown(&discovery), ["b a/b", "c a/c", "d a/d"]);
    assert_eq!(&*named(&discovery, "b").listing.description, "New.");
}

#[test]
fn what_changed_within_two_seconds_is_not_remembered() {
    let scene = Scene::new();
    scene.skill("a/pdf", "pdf", "One.");
    let memory = DiscoveryCache::new(&scene.path("index"), None, SystemTime::now());
    discover(&scene.places(), Some(&memory));
    assert!(!memory.listings().exists());
}

#[test]
fn another_roots_memory_does_not_answer() {
    let scene = Scene::new();
    scene.skill("a/pdf", "pdf", "In a.");
    scene.skill("m/pdf", "pdf", "In m.");
    let memory = scene.memory();
    discover(&scene.places()[..1], Some(&memory));
    let discovery = discover(&scene.places()[2..], Some(&memory));
    assert_eq!(&*named(&discovery, "pdf").listing.description, "In m.");
}

#[test]
fn contents_are_measured_once_and_again_when_a_file_changes() {
    let scene = Scene::new();
    scene.skill("a/pdf", "pdf", "D.");
    scene.write("a/pdf/scripts/run.sh", "echo 1\n");
    fs::create_dir(scene.path("a/pdf/empty")).unwrap();
    let places = scene.places();
    let look = || {
        let mut discovery = discover(&places, None);
        inspect(
            &mut discovery,
            &places,
            InspectScope::All,
            Some(&scene.memory()),
        );
        *discovery.candidates[0].content.clone().unwrap()
    };
    let first = look();
    let paths: Vec<_> = first.files.iter().map(|file| &*file.path).collect();
    assert_eq!(paths, ["SKILL.md", "scripts/run.sh"]);
    assert_eq!(first.est_tokens, 4);
    assert_eq!(look(), first);
    scene.write("a/pdf/scripts/run.sh", "echo 2\n");
    assert_ne!(look().checksum, first.checksum);
    scene.write("a/pdf/empty/new", "");
    assert_eq!(look().files.len(), 3);
    fs::remove_file(scene.path("a/pdf/empty/new")).unwrap();
    assert_eq!(look().files.len(), 2);
}

#[test]
fn a_look_at_some_leaves_what_is_remembered_of_others() {
    let scene = Scene::new();
    for name in ["a/x", "a/y", "m/y"] {
        scene.skill(name, &name[2..], "D.");
    }
    let places = scene.places();
    let look = |which| {
        let mut discovery = discover(&places, None);
        inspect(&mut discovery, &places, which, Some(&scene.memory()));
        discovery
    };
    look(InspectScope::All);
    let before = fs::read(scene.memory().contents()).unwrap();
    let discovery = look(InspectScope::Shadowed);
    assert_eq!(fs::read(scene.memory().contents()).unwrap(), before);
    assert_eq!(named(&discovery, "x").content, None);
    let y = named(&discovery, "y");
    assert_eq!(y.same_content(&y.shadows[0]), Some(true));
}

#[cfg(unix)]
#[test]
fn what_no_package_may_hold_costs_the_checksum() {
    let scene = Scene::new();
    scene.skill("a/pdf", "pdf", "D.");
    std::os::unix::fs::symlink("/etc/passwd", scene.path("a/pdf/link")).unwrap();
    scene.write("a/pdf/a:b", "");
    let places = scene.places();
    let mut discovery = discover(&places, None);
    inspect(&mut discovery, &places, InspectScope::All, None);
    let skill = &discovery.candidates[0];
    let content = skill.content.as_ref().unwrap();
    assert_eq!((content.files.len(), content.checksum), (1, None));
    assert_eq!(skill.diagnostics.len(), 2);
}

const MANIFEST: &str = "name: Onboarding\nversion: \"1.0.0\"\ndescription: First week.\n";
const TOOLS: &str = "@tool\ndef find(name: str):\n    \"\"\"Find one.\"\"\"\n\ndef get_tools():\n    return [find]\n";
const CALL: &str = r#"{"id":"convert","name":"Convert","description":"Converts.","parameters":{"a":{"type":"string","description":"A"}}}"#;

/// Each skill as `name format version tools…`.
fn described(discovery: &DiscoveredSkills) -> Vec<String> {
    let describe = |skill: &SkillCandidate| {
        let facts = skill.listing.facts();
        let tools: Vec<&str> = facts.tools.iter().map(|tool| tool.name.as_str()).collect();
        let version = facts.version.as_deref().unwrap_or("-");
        format!(
            "{} {} {version} {}",
            skill.listing.name,
            facts.format.name(),
            tools.join(",")
        )
    };
    discovery.candidates.iter().map(describe).collect()
}

#[test]
fn skills_of_other_formats_are_found_and_looked_at() {
    let scene = Scene::new();
    scene.write("a/on_boarding/manifest.yaml", MANIFEST);
    scene.write("a/on_boarding/instructions.md", "Be kind.\n");
    scene.write("a/on_boarding/tools.py", TOOLS);
    scene.write("a/convert/skill.json", CALL);
    scene.write("a/convert/execute.ts", "");
    scene.write("a/bare/skill.json", CALL);
    scene.write("a/both/skill.json", "{");
    scene.skill("a/both", "both", "The page wins.");
    scene.write("a/half/manifest.yaml", MANIFEST);
    scene.write("a/plugin/.claude-plugin/plugin.json", "{}");
    let mut discovery = scene.discover();
    assert_eq!(
        described(&discovery),
        [
            "both skill-md - ",
            "convert devai - skill_convert",
            "on-boarding nova 1.0.0 find"
        ]
    );
    assert_eq!(
        discovery.unlisted[0].location,
        scene.path("a/bare/skill.json")
    );
    assert_eq!(rules(&discovery), ["container-not-skill"]);
    inspect(&mut discovery, &scene.places(), InspectScope::All, None);
    let tokens = |name: &str| named(&discovery, name).content.as_ref().unwrap().est_tokens;
    assert_eq!(tokens("on-boarding"), 3);
    assert!(tokens("convert") > 50);
    assert_eq!(
        named(&discovery, "on-boarding").location(&discovery.roots),
        scene.path("a/on_boarding/instructions.md")
    );
}

#[test]
fn whatever_describes_a_skill_of_another_format_is_read_again_when_it_changes() {
    let scene = Scene::new();
    scene.write("a/x/manifest.yaml", MANIFEST);
    scene.write("a/x/instructions.md", "");
    let look = || described(&discover(&scene.places(), Some(&scene.memory())));
    assert_eq!(look(), ["x nova 1.0.0 "]);
    // What is remembered is used: a file of the same stamp says what it said.
    assert_eq!(look(), ["x nova 1.0.0 "]);
    scene.write("a/x/tools.py", TOOLS);
    assert_eq!(look(), ["x nova 1.0.0 find"]);
    scene.write("a/x/tools.py", &TOOLS.replace("find", "seek"));
    assert_eq!(look(), ["x nova 1.0.0 seek"]);
    scene.write("a/x/manifest.yaml", &MANIFEST.replace("1.0.0", "2.0.0"));
    assert_eq!(look(), ["x nova 2.0.0 seek"]);
    scene.skill("a/x", "x", "A page.");
    assert_eq!(look(), ["x skill-md - "]);
    fs::remove_file(scene.path("a/x/SKILL.md")).unwrap();
    fs::remove_file(scene.path("a/x/instructions.md")).unwrap();
    assert_eq!(look(), [""; 0]);
}

#[test]
fn findings_about_another_file_than_the_instructions_say_which() {
    let scene = Scene::new();
    scene.write("a/x/manifest.yaml", &MANIFEST.replace("\"1.0.0\"", "1.0"));
    scene.write("a/x/instructions.md", "");
    let discovery = scene.discover();
    let found = &named(&discovery, "x").diagnostics[0];
    assert_eq!(
        found.message,
        "manifest.yaml:2:10: `version` is a number; Nova expects a string"
    );
    assert_eq!((found.position, &found.fix), (None, &None));
}

#[test]
fn findings_of_what_is_not_listed_stand_in_the_file_that_describes_it() {
    let scene = Scene::new();
    scene.write(
        "a/un/manifest.yaml",
        "name: a\nversion: '1'\ndescription: [d]\n",
    );
    scene.write("a/un/instructions.md", "");
    let discovery = scene.discover();
    let unlisted = &discovery.unlisted[0];
    assert_eq!(unlisted.location, scene.path("a/un/manifest.yaml"));
    assert_eq!(
        unlisted.diagnostics[0].location("un/manifest.yaml"),
        "un/manifest.yaml:3:1"
    );
    assert_eq!(
        unlisted.diagnostics[0].message,
        "`description` is not a string"
    );
}

#[test]
fn what_is_said_to_codex_is_read_with_the_files() {
    let scene = Scene::new();
    scene.skill("a/pdf", "pdf", "D.");
    scene.write(
        "a/pdf/agents/openai.yaml",
        "interface: {display_name: PDF forms}\npolicy: {allow_implicit_invocation: false}\n",
    );
    let look = || {
        let mut discovery = discover(&scene.places(), Some(&scene.memory()));
        inspect(
            &mut discovery,
            &scene.places(),
            InspectScope::All,
            Some(&scene.memory()),
        );
        let skill = named(&discovery, "pdf");
        (
            skill.display_name().to_owned(),
            skill
                .codex()
                .and_then(|codex| codex.allow_implicit_invocation),
        )
    };
    assert_eq!(look(), ("PDF forms".to_owned(), Some(false)));
    assert_eq!(look(), ("PDF forms".to_owned(), Some(false)));
    scene.write(
        "a/pdf/agents/openai.yaml",
        "policy: {allow_implicit_invocation: true}\n",
    );
    assert_eq!(look(), ("pdf".to_owned(), Some(true)));
}
