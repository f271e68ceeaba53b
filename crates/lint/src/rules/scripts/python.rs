//! Python: whether it can be read at all, and what it asks for. Each file is parsed once.

use std::sync::LazyLock;

use regex::RegexSet;
use rustpython_ruff_python_ast::Mod;
use rustpython_ruff_python_ast::visitor::{self, Visitor};
use rustpython_ruff_python_ast::{Expr, Stmt};
use rustpython_ruff_python_parser::{ParseError, Parsed, UnsupportedSyntaxErrorKind};

use super::modules::{distribution, is_of_python};
use super::{interactive, is_sample};
use crate::lint::{Check, Docs, File, Fixes, Found, Piece, Rule, SkillDir, Subject};
use crate::report::{Diagnostic, Level, Span};
use crate::skill::formats::python::parse;

pub(super) static SYNTAX: Rule = Rule {
    code: "SK601",
    name: "python-syntax",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "a Python script cannot be parsed",
    docs: Docs {
        finds: "The first syntax error of a `.py` file, by the grammar of the newest Python 3. Code that is Python 2 is said to \
                be that. Templates, what tests read and files of more than 256 KiB are passed over.",
        hurts: "The script fails before its first line, whatever it is given, and the agent has to do by hand what it was for.",
        ignore: "The file is a sample of broken code, and is never run.",
        bad: &[
            page_and!(
                "Run `scripts/fill.py`.\n",
                ("pdf/scripts/fill.py", Piece::Text("def fill(form:\n    return form\n"))
            ),
            page_and!("Run `scripts/fill.py`.\n", ("pdf/scripts/fill.py", Piece::Text("print \"filled\"\n"))),
        ],
        good: &[
            page_and!(
                "Run `scripts/fill.py`.\n",
                (
                    "pdf/scripts/fill.py",
                    Piece::Text(
                        "match 1:\n    case 1:\n        print(f\"{'filled'!r:>{10}}\")\ntype Form = list[int]\n"
                    )
                )
            ),
            page_and!("Copy `templates/fill.py`.\n", ("pdf/templates/fill.py", Piece::Text("import {{module}}\n"))),
        ],
    },
    check: Check::Skill(check),
};

pub(super) static UNDECLARED: Rule = Rule {
    code: "SK605",
    name: "undeclared-python-deps",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "a Python script imports what nothing declares",
    docs: Docs {
        finds: "Imports of a `.py` file that neither come with Python nor lie in the skill, where the file has no block of \
                script metadata (PEP 723), the skill no `requirements.txt`, `pyproject.toml` or the like, and the instructions \
                say nothing of `pip` or `uv`. An import that may fail, in a `try`, is passed over.",
        hurts: "On a machine without the package the script fails at its first line, and the agent guesses what to install.",
        ignore: "The packages are there wherever the skill is used.",
        bad: &[page_and!(
            "Run `scripts/fill.py`.\n",
            ("pdf/scripts/fill.py", Piece::Text("import os\nimport yaml\n\nprint(yaml, os)\n"))
        )],
        good: &[
            page_and!(
                "Run `uv run scripts/fill.py`.\n",
                (
                    "pdf/scripts/fill.py",
                    Piece::Text(
                        "# /// script\n# dependencies = [\"pyyaml\"]\n# ///\nimport yaml\nfrom . import forms\nimport forms\n"
                    )
                ),
                (
                    "pdf/scripts/forms.py",
                    Piece::Text("import os.path\ntry:\n    import rich\nexcept ImportError:\n    rich = None\n")
                )
            ),
            page_and!("Run `pip install pyyaml`.\n", ("pdf/scripts/fill.py", Piece::Text("import yaml\n"))),
        ],
    },
    check: Check::With("python-syntax"),
};

/// Largest file that is parsed, in bytes.
const BYTES_MAX: usize = 256 << 10;

