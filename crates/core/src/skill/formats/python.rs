//! Reads the tools that a Python file declares, with a parser: the file is never run.
//!
//! A tool is a function of the module that `get_tools` returns in a list, or, where the returned value is not known
//! without running it, a function with a decorator `tool`. Its description is the docstring, its parameters the signature's.

use std::collections::BTreeMap;

use rustpython_ruff_python_ast::token::TokenKind;
use rustpython_ruff_python_ast::{
    Arguments, Expr, ExprCall, Mod, Number, ParameterWithDefault, PythonVersion, Stmt,
    StmtFunctionDef, UnaryOp,
};
use rustpython_ruff_python_parser::{Mode, ParseOptions, Parsed, lexer, parse_unchecked};

pub use super::declared_tools::{DeclaredTools, GetTools, PythonError};
use crate::report::Span;
use crate::skill::{SkillTool, ToolParameter};

/// The deepest nesting of a file. The parser is recursive, so a file of brackets alone would overflow the stack; the deepest
/// script of 2,958 published skills has 31 levels.
const DEPTH_MAX: usize = 200;

/// Reads the tools that a file declares.
///
/// # Errors
/// If it has a syntax error, or is nested deeper than `DEPTH_MAX`.
pub fn read_declared_tools(source: &str) -> Result<DeclaredTools, PythonError> {
    let parsed = parse(source).ok_or_else(|| PythonError {
        message: "nested too deeply".to_owned(),
        at: 0..source.find('\n').unwrap_or(source.len()),
    })?;

    // The parser recovers from errors, so a tree alone does not mean that this is Python.
    if let Some(error) = parsed.errors().first() {
        let at = error.location.start().to_usize()..error.location.end().to_usize();
        return Err(PythonError {
            message: format!("syntax error: {}", lower_first(&error.error.to_string())),
            at,
        });
    }

    let body = parsed
        .syntax()
        .as_module()
        .map(|module| module.body.as_slice())
        .unwrap_or_default();

    Ok(PythonModule::from_body(body).declared_tools())
}

/// Parses a file; `None` if it is nested deeper than `DEPTH_MAX`.
#[must_use]
pub fn parse(source: &str) -> Option<Parsed<Mod>> {
    if is_too_deep(source) {
        return None;
    }

    // Syntax newer than this version is reported apart from syntax errors.
    Some(parse_unchecked(
        source,
        ParseOptions::from(Mode::Module).with_target_version(PythonVersion::PY313),
    ))
}

/// Finds the string literals of a file in which an escape such as `\u00ad` means the character, in the order of the file:
/// no raw strings, no bytes, and nothing within the expressions of f-strings, where Python before 3.12 has no backslash.
/// `None` if the file cannot be parsed.
#[must_use]
pub fn find_escapable_strings(source: &str) -> Option<Vec<Span>> {
    let parsed = parse(source).filter(|parsed| parsed.errors().is_empty())?;
    let (mut strings, mut depth) = (Vec::new(), 0usize);

    for token in parsed.tokens() {
        let (kind, range) = token.as_tuple();
        match kind {
            TokenKind::FStringStart | TokenKind::TStringStart => depth += 1,
            TokenKind::FStringEnd | TokenKind::TStringEnd => depth -= 1,
            _ => {}
        }

        let is_text = match kind {
            TokenKind::String => depth == 0,
            TokenKind::FStringMiddle | TokenKind::TStringMiddle => depth == 1,
            _ => false,
        };
        if is_text
            && token
                .string_flags()
                .is_some_and(|flags| !flags.is_raw_string() && !flags.is_byte_string())
        {
            strings.push(range.start().to_usize()..range.end().to_usize());
        }
    }

    Some(strings)
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|first| first.to_lowercase().to_string())
        .unwrap_or_default();
    first + letters.as_str()
}

/// Whether the tree of a file may be deeper than `DEPTH_MAX`, by its tokens: brackets and blocks are levels, and so is each
/// operator of a chain, as `1 + 1 + 1` is a tree of its own height.
fn is_too_deep(source: &str) -> bool {
    let mut lexer = lexer::lex(source, Mode::Module);
    // For each open bracket, the length of the chain before it.
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
            TokenKind::Rpar
            | TokenKind::Rsqb
            | TokenKind::Rbrace
            | TokenKind::FStringEnd
            | TokenKind::TStringEnd => {
                // The bracket is an operand of whatever follows: a call of a call of a call.
                let before = open.pop().unwrap_or(0);
                above = above.saturating_sub(before + 1);
                chain = before + 1;
            }
            // Each of these ends the expression, and with it the chain.
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
            // Operators, dots and keywords: each may make the tree one level higher.
            _ => chain += 1,
        }

        if above + chain + blocks > DEPTH_MAX {
            return true;
        }
    }
}

