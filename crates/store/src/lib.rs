//! What Auris stores: rows in SQLite or PostgreSQL, blobs in a folder or a bucket. SQL is written once, in the subset
//! that both databases understand.

mod access;
#[doc(hidden)]
pub mod all_statements;
mod blobs;
mod cluster;
mod crash_point;
pub mod disk;
mod error;
mod held_keys;
mod idempotency;
mod jobs;
mod leases;
mod money;
mod operator;
pub mod private_files;
mod secrets;
mod sql;
mod store;
mod wakeups;
mod webhooks;

pub use access::FoundSession;
pub use blobs::{BlobEntry, BlobSettings, BlobStream, Blobs, BucketSettings, Encryption};
pub use crash_point::crash_point;
pub use error::StoreError;
pub use idempotency::{KeyHold, KeyScope, Keyed, KeyedAnswer, StoredAnswer, StoredKey};
pub use jobs::{
    ArtifactDeletion, AudioProgress, Claims, Creation, DeleteOutcome, FollowUp, FollowUpStatus, HeldStep,
    JobLinks, LostStep, NewEvent, NewJob, RunCommit, StepContent, StepEvents, StepWorker, StoredJob,
    StoredStep, VersionedRun,
};
pub use money::{CallAdmission, CallHold, Credit, Shortfall, Span, SyncUsage, UsageLine};
pub use operator::{
    CarriedRow, Inspection, JobCounts, JobFilter, ProjectQueue, Restoration, RunningStep, Snapshot,
};
pub use secrets::{SealedPlace, SealedSecrets};
pub use sql::DatabaseSettings;
#[doc(hidden)]
pub use sql::recording;
pub use store::Store;
pub use wakeups::{JobWaiter, SharedEvent, TopicWaiter, Wakeups};
pub use webhooks::{
    Attempt, AttemptRecord, ClaimedDeliveries, Delivery, DeliveryFilter, DeliveryStatus, EndpointCreation,
    EndpointDetails, NewEndpoint, ReceiverClaim, Verdict, WaitingReceiver,
};
