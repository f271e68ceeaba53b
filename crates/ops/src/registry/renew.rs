//! `registry renew`: says until when the state of an index is to be believed, and numbers it where states are numbered.

use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::io::disk;
use crate::ops::Context;
use crate::sources::release_age::age;

/// What is wanted.
#[derive(Debug, Clone, Default)]
pub struct RenewOptions {
    /// The directory of the index; here, if none is given.
    pub dir: Option<PathBuf>,
    /// For how long from now on, as people write it.
    pub lasts: String,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renewed {
    /// The directory.
    pub dir: PathBuf,
    /// Until when it is to be believed.
    pub expires: Timestamp,
    /// The number of its state, if it has one.
    pub serial: Option<u64>,
}

/// Renews an index: `config.json` gets a new `expires`, and the next `serial` if it has one.
///
/// # Errors
/// If the time is none, or there is no `config.json` that can be read.
pub fn renew(context: &Context<'_>, options: &RenewOptions) -> Result<Renewed> {
    let lasts = age(&options.lasts).filter(SignedDuration::is_positive).ok_or_else(|| {
        Error::usage(format!("`{}` is no time that an index could last", options.lasts.escape_debug()))
            .help("write it as `36h`, `7 days` or `2 weeks`")
    })?;
    let expires = context.timestamp().checked_add(lasts).map_err(|_| {
        Error::usage(format!("`{}` from now is past all dates", options.lasts)).help("write it as `7 days`")
    })?;
    let dir = options.dir.as_ref().map_or_else(|| context.places.here.clone(), |dir| context.places.here.join(dir));
    let dir = disk::real_path(&dir);
    let path = dir.join("config.json");
    let text = disk::read_text(&path)?.ok_or_else(|| {
        Error::usage(format!("`{}` is no index: it has no `config.json`", dir.display()))
            .help("name its directory: `skillpm registry renew DIR`; `skillpm registry new DIR` makes one")
    })?;
    let (text, serial) = renewed(&text, expires)?;
    disk::write_atomic(&path, text.as_bytes())?;
    Ok(Renewed { dir, expires, serial })
}

/// `config.json` with this time in it, and its next number if it has one.
fn renewed(text: &str, expires: Timestamp) -> Result<(String, Option<u64>)> {
    let wrong = |cause: &str| {
        Error::negative(format!("`config.json` cannot be read: {cause}"))
            .help("`skillpm registry check` tells what is wrong with an index")
    };
    let mut config: Map<String, Value> = serde_json::from_str(text).map_err(|cause| wrong(&cause.to_string()))?;
    config.insert("expires".into(), expires.to_string().into());
    let serial = match config.get("serial") {
        None => None,
        Some(serial) => {
            let next = serial.as_u64().and_then(|serial| serial.checked_add(1));
            let next = next.ok_or_else(|| wrong(&format!("`serial` is {serial}, and has no next number")))?;
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
    fn a_state_is_numbered_on_where_states_are_numbered_and_all_else_stays() {
        let until: Timestamp = "2026-12-01T00:00:00Z".parse().unwrap();
        let (text, serial) = renewed(r#"{"api-version":1,"later":[1],"serial":41,"expires":"old"}"#, until).unwrap();
        assert_eq!(serial, Some(42));
        let config: Value = serde_json::from_str(&text).unwrap();
        let expected = serde_json::json!({"api-version":1,"later":[1],"serial":42,"expires":"2026-12-01T00:00:00Z"});
        assert_eq!(config, expected);
        assert_eq!(renewed(r#"{"api-version":1}"#, until).unwrap().1, None);
        for bad in ["", "[]", r#"{"serial":"x"}"#, r#"{"serial":18446744073709551615}"#] {
            assert!(renewed(bad, until).is_err(), "{bad}");
        }
    }
}
