//! `catalog`: the listing an agent is given.

use serde_json::Value;
use snapbox::str;

use crate::support::{Outcome, Sandbox, path_text};

/// The skills of a catalog in JSON.
#[track_caller]
pub(crate) fn skills(outcome: &Outcome) -> Vec<Value> {
    outcome.stdout_json()["skills"]
        .as_array()
        .expect("a catalog has skills")
        .clone()
}

/// One skill of a catalog in JSON.
#[track_caller]
pub(crate) fn skill(outcome: &Outcome, name: &str) -> Value {
    let found: Vec<_> = skills(outcome)
        .into_iter()
        .filter(|skill| skill["name"] == name)
        .collect();
    assert_eq!(found.len(), 1, "`{name}` should be listed once: {found:?}");
    found[0].clone()
}

/// A project with two skills made by hand.
fn two() -> Sandbox {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill(".agents/skills/csv-tidy", "Tidies <CSV> & more.");
    sandbox.write_skill(".agents/skills/pdf", "Reads PDF.");
    sandbox
}

#[test]
fn json_has_path_and_tier() {
    let sandbox = two();
    let outcome = sandbox.skillpm("catalog --format json").exits(0);
    let skill = skill(&outcome, "csv-tidy");
    assert_eq!(skill["description"], "Tidies <CSV> & more.");
    assert_eq!(skill["tier"], "workspace");
    let location = path_text(&sandbox.path(".agents/skills/csv-tidy/SKILL.md"));
    assert_eq!(skill["location"], location);
}

#[test]
fn json_of_an_installed_skill_has_source_version_and_checksum() {
    let sandbox = Sandbox::project_here();
    let repo = crate::git_references::versions(&sandbox);
    sandbox
        .skillpm(format!("add {} --skill pdf --version ^1", repo.url()))
        .exits(0);
    let skill = skill(&sandbox.skillpm("catalog --format json").exits(0), "pdf");
    assert_eq!(skill["version"], "1.1.0");
    assert_eq!(skill["checksum"], sandbox.locked("pdf", "checksum"));
    assert!(skill["source"].to_string().contains(&repo.url()), "{skill}");
}

#[test]
fn xml_is_escaped() {
    let sandbox = two();
    let outcome = sandbox.skillpm("catalog --format xml").exits(0);
    outcome
        .stdout_has("csv-tidy")
        .stdout_has("Tidies &lt;CSV&gt; &amp; more.")
        .stdout_has("pdf");
    assert!(
        !outcome.stdout_text().contains("<CSV>"),
        "{}",
        outcome.stdout_text()
    );
}

#[test]
fn markdown_names_every_skill() {
    let sandbox = two();
    sandbox
        .skillpm("catalog --format markdown")
        .exits(0)
        .stdout_has("csv-tidy")
        .stdout_has("pdf");
}

#[test]
fn only_selects_the_named_skills() {
    let sandbox = two();
    let listed = skills(&sandbox.skillpm("catalog --format json --only pdf").exits(0));
    assert_eq!(
        listed
            .iter()
            .map(|skill| skill["name"].clone())
            .collect::<Vec<_>>(),
        ["pdf"]
    );
}

#[test]
fn dir_replaces_the_tiers() {
    let sandbox = two();
    sandbox.write_skill("elsewhere/xml", "Reads XML.");
    let listed = skills(
        &sandbox
            .skillpm("catalog --format json --dir elsewhere")
            .exits(0),
    );
    assert_eq!(
        listed
            .iter()
            .map(|skill| skill["name"].clone())
            .collect::<Vec<_>>(),
        ["xml"]
    );
}

#[test]
fn first_of_two_directories_wins() {
    let sandbox = Sandbox::new();
    sandbox.write_skill("one/pdf", "The first.");
    sandbox.write_skill("two/pdf", "The second.");
    let outcome = sandbox
        .skillpm("catalog --format json --dir one --dir two")
        .exits(0);
    assert_eq!(skill(&outcome, "pdf")["description"], "The first.");
}

