//! Synchronous transcription: no job; the caller waits for the text, or reads it as it is transcribed.

use std::sync::Arc;

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::RequestId;
use auris_domain::model::{Capability, Model, Rate};
use auris_domain::money::Usd;
use auris_domain::plan::{self, ModelChoice};
use auris_domain::request::transcription::{ResponseFormat, TranscriptionRequest};
use auris_domain::step::spec::TranscriptionSpec;
use auris_domain::usage::{Units, Usage, billed_seconds};
use auris_domain::wire;
use auris_engines::{CallContext, EngineError, Transcription};
use auris_store::{StoreError, StoredResponse, SyncUsage};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::upload::Spool;
use crate::access::{Replayable, RequestKey, ReservedKey, RunningTranscription, key_in_use};
use crate::engine_tasks::{self, EngineTask, SpeechEvent, TranscriptionCall};
use crate::error::{Outcome, overloaded, refusal_of};
use crate::money::BalanceHold;
use crate::{Caller, Service, ServiceError};

/// One synchronous call.
pub struct Call {
    pub caller: Caller,
    pub request_id: RequestId,
    pub request: TranscriptionRequest,
    pub spool: Spool,
    pub key: Option<RequestKey>,
}

/// A running call. Dropping it stops its work and releases what it holds.
pub(super) struct RunningCall {
    pub(super) caller: Caller,
    pub(super) request_id: RequestId,
    pub(super) task: EngineTask<SpeechEvent, Transcription>,
    model: String,
    rates: Vec<Rate>,
    /// If the project has a balance.
    cost_hold: Option<CostHold>,
    pub(super) deadline: Instant,
    /// The recording must stay on disk while the engine reads it.
    _spool: Spool,
    _slots: Slots,
    _stop: DropGuard,
}

/// The most that a call can use, and the hold on the balance that pays for it.
struct CostHold {
    bound: Units,
    hold: BalanceHold,
}

/// The slots that a running call occupies: of its key and project, and of this machine.
struct Slots {
    _caller: RunningTranscription,
    _machine: OwnedSemaphorePermit,
}

impl Service {
    /// Transcribes and answers with the whole text: `Transcription` as JSON, or plain text.
    pub async fn transcribe(&self, call: Call) -> Outcome<Replayable<StoredResponse>> {
        let reserved = match &call.key {
            Some(key) => match self.reserve(&call.caller, key).await? {
                Replayable::New(reserved) => Some(reserved),
                Replayable::Replayed(answer) => return Ok(Replayable::Replayed(answer)),
            },
            None => None,
        };
        match self.transcribe_once(call, reserved.as_ref()).await {
            Ok(answer) => {
                if let Some(reserved) = reserved {
                    reserved.settle();
                }
                Ok(Replayable::New(answer))
            }
            Err(error) => {
                // Released before the caller gets the error, so that a retry with the same key works at once.
                if let Some(reserved) = reserved {
                    reserved.release().await?;
                }
                Err(error)
            }
        }
    }

    async fn transcribe_once(&self, call: Call, reserved: Option<&ReservedKey>) -> Outcome<StoredResponse> {
        let format = call.request.response_format;
        let mut running = self.start(call).await?;
        let answer = self.finish_and_record(&mut running, format, reserved).await;
        running.end(answer).await
    }

    async fn finish_and_record(
        &self,
        running: &mut RunningCall,
        format: ResponseFormat,
        reserved: Option<&ReservedKey>,
    ) -> Outcome<StoredResponse> {
        let finished = async {
            while running.task.events.recv().await.is_some() {}
            running.task.finish().await
        };
        let transcription = tokio::select! {
            finished = finished => finished.map_err(refusal_of)?,
            () = sleep_until(running.deadline) => return Err(too_slow().into()),
            () = self.drained() => return Err(ServiceError::shutting_down()),
        };
        let answer = answer_of(&transcription, format);
        let kept = reserved.map(|reserved| reserved.keyed_answer(&answer));
        match self.store().record_sync_usage(&self.usage_entry(running, &transcription), kept.as_ref()).await
        {
            Ok(()) => Ok(answer),
            // This process was suspended until its reservation ended, and a retry took the key over. The retry will be
            // answered and charged.
            Err(StoreError::Conflict) => Err(key_in_use().into()),
            Err(error) => Err(error.into()),
        }
    }

