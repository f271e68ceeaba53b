//! SK7: security. Harm that a skill can do to the user who installs it.
//!
//! | file | rules |
//! |---|---|
//! | `hidden`, `disguise` | SK701-SK703, SK708: invisible characters and homoglyphs |
//! | `injection` | SK704-SK707: prompt injection |
//! | `remote_code` | SK710-SK712, SK723, SK730, SK741: remote code and instructions without review |
//! | `reverse_shells` | SK713 |
//! | `credentials`, `credential_theft`, `secrets` | SK714, SK714, SK715 |
//! | `endpoints` | SK716-SK718: untrusted addresses |
//! | `system`, `agents`, `footholds` | SK719-SK722, SK724, SK725: destruction, persistence, disabled safeguards |
//! | `prompt_instructions` | SK731-SK740: harmful instructions in plain language |
//! | `blob`, `typosquat`, `svg`, `program` | SK726, SK727, SK728, SK729 |
//! | `unread` | SK742: files that were not scanned |
//!
//! The patterns are the rows of the tables next to these files (`credentials.toml` and so on), which
//! the build script turns into Rust source. A row names the function that reports its matches.
//!
//! One pass over each file finds the trigger words of all patterns (`scan`); only around such a
//! word is a regular expression (`pattern`) matched against its window (`text`), and the level of a
//! match (`view`) depends on its context (`context`), by which the findings are weighed (`sink`): a
//! warning of an attack is not an attack. An obfuscated
//! file is scanned a second time without its obfuscation (`obfuscation`), and Markdown as it is
//! rendered (`rendered`).
//!
//! The patterns do not find everything. An instruction in plain language that is harmful only in
//! this situation, in a wording that is not in `prompt_instructions`, is not found: a skill without
//! findings is not proven safe.

mod agents;
mod blob;
mod context;
mod credential_theft;
mod credentials;
mod decoding;
mod disguise;
mod endpoints;
mod footholds;
mod hidden;
mod hidden_fix;
mod hosts;
mod injection;
mod literals;
mod obfuscation;
mod pattern;
mod program;
mod prompt_instructions;
mod redact;
mod remote_code;
mod rendered;
mod reverse_shells;
mod scan;
pub(crate) mod secrets;
pub(super) mod severity;
mod sink;
mod svg;
mod system;
mod text;
mod typosquat;
mod unread;
mod view;
mod words;

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use self::context::SkillTopic;
use self::scan::{PatternGroup, ScanPass, SecurityPattern};
use self::sink::FindingSink;
use self::text::TextKind;
use self::view::ScanView;
use crate::{
    FileContent, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, SkillFile,
};
use skillpm_core::report::DiagnosticLevel;

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[
    &hidden::TAG,
    &hidden::BIDI,
    &hidden::ZERO_WIDTH,
    &injection::OVERRIDE,
    &injection::CONCEAL,
    &injection::ROLE,
    &injection::COMMENT,
    &disguise::RULE,
    &remote_code::pipe::RULE,
    &remote_code::encoded::RULE,
    &remote_code::prerequisite::RULE,
    &reverse_shells::RULE,
    &credentials::RULE,
    &secrets::RULE,
    &endpoints::EXFIL,
    &endpoints::RAW_IP,
    &endpoints::SHORTENER,
    &system::DESTRUCTIVE,
    &system::PERSISTENCE,
    &agents::MEMORY,
    &agents::GUARDRAILS,
    &remote_code::unpinned::RULE,
    &agents::TOOLS,
    &agents::DYNAMIC,
    &blob::RULE,
    &typosquat::RULE,
    &svg::RULE,
    &program::RULE,
    &remote_code::remote_instructions::RULE,
    prompt_instructions::RULES[0],
    prompt_instructions::RULES[1],
    prompt_instructions::RULES[2],
    prompt_instructions::RULES[3],
    prompt_instructions::RULES[4],
    prompt_instructions::RULES[5],
    prompt_instructions::RULES[6],
    prompt_instructions::RULES[7],
    prompt_instructions::RULES[8],
    prompt_instructions::RULES[9],
    &remote_code::evaluated::RULE,
    &unread::RULE,
];

