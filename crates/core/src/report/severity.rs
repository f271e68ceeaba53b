//! How much harm somebody can do with what was found.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, nearest};

/// How much harm somebody can do with what was found. Unlike a [`Level`](super::Level), no setting moves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Careless, or worth knowing.
    Low,
    /// Harmful in the wrong hands; honest skills have it, too.
    Medium,
    /// Harmful, unless somebody has looked at it and knows why it is there.
    High,
    /// An attack: no honest skill has it.
    Critical,
}

impl Severity {
    /// All of them, the mildest first.
    pub const ALL: [Severity; 4] = [Severity::Low, Severity::Medium, Severity::High, Severity::Critical];

    /// As it is written everywhere.
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
        Severity::ALL.into_iter().find(|severity| severity.name() == text).ok_or_else(|| {
            let error = Error::usage(format!("there is no severity `{}`", text.escape_debug()));
            match nearest(text, names) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help("write `low`, `medium`, `high` or `critical`"),
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
        assert!("hgih".parse::<Severity>().unwrap_err().helps().iter().any(|help| help.contains("`high`")));
    }
}
