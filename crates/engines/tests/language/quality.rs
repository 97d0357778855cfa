//! Measures a language model on the labeled conversations, for docs/models.md. Run by `scripts/soak --long`.

use std::sync::Arc;

use auris_domain::step::TextStage;
use auris_domain::step::spec::{EntitiesSpec, Granularity, SentimentSpec};
use auris_domain::transcript::{TextTranscript, TextUtterance};
use auris_engines::{CallContext, Engines, Ignore, TextRequest, TextWork};
use serde_json::Value;

use super::{LARGE, SMALL, engines};

/// Counts of found, expected and correct items.
#[derive(Debug, Default, Clone, Copy)]
struct Score {
    found: usize,
    wanted: usize,
    right: usize,
}

impl Score {
    fn print(self, model: &str, what: &str) {
        let share = |of: usize| self.right as f64 / of.max(1) as f64;
        eprintln!("{model}, {what}: precision {:.2}, recall {:.2}", share(self.found), share(self.wanted));
    }
}

fn conversations() -> Vec<Value> {
    serde_json::from_str(include_str!("../data/conversations.json")).unwrap()
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value[name].as_array().unwrap().iter()
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap().to_owned()
}

fn ask(engines: &Engines, model: &str, conversation: &Value, stage: TextStage) -> Value {
    let to_utterance = |utterance: &Value| TextUtterance {
        text: text(utterance, "text"),
        speaker: utterance["speaker"].as_str().map(str::to_owned),
        ..TextUtterance::default()
    };
    let utterances: Vec<TextUtterance> = list(conversation, "utterances").map(to_utterance).collect();
    let whole = utterances.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(" ");
    let transcript = Arc::new(TextTranscript { text: whole, language: Some("en".into()), utterances });
    let request = TextRequest { work: TextWork::Stage(stage), transcript };
    let model = engines.text(model).unwrap();
    let answer = model.run(&request, &mut Ignore, &CallContext::alone()).unwrap();
    serde_json::to_value(answer.output).unwrap()
}

fn sentiment(engines: &Engines, model: &str) -> [Score; 3] {
    let mut scores = [Score::default(); 3];
    let index =
        |label: &str| ["positive", "negative", "neutral"].iter().position(|one| *one == label).unwrap();
    for conversation in conversations() {
        let stage = TextStage::Sentiment(SentimentSpec { granularity: Granularity::Utterance });
        let output = ask(engines, model, &conversation, stage);
        for (gold, judged) in list(&conversation, "utterances").zip(list(&output, "utterances")) {
            let (wanted, found) = (index(&text(gold, "sentiment")), index(&text(judged, "label")));
            scores[wanted].wanted += 1;
            scores[found].found += 1;
            scores[found].right += usize::from(wanted == found);
        }
    }
    scores
}

fn entities(engines: &Engines, model: &str) -> Score {
    let mut score = Score::default();
    for conversation in conversations() {
        let output = ask(engines, model, &conversation, TextStage::Entities(EntitiesSpec { types: vec![] }));
        let entity = |entity: &Value| (text(entity, "text"), text(entity, "type"));
        let mut found: Vec<_> = list(&output, "entities").map(entity).collect();
        score.found += found.len();
        for wanted in list(&conversation, "utterances").flat_map(|one| list(one, "entities")).map(entity) {
            score.wanted += 1;
            if let Some(index) = found.iter().position(|found| *found == wanted) {
                found.remove(index);
                score.right += 1;
            }
        }
    }
    score
}

/// A found phrase is correct if it contains all words of an expected phrase, or the other way round.
fn key_phrases(engines: &Engines, model: &str) -> Score {
    let mut score = Score::default();
    let words = |phrase: &str| -> Vec<String> {
        phrase.to_lowercase().split(' ').map(|word| word.trim_end_matches('s').to_owned()).collect()
    };
    let within = |one: &[String], other: &[String]| one.iter().all(|word| other.contains(word));
    for conversation in conversations() {
        let output = ask(engines, model, &conversation, TextStage::KeyPhrases);
        let found: Vec<_> = list(&output, "key_phrases").map(|phrase| words(&text(phrase, "text"))).collect();
        let wanted: Vec<_> =
            list(&conversation, "key_phrases").map(|phrase| words(phrase.as_str().unwrap())).collect();
        let right =
            |wanted: &&Vec<String>| found.iter().any(|found| within(found, wanted) || within(wanted, found));
        score.found += found.len();
        score.wanted += wanted.len();
        score.right += wanted.iter().filter(right).count();
    }
    score
}

#[test]
fn soak_labelled_conversations() {
    let model = match std::env::var("AURIS_SOAK_LANGUAGE") {
        Ok(model) if model == LARGE || model == SMALL => model,
        Ok(other) => panic!("AURIS_SOAK_LANGUAGE is `{other}`; use {LARGE} or {SMALL}"),
        Err(_) => return,
    };
    let (_folder, engines) = engines();
    for (score, what) in sentiment(&engines, &model).into_iter().zip(["positive", "negative", "neutral"]) {
        score.print(&model, what);
    }
    entities(&engines, &model).print(&model, "entities");
    key_phrases(&engines, &model).print(&model, "key phrases");
}
