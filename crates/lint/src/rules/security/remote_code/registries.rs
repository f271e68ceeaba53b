//! SK723: packages and extensions from servers that nobody vouches for.

use super::super::hosts::{Address, Sort};
use super::super::scan::{Hit, Ledger, Pattern, Round, Tell};
use super::super::show::shown;
use super::super::text::Scope;
use super::unpinned::RULE;
use crate::report::Level;

pub(in crate::lint::rules::security) const PATTERNS: &[Pattern] = &[
    Pattern {
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
        scope: Scope::Statement,
        form: r#"\b(?:pip3?|uv|poetry|conda|npm|pnpm|yarn|bun|gem|bundle|cargo|nuget|dotnet)\s[^\n]{0,200}?(?:--(?:extra-)?index-url|--registry|--source|--find-links|-i|set\s+registry)[\s=]+["']?(?P<url>https?://[^\s"'`]+)"#,
        needs: &["://"],
        round: Round::First,
        only: None,
        judge: from_a_registry,
    },
    Pattern {
        triggers: &["--install-extension"],
        scope: Scope::Around(4),
        form: r#"(?P<url>https?://[^\s"'`)]+\.vsix)\b"#,
        needs: &[".vsix"],
        round: Round::First,
        only: None,
        judge: from_a_registry,
    },
];

fn from_a_registry(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    let Some(address) = hit.group("url").and_then(Address::find) else { return };
    let window = hit.view.source.span(hit.trigger, Scope::Statement);
    let is_unchecked = hit.whole()[window].contains("--trusted-host") && address.sort() == Sort::Other;
    if address.sort().is_bad() || address.is_open() || is_unchecked {
        let message = format!("installs programs of `{}`, which nothing vouches for", shown(address.host));
        let help = "name a registry with a name, over https, and a version that was tried";
        ledger.tell(hit, Tell::new(&RULE, Level::Error, message, help).at(hit.group_span("url")));
    }
}
