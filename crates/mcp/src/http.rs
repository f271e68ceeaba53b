//! The HTTP routes: `/mcp` for MCP, `/catalog.json` for the model, the `.well-known` tree for installation from a site, and
//! all other paths for its pages.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Path, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::StreamExt as _;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::guard::RequestGuard;
use super::handler::McpHandler;
use super::listener::{ConnectionLimits, LimitedListener, OpenConnections, PeerConnection};
use super::responses::bytes_response;
use super::server_state::ServerState;
use super::sessions::{LimitedSessions, SessionLimits};
use super::site_pages::{self, SitePages};
use super::streams::{OpenStreams, StreamPermit};
use super::{HttpRoutes, SHUTDOWN_GRACE, resources};
use skillpm_catalog::catalog::emit;
use skillpm_catalog::site::SiteFiles;
use skillpm_core::error::{ErrorContext as _, Result};
use skillpm_ops::serve::ServedCatalog;

/// What is served, and to whom.
pub(super) struct HttpAccess {
    pub guard: RequestGuard,
    pub routes: HttpRoutes,
    pub limits: ConnectionLimits,
}

/// What each request passes before it is answered.
struct RequestGate {
    guard: RequestGuard,
    connections: Arc<OpenConnections>,
    streams: Arc<OpenStreams>,
}

/// The path of MCP.
const MCP_PATH: &str = "/mcp";

/// When a client may try again that was one too many, in seconds.
const RETRY_AFTER: &str = "1";

/// Serves until `ending` is cancelled.
pub(super) async fn serve(
    listener: TcpListener,
    access: HttpAccess,
    state: Arc<ServerState>,
    ending: CancellationToken,
) -> Result<()> {
    // Bound before the runtime existed, so that a port in use is an error of the command.
    let failed = || "failed to listen".to_owned();

    let listener = tokio::net::TcpListener::from_std(listener).context(failed)?;
    // Limits come before any request is read: see listener and sessions.
    let listener = LimitedListener::new(listener, access.limits);
    tokio::spawn(listener.connections().close_idle_until(ending.clone()));
    let sessions = Arc::new(LimitedSessions::new(SessionLimits::default()));
    tokio::spawn(Arc::clone(&sessions).close_unused_until(ending.clone()));

    let connections = listener.connections();
    let app = router(access, state, sessions, connections, ending.clone())
        .into_make_service_with_connect_info::<PeerConnection>();

    let serving =
        axum::serve(listener, app).with_graceful_shutdown(ending.clone().cancelled_owned());

    tokio::select! {
        served = serving.into_future() => served.context(failed),
        // Streams still open after that are closed.
        () = async { ending.cancelled().await; tokio::time::sleep(SHUTDOWN_GRACE).await } => Ok(()),
    }
}

fn router(
    access: HttpAccess,
    state: Arc<ServerState>,
    sessions: Arc<LimitedSessions>,
    connections: Arc<OpenConnections>,
    ending: CancellationToken,
) -> Router {
    let HttpAccess { guard, routes, .. } = access;
    let gate = RequestGate {
        guard,
        connections,
        streams: Arc::clone(&state.streams),
    };
    let mut app = Router::new();
    if routes.programs {
        app = app.merge(program_routes(Arc::clone(&state), sessions, ending));
    }
    if routes.site {
        let pages = Arc::new(SitePages::new(state));
        app = app.fallback_service(get(site_pages::respond).with_state(pages));
    }

    // The guard is the outermost layer, so that no path is served past it.
    app.layer(from_fn_with_state(Arc::new(gate), check_request))
}

/// What programs ask for.
fn program_routes(
    state: Arc<ServerState>,
    sessions: Arc<LimitedSessions>,
    ending: CancellationToken,
) -> Router {
    // Host and Origin are checked below, for all routes.
    let config = StreamableHttpServerConfig::default()
        // rmcp's own check is for `/mcp` alone.
        .disable_allowed_hosts()
        // Below the time after which a silent connection is closed, a minute.
        .with_sse_keep_alive(Some(Duration::from_secs(15)))
        .with_cancellation_token(ending);

    let shared = Arc::clone(&state);
    // One handler a session, or a request: what is active belongs to a conversation.
    let mcp = StreamableHttpService::new(
        move || Ok(McpHandler::new(Arc::clone(&shared))),
        sessions,
        config,
    );

    Router::new()
        .route("/catalog.json", get(catalog))
        .route("/.well-known/{folder}/{*path}", get(well_known))
        .with_state(state)
        .route_service(MCP_PATH, mcp)
}

