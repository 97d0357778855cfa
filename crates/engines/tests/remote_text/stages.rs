//! How stages use a model's answers: text is located in the transcript, and what is not in it is dropped.

use auris_domain::step::TextStage;
use auris_domain::step::spec::{EntitiesSpec, TaskSpec};
use auris_domain::transcript::{TextTranscript, TextUtterance};
use auris_engines::{TaskRequest, TaskSource, TextWork};
use serde_json::{Value, json};

use super::{answer, answering, ask, engines, json_output, run_on, scripted};

#[test]
fn an_entity_that_is_not_in_the_text_is_dropped() {
    let made_up = r#"{"person": ["dana"], "location": ["Porto"]}"#;
    let (base_url, server) = scripted(vec![answer(made_up)]);
    let types = vec!["person".into(), "location".into()];
    let got =
        ask(&engines(&base_url, ""), TextWork::Stage(TextStage::Entities(EntitiesSpec { types }))).unwrap();
    let output = json_output(&got);
    let entities = output["entities"].as_array().unwrap();
    assert_eq!(entities.len(), 1);
    assert_eq!((entities[0]["text"].as_str(), entities[0]["end_char"].as_u64()), (Some("Dana"), Some(4)));
    server.join().unwrap();
}

const LINES: [&str; 4] = ["so hello there", "i am in Lisbon", "and i in Porto", "good bye then"];

fn conversation() -> TextTranscript {
    let utterance = |(index, text): (usize, &&str)| TextUtterance {
        text: (*text).into(),
        speaker: Some(if index % 2 == 0 { "A" } else { "B" }.into()),
        start: Some(4.0 * index as f64),
        end: Some(4.0 * index as f64 + 3.5),
    };
    let utterances = LINES.iter().enumerate().map(utterance).collect();
    TextTranscript { text: LINES.join(" "), language: None, utterances }
}

fn stage(work: TextWork, content: &str) -> Value {
    let (base_url, _) = answering(content);
    let engines = engines(&base_url, "");
    let answer = run_on(&engines, work, conversation());
    json_output(&answer.unwrap())
}

#[test]
fn a_speaker_label_is_not_an_entity() {
    let mut transcript = conversation();
    transcript.text = "i heard a beep".into();
    transcript.utterances.truncate(1);
    transcript.utterances[0].text = transcript.text.clone();
    let (base_url, _) = answering(r#"{"person": ["A"], "sound": ["beep"]}"#);
    let work =
        TextWork::Stage(TextStage::Entities(EntitiesSpec { types: vec!["person".into(), "sound".into()] }));
    let engines = engines(&base_url, "");
    let answer = run_on(&engines, work, transcript).unwrap();
    let output = json_output(&answer);
    let texts: Vec<_> =
        output["entities"].as_array().unwrap().iter().map(|one| one["text"].clone()).collect();
    assert_eq!(texts, ["beep"]);
}

#[test]
fn chapters_cover_the_text_without_gaps_in_whatever_order_the_model_lists_them() {
    let response = json!({"chapters": [
        {"first_line": 2, "title": "Places", "summary": "Where they are."},
        {"first_line": 1, "title": "Hello", "summary": "They greet."},
    ]});
    let output = stage(TextWork::Stage(TextStage::Chapters), &response.to_string());
    let chapters = output["chapters"].as_array().unwrap();
    assert_eq!(
        (chapters[0]["title"].as_str(), chapters[1]["title"].as_str()),
        (Some("Hello"), Some("Places"))
    );
    assert_eq!((chapters[0]["start_char"].as_u64(), chapters[0]["end_char"].as_u64()), (Some(0), Some(30)));
    assert_eq!(chapters[1]["start_char"], 30);
    assert_eq!(chapters[1]["end_char"], LINES.join(" ").len());
    assert_eq!((chapters[1]["start"].as_f64(), chapters[1]["end"].as_f64()), (Some(8.0), Some(15.5)));
}

#[test]
fn consecutive_chapters_with_the_same_title_are_merged() {
    let response = json!({"chapters": [
        {"first_line": 0, "title": "Places", "summary": "Where they are."},
        {"first_line": 2, "title": "places", "summary": "Where they are."},
    ]});
    let output = stage(TextWork::Stage(TextStage::Chapters), &response.to_string());
    let chapters = output["chapters"].as_array().unwrap();
    assert_eq!(chapters.len(), 1);
    assert_eq!(chapters[0]["end_char"], LINES.join(" ").len());
}

#[test]
fn formatting_accepts_only_paragraphs_with_the_spoken_words() {
    let response = json!({"paragraphs": [
        {"first_line": 0, "text": "So, hello there!"},
        {"first_line": 1, "text": "I am in Lisbon. And I in Madrid."},
        {"first_line": 3, "text": "Good bye, then."},
    ]});
    let output = stage(TextWork::Stage(TextStage::Formatting), &response.to_string());
    assert_eq!(output["text"], "So, hello there!\n\ni am in Lisbon\n\nand i in Porto\n\nGood bye, then.");
    assert_eq!(output["paragraphs"][3]["start_char"], 45);
}

#[test]
fn key_phrases_that_are_not_in_the_text_are_dropped_and_the_others_counted() {
    let output = stage(
        TextWork::Stage(TextStage::KeyPhrases),
        r#"{"key_phrases": ["lisbon", "Madrid", "i", "ello"]}"#,
    );
    let phrases: Vec<_> = output["key_phrases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["text"].clone(), one["count"].clone()))
        .collect();
    assert_eq!(phrases, [(json!("Lisbon"), json!(1)), (json!("i"), json!(2))]);
}

/// A transcript that is longer than the context of the model.
fn long_transcript() -> TextTranscript {
    let text = "Dana talked about the harvest of apples in the north of the country. ".repeat(120);
    TextTranscript { text: text.trim().to_owned(), ..TextTranscript::default() }
}

#[test]
fn a_long_text_is_read_in_windows_and_every_entity_is_reported_once() {
    let (base_url, requests) = answering(r#"{"person": ["Dana"]}"#);
    let engines = engines(&base_url, ", context_tokens = 4000");
    let work = TextWork::Stage(TextStage::Entities(EntitiesSpec { types: vec!["person".into()] }));
    let answer = run_on(&engines, work, long_transcript()).unwrap();
    let output = json_output(&answer);
    let offsets: Vec<u64> = output["entities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["start_char"].as_u64().unwrap())
        .collect();
    assert_eq!(offsets, (0..120).map(|number| number * 69).collect::<Vec<u64>>());
    assert!(requests.lock().unwrap().len() >= 2);
}

#[test]
fn sources_that_are_too_long_are_condensed_to_notes_before_the_task() {
    let (base_url, requests) = answering("They talked about apples.");
    let engines = engines(&base_url, ", context_tokens = 1500");
    let source = TaskSource { pointer: "#/transcript/text".into(), text: long_transcript().text };
    let spec = TaskSpec {
        instructions: Some("What is it about?".into()),
        max_output_tokens: 50,
        ..TaskSpec::default()
    };
    let task = TaskRequest { spec, sources: vec![source], flaw: None };
    let work = TextWork::Task(Box::new(task));
    let answer = run_on(&engines, work, long_transcript()).unwrap();
    let requests = requests.lock().unwrap();
    let content = |body: &Value| body["messages"][1]["content"].as_str().unwrap().to_owned();
    assert!(requests.len() >= 3 && content(&requests[0]).contains("see only your notes"));
    assert!(content(requests.last().unwrap()).starts_with("They talked about apples."));
    assert_eq!(answer.input_tokens, 11 * requests.len() as u64);
}
