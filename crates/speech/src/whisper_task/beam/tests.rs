use auris_models::BeamSearch;

use super::*;
use crate::net::Margin;
use crate::speech_model::Recognised;
use crate::whisper_task::WhisperTask;
use crate::whisper_task::tests::{
    END, MULTILINGUAL, ONE, Record, TWO, ZERO, hints, rules, run, segment, texts,
};

/// Scores of these tokens, far above all others.
fn scores(best: &[(u32, f32)]) -> Vec<f32> {
    let mut scores = vec![-30.0; MULTILINGUAL];
    scores[END as usize] = -60.0;
    best.iter().for_each(|(token, score)| scores[*token as usize] = *score);
    scores
}

/// What was decoded after the start token, the language and the task.
fn spoken(fed: &[u32]) -> &[u32] {
    fed.get(3..).unwrap_or_default()
}

/// Scores that depend on all tokens before and on nothing else. Often a timestamp is the best, sometimes the end.
fn random(tokens: &[u32], seed: u64) -> Vec<f32> {
    let mut state = tokens.iter().fold(seed, |hash, token| {
        (hash ^ u64::from(*token)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
    });
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    let mut scores: Vec<f32> = (0..MULTILINGUAL).map(|_| 12.0 * next()).collect();
    scores[END as usize] = 13.0 * next();
    scores[ZERO as usize..].iter_mut().for_each(|score| *score -= 5.0);
    scores
}

/// Transcribes two seconds with a beam and the usual limit; one text without a second pass.
fn transcribe(width: usize, model: impl FnMut(&[u32]) -> Vec<f32>) -> (Recognised, Record) {
    let below = if width > 1 { BeamSearch::USUAL_BELOW } else { 0.0 };
    transcribe_with(BeamSearch { width, below }, model)
}

fn transcribe_with(beam: BeamSearch, model: impl FnMut(&[u32]) -> Vec<f32>) -> (Recognised, Record) {
    let rules = Arc::into_inner(rules(MULTILINGUAL)).unwrap().with_beam(beam);
    run(WhisperTask::new(Arc::new(rules), segment(2), &hints(Some("en"), &[])), model)
}

/// The tokens that a beam chooses, and all texts that it followed.
fn search(width: usize, model: impl Fn(&[u32]) -> Vec<f32>) -> (Vec<u32>, Vec<Vec<u32>>) {
    let rules = rules(MULTILINGUAL);
    let mut beam = Beam::new(width, 150, f64::INFINITY, None);
    let (mut open, mut followed) = (vec![Vec::new()], Vec::new());
    loop {
        let mut rows: Vec<Vec<f32>> = open.iter().map(|tokens: &Vec<u32>| model(tokens)).collect();
        let mut scored: Vec<_> = rows.iter_mut().map(|scores| ScoredRow { scores, attention: &[] }).collect();
        let next = match beam.advance(&mut scored, &rules) {
            BeamStep::Continue(next) => next,
            BeamStep::Loop => panic!("random tokens are no loop"),
            BeamStep::Done(window) => return (window.ids(), followed),
        };
        open = next.iter().map(|row| [open[row.parent].as_slice(), &[row.token]].concat()).collect();
        followed.extend(open.iter().cloned());
    }
}

#[test]
fn a_beam_finds_a_more_probable_text_than_greedy_decoding() {
    // "one" is the more probable beginning, but then no letter is probable.
    let model = |fed: &[u32]| match spoken(fed) {
        [] => scores(&[(ZERO, 20.0)]),
        [_] => scores(&[(ONE, 20.0), (TWO, 19.6)]),
        [_, ONE] => scores(&(97..107).map(|letter| (letter, 20.0)).collect::<Vec<_>>()),
        _ => scores(&[(END, 20.0)]),
    };
    let (greedy, record) = transcribe(1, model);
    assert_eq!((texts(&greedy), record.most_rows), (vec![" onea"], 1));
    let (better, record) = transcribe(2, model);
    assert_eq!((texts(&better), record.most_rows), (vec![" two"], 2));
    assert_eq!(record.plans, [(Margin::Short, 1), (Margin::Full, 2)], "a quick pass, then a careful one");
}

#[test]
fn a_beam_of_one_equals_greedy_decoding() {
    for seed in 1..6 {
        let (_, record) = transcribe(1, |fed| random(spoken(fed), seed));
        let (chosen, _) = search(1, |tokens| random(tokens, seed));
        assert_eq!(chosen, spoken(&record.decodings[0]), "seed {seed}");
    }
}

#[test]
fn every_text_keeps_the_rules_of_timestamps() {
    let (_, followed) = search(4, |tokens| random(tokens, 7));
    for tokens in followed {
        assert!((ZERO..=ZERO + 50).contains(&tokens[0]), "{tokens:?}");
        let times: Vec<u32> = tokens.iter().copied().filter(|token| *token >= ZERO).collect();
        assert!(times.is_sorted(), "{tokens:?}");
    }
}

#[test]
fn a_text_that_the_model_is_sure_of_is_not_decoded_again() {
    let text = [ZERO, ONE, TWO, ONE, ZERO + 100];
    let model = |fed: &[u32]| {
        let next = text.get(spoken(fed).len()).copied().unwrap_or(END);
        scores(&[(next, 20.0)])
    };
    let (greedy, _) = transcribe(1, model);
    let (beam, record) = transcribe(3, model);
    assert_eq!(texts(&greedy), [" one two one"]);
    assert_eq!((beam.segments, record.plans), (greedy.segments, vec![(Margin::Short, 1)]));
}

#[test]
fn an_unsure_text_has_the_same_words_and_times_in_a_careful_pass_if_there_is_no_better_one() {
    let text = [ZERO, ONE, TWO, ONE, ZERO + 100];
    let letters: Vec<(u32, f32)> = (97..107).map(|letter| (letter, 18.0)).collect();
    let model = |fed: &[u32]| {
        let next = text.get(spoken(fed).len()).copied().unwrap_or(END);
        scores(&[&letters[..], &[(next, 20.0)]].concat())
    };
    let (greedy, _) = transcribe(1, model);
    let (beam, record) = transcribe(3, model);
    assert_eq!(texts(&greedy), [" one two one"]);
    assert_eq!((beam.segments, record.most_rows), (greedy.segments, 3));
}

#[test]
fn a_limit_without_a_beam_gives_an_unsure_text_a_second_pass_in_one_row() {
    let text = [ZERO, ONE, TWO, ONE, ZERO + 100];
    let letters: Vec<(u32, f32)> = (97..107).map(|letter| (letter, 18.0)).collect();
    let model = |fed: &[u32]| {
        let next = text.get(spoken(fed).len()).copied().unwrap_or(END);
        scores(&[&letters[..], &[(next, 20.0)]].concat())
    };
    for (below, plans) in [
        (0.0, vec![(Margin::Short, 1)]),
        (0.1, vec![(Margin::Short, 1)]),
        (0.78, vec![(Margin::Short, 1), (Margin::Full, 1)]),
    ] {
        let (recognised, record) = transcribe_with(BeamSearch { width: 1, below }, model);
        assert_eq!(texts(&recognised), [" one two one"]);
        assert_eq!((record.plans, record.most_rows), (plans, 1), "below {below}");
    }
}

#[test]
fn a_loop_is_decoded_again_in_one_row_and_dropped_if_it_stays() {
    let model = |fed: &[u32]| match spoken(fed) {
        [] => scores(&[(ZERO, 20.0)]),
        _ => scores(&[(ONE, 20.0)]),
    };
    let (recognised, record) = transcribe(3, model);
    assert_eq!((texts(&recognised), record.most_rows), (vec![], 3));
    assert_eq!(record.decodings.len(), 1 + 3 + 2, "one row, then three, then one, twice");
}
