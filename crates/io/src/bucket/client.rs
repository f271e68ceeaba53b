//! The client of object stores: requests, conditions and responses.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, S3ConditionalPut};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::path::Path;
use object_store::{
    Attribute, Attributes, BackoffConfig, ClientOptions, Error as StoreError, GetOptions,
    GetResult, ObjectStore, PutMode, PutOptions, PutPayload, RetryConfig, UpdateVersion,
};
use url::Url;

use super::connector::BucketConnector;
use super::{
    BucketOptions, BucketOverrides, BucketUrl, ObjectResponse, ObjectRevision, PutOutcome,
    ServiceSettings, SizeLimits, StorageService, WriteCondition, failure,
};
use crate::http::{self, ByteAllowance};
use crate::runtime::NetworkRuntime;
use crate::traffic::TrafficLog;
use skillpm_core::error::{Error, Result};
use skillpm_core::report::{EventReporter, ProgressEvent};

/// Most requests in flight at once.
const IN_FLIGHT: usize = 64;
/// How long after the first attempt retries are started.
const RETRY_TIME: Duration = Duration::from_mins(2);
/// The object that tests whether a server supports conditional writes.
const PROBE: &str = ".skillpm-conditions";
const PROBE_TEXT: &[u8] = b"skillpm tests here whether this server supports conditional writes\n";

/// A bucket with a prefix in an object store.
pub struct ObjectBucket {
    address: BucketUrl,
    /// Whether the endpoint is the service's own, whose behavior is known.
    is_native_service: bool,
    offline: bool,
    store: Box<dyn ObjectStore>,
    runtime: NetworkRuntime,
    traffic: TrafficLog,
}

impl ObjectBucket {
    /// Opens a bucket URL; nothing is sent yet.
    ///
    /// # Errors
    /// If the URL or a setting is invalid, or the connection would not be encrypted.
    pub fn open(url: &str, options: &BucketOptions) -> Result<ObjectBucket> {
        let address: BucketUrl = url.parse()?;
        // By the canonical form, in which the settings are stored, too.
        let overrides = options
            .overrides
            .get(&address.to_string())
            .cloned()
            .unwrap_or_default();

        let settings = effective_settings(&address, &options.settings, &overrides);
        let endpoint = custom_endpoint(&address, &settings);
        let is_local = check_endpoint(&address, endpoint, &options.http)?;

        http::install_tls_provider();
        let connector = BucketConnector::new(&options.http, is_local)?;
        // object_store refuses `http` unless it is allowed here.
        let plain = is_local || options.http.allow_http;

        let store = build_store(
            &address,
            &settings,
            connector,
            ClientOptions::new().with_allow_http(plain),
            &options.http,
        )
        .map_err(|error| failure::settings_error(&address, &error))?;

        Ok(ObjectBucket {
            is_native_service: endpoint.is_none(),
            offline: options.http.offline,
            runtime: NetworkRuntime::start()?,
            traffic: options.http.traffic.clone(),
            address,
            store,
        })
    }

    /// Its URL, in canonical form.
    #[must_use]
    pub fn address(&self) -> &BucketUrl {
        &self.address
    }

    /// Fetches one object of at most `limit` bytes, unless it still has `etag`.
    ///
    /// # Errors
    /// [`Network`](skillpm_core::error::FailureKind::Network) if it cannot be fetched, or is larger.
    pub fn get(
        &self,
        path: &str,
        etag: Option<&str>,
        limit: u64,
        reporter: &dyn EventReporter,
    ) -> Result<ObjectResponse> {
        self.get_all(
            &[(path, etag)],
            SizeLimits {
                each: limit,
                together: &ByteAllowance::new(limit),
            },
            reporter,
        )
        .remove(0)
    }

