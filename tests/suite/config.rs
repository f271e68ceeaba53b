//! `config`: what is set, by whom, and how to set it.

use super::lint_formats::{accepts, lines_of};
use crate::support::Sandbox;

#[test]
fn set_values_are_returned_by_get_and_list() {
    let sandbox = Sandbox::new();
    sandbox.skillpm("config set registry.default acme").exits(0);
    sandbox
        .skillpm("config get registry.default")
        .exits(0)
        .stdout("acme\n");
    sandbox
        .skillpm("config list")
        .exits(0)
        .stdout_has("registry.default")
        .stdout_has("acme");
}

#[test]
fn get_of_an_unset_key_exits_with_1() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("config get registries.acme.index")
        .exits(1)
        .stdout("");
}

#[test]
fn flag_takes_precedence_over_files() {
    let sandbox = Sandbox::new();
    sandbox.skillpm("config set registry.default acme").exits(0);
    sandbox
        .skillpm("--config registry.default=flag config get registry.default")
        .exits(0)
        .stdout("flag\n");
}

#[test]
fn project_takes_precedence_over_user() {
    let sandbox = Sandbox::project_here();
    sandbox.write(
        "~/.skillpm/config.toml",
        "[registry]\ndefault = \"users\"\n",
    );
    sandbox.write(
        ".skillpm/config.toml",
        "[registry]\ndefault = \"projects\"\n",
    );
    sandbox
        .skillpm("config get registry.default")
        .exits(0)
        .stdout("projects\n");
}

#[test]
fn set_keeps_comments() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "~/.skillpm/config.toml",
        "# mine\n[registry]\ndefault = \"old\" # for now\n",
    );
    sandbox.skillpm("config set registry.default new").exits(0);
    sandbox.reads(
        "~/.skillpm/config.toml",
        "# mine\n[registry]\ndefault = \"new\" # for now\n",
    );
}

#[test]
fn invalid_settings_file_is_named_with_its_line() {
    let sandbox = Sandbox::project_here();
    sandbox.write("~/.skillpm/config.toml", "[registry\n");
    sandbox
        .skillpm("install")
        .exits(2)
        .explains(["config.toml:1"]);
}

#[test]
fn project_settings_cannot_weaken_user_settings() {
    let sandbox = Sandbox::project_here();
    let (own, project) = ("~/.skillpm/config.toml", ".skillpm/config.toml");
    sandbox.write(
        own,
        "[resolver]\nmin-release-age = \"30 days\"\n[registries.acme]\nindex = \"file:///own\"\n",
    );
    sandbox.write(
        project,
        "[resolver]\nmin-release-age = \"0s\"\n[net]\nallow-http = true\noffline = true\n\
         [registries.acme]\nindex = \"file:///evil\"\n[registries.new]\nindex = \"file:///new\"\n",
    );
    let get = |key: &str| sandbox.skillpm(format!("config get {key}")).exits(0);
    let told = get("resolver.min-release-age");
    told.stdout("30 days\n").stderr_has(
        "warning: `resolver.min-release-age = [TIME]` in [ROOT]/project/.skillpm/config.toml is ignored: \
         a project may only raise it, and it is `30 days` ([HOME]/.skillpm/config.toml)",
    );
    told.stderr_has(
        "warning: `net.allow-http = true` in [ROOT]/project/.skillpm/config.toml is ignored",
    );
    get("net.allow-http").stdout("false\n");
    get("net.offline").stdout("true\n");
    get("registries.acme.index").stdout("file:///own\n");
    get("registries.new.index").stdout("file:///new\n");

    let lines = sandbox
        .skillpm("config list --format json")
        .exits(0)
        .stdout_json_lines();
    let of = |key: &str| lines.iter().find(|line| line["key"] == key).unwrap();
    assert_eq!(of("resolver.min-release-age")["scope"], "stricter");
    let ignored = &of("resolver.min-release-age")["ignored"][0];
    assert_eq!(ignored["value"], "0s");
    assert!(
        ignored["origin"]
            .as_str()
            .unwrap()
            .ends_with("project/.skillpm/config.toml")
    );
    assert_eq!(of("net.offline")["scope"], "stricter");
    assert_eq!(of("managed.dir")["scope"], "user");
    lines
        .iter()
        .for_each(|line| accepts(&lines_of("config"), line));
    // The person's own word counts more than any file.
    sandbox
        .skillpm("config get net.allow-http --config net.allow-http=true")
        .exits(0)
        .stdout("true\n");
}

