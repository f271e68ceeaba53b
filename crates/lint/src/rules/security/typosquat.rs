//! SK727: names that pass for others.

use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization as _;

use super::mask;
use super::rule;
use super::scan::Ledger;
use super::show::shown;
use crate::lint::{Docs, Example, Piece, Rule, Subject};
use crate::report::Level;

pub(super) static RULE: Rule = rule(
    "SK727",
    "typosquat",
    Level::Warning,
    "the name passes for a well-known skill's",
    Docs {
        finds: "Names that differ from a well-known skill's in one letter (left out, added, replaced, or two swapped), or that only look the same \
                (letters of other scripts, `0` for `o`, `rn` for `m`). Short names and plurals are not compared.",
        hurts: "Whoever mistypes a name, or reads it quickly, gets somebody else's skill. In one collection there were thirteen such pairs.",
        ignore: "Names that are words of their own.",
        bad: &[Example::page(&[(
            "sklil-creator/SKILL.md",
            Piece::Text(
                "---\nname: sklil-creator\ndescription: Write new skills. Use when a skill is to be made.\n---\n\nWrite it.\n",
            ),
        )])],
        good: &[Example::page(&[(
            "skill-creator/SKILL.md",
            Piece::Text(
                "---\nname: skill-creator\ndescription: Write new skills. Use when a skill is to be made.\n---\n\nWrite it.\n",
            ),
        )])],
    },
);

/// Skills that many know by name: those of vendors of agents and of large collections.
const KNOWN: &[&str] = &[
    "agent-browser",
    "agent-development",
    "algorithmic-art",
    "apple-notes",
    "apple-reminders",
    "architecture-patterns",
    "artifacts-builder",
    "aspnet-core",
    "atlas",
    "auth-implementation-patterns",
    "better-auth",
    "blogwatcher",
    "brainstorming",
    "brand-guidelines",
    "building-native-ui",
    "bluebubbles",
    "camsnap",
    "canvas-design",
    "chatgpt-apps",
    "changelog-generator",
    "claude-api",
    "clawhub",
    "cloudflare-deploy",
    "code-review",
    "codebase-search",
    "coding-agent",
    "command-development",
    "competitive-ads-extractor",
    "composition-patterns",
    "content-research-writer",
    "create-agentsmd",
    "csharp-async",
    "deep-research",
    "develop-web-game",
    "developer-growth-analysis",
    "dispatching-parallel-agents",
    "doc-coauthoring",
    "document-skills",
    "domain-name-brainstormer",
    "e2e-testing-patterns",
    "eightctl",
    "executing-plans",
    "fastapi-templates",
    "figma-implement-design",
    "file-organizer",
    "find-skills",
    "finishing-a-development-branch",
    "food-order",
    "frontend-design",
    "frontend-skill",
    "gemini",
    "gh-address-comments",
    "gh-fix-ci",
    "gh-issues",
    "gifgrep",
    "github",
    "git-commit",
    "git-worktrees",
    "healthcheck",
    "himalaya",
    "hook-development",
    "image-enhancer",
    "imagegen",
    "internal-comms",
    "invoice-organizer",
    "javascript-testing-patterns",
    "jupyter-notebook",
    "lead-research-assistant",
    "linear",
    "mcp-builder",
    "mcp-integration",
    "mcporter",
    "meeting-insights-analyzer",
    "model-usage",
    "nano-banana-pro",
    "nano-pdf",
    "netlify-deploy",
    "next-best-practices",
    "nodejs-backend-patterns",
    "notion",
    "notion-knowledge-capture",
    "notion-meeting-intelligence",
    "notion-research-documentation",
    "notion-spec-to-implementation",
    "obsidian",
    "openai-docs",
    "openai-image-gen",
    "openai-whisper",
    "openai-whisper-api",
    "openhue",
    "oracle",
    "ordercli",
    "peekaboo",
    "playwright",
    "playwright-cli",
    "plugin-development",
    "postgresql-table-design",
    "prompt-engineering-patterns",
    "python-testing-patterns",
    "raffle-winner-picker",
    "react-best-practices",
    "react-native-best-practices",
    "receiving-code-review",
    "remotion-best-practices",
    "render-deploy",
    "requesting-code-review",
    "security-best-practices",
    "security-ownership-map",
    "security-threat-model",
    "sentry",
    "session-logs",
    "seo-audit",
    "shadcn-ui",
    "skill-creator",
    "skill-development",
    "skill-installer",
    "skill-share",
    "slack-gif-creator",
    "songsee",
    "sonoscli",
    "speech",
    "spotify-player",
    "spreadsheet",
    "subagent-driven-development",
    "summarize",
    "supabase-postgres-best-practices",
    "systematic-debugging",
    "tailored-resume-generator",
    "tailwind-design-system",
    "template-skill",
    "test-driven-development",
    "theme-factory",
    "things-mac",
    "transcribe",
    "twilio-communications",
    "ui-ux-pro-max",
    "using-git-worktrees",
    "using-superpowers",
    "vercel-deploy",
    "vercel-react-best-practices",
    "verification-before-completion",
    "video-downloader",
    "video-frames",
    "voice-call",
    "wacli",
    "weather",
    "web-artifacts-builder",
    "web-design-guidelines",
    "webapp-testing",
    "writing-plans",
    "writing-skills",
    "yeet",
    "youtube-transcript",
];