fn check(subject: &Subject<'_>, found: &mut Found) {
    for file in &subject.skill.files {
        let Some(source) = file.text().filter(|text| text.len() <= BYTES_MAX) else { continue };
        if file.extension() == "py" && !is_sample(&file.path) {
            look(subject, file, source, found);
        }
    }
}

fn look(subject: &Subject<'_>, file: &File, source: &str, found: &mut Found) {
    // Nobody wrote a file that is nested without end, and the parser would not come back from it.
    let Some(parsed) = parse(source) else { return };
    if let Some(fault) = fault(&parsed, source) {
        found.add(&file.path, fault);
    }
    if !parsed.errors().is_empty() {
        return;
    }
    let mut asked = Asked { has_input: asks(source), imports: Vec::new(), input: None, is_optional: false };
    let Some(module) = parsed.syntax().as_module() else { return };
    visitor::walk_body(&mut asked, &module.body);
    if let Some((call, span)) = asked.input {
        found.add(&file.path, interactive::finding(call, span, source));
    }
    if let Some(undeclared) = undeclared(subject, file, source, &asked.imports) {
        found.add(&file.path, undeclared);
    }
}

/// The first fault of the syntax.
fn fault(parsed: &Parsed<Mod>, source: &str) -> Option<Diagnostic> {
    if let Some(error) = parsed.errors().first() {
        return (!is_template(source, &span(error))).then(|| syntax(error, source));
    }
    // Python 3.14 reads `except A, b:` again, and means something else by it.
    let excepts = |kind| matches!(kind, UnsupportedSyntaxErrorKind::UnparenthesizedExceptionTypes);
    let newer = parsed.unsupported_syntax_errors().iter().filter(|error| excepts(error.kind));
    newer.map(|error| error.range.start().to_usize()..error.range.end().to_usize()).find_map(|span| {
        let name = source[lines(source, &span)].split(',').next_back()?.trim_start();
        let is_python_2 = name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_');
        is_python_2.then(|| of_python_2("`except` with a comma", span, source))
    })
}

fn of_python_2(what: &str, at: Span, source: &str) -> Diagnostic {
    let told = SYNTAX.finding(format!("this is Python 2: {what}")).at(at, source);
    told.note("no system comes with Python 2 any more").help("write it in Python 3: `2to3` changes most of it")
}

/// Whether calls that ask have to be looked for: a script that knows whether somebody is there has thought of it.
fn asks(source: &str) -> bool {
    (source.contains("input(") || source.contains("getpass(")) && !source.contains("isatty")
}

fn span(error: &ParseError) -> Span {
    error.location.start().to_usize()..error.location.end().to_usize()
}

