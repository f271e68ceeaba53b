//! What the rules about Python look for: each file is parsed once.

use std::sync::LazyLock;

use regex::RegexSet;
use rustpython_ruff_python_ast::Mod;
use rustpython_ruff_python_ast::visitor::{self, Visitor};
use rustpython_ruff_python_ast::{Expr, Stmt};
use rustpython_ruff_python_parser::{ParseError, Parsed, UnsupportedSyntaxErrorKind};

use super::{SYNTAX, UNDECLARED};
use crate::rules::scripts::modules::{distribution_of, is_standard_module};
use crate::rules::scripts::{interactive, is_sample};
use crate::{FindingList, LintSubject, SkillDir, SkillFile};
use skillpm_core::report::{Diagnostic, Span};
use skillpm_core::skill::formats::python::parse;

/// The largest file that is parsed, in bytes.
const BYTES_MAX: usize = 256 << 10;

pub(super) fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    for file in &subject.skill.files {
        let Some(source) = file.text().filter(|text| text.len() <= BYTES_MAX) else {
            continue;
        };
        if file.extension() == "py" && !is_sample(&file.path) {
            check_script(subject, file, source, found);
        }
    }
}

fn check_script(
    subject: &LintSubject<'_>,
    file: &SkillFile,
    source: &str,
    found: &mut FindingList,
) {
    // Excessive nesting is never written by hand, and would overflow the parser's stack.
    let Some(parsed) = parse(source) else { return };
    if let Some(fault) = first_fault(&parsed, source) {
        found.add(&file.path, fault);
    }
    // The tree of a file with errors has gaps, so it says little about imports.
    if !parsed.errors().is_empty() {
        return;
    }

    let mut python_visitor = PythonVisitor {
        has_input: may_prompt(source),
        imports: Vec::new(),
        input: None,
        is_optional: false,
    };
    let Some(module) = parsed.syntax().as_module() else {
        return;
    };

    visitor::walk_body(&mut python_visitor, &module.body);
    if let Some((call, span)) = python_visitor.input {
        found.add(&file.path, interactive::finding(call, span, source));
    }
    if let Some(undeclared) = undeclared_finding(subject, file, source, &python_visitor.imports) {
        found.add(&file.path, undeclared);
    }
}

/// The first syntax error.
fn first_fault(parsed: &Parsed<Mod>, source: &str) -> Option<Diagnostic> {
    if let Some(error) = parsed.errors().first() {
        return (!is_template(source, &span(error))).then(|| syntax_finding(error, source));
    }

    // Python 3.14 accepts `except A, b:` again, with another meaning.
    let excepts = UnsupportedSyntaxErrorKind::UnparenthesizedExceptionTypes;
    let newer = parsed
        .unsupported_syntax_errors()
        .iter()
        .filter(|error| error.kind == excepts);
    newer
        .map(|error| error.range.start().to_usize()..error.range.end().to_usize())
        .find(|span| is_python_2_except(source, span))
        .map(|span| python_2_finding("`except` with a comma", span, source))
}

/// Whether the last word of `except A, b:` is a variable, and not an exception.
fn is_python_2_except(source: &str, span: &Span) -> bool {
    let lines = &source[enclosing_lines(source, span)];
    let name = lines.rsplit(',').next().unwrap_or(lines).trim_start();
    name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
}

fn python_2_finding(what: &str, at: Span, source: &str) -> Diagnostic {
    let finding = SYNTAX
        .finding(format!("this is Python 2: {what}"))
        .at(at, source);
    finding
        .note("current systems do not include Python 2")
        .help("convert it to Python 3: `2to3` changes most of it")
}

/// Whether a script may prompt for input: one that checks for a terminal handles both cases.
fn may_prompt(source: &str) -> bool {
    (source.contains("input(") || source.contains("getpass(")) && !source.contains("isatty")
}

fn span(error: &ParseError) -> Span {
    error.location.start().to_usize()..error.location.end().to_usize()
}

