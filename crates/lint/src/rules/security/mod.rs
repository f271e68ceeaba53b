//! SK7: security. What a skill would do to whoever trusts it.
//!
//! | file | rules |
//! |---|---|
//! | `hidden`, `disguise` | SK701-SK703, SK708: characters that people do not see, or take for others |
//! | `injection` | SK704-SK707: orders that the user would not give |
//! | `remote_code` | SK710-SK712, SK723, SK730, SK741: code and orders from elsewhere, unread |
//! | `shells`, `credentials`, `stolen`, `secrets` | SK713, SK714, SK714, SK715 |
//! | `endpoints` | SK716-SK718: addresses that nobody vouches for |
//! | `system`, `agents`, `footholds` | SK719-SK722, SK724, SK725: what is destroyed, what stays, what is switched off |
//! | `orders` | SK731-SK740: orders in plain language that no user would give |
//! | `blob`, `typosquat`, `svg`, `program` | SK726, SK727, SK728, SK729 |
//! | `unread` | SK742: what was not looked at |
//!
//! One pass over each file finds the words that such things cannot do without (`scan`); only where one stands is a
//! regular expression (`form`) held against what is around it (`text`), and what is found is weighed by what surrounds it
//! (`context`): a warning against a thing is not the thing. A file in disguise is looked at once more without it (`mask`),
//! and what is said in Markdown as it is shown (`rendered`).
//!
//! Words do not give everything away. An order in plain language to do something that is only harmful here and now, and of
//! which none of the forms of `orders` knows the wording, is not found; a skill without findings is not thereby safe.

mod agents;
mod blob;
mod context;
mod credentials;
mod disguise;
mod endpoints;
mod footholds;
mod form;
mod hidden;
mod hosts;
mod injection;
mod mask;
mod orders;
mod program;
mod remote_code;
mod rendered;
mod scan;
pub(crate) mod secrets;
pub(super) mod severity;
mod shells;
mod show;
mod stolen;
mod svg;
mod system;
mod text;
mod typosquat;
mod unread;
mod words;

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use self::context::About;
use self::scan::{Ledger, Look, Pattern, Round, View};
use self::text::Kind;
use crate::lint::{Check, Content, Docs, File, Fixes, Found, Rule, Subject};
use crate::report::Level;

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
    &shells::RULE,
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
    &remote_code::elsewhere::RULE,
    orders::RULES[0],
    orders::RULES[1],
    orders::RULES[2],
    orders::RULES[3],
    orders::RULES[4],
    orders::RULES[5],
    orders::RULES[6],
    orders::RULES[7],
    orders::RULES[8],
    orders::RULES[9],
    &remote_code::evaluated::RULE,
    &unread::RULE,
];

/// A rule that the scanner finds; its first rule stands for it in the table.
const fn rule(code: &'static str, name: &'static str, level: Level, summary: &'static str, docs: Docs) -> Rule {
    Rule { code, name, level: Some(level), fix: Fixes::Never, summary, docs, check: Check::With("hidden-unicode-tag") }
}

/// An example of a skill with these instructions.
macro_rules! body {
    ($body:expr) => {
        $crate::lint::Example::page(&[(
            "pdf/SKILL.md",
            $crate::lint::Piece::Text(concat!(
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF forms\n\n",
                $body
            )),
        )])
    };
}
use body;

/// What the scanner looks for, but for orders in plain language.
fn patterns() -> impl Iterator<Item = &'static Pattern> {
    [
        injection::PATTERNS,
        injection::MARKS,
        remote_code::pipe::PATTERNS,
        remote_code::named::PATTERNS,
        remote_code::encoded::PATTERNS,
        remote_code::prerequisite::PATTERNS,
        remote_code::lure::PATTERNS,
        remote_code::unpinned::PATTERNS,
        remote_code::registries::PATTERNS,
        remote_code::evaluated::PATTERNS,
        remote_code::elsewhere::PATTERNS,
        shells::PATTERNS,
        credentials::PATTERNS,
        stolen::PATTERNS,
        secrets::PATTERNS,
        endpoints::PATTERNS,
        endpoints::ORDERS,
        system::PATTERNS,
        agents::PATTERNS,
        agents::ORDERS,
        footholds::PATTERNS,
        svg::PATTERNS,
    ]
    .into_iter()
    .flatten()
}

/// What of it is said in prose, so that marks of emphasis and the like may be in between.
fn prose() -> impl Iterator<Item = &'static Pattern> {
    [
        injection::PATTERNS,
        remote_code::prerequisite::PATTERNS,
        remote_code::lure::PATTERNS,
        remote_code::elsewhere::PATTERNS,
        endpoints::ORDERS,
        agents::ORDERS,
    ]
    .into_iter()
    .flatten()
}

/// From how many bytes on a text is looked at while no other such text is.
const LARGE: usize = 1 << 20;

static ONE_LARGE: Mutex<()> = Mutex::new(());