/// The lines that a span touches.
fn lines(source: &str, span: &Span) -> Span {
    let start = source[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = source[span.end..].find('\n').map_or(source.len(), |at| span.end + at);
    start..end
}

/// Whether it is no Python yet, but what Python is made from.
fn is_template(source: &str, at: &Span) -> bool {
    let line = &source[lines(source, at)];
    line.contains("{{") || line.contains("{%") || line.contains("<<<") || line.trim() == "..."
}

fn syntax(error: &ParseError, source: &str) -> Diagnostic {
    let mut at = span(error);
    if let Some(what) = python_2(&source[lines(source, &at)]) {
        let told = SYNTAX.finding(format!("this is Python 2: {what}")).at(at, source);
        return told
            .note("no system comes with Python 2 any more")
            .help("write it in Python 3: `2to3` changes most of it");
    }
    if source.get(at.clone()).is_some_and(|text| text.starts_with('\n') || text.starts_with('\r')) {
        at.end = at.start;
    }
    let message = error.error.to_string();
    let mut letters = message.chars();
    let first = letters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
    let told = SYNTAX.finding(format!("syntax error: {first}{}", letters.as_str())).at(at, source);
    told.note("the script fails before its first line").help("`python -m py_compile` says the same once it is fine")
}

/// What in a line only Python 2 has.
fn python_2(line: &str) -> Option<&'static str> {
    const FORMS: [(&str, &str); 7] = [
        (r#"(^|[;:]|\s)print(\s+["'\w%({\[]|\s*>>|\s*$)"#, "`print` without parentheses"),
        (r"^\s*except\s+[\w.()]+\s*,\s*\w+\s*:", "`except` with a comma"),
        (r"^\s*except\s*\([\w.,\s]+\)\s*,\s*\w+\s*:", "`except` with a comma"),
        (r#"^\s*exec\s+["'\w]"#, "`exec` without parentheses"),
        (r"^\s*raise\s+[\w.]+\s*,", "`raise` with a comma"),
        (r"<>", "`<>` for `!=`"),
        (r#"\bur["']|\b0[0-7]+\b|\b\d+L\b|`\w+`"#, "a literal of Python 2"),
    ];
    static SET: LazyLock<RegexSet> = LazyLock::new(|| {
        RegexSet::new(FORMS.map(|(form, _)| {
            form.replace(r"\w", "[0-9A-Za-z_]")
                .replace(r"\s", r"[ \t]")
                .replace(r"\d", "[0-9]")
                .replace(r"\b", r"(?-u:\b)")
        }))
        .expect("the forms are constants, and tested")
    });
    SET.matches(line).iter().next().map(|form| FORMS[form].1)
}

/// What a module asks of the machine and of whoever sits at it.
struct Asked<'a> {
    has_input: bool,
    /// First parts of the names of modules, and where they are imported.
    imports: Vec<(&'a str, Span)>,
    /// The first call that waits for somebody.
    input: Option<(&'static str, Span)>,
    /// Within a `try` that goes on without.
    is_optional: bool,
}

impl<'a> Asked<'a> {
    fn import(&mut self, module: &'a str, span: Span) {
        let top = module.split('.').next().unwrap_or(module);
        if !self.is_optional && !is_of_python(top) && self.imports.iter().all(|(other, _)| *other != top) {
            self.imports.push((top, span));
        }
    }
}

impl<'a> Visitor<'a> for Asked<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    self.import(alias.name.as_str(), alias.range.start().to_usize()..alias.range.end().to_usize());
                }
            }
            Stmt::ImportFrom(import) => {
                if let Some(module) = import.module.as_ref().filter(|_| import.level == 0) {
                    self.import(module.as_str(), module.range.start().to_usize()..module.range.end().to_usize());
                }
            }
            Stmt::Try(_) => {
                let before = std::mem::replace(&mut self.is_optional, true);
                visitor::walk_stmt(self, statement);
                self.is_optional = before;
            }
            _ => visitor::walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        // Most files ask nothing, and expressions are most of a tree.
        if !self.has_input || self.input.is_some() {
            return;
        }
        if let Expr::Call(call) = expression {
            let name = match &*call.func {
                Expr::Name(name) if name.id.as_str() == "input" => Some("input()"),
                Expr::Name(name) if name.id.as_str() == "getpass" => Some("getpass()"),
                Expr::Attribute(of) if of.attr.as_str() == "getpass" => Some("getpass()"),
                _ => None,
            };
            if let Some(name) = name {
                self.input = Some((name, call.range.start().to_usize()..call.range.end().to_usize()));
                return;
            }
        }
        visitor::walk_expr(self, expression);
    }
}

