//! The pages as templates, in `templates/`. A value in one is text: it is escaped wherever it is written, and what acts on a
//! reader without being seen is shown as its number.

use std::sync::LazyLock;

use minijinja::{AutoEscape, Environment, Error, Output, State, UndefinedBehavior, Value};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::html_text::{
    escape_html, escape_lines, format_bytes, format_count, format_plural, is_web_link, mark_code,
    show_line,
};
use super::install_command::fill_slots;
use super::json_text::plain_file;
use super::markdown::render_markdown;
use super::package_row::severity_kind;
use skillpm_core::package::TreeFile;

/// What a browser may load: files of the site. Even if an escape were missed, no script of a package could run, and no
/// other host would be asked for anything.
// A scheme for pages on a disk: some browsers give each of their files an origin of its own.
const CONTENT_POLICY: &str = "default-src 'none'; style-src 'self' file:; script-src 'self' file:; img-src 'self' file:; \
                              base-uri 'none'; form-action 'none'";

const TEMPLATES: [(&str, &str); 10] = [
    ("badge.svg", include_str!("templates/badge.svg")),
    ("browse.html", include_str!("templates/browse.html")),
    ("diff.html", include_str!("templates/diff.html")),
    ("files.html", include_str!("templates/files.html")),
    ("frame.html", include_str!("templates/frame.html")),
    ("home.html", include_str!("templates/home.html")),
    ("letter.html", include_str!("templates/letter.html")),
    ("macros.html", include_str!("templates/macros.html")),
    ("package.html", include_str!("templates/package.html")),
    ("rules.html", include_str!("templates/rules.html")),
];

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_keep_trailing_newline(true);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);

    // Text is escaped in any template, and no template can say otherwise.
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_formatter(write_escaped);
    environment.remove_filter("safe");
    environment.add_global("policy", CONTENT_POLICY);
    environment.add_global("project", env!("CARGO_PKG_REPOSITORY"));

    let safe = Value::from_safe_string;
    environment.add_filter("text", move |text: &str| safe(escape_lines(text)));
    environment.add_filter("command", move |text: &str| safe(fill_slots(text)));
    environment.add_filter("markdown", move |text: &str| {
        safe(render_markdown(text, &|_| None).html)
    });
    environment.add_filter("code", move |text: &str| safe(mark_code(text)));
    environment.add_filter("bytes", format_bytes);
    environment.add_filter("count", format_count);
    environment.add_filter("plural", format_plural);
    environment.add_filter("fragment", fragment_value);
    environment.add_filter("severity_kind", severity_kind);
    environment.add_test("web_link", is_web_link);

    for (name, text) in TEMPLATES {
        environment
            .add_template(name, text)
            .expect("the templates of the site are valid");
    }
    environment
});

/// A file of the site, from a template and the values in it.
pub(super) fn render(template: &str, values: Value) -> TreeFile {
    let text = ENVIRONMENT
        .get_template(template)
        .and_then(|template| template.render(values))
        .expect("a template of the site has all of its values");
    plain_file(text)
}

fn write_escaped(out: &mut Output<'_>, _: &State<'_, '_>, value: &Value) -> Result<(), Error> {
    if value.is_none() {
        return Ok(());
    }
    match value.as_str() {
        Some(text) if value.is_safe() => out.write_str(text)?,
        Some(text) => out.write_str(&escape_html(text))?,
        None => out.write_str(&escape_html(&value.to_string()))?,
    }
    Ok(())
}

/// A value in the fragment of a URL.
fn fragment_value(text: &str) -> String {
    const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');
    utf8_percent_encode(&show_line(text), ESCAPED).to_string()
}