    /// Fetches several objects in parallel, each unless it still has its entity tag; the results are in the order
    /// of `wanted`.
    ///
    /// # Errors
    /// Per object, as [`ObjectBucket::get`].
    pub fn get_all(
        &self,
        wanted: &[(&str, Option<&str>)],
        limits: SizeLimits<'_>,
        reporter: &dyn EventReporter,
    ) -> Vec<Result<ObjectResponse>> {
        let answers = stream::iter(wanted).map(|&(path, etag)| async move {
            self.fetch_object(path, etag, limits, reporter).await
        });
        self.runtime.block_on(answers.buffered(IN_FLIGHT).collect())
    }

    async fn fetch_object(
        &self,
        path: &str,
        etag: Option<&str>,
        limits: SizeLimits<'_>,
        reporter: &dyn EventReporter,
    ) -> Result<ObjectResponse> {
        let place = self.object_path(path)?;
        let mut logged = self.traffic.start("GET", &self.display_path(path));
        let options = GetOptions {
            if_none_match: etag.map(str::to_owned),
            ..GetOptions::default()
        };

        let found = match self.store.get_opts(&place, options).await {
            Ok(found) => found,
            Err(StoreError::NotModified { .. }) if etag.is_some() => {
                logged.answered(304, Some(0));
                return Ok(ObjectResponse::NotModified);
            }
            // A missing bucket is a wrong address, not a missing object.
            Err(error @ StoreError::NotFound { .. }) if !failure::is_missing_bucket(&error) => {
                logged.answered(404, Some(0));
                return Ok(ObjectResponse::Missing);
            }
            Err(error) => return Err(failure::object_error(&self.address, "fetch", path, &error)),
        };

        // Needed for a conditional write later, of just this state.
        let revision = ObjectRevision {
            etag: found.meta.e_tag.clone(),
            generation: found.meta.version.clone(),
        };
        logged.answered(200, Some(found.meta.size));
        let bytes = self.read_body(path, found, limits, reporter).await?;
        logged.received(bytes.len() as u64);
        Ok(ObjectResponse::Fresh { bytes, revision })
    }

    async fn read_body(
        &self,
        path: &str,
        found: GetResult,
        SizeLimits {
            each: limit,
            together,
        }: SizeLimits<'_>,
        reporter: &dyn EventReporter,
    ) -> Result<Vec<u8>> {
        let declared = found.meta.size;
        let mut bytes = Vec::new();
        let mut chunks = found.into_stream();

        while let Some(chunk) = chunks.next().await {
            let chunk = chunk
                .map_err(|error| failure::object_error(&self.address, "fetch", path, &error))?;
            // Shared with other requests: each response may be small, and all of them too large.
            together
                .take_for_answer(chunk.len() as u64)
                .map_err(|why| {
                    Error::network(format!("failed to fetch `{}`", self.display_path(path)))
                        .cause(why)
                })?;
            reporter.report(ProgressEvent::Received {
                bytes: chunk.len() as u64,
            });
            bytes.extend_from_slice(&chunk);
            // The size in the header is not trusted.
            if bytes.len() as u64 > limit {
                break;
            }
        }

        let shown = self.display_path(path);
        match bytes.len() as u64 {
            read if read > limit => Err(Error::network(format!("failed to fetch `{shown}`"))
                .cause(format!("it is larger than the limit of {limit} bytes"))),
            // A truncated response must not be taken for the object.
            read if read != declared => Err(Error::network(format!("failed to fetch `{shown}`"))
                .cause(format!(
                    "the response ended after {read} of {declared} bytes"
                ))),
            _ => Ok(bytes),
        }
    }

