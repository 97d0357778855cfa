//! The language that most of a recording is in, from its first segments.

use auris_audio::AudioSource;
use auris_audio::voice::VoiceSegment;
use auris_engine_core::{Admission, EngineError};

use crate::language_check::likelier;
use crate::language_scores::LanguageScores;
use crate::local::open;
use crate::speech_model::{Hints, LoadedSpeech};

/// Maximum segments that are looked at, of up to half a minute each.
const SEGMENTS: usize = 3;

/// A segment and its language.
struct ScoredSegment {
    segment: VoiceSegment,
    scores: LanguageScores,
}

/// The most probable language of the first segments together, where a segment with more speech counts more. If that
/// language is not certain, the first segment of an uncertain language is transcribed in the two most probable languages,
/// and the likelier text decides. `None` if nobody speaks.
pub(crate) fn opening_language(
    detector: &LoadedSpeech,
    audio: &AudioSource,
    admission: &Admission,
) -> Result<Option<String>, EngineError> {
    let scored = detect(detector, open(audio, detector)?.first_units(SEGMENTS, admission)?, admission)?;
    let mut sum = LanguageScores::default();
    scored.iter().for_each(|one| sum.add(&one.scores, one.segment.speech_seconds()));
    let Some(choice) = sum.choice() else { return Ok(None) };
    let unsure = scored.into_iter().find(|one| !one.scores.is_sure());
    let (Some(unsure), Some(other)) = (unsure, choice.other) else { return Ok(Some(choice.language)) };
    let text = |segment: VoiceSegment, language: &str| {
        let hints = Hints { language: Some(language.to_owned()), ..Hints::default() };
        detector.transcribe(segment, &hints, admission).wait()
    };
    let first = text(unsure.segment.clone(), &choice.language)?;
    let second = text(unsure.segment, &other)?;
    Ok(likelier(first, second).language)
}

/// The languages of the segments, until two that are sure agree.
fn detect(
    detector: &LoadedSpeech,
    segments: Vec<VoiceSegment>,
    admission: &Admission,
) -> Result<Vec<ScoredSegment>, EngineError> {
    let mut scored: Vec<ScoredSegment> = Vec::new();
    for segment in segments {
        let scores = detector.language_scores(segment.clone(), admission).wait()?;
        scored.push(ScoredSegment { segment, scores });
        if let [.., one, other] = scored.as_slice()
            && one.scores.is_sure()
            && other.scores.choice() == one.scores.choice()
        {
            break;
        }
    }
    Ok(scored)
}
