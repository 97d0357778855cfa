//! A language model on an OpenAI-compatible server: chat completions, with a schema if the server supports one.

use std::sync::Arc;
use std::time::Instant;

use auris_engine_core::{CallContext, EngineError, TextSink};
use auris_language::answer_details::{AnswerDetails, ReasoningDetails, Timings};
use auris_language::chat::{ChatAnswer, ChatModel, ChatRequest, FinishReason};
use auris_models::RemoteModel;
use reqwest::StatusCode;

use super::breaker::{Breaker, Breakers};
use super::chat_body::{ChatBody, SchemaForm, is_constrained};
use super::client::{self, ClientSlot, Failure, RemoteClient};
use super::completion::{Completion, TokenCounts};
use super::event_reader::EventReader;

/// Why the caller's `reasoning.effort` was not sent.
const NOT_REASONING: &str =
    "the catalogue does not say that this model reasons; `reasoning.effort` was ignored";

/// A text model of the catalogue that runs on another server.
pub(crate) struct RemoteChat {
    id: String,
    remote: RemoteModel,
    breaker: Arc<Breaker>,
    client: Arc<ClientSlot>,
}

impl RemoteChat {
    pub(crate) fn new(id: &str, remote: RemoteModel, breakers: &Breakers, client: Arc<ClientSlot>) -> Self {
        let breaker = breakers.of(&format!("{} {}", remote.base_url, remote.model));
        Self { id: id.to_owned(), remote, breaker, client }
    }
}

impl ChatModel for RemoteChat {
    fn id(&self) -> &str {
        &self.id
    }

    fn context_tokens(&self) -> Result<usize, EngineError> {
        Ok(self.remote.context_tokens)
    }

    /// The tokenizer is on the other server. Three bytes per token overestimates most texts and vocabularies.
    fn count_tokens(&self, text: &str) -> Result<usize, EngineError> {
        Ok(text.len() / 3 + 1)
    }

    fn prompt_tokens(&self, _: &ChatRequest<'_>) -> Result<Option<u64>, EngineError> {
        Ok(None)
    }

    fn answer(
        &self,
        request: &ChatRequest<'_>,
        sink: &mut dyn TextSink,
        context: &CallContext,
    ) -> Result<ChatAnswer, EngineError> {
        let started = Instant::now();
        let completion = self.ask(request, sink, context)?;
        if !self.remote.streams && !completion.text.is_empty() {
            sink.delta(&completion.text);
        }
        self.chat_answer(request, completion, started)
    }
}

impl RemoteChat {
    fn ask(
        &self,
        request: &ChatRequest<'_>,
        sink: &mut dyn TextSink,
        context: &CallContext,
    ) -> Result<Completion, EngineError> {
        let client = self.client.get()?;
        self.breaker.admit(Instant::now())?;
        let outcome = client.run(context, self.complete(client, request, sink));
        match &outcome {
            Err(EngineError::Backend { transient: true, .. }) => self.breaker.failed(Instant::now()),
            // The caller left, which says nothing about the server.
            Err(EngineError::Cancelled) => {}
            // A refusal is an answer too.
            Ok(_) | Err(_) => self.breaker.succeeded(),
        }
        outcome
    }

    /// Asks with the schema as `response_format`, or in the prompt if the server refuses that.
    async fn complete(
        &self,
        client: &RemoteClient,
        request: &ChatRequest<'_>,
        sink: &mut dyn TextSink,
    ) -> Result<Completion, Failure> {
        let in_prompt = ChatBody::new(&self.remote, request, SchemaForm::Prompt);
        if !is_constrained(request) || !self.remote.json_schema || self.breaker.refuses_schemas() {
            return self.send(client, &in_prompt, sink).await;
        }
        let as_format = ChatBody::new(&self.remote, request, SchemaForm::ResponseFormat);
        match self.send(client, &as_format, sink).await {
            Err(failure) if may_refuse_schemas(failure.status) => {
                let completion = self.send(client, &in_prompt, sink).await?;
                // It works without `response_format`, so that was the reason.
                self.breaker.refuse_schemas();
                Ok(completion)
            }
            outcome => outcome,
        }
    }

    async fn send(
        &self,
        client: &RemoteClient,
        body: &ChatBody<'_>,
        sink: &mut dyn TextSink,
    ) -> Result<Completion, Failure> {
        let request = client.post(&self.remote, "chat/completions").json(body);
        let response = client::send(request).await?;
        if !self.remote.streams {
            return Ok(Completion::whole(response.json().await?)?);
        }
        let events = EventReader::new(response.bytes_stream());
        Ok(Completion::streamed(events, |piece| sink.delta(piece)).await?)
    }

    fn chat_answer(
        &self,
        request: &ChatRequest<'_>,
        completion: Completion,
        started: Instant,
    ) -> Result<ChatAnswer, EngineError> {
        let tokens = match completion.usage {
            Some(counts) => counts,
            None => self.estimated_tokens(request, &completion.text)?,
        };
        let reasoning = request.reasoning_effort.map(|effort| match self.remote.reasons {
            true => ReasoningDetails::applied(effort, completion.reasoning),
            false => ReasoningDetails::ignored(effort, NOT_REASONING),
        });
        let details = AnswerDetails {
            model: self.id.clone(),
            version: completion.model,
            timings: Timings::Remote { total_ms: started.elapsed().as_millis() as u64 },
            usage: Some(if completion.usage.is_some() { "reported by the server" } else { "estimated" }),
            reasoning,
            constraint: None,
        };
        let finish_reason = match completion.finish_reason.as_deref() {
            Some("length") => FinishReason::Length,
            Some(_) | None => FinishReason::Stop,
        };
        Ok(ChatAnswer {
            text: completion.text,
            finish_reason,
            input_tokens: tokens.input,
            output_tokens: tokens.output,
            details,
        })
    }

    fn estimated_tokens(&self, request: &ChatRequest<'_>, answer: &str) -> Result<TokenCounts, EngineError> {
        let prompt_bytes = request.system.len() + request.shared.len() + request.question.len();
        Ok(TokenCounts { input: prompt_bytes as u64 / 3 + 1, output: self.count_tokens(answer)? as u64 })
    }
}

/// Whether this status can mean that the server does not support `response_format`.
fn may_refuse_schemas(status: Option<StatusCode>) -> bool {
    matches!(
        status,
        Some(StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY | StatusCode::NOT_IMPLEMENTED)
    )
}
