//! Serves the catalog: an MCP server over stdio or streamable HTTP, and plain HTTP routes with the latter.
//!
//! ```text
//! main thread    CatalogRefresher   reads the disk after a change, or on request
//!                  │ the served skills, and a count of changes
//! server thread  ServerState        shared by all connections
//!                  └─ McpHandler      one connection, or one request of a client without sessions
//!                       ├ tools       list, read, search, enable, disable
//!                       ├ skills      the official extension: skills/list, skills/get
//!                       └ resources   skill://NAME/PATH
//! ```
//!
//! Nothing here runs a skill's code, and nothing is written except proposals, if they are allowed.

mod active_skills;
mod catalog_refresher;
mod devai_changes;
mod devai_tools;
mod guard;
mod handler;
mod http;
mod instructions;
mod listener;
mod resources;
mod responses;
mod server_state;
mod sessions;
mod site_pages;
mod skill_tool;
mod skills;
mod stdout;
mod streams;
mod tools;

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::transport::stdio_pipes;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use catalog_refresher::{CatalogRefresher, RefreshOptions};
use guard::RequestGuard;
use handler::McpHandler;
use listener::{CONNECTIONS_MAX, ConnectionLimits};
use server_state::ServerState;
use skillpm_catalog::catalog::text::one_line;
use skillpm_core::error::{Error, ErrorContext as _, Result};
use skillpm_core::report::ProgressEvent;
use skillpm_ops::CommandContext;
use skillpm_ops::catalog::CatalogOptions;
use skillpm_ops::serve::{ServedCatalog, ShutdownSignals};
use stdout::WriteFailure;
use streams::{OpenStreams, StreamLimits};

/// Grace period for connections on shutdown.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// Options of the server.
#[derive(Debug, Clone, Default)]
pub struct ServerOptions {
    /// The catalog.
    pub catalog: CatalogOptions,
    /// Over HTTP; `None` for stdio.
    pub http: Option<HttpOptions>,
    /// Whether clients may propose changes of skills.
    pub proposals: bool,
}

/// Over HTTP.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// The address to listen on; port 0 for any free port.
    pub address: SocketAddr,
    /// The bearer token that each request must have, if any.
    pub token: Option<String>,
    /// Accepted host names besides those of the loopback.
    pub hosts: Vec<String>,
    /// What is served there.
    pub routes: HttpRoutes,
}

/// What is served over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpRoutes {
    /// MCP, the catalog, and the skills for installation.
    pub programs: bool,
    /// The pages for people.
    pub site: bool,
}

/// A server that is ready to run.
pub struct McpServer<'c> {
    refresher: CatalogRefresher<'c>,
    state: ServerState,
    net: Option<(TcpListener, http::HttpAccess)>,
    runtime: Runtime,
    signals: ShutdownSignals,
}

impl<'c> McpServer<'c> {
    /// Reads the catalog for the first time and, over HTTP, takes the address.
    ///
    /// # Errors
    /// If the catalog cannot be read, the address is taken, or it can be reached from elsewhere and no token is set.
    pub fn open(context: &'c CommandContext<'c>, options: ServerOptions) -> Result<Self> {
        // The address is taken first: a second server fails before it reads anything.
        let connections = connection_limits(context);
        let net = options
            .http
            .as_ref()
            .map(|http| listen(http, connections))
            .transpose()?;

        let refreshing = RefreshOptions {
            proposals: options.proposals,
            states: options.http.is_some_and(|http| http.routes.site),
            streams: OpenStreams::new(stream_limits(context, connections)),
        };
        let (refresher, state) = CatalogRefresher::open(context, options.catalog, refreshing)?;
        warn_about_left_out(context, &state.current());

        let failed = || "failed to start the server".to_owned();
        // One thread is enough: the work is done by the refresher, and by threads for packing.
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .context(failed)?;
        // Registered before the first client is served, so that no early signal is lost.
        let signals = runtime
            .block_on(async { ShutdownSignals::register() })
            .context(failed)?;

        Ok(McpServer {
            refresher,
            state,
            net,
            runtime,
            signals,
        })
    }

    /// The URL of the server, without a path; `None` over stdio.
    #[must_use]
    pub fn url(&self) -> Option<String> {
        let (listener, _) = self.net.as_ref()?;
        Some(format!("http://{}", listener.local_addr().ok()?))
    }

    /// Current number of skills.
    #[must_use]
    pub fn skills(&self) -> usize {
        self.state.current().skills().count()
    }

    /// Serves until the client disconnects, or the process gets a termination signal.
    ///
    /// # Errors
    /// If the system refuses what a server needs.
    pub fn run(self) -> Result<()> {
        let McpServer {
            refresher,
            state,
            net,
            runtime,
            signals,
        } = self;

        // The refresher stays on this thread, which has the context; the server gets its own.
        thread::scope(|scope| {
            let server = scope.spawn(|| serve_on(runtime, serve(state, net, signals)));
            // Returns once the server thread has dropped its end of the channel.
            refresher.run();

            server
                .join()
                .unwrap_or_else(|_| Err(Error::internal("the server's thread panicked")))
        })
    }
}

