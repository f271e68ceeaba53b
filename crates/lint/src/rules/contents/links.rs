//! Links of Markdown that lead nowhere, or only on some machines.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use super::anchor::Anchors;
use super::target::{Lead, Slip, follow, is_there, relative};
use crate::error::nearest;
use crate::lint::markdown::{Link, Markdown};
use crate::lint::{Check, Docs, Fixes, Found, Piece, Rule, SkillDir, Subject};
use crate::package::resolve_below;
use crate::report::{Applicability, Diagnostic, Fix, Level};

pub(super) static BROKEN: Rule = Rule {
    code: "SK501",
    name: "broken-link",
    level: Some(Level::Error),
    fix: Fixes::Unsafely,
    summary: "a link leads to a file that is not there",
    docs: Docs {
        finds: "A link or an image of Markdown with a relative path at which the skill has neither a file nor a directory, \
                looked for from the file that has the link and from the skill's root. Code, HTML comments and paths that \
                only show what a path looks like (`path/to/x`, `{name}.md`, `...`) are passed over. In files other than \
                `SKILL.md` it is a warning.",
        hurts: "An agent reads the file behind a link when it needs it. If it is not there, a call is lost, and what stands \
                in its place is a guess of what the file would have said.",
        ignore: "The file is made when the skill is used, so that it cannot be there yet.",
        bad: &[
            page_and!(
                "Fields are told in [the reference](references/field.md).\n",
                ("pdf/references/fields.md", Piece::Text("# Fields\n"))
            ),
            page_only!("![what it looks like](assets/form.png)\n"),
            page_only!("See [forms].\n\n[forms]: references/forms.md\n"),
        ],
        good: &[
            page_and!(
                "Fields are told in [the reference](references/fields.md#names).\n",
                (
                    "pdf/references/fields.md",
                    Piece::Text("# Fields\n\n## Names\n\nBack to [the skill](../SKILL.md).\n")
                )
            ),
            page_only!(
                "Write `[name](references/forms.md)`, or like [this](path/to/file.md) and [that](references/{topic}.md).\n\n<!-- [old](old.md) -->\n"
            ),
        ],
    },
    check: Check::Skill(check),
};

pub(super) static ESCAPES: Rule = Rule {
    code: "SK503",
    name: "link-escapes-skill",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "a link leads out of the skill's directory",
    docs: Docs {
        finds: "A relative link that goes up (`../`) beyond the directory of the skill.",
        hurts: "A skill is installed alone: whatever lies beside it in its repository stays there. The link works for its \
                author and for nobody else.",
        ignore: "The skills of a collection are only ever installed together, in the same arrangement.",
        bad: &[page_only!("Colours are told in [the style](../house-style/SKILL.md).\n")],
        good: &[page_and!(
            "Colours are told in [the style](references/style.md).\n",
            ("pdf/references/style.md", Piece::Text("Back to [the skill](../SKILL.md).\n"))
        )],
    },
    check: Check::With("broken-link"),
};

pub(super) static ABSOLUTE: Rule = Rule {
    code: "SK504",
    name: "absolute-link",
    level: Some(Level::Warning),
    fix: Fixes::Unsafely,
    summary: "a link has an absolute path",
    docs: Docs {
        finds: "A link to `/path`, `~/path`, `C:\\path` or `file://…`.",
        hurts: "It leads to the root of whatever disk or site the reader happens to be on, where the file is not.",
        ignore: "The file has the same place on every machine that has what the skill is about, such as `/etc/hosts`.",
        bad: &[
            page_and!(
                "See [the fields](/references/fields.md).\n",
                ("pdf/references/fields.md", Piece::Text("# Fields\n"))
            ),
            page_only!("See [the fields](file:///home/ann/pdf/fields.md).\n"),
        ],
        good: &[
            page_and!(
                "See [the fields](references/fields.md).\n",
                ("pdf/references/fields.md", Piece::Text("# Fields\n"))
            ),
            page_only!("See [the manual](//acme.dev/manual).\n"),
        ],
    },
    check: Check::With("broken-link"),
};

