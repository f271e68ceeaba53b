//! SK723: packages and extensions from untrusted registries.

use super::super::hosts::{HostClass, WebAddress};
use super::super::pattern_table;
use super::super::redact::redact_text;
use super::super::scan::SecurityPattern;
use super::super::sink::{FindingSink, PatternFinding};
use super::super::text::WindowScope;
use super::super::view::PatternMatch;
use super::unpinned::RULE;
use skillpm_core::report::DiagnosticLevel;

pub(in crate::rules::security) const PATTERNS: &[SecurityPattern] =
    pattern_table!("remote_code/registries");

fn check_registry(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let Some(address) = hit.group("url").and_then(WebAddress::find) else {
        return;
    };

    let window = hit
        .view
        .source
        .window_range(hit.trigger, WindowScope::Statement);
    // `--trusted-host` disables certificate verification.
    let is_unchecked = hit.full_text()[window].contains("--trusted-host")
        && address.host_class() == HostClass::Other;

    if address.host_class().is_untrusted() || address.is_unencrypted() || is_unchecked {
        let message = format!(
            "installs packages from the untrusted registry `{}`",
            redact_text(address.host)
        );
        let help =
            "use a registry with a host name, over HTTPS, and pin the version that was tested";
        sink.report(
            hit,
            PatternFinding::new(&RULE, DiagnosticLevel::Error, message, help)
                .at(hit.group_span("url")),
        );
    }
}
