//! Transcripts that an analysis reads.

use auris_domain::transcript::{SourceTranscript, Transcript};
use serde_json::{Value, json};

use super::{assert_round_trip, example, parse};

#[test]
fn an_engines_transcript_is_read_and_written_unchanged() {
    let recognised: Transcript = assert_round_trip("Transcript");
    let source: SourceTranscript = assert_round_trip("Transcript");
    assert_eq!(source.as_recognised(), Some(recognised));
    assert_eq!(source.timed_words().len(), 3);
}

#[test]
fn a_callers_transcript_is_written_with_its_missing_lists() {
    let text = example("TranscriptInput");
    let transcript = SourceTranscript::from_json(&text).unwrap();
    let mut expected = parse(&text);
    expected["segments"] = json!([]);
    let written = serde_json::to_value(&transcript).unwrap();
    assert_eq!(written, expected);
    let read_again = SourceTranscript::from_json(&written.to_string()).unwrap();
    assert_eq!(serde_json::to_value(&read_again).unwrap(), written);
    let speakers: Vec<Option<String>> = transcript.passages().map(|passage| passage.speaker).collect();
    assert_eq!(speakers, [Some("A".to_owned()), Some("B".to_owned())]);
}

#[test]
fn fields_that_the_api_does_not_name_are_kept() {
    let mut transcript = parse(&example("Transcript"));
    transcript["channel"] = json!({"id": 2});
    transcript["utterances"][0]["note"] = json!([null, 1.5]);
    transcript["segments"][0]["start"] = json!("00:01");
    let read = SourceTranscript::from_json(&transcript.to_string()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), transcript);
}

#[test]
fn text_that_is_not_a_transcript_is_an_error() {
    for text in ["", "null", "[]", "{", "{}", r#"{"text": 1}"#, r#"{"text": "", "segments": {}}"#] {
        assert!(SourceTranscript::from_json(text).is_err(), "{text}");
    }
    let mut without_times = parse(&example("Transcript"));
    without_times["segments"][0]["start"] = Value::Null;
    assert!(serde_json::from_value::<Transcript>(without_times).is_err());
}
