//! The search index of a large registry: a few static files for each search, kept current by publishers.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};
use skillpm::index::entry_path;

use crate::support::{Fault, IndexDir, Sandbox, Server, package};

const VERBS: [&str; 6] = ["convert", "merge", "review", "draft", "sort", "translate"];
const NOUNS: [&str; 5] = ["pdf", "report", "table", "mail", "contract"];

/// The number of packages, some of which are in shards and all in files of rows.
const PACKAGES: usize = 2400;

/// A registry `acme` of static files with a search index, and `local`, the same in a directory without one.
fn large_registry(sandbox: &Sandbox) -> (IndexDir, Server) {
    let index = IndexDir::new(sandbox, "../www/index");
    for number in 0..PACKAGES {
        let (verb, noun) = (VERBS[number % 6], NOUNS[number / 6 % 5]);
        let name = format!("{verb}-{noun}-{number}");
        let entry = json!({
            "name": name,
            "vers": "1.0.0",
            "deps": [],
            "cksum": format!("skill-tree-v1:{number:064x}"),
            "archive": format!("sha256:{number:064x}"),
            "yanked": false,
            "description": format!("{verb} the {noun} of kind {}. Use when there is one to be read.", number % 97),
            "keywords": [noun],
            "v": 1,
        });
        index.write(&entry_path(&name.parse().unwrap()), format!("{entry}\n"));
    }
    IndexDir::configure(sandbox, "local", &index.url());
    write_search_index(sandbox, &index);
    let server = Server::start(sandbox);
    let url = format!("sparse+{}/", server.url("index"));
    IndexDir::configure(sandbox, "acme", &url);
    (index, server)
}

/// Writes the search index as an owner of the index does.
fn write_search_index(sandbox: &Sandbox, index: &IndexDir) {
    sandbox
        .skillpm("registry site ../out --registry local --search-only")
        .exits(0)
        .stderr_has("Wrote the search index of 24");
    let written = sandbox.path("../out/search.d");
    let place = index.dir().join("search.d");
    let _ = fs::remove_dir_all(&place);
    fs::rename(written, place).unwrap();
    fs::remove_dir_all(sandbox.path("../out")).unwrap();
    index.config(&json!({
        "api-version": 1, "dl": "archives/{name}-{version}.tar.gz", "search": true,
    }));
}

/// The names that a search finds, the best first, and how many packages there are.
fn search(sandbox: &Sandbox, registry: &str, words: &str) -> (Vec<String>, u64) {
    let line = format!("search {words} --registry {registry} --limit 20 --format json");
    let lines = sandbox
        .skillpm(line)
        .exits_one_of([0, 1])
        .stdout_json_lines();
    let text = |line: &Value| line["name"].as_str().map(str::to_owned);
    let found = lines.last().unwrap()["found"].as_u64().unwrap();
    (lines.iter().filter_map(text).collect(), found)
}

#[test]
fn search_of_a_large_registry_reads_a_few_small_files() {
    let sandbox = Sandbox::project_here();
    let (_index, server) = large_registry(&sandbox);
    for words in [
        "pdf",
        "merge pdf",
        "trans",
        "contracts review",
        "convert-mail-1",
        "kind 17",
    ] {
        sandbox.delete("~/.skillpm/index");
        server.forget();
        let found = search(&sandbox, "acme", words);
        let requests = server.requests();
        assert!(requests.len() <= 6, "{words}: {requests:?}");
        assert!(server.bytes() <= 100_000, "{words}: {}", server.bytes());
        assert!(found.1 > 0);
        assert_eq!(found, search(&sandbox, "local", words), "{words}");
    }

    // The same again: nothing is sent twice.
    server.forget();
    sandbox.skillpm("search kind 17 --registry acme").exits(0);
    assert_eq!(server.bytes(), 0, "{:?}", server.requests());
    // Without the network, by what was fetched before.
    server.forget();
    sandbox
        .skillpm("search kind 17 --registry acme --offline")
        .exits(0)
        .stdout_has("kind 17");
    assert_eq!(server.requests().len(), 0);
    let outcome = sandbox
        .skillpm("search mail --registry acme --offline")
        .exits(4);
    outcome.explains(["it is not cached, and the network is off"]);
}

#[test]
fn misspelled_word_is_corrected_by_its_shard() {
    let sandbox = Sandbox::project_here();
    let (_index, server) = large_registry(&sandbox);
    server.forget();
    sandbox
        .skillpm("search contarct --registry acme --limit 1")
        .exits(0)
        .stderr_has("showing results for `contract`")
        .stdout_has("contract");
    assert!(server.requests().len() <= 6, "{:?}", server.requests());
}