/// A rule that the scanner checks; the table names the scanner's first rule as its check.
const fn rule(
    code: &'static str,
    name: &'static str,
    level: DiagnosticLevel,
    summary: &'static str,
    docs: RuleDocs,
) -> Rule {
    Rule {
        code,
        name,
        level: Some(level),
        fix: FixAvailability::Never,
        summary,
        docs,
        check: RuleCheck::SharedWith("hidden-unicode-tag"),
    }
}

/// The patterns of a table, `NAME.toml`, as the build script writes them: one expression.
macro_rules! pattern_table {
    ($name:literal) => {
        include!(concat!(env!("OUT_DIR"), "/security/", $name, ".rs"))
    };
}
use pattern_table;

/// An example of a skill with these instructions.
macro_rules! body {
    ($body:expr) => {
        $crate::RuleExample::page(&[(
            "pdf/SKILL.md",
            $crate::ExampleFile::Text(concat!(
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF forms\n\n",
                $body
            )),
        )])
    };
}
use body;

/// Iterates over all patterns but those for instructions in plain language.
fn action_patterns() -> impl Iterator<Item = &'static SecurityPattern> {
    [
        injection::PATTERNS,
        remote_code::pipe::PATTERNS,
        remote_code::dns_answers::PATTERNS,
        remote_code::encoded::PATTERNS,
        remote_code::prerequisite::PATTERNS,
        remote_code::lure::PATTERNS,
        remote_code::unpinned::PATTERNS,
        remote_code::registries::PATTERNS,
        remote_code::evaluated::PATTERNS,
        remote_code::remote_instructions::PATTERNS,
        reverse_shells::PATTERNS,
        credentials::PATTERNS,
        credential_theft::PATTERNS,
        secrets::PATTERNS,
        endpoints::PATTERNS,
        system::PATTERNS,
        agents::PATTERNS,
        footholds::PATTERNS,
        svg::PATTERNS,
    ]
    .into_iter()
    .flatten()
}

/// Iterates over the patterns that match prose, where marks of emphasis and the like may be in
/// between.
fn prose_patterns() -> impl Iterator<Item = &'static SecurityPattern> {
    action_patterns().filter(|pattern| pattern.is_prose)
}

/// Size in bytes from which on a text is scanned while no other such text is.
const LARGE_TEXT: usize = 1 << 20;

static LARGE_TEXT_LOCK: Mutex<()> = Mutex::new(());

/// Scans every file of a skill.
fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let topic = SkillTopic::new(subject);
    let mut sinks = ScanSinks {
        actions: FindingSink::new(&topic),
        // Their trigger words are in every text, so `lint` searches them only on request.
        instructions: prompt_instructions::RULES
            .iter()
            .any(|rule| subject.is_enabled(rule))
            .then(|| FindingSink::new(&topic)),
    };

    // Each file by itself first: what is read in one may be sent in another.
    for file in &subject.skill.files {
        program::scan(file, &mut sinks.actions);
        if let Some(text) = readable_text(file) {
            check_text(&file.path, &text, &topic, &mut sinks);
        }
        if let FileContent::Large(size, head) = &file.content {
            unread::report_truncated(&file.path, *size, head.len(), &mut sinks.actions);
        }
    }

    // Uploads matter only in a skill that also reads a secret, so they are searched in a second
    // pass.
    let mut sink = sinks.actions;
    if sink.has_reads() {
        for file in &subject.skill.files {
            if let Some(text) = readable_text(file) {
                scan::scan(
                    PatternGroup::Actions,
                    &ScanView::plain(&file.path, &text),
                    ScanPass::Second,
                    &topic,
                    &mut sink,
                );
            }
        }
    }

    blob::check_bytecode(&subject.skill.files, &mut sink);
    agents::check(subject, &topic, &mut sink);
    typosquat::check(subject, &mut sink);
    sink.finish(found);
    if let Some(sink) = sinks.instructions {
        sink.finish(found);
    }
}

/// The findings of a skill by what is searched.
struct ScanSinks<'a> {
    actions: FindingSink<'a>,
    /// `None` if instructions in plain language are not searched.
    instructions: Option<FindingSink<'a>>,
}