/// The lines that a span touches.
fn enclosing_lines(source: &str, span: &Span) -> Span {
    let start = source[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = source[span.end..]
        .find('\n')
        .map_or(source.len(), |at| span.end + at);
    start..end
}

/// Whether the line is part of a template for Python code.
fn is_template(source: &str, at: &Span) -> bool {
    let line = &source[enclosing_lines(source, at)];
    // Holes of the usual template languages, and conflict markers.
    line.contains("{{") || line.contains("{%") || line.contains("<<<") || line.trim() == "..."
}

fn syntax_finding(error: &ParseError, source: &str) -> Diagnostic {
    let mut at = span(error);
    if let Some(what) = python_2_construct(&source[enclosing_lines(source, &at)]) {
        let finding = SYNTAX
            .finding(format!("this is Python 2: {what}"))
            .at(at, source);
        return finding
            .note("current systems do not include Python 2")
            .help("convert it to Python 3: `2to3` changes most of it");
    }

    // An error at the end of a line would mark the line break.
    if source
        .get(at.clone())
        .is_some_and(|text| text.starts_with('\n') || text.starts_with('\r'))
    {
        at.end = at.start;
    }

    let message = error.error.to_string();
    let mut letters = message.chars();
    let first = letters
        .next()
        .map(|first| first.to_lowercase().to_string())
        .unwrap_or_default();
    let finding = SYNTAX
        .finding(format!("syntax error: {first}{}", letters.as_str()))
        .at(at, source);
    finding
        .note("the script fails before its first line")
        .help("check the script with `python -m py_compile`")
}

/// The construct in a line that only Python 2 accepts.
fn python_2_construct(line: &str) -> Option<&'static str> {
    const FORMS: [(&str, &str); 7] = [
        (
            r#"(^|[;:]|\s)print(\s+["'\w%({\[]|\s*>>|\s*$)"#,
            "`print` without parentheses",
        ),
        (
            r"^\s*except\s+[\w.()]+\s*,\s*\w+\s*:",
            "`except` with a comma",
        ),
        (
            r"^\s*except\s*\([\w.,\s]+\)\s*,\s*\w+\s*:",
            "`except` with a comma",
        ),
        (r#"^\s*exec\s+["'\w]"#, "`exec` without parentheses"),
        (r"^\s*raise\s+[\w.]+\s*,", "`raise` with a comma"),
        (r"<>", "`<>` for `!=`"),
        (
            r#"\bur["']|\b0[0-7]+\b|\b\d+L\b|`\w+`"#,
            "a Python 2 literal",
        ),
    ];
    static SET: LazyLock<RegexSet> = LazyLock::new(|| {
        RegexSet::new(FORMS.map(|(form, _)| with_ascii_classes(form)))
            .expect("the regular expressions are constants, and tested")
    });

    SET.matches(line).iter().next().map(|form| FORMS[form].1)
}

/// A regular expression in which the classes are those of ASCII, which keeps the automaton small.
fn with_ascii_classes(regex: &str) -> String {
    regex
        .replace(r"\w", "[0-9A-Za-z_]")
        .replace(r"\s", r"[ \t]")
        .replace(r"\d", "[0-9]")
        .replace(r"\b", r"(?-u:\b)")
}

/// Collects the imports and prompts of a module.
struct PythonVisitor<'a> {
    has_input: bool,
    /// Top-level names of imported modules, and where they are imported.
    imports: Vec<(&'a str, Span)>,
    /// The first call that waits for user input.
    input: Option<(&'static str, Span)>,
    /// Whether the visited statement is in a `try`, which makes imports optional.
    is_optional: bool,
}

impl<'a> PythonVisitor<'a> {
    fn record_import(&mut self, module: &'a str, span: Span) {
        // A package is installed as a whole: `yaml.parser` needs `yaml`.
        let top = module.split('.').next().unwrap_or(module);
        if !self.is_optional
            && !is_standard_module(top)
            && self.imports.iter().all(|(other, _)| *other != top)
        {
            self.imports.push((top, span));
        }
    }
}

impl<'a> Visitor<'a> for PythonVisitor<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    self.record_import(
                        alias.name.as_str(),
                        alias.range.start().to_usize()..alias.range.end().to_usize(),
                    );
                }
            }
            Stmt::ImportFrom(import) => {
                // A relative import is a file of the skill.
                if let Some(module) = import.module.as_ref().filter(|_| import.level == 0) {
                    self.record_import(
                        module.as_str(),
                        module.range.start().to_usize()..module.range.end().to_usize(),
                    );
                }
            }
            Stmt::Try(_) => {
                // `try: import x except ImportError:` makes a module optional.
                let before = std::mem::replace(&mut self.is_optional, true);
                visitor::walk_stmt(self, statement);
                self.is_optional = before;
            }
            _ => visitor::walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        // Most files do not prompt, and most nodes of a tree are expressions.
        if !self.has_input || self.input.is_some() {
            return;
        }
        if let Expr::Call(call) = expression {
            let name = match &*call.func {
                Expr::Name(name) if name.id.as_str() == "input" => Some("input()"),
                Expr::Name(name) if name.id.as_str() == "getpass" => Some("getpass()"),
                // `getpass.getpass()`
                Expr::Attribute(of) if of.attr.as_str() == "getpass" => Some("getpass()"),
                _ => None,
            };
            if let Some(name) = name {
                self.input = Some((
                    name,
                    call.range.start().to_usize()..call.range.end().to_usize(),
                ));
                return;
            }
        }
        visitor::walk_expr(self, expression);
    }
}

