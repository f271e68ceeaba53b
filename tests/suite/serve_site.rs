//! `serve --site`: pages about what is installed, for a browser.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use snapbox::{assert_data_eq, str};

use super::lint_formats::{accepts, lines_of};
use super::site_browser;
use crate::support::{Following, IndexDir, Sandbox, skill_md};

/// A server with these flags, and its address without `http://`.
fn serve(sandbox: &Sandbox, flags: &str) -> (Following, String) {
    let server = sandbox
        .skillpm(format!("--format json serve {flags}"))
        .follow();
    let line = server.object();
    accepts(&lines_of("serve"), &line);
    let url = line["url"].as_str().unwrap();
    assert_eq!(line["site"], format!("{url}/"));
    (server, url.strip_prefix("http://").unwrap().to_owned())
}

/// Status, head and body of one answer.
fn get(address: &str, path: &str, headers: &[&str]) -> (u16, String, String) {
    let host = if headers.iter().any(|header| header.starts_with("Host:")) {
        String::new()
    } else {
        format!("Host: {address}\r\n")
    };
    let more: String = headers
        .iter()
        .map(|header| format!("{header}\r\n"))
        .collect();

    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\n{host}{more}Connection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();

    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_ascii_lowercase(), body.to_owned())
}

/// Nova's cards have the ids that it takes.
#[test]
fn skills_of_nova_are_shown_by_their_ids() {
    let sandbox = Sandbox::project_here();
    sandbox.write("skillpm.toml", "[dependencies]\n");
    let dir = "backend/skills/employee_onboarding";
    sandbox.write(
        &format!("{dir}/manifest.yaml"),
        "name: employee_onboarding\nversion: \"1.0.0\"\n\
         description: \"Handle new hire setup, emails, and checklists.\"\n",
    );
    sandbox.write(&format!("{dir}/instructions.md"), "# Onboard\n");
    let (_server, address) = serve(&sandbox, "--site 0 --agent nova");
    let list = page(&address, "/");
    for shown in ["employee_onboarding", "Handle new hire setup", "1.0.0"] {
        assert!(list.contains(shown), "{shown}: {list}");
    }
}

/// A page that is there.
#[track_caller]
fn page(address: &str, path: &str) -> String {
    let (status, _, body) = get(address, path, &[]);
    assert_eq!(status, 200, "{path}: {body}");
    body
}

#[track_caller]
fn assert_shows(html: &str, parts: &[&str]) {
    for part in parts {
        assert!(html.contains(part), "{part}: {html}");
    }
}

/// A project with an edited, an outdated and a missing skill, one that is denied, and one that shadows another of the user.
fn installed() -> Sandbox {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../registry");
    index
        .publish("acme/pdf", "1.0.0", &[])
        .publish("acme/notes", "1.0.0", &[])
        .publish("acme/gone", "1.0.0", &[]);
    IndexDir::configure(&sandbox, "acme", &index.url());
    for name in ["pdf", "notes", "gone"] {
        sandbox
            .skillpm(format!("add acme/{name} --registry acme"))
            .exits(0);
    }

    index.publish("acme/pdf", "1.1.0", &[]);
    sandbox.write(".agents/skills/notes/notes.md", "edited by hand");
    sandbox.delete(".agents/skills/gone");
    sandbox.write_skill("skills/own", "Is the project's <b>own</b>.");
    sandbox.write("skills/broken/SKILL.md", "---\nname: broken\n---\n");
    let manifest = sandbox.read("skillpm.toml");
    sandbox.write(
        "skillpm.toml",
        format!("{manifest}\n[catalog]\ndeny = [\"secret\"]\n"),
    );
    sandbox.write(
        ".agents/skills/secret/SKILL.md",
        format!(
            "{}\nThe secret instructions.\n",
            skill_md("secret", "Is denied.")
        ),
    );
    sandbox
}

