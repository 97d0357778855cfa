//! Topics: general subjects in the model's words. Topics of several windows are merged.

use auris_domain::step::output::{Topic, Topics};
use auris_engine_core::EngineError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::stage::Stage;
use crate::conversation::Conversation;
use crate::prepared_transcript::PreparedTranscript;

pub(super) const PROMPT: &str = include_str!("../prompts/topics.md");
pub(super) const STAGE: Stage = Stage::whole("topics", 512);
/// Maximum number of topics.
const COUNT: usize = 10;

#[derive(Deserialize)]
struct Answer {
    topics: Vec<AnswerTopic>,
}

#[derive(Deserialize)]
struct AnswerTopic {
    label: String,
    relevance: Relevance,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Relevance {
    High,
    Medium,
    Low,
}

impl Relevance {
    const ALL: [Self; 3] = [Self::High, Self::Medium, Self::Low];

    fn score(self) -> f64 {
        match self {
            Self::High => 0.9,
            Self::Medium => 0.6,
            Self::Low => 0.3,
        }
    }
}

pub(super) fn run(
    conversation: &mut Conversation<'_>,
    transcript: &PreparedTranscript<'_>,
) -> Result<Topics, EngineError> {
    let mut topics: Vec<Topic> = Vec::new();
    for window in STAGE.windows(conversation, transcript)? {
        let answer: Answer = STAGE.ask(conversation, &window.text, PROMPT, schema())?;
        for topic in answer.topics {
            let label = topic.label.trim().to_lowercase();
            let score = topic.relevance.score();
            match topics.iter_mut().find(|known| known.label == label) {
                Some(known) => known.score = known.score.max(score),
                None if label.is_empty() => {}
                None => topics.push(Topic { label, score }),
            }
        }
    }
    topics.sort_by(|one, other| other.score.total_cmp(&one.score));
    topics.truncate(COUNT);
    Ok(Topics { topics })
}

fn schema() -> Value {
    json!({
        "type": "object", "additionalProperties": false, "required": ["topics"],
        "properties": {"topics": {"type": "array", "minItems": 1, "maxItems": 5, "items": {
            "type": "object", "additionalProperties": false, "required": ["label", "relevance"],
            "properties": {
                "label": {"type": "string", "minLength": 1, "maxLength": 40},
                "relevance": {"type": "string", "enum": Relevance::ALL},
            },
        }}},
    })
}
