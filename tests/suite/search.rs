//! `search`: words, in every registry and tier.

use snapbox::str;
use std::fs;
use std::time::{Duration, SystemTime};

use crate::support::{IndexDir, Repo, Sandbox, Server, closed_port, flip_a_bit};

/// An index with three packages.
fn publish(index: &IndexDir) {
    index
        .publish_with("acme/pdf", "1.0.0", &[], |entry| {
            entry["description"] = "Fills in and reads forms.".into();
        })
        .publish_with("pdf-tables", "0.3.0", &[], |entry| {
            entry["description"] = "Reads tables out of documents.".into();
            entry["keywords"] = ["csv", "documents"].into();
            entry["license"] = "MIT".into();
            entry["pubtime"] = "2026-10-05T08:05:19Z".into();
        })
        .publish_with("invoices", "2.0.0-rc.1", &[], |entry| {
            entry["description"] = "Reads bills in PDF.".into();
        });
}

/// The only table that is kept.
fn table(sandbox: &Sandbox) -> std::path::PathBuf {
    let dir = sandbox.path("~/.skillpm/index/search");
    let mut tables = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let table = tables.next().unwrap();
    assert_eq!(tables.next(), None);
    table
}

#[test]
fn built_in_registry_is_searched_without_network() {
    let sandbox = Sandbox::new();
    sandbox.skillpm("search release notes --registry default --offline").exits(0).stdout(
        "\
writing-release-notes  2.1.0  default  Writes release notes that tell users what they gain, what breaks and ho…
release                1.0.0  default  Takes a software project from \"main is ready\" to a published, verified …
",
    );
    assert!(sandbox.tree(".").is_empty());
}

#[test]
fn registries_and_tiers_are_searched_together() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    publish(&index);
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    index.publish_with("acme/pdf", "1.1.0", &[], |entry| {
        entry["description"] = "Fills in forms.".into();
    });
    sandbox.write_skill("~/.agents/skills/papers", "Keeps papers, above all PDF.");
    sandbox
        .skillpm("search pdf")
        .exits(0)
        .stdout(
            "\
acme/pdf    1.1.0       acme, workspace 1.0.0  Fills in forms.
pdf-tables  0.3.0       acme                   Reads tables out of documents.
invoices    2.0.0-rc.1  acme                   Reads bills in PDF.
papers      -           managed                Keeps papers, above all PDF.
",
        )
        .stderr(
            "       Found 4 packages\n         Add packages of acme: `skillpm add NAME --registry acme`\n",
        );
    sandbox.skillpm("search pdf --installed").exits(0).stdout(
        "\
pdf     1.0.0  workspace  Does acme/pdf.
papers  -      managed    Keeps papers, above all PDF.
",
    );
    sandbox
        .skillpm("search pdf --tier managed")
        .exits(0)
        .stdout("papers  -  managed  Keeps papers, above all PDF.\n");
    sandbox
        .skillpm("search pdf --limit 1")
        .exits(0)
        .stdout("acme/pdf  1.1.0  acme, workspace 1.0.0  Fills in forms.\n")
        .stderr(str![[r"
       Found 4 packages, showing the first 1; pass `--limit 4` to show all
         Add packages of acme: `skillpm add NAME --registry acme`

"]]);
}

#[test]
fn json_is_one_object_per_package_and_a_summary() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    publish(&index);
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox.skillpm("search tables csv --format json").exits(0).stderr("").stdout(
        r#"{"type":"package","name":"pdf-tables","version":"0.3.0","description":"Reads tables out of documents.","keywords":["csv","documents"],"license":"MIT","published":"[TIME]","registry":"acme","index":"file://[ROOT]/www/index","installed":[]}
{"type":"summary","found":1,"shown":1,"partial":false,"corrections":[],"near":[],"registries":["default","acme"]}
"#,
    );
    sandbox.skillpm("search qqqqq --format json").exits(1).stdout(
        r#"{"type":"summary","found":0,"shown":0,"partial":false,"corrections":[{"typed":"qqqqq","meant":[]}],"near":[],"registries":["default","acme"]}
"#,
    );
}

#[test]
fn misspelled_query_finds_the_package() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("search chnagelog --registry default --limit 1")
        .exits(0)
        .stderr(
            "\
warning: no package matches `chnagelog`; showing results for `changelog`
       Found 2 packages, showing the first 1; pass `--limit 2` to show all
",
        );
    sandbox
        .skillpm("search wrtngnotes --registry default")
        .exits(1)
        .stdout("")
        .stderr("error: no package matching `wrtngnotes` found in registry `default`\nhelp: did you mean `writing-release-notes`?\n");
    sandbox
        .skillpm("search qqqqq")
        .exits(1)
        .explains(["no package matching `qqqqq` found in 1 registry and installed skills"]);
    sandbox
        .skillpm("search '?!'")
        .exits(2)
        .explains(["missing search words"]);
    sandbox
        .skillpm("search pdf --registry acme")
        .exits(2)
        .explains(["unknown registry `acme`"]);
}