    /// Checks the call, acquires its slots, holds its cost and starts the engine.
    pub(super) async fn start(&self, call: Call) -> Outcome<RunningCall> {
        if self.shutdown().is_cancelled() {
            return Err(refusal_of(EngineError::Cancelled));
        }
        let model = self.speech_model(&call)?;
        let slots = self.acquire_slots(&call.caller)?;
        let rates = model.rates(Capability::Transcription);
        let cost_hold = self.hold_cost(&call, &rates).await?;
        let cancel = CancellationToken::new();
        let task =
            engine_tasks::transcribe(self.engines(), transcription_call(&call, &model.id, cancel.clone()));
        Ok(RunningCall {
            task,
            rates,
            cost_hold,
            model: model.id,
            deadline: Instant::now() + self.settings().transcription.deadline,
            caller: call.caller,
            request_id: call.request_id,
            _spool: call.spool,
            _slots: slots,
            _stop: cancel.drop_guard(),
        })
    }

    fn speech_model(&self, call: &Call) -> Outcome<Model> {
        let models = self.engines().models();
        let choice = ModelChoice { models: &models, project_plan: &call.caller.project.plan };
        let model = plan::transcription_model(&call.request, choice)?;
        self.check_language(&model.id, call.request.language.as_deref())?;
        Ok(model.clone())
    }

    fn acquire_slots(&self, caller: &Caller) -> Outcome<Slots> {
        let of_caller = self.enter_transcription(caller)?;
        let machine = Arc::clone(self.synchronous_calls()).try_acquire_owned().map_err(|_| overloaded())?;
        Ok(Slots { _caller: of_caller, _machine: machine })
    }

    /// Holds the most that the call can cost, if the model has a price and the project a balance. Only then is the length
    /// of the recording needed, so it is measured only then.
    async fn hold_cost(&self, call: &Call, rates: &[Rate]) -> Outcome<Option<CostHold>> {
        let priced = rates.iter().any(|rate| rate.price_per_unit_usd != Usd::ZERO);
        if !priced || self.store().balance(call.caller.project_id()).await?.is_none() {
            return Ok(None);
        }
        let audio = self.probe(call.spool.path()).await?;
        let bound = Units { audio_seconds: billed_seconds(audio.duration_seconds), ..Units::default() };
        let hold = self.hold_for_call(&call.caller, &call.request_id, bound.cost(rates)).await?;
        Ok(hold.map(|hold| CostHold { bound, hold }))
    }

    /// The ledger entry of a finished call.
    pub(super) fn usage_entry(&self, running: &RunningCall, transcription: &Transcription) -> SyncUsage {
        let used =
            Units { audio_seconds: billed_seconds(transcription.duration_seconds), ..Units::default() };
        // A call is never charged more than was held for it.
        let units = running.cost_hold.as_ref().map_or(used, |held| used.at_most(held.bound));
        SyncUsage {
            project_id: running.caller.project_id().clone(),
            request_id: running.request_id.clone(),
            capability: Capability::Transcription,
            model: running.model.clone(),
            usage: Usage::priced(units, &running.rates),
            held: running.cost_hold.is_some(),
            now: self.clock().now(),
        }
    }
}

impl RunningCall {
    /// Ends the hold on the balance: recording the usage has settled it, a failed call gives it back.
    pub(super) async fn end<T>(self, result: Outcome<T>) -> Outcome<T> {
        match (self.cost_hold, &result) {
            (Some(held), Ok(_)) => held.hold.settle(),
            (Some(held), Err(_)) => {
                if let Err(error) = held.hold.release().await {
                    tracing::warn!(%error, request_id = %self.request_id, "cannot release a balance hold now");
                }
            }
            (None, _) => {}
        }
        result
    }
}

fn transcription_call(call: &Call, model: &str, cancel: CancellationToken) -> TranscriptionCall {
    let project = call.caller.project_id().as_str();
    TranscriptionCall {
        path: call.spool.path().to_owned(),
        model: model.to_owned(),
        spec: TranscriptionSpec {
            language: call.request.primary_language(),
            prompt: call.request.prompt.clone(),
        },
        context: CallContext::synchronous(project, call.request_id.as_str(), cancel),
    }
}

fn answer_of(transcription: &Transcription, format: ResponseFormat) -> StoredResponse {
    let text = &transcription.transcript.text;
    let (content_type, body) = match format {
        ResponseFormat::Json => {
            let seconds = billed_seconds(transcription.duration_seconds);
            ("application/json", wire::transcription(text, seconds).into_string())
        }
        ResponseFormat::Text => ("text/plain; charset=utf-8", text.clone()),
    };
    StoredResponse { status: 200, content_type: content_type.into(), body }
}

/// A client library that repeats the call would have the same recording transcribed in vain again.
pub(super) fn too_slow() -> ApiError {
    let message =
        "The transcription took longer than a synchronous call may; send async=true for long recordings.";
    ApiError::new(ErrorCode::EngineOverloaded, message).retry_after(30).never_retry()
}
