//! What a Python file declares as tools: read by a parser, never run.
//!
//! A tool is a function of the module that `get_tools` returns in a list, or, where what it returns can only be known by
//! running it, a function under a decorator `tool`. Its description is the docstring; what it takes is the signature.

use std::collections::BTreeMap;

use rustpython_ruff_python_ast::token::TokenKind;
use rustpython_ruff_python_ast::{
    Arguments, Expr, Mod, Number, ParameterWithDefault, PythonVersion, Stmt, StmtFunctionDef, UnaryOp,
};
use rustpython_ruff_python_parser::{Mode, ParseOptions, Parsed, lexer, parse_unchecked};

use crate::report::Span;
use crate::skill::{Parameter, Tool};

/// How deep a file may be nested. The parser goes down one call after another, so a file of brackets alone would end the
/// process; the deepest of the scripts of 2,958 published skills has 31.
const DEPTH_MAX: usize = 200;

/// What a file declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// Its tools, in the order in which they are returned, else in that of the file.
    pub tools: Vec<Tool>,
    /// What is known of its `get_tools`.
    pub get_tools: GetTools,
}

/// What is known of a file's `get_tools`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GetTools {
    /// There is none.
    Absent,
    /// It returns a list of what could be read.
    Read,
    /// What it returns can only be known by running it.
    Opaque,
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// One sentence, lower case, without a full stop.
    pub message: String,
    /// Where.
    pub at: Span,
}

/// Reads what a file declares.
///
/// # Errors
/// If it is no Python, or nested so deep that nobody wrote it.
pub fn declared(source: &str) -> Result<Declared, Fault> {
    let parsed = parse(source).ok_or_else(|| Fault {
        message: "it is nested too deep".to_owned(),
        at: 0..source.find('\n').unwrap_or(source.len()),
    })?;
    if let Some(error) = parsed.errors().first() {
        let at = error.location.start().to_usize()..error.location.end().to_usize();
        return Err(Fault { message: format!("syntax error: {}", lower_first(&error.error.to_string())), at });
    }
    let body = parsed.syntax().as_module().map(|module| module.body.as_slice()).unwrap_or_default();
    Ok(Module::of(body).declared())
}

/// Parses a file; `None` if it is nested deeper than [`DEPTH_MAX`].
#[must_use]
pub(crate) fn parse(source: &str) -> Option<Parsed<Mod>> {
    if is_too_deep(source) {
        return None;
    }
    // What is newer than this is told apart, and all but one thing of that is fine.
    Some(parse_unchecked(source, ParseOptions::from(Mode::Module).with_target_version(PythonVersion::PY313)))
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
    first + letters.as_str()
}

/// Whether the tree of a file may be deeper than is allowed, by its tokens: brackets and blocks are levels, and so is each
/// operator of a chain, as `1 + 1 + 1` is a tree of its own height.
fn is_too_deep(source: &str) -> bool {
    let mut lexer = lexer::lex(source, Mode::Module);
    // Of each bracket that is open: how long the chain in it is so far.
    let (mut open, mut chain, mut above, mut blocks) = (Vec::new(), 0usize, 0usize, 0usize);
    loop {
        match lexer.next_token() {
            TokenKind::EndOfFile => return false,
            TokenKind::Indent => blocks += 1,
            TokenKind::Dedent => blocks = blocks.saturating_sub(1),
            TokenKind::Lpar
            | TokenKind::Lsqb
            | TokenKind::Lbrace
            | TokenKind::FStringStart
            | TokenKind::TStringStart => {
                open.push(chain);
                above += chain + 1;
                chain = 0;
            }
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace | TokenKind::FStringEnd | TokenKind::TStringEnd => {
                // What follows stands on what was in the bracket: a call of a call of a call.
                let before = open.pop().unwrap_or(0);
                above = above.saturating_sub(before + 1);
                chain = before + 1;
            }
            TokenKind::Comma | TokenKind::Newline | TokenKind::Semi => {
                chain = 0;
                if open.is_empty() {
                    above = 0;
                }
            }
            TokenKind::Name
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Complex
            | TokenKind::String
            | TokenKind::FStringMiddle
            | TokenKind::TStringMiddle
            | TokenKind::Comment
            | TokenKind::NonLogicalNewline => {}
            _ => chain += 1,
        }
        if above + chain + blocks > DEPTH_MAX {
            return true;
        }
    }
}

