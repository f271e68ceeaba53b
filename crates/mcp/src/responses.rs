//! Responses with the bytes of a file.

use axum::http::header;
use axum::response::{IntoResponse as _, Response};

/// A response with these bytes, which a client may keep, but not use without asking.
pub(super) fn bytes_response(mime_type: &'static str, bytes: Vec<u8>) -> Response {
    (
        [
            (header::CONTENT_TYPE, mime_type),
            // A client may keep it, but has to ask again: skills change while the server runs.
            (header::CACHE_CONTROL, "no-cache"),
        ],
        bytes,
    )
        .into_response()
}
