//! Jobs, their steps, events and artifacts.

mod annotations;
mod artifacts;
mod claim;
mod commit;
mod content_bytes;
mod create;
mod delete_content;
mod event_cache;
mod events;
mod fair_order;
mod read;
mod start_steps;
mod steps;
mod transition;

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
use crate::sql::ListedStatement;

pub(crate) const STATEMENTS: &[&[ListedStatement]] = &[
    annotations::STATEMENTS,
    artifacts::STATEMENTS,
    claim::STATEMENTS,
    commit::STATEMENTS,
    content_bytes::STATEMENTS,
    create::STATEMENTS,
    delete_content::STATEMENTS,
    events::STATEMENTS,
    fair_order::STATEMENTS,
    read::STATEMENTS,
    steps::STATEMENTS,
    transition::STATEMENTS,
];