    /// Writes one object.
    ///
    /// A conflict may be caused by our own first attempt, whose response was lost before the retry. Callers that
    /// care compare the existing object with what they wrote.
    ///
    /// # Errors
    /// If it cannot be written, or the server does not support conditions.
    pub fn put(&self, path: &str, bytes: &[u8], when: WriteCondition<'_>) -> Result<PutOutcome> {
        let place = self.object_path(path)?;
        let mode = match when {
            WriteCondition::Always => PutMode::Overwrite,
            WriteCondition::Absent => PutMode::Create,
            WriteCondition::Unchanged(revision) => {
                let (e_tag, version) = (revision.etag.clone(), revision.generation.clone());
                PutMode::Update(UpdateVersion { e_tag, version })
            }
        };

        let options = PutOptions {
            mode,
            attributes: object_attributes(path),
            ..PutOptions::default()
        };
        let payload = PutPayload::from(bytes.to_vec());

        let mut logged = self.traffic.start("PUT", &self.display_path(path));
        match self
            .runtime
            .block_on(self.store.put_opts(&place, payload, options))
        {
            Ok(done) => {
                logged.answered(200, Some(0));
                Ok(PutOutcome::Done(ObjectRevision {
                    etag: done.e_tag,
                    generation: done.version,
                }))
            }
            // Before the conflicts: a missing bucket fails the condition as well, and a retry would not end.
            Err(error) if failure::is_missing_bucket(&error) => {
                Err(failure::object_error(&self.address, "write", path, &error))
            }
            // Servers differ in which of the two they report; for the caller they mean the same.
            Err(StoreError::AlreadyExists { .. } | StoreError::Precondition { .. })
                if when != WriteCondition::Always =>
            {
                logged.answered(412, Some(0));
                Ok(PutOutcome::Conflict)
            }
            Err(error) => Err(failure::object_error(&self.address, "write", path, &error)),
        }
    }

    /// Checks that the server honors the conditions of [`ObjectBucket::put`]. One that ignores them would silently
    /// overwrite the changes of others.
    ///
    /// The services themselves do; other servers are tested with a probe object.
    ///
    /// # Errors
    /// If it does not, or cannot be reached.
    pub fn check_conditions(&self) -> Result<()> {
        // No probe is left behind where it proves nothing.
        if self.is_native_service {
            return Ok(());
        }

        let never = ObjectRevision {
            etag: Some("\"00000000000000000000000000000000\"".to_owned()),
            // No object has it: generations count microseconds.
            generation: Some("1".to_owned()),
        };

        // A server that ignores `If-Match` writes the object, and is recognized by that.
        let checks_revision =
            self.put(PROBE, PROBE_TEXT, WriteCondition::Unchanged(&never))? == PutOutcome::Conflict;

        // The first of these may write it; the second may not.
        let checks_absence = checks_revision
            && [(); 2].iter().any(|()| {
                matches!(
                    self.put(PROBE, PROBE_TEXT, WriteCondition::Absent),
                    Ok(PutOutcome::Conflict)
                )
            });

        if checks_absence {
            return Ok(());
        }

        Err(Error::network(format!(
            "unsupported server for `{}`: it does not support conditional writes",
            self.address
        ))
        .note("`If-Match` and `If-None-Match` keep two publishers from overwriting each other")
        .help(
            "publish through a server that does (Amazon S3, MinIO, Cloudflare R2, Ceph from Squid on), or through git",
        ))
    }

    /// The paths of the objects below any of these folders, sorted; `None` if there are more than `most`.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn list(&self, folders: &[String], most: usize) -> Result<Option<Vec<String>>> {
        let lists = stream::iter(folders).map(|folder| self.list_one(folder, most));
        let lists: Vec<Vec<String>> = self
            .runtime
            .block_on(lists.buffered(IN_FLIGHT).try_collect())?;

