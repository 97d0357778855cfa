//! Outputs of steps.

use auris_domain::model::Capability;
use auris_domain::step::StepOutput;
use serde_json::{Value, json};

use super::{example, example_without, parse};

/// The example of each capability's output, and a field that the output must have.
pub(crate) const OUTPUTS: [(Capability, &str, &str); 10] = [
    (Capability::Transcription, "Transcript", "segments"),
    (Capability::Diarization, "Diarization", "turns"),
    (Capability::Chapters, "Chapters", "chapters"),
    (Capability::Entities, "Entities", "entities"),
    (Capability::Formatting, "Formatting", "paragraphs"),
    (Capability::KeyPhrases, "KeyPhrases", "key_phrases"),
    (Capability::Sentiment, "Sentiment", "document"),
    (Capability::Summary, "Summary", "bullets"),
    (Capability::Topics, "Topics", "topics"),
    (Capability::Task, "TaskOutput", "text"),
];

fn rewritten(capability: Capability, text: &str) -> Value {
    let output = StepOutput::from_column(capability, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    serde_json::to_value(output).unwrap()
}

#[test]
fn every_output_is_read_and_written_unchanged() {
    for (capability, name, _) in OUTPUTS {
        let text = example(name);
        assert_eq!(rewritten(capability, &text), parse(&text), "{name}");
    }
}

#[test]
fn an_output_without_a_required_field_is_an_error() {
    for (capability, name, field) in OUTPUTS {
        let text = example_without(name, field);
        assert!(StepOutput::from_column(capability, &text).is_err(), "{name} without `{field}`");
    }
}

#[test]
fn an_output_of_another_capability_is_an_error() {
    for (capability, _, _) in OUTPUTS {
        for (_, name, _) in OUTPUTS.iter().filter(|(other, _, _)| *other != capability) {
            let read = StepOutput::from_column(capability, &example(name));
            assert!(read.is_err(), "{capability:?} read from {name}");
        }
    }
}

#[test]
fn text_that_is_not_an_output_is_an_error() {
    for (capability, _, _) in OUTPUTS {
        for text in ["", "null", "[]", "{}", "{", "1"] {
            assert!(StepOutput::from_column(capability, text).is_err(), "{capability:?} read from `{text}`");
        }
    }
}

#[test]
fn unknown_values_of_an_enum_are_errors() {
    let summary = example("Summary").replace("brief", "long");
    assert!(StepOutput::from_column(Capability::Summary, &summary).is_err());
    for (known, unknown) in [("\"utterance\"", "\"word\""), ("\"positive\"", "\"glad\"")] {
        let sentiment = example("Sentiment").replace(known, unknown);
        assert!(StepOutput::from_column(Capability::Sentiment, &sentiment).is_err(), "{unknown}");
    }
}

#[test]
fn optional_parts_may_be_null() {
    let mut chapters = parse(&example("Chapters"));
    chapters["chapters"][0]["start"] = Value::Null;
    chapters["chapters"][0]["end"] = Value::Null;
    assert_eq!(rewritten(Capability::Chapters, &chapters.to_string()), chapters);
    let mut entities = parse(&example("Entities"));
    entities["entities"][0]["confidence"] = Value::Null;
    entities["entities"][0]["start"] = Value::Null;
    assert_eq!(rewritten(Capability::Entities, &entities.to_string()), entities);
    let text_task = json!({"text": "Yes.", "json": null});
    assert_eq!(rewritten(Capability::Task, &text_task.to_string()), text_task);
}

#[test]
fn the_sentiment_of_sentences_keeps_their_positions() {
    let mut sentiment = parse(&example("Sentiment"));
    sentiment["utterances"][0]["start_char"] = json!(0);
    sentiment["utterances"][0]["end_char"] = json!(19);
    assert_eq!(rewritten(Capability::Sentiment, &sentiment.to_string()), sentiment);
}
