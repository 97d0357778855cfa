//! Blobs for each server: a folder in its data, or a place of its own in the run's bucket.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use crate::DatabaseKind;
use crate::randomness::random_word;

/// An S3 server, as `AURIS_TEST_S3` names it: `http://KEY:SECRET@HOST:PORT/BUCKET`.
#[derive(Clone, Debug)]
pub struct ObjectStore {
    pub endpoint: String,
    pub bucket: String,
    key: String,
    secret: String,
}

/// Where a server keeps blobs, as long as its data lives.
#[derive(Clone, Debug)]
pub(crate) enum Blobs {
    Folder,
    Bucket { store: ObjectStore, prefix: String },
}

impl Blobs {
    /// Every test runs on one machine's pair, SQLite and a folder, and on many machines', PostgreSQL and a bucket.
    pub(crate) fn create(kind: DatabaseKind) -> Self {
        match kind {
            DatabaseKind::Sqlite => Self::Folder,
            DatabaseKind::Postgres => Self::in_bucket(ObjectStore::of_this_run()),
        }
    }

    pub(crate) fn in_bucket(store: ObjectStore) -> Self {
        Self::Bucket { store, prefix: format!("test/{}-{}", std::process::id(), random_word()) }
    }

    /// What tells a server of it.
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
            let (credentials, place) = url.strip_prefix("http://")?.split_once('@')?;
            let ((key, secret), (host, bucket)) = (credentials.split_once(':')?, place.split_once('/')?);
            Some((key.to_owned(), secret.to_owned(), format!("http://{host}"), bucket.to_owned()))
        };
        let (key, secret, endpoint, bucket) = parts().expect("http://KEY:SECRET@HOST:PORT/BUCKET");
        Self { endpoint, bucket, key, secret }
    }

    /// The same server by another address, such as a proxy's.
    #[must_use]
    pub fn at(&self, endpoint: &str) -> Self {
        Self { endpoint: endpoint.to_owned(), ..self.clone() }
    }

    /// Makes an object at the path behind the bucket, or the bucket itself; false where the server does not take it.
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
        let (prefix, after) = (prefix.replace('/', "%2F"), after.replace('/', "%2F"));
        // In the order of the alphabet, as they are signed.
        let url =
            format!("{}/{}?list-type=2&prefix={prefix}%2F&start-after={after}", self.endpoint, self.bucket);
        let output = self.curl().arg(&url).output().expect("curl is installed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("a listing is UTF-8")
    }

    // curl, because it signs and the harness need not.
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

/// What stands between the tags of that name.
fn texts(document: &str, tag: &str) -> Vec<String> {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    let parts = document.split(&open).skip(1);
    parts.filter_map(|part| part.split_once(&close)).map(|(text, _)| text.to_owned()).collect()
}
