//! The URL of a place in an object store.
//!
//! ```text
//! s3://bucket/prefix/              Amazon S3, or whatever speaks its protocol
//! gs://bucket/prefix/              Google Cloud Storage
//! az://account/container/prefix/   Azure Blob Storage
//! ```

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// Whose object store it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// Amazon S3, and what speaks its protocol.
    S3,
    /// Google Cloud Storage.
    Gcs,
    /// Azure Blob Storage.
    Azure,
}

impl Service {
    const ALL: [Service; 3] = [Service::S3, Service::Gcs, Service::Azure];

    /// The scheme of its URLs.
    #[must_use]
    pub fn scheme(self) -> &'static str {
        match self {
            Service::S3 => "s3",
            Service::Gcs => "gs",
            Service::Azure => "az",
        }
    }

    /// How the environment variables begin that are its settings.
    #[must_use]
    pub fn variables(self) -> &'static str {
        match self {
            Service::S3 => "AWS_",
            Service::Gcs => "GOOGLE_",
            Service::Azure => "AZURE_",
        }
    }
}

/// A place in an object store, in one canonical text form, which ends with `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Whose it is.
    pub service: Service,
    /// The account, for Azure; else empty.
    pub account: String,
    /// The bucket; for Azure the container.
    pub bucket: String,
    /// What all paths begin with: empty, or ending with `/`.
    pub prefix: String,
}

impl Address {
    /// Whether a URL is of an object store, by its scheme.
    #[must_use]
    pub fn is_one(url: &str) -> bool {
        service_of(url).is_some()
    }
}

fn service_of(url: &str) -> Option<(Service, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    Service::ALL.into_iter().find(|service| service.scheme() == scheme).map(|service| (service, rest))
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://", self.service.scheme())?;
        if !self.account.is_empty() {
            write!(f, "{}/", self.account)?;
        }
        write!(f, "{}/{}", self.bucket, self.prefix)
    }
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(url: &str) -> Result<Address> {
        let (service, rest) = service_of(url).ok_or_else(|| refused(url, "its scheme is not `s3`, `gs` or `az`"))?;
        let mut parts = rest.strip_suffix('/').unwrap_or(rest).split('/');
        let account = match service {
            Service::Azure => parts.next().unwrap_or_default(),
            _ => "",
        };
        let is_account = account.len() >= 3 && account.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        if service == Service::Azure && !is_account {
            return Err(refused(url, "an account is 3 to 24 lower-case letters and digits"));
        }
        let bucket = parts.next().unwrap_or_default();
        if let Some(fault) = bucket_fault(service, bucket) {
            return Err(refused(url, fault));
        }
        let mut prefix = String::new();
        for part in parts {
            if !is_plain(part) {
                return Err(refused(url, "a part of its path is empty, is `.` or `..`, or holds what needs escaping"));
            }
            prefix.push_str(part);
            prefix.push('/');
        }
        Ok(Address { service, account: account.to_owned(), bucket: bucket.to_owned(), prefix })
    }
}

/// Buckets are named alike everywhere, but for `_`, which Google allows.
fn bucket_fault(service: Service, bucket: &str) -> Option<&'static str> {
    let is_allowed = |c: char| {
        c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c) || (c == '_' && service == Service::Gcs)
    };
    if bucket.is_empty() {
        return Some(match service {
            Service::Azure => "it has no container: `az://account/container/prefix` was expected",
            _ => "it names no bucket",
        });
    }
    let is_named = (3..=222).contains(&bucket.len())
        && bucket.chars().all(is_allowed)
        && bucket.starts_with(|c: char| c.is_ascii_alphanumeric());
    (!is_named).then_some("a bucket is at least 3 lower-case letters, digits, `-` and `.`")
}

fn is_plain(part: &str) -> bool {
    !part.is_empty()
        && !part.chars().all(|c| c == '.')
        && part.chars().all(|c| c.is_ascii_alphanumeric() || "-._~+=@".contains(c))
}

fn refused(url: &str, why: &str) -> Error {
    // What comes before an `@` in the host's place is a secret that somebody put there.
    let shown = match url.split_once("://") {
        Some((scheme, rest)) if rest.split('/').next().is_some_and(|host| host.contains('@')) => {
            format!("{scheme}://…")
        }
        _ => url.split('?').next().unwrap_or_default().escape_debug().to_string(),
    };
    Error::usage(format!("`{shown}` is no place in an object store: {why}"))
        .help("write `s3://bucket/prefix`, `gs://bucket/prefix` or `az://account/container/prefix`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_one_spelling() {
        for (text, canonical) in [
            ("s3://skills", "s3://skills/"),
            ("s3://skills/", "s3://skills/"),
            ("s3://skills/index/v1", "s3://skills/index/v1/"),
            ("gs://my_skills/index/", "gs://my_skills/index/"),
            ("az://acme/skills", "az://acme/skills/"),
            ("az://acme/skills/index", "az://acme/skills/index/"),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!(address.to_string(), canonical);
            assert_eq!(canonical.parse::<Address>().unwrap(), address);
        }
    }

    #[test]
    fn what_is_no_address_is_refused_and_shows_no_secret() {
        for text in [
            "s3://",
            "s3://ab",
            "s3://Skills",
            "s3://skills//index",
            "s3://skills/../other",
            "s3://skills/a%2fb",
            "s3://skills/a?token=CANARY",
            "s3://key:CANARY@skills/a",
            "s3://skills:9000/a",
            "az://acme",
            "az://acme.evil.test/skills",
            "https://skills/a",
        ] {
            let error = text.parse::<Address>().unwrap_err();
            assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
        }
        assert!(Address::is_one("gs://x") && !Address::is_one("file:///x") && !Address::is_one("s3"));
    }
}
