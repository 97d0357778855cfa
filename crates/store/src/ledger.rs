//! The ledger: what each piece of work cost, booked once, and taken from the balance where there is one.

use auris_domain::id::{EntryId, JobId, ProjectId, RequestId, StepId};
use auris_domain::machine::{Change, Run};
use auris_domain::model::Capability;
use auris_domain::money::Usd;
use auris_domain::step::Step;
use auris_domain::time::Millis;
use auris_domain::usage::Usage;

use crate::balances::{charge_in, settle_in};
use crate::db::{Argument, Tx, args};
use crate::error::StoreError;
use crate::holds::take_hold;
use crate::idempotency::{KeyedAnswer, fulfil_in};
use crate::movement::ended_steps;
use crate::statements::statements;
use crate::store::Store;

statements! {
    /// A step or a request is booked once, however often its end is told.
    INSERT_ENTRY = "INSERT INTO ledger
            (id, project_id, job_id, step_id, request_id, model, kind,
             audio_seconds, input_tokens, output_tokens, characters, amount, created_at, from_balance)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING";
}

/// What a synchronous transcription used: there is no job, so the request stands for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncUsage {
    pub request_id: RequestId,
    pub project_id: ProjectId,
    pub model: String,
    pub capability: Capability,
    pub usage: Usage,
    /// Something was held of the balance for it.
    pub held: bool,
    pub now: Millis,
}

struct Entry<'a> {
    project: &'a ProjectId,
    job: Option<&'a JobId>,
    step: Option<&'a StepId>,
    request: Option<&'a RequestId>,
    model: &'a str,
    capability: Capability,
    usage: &'a Usage,
    /// Whether the balance paid for it.
    paid: bool,
    now: Millis,
}

impl Store {
    /// Books a synchronous transcription, together with the answer that its key remembers, so that a retry is not
    /// charged again. Booked before, it changes nothing.
    pub async fn record_sync_usage(
        &self,
        used: &SyncUsage,
        answer: Option<&KeyedAnswer>,
    ) -> Result<(), StoreError> {
        let mut tx = self.database().begin().await?;
        if let Some(answer) = answer {
            fulfil_in(&mut tx, answer, used.now).await?;
        }
        let paid = used.held && pay_call(&mut tx, used).await?;
        let entry = Entry {
            project: &used.project_id,
            job: None,
            step: None,
            request: Some(&used.request_id),
            model: &used.model,
            capability: used.capability,
            usage: &used.usage,
            paid,
            now: used.now,
        };
        if tx.write(&INSERT_ENTRY, entry.arguments()).await? == 0 {
            return tx.rollback().await;
        }
        tx.commit().await
    }
}

/// A call that outlived its lease lost its hold; then the balance pays if it still can, and else nobody does.
async fn pay_call(tx: &mut Tx, used: &SyncUsage) -> Result<bool, StoreError> {
    let cost = parts(used.usage.cost_usd)?;
    match take_hold(tx, &used.request_id).await? {
        Some((project, held)) => settle_in(tx, &project, held, cost).await,
        None => charge_in(tx, &used.project_id, cost).await,
    }
}

/// Books the steps that these changes ended, as far as they used anything, and settles what was held for them.
pub(crate) async fn book_ended(
    tx: &mut Tx,
    run: &Run,
    changes: &[Change],
    released: Option<i64>,
    now: Millis,
) -> Result<(), StoreError> {
    let project = &run.job.project_id;
    let ended: Vec<&Step> = ended_steps(run, changes).collect();
    let paid = match released {
        Some(released) => {
            let cost: Usd =
                ended.iter().filter_map(|step| step.usage.as_ref()).map(|used| used.cost_usd).sum();
            settle_in(tx, project, released, parts(cost)?).await?
        }
        None => false,
    };
    for step in ended {
        book_step(tx, project, step, paid, now).await?;
    }
    Ok(())
}

async fn book_step(
    tx: &mut Tx,
    project: &ProjectId,
    step: &Step,
    paid: bool,
    now: Millis,
) -> Result<(), StoreError> {
    let Some(usage) = &step.usage else {
        return Ok(());
    };
    let model = step.resolved_model.as_deref().or(step.requested_model.as_deref());
    let entry = Entry {
        project,
        job: Some(&step.job_id),
        step: Some(&step.id),
        request: None,
        model: model.unwrap_or_default(),
        capability: step.capability,
        usage,
        paid,
        now,
    };
    tx.later(&INSERT_ENTRY, entry.arguments()).await
}

/// What was held never costs more than its bound, which fitted.
fn parts(cost: Usd) -> Result<i64, StoreError> {
    cost.to_e10().ok_or_else(|| StoreError::internal("a cost passed its bound"))
}

impl Entry<'_> {
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
            i64::from(self.paid),
        ]
    }
}