/// Looks at every file of a skill.
fn check(subject: &Subject<'_>, found: &mut Found) {
    let about = About::new(subject);
    let mut ledger = Ledger::new(&about);
    for file in &subject.skill.files {
        program::scan(file, &mut ledger);
        if let Some(text) = readable(file) {
            check_text(&file.path, &text, &about, &mut ledger);
        }
        if let Content::Large(size, head) = &file.content {
            unread::too_large(&file.path, *size, head.len(), &mut ledger);
        }
    }
    if ledger.has_reads() {
        for file in &subject.skill.files {
            if let Some(text) = readable(file) {
                scan::scan(Look::Deeds, &View::plain(&file.path, &text), Round::Second, &about, &mut ledger);
            }
        }
    }
    agents::check(subject, &about, &mut ledger);
    typosquat::check(subject, &mut ledger);
    ledger.finish(found);
}

/// Looks for orders in plain language: words that every text has, so that `lint` does so only where it is asked to.
fn check_orders(subject: &Subject<'_>, found: &mut Found) {
    let about = About::new(subject);
    let mut ledger = Ledger::new(&about);
    for file in &subject.skill.files {
        let Some(text) = readable(file) else { continue };
        let (path, look) = (&file.path, Look::Orders);
        let view = View::plain(path, &text);
        let is_disguised = scan::scan(look, &view, Round::First, &about, &mut ledger);
        as_shown(look, &view, &about, &mut ledger);
        if is_disguised {
            let (plain, map) = mask::take_off(&text);
            scan::scan(look, &View::unmasked(path, &text, &plain, &map), Round::First, &about, &mut ledger);
        }
    }
    ledger.finish(found);
}

fn check_text(path: &str, text: &str, about: &About<'_>, ledger: &mut Ledger<'_>) {
    // What is made of a text takes several times its memory, so large ones are looked at one after another.
    let _alone = (text.len() > LARGE).then(|| ONE_LARGE.lock().unwrap_or_else(PoisonError::into_inner));

    let is_ascii = text.is_ascii();
    let hides = !is_ascii && hidden::scan(path, text, ledger);
    blob::scan(path, text, ledger);
    if !is_ascii || memchr::memchr(0x1b, text.as_bytes()).is_some() {
        disguise::scan(path, text, ledger);
    }
    let view = View::plain(path, text);
    let disguised = scan::scan(Look::Deeds, &view, Round::First, about, ledger);
    as_shown(Look::Prose, &view, about, ledger);
    if hides || disguised {
        let (plain, map) = mask::take_off(text);
        if plain != text {
            scan::scan(Look::Deeds, &View::unmasked(path, text, &plain, &map), Round::First, about, ledger);
        }
    }
}

/// Looks at what is said in a page of Markdown as it is shown.
fn as_shown(look: Look, written: &View<'_>, about: &About<'_>, ledger: &mut Ledger<'_>) {
    if written.source.kind == Kind::Markdown {
        let (text, map) = rendered::rendered(&written.source);
        if text != written.source.text {
            scan::scan(look, &View::rendered(&written.source, &text, &map), Round::First, about, ledger);
        }
    }
}

/// The text of a file as a machine would read it: what is not quite UTF-8 still runs.
fn readable(file: &File) -> Option<Cow<'_, str>> {
    match &file.content {
        Content::Text(text) => Some(Cow::Borrowed(text)),
        Content::Bytes(bytes) | Content::Large(_, bytes) => text_of(bytes, is_script(file)).map(Cow::Owned),
        Content::Link(_) | Content::Special => None,
    }
}

/// Whether a file is run or read as text whatever bytes are in it: a shell passes over NULs after the first line.
fn is_script(file: &File) -> bool {
    const SCRIPTS: [&str; 14] =
        ["sh", "bash", "zsh", "fish", "ps1", "bat", "cmd", "md", "txt", "js", "mjs", "pl", "rb", "php"];
    let head = file.head();
    let line = &head[..memchr::memchr(b'\n', head).unwrap_or(head.len())];
    let is_called_so = SCRIPTS.iter().any(|ending| file.extension().eq_ignore_ascii_case(ending));
    !line.contains(&0) && (line.starts_with(b"#!") || is_called_so)
}

/// Bytes as text, if they are meant as such: UTF-16, or some other encoding of which the ASCII part is read.
fn text_of(bytes: &[u8], is_script: bool) -> Option<String> {
    let wide = |of: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| of([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, ..] => return Some(wide(u16::from_le_bytes)),
        [0xfe, 0xff, ..] => return Some(wide(u16::from_be_bytes)),
        _ if !is_script && bytes.iter().take(8192).any(|byte| *byte == 0) => return None,
        _ => {}
    }
    // Each byte that is none of UTF-8's becomes one of ASCII, so that every other keeps its place.
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(std::iter::repeat_n('?', chunk.invalid().len()));
    }
    Some(text)
}

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