        // Sorted here: each list is sorted, all of them together are not.
        let mut paths = lists.concat();
        paths.sort();
        Ok((paths.len() <= most).then_some(paths))
    }

    /// The paths below one folder, and at most one more than `most`.
    async fn list_one(&self, folder: &str, most: usize) -> Result<Vec<String>> {
        let below = self.object_path(folder)?;

        let mut logged = self.traffic.start("LIST", &self.display_path(folder));
        let found = self
            .store
            .list(Some(&below))
            .map_ok(|object| object.location.to_string());
        let found: Vec<String> = found
            // One more than allowed shows that there are too many, without listing all of them.
            .take(most.saturating_add(1))
            .try_collect()
            .await
            .map_err(|error| failure::object_error(&self.address, "list", folder, &error))?;
        logged.answered(200, Some(0));

        Ok(found
            .iter()
            .filter_map(|path| Some(path.strip_prefix(&self.address.prefix)?.to_owned()))
            .collect())
    }

    /// The folders directly below the prefix, sorted.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn folders(&self) -> Result<Vec<String>> {
        let below = self.object_path("")?;
        let mut logged = self.traffic.start("LIST", &self.display_path(""));
        let listed = self
            .runtime
            .block_on(self.store.list_with_delimiter(Some(&below)));
        let listed =
            listed.map_err(|error| failure::object_error(&self.address, "list", "", &error))?;
        logged.answered(200, Some(0));

        let mut folders: Vec<String> = listed
            .common_prefixes
            .iter()
            .filter_map(|path| {
                path.parts()
                    .next_back()
                    .map(|part| part.as_ref().to_owned())
            })
            .collect();

        folders.sort();
        Ok(folders)
    }

    /// The object at a path below the prefix, if requests are allowed.
    fn object_path(&self, path: &str) -> Result<Path> {
        if self.offline {
            return Err(Error::network(format!(
                "cannot access `{}`: network access is disabled (`--offline`)",
                self.display_path(path)
            ))
            .help("run the command again without `--offline`"));
        }

        let whole = format!("{}{path}", self.address.prefix);
        // The prefix alone ends with `/`, which no path of an object does.
        Path::parse(whole.trim_end_matches('/')).map_err(|error| {
            Error::usage(format!("invalid object path `{}`", self.display_path(path)))
                .with_sources(&error)
        })
    }

    fn display_path(&self, path: &str) -> String {
        format!("{}{}", self.address, path.escape_debug())
    }
}

/// The caching headers of an object: an archive never changes, a file of the index may at any time.
fn object_attributes(path: &str) -> Attributes {
    let (kind, caching) = if path.ends_with(".tar.gz") {
        ("application/gzip", "public, max-age=31536000, immutable")
    } else {
        ("text/plain; charset=utf-8", "no-cache")
    };
    [
        (Attribute::ContentType, kind),
        (Attribute::CacheControl, caching),
    ]
    .into_iter()
    .collect()
}

/// The settings for one bucket URL: the environment's, overridden by those for this URL.
fn effective_settings(
    address: &BucketUrl,
    all: &ServiceSettings,
    overrides: &BucketOverrides,
) -> BTreeMap<String, String> {
    // Credentials of another service must not reach this one.
    let own = |(name, _): &(&String, &String)| name.starts_with(address.service.variable_prefix());
    let mut settings: BTreeMap<String, String> = all
        .0
        .iter()
        .filter(own)
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();

    let [endpoint_name, region_name] = match address.service {
        StorageService::S3 => ["AWS_ENDPOINT_URL_S3", "AWS_REGION"],
        StorageService::Gcs => ["GOOGLE_BASE_URL", "GOOGLE_REGION"],
        StorageService::Azure => ["AZURE_STORAGE_ENDPOINT", "AZURE_REGION"],
    };

    // The configured endpoint and region override the environment's.
    for (name, value) in [
        (endpoint_name, &overrides.endpoint),
        (region_name, &overrides.region),
    ] {
        settings.extend(value.as_ref().map(|value| (name.to_owned(), value.clone())));
    }
    settings
}

/// The configured endpoint; `None` for the service's own.
fn custom_endpoint<'a>(
    address: &BucketUrl,
    settings: &'a BTreeMap<String, String>,
) -> Option<&'a str> {
    let names: &[&str] = match address.service {
        StorageService::S3 => &["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"],
        StorageService::Gcs => &["GOOGLE_BASE_URL"],
        StorageService::Azure => &["AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"],
    };

    // The more specific variable wins.
    names
        .iter()
        .find_map(|name| settings.get(*name))
        .map(String::as_str)
}

