//! Blobs in a bucket on any S3-compatible server, which serves them at presigned URLs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path as Key;
use object_store::prefix::PrefixStore;
use object_store::signer::{Method, SignedUrlOptions, Signer};
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig};
use parking_lot::Mutex;

use crate::error::StoreError;

/// Maximum time without any data from the server; then the request is tried again.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum time for which a request is retried before it fails.
const RETRY_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a bucket that was written to is taken to be writable.
const WRITABLE_FOR: Duration = Duration::from_secs(60);
/// Maximum number of retries of a request.
const MAX_RETRIES: usize = 8;

/// Which bucket, and how to reach it. Settings that are `None`, and always the credentials, come from the usual `AWS_`
/// environment variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketSettings {
    pub bucket: String,
    /// A prefix of every key; can be empty.
    pub prefix: String,
    pub endpoint: Option<String>,
    /// The endpoint in the URLs that callers get, if they reach the server under another name.
    pub public_endpoint: Option<String>,
    pub region: Option<String>,
    /// Whether the bucket is in the path instead of the host name.
    pub path_style: bool,
    pub allow_http: bool,
    pub encryption: Encryption,
}

/// How the server encrypts blobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Encryption {
    /// The bucket's default.
    Bucket,
    /// With a key that the server manages.
    Aes256,
    /// With a key of the key management service; `twice` is dual-layer encryption.
    Kms { key: String, twice: bool },
}

#[derive(Debug, Clone)]
pub(super) struct Bucket {
    store: Arc<PrefixStore<AmazonS3>>,
    signer: Arc<AmazonS3>,
    prefix: Key,
    /// When the last test write succeeded.
    written: Arc<Mutex<Option<Instant>>>,
}

impl Bucket {
    pub(super) fn open(settings: &BucketSettings) -> Result<Self, StoreError> {
        let prefix = Key::from(settings.prefix.as_str());
        let store = settings.client(settings.endpoint.as_deref())?;
        let public = settings.public_endpoint.as_deref().or(settings.endpoint.as_deref());
        let signer = settings.client(public)?;
        let store = Arc::new(PrefixStore::new(store, prefix.clone()));
        Ok(Self { store, signer: Arc::new(signer), prefix, written: Arc::default() })
    }

    pub(super) fn store(&self) -> Arc<dyn ObjectStore> {
        Arc::clone(&self.store) as _
    }

    /// Whether a test write succeeded a moment ago.
    pub(super) fn was_written(&self) -> bool {
        let written = *self.written.lock();
        written.is_some_and(|at| at.elapsed() < WRITABLE_FOR)
    }

    pub(super) fn note_written(&self) {
        *self.written.lock() = Some(Instant::now());
    }

    /// Signs a URL locally, without a request to the server.
    pub(super) async fn address(
        &self,
        key: &str,
        file_name: &str,
        lifetime: Duration,
    ) -> Result<String, StoreError> {
        let key: Key = self.prefix.parts().chain(Key::from(key).parts()).collect();
        let options = SignedUrlOptions::new().with_query([
            ("response-content-disposition", format!("attachment; filename=\"{file_name}\"")),
            ("response-content-type", "application/octet-stream".to_owned()),
            ("response-cache-control", "private, no-store".to_owned()),
        ]);
        let url = self.signer.signed_url_opts(Method::GET, &key, lifetime, &options).await?;
        Ok(url.to_string())
    }
}

impl BucketSettings {
    fn client(&self, endpoint: Option<&str>) -> Result<AmazonS3, StoreError> {
        let mut builder = AmazonS3Builder::from_env().with_bucket_name(&self.bucket);
        if let Some(endpoint) = endpoint {
            builder = builder.with_config(AmazonS3ConfigKey::S3Endpoint, self.host(endpoint));
        }
        if let Some(region) = &self.region {
            builder = builder.with_region(region);
        }
        if !self.path_style {
            builder = builder.with_virtual_hosted_style_request(true);
        }
        // A whole request has no timeout, because a large blob takes long; a pause in it has one.
        auris_tls::use_ring();
        let options = ClientOptions::new().with_timeout_disabled().with_read_timeout(READ_TIMEOUT);
        let builder = builder.with_client_options(options.with_allow_http(self.allow_http || allows_http()));
        let built = self.encryption.apply(builder)?.with_retry(retries()).build();
        built.map_err(misconfigured)
    }

    /// `object_store` expects the bucket in the endpoint's host name if it is not in the path.
    fn host(&self, endpoint: &str) -> String {
        match endpoint.split_once("://") {
            Some((scheme, host)) if !self.path_style => format!("{scheme}://{}.{host}", self.bucket),
            Some(_) | None => endpoint.to_owned(),
        }
    }
}

/// Read here, because our own client options replace those that were read from the environment.
fn allows_http() -> bool {
    std::env::var("AWS_ALLOW_HTTP").is_ok_and(|value| value.eq_ignore_ascii_case("true") || value == "1")
}

fn retries() -> RetryConfig {
    let backoff = BackoffConfig {
        init_backoff: Duration::from_millis(100),
        max_backoff: Duration::from_secs(5),
        base: 2.0,
    };
    RetryConfig { backoff, max_retries: MAX_RETRIES, retry_timeout: RETRY_TIMEOUT }
}

impl Encryption {
    fn apply(&self, builder: AmazonS3Builder) -> Result<AmazonS3Builder, StoreError> {
        Ok(match self {
            Self::Bucket => builder,
            Self::Aes256 => {
                let kind = "aws_server_side_encryption".parse().map_err(misconfigured)?;
                builder.with_config(kind, "AES256")
            }
            Self::Kms { key, twice: false } => builder.with_sse_kms_encryption(key),
            Self::Kms { key, twice: true } => builder.with_dsse_kms_encryption(key),
        })
    }
}

fn misconfigured(error: object_store::Error) -> StoreError {
    StoreError::Internal(error.into())
}
