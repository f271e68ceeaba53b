//! Object stores: bytes by path, brought if they have changed, and put only if nobody else was faster.
//!
//! ```text
//! Bucket::open("s3://skills/index")        nothing is sent yet
//!   get, get_all      GET, If-None-Match     → Fresh | NotModified | Missing     64 at once
//!   put               PUT, If-Match or If-None-Match: *  → Done | Conflict
//!   list              what there is below a path
//! ```
//!
//! Who asks is told by the environment variables that each service's own programs read (`AWS_…`, `GOOGLE_…`, `AZURE_…`),
//! or by the machine it runs on; nothing of it is stored or shown. Plain `http` is spoken with this machine only, or
//! where `net.allow-http` is set. The only owner of `object_store`, and for its sake one of reqwest.

mod address;
mod failure;
mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, S3ConditionalPut};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::path::Path;
use object_store::{
    Attribute, Attributes, BackoffConfig, ClientOptions, Error as StoreError, GetOptions, GetResult, ObjectStore,
    PutMode, PutOptions, PutPayload, RetryConfig, UpdateVersion,
};
use url::Url;

use super::http;
use super::runtime::Runtime;
use crate::error::{Error, Result};
use crate::report::{Event, Reporter};

pub use address::{Address, Service};

use wire::Connector;

/// Most requests that are on their way at once.
const IN_FLIGHT: usize = 64;
/// Attempts after the first.
const RETRIES: usize = 3;
/// How long attempts after the first are begun.
const RETRY_TIME: Duration = Duration::from_mins(2);
/// The object on which a server shows whether it keeps to conditions.
const PROBE: &str = ".skillpm-conditions";
const PROBE_TEXT: &[u8] = b"skillpm tries out here whether this server keeps to conditions on writing\n";

/// How object stores are reached.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What holds for all of HTTP.
    pub http: http::Options,
    /// The services' own settings, by the names of their environment variables: `AWS_REGION`.
    settings: Settings,
    /// What differs for one place, by its canonical URL.
    pub sites: BTreeMap<String, Site>,
}

/// What a person says of one place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Site {
    /// The server, where it is not the service's own: `https://minio.acme.dev`.
    pub endpoint: Option<String>,
    /// The region it is in.
    pub region: Option<String>,
}

/// The services' settings. Most are secrets, so they show no more than their names.
#[derive(Clone, Default)]
struct Settings(BTreeMap<String, String>);

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Options {
    /// Takes those variables of an environment that are settings of the services.
    #[must_use]
    pub fn new(http: http::Options, names: &BTreeSet<String>, variable: &dyn Fn(&str) -> Option<String>) -> Options {
        let is_setting = |name: &&String| ["AWS_", "GOOGLE_", "AZURE_"].iter().any(|start| name.starts_with(start));
        let given = names.iter().filter(is_setting).filter_map(|name| Some((name.clone(), variable(name)?)));
        let settings = Settings(given.filter(|(_, value)| !value.is_empty()).collect());
        Options { http, settings, sites: BTreeMap::new() }
    }
}

/// What tells one state of an object from another; empty where the server tells nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revision {
    /// Its entity tag.
    pub etag: Option<String>,
    /// Its generation, where the service counts them.
    pub generation: Option<String>,
}

/// The answer to the question for one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Its content, and which state of it that is.
    Fresh {
        /// The content.
        bytes: Vec<u8>,
        /// Its state.
        revision: Revision,
    },
    /// It is as the given entity tag says.
    NotModified,
    /// There is none.
    Missing,
}

/// When an object is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When<'a> {
    /// Whatever is there.
    Always,
    /// If there is none.
    Absent,
    /// If it is still in this state.
    Unchanged(&'a Revision),
}

/// What came of writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Put {
    /// It is written, and this is its state.
    Done(Revision),
    /// It is not, because of its condition.
    Conflict,
}

/// A place in an object store.
pub struct Bucket {
    address: Address,
    /// Whether the server is of the service itself, whose manners are known.
    is_original: bool,
    offline: bool,
    store: Box<dyn ObjectStore>,
    runtime: Runtime,
}

