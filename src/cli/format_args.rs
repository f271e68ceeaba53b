//! `--format`: each command takes the values that it can print, and no others.
//!
//! The flag of most commands is the global one (`human`, `json`). A command that prints more has an argument of its own
//! with the same id, which clap then takes instead; its value reaches [`CliSession`](super::CliSession) like the global one.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};

use crate::catalog::emit::{FORMATS, template};
use crate::catalog::loaded::WRAPPINGS;
use crate::ops::export::EXPORTS;

/// What most commands print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum OutputFormat {
    /// For a terminal
    Human,
    /// One JSON object a line
    Json,
}

/// What `audit`, `lint` and `validate` print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FindingFormat {
    /// For a terminal, with the lines of the files
    Human,
    /// One line a finding
    Short,
    /// One JSON object a line
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// A code quality report of GitLab
    Gitlab,
}

/// What `sbom` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SbomFormatChoice {
    /// CycloneDX 1.6, as JSON
    Cyclonedx,
    /// SPDX 2.3, as JSON
    Spdx,
}

macro_rules! format_args {
    ($(#[doc = $doc:literal])* $name:ident, $parser:expr, $($attribute:tt)*) => {
        $(#[doc = $doc])*
        #[derive(Debug, Args)]
        pub(super) struct $name {
            /// Print in this format
            #[arg(
                id = "format",
                long = "format",
                value_name = "FORMAT",
                value_parser = $parser,
                // Shown where the global flag is, which this one replaces.
                help_heading = "Global options",
                $($attribute)*
            )]
            // Read from the global flag: clap propagates the value to it.
            _format: Option<String>,
        }
    };
}

format_args!(
    /// `--format` of a command that prints findings.
    FindingFormatArgs,
    value_names::<FindingFormat>(),
);
format_args!(
    /// `--format` of `sbom`.
    SbomFormatArgs,
    value_names::<SbomFormatChoice>(),
);
format_args!(
    /// `--format` of `catalog`.
    CatalogFormatArgs,
    catalog_formats(),
    hide_possible_values = true,
    help = "Print in this format; --list-formats shows all"
);
format_args!(
    /// `--format` of `show`.
    ShowFormatArgs,
    show_formats(),
);
format_args!(
    /// `--format` of `new`: what it prints, or the format of the skill that it creates.
    NewFormatArgs,
    ["human", "json", "skill-md", "devai"],
    help = "Create a skill in this format, or print in it"
);

/// The names of the values of `E`, checked by clap and kept as text.
pub(super) fn value_names<E: ValueEnum>() -> PossibleValuesParser {
    // Without the help of each value, the list stays on one line, also in the short help of every command.
    E::value_variants()
        .iter()
        .filter_map(ValueEnum::to_possible_value)
        .map(|value| PossibleValue::new(value.get_name().to_owned()))
        .into()
}

/// The value that clap has checked by [`value_names`] of the same type.
pub(super) fn parse_value<E: ValueEnum>(name: &str) -> Option<E> {
    // Case matters, as clap has checked the name.
    E::from_str(name, false).ok()
}

/// What `catalog` prints: texts, a person's template, and trees of files.
fn catalog_formats() -> PossibleValuesParser {
    let texts = FORMATS.iter().map(|format| format.name);
    let trees = EXPORTS.iter().map(|export| export.name);
    texts
        .chain([template::NAME])
        .chain(trees)
        .collect::<Vec<_>>()
        .into()
}

/// Formats of `show`: for people, for programs, or as an agent passes a skill to its model.
fn show_formats() -> PossibleValuesParser {
    let wrappings = WRAPPINGS.iter().map(|wrapping| wrapping.name);
    // Every other name is a text that an agent makes, and `raw` is the file.
    ["human", "json"]
        .into_iter()
        .chain(wrappings)
        .collect::<Vec<_>>()
        .into()
}
