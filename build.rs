//! Packs the relative relocations of the program, where the linker and the C library of this machine can.
//!
//! A position-independent program has some 75,000 pointers that are set at each start. Listed one by one (`.rela.dyn`)
//! they take 1.8 MB of the file, which are read at each start; packed (`.relr.dyn`) they take 20 KB. Linkers know the
//! format since 2022, and glibc since 2.36; an older one refuses to start the program, so a small one is tried first.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script has its own environment, files and programs"
)]

use std::env;
use std::path::Path;
use std::process::Command;

/// The argument for the linker.
const PACK: &str = "-Wl,-z,pack-relative-relocs";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");

    if is_native_glibc() && starts_when_packed() {
        println!("cargo::rustc-link-arg-bins={PACK}");
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
fn starts_when_packed() -> bool {
    let (Ok(rustc), Ok(out_dir)) = (env::var("RUSTC"), env::var("OUT_DIR")) else {
        return false;
    };
    let source = Path::new(&out_dir).join("packed.rs");
    let program = Path::new(&out_dir).join("packed");
    if std::fs::write(&source, "fn main() {}\n").is_err() {
        return false;
    }

    let mut compile = Command::new(rustc);
    compile.arg("-Clink-arg=".to_owned() + PACK);
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        compile.arg("-Clinker=".to_owned() + &linker);
    }
    let compiled = compile.arg("-o").arg(&program).arg(&source).output();
    compiled.is_ok_and(|compiled| compiled.status.success())
        && Command::new(&program)
            .status()
            .is_ok_and(|started| started.success())
}
