//! Markdown links that are broken, or work only on some machines.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use super::anchor::MarkdownAnchors;
use super::link_target::{PathTypo, ResolvedLink, exists_in_skill, relative_path, resolve_link};
use super::nearest_file_name;
use crate::markdown::{MarkdownLink, MarkdownText};
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, SkillDir,
};
use skillpm_core::package::resolve_under;
use skillpm_core::report::{Diagnostic, DiagnosticFix, DiagnosticLevel, FixApplicability};

pub(super) static BROKEN: Rule = Rule {
    code: "SK501",
    name: "broken-link",
    // An error in `SKILL.md` only: what that promises, agents try to read.
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Unsafely,
    summary: "a link points to a file that does not exist",
    docs: RuleDocs {
        finds: "A Markdown link or image with a relative path that is neither a file nor a directory of the skill, \
            resolved from the file with the link and from the skill's root. Code, HTML comments and placeholder paths \
            (`path/to/x`, `{name}.md`, `...`) are ignored. In files other than `SKILL.md` it is a warning.",
        hurts: "An agent reads a linked file when it needs it. If the file does not exist, the call is wasted, and \
            the agent guesses its content.",
        ignore: "The file is created when the skill is used.",
        bad: &[
            page_and!(
                "Fields are told in [the reference](references/field.md).\n",
                ("pdf/references/fields.md", ExampleFile::Text("# Fields\n"))
            ),
            page_only!("![what it looks like](assets/form.png)\n"),
            page_only!("See [forms].\n\n[forms]: references/forms.md\n"),
        ],
        // Code, comments and placeholders are not links to follow.
        good: &[
            page_and!(
                "Fields are told in [the reference](references/fields.md#names).\n",
                (
                    "pdf/references/fields.md",
                    ExampleFile::Text(
                        "# Fields\n\n## Names\n\nBack to [the skill](../SKILL.md).\n"
                    )
                )
            ),
            page_only!(
                "Write `[name](references/forms.md)`, or like [this](path/to/file.md) and [that](references/{topic}.md).\n\n<!-- [old](old.md) -->\n"
            ),
        ],
    },
    check: RuleCheck::Skill(check),
};

pub(super) static ESCAPES: Rule = Rule {
    code: "SK503",
    name: "link-escapes-skill",
    // A warning: in its own repository the link works, so its author does not see the fault.
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "a link points outside the skill's directory",
    docs: RuleDocs {
        finds: "A relative link that leaves the directory of the skill with `../`.",
        hurts: "A skill is installed alone: other files of its repository are not installed with it. The link works \
            for its author and for no one else.",
        ignore: "The skills of the collection are always installed together, in the same layout.",
        bad: &[page_only!(
            "Colours are told in [the style](../house-style/SKILL.md).\n"
        )],
        good: &[page_and!(
            "Colours are told in [the style](references/style.md).\n",
            (
                "pdf/references/style.md",
                ExampleFile::Text("Back to [the skill](../SKILL.md).\n")
            )
        )],
    },
    check: RuleCheck::SharedWith("broken-link"),
};

pub(super) static ABSOLUTE: Rule = Rule {
    code: "SK504",
    name: "absolute-link",
    level: Some(DiagnosticLevel::Warning),
    // Unsafe: a file of the skill with this path may not be the one that was meant.
    fix: FixAvailability::Unsafely,
    summary: "a link has an absolute path",
    docs: RuleDocs {
        finds: "A link to `/path`, `~/path`, `C:\\path` or `file://…`.",
        hurts: "It points to the root of the reader's own disk or site, where the file does not exist.",
        ignore: "The file has the same path on every relevant machine, such as `/etc/hosts`.",
        bad: &[
            page_and!(
                "See [the fields](/references/fields.md).\n",
                ("pdf/references/fields.md", ExampleFile::Text("# Fields\n"))
            ),
            page_only!("See [the fields](file:///home/ann/pdf/fields.md).\n"),
        ],
        good: &[
            page_and!(
                "See [the fields](references/fields.md).\n",
                ("pdf/references/fields.md", ExampleFile::Text("# Fields\n"))
            ),
            page_only!("See [the manual](//acme.dev/manual).\n"),
        ],
    },
    check: RuleCheck::SharedWith("broken-link"),
};

pub(super) static CASE: Rule = Rule {
    code: "SK506",
    name: "link-case-mismatch",
    level: Some(DiagnosticLevel::Warning),
    // Safe: the file exists, and its real name works on every system.
    fix: FixAvailability::Safely,
    summary: "a link differs in case from the name of its file",
    docs: RuleDocs {
        finds: "A link to a file whose name differs in upper and lower case.",
        hurts: "The link works on macOS and Windows, but is broken on Linux, where most agents in containers run.",
        ignore: "Never: correct the case of the link.",
        bad: &[page_and!(
            "See [the fields](references/fields.md).\n",
            ("pdf/references/Fields.md", ExampleFile::Text("# Fields\n"))
        )],
        good: &[page_and!(
            "See [the fields](references/Fields.md).\n",
            ("pdf/references/Fields.md", ExampleFile::Text("# Fields\n"))
        )],
    },
    check: RuleCheck::SharedWith("broken-link"),
};

