//! Checks names as people write them: what is invalid, exactly where, and which name was meant.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::package::SkillName;
use crate::report::{Diagnostic, DiagnosticFix, DiagnosticLevel, FixApplicability, Span};

use super::SkillFrontmatter;
use super::rename::rename_fix;
use super::yaml::YamlNode;

/// Longest name, in characters.
///
/// See <https://agentskills.io/specification#name-field>.
pub const NAME_MAX: usize = 64;

const NAME_HELP: &str =
    "a name is 1 to 64 of a-z, 0-9 and single hyphens inside, such as `pdf-forms`";
const REFUSED_NOTE: &str = "agents load it as is; the official validator rejects it, and skillpm installs no skill under such a name";

/// Whether the official validator counts a character as a letter or a number: general category L* or N*.
///
/// That is `str.isalnum` of Python. Rust's own test also accepts vowel signs and circled letters.
#[must_use]
pub fn is_letter_or_number(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || (c.is_alphanumeric()
            && !is_combining_mark(c)
            && !matches!(c, '\u{24B6}'..='\u{24E9}' | '\u{1F130}'..='\u{1F189}'))
}

/// A name in lower case, in Unicode's composed form, with one hyphen for each run of other characters; `None` if the
/// result is empty or longer than [`NAME_MAX`].
#[must_use]
pub fn to_kebab_case(name: &str) -> Option<String> {
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

/// A text as messages show it: printable, and at most [`NAME_MAX`] characters.
#[must_use]
pub fn shorten_for_display(name: &str) -> String {
    match name.char_indices().nth(NAME_MAX) {
        Some((end, _)) => format!("{}…", escape_invisible(&name[..end])),
        None => escape_invisible(name),
    }
}

/// A text with its invisible characters escaped, such as `\u{200b}`.
fn escape_invisible(text: &str) -> String {
    text.chars()
        .fold(String::with_capacity(text.len()), |mut shown, c| {
            match c {
                '\'' | '"' | '\\' => shown.push(c),
                _ => shown.extend(c.escape_debug()),
            }
            shown
        })
}

/// A name with its frontmatter and directory.
pub(super) struct WrittenName<'a> {
    pub(super) source: &'a str,
    /// The name of the directory, empty if that is not known.
    pub(super) directory: &'a str,
    pub(super) frontmatter: &'a SkillFrontmatter<'a>,
    /// The name, trimmed.
    pub(super) name: &'a str,
    /// Its value in the frontmatter.
    pub(super) node: &'a YamlNode<'a>,
}

/// What the specification does not allow in a name, and where it is there.
struct ShapeFault {
    rule: &'static str,
    message: String,
    parts: Vec<Range<usize>>,
}

