//! Synchronous transcription: no job, the caller waits for the text or reads it as it is heard.

mod stream;

use auris_domain::error::{ApiError, ErrorCode};
use auris_domain::id::RequestId;
use auris_domain::model::{Capability, Rate};
use auris_domain::money::Usd;
use auris_domain::request::transcription::{ResponseFormat, TranscriptionRequest};
use auris_domain::usage::{Units, Usage, billed_seconds};
use auris_engines::{CallContext, EngineError, SpeechOptions, Transcript};
use auris_store::{StoreError, StoredAnswer, SyncUsage};
use serde_json::{Value, json};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::error::{Outcome, overloaded, refusal_of};
use crate::holds::Held;
use crate::idempotency::{Answered, RequestKey, ReservedKey, key_in_use};
use crate::rate::RunningTranscription;
use crate::speech::{Hearing, Recording};
use crate::upload::Spool;
use crate::{Caller, Service};

pub use stream::StreamEvent;

/// One synchronous call.
pub struct Call {
    pub caller: Caller,
    pub request_id: RequestId,
    pub request: TranscriptionRequest,
    pub spool: Spool,
    pub key: Option<RequestKey>,
}

/// A call that runs: what it holds is given back when it is dropped, and its work stops then.
struct Running {
    caller: Caller,
    request_id: RequestId,
    hearing: Hearing,
    model: String,
    rates: Vec<Rate>,
    /// Where a balance limits the project: what the call may cost at most, and the hold on it.
    promise: Option<Promise>,
    deadline: Instant,
    /// The recording must stay on disk while the engine reads it.
    _spool: Spool,
    _places: (RunningTranscription, OwnedSemaphorePermit),
    _stop: DropGuard,
}

/// What was held of a balance, and the units that it pays for.
struct Promise {
    bound: Units,
    held: Held,
}

impl Service {
    /// Transcribes and answers with the whole text: `Transcription` as JSON, or plain text.
    pub async fn transcribe(&self, call: Call) -> Outcome<Answered<StoredAnswer>> {
        let reserved = match &call.key {
            Some(key) => match self.reserve(&call.caller, key).await? {
                Answered::New(reserved) => Some(reserved),
                Answered::Replayed(answer) => return Ok(Answered::Replayed(answer)),
            },
            None => None,
        };
        match self.transcribe_once(call, reserved.as_ref()).await {
            Ok(answer) => {
                if let Some(reserved) = reserved {
                    reserved.fulfilled();
                }
                Ok(Answered::New(answer))
            }
            Err(error) => {
                // The key is free before the refusal is heard.
                if let Some(reserved) = reserved {
                    reserved.release().await?;
                }
                Err(error)
            }
        }
    }

    async fn transcribe_once(&self, call: Call, reserved: Option<&ReservedKey>) -> Outcome<StoredAnswer> {
        let format = call.request.response_format;
        let mut running = self.start(call).await?;
        match self.hear_and_book(&mut running, format, reserved).await {
            Ok(answer) => {
                running.keep_promise();
                Ok(answer)
            }
            Err(error) => {
                running.break_promise().await;
                Err(error)
            }
        }
    }

    async fn hear_and_book(
        &self,
        running: &mut Running,
        format: ResponseFormat,
        reserved: Option<&ReservedKey>,
    ) -> Outcome<StoredAnswer> {
        let finished = async {
            while running.hearing.heard.recv().await.is_some() {}
            running.hearing.finish().await
        };
        let heard =
            timeout_at(running.deadline, finished).await.map_err(|_| too_slow())?.map_err(refusal_of)?;
        let answer = answer_of(&heard, format);
        let kept = reserved.map(|reserved| reserved.answer(&answer));
        match self.store.record_sync_usage(&self.booking(running, &heard), kept.as_ref()).await {
            Ok(()) => Ok(answer),
            // This process stood still for so long that the key went to a retry, which will be answered and booked.
            Err(StoreError::Conflict) => Err(key_in_use().into()),
            Err(error) => Err(error.into()),
        }
    }

