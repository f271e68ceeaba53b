//! SK723: packages and extensions from untrusted registries.

use super::super::hosts::{HostClass, WebAddress};
use super::super::redact::redact_text;
use super::super::scan::{FindingSink, PatternFinding, PatternMatch, ScanPass, SecurityPattern};
use super::super::text::WindowScope;
use super::unpinned::RULE;
use skillpm_core::report::DiagnosticLevel;

pub(in crate::rules::security) const PATTERNS: &[SecurityPattern] = &[
    // Package managers with another registry.
    SecurityPattern {
        triggers: &[
            "--index-url",
            "--extra-index-url",
            "--registry",
            "--source ",
            "--find-links",
            "pip install -i",
            "set registry",
            "--trusted-host",
        ],
        scope: WindowScope::Statement,
        regex: r#"\b(?:pip3?|uv|poetry|conda|npm|pnpm|yarn|bun|gem|bundle|cargo|nuget|dotnet)\s[^\n]{0,200}?(?:--(?:extra-)?index-url|--registry|--source|--find-links|-i|set\s+registry)[\s=]+["']?(?P<url>https?://[^\s"'`]+)"#,
        required_words: &["://"],
        pass: ScanPass::First,
        only_in: None,
        report: check_registry,
    },
    // Editor extensions.
    SecurityPattern {
        triggers: &["--install-extension"],
        scope: WindowScope::Around(4),
        regex: r#"(?P<url>https?://[^\s"'`)]+\.vsix)\b"#,
        required_words: &[".vsix"],
        pass: ScanPass::First,
        only_in: None,
        report: check_registry,
    },
];

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