#[test]
fn invalid_skill_is_left_out_with_place_and_reason() {
    let sandbox = two();
    sandbox.write(".agents/skills/bad/SKILL.md", "---\nname: bad\n---\n");
    let outcome = sandbox.skillpm("catalog --format json").exits(0);
    assert!(skills(&outcome).iter().all(|skill| skill["name"] != "bad"));
    outcome.stderr(str![[r#"
{"type":"warning","message":"[ROOT]/project/.agents/skills/bad/SKILL.md:1:1: the skill has no `description` (description-missing)","help":"say in one or two sentences what the skill does and when to use it"}

"#]]);
}

#[test]
fn frontmatter_that_agents_repair_is_repaired() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "d/bom/SKILL.md",
        "\u{feff}---\r\nname: bom\r\ndescription: Use when: a colon stands here.\r\n---\r\nbody\r\n",
    );
    let outcome = sandbox.skillpm("catalog --format json --dir d").exits(0);
    assert_eq!(
        skill(&outcome, "bom")["description"],
        "Use when: a colon stands here."
    );
}

#[test]
fn same_directory_gives_the_same_bytes() {
    let sandbox = two();
    let once = |locale: &str| {
        sandbox
            .skillpm("catalog --format json")
            .env("LC_ALL", locale)
            .exits(0)
            .stdout_text()
            .to_owned()
    };
    let bytes = once("C");
    assert!(bytes.contains("csv-tidy"));
    assert_eq!(bytes, once("tr_TR.UTF-8"));
}

#[test]
fn empty_catalog_is_valid() {
    let sandbox = Sandbox::new();
    sandbox.write("empty/README.md", "");
    assert!(
        skills(
            &sandbox
                .skillpm("catalog --format json --dir empty")
                .exits(0)
        )
        .is_empty()
    );
}

#[test]
fn catalog_writes_nothing_into_the_project() {
    let sandbox = two();
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("catalog --format json")
        .exits(0)
        .stdout_has("csv-tidy");
    snapshot.still_holds();
}

#[test]
fn unknown_format_lists_the_known_ones() {
    let sandbox = two();
    sandbox
        .skillpm("catalog --format yaml")
        .exits(2).stderr(str![[r"
error: invalid value 'yaml' for '--format <FORMAT>'
  [possible values: json, xml, xml-ref, markdown, nova, nova-shipped, yodoca, kodelet, kodelet-tool, pickle, devai, openai, openai-responses, anthropic, template, well-known, agentskills-http, claude-marketplace, claude-zip, bodies]

  tip: a similar value exists: 'xml'

For more information, try '--help'.

"]]);
}

#[test]
fn control_characters_of_a_skill_do_not_reach_the_terminal() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "d/loud/SKILL.md",
        "---\nname: loud\ndescription: \"red \\e[31m text\"\n---\n",
    );
    for format in ["json", "xml", "markdown"] {
        sandbox
            .skillpm(format!("catalog --format {format} --dir d"))
            .exits(0)
            .stdout_has("loud")
            .never_prints("\u{1b}");
    }
}

#[test]
fn copies_in_two_targets_are_no_collision() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Works on PDF files.");
    sandbox
        .skillpm("add ./pdf --target claude-code --no-detect")
        .exits(0);
    let outcome = sandbox.skillpm("catalog --format xml").exits(0);
    outcome.stdout_has("<name>pdf</name>");
    assert!(
        !outcome.stderr_text().contains("collision"),
        "{}",
        outcome.stderr_text()
    );
}

#[test]
fn dir_that_is_a_skill_is_refused_with_the_right_command() {
    let sandbox = two();
    for (dir, above) in [
        (".agents/skills/pdf", ".agents/skills"),
        ("./.agents/skills/pdf/", "./.agents/skills"),
    ] {
        let refused = sandbox.skillpm(format!("catalog --dir {dir}")).exits(1);
        refused.explains([
            "`--dir` requires a directory of skills, and `",
            "is a skill",
            &format!("`--dir {above} --only pdf`"),
        ]);
        let listed = skills(
            &sandbox
                .skillpm(format!("catalog --dir {above} --only pdf"))
                .exits(0),
        );
        assert_eq!(listed.len(), 1);
    }
    let inside = sandbox
        .skillpm("catalog --dir .")
        .in_dir(".agents/skills/pdf")
        .exits(1);
    inside.explains(["`--dir ./.. --only pdf`"]);
}

#[test]
fn dir_that_is_a_skill_lists_the_skills_below_it() {
    let sandbox = Sandbox::new();
    sandbox.write_skill("whole", "Has others in it.");
    sandbox.write_skill("whole/part", "Is one of them.");
    let told = sandbox.skillpm("catalog --dir whole").exits(0);
    told.stderr_has("`--dir` requires a directory of skills, and `whole` is a skill");
    assert_eq!(skills(&told).len(), 1);
}

#[cfg(unix)]
#[test]
fn output_is_written_through_a_link_within_the_project() {
    let sandbox = two();
    sandbox.write("CLAUDE.md", "# mine\n");
    std::os::unix::fs::symlink("CLAUDE.md", sandbox.path("AGENTS.md")).unwrap();
    sandbox
        .skillpm("catalog --format markdown --into AGENTS.md")
        .exits(0);
    assert!(sandbox.path("AGENTS.md").is_symlink());
    let written = sandbox.read("CLAUDE.md");
    assert!(
        written.starts_with("# mine\n") && written.contains("csv-tidy"),
        "{written}"
    );
    sandbox
        .skillpm("catalog --format markdown --into AGENTS.md")
        .exits(0)
        .stderr_has("Unchanged");
    std::os::unix::fs::symlink("sums.json", sandbox.path("bom.json")).unwrap();
    sandbox.write("sums.json", "");
    sandbox.skillpm("lock").exits(0);
    sandbox.skillpm("sbom --output bom.json").exits(0);
    assert!(sandbox.path("bom.json").is_symlink() && !sandbox.read("sums.json").is_empty());
}

#[cfg(unix)]
#[test]
fn output_is_not_written_through_links_that_leave_the_project() {
    let sandbox = two();
    sandbox.write("~/.profile", "PATH=/bin\n");
    for (link, to) in [
        ("AGENTS.md", "../home/.profile"),
        ("out", "../home"),
        ("GONE.md", "nowhere.md"),
    ] {
        std::os::unix::fs::symlink(to, sandbox.path(link)).unwrap();
    }
    for (file, code) in [
        ("AGENTS.md", 3),
        ("out/.profile", 3),
        ("out/new.md", 3),
        ("GONE.md", 6),
    ] {
        sandbox
            .skillpm(format!("catalog --format markdown --into {file}"))
            .exits(code)
            .explains([file]);
    }
    sandbox.reads("~/.profile", "PATH=/bin\n");
    sandbox.lacks(["~/new.md", "nowhere.md"]);
    // A link of one's own, outside of the project, is followed.
    std::os::unix::fs::symlink(".profile", sandbox.path("~/linked")).unwrap();
    sandbox
        .skillpm("catalog --format markdown --into ../home/linked")
        .exits(0);
    assert!(
        sandbox.path("~/linked").is_symlink() && sandbox.read("~/.profile").contains("csv-tidy")
    );
}
