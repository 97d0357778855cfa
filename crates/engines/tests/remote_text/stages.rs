//! What is made of a model's answers: looked up, placed, put together, whatever the model says.

use auris_domain::step::TextStage;
use auris_domain::step::spec::{EntitiesSpec, TaskSpec};
use auris_domain::transcript::{TextTranscript, TextUtterance};
use auris_engines::{CallContext, Ignore, TaskRequest, TaskSource, TextWork};
use serde_json::{Value, json};

use super::{answer, ask, engines, faulty, json_output, patient, run_over};

#[test]
fn an_entity_that_is_not_in_the_text_never_comes_out() {
    let made_up = r#"{"person": ["dana"], "location": ["Porto"]}"#;
    let (base_url, server) = faulty(vec![answer(made_up)]);
    let types = vec!["person".into(), "location".into()];
    let got =
        ask(&engines(&base_url, ""), TextWork::Stage(TextStage::Entities(EntitiesSpec { types }))).unwrap();
    let output = json_output(&got);
    let entities = output["entities"].as_array().unwrap();
    assert_eq!(entities.len(), 1);
    assert_eq!((entities[0]["text"].as_str(), entities[0]["end_char"].as_u64()), (Some("Dana"), Some(4)));
    server.join().unwrap();
}

const SAID: [&str; 4] = ["so hello there", "i am in Lisbon", "and i in Porto", "good bye then"];

fn conversation() -> TextTranscript {
    let said = |(place, text): (usize, &&str)| TextUtterance {
        text: (*text).into(),
        speaker: Some(if place % 2 == 0 { "A" } else { "B" }.into()),
        start: Some(place as f64),
        end: Some(place as f64 + 0.5),
    };
    let utterances = SAID.iter().enumerate().map(said).collect();
    TextTranscript { text: SAID.join(" "), language: None, utterances }
}

fn stage(work: TextWork, content: &str) -> Value {
    let (base_url, _) = patient(content);
    let engines = engines(&base_url, "");
    let answer = run_over(&engines, work, conversation(), &mut Ignore, &CallContext::alone());
    json_output(&answer.unwrap())
}

