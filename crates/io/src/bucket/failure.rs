//! Turns errors of an object store into messages. The text of a response is never shown, since it may repeat what
//! was sent; its error code, which is one word, is.

use std::error::Error as StdError;

use object_store::Error as StoreError;
use object_store::client::{HttpError, HttpErrorKind};

use super::{BucketUrl, StorageService};
use skillpm_core::error::Error;

/// How servers report that the bucket itself does not exist.
const MISSING_BUCKET_CODES: [&str; 4] = [
    "NoSuchBucket",
    "ContainerNotFound",
    "ContainerBeingDeleted",
    "The specified bucket does not exist",
];

/// Metadata services of clouds, which give out credentials.
const METADATA_ENDPOINTS: [&str; 4] = [
    "169.254.169.254",
    "169.254.170.2",
    "metadata.google.internal",
    "metadata/identity",
];

/// Whether the bucket is missing, not only the object.
pub(super) fn is_missing_bucket(error: &StoreError) -> bool {
    // object_store reports both in one way, so the server's own words decide.
    let text = error.to_string();
    MISSING_BUCKET_CODES.iter().any(|said| text.contains(said))
}

/// The error for an invalid or missing setting.
pub(super) fn settings_error(address: &BucketUrl, error: &StoreError) -> Error {
    // The text may quote a setting, and so a secret.
    let missing = error.to_string().to_lowercase().contains("missing");
    let why = if missing {
        "a setting is missing"
    } else {
        "a setting is invalid"
    };

    Error::usage(format!("failed to configure access to `{address}`: {why}"))
        .note(format!(
            "settings are read from the environment variables `{}…`",
            address.service.variable_prefix()
        ))
        .help(credentials_help(address.service))
}

/// The error for a failed request: `verb` is `fetch`, `write` or `list`.
pub(super) fn object_error(
    address: &BucketUrl,
    verb: &str,
    path: &str,
    error: &StoreError,
) -> Error {
    let text = error.to_string();
    let code = error_code(&text);
    let failed = Error::network(format!(
        "failed to {verb} `{address}{}`",
        path.escape_debug()
    ));
    let failed = match &code {
        Some(code) => failed.cause(format!("the server responded with {code}")),
        None => failed,
    };

    if is_missing_bucket(error) {
        return explain_missing_bucket(failed, address);
    }

    let credentials = credentials_help(address.service);
    // Without credentials in the environment, object_store asks the cloud's metadata service.
    if METADATA_ENDPOINTS.iter().any(|host| text.contains(host)) {
        return failed.cause("no credentials found").help(credentials);
    }

    if let Some(region) = expected_region(&text) {
        return failed
            .cause(format!("the bucket is in another region{region}"))
            .help("set `AWS_REGION`, or `registries.NAME.region`, to the region of the bucket");
    }

    match error {
        StoreError::PermissionDenied { .. } if verb == "fetch" => failed
            .help(credentials)
            .help("without the permission to list, servers respond this way for missing objects, too: allow listing"),
        StoreError::Unauthenticated { .. } | StoreError::PermissionDenied { .. } => {
            failed.help(credentials)
        }
        StoreError::NotImplemented { .. } | StoreError::NotSupported { .. } => failed
            .cause("the server does not support this operation")
            .help("publish through a server that supports conditional writes, or through git"),
        _ if code.as_deref() == Some("NotImplemented") => {
            failed.help("publish through a server that supports conditional writes, or through git")
        }
        _ => explain_transport(failed, error, code.is_some()),
    }
}

fn explain_missing_bucket(failed: Error, address: &BucketUrl) -> Error {
    // Azure's word for it.
    let noun = if address.service == StorageService::Azure {
        "container"
    } else {
        "bucket"
    };
    failed
        .cause(format!("{noun} `{}` not found", address.bucket))
        .help(format!(
            "check the name, or create the {noun} with the tools of the object store"
        ))
}

/// Adds why no usable response was received.
fn explain_transport(failed: Error, error: &StoreError, has_code: bool) -> Error {
    match transport_cause(error) {
        Some(why) => failed
            .cause(why)
            .help("check the network, the endpoint and the proxy settings"),
        // The code is a cause already.
        None if has_code => failed.help("try again later"),
        None => failed.cause(describe_status(error)).help("try again later"),
    }
}