#[test]
fn pages_show_tiers_and_states_of_what_is_installed() {
    let sandbox = installed();
    let (_server, address) = serve(&sandbox, "--site --http 0");

    let notes = page(&address, "/skills/notes/index.html");
    assert_shows(
        &notes,
        &[
            "<span class=\"mark warn\">edited</span>",
            "<td>listed, edited</td>",
            "edited by hand",
            "<dt>Source</dt>",
        ]
        .map(|part| {
            if part == "edited by hand" {
                "skillpm why notes"
            } else {
                part
            }
        }),
    );
    assert_shows(
        &page(&address, "/skills/notes/files.html"),
        &["edited by hand"],
    );
    assert_shows(
        &page(&address, "/skills/pdf/index.html"),
        &[
            "<td>listed, unchanged, outdated</td>",
            "skillpm update pdf",
            "1.1.0",
        ],
    );
    assert_shows(
        &page(&address, "/skills/gone/index.html"),
        &["its directory is missing", "skillpm install"],
    );

    // The reason is shown, and the files are not.
    let secret = page(&address, "/skills/secret/index.html");
    assert_shows(
        &secret,
        &["Hidden: ", "Its files are not served.", "<td>hidden</td>"],
    );
    assert!(!secret.contains("The secret instructions"), "{secret}");
    assert_eq!(get(&address, "/skills/secret/files.html", &[]).0, 404);

    let home = page(&address, "/");
    assert_shows(&home, &["Installed skills", "skills/pdf/index.html"]);
}

