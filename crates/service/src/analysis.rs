//! What the command line shares with the steps: a transcript as text models read it.

use auris_engines::TextTranscript;
use auris_engines::text::TextUtterance;
use serde_json::Value;

/// The `transcript` part of a result document as text models read it: utterances where there are any, else segments.
pub fn text_transcript(transcript: &Value) -> TextTranscript {
    let pieces = |name: &str| transcript[name].as_array().filter(|pieces| !pieces.is_empty());
    let pieces = pieces("utterances").or_else(|| pieces("segments"));
    TextTranscript {
        text: transcript["text"].as_str().unwrap_or_default().to_owned(),
        language: transcript["language"].as_str().map(str::to_owned),
        utterances: pieces.into_iter().flatten().map(utterance).collect(),
    }
}

fn utterance(piece: &Value) -> TextUtterance {
    TextUtterance {
        text: piece["text"].as_str().unwrap_or_default().to_owned(),
        speaker: piece["speaker"].as_str().map(str::to_owned),
        start: piece["start"].as_f64(),
        end: piece["end"].as_f64(),
    }
}