/// The functions and values of a module by name, the last of each name.
struct PythonModule<'a> {
    functions: BTreeMap<&'a str, &'a StmtFunctionDef>,
    values: BTreeMap<&'a str, &'a Expr>,
    /// The functions in the order of the file.
    order: Vec<&'a StmtFunctionDef>,
}

impl<'a> PythonModule<'a> {
    fn from_body(body: &'a [Stmt]) -> Self {
        let mut module = PythonModule {
            functions: BTreeMap::new(),
            values: values_assigned_once(body),
            order: Vec::new(),
        };

        for function in body
            .iter()
            .filter_map(|statement| statement.as_function_def_stmt())
        {
            module.functions.insert(function.name.as_str(), function);
            module.order.push(function);
        }

        module
    }

    fn declared_tools(&self) -> DeclaredTools {
        let (tools, get_tools) = match self.functions.get("get_tools") {
            Some(function) => match self.returned_tools(function) {
                Some(tools) => {
                    return DeclaredTools {
                        tools,
                        get_tools: GetTools::Read,
                    };
                }
                None => (self.decorated_tools(), GetTools::Opaque),
            },
            // Imported from another module, or a callable value.
            None if self.values.contains_key("get_tools") => {
                (self.decorated_tools(), GetTools::Opaque)
            }
            None => (self.decorated_tools(), GetTools::Absent),
        };

        DeclaredTools { tools, get_tools }
    }

    /// The tools that a function returns in a list; `None` if that is not known without running it.
    fn returned_tools(&self, function: &'a StmtFunctionDef) -> Option<Vec<SkillTool>> {
        let mut returns = function
            .body
            .iter()
            .filter_map(|statement| statement.as_return_stmt());
        let (first, more) = (returns.next()?, returns.next());

        let inner = values_assigned_once(&function.body);
        // Any other statement could change the list before it is returned.
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

        items
            .iter()
            .map(|item| self.tool_from_item(item, &named))
            .collect()
    }

    /// The tool that an item of the list refers to; `None` if it is not known.
    fn tool_from_item(
        &self,
        item: &'a Expr,
        named: &dyn Fn(&str) -> Option<&'a Expr>,
    ) -> Option<SkillTool> {
        let value = match item {
            Expr::Name(name) => match self.functions.get(name.id.as_str()) {
                Some(function) => return Some(tool_from_function(function)),
                None => named(name.id.as_str())?,
            },
            other => other,
        };

        self.tool_from_call(value.as_call_expr()?)
    }

    /// The tool that a call makes; `None` if the function called is not one that makes tools.
    fn tool_from_call(&self, call: &'a ExprCall) -> Option<SkillTool> {
        let maker = last_name_part(&call.func)?;
        // Constructors of LangChain and of libraries like it, by the last part of their names.
        if !matches!(
            maker,
            "from_function" | "Tool" | "StructuredTool" | "FunctionTool" | "tool"
        ) {
            return None;
        }

        // `Tool(name, func, …)`, but `StructuredTool.from_function(func, …)`.
        let place = usize::from(maker == "Tool");
        let function = keyword_argument(&call.arguments, "func")
            .or_else(|| call.arguments.args.get(place))
            .or_else(|| keyword_argument(&call.arguments, "coroutine"))
            .and_then(Expr::as_name_expr)
            .and_then(|name| self.functions.get(name.id.as_str()));
        let mut tool_found = function.map(|function| tool_from_function(function));

        // What the call says wins over the function's own name and docstring.
        let first = call.arguments.args.first().filter(|_| maker == "Tool");
        if let Some(name) = keyword_argument(&call.arguments, "name")
            .or(first)
            .and_then(string_literal)
        {
            let tool = tool_found.get_or_insert_with(|| SkillTool {
                name: String::new(),
                description: String::new(),
                parameters: Vec::new(),
            });
            name.clone_into(&mut tool.name);
        }

        if let (Some(tool), Some(text)) = (
            &mut tool_found,
            keyword_argument(&call.arguments, "description").and_then(string_literal),
        ) {
            text.trim().clone_into(&mut tool.description);
        }

        tool_found
    }