fn undeclared_finding(
    subject: &LintSubject<'_>,
    file: &SkillFile,
    source: &str,
    imports: &[(&str, Span)],
) -> Option<Diagnostic> {
    let foreign: Vec<&(&str, Span)> = imports
        .iter()
        .filter(|(module, _)| !is_own_module(subject.skill, module))
        .collect();
    let (_, place) = foreign.first()?;

    // Any of the three is a declaration. Whether it lists every package is not checked: the
    // names of modules and packages differ too often.
    if has_metadata(source)
        || subject.skill.files.iter().any(declares_dependencies)
        || instructs_install(subject)
    {
        return None;
    }

    let names = quote_each(foreign.iter().map(|(module, _)| *module), '`');
    let finding = UNDECLARED
        .finding(format!("undeclared dependency on {names}"))
        .at(place.clone(), source);
    let finding = foreign
        .iter()
        .skip(1)
        .fold(finding, |finding, (module, span)| {
            finding.label(span.clone(), format!("also `{module}`"))
        });

    let packages = quote_each(
        foreign.iter().map(|(module, _)| distribution_of(module)),
        '"',
    );
    let block = format!("# /// script\n# dependencies = [{packages}]\n# ///");
    Some(finding.help(format!(
        "declare it at the top of the file, for `uv run {}`:\n{block}",
        file.path
    )))
}

/// Joins names by commas, each between two quotation marks.
fn quote_each<'n>(names: impl Iterator<Item = &'n str>, mark: char) -> String {
    names
        .map(|name| format!("{mark}{name}{mark}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Whether a module is a file or directory of the skill.
fn is_own_module(skill: &SkillDir, module: &str) -> bool {
    skill.files.iter().any(|file| {
        file.name().strip_suffix(".py") == Some(module)
            || file.path.split('/').rev().skip(1).any(|dir| dir == module)
    })
}

/// Whether a script declares its dependencies itself.
///
/// See <https://peps.python.org/pep-0723/>.
fn has_metadata(source: &str) -> bool {
    source.lines().any(|line| line.trim_end() == "# /// script")
}

/// Whether a file declares Python dependencies.
fn declares_dependencies(file: &SkillFile) -> bool {
    let name = file.name();
    matches!(
        name,
        "pyproject.toml"
            | "setup.py"
            | "setup.cfg"
            | "Pipfile"
            | "environment.yml"
            | "environment.yaml"
            | "uv.lock"
    ) || name.starts_with("requirements")
}

/// Whether the instructions say what to install.
fn instructs_install(subject: &LintSubject<'_>) -> bool {
    let Some(page) = &subject.page else {
        return false;
    };
    [
        "pip install",
        "pip3 install",
        "uv add",
        "uv run --with",
        "uvx ",
        "poetry add",
        "conda install",
        "pipx ",
    ]
    .iter()
    .any(|words| page.source.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message, a line and a column, and the span.
    type SyntaxFault = (String, Option<(usize, usize)>, Span);

    fn syntax_fault(source: &str) -> Option<SyntaxFault> {
        let fault = first_fault(&parse(source)?, source)?;
        Some((fault.message, fault.position, fault.span.unwrap()))
    }

    #[test]
    fn syntax_errors_are_reported_at_their_place() {
        let one = |source: &str| syntax_fault(source).unwrap();
        assert_eq!(one("é = 1\r\nx = (1,\r\ny = 2\r\n").1, Some((3, 3)));
        assert_eq!(
            one("\u{feff}x = = 1\n"),
            (
                "syntax error: expected an expression".into(),
                Some((1, 5)),
                7..8
            )
        );
        assert_eq!(
            one("if True:\nx = 1\n").0,
            "syntax error: expected an indented block after `if` statement"
        );
    }

    #[test]
    fn python_2_is_recognized() {
        for (source, what) in [
            ("print \"x\"\n", "`print` without parentheses"),
            ("if 1: print x, y\n", "`print` without parentheses"),
            (
                "print >>sys.stderr, 'x'\nprint x\n",
                "`print` without parentheses",
            ),
            (
                "try:\n    x\nexcept IOError, e:\n    pass\n",
                "`except` with a comma",
            ),
            ("exec 'x = 1'\n", "`exec` without parentheses"),
            ("raise ValueError, 'x'\n", "`raise` with a comma"),
            ("x = 1 <> 2\n", "`<>` for `!=`"),
            ("x = 0777\n", "a Python 2 literal"),
        ] {
            let message = syntax_fault(source).map(|fault| fault.0);
            assert_eq!(
                message,
                Some(format!("this is Python 2: {what}")),
                "{source}"
            );
        }
    }

    #[test]
    fn valid_python_3_is_accepted() {
        for source in [
            "",
            "\u{feff}print(1)\r\n",
            "x: int = 1\n",
            "async def f():\n    await g()\n",
            "\x0c\ndef f(): ...\n",
            "if (n := 1): pass\n",
            "try:\n    x\nexcept ValueError, TypeError:\n    pass\n",
        ] {
            assert_eq!(syntax_fault(source), None, "{source:?}");
        }
    }
}
