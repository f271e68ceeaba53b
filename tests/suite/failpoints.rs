//! Before each change of the disk that a command makes is a failpoint (`crates/io/src/disk/failpoint.rs`): the command is killed
//! there, or the disk fails. At each failpoint in turn, the files are old or new and never a mixture, no temporary file is left,
//! and the same command works when it is run again.

use std::any::Any;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::support::{
    IS_PORTABLE, IndexDir, Listing, Outcome, Registry, Repo, Sandbox, Server, package,
    report_count, skill_md,
};

/// More changes than any command here makes.
const MOST: usize = 400;

/// Whether there is time for everything: `.ci/run nightly`.
fn is_night() -> bool {
    std::env::var_os("SKILLPM_NIGHTLY").is_some()
}

/// How far apart the failpoints are at which the disk fails or something panics; kills are at every one.
fn stride() -> usize {
    if is_night() { 1 } else { 13 }
}

/// A command that is about to be run, in a world that can be had again as it is now.
struct Scene {
    sandbox: Sandbox,
    line: String,
    registry: Option<Registry>,
    /// What has to be there meanwhile: servers, say.
    _held: Box<dyn Any>,
}

/// What of a world can be told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sight {
    /// The project's files, without skillpm's own notes.
    project: Listing,
    /// The files of the index.
    index: Vec<(String, Vec<u8>)>,
}

impl Scene {
    /// Keeps the world as it is now.
    fn about_to(line: &str, sandbox: Sandbox, held: impl Any, registry: Option<Registry>) -> Scene {
        for (place, kept) in PARTS {
            std::fs::create_dir_all(sandbox.path(place)).unwrap();
            sandbox.copy(place, kept);
        }
        Scene {
            sandbox,
            line: line.to_owned(),
            registry,
            _held: Box::new(held),
        }
    }

    /// Has the world again as it was kept.
    fn rewind(&self) {
        for (place, kept) in PARTS {
            for entry in std::fs::read_dir(self.sandbox.path(place)).unwrap() {
                let name = entry.unwrap().file_name();
                self.sandbox
                    .delete(&format!("{place}/{}", name.to_str().unwrap()));
            }
            self.sandbox.copy(kept, place);
        }
    }

    fn look(&self) -> Sight {
        let project = self
            .sandbox
            .tree(".")
            .without(|path| path.starts_with(".skillpm"));
        // A commit has its time in it, so a repository is looked at by what is in it.
        let of_index = |registry: &Registry| {
            let paths = registry
                .files()
                .into_iter()
                .filter(|path| !path.contains("/.skillpm-stage-"));
            paths
                .map(|path| (path.clone(), timeless(&registry.bytes(&path))))
                .collect()
        };
        Sight {
            project,
            index: self.registry.as_ref().map(of_index).unwrap_or_default(),
        }
    }

    /// Runs the command, with this done to it at the `n`th change.
    fn run(&self, what: &str, n: usize) -> Outcome {
        self.sandbox
            .skillpm(&self.line)
            .env("SKILLPM_FAILPOINT", format!("{what}@{n}"))
            .spawn()
            .wait()
    }

    /// What no command may leave behind, wherever it is.
    fn litter(&self) -> Vec<String> {
        let is_litter = |path: &str| {
            let on_its_way = [
                ".stage-",
                ".gone-",
                ".skillpm-stage",
                ".push-",
                "/.tmp",
                ".skillpm/stage",
                "journal.json",
            ];
            on_its_way.iter().any(|part| path.contains(part))
        };
        let of = |dir: &str| -> Vec<String> {
            let tree = self.sandbox.tree(dir);
            tree.paths()
                .into_iter()
                .filter(|path| is_litter(path))
                .map(|path| format!("{dir}/{path}"))
                .collect()
        };
        let tmp = self
            .sandbox
            .tree("../tmp")
            .paths()
            .iter()
            .map(|path| format!("tmp/{path}"))
            .collect();
        [of("."), of("~/.skillpm"), of("../www"), tmp].concat()
    }

