//! The models of a catalogue.

use std::collections::BTreeMap;

use auris_domain::model::Model;
use auris_engine_core::language_code;
use serde::{Deserialize, Serialize};

/// One model: its description for callers, its engine and its files.
#[derive(Debug, Clone)]
pub struct CatalogModel {
    pub model: Model,
    pub engine: EngineKind,
    /// ISO 639-1 codes of the supported languages; empty if it supports all languages of its engine.
    pub languages: Vec<String>,
    /// The models that `auto` chooses from, best first.
    pub candidates: Vec<String>,
    /// Other models that a pull of this model installs too.
    pub pulls: Vec<String>,
    /// Other models that a pull installs too, but that this model works without, less well.
    pub upgrades: Vec<String>,
    pub files: Vec<ModelFile>,
    pub remote: Option<RemoteModel>,
    pub license: Option<String>,
    pub beam: BeamSearch,
    /// The measured word errors in percent by language (ISO 639-1); `other` for all languages without their own figure.
    pub word_errors: BTreeMap<String, f64>,
    /// Whether nobody has compared the model's words with a reference in this engine.
    pub untested: bool,
    /// Whether the model is one that the operator added on this machine.
    pub local: bool,
}

/// How Whisper searches for the most probable text of a window that it is unsure of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BeamSearch {
    /// The number of texts that it decodes side by side. With one, it takes the most probable tokens.
    pub width: usize,
    /// The mean probability of the tokens below which it is unsure.
    pub below: f64,
}

impl BeamSearch {
    /// The limit of a model that has a beam but no limit of its own.
    pub const USUAL_BELOW: f64 = 0.6;

    /// That of a Whisper model which an operator added: nobody has measured how well it reads a segment with less silence
    /// behind it than in its training, so it gets all thirty seconds where it is unsure.
    pub const ADDED: Self = Self { width: 1, below: 0.9 };

    /// Whether windows are transcribed a second time at all. With one text, too: the second pass reads more context.
    pub fn has_second_pass(&self) -> bool {
        self.width > 1 || self.below > 0.0
    }
}

/// No second pass.
impl Default for BeamSearch {
    fn default() -> Self {
        Self { width: 1, below: 0.0 }
    }
}

impl CatalogModel {
    /// The total size of its files.
    pub fn file_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// The measured word errors in a language, in percent, or in languages as a whole; `None` if nobody measured them.
    pub fn word_errors_in(&self, language: Option<&str>) -> Option<f64> {
        let own = language.and_then(|code| self.word_errors.get(code));
        own.or_else(|| self.word_errors.get(OTHER_LANGUAGES)).copied()
    }

    /// Whether the model supports the language of this ISO 639-1 code or BCP 47 tag.
    pub fn knows_language(&self, tag: &str) -> bool {
        let code = language_code::primary(tag);
        if !self.languages.is_empty() {
            return self.languages.iter().any(|known| language_code::primary(known) == code);
        }
        let of_engine = self.engine.languages();
        of_engine.is_empty() || of_engine.contains(&code.as_str())
    }

    /// The codes of all languages that the model supports; empty if it is not limited to some.
    pub fn all_languages(&self) -> Vec<String> {
        if !self.languages.is_empty() {
            return self.languages.clone();
        }
        self.engine.languages().iter().map(|code| (*code).to_owned()).collect()
    }
}

/// The key of `word_errors` for languages without their own figure.
pub(super) const OTHER_LANGUAGES: &str = "other";

/// The code that runs a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineKind {
    Fake,
    Auto,
    Moonshine,
    Whisper,
    /// Diarization with the two models in the binary.
    Diarizer,
    /// The built-in text stages: rules, lexicons and the embedding model.
    /// Catalogues of operators can have the old name.
    #[serde(alias = "analyst")]
    BuiltInText,
    /// A language model in a GGUF file.
    Gguf,
    Remote,
}

impl EngineKind {
    /// The ISO 639-1 codes of the languages that the engine supports; empty if it is not limited to some.
    fn languages(self) -> &'static [&'static str] {
        match self {
            Self::Moonshine | Self::Whisper => &language_code::WHISPER,
            Self::Fake | Self::Auto | Self::Diarizer | Self::BuiltInText | Self::Gguf | Self::Remote => &[],
        }
    }
}

/// One file of a model. It is identified by its hash, regardless of its source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    pub name: String,
    pub sha256: String,
    pub bytes: u64,
    /// Tried in order. None for a model that the operator added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
}

impl ModelFile {
    /// Whether the name is that of a file in the model's own folder, and not a hidden one.
    pub(crate) fn is_plain_name(name: &str) -> bool {
        !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\'])
    }
}

/// A model served by an OpenAI-compatible server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoteModel {
    pub base_url: String,
    /// The model's name on that server.
    pub model: String,
    /// The environment variable with the API key; `None` if the server needs none.
    pub key_env: Option<String>,
    #[serde(default = "default_timeout_seconds")]
    pub timeout_seconds: u64,
    /// Whether the server streams its answers.
    #[serde(default)]
    pub streams: bool,
    /// Whether the server supports JSON Schema. If it turns out not to, the schema goes into the prompt.
    #[serde(default = "default_json_schema")]
    pub json_schema: bool,
    /// Whether the model reasons and accepts `reasoning_effort`.
    #[serde(default)]
    pub reasons: bool,
    /// Maximum tokens of a prompt and its answer; longer texts are sent in windows.
    #[serde(default = "default_context_tokens")]
    pub context_tokens: usize,
}

fn default_json_schema() -> bool {
    true
}

fn default_context_tokens() -> usize {
    8_192
}

fn default_timeout_seconds() -> u64 {
    600
}