    /// The functions with a decorator `tool`.
    fn decorated_tools(&self) -> Vec<SkillTool> {
        self.order
            .iter()
            .filter(|function| tool_decorator(function).is_some())
            .map(|function| tool_from_function(function))
            .collect()
    }
}

/// The values of names that are assigned exactly once.
fn values_assigned_once(body: &[Stmt]) -> BTreeMap<&str, &Expr> {
    let mut values = BTreeMap::new();
    let mut again = Vec::new();
    for statement in body {
        let (target, value) = match statement {
            Stmt::Assign(assign) if assign.targets.len() == 1 => {
                (&assign.targets[0], Some(&*assign.value))
            }
            Stmt::AnnAssign(assign) => (&*assign.target, assign.value.as_deref()),
            _ => continue,
        };
        if let (Expr::Name(name), Some(value)) = (target, value)
            && values.insert(name.id.as_str(), value).is_some()
        {
            again.push(name.id.as_str());
        }
    }

    // A name that is assigned twice has no value that is known without running the code.
    values.retain(|name, _| !again.contains(name));
    values
}

/// The decorator that makes a function a tool.
fn tool_decorator(function: &StmtFunctionDef) -> Option<&Expr> {
    let mut expressions = function
        .decorator_list
        .iter()
        .map(|decorator| &decorator.expression);
    expressions.find(|expression| match expression {
        Expr::Call(call) => last_name_part(&call.func) == Some("tool"),
        other => last_name_part(other) == Some("tool"),
    })
}

/// The last part of a dotted name.
fn last_name_part(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        _ => None,
    }
}

fn keyword_argument<'a>(arguments: &'a Arguments, key: &str) -> Option<&'a Expr> {
    let keyword = arguments
        .keywords
        .iter()
        .find(|keyword| keyword.arg.as_deref() == Some(key))?;
    Some(&keyword.value)
}

fn string_literal(expression: &Expr) -> Option<&str> {
    Some(expression.as_string_literal_expr()?.value.to_str())
}

/// A function as a tool.
fn tool_from_function(function: &StmtFunctionDef) -> SkillTool {
    let given = match tool_decorator(function) {
        // `@tool("name", description="…")`: the decorator wins over the function itself.
        Some(Expr::Call(call)) => {
            let name = call
                .arguments
                .args
                .first()
                .or_else(|| keyword_argument(&call.arguments, "name"))
                .and_then(string_literal);
            (
                name,
                keyword_argument(&call.arguments, "description").and_then(string_literal),
            )
        }
        _ => (None, None),
    };

    let docstring = function
        .body
        .first()
        .and_then(|first| string_literal(&first.as_expr_stmt()?.value))
        .map(dedent_docstring);
    let docstring = docstring.unwrap_or_default();

    let parameters = function
        .parameters
        .posonlyargs
        .iter()
        .chain(&function.parameters.args);
    let parameters = parameters.chain(&function.parameters.kwonlyargs);

    SkillTool {
        name: given.0.unwrap_or(function.name.as_str()).to_owned(),
        parameters: parameters
            .filter_map(|one| read_parameter(one, &docstring))
            .collect(),
        description: given.1.map_or(docstring, |text| text.trim().to_owned()),
    }
}