    /// Each thing by itself is the old one or the new one.
    #[track_caller]
    fn is_nowhere_between(&self, now: &Sight, (old, new): (&Sight, &Sight), when: &str) {
        for thing in [
            "skillpm.toml",
            "skillpm.lock",
            ".agents/skills/a/",
            ".agents/skills/b/",
            "vendor/a/",
            "vendor/b/",
            "patches/",
        ] {
            let part = |sight: &Sight| {
                sight
                    .project
                    .clone()
                    .without(|path| !path.starts_with(thing))
            };
            let (was, is, becomes) = (part(old), part(now), part(new));
            // Between the renames of an exchange, a directory is missing; the next command restores it.
            let is_exchanged = IS_PORTABLE && thing.ends_with('/') && is.is_empty();
            assert!(
                is == was || is == becomes || is_exchanged,
                "{when}, `{thing}` is between:{is:?}\nold:{was:?}\nnew:{becomes:?}"
            );
        }
        if let Some(registry) = &self.registry {
            registry.lines();
        }
    }
}

/// The parts of a world that a command may change, and where they are kept.
const PARTS: [(&str, &str); 4] = [
    (".", "../kept/project"),
    ("~/.skillpm", "../kept/home"),
    ("../www", "../kept/www"),
    ("../repos", "../kept/repos"),
];

/// The bytes of a file of an index without the time at which its lines were made.
fn timeless(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let time = regex::Regex::new("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z|\"time\":[0-9]+").unwrap();
    time.replace_all(&text, "[TIME]").into_owned().into_bytes()
}

/// Kills the command before each change that it makes.
fn survives_every_kill(scene: &Scene) {
    let old = scene.look();
    scene.sandbox.skillpm(&scene.line).exits(0);
    let new = scene.look();
    for n in 1..MOST {
        scene.rewind();
        let outcome = scene.run("kill", n);
        if outcome.code() == Some(0) {
            assert!(n > 5, "`{}` made {n} changes only", scene.line);
            report_count(&format!("`{}`: killed at {} failpoints", scene.line, n - 1));
            return;
        }
        let when = format!("`{}` was killed before change {n}", scene.line);
        assert!(outcome.was_killed(), "{when}: {:?}", outcome.code());
        scene.is_nowhere_between(&scene.look(), (&old, &new), &when);
        // This takes the project, and so puts right what was left there, and does no more.
        scene
            .sandbox
            .skillpm("undo --dry-run")
            .exits_one_of([0, 1, 2]);
        let now = scene.look();
        assert!(
            now.project == old.project || now.project == new.project,
            "{when}:{now:?}\nold:{old:?}\nnew:{new:?}"
        );
        finishes(scene, (&old, &new), &when);
        if n % 4 == 0 || is_night() {
            scene.sandbox.skillpm("cache verify").exits(0);
        }
    }
    panic!("`{}` makes {MOST} changes or more", scene.line);
}

/// How often a command is to be killed at random times, and how often that is tried: one that is done before it is killed
/// does not count. The twelve commands together are to be killed a thousand times.
fn random_kills() -> (u32, u32) {
    if is_night() { (90, 500) } else { (3, 3) }
}

/// Kills the command and all that it started, from outside, at times that are spread over its whole span.
#[cfg(unix)]
fn survives_kills_at_any_time(scene: &Scene) {
    let (wanted, most) = random_kills();
    let old = scene.look();
    let mut spans: Vec<Duration> = Vec::new();
    for _ in 0..5 {
        scene.rewind();
        let start = Instant::now();
        scene.sandbox.skillpm(&scene.line).exits(0);
        spans.push(start.elapsed());
    }
    spans.sort_unstable();
    let span = spans[spans.len() / 2];
    let new = scene.look();
    let (mut tried, mut killed, mut was_old, mut was_new) = (0, 0, 0, 0);
    while killed < wanted && tried < most {
        scene.rewind();
        let part = tried % wanted;
        let running = scene.sandbox.skillpm(&scene.line).spawn_in_group();
        std::thread::sleep(span * part / wanted);
        tried += 1;
        killed += u32::from(running.kill_group());
        let when = format!(
            "`{}` was killed after {part}/{wanted} of {span:?}",
            scene.line
        );
        let now = scene.look();
        (was_old, was_new) = (
            was_old + u32::from(now == old),
            was_new + u32::from(now == new),
        );
        scene.is_nowhere_between(&now, (&old, &new), &when);
        scene
            .sandbox
            .skillpm("undo --dry-run")
            .exits_one_of([0, 1, 2]);
        let now = scene.look();
        assert!(
            now.project == old.project || now.project == new.project,
            "{when}:{now:?}\nold:{old:?}\nnew:{new:?}"
        );
        finishes(scene, (&old, &new), &when);
        scene.sandbox.skillpm("cache verify").exits(0);
    }
    let line = scene.line.split(' ').next().unwrap();
    report_count(&format!(
        "`{line}`: {killed} of {tried} killed in {span:?}; {was_old} old, {was_new} new, 0 between, 0 litter"
    ));
    assert!(
        killed == wanted || !is_night(),
        "`{line}` was killed {killed} times only"
    );
}

