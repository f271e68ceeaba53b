//! How much harm a finding can do.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, nearest_name};

/// How much harm a finding can do. Unlike a [`DiagnosticLevel`](super::DiagnosticLevel), no setting changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Careless, or worth knowing.
    Low,
    /// Harmful if misused; honest skills have it, too.
    Medium,
    /// Harmful, unless a person has reviewed it and knows why it is there.
    High,
    /// An attack: no honest skill has it.
    Critical,
}

impl Severity {
    /// All severities, the mildest first.
    pub const ALL: [Severity; 4] = [
        Severity::Low,
        Severity::Medium,
        Severity::High,
        Severity::Critical,
    ];

    /// The name, as written on the command line and in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Low => "low",
            Severity::Medium => "medium",
            Severity::High => "high",
            Severity::Critical => "critical",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Severity {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let names = Severity::ALL.map(Severity::name);
        Severity::ALL
            .into_iter()
            .find(|severity| severity.name() == text)
            .ok_or_else(|| {
                let error = Error::usage(format!("unknown severity `{}`", text.escape_debug()));
                match nearest_name(text, names) {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error.help("possible values: `low`, `medium`, `high`, `critical`"),
                }
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_severity_is_read_as_it_is_written() {
        for severity in Severity::ALL {
            assert_eq!(severity.to_string().parse::<Severity>().unwrap(), severity);
        }
        assert!(
            "hgih"
                .parse::<Severity>()
                .unwrap_err()
                .helps()
                .iter()
                .any(|help| help.contains("`high`"))
        );
    }
}
