//! `hosts.toml`: the one list of hosts.
//!
//! From it come both the words that a text is searched for and the classes of hosts, so that
//! neither has a host that the other lacks.

use serde::Deserialize;

use super::patterns::check_doc;
use super::source::write_list;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HostTable {
    /// Hosts whose content has no known publisher.
    untrusted: Vec<HostClassRow>,
    /// Other lists that Rust code uses by name.
    list: Vec<HostListRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HostClassRow {
    class: String,
    doc: String,
    /// Whether a path must follow: without one it is not a link.
    #[serde(default)]
    needs_path: bool,
    hosts: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HostListRow {
    name: String,
    doc: String,
    hosts: Vec<String>,
}

/// Reads the hosts.
pub(super) fn read_hosts(text: &str) -> Result<HostTable, String> {
    let table: HostTable = toml::from_str(text).map_err(|error| error.to_string())?;
    for row in &table.untrusted {
        check_class(row).map_err(|error| format!("in class `{}`: {error}", row.class))?;
    }
    for row in &table.list {
        check_doc(&row.doc).map_err(|error| format!("in list `{}`: {error}", row.name))?;
    }
    Ok(table)
}

fn check_class(row: &HostClassRow) -> Result<(), String> {
    check_doc(&row.doc)?;
    let is_known = ["paste", "drop", "catcher", "tunnel", "shortener"].contains(&&*row.class);
    if !is_known {
        return Err("unknown class".into());
    }

    let is_host = |host: &&String| {
        host.contains('.') && **host == host.to_ascii_lowercase() && !host.contains('/')
    };
    match row.hosts.iter().find(|host| !is_host(host)) {
        Some(host) => Err(format!("`{host}` is not a host name in lower case")),
        None => Ok(()),
    }
}

impl HostTable {
    /// Returns the words that find untrusted hosts in a text.
    pub(super) fn trigger_words(&self) -> Vec<String> {
        let with_path = |row: &HostClassRow, host: &String| {
            let path = if row.needs_path { "/" } else { "" };
            format!("{host}{path}")
        };
        self.untrusted
            .iter()
            .flat_map(|row| row.hosts.iter().map(move |host| with_path(row, host)))
            .collect()
    }

    pub(super) fn to_source(&self) -> String {
        let mut text = String::from(
            "/// Untrusted hosts, by class.\nconst UNTRUSTED_HOSTS: &[(HostClass, &[&str])] = &[\n",
        );
        for row in &self.untrusted {
            let (first, rest) = row.class.split_at(1);
            let class = first.to_ascii_uppercase() + rest;
            text += &format!("(HostClass::{class}, {}),\n", write_list(&row.hosts));
        }
        text += "];\n";
        text += &format!(
            "/// The words that find untrusted hosts in a text.\n#[cfg(test)]\nconst WORDS: &[&str] = {};\n",
            write_list(&self.trigger_words())
        );

        for row in &self.list {
            let name = row.name.to_ascii_uppercase();
            text += &format!(
                "/// {}\npub(super) const {name}: &[&str] = {};\n",
                row.doc,
                write_list(&row.hosts)
            );
        }
        text
    }
}
