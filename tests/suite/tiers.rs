//! The three tiers: who wins, who is covered, and where each is written.

use snapbox::str;

use crate::catalog::{skill, skills};
use crate::support::{Sandbox, path_text};

/// The same name in all three tiers.
fn everywhere() -> Sandbox {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("mine/pdf", "Of the workspace.");
    sandbox.write_skill("users/pdf", "Of the user.");
    sandbox.write_skill("../shipped/pdf", "Of the product.");
    sandbox.skillpm("add ./mine/pdf").exits(0);
    sandbox.skillpm("add ./users/pdf -g").exits(0);
    sandbox
}

fn catalog(sandbox: &Sandbox, options: &str) -> crate::support::Outcome {
    let line = format!("catalog --format json {options}");
    sandbox
        .skillpm(line)
        .env("SKILLPM_BUNDLED_PATH", sandbox.path("../shipped"))
        .exits(0)
}

#[test]
fn workspace_wins_and_names_the_skills_it_shadows() {
    let sandbox = everywhere();
    let winner = skill(&catalog(&sandbox, ""), "pdf");
    assert_eq!(winner["description"], "Of the workspace.");
    assert_eq!(winner["tier"], "workspace");
    let covered = winner["shadows"].as_array().expect("what it shadows");
    let said = |tier: &str, place: &str| {
        let place = path_text(&dunce::canonicalize(sandbox.path(place)).unwrap());
        covered
            .iter()
            .any(|other| other["tier"] == tier && other.to_string().contains(&place))
    };
    assert!(said("managed", "~/.agents/skills/pdf"), "{covered:?}");
    assert!(said("bundled", "../shipped/pdf"), "{covered:?}");
}

#[test]
fn managed_tier_wins_before_the_bundled_one() {
    let sandbox = everywhere();
    sandbox.skillpm("remove pdf").exits(0);
    assert_eq!(skill(&catalog(&sandbox, ""), "pdf")["tier"], "managed");
    sandbox.skillpm("remove pdf -g").exits(0);
    assert_eq!(skill(&catalog(&sandbox, ""), "pdf")["tier"], "bundled");
}

#[test]
fn all_lists_shadowed_skills() {
    let sandbox = everywhere();
    let listed = skills(&catalog(&sandbox, "--all"));
    let pdfs: Vec<_> = listed
        .iter()
        .filter(|skill| skill["name"] == "pdf")
        .collect();
    assert_eq!(
        pdfs.iter()
            .map(|skill| skill["tier"].as_str().unwrap())
            .collect::<Vec<_>>(),
        ["workspace", "managed", "bundled"]
    );
}

#[test]
fn why_names_the_winning_tier() {
    let sandbox = everywhere();
    sandbox.skillpm("why pdf").exits(0).stdout(str![[r"
pdf 23a5ea46ef54 from `mine/pdf`
  required in skillpm.toml: pdf
  in the workspace tier: [ROOT]/project/.agents/skills/pdf/SKILL.md
  shadows one in the managed tier: [HOME]/.agents/skills/pdf/SKILL.md

"]]);
}

#[test]
fn managed_skill_leaves_the_project_unchanged() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {} --skill pdf -g", repo.url()))
        .exits(0);
    snapshot.still_holds();
    sandbox.has([
        "~/.agents/skills/pdf/SKILL.md",
        "~/.skillpm/skillpm.toml",
        "~/.skillpm/skillpm.lock",
    ]);
    assert!(
        sandbox
            .read("~/.skillpm/skillpm.toml")
            .contains(&repo.url())
    );
}

#[test]
fn managed_skill_needs_no_project() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo_with("pdf");
    sandbox
        .skillpm(format!("add {} --skill pdf -g", repo.url()))
        .exits(0);
    assert!(sandbox.tree(".").is_empty());
    sandbox.skillpm("list").exits(0).stdout_has("pdf");
}

#[test]
fn managed_skills_are_updated_verified_and_removed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo_with("pdf");
    sandbox
        .skillpm(format!("add {} --skill pdf --branch main -g", repo.url()))
        .exits(0);
    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("second");
    sandbox.skillpm("update -g").exits(0);
    assert!(
        sandbox
            .read("~/.agents/skills/pdf/SKILL.md")
            .contains("better")
    );
    sandbox.skillpm("verify -g").exits(0);
    sandbox.skillpm("remove pdf -g").exits(0);
    sandbox.lacks(["~/.agents/skills/pdf"]);
}

#[test]
fn hand_made_user_skill_is_not_replaced() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox.write("~/.agents/skills/pdf/SKILL.md", "mine\n");
    sandbox
        .skillpm(format!("add {} --skill pdf -g", repo.url()))
        .exits(1)
        .explains([".agents/skills/pdf"]);
    sandbox.reads("~/.agents/skills/pdf/SKILL.md", "mine\n");
    sandbox.lacks(["~/.skillpm/skillpm.lock"]);
}

#[test]
fn two_bundled_skills_always_exist() {
    let sandbox = Sandbox::new();
    let listed = skills(&sandbox.skillpm("catalog --format json").exits(0));
    assert_eq!(
        listed
            .iter()
            .filter(|skill| skill["tier"] == "bundled")
            .count(),
        2,
        "{listed:?}"
    );
}
