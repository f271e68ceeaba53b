//! The certificates of a connection: whom to trust, and who we are. They come from git's own settings, and from `net.ca-file`.
//!
//! | | trusted |
//! |---|---|
//! | `http.sslCAInfo` | only these, instead of the system's |
//! | `http.sslCAPath`, a directory | these, too |
//! | `net.ca-file` | these, too |
//!
//! `http.sslCert` and `http.sslKey` are our own certificate, shown to the host of the repository only.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;

use super::{AuthoritySource, GitOptions, config};
use crate::{disk, http};
use skillpm_core::error::{Error, ErrorContext, Result};

/// Largest total of the certificates in a directory, in bytes: those of a whole system have 0.5 MB.
const DIRECTORY_MAX: usize = 4 << 20;

/// The certificates for requests to one repository, each part as PEM. Has no `Debug`, so that no message can show the key.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct TlsSettings {
    /// Trusted instead of the system's.
    pub authorities: Option<Vec<u8>>,
    /// Trusted in addition.
    pub additional: Vec<u8>,
    /// Our own certificate, with its key.
    pub identity: Option<Vec<u8>>,
}

impl TlsSettings {
    /// Reads the files that the settings for `url` name.
    ///
    /// # Errors
    /// If one of them cannot be read, has no certificates, or is of an unsupported kind.
    pub(super) fn read(
        config: &gix::config::File,
        url: &str,
        ca_file: Option<&Path>,
    ) -> Result<TlsSettings> {
        let setting = |key| config::last_http_path(config, url, key);
        let authorities = setting("sslCAInfo")
            .map(|path| http::read_certificates(&path).map_err(|error| note(error, "sslCAInfo")))
            .transpose()?;

        let mut additional = Vec::new();
        if let Some(dir) = setting("sslCAPath") {
            additional = read_directory(&dir).map_err(|error| note(error, "sslCAPath"))?;
        }
        if let Some(path) = ca_file {
            additional.extend(http::read_certificates(path)?);
        }

        let identity = match setting("sslCert") {
            Some(certificate) => {
                check_type(config, url, "sslCertType", &certificate)?;
                // As in git, one file may have both.
                let key = setting("sslKey").unwrap_or_else(|| certificate.clone());
                check_type(config, url, "sslKeyType", &key)?;
                Some(read_identity(&certificate, &key)?)
            }
            None => None,
        };
        Ok(TlsSettings {
            authorities,
            additional,
            identity,
        })
    }
}

fn note(error: Error, key: &str) -> Error {
    error
        .note(format!(
            "it is set as `http.{key}` in the git configuration"
        ))
        .help(format!(
            "`git config --show-origin --get-regexp '{}$'` shows where",
            key.to_lowercase()
        ))
}

/// The certificates in the files of a directory. Other files in it are left out, as by git.
fn read_directory(dir: &Path) -> Result<Vec<u8>> {
    let shown = dir.display();
    if !dir.is_dir() {
        return Err(Error::usage(format!("directory `{shown}` not found")));
    }

    let mut all = Vec::new();
    for name in disk::list_names(dir)? {
        let path = dir.join(name);
        if path.is_file()
            && let Ok(found) = http::read_certificates(&path)
        {
            all.extend(found);
        }
        if all.len() > DIRECTORY_MAX {
            return Err(Error::usage(format!(
                "failed to read certificates from `{shown}`: they have more than {DIRECTORY_MAX} bytes"
            )));
        }
    }
    if all.is_empty() {
        return Err(Error::usage(format!(
            "no certificate in PEM format found in `{shown}`"
        )));
    }
    Ok(all)
}

fn check_type(config: &gix::config::File, url: &str, key: &str, file: &Path) -> Result<()> {
    let Some(kind) = config::last_http_value(config, url, key) else {
        return Ok(());
    };
    if kind.is_empty() || kind.eq_ignore_ascii_case("PEM") {
        return Ok(());
    }
    let shown = file.display();
    let error = Error::usage(format!(
        "unsupported type `{}` of the client certificate `{shown}`",
        kind.escape_debug()
    ));
    Err(note(error, key).help(format!(
        "convert it to PEM: `openssl pkcs12 -in '{shown}' -nodes -out '{shown}.pem'`"
    )))
}

fn read_identity(certificate: &Path, key: &Path) -> Result<Vec<u8>> {
    let mut pem = http::read_certificates(certificate).map_err(|error| note(error, "sslCert"))?;
    if key != certificate {
        let found = disk::read(key).map_err(|error| note(error, "sslKey"))?;
        let found = found.ok_or_else(|| {
            note(
                Error::usage(format!("`{}` not found", key.display())),
                "sslKey",
            )
        })?;
        pem.push(b'\n');
        pem.extend(found);
    }

    let shown = key.display();
    // Of the forms `BEGIN ENCRYPTED PRIVATE KEY` and `Proc-Type: 4,ENCRYPTED`.
    if String::from_utf8_lossy(&pem).contains("ENCRYPTED") {
        return Err(Error::usage(format!(
            "failed to read the key of the client certificate `{shown}`: keys with a passphrase are not supported"
        ))
        .help(format!(
            "remove it: `openssl pkey -in '{shown}' -out '{shown}.plain'`, and set `http.sslKey`"
        )));
    }
    match reqwest::Identity::from_pem(&pem) {
        Ok(_) => Ok(pem),
        Err(_) => Err(Error::usage(format!(
            "invalid client certificate `{}`: no private key found in `{shown}`",
            certificate.display()
        ))
        .help("set the file of its key: `git config --global http.sslKey FILE`")),
    }
}

/// Writes the file for `GIT_SSL_CAINFO`, if git, when it pushes, would not trust those whom we trust: it knows neither
/// `net.ca-file` nor `SSL_CERT_FILE`. `None` if its own settings apply.
///
/// # Errors
/// If a file cannot be read or written.
pub(super) fn write_bundle(
    config: &gix::config::File,
    url: &str,
    options: &GitOptions,
    scratch: &Path,
) -> Result<Option<PathBuf>> {
    let has_own = config::last_http_path(config, url, "sslCAInfo").is_some();
    let is_default = options.ca_file.is_none() && options.authorities == AuthoritySource::System;
    if has_own || is_default {
        return Ok(None);
    }

    // git's setting replaces the system's certificates, which are still to be trusted.
    let mut pem = String::new();
    for found in rustls_native_certs::load_native_certs().certs {
        pem.push_str("-----BEGIN CERTIFICATE-----\n");
        let digits = BASE64.encode(&found);
        for line in digits.as_bytes().chunks(64) {
            pem.extend(line.iter().map(|&digit| char::from(digit)));
            pem.push('\n');
        }
        pem.push_str("-----END CERTIFICATE-----\n");
    }
    let mut pem = pem.into_bytes();
    if let Some(path) = &options.ca_file {
        pem.extend(http::read_certificates(path)?);
    }

    let bundle = scratch.join("certificates.pem");
    std::fs::write(&bundle, pem).context(|| format!("failed to write `{}`", bundle.display()))?;
    Ok(Some(bundle))
}
