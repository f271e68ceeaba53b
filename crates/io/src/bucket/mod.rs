//! Object stores: conditional reads and writes of bytes by path.
//!
//! ```text
//! ObjectBucket::open("s3://skills/index")        nothing is sent yet
//!   get, get_all      GET, If-None-Match     → Fresh | NotModified | Missing     64 at once
//!   put               PUT, If-Match or If-None-Match: *  → Done | Conflict
//!   list              the paths below a folder
//! ```
//!
//! Credentials come from the environment variables that each service's own programs read (`AWS_…`, `GOOGLE_…`,
//! `AZURE_…`), or from the metadata service of the cloud; they are neither stored nor shown. Plain `http` is used
//! for this machine only, or if `net.allow-http` is set. Only this module uses `object_store`.

mod bucket_url;
#[cfg_attr(not(feature = "object-store"), path = "no_client.rs")]
mod client;
#[cfg(feature = "object-store")]
mod connector;
#[cfg(feature = "object-store")]
mod failure;

use std::collections::{BTreeMap, BTreeSet};

use super::http::{self, ByteAllowance};

pub use bucket_url::{BucketUrl, StorageService};
pub use client::ObjectBucket;

/// How object stores are accessed.
#[derive(Debug, Clone, Default)]
pub struct BucketOptions {
    /// The options of HTTP.
    pub http: http::HttpClientOptions,
    /// The services' own settings, by the names of their environment variables: `AWS_REGION`.
    #[cfg_attr(
        not(feature = "object-store"),
        expect(dead_code, reason = "read by the client alone")
    )]
    settings: ServiceSettings,
    /// Overrides for one bucket URL, by its canonical form.
    pub overrides: BTreeMap<String, BucketOverrides>,
}

/// Settings of the user for one bucket URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BucketOverrides {
    /// The endpoint, if it is not the service's own: `https://minio.acme.dev`.
    pub endpoint: Option<String>,
    /// The region of the bucket.
    pub region: Option<String>,
}

/// The services' settings. Many are secrets, so `Debug` shows their names only.
#[derive(Clone, Default)]
struct ServiceSettings(BTreeMap<String, String>);

impl std::fmt::Debug for ServiceSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Derived, it would print every access key.
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl BucketOptions {
    /// Takes the variables of the environment that are settings of the services.
    #[must_use]
    pub fn new(
        http: http::HttpClientOptions,
        names: &BTreeSet<String>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> BucketOptions {
        let is_setting = |name: &&String| {
            ["AWS_", "GOOGLE_", "AZURE_"]
                .iter()
                .any(|start| name.starts_with(start))
        };

        let given = names
            .iter()
            .filter(is_setting)
            .filter_map(|name| Some((name.clone(), variable(name)?)));
        // A variable that is set and empty counts as unset.
        let settings = ServiceSettings(given.filter(|(_, value)| !value.is_empty()).collect());

        BucketOptions {
            http,
            settings,
            overrides: BTreeMap::new(),
        }
    }
}

/// Identifies a revision of an object; empty if the server reports none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectRevision {
    /// Its entity tag.
    pub etag: Option<String>,
    /// Its generation, if the service has them.
    pub generation: Option<String>,
}

/// Size limits of objects, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct SizeLimits<'a> {
    /// For each object.
    pub each: u64,
    /// For all objects and other requests that share it.
    pub together: &'a ByteAllowance,
}

/// The response to a read of one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectResponse {
    /// The object and its revision.
    Fresh {
        /// The content.
        bytes: Vec<u8>,
        /// Its revision.
        revision: ObjectRevision,
    },
    /// It still has the given entity tag.
    NotModified,
    /// It does not exist.
    Missing,
}

/// Under which condition an object is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteCondition<'a> {
    /// Unconditionally.
    Always,
    /// If it does not exist.
    Absent,
    /// If it still has this revision.
    Unchanged(&'a ObjectRevision),
}

/// The result of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PutOutcome {
    /// The object was written, and has this revision.
    Done(ObjectRevision),
    /// The object was not written, because of the condition.
    Conflict,
}