/// A docstring without the indentation of its lines, as by Python's own `inspect.cleandoc`.
fn dedent_docstring(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    // The first line follows the quotes, so its indentation says nothing.
    let margin = text
        .lines()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(indent)
        .min()
        .unwrap_or(0);

    let lines = text.lines().enumerate().map(|(at, line)| match at {
        0 => line.trim(),
        _ => line.get(margin..).unwrap_or_default().trim_end(),
    });

    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// A parameter of a function; `None` for one that is not passed by a model.
fn read_parameter(written: &ParameterWithDefault, docstring: &str) -> Option<ToolParameter> {
    let name = written.parameter.name.as_str();
    let mut annotation = written.parameter.annotation.as_deref();
    let mut description = String::new();

    if let Some(tuple) = annotation.and_then(annotated_parts) {
        // `InjectedState` and the like are filled in by the library, never by the model.
        if tuple.iter().any(is_injected) {
            return None;
        }

        let mut rest = tuple.iter();
        annotation = rest.next();
        rest.find_map(annotation_text)
            .unwrap_or_default()
            .trim()
            .clone_into(&mut description);
    }

    // LangChain passes a `RunnableConfig`, and Python itself passes `self` and `cls`.
    let is_given_by_the_agent = annotation
        .and_then(last_name_part)
        .is_some_and(|kind| kind == "RunnableConfig");
    if matches!(name, "self" | "cls") || is_given_by_the_agent {
        return None;
    }

    if description.is_empty() {
        description = docstring_parameter_text(docstring, name).unwrap_or_default();
    }

    Some(ToolParameter {
        name: name.to_owned(),
        kind: annotation.and_then(json_type).map(str::to_owned),
        description,
        required: written.default.is_none(),
        default: written
            .default()
            .and_then(literal_to_json)
            .map(|value| value.to_string()),
    })
}

/// The parts of `Annotated[type, …]`: the type, then what is said about it.
fn annotated_parts(annotation: &Expr) -> Option<&[Expr]> {
    let Expr::Subscript(subscript) = annotation else {
        return None;
    };
    if last_name_part(&subscript.value) != Some("Annotated") {
        return None;
    }

    let Expr::Tuple(tuple) = &*subscript.slice else {
        return None;
    };
    Some(&tuple.elts)
}

fn is_injected(part: &Expr) -> bool {
    last_name_part(part.as_call_expr().map_or(part, |call| &call.func))
        .is_some_and(|name| name.starts_with("Injected"))
}

/// The description beside a type: `Annotated[str, "what"]`, `Annotated[str, Field(description="what")]`.
fn annotation_text(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Call(call) => {
            keyword_argument(&call.arguments, "description").and_then(string_literal)
        }
        other => string_literal(other),
    }
}

/// The text about a parameter in the `Args:` section of a docstring, as `name: text` or `name (type): text`.
fn docstring_parameter_text(docstring: &str, name: &str) -> Option<String> {
    let mut lines = docstring
        .lines()
        .skip_while(|line| !matches!(line.trim(), "Args:" | "Arguments:" | "Parameters:"));
    lines.next()?;

    lines
        .take_while(|line| line.is_empty() || line.starts_with([' ', '\t']))
        .find_map(|line| parse_parameter_line(line, name))
        .map(str::to_owned)
}

/// The text about a parameter in a line that begins with its name.
fn parse_parameter_line<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let rest = line.trim().strip_prefix(name)?.trim_start();
    let rest = match rest.strip_prefix('(') {
        Some(inner) => inner.split_once(')')?.1.trim_start(),
        None => rest,
    };
    Some(rest.strip_prefix(':')?.trim())
}

/// The JSON Schema type of an annotation; `None` if it has none.
fn json_type(annotation: &Expr) -> Option<&'static str> {
    match annotation {
        Expr::Name(_) | Expr::Attribute(_) => json_type_of_name(last_name_part(annotation)?),
        Expr::Subscript(subscript) => match last_name_part(&subscript.value)? {
            "Optional" => json_type(&subscript.slice),
            "Literal" => {
                let is_text = match &*subscript.slice {
                    Expr::Tuple(tuple) => tuple.elts.iter().all(Expr::is_string_literal_expr),
                    one => one.is_string_literal_expr(),
                };
                is_text.then_some("string")
            }
            other => json_type_of_name(other),
        },
        // `X | None` and `None | X`.
        Expr::BinOp(either) if either.right.is_none_literal_expr() => json_type(&either.left),
        Expr::BinOp(either) if either.left.is_none_literal_expr() => json_type(&either.right),
        _ => None,
    }
}

fn json_type_of_name(name: &str) -> Option<&'static str> {
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

/// A literal default as JSON; `None` for any other expression.
fn literal_to_json(expression: &Expr) -> Option<serde_json::Value> {
    match expression {
        Expr::StringLiteral(_) => string_literal(expression).map(Into::into),
        Expr::BooleanLiteral(literal) => Some(literal.value.into()),
        Expr::NoneLiteral(_) => Some(serde_json::Value::Null),
        Expr::NumberLiteral(literal) => number_to_json(&literal.value),
        // Python has no negative literals: `-1` is an operator and a number.
        Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => {
            negate(&literal_to_json(&unary.operand)?)
        }
        Expr::List(list) => list
            .elts
            .iter()
            .map(literal_to_json)
            .collect::<Option<Vec<_>>>()
            .map(Into::into),
        Expr::Dict(dict) if dict.items.is_empty() => Some(serde_json::json!({})),
        _ => None,
    }
}

fn number_to_json(number: &Number) -> Option<serde_json::Value> {
    match number {
        Number::Int(int) => int.as_i64().map(Into::into),
        Number::Float(float) => serde_json::Number::from_f64(*float).map(Into::into),
        Number::Complex { .. } => None,
    }
}

