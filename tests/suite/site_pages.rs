//! What the pages of `registry site` show, as a reader finds it.

use skillpm::package::Tree;
use snapbox::{assert_data_eq, str};

use crate::support::{IndexDir, Registry, Sandbox, Server, package, skill_md};

/// The part of a page from a text to the next end of it.
#[track_caller]
fn part<'h>(html: &'h str, from: &str, to: &str) -> &'h str {
    let start = html.find(from).unwrap_or_else(|| panic!("{from}: {html}"));
    let end = html[start..]
        .find(to)
        .unwrap_or_else(|| panic!("{to}: {html}"));
    &html[start..start + end + to.len()]
}

/// The commands of a page, as the browser shows them at this address.
fn commands(html: &str, root: &str) -> Vec<String> {
    html.split("<div class=\"command\"><code>")
        .skip(1)
        .map(|rest| {
            let code = rest.split("</code>").next().unwrap();
            let text = code
                .split('<')
                .map(|part| part.split_once('>').map_or(part, |(_, text)| text));
            text.collect::<String>().replace("https://THIS-SITE", root)
        })
        .collect()
}

/// A tree of one skill with this `SKILL.md` and other files.
fn tree_of(skill: &str, others: &[(&str, &str)]) -> Tree {
    let mut tree = Tree::builder();
    tree.add("SKILL.md", skill.as_bytes().to_vec(), false)
        .unwrap();
    for (path, text) in others {
        tree.add(path, text.as_bytes().to_vec(), false).unwrap();
    }
    tree.finish()
}