impl Bucket {
    /// Takes note of a place; nothing is sent yet.
    ///
    /// # Errors
    /// If the URL is none of an object store, a setting cannot be, or the server would be reached without encryption.
    pub fn open(url: &str, options: &Options) -> Result<Bucket> {
        let address: Address = url.parse()?;
        let site = options.sites.get(&address.to_string()).cloned().unwrap_or_default();
        let settings = settings_of(&address, &options.settings, &site);
        let endpoint = endpoint(&address, &settings);
        let is_local = check_endpoint(&address, endpoint, &options.http)?;
        http::install_tls_provider();
        let connector = Connector::new(&options.http, is_local)?;
        let plain = is_local || options.http.allow_http;
        let store = build(&address, &settings, connector, ClientOptions::new().with_allow_http(plain), &options.http)
            .map_err(|error| failure::setting(&address, &error))?;
        Ok(Bucket {
            is_original: endpoint.is_none(),
            offline: options.http.offline,
            runtime: Runtime::start()?,
            address,
            store,
        })
    }

    /// Where it is, in its canonical spelling.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Brings one object, of at most `limit` bytes, if it is not as `etag` says.
    ///
    /// # Errors
    /// [`Network`](crate::error::Kind::Network) if it cannot be had, or is larger.
    pub fn get(&self, path: &str, etag: Option<&str>, limit: u64, reporter: &dyn Reporter) -> Result<Outcome> {
        self.get_all(&[(path, etag)], limit, reporter).remove(0)
    }

    /// Brings several objects at once, each if it is not as its entity tag says; the answers come in the order of the
    /// questions.
    ///
    /// # Errors
    /// Each for itself, as [`Bucket::get`].
    pub fn get_all(
        &self,
        wanted: &[(&str, Option<&str>)],
        limit: u64,
        reporter: &dyn Reporter,
    ) -> Vec<Result<Outcome>> {
        let answers =
            stream::iter(wanted).map(|&(path, etag)| async move { self.bring(path, etag, limit, reporter).await });
        self.runtime.block_on(answers.buffered(IN_FLIGHT).collect())
    }

    async fn bring(&self, path: &str, etag: Option<&str>, limit: u64, reporter: &dyn Reporter) -> Result<Outcome> {
        let place = self.place(path)?;
        let options = GetOptions { if_none_match: etag.map(str::to_owned), ..GetOptions::default() };
        let found = match self.store.get_opts(&place, options).await {
            Ok(found) => found,
            Err(StoreError::NotModified { .. }) if etag.is_some() => return Ok(Outcome::NotModified),
            Err(error @ StoreError::NotFound { .. }) if !failure::is_missing_bucket(&error) => {
                return Ok(Outcome::Missing);
            }
            Err(error) => return Err(failure::of(&self.address, "get", path, &error)),
        };
        let revision = Revision { etag: found.meta.e_tag.clone(), generation: found.meta.version.clone() };
        let bytes = self.read(path, found, limit, reporter).await?;
        Ok(Outcome::Fresh { bytes, revision })
    }