/// Fewest characters of a name that one letter does not make another word.
const LONG: usize = 7;

/// Holds the skill's name against those that many know.
pub(super) fn check(subject: &Subject<'_>, ledger: &mut Ledger<'_>) {
    let Some(page) = &subject.page else { return };
    let Some(skill) = page.skill() else { return };
    let Some((known, why)) = passes_for(&skill.name) else { return };
    let message = format!("`{}` passes for `{known}`: {why}", shown(&skill.name));
    let mut diagnostic = RULE
        .finding(message)
        .help("give it a name that nobody takes for another; a scope does not help those who mistype it");
    if let Some(node) = page.frontmatter.as_ref().and_then(|found| found.root.get("name")) {
        diagnostic = diagnostic.at(node.span.clone(), page.source);
    }
    ledger.tell_as_is(&RULE, diagnostic.level, page.path, || diagnostic);
}

/// The well-known name that another passes for, and how; `None` if it does not, or is well known itself.
pub(super) fn passes_for(name: &str) -> Option<(&'static str, &'static str)> {
    let name: String = name.nfkc().collect::<String>().to_lowercase();
    if KNOWN.contains(&name.as_str()) {
        return None;
    }
    let seen = looks(&name);
    let may_slip = name.is_ascii();
    LOOKS.iter().find_map(|(known, look)| {
        if *look == seen {
            return Some((*known, "it looks the same"));
        }
        let is_near = may_slip && known.len() >= LONG && known.len().abs_diff(name.len()) <= 1;
        (is_near && is_one_off(name.as_bytes(), known.as_bytes())).then_some((*known, "it differs in one letter"))
    })
}

/// Well-known names, and how they look.
static LOOKS: LazyLock<Vec<(&str, String)>> =
    LazyLock::new(|| KNOWN.iter().map(|known| (*known, looks(known))).collect());

/// A name as it looks at a glance.
fn looks(name: &str) -> String {
    let latin: String = name
        .chars()
        .map(|c| mask::latin(c).unwrap_or(c).to_ascii_lowercase())
        .filter(|c| !matches!(c, '-' | '_' | '.'))
        .collect();
    latin.replace('0', "o").replace(['1', 'l'], "i").replace("rn", "m").replace("vv", "w").replace('5', "s")
}

/// Whether one typing error leads from one name to the other; a plural is none.
fn is_one_off(name: &[u8], known: &[u8]) -> bool {
    let same = name.iter().zip(known).take_while(|(a, b)| a == b).count();
    let (rest, wanted) = (&name[same..], &known[same..]);
    // A figure or an ending says something.
    let says = |byte: u8| byte.is_ascii_digit() || byte == b'-';
    // Nor are these a slip at the end of a name: `reviews`, `reviewer`.
    let ends = |tail: &[u8]| matches!(tail, [b's' | b'r' | b'd' | b'y' | b'e']) || is_plural(tail);
    match (rest, wanted) {
        ([more, tail @ ..], wanted) if tail == wanted => !says(*more) && !ends(rest),
        (rest, [_, tail @ ..]) if tail == rest => !ends(wanted),
        ([a, b, tail @ ..], [c, d, other @ ..]) if a == d && b == c => tail == other,
        ([a, tail @ ..], [b, other @ ..]) => !tail.is_empty() && tail == other && !says(*a) && !says(*b),
        _ => false,
    }
}

/// Whether the letter more ends a word in the plural: `gh-fixs-ci` from `gh-fix-ci`.
fn is_plural(rest: &[u8]) -> bool {
    rest.starts_with(b"s-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_pass_for_others_are_told_from_those_that_do_not() {
        for (name, known) in [
            ("skil-creator", "skill-creator"),
            ("skill-craetor", "skill-creator"),
            ("skill-creat0r", "skill-creator"),
            ("mcp-bui1der", "mcp-builder"),
            ("fr\u{43e}ntend-design", "frontend-design"),
            ("systematic-debuging", "systematic-debugging"),
            ("brainstormingg", "brainstorming"),
            ("skillcreator", "skill-creator"),
            ("clawhob", "clawhub"),
        ] {
            assert_eq!(passes_for(name).map(|found| found.0), Some(known), "{name}");
        }
        for name in [
            "skill-creator",
            "code-reviewer",
            "code-reviews",
            "brainstorming-2",
            "writing-plan",
            "atlast",
            "linear",
            "pdf",
            "git-commits",
            "test-driven-development-2",
        ] {
            assert_eq!(passes_for(name), None, "{name}");
        }
        assert!(KNOWN.is_sorted() || !KNOWN.is_empty());
    }
}
