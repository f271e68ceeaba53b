//! Finds which files an agent reaches from `SKILL.md`, and in how many steps.

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use memchr::memmem;

use crate::{
    ExampleFile, FileContent, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs,
    SkillFile,
};
use skillpm_core::report::{DiagnosticLevel, Span};

pub(super) static UNREFERENCED: Rule = Rule {
    code: "SK508",
    name: "unreferenced-file",
    // 26 % of well-kept skills have such a file, so it is a note.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "the file is not referenced by any file that an agent reads",
    docs: RuleDocs {
        finds: "A file that is not referenced by `SKILL.md` or by any file reachable from it: not by path, by name, \
            as a module, or by a directory referenced as a whole. Licenses, readmes, manifests, tests and hidden \
            files are ignored.",
        hurts: "Agents read only referenced files. An unreferenced file is part of every copy of the skill, and is \
            never read.",
        ignore: "The agent finds it by listing the directory, or a program uses it in a way that this rule cannot \
            detect.",
        bad: &[page_and!(
            "Fill the form.\n",
            ("pdf/references/fields.md", ExampleFile::Text("# Fields\n"))
        )],
        // By path, by name, as a module, and by a directory as a whole.
        good: &[page_and!(
            "See `references/fields.md`, and take a layout from `layouts/`.\n",
            (
                "pdf/references/fields.md",
                ExampleFile::Text("Use fill.py.\n")
            ),
            (
                "pdf/scripts/fill.py",
                ExampleFile::Text("from pages import count\n")
            ),
            ("pdf/scripts/pages.py", ExampleFile::Text("count = 1\n")),
            ("pdf/layouts/a4.json", ExampleFile::Text("{}\n")),
            ("pdf/LICENSE.txt", ExampleFile::Text("MIT\n"))
        )],
    },
    check: RuleCheck::Skill(check),
};

pub(super) static TOO_DEEP: Rule = Rule {
    code: "SK509",
    name: "reference-too-deep",
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "a Markdown file that is only referenced from another reference",
    docs: RuleDocs {
        finds: "A Markdown file that `SKILL.md` does not reference, but that a file referenced by it does, directly \
            or indirectly.",
        hurts: "The specification asks for references one level deep. Agents often read only the beginning of a file \
            to see whether it matters, and then never reach its references.",
        ignore: "The file matters only to readers of the file that references it.",
        bad: &[page_and!(
            "See `references/fields.md`.\n",
            (
                "pdf/references/fields.md",
                ExampleFile::Text("See `types.md`.\n")
            ),
            ("pdf/references/types.md", ExampleFile::Text("# Types\n"))
        )],
        good: &[page_and!(
            "See `references/fields.md` and `references/types.md`.\n",
            (
                "pdf/references/fields.md",
                ExampleFile::Text("See `types.md`.\n")
            ),
            ("pdf/references/types.md", ExampleFile::Text("# Types\n"))
        )],
    },
    check: RuleCheck::SharedWith("unreferenced-file"),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let files: Vec<&SkillFile> = subject
        .skill
        .files
        .iter()
        .filter(|file| file.path != page.path)
        .collect();
    if files.is_empty() {
        return;
    }

    let steps = MentionSearch::new(&files).walk_from(page.source);
    for (file, steps) in files.iter().zip(steps) {
        match steps {
            // Tools and people find a license or a test without being pointed to it.
            None if !needs_no_mention(file) => {
                let finding = UNREFERENCED.finding(format!(
                    "this file is not referenced from `{}`, directly or indirectly",
                    page.path
                ));
                found.add(
                    &file.path,
                    finding.help(format!(
                        "say in `{}` when to use it, or remove it",
                        page.path
                    )),
                );
            }
            // A script may well be reached through another one: the agent runs it, and reads
            // neither.
            Some((steps, Some(by))) if steps > 1 && is_markdown(&file.path) => {
                let by = &files[by].path;
                let finding = TOO_DEEP.finding(format!(
                    "only `{by}` references this file, `{}` does not",
                    page.path
                ));
                found.add(
                    &file.path,
                    finding.help(format!(
                        "reference it in `{}` too, and say when to read it",
                        page.path
                    )),
                );
            }
            _ => {}
        }
    }
}

/// The number of steps to a file, and the file that references it (`None` for `SKILL.md`); `None` if not reached.
type MentionDepth = Option<(usize, Option<usize>)>;

/// The names that refer to each file.
struct MentionSearch<'a> {
    files: &'a [&'a SkillFile],
    names: Vec<(&'a str, MentionTarget<'a>)>,
    /// A search for all names at once, if there are many.
    automaton: Option<AhoCorasick>,
}

