//! The `skillpm` program; all of it is in the library.

use std::process::ExitCode;

/// Gives memory back to the next piece of work and not to the system, on whichever thread.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[expect(
    clippy::disallowed_methods,
    reason = "the arguments are read here and handed down"
)]
fn main() -> ExitCode {
    skillpm::cli::run(std::env::args_os())
}