    async fn read(&self, path: &str, found: GetResult, limit: u64, reporter: &dyn Reporter) -> Result<Vec<u8>> {
        let promised = found.meta.size;
        let mut bytes = Vec::new();
        let mut chunks = found.into_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|error| failure::of(&self.address, "get", path, &error))?;
            reporter.report(Event::Received { bytes: chunk.len() as u64 });
            bytes.extend_from_slice(&chunk);
            if bytes.len() as u64 > limit {
                break;
            }
        }
        let shown = self.shown(path);
        match bytes.len() as u64 {
            read if read > limit => Err(Error::network(format!("could not get `{shown}`"))
                .cause(format!("it is larger than the limit of {limit} bytes"))),
            read if read != promised => Err(Error::network(format!("could not get `{shown}`"))
                .cause(format!("it ended after {read} of {promised} bytes"))),
            _ => Ok(bytes),
        }
    }

    /// Writes one object.
    ///
    /// A conflict may be of one's own making: the answer to a first attempt was lost, and the second found its work. Who
    /// cares looks whether what is there is what was to be written.
    ///
    /// # Errors
    /// If it cannot be written, or the server knows no conditions.
    pub fn put(&self, path: &str, bytes: &[u8], when: When<'_>) -> Result<Put> {
        let place = self.place(path)?;
        let mode = match when {
            When::Always => PutMode::Overwrite,
            When::Absent => PutMode::Create,
            When::Unchanged(revision) => {
                let (e_tag, version) = (revision.etag.clone(), revision.generation.clone());
                PutMode::Update(UpdateVersion { e_tag, version })
            }
        };
        let options = PutOptions { mode, attributes: attributes(path), ..PutOptions::default() };
        let payload = PutPayload::from(bytes.to_vec());
        match self.runtime.block_on(self.store.put_opts(&place, payload, options)) {
            Ok(done) => Ok(Put::Done(Revision { etag: done.e_tag, generation: done.version })),
            Err(error) if failure::is_missing_bucket(&error) => Err(failure::of(&self.address, "put", path, &error)),
            Err(StoreError::AlreadyExists { .. } | StoreError::Precondition { .. }) if when != When::Always => {
                Ok(Put::Conflict)
            }
            Err(error) => Err(failure::of(&self.address, "put", path, &error)),
        }
    }

    /// Makes sure that the server keeps to the conditions of a [`Bucket::put`]. One that passes over them would lose
    /// what others write, without a word.
    ///
    /// The services themselves keep to them; of others it is tried out on an object of no meaning.
    ///
    /// # Errors
    /// If it does not, or cannot be asked.
    pub fn check_conditions(&self) -> Result<()> {
        if self.is_original {
            return Ok(());
        }
        let never = Revision {
            etag: Some("\"00000000000000000000000000000000\"".to_owned()),
            // Of no object: generations count microseconds.
            generation: Some("1".to_owned()),
        };
        let keeps_state = self.put(PROBE, PROBE_TEXT, When::Unchanged(&never))? == Put::Conflict;
        // The first of these may write it; the second may not.
        let keeps_absence = keeps_state
            && [(); 2].iter().any(|()| matches!(self.put(PROBE, PROBE_TEXT, When::Absent), Ok(Put::Conflict)));
        if keeps_absence {
            return Ok(());
        }
        Err(Error::network(format!("the server of `{}` does not keep to conditions on writing", self.address))
            .note("`If-Match` and `If-None-Match` are what keeps two publishers from overwriting each other")
            .help(
                "publish through one that does (Amazon S3, MinIO, Cloudflare R2, Ceph from Squid on), or through git",
            ))
    }

    /// The paths of the objects below any of these folders, sorted; `None` if there are more than `most`.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn list(&self, folders: &[String], most: usize) -> Result<Option<Vec<String>>> {
        let lists = stream::iter(folders).map(|folder| self.list_one(folder, most));
        let lists: Vec<Vec<String>> = self.runtime.block_on(lists.buffered(IN_FLIGHT).try_collect())?;
        let mut paths = lists.concat();
        paths.sort();
        Ok((paths.len() <= most).then_some(paths))
    }

    /// The paths below one folder, and at most one more than `most`.
    async fn list_one(&self, folder: &str, most: usize) -> Result<Vec<String>> {
        let below = self.place(folder)?;
        let found = self.store.list(Some(&below)).map_ok(|object| object.location.to_string());
        let found: Vec<String> = found
            .take(most.saturating_add(1))
            .try_collect()
            .await
            .map_err(|error| failure::of(&self.address, "list", folder, &error))?;
        Ok(found.iter().filter_map(|path| Some(path.strip_prefix(&self.address.prefix)?.to_owned())).collect())
    }

    /// The folders directly below the place, sorted.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn folders(&self) -> Result<Vec<String>> {
        let below = self.place("")?;
        let listed = self.runtime.block_on(self.store.list_with_delimiter(Some(&below)));
        let listed = listed.map_err(|error| failure::of(&self.address, "list", "", &error))?;
        let mut folders: Vec<String> = listed
            .common_prefixes
            .iter()
            .filter_map(|path| path.parts().next_back().map(|part| part.as_ref().to_owned()))
            .collect();
        folders.sort();
        Ok(folders)
    }

    /// The object at a path below the place, if it may be asked for.
    fn place(&self, path: &str) -> Result<Path> {
        if self.offline {
            return Err(Error::network(format!("`{}` was not asked for, because of `--offline`", self.shown(path)))
                .help("run it again without `--offline`"));
        }
        let whole = format!("{}{path}", self.address.prefix);
        Path::parse(whole.trim_end_matches('/')).map_err(|error| {
            Error::usage(format!("`{}` is no path in an object store", self.shown(path))).because(&error)
        })
    }

    fn shown(&self, path: &str) -> String {
        format!("{}{}", self.address, path.escape_debug())
    }
}

