//! `login` and `logout`: a token comes in by stdin, and goes into a file for its owner alone.

#[cfg(unix)]
use std::fs::{self, Permissions};
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;

use crate::support::{Sandbox, has_unix, path_text};

const TOKEN: &str = "CANARY-7f3a91c2";
const CONFIG: &str = "[registries.acme]\nindex = \"sparse+https://skills.acme.dev/index/\"\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::project_here();
    sandbox.write("~/.skillpm/config.toml", CONFIG);
    sandbox
}

/// Elsewhere the file is its owner's because the home is.
#[cfg(not(unix))]
fn assert_is_private(_: &Sandbox) {}

#[cfg(unix)]
fn assert_is_private(sandbox: &Sandbox) {
    let path = sandbox.path("~/.skillpm/credentials.toml");
    let mode = fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn token_is_saved_in_a_private_file_and_not_printed() {
    let sandbox = sandbox();
    sandbox.skillpm("login --registry acme").stdin(format!("{TOKEN}\n")).exits(0).stdout("").stderr(
        "   Logged in to sparse+https://skills.acme.dev/index/; the token is in `[HOME]/.skillpm/credentials.toml`\n",
    );
    assert_is_private(&sandbox);
    sandbox.reads(
        "~/.skillpm/credentials.toml",
        &format!(
            "# written by `skillpm login`; for your eyes only\n[tokens]\n\
             \"sparse+https://skills.acme.dev/index/\" = \"{TOKEN}\"\n"
        ),
    );
    sandbox.skillpm("logout --registry acme").exits(0).stdout("").stderr(
        "  Logged out of sparse+https://skills.acme.dev/index/; the token was removed from `[HOME]/.skillpm/credentials.toml`\n",
    );
    sandbox.holds_nowhere(TOKEN);
    let again = sandbox.skillpm("logout --registry acme").exits(0);
    again.stderr("   Unchanged no saved token for sparse+https://skills.acme.dev/index/\n");
}

#[test]
fn login_has_json_lines() {
    let sandbox = sandbox();
    let told = sandbox
        .skillpm("login --registry acme --format json")
        .stdin(TOKEN)
        .exits(0)
        .stdout_json_lines();
    let file = path_text(&sandbox.path("~/.skillpm/credentials.toml"));
    let index = "sparse+https://skills.acme.dev/index/";
    let wanted = serde_json::json!({"type": "logged-in", "registry": "acme", "index": index, "kept_in": format!("`{file}`")});
    assert_eq!(told, [wanted]);
    let told = sandbox
        .skillpm("logout --registry acme --format json")
        .exits(0)
        .stdout_json_lines();
    let wanted = serde_json::json!({"type": "logged-out", "registry": "acme", "index": index, "taken_from": [format!("`{file}`")]});
    assert_eq!(told, [wanted]);
}

#[test]
fn concurrent_logins_are_all_kept() {
    let sandbox = Sandbox::project_here();
    let url = |n: usize| format!("sparse+https://skills{n}.acme.dev/");
    let runs: Vec<_> = (0..8)
        .map(|n| {
            sandbox
                .skillpm(format!("login --registry {}", url(n)))
                .stdin(format!("{TOKEN}-{n}"))
                .spawn()
        })
        .collect();
    for run in runs {
        run.wait().ended(0);
    }
    let kept = sandbox.read("~/.skillpm/credentials.toml");
    for n in 0..8 {
        assert!(
            kept.contains(&format!("\"{}\" = \"{TOKEN}-{n}\"", url(n))),
            "{kept}"
        );
    }
    assert_is_private(&sandbox);
}

#[cfg(unix)]
#[test]
fn credentials_readable_by_others_are_refused() {
    if !has_unix("owners and permissions of others") {
        return;
    }
    let sandbox = sandbox();
    sandbox
        .skillpm("login --registry acme")
        .stdin(TOKEN)
        .exits(0);
    let path = sandbox.path("~/.skillpm/credentials.toml");
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    for line in [
        "login --registry acme",
        "logout --registry acme",
        "add acme/pdf --registry acme",
    ] {
        let refused = sandbox.skillpm(line).stdin("other").exits(4);
        refused.explains([
            "refusing to read `[HOME]/.skillpm/credentials.toml`: other users may read or write it",
            "found mode 0644",
            "chmod 600 '[HOME]/.skillpm/credentials.toml'",
        ]);
        refused.never_prints(TOKEN);
    }
    assert!(sandbox.read("~/.skillpm/credentials.toml").contains(TOKEN));
}

#[test]
fn invalid_token_is_refused_and_not_printed() {
    let sandbox = sandbox();
    for (input, why) in [
        ("", "it is empty"),
        (" \n", "it is empty"),
        ("CANARY two", "it contains whitespace"),
    ] {
        let refused = sandbox
            .skillpm("login --registry acme")
            .stdin(input)
            .exits(2);
        refused
            .explains(["invalid token", why])
            .never_prints("CANARY");
    }
    for (registry, why) in [
        ("default", "cannot use a token with `embedded:default`"),
        ("s3://skills", "cannot use a token with `s3://skills/`"),
        (
            "git+ssh://git@acme.dev/index",
            "ssh authenticates with your key",
        ),
        (
            "sparse+http://skills.acme.dev/",
            "plain HTTP to another machine is not encrypted",
        ),
        ("https://skills.acme.dev/", "missing `sparse+` or `git+`"),
        ("nobody", "unknown registry `nobody`"),
    ] {
        sandbox
            .skillpm(format!("login --registry {registry}"))
            .stdin(TOKEN)
            .exits(2)
            .explains([why])
            .never_prints(TOKEN);
    }
    // It has no place among the arguments.
    sandbox
        .skillpm(format!("login --registry acme --token {TOKEN}"))
        .exits(2)
        .stderr_has("unexpected argument '--token'")
        .never_prints(TOKEN);
    sandbox.lacks(["~/.skillpm/credentials.toml"]);
}

#[test]
fn overriding_environment_variable_is_reported() {
    let sandbox = sandbox();
    let run = sandbox
        .skillpm("login --registry acme")
        .env("SKILLPM_REGISTRIES_ACME_TOKEN", "CANARY-other")
        .stdin(TOKEN);
    let told = run.exits(0);
    told.stderr_has("the token in `SKILLPM_REGISTRIES_ACME_TOKEN` takes precedence")
        .never_prints("CANARY");
    let run = sandbox
        .skillpm("logout --registry acme")
        .env("SKILLPM_REGISTRIES_ACME_TOKEN", "CANARY-other");
    run.exits(0)
        .stderr_has("the token in `SKILLPM_REGISTRIES_ACME_TOKEN` is still used")
        .never_prints("CANARY");
}

#[test]
fn credential_program_can_save_the_token() {
    let sandbox = sandbox();
    let script = "read -r q\necho \"$q\" | sed 's/CANARY[^\"]*/TOKEN/' >> \"$HOME/seen\"\necho '{\"v\":1,\"done\":true}'\n";
    sandbox.write("~/keeper.sh", script);
    let keeper = sandbox.path("~/keeper.sh").display().to_string();
    sandbox.write(
        "~/.skillpm/config.toml",
        format!("{CONFIG}credential-provider = \"command\"\ncredential-command = [\"/bin/sh\", \"{keeper}\"]\n"),
    );
    let told = sandbox
        .skillpm("login --registry acme")
        .stdin(TOKEN)
        .exits(0);
    told.stderr(
        "   Logged in to sparse+https://skills.acme.dev/index/; the token is in `/bin/sh`\n",
    );
    sandbox.skillpm("logout --registry acme").exits(0);
    let about = "\"index\":\"sparse+https://skills.acme.dev/index/\",\"name\":\"acme\"";
    sandbox.reads(
        "~/seen",
        &format!(
            "{{\"v\":1,\"action\":\"store\",{about},\"token\":\"TOKEN\"}}\n{{\"v\":1,\"action\":\"erase\",{about}}}\n"
        ),
    );
    sandbox.lacks(["~/.skillpm/credentials.toml"]);
    sandbox.holds_nowhere(TOKEN);
}

#[test]
fn panics_and_disk_failures_do_not_print_a_token() {
    for what in ["panic", "fail"] {
        for n in 1..40 {
            let sandbox = sandbox();
            let run = sandbox
                .skillpm("login --registry acme")
                .stdin(TOKEN)
                .env("RUST_BACKTRACE", "full");
            let outcome = run
                .env("SKILLPM_FAILPOINT", format!("{what}@{n}"))
                .spawn()
                .wait();
            outcome.never_prints(TOKEN);
            if outcome.code() == Some(0) {
                assert!(n > 4, "a login makes {n} changes only");
                break;
            }
            outcome.ended(6);
            let kept = sandbox.tree("~/.skillpm");
            let is_ours = |path: &&str| *path == "config.toml" || path.starts_with("credentials");
            assert!(kept.paths().iter().all(is_ours), "{what}@{n}: {kept:?}");
        }
    }
}
