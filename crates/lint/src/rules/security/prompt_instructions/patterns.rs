//! The wordings of harmful instructions, from the tables of this folder.
//!
//! A regex is matched against a single paragraph, and the gaps between its words end with the
//! sentence, or the list item.

use super::super::pattern_table;
use super::super::redact::redact_text;
use super::super::scan::SecurityPattern;
use super::super::sink::{FindingSink, PatternFinding};
use super::super::view::PatternMatch;
use super::rules::{CRYPTO_MINER, PASSWORD_ASKED};
use super::{HELP, check_instruction};
use skillpm_core::report::DiagnosticLevel;

/// The patterns of each rule of this folder, by code.
const TABLES: [&[SecurityPattern]; 10] = [
    // In the order of the rules, so that each table is easy to find.
    pattern_table!("prompt_instructions/crypto_miner"),
    pattern_table!("prompt_instructions/user_data_sent"),
    pattern_table!("prompt_instructions/user_data_destroyed"),
    pattern_table!("prompt_instructions/protection_lowered"),
    pattern_table!("prompt_instructions/output_sabotaged"),
    pattern_table!("prompt_instructions/user_deceived"),
    pattern_table!("prompt_instructions/password_asked"),
    pattern_table!("prompt_instructions/consent_claimed"),
    pattern_table!("prompt_instructions/rights_misused"),
    pattern_table!("prompt_instructions/hidden_trigger"),
];

/// Iterates over the patterns of all rules of this folder.
pub(in crate::rules::security) fn patterns() -> impl Iterator<Item = &'static SecurityPattern> {
    TABLES.into_iter().flatten()
}

/// Reports a command or an address of a miner.
fn report_miner(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let message = format!("runs a cryptocurrency miner: `{}`", redact_text(hit.text()));
    sink.report(
        hit,
        PatternFinding::new(&CRYPTO_MINER, DiagnosticLevel::Warning, message, HELP),
    );
}

/// Reports a dialog that asks for a password.
fn report_password_dialog(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let message = format!(
        "asks for a password in a dialog of its own: `{}`",
        redact_text(hit.text())
    );
    sink.report(
        hit,
        PatternFinding::new(&PASSWORD_ASKED, DiagnosticLevel::Warning, message, HELP),
    );
}