/// How caches between are to treat an object: an archive never changes, a file of the index may at any time.
fn attributes(path: &str) -> Attributes {
    let (kind, caching) = if path.ends_with(".tar.gz") {
        ("application/gzip", "public, max-age=31536000, immutable")
    } else {
        ("text/plain; charset=utf-8", "no-cache")
    };
    [(Attribute::ContentType, kind), (Attribute::CacheControl, caching)].into_iter().collect()
}

/// The settings for one place: the environment's, under what is said of just this place.
fn settings_of(address: &Address, all: &Settings, site: &Site) -> BTreeMap<String, String> {
    let own = |(name, _): &(&String, &String)| name.starts_with(address.service.variables());
    let mut settings: BTreeMap<String, String> =
        all.0.iter().filter(own).map(|(name, value)| (name.clone(), value.clone())).collect();
    let [endpoint_name, region_name] = match address.service {
        Service::S3 => ["AWS_ENDPOINT_URL_S3", "AWS_REGION"],
        Service::Gcs => ["GOOGLE_BASE_URL", "GOOGLE_REGION"],
        Service::Azure => ["AZURE_STORAGE_ENDPOINT", "AZURE_REGION"],
    };
    for (name, value) in [(endpoint_name, &site.endpoint), (region_name, &site.region)] {
        settings.extend(value.as_ref().map(|value| (name.to_owned(), value.clone())));
    }
    settings
}

/// The server, where it is not the service's own.
fn endpoint<'a>(address: &Address, settings: &'a BTreeMap<String, String>) -> Option<&'a str> {
    let names: &[&str] = match address.service {
        Service::S3 => &["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"],
        Service::Gcs => &["GOOGLE_BASE_URL"],
        Service::Azure => &["AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"],
    };
    names.iter().find_map(|name| settings.get(*name)).map(String::as_str)
}

/// Whether the server is this machine; refuses one that is asked without encryption and is not.
fn check_endpoint(address: &Address, endpoint: Option<&str>, options: &http::Options) -> Result<bool> {
    let Some(text) = endpoint else { return Ok(false) };
    let refused = |why: &str| Error::usage(format!("the endpoint of `{address}` cannot be: {why}"));
    let url = Url::parse(text).map_err(|error| refused(&error.to_string()))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused("it carries a user or password"));
    }
    let is_local = http::reach::is_loopback_host(&url);
    match url.scheme() {
        "https" => Ok(is_local),
        "http" if is_local || options.allow_http => Ok(is_local),
        "http" => Err(refused("`http` is not encrypted")
            .help("use its `https` form, or allow it with `--config net.allow-http=true`")),
        other => Err(refused(&format!("its scheme is `{other}`"))),
    }
}

