//! Scores of recordings, with values computed by hand.
use auris_evaluation::reference::{read_ctm, read_stm};
use auris_evaluation::{EditCounts, Reference, Scorer, SpokenWord};

fn timed(words: &[(&str, f64, f64)]) -> Vec<SpokenWord> {
    let word = |(text, start, end): &(&str, f64, f64)| SpokenWord {
        start: Some(*start),
        end: Some(*end),
        ..SpokenWord::new(text)
    };
    words.iter().map(word).collect()
}

#[test]
fn errors_are_counted_after_normalization() {
    let scorer = Scorer::new(&SpokenWord::list("Mr. Smith paid $20, didn't he?"), "en");
    let score = scorer.score(&SpokenWord::list("mister smith paid 20 dollars did he now")).unwrap();
    // mister smith paid $20 did not he: `not` is missing, `now` is added.
    assert_eq!(score.counts, EditCounts { words: 7, inserted: 1, deleted: 1, substituted: 0 });
    let changes: Vec<(bool, &str, &str)> = score.passages[0]
        .changes
        .iter()
        .map(|change| (change.same, change.reference.as_str(), change.found.as_str()))
        .collect();
    let expected = [
        (true, "Mr. Smith paid $20,", "mister smith paid 20 dollars"),
        (false, "didn't", "did"),
        (true, "he?", "he"),
        (false, "", "now"),
    ];
    assert_eq!(changes, expected);
}

#[test]
fn chinese_is_counted_in_characters() {
    let scorer = Scorer::new(&SpokenWord::list("今天天气很好。"), "zh");
    let score = scorer.score(&SpokenWord::list("今天 天汽很好")).unwrap();
    assert_eq!(score.counts, EditCounts { words: 6, inserted: 0, deleted: 0, substituted: 1 });
    assert_eq!(score.passages[0].changes[1].reference, "气");
}

#[test]
fn a_long_text_is_cut_into_passages_at_the_ends_of_sentences() {
    let sentence = "one more sentence with enough words that it ends a passage here. ";
    let scorer = Scorer::new(&SpokenWord::list(&sentence.repeat(5)), "en");
    let mut found = SpokenWord::list(&sentence.repeat(5));
    found[30].text = "wrong".to_owned();
    let score = scorer.score(&found).unwrap();
    assert_eq!(score.passages.len(), 5);
    let errors: Vec<usize> = score.passages.iter().map(|passage| passage.counts.errors()).collect();
    assert_eq!(errors, [0, 0, 1, 0, 0]);
    assert_eq!(score.passages.iter().map(|passage| passage.counts.words).sum::<usize>(), score.counts.words);
}

#[test]
fn words_and_speakers_of_an_stm_file_are_compared() {
    let cues = read_stm("c 1 Diane 0.5 1.5 Oh, hello?\nc 1 Sheila 2.0 3.0 I know.\n", "c").unwrap();
    let reference = Reference::from_cues(&cues).unwrap();
    assert_eq!(reference.turns.as_ref().map(Vec::len), Some(2));
    let mut found = timed(&[("oh", 0.6, 0.8), ("hello", 0.9, 1.4), ("I", 2.2, 2.3), ("no", 2.3, 2.9)]);
    for (word, speaker) in found.iter_mut().zip(["A", "B", "B", "B"]) {
        word.speaker = Some(speaker.to_owned());
    }
    let score = Scorer::new(&reference.words.unwrap(), "en").score(&found).unwrap();
    let attribution = score.attribution.unwrap();
    assert_eq!((attribution.words, attribution.right), (3, 2));
    assert_eq!((score.passages[0].start, score.passages[0].end), (Some(0.6), Some(2.9)));
}

#[test]
fn words_that_were_not_said_are_insertions() {
    let score = Scorer::new(&[], "en").score(&SpokenWord::list("thank you")).unwrap();
    assert_eq!(score.counts, EditCounts { inserted: 2, ..EditCounts::default() });
    let nothing = Scorer::new(&[], "en").score(&[]).unwrap();
    assert_eq!((nothing.counts.errors(), nothing.passages.len()), (0, 0));
}

#[test]
fn hostile_texts_end_soon() {
    let line = "word ".repeat(2_000_000);
    let scorer = Scorer::new(&SpokenWord::list(&line), "en");
    assert_eq!(scorer.length(), 2_000_000);
    let long = SpokenWord::list(&"other ".repeat(10_000));
    let error = scorer.score(&long).unwrap_err();
    assert!(error.to_string().contains("2000000 words"), "{error}");

    for text in ["1".repeat(10_000_000), "(".repeat(300_000), "one ".repeat(100_000), "[a ".repeat(100_000)] {
        let scorer = Scorer::new(&SpokenWord::list(&text), "en");
        assert!(scorer.score(&SpokenWord::list("one")).is_ok());
    }
}

#[test]
fn a_time_that_is_not_a_number_is_not_compared() {
    let reference = timed(&[("good", f64::NAN, f64::INFINITY), ("day", 1.0, 2.0)]);
    let score = Scorer::new(&reference, "en").score(&timed(&[("good", 0.0, 1.0), ("day", 1.0, f64::NAN)]));
    assert_eq!(score.unwrap().counts.errors(), 0);
    assert!(read_ctm("a 1 NaN 1 word", "a").is_err());
}
