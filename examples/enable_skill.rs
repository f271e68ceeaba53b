//! Loads a skill for a model, as a tool of an agent would: `cargo run --example enable_skill -- DIR NAME`.

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
    let dir = PathBuf::from(arguments.next().ok_or("missing directory")?);
    let name = arguments.next().ok_or("missing name of a skill")?;

    let environment = ProjectEnvironment {
        home: std::env::home_dir().ok_or("no home directory")?,
        variables: std::env::vars().collect(),
        time: SystemTime::now(),
    };
    let project = SkillProject::open(&dir, environment)?;

    // An unknown name is an error that suggests the nearest one: a model can read it.
    match project.enable(&CatalogOptions::default(), &name) {
        Ok(skill) => {
            println!("# {} (about {} tokens)", skill.name, skill.tokens);
            println!("{}", skill.body.trim());
            for file in &skill.resources {
                println!("- {}/{file}", skill.directory);
            }
            Ok(())
        }
        Err(error) => {
            println!("{}", error.message());
            for help in error.helps() {
                println!("{help}");
            }
            Err(error.into())
        }
    }
}
