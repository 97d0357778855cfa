//! The parts of an analysis request's checks that take long: compiling the schemas of tasks, and counting the tokens that
//! the steps can use. Only a few requests do this at once.

use std::cell::Cell;
use std::sync::Arc;

use auris_domain::error::{ApiError, Checked, ErrorCode};
use auris_domain::plan::{self, CountedStep, ModelChoice, PlanInput, PlannedStep};
use auris_domain::request::{AnalysisRequest, schema};
use auris_domain::result::ResultDocument;
use auris_domain::step::StepSpec;
use auris_domain::usage::TokenBound;
use auris_engines::{Engines, TaskRequest, TaskSource, TextRequest, TextWork};

use crate::error::Outcome;
use crate::{Caller, Service, ServiceError};

/// Maximum text whose tokens are counted for one request, over all steps. It takes about a second. Beyond that, bytes bound
/// the tokens.
const COUNTED_BYTES: u64 = 1 << 20;

/// A transcript as it will be stored.
#[derive(Clone, Copy)]
pub(super) struct StoredTranscript<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) size: PlanInput,
}

impl Service {
    /// Compiles the schemas of the tasks, and refuses the request if one of them is unusable.
    pub(super) async fn check_schemas(
        &self,
        caller: &Caller,
        request: AnalysisRequest,
    ) -> Outcome<AnalysisRequest> {
        if !request.has_schemas() {
            return Ok(request);
        }
        let check = move || request.check_schemas().map(|()| request);
        let checks = self.heavy_checks();
        let checked = checks.of_request_in_time(caller.project_id(), schema::too_busy, check).await?;
        checked.map_err(ServiceError::Refused)
    }

    /// Plans the steps. If the cost is limited, the tokens of steps that pay for tokens are counted, where the tokenizer is
    /// installed. A request that waits too long for that is refused: the bound by bytes is higher, so its cost might not be
    /// allowed.
    pub(super) async fn plan_analysis(
        &self,
        caller: &Caller,
        request: &AnalysisRequest,
        transcript: StoredTranscript<'_>,
    ) -> Outcome<Vec<PlannedStep>> {
        let counting = Counting {
            engines: Arc::clone(self.engines()),
            project_plan: caller.project.plan.clone(),
            size: transcript.size,
        };
        let (planned, can_count) = counting.by_bytes(request);
        let is_limited = request.processing.max_cost_usd.is_some() || caller.project.balance.is_some();
        let is_small = transcript.bytes.len() as u64 <= COUNTED_BYTES;
        if !(can_count && is_limited && is_small && can_depend_on_tokens(&planned)) {
            return planned.map_err(ServiceError::Refused);
        }
        let request = request.clone();
        let bytes = transcript.bytes.to_vec();
        let count = move || counting.by_tokens(&request, &bytes);
        let checks = self.heavy_checks();
        checks.of_request_in_time(caller.project_id(), too_busy_to_count, count).await?
    }
}

/// Whether counting tokens can change the plan. A request that is refused for another reason than its cost stays refused.
fn can_depend_on_tokens(planned: &Checked<Vec<PlannedStep>>) -> bool {
    planned.as_ref().err().is_none_or(|refused| refused.code == ErrorCode::MaxCostTooLow)
}

fn too_busy_to_count() -> ApiError {
    let message =
        "The service is too busy to count the tokens that the maximum cost depends on. Try again later.";
    ApiError::new(ErrorCode::EngineOverloaded, message).retry_after(5)
}

/// What is needed to plan a request and to count its tokens.
struct Counting {
    engines: Arc<Engines>,
    project_plan: String,
    size: PlanInput,
}

impl Counting {
    /// The plan with bounds by bytes, and whether tokens could be counted instead.
    fn by_bytes(&self, request: &AnalysisRequest) -> (Checked<Vec<PlannedStep>>, bool) {
        let can_count = Cell::new(false);
        let count = |step: &CountedStep<'_>| {
            can_count.set(can_count.get() || self.engines.counts_tokens(step.model));
            None::<TokenBound>
        };
        let models = self.engines.models();
        let choice = ModelChoice { models: &models, project_plan: &self.project_plan };
        (plan::analysis(request, choice, self.size, &count), can_count.get())
    }

    fn by_tokens(&self, request: &AnalysisRequest, transcript: &[u8]) -> Outcome<Vec<PlannedStep>> {
        let transcript = serde_json::from_slice(transcript).map_err(ServiceError::internal)?;
        let document = ResultDocument::new(Some(transcript), vec![]);
        let left = Cell::new(COUNTED_BYTES);
        let count = |step: &CountedStep<'_>| {
            left.set(left.get().checked_sub(self.read_bytes(step))?);
            self.count(step, &document)
        };
        let models = self.engines.models();
        let choice = ModelChoice { models: &models, project_plan: &self.project_plan };
        plan::analysis(request, choice, self.size, &count).map_err(ServiceError::Refused)
    }

    /// About the text that has to be read to count the tokens of a step.
    fn read_bytes(&self, step: &CountedStep<'_>) -> u64 {
        let reads_text = step.known_sources.iter().all(|source| *source == "#/transcript/text");
        if reads_text { self.size.text_bytes } else { self.size.document_bytes }
    }

    /// The most tokens that a step can use; `None` if they cannot be counted.
    fn count(&self, step: &CountedStep<'_>, document: &ResultDocument) -> Option<TokenBound> {
        let model = self.engines.text(step.model)?;
        let transcript = Arc::new(document.text_transcript());
        let request = TextRequest { work: work(step, document)?, transcript };
        model.token_bound(&request, step.unknown_tokens).unwrap_or_else(|error| {
            tracing::warn!(%error, model = step.model, "cannot count the tokens of a step; its bytes bound them");
            None
        })
    }
}

/// What a step will do, with the sources that exist; `None` if a source does not exist.
fn work(step: &CountedStep<'_>, document: &ResultDocument) -> Option<TextWork> {
    match step.spec {
        StepSpec::Stage(stage) => Some(TextWork::Stage(stage.clone())),
        StepSpec::Task(task) => {
            let source = |pointer: &&str| {
                let text = document.source_text(pointer)?;
                Some(TaskSource { pointer: (*pointer).to_owned(), text })
            };
            let sources = step.known_sources.iter().map(source).collect::<Option<Vec<_>>>()?;
            let spec = task.as_ref().clone();
            Some(TextWork::Task(Box::new(TaskRequest { spec, sources, flaw: None })))
        }
        StepSpec::Transcription(_) | StepSpec::Diarization(_) => None,
    }
}
