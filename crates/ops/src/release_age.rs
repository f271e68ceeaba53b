//! The limits on how new a version may be, from settings and manifest: of two limits, the stricter
//! applies.

use super::CommandContext;
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::{FILE, Policy};
use skillpm_registry::config::SettingOrigin;
use skillpm_registry::sources::release_age::{ReleaseAge, ReleaseLimit, parse_age, parse_cutoff};

/// The limits for a project with this policy.
///
/// # Errors
/// If one of them is not a duration or a date; the message says where it is set.
pub(super) fn release_age(context: &CommandContext<'_>, policy: &Policy) -> Result<ReleaseAge> {
    let minimum = read_limits(
        context,
        "min-release-age",
        policy.min_release_age.as_deref(),
        &|text| {
            parse_age(text)
                .ok_or_else(|| invalid_value(text, "duration", "`24h`, `7 days` or `2 weeks`"))
        },
    )?;
    let before = read_limits(
        context,
        "exclude-newer",
        policy.exclude_newer.as_deref(),
        &|text| {
            parse_cutoff(text).ok_or_else(|| {
                invalid_value(text, "date", "`2026-11-01` or `2026-11-01T12:00:00Z`")
            })
        },
    )?;

    Ok(ReleaseAge {
        // One time for all packages of a run.
        now: context.timestamp(),
        // The stricter: the longest age and the earliest date.
        minimum: minimum.into_iter().max_by_key(|limit| limit.value),
        before: before.into_iter().min_by_key(|limit| limit.value),
    })
}

fn read_limits<T>(
    context: &CommandContext<'_>,
    key: &str,
    in_manifest: Option<&str>,
    read: &dyn Fn(&str) -> Result<T>,
) -> Result<Vec<ReleaseLimit<T>>> {
    let setting = context.config.get(&format!("resolver.{key}"))?;

    let set = setting.map(|set| (set.text, describe_origin(&set.origin)));
    let declared = in_manifest.map(|text| (text.to_owned(), FILE.to_owned()));

    let mut limits = Vec::new();
    for (written, origin) in declared.into_iter().chain(set) {
        let value =
            read(&written).map_err(|error| error.note(format!("`{key}` is set in {origin}")))?;
        limits.push(ReleaseLimit {
            value,
            written,
            origin,
        });
    }
    Ok(limits)
}

fn describe_origin(origin: &SettingOrigin) -> String {
    match origin {
        // A flag needs no location: the user sees it on the command line.
        SettingOrigin::Flag => "the command line".to_owned(),
        origin => origin.to_string(),
    }
}

fn invalid_value(text: &str, what: &str, examples: &str) -> Error {
    Error::usage(format!("invalid {what} `{}`", text.escape_debug()))
        .help(format!("use a value such as {examples}"))
}
