//! SK723: a package is fetched and run without a version.

use super::super::hosts::{Address, Sort, is_of};
use super::super::scan::{Hit, Ledger, Pattern, Round, Tell};
use super::super::show::shown;
use super::super::text::Scope;
use super::super::{body, rule};
use crate::lint::{Docs, Rule};
use crate::report::Level;

pub(in crate::lint::rules::security) static RULE: Rule = rule(
    "SK723",
    "unpinned-remote-code",
    Level::Note,
    "a package is fetched and run without a version",
    Docs {
        finds: "`npx`, `uvx`, `pipx run`, `pnpm dlx`, `bunx` and `go run` of a package without a version, `pip install` from a repository or an \
                address without a commit, `@latest`. A warning if the address is that of no registry and of none of the places where programs \
                are published.",
        hurts: "What runs is whatever was published last, also if somebody took over the package this morning.",
        ignore: "Tools of the project itself, and those that a lockfile holds.",
        bad: &[
            body!("```sh\nnpx -y pdf-fill form.pdf\n```\n"),
            body!("```sh\npip install git+https://github.com/x/fill.git\n```\n"),
        ],
        good: &[body!(
            "```sh\nnpx -y pdf-fill@2.1.4 form.pdf\nnpx tsc --noEmit\npip install git+https://github.com/x/fill.git@v2.1.4\n```\n"
        )],
    },
);

pub(in crate::lint::rules::security) const PATTERNS: &[Pattern] = &[
    Pattern {
        triggers: &["npx ", "uvx ", "bunx ", "pnpm dlx", "yarn dlx", "pipx run", "go run ", "npm exec", "bun x "],
        scope: Scope::Statement,
        form: r"(?:^|[\n`\x22'$;&|(\s])(?P<tool>npx|uvx|bunx|pnpm\s+dlx|yarn\s+dlx|pipx\s+run|go\s+run|npm\s+exec|bun\s+x)\s+(?:(?:-y|--yes|-q|--quiet|--prefer-offline|--no-install|--)\s+|(?:-p|--package|--from|--python|--with)[\s=](?P<from>\S+)\s+)*(?P<package>@?[a-z0-9][\w./-]*(?:@[^\s`\x22')]+)?)",
        needs: &[],
        round: Round::First,
        only: None,
        judge: tool,
    },
    Pattern {
        triggers: &["git+http", "git+ssh", "@latest", "pip install http", "pip install -u http"],
        scope: Scope::Statement,
        form: r"(?:pip3?\s+install\s+[^\n]{0,60}?(?P<git>git\+(?:https?|ssh)://[^\s`\x22')]+)|pip3?\s+install\s+(?:-\w+\s+)*(?P<archive>https?://[^\s`\x22')]+)|(?:npm\s+(?:i|install)|go\s+install|pnpm\s+add|yarn\s+global\s+add|bun\s+add)\s+[^\n]{0,60}?(?P<latest>[\w@./-]+@latest))",
        needs: &[],
        round: Round::First,
        only: None,
        judge: |hit, ledger| {
            let pinned =
                |url: &str| url.rsplit('/').next().is_some_and(|last| last.contains('@')) || url.contains(".git@");
            let Some(what) =
                hit.group("latest").or(hit.group("archive")).or(hit.group("git").filter(|url| !pinned(url)))
            else {
                return;
            };
            let address = Address::find(what).filter(|address| !is_forge(address.host));
            match address.filter(|address| address.sort() != Sort::Nobody) {
                Some(address) => {
                    let message = format!("installs whatever `{}` has today, past every registry", shown(address.host));
                    tell(hit, ledger, Level::Warning, message);
                }
                None => unpinned_note(hit, ledger, what),
            }
        },
    },
];

/// Programs that `npx` and the like find in the project itself.
const LOCAL: [&str; 34] = [
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

fn tool(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    let tool = hit.group("tool").unwrap_or_default();
    let package = hit.group("from").or(hit.group("package")).unwrap_or_default();
    let bare = package.trim_start_matches('@');
    let has_version = bare.contains('@') && !bare.ends_with("@latest") || bare.contains("==");
    let is_path = package.starts_with(['.', '/', '$', '{', '<', '-'])
        || (tool.starts_with("go") && !package.contains("github.com"));
    let is_word = package.len() < 3
        || package.ends_with('.')
        || ["command", "commands", "and", "with", "the", "for", "package"].contains(&package);
    if !(has_version || is_path || is_word || LOCAL.contains(&package)) {
        unpinned_note(hit, ledger, package);
    }
}

/// Whether a host is one of those where programs are published, each with its history.
fn is_forge(host: &str) -> bool {
    const FORGES: [&str; 12] = [
        "github.com",
        "githubusercontent.com",
        "gitlab.com",
        "bitbucket.org",
        "codeberg.org",
        "sr.ht",
        "huggingface.co",
        "pypi.org",
        "pythonhosted.org",
        "npmjs.org",
        "dev.azure.com",
        "pytorch.org",
    ];
    is_of(host, &FORGES)
}

fn unpinned_note(hit: &Hit<'_>, ledger: &mut Ledger<'_>, what: &str) {
    tell(hit, ledger, Level::Note, format!("fetches and runs whatever `{}` is today", shown(what)));
}

fn tell(hit: &Hit<'_>, ledger: &mut Ledger<'_>, level: Level, message: String) {
    let span =
        hit.group_span("package").or(hit.group_span("git")).or(hit.group_span("latest")).or(hit.group_span("archive"));
    let help = "name the version that was tried: `name@1.2.3`, `git+https://…@COMMIT`";
    ledger.tell(hit, Tell::new(&RULE, level, message, help).at(span));
}