/// The functions and values of a module, by name; of several with one name the last.
struct Module<'a> {
    functions: BTreeMap<&'a str, &'a StmtFunctionDef>,
    values: BTreeMap<&'a str, &'a Expr>,
    /// The functions in the order of the file.
    order: Vec<&'a StmtFunctionDef>,
}

impl<'a> Module<'a> {
    fn of(body: &'a [Stmt]) -> Self {
        let mut module = Module { functions: BTreeMap::new(), values: values(body), order: Vec::new() };
        for function in body.iter().filter_map(|statement| statement.as_function_def_stmt()) {
            module.functions.insert(function.name.as_str(), function);
            module.order.push(function);
        }
        module
    }

    fn declared(&self) -> Declared {
        let (tools, get_tools) = match self.functions.get("get_tools") {
            Some(function) => match self.returned(function) {
                Some(tools) => return Declared { tools, get_tools: GetTools::Read },
                None => (self.decorated(), GetTools::Opaque),
            },
            // Another module's, or a value that can be called.
            None if self.values.contains_key("get_tools") => (self.decorated(), GetTools::Opaque),
            None => (self.decorated(), GetTools::Absent),
        };
        Declared { tools, get_tools }
    }

    /// The tools that a function returns in a list; `None` if that cannot be known without running it.
    fn returned(&self, function: &'a StmtFunctionDef) -> Option<Vec<Tool>> {
        let mut returns = function.body.iter().filter_map(|statement| statement.as_return_stmt());
        let (first, more) = (returns.next()?, returns.next());
        let inner = values(&function.body);
        let is_plain = function.body.iter().all(|statement| {
            matches!(statement, Stmt::Return(_) | Stmt::Assign(_) | Stmt::AnnAssign(_))
                || matches!(statement, Stmt::Expr(expression) if expression.value.is_string_literal_expr())
        });
        if more.is_some() || !is_plain {
            return None;
        }
        let named = |name: &str| inner.get(name).or_else(|| self.values.get(name)).copied();
        let mut list = first.value.as_deref()?;
        if let Expr::Name(name) = list {
            list = named(name.id.as_str())?;
        }
        let items = match list {
            Expr::List(list) => &list.elts,
            Expr::Tuple(tuple) => &tuple.elts,
            _ => return None,
        };
        items.iter().map(|item| self.tool(item, &named)).collect()
    }

    /// The tool that an item of the list is.
    fn tool(&self, item: &'a Expr, named: &dyn Fn(&str) -> Option<&'a Expr>) -> Option<Tool> {
        let made = match item {
            Expr::Name(name) => match self.functions.get(name.id.as_str()) {
                Some(function) => return Some(tool(function)),
                None => named(name.id.as_str())?,
            },
            other => other,
        };
        let call = made.as_call_expr()?;
        let maker = called(&call.func)?;
        if !matches!(maker, "from_function" | "Tool" | "StructuredTool" | "FunctionTool" | "tool") {
            return None;
        }
        let of = |key: &str, place: usize| keyword(&call.arguments, key).or_else(|| call.arguments.args.get(place));
        let function = of("func", usize::from(maker == "Tool")).or_else(|| keyword(&call.arguments, "coroutine"));
        let function = function.and_then(Expr::as_name_expr).and_then(|name| self.functions.get(name.id.as_str()));
        let mut made = function.map(|function| tool(function));
        let first = call.arguments.args.first().filter(|_| maker == "Tool");
        if let Some(name) = keyword(&call.arguments, "name").or(first).and_then(string) {
            let tool = made.get_or_insert_with(|| Tool {
                name: String::new(),
                description: String::new(),
                parameters: Vec::new(),
            });
            name.clone_into(&mut tool.name);
        }
        if let (Some(tool), Some(text)) = (&mut made, keyword(&call.arguments, "description").and_then(string)) {
            text.trim().clone_into(&mut tool.description);
        }
        made
    }

    /// The functions under a decorator `tool`.
    fn decorated(&self) -> Vec<Tool> {
        self.order.iter().filter(|function| decorator(function).is_some()).map(|function| tool(function)).collect()
    }
}

