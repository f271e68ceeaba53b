//! Chooses the implementation of what differs between systems: `unix` on Unix, unless `SKILLPM_PORTABLE=1` is set, and
//! `portable` everywhere else.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script has its own environment"
)]

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SKILLPM_PORTABLE");

    let is_unix = env::var_os("CARGO_CFG_UNIX").is_some();
    if !is_unix || env::var("SKILLPM_PORTABLE").is_ok_and(|value| value == "1") {
        println!("cargo::rustc-cfg=skillpm_portable");
    }
}