impl WrittenName<'_> {
    /// Reports how the name differs from the specification, and from the directory's name.
    pub(super) fn check(&self, diagnostics: &mut Vec<Diagnostic>) {
        if self.name.parse::<SkillName>().is_ok()
            && (self.directory.is_empty() || self.name == self.directory)
        {
            // The common case.
            return;
        }

        self.check_shape(diagnostics);
        // Characters beyond ASCII are reported once: as invalid, or as letters on which agents
        // differ.
        if !self.name.is_ascii() && self.bad_characters().is_empty() {
            diagnostics.push(self.non_ascii_diagnostic());
        }
        // In composed form: a file system may return the directory's name decomposed.
        if !self.directory.is_empty() && !self.name.nfkc().eq(self.directory.nfkc()) {
            diagnostics.push(self.mismatch_diagnostic());
        }
    }

    /// Reports characters, hyphens and lengths that the specification does not allow.
    fn check_shape(&self, diagnostics: &mut Vec<Diagnostic>) {
        let faults = self.find_shape_faults();
        if faults.is_empty() && self.length() <= NAME_MAX {
            return;
        }

        // One fix for all findings, since it replaces the name as a whole.
        let fix = self.suggested_fix();
        for fault in faults {
            let found = Diagnostic::new(fault.rule, DiagnosticLevel::Error, fault.message)
                .help(NAME_HELP)
                .note(REFUSED_NOTE);
            let mut found = self.locate(found, &fault.parts);
            found.fix.clone_from(&fix);
            diagnostics.push(found);
        }

        if self.length() > NAME_MAX {
            diagnostics.push(self.too_long_diagnostic());
        }
    }

    /// The faults of its characters and hyphens.
    fn find_shape_faults(&self) -> Vec<ShapeFault> {
        let name = shorten_for_display(self.name);
        // Not `is_uppercase`: what counts is whether the text differs in lower case.
        let capitals = runs_of(self.name, |c| c.to_lowercase().ne([c]));
        let mut doubled = runs_of(self.name, |c| c == '-');
        doubled.retain(|part| part.len() > 1);

        let mut faults = vec![
            ShapeFault {
                rule: "name-uppercase",
                message: format!("the name `{name}` has capital letters"),
                parts: capitals,
            },
            ShapeFault {
                rule: "name-hyphen-edge",
                message: format!("the name `{name}` begins or ends with a hyphen"),
                parts: self.edge_hyphens(),
            },
            ShapeFault {
                rule: "name-double-hyphen",
                message: format!("consecutive hyphens in the name `{name}`"),
                parts: doubled,
            },
        ];
        faults.retain(|fault| !fault.parts.is_empty());

        let bad = self.bad_characters();
        if !bad.is_empty() {
            let listed = list_characters(bad.iter().map(|part| &self.name[part.clone()]));
            let fault = ShapeFault {
                rule: "name-invalid-chars",
                message: format!("invalid characters in the name `{name}`: {listed}"),
                parts: bad,
            };
            faults.insert(0, fault);
        }

        faults
    }

    fn too_long_diagnostic(&self) -> Diagnostic {
        let message = format!(
            "the name has {} characters; the limit is {NAME_MAX}",
            self.length()
        );
        // A ligature is several letters once composed, so that the written name itself may be short
        // enough; then all of it is marked.
        let over = self
            .name
            .char_indices()
            .nth(NAME_MAX)
            .map_or(0, |(at, _)| at);

        let found = Diagnostic::new("name-too-long", DiagnosticLevel::Error, message)
            .help(NAME_HELP)
            .note("Codex does not list a skill whose name is longer");
        let over = over..self.name.len();
        self.locate(found, &[over])
    }

    /// Its length in characters, as the official validator counts.
    fn length(&self) -> usize {
        self.name.nfkc().count()
    }

    /// Runs of characters that are neither letters, numbers nor hyphens, once composed.
    fn bad_characters(&self) -> Vec<Range<usize>> {
        let mut bad: Vec<Range<usize>> = Vec::new();
        let mut start = 0;
        while let Some(first) = self.name[start..].chars().next() {
            let after = &self.name[start + first.len_utf8()..];
            // A combining mark is tested with its letter, since the two may compose to one letter.
            let marks = after.len() - after.trim_start_matches(is_combining_mark).len();
            let end = start + first.len_utf8() + marks;

            if self.name[start..end]
                .nfkc()
                .any(|c| !is_letter_or_number(c) && c != '-')
            {
                match bad.last_mut() {
                    Some(last) if last.end == start => last.end = end,
                    _ => bad.push(start..end),
                }
            }
            start = end;
        }

        bad
    }

    fn edge_hyphens(&self) -> Vec<Range<usize>> {
        let runs = runs_of(self.name, |c| c == '-');
        runs.into_iter()
            .filter(|run| run.start == 0 || run.end == self.name.len())
            .collect()
    }

    /// The fix that makes the name valid: the directory's name, if that differs in spelling only.
    fn suggested_fix(&self) -> Option<DiagnosticFix> {
        // A mark that composes with nothing would become a hyphen in the middle of a word.
        if self.name.nfkc().any(is_combining_mark) {
            return None;
        }

        let kebab = to_kebab_case(self.name)?;
        let bare = |name: &str| name.replace('-', "");
        // `pdfforms` in the directory `pdf-forms`: the directory has the better spelling.
        let is_directory_name =
            self.directory.parse::<SkillName>().is_ok() && bare(self.directory) == bare(&kebab);
        let to = if is_directory_name {
            self.directory
        } else {
            &kebab
        };

        // Unsafe: users call the skill by its name, and other skills, plugins and settings refer to it.
        rename_fix(self.source, self.frontmatter, to, FixApplicability::Unsafe)
    }

    fn non_ascii_diagnostic(&self) -> Diagnostic {
        let message = format!(
            "the name `{}` has letters other than a-z",
            shorten_for_display(self.name)
        );
        let note = "the specification's text allows a-z and 0-9 only; its validator accepts every letter, and agents differ";
        let mut foreign = runs_of(self.name, |c| !c.is_ascii());

        for run in foreign
            .iter_mut()
            .filter(|run| self.name[run.start..].starts_with(is_combining_mark))
        {
            // Includes the letter that the mark belongs to.
            run.start -= self.name[..run.start]
                .chars()
                .next_back()
                .map_or(0, char::len_utf8);
        }

        self.locate(
            Diagnostic::new("name-non-ascii", DiagnosticLevel::Warning, message).note(note),
            &foreign,
        )
    }

    fn mismatch_diagnostic(&self) -> Diagnostic {
        let (name, directory) = (
            shorten_for_display(self.name),
            shorten_for_display(self.directory),
        );

        let message = match compare_names(self.name, self.directory) {
            NameDifference::Case => {
                format!(
                    "the name `{name}` does not match the directory `{directory}`: they differ in case"
                )
            }
            NameDifference::Spelling => {
                format!(
                    "the name `{name}` does not match the directory `{directory}`: they differ in spelling only"
                )
            }
            NameDifference::DirectoryHasMore(more) => {
                format!(
                    "the name `{name}` does not match the directory `{directory}`, which adds `{}`",
                    shorten_for_display(&more)
                )
            }
            NameDifference::NameHasMore(more) => {
                format!(
                    "the name `{name}` does not match the directory `{directory}`: it adds `{}`",
                    shorten_for_display(&more)
                )
            }
            NameDifference::None => {
                format!("the name `{name}` does not match the directory `{directory}`")
            }
        };

        let finding = Diagnostic::new("name-directory-mismatch", DiagnosticLevel::Warning, message)
            .note(
                "Codex, Gemini CLI, OpenCode and OpenClaw list it by its name, Claude Code by its directory; the \
                 specification requires the two to match",
            )
            .help(self.mismatch_help());

        let whole = 0..self.name.len();
        let mut finding = self.locate(finding, std::slice::from_ref(&whole));
        // Only to a name that is valid: else one finding is exchanged for another.
        if self.directory.parse::<SkillName>().is_ok() {
            finding.fix = rename_fix(
                self.source,
                self.frontmatter,
                self.directory,
                FixApplicability::Unsafe,
            );
        }

        finding
    }

    /// The help for a mismatch: which of the two to rename, as far as the other is valid.
    fn mismatch_help(&self) -> String {
        let [name, directory] =
            [self.name, self.directory].map(|name| name.parse::<SkillName>().ok());

        match (name, directory) {
            (Some(name), Some(directory)) => {
                format!(
                    "rename one of them: the directory to `{name}`, or the skill to `{directory}`"
                )
            }
            (Some(name), None) => format!("rename the directory to `{name}`"),
            (None, Some(directory)) => format!("rename the skill to `{directory}`"),
            (None, None) => format!(
                "rename both to `{}`",
                to_kebab_case(self.name).unwrap_or_else(|| "pdf-forms".to_owned())
            ),
        }
    }

    /// Sets the span of a finding to the first of some parts of the name, with labels for the others.
    fn locate(&self, mut finding: Diagnostic, parts: &[Range<usize>]) -> Diagnostic {
        let text = self.node.text().unwrap_or_default();
        let indent = text.len() - text.trim_start().len();
        let place = |part: &Range<usize>| {
            self.node
                .text_span(self.source, part.start + indent..part.end + indent)
        };
        let places: Option<Vec<Span>> = parts.iter().map(place).collect();

        // Where text and source cannot be matched, the value is marked as a whole.
        let Some((first, others)) = places.as_deref().and_then(<[Span]>::split_first) else {
            return finding.at(self.node.span.clone(), self.source);
        };

        for other in others {
            finding = finding.label(other.clone(), "and here");
        }

        finding.at(first.clone(), self.source)
    }
}