async fn check_request(
    State(gate): State<Arc<RequestGate>>,
    ConnectInfo(peer): ConnectInfo<PeerConnection>,
    request: Request,
    next: Next,
) -> Response {
    let guard = &gate.guard;
    if peer.is_excess() {
        gate.connections.turn_away();
        let most = gate.connections.most();
        return close_after(unavailable(&format!(
            "too many connections: the limit is {most} (`serve.max-connections`)"
        )));
    }

    if let Some((status, why)) = guard.refusal(request.headers(), request.uri()) {
        let mut response = (status, why).into_response();
        if status == StatusCode::UNAUTHORIZED {
            // A browser asks its user for a password, and knows no tokens.
            let scheme = if guard.allows_passwords(request.uri().path()) {
                "Basic realm=\"skillpm\", charset=\"UTF-8\""
            } else {
                "Bearer"
            };
            response.headers_mut().insert(
                header::WWW_AUTHENTICATE,
                header::HeaderValue::from_static(scheme),
            );
        }
        return response;
    }

    // Only what passed the guard counts as a use of its connection.
    peer.mark_trusted();
    let mut response = match open_stream(&gate, &request) {
        Ok(permit) => {
            let response = next.run(request).await;
            match permit {
                // Counted until its last byte is sent, or its client is gone.
                Some(permit) => response.map(|body| keep_with(body, permit)),
                None => response,
            }
        }
        // Its connection is one that others could have.
        Err(why) => close_after(unavailable(&why)),
    };
    response.headers_mut().insert(
        // A file of a skill may look like HTML, and must not run as such in a browser.
        header::X_CONTENT_TYPE_OPTIONS,
        header::HeaderValue::from_static("nosniff"),
    );

    if gate.connections.takes_back() {
        close_after(response)
    } else {
        response
    }
}

/// The place of the event stream that a request opens; `None` if it opens none.
fn open_stream(gate: &RequestGate, request: &Request) -> Result<Option<StreamPermit>, String> {
    // The answer to a POST is a stream as well, but ends with its last message.
    if request.method() != Method::GET || request.uri().path() != MCP_PATH {
        return Ok(None);
    }
    let session = request.headers().get("mcp-session-id");
    let session = session.map(|id| String::from_utf8_lossy(id.as_bytes()));
    gate.streams.open(session.as_deref()).map(Some)
}

/// A body that keeps the place of its stream.
fn keep_with(body: Body, permit: StreamPermit) -> Body {
    Body::from_stream(body.into_data_stream().inspect(move |_| {
        let _ = &permit;
    }))
}

/// The answer to a request that is one too many.
fn unavailable(why: &str) -> Response {
    (
        StatusCode::SERVICE_UNAVAILABLE,
        [(header::RETRY_AFTER, RETRY_AFTER)],
        format!("{why}\n"),
    )
        .into_response()
}

/// A response after which the connection is closed.
fn close_after(mut response: Response) -> Response {
    let close = header::HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    response
}

async fn catalog(State(state): State<Arc<ServerState>>) -> Response {
    let served = state.refreshed().await;

    match emit::find_format("json") {
        Ok(format) => bytes_response(
            format.media_type,
            format
                .render(served.catalog(), &emit::EmitOptions::default())
                .into_bytes(),
        ),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn well_known(
    State(state): State<Arc<ServerState>>,
    Path((folder, path)): Path<(String, String)>,
) -> Response {
    let served = state.refreshed().await;

    let place = format!(".well-known/{folder}/{path}");
    // Packing is slow, and must not block the other connections.
    let made =
        tokio::task::spawn_blocking(move || Ok((well_known_files(&served, &path)?, place))).await;

    match made {
        Ok(Ok((mut files, place))) => match files.remove(&place) {
            Some(file) => {
                let mut response = bytes_response(resources::mime_type(&place), file.bytes);
                // A page of a skill that a person opens has neither scripts nor the origin of this server.
                response.headers_mut().insert(
                    header::CONTENT_SECURITY_POLICY,
                    header::HeaderValue::from_static("sandbox; default-src 'none'"),
                );
                response
            }
            None => StatusCode::NOT_FOUND.into_response(),
        },
        Ok(Err::<_, skillpm_core::error::Error>(error)) => (
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("{}\n", error.message()),
        )
            .into_response(),
        // The thread panicked while packing; the others go on.
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// The part of the tree that a path below one of its folders is in: the lists, or one skill's files.
fn well_known_files(served: &ServedCatalog, path: &str) -> Result<SiteFiles> {
    let first = path.split('/').next().unwrap_or(path);
    if path == "index.json" {
        return served.well_known_lists();
    }

    // An archive is named after its skill, so both names lead to the same files.
    Ok(served
        .well_known_files(first.strip_suffix(".tar.gz").unwrap_or(first))?
        .unwrap_or_default())
}
