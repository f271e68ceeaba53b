//! The HTTP client of `object_store`: ours instead of its own, so that requests to this machine use no proxy,
//! redirects are not followed, and our certificate authorities are trusted.

use object_store::client::{ClientConfigKey, HttpClient, HttpConnector, HttpErrorKind};
use object_store::{ClientOptions, Error as StoreError};
use reqwest::{Certificate, Client, redirect};

use crate::http::{self, HttpTiming};
use skillpm_core::error::Result;

/// Builds the clients: one for the objects, and one for the credentials.
#[derive(Debug)]
pub(super) struct BucketConnector {
    authorities: Vec<Certificate>,
    timing: HttpTiming,
    is_local: bool,
}

impl BucketConnector {
    pub(super) fn new(
        options: &http::HttpClientOptions,
        is_local: bool,
    ) -> Result<BucketConnector> {
        Ok(BucketConnector {
            authorities: http::load_authorities(options)?,
            timing: options.timing,
            is_local,
        })
    }
}

impl HttpConnector for BucketConnector {
    fn connect(&self, options: &ClientOptions) -> Result<HttpClient, StoreError> {
        // Requests to a metadata service use plain HTTP; object_store allows it per client.
        let plain = options
            .get_config_value(&ClientConfigKey::AllowHttp)
            .as_deref()
            == Some("true");

        let mut builder = Client::builder()
            .user_agent(concat!("skillpm/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .referer(false)
            .https_only(!plain)
            // Lengths are checked, and are those of the stored bytes.
            .no_gzip()
            .connect_timeout(self.timing.connect)
            .read_timeout(self.timing.stall)
            .timeout(self.timing.total)
            .tls_certs_merge(self.authorities.iter().cloned());

        // A proxy cannot reach our loopback addresses, and must not see the traffic to them.
        if self.is_local {
            builder = builder.no_proxy();
        }

        let client = builder.build().map_err(|error| {
            let source = object_store::client::HttpError::new(HttpErrorKind::Connect, error);
            StoreError::Generic {
                store: "HTTP",
                source: Box::new(source),
            }
        })?;
        Ok(HttpClient::new(client))
    }
}
