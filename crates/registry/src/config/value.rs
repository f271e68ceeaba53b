//! Values: each is kept as text, and read by its setting's type.

use super::settings::{Setting, Type};
use crate::error::{Error, Result};
use crate::package::{IndexKind, IndexUrl};

/// A value as it is kept: the URL of an index in its one form, all else as it is written.
pub(super) fn check(setting: &Setting, key: &str, text: String) -> Result<String> {
    let wanted = match setting.kind {
        Type::Text | Type::List => return Ok(text),
        Type::Index => return index(key, &text),
        Type::Registry if text.contains(':') => return index(key, &text),
        Type::Registry => return Ok(text),
        Type::Registries => {
            let urls = text.split(',').map(str::trim).filter(|part| part.contains(':'));
            return urls.map(|url| index(key, url)).collect::<Result<Vec<_>>>().map(|_| text.clone());
        }
        Type::Archives => match text.parse::<IndexUrl>() {
            Ok(url) if matches!(url.kind(), IndexKind::Directory | IndexKind::Bucket) => return Ok(url.into()),
            _ => "the URL of a directory or a bucket, `file:///…` or `s3://…`,",
        },
        Type::Switch if is_true(&text) || is_false(&text) => return Ok(text),
        Type::Number if text.parse::<u64>().is_ok() => return Ok(text),
        Type::Switch => "`true` or `false`",
        Type::Number => "a whole number",
    };
    Err(Error::usage(format!("`{key}` is `{}`; {wanted} was expected", text.escape_debug())))
}

fn index(key: &str, text: &str) -> Result<String> {
    let url: IndexUrl = text.parse().map_err(|error: Error| error.wrap(format!("`{key}` cannot be used")))?;
    Ok(url.into())
}

/// The parts of a value that is a list.
pub(crate) fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Whether a value that is a switch is on.
pub(crate) fn is_true(text: &str) -> bool {
    matches!(text, "true" | "1" | "yes" | "on")
}

fn is_false(text: &str) -> bool {
    matches!(text, "false" | "0" | "no" | "off")
}
