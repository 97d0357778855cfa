//! A loaded Whisper model: 99 languages, or English only, in windows of thirty seconds.

use std::path::Path;
use std::sync::Arc;

use auris_audio::voice::{SegmentLimits, VoiceSegment};
use auris_engine_core::{Admission, EngineError, Runtime, Ticket};
use auris_models::CatalogModel;
use auris_weights::{CopyPolicy, Family, GgmlFile, ModelFiles, open_model};

use crate::language_scores::LanguageScores;
use crate::nets::WhisperNet;
use crate::queue::SegmentQueue;
use crate::speech_model::{Hints, Prompt, Recognised, SpeechModel};
use crate::tokenizer::Tokenizer;
use crate::vocabulary::Vocabulary;
use crate::whisper_task::{DetectTask, WINDOW_SECONDS, WhisperRules, WhisperTask};

/// Long segments, because each window has the cost of its padding and its first tokens.
const LIMITS: SegmentLimits = SegmentLimits { longest: 29.0, enough: 22.0, pause: 4.0 };
/// Maximum tokens of the prompt that the model reads as context.
const MAX_CONTEXT: usize = 200;

/// A Whisper net, its rules and its queue.
pub(crate) struct Whisper {
    queue: SegmentQueue<WhisperNet>,
    rules: Arc<WhisperRules>,
    weight_bytes: u64,
}

impl Whisper {
    pub(crate) fn load(folder: &Path, entry: &CatalogModel, runtime: &Runtime) -> Result<Self, EngineError> {
        let mut parts =
            open_model(folder, Family::Whisper, CopyPolicy::Use).map_err(EngineError::internal)?;
        let net = WhisperNet::load(parts.as_mut())?;
        let special = net.special_tokens()?;
        let rules = WhisperRules::new(special, tokenizer(folder, special.end)?)?.with_beam(entry.beam);
        let weight_bytes = net.weight_bytes();
        let queue = SegmentQueue::new(net, &entry.model.id, WINDOW_SECONDS as f64, runtime);
        Ok(Self { queue, rules: Arc::new(rules), weight_bytes })
    }
}

impl SpeechModel for Whisper {
    fn weight_bytes(&self) -> u64 {
        self.weight_bytes
    }

    fn limits(&self) -> SegmentLimits {
        LIMITS
    }

    fn capacity(&self) -> usize {
        self.queue.capacity(LIMITS.enough)
    }

    /// The end of the prompt is the context, as if it was spoken before. Its terms count, too.
    fn prompt(&self, text: &str) -> Result<Prompt, EngineError> {
        let tokenizer = &self.rules.tokenizer;
        let context = match text.trim() {
            "" => Vec::new(),
            text => tokenizer.encode(&format!(" {text}"))?,
        };
        let begin = context.len().saturating_sub(MAX_CONTEXT);
        let vocabulary = Arc::new(Vocabulary::from_prompt(text, tokenizer));
        Ok(Prompt { context: context[begin..].to_vec(), vocabulary })
    }

    fn transcribe(&self, segment: VoiceSegment, hints: &Hints, admission: &Admission) -> Ticket<Recognised> {
        self.queue.submit(WhisperTask::new(self.rules.clone(), segment, hints), admission)
    }

    fn language_scores(&self, segment: VoiceSegment, admission: &Admission) -> Ticket<LanguageScores> {
        if !self.rules.is_english_only() {
            return self.queue.submit(DetectTask::new(self.rules.clone(), segment), admission);
        }
        let (reply, ticket) = admission.ticket();
        reply.send(Ok(LanguageScores::certain("en")));
        ticket
    }
}

/// The vocabulary: a `tokenizer.json`, or the one in a file of whisper.cpp, up to the first special token.
fn tokenizer(folder: &Path, first_special: u32) -> Result<Tokenizer, EngineError> {
    let file = folder.join("tokenizer.json");
    if file.exists() {
        return Tokenizer::load(&file);
    }
    match ModelFiles::find(folder).map_err(EngineError::internal)? {
        ModelFiles::Ggml { file } => {
            let weights = GgmlFile::open(&file).map_err(EngineError::internal)?;
            let words = weights.vocabulary().iter().take(first_special as usize);
            Ok(Tokenizer::from_tokens(words.cloned().collect()))
        }
        ModelFiles::Onnx { .. } | ModelFiles::Safetensors { .. } => {
            Err(EngineError::internal(format!("`{}` is missing", file.display())))
        }
    }
}
