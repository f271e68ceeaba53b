//! The narrow column: how the package is added, its facts, what it uses, and its badge.

use std::fmt::Write as _;

use super::{AgentSupport, CapabilityList, PackagePage};
use crate::site::html_text::{escape_html, format_count};

impl PackagePage {
    /// The commands, which come first on a narrow screen.
    pub(super) fn write_commands(&self, html: &mut String) {
        html.push_str("<div class=\"add\">\n");
        for command in &self.commands {
            html.push_str(&command.to_html());
        }
        html.push_str("</div>\n");
    }

    pub(super) fn write_aside(&self, html: &mut String) {
        html.push_str("<aside aria-label=\"About this skill\">\n");

        let facts = self.fact_list();
        if !facts.is_empty() {
            html.push_str("<h2>Facts</h2>\n<dl>\n");
            for (label, value) in facts {
                let _ = writeln!(html, "<div><dt>{label}</dt><dd>{value}</dd></div>");
            }
            html.push_str("</dl>\n");
        }

        if !self.agents.is_empty() {
            html.push_str("<h2>Loaded by</h2>\n<ul class=\"agents\">\n");
            self.agents
                .iter()
                .for_each(|agent| html.push_str(&agent_html(agent)));
            html.push_str("</ul>\n");
        }

        if !self.capabilities.is_empty() {
            html.push_str("<h2>Uses</h2>\n<dl class=\"uses\">\n");
            self.capabilities
                .iter()
                .for_each(|list| html.push_str(&capability_html(list)));
            html.push_str("</dl>\n");
        }

        self.write_badge(html);
        html.push_str("</aside>\n");
    }

    /// The facts as labels and HTML.
    fn fact_list(&self) -> Vec<(String, String)> {
        let mut facts = Vec::new();
        let row = &self.row;

        if let Some(license) = &row.license {
            facts.push(("License".to_owned(), escape_html(license)));
        }
        if let Some(published) = &row.published {
            facts.push(("Published".to_owned(), escape_html(published)));
        }
        let counts = [
            (row.tokens, "when loaded"),
            (self.listing_tokens, "in the list"),
        ];
        let counts: Vec<String> = counts
            .into_iter()
            .filter_map(|(count, when)| Some(format!("{} {when}", format_count(count?))))
            .collect();
        if !counts.is_empty() {
            facts.push(("Tokens".to_owned(), format!("about {}", counts.join(", "))));
        }
        let further = self.facts.iter();
        facts.extend(further.map(|(label, text)| (escape_html(label), fact_html(text))));
        facts
    }

    fn write_badge(&self, html: &mut String) {
        let label = format!(
            "{} {}",
            self.row.name,
            self.row.version.as_deref().unwrap_or("skill")
        );
        let _ = writeln!(
            html,
            "<h2>Badge</h2>\n<p><a href=\"badge.svg\"><img src=\"badge.svg\" height=\"20\" alt=\"{}\"></a></p>",
            escape_html(&label)
        );
    }
}

/// A fact: a web address as a link, any other text as it is.
fn fact_html(text: &str) -> String {
    let shown = escape_html(text);
    let is_address = text.starts_with("https://") && !text.contains(char::is_whitespace);
    if is_address {
        return format!("<a href=\"{shown}\" rel=\"nofollow noopener\">{shown}</a>");
    }
    shown
}

fn agent_html(agent: &AgentSupport) -> String {
    let title = escape_html(&agent.title);
    let (kind, sign, word) = match (&agent.problem, agent.is_listed) {
        (None, _) => ("yes", "✓", "loads it"),
        (Some(_), true) => ("partly", "~", "loads it in part"),
        (Some(_), false) => ("no", "✗", "does not load it"),
    };
    let problem = agent.problem.as_ref().map_or(String::new(), |problem| {
        format!("<span class=\"quiet\">{}</span>", escape_html(problem))
    });
    format!(
        "<li class=\"{kind}\"><span aria-hidden=\"true\">{sign}</span> {title}<span class=\"sr\"> {word}</span>{problem}</li>\n"
    )
}

fn capability_html(list: &CapabilityList) -> String {
    let mut values = String::new();
    for (value, place) in &list.values {
        let place = if place.is_empty() {
            String::new()
        } else {
            format!(" <span class=\"quiet\">{}</span>", escape_html(place))
        };
        let _ = write!(
            values,
            "<li><code>{}</code>{place}</li>",
            escape_html(value)
        );
    }
    if list.more > 0 {
        let _ = write!(
            values,
            "<li class=\"quiet\">and {} more</li>",
            format_count(list.more)
        );
    }
    format!(
        "<div><dt>{}</dt><dd><ul>{values}</ul></dd></div>\n",
        escape_html(&list.label)
    )
}
