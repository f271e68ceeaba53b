//! The world of each page: a home with the repositories, servers and files that its reader would have.

use std::fs;
use std::path::Path;

use crate::support::{ClawHub, IndexDir, Registry, Repo, Sandbox, Server, SshKey, skill_md};

/// Who reads the pages. The name of a new repository's branch is git's own default.
const IDENTITY: &str =
    "[user]\n\tname = Ann\n\temail = ann@acme.dev\n[init]\n\tdefaultBranch = master\n";

/// Two skills of `https://github.com/acme/skills`, as the recordings of other tools have them.
const PDF: &str =
    "---\nname: pdf\ndescription: Reads PDF. Use when a PDF is given.\n---\n\n# pdf\n";
const CSV: &str =
    "---\nname: csv\ndescription: Reads CSV. Use when a CSV is given.\n---\n\n# csv\n";

/// The fingerprint of a key that signs, as the pages show it.
const FINGERPRINT: &str = "SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDCLyPHRyJl1BMlyLc";

/// A sandbox, and what the page's names mean in it.
pub(super) struct PageFixture {
    pub(super) sandbox: Sandbox,
    /// Names that the page shows, and what they are here: servers that the page calls by a host's name.
    pub(super) names: Vec<(String, String)>,
    /// The directory in which the reader begins.
    pub(super) start: &'static str,
    /// Whether the reader needs something that no other reader has, such as a server.
    pub(super) has_needs: bool,
    /// Environment variables that are set from the beginning.
    pub(super) variables: Vec<(&'static str, String)>,
    /// What runs as long as the page does.
    servers: Vec<Server>,
    hubs: Vec<ClawHub>,
}

impl PageFixture {
    /// The world of a page, such as `docs/how-to/ci.md`, with this text.
    pub(super) fn prepare(page: &str, text: &str) -> Self {
        let sandbox = Sandbox::in_tmp();
        // Each host that a page names is a directory of repositories on this disk.
        let repos = sandbox.root().join("repos");
        let hosts: String = [
            ("https://github.com/", "github.com"),
            ("https://git.acme.dev/", "git.acme.dev"),
            ("ssh://git@git.acme.dev/", "git.acme.dev"),
        ]
        .iter()
        .map(|(url, dir)| {
            let dir = repos.join(dir);
            format!("[url \"file://{}/\"]\n\tinsteadOf = {url}\n", dir.display())
        })
        .collect();
        sandbox.gitconfig(&format!("{IDENTITY}{hosts}"));

        let mut fixture = PageFixture {
            sandbox,
            names: Vec::new(),
            start: "~/",
            has_needs: true,
            variables: Vec::new(),
            servers: Vec::new(),
            hubs: Vec::new(),
        };
        let name = page.rsplit('/').next().unwrap_or(page);
        match name.trim_end_matches(".md") {
            "advisories" => fixture.add_advisory(),
            "audit" => fixture.add_capable_skill(),
            "live" => fixture.add_live_skills(),
            "policy" => fixture.add_policy(),
            "provenance" => fixture.add_signed_skills(),
            "private-registry" => fixture.add_private_registry(),
            "air-gap" => {
                fixture.add_superpowers("github.com/obra/superpowers");
                fixture.add_superpowers("git.acme.dev/mirrors/superpowers");
            }
            "importing" | "migrate-from-npx-skills" => fixture.add_npx_skills(),
            "migrate-from-apm" => fixture.add_apm(),
            "migrate-from-openskills" => fixture.add_openskills(),
            "migrate-from-dotagents" => fixture.add_dotagents(),
            "migrate-from-clawhub" => fixture.add_clawhub(),
            _ => {
                fixture.has_needs = false;
                // A public repository, which a reader has.
                if text.contains("obra/superpowers") {
                    fixture.add_superpowers("github.com/obra/superpowers");
                }
            }
        }
        if fixture.sandbox.path("~/app").exists() {
            fixture.start = "~/app";
        }
        fixture
    }

    /// `obra/superpowers` with three versions of two skills; between 3.6.2 and 6.2.0 `test-driven-development` changes by as many
    /// lines as there.
    fn add_superpowers(&self, path: &str) {
        let repo = Repo::new(&self.sandbox, path);
        for (version, description) in [
            (
                "3.6.2",
                "Use when creating or developing, before writing code.",
            ),
            ("6.0.0", "Use before any creative work."),
            ("6.2.0", "You must use this before any creative work."),
        ] {
            let is_old = version == "3.6.2";
            let (about, lines) = if is_old {
                ("write the test first", 54)
            } else {
                ("before the code", 10)
            };
            let page = "skills/test-driven-development";
            repo.write(
                &format!("{page}/SKILL.md"),
                format!(
                    "---\nname: test-driven-development\ndescription: Use when implementing any feature or bugfix, {about}\n\
                     ---\n\n# Test-Driven Development\n\n{}\n## Final Rule\n\nNo exceptions.\n",
                    format!("Write the test first ({version}).\n").repeat(lines)
                ),
            );
            if !is_old {
                repo.write(
                    &format!("{page}/writing-good-tests.md"),
                    "A good test shows one behavior.\n".repeat(198),
                );
            }
            repo.skill("skills/brainstorming", description)
                .skill(
                    "skills/executing-plans",
                    "Use when there is a plan to execute.",
                )
                .commit(version)
                .tag(&format!("v{version}"));
        }
    }

