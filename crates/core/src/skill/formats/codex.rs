//! Codex's metadata of a skill, in `agents/openai.yaml`.
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
//! Reading is as lenient as Codex: values that it ignores are left out. The lint `openai-yaml-ignored` reports them.

use serde::{Deserialize, Serialize};

use crate::skill::yaml::{self, TypedScalar, YamlNode};

/// The file, below the skill's directory.
pub const FILE: &str = "agents/openai.yaml";

/// The content of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodexMetadata {
    /// The title for people.
    pub display_name: Option<String>,
    /// The text below the title.
    pub short_description: Option<String>,
    /// The prompt used when a person starts the skill without one.
    pub default_prompt: Option<String>,
    /// Whether a model may choose the skill by itself; `None` if not given, which means yes.
    pub allow_implicit_invocation: Option<bool>,
    /// The products that show it; empty for all.
    pub products: Vec<String>,
    /// The tools it depends on.
    pub tools: Vec<NeededTool>,
}

/// An external tool that a skill depends on: an MCP server, mostly.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NeededTool {
    /// `type`: `mcp`, `cli`, `env_var`.
    pub kind: String,
    /// Its name.
    pub value: String,
    /// What it is for.
    pub description: Option<String>,
    /// The transport of an MCP server: `stdio`, `streamable_http`.
    pub transport: Option<String>,
    /// The command that starts it.
    pub command: Option<String>,
    /// Its URL.
    pub url: Option<String>,
}

/// Reads the file; `None` if it is invalid or has no known values.
#[must_use]
pub fn read(source: &[u8]) -> Option<CodexMetadata> {
    let source = str::from_utf8(source).ok()?;
    let root = yaml::parse_text(source).ok()?.root?;
    let at = |section: &str, key: &str| root.get(section).and_then(|section| section.get(key));

    let codex = CodexMetadata {
        display_name: at("interface", "display_name").and_then(scalar_text),
        short_description: at("interface", "short_description").and_then(scalar_text),
        default_prompt: at("interface", "default_prompt").and_then(scalar_text),
        // Codex takes nothing but a boolean here, so other values leave the default.
        allow_implicit_invocation: match at("policy", "allow_implicit_invocation")
            .and_then(YamlNode::typed)
        {
            Some(TypedScalar::Bool(allowed)) => Some(allowed),
            _ => None,
        },
        products: sequence_items(at("policy", "products"))
            .filter_map(scalar_text)
            .collect(),
        tools: sequence_items(at("dependencies", "tools"))
            .filter_map(read_tool)
            .collect(),
    };

    // An empty file is the same as a missing one.
    (codex != CodexMetadata::default()).then_some(codex)
}

fn sequence_items<'n>(node: Option<&'n YamlNode<'n>>) -> impl Iterator<Item = &'n YamlNode<'n>> {
    node.and_then(YamlNode::items).unwrap_or_default().iter()
}

fn read_tool(node: &YamlNode) -> Option<NeededTool> {
    let field_text = |key: &str| node.get(key).and_then(scalar_text);

    Some(NeededTool {
        // Codex drops a tool without a type or a value, not the file.
        kind: field_text("type")?,
        value: field_text("value")?,
        description: field_text("description"),
        transport: field_text("transport"),
        command: field_text("command"),
        url: field_text("url"),
    })
}

fn scalar_text(node: &YamlNode) -> Option<String> {
    let Some(TypedScalar::Text(text)) = node.typed() else {
        return None;
    };
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
            Some(CodexMetadata {
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
    fn values_that_codex_ignores_are_left_out() {
        for source in [
            "",
            "a: [",
            "policy: {allow_implicit_invocation: 'no'}",
            "interface: {display_name: 7}",
            "policy: []",
        ] {
            assert_eq!(read(source.as_bytes()), None, "{source}");
        }
        assert_eq!(read(b"\xff"), None);
    }
}
