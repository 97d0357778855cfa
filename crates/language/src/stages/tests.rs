//! Implausible answers of a stage: which are asked for once more, within the bound, and what becomes of the second one.

use std::sync::Arc;

use auris_domain::step::spec::{EntitiesSpec, SummarySpec, SummaryType};
use auris_domain::step::{StepOutput, TextStage};
use auris_engine_core::text::{TextAnswer, TextRequest, TextTranscript, TextUtterance, TextWork};
use auris_engine_core::{CallContext, EngineError, Ignore, TextModel};
use serde_json::{Value, json};

use crate::LanguageModel;
use crate::scripted_chat::ScriptedChat;

/// A talk of fifty lines of ten seconds.
fn talk() -> TextTranscript {
    first_lines_of_talk(50)
}

fn first_lines_of_talk(count: usize) -> TextTranscript {
    let said = |nth: usize| TextUtterance {
        text: format!("so my name is Dana Whitfield and this is line {}", 100 + nth),
        speaker: Some(if nth.is_multiple_of(2) { "A" } else { "B" }.into()),
        start: Some(10.0 * nth as f64),
        end: Some(10.0 * nth as f64 + 9.0),
    };
    let utterances: Vec<TextUtterance> = (0..count).map(said).collect();
    let text = utterances.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(" ");
    TextTranscript { text, language: Some("en".into()), utterances }
}

/// The answer of a stage to a script, and its questions. Checks that the stage stays within its bound.
fn run(stage: TextStage, script: &[Value]) -> (Result<TextAnswer, EngineError>, Vec<String>) {
    run_on(talk(), stage, script)
}

fn run_on(
    transcript: TextTranscript,
    stage: TextStage,
    script: &[Value],
) -> (Result<TextAnswer, EngineError>, Vec<String>) {
    let answers: Vec<String> = script.iter().map(Value::to_string).collect();
    let chat = Arc::new(ScriptedChat::new(&answers));
    let model = LanguageModel { chat: chat.clone() };
    let request = TextRequest { work: TextWork::Stage(stage), transcript: Arc::new(transcript) };
    let bound = model.token_bound(&request, 0).unwrap().unwrap();
    let answer = model.run(&request, &mut Ignore, &CallContext::alone());
    if let Ok(answer) = &answer {
        assert!(answer.input_tokens <= bound.input && answer.output_tokens <= bound.output, "{bound:?}");
    }
    (answer, chat.questions())
}

fn output(answer: Result<TextAnswer, EngineError>) -> Value {
    match answer.unwrap().output {
        StepOutput::Stage(stage) => serde_json::to_value(stage).unwrap(),
        other => panic!("{other:?} is not the output of a stage"),
    }
}

fn chapters(first_lines: &[usize]) -> Value {
    let chapter =
        |line: &usize| json!({"first_line": line, "title": format!("Part {line}"), "summary": "They talk."});
    json!({"chapters": first_lines.iter().map(chapter).collect::<Vec<_>>()})
}

#[test]
fn chapters_that_do_not_cover_the_text_are_asked_for_once_more() {
    let (answer, questions) = run(TextStage::Chapters, &[chapters(&[0, 2, 4]), chapters(&[0, 20, 40])]);
    let output = output(answer);
    let starts: Vec<f64> =
        output["chapters"].as_array().unwrap().iter().map(|one| one["start"].as_f64().unwrap()).collect();
    assert_eq!(starts, [0.0, 200.0, 400.0]);
    assert_eq!(questions.len(), 2);
    assert!(questions[1].contains("could not be used") && questions[1].contains("first 5 of 50 lines"));
}

#[test]
fn chapters_that_are_implausible_twice_fail_the_step() {
    let (answer, questions) = run(TextStage::Chapters, &[chapters(&[0, 2, 4]), chapters(&[0, 3])]);
    assert!(matches!(&answer, Err(EngineError::BadAnswer { truncated: false, .. })), "{answer:?}");
    assert_eq!(questions.len(), 2);
    let (invalid, questions) = run(TextStage::Chapters, &[json!({"chapters": 1}), chapters(&[0, 2])]);
    assert!(matches!(&invalid, Err(EngineError::BadAnswer { truncated: false, .. })), "{invalid:?}");
    assert_eq!(questions.len(), 2);
}