    /// `pdf` and `csv` in a repository; gives its newest commit.
    fn add_acme_skills(&self, path: &str) -> String {
        let repo = Repo::new(&self.sandbox, path);
        repo.write("skills/pdf/SKILL.md", PDF)
            .write("skills/pdf/references/B.md", "a\n")
            .write("skills/pdf/references/a.md", "b\n")
            .write("skills/csv/SKILL.md", CSV)
            .commit("first")
            .tag("v1.0.0");
        repo.head()
    }

    /// A registry behind a token, with one package, and a skill to publish.
    fn add_private_registry(&mut self) {
        let index = IndexDir::new(&self.sandbox, "../www/index");
        index.publish("acme/house-style", "1.0.0", &[]);
        index.owned_by("acme/house-style", &["ann@acme.dev"]);
        let server = Server::start(&self.sandbox);
        server.require_token("s3cret");
        self.name("https://skills.acme.dev/", &server.url(""));
        let www = self.sandbox.root().join("www");
        self.name("/srv/skills", www.to_str().unwrap());
        self.variables.push(("ACME_TOKEN", "s3cret".to_owned()));
        self.servers.push(server);
        self.sandbox.write(
            "~/release-letter/SKILL.md",
            "---\nname: release-letter\ndescription: Writes the letter to customers that goes out with a release. \
             Use when a release is announced.\nlicense: MIT\n---\n\n# Release letter\n\nWrite three paragraphs.\n",
        );
        self.sandbox.write(
            "~/release-letter/skillpm.toml",
            "[package]\nname = \"acme/release-letter\"\nversion = \"1.0.0\"\n\
             repository = \"https://git.acme.dev/letters\"\n",
        );

        // The index on a git host.
        Registry::bare(&self.sandbox, "git.acme.dev/index.git");
    }

    /// A registry with an advisory about a package that another one needs; in `~/newest` the package with a fixed version.
    fn add_advisory(&self) {
        let index = IndexDir::new(&self.sandbox, "~/index");
        index.publish("acme/pdf", "1.2.0", &[]);
        index.publish("acme/form", "1.0.0", &["acme/pdf ^1.2"]);
        index.owned_by("acme/pdf", &["ann@acme.dev"]);
        let old = index.text("acme/pdf");
        index.publish("acme/pdf", "1.2.1", &[]);
        self.sandbox.write("~/newest", index.text("acme/pdf"));
        index.write("acme/3/p/pdf", old);
        index.write(
            "advisories/SKSA-2026-0001.json",
            r#"{"schema_version":"1.6.0","id":"SKSA-2026-0001","modified":"2026-11-20T08:00:00Z","aliases":["CVE-2026-77"],
"summary":"sends form data to a third party","database_specific":{"severity":"critical"},
"affected":[{"package":{"ecosystem":"skillpm","name":"acme/pdf"},
"ranges":[{"type":"SEMVER","events":[{"introduced":"0"},{"fixed":"1.2.1"}]}]}]}"#,
        );
        let settings = format!(
            "[registries.acme]\nindex = \"{}\"\n[registry]\ndefault = \"acme\"\n",
            index.url()
        );
        self.sandbox.write("~/.skillpm/config.toml", settings);
        fs::create_dir_all(self.sandbox.path("~/app")).unwrap();
    }

    /// A skill with commands, addresses and paths.
    fn add_capable_skill(&self) {
        self.sandbox.write(
            "~/app/pdf/SKILL.md",
            "---\nname: pdf\ndescription: Fills in PDF forms. Use when a form is to be filled in.\n\
             allowed-tools: Bash(pdftk:*)\n---\n\nThe key is in `~/.config/acme/key`.\n\n\
             ```sh\npdftk form.pdf dump_data_fields\ncurl -H \"Authorization: $ACME_TOKEN\" https://api.acme.dev/forms\n```\n",
        );
        let script = "#!/usr/bin/env bash\nset -eu\npdftk \"$1\" fill_form \"$2\" output \"$3\"\n";
        self.sandbox.write("~/app/pdf/scripts/fill.sh", script);
    }

    /// A project with two skills, and a better text of one.
    fn add_live_skills(&self) {
        let tidy = skill_md("csv-tidy", "Cleans up CSV. Use when a CSV is untidy.");
        for (file, text) in [
            ("skills/pdf/SKILL.md", PDF.to_owned()),
            ("skills/csv-tidy/SKILL.md", tidy.clone()),
            ("new/SKILL.md", tidy + "\nSkip a byte order mark.\n"),
        ] {
            self.sandbox.write(&format!("~/app/{file}"), text);
        }
    }

