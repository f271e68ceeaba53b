//! `serve`: starts the MCP server of `skillpm_mcp`, over stdio or HTTP, and prints its addresses.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::{ArgGroup, Args};
use serde_json::json;

use super::plural;
use crate::cli::CliSession;
use crate::error::{Error, Result};
use crate::mcp::{HttpOptions, HttpRoutes, McpServer, ServerOptions};
use crate::ops::catalog::CatalogOptions;

/// Default address of the server.
const PORT_DEFAULT: u16 = 8417;

/// Serve the catalog over MCP
///
/// Over stdin and stdout, for an agent that starts this command; with `--http`
/// over streamable HTTP at /mcp, with /catalog.json and /.well-known/agent-skills
/// on the same server. Changes on disk take effect at once, and clients are notified.
/// No code of a skill is run.
///
/// Examples:
///
///   skillpm serve --agent claude-code
///   skillpm serve --http                          on 127.0.0.1:8417
///   skillpm serve --site                          pages for a browser, on the same address
///   skillpm serve --http 0.0.0.0 --token s3cret --allow-host box.lan
#[derive(Debug, Args)]
#[command(verbatim_doc_comment, group = ArgGroup::new("served").multiple(true))]
pub(in crate::cli) struct ServeArgs {
    /// Listen for HTTP: PORT, IP or IP:PORT
    #[arg(long, group = "served", value_name = "ADDR", num_args = 0..=1, default_missing_value = "", value_parser = parse_address)]
    http: Option<SocketAddr>,

    /// Serve pages about the skills for a browser
    ///
    /// What is installed, by tier, with hidden and shadowed skills and edits. With `--http` on its address, else alone on
    /// this one, or 127.0.0.1:8417.
    #[arg(long, group = "served", value_name = "ADDR", num_args = 0..=1, default_missing_value = "")]
    site: Option<String>,

    /// Require this bearer token in HTTP requests
    ///
    /// Prefer the variable `SKILLPM_SERVE_TOKEN`, which other users of this machine cannot see. Without a token, the server
    /// listens on loopback addresses only.
    #[arg(long, value_name = "TOKEN", requires = "served")]
    token: Option<String>,

    /// Accept requests for this host name too (repeatable)
    #[arg(long = "allow-host", value_name = "NAME", requires = "served")]
    hosts: Vec<String>,

    /// Let clients propose changes, for you to look at
    ///
    /// Enables the tool `propose_skill_update`, and for Devai those that create, update and delete. A proposal changes nothing; `skillpm proposals` shows and applies it.
    #[arg(long)]
    allow_proposals: bool,

    /// Serve what this agent is shown, by its own order
    ///
    /// An id from the table of agents or `[agents.ID]` in the settings, or a name under `[catalog.agents]` in
    /// skillpm.toml, as for `skillpm catalog`.
    #[arg(long, value_name = "ID")]
    agent: Option<String>,

    /// Read this directory, not the tiers (repeatable)
    #[arg(long = "dir", value_name = "DIR")]
    dirs: Vec<PathBuf>,

    /// Serve just these skills
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Option<Vec<String>>,

    /// Serve no skills, whatever is installed
    #[arg(long)]
    no_skills: bool,

    /// Assume os=…,bins=…,env=… (repeatable)
    #[arg(long, value_name = "FACTS")]
    assume: Vec<String>,
}