fn undeclared(subject: &Subject<'_>, file: &File, source: &str, imports: &[(&str, Span)]) -> Option<Diagnostic> {
    if imports.is_empty() {
        return None;
    }
    let foreign: Vec<&(&str, Span)> = imports.iter().filter(|(module, _)| !is_own(subject.skill, module)).collect();
    let first = foreign.first()?;
    if has_metadata(source) || subject.skill.files.iter().any(declares) || is_told(subject) {
        return None;
    }
    let list = |names: Vec<&str>, mark: &str| {
        names.iter().map(|name| format!("{mark}{name}{mark}")).collect::<Vec<_>>().join(", ")
    };
    let names = list(foreign.iter().map(|(module, _)| *module).collect(), "`");
    let packages = list(foreign.iter().map(|(module, _)| distribution(module)).collect(), "\"");
    let told = UNDECLARED.finding(format!("nothing says where {names} is to come from")).at(first.1.clone(), source);
    let told =
        foreign.iter().skip(1).fold(told, |told, (module, span)| told.label(span.clone(), format!("and `{module}`")));
    let block = format!("# /// script\n# dependencies = [{packages}]\n# ///");
    let told = told.help(format!("declare it at the top, for `uv run {}`:\n{block}", file.path));
    Some(told)
}

/// Whether a module is a file or directory of the skill.
fn is_own(skill: &SkillDir, module: &str) -> bool {
    skill.files.iter().any(|file| {
        file.name().strip_suffix(".py") == Some(module) || file.path.split('/').rev().skip(1).any(|dir| dir == module)
    })
}

/// Whether a script says itself what it needs.
///
/// See <https://peps.python.org/pep-0723/>.
fn has_metadata(source: &str) -> bool {
    source.lines().any(|line| line.trim_end() == "# /// script")
}

/// Whether a file is one of those that say what Python needs.
fn declares(file: &File) -> bool {
    let name = file.name();
    matches!(
        name,
        "pyproject.toml" | "setup.py" | "setup.cfg" | "Pipfile" | "environment.yml" | "environment.yaml" | "uv.lock"
    ) || name.starts_with("requirements")
}

/// Whether the instructions say what to install.
fn is_told(subject: &Subject<'_>) -> bool {
    let Some(page) = &subject.page else { return false };
    ["pip install", "pip3 install", "uv add", "uv run --with", "uvx ", "poetry add", "conda install", "pipx "]
        .iter()
        .any(|words| page.source.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message, a line and a column, and the bytes.
    type Told = (String, Option<(usize, usize)>, Span);

    fn told(source: &str) -> Option<Told> {
        let told = fault(&parse(source)?, source)?;
        Some((told.message, told.position, told.span.unwrap()))
    }

    #[test]
    fn what_is_wrong_is_told_where_it_is() {
        let one = |source: &str| told(source).unwrap();
        assert_eq!(one("é = 1\r\nx = (1,\r\ny = 2\r\n").1, Some((3, 3)));
        assert_eq!(one("\u{feff}x = = 1\n"), ("syntax error: expected an expression".into(), Some((1, 5)), 7..8));
        assert_eq!(one("if True:\nx = 1\n").0, "syntax error: expected an indented block after `if` statement");
    }

    #[test]
    fn python_2_is_known() {
        for (source, what) in [
            ("print \"x\"\n", "`print` without parentheses"),
            ("if 1: print x, y\n", "`print` without parentheses"),
            ("print >>sys.stderr, 'x'\nprint x\n", "`print` without parentheses"),
            ("try:\n    x\nexcept IOError, e:\n    pass\n", "`except` with a comma"),
            ("exec 'x = 1'\n", "`exec` without parentheses"),
            ("raise ValueError, 'x'\n", "`raise` with a comma"),
            ("x = 1 <> 2\n", "`<>` for `!=`"),
            ("x = 0777\n", "a literal of Python 2"),
        ] {
            let message = told(source).map(|told| told.0);
            assert_eq!(message, Some(format!("this is Python 2: {what}")), "{source}");
        }
    }

    #[test]
    fn what_is_fine_in_any_python_3_is_fine() {
        for source in [
            "",
            "\u{feff}print(1)\r\n",
            "x: int = 1\n",
            "async def f():\n    await g()\n",
            "\x0c\ndef f(): ...\n",
            "if (n := 1): pass\n",
            "try:\n    x\nexcept ValueError, TypeError:\n    pass\n",
        ] {
            assert_eq!(told(source), None, "{source:?}");
        }
    }
}