fn check_text(path: &str, text: &str, topic: &SkillTopic<'_>, sinks: &mut ScanSinks<'_>) {
    // The copies made of a text take several times its memory, so large ones are scanned one after
    // another.
    let _alone = (text.len() > LARGE_TEXT).then(|| {
        LARGE_TEXT_LOCK
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    });

    // Most files are ASCII and have no hidden characters, which saves a pass.
    let is_ascii = text.is_ascii();
    let has_hidden = !is_ascii && hidden::scan(path, text, &mut sinks.actions);
    blob::scan(path, text, &mut sinks.actions);
    if !is_ascii || memchr::memchr(0x1b, text.as_bytes()).is_some() {
        disguise::scan(path, text, &mut sinks.actions);
    }

    let view = ScanView::plain(path, text);
    let is_obfuscated = scan_view(PatternGroup::Actions, &view, topic, sinks);
    scan_rendered(&view, topic, sinks);

    if has_hidden || is_obfuscated {
        // Matches that the original text has, too, are dropped when they are reported.
        let (plain, map) = obfuscation::deobfuscate(text);
        // Without a difference the second scan would find the same.
        if plain != text {
            let unmasked = ScanView::unmasked(path, text, &plain, &map);
            scan_view(PatternGroup::Actions, &unmasked, topic, sinks);
        }
    }
}

/// Scans a text for the patterns of a group and, if they are searched, for instructions. Returns whether something
/// in it is obfuscated.
fn scan_view(
    group: PatternGroup,
    view: &ScanView<'_>,
    topic: &SkillTopic<'_>,
    sinks: &mut ScanSinks<'_>,
) -> bool {
    if let Some(sink) = &mut sinks.instructions {
        scan::scan(
            PatternGroup::Instructions,
            view,
            ScanPass::First,
            topic,
            sink,
        );
    }
    scan::scan(group, view, ScanPass::First, topic, &mut sinks.actions)
}

/// Scans a Markdown page as it is rendered.
fn scan_rendered(written: &ScanView<'_>, topic: &SkillTopic<'_>, sinks: &mut ScanSinks<'_>) {
    if written.source.kind == TextKind::Markdown {
        let (text, map) = rendered::render_text(&written.source);
        // Plain text reads as it is written.
        if text != written.source.text {
            let rendered = ScanView::rendered(&written.source, &text, &map);
            scan_view(PatternGroup::Prose, &rendered, topic, sinks);
        }
    }
}

/// Returns the text of a file as a machine would read it: a script that is not valid UTF-8 still
/// runs.
fn readable_text(file: &SkillFile) -> Option<Cow<'_, str>> {
    match &file.content {
        FileContent::Text(text) => Some(Cow::Borrowed(text)),
        FileContent::Bytes(bytes) | FileContent::Large(_, bytes) => {
            decode_text(bytes, is_script(file)).map(Cow::Owned)
        }
        FileContent::Link(_) | FileContent::Special => None,
    }
}

/// Whether a file is run or read as text whatever bytes are in it: a shell skips NULs after the
/// first line.
fn is_script(file: &SkillFile) -> bool {
    const SCRIPTS: [&str; 14] = [
        "sh", "bash", "zsh", "fish", "ps1", "bat", "cmd", "md", "txt", "js", "mjs", "pl", "rb",
        "php",
    ];
    let head = file.head();
    // A NUL in the first line means a binary, whatever its extension.
    let line = &head[..memchr::memchr(b'\n', head).unwrap_or(head.len())];
    let has_script_extension = SCRIPTS
        .iter()
        .any(|ending| file.extension().eq_ignore_ascii_case(ending));

    !line.contains(&0) && (line.starts_with(b"#!") || has_script_extension)
}

/// Decodes bytes that are meant as text: UTF-16, or another encoding of which the ASCII part is
/// read.
fn decode_text(bytes: &[u8], is_script: bool) -> Option<String> {
    match bytes {
        // The byte order mark is no part of the text.
        [0xff, 0xfe, text @ ..] => return Some(decode_utf16(text, u16::from_le_bytes)),
        [0xfe, 0xff, text @ ..] => return Some(decode_utf16(text, u16::from_be_bytes)),
        // A NUL near the beginning means binary, much as git decides it.
        _ if !is_script && bytes.iter().take(8192).any(|byte| *byte == 0) => return None,
        _ => {}
    }

    // Each invalid byte becomes one ASCII character, so that every other keeps its position.
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(std::iter::repeat_n('?', chunk.invalid().len()));
    }
    Some(text)
}

fn decode_utf16(bytes: &[u8], read_unit: fn([u8; 2]) -> u16) -> String {
    let units: Vec<u16> = bytes
        .chunks_exact(2)
        .map(|pair| read_unit([pair[0], pair[1]]))
        .collect();
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
