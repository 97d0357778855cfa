//! A loaded Moonshine model: English, in segments of up to about twenty seconds. The cost grows with their length.

use std::path::Path;
use std::sync::Arc;

use auris_audio::voice::{SegmentLimits, VoiceSegment};
use auris_engine_core::{Admission, EngineError, Runtime, Ticket};
use auris_weights::{CopyPolicy, Family, open_model};

use crate::language_scores::LanguageScores;
use crate::moonshine_task::{LANGUAGE, MoonshineTask};
use crate::nets::MoonshineNet;
use crate::queue::SegmentQueue;
use crate::speech_model::{Hints, Prompt, Recognised, SpeechModel};
use crate::tokenizer::Tokenizer;
use crate::vocabulary::Vocabulary;

const LIMITS: SegmentLimits = SegmentLimits { longest: 20.0, enough: 8.0, pause: 2.0 };

/// A Moonshine net, its vocabulary and its queue.
pub(crate) struct Moonshine {
    queue: SegmentQueue<MoonshineNet>,
    tokenizer: Arc<Tokenizer>,
    weight_bytes: u64,
}

impl Moonshine {
    pub(crate) fn load(folder: &Path, id: &str, runtime: &Runtime) -> Result<Self, EngineError> {
        let mut parts =
            open_model(folder, Family::Moonshine, CopyPolicy::Use).map_err(EngineError::internal)?;
        let net = MoonshineNet::load(parts.as_mut())?;
        let tokenizer = Arc::new(Tokenizer::load(&folder.join("tokenizer.json"))?);
        let weight_bytes = net.weight_bytes();
        Ok(Self { queue: SegmentQueue::new(net, id, LIMITS.longest, runtime), tokenizer, weight_bytes })
    }
}

impl SpeechModel for Moonshine {
    fn weight_bytes(&self) -> u64 {
        self.weight_bytes
    }

    fn limits(&self) -> SegmentLimits {
        LIMITS
    }

    fn capacity(&self) -> usize {
        self.queue.capacity(LIMITS.enough)
    }

    /// The model reads no context, only the terms count.
    fn prompt(&self, text: &str) -> Result<Prompt, EngineError> {
        let vocabulary = Arc::new(Vocabulary::from_prompt(text, &self.tokenizer));
        Ok(Prompt { context: Vec::new(), vocabulary })
    }

    fn transcribe(&self, segment: VoiceSegment, hints: &Hints, admission: &Admission) -> Ticket<Recognised> {
        let task = MoonshineTask::new(self.tokenizer.clone(), segment, &hints.prompt);
        self.queue.submit(task.sure_from(hints.sure_from), admission)
    }

    fn language_scores(&self, _: VoiceSegment, admission: &Admission) -> Ticket<LanguageScores> {
        let (reply, ticket) = admission.ticket();
        reply.send(Ok(LanguageScores::certain(LANGUAGE)));
        ticket
    }
}
