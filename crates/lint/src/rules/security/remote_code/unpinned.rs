//! SK723: a package is fetched and run without a version.

use super::super::hosts::{self, HostClass, WebAddress, is_in_domain};
use super::super::redact::redact_text;
use super::super::scan::SecurityPattern;
use super::super::sink::{FindingSink, PatternFinding};
use super::super::view::PatternMatch;
use super::super::{body, pattern_table, rule};
use crate::{Rule, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(in crate::rules::security) static RULE: Rule = rule(
    "SK723",
    "unpinned-remote-code",
    DiagnosticLevel::Note,
    "a package is fetched and run without a pinned version",
    RuleDocs {
        finds: "`npx`, `uvx`, `pipx run`, `pnpm dlx`, `bunx` and `go run` of a package without a \
               version, `pip install` from a repository or a URL without a commit, `@latest`. A \
               warning if the URL belongs neither to a package registry nor to a known code host.",
        hurts: "The latest published version is run, even if an attacker took over the package \
               this morning (supply chain attack).",
        ignore: "Tools of the project itself, and those pinned by a lockfile.",
        bad: &[
            body!("```sh\nnpx -y pdf-fill form.pdf\n```\n"),
            body!("```sh\npip install git+https://github.com/x/fill.git\n```\n"),
        ],
        good: &[body!(
            "```sh\nnpx -y pdf-fill@2.1.4 form.pdf\nnpx tsc --noEmit\npip install git+https://github.com/x/fill.git@v2.1.4\n```\n"
        )],
    },
);

pub(in crate::rules::security) const PATTERNS: &[SecurityPattern] =
    pattern_table!("remote_code/unpinned");

/// Reports an install without a version: a warning if it bypasses every registry.
fn check_install(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    // `git+https://…@v2` has a tag or a commit at its end; `user@host` is before the path.
    let pinned = |url: &str| {
        url.rsplit('/')
            .next()
            .is_some_and(|last| last.contains('@'))
            || url.contains(".git@")
    };
    let Some(what) = hit
        .group("latest")
        .or(hit.group("archive"))
        .or(hit.group("git").filter(|url| !pinned(url)))
    else {
        return;
    };
    let address = WebAddress::find(what).filter(|address| !is_forge(address.host));
    // A forge or a registry keeps the history of a package; another host can replace it.
    match address.filter(|address| address.host_class() != HostClass::NonPublic) {
        Some(address) => {
            let message = format!(
                "installs an unpinned download from `{}`, bypassing every registry",
                redact_text(address.host)
            );
            report_install(hit, sink, DiagnosticLevel::Warning, message);
        }
        None => report_unpinned(hit, sink, what),
    }
}

/// Programs that `npx` and the like find in the project itself.
const LOCAL_TOOLS: [&str; 34] = [
    "tsc",
    "eslint",
    "prettier",
    "jest",
    "vitest",
    "playwright",
    "tsx",
    "ts-node",
    "next",
    "vite",
    "turbo",
    "nx",
    "prisma",
    "husky",
    "lerna",
    "webpack",
    "rollup",
    "mocha",
    "cypress",
    "biome",
    "tailwindcss",
    "drizzle-kit",
    "changeset",
    "expo",
    "ng",
    "nest",
    "astro",
    "storybook",
    "wrangler",
    "hardhat",
    "stylelint",
    "knip",
    "tap",
    "c8",
];

fn check_tool(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let tool = hit.group("tool").unwrap_or_default();
    let package = hit
        .group("from")
        .or(hit.group("package"))
        .unwrap_or_default();

    // The first `@` of `@scope/name@1.2.3` begins the scope.
    let bare = package.trim_start_matches('@');
    let has_version = bare.contains('@') && !bare.ends_with("@latest") || bare.contains("==");
    // A file of the project is reviewed with it.
    let is_path = package.starts_with(['.', '/', '$', '{', '<', '-'])
        || (tool.starts_with("go") && !package.contains("github.com"));
    // The regex also takes prose: "use npx and …".
    let is_word = package.len() < 3
        || package.ends_with('.')
        || [
            "command", "commands", "and", "with", "the", "for", "package",
        ]
        .contains(&package);

    if !(has_version || is_path || is_word || LOCAL_TOOLS.contains(&package)) {
        report_unpinned(hit, sink, package);
    }
}

/// Whether a host is a code host or a package registry, which keeps the history of its programs.
fn is_forge(host: &str) -> bool {
    is_in_domain(host, hosts::FORGES)
}

fn report_unpinned(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>, what: &str) {
    report_install(
        hit,
        sink,
        DiagnosticLevel::Note,
        format!(
            "fetches and runs an unpinned version of `{}`",
            redact_text(what)
        ),
    );
}

fn report_install(
    hit: &PatternMatch<'_>,
    sink: &mut FindingSink<'_>,
    level: DiagnosticLevel,
    message: String,
) {
    let span = hit
        .group_span("package")
        .or(hit.group_span("git"))
        .or(hit.group_span("latest"))
        .or(hit.group_span("archive"));
    let help = "pin the version that was tested: `name@1.2.3`, `git+https://…@COMMIT`";
    sink.report(
        hit,
        PatternFinding::new(&RULE, level, message, help).at(span),
    );
}
