//! The limits on how new a version may be, from settings and manifest: of two limits, the stricter holds.

use super::Context;
use crate::config::Origin;
use crate::error::{Error, Result};
use crate::manifest::{FILE, Policy};
use crate::sources::release_age::{Limit, ReleaseAge, age, instant};

/// The limits that hold for a project with this policy.
///
/// # Errors
/// If one of them is no duration or no date; the message says where it is set.
pub(super) fn release_age(context: &Context<'_>, policy: &Policy) -> Result<ReleaseAge> {
    let minimum = limits(context, "min-release-age", policy.min_release_age.as_deref(), &|text| {
        age(text).ok_or_else(|| wrong(text, "an age", "`24h`, `7 days` or `2 weeks`"))
    })?;
    let before = limits(context, "exclude-newer", policy.exclude_newer.as_deref(), &|text| {
        instant(text).ok_or_else(|| wrong(text, "a date", "`2026-11-01` or `2026-11-01T12:00:00Z`"))
    })?;
    Ok(ReleaseAge {
        now: context.timestamp(),
        minimum: minimum.into_iter().max_by_key(|limit| limit.value),
        before: before.into_iter().min_by_key(|limit| limit.value),
    })
}

fn limits<T>(
    context: &Context<'_>,
    key: &str,
    in_manifest: Option<&str>,
    read: &dyn Fn(&str) -> Result<T>,
) -> Result<Vec<Limit<T>>> {
    let setting = context.config.get(&format!("resolver.{key}"))?;
    let set = setting.map(|set| {
        let origin = match &set.origin {
            Origin::Flag => "the command line".to_owned(),
            origin => origin.to_string(),
        };
        (set.text, origin)
    });
    let declared = in_manifest.map(|text| (text.to_owned(), FILE.to_owned()));
    let limit = |(written, origin): (String, String)| {
        let value = read(&written).map_err(|error| error.note(format!("`{key}` is set in {origin}")))?;
        Ok(Limit { value, written, origin })
    };
    declared.into_iter().chain(set).map(limit).collect()
}

fn wrong(text: &str, what: &str, examples: &str) -> Error {
    Error::usage(format!("`{}` is not {what}", text.escape_debug())).help(format!("write it as {examples}"))
}