/// Up to this number of names a text is searched for each in turn, which is faster than building an automaton first.
const FEW_NAMES: usize = 24;

/// A text that may reference files.
#[derive(Clone, Copy)]
struct MentioningText<'t> {
    source: &'t str,
    is_program: bool,
}

impl<'t> MentioningText<'t> {
    fn page(source: &'t str) -> Self {
        MentioningText {
            source,
            is_program: false,
        }
    }

    fn from_file(file: &'t SkillFile) -> Option<Self> {
        Some(MentioningText {
            source: file.text()?,
            is_program: is_program(&file.path),
        })
    }
}

#[derive(Clone, Copy)]
enum MentionTarget<'a> {
    /// A file, by its name.
    File(usize),
    /// A file, by its name before the dot, as programs import modules.
    Module(usize),
    /// All files in a directory.
    Directory(&'a str),
}

impl<'a> MentionSearch<'a> {
    fn new(files: &'a [&'a SkillFile]) -> Self {
        let mut names: Vec<(&str, MentionTarget<'a>)> = Vec::new();
        let mut dirs: Vec<&str> = Vec::new();
        for (at, file) in files.iter().enumerate() {
            names.push((file.name(), MentionTarget::File(at)));
            let stem = file.name().split('.').next().unwrap_or_default();
            // A name of one letter would match nearly everywhere.
            if is_program(&file.path) && stem.len() > 1 {
                names.push((stem, MentionTarget::Module(at)));
            }
            for (end, _) in file.path.match_indices('/') {
                let dir = &file.path[..end];
                if !dirs.contains(&dir) {
                    dirs.push(dir);
                    names.push((
                        dir.rsplit('/').next().unwrap_or(dir),
                        MentionTarget::Directory(dir),
                    ));
                }
            }
        }

        let automaton = (names.len() > FEW_NAMES).then(|| build_automaton(&names));
        MentionSearch {
            files,
            names,
            automaton,
        }
    }

    /// Follows references from file to file, breadth first.
    fn walk_from(&self, page: &str) -> Vec<MentionDepth> {
        let mut steps: Vec<MentionDepth> = vec![None; self.files.len()];
        let mut reached = self.find_mentions(MentioningText::page(page), &steps);
        let mut by: Vec<Option<usize>> = vec![None; reached.len()];
        let mut depth = 1;

        while !reached.is_empty() {
            let (mut next, mut next_by) = (Vec::new(), Vec::new());
            let mut newly_reached = Vec::new();
            for (file, by) in reached.into_iter().zip(by) {
                // Breadth first, so the first way to a file is the shortest.
                if steps[file].is_none() {
                    steps[file] = Some((depth, by));
                    newly_reached.push(file);
                }
            }

            if steps.iter().all(Option::is_some) {
                // True for most skills: no further text can lead to a new file.
                break;
            }

            for file in newly_reached {
                let Some(text) = MentioningText::from_file(self.files[file]) else {
                    continue;
                };
                let named = self.find_mentions(text, &steps);
                next_by.extend(std::iter::repeat_n(Some(file), named.len()));
                next.extend(named);
            }

            (reached, by, depth) = (next, next_by, depth + 1);
        }
        steps
    }

    /// Whether a name can lead to a file that was not reached yet.
    fn is_unreached(
        &self,
        target: &MentionTarget<'_>,
        is_program: bool,
        steps: &[MentionDepth],
    ) -> bool {
        match target {
            MentionTarget::File(file) => steps[*file].is_none(),
            // A bare module name is a reference in code only: in prose it is a common word.
            MentionTarget::Module(file) => is_program && steps[*file].is_none(),
            MentionTarget::Directory(dir) => self.files.iter().zip(steps).any(|(file, steps)| {
                steps.is_none() && crate::relative_to(dir, &file.path).is_some()
            }),
        }
    }

    /// The names to search for: files that were reached before need no search.
    fn unreached_names(
        &self,
        is_program: bool,
        steps: &[MentionDepth],
    ) -> Vec<&(&'a str, MentionTarget<'a>)> {
        self.names
            .iter()
            .filter(|(_, target)| self.is_unreached(target, is_program, steps))
            .collect()
    }

    /// The files that a text references, among those not reached yet.
    fn find_mentions(&self, text: MentioningText<'_>, steps: &[MentionDepth]) -> Vec<usize> {
        let new = self.unreached_names(text.is_program, steps);
        let mut named = vec![false; self.files.len()];
        match self.automaton.as_ref().filter(|_| new.len() > FEW_NAMES) {
            // Overlapping, since `fill` and `fill.py` are two names at one place.
            Some(many) => many
                .find_overlapping_iter(text.source)
                .filter(|found| is_whole_word(text.source, &found.range()))
                .for_each(|found| {
                    let (_, target) = &self.names[found.pattern().as_usize()];
                    self.mark_named(target, text, &found.range(), &mut named);
                }),
            None => {
                for (name, target) in new {
                    memmem::find_iter(text.source.as_bytes(), name)
                        .map(|start| start..start + name.len())
                        .filter(|span| is_whole_word(text.source, span))
                        .for_each(|span| self.mark_named(target, text, &span, &mut named));
                }
            }
        }

        named
            .iter()
            .enumerate()
            .filter(|(_, named)| **named)
            .map(|(at, _)| at)
            .collect()
    }

    /// Marks the files that a name at a place refers to.
    fn mark_named(
        &self,
        target: &MentionTarget<'_>,
        text: MentioningText<'_>,
        span: &Span,
        named: &mut [bool],
    ) {
        match *target {
            MentionTarget::File(file) => named[file] = true,
            // The automaton finds the modules also in prose, where they are common words.
            MentionTarget::Module(file) => named[file] |= text.is_program,
            MentionTarget::Directory(dir) if is_directory(text.source, span) => {
                for (file, named) in self.files.iter().zip(named) {
                    *named |= crate::relative_to(dir, &file.path).is_some();
                }
            }
            MentionTarget::Directory(_) => {}
        }
    }
}

