//! Licences as SPDX expressions: `MIT`, `Apache-2.0 OR MIT`, `GPL-3.0-or-later WITH Classpath-exception-2.0`.

use spdx::{Expression, ParseMode};

use crate::error::distance;

/// How much of a text is told.
const SHOWN_MAX: usize = 60;

/// Why a text is no expression, and what would be one, if that can be guessed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::lint) struct Fault {
    pub(in crate::lint) message: String,
    pub(in crate::lint) help: Option<String>,
}

/// Checks that a text is an expression of known licences, spelled as SPDX spells them.
pub(in crate::lint) fn check(text: &str) -> Result<(), Fault> {
    let text = text.trim();
    // `LicenseRef-…` is how SPDX writes a licence of one's own.
    match Expression::parse(text) {
        Ok(_) => Ok(()),
        Err(error) => {
            let shown: String = text.chars().take(SHOWN_MAX).collect();
            let part = text.get(error.span.clone()).unwrap_or_default();
            let why = if part.is_empty() || part == text {
                error.reason.to_string()
            } else {
                format!("`{part}`: {}", error.reason)
            };
            let message = format!("`{}` is no SPDX expression: {why}", shown.escape_debug());
            Err(Fault { message, help: suggestion(text) })
        }
    }
}

/// What was probably meant.
fn suggestion(text: &str) -> Option<String> {
    if let Ok(Some(fixed)) = Expression::canonicalize(text)
        && Expression::parse_mode(&fixed, ParseMode::STRICT).is_ok()
    {
        return Some(format!("write `{fixed}`"));
    }
    let lower = text.to_lowercase();
    if lower.contains("proprietary") || lower.contains("all rights reserved") || lower.contains("license.txt") {
        return Some("a licence of your own is written `LicenseRef-NAME`, with its text in a file beside".into());
    }
    if let Some((id, _)) = spdx::imprecise_license_id(text) {
        return Some(format!("write `{}`", id.name));
    }
    let known = spdx::identifiers::LICENSES.iter().filter(|license| license.flags & spdx::flags::IS_DEPRECATED == 0);
    let by_distance = known.map(|license| (distance(&lower, &license.name.to_lowercase()), license.name));
    let (distance, name) = by_distance.min()?;
    (distance <= lower.chars().count().div_ceil(3)).then(|| format!("write `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_known_licences_pass() {
        for text in ["MIT", "MIT OR Apache-2.0", "(MIT AND BSD-3-Clause) OR LicenseRef-acme", "GPL-3.0-or-later"] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn what_was_meant_is_offered() {
        for (text, offered) in [
            ("mit", "write `MIT`"),
            ("MIT/Apache-2.0", "write `MIT OR Apache-2.0`"),
            ("Apache 2.0", "write `Apache-2.0`"),
            ("Apache-2", "write `Apache-2.0`"),
            ("Proprietary. LICENSE.txt has complete terms", "`LicenseRef-NAME`"),
        ] {
            let fault = check(text).unwrap_err();
            assert!(fault.help.as_deref().is_some_and(|help| help.contains(offered)), "{text}: {fault:?}");
            assert!(fault.message.starts_with(&format!("`{text}` is no SPDX expression: ")), "{}", fault.message);
        }
    }
}
