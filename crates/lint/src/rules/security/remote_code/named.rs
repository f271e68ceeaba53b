//! SK710 by way of name servers: what they answer is run.
//!
//! No proxy and no log of downloads sees `dig +short txt … | sh`, and whoever owns the name changes the answer at any time.

use super::super::scan::{Hit, Ledger, Pattern, Round, Tell};
use super::super::text::Scope;
use super::pipe::{HELP_PIPE, RULE};
use crate::report::Level;

pub(in crate::lint::rules::security) const PATTERNS: &[Pattern] = &[
    Pattern {
        triggers: &["dig ", "nslookup ", "host -", "drill ", "kdig ", "delv ", "doggo ", "resolve-dnsname"],
        scope: Scope::Following(3),
        form: r#"(?:\b(?:dig|nslookup|host|drill|kdig|delv|doggo)\s[^|\n]*?\btxt\b[^|\n]*(?:\|[^|\n]*){0,4}?\|\s*(?:xargs\s[^|\n]*?)?§SHELL|\b(?:(?:ba|z|da|k)?sh|eval|source|exec|\.)(?:\s+-\w+)*\s+(?:<\s*)?["']?(?:<\(|\$\(|`|<<<\s*["']?(?:\$\(|`))\s*(?:dig|nslookup|host|drill|kdig|delv|doggo)\s[^\n]*?\btxt\b|\b(?P<name>\w+)=["']?(?:\$\(|`)\s*(?:dig|nslookup|host|drill|kdig|delv|doggo)\s[^\n]*?\btxt\b.{0,300}?\b(?:eval|source|(?:ba|z|da|k)?sh\s+-c)\s+["']?\$\{?(?P<used>\w+)|(?:\biex\b|invoke-expression)[^\n]*?resolve-dnsname[^\n]*?\btxt\b|resolve-dnsname[^\n]*?\btxt\b[^\n]*\|\s*(?:iex|invoke-expression)\b)"#,
        needs: &["txt"],
        round: Round::First,
        only: None,
        judge: answered,
    },
    Pattern {
        triggers: &["resolver.", "resolvetxt", "dns_get_record"],
        scope: Scope::Around(5),
        form: r"(?:\b(?:exec|eval|os\.system|os\.popen|execsync|subprocess\.\w+|new\s+function|system|shell_exec)\s*\([^\n]*?(?:resolver\.(?:resolve|query)\([^\n]*?\btxt\b|resolvetxt\(|dns_get_record\([^\n]*?dns_txt)|\b(?P<name>\w+)\s*=\s*(?:await\s+)?[^\n=]*?(?:resolver\.(?:resolve|query)\([^\n]*?\btxt\b|resolvetxt\(|dns_get_record\([^\n]*?dns_txt)[^\n]*\n(?:[^\n]*\n){0,4}?[^\n]*?\b(?:exec|eval|os\.system|os\.popen|execsync|subprocess\.\w+|new\s+function|system|shell_exec)\s*\((?P<call>[^\n]*))",
        needs: &["txt"],
        round: Round::First,
        only: None,
        judge: answered,
    },
];

fn answered(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_run = match (hit.group("name"), hit.group("used"), hit.group("call")) {
        (Some(name), Some(used), _) => name == used,
        (Some(name), None, Some(call)) => call.split(|c| !is_word(c)).any(|word| word == name),
        _ => true,
    };
    // `sh -c` runs its argument and not what comes through the pipe.
    if is_run && hit.group("with").is_none() {
        let message = "runs what a name server answers, unread and past every proxy and log";
        ledger.tell(hit, Tell::new(&RULE, Level::Error, message, HELP_PIPE).firm());
    }
}
