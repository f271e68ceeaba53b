//! `template`: a text of the user's own, in the language of [minijinja], which is that of Jinja2.
//!
//! ```text
//! {% for skill in skills %}
//! * {{ skill.name }}: {{ skill.description | one_line }}
//! {% endfor %}
//! ```
//!
//! | variable | is |
//! |---|---|
//! | `skills` | the skills an agent is shown, each with the keys of the format `json`; with `--all` the others too, and `skill.hidden` says why they are |
//! | `unlisted`, `schema` | as in `json` |
//! | `preamble` | the text of `--preamble`; empty where none is given |
//!
//! | filter | gives |
//! |---|---|
//! | `one_line` | text on one line, as in the other formats |
//! | `xml` | the same, with the five characters that XML reserves replaced |
//!
//! A file whose name ends in `.html` or `.xml` (before `.j2`) has its values escaped for these, one in `.json` or
//! `.yaml` for JSON. What is null is left out, but there. A template reaches no file and no network, and ends after so
//! many steps. Characters that act without being seen come out as marks, whatever a template does.

use minijinja::{AutoEscape, Environment, Output, State, UndefinedBehavior, escape_formatter};
use serde_json::{Value, json};

use super::{EmitOptions, escape_xml, json};
use crate::catalog::Catalog;
use crate::catalog::text::{mark_hidden, one_line};
use skillpm_core::error::{Error, Result};

/// The name by which `--format` knows it.
pub const NAME: &str = "template";
/// One line on what it is.
pub const SUMMARY: &str = "a template of your own: `--template FILE`";
/// The media type of its text, for those who do not know better.
pub const MEDIA_TYPE: &str = "text/plain";

/// Steps that a template may take: some hundred for each of a hundred thousand skills.
const FUEL: u64 = 20_000_000;

/// The text of a template, and the name of its file.
#[derive(Debug, Clone, Copy)]
pub struct TemplateSource<'a> {
    /// The file's name: its end says how values are escaped, and errors name it.
    pub name: &'a str,
    /// The template.
    pub text: &'a str,
}

/// The catalog by a template.
///
/// # Errors
/// If the template is invalid, uses an unknown variable, or takes too long.
pub fn render(
    catalog: &Catalog,
    options: &EmitOptions<'_>,
    template: TemplateSource<'_>,
) -> Result<String> {
    let mut environment = Environment::new();
    // The template is the user's, but a loop over a hundred thousand skills must still end.
    environment.set_fuel(Some(FUEL));

    // A misspelled key is an error, while `{% if skill.key %}` may ask for one.
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    // The text ends as the template's file does.
    environment.set_keep_trailing_newline(true);
    // A line with a tag alone leaves no empty line behind.
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);

    environment.set_formatter(format_value);

    environment.add_filter("one_line", |text: &str| one_line(text).into_owned());
    environment.add_filter("xml", escape_xml);

    environment
        .add_template(template.name, template.text)
        .map_err(|error| template_error(&error, template))?;

    let rendered = environment
        .get_template(template.name)
        .and_then(|it| it.render(template_context(catalog, options)))
        .map_err(|error| template_error(&error, template))?;
    // Marked at the very end, so that no filter or loop can emit a hidden character.
    Ok(mark_hidden(&rendered).into_owned())
}

/// Writes a value as text; what is not known is left out, but where the text is JSON and says so.
fn format_value(
    out: &mut Output<'_>,
    state: &State<'_, '_>,
    value: &minijinja::Value,
) -> Result<(), minijinja::Error> {
    if value.is_none() && state.auto_escape() != AutoEscape::Json {
        return Ok(());
    }
    escape_formatter(out, state, value)
}

/// The model, of listed skills alone unless all are asked for.
fn template_context(catalog: &Catalog, options: &EmitOptions<'_>) -> Value {
    let mut model = json::to_value(catalog, options);

    // The JSON model has the hidden skills, too; a template gets them with `--all` only.
    if let (false, Some(skills)) = (options.all, model["skills"].as_array_mut()) {
        skills.retain(|skill| skill["hidden"].is_null());
    }

    model["preamble"] = json!(options.preamble.unwrap_or_default());
    model
}

fn template_error(error: &minijinja::Error, template: TemplateSource<'_>) -> Error {
    let place = error
        .line()
        .map(|line| format!(":{line}"))
        .unwrap_or_default();

    let what = error
        .detail()
        .map_or_else(|| error.kind().to_string(), ToOwned::to_owned);
    let message = format!("{}{place}: {what}", one_line(template.name));

    let help = match error.kind() {
        minijinja::ErrorKind::UndefinedError => {
            "`skillpm catalog --format json` shows the keys that `skills` have".to_owned()
        }
        // No loader is set, so that a template from a repository cannot read other files.
        minijinja::ErrorKind::TemplateNotFound => {
            "a template is one file and cannot include others".to_owned()
        }
        minijinja::ErrorKind::OutOfFuel => {
            format!("a template may take {FUEL} steps; check it for an endless loop")
        }
        _ => "the language is that of Jinja2: https://docs.rs/minijinja/latest/minijinja/syntax"
            .to_owned(),
    };

    Error::usage(message).help(help)
}