#[test]
fn user_only_settings_are_errors_in_a_project() {
    let sandbox = Sandbox::project_here();
    for (key, value) in [
        ("net.ca-file", "\"ca.pem\""),
        ("registry.accept-rewritten", "[]"),
        ("registry.accept-expired", "[\"acme\"]"),
        ("managed.dir", "\"/x\""),
        ("well-known.allow-origins", "[\"evil.example\"]"),
        ("bundled.paths", "[\"skills\"]"),
    ] {
        for file in [".skillpm/config.toml", "../.skillpm/config.toml"] {
            sandbox.write(file, format!("{key} = {value}\n"));
            let told = sandbox.skillpm("list").exits(2);
            told.explains([
                &format!("cannot set `{key}` in a project's settings"),
                ".skillpm/config.toml",
            ]);
            sandbox.delete(file);
        }
        sandbox
            .skillpm(format!("config set --project {key} x"))
            .exits(2);
        sandbox.write("~/.skillpm/config.toml", format!("{key} = {value}\n"));
        sandbox.skillpm("config list").exits(0);
        sandbox.delete("~/.skillpm/config.toml");
    }
}

#[test]
fn unset_removes_the_key_and_no_other_byte() {
    let sandbox = Sandbox::project_here();
    let file = "# mine\n\n[net]\n# slow line\njobs   = 2 # few\noffline = true\n\n[registries.acme] \nindex = 'file:///x'\n";
    sandbox.write("~/.skillpm/config.toml", file);
    sandbox
        .skillpm("config unset net.offline")
        .exits(0)
        .stderr("       Unset net.offline in [HOME]/.skillpm/config.toml\n");
    let left = file.replace("offline = true\n", "");
    sandbox.reads("~/.skillpm/config.toml", &left);

    // Not set, not known, or set in the other file: nothing changes.
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("config unset net.offline")
        .exits(1)
        .stderr(snapbox::str![[r"
error: config value `net.offline` is not set in `[HOME]/.skillpm/config.toml`
help: `skillpm config list` shows where each setting is set

"]]);
    sandbox
        .skillpm("config unset net.ofline")
        .exits(2)
        .explains(["unknown setting `net.ofline`"]);
    sandbox
        .skillpm("config unset --project net.jobs")
        .exits(1)
        .explains(["run `skillpm config unset net.jobs`"]);
    snapshot.still_holds();

    let lines = sandbox
        .skillpm("config unset registries.acme.index --format json")
        .exits(0)
        .stdout_json_lines();
    assert_eq!(lines[0]["value"], serde_json::Value::Null);
    sandbox.reads(
        "~/.skillpm/config.toml",
        "# mine\n\n[net]\n# slow line\njobs   = 2 # few\n",
    );
}

#[test]
fn unset_of_the_project_leaves_the_setting_of_the_user() {
    let sandbox = Sandbox::project_here();
    sandbox.skillpm("config set net.jobs 3").exits(0);
    sandbox.skillpm("config set --project net.jobs 2").exits(0);
    let own = sandbox.read("~/.skillpm/config.toml");
    sandbox.skillpm("config unset --project net.jobs").exits(0);
    sandbox.reads("~/.skillpm/config.toml", &own);
    sandbox
        .skillpm("config get net.jobs")
        .exits(0)
        .stdout("3\n");
}
