//! Key phrases: those of the model's answer that occur in the transcript, in the model's order, with their counts.

use auris_domain::step::output::{KeyPhrase, KeyPhrases};
use auris_engine_core::{EngineError, round_to_hundredths};
use serde::Deserialize;
use serde_json::{Value, json};

use super::plausibility::has_phrases;
use super::stage::{Stage, StageQuestion};
use crate::conversation::Conversation;
use crate::prepared_transcript::PreparedTranscript;

const PROMPT: &str = include_str!("../prompts/key_phrases.md");
pub(super) const STAGE: Stage = Stage::whole("key_phrases", 1_024);
/// Maximum number of key phrases.
const COUNT: usize = 15;

#[derive(Deserialize)]
struct Answer {
    key_phrases: Vec<String>,
}

pub(super) fn run(
    conversation: &mut Conversation<'_>,
    transcript: &PreparedTranscript<'_>,
) -> Result<KeyPhrases, EngineError> {
    let question = question();
    let mut ranked: Vec<(f64, String)> = Vec::new();
    for window in STAGE.windows(conversation, transcript)? {
        let lines = &transcript.lines.all[window.lines.clone()];
        let flaw_of = |answer: &Answer| {
            let is_in_text =
                |phrase: &String| !transcript.lookup.find(phrase, 0..transcript.lookup.len()).is_empty();
            let is_missing = has_phrases(lines) && !answer.key_phrases.iter().any(is_in_text);
            is_missing.then(|| "none of its phrases is in the lines; copy phrases from them".into())
        };
        let asked =
            StageQuestion { text: &window.text, question: &question, schema: schema(), flaw_of: &flaw_of };
        let answer = STAGE.ask_plausible(conversation, &asked)?.answer;
        let count = answer.key_phrases.len() as f64;
        for (rank, phrase) in answer.key_phrases.iter().enumerate() {
            add(&mut ranked, phrase.trim(), 1.0 - rank as f64 / count);
        }
    }
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
    let found = ranked.into_iter().filter_map(|(score, phrase)| counted(transcript, score, &phrase));
    Ok(KeyPhrases { key_phrases: found.take(COUNT).collect() })
}

pub(super) fn question() -> String {
    PROMPT.replace("{count}", &COUNT.to_string())
}

fn schema() -> Value {
    json!({
        "type": "object", "additionalProperties": false, "required": ["key_phrases"],
        "properties": {"key_phrases": {"type": "array", "maxItems": COUNT, "items": {
            "type": "string", "minLength": 1, "maxLength": 60,
        }}},
    })
}

/// Adds a phrase. If another window returned it too, keeps the better score.
fn add(ranked: &mut Vec<(f64, String)>, phrase: &str, score: f64) {
    match ranked.iter_mut().find(|(_, known)| known.to_lowercase() == phrase.to_lowercase()) {
        Some((known, _)) => *known = known.max(score),
        None => ranked.push((score, phrase.to_owned())),
    }
}

/// The phrase as it occurs in the transcript; `None` if it does not occur.
fn counted(transcript: &PreparedTranscript<'_>, score: f64, phrase: &str) -> Option<KeyPhrase> {
    let found = transcript.lookup.find(phrase, 0..transcript.lookup.len());
    let text = transcript.lookup.text(found.first()?);
    Some(KeyPhrase { text, score: round_to_hundredths(score), count: found.len() })
}
