//! The request body of a chat completion.

use auris_domain::step::SchemaText;
use auris_domain::step::spec::Effort;
use auris_language::chat::{AnswerFormat, ChatRequest};
use auris_models::RemoteModel;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct ChatBody<'a> {
    model: &'a str,
    messages: [Message<'a>; 2],
    temperature: f64,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<Effort>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: std::borrow::Cow<'a, str>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponseFormat<'a> {
    JsonSchema { json_schema: NamedSchema<'a> },
}

#[derive(Serialize)]
struct NamedSchema<'a> {
    name: &'a str,
    schema: &'a SchemaText,
    strict: bool,
}

/// How the schema of the answer is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaForm {
    /// As `response_format`, which constrains the decoding.
    ResponseFormat,
    /// In the prompt, for servers without `response_format`.
    Prompt,
}

impl<'a> ChatBody<'a> {
    pub(super) fn new(remote: &'a RemoteModel, request: &'a ChatRequest<'a>, form: SchemaForm) -> Self {
        let mut content = format!("{}{}", request.shared, request.question);
        if let (Some(schema), SchemaForm::Prompt) = (constraint(request), form)
            && !request.question.contains("JSON Schema")
        {
            let schema = schema.schema;
            content.push_str(&format!("\n\nAnswer only with JSON that matches this JSON Schema:\n{schema}"));
        }
        let format = constraint(request).filter(|_| form == SchemaForm::ResponseFormat);
        Self {
            model: &remote.model,
            messages: [
                Message { role: "system", content: request.system.into() },
                Message { role: "user", content: content.into() },
            ],
            temperature: request.temperature,
            max_tokens: request.max_output_tokens,
            stream: remote.streams,
            stream_options: remote.streams.then_some(StreamOptions { include_usage: true }),
            reasoning_effort: request.reasoning_effort.filter(|_| remote.reasons),
            response_format: format.map(|json_schema| ResponseFormat::JsonSchema { json_schema }),
        }
    }
}

/// The schema that the decoding should be constrained to, if any.
fn constraint<'a>(request: &'a ChatRequest<'a>) -> Option<NamedSchema<'a>> {
    match &request.format {
        AnswerFormat::Text | AnswerFormat::Json { constrained: false, .. } => None,
        AnswerFormat::Json { name, schema, .. } => Some(NamedSchema { name, schema, strict: true }),
    }
}

/// Whether the answer should be constrained to a schema.
pub(super) fn is_constrained(request: &ChatRequest<'_>) -> bool {
    constraint(request).is_some()
}
