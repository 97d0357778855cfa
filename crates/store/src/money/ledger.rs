//! The ledger: the cost of each piece of work, booked once, and charged to the balance if there is one.
//!
//! A transaction locks the row of the balance after all other rows, so that it is locked only briefly. If it does
//! not exist any more or cannot pay, nothing is locked, and the entries are marked as not paid.

use auris_domain::id::{EntryId, JobId, ProjectId, RequestId, StepId};
use auris_domain::model::Capability;
use auris_domain::money::Usd;
use auris_domain::step::Step;
use auris_domain::time::Millis;
use auris_domain::usage::Usage;

use super::balances::{charge, settle};
use super::holds::take_hold;
use crate::error::StoreError;
use crate::idempotency::{KeyedResponse, fulfil_key};
use crate::sql::{Argument, Tx, args, listed_in_postgres, listed_in_sqlite, rows_argument, statements};
use crate::store::Store;

statements! {
    /// A step or a request is booked once, however often its end is reported.
    INSERT_ENTRY: BatchedWrite = "INSERT INTO ledger
            (id, project_id, job_id, step_id, request_id, model, kind,
             audio_seconds, input_tokens, output_tokens, characters, amount, created_at, from_balance)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING";
    /// Corrects entries that the balance did not pay after all, because its limit was lifted in the meantime.
    MARK_STEPS_UNPAID = concat!("UPDATE ledger SET from_balance = 0 WHERE ", listed_in_sqlite!("step_id", "$1")),
        postgres = concat!("UPDATE ledger SET from_balance = 0 WHERE ", listed_in_postgres!("step_id", "$1"));
    MARK_REQUEST_UNPAID = "UPDATE ledger SET from_balance = 0 WHERE request_id = $1";
}

/// The usage of a synchronous transcription. It has no job, so the request identifies it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncUsage {
    pub request_id: RequestId,
    pub project_id: ProjectId,
    pub model: String,
    pub capability: Capability,
    pub usage: Usage,
    /// Whether an amount was held on the balance for it.
    pub held: bool,
    pub now: Millis,
}

/// Steps of one project that a transaction ends.
pub(crate) struct EndedSteps<'a> {
    pub(crate) project: &'a ProjectId,
    pub(crate) steps: Vec<&'a Step>,
    /// The part of the hold that the steps no longer need; `None` if nothing was held for their job.
    pub(crate) released: Option<i64>,
    pub(crate) now: Millis,
}

struct Entry<'a> {
    project: &'a ProjectId,
    job: Option<&'a JobId>,
    step: Option<&'a StepId>,
    request: Option<&'a RequestId>,
    model: &'a str,
    capability: Capability,
    usage: &'a Usage,
    /// Whether the balance pays for it.
    from_balance: bool,
    now: Millis,
}

impl Store {
    /// Books a synchronous transcription together with the answer that is stored under its idempotency key, so that a
    /// retry is not charged again. Booking it a second time changes nothing.
    pub async fn record_sync_usage(
        &self,
        used: &SyncUsage,
        answer: Option<&KeyedResponse>,
    ) -> Result<(), StoreError> {
        let mut tx = self.database().begin().await?;
        if let Some(answer) = answer {
            fulfil_key(&mut tx, answer, used.now).await?;
        }
        let entry = Entry::of_call(used);
        if tx.write(&INSERT_ENTRY.statement(), entry.arguments()).await? == 0 {
            return tx.rollback().await;
        }
        if used.held && !pay_call(&mut tx, used).await? {
            tx.write(&MARK_REQUEST_UNPAID, args![&used.request_id]).await?;
        }
        tx.commit().await
    }
}

/// A call that ran longer than its lease has lost its hold. Then the balance pays if it still can, and otherwise nobody.
async fn pay_call(tx: &mut Tx, used: &SyncUsage) -> Result<bool, StoreError> {
    let cost = to_e10(used.usage.cost_usd)?;
    match take_hold(tx, &used.request_id).await? {
        Some((project, held)) => settle(tx, &project, held, cost).await,
        None => charge(tx, &used.project_id, cost).await,
    }
}

/// Books the usage of the steps and settles what was held for them.
pub(crate) async fn book_ended(tx: &mut Tx, ended: &EndedSteps<'_>) -> Result<(), StoreError> {
    for step in &ended.steps {
        if let Some(entry) = Entry::of_step(ended, step) {
            tx.write_later(&INSERT_ENTRY, entry.arguments()).await?;
        }
    }
    let Some(released) = ended.released else {
        return Ok(());
    };
    let usages = ended.steps.iter().filter_map(|step| step.usage());
    let cost: Usd = usages.map(|usage| usage.cost_usd).sum();
    if !settle(tx, ended.project, released, to_e10(cost)?).await? {
        let steps: Vec<&StepId> = ended.steps.iter().map(|step| &step.id).collect();
        tx.write(&MARK_STEPS_UNPAID, vec![rows_argument(&steps)?]).await?;
    }
    Ok(())
}

/// A cost never exceeds the amount that was held for it, which had fitted.
fn to_e10(cost: Usd) -> Result<i64, StoreError> {
    cost.to_e10().ok_or_else(|| StoreError::internal("a cost exceeds the amount that was held for it"))
}

impl<'a> Entry<'a> {
    fn of_call(used: &'a SyncUsage) -> Self {
        Self {
            project: &used.project_id,
            job: None,
            step: None,
            request: Some(&used.request_id),
            model: &used.model,
            capability: used.capability,
            usage: &used.usage,
            from_balance: used.held,
            now: used.now,
        }
    }

    /// `None` if the step used nothing.
    fn of_step(ended: &EndedSteps<'a>, step: &'a Step) -> Option<Self> {
        Some(Self {
            project: ended.project,
            job: Some(&step.job_id),
            step: Some(&step.id),
            request: None,
            model: step.resolved_model(),
            capability: step.capability(),
            usage: step.usage()?,
            from_balance: ended.released.is_some(),
            now: ended.now,
        })
    }

    fn arguments(&self) -> Vec<Argument> {
        args![
            &EntryId::generate(self.now),
            self.project,
            self.job,
            self.step,
            self.request,
            self.model,
            self.capability.as_str(),
            self.usage.audio_seconds,
            self.usage.input_tokens,
            self.usage.output_tokens,
            self.usage.characters,
            &self.usage.cost_usd,
            self.now.timestamp(),
            i64::from(self.from_balance),
        ]
    }
}
