//! Which files an agent comes to hear of that begins at `SKILL.md`, and in how many steps.

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use memchr::memmem;

use crate::lint::{Check, Content, Docs, File, Fixes, Found, Piece, Rule, Subject};
use crate::report::{Level, Span};

pub(super) static UNREFERENCED: Rule = Rule {
    code: "SK508",
    name: "unreferenced-file",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "nothing that an agent reads names this file",
    docs: Docs {
        finds: "A file that neither `SKILL.md` nor any file that can be come to from it names: not by its path, not by its \
                name, not as a module, and not by a directory that is named as a whole. Licences, readmes, manifests, tests and \
                hidden files are passed over.",
        hurts: "Agents read what they are pointed to. A file that nothing points to is carried by every copy of the skill, and \
                read by none.",
        ignore: "It is found by looking into the directory, or it is used by a program in a way that this cannot see.",
        bad: &[page_and!("Fill the form.\n", ("pdf/references/fields.md", Piece::Text("# Fields\n")))],
        good: &[page_and!(
            "See `references/fields.md`, and take a layout from `layouts/`.\n",
            ("pdf/references/fields.md", Piece::Text("Use fill.py.\n")),
            ("pdf/scripts/fill.py", Piece::Text("from pages import count\n")),
            ("pdf/scripts/pages.py", Piece::Text("count = 1\n")),
            ("pdf/layouts/a4.json", Piece::Text("{}\n")),
            ("pdf/LICENSE.txt", Piece::Text("MIT\n"))
        )],
    },
    check: Check::Skill(check),
};

pub(super) static TOO_DEEP: Rule = Rule {
    code: "SK509",
    name: "reference-too-deep",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "Markdown that only another reference names",
    docs: Docs {
        finds: "A file of Markdown that `SKILL.md` does not name, but a file that it names does, or one further on.",
        hurts: "The specification asks for references one level deep. Agents often read only the beginning of a file to see \
                whether it matters, and then never come to what it points to.",
        ignore: "The file matters only to whoever is deep in the one that names it.",
        bad: &[page_and!(
            "See `references/fields.md`.\n",
            ("pdf/references/fields.md", Piece::Text("See `types.md`.\n")),
            ("pdf/references/types.md", Piece::Text("# Types\n"))
        )],
        good: &[page_and!(
            "See `references/fields.md` and `references/types.md`.\n",
            ("pdf/references/fields.md", Piece::Text("See `types.md`.\n")),
            ("pdf/references/types.md", Piece::Text("# Types\n"))
        )],
    },
    check: Check::With("unreferenced-file"),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let files: Vec<&File> = subject.skill.files.iter().filter(|file| file.path != page.path).collect();
    if files.is_empty() {
        return;
    }
    let steps = Search::over(&files).from(page.source);
    for (file, steps) in files.iter().zip(steps) {
        match steps {
            None if !needs_no_mention(file) => {
                let told = UNREFERENCED.finding(format!("nothing that begins at `{}` names this file", page.path));
                found.add(&file.path, told.help(format!("say in `{}` when to use it, or leave it out", page.path)));
            }
            Some((steps, Some(by))) if steps > 1 && is_markdown(&file.path) => {
                let by = &files[by].path;
                let told = TOO_DEEP.finding(format!("only `{by}` names this file, and `{}` does not", page.path));
                found.add(&file.path, told.help(format!("name it in `{}`, too, with when to read it", page.path)));
            }
            _ => {}
        }
    }
}

/// In how many steps a file is come to, and from which other one; `None` for `SKILL.md` itself.
type Steps = Option<(usize, Option<usize>)>;

/// What all files can be called by.
struct Search<'a> {
    files: &'a [&'a File],
    names: Vec<(&'a str, Name<'a>)>,
    /// All names at once, if they are many.
    many: Option<AhoCorasick>,
}

/// Names up to which a text is searched for each in turn: so many passes over it are quicker than one with an automaton
/// that has to be made first.
const FEW: usize = 24;

#[derive(Clone, Copy)]
enum Name<'a> {
    /// A file, by its last part.
    File(usize),
    /// A file, by what its last part has before the dot, as programs name modules.
    Module(usize),
    /// All files in a directory.
    Directory(&'a str),
}

