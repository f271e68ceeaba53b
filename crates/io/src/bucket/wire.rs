//! The HTTP below an object store's protocol: this house's client instead of `object_store`'s own, so that a proxy is
//! never asked for this machine, nothing is followed, and our certificate authorities are trusted.

use object_store::client::{ClientConfigKey, HttpClient, HttpConnector, HttpErrorKind};
use object_store::{ClientOptions, Error as StoreError};
use reqwest::{Certificate, Client, redirect};

use crate::error::Result;
use crate::io::http::{self, Timing};

/// Makes the clients: one for the objects, and one for whoever says who we are.
#[derive(Debug)]
pub(super) struct Connector {
    authorities: Vec<Certificate>,
    timing: Timing,
    is_local: bool,
}

impl Connector {
    pub(super) fn new(options: &http::Options, is_local: bool) -> Result<Connector> {
        Ok(Connector { authorities: http::authorities(options)?, timing: options.timing, is_local })
    }
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> Result<HttpClient, StoreError> {
        // What asks a cloud's own machine may speak plain HTTP; object_store says so for each client.
        let plain = options.get_config_value(&ClientConfigKey::AllowHttp).as_deref() == Some("true");
        let mut builder = Client::builder()
            .user_agent(concat!("skillpm/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .referer(false)
            .https_only(!plain)
            // Lengths are checked, and are those of the bytes as they lie there.
            .no_gzip()
            .connect_timeout(self.timing.connect)
            .read_timeout(self.timing.stall)
            .timeout(self.timing.total)
            .tls_certs_merge(self.authorities.iter().cloned());
        if self.is_local {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| {
            let source = object_store::client::HttpError::new(HttpErrorKind::Connect, error);
            StoreError::Generic { store: "HTTP", source: Box::new(source) }
        })?;
        Ok(HttpClient::new(client))
    }
}