fn build(
    address: &Address,
    settings: &BTreeMap<String, String>,
    connector: Connector,
    client: ClientOptions,
    options: &http::Options,
) -> Result<Box<dyn ObjectStore>, StoreError> {
    let timing = options.timing;
    let retry = RetryConfig {
        backoff: BackoffConfig { init_backoff: timing.backoff, max_backoff: timing.retry_after, base: 2.0 },
        max_retries: RETRIES,
        retry_timeout: RETRY_TIME,
    };
    // The URL says which place it is, and skillpm how it is reached; the rest is the environment's to say.
    let given = || settings.iter().map(|(name, value)| (name.to_ascii_lowercase(), value));
    match address.service {
        Service::S3 => {
            let is_ours = |key: &AmazonS3ConfigKey| {
                matches!(
                    key,
                    AmazonS3ConfigKey::Bucket | AmazonS3ConfigKey::ConditionalPut | AmazonS3ConfigKey::Client(_)
                )
            };
            let keys = given().filter_map(|(name, value)| Some((name.parse::<AmazonS3ConfigKey>().ok()?, value)));
            let builder = keys
                .filter(|(key, _)| !is_ours(key))
                .fold(AmazonS3Builder::new(), |builder, (key, value)| builder.with_config(key, value))
                .with_bucket_name(&address.bucket)
                .with_conditional_put(S3ConditionalPut::ETagMatch)
                .with_client_options(client)
                .with_retry(retry)
                .with_http_connector(connector);
            Ok(Box::new(builder.build()?))
        }
        Service::Gcs => {
            let is_ours = |key: &GoogleConfigKey| matches!(key, GoogleConfigKey::Bucket | GoogleConfigKey::Client(_));
            let keys = given().filter_map(|(name, value)| Some((name.parse::<GoogleConfigKey>().ok()?, value)));
            let builder = keys
                .filter(|(key, _)| !is_ours(key))
                .fold(GoogleCloudStorageBuilder::new(), |builder, (key, value)| builder.with_config(key, value))
                .with_bucket_name(&address.bucket)
                .with_client_options(client)
                .with_retry(retry)
                .with_http_connector(connector);
            Ok(Box::new(builder.build()?))
        }
        Service::Azure => {
            let is_ours = |key: &AzureConfigKey| {
                matches!(key, AzureConfigKey::AccountName | AzureConfigKey::ContainerName | AzureConfigKey::Client(_))
            };
            let keys = given().filter_map(|(name, value)| Some((name.parse::<AzureConfigKey>().ok()?, value)));
            let builder = keys
                .filter(|(key, _)| !is_ours(key))
                .fold(MicrosoftAzureBuilder::new(), |builder, (key, value)| builder.with_config(key, value))
                .with_account(&address.account)
                .with_container_name(&address.bucket)
                .with_client_options(client)
                .with_retry(retry)
                .with_http_connector(connector);
            Ok(Box::new(builder.build()?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(variables: &[(&str, &str)]) -> Options {
        let names = variables.iter().map(|(name, _)| (*name).to_owned()).collect();
        let find =
            |wanted: &str| variables.iter().find(|(name, _)| *name == wanted).map(|(_, value)| (*value).to_owned());
        Options::new(http::Options::default(), &names, &find)
    }

    #[test]
    fn settings_are_the_services_own_and_show_no_value() {
        let options = options(&[("AWS_SECRET_ACCESS_KEY", "CANARY"), ("AWS_REGION", ""), ("SKILLPM_TOKEN", "CANARY")]);
        let shown = format!("{options:?}");
        assert!(shown.contains("AWS_SECRET_ACCESS_KEY") && !shown.contains("CANARY"), "{shown}");
        assert_eq!(options.settings.0.len(), 1);
    }

    #[test]
    fn plain_http_stays_on_this_machine() {
        let open = |endpoint: &str| {
            let variables =
                [("AWS_ENDPOINT_URL", endpoint), ("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")];
            Bucket::open("s3://skills/index", &options(&variables)).map(|bucket| bucket.address().to_string())
        };
        assert_eq!(open("http://127.0.0.1:9000").unwrap(), "s3://skills/index/");
        assert_eq!(open("https://minio.acme.dev").unwrap(), "s3://skills/index/");
        for refused in ["http://minio.acme.dev", "http://127.0.0.1.evil.test", "https://u:CANARY@h", "ftp://h"] {
            let error = open(refused).unwrap_err();
            assert!(!format!("{error:?}").contains("CANARY"), "{error:?}");
        }
    }

    #[test]
    fn what_is_said_of_one_place_goes_before_the_environment() {
        let mut options = options(&[
            ("AWS_ENDPOINT_URL", "https://environment.test"),
            ("AWS_REGION", "eu-west-1"),
            ("AZURE_STORAGE_ENDPOINT", "https://azure.test"),
        ]);
        let site = Site { endpoint: Some("https://site.test".into()), region: None };
        options.sites.insert("s3://skills/".into(), site.clone());
        let address: Address = "s3://skills/".parse().unwrap();
        let settings = settings_of(&address, &options.settings, &site);
        assert_eq!(endpoint(&address, &settings), Some("https://site.test"));
        assert_eq!(settings["AWS_REGION"], "eu-west-1");
        assert!(!settings.contains_key("AZURE_STORAGE_ENDPOINT"));
    }

    #[test]
    fn without_the_network_nothing_is_asked() {
        let mut options = options(&[("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")]);
        options.http.offline = true;
        let bucket = Bucket::open("s3://skills", &options).unwrap();
        let error = bucket.put("a", b"1", When::Always).unwrap_err();
        assert_eq!(error.message(), "`s3://skills/a` was not asked for, because of `--offline`");
    }
}
