//! Recordings that are decoded and cut beforehand, so that recognition can be measured without the rest.

use auris_audio::pipeline::Cutter;
use auris_audio::voice::{SegmentCutter, VoiceSegment};
use auris_audio::{AudioSource, AudioStream};
use auris_engine_core::{CallContext, EngineError};

use crate::local::{LocalSpeech, load};
use crate::speech_model::Hints;

/// The segments with speech of a recording.
pub struct CutRecording {
    segments: Vec<VoiceSegment>,
}

impl LocalSpeech {
    /// Decodes a recording and cuts it into the segments that this model needs.
    pub fn cut(&self, audio: &AudioSource) -> Result<CutRecording, EngineError> {
        let mut cutter = SegmentCutter::new(load(&self.runtime, &self.entry)?.limits());
        let mut stream = AudioStream::open(audio)?;
        let mut segments = Vec::new();
        while let Some(block) = stream.next_block()? {
            segments.extend(cutter.push(&block)?);
        }
        segments.extend(cutter.finish()?);
        Ok(CutRecording { segments })
    }

    /// The text of a recording that was cut before. `language` is an ISO 639-1 code; without it, the language of each
    /// segment is detected.
    pub fn transcribe_cut(
        &self,
        recording: CutRecording,
        language: Option<&str>,
        context: &CallContext,
    ) -> Result<String, EngineError> {
        let admission = self.runtime.scheduler.admit(context)?;
        let model = load(&self.runtime, &self.entry)?;
        let hints = Hints { language: language.map(str::to_owned), ..Hints::default() };
        let submit = |segment| model.transcribe(segment, &hints, &admission);
        let tickets: Vec<_> = recording.segments.into_iter().map(submit).collect();
        let mut text = String::new();
        for ticket in tickets {
            text.extend(ticket.wait()?.segments.into_iter().map(|segment| segment.text));
        }
        Ok(text.trim().to_owned())
    }
}
