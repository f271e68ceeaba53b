//! Files and skills that are too large.

use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::{Diagnostic, DiagnosticLevel};

pub(crate) static LARGE: Rule = Rule {
    code: "SK511",
    name: "large-file",
    // A warning: 0.3 % of well-kept skills have such a file, and some need it.
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "a file, or all files together, exceed the size budget",
    docs: RuleDocs {
        finds: "A file of more than 1 MiB, or files of more than 8 MiB together; both limits can be set under `[lint]`.",
        hurts: "Every machine and every session with the skill has a copy of it. MCP hosts accept skills up to 16 \
            MiB, and the Claude API up to 30 MB.",
        ignore: "The file is the purpose of the skill.",
        bad: &[page_and!(
            "See `references/all.csv`.\n",
            ("pdf/references/all.csv", ExampleFile::Text(OVERSIZED_TEXT))
        )],
        good: &[page_and!(
            "See `references/all.csv`.\n",
            ("pdf/references/all.csv", ExampleFile::Text("a,b\n"))
        )],
    },
    check: RuleCheck::Skill(check),
};

pub(crate) static MANY: Rule = Rule {
    code: "SK515",
    name: "too-many-files",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "the skill has more files than MCP hosts accept",
    docs: RuleDocs {
        finds: "A skill of more than 512 files.",
        hurts: "Hosts of the MCP Skills extension accept at most 512 files per skill, and reject the rest.",
        ignore: "The skill is never served over MCP.",
        bad: &[TOO_MANY_FILES],
        good: &[page_only!("Fill the form.\n")],
    },
    check: RuleCheck::SharedWith("large-file"),
};

/// The limit of files per skill of hosts of the MCP Skills extension.
///
/// See SEP-2640, `io.modelcontextprotocol/skills`.
const FILES_MAX: usize = 512;

/// A text one byte over the limit.
const OVERSIZED_TEXT: &str = match std::str::from_utf8(&[b'x'; (1 << 20) + 1]) {
    Ok(text) => text,
    Err(_) => "",
};

/// One file too many.
const TOO_MANY_FILES: RuleExample = {
    static FILES: [(&str, ExampleFile); FILES_MAX + 1] = {
        let mut files = [("pdf/SKILL.md", page!("Fill the form.\n")); FILES_MAX + 1];
        let mut at = 1;
        while at < files.len() {
            files[at] = ("pdf/x.md", ExampleFile::Text("x\n"));
            at += 1;
        }
        files
    };
    RuleExample::files(&FILES)
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let budgets = &subject.settings.budgets;
    let files = &subject.skill.files;
    let mut sum = 0;
    for file in files {
        sum += file.size();
        if file.size() > budgets.file_bytes {
            found.add(&file.path, large_file(file.size(), budgets.file_bytes));
        }
    }

    // What is about the skill as a whole is reported at its page.
    let page = subject
        .page
        .as_ref()
        .map_or(crate::subject::SKILL_FILE, |page| page.path);

    if sum > budgets.package_bytes {
        found.add(page, large_package(sum, budgets.package_bytes));
    }

    if let Some(many) = too_many_files(files.len()) {
        found.add(page, many);
    }
}

/// Reports a file that is too large.
pub(crate) fn large_file(bytes: u64, budget: u64) -> Diagnostic {
    let finding = LARGE.finding(format!(
        "the file is {}; the budget is {}",
        format_size(bytes),
        format_size(budget)
    ));
    finding.help("make it smaller, or say where to download it")
}

/// Reports files that are too large together.
pub(crate) fn large_package(bytes: u64, budget: u64) -> Diagnostic {
    let finding = LARGE.finding(format!(
        "all files together are {}; the budget is {}",
        format_size(bytes),
        format_size(budget)
    ));
    finding.note("MCP hosts accept up to 16 MiB, the Claude API up to 30 MB")
}

/// Reports too many files.
pub(crate) fn too_many_files(files: usize) -> Option<Diagnostic> {
    let message = || format!("the skill has {files} files; MCP hosts accept at most {FILES_MAX}");
    (files > FILES_MAX).then(|| MANY.finding(message()))
}

/// A size with a unit.
fn format_size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..0x10_0000 => format!("{} KiB", format_tenths(bytes, 1024)),
        _ => format!("{} MiB", format_tenths(bytes, 1 << 20)),
    }
}

/// A size in a unit, with one decimal unless that is zero.
fn format_tenths(bytes: u64, unit: u64) -> String {
    // Rounded up, so that a size just over the budget is not shown as equal to it.
    let tenths = bytes.saturating_mul(10).div_ceil(unit);
    if tenths.is_multiple_of(10) {
        format!("{}", tenths / 10)
    } else {
        format!("{}.{}", tenths / 10, tenths % 10)
    }
}
