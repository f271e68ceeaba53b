//! Over HTTP: `/mcp` for MCP, `/catalog.json` for the model, and the `.well-known` tree for those who install from a
//! site.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Path, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::desk::Desk;
use super::guard::Guard;
use super::handler::Handler;
use super::listener::{ConnectionLimits, LimitedListener, Peer};
use super::sessions::{LimitedSessions, SessionLimits};
use super::{PARTING, resources};
use crate::catalog::emit;
use crate::error::{Context as _, Result};
use crate::ops::serve::Served;
use crate::site::Files;

/// Serves until `ending` is called off.
pub(super) async fn serve(
    listener: TcpListener,
    guard: Guard,
    desk: Arc<Desk>,
    ending: CancellationToken,
) -> Result<()> {
    let failed = || "could not listen".to_owned();
    let listener = tokio::net::TcpListener::from_std(listener).context(failed)?;
    let listener = LimitedListener::new(listener, ConnectionLimits::default());
    tokio::spawn(listener.connections().watch(ending.clone()));
    let sessions = Arc::new(LimitedSessions::new(SessionLimits::default()));
    tokio::spawn(Arc::clone(&sessions).watch(ending.clone()));

    let app = router(guard, desk, sessions, ending.clone()).into_make_service_with_connect_info::<Peer>();
    let serving = axum::serve(listener, app).with_graceful_shutdown(ending.clone().cancelled_owned());
    tokio::select! {
        served = serving.into_future() => served.context(failed),
        // Whoever holds a stream open beyond that is cut off.
        () = async { ending.cancelled().await; tokio::time::sleep(PARTING).await } => Ok(()),
    }
}

fn router(guard: Guard, desk: Arc<Desk>, sessions: Arc<LimitedSessions>, ending: CancellationToken) -> Router {
    // Host and Origin are checked below, for all that is served.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_sse_keep_alive(Some(Duration::from_secs(15)))
        .with_cancellation_token(ending);
    let shared = Arc::clone(&desk);
    let mcp = StreamableHttpService::new(move || Ok(Handler::new(Arc::clone(&shared))), sessions, config);
    Router::new()
        .route("/catalog.json", get(catalog))
        .route("/.well-known/{folder}/{*path}", get(well_known))
        .with_state(desk)
        .route_service("/mcp", mcp)
        .layer(from_fn_with_state(Arc::new(guard), admit))
}

async fn admit(
    State(guard): State<Arc<Guard>>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    request: Request,
    next: Next,
) -> Response {
    if let Some((status, why)) = guard.refuses(request.headers(), request.uri()) {
        let mut response = (status, why).into_response();
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
        }
        return response;
    }
    peer.trust();
    let mut response = next.run(request).await;
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, header::HeaderValue::from_static("nosniff"));
    response
}

async fn catalog(State(desk): State<Arc<Desk>>) -> Response {
    let served = desk.fresh().await;
    match emit::format("json") {
        Ok(format) => bytes(format.media_type, format.render(served.catalog(), &emit::Options::default()).into_bytes()),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn well_known(State(desk): State<Arc<Desk>>, Path((folder, path)): Path<(String, String)>) -> Response {
    let served = desk.fresh().await;
    let place = format!(".well-known/{folder}/{path}");
    // Packing takes its time, which the other connections are not to wait for.
    let made = tokio::task::spawn_blocking(move || Ok((files_around(&served, &path)?, place))).await;
    match made {
        Ok(Ok((mut files, place))) => match files.remove(&place) {
            Some(file) => bytes(resources::mime_type(&place), file.bytes),
            None => StatusCode::NOT_FOUND.into_response(),
        },
        Ok(Err::<_, crate::error::Error>(error)) => {
            (StatusCode::INTERNAL_SERVER_ERROR, format!("{}\n", error.message())).into_response()
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// The part of the tree that a path below one of its folders is in: the lists, or one skill's files.
fn files_around(served: &Served, path: &str) -> Result<Files> {
    let first = path.split('/').next().unwrap_or(path);
    if path == "index.json" {
        return served.well_known_lists();
    }
    Ok(served.well_known_files(first.strip_suffix(".tar.gz").unwrap_or(first))?.unwrap_or_default())
}

fn bytes(mime_type: &'static str, bytes: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, mime_type), (header::CACHE_CONTROL, "no-cache")], bytes).into_response()
}
