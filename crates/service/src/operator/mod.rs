//! What the operator of an installation does: one function for each task, without authentication and without printing.
//!
//! The command line calls these functions. Inputs and results are typed; results serialise to the JSON that `--json`
//! prints.

mod all_jobs;
mod archive;
mod blobs;
mod default_models;
pub mod doctor;
mod error;
mod export;
mod folders;
mod import;
mod keys;
mod master_key;
mod master_key_source;
mod migrate;
mod model_tasks;
mod models;
mod nodes;
mod operator_keys;
mod overview;
mod projects;
mod recent_errors;
mod sessions;
mod this_node;
mod usage;
mod webhooks;

use auris_domain::time::Clock;
use auris_store::Store;

pub use archive::Manifest;
pub use auris_engines::PullSink;
pub use auris_engines::install::{NewModel, PackedCopyState, UnitPrices};
pub use auris_store::DeliveryStatus;
pub use default_models::DefaultModels;
pub use error::OperatorError;
pub use export::{Export, ExportRequest};
pub use folders::Folders;
pub use import::ImportRequest;
pub use keys::{CreatedKey, KeyRecord, KeyState, NewKey, RevokedKey, RotateKey};
pub use master_key_source::MasterKeySource;
pub use migrate::{Migration, SchemaPolicy};
pub use model_tasks::{ModelTaskRecord, ModelTaskWorker};
pub use models::{
    ModelLibrary, ModelRecord, ModelSource, ModelState, PriceRecord, RemovedModel, SpeedRecord, VerifiedModel,
};
pub use nodes::NodeRecord;
pub use operator_keys::{CreatedOperatorKey, NewOperatorKey, OperatorKeyRecord, RevokedOperatorKey};
pub use overview::{
    BlobKind, BlobState, ConsoleModelRecord, DatabaseKind, DatabaseState, DiskSpace, LoadedModelRecord,
    OpenJobs, Overview, OverviewSource, QueueRecord, RunningStepRecord,
};
pub use projects::{BalanceChange, BalanceOutcome, LimitChange, LimitChanges, NewProject, ProjectRecord};
pub use recent_errors::{LoggedError, RecentErrors};
pub use sessions::{EndedSession, OperatorSessionRecord};
pub use this_node::{NodeIdentity, ThisNode};
pub use usage::{UsageGroup, UsageReport, UsageRequest};
pub use webhooks::{
    AttemptDetails, DeliveryPage, DeliveryQuery, DeliveryRecord, EndpointRecord, NextAttempt, Resealed,
    TestResult, TestTarget,
};

pub(crate) type Result<T> = std::result::Result<T, OperatorError>;

/// The name of the project that exists without being created.
pub const DEFAULT_PROJECT: &str = "default";

/// The operator of one installation: its database and a clock. Cheap to clone.
#[derive(Clone)]
pub struct Operator {
    store: Store,
    clock: Clock,
}

impl Operator {
    /// Works on a database whose schema is up to date; see `prepare_schema`.
    pub fn new(store: Store, clock: Clock) -> Self {
        Self { store, clock }
    }

    /// Closes the database and waits until everything is written.
    pub async fn close(self) {
        self.store.close().await;
    }
}