/// What names are given to, where that is done once.
fn values(body: &[Stmt]) -> BTreeMap<&str, &Expr> {
    let mut values = BTreeMap::new();
    let mut again = Vec::new();
    for statement in body {
        let (target, value) = match statement {
            Stmt::Assign(assign) if assign.targets.len() == 1 => (&assign.targets[0], Some(&*assign.value)),
            Stmt::AnnAssign(assign) => (&*assign.target, assign.value.as_deref()),
            _ => continue,
        };
        if let (Expr::Name(name), Some(value)) = (target, value)
            && values.insert(name.id.as_str(), value).is_some()
        {
            again.push(name.id.as_str());
        }
    }
    values.retain(|name, _| !again.contains(name));
    values
}

/// The decorator that makes a function a tool.
fn decorator(function: &StmtFunctionDef) -> Option<&Expr> {
    let mut expressions = function.decorator_list.iter().map(|decorator| &decorator.expression);
    expressions.find(|expression| match expression {
        Expr::Call(call) => called(&call.func) == Some("tool"),
        other => called(other) == Some("tool"),
    })
}

/// The last part of a dotted name.
fn called(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        _ => None,
    }
}

fn keyword<'a>(arguments: &'a Arguments, key: &str) -> Option<&'a Expr> {
    let keyword = arguments.keywords.iter().find(|keyword| keyword.arg.as_deref() == Some(key))?;
    Some(&keyword.value)
}

fn string(expression: &Expr) -> Option<&str> {
    Some(expression.as_string_literal_expr()?.value.to_str())
}

/// A function as a tool.
fn tool(function: &StmtFunctionDef) -> Tool {
    let given = match decorator(function) {
        Some(Expr::Call(call)) => {
            let name = call.arguments.args.first().or_else(|| keyword(&call.arguments, "name")).and_then(string);
            (name, keyword(&call.arguments, "description").and_then(string))
        }
        _ => (None, None),
    };
    let docstring = function.body.first().and_then(|first| string(&first.as_expr_stmt()?.value)).map(dedented);
    let docstring = docstring.unwrap_or_default();
    let parameters = function.parameters.posonlyargs.iter().chain(&function.parameters.args);
    let parameters = parameters.chain(&function.parameters.kwonlyargs);
    Tool {
        name: given.0.unwrap_or(function.name.as_str()).to_owned(),
        parameters: parameters.filter_map(|one| parameter(one, &docstring)).collect(),
        description: given.1.map_or(docstring, |text| text.trim().to_owned()),
    }
}