#[test]
fn newly_published_package_is_found() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    publish(&index);
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox
        .skillpm("search spreadsheets --registry acme")
        .exits(1);
    index.publish("spreadsheets", "1.0.0", &[]);
    sandbox
        .skillpm("search spreadsheets --registry acme")
        .exits(0)
        .stdout("spreadsheets  1.0.0  acme  Does spreadsheets.\n");
    index
        .publish("spreadsheets", "1.1.0", &[])
        .yank("acme/pdf", "1.0.0");
    sandbox
        .skillpm("search spreadsheets --registry acme")
        .exits(0)
        .stdout("spreadsheets  1.1.0  acme  Does spreadsheets.\n");
    sandbox.skillpm("search forms --registry acme").exits(1);
    sandbox.delete("../www/index/sp");
    sandbox
        .skillpm("search spreadsheets --registry acme")
        .exits(1);
}

#[test]
fn damaged_search_table_is_rebuilt() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    publish(&index);
    IndexDir::configure(&sandbox, "acme", &index.url());
    let found = sandbox
        .skillpm("search pdf --registry acme")
        .exits(0)
        .stdout_text()
        .to_owned();
    for _ in 0..2 {
        flip_a_bit(&table(&sandbox));
        let again = sandbox.skillpm("search pdf --registry acme").exits(0);
        assert_eq!(again.stdout_text(), found);
    }
    fs::write(table(&sandbox), "").unwrap();
    assert_eq!(
        sandbox
            .skillpm("search pdf --registry acme")
            .exits(0)
            .stdout_text(),
        found
    );
}

#[test]
fn git_registry_is_queried_once_and_then_on_request() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "index");
    let index = IndexDir::new(&sandbox, "../repos/index");
    publish(&index);
    repo.commit("three packages");
    let server = Server::start(&sandbox);
    IndexDir::configure(&sandbox, "acme", &format!("git+{}", server.url("index")));
    let ours = "pdf-tables  0.3.0  acme  Reads tables out of documents.\n";
    sandbox
        .skillpm("search tables --registry acme")
        .exits(0)
        .stdout(ours);
    index.publish_with("tables", "1.0.0", &[], |entry| {
        entry["description"] = "Lays tables.".into();
    });
    repo.commit("one more");
    server.forget();
    sandbox
        .skillpm("search tables --registry acme")
        .exits(0)
        .stdout(ours)
        .stderr("       Found 1 package\n");
    sandbox
        .skillpm("search tables --registry acme --offline")
        .exits(0)
        .stdout(ours);
    assert_eq!(server.requests().len(), 0, "{:?}", server.requests());
    let long_ago = SystemTime::now() - Duration::from_hours(9 * 24 + 1);
    fs::File::options()
        .write(true)
        .open(table(&sandbox))
        .unwrap()
        .set_modified(long_ago)
        .unwrap();
    sandbox
        .skillpm("search tables --registry acme")
        .exits(0)
        .stdout(ours)
        .stderr(
            "\
warning: data of registry `acme` is 9 days old
help: pass `--refresh` to fetch its current data
       Found 1 package
",
        );
    let both = format!("tables      1.0.0  acme  Lays tables.\n{ours}");
    sandbox
        .skillpm("search tables --registry acme --refresh")
        .exits(0)
        .stdout(&both);
    server.forget();
    sandbox
        .skillpm("search tables --registry acme")
        .exits(0)
        .stdout(&both)
        .stderr("       Found 2 packages\n");
    assert_eq!(server.requests().len(), 0, "{:?}", server.requests());
    // What is at hand is shown all the same, and the failure not hidden.
    drop(server);
    let outcome = sandbox.skillpm("search tables --refresh").exits(4);
    outcome
        .stdout(&both)
        .explains(["failed to search registry `acme`"]);
}

