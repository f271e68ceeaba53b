//! Names as people write them: what is wrong with one, exactly where, and what was meant.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::package::SkillName;
use crate::report::{Applicability, Diagnostic, Fix, Level, Span};

use super::Frontmatter;
use super::rename::renaming;
use super::yaml::Node;

/// Longest name, in characters.
///
/// See <https://agentskills.io/specification#name-field>.
pub const NAME_MAX: usize = 64;

const HELP: &str = "a name is 1 to 64 of a-z, 0-9 and single hyphens inside, such as `pdf-forms`";
const REFUSED: &str =
    "agents load it as it is; the official validator refuses it, and nothing is installed under such a name";

/// Whether a character is a letter or a number in the official validator's eyes: general category L* or N*.
///
/// That is `str.isalnum` of Python. Rust's own test also takes vowel signs and circled letters for letters.
#[must_use]
pub fn is_letter_or_number(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || (c.is_alphanumeric()
            && !is_combining_mark(c)
            && !matches!(c, '\u{24B6}'..='\u{24E9}' | '\u{1F130}'..='\u{1F189}'))
}

/// A name in lower case, in Unicode's composed form, with one hyphen for whatever may not stand in it; `None` if nothing
/// is left of it, or too much.
#[must_use]
pub fn kebab(name: &str) -> Option<String> {
    let mut kebab = String::new();
    for c in name.nfkc().flat_map(char::to_lowercase) {
        if is_letter_or_number(c) {
            kebab.push(c);
        } else if !kebab.is_empty() && !kebab.ends_with('-') {
            kebab.push('-');
        }
    }
    kebab.truncate(kebab.trim_end_matches('-').len());
    (!kebab.is_empty() && kebab.chars().count() <= NAME_MAX).then_some(kebab)
}

/// A text as messages show it: printable, and no longer than a line takes.
#[must_use]
pub fn shown(name: &str) -> String {
    match name.char_indices().nth(NAME_MAX) {
        Some((end, _)) => format!("{}…", printable(&name[..end])),
        None => printable(name),
    }
}

/// A text without characters that cannot be seen: they are written as `\u{200b}`.
fn printable(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, c| {
        match c {
            '\'' | '"' | '\\' => shown.push(c),
            _ => shown.extend(c.escape_debug()),
        }
        shown
    })
}

/// A name with the place it stands in.
pub(super) struct Written<'a> {
    pub(super) source: &'a str,
    /// The name of the directory, empty if that is not known.
    pub(super) directory: &'a str,
    pub(super) frontmatter: &'a Frontmatter<'a>,
    /// The name, trimmed.
    pub(super) name: &'a str,
    /// Its value in the frontmatter.
    pub(super) node: &'a Node<'a>,
}

