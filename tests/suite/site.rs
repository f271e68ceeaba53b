//! `registry site`: static files for a web server, and reading them back with the same program and over HTTP.

use std::path::Path;

use snapbox::str;

use crate::support::{IndexDir, Repo, Sandbox, Server, file_url, flip_a_bit, skill_md};

/// A workspace of two skills: one of a single file, one with a program and a name that must be escaped in a URL.
fn workspace() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("skillpm.toml", "[workspace]\nmembers = [\"skills/*\"]\n");
    sandbox.write_skill("skills/notes", "Takes notes.");
    sandbox.write_skill("skills/pdf", "Reads <b>PDF</b>.");
    sandbox.write("skills/pdf/references/a b%.md", "ref");
    sandbox.write("skills/pdf/scripts/run.sh", "#!/bin/sh\n");
    executable(&sandbox.path("skills/pdf/scripts/run.sh"));
    sandbox
}

fn executable(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// Adds everything of a site in a project of its own; gives what was locked there.
#[track_caller]
fn read_back(sandbox: &Sandbox, server: &Server) -> toml::Table {
    let project = sandbox.root().join("reader");
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(project.join("skillpm.toml"), "[dependencies]\n").unwrap();
    let address = server.url("").trim_end_matches('/').to_owned();
    sandbox
        .skillpm(format!("add {address} --all"))
        .in_dir(&project)
        .home("elsewhere")
        .exits(0);
    std::fs::read_to_string(project.join("skillpm.lock"))
        .unwrap()
        .parse()
        .unwrap()
}

fn checksum_in(lock: &toml::Table, name: &str) -> String {
    let packages = lock["package"].as_array().unwrap();
    let package = packages
        .iter()
        .find(|package| package["name"].as_str() == Some(name))
        .unwrap();
    package["checksum"].as_str().unwrap().to_owned()
}

#[test]
fn workspace_site_has_the_same_checksums() {
    let sandbox = workspace();
    sandbox
        .skillpm("registry site ../www")
        .exits(0)
        .stderr("       Wrote 2 skills to [ROOT]/www (30 files)\n")
        .stdout("");
    let server = Server::start(&sandbox);
    let lock = read_back(&sandbox, &server);
    let by_path = sandbox.root().join("by-path");
    std::fs::create_dir(&by_path).unwrap();
    std::fs::write(by_path.join("skillpm.toml"), "[dependencies]\n").unwrap();
    sandbox
        .skillpm("add ../project/skills --all")
        .in_dir(&by_path)
        .exits(0);
    let direct: toml::Table = std::fs::read_to_string(by_path.join("skillpm.lock"))
        .unwrap()
        .parse()
        .unwrap();
    for name in ["notes", "pdf"] {
        assert_eq!(
            checksum_in(&lock, name),
            checksum_in(&direct, name),
            "{name}"
        );
    }
}

#[test]
fn older_discovery_format_has_the_same_files() {
    let sandbox = workspace();
    sandbox.skillpm("registry site ../www").exits(0);
    sandbox.delete("../www/.well-known/agent-skills");
    let server = Server::start(&sandbox);
    read_back(&sandbox, &server);
    let project = sandbox.root().join("reader/.agents/skills");
    assert_eq!(
        std::fs::read_to_string(project.join("pdf/references/a b%.md")).unwrap(),
        "ref"
    );
    assert_eq!(
        std::fs::read_to_string(project.join("notes/SKILL.md")).unwrap(),
        skill_md("notes", "Takes notes.")
    );
}

#[test]
fn pages_of_skills_are_in_archives_only() {
    let sandbox = workspace();
    let script = "<script>document.title = 'own'</script>";
    let active = [
        ("assets/template.html", script),
        (
            "assets/logo.svg",
            "<svg xmlns='http://www.w3.org/2000/svg' onload='x()'/>",
        ),
        ("assets/feed.XML.bak", "x"),
        // A server guesses what it does not know by its beginning.
        ("assets/track.gpx", "<?xml version='1.0'?><x/>"),
        ("assets/README", "\u{feff}  <!doctype html>"),
        (".htaccess", "AddType text/html .md\n"),
        ("lib/index.php", "<?php\n"),
    ];
    for (path, text) in active {
        sandbox.write(&format!("skills/pdf/{path}"), text);
    }
    let passive = ["assets/page.md", "assets/notes.txt", "scripts/x.js"];
    for path in passive {
        sandbox.write(&format!("skills/notes/{path}"), script);
    }

    sandbox.skillpm("registry site ../www").exits(0).stderr(str![[r"
warning: `pdf` is offered as an archive only: a web server could run `.htaccess` and 6 more as a page of the site
help: clients of discovery 0.1, which read single files, do not list it
       Wrote 2 skills to [ROOT]/www (31 files)

"]]);
    let written = sandbox.tree("../www").to_string();
    for (path, _) in active {
        let name = path.rsplit('/').next().unwrap();
        assert!(
            !written.contains(&format!("pdf/{path}")),
            "{name}: {written}"
        );
    }
    sandbox.lacks([
        "../www/.well-known/agent-skills/pdf",
        "../www/.well-known/skills/pdf",
    ]);
    for path in passive {
        sandbox.has([&*format!("../www/.well-known/skills/notes/{path}")]);
    }

    let new = sandbox.read("../www/.well-known/agent-skills/index.json");
    let old = sandbox.read("../www/.well-known/skills/index.json");
    assert!(
        new.contains("pdf.tar.gz") && !new.contains("template.html"),
        "{new}"
    );
    assert!(old.contains("notes") && !old.contains("pdf"), "{old}");

    // Who installs it gets every byte.
    let server = Server::start(&sandbox);
    read_back(&sandbox, &server);
    let installed = sandbox.root().join("reader/.agents/skills/pdf");
    for (path, text) in active {
        assert_eq!(std::fs::read_to_string(installed.join(path)).unwrap(), text);
    }
}

#[test]
fn exported_tree_has_no_pages_of_skills_and_served_one_has() {
    let sandbox = Sandbox::new();
    sandbox.write_skill("skills/pdf", "Reads PDF.");
    sandbox.write("skills/pdf/page.html", "<p>x</p>");
    sandbox
        .skillpm("catalog --dir skills --format well-known --out ../www")
        .exits(0)
        .stderr_has("`pdf` is offered as an archive only");
    sandbox.lacks(["../www/.well-known/skills/pdf"]);
    sandbox.has(["../www/.well-known/agent-skills/pdf.tar.gz"]);

    // `serve` sends a policy with it.
    let server = sandbox
        .skillpm("--format json serve --http 0 --dir skills")
        .follow();
    let url = server.object()["url"].as_str().unwrap().to_owned();
    let project = sandbox.root().join("reader");
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(project.join("skillpm.toml"), "[dependencies]\n").unwrap();
    sandbox
        .skillpm(format!("add {url} --all"))
        .in_dir(&project)
        .exits(0);
    assert!(project.join(".agents/skills/pdf/page.html").exists());
}

#[test]
fn project_site_has_its_installed_skills() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "skills");
    repo.skill("skills/pdf", "Reads PDF.")
        .write("skills/pdf/forms.md", "forms")
        .commit("first");
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits(0);
    sandbox
        .skillpm("registry site ../www")
        .exits(0)
        .stderr_has("Wrote 1 skill to");
    let server = Server::start(&sandbox);
    assert_eq!(
        checksum_in(&read_back(&sandbox, &server), "pdf"),
        sandbox.locked("pdf", "checksum")
    );
}

#[test]
fn package_site_has_the_package_without_nested_sites() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "skillpm.toml",
        "[package]\nname = \"acme/project\"\nversion = \"1.2.0\"\n",
    );
    sandbox.write("SKILL.md", skill_md("project", "Is one skill."));
    sandbox
        .skillpm("registry site public")
        .exits(2)
        .explains(["it is inside the skill"]);
    sandbox.lacks(["public", ".public.skillpm-stage"]);
    sandbox.skillpm("registry site ../www").exits(0);
    assert!(
        sandbox
            .read("../www/skills/project/index.html")
            .contains("<h1>project <span class=\"version\">1.2.0</span></h1>")
    );
}

