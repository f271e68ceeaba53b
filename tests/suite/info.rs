//! `info`: what is known of a package before anything of it is installed.

use snapbox::str;

use crate::git_references::versions;
use crate::support::{IndexDir, Repo, Sandbox, archive};

fn index(sandbox: &Sandbox) -> IndexDir {
    let index = IndexDir::new(sandbox, "../www/index");
    index
        .publish("acme/base", "1.0.0", &[])
        .publish_with("acme/pdf", "1.0.0", &[], |entry| entry["pubtime"] = "2026-01-02T03:04:05Z".into())
        .publish("acme/pdf", "1.1.0", &[])
        .publish_with("acme/pdf", "1.2.0", &["acme/base ^1", "other ^2 sparse+https://its.registry/"], |entry| {
            entry["description"] = "Fills in forms.".into();
            entry["keywords"] = ["forms", "paper"].into();
            entry["license"] = "MIT".into();
            entry["repository"] = "https://acme.dev/pdf".into();
            entry["src"] = serde_json::json!({
                "git": "https://github.com/acme/skills", "rev": "0123456789012345678901234567890123456789", "path": "skills/pdf"
            });
        })
        .publish("acme/pdf", "2.0.0-rc.1", &[])
        .yank("acme/pdf", "1.1.0")
        .owned_by("acme/pdf", &["alice@acme.dev", "github:alice"]);
    IndexDir::configure(sandbox, "acme", &index.url());
    index
}

