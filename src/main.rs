//! The `skillpm` program; all of it is in the library.

use std::process::ExitCode;

#[expect(clippy::disallowed_methods, reason = "the arguments are read here and handed down")]
fn main() -> ExitCode {
    skillpm::cli::run(std::env::args_os())
}
