//! An index that says until when it is to be believed, and one that should have said so anew.

use serde_json::{Value, json};

use crate::support::{IndexDir, Repo, Run, Sandbox, Server};

/// Two days before, and three days after 2026-12-01T00:00:00Z.
const BEFORE: &str = "1795910400";
const AFTER: &str = "1796342400";

/// The time that the indexes here name.
const UNTIL: &str = "2026-12-01T00:00:00Z";

fn config(more: &Value) -> Value {
    let mut config = json!({"api-version": 1, "dl": "archives/{name}-{version}.tar.gz"});
    config
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    config
}

/// An index of static files that lasts until then, with `acme/pdf`; the project knows it as `acme`.
fn served(sandbox: &Sandbox) -> (Server, IndexDir) {
    let index = IndexDir::new(sandbox, "../www/index");
    index
        .publish("acme/pdf", "1.2.0", &[])
        .config(&config(&json!({"serial": 1, "expires": UNTIL})));
    let server = Server::start(sandbox);
    IndexDir::configure(sandbox, "acme", &format!("sparse+{}", server.url("index")));
    (server, index)
}

fn at<'s>(sandbox: &'s Sandbox, now: &str, line: &str) -> Run<'s> {
    sandbox.skillpm(line).env("SKILLPM_CLOCK", now)
}

/// Holds what was said, times and all, to have these words.
#[track_caller]
fn says<const N: usize>(said: &str, words: [&str; N]) {
    for word in words {
        assert!(said.contains(word), "`{word}` should be in:\n{said}");
    }
}

#[test]
fn expired_index_is_refused_until_renewed() {
    let sandbox = Sandbox::project_here();
    let (server, index) = served(&sandbox);
    index.publish("acme/csv", "1.0.0", &[]);
    at(&sandbox, BEFORE, "add acme/pdf --registry acme").exits(0);
    index.publish("acme/pdf", "1.3.0", &[]);
    let before = sandbox.snapshot();
    for line in [
        "update",
        "add acme/csv --registry acme",
        "update --dry-run",
        "add acme/pdf@=1.3.0 --registry acme",
    ] {
        let refused = at(&sandbox, AFTER, line).exits(3);
        refused.explains(["skillpm registry renew"]);
        says(
            refused.stderr_text(),
            [
                "expired at 2026-12-01T00:00:00Z, 3 days ago",
                "this machine's clock says 2026-12-04T00:00:00Z",
                &format!(
                    "--config registry.accept-expired=sparse+{}",
                    server.url("index")
                ),
            ],
        );
    }
    before.still_holds();

    // What is locked needs no choice, on a new machine neither.
    sandbox.delete(".agents");
    at(&sandbox, AFTER, "install --locked")
        .home("second")
        .exits(0)
        .never_prints("expired at");
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
    at(&sandbox, AFTER, "lock")
        .exits(0)
        .never_prints("expired at");
    let told = at(&sandbox, AFTER, "outdated").exits(0);
    says(
        told.stderr_text(),
        ["expired at 2026-12-01T00:00:00Z, 3 days ago; newer versions may be missing"],
    );

    index.config(&config(
        &json!({"serial": 2, "expires": "2026-12-08T00:00:00Z"}),
    ));
    at(&sandbox, AFTER, "update")
        .exits(0)
        .never_prints("expired at");
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.3.0");
}

#[test]
fn expired_index_is_accepted_by_setting_and_offline() {
    let sandbox = Sandbox::project_here();
    let (server, index) = served(&sandbox);
    at(&sandbox, BEFORE, "add acme/pdf --registry acme").exits(0);
    let told = at(&sandbox, AFTER, "update --offline").exits(0);
    says(
        told.stderr_text(),
        [
            "expired at 2026-12-01T00:00:00Z, 3 days ago",
            "clock says 2026-12-04T00:00:00Z",
        ],
    );
    index.publish("acme/pdf", "1.3.0", &[]);
    at(
        &sandbox,
        AFTER,
        "update --config registry.accept-expired=acme",
    )
    .exits(0)
    .never_prints("expired at");
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.3.0");
    sandbox.write(
        "~/.skillpm/config.toml",
        "[registry]\naccept-expired = [\"none\"]\n",
    );
    at(&sandbox, AFTER, "update")
        .exits(2)
        .explains(["`registry.accept-expired` is set in", "none"]);
    drop(server);
}

