//! Skills that are too much to carry about.

use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Subject};
use crate::report::{Diagnostic, Level};

pub(in crate::lint) static LARGE: Rule = Rule {
    code: "SK511",
    name: "large-file",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "a file, or all of them together, are larger than the budget",
    docs: Docs {
        finds: "A file of more than 1 MiB, or files of more than 8 MiB together; both can be set below `[lint]`.",
        hurts: "Every machine and every session that has the skill has a copy of it. Hosts of MCP take no skill of more than \
                16 MiB, and the API of Claude none of more than 30 MB.",
        ignore: "The skill is about that very file.",
        bad: &[page_and!("See `references/all.csv`.\n", ("pdf/references/all.csv", Piece::Text(MUCH)))],
        good: &[page_and!("See `references/all.csv`.\n", ("pdf/references/all.csv", Piece::Text("a,b\n")))],
    },
    check: Check::Skill(check),
};

pub(in crate::lint) static MANY: Rule = Rule {
    code: "SK515",
    name: "too-many-files",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "more files than hosts of MCP take",
    docs: Docs {
        finds: "A skill of more than 512 files.",
        hurts: "Hosts of the Skills extension of MCP take at most 512 files of a skill, and refuse the rest.",
        ignore: "The skill is never offered by MCP.",
        bad: &[CROWD],
        good: &[page_only!("Fill the form.\n")],
    },
    check: Check::With("large-file"),
};

/// Most files that hosts of the Skills extension of MCP take in one skill.
///
/// See SEP-2640, `io.modelcontextprotocol/skills`.
const FILES_MAX: usize = 512;

/// A text that is just too large.
const MUCH: &str = match std::str::from_utf8(&[b'x'; (1 << 20) + 1]) {
    Ok(text) => text,
    Err(_) => "",
};

/// One file too many.
const CROWD: Example = {
    static FILES: [(&str, Piece); FILES_MAX + 1] = {
        let mut files = [("pdf/SKILL.md", page!("Fill the form.\n")); FILES_MAX + 1];
        let mut at = 1;
        while at < files.len() {
            files[at] = ("pdf/x.md", Piece::Text("x\n"));
            at += 1;
        }
        files
    };
    Example::files(&FILES)
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let budgets = &subject.settings.budgets;
    let files = &subject.skill.files;
    let mut sum = 0;
    for file in files {
        sum += file.size();
        if file.size() > budgets.file_bytes {
            found.add(&file.path, large_file(file.size(), budgets.file_bytes));
        }
    }
    let page = subject.page.as_ref().map_or(crate::lint::subject::PAGE, |page| page.path);
    if sum > budgets.package_bytes {
        found.add(page, large_package(sum, budgets.package_bytes));
    }
    if let Some(many) = many(files.len()) {
        found.add(page, many);
    }
}

/// Tells of a file that is too large.
pub(in crate::lint) fn large_file(bytes: u64, budget: u64) -> Diagnostic {
    let told = LARGE.finding(format!("the file has {}; the budget is {}", size(bytes), size(budget)));
    told.help("make it smaller, or say where it can be had")
}

/// Tells of files that are too large together.
pub(in crate::lint) fn large_package(bytes: u64, budget: u64) -> Diagnostic {
    let told = LARGE.finding(format!("all files together have {}; the budget is {}", size(bytes), size(budget)));
    told.note("hosts of MCP take 16 MiB at most, the API of Claude 30 MB")
}

/// Tells of too many files.
pub(in crate::lint) fn many(files: usize) -> Option<Diagnostic> {
    let message = || format!("the skill has {files} files; hosts of MCP take {FILES_MAX}");
    (files > FILES_MAX).then(|| MANY.finding(message()))
}

/// A size as people read it.
fn size(bytes: u64) -> String {
    let tenths = |unit: u64| {
        let tenths = bytes.saturating_mul(10).div_ceil(unit);
        if tenths.is_multiple_of(10) { format!("{}", tenths / 10) } else { format!("{}.{}", tenths / 10, tenths % 10) }
    };
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..0x10_0000 => format!("{} KiB", tenths(1024)),
        _ => format!("{} MiB", tenths(1 << 20)),
    }
}