/// Whether the endpoint is this machine; refuses unencrypted access to any other.
fn check_endpoint(
    address: &BucketUrl,
    endpoint: Option<&str>,
    options: &http::HttpClientOptions,
) -> Result<bool> {
    let Some(text) = endpoint else {
        return Ok(false);
    };
    let refused = |why: &str| Error::usage(format!("invalid endpoint for `{address}`: {why}"));

    let url = Url::parse(text).map_err(|error| refused(&error.to_string()))?;
    // An endpoint is shown in error messages, and so would be a secret in it.
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused("it contains a user name or password"));
    }

    let is_local = http::is_loopback_host(&url);
    match url.scheme() {
        "https" => Ok(is_local),
        "http" if is_local || options.allow_http => Ok(is_local),
        "http" => Err(refused("`http` is not encrypted")
            .help("use `https`, or allow it with `--config net.allow-http=true`")),
        other => Err(refused(&format!("unsupported scheme `{other}`"))),
    }
}

fn build_store(
    address: &BucketUrl,
    settings: &BTreeMap<String, String>,
    connector: BucketConnector,
    client: ClientOptions,
    options: &http::HttpClientOptions,
) -> Result<Box<dyn ObjectStore>, StoreError> {
    let parts = StoreParts {
        address,
        settings,
        connector,
        client,
        retry: retry_config(options),
    };
    match address.service {
        StorageService::S3 => parts.build_s3(),
        StorageService::Gcs => parts.build_gcs(),
        StorageService::Azure => parts.build_azure(),
    }
}

/// The rules of [`http::RetryPolicy`] for the crate that sends the requests.
fn retry_config(options: &http::HttpClientOptions) -> RetryConfig {
    let policy = options.timing.retry;
    RetryConfig {
        backoff: BackoffConfig {
            init_backoff: policy.delay,
            max_backoff: policy.longest_delay,
            base: 2.0,
        },
        max_retries: policy.retries,
        retry_timeout: RETRY_TIME,
    }
}

/// What the store of any service is built from.
struct StoreParts<'a> {
    address: &'a BucketUrl,
    settings: &'a BTreeMap<String, String>,
    connector: BucketConnector,
    client: ClientOptions,
    retry: RetryConfig,
}

impl StoreParts<'_> {
    fn build_s3(self) -> Result<Box<dyn ObjectStore>, StoreError> {
        let builder = self
            .keys(is_fixed_s3_key)
            .fold(AmazonS3Builder::new(), |builder, (key, value)| {
                builder.with_config(key, value)
            })
            .with_bucket_name(&self.address.bucket)
            .with_conditional_put(S3ConditionalPut::ETagMatch)
            .with_client_options(self.client)
            .with_retry(self.retry)
            .with_http_connector(self.connector);
        Ok(Box::new(builder.build()?))
    }

    fn build_gcs(self) -> Result<Box<dyn ObjectStore>, StoreError> {
        let builder = self
            .keys(is_fixed_gcs_key)
            .fold(GoogleCloudStorageBuilder::new(), |builder, (key, value)| {
                builder.with_config(key, value)
            })
            .with_bucket_name(&self.address.bucket)
            .with_client_options(self.client)
            .with_retry(self.retry)
            .with_http_connector(self.connector);
        Ok(Box::new(builder.build()?))
    }

    fn build_azure(self) -> Result<Box<dyn ObjectStore>, StoreError> {
        let builder = self
            .keys(is_fixed_azure_key)
            .fold(MicrosoftAzureBuilder::new(), |builder, (key, value)| {
                builder.with_config(key, value)
            })
            .with_account(&self.address.account)
            .with_container_name(&self.address.bucket)
            .with_client_options(self.client)
            .with_retry(self.retry)
            .with_http_connector(self.connector);
        Ok(Box::new(builder.build()?))
    }

    /// The settings that the service knows, except those that are `fixed`: the URL names the bucket, and skillpm sets the
    /// client; the environment sets the rest.
    fn keys<K: FromStr + Copy>(
        &self,
        is_fixed: impl Fn(K) -> bool,
    ) -> impl Iterator<Item = (K, &String)> {
        self.settings
            .iter()
            // object_store parses the names of the variables in lower case.
            .filter_map(|(name, value)| Some((name.to_ascii_lowercase().parse().ok()?, value)))
            .filter(move |(key, _)| !is_fixed(*key))
    }
}