/// A docstring without the indentation of its lines, as Python's own `inspect.cleandoc` has it.
fn dedented(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let margin = text.lines().skip(1).filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    let lines = text.lines().enumerate().map(|(at, line)| match at {
        0 => line.trim(),
        _ => line.get(margin..).unwrap_or_default().trim_end(),
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// What a function takes; `None` for what is not given by a model.
fn parameter(written: &ParameterWithDefault, docstring: &str) -> Option<Parameter> {
    let name = written.parameter.name.as_str();
    let mut annotation = written.parameter.annotation.as_deref();
    let mut description = String::new();
    if let Some(Expr::Subscript(subscript)) = annotation
        && called(&subscript.value) == Some("Annotated")
        && let Expr::Tuple(tuple) = &*subscript.slice
    {
        let mut rest = tuple.elts.iter();
        annotation = rest.next();
        let injected = |one: &&Expr| {
            called(one.as_call_expr().map_or(one, |call| &call.func)).is_some_and(|name| name.starts_with("Injected"))
        };
        if tuple.elts.iter().any(|one| injected(&one)) {
            return None;
        }
        rest.find_map(described).unwrap_or_default().trim().clone_into(&mut description);
    }
    let is_given_by_the_agent = annotation.and_then(called).is_some_and(|kind| kind == "RunnableConfig");
    if matches!(name, "self" | "cls") || is_given_by_the_agent {
        return None;
    }
    if description.is_empty() {
        description = argument_line(docstring, name).unwrap_or_default();
    }
    Some(Parameter {
        name: name.to_owned(),
        kind: annotation.and_then(kind).map(str::to_owned),
        description,
        required: written.default.is_none(),
        default: written.default().and_then(literal).map(|value| value.to_string()),
    })
}

/// The text that stands beside a type: `Annotated[str, "what"]`, `Annotated[str, Field(description="what")]`.
fn described(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Call(call) => keyword(&call.arguments, "description").and_then(string),
        other => string(other),
    }
}

/// What a docstring says of a parameter in a section `Args:`, as `name: text` or `name (type): text`.
fn argument_line(docstring: &str, name: &str) -> Option<String> {
    let mut lines = docstring.lines().skip_while(|line| !matches!(line.trim(), "Args:" | "Arguments:" | "Parameters:"));
    lines.next()?;
    lines.take_while(|line| line.is_empty() || line.starts_with([' ', '\t'])).find_map(|line| {
        let rest = line.trim().strip_prefix(name)?.trim_start();
        let rest = match rest.strip_prefix('(') {
            Some(inner) => inner.split_once(')')?.1.trim_start(),
            None => rest,
        };
        Some(rest.strip_prefix(':')?.trim().to_owned())
    })
}

/// The sort of value that a type stands for, as JSON Schema calls it; `None` for what it has no word for.
fn kind(annotation: &Expr) -> Option<&'static str> {
    match annotation {
        Expr::Name(_) | Expr::Attribute(_) => named_kind(called(annotation)?),
        Expr::Subscript(subscript) => match called(&subscript.value)? {
            "Optional" => kind(&subscript.slice),
            "Literal" => {
                let is_text = match &*subscript.slice {
                    Expr::Tuple(tuple) => tuple.elts.iter().all(Expr::is_string_literal_expr),
                    one => one.is_string_literal_expr(),
                };
                is_text.then_some("string")
            }
            other => named_kind(other),
        },
        Expr::BinOp(either) if either.right.is_none_literal_expr() => kind(&either.left),
        Expr::BinOp(either) if either.left.is_none_literal_expr() => kind(&either.right),
        _ => None,
    }
}

fn named_kind(name: &str) -> Option<&'static str> {
    Some(match name {
        "str" => "string",
        "int" => "integer",
        "float" => "number",
        "bool" => "boolean",
        "dict" | "Dict" | "Mapping" => "object",
        "list" | "List" | "tuple" | "Tuple" | "set" | "Set" | "Sequence" | "Iterable" => "array",
        _ => return None,
    })
}

