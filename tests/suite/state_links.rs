//! Links in `.skillpm/`, at each directory that a command writes to below it: nothing is written, moved or removed behind one.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;

use crate::serve::{ask, call};
use crate::support::{Repo, Sandbox, pdf_and_csv, report_count};

/// The commands that write below `.skillpm/`, each with what makes it write all that it can there. `ID` is a proposal's id.
const COMMANDS: [&str; 14] = [
    "install",
    "install --force",
    "update",
    "lock",
    "remove pdf",
    "undo",
    "patch csv",
    "vendor",
    "config set --project vendor.use true",
    "propose pdf --file new.md -j because",
    "proposals reject ID",
    "proposals apply ID",
    "doctor --fix",
    "import",
];

/// A project in which each command of [`COMMANDS`] has something to do.
fn project() -> (Sandbox, Repo, String) {
    let (sandbox, repo) = pdf_and_csv();
    let page = sandbox.read(".agents/skills/pdf/SKILL.md");
    sandbox.write("old.md", page.replace("PDF", "old PDF"));
    sandbox.write("new.md", page.replace("PDF", "new PDF"));
    let proposed = sandbox
        .skillpm("propose pdf --file old.md -j because")
        .exits(0);
    let id = proposed.stdout_text().trim().to_owned();
    repo.skill("skills/csv", "Reads CSV better.")
        .commit("second");
    sandbox.edit(".agents/skills/csv/SKILL.md", "CSV", "my CSV");
    // It goes to the backup when the skill is removed.
    sandbox.write(".agents/skills/pdf/.git/HEAD", "ref: refs/heads/main\n");
    sandbox.write_skill(".claude/skills/mine", "Is mine.");
    sandbox.write(".skillpm/.skillpm-stage-aB3dE9", "left\n");
    (sandbox, repo, id)
}

/// The directories below `.skillpm/` in which a command changes something, when none of them is wrong.
fn changed_directories(sandbox: &Sandbox, line: &str) -> BTreeSet<String> {
    let note = sandbox.root().join("note");
    let _ = fs::remove_file(&note);
    sandbox
        .skillpm(line)
        .env("SKILLPM_FAILPOINT", format!("note@{}", note.display()))
        .exits_one_of([0, 1]);
    let root = sandbox.path(".").canonicalize().unwrap();
    let noted = fs::read_to_string(note).unwrap_or_default();
    let paths = noted
        .lines()
        .filter_map(|line| line.splitn(3, ' ').nth(2))
        .filter_map(|path| Path::new(path).strip_prefix(&root).ok());
    paths
        .flat_map(|path| path.ancestors().skip(1))
        .filter(|dir| dir.starts_with(".skillpm"))
        .map(|dir| dir.to_str().unwrap().to_owned())
        .collect()
}

/// Has the project again as it was kept.
fn renew(sandbox: &Sandbox) {
    for dir in ["victim", "project"].map(|name| sandbox.root().join(name)) {
        let _ = fs::remove_dir_all(dir);
    }
    fs::create_dir(sandbox.root().join("project")).unwrap();
    sandbox.copy("../kept", "../project");
}

/// Moves a directory of the project, with all that is in it, to where nothing of skillpm's is, and puts a link in its place.
fn replace_with_link(sandbox: &Sandbox, dir: &str) {
    let place = sandbox.path(dir);
    let victim = sandbox.path("../victim");
    if place.exists() {
        fs::rename(&place, &victim).unwrap();
    } else {
        fs::create_dir(&victim).unwrap();
    }
    fs::write(victim.join("precious.md"), "precious\n").unwrap();
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    symlink(victim.canonicalize().unwrap(), place).unwrap();
}

#[test]
fn nothing_changes_behind_a_link_at_any_directory_of_the_state() {
    let (sandbox, _repo, id) = project();
    sandbox.copy(".", "../kept");
    let (mut links, mut refused) = (0, 0);
    let mut all = BTreeSet::new();

    for command in COMMANDS {
        let line = command.replace("ID", &id);
        renew(&sandbox);
        let dirs = changed_directories(&sandbox, &line);
        assert!(!dirs.is_empty(), "`{line}` writes nothing");

        for dir in dirs {
            renew(&sandbox);
            replace_with_link(&sandbox, &dir);
            let before = sandbox.tree("../victim");
            let outcome = sandbox.skillpm(&line).exits_one_of([0, 1, 2, 3]);
            outcome.never_prints("panicked");
            assert_eq!(
                sandbox.tree("../victim"),
                before,
                "`{line}` with a link at `{dir}`: {}",
                outcome.stderr_text()
            );
            links += 1;
            refused += usize::from(outcome.code() != Some(0));
            all.insert(dir);
        }
    }

    for dir in [
        ".skillpm",
        ".skillpm/undo",
        ".skillpm/stage",
        ".skillpm/backup",
        ".skillpm/proposals",
    ] {
        assert!(all.contains(dir), "no command wrote to `{dir}`: {all:?}");
    }
    report_count(&format!(
        "{} commands: {links} links at {} directories, {refused} refused",
        COMMANDS.len(),
        all.len()
    ));
}

#[test]
fn link_at_the_proposals_is_refused_with_its_fix() {
    let (sandbox, _repo, _id) = project();
    replace_with_link(&sandbox, ".skillpm/proposals");
    sandbox
        .skillpm("propose pdf --file new.md -j because")
        .exits(3)
        .explains([
            ".skillpm/proposals`: it is a symbolic link",
            "nothing was changed",
            "rm '",
        ]);
    sandbox.delete(".skillpm/proposals");
    sandbox
        .skillpm("propose pdf --file new.md -j because")
        .exits(0);
}

#[test]
fn page_of_a_proposal_that_is_a_link_is_not_read() {
    let (sandbox, _repo, id) = project();
    let page = sandbox.path(&format!(".skillpm/proposals/{id}.md"));
    fs::rename(&page, sandbox.path("../page.md")).unwrap();
    symlink("../../../page.md", &page).unwrap();
    let before = sandbox.read("../page.md");
    sandbox
        .skillpm(format!("proposals reject {id}"))
        .exits(1)
        .stderr_has("it is a symbolic link");
    sandbox.reads("../page.md", &before);
}

#[test]
fn client_of_a_server_writes_no_proposal_behind_a_link() {
    let (sandbox, _repo, _id) = project();
    sandbox.copy(".", "../kept");
    let text = sandbox.read("new.md");
    let change = json!({"skill_id": "pdf", "text": text, "justification": "because"});
    let create = json!({
        "id": "generate-image",
        "name": "Images",
        "description": "Makes images.",
        "parameters": {},
        "code": "def run(params):\n    return {}\n",
        "tags": "image",
    });
    for (agent, tool, arguments) in [
        ("", "propose_skill_update", &change),
        ("--agent devai", "skill_create", &create),
    ] {
        for dir in [".skillpm", ".skillpm/proposals"] {
            renew(&sandbox);
            let mut server = sandbox
                .skillpm(format!("serve {agent} --allow-proposals"))
                .follow();
            // It has started: a link that is there before would stop the server itself.
            ask(&mut server, "tools/list", &json!({}));
            replace_with_link(&sandbox, dir);
            let before = sandbox.tree("../victim");
            let (is_error, text) = call(&mut server, tool, arguments);
            assert!(is_error && text.contains("symbolic link"), "{tool}: {text}");
            assert_eq!(sandbox.tree("../victim"), before, "{tool} with {dir}");
        }
    }
}