impl ServeArgs {
    pub(in crate::cli) fn run(self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;
        // Over stdio the client reads stdout as JSON-RPC, and a line of ours would break it off.
        if as_json && self.http.is_none() && self.site.is_none() {
            return Err(Error::usage(
                "cannot use `--format json` without `--http`: stdout is used for the protocol",
            )
            .help("remove `--format json`, or add `--http`"));
        }
        let routes = self.routes();
        let options = self.server_options(session)?;
        // Opened before the status is printed, so that a client that reads it can connect.
        let server = McpServer::open(&session.context, options)?;

        let skills = server.skills();
        let shown = plural(skills, "skill");
        match server.url() {
            Some(url) if as_json => {
                session.shell.print_object(&json!({
                    "type": "serving",
                    "url": url,
                    "mcp": routes.programs.then(|| format!("{url}/mcp")),
                    "site": routes.site.then(|| format!("{url}/")),
                    "skills": skills,
                }));
            }
            Some(url) => {
                if routes.programs {
                    session
                        .shell
                        .status("Serving", &format!("{shown} at {url}/mcp"));
                }
                if routes.site {
                    session
                        .shell
                        .status("Serving", &format!("pages of {shown} at {url}/"));
                }
            }
            None => session
                .shell
                .status("Serving", &format!("{shown} over stdio")),
        }
        // A caller that waits for the line with the address would wait forever.
        session.shell.flush()?;
        server.run()?;
        Ok(0)
    }

    /// What is served over HTTP.
    fn routes(&self) -> HttpRoutes {
        HttpRoutes {
            programs: self.http.is_some(),
            site: self.site.is_some(),
        }
    }

    /// The address to listen on; `None` for stdio.
    fn address(&self) -> Result<Option<SocketAddr>> {
        let Some(site) = &self.site else {
            return Ok(self.http);
        };
        if self.http.is_some() && !site.is_empty() {
            return Err(Error::usage(
                "cannot use two addresses: `--http` and `--site` have one each",
            )
            .help("the pages are on the address of `--http`: remove that of `--site`"));
        }

        let alone = || {
            parse_address(site).map_err(|reason| {
                Error::usage(format!(
                    "invalid address `{}`: {reason}",
                    site.escape_debug()
                ))
            })
        };
        self.http.map_or_else(alone, Ok).map(Some)
    }

    fn server_options(self, session: &CliSession<'_>) -> Result<ServerOptions> {
        let (address, routes) = (self.address()?, self.routes());
        // The flag wins; an empty variable counts as none, or it would be a token of no characters.
        let of_environment = || (session.context.env_var)("SKILLPM_SERVE_TOKEN");
        let token = self
            .token
            .or_else(of_environment)
            .filter(|token| !token.is_empty());

        Ok(ServerOptions {
            catalog: CatalogOptions {
                dirs: self.dirs,
                only: self.only,
                assume: self.assume,
                // Its clients are on other machines, which have other programs and variables.
                any_machine: self.http.is_some(),
                agent: self.agent,
                no_skills: self.no_skills,
                ..CatalogOptions::default()
            },
            proposals: self.allow_proposals,
            http: address.map(|address| HttpOptions {
                address,
                token,
                hosts: self.hosts,
                routes,
            }),
        })
    }
}

/// Parses an address given as PORT, IP or IP:PORT.
fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);

    if text.is_empty() {
        return Ok(SocketAddr::new(loopback, PORT_DEFAULT));
    }
    if let Ok(port) = text.parse::<u16>() {
        return Ok(SocketAddr::new(loopback, port));
    }
    // Names are not resolved; this one is replaced by the address that it means.
    let text = text.replace("localhost", "127.0.0.1");
    if let Ok(ip) = text.parse::<IpAddr>() {
        return Ok(SocketAddr::new(ip, PORT_DEFAULT));
    }

    text.parse()
        .map_err(|_| "expected PORT, IP or IP:PORT".to_owned())
}

#[cfg(test)]
mod tests {
    use super::parse_address;

    #[test]
    fn listen_addresses_are_parsed_in_every_usual_form() {
        for (text, read) in [
            ("", "127.0.0.1:8417"),
            ("0", "127.0.0.1:0"),
            ("9000", "127.0.0.1:9000"),
            ("localhost:9000", "127.0.0.1:9000"),
            ("0.0.0.0", "0.0.0.0:8417"),
            ("[::1]:80", "[::1]:80"),
            ("::1", "[::1]:8417"),
        ] {
            assert_eq!(parse_address(text).unwrap().to_string(), read, "{text}");
        }
        assert!(parse_address("example.com:80").is_err() && parse_address("70000").is_err());
    }
}
