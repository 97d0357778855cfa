//! The chat template of a model: formats messages as the tokens that the model was trained on.

use auris_engine_core::EngineError;
use minijinja::{Environment, Error, ErrorKind, Value, context};

use super::vocabulary::Vocabulary;

/// Placeholders for the two contents while the template is rendered. They contain private-use characters, which no text
/// has by accident. The real contents are encoded separately, so that markers in them are plain text.
const SYSTEM: &str = "\u{e000}system\u{e001}";
const USER: &str = "\u{e000}user\u{e001}";

/// A compiled template.
pub(super) struct ChatTemplate {
    environment: Environment<'static>,
    first: String,
    end: String,
    /// Whether the model reasons before it answers: its template contains `<think>`.
    pub(super) reasons: bool,
}

/// A prompt as tokens.
pub(super) struct Prompt {
    pub(super) tokens: Vec<u32>,
    /// The number of leading tokens that every question about the same text shares.
    pub(super) shared: usize,
}

/// The contents of the template.
pub(super) struct Messages<'a> {
    pub(super) system: &'a str,
    /// The first part of the message, which other questions share.
    pub(super) shared: &'a str,
    pub(super) question: &'a str,
    pub(super) thinks: bool,
}

impl ChatTemplate {
    pub(super) fn new(source: &str, vocabulary: &Vocabulary) -> Result<Self, EngineError> {
        let mut environment = Environment::new();
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_function("raise_exception", raise);
        environment.add_filter("tojson", |value: Value| serde_json::to_string(&value).unwrap_or_default());
        environment.add_template_owned("chat", source.to_owned()).map_err(|error| {
            EngineError::internal(format!("the model's chat template is invalid: {error:#}"))
        })?;
        let name = |token: Option<u32>| token.map(|token| vocabulary.name(token).to_owned());
        let first = name(vocabulary.first).unwrap_or_default();
        let end = name(vocabulary.ends.first().copied()).unwrap_or_default();
        Ok(Self { environment, first, end, reasons: source.contains("<think>") })
    }

    /// The tokens of a conversation with one question.
    pub(super) fn prompt(
        &self,
        messages: &Messages<'_>,
        vocabulary: &Vocabulary,
    ) -> Result<Prompt, EngineError> {
        let filled = self.fill(messages.thinks)?;
        let missing = || EngineError::internal("the model's chat template leaves out a message");
        let (before, rest) = filled.split_once(SYSTEM).unwrap_or(("", &filled));
        let (between, after) = rest.split_once(USER).ok_or_else(missing)?;
        let mut tokens = Vec::new();
        // Some templates contain the first token already.
        if !self.first.is_empty() && !filled.starts_with(&self.first) {
            tokens.extend(vocabulary.first);
        }
        tokens.extend(vocabulary.encode_marked(before)?);
        if rest.len() < filled.len() {
            tokens.extend(vocabulary.encode(messages.system)?);
        }
        tokens.extend(vocabulary.encode_marked(between)?);
        if rest.len() == filled.len() {
            // The template has no system role: the system message goes before the text.
            tokens.extend(vocabulary.encode(&format!("{}\n\n", messages.system))?);
        }
        tokens.extend(vocabulary.encode(messages.shared)?);
        let shared = tokens.len();
        tokens.extend(vocabulary.encode(messages.question)?);
        tokens.extend(vocabulary.encode_marked(after)?);
        Ok(Prompt { tokens, shared })
    }

    fn fill(&self, thinks: bool) -> Result<String, EngineError> {
        let with_system = vec![message("system", SYSTEM), message("user", USER)];
        let filled = self.render(with_system, thinks);
        // Some templates do not support the system role.
        filled
            .or_else(|_| self.render(vec![message("user", USER)], thinks))
            .map_err(|error| EngineError::internal(format!("the model's chat template failed: {error:#}")))
    }

    fn render(&self, messages: Vec<Value>, thinks: bool) -> Result<String, Error> {
        let values = context! {
            messages, add_generation_prompt => true, enable_thinking => thinks,
            bos_token => self.first, eos_token => self.end,
        };
        self.environment.get_template("chat")?.render(values)
    }
}

fn message(role: &str, content: &str) -> Value {
    context! { role, content }
}

fn raise(message: String) -> Result<String, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, message))
}