#[test]
fn the_label_of_a_speaker_is_no_entity() {
    let mut heard = conversation();
    heard.text = "i heard a beep".into();
    heard.utterances.truncate(1);
    heard.utterances[0].text = heard.text.clone();
    let (base_url, _) = patient(r#"{"person": ["A"], "sound": ["beep"]}"#);
    let work =
        TextWork::Stage(TextStage::Entities(EntitiesSpec { types: vec!["person".into(), "sound".into()] }));
    let engines = engines(&base_url, "");
    let answer = run_over(&engines, work, heard, &mut Ignore, &CallContext::alone()).unwrap();
    let output = json_output(&answer);
    let texts: Vec<_> =
        output["entities"].as_array().unwrap().iter().map(|one| one["text"].clone()).collect();
    assert_eq!(texts, ["beep"]);
}

#[test]
fn chapters_cover_the_text_without_gaps_whatever_order_they_come_in() {
    let told = json!({"chapters": [
        {"first_line": 2, "title": "Places", "summary": "Where they are."},
        {"first_line": 1, "title": "Hello", "summary": "They greet."},
    ]});
    let output = stage(TextWork::Stage(TextStage::Chapters), &told.to_string());
    let chapters = output["chapters"].as_array().unwrap();
    assert_eq!(
        (chapters[0]["title"].as_str(), chapters[1]["title"].as_str()),
        (Some("Hello"), Some("Places"))
    );
    assert_eq!((chapters[0]["start_char"].as_u64(), chapters[0]["end_char"].as_u64()), (Some(0), Some(30)));
    assert_eq!(chapters[1]["start_char"], 30);
    assert_eq!(chapters[1]["end_char"], SAID.join(" ").len());
    assert_eq!((chapters[1]["start"].as_f64(), chapters[1]["end"].as_f64()), (Some(2.0), Some(3.5)));
}

#[test]
fn chapters_of_one_title_in_a_row_are_one() {
    let told = json!({"chapters": [
        {"first_line": 0, "title": "Places", "summary": "Where they are."},
        {"first_line": 2, "title": "places", "summary": "Where they are."},
    ]});
    let output = stage(TextWork::Stage(TextStage::Chapters), &told.to_string());
    let chapters = output["chapters"].as_array().unwrap();
    assert_eq!(chapters.len(), 1);
    assert_eq!(chapters[0]["end_char"], SAID.join(" ").len());
}

#[test]
fn formatting_takes_only_paragraphs_with_the_words_that_were_said() {
    let told = json!({"paragraphs": [
        {"first_line": 0, "text": "So, hello there!"},
        {"first_line": 1, "text": "I am in Lisbon. And I in Madrid."},
        {"first_line": 3, "text": "Good bye, then."},
    ]});
    let output = stage(TextWork::Stage(TextStage::Formatting), &told.to_string());
    assert_eq!(output["text"], "So, hello there!\n\ni am in Lisbon\n\nand i in Porto\n\nGood bye, then.");
    assert_eq!(output["paragraphs"][3]["start_char"], 45);
}

#[test]
fn key_phrases_that_nobody_said_are_dropped_and_the_others_counted() {
    let output = stage(
        TextWork::Stage(TextStage::KeyPhrases),
        r#"{"key_phrases": ["lisbon", "Madrid", "i", "ello"]}"#,
    );
    let told: Vec<_> = output["key_phrases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["text"].clone(), one["count"].clone()))
        .collect();
    assert_eq!(told, [(json!("Lisbon"), json!(1)), (json!("i"), json!(2))]);
}

/// Longer than a server reads at once.
fn long() -> TextTranscript {
    let text = "Dana talked about the harvest of apples in the north of the country. ".repeat(120);
    TextTranscript { text: text.trim().to_owned(), ..TextTranscript::default() }
}

#[test]
fn a_long_text_is_read_in_windows_and_every_place_is_found_once() {
    let (base_url, asked) = patient(r#"{"person": ["Dana"]}"#);
    let engines = engines(&base_url, ", context_tokens = 4000");
    let work = TextWork::Stage(TextStage::Entities(EntitiesSpec { types: vec!["person".into()] }));
    let answer = run_over(&engines, work, long(), &mut Ignore, &CallContext::alone()).unwrap();
    let output = json_output(&answer);
    let places: Vec<u64> = output["entities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["start_char"].as_u64().unwrap())
        .collect();
    assert_eq!(places, (0..120).map(|number| number * 69).collect::<Vec<u64>>());
    assert!(asked.lock().unwrap().len() >= 2);
}

#[test]
fn sources_that_are_too_long_become_notes_and_the_task_is_done_over_those() {
    let (base_url, asked) = patient("They talked about apples.");
    let engines = engines(&base_url, ", context_tokens = 1500");
    let source = TaskSource { pointer: "#/transcript/text".into(), value: json!(long().text) };
    let spec = TaskSpec {
        instructions: Some("What is it about?".into()),
        max_output_tokens: 50,
        ..TaskSpec::default()
    };
    let task = TaskRequest { spec, sources: vec![source], flaw: None };
    let work = TextWork::Task(Box::new(task));
    let answer = run_over(&engines, work, long(), &mut Ignore, &CallContext::alone()).unwrap();
    let asked = asked.lock().unwrap();
    let content = |body: &Value| body["messages"][1]["content"].as_str().unwrap().to_owned();
    assert!(asked.len() >= 3 && content(&asked[0]).contains("see only your notes"));
    assert!(content(asked.last().unwrap()).starts_with("They talked about apples."));
    assert_eq!(answer.input_tokens, 11 * asked.len() as u64);
}
