//! `npx skills`: a pattern, a YAML parser, and nothing else; it says which skills it passes over, and why.

use super::parse::{Dialect, Keys, Margin, Schema, Surrogates, Value, by_pattern, printable};
use super::{Loading, dropped, listed};
use crate::skill::yaml::{Node, Typed};

const YAML: Dialect = Dialect {
    unique_keys: Keys::OnceByType,
    controls: true,
    surrogates: Surrogates::Any,
    tabs: false,
    any_tag: true,
    null_keys: true,
    margin: Margin::Nothing,
};

pub(super) fn load(source: &str) -> Loading {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let Some(yaml) = by_pattern(source) else { return dropped("it finds no frontmatter") };
    let fields = YAML.parse(yaml, |document, _| {
        let [name, description] = ["name", "description"].map(|key| Value::of(document, key, Schema::Core));
        let internal = document.root.as_ref().and_then(|root| root.get("metadata")?.get("internal"));
        (name, description, internal.and_then(Node::typed) == Some(Typed::Bool(true)))
    });
    match fields {
        Err(fault) => dropped(format!("its YAML parser refuses the frontmatter: {}", fault.message)),
        Ok((_, _, true)) => dropped("`metadata.internal` hides it"),
        Ok((Value::Missing | Value::Null, ..)) => dropped("it wants a `name`"),
        Ok((_, Value::Missing | Value::Null, _)) => dropped("it wants a `description`"),
        Ok((Value::Text(name), Value::Text(description), _)) if name.is_empty() || description.is_empty() => {
            dropped("it wants a `name` and a `description` that are not empty")
        }
        Ok((Value::Text(name), Value::Text(description), _)) => listed(shown(&name), shown(&description)),
        Ok(_) => dropped("it wants `name` and `description` to be texts"),
    }
}

/// On one line, and free of what a terminal would obey.
fn shown(text: &str) -> String {
    let line = text.trim().lines().map(str::trim_end).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    printable(&line).trim().to_owned()
}