impl Written<'_> {
    /// Says in what the name differs from those of the specification, and from the directory's.
    pub(super) fn check(&self, diagnostics: &mut Vec<Diagnostic>) {
        if self.name.parse::<SkillName>().is_ok() && (self.directory.is_empty() || self.name == self.directory) {
            // As nearly all are.
            return;
        }
        self.shape(diagnostics);
        if !self.name.is_ascii() && self.bad_characters().is_empty() {
            diagnostics.push(self.beyond_ascii());
        }
        if !self.directory.is_empty() && !self.name.nfkc().eq(self.directory.nfkc()) {
            diagnostics.push(self.mismatch());
        }
    }

    /// What no name may have.
    fn shape(&self, diagnostics: &mut Vec<Diagnostic>) {
        let name = shown(self.name);
        let mut faults = Vec::new();
        let bad = self.bad_characters();
        if !bad.is_empty() {
            let message = format!("the name `{name}` holds {}", told(bad.iter().map(|part| &self.name[part.clone()])));
            faults.push(("name-invalid-chars", message, bad));
        }
        let capitals = runs(self.name, |c| c.to_lowercase().ne([c]));
        if !capitals.is_empty() {
            faults.push(("name-uppercase", format!("the name `{name}` has capital letters"), capitals));
        }
        let edges = self.edges();
        if !edges.is_empty() {
            faults.push(("name-hyphen-edge", format!("a hyphen stands at an end of the name `{name}`"), edges));
        }
        let mut doubled = runs(self.name, |c| c == '-');
        doubled.retain(|part| part.len() > 1);
        if !doubled.is_empty() {
            faults.push(("name-double-hyphen", format!("two hyphens stand together in the name `{name}`"), doubled));
        }
        if faults.is_empty() && self.length() <= NAME_MAX {
            return;
        }
        let fix = self.mended();
        for (rule, message, parts) in faults {
            let mut finding = self.at(Diagnostic::new(rule, Level::Error, message).help(HELP).note(REFUSED), &parts);
            finding.fix.clone_from(&fix);
            diagnostics.push(finding);
        }
        if self.length() > NAME_MAX {
            let message = format!("the name has {} characters; the limit is {NAME_MAX}", self.length());
            let finding = Diagnostic::new("name-too-long", Level::Error, message).help(HELP);
            let over = self.name.char_indices().nth(NAME_MAX).map_or(0, |(at, _)| at);
            let over = over..self.name.len();
            diagnostics.push(self.at(finding.note("Codex does not list a skill whose name is longer"), &[over]));
        }
    }

    /// Its length as the official validator counts.
    fn length(&self) -> usize {
        self.name.nfkc().count()
    }

    /// Runs of characters that are neither letters, numbers nor hyphens, once composed.
    fn bad_characters(&self) -> Vec<Range<usize>> {
        let mut bad: Vec<Range<usize>> = Vec::new();
        let mut start = 0;
        while let Some(first) = self.name[start..].chars().next() {
            let after = &self.name[start + first.len_utf8()..];
            let marks = after.len() - after.trim_start_matches(is_combining_mark).len();
            let end = start + first.len_utf8() + marks;
            if self.name[start..end].nfkc().any(|c| !is_letter_or_number(c) && c != '-') {
                match bad.last_mut() {
                    Some(last) if last.end == start => last.end = end,
                    _ => bad.push(start..end),
                }
            }
            start = end;
        }
        bad
    }

    fn edges(&self) -> Vec<Range<usize>> {
        let runs = runs(self.name, |c| c == '-');
        runs.into_iter().filter(|run| run.start == 0 || run.end == self.name.len()).collect()
    }

    /// The fix that makes it a name: the directory's, if that is it in better spelling.
    fn mended(&self) -> Option<Fix> {
        if self.name.nfkc().any(is_combining_mark) {
            return None;
        }
        let kebab = kebab(self.name)?;
        let bare = |name: &str| name.replace('-', "");
        let directorys = self.directory.parse::<SkillName>().is_ok() && bare(self.directory) == bare(&kebab);
        let to = if directorys { self.directory } else { &kebab };
        // What looks like a path or a prefix may mean one part only.
        let guessed = !directorys && self.name.contains(['/', '\\', ':']);
        let applicability = if guessed { Applicability::Unsafe } else { Applicability::Safe };
        renaming(self.source, self.frontmatter, to, applicability)
    }

    fn beyond_ascii(&self) -> Diagnostic {
        let message = format!("the name `{}` has letters other than a-z", shown(self.name));
        let note = "the specification's text allows a-z and 0-9 only; its validator takes every letter, agents differ";
        let mut foreign = runs(self.name, |c| !c.is_ascii());
        for run in foreign.iter_mut().filter(|run| self.name[run.start..].starts_with(is_combining_mark)) {
            // With the letter that the mark is put on.
            run.start -= self.name[..run.start].chars().next_back().map_or(0, char::len_utf8);
        }
        self.at(Diagnostic::new("name-non-ascii", Level::Warning, message).note(note), &foreign)
    }

    fn mismatch(&self) -> Diagnostic {
        let (name, directory) = (shown(self.name), shown(self.directory));
        let message = match likeness(self.name, self.directory) {
            Likeness::Case => {
                format!("the name `{name}` is not that of the directory, `{directory}`: they differ in case")
            }
            Likeness::Spelling => {
                format!("the name `{name}` is not that of the directory, `{directory}`: they differ in spelling only")
            }
            Likeness::DirectoryHasMore(more) => {
                format!("the name `{name}` is not that of the directory, `{directory}`, which adds `{}`", shown(&more))
            }
            Likeness::NameHasMore(more) => {
                format!("the name `{name}` adds `{}` to that of the directory, `{directory}`", shown(&more))
            }
            Likeness::None => format!("the name `{name}` is not that of the directory, `{directory}`"),
        };
        let finding = Diagnostic::new("name-directory-mismatch", Level::Warning, message)
            .note(
                "Codex, Gemini CLI, OpenCode and OpenClaw list it under the one, Claude Code calls it by the other; the \
                 specification wants them equal",
            )
            .help(self.one_name());
        let whole = 0..self.name.len();
        let mut finding = self.at(finding, std::slice::from_ref(&whole));
        if self.directory.parse::<SkillName>().is_ok() {
            finding.fix = renaming(self.source, self.frontmatter, self.directory, Applicability::Unsafe);
        }
        finding
    }

    /// What to call both, as far as that is a name.
    fn one_name(&self) -> String {
        let [name, directory] = [self.name, self.directory].map(|name| name.parse::<SkillName>().ok());
        match (name, directory) {
            (Some(name), Some(directory)) => {
                format!("rename one of them: the directory to `{name}`, or the skill to `{directory}`")
            }
            (Some(name), None) => format!("rename the directory to `{name}`"),
            (None, Some(directory)) => format!("rename the skill to `{directory}`"),
            (None, None) => format!("call both `{}`", kebab(self.name).unwrap_or_else(|| "pdf-forms".to_owned())),
        }
    }

    /// Puts a finding where parts of the name stand: at the first, with labels for the others.
    fn at(&self, mut finding: Diagnostic, parts: &[Range<usize>]) -> Diagnostic {
        let text = self.node.text().unwrap_or_default();
        let blanks = text.len() - text.trim_start().len();
        let place = |part: &Range<usize>| self.node.place_of(self.source, part.start + blanks..part.end + blanks);
        let places: Option<Vec<Span>> = parts.iter().map(place).collect();
        let Some((first, others)) = places.as_deref().and_then(<[Span]>::split_first) else {
            return finding.at(self.node.span.clone(), self.source);
        };
        for other in others {
            finding = finding.label(other.clone(), "and here");
        }
        finding.at(first.clone(), self.source)
    }
}

