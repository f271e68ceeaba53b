//! What a skill says to Codex beside its `SKILL.md`, in `agents/openai.yaml`.
//!
//! ```yaml
//! interface:
//!   display_name: PDF forms
//!   short_description: Fill in forms
//! policy:
//!   allow_implicit_invocation: false
//! dependencies:
//!   tools:
//!     - {type: mcp, value: github, description: Reads issues, transport: streamable_http, url: "https://…"}
//! ```
//!
//! Reading is as lenient as Codex: what it does not take is left out. The lint `openai-yaml-ignored` says what that is.

use serde::{Deserialize, Serialize};

use crate::skill::yaml::{self, Node, Typed};

/// The file, below the skill's directory.
pub const FILE: &str = "agents/openai.yaml";

/// What the file says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Codex {
    /// What people call the skill.
    pub display_name: Option<String>,
    /// What stands below its name.
    pub short_description: Option<String>,
    /// What is asked where a person begins with the skill and says nothing.
    pub default_prompt: Option<String>,
    /// Whether a model may choose the skill by itself; `None` if that is not said, which means yes.
    pub allow_implicit_invocation: Option<bool>,
    /// The products that are shown it; empty for all.
    pub products: Vec<String>,
    /// The tools it depends on.
    pub tools: Vec<NeededTool>,
}

/// A tool that a skill depends on and does not bring: an MCP server, mostly.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NeededTool {
    /// `type`: `mcp`, `cli`, `env_var`.
    pub kind: String,
    /// Its name.
    pub value: String,
    /// What it is for.
    pub description: Option<String>,
    /// How an MCP server is spoken to: `stdio`, `streamable_http`.
    pub transport: Option<String>,
    /// What starts it.
    pub command: Option<String>,
    /// Where it is.
    pub url: Option<String>,
}

/// Reads the file; `None` if it cannot be read or says nothing.
#[must_use]
pub fn read(source: &[u8]) -> Option<Codex> {
    let source = str::from_utf8(source).ok()?;
    let root = yaml::parse_text(source).ok()?.root?;
    let at = |section: &str, key: &str| root.get(section).and_then(|section| section.get(key));
    let codex = Codex {
        display_name: at("interface", "display_name").and_then(text),
        short_description: at("interface", "short_description").and_then(text),
        default_prompt: at("interface", "default_prompt").and_then(text),
        allow_implicit_invocation: match at("policy", "allow_implicit_invocation").and_then(Node::typed) {
            Some(Typed::Bool(allowed)) => Some(allowed),
            _ => None,
        },
        products: items(at("policy", "products")).filter_map(text).collect(),
        tools: items(at("dependencies", "tools")).filter_map(tool).collect(),
    };
    (codex != Codex::default()).then_some(codex)
}

fn items<'n>(node: Option<&'n Node<'n>>) -> impl Iterator<Item = &'n Node<'n>> {
    node.and_then(Node::items).unwrap_or_default().iter()
}

fn tool(node: &Node) -> Option<NeededTool> {
    let of = |key: &str| node.get(key).and_then(text);
    Some(NeededTool {
        kind: of("type")?,
        value: of("value")?,
        description: of("description"),
        transport: of("transport"),
        command: of("command"),
        url: of("url"),
    })
}

fn text(node: &Node) -> Option<String> {
    let Some(Typed::Text(text)) = node.typed() else { return None };
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interface_policy_and_dependencies_are_read() {
        let source = "interface:\n  display_name: PDF forms\n  short_description: Fill in forms\n  brand_color: red\npolicy:\n  \
                      allow_implicit_invocation: false\n  products: [codex, chatgpt]\ndependencies:\n  tools:\n    - {type: mcp, \
                      value: github, description: Reads issues, transport: streamable_http, url: 'https://x.example'}\n    - {value: untyped}\n";
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            read(source.as_bytes()),
            Some(Codex {
                display_name: text("PDF forms"),
                short_description: text("Fill in forms"),
                default_prompt: None,
                allow_implicit_invocation: Some(false),
                products: vec!["codex".into(), "chatgpt".into()],
                tools: vec![NeededTool {
                    kind: "mcp".into(),
                    value: "github".into(),
                    description: text("Reads issues"),
                    transport: text("streamable_http"),
                    command: None,
                    url: text("https://x.example"),
                }],
            })
        );
    }

    #[test]
    fn what_codex_does_not_take_says_nothing() {
        for source in
            ["", "a: [", "policy: {allow_implicit_invocation: 'no'}", "interface: {display_name: 7}", "policy: []"]
        {
            assert_eq!(read(source.as_bytes()), None, "{source}");
        }
        assert_eq!(read(b"\xff"), None);
    }
}
