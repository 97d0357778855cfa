//! The language that most of a recording is in, from its first pieces.

use auris_audio::AudioSource;
use auris_audio::voice::VoiceSegment;
use auris_engine_core::{Admission, EngineError};

use crate::language_check::likelier;
use crate::language_scores::LanguageScores;
use crate::local::open;
use crate::speech_model::{Hints, LoadedSpeech};

/// Maximum pieces that are looked at, of up to half a minute each.
const PIECES: usize = 3;

/// A piece and its language.
struct Piece {
    segment: VoiceSegment,
    scores: LanguageScores,
}

/// The most probable language of the first pieces together, where a piece with more speech counts more. If that language is
/// not certain, the first piece of an uncertain language is transcribed in the two most probable languages, and the
/// likelier text decides. `None` if nobody speaks.
pub(crate) fn opening_language(
    detector: &LoadedSpeech,
    audio: &AudioSource,
    admission: &Admission,
) -> Result<Option<String>, EngineError> {
    let pieces = detect(detector, open(audio, detector)?.first_units(PIECES, admission)?, admission)?;
    let mut sum = LanguageScores::default();
    pieces.iter().for_each(|piece| sum.add(&piece.scores, piece.segment.speech_seconds()));
    let Some(choice) = sum.choice() else { return Ok(None) };
    let unsure = pieces.into_iter().find(|piece| !piece.scores.is_sure());
    let (Some(piece), Some(other)) = (unsure, choice.other) else { return Ok(Some(choice.language)) };
    let text = |segment: VoiceSegment, language: &str| {
        let hints = Hints { language: Some(language.to_owned()), ..Hints::default() };
        detector.transcribe(segment, &hints, admission).wait()
    };
    let first = text(piece.segment.clone(), &choice.language)?;
    let second = text(piece.segment, &other)?;
    Ok(likelier(first, second).language)
}

/// The languages of the pieces, until two that are sure agree.
fn detect(
    detector: &LoadedSpeech,
    segments: Vec<VoiceSegment>,
    admission: &Admission,
) -> Result<Vec<Piece>, EngineError> {
    let mut pieces: Vec<Piece> = Vec::new();
    for segment in segments {
        let scores = detector.language_scores(segment.clone(), admission).wait()?;
        pieces.push(Piece { segment, scores });
        if let [.., one, other] = pieces.as_slice()
            && one.scores.is_sure()
            && other.scores.choice() == one.scores.choice()
        {
            break;
        }
    }
    Ok(pieces)
}