    /// A repository whose tags are signed, and a project that lists the key; without `ssh-keygen` neither.
    fn add_signed_skills(&mut self) {
        let Some(key) = SshKey::of(&self.sandbox, "ann") else {
            return;
        };
        self.name(FINGERPRINT, &key.fingerprint());
        let manifest = format!(
            "[dependencies]\n\n[policy]\nsigners = [\"{}\"]\n",
            key.public()
        );
        self.sandbox.write("~/app/skillpm.toml", manifest);
        Repo::new(&self.sandbox, "github.com/acme/skills")
            .sign_with(&key)
            .write("skills/pdf/SKILL.md", PDF)
            .commit("first")
            .signed_tag("v1.2.0");
    }

    /// A project with a policy about licenses, and a skill that needs one with another license.
    fn add_policy(&self) {
        for (file, text) in [
            (
                "skillpm.toml",
                "[dependencies]\n\n[policy]\nallow-licenses = [\"MIT\", \"Apache-2.0\"]\n",
            ),
            (
                "alpha/skillpm.toml",
                "[package]\nname = \"alpha\"\nversion = \"1.0.0\"\nlicense = \"MIT\"\n\n\
                 [dependencies]\nbeta = { path = \"../beta\" }\n",
            ),
            (
                "beta/skillpm.toml",
                "[package]\nname = \"beta\"\nversion = \"1.0.0\"\nlicense = \"AGPL-3.0-only\"\n",
            ),
        ] {
            self.sandbox.write(&format!("~/app/{file}"), text);
        }
        for name in ["alpha", "beta"] {
            let text = skill_md(name, "Writes letters. Use when one is to be written.");
            self.sandbox.write(&format!("~/app/{name}/SKILL.md"), text);
        }
    }

    fn add_npx_skills(&self) {
        let commit = self.add_acme_skills("github.com/acme/skills");
        self.add_recording(&commit, "skills-lock.json", "skills-lock.json");
        self.write_both(".agents/skills");
        for name in ["csv", "pdf"] {
            let dir = self.sandbox.path("~/app/.claude/skills");
            fs::create_dir_all(&dir).unwrap();
            let target = format!("../../.agents/skills/{name}");
            std::os::unix::fs::symlink(target, dir.join(name)).unwrap();
        }
    }

    fn add_apm(&self) {
        let commit = self.add_acme_skills("github.com/acme/skills");
        self.add_recording(&commit, "apm.yml", "apm.yml");
        self.add_recording(&commit, "apm.lock.yaml", "apm.lock.yaml");
        self.write_both(".agents/skills");
        self.write_both(".claude/skills");
    }

    fn add_openskills(&self) {
        let commit = self.add_acme_skills("github.com/acme/skills");
        self.add_recording(
            &commit,
            "openskills.json",
            ".claude/skills/pdf/.openskills.json",
        );
        self.write_pdf(".claude/skills");
    }

    fn add_dotagents(&self) {
        let commit = self.add_acme_skills("github.com/acme/skills");
        self.add_recording(&commit, "agents.toml", "agents.toml");
        self.add_recording(&commit, "agents.lock", "agents.lock");
        self.write_both(".agents/skills");
    }

    fn add_clawhub(&mut self) {
        let hub = ClawHub::start(&self.sandbox);
        hub.publish("acme/csv", "1.0.0", "Reads CSV. Use when a CSV is given.");
        hub.publish(
            "acme/csv",
            "1.1.0",
            "Reads CSV and TSV. Use when a table is given.",
        );
        self.name("https://clawhub.ai", &hub.url());
        let lock =
            "{\"version\":1,\"skills\":{\"csv\":{\"version\":\"1.0.0\",\"installedAt\":1}}}\n";
        self.sandbox.write("~/app/.clawhub/lock.json", lock);
        let text = skill_md("csv", "Reads CSV. Use when a CSV is given.");
        self.sandbox.write("~/app/skills/csv/SKILL.md", text);
        self.hubs.push(hub);
    }

    /// A file that another tool wrote over `acme/skills`, in `~/app`.
    fn add_recording(&self, commit: &str, recorded: &str, file: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fixtures/import")
            .join(recorded);
        let text = fs::read_to_string(path).unwrap();
        let text = text.replace("[COMMIT]", commit);
        self.sandbox.write(&format!("~/app/{file}"), text);
    }

    fn write_pdf(&self, dir: &str) {
        for (file, text) in [
            ("SKILL.md", PDF),
            ("references/B.md", "a\n"),
            ("references/a.md", "b\n"),
        ] {
            self.sandbox.write(&format!("~/app/{dir}/pdf/{file}"), text);
        }
    }

    fn write_both(&self, dir: &str) {
        self.write_pdf(dir);
        self.sandbox
            .write(&format!("~/app/{dir}/csv/SKILL.md"), CSV);
    }

    fn name(&mut self, shown: &str, real: &str) {
        self.names.push((shown.to_owned(), real.to_owned()));
    }
}