/// What two names that are not equal have in common.
#[derive(Debug, PartialEq, Eq)]
enum Likeness {
    Case,
    Spelling,
    /// The directory's is the skill's and this.
    DirectoryHasMore(String),
    /// The skill's is the directory's and this.
    NameHasMore(String),
    None,
}

fn likeness(name: &str, directory: &str) -> Likeness {
    if name.to_lowercase() == directory.to_lowercase() {
        return Likeness::Case;
    }
    let (Some(name), Some(directory)) = (kebab(name), kebab(directory)) else { return Likeness::None };
    if name == directory {
        return Likeness::Spelling;
    }
    // Whole words, at one end.
    let more = |long: &str, short: &str| {
        let at_end = long.strip_prefix(short).filter(|rest| rest.starts_with('-'));
        let at_start = long.strip_suffix(short).filter(|rest| rest.ends_with('-'));
        at_end.or(at_start).map(str::to_owned)
    };
    match (more(&directory, &name), more(&name, &directory)) {
        (Some(more), _) => Likeness::DirectoryHasMore(more),
        (_, Some(more)) => Likeness::NameHasMore(more),
        _ => Likeness::None,
    }
}

/// Runs of characters that are of a sort.
fn runs(text: &str, is: impl Fn(char) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| is(*c)) {
        match runs.last_mut() {
            Some(last) if last.end == at => last.end += c.len_utf8(),
            _ => runs.push(at..at + c.len_utf8()),
        }
    }
    runs
}

