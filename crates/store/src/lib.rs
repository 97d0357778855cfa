//! What Auris stores: rows in SQLite or PostgreSQL, blobs in a folder or a bucket. SQL is written once, in the subset
//! that both databases understand.

mod access;
mod blobs;
mod cluster;
mod crash_point;
mod error;
mod files;
mod idempotency;
mod jobs;
mod money;
mod operator;
mod secrets;
mod sql;
mod store;
mod wakeups;
mod webhooks;

pub use access::{FoundSession, OperatorSession};
pub use blobs::{BlobEntry, BlobSettings, BlobStream, Blobs, BucketSettings, Encryption};
pub use crash_point::crash_point;
pub use error::StoreError;
pub use files::{disk, private_files};
pub use idempotency::{KeyHold, KeyScope, Keyed, KeyedResponse, StoredKey, StoredResponse};
pub use jobs::{
    ArtifactDeletion, AudioProgress, Claims, Creation, DeleteOutcome, FollowUp, FollowUpStatus, HeldStep,
    JobLinks, LostStep, NewEvent, NewJob, RunCommit, StepContent, StepEvents, StepWorker, StoredJob,
    StoredStep, VersionedRun,
};
pub use money::{CallAdmission, CallHold, Credit, Shortfall, Span, SyncUsage, UsageLine};
pub use operator::{
    CarriedRow, Inspection, JobCounts, JobFilter, NamedBlob, ProjectQueue, Restoration, RunningStep, Snapshot,
};
pub use secrets::{SealedPlace, SealedSecrets};
pub use sql::{DatabaseSettings, Unread};
#[doc(hidden)]
pub use sql::{NamedStatement, recording};
pub use store::Store;
pub use wakeups::{EventBatch, JobWaiter, SharedEvent, TopicWaiter, Wakeups};
pub use webhooks::{
    Attempt, AttemptRecord, ClaimedDeliveries, Delivery, DeliveryFilter, DeliveryStatus, EndpointCreation,
    EndpointDetails, NewEndpoint, ReceiverClaim, Verdict, WaitingReceiver,
};

use sql::ListedStatement;

/// Every SQL statement of this crate by name, for tests that prepare and explain them.
#[doc(hidden)]
pub fn all_statements() -> Vec<NamedStatement> {
    listed_statements().map(NamedStatement::from).collect()
}

/// The batches of writes that can be sent to PostgreSQL, for tests that prepare and explain them.
#[doc(hidden)]
pub fn all_batches() -> Vec<String> {
    sql::statement_lists::batches(&listed_statements().collect::<Vec<_>>())
}

fn listed_statements() -> impl Iterator<Item = &'static ListedStatement> {
    let folders = [
        access::STATEMENTS,
        cluster::STATEMENTS,
        idempotency::STATEMENTS,
        jobs::STATEMENTS,
        money::STATEMENTS,
        operator::STATEMENTS,
        secrets::STATEMENTS,
        &[sql::migrations::STATEMENTS, store::STATEMENTS, wakeups::STATEMENTS],
        webhooks::STATEMENTS,
    ];
    folders.into_iter().flatten().copied().flatten()
}
