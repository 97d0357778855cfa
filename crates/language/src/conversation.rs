//! The questions of one step. Counts their tokens, checks the answers, and asks once more if an answer is invalid or
//! implausible.

use auris_domain::request::schema;
use auris_domain::step::{SchemaText, StepOutput};
use auris_engine_core::text::TextAnswer;
use auris_engine_core::{CallContext, EngineError, Ignore, TextSink};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::answer_details::AnswerDetails;
use super::chat::{AnswerFormat, ChatAnswer, ChatModel, ChatRequest, FinishReason, json_of};

const SYSTEM: &str = include_str!("prompts/system.md");
const REPAIR: &str = include_str!("prompts/repair.md");
/// Maximum number of raw answers stored for debugging.
const MAX_ANSWERS: usize = 32;

/// The conversation of one step.
pub(crate) struct Conversation<'a> {
    pub(crate) model: &'a dyn ChatModel,
    context: &'a CallContext,
    input_tokens: u64,
    output_tokens: u64,
    /// Questions asked.
    questions: usize,
    /// The first answers, for debugging.
    answers: Vec<AnswerRecord>,
    last: Option<AnswerRecord>,
}

/// A question with a JSON answer.
pub(crate) struct JsonQuestion<'a> {
    pub(crate) name: &'a str,
    pub(crate) shared: &'a str,
    pub(crate) question: &'a str,
    pub(crate) schema: SchemaText,
    pub(crate) max_output_tokens: u32,
}

/// An answer that matches its schema.
pub(crate) struct JsonAnswer<T> {
    pub(crate) answer: T,
    /// What is implausible about it.
    pub(crate) flaw: Option<String>,
}

impl<'a> Conversation<'a> {
    pub(crate) fn new(model: &'a dyn ChatModel, context: &'a CallContext) -> Self {
        Self { model, context, input_tokens: 0, output_tokens: 0, questions: 0, answers: vec![], last: None }
    }

    /// Asks a question and counts its tokens.
    pub(crate) fn ask(
        &mut self,
        request: &ChatRequest<'_>,
        sink: &mut dyn TextSink,
    ) -> Result<ChatAnswer, EngineError> {
        self.context.check()?;
        let answer = self.model.answer(request, sink, self.context)?;
        self.input_tokens += answer.input_tokens;
        self.output_tokens += answer.output_tokens;
        self.questions += 1;
        let record = AnswerRecord::of(&answer);
        if self.answers.len() < MAX_ANSWERS {
            self.answers.push(record.clone());
        }
        self.last = Some(record);
        Ok(answer)
    }

    /// Asks a question with a JSON answer. If the answer is invalid or implausible, asks once more with the error. Fails if
    /// no answer is valid. `flaw_of` says what is implausible about a valid answer.
    pub(crate) fn ask_json<T: DeserializeOwned>(
        &mut self,
        asked: &JsonQuestion<'_>,
        flaw_of: &dyn Fn(&T) -> Option<String>,
    ) -> Result<JsonAnswer<T>, EngineError> {
        let first = self.ask(&request(asked, asked.question.to_owned()), &mut Ignore)?;
        let first = checked(&first, &asked.schema, flaw_of)?;
        let flaw = match &first {
            Ok(JsonAnswer { flaw: None, .. }) => return first.map_err(EngineError::internal),
            Ok(JsonAnswer { flaw: Some(flaw), .. }) | Err(flaw) => flaw,
        };
        let again = self.ask(&request(asked, repaired(asked.question, flaw)), &mut Ignore)?;
        let second = checked(&again, &asked.schema, flaw_of)?;
        // An implausible answer is better than an invalid one.
        second.or_else(|flaw| first.map_err(|_| flaw)).map_err(|flaw| EngineError::BadAnswer {
            message: format!("The model's answer for `{}` was invalid twice: {flaw}.", asked.name),
            truncated: again.finish_reason == FinishReason::Length,
        })
    }

    /// Maximum tokens of a text in one question that also has `own_tokens` of ours and an answer.
    pub(crate) fn room(&self, answer_tokens: u32, own_tokens: usize) -> Result<usize, EngineError> {
        room(self.model, answer_tokens, own_tokens)
    }

    pub(crate) fn into_answer(self, output: StepOutput) -> Result<TextAnswer, EngineError> {
        let truncated = self.last.as_ref().is_some_and(|last| last.finish_reason == FinishReason::Length);
        let is_single = self.questions <= 1;
        let response = Response {
            last: self.last,
            answers: (!is_single).then_some(self.answers),
            questions: (!is_single).then_some(self.questions),
        };
        Ok(TextAnswer {
            output,
            response: serde_json::to_value(&response).map_err(EngineError::internal)?,
            truncated,
            resolved_model: self.model.id().to_owned(),
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
            characters: 0,
        })
    }
}

/// The record of an answer, for debugging.
#[derive(Clone, Serialize)]
struct AnswerRecord {
    #[serde(flatten)]
    details: AnswerDetails,
    text: String,
    finish_reason: FinishReason,
}

impl AnswerRecord {
    fn of(answer: &ChatAnswer) -> Self {
        Self {
            details: answer.details.clone(),
            text: answer.text.clone(),
            finish_reason: answer.finish_reason,
        }
    }
}

/// The step's response: the last answer, and the earlier ones if there was more than one question.
#[derive(Serialize)]
struct Response {
    #[serde(flatten)]
    last: Option<AnswerRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<Vec<AnswerRecord>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    questions: Option<usize>,
}

/// Maximum tokens of a window. Small models do not understand longer ones better, and reading them is slow.
const MAX_WINDOW: usize = 8_192;

/// Maximum tokens of a text in one question of a model, as in `Conversation::room`.
pub(crate) fn room(
    model: &dyn ChatModel,
    answer_tokens: u32,
    own_tokens: usize,
) -> Result<usize, EngineError> {
    let context = model.context_tokens()?;
    let room = context.saturating_sub(answer_tokens as usize + own_tokens);
    Ok(room.clamp(context / 4, MAX_WINDOW))
}

/// Maximum bytes of an error in a question, which are at least as many as its tokens.
pub(crate) const FLAW_BYTES: usize = 300;

/// The question with the error of its first answer.
pub(crate) fn repaired(question: &str, flaw: &str) -> String {
    let flaw = &flaw[..flaw.floor_char_boundary(FLAW_BYTES)];
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

/// The answer, or what is invalid about it. Fails if the type does not match the schema.
fn checked<T: DeserializeOwned>(
    answer: &ChatAnswer,
    schema: &SchemaText,
    flaw_of: &dyn Fn(&T) -> Option<String>,
) -> Result<Result<JsonAnswer<T>, String>, EngineError> {
    let value = match validated(answer, schema) {
        Ok(value) => value,
        Err(flaw) => return Ok(Err(flaw)),
    };
    let answer: T = serde_json::from_value(value).map_err(EngineError::internal)?;
    let flaw = flaw_of(&answer);
    Ok(Ok(JsonAnswer { answer, flaw }))
}

fn validated(answer: &ChatAnswer, schema: &SchemaText) -> Result<Value, String> {
    let reason = || match answer.finish_reason {
        FinishReason::Length => "it was truncated before the end of its JSON".to_owned(),
        FinishReason::Stop => "it is not JSON".to_owned(),
    };
    let value = json_of(&answer.text).ok_or_else(reason)?;
    schema::validate(schema, &value).map_err(|fault| fault.to_string())?;
    Ok(value)
}