/// Says which characters there are in some texts, each once.
fn told<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut told: Vec<String> = Vec::new();
    for c in texts.flat_map(str::chars) {
        let one = match c {
            ' ' => "a space".to_owned(),
            '\t' => "a tab".to_owned(),
            '\n' | '\r' => "a line break".to_owned(),
            '`' => "a backtick".to_owned(),
            _ => format!("`{}`", printable(c.encode_utf8(&mut [0; 4]))),
        };
        if !told.contains(&one) {
            told.push(one);
        }
    }
    match told.as_slice() {
        [one] => one.clone(),
        [first @ .., last] if first.len() < 4 => format!("{} and {last}", first.join(", ")),
        _ => format!("{} and other characters", told[..3].join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use crate::report::{Applicability, Change};
    use crate::skill::read_str;

    use super::*;

    /// Each finding of a name as `rule «text»«other text»`, and the name after the fix with a `?` if that guesses.
    fn found(name: &str, directory: &str) -> Vec<String> {
        let source = format!("---\nname: {name}\ndescription: d\n---\n");
        let tell = |found: Diagnostic| {
            let spans = found.span.iter().chain(found.labels.iter().map(|label| &label.span));
            let mut told = found.rule.clone() + " ";
            told.extend(spans.map(|span| format!("«{}»", &source[span.clone()])));
            if let Some(fix) = found.fix {
                for change in &fix.changes {
                    let Change::Edit { content, .. } = change else { unreachable!() };
                    told.extend([" → ", content, if fix.applicability == Applicability::Unsafe { "?" } else { "" }]);
                }
            }
            told
        };
        read_str(&source, directory).diagnostics.into_iter().map(tell).collect()
    }

    #[test]
    fn each_fault_is_shown_where_it_stands_and_mended() {
        for (name, directory, expected) in [
            ("pdf", "pdf", &[][..]),
            ("my_pdf tool", "", &["name-invalid-chars «_»« » → my-pdf-tool"]),
            ("'it''s_so'", "", &["name-invalid-chars «''»«_» → 'it-s-so'"]),
            ("PDF-Tools", "", &["name-uppercase «PDF»«T» → pdf-tools"]),
            ("\"-a-\"", "", &["name-hyphen-edge «-»«-» → \"a\""]),
            ("a--b--c", "", &["name-double-hyphen «--»«--» → a-b-c"]),
            // The directory knows where the words end.
            (
                "PdfTools",
                "pdf-tools",
                &["name-uppercase «P»«T» → pdf-tools", "name-directory-mismatch «PdfTools» → pdf-tools?"],
            ),
            ("acme/pdf", "", &["name-invalid-chars «/» → acme-pdf?"]),
            ("a\u{200B}b", "", &["name-invalid-chars «\u{200B}» → a-b"]),
            // A vowel sign is no letter there, and no hyphen can stand for it.
            ("हिन्दी", "", &["name-invalid-chars «हिन्दी»"]),
            ("démo", "", &["name-non-ascii «é»"]),
            ("de\u{301}mo", "de\u{301}mo", &["name-non-ascii «e\u{301}»"]),
            ("other", "pdf", &["name-directory-mismatch «other» → pdf?"]),
            ("other", "P D F", &["name-directory-mismatch «other»"]),
        ] {
            assert_eq!(found(name, directory), expected, "{name}");
        }
    }

    #[test]
    fn a_long_name_is_shown_from_where_it_is_too_long() {
        let name = "x".repeat(64) + "yz";
        assert_eq!(found(&name, ""), ["name-too-long «yz»"]);
        assert_eq!(found(&"é".repeat(64), ""), [format!("name-non-ascii «{}»", "é".repeat(64))]);
    }

    #[test]
    fn letters_are_those_of_the_official_validator() {
        for (c, is) in [
            ('a', true),
            ('é', true),
            ('日', true),
            ('ⅷ', true),
            ('²', true),
            ('Ⓐ', false),
            ('🅐', false),
            ('\u{93f}', false),
            ('\u{345}', false),
            ('_', false),
            ('\u{200B}', false),
        ] {
            assert_eq!(is_letter_or_number(c), is, "{c}");
        }
    }

    #[test]
    fn names_that_differ_say_in_what() {
        assert_eq!(likeness("PDF", "pdf"), Likeness::Case);
        assert_eq!(likeness("My Tool", "my_tool"), Likeness::Spelling);
        assert_eq!(likeness("pdf", "acme-pdf"), Likeness::DirectoryHasMore("acme-".into()));
        assert_eq!(likeness("pdf-tools", "pdf"), Likeness::NameHasMore("-tools".into()));
        assert_eq!(likeness("pdfs", "pdf"), Likeness::None);
    }

    #[test]
    fn characters_are_told_by_what_they_are() {
        assert_eq!(told(["_", " ", "_"].into_iter()), "`_` and a space");
        assert_eq!(told(["\u{200B}"].into_iter()), "`\\u{200b}`");
        assert_eq!(told(["!?;:."].into_iter()), "`!`, `?`, `;` and other characters");
    }
}
