//! Licenses as SPDX expressions: `MIT`, `Apache-2.0 OR MIT`, `GPL-3.0-or-later WITH Classpath-exception-2.0`.

use spdx::{Expression, ParseMode};

use skillpm_core::error::edit_distance;

/// How many characters of a text are shown.
const SHOWN_MAX: usize = 60;

/// Why a text is not a license expression, with a suggestion if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LicenseError {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

/// Checks that a text is an expression of known licenses, in SPDX spelling.
pub(crate) fn check_expression(text: &str) -> Result<(), LicenseError> {
    let text = text.trim();
    // `LicenseRef-…` is the SPDX notation for a custom license.
    match Expression::parse(text) {
        Ok(_) => Ok(()),
        Err(error) => {
            // The field is often a sentence, and sometimes the whole license.
            let shown: String = text.chars().take(SHOWN_MAX).collect();
            let part = text.get(error.span.clone()).unwrap_or_default();
            let why = if part.is_empty() || part == text {
                error.reason.to_string()
            } else {
                format!("`{part}`: {}", error.reason)
            };

            let message = format!(
                "`{}` is not a valid SPDX expression: {why}",
                shown.escape_debug()
            );
            Err(LicenseError {
                message,
                help: suggest_license(text),
            })
        }
    }
}

/// Suggests the license that was probably meant.
fn suggest_license(text: &str) -> Option<String> {
    // The library's own normalization, if the result is strictly valid.
    if let Ok(Some(fixed)) = Expression::canonicalize(text)
        && Expression::parse_mode(&fixed, ParseMode::STRICT).is_ok()
    {
        return Some(format!("write `{fixed}`"));
    }

    // Phrases that refer to a custom license text: no SPDX id is meant.
    let lower = text.to_lowercase();
    if lower.contains("proprietary")
        || lower.contains("all rights reserved")
        || lower.contains("license.txt")
    {
        return Some(
            "write a custom license as `LicenseRef-NAME`, with its text in a file next to `SKILL.md`"
                .into(),
        );
    }

    if let Some((id, _)) = spdx::imprecise_license_id(text) {
        return Some(format!("write `{}`", id.name));
    }

    // Deprecated ids (`GPL-3.0`) are valid, but are not suggested.
    let known = spdx::identifiers::LICENSES
        .iter()
        .filter(|license| license.flags & spdx::flags::IS_DEPRECATED == 0);
    let by_distance = known.map(|license| {
        (
            edit_distance(&lower, &license.name.to_lowercase()),
            license.name,
        )
    });
    let (distance, name) = by_distance.min()?;

    // With more than a third of the characters different it is not a typo.
    (distance <= lower.chars().count().div_ceil(3)).then(|| format!("write `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_known_licenses_pass() {
        for text in [
            "MIT",
            "MIT OR Apache-2.0",
            "(MIT AND BSD-3-Clause) OR LicenseRef-acme",
            "GPL-3.0-or-later",
        ] {
            assert_eq!(check_expression(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn license_that_was_meant_is_suggested() {
        for (text, offered) in [
            ("mit", "write `MIT`"),
            ("MIT/Apache-2.0", "write `MIT OR Apache-2.0`"),
            ("Apache 2.0", "write `Apache-2.0`"),
            ("Apache-2", "write `Apache-2.0`"),
            (
                "Proprietary. LICENSE.txt has complete terms",
                "`LicenseRef-NAME`",
            ),
        ] {
            let fault = check_expression(text).unwrap_err();
            assert!(
                fault
                    .help
                    .as_deref()
                    .is_some_and(|help| help.contains(offered)),
                "{text}: {fault:?}"
            );
            assert!(
                fault
                    .message
                    .starts_with(&format!("`{text}` is not a valid SPDX expression: ")),
                "{}",
                fault.message
            );
        }
    }
}