    async fn start(&self, call: Call) -> Outcome<Running> {
        if self.shutdown().is_cancelled() {
            return Err(refusal_of(EngineError::Cancelled));
        }
        let models = self.engines.models();
        let model = models.resolve(Capability::Transcription, Some(&call.request.model), "model")?;
        models.check_plan(model, &call.caller.project.plan, "model")?;
        self.check_language(&model.id, call.request.language.as_deref())?;
        let place = self.enter_transcription(&call.caller)?;
        let slot = std::sync::Arc::clone(&self.synchronous).try_acquire_owned().map_err(|_| overloaded())?;
        let rates = model.rates(Capability::Transcription);
        let promise = self.promise(&call, &rates).await?;
        let cancel = CancellationToken::new();
        let (project, request) = (call.caller.project_id().as_str(), call.request_id.as_str());
        let recording = Recording {
            path: call.spool.path().to_owned(),
            model: model.id.clone(),
            options: SpeechOptions {
                language: call.request.primary_language(),
                prompt: call.request.prompt.clone(),
            },
            context: CallContext::synchronous(project, request, cancel.clone()),
        };
        Ok(Running {
            hearing: self.listen(recording),
            rates,
            promise,
            model: model.id.clone(),
            deadline: Instant::now() + self.settings.transcription.deadline,
            caller: call.caller,
            request_id: call.request_id,
            _spool: call.spool,
            _places: (place, slot),
            _stop: cancel.drop_guard(),
        })
    }

    /// Holds what the call can cost, where there is a price and a balance to pay it. The length of a recording is looked
    /// for only then.
    async fn promise(&self, call: &Call, rates: &[Rate]) -> Outcome<Option<Promise>> {
        let priced = rates.iter().any(|rate| rate.price_per_unit_usd != Usd::ZERO);
        if !priced || self.store.balance(call.caller.project_id()).await?.is_none() {
            return Ok(None);
        }
        let audio = self.probe(call.spool.path()).await?;
        let bound = Units { audio_seconds: billed_seconds(audio.duration_seconds), ..Units::default() };
        let held = self.hold_for_call(&call.caller, &call.request_id, bound.cost(rates)).await?;
        Ok(held.map(|held| Promise { bound, held }))
    }

    fn booking(&self, running: &Running, heard: &Transcript) -> SyncUsage {
        let used = Units { audio_seconds: billed_seconds(heard.duration_seconds), ..Units::default() };
        // Nobody is charged more than was promised.
        let units = running.promise.as_ref().map_or(used, |promise| used.at_most(promise.bound));
        SyncUsage {
            project_id: running.caller.project_id().clone(),
            request_id: running.request_id.clone(),
            capability: Capability::Transcription,
            model: running.model.clone(),
            usage: Usage::priced(units, &running.rates),
            held: running.promise.is_some(),
            now: self.clock.now(),
        }
    }
}

impl Running {
    /// The booking has settled what was held.
    fn keep_promise(self) {
        if let Some(promise) = self.promise {
            promise.held.settled();
        }
    }

    /// Gives back what was held for a call that came to nothing.
    async fn break_promise(self) {
        if let Some(promise) = self.promise {
            promise.held.release().await;
        }
    }
}

fn answer_of(heard: &Transcript, format: ResponseFormat) -> StoredAnswer {
    let (content_type, body) = match format {
        ResponseFormat::Json => {
            ("application/json", json!({"text": heard.text, "usage": usage_of(heard)}).to_string())
        }
        ResponseFormat::Text => ("text/plain; charset=utf-8", heard.text.clone()),
    };
    StoredAnswer { status: 200, content_type: content_type.into(), body }
}

fn usage_of(heard: &Transcript) -> Value {
    json!({"type": "duration", "seconds": billed_seconds(heard.duration_seconds)})
}

fn too_slow() -> ApiError {
    let message =
        "The transcription took longer than a synchronous call may; send async=true for long recordings.";
    ApiError::new(ErrorCode::EngineOverloaded, message).retry_after(30)
}
