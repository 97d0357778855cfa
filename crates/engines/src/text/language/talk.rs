//! The questions of one step: asked, counted, checked, and asked once more where the answer is of no use.

use auris_domain::request::schema;
use serde_json::{Value, json};

use super::chat::{AnswerFormat, ChatAnswer, ChatModel, ChatRequest, FinishReason, json_of};
use crate::text::TextAnswer;
use crate::{CallContext, EngineError, Ignore, TextSink};

const SYSTEM: &str = include_str!("prompts/system.md");
const REPAIR: &str = include_str!("prompts/repair.md");
/// Raw answers of a step that are kept for debugging.
const KEPT_ANSWERS: usize = 32;

/// The conversation of one step.
pub(crate) struct Talk<'a> {
    pub(crate) model: &'a dyn ChatModel,
    context: &'a CallContext,
    input_tokens: u64,
    output_tokens: u64,
    asked: usize,
    answers: Vec<Value>,
    last: Value,
}

/// A question that is answered by JSON.
pub(crate) struct JsonQuestion<'a> {
    pub(crate) name: &'a str,
    pub(crate) shared: &'a str,
    pub(crate) question: &'a str,
    pub(crate) schema: Value,
    pub(crate) max_output_tokens: u32,
}

impl<'a> Talk<'a> {
    pub(crate) fn new(model: &'a dyn ChatModel, context: &'a CallContext) -> Self {
        Self { model, context, input_tokens: 0, output_tokens: 0, asked: 0, answers: vec![], last: json!({}) }
    }

    /// Asks, and counts.
    pub(crate) fn ask(
        &mut self,
        request: &ChatRequest<'_>,
        sink: &mut dyn TextSink,
    ) -> Result<ChatAnswer, EngineError> {
        self.context.check()?;
        let answer = self.model.answer(request, sink, self.context)?;
        self.input_tokens += answer.input_tokens;
        self.output_tokens += answer.output_tokens;
        self.asked += 1;
        self.last = told(&answer);
        if self.answers.len() < KEPT_ANSWERS {
            self.answers.push(self.last.clone());
        }
        Ok(answer)
    }

    /// Asks for JSON. An answer that breaks its schema is asked for once more, with what was wrong.
    pub(crate) fn ask_json(&mut self, asked: &JsonQuestion<'_>) -> Result<Value, EngineError> {
        let first = self.ask(&request(asked, asked.question.to_owned()), &mut Ignore)?;
        let flaw = match checked(&first, &asked.schema) {
            Ok(value) => return Ok(value),
            Err(flaw) => flaw,
        };
        let again = self.ask(&request(asked, repaired(asked.question, &flaw)), &mut Ignore)?;
        checked(&again, &asked.schema).map_err(|flaw| EngineError::BadAnswer {
            message: format!("The model's answer for `{}` is of no use, twice: {flaw}.", asked.name),
            truncated: again.finish_reason == FinishReason::Length,
        })
    }

    /// The tokens that a text may take in one question, beside words of the service's own and an answer.
    pub(crate) fn room(&self, answer_tokens: u32, own_tokens: usize) -> Result<usize, EngineError> {
        let context = self.model.context_tokens()?;
        let room = context.saturating_sub(answer_tokens as usize + own_tokens);
        Ok(room.clamp(context / 4, LARGEST_WINDOW))
    }

    pub(crate) fn into_answer(self, output: Value) -> TextAnswer {
        let mut response = self.last;
        if self.asked > 1 {
            response["answers"] = Value::Array(self.answers);
            response["questions"] = json!(self.asked);
        }
        TextAnswer {
            output,
            response,
            resolved_model: self.model.id().to_owned(),
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
            characters: 0,
        }
    }
}

/// A longer window is no better understood by the models that run here, and takes long to read.
const LARGEST_WINDOW: usize = 8_192;

/// What a question is followed by when its first answer was of no use.
pub(crate) fn repaired(question: &str, flaw: &str) -> String {
    format!("{question}\n\n{}", REPAIR.trim().replace("{flaw}", flaw))
}

pub(crate) fn system() -> &'static str {
    SYSTEM.trim()
}

fn request<'a>(asked: &JsonQuestion<'a>, question: String) -> ChatRequest<'a> {
    let format =
        AnswerFormat::Json { name: asked.name.to_owned(), schema: asked.schema.clone(), constrained: true };
    ChatRequest {
        system: system(),
        shared: asked.shared,
        question,
        format,
        max_output_tokens: asked.max_output_tokens,
        temperature: 0.0,
        reasoning_effort: None,
    }
}

fn checked(answer: &ChatAnswer, schema: &Value) -> Result<Value, String> {
    let cut = || match answer.finish_reason {
        FinishReason::Length => "it was cut before its JSON was whole".to_owned(),
        FinishReason::Stop => "it is no JSON".to_owned(),
    };
    let value = json_of(&answer.text).ok_or_else(cut)?;
    schema::validate(schema, &value).map_err(|fault| fault.to_string())?;
    Ok(value)
}

/// What is kept of an answer for debugging.
fn told(answer: &ChatAnswer) -> Value {
    let mut told = answer.details.clone();
    if !told.is_object() {
        told = json!({});
    }
    told["text"] = json!(answer.text);
    told["finish_reason"] = json!(answer.finish_reason.as_str());
    told
}