#[test]
fn pages_name_the_agents_here_that_see_a_skill() {
    let sandbox = Sandbox::project_here();
    sandbox.write("~/.claude/settings.json", "{}");
    sandbox.write_skill("skills/own", "Is in no directory of an agent.");
    sandbox.write_skill(".claude/skills/seen", "Is in that of Claude Code.");
    sandbox.write(
        ".claude/skills/dropped/SKILL.md",
        "---\nname: dropped\ndescription: x\ndisable-model-invocation: true\n---\n",
    );
    let (_server, address) = serve(&sandbox, "--site 0");

    let agents = |name: &str| {
        let html = page(&address, &format!("/skills/{name}/index.html"));
        let start = html
            .find("<h2>Seen by</h2>")
            .unwrap_or_else(|| panic!("{html}"));
        let end = html[start..].find("</ul>").unwrap();
        html[start..start + end].to_owned()
    };
    assert_data_eq!(
        agents("own"),
        str![[r#"
<h2>Seen by</h2>
<ul class="agents">
<li class="no"><span aria-hidden="true">✗</span> Claude Code<span class="sr"> does not see it</span><span class="quiet">it does not read this directory</span></li>

"#]]
    );
    assert_data_eq!(
        agents("seen"),
        str![[r#"
<h2>Seen by</h2>
<ul class="agents">
<li class="yes"><span aria-hidden="true">✓</span> Claude Code<span class="sr"> sees it</span></li>

"#]]
    );
    assert_data_eq!(
        agents("dropped"),
        str![[r#"
<h2>Seen by</h2>
<ul class="agents">
<li class="no"><span aria-hidden="true">✗</span> Claude Code<span class="sr"> does not see it</span><span class="quiet">it disables invocation by the model</span></li>

"#]]
    );
}

#[test]
fn pages_follow_changes_on_disk() {
    let sandbox = installed();
    let (_server, address) = serve(&sandbox, "--site --http 0");
    assert_shows(&page(&address, "/skills/pdf/index.html"), &["unchanged"]);
    sandbox.write(".agents/skills/pdf/notes.md", "changed");
    assert_shows(
        &page(&address, "/skills/pdf/index.html"),
        &["<td>listed, edited, outdated</td>"],
    );
    assert_eq!(get(&address, "/skills/later/index.html", &[]).0, 404);
    sandbox.write_skill(".agents/skills/later", "Came later.");
    assert_shows(
        &page(&address, "/skills/later/index.html"),
        &["Came later."],
    );
    assert_shows(&page(&address, "/browse/l.html"), &["Came later."]);
}

#[test]
fn pages_are_as_guarded_as_the_rest_of_the_server() {
    let sandbox = installed();
    let (_server, address) = serve(&sandbox, "--site --http 0");
    for path in ["/", "/skills/pdf/index.html", "/assets/site.js"] {
        for header in ["Host: evil.example", "Origin: https://evil.example"] {
            assert_eq!(get(&address, path, &[header]).0, 403, "{path} {header}");
        }
        let (status, head, _) = get(&address, path, &[]);
        assert_eq!(status, 200, "{path}");
        for header in [
            "content-security-policy: default-src 'none'",
            "frame-ancestors 'none'",
            "cross-origin-resource-policy: same-origin",
            "x-content-type-options: nosniff",
        ] {
            assert!(head.contains(header), "{header}: {head}");
        }
    }
    for path in [
        "/../../etc/passwd",
        "/%2e%2e/skillpm.toml",
        "/skills/pdf/../../../skillpm.toml",
        "/skills/pdf/SKILL.md",
        "/skillpm.toml",
        "/.agents/skills/pdf/SKILL.md",
        "/skills/%ff/index.html",
    ] {
        assert_eq!(get(&address, path, &[]).0, 404, "{path}");
    }
    // A page of a skill has no scripts, and not the origin of the server.
    let (_, head, _) = get(&address, "/.well-known/agent-skills/pdf/SKILL.md", &[]);
    assert!(head.contains("content-security-policy: sandbox;"), "{head}");
}

#[test]
fn token_is_a_password_for_pages_only() {
    let sandbox = installed();
    let (_server, address) = serve(&sandbox, "--site --http 0 --token s3cret");
    let basic = |text: &str| format!("Authorization: Basic {}", BASE64_STANDARD.encode(text));

    let (status, head, _) = get(&address, "/", &[]);
    assert_eq!(status, 401);
    assert!(head.contains("www-authenticate: basic realm="), "{head}");
    let (_, head, _) = get(&address, "/catalog.json", &[]);
    assert!(head.contains("www-authenticate: bearer"), "{head}");

    for (header, status) in [
        (basic("ann:s3cret"), 200),
        (basic(":s3cret"), 200),
        (basic("s3cret:"), 401),
        (basic("s3cret"), 401),
        ("Authorization: Basic ???".to_owned(), 401),
        ("Authorization: Bearer s3cret".to_owned(), 200),
        ("Authorization: Bearer other".to_owned(), 401),
    ] {
        assert_eq!(get(&address, "/", &[&header]).0, status, "{header}");
    }
    // What a browser sends by itself opens nothing that programs use.
    for path in [
        "/catalog.json",
        "/mcp",
        "/.well-known/agent-skills/index.json",
    ] {
        assert_eq!(
            get(&address, path, &[&basic("ann:s3cret")]).0,
            401,
            "{path}"
        );
    }
}

#[test]
fn pages_alone_have_nothing_for_programs() {
    let sandbox = installed();
    let (_server, address) = serve(&sandbox, "--site 0");
    assert_eq!(get(&address, "/", &[]).0, 200);
    for path in [
        "/catalog.json",
        "/mcp",
        "/.well-known/agent-skills/index.json",
    ] {
        assert_eq!(get(&address, path, &[]).0, 404, "{path}");
    }
    sandbox
        .skillpm("serve --site 0.0.0.0:0")
        .exits(2)
        .explains(["without a token"]);
    sandbox
        .skillpm("serve --site 8000 --http 8001")
        .exits(2)
        .explains(["cannot use two addresses"]);
    sandbox.skillpm("serve --site --http 0 --token").exits(2);
}

#[test]
fn installed_skills_are_searched_in_a_browser() {
    let sandbox = installed();
    let (_server, address) = serve(&sandbox, "--site --http 0");
    let Some(report) = site_browser::visit(serde_json::json!({
        "url": format!("http://{address}/"),
        "query": "pdf",
        "skill": "notes",
        "filter": "edited",
        "pages": ["skills/secret/index.html", "skills/gone/index.html", "browse/index.html", "rules.html"],
    })) else {
        return;
    };
    for part in ["search", "filters", "skill"] {
        site_browser::assert_quiet(&report[part]);
    }
    assert_eq!(report["search"]["typed"]["hits"][0], "pdf");
    assert_eq!(report["filters"]["count"], "1 skill");
    assert_eq!(report["filters"]["hash"], "#state=edited");
    assert_eq!(report["skill"]["copied"], "skillpm why notes");
    assert_eq!(report["accessibility"], serde_json::json!({}));
}