#[test]
fn published_package_has_its_repository_owners_and_archives() {
    let sandbox = Sandbox::new();
    let registry = Registry::bare(&sandbox, "index.git");
    registry.configure(&sandbox);
    for version in ["1.0.0", "1.1.0"] {
        package(&sandbox, "acme/pdf", version);
        sandbox.skillpm("publish pdf").exits(0);
    }
    sandbox.skillpm("yank acme/pdf@1.0.0").exits(0);
    sandbox
        .skillpm("registry site ../www --registry acme")
        .exits(0);

    let page = sandbox.read("../www/skills/acme/pdf/index.html");
    let day = registry.lines()[1]["pubtime"].as_str().unwrap()[..10].to_owned();
    let page = page.replace(&day, "[DAY]");
    assert_data_eq!(
        part(&page, "<h2>Facts</h2>", "</dl>"),
        str![[r#"
<h2>Facts</h2>
<dl>
<div><dt>License</dt><dd>MIT</dd></div>
<div><dt>Published</dt><dd>[DAY]</dd></div>
<div><dt>Tokens</dt><dd>about 35 when loaded, 17 in the list</dd></div>
<div><dt>Repository</dt><dd><a href="https://git.example/pdf" rel="nofollow noopener">https://git.example/pdf</a></dd></div>
<div><dt>Owners</dt><dd>tester@example.org</dd></div>
<div><dt>Checksum</dt><dd>skill-tree-v1:2e246ad43811308a42c3964f0dad1f946bab5892eb1a19b620584721a74d8784</dd></div>
<div><dt>Download</dt><dd><a href="../../../archives/acme/pdf-1.1.0.tar.gz" download>pdf-1.1.0.tar.gz</a></dd></div>
</dl>
"#]]
    );
    assert_data_eq!(
        part(&page, "<h2 id=\"versions\">", "</table>"),
        str![[r#"
<h2 id="versions">Versions</h2>
<table class="wide"><thead><tr><th scope="col">Version</th><th scope="col">Published</th><th scope="col">Changes</th><th scope="col">Archive</th></tr></thead>
<tbody>
<tr><td>1.1.0</td><td>[DAY]</td><td><a href="diff-1.1.0.html">diff<span class="sr"> of 1.1.0</span></a> <span class="plus">+1<span class="sr"> lines added,</span></span> <span class="minus">−1<span class="sr"> lines removed</span></span></td><td><a href="../../../archives/acme/pdf-1.1.0.tar.gz" download>download<span class="sr"> 1.1.0</span></a></td></tr>
<tr><td><s>1.0.0</s> <span class="mark warn">yanked</span></td><td>[DAY]</td><td>–</td><td><a href="../../../archives/acme/pdf-1.0.0.tar.gz" download>download<span class="sr"> 1.0.0</span></a></td></tr>
</tbody></table>
"#]]
    );
    for version in ["1.0.0", "1.1.0"] {
        sandbox.has([&*format!("../www/archives/acme/pdf-{version}.tar.gz")]);
    }
    sandbox
        .skillpm("info acme/pdf")
        .exits(0)
        .stdout_has("https://git.example/pdf");
}

#[test]
fn only_the_address_of_a_page_is_a_link_to_the_repository() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../registry");
    for (name, repository) in [
        ("script", "javascript:alert(1)"),
        ("ssh", "git@github.com:acme/pdf.git"),
        ("user", "https://github.com@evil.example/pdf"),
        ("quote", "https://acme.dev/\" onclick=\"alert(1)"),
        ("page", "http://git.example/pdf?a=1&b=2"),
    ] {
        index.publish_with(name, "1.0.0", &[], |line| {
            line["repository"] = repository.into();
        });
    }
    index.publish("none", "1.0.0", &[]);
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox
        .skillpm("registry site ../www --registry acme")
        .exits(0);

    let shown: Vec<String> = ["script", "ssh", "user", "quote", "page", "none"]
        .into_iter()
        .map(|name| {
            let page = sandbox.read(&format!("../www/skills/{name}/index.html"));
            let facts = part(&page, "<h2>Facts</h2>", "</dl>");
            let line = facts.lines().find(|line| line.contains("Repository"));
            format!("{name}: {}\n", line.unwrap_or("nothing"))
        })
        .collect();
    assert_data_eq!(
        shown.concat(),
        str![[r#"
script: <div><dt>Repository</dt><dd>javascript:alert(1)</dd></div>
ssh: <div><dt>Repository</dt><dd>git@github.com:acme/pdf.git</dd></div>
user: <div><dt>Repository</dt><dd>https://github.com@evil.example/pdf</dd></div>
quote: <div><dt>Repository</dt><dd>https://acme.dev/&quot; onclick=&quot;alert(1)</dd></div>
page: <div><dt>Repository</dt><dd><a href="http://git.example/pdf?a=1&amp;b=2" rel="nofollow noopener">http://git.example/pdf?a=1&amp;b=2</a></dd></div>
none: nothing

"#]]
    );
}

#[test]
fn commands_of_a_site_work_as_they_are_shown() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../registry");
    index
        .publish("acme/pdf", "1.0.0", &[])
        .publish("refactor", "1.0.0", &[]);
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox
        .skillpm("registry site ../www --registry acme")
        .exits(0);
    let server = Server::start(&sandbox);
    let root = server.url("").trim_end_matches('/').to_owned();

    let home = sandbox.read("../www/index.html");
    let page = sandbox.read("../www/skills/refactor/index.html");
    let mut shown = commands(&home, &root);
    shown.extend(commands(&page, &root));
    assert_data_eq!(
        shown.join("\n").replace(&root, "[SITE]"),
        str![[r"
skillpm config set registries.acme.index sparse+[SITE]/
skillpm add acme/pdf --registry acme
skillpm add refactor --registry acme
skillpm add [SITE] --skill refactor
"]]
    );

    let run = |command: &str, home_of: &str, directory: &str| {
        let project = sandbox.root().join(directory);
        std::fs::create_dir_all(&project).unwrap();
        let manifest = project.join("skillpm.toml");
        if !manifest.exists() {
            std::fs::write(manifest, "[dependencies]\n").unwrap();
        }
        sandbox
            .skillpm(command.strip_prefix("skillpm ").unwrap())
            .in_dir(&project)
            .home(home_of)
            .exits(0);
    };
    // In order, by a person without any settings; the last needs none.
    let (last, first) = shown.split_last().unwrap();
    for command in first {
        run(command, "reader", "one");
    }
    run(last, "other-reader", "two");
    sandbox.has([
        "../one/.agents/skills/pdf",
        "../two/.agents/skills/refactor",
    ]);
}

#[test]
fn command_of_the_built_in_registry_names_it() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("registry site ../www --registry default")
        .exits(0);
    let page = sandbox.read("../www/skills/commit-messages/index.html");
    let shown = commands(&page, "https://acme.dev");
    assert_data_eq!(
        shown.join("\n"),
        str![[r"
skillpm add commit-messages --registry default
skillpm add https://acme.dev --skill commit-messages
"]]
    );
}

#[test]
fn site_has_the_name_of_its_registry_or_the_given_one() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../registry");
    index.publish("pdf", "1.0.0", &[]);
    IndexDir::configure(&sandbox, "acme", &index.url());
    let titles = |flags: &str| {
        sandbox
            .skillpm(format!("registry site ../www {flags}"))
            .exits(0);
        ["index.html", "skills/pdf/index.html", "browse/index.html"]
            .map(|page| {
                let html = sandbox.read(&format!("../www/{page}"));
                part(&html, "<title>", "</title>").to_owned()
            })
            .join("\n")
    };

    assert_data_eq!(
        titles("--registry acme"),
        str![[r"
<title>acme skills</title>
<title>pdf - acme skills</title>
<title>Skills by name - acme skills</title>
"]]
    );
    assert_data_eq!(
        titles("--registry acme --title Tools&<Co>"),
        str![[r"
<title>Tools&amp;&lt;Co&gt;</title>
<title>pdf - Tools&amp;&lt;Co&gt;</title>
<title>Skills by name - Tools&amp;&lt;Co&gt;</title>
"]]
    );
    sandbox.write_skill("skills/pdf", "Reads PDF.");
    assert_data_eq!(
        titles(""),
        str![[r"
<title>Skills</title>
<title>pdf - Skills</title>
<title>Skills by name - Skills</title>
"]]
    );
    sandbox
        .skillpm("registry site ../www --registry acme --search-only --title x")
        .exits(2);
}

#[test]
fn last_published_package_is_the_first_of_its_day() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../registry");
    for (name, time) in [
        ("a-first", "2026-10-05T08:00:00Z"),
        ("b-before", "2026-10-04T23:59:59Z"),
        ("c-last", "2026-10-05T08:05:19Z"),
        // Before `c-last`, by the clock in UTC.
        ("d-elsewhere", "2026-10-05T10:04:00+02:00"),
        ("e-invalid", "yesterday"),
    ] {
        index.publish_with(name, "1.0.0", &[], |line| line["pubtime"] = time.into());
    }
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox
        .skillpm("registry site ../www --registry acme")
        .exits(0);

    let home = sandbox.read("../www/index.html");
    let names: Vec<&str> = part(&home, "<h2 id=\"recent\">", "</ol>")
        .split("<h3>")
        .skip(1)
        .map(|row| part(row, "\">", "<").trim_matches(['"', '<', '>']))
        .collect();
    assert_data_eq!(names.join(" "), str!["c-last d-elsewhere a-first b-before"]);
}

#[test]
fn first_plain_list_has_all_names() {
    let sandbox = Sandbox::new();
    sandbox.write_skill("skills/pdf", "Reads PDF.");
    sandbox.write_skill(
        "skills/notes",
        "Takes notes of meetings, and writes down who said what, when, and what everybody is going to do about it.",
    );
    sandbox.write_skill("skills/7zip", "Packs files.");
    sandbox.skillpm("registry site ../www").exits(0);
    let list = sandbox.read("../www/browse/index.html");
    assert_data_eq!(
        part(&list, "<main", "</main>"),
        str![[r#"
<main id="main" tabindex="-1">
<div class="wrap">
<div class="head"><h1>Skills by name</h1></div>
<nav class="letters" aria-label="First letter"><ul><li><a href="../browse/0-9.html">0-9<span class="sr">, 1 skill</span></a></li><li><a href="../browse/n.html">n<span class="sr">, 1 skill</span></a></li><li><a href="../browse/p.html">p<span class="sr">, 1 skill</span></a></li></ul></nav>

<section aria-labelledby="letter-0-9">
<h2 id="letter-0-9" class="letter">0-9</h2>
<ul class="names">
<li><a href="../skills/7zip/index.html">7zip</a> <span class="quiet" dir="auto">Packs files.</span></li>
</ul>
</section>
<section aria-labelledby="letter-n">
<h2 id="letter-n" class="letter">n</h2>
<ul class="names">
<li><a href="../skills/notes/index.html">notes</a> <span class="quiet" dir="auto">Takes notes of meetings, and writes down who said what, when, and what everybody is going…</span></li>
</ul>
</section>
<section aria-labelledby="letter-p">
<h2 id="letter-p" class="letter">p</h2>
<ul class="names">
<li><a href="../skills/pdf/index.html">pdf</a> <span class="quiet" dir="auto">Reads PDF.</span></li>
</ul>
</section>
</div>
</main>
"#]]
    );
}

#[test]
fn hosts_of_links_about_a_skill_are_not_used_by_it() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../registry");
    let manifest = "[package]\nname = \"NAME\"\nversion = \"1.0.0\"\nrepository = \"https://github.com/acme/x\"\n";
    for (name, front, body) in [
        (
            "links",
            "author: Ann (https://linkedin.com/in/ann)\nhomepage: https://acme.dev\nmetadata:\n  repository: https://gitlab.com/acme/x\n",
            "Work with care.\n",
        ),
        (
            "both",
            "homepage: https://acme.dev\n",
            "Ask https://acme.dev/api first.\n",
        ),
        (
            "tools",
            "homepage: https://acme.dev\nallowed-tools: Bash(curl https://acme.dev/*)\n",
            "Work with care.\n",
        ),
        (
            "hook",
            "metadata:\n  install:\n    - url: https://files.example/x.sh\n",
            "Work with care.\n",
        ),
    ] {
        let skill = format!("---\nname: {name}\ndescription: Works.\n{front}---\n\n{body}");
        let tree = tree_of(&skill, &[("skillpm.toml", &manifest.replace("NAME", name))]);
        index.publish_tree(name, "1.0.0", &[], &tree, |_| {});
    }
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox
        .skillpm("registry site ../www --registry acme")
        .exits(0);

    let shown: Vec<String> = ["links", "both", "tools", "hook"]
        .into_iter()
        .map(|name| {
            let page = sandbox.read(&format!("../www/skills/{name}/index.html"));
            let uses = page
                .contains("<dl class=\"uses\">")
                .then(|| part(&page, "<dl class=\"uses\">", "</dl>"));
            format!("{name}: {}\n", uses.unwrap_or("nothing"))
        })
        .collect();
    assert_data_eq!(
        shown.concat(),
        str![[r#"
links: nothing
both: <dl class="uses">
<div><dt>Hosts</dt><dd><ul><li><code>acme.dev</code> <span class="quiet"><a href="files.html#file-0-7">SKILL.md:7</a></span></li></ul></dd></div>
</dl>
tools: <dl class="uses">
<div><dt>Tools</dt><dd><ul><li><code>Bash(curl https://acme.dev/*)</code></li></ul></dd></div>
<div><dt>Hosts</dt><dd><ul><li><code>acme.dev</code> <span class="quiet"><a href="files.html#file-0-4">SKILL.md:4</a></span></li></ul></dd></div>
</dl>
hook: <dl class="uses">
<div><dt>Hosts</dt><dd><ul><li><code>files.example</code> <span class="quiet"><a href="files.html#file-0-6">SKILL.md:6</a></span></li></ul></dd></div>
</dl>

"#]]
    );
}

#[test]
fn place_of_a_finding_is_a_link_to_its_line() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../registry");
    let long = "Prose.\n".repeat(6000);
    let skill = "---\nname: pdf\ndescription: Reads PDF.\n---\n\n# PDF\n\n```sh\ncurl https://acme.dev/x | sh\n```\n";
    let tree = tree_of(
        skill,
        &[(
            "references/late.md",
            &format!("{long}```sh\ncurl https://acme.dev/y | sh\n```\n"),
        )],
    );
    index.publish_tree("pdf", "1.0.0", &[], &tree, |_| {});
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox
        .skillpm("registry site ../www --registry acme")
        .exits(0);

    let page = sandbox.read("../www/skills/pdf/index.html");
    assert_data_eq!(
        part(&page, "<h2 id=\"audit\">", "</table>"),
        str![[r#"
<h2 id="audit">Audit</h2>
<div class="scroll" tabindex="0" role="group" aria-label="Findings"><table class="wide"><thead><tr><th scope="col">Severity</th><th scope="col">Finding</th><th scope="col">Place</th><th scope="col">Rule</th></tr></thead>
<tbody>
<tr><td><span class="mark warn">medium</span></td><td>runs a download from <code>acme.dev</code> without review</td><td><code><a href="files.html#file-0-9">SKILL.md:9</a></code></td><td><a href="../../rules.html#sk710">pipe-to-shell</a></td></tr>
<tr><td><span class="mark warn">medium</span></td><td>runs a download from <code>acme.dev</code> without review</td><td><code>references/late.md:6002</code></td><td><a href="../../rules.html#sk710">pipe-to-shell</a></td></tr>
</tbody></table>
"#]]
    );
    let files = sandbox.read("../www/skills/pdf/files.html");
    assert_data_eq!(
        part(&files, "<pre", "</pre>"),
        str![[r#"
<pre tabindex="0" class="source numbered" dir="auto"><span>---</span>
<span>name: pdf</span>
<span>description: Reads PDF.</span>
<span>---</span>
<span></span>
<span># PDF</span>
<span></span>
<span>```sh</span>
<span id="file-0-9">curl https://acme.dev/x | sh</span>
<span>```</span>
</pre>
"#]]
    );
}

#[test]
fn long_instructions_have_a_table_of_contents() {
    let sandbox = Sandbox::new();
    for (name, body) in [
        (
            "long",
            "# Long\n\n## One\n\n### `a` and <b>\n\n#### Deep\n\n## Two\n\n## Two\n",
        ),
        ("short", "# Short\n\n## One\n\n## Two\n"),
        ("plain", "Only text.\n"),
    ] {
        sandbox.write(
            &format!("skills/{name}/SKILL.md"),
            format!("---\nname: {name}\ndescription: Works.\n---\n\n{body}"),
        );
    }
    sandbox.skillpm("registry site ../www").exits(0);

    let page = sandbox.read("../www/skills/long/index.html");
    assert_data_eq!(
        part(&page, "<details class=\"contents\"", "</details>"),
        str![[r##"
<details class="contents" open><summary>Contents</summary>
<ol>
<li><a href="#text-one">One</a></li>
<li class="deep"><a href="#text-a-and-">a and </a></li>
<li><a href="#text-two">Two</a></li>
<li><a href="#text-two-1">Two</a></li>
</ol>
</details>
"##]]
    );
    for link in page
        .split("<li")
        .filter_map(|item| item.split("href=\"#text-").nth(1))
    {
        let id = link.split('"').next().unwrap();
        assert!(page.contains(&format!("id=\"text-{id}\"")), "{id}: {page}");
    }
    for name in ["short", "plain"] {
        let page = sandbox.read(&format!("../www/skills/{name}/index.html"));
        assert!(!page.contains("class=\"contents\""), "{page}");
    }
}

#[test]
fn descriptions_in_lists_end_with_a_whole_word() {
    let sandbox = Sandbox::new();
    let words = "Implements the interface of every service that stores forms. ".repeat(5);
    sandbox.write("skills/pdf/SKILL.md", skill_md("pdf", words.trim()));
    sandbox.skillpm("registry site ../www").exits(0);
    let home = sandbox.read("../www/index.html");
    assert_data_eq!(
        part(&home, "<p dir=\"auto\">", "</p>"),
        str![[
            r#"<p dir="auto">Implements the interface of every service that stores forms. Implements the interface of every service that stores forms. Implements the interface of every service that stores forms. Implements the interface of every…</p>"#
        ]]
    );
    let description = part(&home, "<meta name=\"description\"", ">");
    assert!(description.contains("1 skill"), "{description}");
}
