//! `registry renew`: sets until when the state of an index is valid, and increments its serial
//! number.

use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

use crate::CommandContext;
use skillpm_core::error::{Error, Result};
use skillpm_io::disk;
use skillpm_registry::sources::release_age::parse_age;

/// The index, and for how long it is valid.
#[derive(Debug, Clone, Default)]
pub struct RenewOptions {
    /// The directory of the index; `None` for the current one.
    pub dir: Option<PathBuf>,
    /// How long it is valid from now on, such as `7 days`.
    pub lasts: String,
}

/// The result of [`renew`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenewReport {
    /// The directory.
    pub dir: PathBuf,
    /// Until when the state is valid.
    pub expires: Timestamp,
    /// Its serial number, if it has one.
    pub serial: Option<u64>,
}

/// Renews an index: `config.json` gets a new `expires`, and the next `serial` if it has one.
///
/// # Errors
/// If the duration is invalid, or `config.json` is missing or invalid.
pub fn renew(context: &CommandContext<'_>, options: &RenewOptions) -> Result<RenewReport> {
    let lasts = parse_age(&options.lasts)
        // Zero or less would let it expire at once.
        .filter(SignedDuration::is_positive)
        .ok_or_else(|| {
            Error::usage(format!(
                "invalid duration `{}`",
                options.lasts.escape_debug()
            ))
            .help("use a duration such as `36h`, `7 days` or `2 weeks`")
        })?;

    let expires = context.timestamp().checked_add(lasts).map_err(|_| {
        Error::usage(format!("invalid duration `{}`: too long", options.lasts))
            .help("use a duration such as `7 days`")
    })?;

    let dir = options.dir.as_ref().map_or_else(
        || context.dirs.cwd.clone(),
        |dir| context.dirs.cwd.join(dir),
    );
    let dir = disk::real_path(&dir);

    let path = dir.join("config.json");
    let text = disk::read_text(&path)?.ok_or_else(|| {
        Error::usage(format!("index not found in `{}`: it has no `config.json`", dir.display()))
            .help("pass its directory, `skillpm registry renew DIR`, or create one with `skillpm registry new DIR`")
    })?;

    let (text, serial) = renewed_config(&text, expires)?;
    // Atomic: a reader gets the old state or the new one.
    disk::write_atomic(&path, text.as_bytes())?;

    Ok(RenewReport {
        dir,
        expires,
        serial,
    })
}

/// `config.json` with a new `expires`, and its next `serial` if it has one.
fn renewed_config(text: &str, expires: Timestamp) -> Result<(String, Option<u64>)> {
    let invalid = |cause: &str| {
        Error::negative(format!("failed to parse `config.json`: {cause}"))
            .help("to check the index, run `skillpm registry check`")
    };

    let mut config: Map<String, Value> =
        serde_json::from_str(text).map_err(|cause| invalid(&cause.to_string()))?;
    config.insert("expires".into(), expires.to_string().into());

    // Readers refuse a lower serial, so that it only ever counts up.
    let serial = match config.get("serial") {
        None => None,
        Some(serial) => {
            let next = serial.as_u64().and_then(|serial| serial.checked_add(1));
            let next = next.ok_or_else(|| {
                invalid(&format!("invalid `serial` {serial}: it has no successor"))
            })?;
            config.insert("serial".into(), next.into());
            Some(next)
        }
    };

    Ok((format!("{}\n", Value::Object(config)), serial))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renewing_increments_an_existing_serial_and_keeps_other_keys() {
        let until: Timestamp = "2026-12-01T00:00:00Z".parse().unwrap();
        let (text, serial) = renewed_config(
            r#"{"api-version":1,"later":[1],"serial":41,"expires":"old"}"#,
            until,
        )
        .unwrap();
        assert_eq!(serial, Some(42));
        let config: Value = serde_json::from_str(&text).unwrap();
        let expected = serde_json::json!({"api-version":1,"later":[1],"serial":42,"expires":"2026-12-01T00:00:00Z"});
        assert_eq!(config, expected);
        assert_eq!(
            renewed_config(r#"{"api-version":1}"#, until).unwrap().1,
            None
        );
        for bad in [
            "",
            "[]",
            r#"{"serial":"x"}"#,
            r#"{"serial":18446744073709551615}"#,
        ] {
            assert!(renewed_config(bad, until).is_err(), "{bad}");
        }
    }
}
