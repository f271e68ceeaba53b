//! A target whose agent reads another format gets the skill converted, in the same transaction as everything else.

use snapbox::str;

use crate::support::{Repo, Sandbox};

const PAGE: &str = "---\nname: release-notes\ndescription: Manage git versioning, changelogs, and deployments.\n---\n\n# Release\n\nTag, then write.\n";
const MAIN: &str = ".agents/skills/release-notes/SKILL.md";
const NOVA: &str = "backend/skills/release-notes";
const INSTRUCTIONS: &str = "backend/skills/release-notes/instructions.md";

/// Nova's own example (ADR-014).
const MANIFEST: &str = "name: employee_onboarding\nversion: \"1.0.0\"\n\
    description: \"Handle new hire setup, emails, and checklists.\"\nauthor: nova-team\ntags: [hr, onboarding, workflow]\n";

/// Devai's own example, with a description of each parameter.
const CALL: &str = r#"{
  "id": "generate-image",
  "name": "Bildgenerierung",
  "description": "Generiert Bilder mit DALL-E basierend auf Textbeschreibungen",
  "version": "1.0.0",
  "parameters": {
    "prompt": { "type": "string", "required": true, "description": "Bildbeschreibung" }
  },
  "createdBy": "devo",
  "tags": ["image", "openai"]
}
"#;

/// A project with `release-notes`, of a repository, for Nova, too.
fn for_nova() -> (Sandbox, Repo) {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.write("skills/release-notes/SKILL.md", PAGE)
        .write("skills/release-notes/scripts/tag.sh", "git tag\n")
        .commit("first");
    sandbox
        .skillpm(format!("add {} --branch main --target nova", repo.url()))
        .exits(0);
    (sandbox, repo)
}

/// Changes a line of the skill in its repository.
fn release(repo: &Repo, from: &str, to: &str) {
    repo.write("skills/release-notes/SKILL.md", PAGE.replace(from, to))
        .commit("another");
}

fn write_call(sandbox: &Sandbox, dir: &str) {
    sandbox.write(&format!("{dir}/skill.json"), CALL);
    sandbox.write(
        &format!("{dir}/execute.ts"),
        "export async function execute() {}\n",
    );
}

#[test]
fn target_of_nova_gets_its_own_format() {
    let sandbox = Sandbox::project_here();
    sandbox.write("release-notes/SKILL.md", PAGE);
    sandbox
        .skillpm("add ./release-notes --target nova")
        .exits(0)
        .stderr_has("Converted to `nova` in backend/skills/release-notes");
    sandbox.reads(MAIN, PAGE);
    sandbox.reads(INSTRUCTIONS, "# Release\n\nTag, then write.\n");
    sandbox.reads(
        "backend/skills/release-notes/manifest.yaml",
        "name: \"release-notes\"\nversion: \"0.0.0\"\ndescription: \"Manage git versioning, changelogs, and deployments.\"\n",
    );
    sandbox.lacks(["backend/skills/release-notes/SKILL.md"]);
    assert_eq!(
        sandbox
            .skillpm("catalog --agent nova --format nova")
            .exits(0)
            .stdout_text()
            .lines()
            .last(),
        Some("- release-notes: Manage git versioning, changelogs, and deployments.")
    );

    let summary = sandbox
        .skillpm("install --force --format json")
        .exits(0)
        .stdout_json_lines()
        .pop()
        .unwrap();
    assert_eq!(summary["up_to_date"], true);
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("diff").exits(0).stdout(str![""]);
}

#[test]
fn converted_skill_is_undone_and_removed_like_any_other() {
    let (sandbox, _repo) = for_nova();
    let before = sandbox.tree(NOVA);
    sandbox.skillpm("remove release-notes").exits(0);
    sandbox.lacks([MAIN, NOVA]);
    sandbox.skillpm("undo").exits(0);
    assert_eq!(sandbox.tree(NOVA), before);
    sandbox.skillpm("install").exits(0);
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("undo").exits(0);
    sandbox.lacks([MAIN, NOVA]);
}

