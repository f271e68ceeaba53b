//! `show`: one skill's instructions, or one of its files, to stdout.

use crate::support::Sandbox;

fn installed() -> Sandbox {
    let sandbox = Sandbox::project_here();
    sandbox.write("pdf/SKILL.md", "---\nname: pdf\ndescription: Reads PDF.\n---\n\n# How to read PDF\n\nSlowly.\n");
    sandbox.write("pdf/references/forms.md", "# Forms\r\n\tno end of line");
    sandbox.skillpm("add ./pdf").exits(0);
    sandbox
}

#[test]
fn show_prints_the_instructions() {
    let sandbox = installed();
    sandbox.skillpm("show pdf").exits(0).stdout_has("# How to read PDF\n\nSlowly.\n");
}

#[test]
fn file_prints_the_bytes_of_that_file_and_nothing_else() {
    let sandbox = installed();
    let outcome = sandbox.skillpm("show pdf --file references/forms.md").exits(0);
    assert_eq!(outcome.stdout_text(), "# Forms\r\n\tno end of line");
}

#[test]
fn a_path_that_climbs_out_of_the_skill_is_refused() {
    let sandbox = installed();
    sandbox.write(".agents/secret.txt", "CANARY");
    for path in ["../../secret.txt", "references/../../../secret.txt", "/etc/hostname", "..\\..\\secret.txt"] {
        let outcome = sandbox.skillpm(format!("show pdf --file {path}")).exits_one_of([1, 2, 3]);
        outcome.explains([]).never_prints("CANARY").stdout("");
    }
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_skill_is_not_followed() {
    let sandbox = installed();
    sandbox.write(".agents/secret.txt", "CANARY");
    std::os::unix::fs::symlink("../../secret.txt", sandbox.path(".agents/skills/pdf/link.txt")).unwrap();
    sandbox.skillpm("show pdf --file link.txt").exits_one_of([1, 3]).never_prints("CANARY");
}

#[test]
fn an_unknown_file_and_an_unknown_skill_are_told() {
    let sandbox = installed();
    sandbox.skillpm("show pdf --file nope.md").exits(1).explains(["nope.md"]);
    sandbox.skillpm("show pfd").exits(1).explains(["pfd", "`pdf`"]);
}

#[test]
fn a_bundled_skill_can_be_shown_anywhere() {
    let sandbox = Sandbox::new();
    let catalog = sandbox.skillpm("catalog --format json").exits(0);
    let bundled = crate::catalog::skills(&catalog);
    let ours: Vec<_> = bundled.iter().filter(|skill| skill["tier"] == "bundled").collect();
    assert_eq!(ours.len(), 2, "{ours:?}");
    for skill in ours {
        let name = skill["name"].as_str().unwrap();
        assert!(!sandbox.skillpm(format!("show {name}")).exits(0).stdout_text().is_empty());
    }
}
