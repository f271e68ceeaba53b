//! The catalog for programs that ask: an MCP server over stdio or streamable HTTP, and plain HTTP beside the latter.
//!
//! ```text
//! main thread    Keeper    looks at the disk when something changed, or when somebody asks
//!                  │ Arc<Served>, and a count of changes
//! server thread  Desk      what all connections share
//!                  └─ Handler   one connection, or one request of a client without sessions
//!                       ├ tools       list, read, search, enable, disable
//!                       ├ skills      the official extension: skills/list, skills/get
//!                       └ resources   skill://NAME/PATH
//! ```
//!
//! Nothing here runs a skill's code, and but for proposals, where they are allowed, nothing is written.

mod active;
mod desk;
mod guard;
mod handler;
mod http;
mod instructions;
mod keeper;
mod listener;
mod resources;
mod sessions;
mod skills;
mod stdout;
mod tools;

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::transport::stdio_pipes;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::catalog::text::one_line;
use crate::error::{Context as _, Error, Result};
use crate::ops::Context;
use crate::ops::catalog::CatalogOptions;
use crate::ops::serve::Served;
use crate::report::Event;
use desk::Desk;
use guard::Guard;
use handler::Handler;
use keeper::Keeper;
use stdout::WriteFailure;

/// How long connections may take to end once the server is told to.
const PARTING: Duration = Duration::from_secs(2);

/// What is served, and how.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The catalog.
    pub catalog: CatalogOptions,
    /// Over HTTP; `None` for stdio.
    pub http: Option<Http>,
    /// Whether clients may propose changes of skills.
    pub proposals: bool,
}

/// Over HTTP.
#[derive(Debug, Clone)]
pub struct Http {
    /// Where to listen; port 0 for any that is free.
    pub address: SocketAddr,
    /// What each request must bear, if anything.
    pub token: Option<String>,
    /// Names of this machine that requests may call it by, besides those of the loopback.
    pub hosts: Vec<String>,
}

/// A server that is ready to run.
pub struct Server<'c> {
    keeper: Keeper<'c>,
    desk: Desk,
    net: Option<(TcpListener, Guard)>,
    runtime: Runtime,
    signals: Signals,
}

/// The signals by which a process is asked to end, heard of from the moment this is made.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl<'c> Server<'c> {
    /// Reads the catalog for the first time and, over HTTP, takes the address.
    ///
    /// # Errors
    /// If the catalog cannot be read, the address is taken, or it can be reached from elsewhere and no token is set.
    pub fn open(context: &'c Context<'c>, options: Options) -> Result<Self> {
        let net = options.http.as_ref().map(listen).transpose()?;
        let (keeper, desk) = Keeper::open(context, options.catalog, options.proposals)?;
        tell_left_out(context, &desk.now());
        let failed = || "could not start the server".to_owned();
        let runtime = Builder::new_current_thread().enable_all().build().context(failed)?;
        let signals = runtime.block_on(async { Signals::heard() }).context(failed)?;
        Ok(Server { keeper, desk, net, runtime, signals })
    }

    /// Where it is reached over HTTP, without a path; `None` over stdio.
    #[must_use]
    pub fn url(&self) -> Option<String> {
        let (listener, _) = self.net.as_ref()?;
        Some(format!("http://{}", listener.local_addr().ok()?))
    }

    /// How many skills there are now.
    #[must_use]
    pub fn skills(&self) -> usize {
        self.desk.now().skills().count()
    }

    /// Serves until the client goes away, or the process is asked to end.
    ///
    /// # Errors
    /// If the system refuses what a server needs.
    pub fn run(self) -> Result<()> {
        let Server { keeper, desk, net, runtime, signals } = self;
        thread::scope(|scope| {
            let server = scope.spawn(|| {
                let ended = runtime.block_on(serve(desk, net, signals));
                // A read of stdin that nobody answers would be waited for else.
                runtime.shutdown_timeout(Duration::from_millis(100));
                ended
            });
            keeper.work();
            server.join().unwrap_or_else(|_| Err(Error::internal("the server's thread panicked")))
        })
    }
}

/// Tells of the skills that are not served, or not in every way, though somebody may look for them.
fn tell_left_out(context: &Context<'_>, served: &Served) {
    for entry in served.catalog().refused() {
        let because = entry.because.as_deref().unwrap_or("it may not cover another");
        let message = format!("`{}` was left out: {because}", one_line(&entry.candidate.listing.name));
        context.reporter.report(Event::warning(message));
    }
    let odd: Vec<_> = served.skills().filter(|entry| !resources::is_plain(entry)).collect();
    if !odd.is_empty() {
        let names: Vec<_> = odd.iter().take(5).map(|entry| one_line(&entry.candidate.listing.name)).collect();
        let more = if odd.len() > names.len() { ", …" } else { "" };
        context.reporter.report(Event::Warning {
            message: format!("served by the tools, but not by the skills extension: {}{more}", names.join(", ")),
            help: Some("that one takes a `SKILL.md` with a name of the specification, and at most 512 files".into()),
        });
    }
}

fn listen(http: &Http) -> Result<(TcpListener, Guard)> {
    if !http.address.ip().is_loopback() && http.token.is_none() {
        return Err(Error::usage(format!(
            "`{}` can be reached from other machines, and no token is set",
            http.address
        ))
        .help("set `SKILLPM_SERVE_TOKEN`, or listen on the loopback: `--http 127.0.0.1:PORT`"));
    }
    let listener = TcpListener::bind(http.address).context(|| format!("could not listen on `{}`", http.address))?;
    listener.set_nonblocking(true).context(|| format!("could not listen on `{}`", http.address))?;
    let mut hosts = http.hosts.clone();
    hosts.extend(reachable(http.address.ip()));
    Ok((listener, Guard::new(hosts, http.token.as_deref())))
}

/// What an address is called by those who reach it; nothing more where it stands for all addresses.
fn reachable(ip: IpAddr) -> Option<String> {
    (!ip.is_unspecified()).then(|| ip.to_string())
}

async fn serve(desk: Desk, net: Option<(TcpListener, Guard)>, signals: Signals) -> Result<()> {
    let ending = CancellationToken::new();
    tokio::spawn(signals.end(ending.clone()));
    let desk = Arc::new(desk);
    match net {
        Some((listener, guard)) => http::serve(listener, guard, desk, ending).await,
        None => over_stdio(desk, ending).await,
    }
}

/// One client, until it closes our stdin.
async fn over_stdio(desk: Arc<Desk>, ending: CancellationToken) -> Result<()> {
    let (stdin, stdout) = stdio_pipes();
    let failure = WriteFailure::default();
    let served = match Handler::new(desk).serve_with_ct((stdin, failure.of(stdout)), ending).await {
        Ok(running) => running.waiting().await.map(drop),
        // A client that came and went without a word is no failure.
        Err(_) => Ok(()),
    };

    failure.check().context(|| "failed to write to stdout".to_owned())?;
    served.map_err(|error| Error::internal(format!("the server broke off: {error}")))
}

impl Signals {
    fn heard() -> std::io::Result<Self> {
        Ok(Signals { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Ends the server on the first of them.
    async fn end(mut self, ending: CancellationToken) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        ending.cancel();
    }
}
