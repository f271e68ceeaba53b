//! Many who publish at once, and some who are killed on the way: each version is there once, and nothing is broken.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::support::{Registry, Run, Sandbox, Server, configure};

/// How many publish at once.
const MANY: usize = 20;

/// Writes the `n`th of many skills, each in a directory of its own: names that nobody could take for one another, or
/// versions of one name.
fn nth(sandbox: &Sandbox, n: usize, one_name: bool) -> String {
    use sha2::Digest;
    let digest = hex::encode(sha2::Sha256::digest(n.to_string()));
    let name = if one_name {
        "one-for-all".to_owned()
    } else {
        format!("s{}", &digest[..10])
    };
    let version = if one_name {
        format!("1.{n}.0")
    } else {
        "1.0.0".to_owned()
    };
    let text = format!(
        "---\nname: {name}\ndescription: Does the work number {n} when somebody asks for it.\nlicense: MIT\n\
         metadata:\n  version: {version}\n---\n\n# It\n\n{}\n",
        "Work with care. ".repeat(n * 20)
    );
    sandbox.write(&format!("{n}/{name}/SKILL.md"), text);
    format!("{name} {version}")
}

fn publish<'s>(sandbox: &'s Sandbox, n: usize, what: &str, own_home: bool) -> Run<'s> {
    let name = what.split(' ').next().unwrap();
    let run = sandbox.skillpm("publish").in_dir(format!("{n}/{name}"));
    if !own_home {
        return run;
    }
    // Machines that know nothing of one another: what one of them holds keeps none of the others waiting.
    let home = format!("home-{n}");
    let run = run.home(&home);
    sandbox.copy("~/.skillpm/config.toml", &config_in(sandbox, &home));
    run
}

fn config_in(sandbox: &Sandbox, home: &str) -> String {
    let dir = sandbox.root().join(home).join(".skillpm");
    std::fs::create_dir_all(&dir).unwrap();
    dir.join("config.toml").to_str().unwrap().to_owned()
}

/// All at once, each from a machine of its own: each lands, once.
fn all_land(sandbox: &Sandbox, registry: &Registry, one_name: bool) {
    let whats: Vec<String> = (0..MANY).map(|n| nth(sandbox, n, one_name)).collect();
    let running: Vec<_> = whats
        .iter()
        .enumerate()
        .map(|(n, what)| publish(sandbox, n, what, true).spawn())
        .collect();
    for run in running {
        run.wait().ended(0);
    }
    let expected: BTreeSet<String> = whats.into_iter().collect();
    assert_eq!(
        registry.versions(),
        expected.into_iter().collect::<Vec<_>>()
    );
}

#[test]
fn twenty_concurrent_publishes_to_one_repository_all_succeed() {
    let sandbox = Sandbox::new();
    let registry = Registry::bare(&sandbox, "index.git");
    registry.configure(&sandbox);
    all_land(&sandbox, &registry, false);
    assert_eq!(
        registry.git(&["rev-list", "--count", "main"]),
        (MANY + 1).to_string()
    );
    registry.git(&["fsck", "--strict"]);
}

#[test]
fn twenty_concurrent_versions_are_twenty_lines() {
    let sandbox = Sandbox::new();
    let registry = Registry::bare(&sandbox, "index.git");
    registry.configure(&sandbox);
    all_land(&sandbox, &registry, true);
    assert_eq!(registry.text("on/e-/one-for-all").lines().count(), MANY);
    assert_eq!(
        registry.text("owners/_.toml"),
        "[packages]\none-for-all = [\"tester@example.org\"]\n"
    );
}

#[test]
fn twenty_concurrent_publishes_over_http_all_succeed() {
    let sandbox = Sandbox::new();
    let registry = Registry::bare(&sandbox, "index.git");
    let server = Server::start(&sandbox);
    configure(&sandbox, &format!("git+{}", server.url("index.git")), "");
    all_land(&sandbox, &registry, false);
    registry.git(&["fsck", "--strict"]);
}

#[test]
fn twenty_concurrent_publishes_to_one_directory_all_succeed() {
    let sandbox = Sandbox::new();
    let registry = Registry::directory(&sandbox, "index");
    registry.configure(&sandbox);
    all_land(&sandbox, &registry, true);
}

/// Twenty at once are killed one after the other, then all run again: each version is there once, and nothing is left.
fn survives_kills(sandbox: &Sandbox, registry: &Registry, between: Duration) {
    let whats: Vec<String> = (0..MANY)
        .map(|n| nth(sandbox, n, n.is_multiple_of(2)))
        .collect();
    let start = |n: usize| publish(sandbox, n, &whats[n], n.is_multiple_of(4)).spawn();
    let running: Vec<_> = (0..MANY).map(start).collect();
    for run in running {
        std::thread::sleep(between);
        run.kill();
        // Whoever looks at any moment finds whole lines only, each with its archive.
        registry.lines();
    }
    let again: Vec<_> = (0..MANY).map(start).collect();
    for run in again {
        run.wait().ended(0);
    }
    let expected: BTreeSet<String> = whats.into_iter().collect();
    assert_eq!(
        registry.versions(),
        expected.into_iter().collect::<Vec<_>>()
    );
    let archives = registry
        .files()
        .iter()
        .filter(|path| path.starts_with("archives/"))
        .count();
    assert_eq!(archives, MANY);
    assert!(
        registry
            .files()
            .iter()
            .all(|path| !path.contains(".skillpm")),
        "{:?}",
        registry.files()
    );
    let scratch = sandbox.tree("~/.skillpm");
    assert!(
        scratch.paths().iter().all(|path| !path.contains(".push-")),
        "litter is left: {scratch:?}"
    );
}

#[test]
fn killed_publishes_leave_a_repository_valid_and_can_be_rerun() {
    let sandbox = Sandbox::new();
    let registry = Registry::bare(&sandbox, "index.git");
    registry.configure(&sandbox);
    survives_kills(&sandbox, &registry, Duration::from_millis(60));
    registry.git(&["fsck", "--strict"]);
}

#[test]
fn killed_publishes_leave_a_directory_valid_and_can_be_rerun() {
    let sandbox = Sandbox::new();
    let registry = Registry::directory(&sandbox, "index");
    registry.configure(&sandbox);
    survives_kills(&sandbox, &registry, Duration::from_millis(15));
}
