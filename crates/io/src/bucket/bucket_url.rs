//! URLs of buckets in object stores, with a prefix.
//!
//! ```text
//! s3://bucket/prefix/              Amazon S3, or another service with its protocol
//! gs://bucket/prefix/              Google Cloud Storage
//! az://account/container/prefix/   Azure Blob Storage
//! ```

use std::fmt;
use std::str::FromStr;

use skillpm_core::error::{Error, Result};

/// The service of an object store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageService {
    /// Amazon S3, and other services with its protocol.
    S3,
    /// Google Cloud Storage.
    Gcs,
    /// Azure Blob Storage.
    Azure,
}

impl StorageService {
    const ALL: [StorageService; 3] = [
        StorageService::S3,
        StorageService::Gcs,
        StorageService::Azure,
    ];

    /// The scheme of its URLs.
    #[must_use]
    pub fn scheme(self) -> &'static str {
        match self {
            StorageService::S3 => "s3",
            StorageService::Gcs => "gs",
            StorageService::Azure => "az",
        }
    }

    /// The prefix of the environment variables with its settings.
    #[must_use]
    pub fn variable_prefix(self) -> &'static str {
        match self {
            StorageService::S3 => "AWS_",
            StorageService::Gcs => "GOOGLE_",
            StorageService::Azure => "AZURE_",
        }
    }
}

/// A bucket with a prefix; its canonical text form ends with `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketUrl {
    /// The service.
    pub service: StorageService,
    /// The account, for Azure; else empty.
    pub account: String,
    /// The bucket; for Azure the container.
    pub bucket: String,
    /// The prefix of all paths: empty, or ending with `/`.
    pub prefix: String,
}

impl BucketUrl {
    /// Whether a URL is of an object store, by its scheme.
    #[must_use]
    pub fn is_bucket_url(url: &str) -> bool {
        split_service(url).is_some()
    }
}

fn split_service(url: &str) -> Option<(StorageService, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    StorageService::ALL
        .into_iter()
        .find(|service| service.scheme() == scheme)
        .map(|service| (service, rest))
}

impl fmt::Display for BucketUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://", self.service.scheme())?;
        if !self.account.is_empty() {
            write!(f, "{}/", self.account)?;
        }
        write!(f, "{}/{}", self.bucket, self.prefix)
    }
}

impl FromStr for BucketUrl {
    type Err = Error;

    fn from_str(url: &str) -> Result<BucketUrl> {
        let (service, rest) = split_service(url)
            .ok_or_else(|| invalid_url(url, "its scheme is not `s3`, `gs` or `az`"))?;

        // The trailing `/` is optional here, and always there in the canonical form.
        let mut parts = rest.strip_suffix('/').unwrap_or(rest).split('/');
        let account = match service {
            StorageService::Azure => parts.next().unwrap_or_default(),
            _ => "",
        };

        let is_account = account.len() >= 3
            && account
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        if service == StorageService::Azure && !is_account {
            return Err(invalid_url(
                url,
                "an account is 3 to 24 lower-case letters and digits",
            ));
        }

        let bucket = parts.next().unwrap_or_default();
        if let Some(fault) = invalid_bucket_reason(service, bucket) {
            return Err(invalid_url(url, fault));
        }

        let mut prefix = String::new();
        for part in parts {
            // An escape or a `..` would let two URLs name one object.
            if !is_plain_segment(part) {
                return Err(invalid_url(
                    url,
                    "a part of its path is empty, is `.` or `..`, or requires escaping",
                ));
            }
            prefix.push_str(part);
            prefix.push('/');
        }

        Ok(BucketUrl {
            service,
            account: account.to_owned(),
            bucket: bucket.to_owned(),
            prefix,
        })
    }
}

/// Why a bucket name is invalid. The rules are the same for all services, except that Google allows `_`.
fn invalid_bucket_reason(service: StorageService, bucket: &str) -> Option<&'static str> {
    let is_allowed = |c: char| {
        c.is_ascii_lowercase()
            || c.is_ascii_digit()
            || "-.".contains(c)
            || (c == '_' && service == StorageService::Gcs)
    };

    if bucket.is_empty() {
        return Some(match service {
            StorageService::Azure => "missing container; expected `az://account/container/prefix`",
            _ => "missing bucket name",
        });
    }

    // Google allows 222 bytes for a name with dots; the others allow fewer.
    let is_named = (3..=222).contains(&bucket.len())
        && bucket.chars().all(is_allowed)
        && bucket.starts_with(|c: char| c.is_ascii_alphanumeric());
    (!is_named).then_some("a bucket is at least 3 lower-case letters, digits, `-` and `.`")
}

fn is_plain_segment(part: &str) -> bool {
    !part.is_empty()
        && !part.chars().all(|c| c == '.')
        && part
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-._~+=@".contains(c))
}

fn invalid_url(url: &str, why: &str) -> Error {
    // A part before `@` in place of the host is a secret, and is not shown.
    let shown = match url.split_once("://") {
        Some((scheme, rest))
            if rest
                .split('/')
                .next()
                .is_some_and(|host| host.contains('@')) =>
        {
            format!("{scheme}://…")
        }
        _ => url
            .split('?')
            .next()
            .unwrap_or_default()
            .escape_debug()
            .to_string(),
    };

    Error::usage(format!("invalid object store URL `{shown}`: {why}"))
        .help("use `s3://bucket/prefix`, `gs://bucket/prefix` or `az://account/container/prefix`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_one_canonical_form() {
        for (text, canonical) in [
            ("s3://skills", "s3://skills/"),
            ("s3://skills/", "s3://skills/"),
            ("s3://skills/index/v1", "s3://skills/index/v1/"),
            ("gs://my_skills/index/", "gs://my_skills/index/"),
            ("az://acme/skills", "az://acme/skills/"),
            ("az://acme/skills/index", "az://acme/skills/index/"),
        ] {
            let address: BucketUrl = text.parse().unwrap();
            assert_eq!(address.to_string(), canonical);
            assert_eq!(canonical.parse::<BucketUrl>().unwrap(), address);
        }
    }

    #[test]
    fn an_invalid_url_is_refused_without_showing_secrets() {
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
            let error = text.parse::<BucketUrl>().unwrap_err();
            assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
        }
        assert!(
            BucketUrl::is_bucket_url("gs://x")
                && !BucketUrl::is_bucket_url("file:///x")
                && !BucketUrl::is_bucket_url("s3")
        );
    }
}
