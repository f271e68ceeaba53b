//! Lists the skills of a project for a prompt: `cargo run --example list_skills -- DIR [AGENT]`.
//!
//! With an agent, such as `codex`, it lists what that agent sees, in its order.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a program of its own, which reads its environment and prints"
)]

use std::path::PathBuf;
use std::time::SystemTime;

use skillpm::{CatalogOptions, ProjectEnvironment, SkillProject};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let dir = PathBuf::from(arguments.next().unwrap_or_else(|| ".".to_owned()));
    let options = CatalogOptions {
        agent: arguments.next(),
        ..CatalogOptions::default()
    };

    let environment = ProjectEnvironment {
        home: std::env::home_dir().ok_or("no home directory")?,
        variables: std::env::vars().collect(),
        time: SystemTime::now(),
    };
    let project = SkillProject::open(&dir, environment)?;

    println!("You have skills. Before a task, look whether one is about it:");
    for entry in project.catalog(&options)?.listed() {
        let skill = &entry.candidate.listing;
        println!("- {}: {}", skill.name, skill.description);
    }
    Ok(())
}
