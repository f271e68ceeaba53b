//! What Devai's contract says of the script of a skill: it exports `execute`, and imports nothing of Devai itself.

use super::{DirectoryFiles, FileFinding, push_finding};
use crate::report::{Diagnostic, DiagnosticLevel};

/// The directory of Devai's own modules, which skills must not import.
const INTERNAL_MODULES: &str = "apps/api/";
/// Reports what the contract forbids in a script, and what it misses there.
pub(super) fn check_script(
    files: &DirectoryFiles<'_>,
    script: &str,
    findings: &mut Vec<FileFinding>,
) {
    // One that is too large, or is not text, is reported where scripts are checked.
    let Some(source) = (files.read)(script).and_then(|bytes| String::from_utf8(bytes).ok()) else {
        return;
    };

    let is_module = [".ts", ".js", ".mjs", ".cjs"]
        .iter()
        .any(|end| script.ends_with(end));
    if is_module && !exports_execute(&source) {
        let found = Diagnostic::new(
            "devai-no-execute",
            DiagnosticLevel::Error,
            format!("`{script}` does not export `execute`"),
        )
        .note("Devai answers every call of the skill with an error")
        .help("write `export async function execute(args, ctx)`; a default export is not called");
        push_finding(findings, script, found);
    }
    check_imports(&source, script, findings);
}

/// Whether a script exports the name `execute`, as far as its text shows; true where that cannot be seen.
fn exports_execute(source: &str) -> bool {
    // `exports.execute = …` and `module.exports = …` are exports, too.
    if source.contains("exports") {
        return true;
    }

    let code: String = source
        .lines()
        .filter(|line| !is_comment(line))
        .flat_map(|line| [line, "\n"])
        .collect();
    code.split("export").skip(1).any(|rest| {
        let end = rest.find(['=', '(', ';', '}']).unwrap_or(rest.len());
        let mut words =
            rest[..end].split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '*')));
        let is_named = rest.starts_with([' ', '\t', '\n', '{', '*'])
            && !rest.trim_start().starts_with("default");
        // With a star all names of another module may be exported.
        is_named && words.any(|word| word == "execute" || word == "*")
    })
}

/// Whether a line is a comment from its beginning.
fn is_comment(line: &str) -> bool {
    let code = line.trim_start();
    code.starts_with("//") || code.starts_with("/*") || code.starts_with("* ")
}

/// Reports the imports of Devai's own modules, which its contract with skills forbids.
fn check_imports(source: &str, script: &str, findings: &mut Vec<FileFinding>) {
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        if let Some(at) = internal_import(line) {
            let found = Diagnostic::new(
                "devai-internal-import",
                DiagnosticLevel::Warning,
                "import of a module of Devai itself",
            )
            .at(start + at..start + at + INTERNAL_MODULES.len(), source)
            .help("use what `ctx` has: fetch, env, readFile, writeFile, log");
            push_finding(findings, script, found);
        }
        start += line.len();
    }
}

/// Where a line imports a module below [`INTERNAL_MODULES`].
fn internal_import(line: &str) -> Option<usize> {
    let code = line.trim_start();
    // The end of an import over several lines begins with its bracket.
    let is_import = code.starts_with("import")
        || code.starts_with("export")
        || code.starts_with('}')
        || code.contains("import(")
        || code.contains("require(");
    let at = line.find(INTERNAL_MODULES)?;

    // In a string: a comment may name the directory.
    let is_quoted = line[..at].contains(['"', '\'', '`']);
    (is_import && is_quoted && !code.starts_with("//")).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::exports_execute;

    #[test]
    fn every_form_of_a_named_export_is_one() {
        for source in [
            "export async function execute(args, ctx) {}",
            "export function* execute() {}",
            "export const execute: Execute = async () => {};",
            "async function run() {}\nexport { run as execute };",
            "const a = 1;\nexport {\n  a,\n  execute,\n};",
            "export * from './run';",
            "exports.execute = () => {};",
        ] {
            assert!(exports_execute(source), "{source}");
        }
    }

    #[test]
    fn default_export_other_names_and_comments_are_none() {
        for source in [
            "",
            "async function execute(args, ctx) {}",
            "export default async function execute() {}",
            "export async function run() { execute(); }",
            "// export async function execute() {}",
            "export const executed = 1;",
        ] {
            assert!(!exports_execute(source), "{source}");
        }
    }
}
