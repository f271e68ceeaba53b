//! The severity of the findings of this group: by rule, and by the level that the rule gave a
//! finding after weighing its context.

use skillpm_core::report::DiagnosticLevel;
use skillpm_core::report::Severity::{self, Critical, High, Low, Medium};

/// By code: the severity of a note, a warning, an error. Each rule has its row, in the order of the
/// table of rules.
const SEVERITIES: &[(&str, [Severity; 3])] = &[
    ("SK701", [Low, High, Critical]),
    ("SK702", [Low, Medium, Critical]),
    ("SK703", [Low, Medium, Critical]),
    ("SK704", [Low, High, Critical]),
    ("SK705", [Low, High, Critical]),
    ("SK706", [Low, Medium, High]),
    ("SK707", [Low, Medium, High]),
    ("SK708", [Low, Medium, High]),
    // An installer from a host with a name is common; one from an untrusted host is an attack.
    ("SK710", [Low, Medium, Critical]),
    ("SK711", [Low, High, Critical]),
    ("SK712", [Low, High, Critical]),
    ("SK713", [Low, High, Critical]),
    // A read alone may be the task of the skill; together with an upload it is a theft.
    ("SK714", [Low, Medium, Critical]),
    ("SK715", [Low, Medium, High]),
    ("SK716", [Low, High, Critical]),
    ("SK717", [Low, Medium, High]),
    ("SK718", [Low, Medium, High]),
    ("SK719", [Low, Medium, High]),
    ("SK720", [Low, Medium, High]),
    ("SK721", [Low, Medium, High]),
    ("SK722", [Low, Medium, High]),
    ("SK723", [Low, Medium, High]),
    // Its note already lets any command run.
    ("SK724", [Medium, Medium, High]),
    ("SK725", [Low, Medium, Critical]),
    ("SK726", [Low, Medium, High]),
    ("SK727", [Low, Medium, High]),
    ("SK728", [Low, Medium, Critical]),
    ("SK729", [Low, Medium, High]),
    ("SK730", [Low, High, Critical]),
    // Plain language is matched less surely than commands, so nothing of it is critical.
    ("SK731", [Low, Medium, High]),
    ("SK732", [Low, Medium, High]),
    ("SK733", [Low, Medium, High]),
    ("SK734", [Low, Medium, High]),
    ("SK735", [Low, Medium, High]),
    ("SK736", [Low, Medium, High]),
    ("SK737", [Low, Medium, High]),
    ("SK738", [Low, Medium, High]),
    ("SK739", [Low, Medium, High]),
    ("SK740", [Low, Medium, High]),
    ("SK741", [Low, High, Critical]),
    ("SK742", [Low, Medium, Critical]),
];

/// The same for rules of other groups that `audit` checks, too.
const OTHER_SEVERITIES: &[(&str, [Severity; 3])] = &[
    // A link out of the skill reads a file of the machine it is on, and hides its content from every other rule.
    ("SK010", [Low, Low, Medium]),
    ("SK512", [Low, Low, Low]),
    ("SK513", [Medium, Medium, Medium]),
    ("SK516", [Low, Low, Low]),
];

/// Returns the severity of a finding; `None` if `audit` does not check its rule.
pub(crate) fn severity(code: &str, level: DiagnosticLevel) -> Option<Severity> {
    let (_, by_level) = SEVERITIES
        .iter()
        .chain(OTHER_SEVERITIES)
        .find(|(known, _)| *known == code)?;
    Some(by_level[level as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_of_the_group_has_a_severity_that_grows_with_its_level() {
        let codes: Vec<&str> = SEVERITIES.iter().map(|(code, _)| *code).collect();
        let rules: Vec<&str> = super::super::RULES.iter().map(|rule| rule.code).collect();
        assert_eq!(codes, rules);
        assert!(SEVERITIES.iter().all(|(_, by_level)| by_level.is_sorted()));
        assert_eq!(severity("SK711", DiagnosticLevel::Error), Some(Critical));
        assert_eq!(severity("SK401", DiagnosticLevel::Error), None);
    }
}
