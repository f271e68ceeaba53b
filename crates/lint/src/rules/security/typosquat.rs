//! SK727: names that resemble those of well-known skills.

use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization as _;

use super::obfuscation;
use super::redact::redact_text;
use super::rule;
use super::sink::FindingSink;
use crate::{ExampleFile, LintSubject, Rule, RuleDocs, RuleExample};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = rule(
    "SK727",
    "typosquat",
    DiagnosticLevel::Warning,
    "the name resembles that of a well-known skill (typosquatting)",
    RuleDocs {
        finds: "Names that differ from a well-known skill's in one letter (left out, added, \
               replaced, or two swapped), or that only look the same (letters of other scripts, \
               `0` for `o`, `rn` for `m`). Short names and plurals are not compared.",
        hurts: "A user who mistypes a name, or reads it quickly, gets another author's skill. In \
               one collection there were thirteen such pairs.",
        ignore: "Names that are words of their own.",
        bad: &[RuleExample::page(&[(
            "sklil-creator/SKILL.md",
            ExampleFile::Text(
                "---\nname: sklil-creator\ndescription: Write new skills. Use when a skill is to be made.\n---\n\nWrite it.\n",
            ),
        )])],
        good: &[RuleExample::page(&[(
            "skill-creator/SKILL.md",
            ExampleFile::Text(
                "---\nname: skill-creator\ndescription: Write new skills. Use when a skill is to be made.\n---\n\nWrite it.\n",
            ),
        )])],
    },
);

/// Well-known skills: those of agent vendors and of large collections.
const KNOWN_SKILLS: &[&str] = &[
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

/// Fewest characters of a name that a typo does not turn into another word.
const TYPO_LENGTH_MIN: usize = 7;

/// Compares the skill's name with well-known names.
pub(super) fn check(subject: &LintSubject<'_>, sink: &mut FindingSink<'_>) {
    let Some(page) = &subject.page else { return };
    let Some(skill) = page.skill() else { return };
    let Some((known, why)) = lookalike_of(&skill.name) else {
        return;
    };

    let message = format!(
        "`{}` resembles the well-known skill `{known}`: {why}",
        redact_text(&skill.name)
    );
    let mut diagnostic = RULE.finding(message).help(
        "choose a name that cannot be mistaken for another; a scope does not help users who mistype it",
    );

    if let Some(node) = page
        .frontmatter
        .as_ref()
        .and_then(|found| found.root.get("name"))
    {
        diagnostic = diagnostic.at(node.span.clone(), page.source);
    }

    sink.report_as_is(&RULE, diagnostic.level, page.path, || diagnostic);
}

/// Returns the well-known name that a name resembles, and how; `None` if there is none, or the name
/// is well known itself.
pub(super) fn lookalike_of(name: &str) -> Option<(&'static str, &'static str)> {
    let name: String = name.nfkc().collect::<String>().to_lowercase();
    // The well-known skill itself resembles its own name.
    if KNOWN_SKILLS.contains(&name.as_str()) {
        return None;
    }

    let name_shape = shape_of(&name);
    // Typos are compared in ASCII; other names by their shape.
    let may_slip = name.is_ascii();
    for (known, shape) in KNOWN_SHAPES.iter() {
        if *shape == name_shape {
            return Some((known, "it looks the same"));
        }
        // In short names one letter makes another word: `pdf` and `pdb`.
        let is_near =
            may_slip && known.len() >= TYPO_LENGTH_MIN && known.len().abs_diff(name.len()) <= 1;
        if is_near && is_one_typo(name.as_bytes(), known.as_bytes()) {
            return Some((known, "it differs in one letter"));
        }
    }

    None
}

/// Well-known names, with their shapes.
static KNOWN_SHAPES: LazyLock<Vec<(&str, String)>> = LazyLock::new(|| {
    KNOWN_SKILLS
        .iter()
        .map(|known| (*known, shape_of(known)))
        .collect()
});

/// Returns the shape of a name: the same for names that look the same at a glance.
fn shape_of(name: &str) -> String {
    let latin: String = name
        .chars()
        .map(|c| obfuscation::to_latin(c).unwrap_or(c).to_ascii_lowercase())
        // Separators are overlooked when a name is read.
        .filter(|c| !matches!(c, '-' | '_' | '.'))
        .collect();

    latin
        .replace('0', "o")
        .replace(['1', 'l'], "i")
        .replace("rn", "m")
        .replace("vv", "w")
        .replace('5', "s")
}

/// Whether one typo leads from one name to the other; a plural is not a typo.
fn is_one_typo(name: &[u8], known: &[u8]) -> bool {
    // One typo leaves the same beginning, and the same end after it.
    let same = name.iter().zip(known).take_while(|(a, b)| a == b).count();
    let (rest, wanted) = (&name[same..], &known[same..]);

    // A digit or a new part makes another name.
    let is_distinctive = |byte: u8| byte.is_ascii_digit() || byte == b'-';
    // These endings make another word, too: `reviews`, `reviewer`.
    let ends = |tail: &[u8]| matches!(tail, [b's' | b'r' | b'd' | b'y' | b'e']) || is_plural(tail);

    match (rest, wanted) {
        // One character too many.
        ([more, tail @ ..], wanted) if tail == wanted => !is_distinctive(*more) && !ends(rest),
        // One too few.
        (rest, [_, tail @ ..]) if tail == rest => !ends(wanted),
        // Two of them swapped.
        ([a, b, tail @ ..], [c, d, other @ ..]) if a == d && b == c => tail == other,
        // Another one in its place.
        ([a, tail @ ..], [b, other @ ..]) => {
            !tail.is_empty() && tail == other && !is_distinctive(*a) && !is_distinctive(*b)
        }
        _ => false,
    }
}

/// Whether the additional letter makes a plural: `gh-fixs-ci` from `gh-fix-ci`.
fn is_plural(rest: &[u8]) -> bool {
    rest.starts_with(b"s-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alike_names_are_found() {
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
            assert_eq!(
                lookalike_of(name).map(|found| found.0),
                Some(known),
                "{name}"
            );
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
            assert_eq!(lookalike_of(name), None, "{name}");
        }
        assert!(KNOWN_SKILLS.is_sorted() || !KNOWN_SKILLS.is_empty());
    }
}
