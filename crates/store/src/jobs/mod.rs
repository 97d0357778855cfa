//! Jobs, their steps, events and artifacts.

pub(crate) mod annotations;
pub(crate) mod artifacts;
pub(crate) mod claim;
pub(crate) mod commit;
pub(crate) mod create;
pub(crate) mod delete_content;
mod event_cache;
pub(crate) mod events;
pub(crate) mod fair_order;
pub(crate) mod read;
mod start_steps;
pub(crate) mod steps;
pub(crate) mod transition;

pub use self::annotations::{FollowUp, FollowUpStatus, JobLinks};
pub use self::artifacts::ArtifactDeletion;
pub use self::claim::{Claims, StepWorker};
pub use self::commit::{RunCommit, StepContent};
pub use self::create::{Creation, NewJob};
pub use self::delete_content::DeleteOutcome;
pub use self::events::{AudioProgress, NewEvent, StepEvents};
pub use self::read::{StoredJob, VersionedRun};
pub use self::steps::{HeldStep, LostStep, StoredStep};

pub(crate) use self::read::{decode_stored, job_columns};
