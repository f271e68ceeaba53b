//! Values of settings: each is stored as text, and parsed by its setting's type.

use super::settings::{SettingSpec, SettingType};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{IndexKind, IndexUrl};

/// The stored form of a value: the URL of an index is made canonical, all else is unchanged.
pub(super) fn normalize_value(setting: &SettingSpec, key: &str, text: String) -> Result<String> {
    let wanted = match setting.kind {
        SettingType::Text | SettingType::List => return Ok(text),
        SettingType::Index => return normalize_index_url(key, &text),
        SettingType::Registry if text.contains(':') => return normalize_index_url(key, &text),
        SettingType::Registry => return Ok(text),
        SettingType::Registries => return check_registries(key, &text).map(|()| text),
        SettingType::Archives => match text.parse::<IndexUrl>() {
            Ok(url) if matches!(url.kind(), IndexKind::Directory | IndexKind::Bucket) => {
                return Ok(url.into());
            }
            _ => "the URL of a directory or a bucket, `file:///…` or `s3://…`",
        },
        SettingType::Switch if is_true(&text) || is_false(&text) => return Ok(text),
        SettingType::Number if text.parse::<u64>().is_ok() => return Ok(text),
        SettingType::Switch => "`true` or `false`",
        SettingType::Number => "a whole number",
    };

    let example = match setting.kind {
        SettingType::Switch => "true",
        SettingType::Number => "1",
        _ => "file:///srv/archives",
    };
    Err(Error::usage(format!(
        "invalid value `{}` for `{key}`: expected {wanted}",
        text.escape_debug()
    ))
    .help(format!("for example `skillpm config set {key} {example}`")))
}

/// Checks a list of registries: each URL must be one of an index; names are resolved when the list is used.
fn check_registries(key: &str, text: &str) -> Result<()> {
    text.split(',')
        .map(str::trim)
        .filter(|part| part.contains(':'))
        .try_for_each(|url| normalize_index_url(key, url).map(drop))
}

fn normalize_index_url(key: &str, text: &str) -> Result<String> {
    let url: IndexUrl = text
        .parse()
        .map_err(|error: Error| error.wrap(format!("invalid value for `{key}`")))?;
    Ok(url.into())
}

/// The parts of a value that is a list.
pub(crate) fn split_list(text: &str) -> Vec<String> {
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Whether a value that is a switch is on.
pub(crate) fn is_true(text: &str) -> bool {
    matches!(text, "true" | "1" | "yes" | "on")
}

fn is_false(text: &str) -> bool {
    matches!(text, "false" | "0" | "no" | "off")
}