#[test]
fn repository_of_skills_needs_no_manifest() {
    let sandbox = Sandbox::new();
    sandbox.write_skill("skills/pdf", "Reads PDF.");
    sandbox.write_skill(".claude/skills/other", "Was installed.");
    sandbox
        .skillpm("registry site ../www")
        .exits(0)
        .stderr_has("Wrote 1 skill to");
    sandbox.lacks(["../www/.well-known/agent-skills/other"]);
    let empty = Sandbox::new();
    empty
        .skillpm("registry site ../www")
        .exits(1)
        .stderr_has("no skill found in `.`");
}

/// A registry: three versions of a package, one of them withdrawn and one before its time, and two skills of one name.
fn registry(sandbox: &Sandbox) -> IndexDir {
    let index = IndexDir::new(sandbox, "../registry");
    index
        .publish("acme/pdf", "1.0.0", &[])
        .publish("acme/pdf", "1.1.0", &[])
        .publish("acme/pdf", "2.0.0-rc.1", &[]);
    index
        .publish("notes", "1.0.0", &["acme/pdf ^1"])
        .publish("acme/notes", "1.0.0", &[]);
    index.yank("acme/pdf", "1.1.0");
    IndexDir::configure(sandbox, "acme", &index.url());
    index
}

#[test]
fn registry_site_is_also_a_registry() {
    let sandbox = Sandbox::project_here();
    let index = registry(&sandbox);
    sandbox
        .skillpm("registry site ../www --registry acme")
        .exits(0)
        .stderr(str![[r"
    Fetching acme/notes 1.0.0
warning: `acme/notes` is left out below `/.well-known/`: another package has a skill of that name
help: the site's registry still has it
...
       Wrote 2 skills, 5 versions of 3 packages to [ROOT]/www (46 files)

"]]);
    for name in ["acme/pdf", "acme/notes", "notes"] {
        let file = skillpm::index::entry_path(&name.parse().unwrap());
        sandbox.reads(&format!("../www/{file}"), &index.text(name));
    }
    for archive in [
        "acme/pdf-1.0.0",
        "acme/pdf-1.1.0",
        "acme/pdf-2.0.0-rc.1",
        "notes-1.0.0",
    ] {
        let path = format!("archives/{archive}.tar.gz");
        assert!(
            std::fs::read(sandbox.path("../www").join(&path)).ok()
                == std::fs::read(index.dir().join(&path)).ok()
        );
    }
    let search = sandbox.read("../www/search.jsonl");
    let told: Vec<String> = search
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| {
            format!(
                "{} {}",
                line["name"].as_str().unwrap(),
                line["vers"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(told, ["acme/pdf 1.0.0", "acme/notes 1.0.0", "notes 1.0.0"]);
    let page = sandbox.read("../www/skills/acme/notes/index.html");
    assert!(
        page.contains(">skillpm add acme/notes <span class=\"word\">--registry</span> acme</code>"),
        "{page}"
    );
}

#[test]
fn pages_of_a_registry_have_versions_changes_and_dependents() {
    let sandbox = Sandbox::project_here();
    let index = registry(&sandbox);
    index.publish_with("tools", "1.0.0", &["missing ^1", "acme/pdf ^1"], |line| {
        line["pubtime"] = "2026-10-05T08:05:19Z".into();
        line["license"] = "MIT".into();
    });
    sandbox
        .skillpm("registry site ../www --registry acme")
        .exits(0);

    let page = sandbox.read("../www/skills/acme/pdf/index.html");
    for part in [
        "<td>2.0.0-rc.1</td>",
        "<td><s>1.1.0</s> <span class=\"mark warn\">yanked</span></td>",
        "<a href=\"diff-1.1.0.html\">",
        // The newest that is not withdrawn and no pre-release.
        "<span class=\"version\">1.0.0</span></h1>",
        "<li><a href=\"../../../skills/notes/index.html\">notes</a> <code>^1</code></li>",
        "<li><a href=\"../../../skills/tools/index.html\">tools</a> <code>^1</code></li>",
        "<span class=\"mark good\">clean</span>",
        "<td><a href=\"files.html#file-0\">SKILL.md</a></td>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let diff = sandbox.read("../www/skills/acme/pdf/diff-1.1.0.html");
    assert!(
        diff.contains("<span class=\"version\">1.0.0 → 1.1.0</span>"),
        "{diff}"
    );
    assert!(
        diff.contains("<span class=\"add\">+This is version 1.1.0.</span>"),
        "{diff}"
    );

    let tools = sandbox.read("../www/skills/tools/index.html");
    for part in [
        // Only what is in the registry is a link.
        "<li>missing <code>^1</code></li>",
        "<li><a href=\"../../skills/acme/pdf/index.html\">acme/pdf</a> <code>^1</code></li>",
        "<dt>License</dt><dd>MIT</dd>",
        "<dt>Published</dt><dd>2026-10-05</dd>",
    ] {
        assert!(tools.contains(part), "{part}: {tools}");
    }
    let home = sandbox.read("../www/index.html");
    assert!(
        home.contains("<h2 id=\"recent\">Recently published</h2>"),
        "{home}"
    );
    assert!(home.contains("sparse+<span data-site-root>"), "{home}");
}

#[test]
fn withdrawn_package_has_a_page_and_is_in_no_list() {
    let sandbox = Sandbox::project_here();
    let index = registry(&sandbox);
    index.publish("gone", "1.0.0", &[]).yank("gone", "1.0.0");
    index.rewrite("gone", "1.0.0", |line| {
        line["revoked"] = "<b>malware</b>".into();
    });
    sandbox
        .skillpm("registry site ../www --registry acme")
        .exits(0);
    let page = sandbox.read("../www/skills/gone/index.html");
    assert!(
        page.contains("Every version of this package is withdrawn."),
        "{page}"
    );
    assert!(page.contains("revoked: &lt;b&gt;malware"), "{page}");
    assert!(!sandbox.read("../www/browse/index.html").contains("gone"));
    sandbox.lacks(["../www/browse/g.html", "../www/skills/gone/files.html"]);
}

#[test]
fn registry_site_has_the_same_checksums() {
    let sandbox = Sandbox::project_here();
    registry(&sandbox);
    sandbox
        .skillpm("registry site ../www --registry acme")
        .exits(0);
    let server = Server::start(&sandbox);
    let lock = read_back(&sandbox, &server);
    for copy in [
        file_url(&sandbox.root().join("www")),
        format!("sparse+{}", server.url("")),
    ] {
        sandbox.write("skillpm.toml", "[dependencies]\n");
        sandbox
            .skillpm(format!("config set registries.copy.index {copy}"))
            .exits(0);
        sandbox
            .skillpm("search notes --registry copy")
            .exits(0)
            .stdout_has("notes")
            .never_prints("has no search list");
        sandbox.skillpm("add notes@=1.0.0 --registry copy").exits(0);
        assert!(
            sandbox
                .locked("notes", "source")
                .starts_with(&format!("registry+{copy}")),
            "{copy}"
        );
        for name in ["notes", "pdf"] {
            let locked = if name == "pdf" { "acme/pdf" } else { name };
            assert_eq!(
                checksum_in(&lock, name),
                sandbox.locked(locked, "checksum"),
                "{name}"
            );
        }
    }
}

#[test]
fn built_in_registry_can_be_a_site() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("registry site ../www --registry default")
        .exits(0)
        .never_prints("warning");
    sandbox.has([
        "../www/.well-known/agent-skills/commit-messages/SKILL.md",
        "../www/co/mm/commit-messages",
    ]);
}

#[test]
fn archive_with_a_wrong_checksum_stops_the_site() {
    let sandbox = Sandbox::project_here();
    let index = registry(&sandbox);
    flip_a_bit(&index.archive("acme/pdf", "1.1.0"));
    sandbox
        .skillpm("registry site ../out --registry acme")
        .exits(3)
        .stderr(str![[r"
    Fetching acme/notes 1.0.0
warning: `acme/notes` is left out below `/.well-known/`: another package has a skill of that name
help: the site's registry still has it
error: checksum mismatch for the archive of `acme/pdf 1.1.0`: it differs from the index
  index    sha256:[SHA]
  archive  sha256:[SHA]
help: nothing was written; report this to the registry's owners

"]]);
    sandbox.lacks(["../out", "../.out.skillpm-stage"]);
}

#[test]
fn same_skills_give_the_same_site_and_removed_ones_disappear() {
    let sandbox = workspace();
    sandbox.skillpm("registry site ../one").exits(0);
    sandbox.skillpm("registry site ../two").exits(0);
    let (one, two) = (sandbox.tree("../one"), sandbox.tree("../two"));
    assert_eq!(one.to_string(), two.to_string());
    sandbox.delete("skills/notes");
    sandbox.skillpm("registry site ../one").exits(0);
    sandbox.lacks([
        "../one/.well-known/skills/notes",
        "../one/.well-known/agent-skills/notes",
    ]);
    assert!(
        !sandbox
            .read("../one/.well-known/agent-skills/index.json")
            .contains("notes")
    );
    assert!(!sandbox.read("../one/index.html").contains("notes"));
    assert_ne!(sandbox.tree("../one").to_string(), two.to_string());
}

#[test]
fn directory_with_other_files_is_refused() {
    let sandbox = workspace();
    sandbox.write("../out/CNAME", "acme.dev");
    sandbox
        .skillpm("registry site ../out")
        .exits(1)
        .stderr(str![[r"
error: refusing to replace `[ROOT]/out`: it has files that `skillpm registry site` did not write
  `CNAME`
help: pass a new directory, or one that the same command wrote before, and copy the files from there

"]]);
    sandbox.reads("../out/CNAME", "acme.dev");
    sandbox.delete("../out/CNAME");
    sandbox.skillpm("registry site ../out").exits(0);
    sandbox.write("../out/CNAME", "acme.dev");
    sandbox
        .skillpm("registry site ../out")
        .exits(1)
        .explains(["`CNAME`"]);
    sandbox.reads("../out/CNAME", "acme.dev");
    sandbox
        .skillpm("registry site .")
        .exits(2)
        .explains(["it contains the current directory"]);
    sandbox
        .skillpm("registry site skillpm.toml")
        .exits(1)
        .explains(["is not a directory"]);
}

#[test]
fn page_escapes_text_of_skills() {
    let sandbox = workspace();
    let line = sandbox
        .skillpm("registry site ../www --base-url https://acme.dev/docs --format json")
        .exits(0)
        .stdout_json();
    assert_eq!(
        (&line["type"], &line["skills"], &line["packages"]),
        (&"site".into(), &2.into(), &0.into())
    );
    for page in ["index.html", "browse/p.html", "skills/pdf/index.html"] {
        let page = sandbox.read(&format!("../www/{page}"));
        assert!(
            page.contains("Reads &lt;b&gt;PDF&lt;/b&gt;.") && !page.contains("<b>"),
            "{page}"
        );
    }
    assert!(sandbox.read("../www/skills/pdf/index.html").contains(
        "skillpm add <span class=\"word\">https://acme.dev/docs/.well-known/agent-skills</span> "
    ));
    let index = sandbox.read("../www/.well-known/agent-skills/index.json");
    assert!(
        index.contains("\"https://acme.dev/docs/.well-known/agent-skills/pdf.tar.gz\""),
        "{index}"
    );
    sandbox
        .skillpm("registry site ../www --base-url ftp://acme.dev")
        .exits(2)
        .explains(["it is not an `https` or `http` URL with a host"]);
}

#[test]
fn skill_with_a_different_frontmatter_name_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "skillpm.toml",
        "[package]\nname = \"acme/pdf\"\nversion = \"1.0.0\"\n",
    );
    sandbox.write("SKILL.md", skill_md("docx", "Reads something."));
    sandbox
        .skillpm("registry site ../out")
        .exits(1)
        .explains(["has the name `docx`"]);
    sandbox.lacks(["../out"]);
}