#[test]
fn static_registry_is_searched_by_its_published_list() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    index.write(
        "search.jsonl",
        "{\"name\":\"acme/pdf\",\"vers\":\"1.0.0\",\"description\":\"Fills in forms.\",\"keywords\":[\"paper\"],\"later\":1}\n\
         not a package\n\
         {\"name\":\"../evil\",\"vers\":\"1.0.0\"}\n",
    );
    let server = Server::start(&sandbox);
    IndexDir::configure(
        &sandbox,
        "acme",
        &format!("sparse+{}/", server.url("index")),
    );
    let found = "acme/pdf  1.0.0  acme  Fills in forms.\n";
    sandbox
        .skillpm("search paper --registry acme")
        .exits(0)
        .stdout(found)
        .stderr_has("ignoring 2 invalid lines of `search.jsonl`");
    server.forget();
    sandbox
        .skillpm("search paper --registry acme")
        .exits(0)
        .stdout(found)
        .stderr("       Found 1 package\n");
    assert_eq!(server.requests().len(), 0, "{:?}", server.requests());
    sandbox
        .skillpm("search paper --registry acme --refresh")
        .exits(0)
        .stdout(found);
    let asked = server.requests();
    assert!(
        asked
            .iter()
            .any(|request| request.line.contains("search.jsonl") && request.status == 304),
        "{asked:?}"
    );
    index.write(
        "search.jsonl",
        "{\"name\":\"acme/pdf\",\"vers\":\"1.1.0\",\"description\":\"Paper.\"}\n",
    );
    sandbox
        .skillpm("search paper --registry acme --refresh")
        .exits(0)
        .stdout("acme/pdf  1.1.0  acme  Paper.\n");
    let packed = skillpm_gzip(
        "{\"name\":\"acme/pdf\",\"vers\":\"1.2.0\",\"description\":\"Packed paper.\"}\n",
    );
    index.write("search.jsonl.gz", packed);
    sandbox
        .skillpm("search paper --registry acme --refresh")
        .exits(0)
        .stdout("acme/pdf  1.2.0  acme  Packed paper.\n");
}

fn skillpm_gzip(text: &str) -> Vec<u8> {
    use std::io::Write;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

#[test]
fn static_registry_without_a_list_is_searched_in_the_cache() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    publish(&index);
    let server = Server::start(&sandbox);
    IndexDir::configure(
        &sandbox,
        "acme",
        &format!("sparse+{}/", server.url("index")),
    );
    sandbox.skillpm("search forms --registry acme").exits(1).stderr_has(
        "registry `acme` has no search list: only the 0 packages that were fetched before are searched",
    );
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    sandbox
        .skillpm("search forms --registry acme --offline")
        .exits(0)
        .stdout("acme/pdf  1.0.0  acme, workspace  Fills in and reads forms.\n");
}