pub(super) static CASE: Rule = Rule {
    code: "SK506",
    name: "link-case-mismatch",
    level: Some(Level::Warning),
    fix: Fixes::Safely,
    summary: "a link spells a file in other case than it has",
    docs: Docs {
        finds: "A link to a file that is there only if capitals and small letters are the same.",
        hurts: "It works on macOS and Windows, and is broken on Linux, where most agents in containers run.",
        ignore: "There is no reason to.",
        bad: &[page_and!(
            "See [the fields](references/fields.md).\n",
            ("pdf/references/Fields.md", Piece::Text("# Fields\n"))
        )],
        good: &[page_and!(
            "See [the fields](references/Fields.md).\n",
            ("pdf/references/Fields.md", Piece::Text("# Fields\n"))
        )],
    },
    check: Check::With("broken-link"),
};

pub(super) static ANCHOR: Rule = Rule {
    code: "SK507",
    name: "broken-anchor",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "a link leads to a section that is not there",
    docs: Docs {
        finds: "A link with `#section` where the Markdown it leads to has no heading that gets this name from GitHub, and \
                no HTML element with this `id` or `name`.",
        hurts: "Agents read the whole file and mostly find what was meant; people who follow the link land at its top.",
        ignore: "The site that shows the file names headings in another way.",
        bad: &[
            page_only!("See [the steps](#steps).\n\n## All steps\n"),
            page_and!(
                "See [names](references/fields.md#names).\n",
                ("pdf/references/fields.md", Piece::Text("# Fields\n"))
            ),
        ],
        good: &[
            page_only!(
                "See [the steps](#all-steps) and [their end](#the-end).\n\n## All steps\n\n<a id=\"the-end\"></a>\n"
            ),
            page_and!(
                "See [names](references/fields.md#names).\n",
                ("pdf/references/fields.md", Piece::Text("# Fields\n\nNames\n-----\n"))
            ),
        ],
    },
    check: Check::With("broken-link"),
};

/// A file of Markdown.
struct Text<'a, 's> {
    skill: &'a SkillDir,
    path: &'a str,
    dir: &'a str,
    source: &'a str,
    is_page: bool,
    /// The places of each text that was asked for one, by where the text is.
    anchors: &'s RefCell<HashMap<*const u8, Anchors<'a>>>,
}

fn check(subject: &Subject<'_>, found: &mut Found) {
    let skill = subject.skill;
    let anchors = RefCell::default();
    if let Some(page) = &subject.page {
        let text = Text { skill, path: page.path, dir: "", source: page.source, is_page: true, anchors: &anchors };
        if text.may_have_faults(page.body_start()) {
            text.judge(page.markdown(), found);
        }
    }
    let page = subject.page.as_ref().map(|page| page.path);
    for file in &skill.files {
        let Some(source) = file.text().filter(|_| is_read(&file.path) && Some(file.path.as_str()) != page) else {
            continue;
        };
        let dir = file.path.rsplit_once('/').map_or("", |(dir, _)| dir);
        let text = Text { skill, path: &file.path, dir, source, is_page: false, anchors: &anchors };
        if text.may_have_faults(0) {
            text.judge(&Markdown::parse(source, 0), found);
        }
    }
}

/// Directories of what is copied elsewhere, or not meant to be read.
const COPIED: [&str; 10] =
    ["assets", "templates", "template", "examples", "example", "fixtures", "tests", "test", "evals", "samples"];

/// Whether a path is Markdown that agents read where it lies: what is copied elsewhere has its links for there.
pub(super) fn is_read(path: &str) -> bool {
    let is_markdown = path
        .rsplit_once('.')
        .is_some_and(|(_, end)| ["md", "markdown"].iter().any(|one| end.eq_ignore_ascii_case(one)));
    let is_copied = || path.split('/').rev().skip(1).any(|dir| COPIED.contains(&dir));
    is_markdown && !path.to_ascii_lowercase().contains("template") && !is_copied()
}

/// Longest target of a link that is looked for, in bytes.
const TARGET_MAX: usize = 1024;