#[test]
fn info_shows_the_registry_entry_and_changes_nothing() {
    let sandbox = Sandbox::project_here();
    index(&sandbox);
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("info acme/pdf").exits(0).stderr("").stdout(
        "\
acme/pdf 1.2.0
Fills in forms.

license   MIT
keywords  forms, paper
homepage  https://acme.dev/pdf
registry  acme (file://[ROOT]/www/index)
git       https://github.com/acme/skills, skills/pdf at 01234567
needs     acme/base ^1, other ^2 from sparse+https://its.registry/
checksum  [SUM]
archive   sha256:[SHA]
owners    alice@acme.dev, github:alice

2.0.0-rc.1              pre-release
1.2.0
1.1.0                   yanked
1.0.0       2026-01-02
",
    );
    snapshot.still_holds();
}

#[test]
fn requirement_selects_the_version_and_yanked_ones_are_marked() {
    let sandbox = Sandbox::project_here();
    index(&sandbox);
    let version = |spec: &str| {
        let told = sandbox
            .skillpm(format!("info {spec} --format json"))
            .exits(0)
            .stdout_json();
        (told["version"].clone(), told["yanked"].clone())
    };
    assert_eq!(version("acme/pdf@<1.2"), ("1.0.0".into(), false.into()));
    assert_eq!(version("acme/pdf@=1.1.0"), ("1.1.0".into(), true.into()));
    assert_eq!(
        version("acme/pdf@^2.0.0-rc"),
        ("2.0.0-rc.1".into(), false.into())
    );
    sandbox
        .skillpm("info acme/pdf@^9")
        .exits(1)
        .stderr("error: no version of `acme/pdf` matches `^9`\nhelp: the newest version is `1.2.0`: `skillpm info acme/pdf`\n");
}

#[test]
fn info_as_json_is_one_object() {
    let sandbox = Sandbox::project_here();
    index(&sandbox);
    sandbox.skillpm("info acme/base --format json").exits(0).stdout(
        r#"{"type":"package","name":"acme/base","version":"1.0.0","yanked":false,"description":"Does acme/base.","license":null,"keywords":[],"homepage":null,"source":"registry+file://[ROOT]/www/index","registry":"acme","index":"file://[ROOT]/www/index","git":null,"dependencies":[],"checksum":"[SUM]","archive":"sha256:[SHA]","signed_by":null,"published":null,"owners":["alice@acme.dev","github:alice"],"installed":[],"asked_by":[],"versions":[{"version":"1.0.0","yanked":false,"pre_release":false,"published":null}]}
"#,
    );
}

#[test]
fn info_shows_where_it_is_installed_and_its_dependents() {
    let sandbox = Sandbox::project_here();
    let index = index(&sandbox);
    index.publish("tools", "1.0.0", &["acme/base ^1"]);
    sandbox.skillpm("add tools --registry acme").exits(0);
    sandbox.skillpm("add acme/base --registry acme -g").exits(0);
    let outcome = sandbox.skillpm("info acme/base").exits(0);
    outcome.stdout(str![[r"
acme/base 1.0.0
Does acme/base.

registry   acme (file://[ROOT]/www/index)
checksum   [SUM]
archive    sha256:[SHA]
owners     alice@acme.dev, github:alice
installed  base 1.0.0 (workspace), base 1.0.0 (managed)
requested  skillpm.toml (managed) ^1.0, tools 1.0.0 (workspace)

1.0.0

"]]);
}

#[test]
fn only_the_newest_versions_are_shown_by_default() {
    let sandbox = Sandbox::project_here();
    let index = index(&sandbox);
    (0..11).for_each(|minor| {
        index.publish("many", &format!("1.{minor}.0"), &[]);
    });
    let few = sandbox.skillpm("info many --registry acme").exits(0);
    few.stdout(str![[r"
many 1.10.0
Does many.

registry  acme (file://[ROOT]/www/index)
checksum  [SUM]
archive   sha256:[SHA]

1.10.0
1.9.0
1.8.0
1.7.0
1.6.0
1.5.0
1.4.0
1.3.0
and 3 more; pass `--versions` to show all

"]]);
    sandbox
        .skillpm("info many --registry acme --versions")
        .exits(0)
        .stdout_has("\n1.1.0\n1.0.0\n")
        .never_prints("more");
}

#[test]
fn unknown_name_offers_the_nearest() {
    let sandbox = Sandbox::project_here();
    index(&sandbox);
    sandbox
        .skillpm("info acme/pfd --registry acme")
        .exits(1)
        .stdout("")
        .stderr(
            "\
error: no matching package named `acme/pfd` found in registry `acme`
help: did you mean `acme/pdf`?
help: for the repository on GitHub write `gh:acme/pfd`
",
        );
    sandbox
        .skillpm("info comit-messages")
        .exits(1)
        .explains(["did you mean `commit-messages`?"]);
    sandbox
        .skillpm("info acme/pdf --registry none")
        .exits(2)
        .explains(["unknown registry `none`"]);
    sandbox
        .skillpm("info ./x --registry acme")
        .exits(2)
        .explains(["`--registry` requires a package name"]);
}

#[test]
fn repository_lists_its_skills_with_details() {
    let sandbox = Sandbox::new();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/one", "Does the first thing.")
        .skill("skills/two", "Does the second thing.")
        .commit("both");
    let url = repo.url();
    sandbox.skillpm(format!("info {url}")).exits(0).stdout(
        "one  skills/one  Does the first thing.\ntwo  skills/two  Does the second thing.\n",
    );
    let outcome = sandbox.skillpm(format!("info {url} --skill two")).exits(0);
    outcome.stdout(
        "\
two
Does the second thing.

git       file://[ROOT]/repos/skills, skills/two at [..]
checksum  [SUM]
",
    );
    sandbox
        .skillpm(format!("info {url} --skill tow"))
        .exits(1)
        .explains(["did you mean `two`?"]);
    let lines = sandbox
        .skillpm(format!("info {url} --format json"))
        .exits(0)
        .stdout_json_lines();
    assert_eq!(
        lines
            .iter()
            .map(|line| line["path"].as_str().unwrap())
            .collect::<Vec<_>>(),
        ["skills/one", "skills/two"]
    );
    assert!(sandbox.tree(".").is_empty());
}

#[test]
fn versions_of_a_repository_are_its_tags() {
    let sandbox = Sandbox::new();
    let repo = versions(&sandbox);
    let told = sandbox
        .skillpm(format!("info {}@^1 --skill pdf --format json", repo.url()))
        .exits(0)
        .stdout_json();
    assert_eq!(told["version"], "1.1.0");
    let versions: Vec<_> = told["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["version"].as_str().unwrap())
        .collect();
    assert!(
        versions.contains(&"1.1.0") && versions.contains(&"1.0.0"),
        "{versions:?}"
    );
}

#[test]
fn directory_and_archive_are_described_from_their_files() {
    let sandbox = Sandbox::new();
    sandbox.write_skill("mine", "Made by hand.");
    let told = "Made by hand.\n\nsource    path+mine\nchecksum  [SUM]\n";
    sandbox
        .skillpm("info ./mine")
        .exits(0)
        .stdout(format!("mine\n{told}"));
    let text = sandbox.read("mine/SKILL.md");
    sandbox.write(
        "mine.tar.gz",
        archive::tar_gz(&[("mine/SKILL.md", text.as_bytes(), 0o644)]),
    );
    sandbox
        .skillpm("info ./mine.tar.gz")
        .exits(0)
        .stdout(str![[r"
mine
Made by hand.

source    archive+./mine.tar.gz
checksum  [SUM]
archive   sha256:[SHA]

"]]);
    sandbox
        .skillpm("info ./none")
        .exits(1)
        .explains(["directory `./none` not found"]);
}
