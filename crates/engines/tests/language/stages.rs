//! Stages with a local language model whose output is constrained to their schemas.
//!
//! `remote_text/stages.rs` tests how the answers are used.

use auris_domain::step::TextStage;
use auris_domain::step::spec::{Granularity, SentimentSpec};
use auris_engines::TextWork;
use serde_json::Value;

use super::{SMALL, call, engines, run};

fn output(stage: TextStage) -> Value {
    let (_folder, engines) = engines();
    let answer = run(&engines, SMALL, TextWork::Stage(stage)).unwrap();
    assert!(answer.input_tokens > 0 && answer.output_tokens > 0 && answer.characters == 0);
    serde_json::to_value(answer.output).unwrap()
}

#[test]
fn every_key_phrase_occurs_in_the_text_as_often_as_its_count() {
    let output = output(TextStage::KeyPhrases);
    for phrase in output["key_phrases"].as_array().unwrap() {
        let text = phrase["text"].as_str().unwrap().to_lowercase();
        let found = call().text.to_lowercase().matches(&text).count() as u64;
        assert!(found >= phrase["count"].as_u64().unwrap() && phrase["count"] != 0, "{phrase}");
    }
}

#[test]
fn each_utterance_has_one_sentiment_in_order() {
    let output = output(TextStage::Sentiment(SentimentSpec { granularity: Granularity::Utterance }));
    let indices: Vec<u64> =
        output["utterances"].as_array().unwrap().iter().map(|one| one["index"].as_u64().unwrap()).collect();
    assert_eq!(indices, (0..8).collect::<Vec<_>>());
    assert!(["positive", "neutral", "negative"].contains(&output["document"]["label"].as_str().unwrap()));
}

#[test]
fn topics_have_labels_and_scores() {
    let output = output(TextStage::Topics);
    let topics = output["topics"].as_array().unwrap();
    assert!(!topics.is_empty() && topics.iter().all(|topic| topic["score"].as_f64().unwrap() > 0.0));
}