#[test]
fn unreachable_registry_fails_after_other_results_are_shown() {
    let sandbox = Sandbox::project_here();
    IndexDir::configure(
        &sandbox,
        "far",
        &format!("sparse+http://{}/index/", closed_port()),
    );
    let outcome = sandbox.skillpm("search changelog --limit 1").exits(4);
    outcome
        .stdout_has("changelog  1.1.0")
        .explains(["failed to search registry `far`"]);
    // Without the network, what is at hand is what was asked for.
    let outcome = sandbox
        .skillpm("search changelog --limit 1 --offline")
        .exits(0);
    outcome
        .stdout_has("changelog  1.1.0")
        .stderr_has("warning: failed to search registry `far`");
    sandbox
        .skillpm("search changelog --registry far")
        .exits(4)
        .explains([]);
}

#[test]
fn untrusted_text_is_escaped() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    index.publish_with("odd", "1.0.0", &[], |entry| {
        entry["description"] = "One\u{1b}[31m line\r\nnot  two \u{202e}drawkcab\u{7}.".into();
        entry["license"] = "MIT\u{1b}]0;x\u{7}".into();
    });
    index.publish_with("other", "1.0.0", &[], |entry| {
        entry["name"] = "odd\u{1b}[2J".into();
    });
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox.write(
        "~/.agents/skills/mine/SKILL.md",
        "---\nname: mine\ndescription: An odd one.\nversion: \"1\\e[31m\\n2\"\n---\n",
    );
    let registry = sandbox.skillpm("search odd --registry acme").exits(0);
    // Not by `stdout`, which takes a backslash for the slash of a path.
    let escaped = "odd  1.0.0  acme  One\\u{1b}[31m line not two \\u{202e}drawkcab\\u{7}.\n";
    assert_eq!(registry.stdout_text(), escaped);
    let installed = sandbox.skillpm("search odd --tier managed").exits(0);
    assert_eq!(
        installed.stdout_text(),
        "mine  1\\u{1b}[31m 2  managed  An odd one.\n"
    );
    sandbox
        .skillpm("search odd")
        .exits(0)
        .never_prints("\u{1b}")
        .never_prints("\u{202e}");
    sandbox
        .skillpm("info odd --registry acme")
        .exits(0)
        .never_prints("\u{1b}")
        .never_prints("\u{202e}")
        .never_prints("\u{7}");
    sandbox
        .skillpm("search '\u{1b}[31mzzzz'")
        .exits(1)
        .never_prints("\u{1b}");
}

#[test]
fn package_of_another_registry_is_added_from_there() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    publish(&index);
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox
        .skillpm("search tables")
        .exits(0)
        .stderr_has("packages of acme: `skillpm add NAME --registry acme`");
    sandbox
        .skillpm("search release")
        .exits(0)
        .never_prints("--registry");

    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("add pdf-tables")
        .exits(1)
        .stderr(snapbox::str![[r"
error: no matching package named `pdf-tables` found in the default registry, `embedded:default`
help: registry `acme` has it: run `skillpm add pdf-tables --registry acme`

"]]);
    snapshot.still_holds();
    sandbox.skillpm("add pdf-tables --registry acme").exits(0);
    // Where a registry is named, no other one learns the name.
    sandbox
        .skillpm("add release --registry acme")
        .exits(1)
        .explains(["`skillpm search WORD` searches all registries"]);
    sandbox.skillpm("add release --registry default").exits(0);
}

#[cfg(unix)]
#[test]
fn interactive_search_adds_from_the_registry_that_has_the_package() {
    if !crate::prompts::has_terminal() {
        return;
    }
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    publish(&index);
    IndexDir::configure(&sandbox, "acme", &index.url());
    let added = sandbox.skillpm("add").answers_on_terminal(&[
        ("Search for a skill:", "tables"),
        ("> pdf-tables ", "\r"),
        ("Add pdf-tables?", "\r"),
    ]);
    added.ended(0).stdout_has("0.3.0 (acme)");
    assert!(sandbox.read("skillpm.toml").contains("registry = \"acme\""));
}