/// A default that is a literal, as JSON.
fn literal(expression: &Expr) -> Option<serde_json::Value> {
    match expression {
        Expr::StringLiteral(_) => string(expression).map(Into::into),
        Expr::BooleanLiteral(literal) => Some(literal.value.into()),
        Expr::NoneLiteral(_) => Some(serde_json::Value::Null),
        Expr::NumberLiteral(literal) => match &literal.value {
            Number::Int(int) => int.as_i64().map(Into::into),
            Number::Float(float) => serde_json::Number::from_f64(*float).map(Into::into),
            Number::Complex { .. } => None,
        },
        Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => match literal(&unary.operand)? {
            serde_json::Value::Number(number) => match number.as_i64() {
                Some(int) => Some((-int).into()),
                None => serde_json::Number::from_f64(-number.as_f64()?).map(Into::into),
            },
            _ => None,
        },
        Expr::List(list) => list.elts.iter().map(literal).collect::<Option<Vec<_>>>().map(Into::into),
        Expr::Dict(dict) if dict.items.is_empty() => Some(serde_json::json!({})),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each tool as `name(parameter: kind = default "description", …) "description"`; a `?` for what is not required.
    fn told(source: &str) -> (Vec<String>, GetTools) {
        let declared = declared(source).unwrap();
        let parameter = |one: &Parameter| {
            let mark = if one.required { "" } else { "?" };
            let kind = one.kind.as_deref().unwrap_or("-");
            let default = one.default.as_ref().map(|default| format!(" = {default}")).unwrap_or_default();
            let description =
                if one.description.is_empty() { String::new() } else { format!(" {:?}", one.description) };
            format!("{}{mark}: {kind}{default}{description}", one.name)
        };
        let tell = |tool: &Tool| {
            let parameters: Vec<_> = tool.parameters.iter().map(parameter).collect();
            format!("{}({}) {:?}", tool.name, parameters.join(", "), tool.description)
        };
        (declared.tools.iter().map(tell).collect(), declared.get_tools)
    }

    #[test]
    fn tools_have_the_name_docstring_and_signature_of_their_function() {
        let source = r#"
from typing import Annotated, Literal, Optional
from langchain_core.tools import tool

@tool
async def search(query: str, limit: int = 5, *, deep: bool = False, at: float = -1.5) -> list[dict]:
    """Search the tickets.

    Longer.

    Args:
        query: What to look for.
        limit (int): How many.
    """
    return []

@tool("fetch_one", return_direct=True)
def fetch(
    key: Annotated[str, "The ticket's key"],
    how: Literal["a", "b"] = "a",
    fields: Optional[list[str]] = None,
    extra: dict | None = None,
    config: RunnableConfig = None,
    when=now(),
    *more, **others,
):
    '''Fetch one.'''

def helper(x): ...

def get_tools():
    """All of them."""
    return [fetch, search]
"#;
        assert_eq!(
            told(source),
            (
                vec![
                    "fetch_one(key: string \"The ticket's key\", how?: string = \"a\", fields?: array = null, \
                     extra?: object = null, when?: -) \"Fetch one.\""
                        .to_owned(),
                    "search(query: string \"What to look for.\", limit?: integer = 5 \"How many.\", \
                     deep?: boolean = false, at?: number = -1.5) \"Search the tickets.\\n\\nLonger.\\n\\nArgs:\\n    \
                     query: What to look for.\\n    limit (int): How many.\""
                        .to_owned(),
                ],
                GetTools::Read
            )
        );
    }

    #[test]
    fn what_get_tools_returns_is_followed_as_far_as_it_is_written_down() {
        let functions = "def a():\n    'A.'\ndef b():\n    'B.'\n@tool\ndef c():\n    'C.'\n";
        for (rest, names, get_tools) in [
            ("def get_tools():\n    return [b, a]\n", vec!["b() \"B.\"", "a() \"A.\""], GetTools::Read),
            ("TOOLS = (a,)\ndef get_tools():\n    return TOOLS\n", vec!["a() \"A.\""], GetTools::Read),
            ("def get_tools():\n    tools = [a]\n    return tools\n", vec!["a() \"A.\""], GetTools::Read),
            ("def get_tools():\n    return []\n", vec![], GetTools::Read),
            (
                "x = StructuredTool.from_function(func=a, name='one', description='First.')\ndef get_tools():\n    return [x, Tool('t', b)]\n",
                vec!["one() \"First.\"", "t() \"B.\""],
                GetTools::Read,
            ),
            ("def get_tools():\n    return [a] + more()\n", vec!["c() \"C.\""], GetTools::Opaque),
            ("def get_tools():\n    return [*all_of()]\n", vec!["c() \"C.\""], GetTools::Opaque),
            ("def get_tools():\n    if x:\n        return [a]\n    return [b]\n", vec!["c() \"C.\""], GetTools::Opaque),
            ("def get_tools():\n    t = [a]\n    t.append(b)\n    return t\n", vec!["c() \"C.\""], GetTools::Opaque),
            ("get_tools = make()\n", vec!["c() \"C.\""], GetTools::Opaque),
            ("", vec!["c() \"C.\""], GetTools::Absent),
        ] {
            let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
            assert_eq!(told(&format!("{functions}{rest}")), (names, get_tools), "{rest}");
        }
    }

    #[test]
    fn a_file_that_would_bury_the_parser_is_refused_and_a_long_one_is_not() {
        let many = |text: &str| text.repeat(50_000);
        for deep in [
            many("("),
            many("[{"),
            format!("x = {}1", many("-")),
            format!("x = {}1", many("not ")),
            format!("x = 1{}", many("+1")),
            format!("x = a{}", many(".b")),
            format!("x = a{}", many("()")),
            format!("x = {}1", many("lambda: ")),
            format!("x = {}1", many("1 if 1 else ")),
            format!("x = {}{}", "f'{".repeat(300), "}'".repeat(300)),
            (0..300).map(|depth| format!("{}if 1:\n", " ".repeat(depth))).collect(),
        ] {
            assert_eq!(declared(&deep).unwrap_err().message, "it is nested too deep", "{}", &deep[..20]);
        }
        let long = format!("X = [{}]\n{}", many("{'a': -1, 'b': [1.5, (2, 3)]},\n"), many("y = a.b(c)[1]\n"));
        assert_eq!(declared(&long).unwrap().get_tools, GetTools::Absent);
    }
}
