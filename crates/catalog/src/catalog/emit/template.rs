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
//! | `one_line` | text on one line, as it stands in the other formats |
//! | `xml` | the same, with the five characters that XML reserves replaced |
//!
//! A file whose name ends in `.html` or `.xml` (before `.j2`) has its values escaped for these, one in `.json` or
//! `.yaml` for JSON. What is null is left out, but there. A template reaches no file and no network, and ends after so
//! many steps. Characters that act without being seen come out as marks, whatever a template does.

use minijinja::{AutoEscape, Environment, UndefinedBehavior, escape_formatter};
use serde_json::{Value, json};

use super::{Options, escaped, json};
use crate::catalog::Catalog;
use crate::catalog::text::{one_line, visible};
use crate::error::{Error, Result};

/// The name by which `--format` knows it.
pub const NAME: &str = "template";
/// One line on what it is.
pub const SUMMARY: &str = "your own, by `--template FILE`";
/// The media type of its text, for those who do not know better.
pub const MEDIA_TYPE: &str = "text/plain";

/// Steps that a template may take: some hundred for each of a hundred thousand skills.
const FUEL: u64 = 20_000_000;

/// The text of a template, and the name of its file.
#[derive(Debug, Clone, Copy)]
pub struct Template<'a> {
    /// The file's name: its end says how values are escaped, and errors name it.
    pub name: &'a str,
    /// The template.
    pub text: &'a str,
}

/// The catalog by a template.
///
/// # Errors
/// If the template cannot be understood, asks for what is not there, or takes too long.
pub fn render(catalog: &Catalog, options: &Options<'_>, template: Template<'_>) -> Result<String> {
    let mut environment = Environment::new();
    environment.set_fuel(Some(FUEL));
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.set_keep_trailing_newline(true);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.set_formatter(|out, state, value| {
        // What is not known is left out, but where the text is JSON and says so.
        let is_left_out = value.is_none() && state.auto_escape() != AutoEscape::Json;
        if is_left_out { Ok(()) } else { escape_formatter(out, state, value) }
    });
    environment.add_filter("one_line", |text: &str| one_line(text).into_owned());
    environment.add_filter("xml", escaped);
    environment.add_template(template.name, template.text).map_err(|error| failed(&error, template))?;
    let rendered = environment
        .get_template(template.name)
        .and_then(|it| it.render(context(catalog, options)))
        .map_err(|error| failed(&error, template))?;
    Ok(visible(&rendered).into_owned())
}

/// The model, of listed skills alone unless all are asked for.
fn context(catalog: &Catalog, options: &Options<'_>) -> Value {
    let mut model = json::value(catalog, options);
    if let (false, Some(skills)) = (options.all, model["skills"].as_array_mut()) {
        skills.retain(|skill| skill["hidden"].is_null());
    }
    model["preamble"] = json!(options.preamble.unwrap_or_default());
    model
}

fn failed(error: &minijinja::Error, template: Template<'_>) -> Error {
    let place = error.line().map(|line| format!(":{line}")).unwrap_or_default();
    let what = error.detail().map_or_else(|| error.kind().to_string(), ToOwned::to_owned);
    let message = format!("{}{place}: {what}", one_line(template.name));
    let help = match error.kind() {
        minijinja::ErrorKind::UndefinedError => {
            "`skillpm catalog --format json` shows the keys that `skills` have".to_owned()
        }
        minijinja::ErrorKind::TemplateNotFound => "a template is one file: it cannot take in others".to_owned(),
        minijinja::ErrorKind::OutOfFuel => {
            format!("a template may take {FUEL} steps; is there a loop that never ends?")
        }
        _ => "the language is that of Jinja2: https://docs.rs/minijinja/latest/minijinja/syntax".to_owned(),
    };
    Error::usage(message).help(help)
}
