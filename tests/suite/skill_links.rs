//! Skills of a repository that are symbolic links: a directory, or its `SKILL.md`. Each is followed once, inside the repository.

use snapbox::str;

use crate::support::{Repo, Sandbox, Server, skill_md};

/// A repository with skills in plugins that no file declares, and links to them.
fn linked(sandbox: &Sandbox) -> Repo {
    let repo = Repo::new(sandbox, "skills");
    repo.skill("plugins/office/skills/pdf", "Works on PDF files.")
        .write("plugins/office/skills/pdf/references/forms.md", "# Forms\n")
        .skill("plugins/data/skills/csv", "Reads CSV.")
        .skill("plugins/data/skills/other", "Is not linked.")
        .skill("skills/git", "Writes commits.")
        .write("README.md", "# Skills\n")
        .link("skills/pdf", "../plugins/office/skills/pdf")
        .link("skills/csv", "../plugins/data/skills/csv/")
        .link("skills/README.md", "../README.md")
        .link("skills/NOTES", "../README.md")
        .commit("links");
    repo
}

#[test]
fn linked_directory_is_offered_at_its_own_path() {
    let sandbox = Sandbox::new();
    let repo = linked(&sandbox);
    sandbox
        .skillpm(format!("info {}", repo.url()))
        .exits(0)
        .stdout(str![[r"
csv  plugins/data/skills/csv    Reads CSV.
pdf  plugins/office/skills/pdf  Works on PDF files.
git  skills/git                 Writes commits.

"]]);

    sandbox
        .skillpm(format!("add {} --all", repo.url()))
        .exits(0);
    sandbox.reads(".agents/skills/pdf/references/forms.md", "# Forms\n");
    sandbox.lacks([".agents/skills/other"]);
    assert_eq!(
        sandbox.manifest()["dependencies"]["pdf"]["path"].as_str(),
        Some("plugins/office/skills/pdf")
    );
    sandbox.skillpm("install --locked").exits(0);
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn path_of_a_link_selects_what_it_leads_to() {
    for (path, installed) in [
        ("skills/pdf", &["pdf"][..]),
        ("skills", &["csv", "git", "pdf"]),
        ("extra", &["other"]),
    ] {
        let sandbox = Sandbox::new();
        let repo = linked(&sandbox);
        repo.link("extra", "plugins/data/skills/other")
            .commit("extra");
        sandbox
            .skillpm(format!("add {} --path {path} --all", repo.url()))
            .exits(0);
        let manifest = sandbox.manifest();
        let names = manifest["dependencies"].as_table().unwrap().iter();
        let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, installed, "{path}");
    }
}

#[test]
fn link_to_a_skill_that_is_found_is_no_second_one() {
    let sandbox = Sandbox::new();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Works on PDF files.")
        .skill("skills/csv", "Reads CSV.")
        .link(".claude/skills", "../skills")
        .link(".cursor", ".claude")
        .link("skills/reader", "pdf")
        .write(
            "plugins/p/skills/csv/SKILL.md",
            skill_md("csv", "Reads CSV."),
        )
        .write(
            ".claude-plugin/marketplace.json",
            r#"{"plugins": [{"name": "p", "source": "./plugins/p"}]}"#,
        )
        .link(
            ".agents/skills/pdf/SKILL.md",
            "../../../skills/pdf/SKILL.md",
        )
        .commit("links");
    sandbox
        .skillpm(format!("info {}", repo.url()))
        .exits(0)
        .stdout(str![[r"
csv  skills/csv  Reads CSV.
pdf  skills/pdf  Works on PDF files.

"]]);
}

#[test]
fn directory_of_skills_may_be_a_link() {
    for link in ["skills", ".claude/skills", ".claude", "plugins/p/skills"] {
        let sandbox = Sandbox::new();
        let repo = Repo::new(&sandbox, "skills");
        let up = "../".repeat(link.matches('/').count());
        let target = match link {
            ".claude" => "src".to_owned(),
            _ => format!("{up}src/skills"),
        };
        repo.skill("src/skills/pdf", "Works on PDF files.")
            .skill("examples/demo", "Is an example.")
            .skill(".codex/skills/csv", "Reads CSV.")
            .write(
                ".claude-plugin/marketplace.json",
                r#"{"plugins": [{"name": "p", "source": "./plugins/p"}]}"#,
            )
            .link(link, target)
            .commit("link");
        sandbox
            .skillpm(format!("add {} --all", repo.url()))
            .exits(0);
        sandbox.has([".agents/skills/pdf/SKILL.md", ".agents/skills/csv/SKILL.md"]);
        sandbox.lacks([".agents/skills/demo"]);
    }
}

#[test]
fn links_that_are_not_followed_are_named_with_the_reason() {
    let sandbox = Sandbox::new();
    let repo = linked(&sandbox);
    let lib = Repo::new(&sandbox, "lib");
    lib.skill("skills/inner", "Is in a submodule.")
        .commit("lib");
    let url = lib.url();
    repo.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        &url,
        "lib",
    ]);
    for (link, target) in [
        ("skills/absolute", "/etc"),
        ("skills/above", "../../other/skills/x"),
        ("skills/gone", "../plugins/gone"),
        ("skills/loop", "loop"),
        ("skills/second", "pdf"),
        ("skills/third", "absolute/x"),
        ("skills/up", "../skills"),
        ("skills/module", "../lib/skills/inner"),
    ] {
        repo.link(link, target);
    }
    repo.commit("more");
    sandbox
        .skillpm(format!("add {} --all -v", repo.url()))
        .exits(0)
        .stderr(str![[r"
    Fetching file://[ROOT]/repos/skills
warning: the symbolic link `skills/above` is not followed: it leads outside, to `../../other/skills/x`
warning: the symbolic link `skills/absolute` is not followed: it leads outside, to `/etc`
warning: the symbolic link `skills/gone` is not followed: it leads to `plugins/gone`, which does not exist
warning: and 6 more that are not read; `-v` lists them
warning: 1 skill is left out, outside of the directories that are searched: `plugins/data/skills/other` (1)
help: `skillpm add file://[ROOT]/repos/skills --path plugins/data/skills/other --all --keep-going` adds those in `plugins/data/skills/other`
     Noticed the symbolic link `skills/loop` is not followed: it leads to `skills/loop`, which is a link, too
     Noticed the symbolic link `skills/module` is not followed: it leads to the submodule `lib`
     Noticed the symbolic link `skills/second` is not followed: it leads to `skills/pdf`, which is a link, too
     Noticed the symbolic link `skills/third` is not followed: it leads to `skills/absolute`, which is a link, too
     Noticed the symbolic link `skills/up` is not followed: it leads to `skills`, which contains it
     Noticed `lib` is a submodule, which is not read: add its repository, which `.gitmodules` names
     Noticed audited 3 of 3 new packages
     Created [ROOT]/project/skillpm.toml
   Installed csv [..]
   Installed git [..]
   Installed pdf [..]
      Locked 3 skills in skillpm.lock
   Skills in .agents/skills

"]]);
}

/// A repository whose skill has a `SKILL.md` that is a link to a file beside the skills.
fn with_linked_file(sandbox: &Sandbox) -> Repo {
    let repo = Repo::new(sandbox, "skills");
    repo.write("shared/pdf.md", skill_md("pdf", "Works on PDF files."))
        .write("skills/pdf/references/forms.md", "# Forms\n")
        .link("skills/pdf/SKILL.md", "../../shared/pdf.md")
        .link("skills/pdf/AGENTS.md", "SKILL.md")
        .skill("skills/csv", "Reads CSV.")
        .commit("links");
    repo
}

#[test]
fn skill_file_that_leads_out_of_its_skill_is_a_copy() {
    let sandbox = Sandbox::new();
    let repo = with_linked_file(&sandbox);
    let server = Server::start(&sandbox);
    for (at, url) in [repo.url(), server.url("skills")].into_iter().enumerate() {
        sandbox.skillpm(format!("add {url} --all")).exits(0);
        for file in ["SKILL.md", "AGENTS.md"] {
            let installed = format!(".agents/skills/pdf/{file}");
            sandbox.reads(&installed, &skill_md("pdf", "Works on PDF files."));
        }
        sandbox.skillpm("verify").exits(0);

        // On another machine, where the files are fetched by what the lockfile has.
        sandbox.write("other/skillpm.lock", sandbox.read("skillpm.lock"));
        sandbox.write("other/skillpm.toml", sandbox.read("skillpm.toml"));
        sandbox
            .skillpm("install --locked")
            .in_dir(sandbox.path("other"))
            .home(&format!("home-{at}"))
            .exits(0);
        sandbox.has(["other/.agents/skills/pdf/SKILL.md"]);

        // A change of the file alone is a new state of the skill.
        repo.write("shared/pdf.md", skill_md("pdf", "Reads PDF."))
            .commit("file");
        sandbox.skillpm("outdated").exits(0).stdout_has("pdf");
        sandbox.skillpm("update").exits(0);
        assert!(
            sandbox
                .read(".agents/skills/pdf/SKILL.md")
                .contains("Reads PDF.")
        );
        repo.write("shared/pdf.md", skill_md("pdf", "Works on PDF files."))
            .commit("back");
        sandbox.skillpm("remove pdf csv").exits(0);
        sandbox.delete("other");
    }
}

#[test]
fn skill_file_of_the_root_may_lead_through_links() {
    let sandbox = Sandbox::new();
    let repo = Repo::new(&sandbox, "tiny");
    repo.write("website/SKILL.md", skill_md("tiny", "Writes little."))
        .link("sdk/SKILL.md", "../website/SKILL.md")
        .link("SKILL.md", "sdk/SKILL.md")
        .commit("links");
    sandbox.skillpm(format!("add {}", repo.url())).exits(0);
    sandbox.reads(
        ".agents/skills/tiny/SKILL.md",
        &skill_md("tiny", "Writes little."),
    );
}

#[test]
fn skill_file_whose_link_is_not_followed_is_refused() {
    for (target, why) in [
        ("/etc/passwd", "leads outside, to `/etc/passwd`"),
        ("../../../x.md", "leads outside, to `../../../x.md`"),
        (
            "../../second.md",
            "leads to `second.md`, which is a link, too",
        ),
        ("../../shared", "leads to `shared`, which is not a file"),
        ("../../gone.md", "leads to `gone.md`, which does not exist"),
        ("SKILL.md", "leads in a circle"),
    ] {
        let sandbox = Sandbox::new();
        let repo = Repo::new(&sandbox, "skills");
        repo.write("shared/pdf.md", skill_md("pdf", "Works on PDF files."))
            .link("second.md", "shared/pdf.md")
            .skill("skills/csv", "Reads CSV.")
            .write("skills/pdf/references/forms.md", "# Forms\n")
            .link("skills/pdf/SKILL.md", target)
            .commit("link");
        let before = sandbox.snapshot();
        for rest in ["--all", "--skill pdf", "--path skills/pdf"] {
            sandbox
                .skillpm(format!("add {} {rest}", repo.url()))
                .exits(3)
                .prints(&format!("the symbolic link `SKILL.md` {why}"));
            before.still_holds();
        }
        sandbox
            .skillpm(format!("add {} --all --keep-going", repo.url()))
            .exits(0)
            .prints(why);
        sandbox.has([".agents/skills/csv/SKILL.md"]);
        sandbox.lacks([".agents/skills/pdf"]);
    }
}

#[test]
fn other_link_out_of_a_skill_is_refused() {
    for link in ["skills/pdf/notes.md", "skills/pdf/references/SKILL.md"] {
        let sandbox = Sandbox::new();
        let repo = with_linked_file(&sandbox);
        let up = "../".repeat(link.matches('/').count());
        repo.link(link, format!("{up}shared/pdf.md")).commit("link");
        let before = sandbox.snapshot();
        sandbox
            .skillpm(format!("add {} --skill pdf", repo.url()))
            .exits(3)
            .prints("leads out of it");
        before.still_holds();
    }
}

#[test]
fn links_cost_one_request() {
    let sandbox = Sandbox::new();
    linked(&sandbox);
    let server = Server::start(&sandbox);
    sandbox
        .skillpm(format!("add {} --all", server.url("skills")))
        .exits(0);
    // References, the listing, the links, the files.
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn links_of_a_directory_are_followed_as_in_a_repository() {
    let sandbox = Sandbox::new();
    let repo = linked(&sandbox);
    repo.link("skills/above", "../../elsewhere")
        .link("skills/second", "pdf")
        .write("skills/own/docs/page.md", skill_md("own", "Is a page."))
        .link("skills/own/SKILL.md", "docs/page.md");
    let dir = repo.path().display().to_string();
    sandbox
        .skillpm(format!("add {dir} --all"))
        .exits(0)
        .stderr_has("the symbolic link `skills/above` is not followed: it leads outside, to `../../elsewhere`")
        .stderr_has("the symbolic link `skills/second` is not followed: it leads to `skills/pdf`, which is a link, too");
    let manifest = sandbox.manifest();
    let names = manifest["dependencies"].as_table().unwrap().iter();
    let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["csv", "git", "own", "pdf"]);
    sandbox.reads(".agents/skills/pdf/references/forms.md", "# Forms\n");
    sandbox.reads(
        ".agents/skills/own/SKILL.md",
        &skill_md("own", "Is a page."),
    );
}

#[test]
fn skill_file_that_leads_out_of_its_skill_is_refused_in_a_directory() {
    let sandbox = Sandbox::new();
    let repo = with_linked_file(&sandbox);
    let dir = repo.path().display().to_string();
    let before = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {dir} --all"))
        .exits(3)
        .prints("leads out of it, to `../../shared/pdf.md`");
    before.still_holds();
    sandbox
        .skillpm(format!("add {dir} --all --keep-going"))
        .exits(0);
    sandbox.has([".agents/skills/csv/SKILL.md"]);
}