/// The same command again works, and leaves what an undisturbed one leaves.
#[track_caller]
fn finishes(scene: &Scene, (old, new): (&Sight, &Sight), when: &str) {
    let again = scene.sandbox.skillpm(&scene.line).spawn().wait();
    // What had been done already, and cannot be done twice, is refused for that.
    let is_done = scene.look() == *new;
    assert!(
        again.code() == Some(0) || is_done && is_once(&scene.line),
        "{when}: {}",
        again.stderr_text()
    );
    // A second `undo` would undo another command; here there is none, so it stops.
    assert!(
        is_done,
        "{when}:{:?}\nnew:{new:?}\nold:{old:?}",
        scene.look()
    );
    let litter = scene.litter();
    if !litter.is_empty() {
        // What was on its way into the store is cleared by the next command that opens it, which this one need not do.
        assert!(
            litter
                .iter()
                .all(|path| path.starts_with("~/.skillpm/store/.stage-")),
            "{when}: {litter:?}"
        );
        scene.sandbox.skillpm("cache verify").exits(0);
        assert_eq!(scene.litter(), Vec::<String>::new(), "{when}");
    }
}

/// Whether a command that is done says no when it is run again.
fn is_once(line: &str) -> bool {
    ["remove", "undo", "patch"]
        .iter()
        .any(|command| line.starts_with(command))
}

/// Fails the disk for the command at each change that it makes: it says so, and has done nothing; or it could do without.
fn survives_every_failure(scene: &Scene, what: &str) {
    let old = scene.look();
    scene.sandbox.skillpm(&scene.line).exits(0);
    let new = scene.look();
    let mut codes = BTreeSet::new();
    let (mut unharmed, mut tried) = (0, 0);
    for n in (1..MOST).step_by(stride()) {
        tried += 1;
        scene.rewind();
        let outcome = scene.run(what, n);
        let when = format!("`{}` with {what}@{n}", scene.line);
        let now = scene.look();
        if outcome.code() == Some(0) {
            assert!(now == new, "{when}:{now:?}");
            unharmed += stride();
            // After the last change nothing can fail any more, and few failures on the way are forgiven.
            if unharmed >= 12 && n > 12 {
                assert!(codes.is_subset(&BTreeSet::from([6])), "{when}: {codes:?}");
                report_count(&format!("`{}`: {what} at {tried} failpoints", scene.line));
                return;
            }
            continue;
        }
        unharmed = 0;
        codes.extend(outcome.code());
        outcome.explains([]);
        scene.is_nowhere_between(&now, (&old, &new), &when);
        let whole = now.project == old.project || now.project == new.project;
        assert!(
            whole,
            "{when}:{now:?}\nold:{old:?}\n{}",
            outcome.stderr_text()
        );
        finishes(scene, (&old, &new), &when);
    }
    panic!("`{}` makes {MOST} changes or more", scene.line);
}

/// Panics at each change: what a transaction had done is taken back while it unwinds.
fn survives_every_panic(scene: &Scene) {
    let old = scene.look();
    scene.sandbox.skillpm(&scene.line).exits(0);
    let new = scene.look();
    for (tried, n) in (1..MOST).step_by(stride()).enumerate() {
        scene.rewind();
        let outcome = scene.run("panic", n);
        if outcome.code() == Some(0) {
            report_count(&format!("`{}`: panicked at {tried} failpoints", scene.line));
            return;
        }
        let when = format!("`{}` panicked before change {n}", scene.line);
        assert_eq!(outcome.code(), Some(6), "{when}");
        let now = scene.look();
        assert!(
            now.project == old.project || now.project == new.project,
            "{when}:{now:?}"
        );
    }
    panic!("`{}` makes {MOST} changes or more", scene.line);
}

/// Puts a link to somebody else's directory in the place of one of the project's.
#[cfg(target_os = "linux")]
fn plant(sandbox: &Sandbox, dir: &str) {
    let place = sandbox.path(dir);
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    if place.symlink_metadata().is_ok() {
        // With the same names in it, so that whatever follows the link finds what it looks for.
        sandbox.copy(dir, "../elsewhere");
        std::fs::rename(&place, place.with_file_name("moved")).unwrap();
    }
    std::os::unix::fs::symlink(sandbox.path("../elsewhere"), place).unwrap();
}