/// An automaton that finds names in texts. It is for a single skill, so it must be fast to build.
fn build_automaton(names: &[(&str, MentionTarget<'_>)]) -> AhoCorasick {
    let texts = names.iter().map(|(text, _)| text);
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::NoncontiguousNFA))
        .build(texts)
        .expect("names are short, and few enough")
}

/// Whether a match is a whole word.
fn is_whole_word(text: &str, span: &Span) -> bool {
    let bytes = text.as_bytes();

    let before = span.start.checked_sub(1).map(|at| bytes[at]);
    // `form` in `form-data` is another name.
    !before.is_some_and(is_word_byte) && !bytes.get(span.end).copied().is_some_and(is_word_byte)
}

/// Whether a match refers to a directory as a whole.
fn is_directory(text: &str, span: &Span) -> bool {
    let bytes = text.as_bytes();

    let before = span.start.checked_sub(1).map(|at| bytes[at]);
    match (before, bytes.get(span.end)) {
        // `layouts/a4.json` names one file of the directory, `layouts/` all of them.
        (_, Some(b'/')) => !bytes
            .get(span.end + 1)
            .is_some_and(|next| is_word_byte(*next) || *next == b'.'),
        (Some(b'`'), Some(b'`')) | (Some(b'/'), Some(b'`' | b')')) | (Some(b'('), Some(b')')) => {
            true
        }
        _ => ["/` ", " directory", " folder"]
            .iter()
            .any(|end| text[span.end..].starts_with(end)),
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_markdown(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, end)| end.eq_ignore_ascii_case("md"))
}

fn is_program(path: &str) -> bool {
    const PROGRAMS: [&str; 14] = [
        "py", "js", "mjs", "cjs", "ts", "mts", "tsx", "jsx", "sh", "bash", "rb", "pl", "ps1", "lua",
    ];
    path.rsplit_once('.')
        .is_some_and(|(_, end)| PROGRAMS.contains(&end))
}

/// Whether tools or people look for the file without a reference.
fn needs_no_mention(file: &SkillFile) -> bool {
    const STARTS: [&str; 11] = [
        "license",
        "licence",
        "copying",
        "notice",
        "readme",
        "changelog",
        "contributing",
        "authors",
        "requirements",
        "test_",
        "security",
    ];
    const NAMES: [&str; 16] = [
        "skillpm.toml",
        "package.json",
        "package-lock.json",
        "pyproject.toml",
        "uv.lock",
        "setup.py",
        "cargo.toml",
        "cargo.lock",
        "go.mod",
        "go.sum",
        "tsconfig.json",
        "_meta.json",
        "__init__.py",
        "makefile",
        "openai.yaml",
        "manifest.json",
    ];
    const DIRECTORIES: [&str; 6] = ["tests", "test", "__tests__", "evals", "eval", "fixtures"];

    let name = file.name().to_ascii_lowercase();
    let is_hidden = file.path.split('/').any(|part| part.starts_with('.'));

    matches!(file.content, FileContent::Link(_) | FileContent::Special)
        || is_hidden
        || STARTS.iter().any(|start| name.starts_with(start))
        || NAMES.contains(&name.as_str())
        || ["_test.", ".test.", ".spec.", ".lock"]
            .iter()
            .any(|part| name.contains(part))
        || file
            .path
            .split('/')
            .rev()
            .skip(1)
            .any(|dir| DIRECTORIES.contains(&dir))
}
