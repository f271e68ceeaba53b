use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::plural;
use crate::cli::Session;
use crate::error::{Error, Result};
use crate::mcp::{Http, Options, Server};
use crate::ops::catalog::CatalogOptions;

/// Where the server listens if nobody says.
const PORT: u16 = 8417;

/// Serve the catalog over MCP
///
/// Over stdin and stdout, for an agent that starts this command; with `--http`
/// over streamable HTTP at /mcp, with /catalog.json and /.well-known/agent-skills
/// beside it. What changes on disk shows at once, and clients are told of it.
/// Nothing of a skill is run.
///
/// Examples:
///
///   skillpm serve --agent claude-code
///   skillpm serve --http                          on 127.0.0.1:8417
///   skillpm serve --http 0.0.0.0 --token s3cret --allow-host box.lan
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// Listen for HTTP: PORT, IP or IP:PORT
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "", value_parser = address)]
    http: Option<SocketAddr>,

    /// Ask each HTTP request for this bearer token
    ///
    /// Better set as `SKILLPM_SERVE_TOKEN`, which other users of this machine cannot see. Without one, only addresses of
    /// the loopback are listened on.
    #[arg(long, value_name = "TOKEN", requires = "http")]
    token: Option<String>,

    /// Answer to this host name too (repeatable)
    #[arg(long = "allow-host", value_name = "NAME", requires = "http")]
    hosts: Vec<String>,

    /// Let clients propose changes, for you to look at
    ///
    /// With the tool `propose_skill_update`. A proposal changes nothing; `skillpm proposals` shows and applies it.
    #[arg(long)]
    allow_proposals: bool,

    /// Serve what this agent is shown, by its own order
    ///
    /// An id of the table of agents or of `[agents.ID]` in the settings, or a name under `[catalog.agents]` in
    /// skillpm.toml, as for `skillpm catalog`.
    #[arg(long, value_name = "ID")]
    agent: Option<String>,

    /// Read this directory, not the tiers (repeatable)
    #[arg(long = "dir", value_name = "DIR")]
    dirs: Vec<PathBuf>,

    /// Serve just these skills
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Option<Vec<String>>,

    /// Take os=…,bins=…,env=… for granted (repeatable)
    #[arg(long, value_name = "FACTS")]
    assume: Vec<String>,
}

impl Arguments {
    pub(in crate::cli) fn run(self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        if as_json && self.http.is_none() {
            return Err(Error::usage("without `--http`, stdout belongs to the protocol")
                .help("leave `--format json` away, or add `--http`"));
        }
        let server = Server::open(&session.context, self.options(session))?;
        let skills = server.skills();
        match server.url() {
            Some(url) if as_json => {
                session
                    .shell
                    .object(&json!({"type": "serving", "url": url, "mcp": format!("{url}/mcp"), "skills": skills}));
            }
            Some(url) => session.shell.status("Serving", &format!("{} at {url}/mcp", plural(skills, "skill"))),
            None => session.shell.status("Serving", &format!("{} over stdio", plural(skills, "skill"))),
        }
        // Who waits for the line that says where would wait forever.
        session.shell.flush()?;
        server.run()?;
        Ok(0)
    }

    fn options(self, session: &Session<'_>) -> Options {
        let of_environment = || (session.context.variable)("SKILLPM_SERVE_TOKEN");
        let token = self.token.or_else(of_environment).filter(|token| !token.is_empty());
        Options {
            catalog: CatalogOptions {
                dirs: self.dirs,
                only: self.only,
                assume: self.assume,
                agent: self.agent,
                ..CatalogOptions::default()
            },
            proposals: self.allow_proposals,
            http: self.http.map(|address| Http { address, token, hosts: self.hosts }),
        }
    }
}

/// An address as people type it.
fn address(text: &str) -> Result<SocketAddr, String> {
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    if text.is_empty() {
        return Ok(SocketAddr::new(loopback, PORT));
    }
    if let Ok(port) = text.parse::<u16>() {
        return Ok(SocketAddr::new(loopback, port));
    }
    let text = text.replace("localhost", "127.0.0.1");
    if let Ok(ip) = text.parse::<IpAddr>() {
        return Ok(SocketAddr::new(ip, PORT));
    }
    text.parse().map_err(|_| "it is none of PORT, IP and IP:PORT".to_owned())
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn addresses_are_read_as_people_type_them() {
        for (text, read) in [
            ("", "127.0.0.1:8417"),
            ("0", "127.0.0.1:0"),
            ("9000", "127.0.0.1:9000"),
            ("localhost:9000", "127.0.0.1:9000"),
            ("0.0.0.0", "0.0.0.0:8417"),
            ("[::1]:80", "[::1]:80"),
            ("::1", "[::1]:8417"),
        ] {
            assert_eq!(address(text).unwrap().to_string(), read, "{text}");
        }
        assert!(address("example.com:80").is_err() && address("70000").is_err());
    }
}
