//! A language model on an OpenAI-compatible server: chat completions, with a schema where the server takes one.

use std::io::BufReader;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Instant;

use auris_engine_core::{CallContext, EngineError, TextSink};
use auris_language::answer_details::{AnswerDetails, ReasoningDetails, Timings};
use auris_language::chat::{AnswerFormat, ChatAnswer, ChatModel, ChatRequest, FinishReason};
use auris_models::RemoteModel;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::breaker::{Breaker, Breakers};
use super::completion::Completion;
use super::http::{self, Failure, LOOK_EVERY};

/// Why the caller's `reasoning.effort` was not sent.
const NOT_REASONING: &str =
    "the catalogue does not say that this model reasons; `reasoning.effort` was ignored";

/// A text model of the catalogue that runs elsewhere.
pub(crate) struct RemoteChat {
    id: String,
    remote: RemoteModel,
    breaker: Arc<Breaker>,
}

impl RemoteChat {
    pub(crate) fn new(id: &str, remote: RemoteModel, breakers: &Breakers) -> Self {
        let breaker = breakers.of(&format!("{} {}", remote.base_url, remote.model));
        Self { id: id.to_owned(), remote, breaker }
    }
}

/// What comes back from the thread that talks.
enum Heard {
    Delta(String),
    Done(Result<Completion, EngineError>),
}

impl ChatModel for RemoteChat {
    fn id(&self) -> &str {
        &self.id
    }

    fn context_tokens(&self) -> Result<usize, EngineError> {
        Ok(self.remote.context_tokens)
    }

    /// The tokenizer is over there. Three bytes a token is on the safe side for most texts and vocabularies.
    fn count_tokens(&self, text: &str) -> Result<usize, EngineError> {
        Ok(text.len() / 3 + 1)
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
        self.told(request, completion, started)
    }
}

impl RemoteChat {
    /// Talks on a thread of its own, so that a caller who goes away need not wait for the other server.
    fn ask(
        &self,
        request: &ChatRequest<'_>,
        sink: &mut dyn TextSink,
        context: &CallContext,
    ) -> Result<Completion, EngineError> {
        let (sender, receiver) = channel();
        let call = Call {
            remote: self.remote.clone(),
            breaker: self.breaker.clone(),
            body: body(&self.remote, request),
            instructed: instructed(request),
            format: response_format(&request.format),
        };
        let watched = context.clone();
        std::thread::spawn(move || {
            let completion = call.make(&sender, &watched);
            // The caller may be gone.
            let _ = sender.send(Heard::Done(completion));
        });
        loop {
            context.check()?;
            match receiver.recv_timeout(LOOK_EVERY) {
                Ok(Heard::Delta(text)) => sink.delta(&text),
                Ok(Heard::Done(completion)) => return completion,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(EngineError::internal("the call died")),
            }
        }
    }

    fn told(
        &self,
        request: &ChatRequest<'_>,
        completion: Completion,
        started: Instant,
    ) -> Result<ChatAnswer, EngineError> {
        let prompt = request.system.len() + request.shared.len() + request.question.len();
        let counted = (prompt as u64 / 3 + 1, self.count_tokens(&completion.text)? as u64);
        let (input_tokens, output_tokens) = completion.usage.unwrap_or(counted);
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
        Ok(ChatAnswer { text: completion.text, finish_reason, input_tokens, output_tokens, details })
    }
}

struct Call {
    remote: RemoteModel,
    breaker: Arc<Breaker>,
    body: Value,
    /// The question with the schema in words, for servers that take none.
    instructed: String,
    format: Option<Value>,
}

impl Call {
    fn make(&self, sender: &Sender<Heard>, context: &CallContext) -> Result<Completion, EngineError> {
        self.breaker.admit(Instant::now())?;
        let outcome = http::with_retries(context, || self.once(sender));
        match &outcome {
            Ok(_) => self.breaker.succeeded(),
            Err(failure) if failure.is_transient() => self.breaker.failed(Instant::now()),
            // It answered, if only to refuse.
            Err(_) => self.breaker.succeeded(),
        }
        outcome.map_err(|failure| failure.error)
    }

    fn once(&self, sender: &Sender<Heard>) -> Result<Completion, Failure> {
        let with_schema = self.format.is_some() && self.remote.json_schema && !self.breaker.refuses_schemas();
        if !with_schema {
            return self.send(&self.worded(), sender);
        }
        let mut body = self.body.clone();
        body["response_format"] = self.format.clone().unwrap_or_default();
        match self.send(&body, sender) {
            Err(failure) if refuses(failure.status) => {
                let completion = self.send(&self.worded(), sender)?;
                // Without the schema it works, so the schema was the fault.
                self.breaker.refuse_schemas();
                Ok(completion)
            }
            outcome => outcome,
        }
    }

    fn worded(&self) -> Value {
        let mut body = self.body.clone();
        if self.format.is_some() {
            body["messages"][1]["content"] = json!(self.instructed);
        }
        body
    }

    fn send(&self, body: &Value, sender: &Sender<Heard>) -> Result<Completion, Failure> {
        let request = http::post(&self.remote, "chat/completions").map_err(http::unreachable)?;
        let response = http::refuse_errors(request.json(body).send().map_err(http::unreachable)?)?;
        if !self.remote.streams {
            let answer: Value = response.json().map_err(http::unreachable)?;
            return Completion::whole(&answer).map_err(Failure::last);
        }
        let delta = |text: &str| {
            // A caller who is gone ends the stream, and with the connection the other server's work.
            sender.send(Heard::Delta(text.to_owned())).map_err(|_| EngineError::Cancelled)
        };
        // Words were told already, so a broken stream is not tried again.
        Completion::streamed(BufReader::new(response), delta).map_err(Failure::last)
    }
}

fn refuses(status: Option<StatusCode>) -> bool {
    matches!(
        status,
        Some(StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY | StatusCode::NOT_IMPLEMENTED)
    )
}

fn body(remote: &RemoteModel, request: &ChatRequest<'_>) -> Value {
    let content = format!("{}{}", request.shared, request.question);
    let mut body = json!({
        "model": remote.model,
        "messages": [{"role": "system", "content": request.system}, {"role": "user", "content": content}],
        "temperature": request.temperature,
        "max_tokens": request.max_output_tokens,
        "stream": remote.streams,
    });
    if remote.streams {
        body["stream_options"] = json!({"include_usage": true});
    }
    if let Some(effort) = request.reasoning_effort.as_ref().filter(|_| remote.reasons) {
        body["reasoning_effort"] = json!(effort);
    }
    body
}

/// The message with the schema in it, where it is not there already.
fn instructed(request: &ChatRequest<'_>) -> String {
    let content = format!("{}{}", request.shared, request.question);
    match &request.format {
        AnswerFormat::Json { schema, .. } if !request.question.contains("JSON Schema") => {
            format!("{content}\n\nAnswer only with JSON that matches this JSON Schema:\n{schema}")
        }
        AnswerFormat::Json { .. } | AnswerFormat::Text => content,
    }
}

fn response_format(format: &AnswerFormat) -> Option<Value> {
    match format {
        AnswerFormat::Text | AnswerFormat::Json { constrained: false, .. } => None,
        AnswerFormat::Json { name, schema, .. } => Some(json!({
            "type": "json_schema", "json_schema": {"name": name, "schema": schema, "strict": true},
        })),
    }
}