fn negate(value: &serde_json::Value) -> Option<serde_json::Value> {
    let serde_json::Value::Number(number) = value else {
        return None;
    };
    match number.as_i64() {
        Some(int) => Some((-int).into()),
        None => serde_json::Number::from_f64(-number.as_f64()?).map(Into::into),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each tool as `name(parameter: kind = default "description", …) "description"`; a `?` for what is not required.
    fn declared(source: &str) -> (Vec<String>, GetTools) {
        let declared = read_declared_tools(source).unwrap();
        let parameter = |one: &ToolParameter| {
            let mark = if one.required { "" } else { "?" };
            let kind = one.kind.as_deref().unwrap_or("-");
            let default = one
                .default
                .as_ref()
                .map(|default| format!(" = {default}"))
                .unwrap_or_default();
            let description = if one.description.is_empty() {
                String::new()
            } else {
                format!(" {:?}", one.description)
            };
            format!("{}{mark}: {kind}{default}{description}", one.name)
        };
        let render = |tool: &SkillTool| {
            let parameters: Vec<_> = tool.parameters.iter().map(parameter).collect();
            format!(
                "{}({}) {:?}",
                tool.name,
                parameters.join(", "),
                tool.description
            )
        };
        (
            declared.tools.iter().map(render).collect(),
            declared.get_tools,
        )
    }

    #[test]
    fn strings_with_escapes_are_found_and_raw_ones_and_bytes_are_not() {
        let source = "a = ['b', r'c', b'd', f'e{f['g']}h{{', rf'i', \"\"\"j\nk\"\"\"] # 'l'\n";
        let strings: Vec<&str> = find_escapable_strings(source)
            .unwrap()
            .into_iter()
            .map(|span| &source[span])
            .collect();
        assert_eq!(strings, ["'b'", "e", "h{{", "\"\"\"j\nk\"\"\""]);
        assert_eq!(find_escapable_strings("print 'a'\n"), None);
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
            declared(source),
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
            (
                "def get_tools():\n    return [b, a]\n",
                vec!["b() \"B.\"", "a() \"A.\""],
                GetTools::Read,
            ),
            (
                "TOOLS = (a,)\ndef get_tools():\n    return TOOLS\n",
                vec!["a() \"A.\""],
                GetTools::Read,
            ),
            (
                "def get_tools():\n    tools = [a]\n    return tools\n",
                vec!["a() \"A.\""],
                GetTools::Read,
            ),
            ("def get_tools():\n    return []\n", vec![], GetTools::Read),
            (
                "x = StructuredTool.from_function(func=a, name='one', description='First.')\ndef get_tools():\n    return [x, Tool('t', b)]\n",
                vec!["one() \"First.\"", "t() \"B.\""],
                GetTools::Read,
            ),
            (
                "def get_tools():\n    return [a] + more()\n",
                vec!["c() \"C.\""],
                GetTools::Opaque,
            ),
            (
                "def get_tools():\n    return [*all_of()]\n",
                vec!["c() \"C.\""],
                GetTools::Opaque,
            ),
            (
                "def get_tools():\n    if x:\n        return [a]\n    return [b]\n",
                vec!["c() \"C.\""],
                GetTools::Opaque,
            ),
            (
                "def get_tools():\n    t = [a]\n    t.append(b)\n    return t\n",
                vec!["c() \"C.\""],
                GetTools::Opaque,
            ),
            ("get_tools = make()\n", vec!["c() \"C.\""], GetTools::Opaque),
            ("", vec!["c() \"C.\""], GetTools::Absent),
        ] {
            let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
            assert_eq!(
                declared(&format!("{functions}{rest}")),
                (names, get_tools),
                "{rest}"
            );
        }
    }

    #[test]
    fn a_deeply_nested_file_is_refused_and_a_long_one_is_not() {
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
            (0..300)
                .map(|depth| format!("{}if 1:\n", " ".repeat(depth)))
                .collect(),
        ] {
            assert_eq!(
                read_declared_tools(&deep).unwrap_err().message,
                "nested too deeply",
                "{}",
                &deep[..20]
            );
        }
        let long = format!(
            "X = [{}]\n{}",
            many("{'a': -1, 'b': [1.5, (2, 3)]},\n"),
            many("y = a.b(c)[1]\n")
        );
        assert_eq!(
            read_declared_tools(&long).unwrap().get_tools,
            GetTools::Absent
        );
    }
}