pub(super) static ANCHOR: Rule = Rule {
    code: "SK507",
    name: "broken-anchor",
    // A note: agents read the whole file anyway.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "a link points to a section that does not exist",
    docs: RuleDocs {
        finds: "A link with `#section` to a Markdown file without a heading that GitHub gives this anchor, and \
            without an HTML element with this `id` or `name`.",
        hurts: "Agents read the whole file and usually find the section; people who follow the link land at the top.",
        ignore: "The site that renders the file generates other anchors.",
        bad: &[
            page_only!("See [the steps](#steps).\n\n## All steps\n"),
            page_and!(
                "See [names](references/fields.md#names).\n",
                ("pdf/references/fields.md", ExampleFile::Text("# Fields\n"))
            ),
        ],
        good: &[
            page_only!(
                "See [the steps](#all-steps) and [their end](#the-end).\n\n## All steps\n\n<a id=\"the-end\"></a>\n"
            ),
            page_and!(
                "See [names](references/fields.md#names).\n",
                (
                    "pdf/references/fields.md",
                    ExampleFile::Text("# Fields\n\nNames\n-----\n")
                )
            ),
        ],
    },
    check: RuleCheck::SharedWith("broken-link"),
};

/// A Markdown file whose links are checked.
struct LinkChecker<'a, 's> {
    skill: &'a SkillDir,
    path: &'a str,
    dir: &'a str,
    source: &'a str,
    is_page: bool,
    /// The anchors of each text checked so far, by the address of the text.
    anchors: &'s RefCell<HashMap<*const u8, MarkdownAnchors<'a>>>,
}

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let skill = subject.skill;
    let anchors = RefCell::default();
    if let Some(page) = &subject.page {
        let text = LinkChecker {
            skill,
            path: page.path,
            dir: "",
            source: page.source,
            is_page: true,
            anchors: &anchors,
        };

        // The scan is much cheaper than parsing, and most files have no link that looks broken.
        if text.may_have_faults(page.body_start()) {
            text.check_links(page.markdown(), found);
        }
    }

    let page = subject.page.as_ref().map(|page| page.path);
    for file in &skill.files {
        let Some(source) = file
            .text()
            .filter(|_| is_read_in_place(&file.path) && Some(file.path.as_str()) != page)
        else {
            continue;
        };

        let dir = file.path.rsplit_once('/').map_or("", |(dir, _)| dir);
        let text = LinkChecker {
            skill,
            path: &file.path,
            dir,
            source,
            is_page: false,
            anchors: &anchors,
        };

        if text.may_have_faults(0) {
            text.check_links(&MarkdownText::parse(source, 0), found);
        }
    }
}

/// Directories of files that are copied elsewhere, or not intended to be read.
const COPIED_DIRECTORIES: [&str; 10] = [
    "assets",
    "templates",
    "template",
    "examples",
    "example",
    "fixtures",
    "tests",
    "test",
    "evals",
    "samples",
];

/// Whether a path is Markdown that agents read in place: links of files to copy are relative to their destination.
pub(super) fn is_read_in_place(path: &str) -> bool {
    let is_markdown = path.rsplit_once('.').is_some_and(|(_, end)| {
        ["md", "markdown"]
            .iter()
            .any(|one| end.eq_ignore_ascii_case(one))
    });

    let is_copied = || {
        path.split('/')
            .rev()
            .skip(1)
            .any(|dir| COPIED_DIRECTORIES.contains(&dir))
    };

    is_markdown && !path.to_ascii_lowercase().contains("template") && !is_copied()
}

/// The longest link target that is checked, in bytes.
const TARGET_MAX: usize = 1024;

/// What looks like the target of a link after the bracket `]` at `at`; `None` for a URL, since nothing in the skill is to
/// be checked then.
fn find_target(text: &str, at: usize) -> Option<&str> {
    // Lines and targets of limited length: searching for the ends of longer ones at each bracket is quadratic.
    let near = &text[text.floor_char_boundary(at.saturating_sub(TARGET_MAX))..at];
    let rest = match text.as_bytes().get(at + 1) {
        Some(b'(') => &text[at + 2..],
        Some(b':')
            if near[near.rfind('\n').map_or(0, |line| line + 1)..]
                .trim_start()
                .starts_with('[') =>
        {
            &text[at + 2..]
        }
        _ => return None,
    };

    let rest = rest[..rest.floor_char_boundary(TARGET_MAX)].trim_start();
    if rest.starts_with("https://") || rest.starts_with("http://") {
        return None;
    }

    let (rest, is_end): (&str, fn(char) -> bool) = match rest.strip_prefix('<') {
        Some(rest) => (rest, |c| c == '>'),
        None => (rest, |c| c == ')' || c.is_whitespace()),
    };
    let end = rest.find(is_end).unwrap_or(rest.len());
    Some(&rest[..end])
}