#[test]
fn update_replaces_a_converted_copy_and_undo_restores_it() {
    let (sandbox, repo) = for_nova();
    release(&repo, "Tag, then write.", "Write, then tag.");
    sandbox.skillpm("update").exits(0);
    sandbox.reads(INSTRUCTIONS, "# Release\n\nWrite, then tag.\n");
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("undo").exits(0);
    sandbox.reads(INSTRUCTIONS, "# Release\n\nTag, then write.\n");
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn edit_of_a_converted_copy_is_shown_and_stays_in_it() {
    let (sandbox, _repo) = for_nova();
    sandbox.write(INSTRUCTIONS, "# Release\n\nTag, then write.\nMine.\n");
    let edited = sandbox.snapshot();
    sandbox
        .skillpm("verify")
        .exits(1)
        .stdout_has("changed   backend/skills/release-notes/instructions.md\n");
    sandbox
        .skillpm("diff")
        .exits(0)
        .stdout_has("+Mine.\n")
        .stdout_has(INSTRUCTIONS);
    sandbox.skillpm("install").exits(0).stderr(str![[r"
warning: `backend/skills/release-notes` has local edits, and is left unchanged
help: run `skillpm diff` to see the edits, or `skillpm restore NAME` to discard them
   Unchanged 1 skill, up to date except for local edits

"]]);
    edited.still_holds();
    sandbox.reads(MAIN, PAGE);
    // A patch file has edits of the package's own files, and there are none.
    sandbox
        .skillpm("patch release-notes")
        .exits(1)
        .explains(["no edits of `release-notes` found"]);
}

#[test]
fn edit_of_a_converted_copy_is_merged_with_the_new_version() {
    let (sandbox, repo) = for_nova();
    let mine = "# Mine\n\nTag, then write.\n";
    sandbox.write(INSTRUCTIONS, mine);
    release(&repo, "write.\n", "write.\n\nTest before.\n");
    sandbox.skillpm("update").exits(0);
    let text = sandbox.read(INSTRUCTIONS);
    assert!(
        text.starts_with("# Mine\n") && text.ends_with("Test before.\n"),
        "{text}"
    );
    // The edit is of the converted copy alone: neither the package's copy nor the lockfile has it.
    assert!(!sandbox.read(MAIN).contains("Mine"));
    sandbox.lacks(["patches"]);
    sandbox.skillpm("undo").exits(0);
    sandbox.reads(INSTRUCTIONS, mine);
    sandbox.reads(MAIN, PAGE);
}

#[test]
fn conflicting_edit_of_a_converted_copy_stops_the_update() {
    let (sandbox, repo) = for_nova();
    sandbox.write(INSTRUCTIONS, "# Release\n\nMy way.\n");
    release(&repo, "Tag, then write.", "Write, then tag.");
    let before = sandbox.snapshot();
    sandbox
        .skillpm("update")
        .exits(1)
        .stderr_has("conflicting changes in `release-notes`");
    before.still_holds();
    sandbox.skillpm("update --ours").exits(0);
    sandbox.reads(INSTRUCTIONS, "# Release\n\nMy way.\n");
    assert!(sandbox.read(MAIN).contains("Write, then tag."));
}

#[test]
fn edited_converted_copy_of_a_former_target_is_not_lost() {
    let (sandbox, _repo) = for_nova();
    sandbox.write(INSTRUCTIONS, "Mine.\n");
    sandbox.edit("skillpm.toml", "targets = [\"nova\"]", "targets = []");
    let before = sandbox.snapshot();
    sandbox.skillpm("install").exits(1).stderr(str![[r"
error: refusing to change `backend/skills/release-notes`: it was edited since it was installed
help: run `skillpm diff` to see the edits
help: pass `--force` to continue and move the present files to `.skillpm/backup`

"]]);
    before.still_holds();
    sandbox.skillpm("install --force").exits(0);
    sandbox.lacks([NOVA]);
    sandbox.skillpm("undo").exits(0);
    sandbox.reads(INSTRUCTIONS, "Mine.\n");
}

#[test]
fn saved_edit_of_the_package_is_converted_too() {
    let (sandbox, repo) = for_nova();
    sandbox.edit(MAIN, "# Release", "# Our release");
    sandbox.skillpm("install").exits(0);
    sandbox.reads(INSTRUCTIONS, "# Release\n\nTag, then write.\n");
    sandbox.skillpm("patch release-notes").exits(0);
    sandbox.reads(INSTRUCTIONS, "# Our release\n\nTag, then write.\n");
    sandbox.skillpm("verify").exits(0);
    release(&repo, "write.\n", "write.\n\nTest before.\n");
    sandbox.skillpm("update").exits(0);
    sandbox.reads(
        INSTRUCTIONS,
        "# Our release\n\nTag, then write.\n\nTest before.\n",
    );
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn unsaved_edit_of_the_package_is_converted_when_an_update_saves_it() {
    let (sandbox, repo) = for_nova();
    sandbox.edit(MAIN, "# Release", "# Our release");
    release(&repo, "write.\n", "write.\n\nTest before.\n");
    sandbox.skillpm("update").exits(0);
    sandbox.reads(
        INSTRUCTIONS,
        "# Our release\n\nTag, then write.\n\nTest before.\n",
    );
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("install").exits(0);
}

#[test]
fn converted_copy_is_recognized_without_the_state() {
    let (sandbox, _repo) = for_nova();
    sandbox.delete(".skillpm");
    let before = sandbox.snapshot();
    sandbox.skillpm("verify").exits(0);
    sandbox
        .skillpm("install --locked --offline")
        .exits(0)
        .stderr_has("Unchanged");
    sandbox.delete(".skillpm");
    before.still_holds();
}

#[test]
fn converted_copy_is_never_a_link() {
    let (sandbox, _repo) = for_nova();
    sandbox.edit(
        "skillpm.toml",
        "[install]\n",
        "[install]\nlink = \"symlink\"\n",
    );
    sandbox.skillpm("install").exits(0);
    assert!(!sandbox.path(NOVA).is_symlink());
    sandbox.reads(INSTRUCTIONS, "# Release\n\nTag, then write.\n");
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn main_directory_of_an_agent_is_converted_as_well() {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\n[install]\ndir = \"backend/skills\"\ntargets = [\"nova\"]\n",
    );
    sandbox.write("release-notes/SKILL.md", PAGE);
    sandbox.skillpm("add ./release-notes").exits(0);
    sandbox.reads(INSTRUCTIONS, "# Release\n\nTag, then write.\n");
    sandbox.lacks([".agents", "backend/skills/release-notes/SKILL.md"]);
    sandbox.skillpm("verify").exits(0);
    sandbox.skillpm("diff").exits(0);
    sandbox.write(INSTRUCTIONS, "Mine.\n");
    sandbox
        .skillpm("patch release-notes")
        .exits(1)
        .stderr(str![[r"
error: failed to save the edits of `release-notes`: its copies are converted from another format
  a patch file has edits of the package's own files
help: to have a copy of them, set another `dir` under `[install]`, and run `skillpm install`

"]]);
}

#[test]
fn skill_of_nova_is_converted_for_claude_code() {
    let sandbox = Sandbox::project_here();
    sandbox.write("employee-onboarding/manifest.yaml", MANIFEST);
    sandbox.write("employee-onboarding/instructions.md", "# First week\n");
    sandbox
        .skillpm("add ./employee-onboarding --target nova --target claude-code")
        .exits(0);
    assert_eq!(
        sandbox.tree("backend/skills/employee-onboarding"),
        sandbox.tree("employee-onboarding"),
        "a skill in the agent's format is installed unchanged"
    );
    sandbox.reads(
        ".claude/skills/employee-onboarding/SKILL.md",
        "---\nname: employee-onboarding\ndescription: \"Handle new hire setup, emails, and checklists.\"\nmetadata:\n  \
         display-name: \"employee_onboarding\"\n  version: \"1.0.0\"\n  author: \"nova-team\"\n  tags: \"hr, onboarding, workflow\"\n---\n\n# First week\n",
    );
    sandbox.skillpm("verify").exits(0);
    // Another text for another agent is what was asked for.
    sandbox
        .skillpm("doctor")
        .exits(0)
        .never_prints("skillpm would use");
}

#[test]
fn directory_and_name_of_a_converted_copy_agree() {
    let sandbox = Sandbox::project_here();
    sandbox.write("employee_onboarding/manifest.yaml", MANIFEST);
    sandbox.write("employee_onboarding/instructions.md", "# First week\n");
    sandbox
        .skillpm("add ./employee_onboarding --target nova --target claude-code")
        .exits(0)
        .stderr_has("Converted to `skill-md` in .claude/skills/employee-onboarding");
    let copy = ".claude/skills/employee-onboarding/SKILL.md";
    assert!(
        sandbox
            .read(copy)
            .starts_with("---\nname: employee-onboarding\n")
    );
    // Nova identifies a skill by its directory.
    sandbox.has(["backend/skills/employee_onboarding/manifest.yaml"]);
    sandbox.lacks([
        ".claude/skills/employee_onboarding",
        "backend/skills/employee-onboarding",
    ]);

    for name in ["employee_onboarding", "employee-onboarding"] {
        sandbox.skillpm(format!("why {name}")).exits(0);
        sandbox
            .skillpm(format!("show {name}"))
            .exits(0)
            .stdout_has("First week");
    }
    sandbox.skillpm("verify").exits(0);
    sandbox
        .skillpm("install")
        .exits(0)
        .stderr_has("Unchanged 1 skill");
    sandbox
        .skillpm("doctor")
        .exits(0)
        .never_prints("skillpm would use");

    sandbox.edit(copy, "First week", "My week");
    sandbox.skillpm("diff").exits(0).stdout_has(copy);
    sandbox.skillpm("verify").exits(1).stdout_has(copy);
    sandbox
        .skillpm("remove employee_onboarding --force")
        .exits(0);
    sandbox.lacks([copy, "backend/skills/employee_onboarding"]);
    sandbox.skillpm("undo").exits(0);
    assert!(sandbox.read(copy).contains("My week"));
    sandbox.has(["backend/skills/employee_onboarding/manifest.yaml"]);
    sandbox.edit(copy, "My week", "First week");
    sandbox.skillpm("undo").exits(0);
    sandbox.lacks([".claude/skills/employee-onboarding"]);
}

#[test]
fn two_skills_never_share_the_directory_of_a_converted_copy() {
    let sandbox = Sandbox::project_here();
    sandbox.write("employee_onboarding/manifest.yaml", MANIFEST);
    sandbox.write("employee_onboarding/instructions.md", "# First week\n");
    sandbox.write_skill("employee-onboarding", "Another skill.");
    sandbox
        .skillpm("add ./employee-onboarding --target nova --target claude-code")
        .exits(0);
    let before = sandbox.snapshot();
    sandbox
        .skillpm("add ./employee_onboarding")
        .exits(1)
        .explains([
            "`.claude/skills/employee-onboarding` is the directory of",
            "--as NAME",
        ]);
    before.still_holds();
}

#[test]
fn skill_without_code_is_refused_for_devai() {
    let sandbox = Sandbox::project_here();
    sandbox.write("release-notes/SKILL.md", PAGE);
    let before = sandbox.snapshot();
    sandbox
        .skillpm("add ./release-notes --target devai")
        .exits(1)
        .stderr(str![[r#"
error: failed to convert `release-notes` for target `devai`
  nothing was installed
caused by: Devai runs the code of a skill, and this one has only instructions
help: `skillpm convert DIR --to devai` writes a skill that answers with its instructions
help: or remove `devai` from `targets` under `[install]`; `deny = ["release-notes"]` under `[catalog.agents.devai]` keeps the skill out of this target alone

"#]]);
    before.still_holds();
}

#[test]
fn call_is_refused_for_an_agent_of_instructions() {
    let sandbox = Sandbox::project_here();
    write_call(&sandbox, "generate-image");
    let before = sandbox.snapshot();
    for target in ["claude-code", "nova"] {
        sandbox
            .skillpm(format!("add ./generate-image --target {target}"))
            .exits(1)
            .explains([
                "failed to convert `generate-image`",
                "a Devai skill is a call that only Devai can make",
            ]);
        before.still_holds();
    }
    sandbox
        .skillpm("add ./generate-image --target devai")
        .exits(0);
    assert_eq!(
        sandbox.tree("skills/generate-image"),
        sandbox.tree("generate-image")
    );
}

#[test]
fn page_beside_code_becomes_a_skill_of_devai() {
    let sandbox = Sandbox::project_here();
    write_call(&sandbox, "generate-image");
    sandbox
        .skillpm("convert generate-image --to skill-md --out pages")
        .exits(0);
    sandbox
        .skillpm("add ./pages/generate-image --target devai")
        .exits(0);
    assert_eq!(
        sandbox.read("skills/generate-image/execute.ts"),
        sandbox.read("generate-image/execute.ts")
    );
    assert!(
        sandbox
            .read("skills/generate-image/skill.json")
            .contains("\"id\": \"generate-image\"")
    );
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn page_made_of_any_format_passes_the_official_validator() {
    let sandbox = Sandbox::project_here();
    sandbox.write("employee_onboarding/manifest.yaml", MANIFEST);
    sandbox.write("employee_onboarding/instructions.md", "# First week\n");
    let long = MANIFEST.replace("Handle new", &format!("Handle {}new", "many ".repeat(400)));
    sandbox.write("many_hires/manifest.yaml", long);
    sandbox.write("many_hires/instructions.md", "# Many\n");
    write_call(&sandbox, "generate-image");
    for dir in ["employee_onboarding", "many_hires", "generate-image"] {
        sandbox
            .skillpm(format!("convert {dir} --to skill-md --out pages"))
            .exits(0);
    }

    let page = sandbox.read("pages/employee-onboarding/SKILL.md");
    assert!(page.contains("  id: \"employee_onboarding\"\n"), "{page}");
    let many = sandbox.read("pages/many-hires/SKILL.md");
    assert!(
        many.contains("emails, and checklists.\n\n# Many\n"),
        "what is cut begins the instructions: {many}"
    );
    let names = ["employee-onboarding", "generate-image", "many-hires"];
    let paths: Vec<String> = names.iter().map(|name| format!("pages/{name}")).collect();
    sandbox
        .skillpm(format!("validate {}", paths.join(" ")))
        .exits(0);
    crate::validate::accepts_officially(&sandbox, &paths);
}