impl<'a> Text<'a, '_> {
    /// Whether anything that looks like a link looks like a fault, in code or not: most files have nothing such, and need
    /// not be taken apart.
    fn may_have_faults(&self, start: usize) -> bool {
        let text = &self.source[start..];
        memchr::memchr_iter(b']', text.as_bytes()).any(|at| {
            // Lines and targets of a sane length: to look for the ends of others at each bracket takes for ever.
            let near = &text[text.floor_char_boundary(at.saturating_sub(TARGET_MAX))..at];
            let rest = match text.as_bytes().get(at + 1) {
                Some(b'(') => &text[at + 2..],
                Some(b':') if near[near.rfind('\n').map_or(0, |line| line + 1)..].trim_start().starts_with('[') => {
                    &text[at + 2..]
                }
                _ => return false,
            };
            let rest = rest[..rest.floor_char_boundary(TARGET_MAX)].trim_start();
            if rest.starts_with("https://") || rest.starts_with("http://") {
                return false;
            }
            let (rest, is_end): (&str, fn(char) -> bool) = match rest.strip_prefix('<') {
                Some(rest) => (rest, |c| c == '>'),
                None => (rest, |c| c == ')' || c.is_whitespace()),
            };
            let end = rest.find(is_end).unwrap_or(rest.len());
            self.is_fault(&rest[..end])
        })
    }

    fn is_fault(&self, target: &str) -> bool {
        if let Some(anchor) = target.strip_prefix('#') {
            return !anchor.is_empty() && !self.has(self.source, anchor);
        }
        match follow(self.skill, self.dir, target) {
            Lead::Elsewhere => false,
            Lead::There { path, anchor } => self.misses(&path, anchor),
            _ => true,
        }
    }

    /// Whether a file of Markdown has no such place.
    fn misses(&self, path: &str, anchor: &str) -> bool {
        let text = || self.skill.file(path).filter(|file| is_read(&file.path))?.text();
        !anchor.is_empty() && text().is_some_and(|text| !self.has(text, anchor))
    }

    /// Whether a text has a place of this name.
    fn has(&self, text: &'a str, anchor: &str) -> bool {
        self.anchors.borrow_mut().entry(text.as_ptr()).or_insert_with(|| Anchors::of(text)).has(anchor)
    }

    fn judge(&self, markdown: &Markdown<'_>, found: &mut Found) {
        let mut told = HashSet::new();
        for link in &markdown.links {
            // Many links may refer to one definition.
            if !told.insert(link.written.start) {
                continue;
            }
            if let Some(diagnostic) = self.fault(link) {
                found.add(self.path, diagnostic);
            }
        }
    }

    fn fault(&self, link: &Link<'_>) -> Option<Diagnostic> {
        let target = link.target.as_ref();
        let told = |rule: &Rule, message: String| rule.finding(message).at(link.written.clone(), self.source);
        let edit = |applicability, path: &str| {
            Fix::edit(applicability, format!("write `{path}`"), link.written.clone(), self.spelled(link, path))
        };
        if let Some(anchor) = target.strip_prefix('#') {
            let is_missing = !anchor.is_empty() && !self.has(self.source, anchor);
            return is_missing
                .then(|| no_section(told(&ANCHOR, format!("no heading here is called `#{}`", shown(anchor)))));
        }
        match follow(self.skill, self.dir, target) {
            Lead::Elsewhere => None,
            Lead::There { path, anchor } => self
                .misses(&path, anchor)
                .then(|| no_section(told(&ANCHOR, format!("no heading in `{path}` is called `#{}`", shown(anchor))))),
            Lead::Nearly { slip: Slip::Case, path } => {
                let message = format!("the link says `{}`, and the file is called `{path}`", shown(target));
                let told = told(&CASE, message).note("on Linux there is no such file");
                Some(told.help(format!("write `{path}`")).fix(edit(Applicability::Safe, &path)))
            }
            Lead::Nearly { slip: Slip::Backslash, path } => Some(
                super::backslash::finding(&shown(target), &path)
                    .at(link.written.clone(), self.source)
                    .fix(edit(Applicability::Safe, &path)),
            ),
            Lead::Nowhere { path } => Some(self.broken(link, &path)),
            Lead::Outside => {
                let message = format!("the link leads out of the skill: `{}`", shown(target));
                let told = told(&ESCAPES, message)
                    .note("a skill is installed alone; what lies beside it here is not there then");
                Some(told.help("copy what is needed into `references/`, or name the other skill in words"))
            }
            Lead::Absolute => Some(self.absolute(link)),
        }
    }

    fn broken(&self, link: &Link<'_>, path: &str) -> Diagnostic {
        let what = if link.image { "the image" } else { "the link" };
        let message = format!("{what} leads to `{}`, which is not there", shown(path));
        let mut told = BROKEN.finding(message).at(link.written.clone(), self.source);
        if !self.is_page {
            told.level = Level::Warning;
        }
        let Some(meant) = self.meant(path) else {
            return told.help("add the file, or take the link out");
        };
        let meant = relative(self.dir, meant);
        let fix = Fix::edit(
            Applicability::Unsafe,
            format!("write `{meant}`"),
            link.written.clone(),
            self.spelled(link, &meant),
        );
        told.help(format!("write `{meant}`, if that is what is meant")).fix(fix)
    }

    /// The file that was probably meant: the one of the same name elsewhere, else the one that is spelled most like it.
    fn meant(&self, path: &str) -> Option<&'a str> {
        let name = |path: &'a str| path.rsplit_once('/').map_or(path, |(_, name)| name);
        let wanted = path.rsplit_once('/').map_or(path, |(_, name)| name);
        let all = || self.skill.files.iter().map(|file| file.path.as_str()).filter(|other| *other != self.path);
        let mut same = all().filter(|other| name(other).eq_ignore_ascii_case(wanted));
        if let (Some(one), None) = (same.next(), same.next()) {
            return Some(one);
        }
        let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
        let beside = all().filter(|other| other.rsplit_once('/').map_or("", |(dir, _)| dir) == dir);
        let extension = wanted.rsplit_once('.').map(|(_, end)| end);
        let beside: Vec<&str> =
            beside.map(name).filter(|other| other.rsplit_once('.').map(|(_, end)| end) == extension).collect();
        let near = nearest(wanted, beside)?;
        all().find(|other| name(other) == near && other.rsplit_once('/').map_or("", |(dir, _)| dir) == dir)
    }

    fn absolute(&self, link: &Link<'_>) -> Diagnostic {
        let target = link.target.as_ref();
        let message = format!("the link has an absolute path: `{}`", shown(target));
        let told = ABSOLUTE.finding(message).at(link.written.clone(), self.source);
        let told = told.note("it leads elsewhere on every machine");
        let path = target.split(['#', '?']).next().unwrap_or(target);
        match resolve_below("", path)
            .filter(|path| target.starts_with('/') && !path.is_empty() && is_there(self.skill, path))
        {
            Some(path) => {
                let path = relative(self.dir, &path);
                let fix = Fix::edit(
                    Applicability::Unsafe,
                    format!("write `{path}`"),
                    link.written.clone(),
                    self.spelled(link, &path),
                );
                told.help(format!("write `{path}`")).fix(fix)
            }
            None => told.help("write a path that is relative to this file, or the address of a site"),
        }
    }

    /// A path as it is written in the place of this link's target, with the query and section of that.
    fn spelled(&self, link: &Link<'_>, path: &str) -> String {
        let written = &self.source[link.written.clone()];
        let tail = written.find(['#', '?']).map_or("", |at| &written[at..]);
        let is_enclosed = self.source[..link.written.start].ends_with('<');
        let needs = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'(' | b')' | b'%');
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

fn no_section(told: Diagnostic) -> Diagnostic {
    told.help("write the heading in small letters, with `-` for blanks and without other signs")
}

/// A target as it can be told: short, on one line.
pub(super) fn shown(target: &str) -> String {
    const MAX: usize = 80;
    let plain = |c: char| matches!(c, '\\' | '\'' | '"');
    let one = |c: char| if plain(c) { c.to_string() } else { c.escape_debug().to_string() };
    let text: String = target.chars().take(MAX).map(one).collect();
    if target.chars().count() > MAX { text + "…" } else { text }
}