/// Stops the command before each change that it makes, plants a link, and lets it go on: nothing changes behind the link.
#[cfg(target_os = "linux")]
fn follows_no_link(scene: &Scene, dir: &str) {
    // By path, the moment between a check and a change remains.
    if dir.starts_with(".skillpm") && !crate::support::has_unix("directories are kept open") {
        return;
    }
    let sandbox = &scene.sandbox;
    let mut refused = 0;
    for n in 1..MOST {
        scene.rewind();
        let _ = std::fs::remove_dir_all(sandbox.path("../elsewhere"));
        sandbox.write(
            "../elsewhere/a/SKILL.md",
            skill_md("a", "Is somebody else's."),
        );
        sandbox.write("../elsewhere/mine.txt", "mine\n");
        let mut running = sandbox
            .skillpm(&scene.line)
            .env("SKILLPM_FAILPOINT", format!("stop@{n}"))
            .spawn();
        if !running.stopped() {
            running.wait().ended(0);
            assert!(
                refused > 5,
                "`{}` was refused {refused} times only",
                scene.line
            );
            report_count(&format!(
                "`{}`: a link planted at `{dir}` at {} failpoints, refused at {refused}",
                scene.line,
                n - 1
            ));
            return;
        }
        plant(sandbox, dir);
        let theirs = sandbox.tree("../elsewhere");
        running.go_on();
        let outcome = running.wait();
        let when = format!(
            "`{}`, a link planted at `{dir}` before change {n}",
            scene.line
        );
        assert_eq!(
            sandbox.tree("../elsewhere"),
            theirs,
            "{when}: {}",
            outcome.stderr_text()
        );
        assert!(
            // 6: the stage that it would remove is a link by then.
            matches!(outcome.code(), Some(0 | 1 | 3 | 6)),
            "{when}: {:?} {}",
            outcome.code(),
            outcome.stderr_text()
        );
        refused += usize::from(outcome.code() != Some(0));
    }
    panic!("`{}` makes {MOST} changes or more", scene.line);
}

/// The directories that a link is planted at: that of the skills, that of skillpm's own files, and, for one command, those in
/// it.
#[cfg(target_os = "linux")]
const PLANTED: [&str; 4] = [
    ".agents/skills",
    ".skillpm",
    ".skillpm/stage",
    ".skillpm/undo",
];

#[cfg(target_os = "linux")]
#[test]
fn link_planted_during_an_update_is_not_followed() {
    let scene = update();
    PLANTED.iter().for_each(|dir| follows_no_link(&scene, dir));
}

#[cfg(target_os = "linux")]
#[test]
fn link_planted_during_an_add_is_not_followed() {
    let scene = add();
    PLANTED[..2]
        .iter()
        .for_each(|dir| follows_no_link(&scene, dir));
}

#[cfg(target_os = "linux")]
#[test]
fn link_planted_during_a_remove_is_not_followed() {
    let scene = remove();
    PLANTED[..2]
        .iter()
        .for_each(|dir| follows_no_link(&scene, dir));
}

#[cfg(target_os = "linux")]
#[test]
fn link_planted_during_an_undo_is_not_followed() {
    let scene = undo();
    PLANTED[..2]
        .iter()
        .for_each(|dir| follows_no_link(&scene, dir));
}

fn skills(sandbox: &Sandbox) -> Repo {
    let repo = Repo::new(sandbox, "skills");
    repo.write("skills/a/SKILL.md", skill_md("a", "Is old."))
        .write("skills/a/data/x.txt", "old\n");
    repo.skill("skills/b", "Is beside it.").commit("first");
    repo
}

fn newer(repo: &Repo) {
    repo.write("skills/a/SKILL.md", skill_md("a", "Is new."))
        .write("skills/a/data/y.txt", "new\n")
        .commit("second");
}

/// A project with both skills, which are in the store.
fn project() -> (Sandbox, Repo) {
    let sandbox = Sandbox::in_memory();
    sandbox.write("skillpm.toml", "[dependencies]\n");
    let repo = skills(&sandbox);
    sandbox
        .skillpm(format!("add {} --all --branch main", repo.url()))
        .exits(0);
    (sandbox, repo)
}

fn add() -> Scene {
    let sandbox = Sandbox::in_memory();
    sandbox.write("skillpm.toml", "[dependencies]\n");
    let repo = skills(&sandbox);
    let line = format!("add {} --all --branch main", repo.url());
    Scene::about_to(&line, sandbox, repo, None)
}