impl<'a> LinkChecker<'a, '_> {
    /// Whether anything that looks like a link looks broken, in code or not: most files have nothing such, and need not be
    /// parsed.
    fn may_have_faults(&self, start: usize) -> bool {
        let text = &self.source[start..];
        memchr::memchr_iter(b']', text.as_bytes())
            .filter_map(|at| find_target(text, at))
            .any(|target| self.is_fault(target))
    }

    fn is_fault(&self, target: &str) -> bool {
        if let Some(anchor) = target.strip_prefix('#') {
            return !anchor.is_empty() && !self.has_anchor(self.source, anchor);
        }
        match resolve_link(self.skill, self.dir, target) {
            ResolvedLink::Unchecked => false,
            ResolvedLink::Existing { path, anchor } => self.lacks_anchor(&path, anchor),
            _ => true,
        }
    }

    /// Whether a Markdown file has no such anchor.
    fn lacks_anchor(&self, path: &str, anchor: &str) -> bool {
        let text = || {
            self.skill
                .file(path)
                .filter(|file| is_read_in_place(&file.path))?
                .text()
        };
        !anchor.is_empty() && text().is_some_and(|text| !self.has_anchor(text, anchor))
    }

    /// Whether a text has this anchor.
    fn has_anchor(&self, text: &'a str, anchor: &str) -> bool {
        self.anchors
            .borrow_mut()
            // By address, as hashing the text would cost as much as the search.
            .entry(text.as_ptr())
            .or_insert_with(|| MarkdownAnchors::new(text))
            .contains(anchor)
    }

    fn check_links(&self, markdown: &MarkdownText<'_>, found: &mut FindingList) {
        let mut reported = HashSet::new();
        for link in &markdown.links {
            // Many links may refer to one definition.
            if !reported.insert(link.target_span.start) {
                continue;
            }
            if let Some(diagnostic) = self.check_link(link) {
                found.add(self.path, diagnostic);
            }
        }
    }

    fn check_link(&self, link: &MarkdownLink<'_>) -> Option<Diagnostic> {
        let target = link.target.as_ref();
        if let Some(anchor) = target.strip_prefix('#') {
            let is_missing = !anchor.is_empty() && !self.has_anchor(self.source, anchor);
            return is_missing.then(|| anchor_finding(link, anchor, "this file"));
        }

        match resolve_link(self.skill, self.dir, target) {
            ResolvedLink::Unchecked => None,
            ResolvedLink::Existing { path, anchor } => self
                .lacks_anchor(&path, anchor)
                .then(|| anchor_finding(link, anchor, &format!("`{path}`"))),
            ResolvedLink::NearMiss { typo, path } => {
                let finding = match typo {
                    PathTypo::Case => case_finding(target, &path),
                    PathTypo::Backslash => {
                        super::backslash::finding(&display_target(target), &path)
                    }
                };
                Some(
                    finding
                        .at_bytes(link.target_span.clone())
                        .fix(self.path_fix(link, &path, FixApplicability::Safe)),
                )
            }
            ResolvedLink::Missing { path } => Some(self.broken_finding(link, &path)),
            ResolvedLink::Outside => {
                Some(outside_finding(target).at_bytes(link.target_span.clone()))
            }
            ResolvedLink::Absolute => Some(self.absolute_finding(link)),
        }
    }

    /// The fix that writes another path as the target of a link.
    fn path_fix(
        &self,
        link: &MarkdownLink<'_>,
        path: &str,
        applicability: FixApplicability,
    ) -> DiagnosticFix {
        DiagnosticFix::edit(
            applicability,
            format!("write `{path}`"),
            link.target_span.clone(),
            self.encode_path(link, path),
        )
    }

    fn broken_finding(&self, link: &MarkdownLink<'_>, path: &str) -> Diagnostic {
        let what = if link.is_image {
            "the image"
        } else {
            "the link"
        };
        let message = format!(
            "{what} points to `{}`, which does not exist",
            display_target(path)
        );
        let mut finding = BROKEN.finding(message).at_bytes(link.target_span.clone());
        // Agents read other files less often, so a broken link in them is less severe.
        if !self.is_page {
            finding.level = DiagnosticLevel::Warning;
        }

        let Some(meant) = self.find_meant_file(path) else {
            return finding.help("add the file, or remove the link");
        };

        let meant = relative_path(self.dir, meant);
        // Unsafe: another file may be the right one, or the missing file may be forgotten.
        let fix = self.path_fix(link, &meant, FixApplicability::Unsafe);
        finding.help(format!("did you mean `{meant}`?")).fix(fix)
    }

    /// The file that was probably meant: the one with the same name elsewhere, else the one with the most similar name.
    fn find_meant_file(&self, path: &str) -> Option<&'a str> {
        let (dir, wanted) = split_path(path);
        let mut same = self
            .other_paths()
            .filter(|other| split_path(other).1.eq_ignore_ascii_case(wanted));
        // A second file of that name would make it a guess.
        if let (Some(one), None) = (same.next(), same.next()) {
            return Some(one);
        }

        // A typo changes the name, rarely the directory.
        let siblings = self
            .other_paths()
            .filter(|other| split_path(other).0 == dir);
        let near = nearest_file_name(wanted, siblings.map(|other| split_path(other).1))?;
        self.other_paths()
            .find(|other| split_path(other) == (dir, near))
    }

    fn other_paths(&self) -> impl Iterator<Item = &'a str> {
        self.skill
            .files
            .iter()
            .map(|file| file.path.as_str())
            .filter(|other| *other != self.path)
    }

    fn absolute_finding(&self, link: &MarkdownLink<'_>) -> Diagnostic {
        let target = link.target.as_ref();
        let message = format!(
            "the link has an absolute path: `{}`",
            display_target(target)
        );
        let finding = ABSOLUTE.finding(message).at_bytes(link.target_span.clone());
        let finding = finding.note("it points to a different place on every machine");

        let path = target.split(['#', '?']).next().unwrap_or(target);
        // `/references/x.md` is probably relative to the root of the skill.
        match resolve_under("", path).filter(|path| {
            target.starts_with('/') && !path.is_empty() && exists_in_skill(self.skill, path)
        }) {
            Some(path) => {
                let path = relative_path(self.dir, &path);
                let fix = self.path_fix(link, &path, FixApplicability::Unsafe);
                finding.help(format!("write `{path}`")).fix(fix)
            }
            None => finding.help("use a path relative to this file, or a URL"),
        }
    }

    /// Encodes a path as a replacement for this link's target, keeping its query and anchor.
    fn encode_path(&self, link: &MarkdownLink<'_>, path: &str) -> String {
        // From the source, not from the decoded target, so that query and anchor stay as written.
        let written = &self.source[link.target_span.clone()];
        let tail = written.find(['#', '?']).map_or("", |at| &written[at..]);
        let is_enclosed = self.source[..link.target_span.start].ends_with('<');
        let needs = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'(' | b')' | b'%');
        // Within `<…>` a path needs no escapes.
        if is_enclosed || !path.bytes().any(needs) {
            return format!("{path}{tail}");
        }

        let escaped: String = path
            .chars()
            .map(|c| match c {
                ' ' => "%20".to_owned(),
                '(' => "%28".to_owned(),
                ')' => "%29".to_owned(),
                '%' => "%25".to_owned(),
                other => other.to_string(),
            })
            .collect();
        escaped + tail
    }
}

