//! `config`: what is set, by whom, and how to set it.

use crate::support::Sandbox;

#[test]
fn what_is_set_can_be_got_and_is_listed() {
    let sandbox = Sandbox::new();
    sandbox.skillpm("config set registry.default acme").exits(0);
    sandbox.skillpm("config get registry.default").exits(0).stdout("acme\n");
    sandbox.skillpm("config list").exits(0).stdout_has("registry.default").stdout_has("acme");
}

#[test]
fn a_key_that_is_not_set_is_a_no() {
    let sandbox = Sandbox::new();
    sandbox.skillpm("config get registries.acme.index").exits(1).stdout("");
}

#[test]
fn a_flag_goes_before_the_files() {
    let sandbox = Sandbox::new();
    sandbox.skillpm("config set registry.default acme").exits(0);
    sandbox.skillpm("--config registry.default=flag config get registry.default").exits(0).stdout("flag\n");
}

#[test]
fn the_project_goes_before_the_user() {
    let sandbox = Sandbox::project_here();
    sandbox.write("~/.skillpm/config.toml", "[registry]\ndefault = \"users\"\n");
    sandbox.write(".skillpm/config.toml", "[registry]\ndefault = \"projects\"\n");
    sandbox.skillpm("config get registry.default").exits(0).stdout("projects\n");
}

#[test]
fn set_keeps_the_comments_of_the_file() {
    let sandbox = Sandbox::new();
    sandbox.write("~/.skillpm/config.toml", "# mine\n[registry]\ndefault = \"old\" # for now\n");
    sandbox.skillpm("config set registry.default new").exits(0);
    sandbox.reads("~/.skillpm/config.toml", "# mine\n[registry]\ndefault = \"new\" # for now\n");
}

#[test]
fn a_file_that_cannot_be_read_is_named_with_its_line() {
    let sandbox = Sandbox::project_here();
    sandbox.write("~/.skillpm/config.toml", "[registry\n");
    sandbox.skillpm("install").exits(2).explains(["config.toml:1"]);
}
