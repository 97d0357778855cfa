//! Blob storage for each server: a folder in its data, or a separate prefix in the bucket of the run.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use super::DatabaseKind;
use crate::fixtures::random_word;

/// A bucket of an S3 server, as in `AURIS_TEST_S3`: `http://KEY:SECRET@HOST:PORT/BUCKET`.
#[derive(Clone, Debug)]
pub struct ObjectStore {
    pub endpoint: String,
    pub bucket: String,
    key: String,
    secret: String,
}

/// Where a server stores its blobs.
#[derive(Clone, Debug)]
pub(crate) enum Blobs {
    Folder,
    Bucket { store: ObjectStore, prefix: String },
}

impl Blobs {
    /// SQLite comes with a folder and PostgreSQL with a bucket: the two ways in which users deploy the service.
    pub(crate) fn create(kind: DatabaseKind) -> Self {
        match kind {
            DatabaseKind::Sqlite => Self::Folder,
            DatabaseKind::Postgres => Self::in_bucket(ObjectStore::of_this_run()),
        }
    }

    pub(crate) fn in_bucket(store: ObjectStore) -> Self {
        Self::Bucket { store, prefix: format!("test/{}-{}", std::process::id(), random_word()) }
    }

    /// The settings of the server.
    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Folder => Vec::new(),
            Self::Bucket { store, prefix } => vec![
                ("AURIS_BLOBS__URL", format!("s3://{}/{prefix}", store.bucket)),
                ("AURIS_BLOBS__ENDPOINT", store.endpoint.clone()),
                ("AURIS_BLOBS__ALLOW_HTTP", "true".to_owned()),
                ("AWS_ACCESS_KEY_ID", store.key.clone()),
                ("AWS_SECRET_ACCESS_KEY", store.secret.clone()),
                ("AWS_REGION", "us-east-1".to_owned()),
            ],
        }
    }

    /// The keys in the bucket, as if they were files.
    pub(crate) fn listed(&self) -> BTreeSet<PathBuf> {
        match self {
            Self::Folder => BTreeSet::new(),
            Self::Bucket { store, prefix } => store.list(prefix).into_iter().map(PathBuf::from).collect(),
        }
    }
}

impl ObjectStore {
    pub fn of_this_run() -> Self {
        let url = std::env::var("AURIS_TEST_S3").unwrap_or_else(|_| {
            panic!("AURIS_TEST_S3 is not set: run the tests with `scripts/test`, or under `scripts/with-postgres`")
        });
        Self::parse(&url)
    }

    pub fn parse(url: &str) -> Self {
        let parts = || {
            let (credentials, location) = url.strip_prefix("http://")?.split_once('@')?;
            let (key, secret) = credentials.split_once(':')?;
            let (host, bucket) = location.split_once('/')?;
            let endpoint = format!("http://{host}");
            Some(Self { endpoint, bucket: bucket.to_owned(), key: key.to_owned(), secret: secret.to_owned() })
        };
        parts().expect("http://KEY:SECRET@HOST:PORT/BUCKET")
    }

    /// The same bucket at another address, such as that of a proxy.
    #[must_use]
    pub fn at(&self, endpoint: &str) -> Self {
        Self { endpoint: endpoint.to_owned(), ..self.clone() }
    }

    /// Creates the object at the path, or the bucket itself if the path is empty; false if the server refuses.
    pub fn put(&self, path: &str) -> bool {
        let url = format!("{}/{}{path}", self.endpoint, self.bucket);
        let output =
            self.curl().args(["--request", "PUT", "--data", "ready", "--max-time", "30", &url]).output();
        output.is_ok_and(|output| output.status.success())
    }

    pub fn list(&self, prefix: &str) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        loop {
            let after = keys.last().cloned().unwrap_or_default();
            let page = self.page(prefix, &after);
            keys.extend(texts(&page, "Key"));
            if texts(&page, "IsTruncated").first().is_none_or(|more| more != "true") {
                return keys;
            }
        }
    }

    fn page(&self, prefix: &str, after: &str) -> String {
        let prefix = prefix.replace('/', "%2F");
        let after = after.replace('/', "%2F");
        // The signature needs the parameters in alphabetical order.
        let url =
            format!("{}/{}?list-type=2&prefix={prefix}%2F&start-after={after}", self.endpoint, self.bucket);
        let output = self.curl().arg(&url).output().expect("curl is installed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("a listing is UTF-8")
    }

    // With curl, because it can sign requests.
    fn curl(&self) -> Command {
        let mut command = Command::new("curl");
        command.args(["--silent", "--show-error", "--fail", "--noproxy", "*"]);
        command.args([
            "--aws-sigv4",
            "aws:amz:us-east-1:s3",
            "--header",
            "x-amz-content-sha256: UNSIGNED-PAYLOAD",
        ]);
        command.args(["--user", &format!("{}:{}", self.key, self.secret)]);
        command
    }
}

/// The texts between the tags of that name.
fn texts(document: &str, tag: &str) -> Vec<String> {
    let open = format!("<{tag}>");
    let close = format!("</{tag}>");
    let parts = document.split(&open).skip(1);
    parts.filter_map(|part| part.split_once(&close)).map(|(text, _)| text.to_owned()).collect()
}