/// Reports skills that are not served, or only partly.
fn warn_about_left_out(context: &CommandContext<'_>, served: &ServedCatalog) {
    for entry in served.catalog().refused() {
        let because = entry
            .because
            .as_deref()
            .unwrap_or("it must not shadow another skill");

        let message = format!(
            "`{}` is hidden: {because}",
            one_line(&entry.candidate.listing.name)
        );
        context.reporter.report(ProgressEvent::warning(message));
    }

    let odd: Vec<_> = served
        .skills()
        .filter(|entry| !resources::fits_extension(entry))
        .collect();

    if !odd.is_empty() {
        let names: Vec<_> = odd
            .iter()
            // A few names are enough to see what is meant; there may be thousands.
            .take(5)
            .map(|entry| one_line(&entry.candidate.listing.name))
            .collect();

        let more = if odd.len() > names.len() { ", …" } else { "" };
        context.reporter.report(ProgressEvent::Warning {
            message: format!("served by the tools, but not by the skills extension: {}{more}", names.join(", ")),
            help: Some("that one takes a `SKILL.md` with a name of the specification, and at most 512 files".into()),
        });
    }
}

/// A number of the settings; `None` if it is not set.
fn set_number(context: &CommandContext<'_>, key: &str) -> Option<usize> {
    let number = usize::try_from(context.config.number(key)).unwrap_or(usize::MAX);
    (number > 0).then_some(number)
}

fn connection_limits(context: &CommandContext<'_>) -> ConnectionLimits {
    ConnectionLimits {
        most: set_number(context, "serve.max-connections").unwrap_or(CONNECTIONS_MAX),
        ..ConnectionLimits::default()
    }
}

/// The limits of event streams: by default they leave most connections to requests.
fn stream_limits(context: &CommandContext<'_>, connections: ConnectionLimits) -> StreamLimits {
    let most = set_number(context, "serve.max-streams");
    let of_session = set_number(context, "serve.max-session-streams");
    StreamLimits {
        most: most.unwrap_or((connections.most / 4).max(1)),
        of_session: of_session.unwrap_or(1),
    }
}

fn listen(http: &HttpOptions, limits: ConnectionLimits) -> Result<(TcpListener, http::HttpAccess)> {
    // Traffic is plain text, so beyond this machine a token is the least there must be.
    if !http.address.ip().is_loopback() && http.token.is_none() {
        return Err(Error::usage(format!(
            "refusing to listen on `{}`, reachable from other machines, without a token",
            http.address
        ))
        .help("set `SKILLPM_SERVE_TOKEN`, or listen on loopback: `--http 127.0.0.1:PORT`"));
    }

    let listener = TcpListener::bind(http.address)
        .context(|| format!("failed to listen on `{}`", http.address))?;

    listener
        .set_nonblocking(true)
        .context(|| format!("failed to listen on `{}`", http.address))?;

    // Clients that reach the address by its number name it in `Host`.
    let mut hosts = http.hosts.clone();
    hosts.extend(host_of_address(http.address.ip()));

    let access = http::HttpAccess {
        guard: RequestGuard::new(hosts, http.token.as_deref()).with_pages(http.routes.site),
        routes: http.routes,
        limits,
    };
    Ok((listener, access))
}

/// Host names of an address; empty for the unspecified address.
fn host_of_address(ip: IpAddr) -> Option<String> {
    (!ip.is_unspecified()).then(|| ip.to_string())
}

fn serve_on(runtime: Runtime, server: impl Future<Output = Result<()>>) -> Result<()> {
    let ended = runtime.block_on(server);
    // Otherwise a pending read of stdin would block the exit.
    runtime.shutdown_timeout(Duration::from_millis(100));
    ended
}

async fn serve(
    state: ServerState,
    net: Option<(TcpListener, http::HttpAccess)>,
    signals: ShutdownSignals,
) -> Result<()> {
    let ending = CancellationToken::new();
    tokio::spawn(cancel_on_signal(signals, ending.clone()));

    let state = Arc::new(state);
    match net {
        Some((listener, access)) => http::serve(listener, access, state, ending).await,
        None => serve_stdio(state, ending).await,
    }
}

/// One client, until it closes our stdin.
async fn serve_stdio(state: Arc<ServerState>, ending: CancellationToken) -> Result<()> {
    let (stdin, stdout) = stdio_pipes();
    let failure = WriteFailure::default();

    let served = match McpHandler::new(state)
        .serve_with_ct((stdin, failure.watch(stdout)), ending)
        .await
    {
        Ok(running) => running.waiting().await.map(drop),
        // A client that disconnected without a request is no failure.
        Err(_) => Ok(()),
    };

    failure
        .check()
        .context(|| "failed to write to stdout".to_owned())?;
    served.map_err(|error| Error::internal(format!("the server stopped unexpectedly: {error}")))
}

/// Shuts the server down on the first signal.
async fn cancel_on_signal(mut signals: ShutdownSignals, ending: CancellationToken) {
    signals.wait().await;
    ending.cancel();
}