#[test]
fn damaged_search_index_is_one_clear_error() {
    let sandbox = Sandbox::project_here();
    let (index, server) = large_registry(&sandbox);
    let query = "search merge --registry acme";

    server.fault("/word-", Fault::Flip);
    let outcome = sandbox.skillpm(query).exits(3);
    outcome.explains(["invalid file `search.d/"]).stdout("");
    // The next search asks again.
    server.heal();
    sandbox.skillpm(query).exits(0);

    // A cache that has the files of another state.
    let dir = index.dir().join("search.d");
    let before = base_of(&dir);
    fs::rename(dir.join(&before), sandbox.path("../stale")).unwrap();
    index.publish("merge-new", "1.0.0", &[]);
    write_search_index(&sandbox, &index);
    let after = base_of(&dir);
    assert_ne!(before, after);
    fs::rename(dir.join(&after), sandbox.path("../current")).unwrap();
    fs::rename(sandbox.path("../stale"), dir.join(&after)).unwrap();
    let outcome = sandbox.skillpm(query).exits(3);
    outcome
        .explains([&*format!("of base `{before}`")])
        .stdout("");
    fs::remove_dir_all(dir.join(&after)).unwrap();
    fs::rename(sandbox.path("../current"), dir.join(&after)).unwrap();
    sandbox.skillpm(query).exits(0).stdout_has("merge-new");

    fs::remove_dir_all(dir.join(&after)).unwrap();
    let outcome = sandbox.skillpm("search draft --registry acme").exits(3);
    outcome.explains(["of the search index not found"]);

    // Without its head there is no search index, and the list of all packages is used.
    fs::remove_file(dir.join("head.json.gz")).unwrap();
    index.write(
        "search.jsonl",
        "{\"name\":\"acme/listed\",\"vers\":\"1.0.0\",\"description\":\"Drafts.\"}\n",
    );
    sandbox
        .skillpm("search drafts --registry acme")
        .exits(0)
        .stdout("acme/listed  1.0.0  acme  Drafts.\n")
        .stderr_has("`search.d/head.json.gz` not found");
}

/// The only base of a search index.
fn base_of(dir: &std::path::Path) -> String {
    let names = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let mut bases = names
        .map(|name| name.into_string().unwrap())
        .filter(|name| name != "head.json.gz");
    let base = bases.next().unwrap();
    assert_eq!(bases.next(), None);
    base
}

#[test]
fn search_index_of_a_newer_format_is_refused() {
    let sandbox = Sandbox::project_here();
    let (index, _server) = large_registry(&sandbox);
    index.write("search.d/head.json.gz", "{\"v\":2,\"base\":[]}");
    let outcome = sandbox.skillpm("search draft --registry acme").exits(3);
    outcome.explains(["unsupported version 2 of the search index"]);
}

#[test]
fn published_and_yanked_packages_are_found_at_once() {
    let sandbox = Sandbox::project_here();
    let (_index, _server) = large_registry(&sandbox);
    package(&sandbox, "zebra", "1.0.0");
    sandbox.skillpm("publish zebra --registry local").exits(0);
    assert_eq!(search(&sandbox, "acme", "zebra").0, ["zebra"]);
    sandbox
        .skillpm("yank zebra@1.0.0 --registry local")
        .exits(0);
    assert_eq!(search(&sandbox, "acme", "zebra").0, [""; 0]);
    // The files of the base are the same, and only what is in the head is new.
    sandbox
        .skillpm("registry check ../www/index")
        .exits(1)
        .never_prints("search.d");
}

#[test]
fn many_changes_since_the_search_index_was_written_are_reported() {
    let sandbox = Sandbox::project_here();
    let (index, _server) = large_registry(&sandbox);
    let mut recent = String::new();
    for number in 0..1000 {
        write!(recent, ",{{\"removed\":\"gone-{number}\"}}").unwrap();
    }
    let head = format!(
        "{{\"v\":1,\"base\":\"0123456789abcdef\",\"packages\":1,\"text\":9,\"block\":9,\"leaves\":[],\"words\":[],\"later\":1,\"recent\":[{}]}}",
        &recent[1..]
    );
    index.write("search.d/head.json.gz", head);
    package(&sandbox, "zebra", "1.0.0");
    sandbox
        .skillpm("publish zebra --registry local")
        .exits(0)
        .stderr_has("the search index has 1001 packages that changed since it was written");

    // It is published all the same where that is not possible.
    index.write("search.d/head.json.gz", "no head");
    package(&sandbox, "zebra", "2.0.0");
    sandbox
        .skillpm("publish zebra --registry local")
        .exits(0)
        .stderr_has("failed to update the search index, but the change is published");
}
