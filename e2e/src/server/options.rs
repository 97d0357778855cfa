//! How a server is started: its database and its settings.

use std::sync::{Arc, Mutex};

use super::Server;
use super::blobs::{Blobs, ObjectStore};
use super::database::{Database, DatabaseKind};
use super::settings::{ALLOWED_NETWORKS, CATALOG};
use crate::fixtures::assets;
use crate::repository::repository;

#[derive(Clone, Debug)]
pub struct ServerOptions {
    database: DatabaseKind,
    pub(super) settings: Vec<(String, String)>,
    /// The soft limit of open files that the process starts with; `None` for the one of the tests.
    pub(super) open_files: Option<u32>,
    /// The limit of the address space in mebibytes; `None` for the one of the tests.
    pub(super) memory: Option<u32>,
}

impl ServerOptions {
    pub fn new(database: DatabaseKind) -> Self {
        let settings = vec![
            ("AURIS_MODELS__FAKE".to_owned(), "true".to_owned()),
            // Every stage is served by a fake model, independent of the built-in catalogue.
            (CATALOG.to_owned(), repository().join("e2e/catalog.toml").display().to_string()),
            ("AURIS_MODELS__PULL".to_owned(), "false".to_owned()),
            // Tests send many requests with one key; the limit has separate tests.
            ("AURIS_RATE_LIMITS__REQUESTS_PER_MINUTE".to_owned(), "1000000".to_owned()),
            // Most webhook URLs in the tests are invented; only tests with a receiver turn delivery on.
            ("AURIS_WEBHOOKS__DELIVER".to_owned(), "false".to_owned()),
            // Webhook URLs in the tests, real or invented, have addresses of this machine.
            (ALLOWED_NETWORKS.to_owned(), "127.0.0.0/8,::1/128".to_owned()),
        ];
        Self { database, settings, open_files: None, memory: None }
    }

    /// Uses the built-in catalogue and its defaults together with the fake models. Model files come from the assets.
    #[must_use]
    pub fn with_real_models(self) -> Self {
        self.with(CATALOG, "").with("AURIS_MODELS__MIRROR", assets().display())
    }

    /// Changes a setting by its environment name.
    #[must_use]
    pub fn with(mut self, variable: &str, value: impl ToString) -> Self {
        self.settings.retain(|(name, _)| name != variable);
        self.settings.push((variable.to_owned(), value.to_string()));
        self
    }

    /// Starts the process with this soft limit of open files. The hard limit stays as it is.
    #[must_use]
    pub fn with_open_files(self, limit: u32) -> Self {
        Self { open_files: Some(limit), ..self }
    }

    /// Limits the address space of the process, so that a request that needs too much memory ends the process and not
    /// the machine. The limit must be far above what the process may use: allocators, threads and mapped files reserve
    /// more than that.
    #[must_use]
    pub fn with_memory(self, mebibytes: u32) -> Self {
        Self { memory: Some(mebibytes), ..self }
    }

    pub async fn start(self) -> Server {
        let mut server = self.prepare();
        server.restart().await;
        server
    }

    /// Prepares everything except the process.
    pub fn prepare(self) -> Server {
        let database = Arc::new(Database::create(self.database));
        let blobs = Blobs::create(self.database);
        self.prepare_on(database, blobs)
    }

    /// The same on a database and an object store that the test started.
    pub fn prepare_beside(self, database_url: String, store: ObjectStore) -> Server {
        self.prepare_on(Arc::new(Database::Shared { url: database_url }), Blobs::in_bucket(store))
    }

    pub(super) fn prepare_on(self, database: Arc<Database>, blobs: Blobs) -> Server {
        let home = tempfile::Builder::new().prefix("auris-e2e-").tempdir();
        Server {
            database,
            blobs,
            options: self,
            home: home.expect("a temporary folder"),
            child: None,
            address: String::new(),
            keeps_address: false,
            issued_keys: Mutex::default(),
        }
    }
}