#[test]
fn chapters_of_a_short_talk_are_corrected_and_never_fail_the_step() {
    let first_lines = |answer: Result<TextAnswer, EngineError>| -> Vec<(String, f64)> {
        let output = output(answer);
        let chapters = output["chapters"].as_array().unwrap();
        let chapter =
            |one: &Value| (one["title"].as_str().unwrap().to_owned(), one["start"].as_f64().unwrap());
        chapters.iter().map(chapter).collect()
    };
    let named = |title: &str, start: f64| (title.to_owned(), start);
    // A greeting and a farewell of two seconds, and eight lines of nine between them.
    let talk = || {
        let mut talk = first_lines_of_talk(10);
        talk.utterances[0].end = Some(2.0);
        talk.utterances[9].end = Some(92.0);
        talk
    };
    let (answer, questions) = run_on(talk(), TextStage::Chapters, &[chapters(&[0, 9]), chapters(&[0, 5])]);
    assert_eq!(
        (first_lines(answer), questions.len()),
        (vec![named("Part 0", 0.0), named("Part 5", 50.0)], 2)
    );
    assert!(questions[1].contains("a few words long"), "{}", questions[1]);
    // The greeting belongs to the chapter after it, and the farewell to the one before.
    let wrong = chapters(&[0, 1]);
    let (answer, questions) = run_on(talk(), TextStage::Chapters, &[wrong.clone(), wrong]);
    assert_eq!((first_lines(answer), questions.len()), (vec![named("Part 1", 0.0)], 2));
    let (answer, _) = run_on(talk(), TextStage::Chapters, &[chapters(&[0, 9]), chapters(&[0, 9])]);
    assert_eq!(first_lines(answer), [named("Part 0", 0.0)]);
    let late = chapters(&[4, 6]);
    let (answer, questions) = run_on(talk(), TextStage::Chapters, &[late.clone(), late]);
    assert_eq!(
        (first_lines(answer), questions.len()),
        (vec![named("Part 4", 0.0), named("Part 6", 60.0)], 2)
    );
    let (answer, questions) = run_on(first_lines_of_talk(2), TextStage::Chapters, &[chapters(&[0, 1])]);
    assert_eq!((first_lines(answer).len(), questions.len()), (2, 1));
}

#[test]
fn the_text_of_a_summary_in_points_has_a_full_stop_after_each() {
    let bullets = TextStage::Summary(SummarySpec { kind: SummaryType::Bullets });
    let points = ["Diane is from New Jersey", "Sheila is from Texas.", "Both come from Chicago"];
    let (answer, _) = run(bullets, &[json!({"bullets": points})]);
    let output = output(answer);
    assert_eq!(output["text"], "Diane is from New Jersey. Sheila is from Texas. Both come from Chicago.");
    assert_eq!(output["bullets"], json!(points));
}

#[test]
fn plausible_answers_are_asked_for_once() {
    let (answer, questions) = run(TextStage::Chapters, &[chapters(&[0, 24])]);
    assert!(answer.is_ok());
    assert_eq!(questions.len(), 1);
    let (answer, questions) =
        run(TextStage::KeyPhrases, &[json!({"key_phrases": ["Dana Whitfield", "Lisbon"]})]);
    assert_eq!((output(answer)["key_phrases"].as_array().unwrap().len(), questions.len()), (1, 1));
}

#[test]
fn an_empty_list_is_asked_for_once_more_and_then_accepted() {
    let types = vec!["person".to_owned()];
    let entities = || TextStage::Entities(EntitiesSpec { types: types.clone() });
    let (empty, found) = (json!({"person": []}), json!({"person": ["Dana Whitfield"]}));
    let (answer, questions) = run(entities(), &[empty.clone(), found]);
    assert_eq!((output(answer)["entities"].as_array().unwrap().len(), questions.len()), (50, 2));
    let invented = json!({"person": ["Peter Porto"]});
    for second in [empty.clone(), invented, json!("no")] {
        let (answer, questions) = run(entities(), &[empty.clone(), second]);
        assert_eq!((&output(answer)["entities"], questions.len()), (&json!([]), 2));
    }
    let (answer, questions) =
        run(TextStage::KeyPhrases, &[json!({"key_phrases": []}), json!({"key_phrases": ["Lisbon"]})]);
    assert_eq!((&output(answer)["key_phrases"], questions.len()), (&json!([]), 2));
}

#[test]
fn an_empty_list_of_a_callers_own_type_is_believed() {
    let types = vec!["sound".to_owned()];
    let (answer, questions) = run(TextStage::Entities(EntitiesSpec { types }), &[json!({"sound": []})]);
    assert_eq!((&output(answer)["entities"], questions.len()), (&json!([]), 1));
}

#[test]
fn a_summary_has_whole_sentences_and_no_loops() {
    let brief = || TextStage::Summary(SummarySpec { kind: SummaryType::Brief });
    let summary = |text: &str| json!({"summary": text});
    let (answer, questions) =
        run(brief(), &[summary("A says her name to B, who counts the lines. Then they")]);
    let whole = "A says her name to B, who counts the lines.";
    assert_eq!((output(answer)["text"].as_str(), questions.len()), (Some(whole), 1));
    let mostly_cut = summary("A talks. Then A says her name to B, and B counts the lines of the talk and");
    let (answer, questions) = run(brief(), &[mostly_cut.clone(), mostly_cut]);
    assert_eq!((output(answer)["text"].as_str(), questions.len()), (Some("A talks."), 2));
    let looped = summary(&"A says her name and then ".repeat(20));
    let (answer, questions) = run(brief(), &[looped.clone(), summary("A says her name to B.")]);
    assert_eq!((output(answer)["text"].as_str(), questions.len()), (Some("A says her name to B."), 2));
    let (answer, questions) = run(brief(), &[looped.clone(), looped]);
    assert_eq!((output(answer)["text"].as_str(), questions.len()), (Some("A says her name and then."), 2));
}

#[test]
fn the_prompt_of_a_summary_shows_who_says_what() {
    let brief = TextStage::Summary(SummarySpec { kind: SummaryType::Brief });
    let (_, questions) = run(brief, &[json!({"summary": "A and B talk."})]);
    assert!(questions[0].contains("who asks and who answers"), "{}", questions[0]);
}