/// How two names that are not equal differ.
#[derive(Debug, PartialEq, Eq)]
enum NameDifference {
    Case,
    Spelling,
    /// The directory's is the skill's and this.
    DirectoryHasMore(String),
    /// The skill's is the directory's and this.
    NameHasMore(String),
    None,
}

fn compare_names(name: &str, directory: &str) -> NameDifference {
    if name.to_lowercase() == directory.to_lowercase() {
        return NameDifference::Case;
    }

    // From here on capitals, spaces and underscores make no difference.
    let (Some(name), Some(directory)) = (to_kebab_case(name), to_kebab_case(directory)) else {
        return NameDifference::None;
    };

    if name == directory {
        return NameDifference::Spelling;
    }

    match (
        find_additional_words(&directory, &name),
        find_additional_words(&name, &directory),
    ) {
        (Some(more), _) => NameDifference::DirectoryHasMore(more.to_owned()),
        (_, Some(more)) => NameDifference::NameHasMore(more.to_owned()),
        _ => NameDifference::None,
    }
}

/// The whole words that a name has more than another, at one end.
fn find_additional_words<'n>(long: &'n str, short: &str) -> Option<&'n str> {
    let at_end = long
        .strip_prefix(short)
        .filter(|rest| rest.starts_with('-'));
    let at_start = long.strip_suffix(short).filter(|rest| rest.ends_with('-'));
    at_end.or(at_start)
}