fn credentials_help(service: StorageService) -> &'static str {
    match service {
        StorageService::S3 => {
            "set `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` (and `AWS_SESSION_TOKEN`), or `AWS_SKIP_SIGNATURE=true` \
             for a public bucket; `aws configure export-credentials --format env` prints those of a profile"
        }
        StorageService::Gcs => {
            "set `GOOGLE_APPLICATION_CREDENTIALS` to a credentials file, log in with \
             `gcloud auth application-default login`, or set `GOOGLE_SKIP_SIGNATURE=true` for a public bucket"
        }
        StorageService::Azure => {
            "set `AZURE_STORAGE_ACCOUNT_KEY`, `AZURE_STORAGE_SAS_TOKEN` or `AZURE_USE_AZURE_CLI=true`, or \
             `AZURE_SKIP_SIGNATURE=true` for a public container"
        }
    }
}

/// The error code of a response: `AccessDenied` of `<Code>AccessDenied</Code>`.
fn error_code(text: &str) -> Option<String> {
    let code = text.split_once("<Code>")?.1.split_once("</Code>")?.0;
    // One word of letters and digits: it cannot repeat a secret or carry an escape sequence.
    let is_word = code.len() <= 64 && code.chars().all(|c| c.is_ascii_alphanumeric());
    is_word.then(|| code.to_owned())
}

/// The suffix for a bucket in another region: ` (`name`)` if the server names that, else empty; `None` if the
/// region is not the problem.
fn expected_region(text: &str) -> Option<String> {
    // S3 redirects to the bucket's own region without a location.
    let is_other = text.contains("redirect without LOCATION")
        || [
            "PermanentRedirect",
            "AuthorizationHeaderMalformed",
            "IllegalLocationConstraintException",
        ]
        .iter()
        .any(|code| text.contains(code));
    if !is_other {
        return None;
    }

    let named = text
        .split_once("<Region>")
        .and_then(|(_, rest)| rest.split_once("</Region>"))
        .map(|(name, _)| name);
    let is_name = |name: &&str| {
        name.len() <= 32 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };

    Some(
        named
            .filter(is_name)
            .map(|name| format!(" (`{name}`)"))
            .unwrap_or_default(),
    )
}

/// The failure below HTTP; `None` if there was a response.
fn transport_cause(error: &StoreError) -> Option<&'static str> {
    let mut next: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(cause) = next {
        if let Some(http) = cause.downcast_ref::<HttpError>() {
            return Some(match http.kind() {
                HttpErrorKind::Connect => "failed to connect",
                HttpErrorKind::Timeout => "the server did not respond in time",
                HttpErrorKind::Decode => "invalid response from the server",
                _ => "the connection was interrupted",
            });
        }
        next = cause.source();
    }
    None
}

/// The status of a response without an error code.
fn describe_status(error: &StoreError) -> String {
    let text = error.to_string();
    let status = text
        .split_once("status code: ")
        .map(|(_, rest)| rest.chars().take_while(char::is_ascii_digit).collect());

    match status {
        Some::<String>(status) if status.len() == 3 => {
            format!("the server responded with HTTP status {status}")
        }
        _ => "unexpected response from the server".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generic(text: &str) -> StoreError {
        StoreError::Generic {
            store: "S3",
            source: text.into(),
        }
    }

    #[test]
    fn a_servers_text_is_not_shown_and_its_code_is() {
        let address: BucketUrl = "s3://skills".parse().unwrap();
        let body = "Server returned non-2xx status code: 400 Bad Request: <Error><Code>SignatureDoesNotMatch</Code>\
                    <StringToSign>CANARY</StringToSign></Error>";
        let error = object_error(&address, "fetch", "config.json", &generic(body));
        assert_eq!(
            error.causes(),
            ["the server responded with SignatureDoesNotMatch"]
        );
        assert!(!format!("{error:?}").contains("CANARY"));
        let error = object_error(
            &address,
            "write",
            "a",
            &generic("non-2xx status code: 507 CANARY"),
        );
        assert_eq!(
            error.causes(),
            ["the server responded with HTTP status 507"]
        );
    }

    #[test]
    fn another_region_is_named_where_the_server_names_it() {
        let address: BucketUrl = "s3://skills".parse().unwrap();
        let body = "400: <Code>AuthorizationHeaderMalformed</Code><Region>eu-central-1</Region>";
        let error = object_error(&address, "fetch", "a", &generic(body));
        assert_eq!(
            error.causes()[1],
            "the bucket is in another region (`eu-central-1`)"
        );
        let error = object_error(
            &address,
            "fetch",
            "a",
            &generic("Received redirect without LOCATION, this normally …"),
        );
        assert_eq!(error.causes(), ["the bucket is in another region"]);
    }
}