fn is_fixed_s3_key(key: AmazonS3ConfigKey) -> bool {
    // No variable may turn conditional writes off: publishing relies on them.
    matches!(
        key,
        AmazonS3ConfigKey::Bucket
            | AmazonS3ConfigKey::ConditionalPut
            | AmazonS3ConfigKey::Client(_)
    )
}

fn is_fixed_gcs_key(key: GoogleConfigKey) -> bool {
    matches!(key, GoogleConfigKey::Bucket | GoogleConfigKey::Client(_))
}

fn is_fixed_azure_key(key: AzureConfigKey) -> bool {
    // An Azure URL names the account as well as the container.
    matches!(
        key,
        AzureConfigKey::AccountName | AzureConfigKey::ContainerName | AzureConfigKey::Client(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(variables: &[(&str, &str)]) -> BucketOptions {
        let names = variables
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect();
        let find = |wanted: &str| {
            variables
                .iter()
                .find(|(name, _)| *name == wanted)
                .map(|(_, value)| (*value).to_owned())
        };
        BucketOptions::new(http::HttpClientOptions::default(), &names, &find)
    }

    #[test]
    fn settings_are_the_services_own_and_show_no_value() {
        let options = options(&[
            ("AWS_SECRET_ACCESS_KEY", "CANARY"),
            ("AWS_REGION", ""),
            ("SKILLPM_TOKEN", "CANARY"),
        ]);
        let shown = format!("{options:?}");
        assert!(
            shown.contains("AWS_SECRET_ACCESS_KEY") && !shown.contains("CANARY"),
            "{shown}"
        );
        assert_eq!(options.settings.0.len(), 1);
    }

    #[test]
    fn plain_http_stays_on_this_machine() {
        let open = |endpoint: &str| {
            let variables = [
                ("AWS_ENDPOINT_URL", endpoint),
                ("AWS_ACCESS_KEY_ID", "a"),
                ("AWS_SECRET_ACCESS_KEY", "b"),
            ];
            ObjectBucket::open("s3://skills/index", &options(&variables))
                .map(|bucket| bucket.address().to_string())
        };
        assert_eq!(open("http://127.0.0.1:9000").unwrap(), "s3://skills/index/");
        assert_eq!(
            open("https://minio.acme.dev").unwrap(),
            "s3://skills/index/"
        );
        for refused in [
            "http://minio.acme.dev",
            "http://127.0.0.1.evil.test",
            "https://u:CANARY@h",
            "ftp://h",
        ] {
            let error = open(refused).unwrap_err();
            assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
        }
    }

    #[test]
    fn overrides_take_precedence_over_the_environment() {
        let mut options = options(&[
            ("AWS_ENDPOINT_URL", "https://environment.test"),
            ("AWS_REGION", "eu-west-1"),
            ("AZURE_STORAGE_ENDPOINT", "https://azure.test"),
        ]);
        let site = BucketOverrides {
            endpoint: Some("https://site.test".into()),
            region: None,
        };
        options
            .overrides
            .insert("s3://skills/".into(), site.clone());
        let address: BucketUrl = "s3://skills/".parse().unwrap();
        let settings = effective_settings(&address, &options.settings, &site);
        assert_eq!(
            custom_endpoint(&address, &settings),
            Some("https://site.test")
        );
        assert_eq!(settings["AWS_REGION"], "eu-west-1");
        assert!(!settings.contains_key("AZURE_STORAGE_ENDPOINT"));
    }

    #[test]
    fn offline_nothing_is_sent() {
        let mut options = options(&[("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")]);
        options.http.offline = true;
        let bucket = ObjectBucket::open("s3://skills", &options).unwrap();
        let error = bucket.put("a", b"1", WriteCondition::Always).unwrap_err();
        assert_eq!(
            error.message(),
            "cannot access `s3://skills/a`: network access is disabled (`--offline`)"
        );
    }
}
