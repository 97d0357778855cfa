//! What a server under measurement stands on: a folder, a database, a key, and one real job to copy from.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use auris_store::{DatabaseSettings, Store};
use bytes::Bytes;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::database::{Database, DatabaseKind};
use crate::server::{self, Server};

const PATIENCE: Duration = Duration::from_secs(30);

/// Dropped, everything in it is gone.
pub(crate) struct Home {
    pub(crate) database: Database,
    pub(crate) key: String,
    folder: TempDir,
}

impl Home {
    pub(crate) async fn create(kind: DatabaseKind) -> anyhow::Result<Self> {
        let mut home = Self::empty(kind).await?;
        home.key = server::create_key(&home, "default")?;
        Ok(home)
    }

    /// The schema and nothing in it; no server can be asked anything there.
    pub(crate) async fn empty(kind: DatabaseKind) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("auris-bench-").tempdir()?;
        let database = Database::create(kind, folder.path()).await?;
        let home = Self { database, key: String::new(), folder };
        home.store().await?.close().await;
        Ok(home)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The product's own store on the same database.
    pub(crate) async fn store(&self) -> anyhow::Result<Store> {
        let store = Store::open(&DatabaseSettings::new(self.database.url.clone(), 4)).await?;
        store.migrate().await?;
        Ok(store)
    }
}

/// The smallest job: one step, on a transcript of one paragraph.
pub(crate) fn analysis() -> Value {
    let text = "Anna met Boris in Berlin on Monday. They were happy. The project ships in June. ".repeat(4);
    json!({
        "transcript": {"text": text.trim_end(), "language": "en", "duration_seconds": "30"},
        "processing": {"summary": {}},
        "metadata": {"source": "bench"},
    })
}

pub(crate) fn client() -> anyhow::Result<reqwest::Client> {
    Ok(reqwest::Client::builder().no_proxy().timeout(PATIENCE).build()?)
}

/// Sends the smallest job; answers with its id and the body of the answer.
pub(crate) async fn submit(home: &Home, server: &Server) -> anyhow::Result<(String, Bytes)> {
    let url = format!("{}/v1/audio/analyses", server.base);
    let request = client()?.post(url).bearer_auth(&home.key).json(&analysis());
    let body = request.send().await?.error_for_status()?.bytes().await?;
    let job: Value = serde_json::from_slice(&body)?;
    Ok((job["id"].as_str().context("a job has an id")?.to_owned(), body))
}

/// The body of an answer to a read.
pub(crate) async fn read(home: &Home, server: &Server, path: &str) -> anyhow::Result<Bytes> {
    let request = client()?.get(format!("{}{path}", server.base)).bearer_auth(&home.key);
    Ok(request.send().await?.error_for_status()?.bytes().await?)
}

/// Waits until a job is completed.
pub(crate) async fn completed(home: &Home, server: &Server, job: &str) -> anyhow::Result<()> {
    let started = Instant::now();
    loop {
        let body = read(home, server, &format!("/v1/jobs/{job}")).await?;
        let read: Value = serde_json::from_slice(&body)?;
        if read["status"] == "completed" {
            return Ok(());
        }
        ensure!(started.elapsed() < PATIENCE, "the job did not complete: {read}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
