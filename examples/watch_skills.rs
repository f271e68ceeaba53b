//! Follows the skills of a project while an agent runs: `cargo run --example watch_skills -- DIR [COUNT]`.
//!
//! It ends after COUNT updates; without it, never.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a program of its own, which reads its environment and prints"
)]

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::SystemTime;

use skillpm::{CatalogChange, CatalogOptions, ProjectEnvironment, SkillProject};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let dir = PathBuf::from(arguments.next().unwrap_or_else(|| ".".to_owned()));
    let mut left: Option<usize> = arguments.next().map(|count| count.parse()).transpose()?;

    let environment = ProjectEnvironment {
        home: std::env::home_dir().ok_or("no home directory")?,
        variables: std::env::vars().collect(),
        time: SystemTime::now(),
    };
    let project = SkillProject::open(&dir, environment)?;

    println!("watching");
    project.watch(CatalogOptions::default(), |update| {
        match update {
            // The list that the model has is out of date.
            Ok(update) => {
                for change in &update.changes {
                    match change {
                        CatalogChange::Added(skill) => println!("added {}", skill.name),
                        CatalogChange::Changed(skill, _) => println!("changed {}", skill.name),
                        CatalogChange::Removed(skill) => println!("removed {}", skill.name),
                        _ => println!("another copy of a skill changed"),
                    }
                }
            }
            // A file that is being written: the next update has it.
            Err(error) => println!("failed: {}", error.message()),
        }

        left = left.map(|left| left.saturating_sub(1));
        match left {
            Some(0) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    })?;
    Ok(())
}