/// Runs of characters for which `is` returns true.
fn runs_of(text: &str, is: impl Fn(char) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| is(*c)) {
        match runs.last_mut() {
            Some(last) if last.end == at => last.end += c.len_utf8(),
            _ => runs.push(at..at + c.len_utf8()),
        }
    }
    runs
}

/// Lists the characters of some texts, each once.
fn list_characters<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut characters: Vec<String> = Vec::new();
    for c in texts.flat_map(str::chars) {
        let one = match c {
            ' ' => "a space".to_owned(),
            '\t' => "a tab".to_owned(),
            '\n' | '\r' => "a line break".to_owned(),
            '`' => "a backtick".to_owned(),
            _ => format!("`{}`", escape_invisible(c.encode_utf8(&mut [0; 4]))),
        };
        if !characters.contains(&one) {
            characters.push(one);
        }
    }

    match characters.as_slice() {
        [one] => one.clone(),
        [first @ .., last] if first.len() < 4 => format!("{} and {last}", first.join(", ")),
        _ => format!("{} and other characters", characters[..3].join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use crate::report::{FixApplicability, FixChange};
    use crate::skill::read_str;

    use super::*;

    /// Each finding of a name as `rule «text»«other text»`, and the name after the fix with a `?` if that guesses.
    fn found(name: &str, directory: &str) -> Vec<String> {
        let source = format!("---\nname: {name}\ndescription: d\n---\n");
        let render = |found: Diagnostic| {
            let spans = found
                .span
                .iter()
                .chain(found.labels.iter().map(|label| &label.span));
            let mut line = found.rule.clone() + " ";
            line.extend(spans.map(|span| format!("«{}»", &source[span.clone()])));
            if let Some(fix) = found.fix {
                for change in &fix.changes {
                    let FixChange::Edit { content, .. } = change else {
                        unreachable!()
                    };
                    line.extend([
                        " → ",
                        content,
                        if fix.applicability == FixApplicability::Unsafe {
                            "?"
                        } else {
                            ""
                        },
                    ]);
                }
            }
            line
        };
        read_str(&source, directory)
            .diagnostics
            .into_iter()
            .map(render)
            .collect()
    }

    #[test]
    fn each_fault_is_reported_at_its_position_and_fixed() {
        for (name, directory, expected) in [
            ("pdf", "pdf", &[][..]),
            (
                "my_pdf tool",
                "",
                &["name-invalid-chars «_»« » → my-pdf-tool?"],
            ),
            (
                "'it''s_so'",
                "",
                &["name-invalid-chars «''»«_» → 'it-s-so'?"],
            ),
            ("PDF-Tools", "", &["name-uppercase «PDF»«T» → pdf-tools?"]),
            ("\"-a-\"", "", &["name-hyphen-edge «-»«-» → \"a\"?"]),
            ("a--b--c", "", &["name-double-hyphen «--»«--» → a-b-c?"]),
            // The directory knows where the words end.
            (
                "PdfTools",
                "pdf-tools",
                &[
                    "name-uppercase «P»«T» → pdf-tools?",
                    "name-directory-mismatch «PdfTools» → pdf-tools?",
                ],
            ),
            ("acme/pdf", "", &["name-invalid-chars «/» → acme-pdf?"]),
            ("a\u{200B}b", "", &["name-invalid-chars «\u{200B}» → a-b?"]),
            // A vowel sign is not a letter there, and a hyphen cannot replace it.
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
        assert_eq!(
            found(&"é".repeat(64), ""),
            [format!("name-non-ascii «{}»", "é".repeat(64))]
        );
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
    fn names_are_compared_by_kind_of_difference() {
        assert_eq!(compare_names("PDF", "pdf"), NameDifference::Case);
        assert_eq!(
            compare_names("My Tool", "my_tool"),
            NameDifference::Spelling
        );
        assert_eq!(
            compare_names("pdf", "acme-pdf"),
            NameDifference::DirectoryHasMore("acme-".into())
        );
        assert_eq!(
            compare_names("pdf-tools", "pdf"),
            NameDifference::NameHasMore("-tools".into())
        );
        assert_eq!(compare_names("pdfs", "pdf"), NameDifference::None);
    }

    #[test]
    fn characters_are_listed_by_name() {
        assert_eq!(
            list_characters(["_", " ", "_"].into_iter()),
            "`_` and a space"
        );
        assert_eq!(list_characters(["\u{200B}"].into_iter()), "`\\u{200b}`");
        assert_eq!(
            list_characters(["!?;:."].into_iter()),
            "`!`, `?`, `;` and other characters"
        );
    }
}