impl<'a> Search<'a> {
    fn over(files: &'a [&'a File]) -> Self {
        let mut names: Vec<(&str, Name<'a>)> = Vec::new();
        let mut dirs: Vec<&str> = Vec::new();
        for (at, file) in files.iter().enumerate() {
            names.push((file.name(), Name::File(at)));
            let stem = file.name().split('.').next().unwrap_or_default();
            if is_program(&file.path) && stem.len() > 1 {
                names.push((stem, Name::Module(at)));
            }
            for (end, _) in file.path.match_indices('/') {
                let dir = &file.path[..end];
                if !dirs.contains(&dir) {
                    dirs.push(dir);
                    names.push((dir.rsplit('/').next().unwrap_or(dir), Name::Directory(dir)));
                }
            }
        }
        // An automaton that is made for one skill is to be quick to make.
        let automaton = || {
            let kind = Some(AhoCorasickKind::NoncontiguousNFA);
            let texts = names.iter().map(|(text, _)| text);
            AhoCorasick::builder().kind(kind).build(texts).expect("names are short, and few enough")
        };
        let many = (names.len() > FEW).then(automaton);
        Search { files, names, many }
    }

    /// Goes from text to text.
    fn from(&self, page: &str) -> Vec<Steps> {
        let mut steps: Vec<Steps> = vec![None; self.files.len()];
        let mut reached = self.named_in(page, false, &steps);
        let mut by: Vec<Option<usize>> = vec![None; reached.len()];
        let mut depth = 1;
        while !reached.is_empty() {
            let (mut next, mut next_by) = (Vec::new(), Vec::new());
            let mut come_to = Vec::new();
            for (file, by) in reached.into_iter().zip(by) {
                if steps[file].is_none() {
                    steps[file] = Some((depth, by));
                    come_to.push(file);
                }
            }
            if steps.iter().all(Option::is_some) {
                // As for most skills: whatever else these say leads to nothing new.
                break;
            }
            for file in come_to {
                let Some(text) = self.files[file].text() else { continue };
                let named = self.named_in(text, is_program(&self.files[file].path), &steps);
                next_by.extend(std::iter::repeat_n(Some(file), named.len()));
                next.extend(named);
            }
            (reached, by, depth) = (next, next_by, depth + 1);
        }
        steps
    }

    /// The files that a text names, of those that were not come to yet.
    fn named_in(&self, text: &str, is_program: bool, steps: &[Steps]) -> Vec<usize> {
        let mut named = vec![false; self.files.len()];
        let mut take = |name: Name<'_>, span: Span| match name {
            Name::File(file) => named[file] = true,
            Name::Module(file) => named[file] |= is_program,
            Name::Directory(dir) if is_directory(text, &span) => {
                let is_in = |file: &File| file.path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'));
                self.files.iter().zip(&mut named).filter(|(file, _)| is_in(file)).for_each(|(_, named)| *named = true);
            }
            Name::Directory(_) => {}
        };
        let is_new = |name: &Name<'_>| match name {
            Name::File(file) => steps[*file].is_none(),
            Name::Module(file) => is_program && steps[*file].is_none(),
            Name::Directory(dir) => {
                let is_in = |file: &File| crate::lint::below(dir, &file.path).is_some();
                self.files.iter().zip(steps).any(|(file, steps)| steps.is_none() && is_in(file))
            }
        };
        let new: Vec<&(&str, Name<'_>)> = self.names.iter().filter(|(_, of)| is_new(of)).collect();
        match self.many.as_ref().filter(|_| new.len() > FEW) {
            Some(many) => many
                .find_overlapping_iter(text)
                .filter(|found| is_whole(text, &found.range()))
                .for_each(|found| take(self.names[found.pattern().as_usize()].1, found.range())),
            None => {
                for (name, of) in new {
                    memmem::find_iter(text.as_bytes(), name)
                        .map(|start| start..start + name.len())
                        .filter(|span| is_whole(text, span))
                        .for_each(|span| take(*of, span));
                }
            }
        }
        named.iter().enumerate().filter(|(_, named)| **named).map(|(at, _)| at).collect()
    }
}

/// Whether a name is not part of a longer one.
fn is_whole(text: &str, span: &Span) -> bool {
    let bytes = text.as_bytes();
    let before = span.start.checked_sub(1).map(|at| bytes[at]);
    !before.is_some_and(is_word) && !bytes.get(span.end).copied().is_some_and(is_word)
}

/// Whether a name is said of a directory as a whole.
fn is_directory(text: &str, span: &Span) -> bool {
    let bytes = text.as_bytes();
    let before = span.start.checked_sub(1).map(|at| bytes[at]);
    match (before, bytes.get(span.end)) {
        (_, Some(b'/')) => !bytes.get(span.end + 1).is_some_and(|next| is_word(*next) || *next == b'.'),
        (Some(b'`'), Some(b'`')) | (Some(b'/'), Some(b'`' | b')')) | (Some(b'('), Some(b')')) => true,
        _ => ["/` ", " directory", " folder"].iter().any(|end| text[span.end..].starts_with(end)),
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_markdown(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case("md"))
}

fn is_program(path: &str) -> bool {
    const PROGRAMS: [&str; 14] =
        ["py", "js", "mjs", "cjs", "ts", "mts", "tsx", "jsx", "sh", "bash", "rb", "pl", "ps1", "lua"];
    path.rsplit_once('.').is_some_and(|(_, end)| PROGRAMS.contains(&end))
}

/// Files that tools and people look for by themselves.
fn needs_no_mention(file: &File) -> bool {
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
    matches!(file.content, Content::Link(_) | Content::Special)
        || is_hidden
        || STARTS.iter().any(|start| name.starts_with(start))
        || NAMES.contains(&name.as_str())
        || ["_test.", ".test.", ".spec.", ".lock"].iter().any(|part| name.contains(part))
        || file.path.split('/').rev().skip(1).any(|dir| DIRECTORIES.contains(&dir))
}
