//! Language models in this process: GGUF files, computed with candle.

mod cache;
mod constraint;
mod gguf;
mod net;
mod prefixes;
mod sampling;
mod session;
mod shape;
mod spelling;
mod template;
#[cfg(test)]
mod tests;
mod vocabulary;

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use self::cache::Cache;
use self::constraint::{Constraint, Constraints};
use self::gguf::Gguf;
use self::net::Net;
use self::prefixes::Prefixes;
use self::session::{Rules, Session};
use self::template::{ChatTemplate, Messages, Prompt};
use self::vocabulary::Vocabulary;
use super::chat::{AnswerFormat, ChatAnswer, ChatModel, ChatRequest, FinishReason};
use crate::catalog::CatalogModel;
use crate::lifecycle::Nets;
use crate::scheduler::{Place, Scheduler};
use crate::{CallContext, EngineError, TextSink};

/// What all remembered beginnings of a model may take.
const PREFIX_BYTES: usize = 512 << 20;
/// The longest conversation, whatever the model could take: memory and patience end sooner.
const LONGEST: usize = 16_384;

/// A model in memory.
pub(crate) struct LocalModel {
    net: Net,
    vocabulary: Arc<Vocabulary>,
    template: ChatTemplate,
    constraints: Constraints,
    prefixes: Prefixes,
    /// The token that ends a thought, where the model thinks.
    ends_thought: Option<u32>,
}

impl LocalModel {
    /// Loads the GGUF file at `path`.
    pub(crate) fn load(path: &Path) -> Result<Self, EngineError> {
        let mut file = Gguf::open(path)?;
        let net = Net::read(&mut file)?;
        let vocabulary = Arc::new(Vocabulary::read(&file)?);
        let template = ChatTemplate::new(file.required_text("tokenizer.chat_template")?, &vocabulary)?;
        let constraints = Constraints::new(&vocabulary)?;
        let prefixes = Prefixes::new(PREFIX_BYTES / net.shape.cache_bytes().max(1));
        let ends_thought = vocabulary.find("</think>").filter(|_| template.reasons);
        Ok(Self { net, vocabulary, template, constraints, prefixes, ends_thought })
    }

    fn context(&self) -> usize {
        self.net.shape.context.min(LONGEST)
    }
}

/// A language model of the catalogue that runs here.
pub(crate) struct LocalChat {
    pub(crate) entry: CatalogModel,
    pub(crate) nets: Arc<Nets>,
    pub(crate) scheduler: Arc<Scheduler>,
}

impl ChatModel for LocalChat {
    fn id(&self) -> &str {
        &self.entry.model.id
    }

    fn context_tokens(&self) -> Result<usize, EngineError> {
        Ok(self.nets.language(&self.entry)?.context())
    }

    fn count_tokens(&self, text: &str) -> Result<usize, EngineError> {
        Ok(self.nets.language(&self.entry)?.vocabulary.encode(text)?.len())
    }

    fn answer(
        &self,
        request: &ChatRequest<'_>,
        sink: &mut dyn TextSink,
        context: &CallContext,
    ) -> Result<ChatAnswer, EngineError> {
        let place = self.scheduler.admit(context)?;
        let model = self.nets.language(&self.entry)?;
        let asked = Asked::new(&model, request)?;
        let mut session = asked.read(&model, &place, context)?;
        while session.finish.is_none() {
            let context = context.clone();
            session = place
                .submit_wide(move |_| {
                    session.write(&|| context.check())?;
                    Ok(session)
                })
                .wait()?;
            let news = session.spelling.news();
            if !news.is_empty() {
                sink.delta(&news);
            }
        }
        Ok(asked.answer(session, &self.entry))
    }
}

/// A request, made ready for one model.
struct Asked<'a> {
    request: &'a ChatRequest<'a>,
    prompt: Prompt,
    room: usize,
    thinks: Option<u32>,
    /// What of a schema could not be constrained.
    unconstrained: Option<String>,
    constraint: std::cell::RefCell<Option<Constraint>>,
}