/// From a repository on the network, of which a copy is kept.
fn add_from_a_host() -> Scene {
    let sandbox = Sandbox::in_memory();
    sandbox.write("skillpm.toml", "[dependencies]\n");
    skills(&sandbox);
    let server = Server::start(&sandbox);
    let line = format!("add {} --all --branch main", server.url("skills"));
    Scene::about_to(&line, sandbox, server, None)
}

/// From a registry on the network, of whose index copies are kept.
fn add_from_an_index() -> Scene {
    let sandbox = Sandbox::in_memory();
    sandbox.write("skillpm.toml", "[dependencies]\n");
    let index = IndexDir::new(&sandbox, "../www/index");
    index
        .publish("acme/base", "1.0.0", &[])
        .publish("acme/pdf", "1.2.0", &["acme/base ^1"]);
    let server = Server::start(&sandbox);
    IndexDir::configure(&sandbox, "acme", &format!("sparse+{}", server.url("index")));
    Scene::about_to(
        "add acme/pdf --registry acme",
        sandbox,
        (server, index),
        None,
    )
}

fn install() -> Scene {
    let (sandbox, repo) = project();
    for gone in [".agents", ".skillpm", "~/.skillpm"] {
        sandbox.delete(gone);
    }
    Scene::about_to("install", sandbox, repo, None)
}

fn update() -> Scene {
    let (sandbox, repo) = project();
    newer(&repo);
    Scene::about_to("update", sandbox, repo, None)
}

fn remove() -> Scene {
    let (sandbox, repo) = project();
    Scene::about_to("remove a", sandbox, repo, None)
}

fn patch() -> Scene {
    let (sandbox, repo) = project();
    sandbox.edit(".agents/skills/a/SKILL.md", "Is old.", "Is old, and mine.");
    Scene::about_to("patch a", sandbox, repo, None)
}

fn undo() -> Scene {
    let sandbox = Sandbox::in_memory();
    sandbox.write("skillpm.toml", "[dependencies]\n");
    let repo = skills(&sandbox);
    sandbox
        .skillpm(format!("add {} --all --branch main", repo.url()))
        .exits(0);
    sandbox.delete(".skillpm/undo");
    newer(&repo);
    sandbox.skillpm("update").exits(0);
    Scene::about_to("undo", sandbox, repo, None)
}

fn vendor() -> Scene {
    let (sandbox, repo) = project();
    Scene::about_to("vendor", sandbox, repo, None)
}

fn publish(registry: impl Fn(&Sandbox) -> Registry) -> Scene {
    let sandbox = Sandbox::in_memory();
    let registry = registry(&sandbox);
    registry.configure(&sandbox);
    package(&sandbox, "acme/pdf", "1.0.0");
    Scene::about_to("publish pdf", sandbox, (), Some(registry))
}

fn clean() -> Scene {
    let (sandbox, repo) = project();
    sandbox.write("skillpm.toml", "[dependencies]\n");
    Scene::about_to("cache clean", sandbox, repo, None)
}

macro_rules! at_every_failpoint {
    ($($name:ident: $scene:expr;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn kill_at_each_failpoint_leaves_old_or_new_and_reruns() {
                survives_every_kill(&$scene);
            }

            #[cfg(unix)]
            #[test]
            fn kill_at_random_times_leaves_old_or_new_and_reruns() {
                survives_kills_at_any_time(&$scene);
            }

            #[test]
            fn full_disk_from_each_failpoint_leaves_old_and_reruns() {
                survives_every_failure(&$scene, "full");
            }

            #[test]
            fn disk_failure_at_each_failpoint_leaves_old_or_new_and_reruns() {
                survives_every_failure(&$scene, "fail");
            }

            #[test]
            fn panic_at_each_failpoint_leaves_old_or_new() {
                survives_every_panic(&$scene);
            }
        }
    )*};
}

at_every_failpoint! {
    adding: add();
    adding_from_a_host: add_from_a_host();
    adding_from_an_index: add_from_an_index();
    installing: install();
    updating: update();
    removing: remove();
    patching: patch();
    undoing: undo();
    vendoring: vendor();
    publishing_to_a_directory: publish(|sandbox| Registry::directory(sandbox, "index"));
    publishing_to_a_repository: publish(|sandbox| Registry::bare(sandbox, "index.git"));
    cleaning: clean();
}
