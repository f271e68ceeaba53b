//! From what an object store answers to what a person needs to know. A server's text is never shown: it may repeat what
//! was sent. Its error code is, which is a word.

use std::error::Error as StdError;

use object_store::Error as StoreError;
use object_store::client::{HttpError, HttpErrorKind};

use super::{Address, Service};
use crate::error::Error;

/// How servers say that the bucket itself is not there.
const NO_BUCKET: [&str; 4] =
    ["NoSuchBucket", "ContainerNotFound", "ContainerBeingDeleted", "The specified bucket does not exist"];

/// Where a cloud's machine is asked who it is.
const METADATA: [&str; 4] = ["169.254.169.254", "169.254.170.2", "metadata.google.internal", "metadata/identity"];

/// Whether the bucket is missing, not only the object.
pub(super) fn is_missing_bucket(error: &StoreError) -> bool {
    let text = error.to_string();
    NO_BUCKET.iter().any(|said| text.contains(said))
}

/// The failure to prepare: a setting that cannot be.
pub(super) fn setting(address: &Address, error: &StoreError) -> Error {
    // What it says may quote a setting, and so a secret.
    let missing = error.to_string().to_lowercase().contains("missing");
    let why = if missing { "a setting is missing" } else { "a setting cannot be read" };
    Error::usage(format!("`{address}` cannot be reached: {why}"))
        .note(format!("its settings are the environment's variables `{}…`", address.service.variables()))
        .help(credentials(address.service))
}

/// The failure to `verb` one object.
pub(super) fn of(address: &Address, verb: &str, path: &str, error: &StoreError) -> Error {
    let text = error.to_string();
    let code = code(&text);
    let failed = Error::network(format!("could not {verb} `{address}{}`", path.escape_debug()));
    let failed = match &code {
        Some(code) => failed.cause(format!("its server answered {code}")),
        None => failed,
    };
    if is_missing_bucket(error) {
        let noun = if address.service == Service::Azure { "container" } else { "bucket" };
        return failed
            .cause(format!("there is no {noun} `{}`", address.bucket))
            .help("check its spelling, or make it with the object store's own tools; skillpm makes none");
    }
    if METADATA.iter().any(|host| text.contains(host)) {
        return failed.cause("there are no credentials for it").help(credentials(address.service));
    }
    if let Some(region) = region_asked_for(&text) {
        return failed
            .cause(format!("it is in another region{region}"))
            .help("set `AWS_REGION`, or `registries.NAME.region`, to the region of the bucket");
    }
    match error {
        StoreError::Unauthenticated { .. } => failed.help(credentials(address.service)),
        StoreError::PermissionDenied { .. } if verb == "get" => failed
            .help(credentials(address.service))
            .help("a server that may not say what is there answers so for what is missing, too: allow listing"),
        StoreError::PermissionDenied { .. } => failed.help(credentials(address.service)),
        StoreError::NotImplemented { .. } | StoreError::NotSupported { .. } => failed
            .cause("its server does not do that")
            .help("publish through one that knows conditional writes, or through git"),
        _ if code.as_deref() == Some("NotImplemented") => {
            failed.help("publish through one that knows conditional writes, or through git")
        }
        _ => match transport(error) {
            Some(why) => failed.cause(why).help("check the network, the endpoint and the proxy settings"),
            None if code.is_none() => failed.cause(outline(error)).help("try again later"),
            None => failed.help("try again later"),
        },
    }
}

fn credentials(service: Service) -> &'static str {
    match service {
        Service::S3 => {
            "set `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` (and `AWS_SESSION_TOKEN`), or `AWS_SKIP_SIGNATURE=true` \
             for a bucket that anybody may read; `aws configure export-credentials --format env` prints those of a profile"
        }
        Service::Gcs => {
            "set `GOOGLE_APPLICATION_CREDENTIALS` to a file of credentials, log in with \
             `gcloud auth application-default login`, or set `GOOGLE_SKIP_SIGNATURE=true` for a bucket that anybody may read"
        }
        Service::Azure => {
            "set `AZURE_STORAGE_ACCOUNT_KEY`, `AZURE_STORAGE_SAS_TOKEN` or `AZURE_USE_AZURE_CLI=true`, or \
             `AZURE_SKIP_SIGNATURE=true` for a container that anybody may read"
        }
    }
}

/// The word in which a server says what is wrong: `<Code>AccessDenied</Code>`.
fn code(text: &str) -> Option<String> {
    let code = text.split_once("<Code>")?.1.split_once("</Code>")?.0;
    let is_word = code.len() <= 64 && code.chars().all(|c| c.is_ascii_alphanumeric());
    is_word.then(|| code.to_owned())
}

/// Whether the server is of another region than the bucket: ` (`name`)` where it says which, else empty.
fn region_asked_for(text: &str) -> Option<String> {
    let is_other = text.contains("redirect without LOCATION")
        || ["PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException"]
            .iter()
            .any(|code| text.contains(code));
    if !is_other {
        return None;
    }
    let named = text.split_once("<Region>").and_then(|(_, rest)| rest.split_once("</Region>")).map(|(name, _)| name);
    let is_name = |name: &&str| name.len() <= 32 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    Some(named.filter(is_name).map(|name| format!(" (`{name}`)")).unwrap_or_default())
}

/// What went wrong below HTTP; `None` if something was answered.
fn transport(error: &StoreError) -> Option<&'static str> {
    let mut next: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(cause) = next {
        if let Some(http) = cause.downcast_ref::<HttpError>() {
            return Some(match http.kind() {
                HttpErrorKind::Connect => "no connection came to stand",
                HttpErrorKind::Timeout => "it did not answer in time",
                HttpErrorKind::Decode => "its answer cannot be read",
                _ => "the connection was broken off",
            });
        }
        next = cause.source();
    }
    None
}

/// The status of an answer without a code.
fn outline(error: &StoreError) -> String {
    let text = error.to_string();
    let status =
        text.split_once("status code: ").map(|(_, rest)| rest.chars().take_while(char::is_ascii_digit).collect());
    match status {
        Some::<String>(status) if status.len() == 3 => format!("its server answered with HTTP status {status}"),
        _ => "its server gave no answer that can be understood".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generic(text: &str) -> StoreError {
        StoreError::Generic { store: "S3", source: text.into() }
    }

    #[test]
    fn a_servers_text_is_not_shown_and_its_code_is() {
        let address: Address = "s3://skills".parse().unwrap();
        let body = "Server returned non-2xx status code: 400 Bad Request: <Error><Code>SignatureDoesNotMatch</Code>\
                    <StringToSign>CANARY</StringToSign></Error>";
        let error = of(&address, "get", "config.json", &generic(body));
        assert_eq!(error.causes(), ["its server answered SignatureDoesNotMatch"]);
        assert!(!format!("{error:?}").contains("CANARY"));
        let error = of(&address, "put", "a", &generic("non-2xx status code: 507 CANARY"));
        assert_eq!(error.causes(), ["its server answered with HTTP status 507"]);
    }

    #[test]
    fn another_region_is_named_where_the_server_names_it() {
        let address: Address = "s3://skills".parse().unwrap();
        let body = "400: <Code>AuthorizationHeaderMalformed</Code><Region>eu-central-1</Region>";
        let error = of(&address, "get", "a", &generic(body));
        assert_eq!(error.causes()[1], "it is in another region (`eu-central-1`)");
        let error = of(&address, "get", "a", &generic("Received redirect without LOCATION, this normally …"));
        assert_eq!(error.causes(), ["it is in another region"]);
    }
}