impl<'a> Asked<'a> {
    fn new(model: &LocalModel, request: &'a ChatRequest<'a>) -> Result<Self, EngineError> {
        let thinks = model.ends_thought.filter(|_| request.thinking_tokens().is_some());
        let messages = Messages {
            system: request.system,
            shared: request.shared,
            question: &request.question,
            thinks: thinks.is_some(),
        };
        let prompt = model.template.prompt(&messages, &model.vocabulary)?;
        let room = model.context().saturating_sub(prompt.tokens.len());
        if room == 0 {
            return Err(too_long(prompt.tokens.len(), model.context()));
        }
        let (constraint, unconstrained) = match &request.format {
            AnswerFormat::Json { schema, constrained: true, .. } => match model.constraints.of(schema) {
                Ok(constraint) => (Some(constraint), None),
                Err(reason) => (None, Some(reason)),
            },
            AnswerFormat::Json { constrained: false, .. } | AnswerFormat::Text => (None, None),
        };
        let room = room.min(request.max_output_tokens as usize);
        Ok(Self { request, prompt, room, thinks, unconstrained, constraint: constraint.into() })
    }

    /// Reads the prompt, of which a part may have been read before.
    fn read(
        &self,
        model: &Arc<LocalModel>,
        place: &Place,
        context: &CallContext,
    ) -> Result<Session, EngineError> {
        let tokens = &self.prompt.tokens;
        // The last token is always read anew: it says what comes next.
        let shared = self.prompt.shared.min(tokens.len() - 1);
        let reading = model.prefixes.announce(&tokens[..shared], context)?;
        let mut cache =
            Cache::new(&model.net.shape, tokens.len() + self.room).map_err(EngineError::internal)?;
        if let Some((saved, length)) = &reading.found {
            cache.restore(saved, *length).map_err(EngineError::internal)?;
        }
        let unread = tokens[cache.length..].to_vec();
        let mut session = Session::new(model.clone(), cache, unread, self.rules());
        session = read_to(session, shared, place, context)?;
        if reading.is_new() {
            reading.keep(session.cache.save(shared).map_err(EngineError::internal)?);
        } else {
            drop(reading);
        }
        read_to(session, tokens.len(), place, context)
    }

    fn rules(&self) -> Rules {
        Rules {
            temperature: self.request.temperature,
            max_output_tokens: self.room,
            constraint: self.constraint.take(),
            thinking: self.thinks.zip(self.request.thinking_tokens()),
        }
    }

    fn answer(&self, session: Session, entry: &CatalogModel) -> ChatAnswer {
        let prompt_tokens = self.prompt.tokens.len();
        let times = session.times;
        let rate = |tokens: usize, ms: f64| {
            if ms > 0.0 { (tokens as f64 * 10_000.0 / ms).round() / 10.0 } else { 0.0 }
        };
        let mut details = json!({
            "model": entry.model.id,
            "version": entry.files.first().map(|file| file.sha256.clone()),
            "timings": {
                "prompt_tokens": prompt_tokens,
                "cached_tokens": prompt_tokens - session.read_tokens,
                "prefill_ms": times.prefill_ms.round(),
                "prefill_tokens_per_second": rate(session.read_tokens, times.prefill_ms),
                "decode_ms": times.decode_ms.round(),
                "decode_tokens_per_second": rate(session.written.len(), times.decode_ms),
                "passes": times.passes,
            },
        });
        if let Some(effort) = &self.request.reasoning_effort {
            details["reasoning"] = reasoning(effort, self.thinks.is_some(), &session.spelling.thought);
        }
        if let Some(reason) = &self.unconstrained {
            details["constraint"] = json!({"applied": false, "reason": reason});
        }
        ChatAnswer {
            finish_reason: session.finish.unwrap_or(FinishReason::Length),
            input_tokens: prompt_tokens as u64,
            output_tokens: session.written.len() as u64,
            text: session.spelling.text,
            details,
        }
    }
}

fn read_to(
    mut session: Session,
    length: usize,
    place: &Place,
    context: &CallContext,
) -> Result<Session, EngineError> {
    loop {
        let context = context.clone();
        let (next, done) = place
            .submit_wide(move |_| {
                let done = session.read(length, &|| context.check())?;
                Ok((session, done))
            })
            .wait()?;
        if done {
            return Ok(next);
        }
        session = next;
    }
}

fn reasoning(effort: &str, applied: bool, thought: &str) -> Value {
    if applied || effort == "none" {
        return json!({"effort": effort, "applied": true, "text": thought});
    }
    json!({"effort": effort, "applied": false, "reason": "this model does not reason; `reasoning.effort` was ignored"})
}

fn too_long(tokens: usize, context: usize) -> EngineError {
    let message = format!("The prompt takes {tokens} tokens and the model reads {context} at most.");
    EngineError::Backend { message, transient: false }
}