#[test]
fn index_that_drops_its_expiry_is_refused() {
    for is_git in [false, true] {
        let sandbox = Sandbox::project_here();
        let (_server, index, repo) = if is_git {
            let repo = Repo::new(&sandbox, "index");
            let index = IndexDir::new(&sandbox, "../repos/index");
            index
                .publish("acme/pdf", "1.2.0", &[])
                .config(&config(&json!({"expires": UNTIL})));
            repo.commit("first");
            IndexDir::configure(&sandbox, "acme", &format!("git+{}", repo.url()));
            (None, index, Some(repo))
        } else {
            let (server, index) = served(&sandbox);
            (Some(server), index, None)
        };
        let say = |config: &Value| {
            index.config(config);
            if let Some(repo) = &repo {
                repo.commit("another");
            }
        };
        at(&sandbox, BEFORE, "add acme/pdf --registry acme").exits(0);
        let before = sandbox.snapshot();
        say(&config(&json!({"serial": 2})));
        for _ in 0..2 {
            let refused = at(&sandbox, BEFORE, "update").exits(3);
            refused.explains(["no longer has an expiration time", "accept-rewritten="]);
            says(
                refused.stderr_text(),
                [
                    "expires before  2026-12-01T00:00:00Z",
                    "expires now     none",
                ],
            );
        }
        before.still_holds();
        // An earlier time is one, too.
        say(&config(
            &json!({"serial": 3, "expires": "2026-11-30T00:00:00Z"}),
        ));
        at(&sandbox, BEFORE, "update").exits(0);
        at(&sandbox, AFTER, "update")
            .exits(3)
            .explains(["expired at", "4 days ago"]);
        say(&config(&json!({"serial": 4})));
        at(
            &sandbox,
            AFTER,
            "update --config registry.accept-rewritten=acme",
        )
        .exits(0);
        at(&sandbox, AFTER, "update").exits(0);
    }
}

#[test]
fn invalid_expiry_is_not_unlimited() {
    let sandbox = Sandbox::project_here();
    let (_server, index) = served(&sandbox);
    for wrong in [json!("soon"), json!(1), json!("2026-12-01")] {
        index.config(&config(&json!({"expires": wrong})));
        at(&sandbox, BEFORE, "add acme/pdf --registry acme")
            .exits(3)
            .explains(["config.json"]);
    }
    sandbox.lacks(["skillpm.lock"]);
}

#[test]
fn index_owner_renews_it_and_sees_the_new_time() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("registry new index --owner keeper@x.dev")
        .exits(0);
    at(&sandbox, BEFORE, "registry check index").exits(0);
    let renewed = at(&sandbox, BEFORE, "registry renew index --for 36h").exits(0);
    says(
        renewed.stderr_text(),
        ["     Renewed config.json: expires 2026-11-30T12:00:00Z\n"],
    );
    let check = at(&sandbox, BEFORE, "registry check index").exits(0);
    says(
        check.stdout_text(),
        ["config.json: warning: the index expires at 2026-11-30T12:00:00Z, in 36 hours (expires)"],
    );
    let check = at(&sandbox, AFTER, "registry check index").exits(1);
    let over = "config.json: error: the index expired at 2026-11-30T12:00:00Z, 3 days ago: clients refuse to choose versions from it";
    says(check.stdout_text(), [over]);
    check.stdout_has("skillpm registry renew");

    let text = sandbox
        .read("index/config.json")
        .replacen('{', "{\"serial\":41,\"later\":true,", 1);
    sandbox.write("index/config.json", text);
    let renewed = at(&sandbox, AFTER, "-C index registry renew --format json").exits(0);
    let line: Value = serde_json::from_str(renewed.stdout_text().trim()).unwrap();
    assert_eq!(
        (&line["expires"], &line["serial"]),
        (&json!("2026-12-11T00:00:00Z"), &json!(42))
    );
    let config: Value = serde_json::from_str(&sandbox.read("index/config.json")).unwrap();
    assert_eq!(
        (&config["later"], &config["dl"]),
        (&json!(true), &json!("archives/{name}-{version}.tar.gz"))
    );
    assert!(
        at(&sandbox, AFTER, "registry check index")
            .exits(0)
            .stdout_text()
            .is_empty()
    );

    let before = sandbox.snapshot();
    for wrong in [
        "renew index --for soon",
        "renew index --for 0",
        "renew index --for -1d",
        "renew elsewhere",
    ] {
        sandbox.skillpm(format!("registry {wrong}")).exits(2);
    }
    before.still_holds();
}
