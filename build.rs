//! Has the program linked so that it starts fast, where the linker and the C library of this machine can.
//!
//! A position-independent program has some 75,000 pointers that are set at each start. Listed one by one (`.rela.dyn`)
//! they take 1.8 MB of the file, which are read at each start; packed (`.relr.dyn`) they take 20 KB. Linkers know the
//! format since 2022, and glibc since 2.36; an older one refuses to start the program, so a small one is tried first.
//!
//! A debug build has 400,000, in 1,200 pages. The linker sets them, at the price of fixed addresses: the tests start the
//! program some thousand times, each time in 2 ms instead of 5.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script has its own environment, files and programs"
)]

use std::env;
use std::path::Path;
use std::process::Command;

/// The argument for the linker in a release build.
const PACK: &str = "-Wl,-z,pack-relative-relocs";
/// The same in a debug build.
const FIX: &str = "-no-pie";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");

    let is_debug = env::var("PROFILE").is_ok_and(|profile| profile == "debug");
    let argument = if is_debug { FIX } else { PACK };
    if is_native_glibc() && starts_when_linked_with(argument) {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}

/// Whether the program is for this machine, so that it can be tried, and for glibc.
fn is_native_glibc() -> bool {
    let var = |name: &str| env::var(name).unwrap_or_default();
    var("HOST") == var("TARGET")
        && var("CARGO_CFG_TARGET_OS") == "linux"
        && var("CARGO_CFG_TARGET_ENV") == "gnu"
}

/// Whether a program that is linked this way starts here; not if anything about the attempt fails.
fn starts_when_linked_with(argument: &str) -> bool {
    let (Ok(rustc), Ok(out_dir)) = (env::var("RUSTC"), env::var("OUT_DIR")) else {
        return false;
    };
    let source = Path::new(&out_dir).join("linked.rs");
    let program = Path::new(&out_dir).join("linked");
    if std::fs::write(&source, "fn main() {}\n").is_err() {
        return false;
    }

    let mut compile = Command::new(rustc);
    compile.arg("-Clink-arg=".to_owned() + argument);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        compile.arg("-Clinker=".to_owned() + &linker);
    }
    let compiled = compile.arg("-o").arg(&program).arg(&source).output();
    compiled.is_ok_and(|compiled| compiled.status.success())
        && Command::new(&program)
            .status()
            .is_ok_and(|started| started.success())
}