/// The directory of a path, `""` at the top level, and the file's name.
fn split_path(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Reports an anchor that a file does not have; `place` is the file for the message.
fn anchor_finding(link: &MarkdownLink<'_>, anchor: &str, place: &str) -> Diagnostic {
    let anchor = display_target(anchor);
    ANCHOR
        .finding(format!("anchor `#{anchor}` not found in {place}"))
        .at_bytes(link.target_span.clone())
        .help("write the heading in lower case, with `-` for spaces and without punctuation")
}

fn case_finding(target: &str, path: &str) -> Diagnostic {
    let target = display_target(target);
    CASE.finding(format!(
        "the link `{target}` differs in case from the file `{path}`"
    ))
    .note("on Linux the file is not found")
    .help(format!("write `{path}`"))
}

fn outside_finding(target: &str) -> Diagnostic {
    let target = display_target(target);
    ESCAPES
        .finding(format!("the link points outside the skill: `{target}`"))
        .note("a skill is installed alone, without the files next to it")
        .help("copy the needed text into `references/`, or refer to the other skill by name")
}

/// A target for a message: shortened, on one line.
pub(super) fn display_target(target: &str) -> String {
    const MAX: usize = 80;
    // `escape_debug` would escape these three, which are readable as they are.
    let plain = |c: char| matches!(c, '\\' | '\'' | '"');
    let one = |c: char| {
        if plain(c) {
            c.to_string()
        } else {
            c.escape_debug().to_string()
        }
    };

    let text: String = target.chars().take(MAX).map(one).collect();
    if target.chars().count() > MAX {
        text + "…"
    } else {
        text
    }
}
