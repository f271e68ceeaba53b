//! Why a certificate was refused, and what its owner or reader can do.

use std::error::Error as StdError;

use rustls::{AlertDescription, CertificateError};

use super::error_causes::find_cause;
use skillpm_core::error::Error;

/// What a person can do about a certificate of an unknown authority.
const TRUST: &str = "if a private certificate authority issued it, trust that: `skillpm config set net.ca-file FILE`";

/// A failed TLS handshake.
#[derive(Debug, Clone)]
pub(crate) struct TlsFault(rustls::Error);

impl TlsFault {
    /// The TLS error among the causes; `None` if there is none.
    pub(crate) fn find(error: &(dyn StdError + 'static)) -> Option<TlsFault> {
        find_cause::<rustls::Error>(error).cloned().map(TlsFault)
    }

    /// What is wrong, in one line.
    pub(crate) fn cause(&self) -> String {
        let what = match &self.0 {
            rustls::Error::InvalidCertificate(fault) => match fault {
                CertificateError::UnknownIssuer => {
                    "issued by an unknown certificate authority (UnknownIssuer)"
                }
                CertificateError::Expired | CertificateError::ExpiredContext { .. } => "expired",
                CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                    "not valid yet"
                }
                fault if is_other(fault, "CaUsedAsEndEntity") => {
                    "that of a certificate authority (`CA:TRUE`), and no server's own"
                }
                fault if is_other(fault, "UnsupportedCertVersion") => {
                    "of X.509 version 1; version 3 is required"
                }
                // With a name that is not valid come those that are.
                _ => "",
            },
            _ => "",
        };
        if what.is_empty() {
            self.0.to_string()
        } else {
            format!("invalid certificate of the server: it is {what}")
        }
    }

    /// Adds what a person can do about it.
    pub(crate) fn explain(&self, error: Error) -> Error {
        match &self.0 {
            rustls::Error::InvalidCertificate(fault) => match fault {
                CertificateError::UnknownIssuer => error.help(TRUST),
                CertificateError::Expired
                | CertificateError::ExpiredContext { .. }
                | CertificateError::NotValidYet
                | CertificateError::NotValidYetContext { .. } => {
                    error.help("check the clock of this machine (`date`), or ask the server's owner to renew it")
                }
                CertificateError::NotValidForName
                | CertificateError::NotValidForNameContext { .. } => error.help(
                    "check the host name; a server's certificate needs it as a `subjectAltName`",
                ),
                fault if is_other(fault, "CaUsedAsEndEntity") => error.help(
                    "issue another one for the server by this authority, and set the authority's with `skillpm config set net.ca-file FILE`",
                ),
                fault if is_other(fault, "UnsupportedCertVersion") => error.help(
                    "issue it again with an extension, such as `subjectAltName`, which makes it version 3",
                ),
                _ => error,
            },
            rustls::Error::AlertReceived(
                AlertDescription::CertificateRequired
                | AlertDescription::BadCertificate
                | AlertDescription::HandshakeFailure
                | AlertDescription::UnknownCA,
            ) => error.help(
                "if the server requires a client certificate, set `http.sslCert` and `http.sslKey` in the git configuration; only git repositories support it",
            ),
            _ => error,
        }
    }
}

/// Whether it is a fault of that name, which rustls has no variant for.
fn is_other(fault: &CertificateError, name: &str) -> bool {
    matches!(fault, CertificateError::Other(_)) && fault.to_string().contains(name)
}
