//! The pages of `serve --site`: made from the served skills when they are requested, and never read from a path on disk.

use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;

use super::resources;
use super::responses::bytes_response;
use super::server_state::{ServerState, lock};
use skillpm_catalog::site::SiteFiles;
use skillpm_ops::serve::ServedCatalog;
use skillpm_ops::served_site::InstalledSite;

/// Headers of every page. The policy is that of the pages themselves, and what only a header can say: no other page may
/// show one in a frame, or load the search data, which are scripts.
const HEADERS: [(HeaderName, &str); 3] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (header::REFERRER_POLICY, "no-referrer"),
];

/// The pages, with those that list all skills made once for each state of them.
pub(super) struct SitePages {
    state: Arc<ServerState>,
    lists: Mutex<Option<Arc<SiteLists>>>,
}

/// The lists of one state.
struct SiteLists {
    served: Arc<ServedCatalog>,
    site: InstalledSite,
    files: SiteFiles,
}

impl SitePages {
    pub(super) fn new(state: Arc<ServerState>) -> Self {
        SitePages {
            state,
            lists: Mutex::default(),
        }
    }

    /// The lists of the given skills.
    fn lists(&self, served: Arc<ServedCatalog>) -> Arc<SiteLists> {
        let known = lock(&self.lists).clone();
        if let Some(known) = known
            && *known.served == *served
        {
            return known;
        }

        // Not under the lock: two requests may make them twice, and none waits for the other.
        let site = InstalledSite::new(&served);
        let made = Arc::new(SiteLists {
            files: site.list_files(),
            served,
            site,
        });
        *lock(&self.lists) = Some(Arc::clone(&made));
        made
    }

    /// The bytes of a file of the site.
    fn read(&self, served: Arc<ServedCatalog>, path: &str) -> Option<Vec<u8>> {
        let lists = self.lists(served);
        if let Some(file) = lists.files.get(path) {
            return Some(file.bytes.clone());
        }

        let (slug, _) = path.strip_prefix("skills/")?.rsplit_once('/')?;
        let mut files = lists.site.page_files(slug)?;
        Some(files.remove(path)?.bytes)
    }
}

/// Answers a request for a page, or what it loads.
pub(super) async fn respond(State(pages): State<Arc<SitePages>>, uri: Uri) -> Response {
    let Ok(path) = percent_decode_str(uri.path().trim_start_matches('/')).decode_utf8() else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut path = path.into_owned();
    if path.is_empty() || path.ends_with('/') {
        path.push_str("index.html");
    }

    // What a page loads belongs to the state that the page was made of.
    let mime_type = resources::mime_type(&path);
    let served = if mime_type == "text/html" {
        pages.state.refreshed().await
    } else {
        pages.state.current()
    };

    // Rendering takes its time, and must not block the other connections.
    let made = tokio::task::spawn_blocking(move || pages.read(served, &path)).await;
    let mut response = match made {
        Ok(Some(bytes)) => bytes_response(mime_type, bytes),
        Ok(None) => (StatusCode::NOT_FOUND, "page not found\n").into_response(),
        // The thread panicked while rendering; the others go on.
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    };
    for (name, value) in HEADERS {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}
