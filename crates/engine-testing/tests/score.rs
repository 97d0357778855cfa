//! Compares the metrics with `pyannote.metrics`. `scripts/diarize-reference` computes the reference values.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "in a test a broken expectation is a failed test"
)]

use auris_engine_testing::score::{Attributed, Turn, errors, read_rttm, read_stm, word_accuracy};
use serde_json::Value;

fn turns(value: &Value) -> Vec<Turn> {
    let turns = value.as_array().expect("a list").iter();
    turns
        .map(|turn| {
            Turn::new(turn[0].as_str().unwrap(), turn[1].as_f64().unwrap(), turn[2].as_f64().unwrap())
        })
        .collect()
}

#[test]
fn the_error_rates_equal_those_of_pyannote_metrics() {
    let reference: Value = serde_json::from_str(include_str!("../data/diarize.json")).unwrap();
    let cases = reference["scores"].as_array().expect("cases");
    assert!(cases.len() > 10);
    for case in cases {
        let found = errors(&turns(&case["reference"]), &turns(&case["hypothesis"]));
        for (name, value) in [
            ("missed", found.missed),
            ("false_alarm", found.false_alarm),
            ("confusion", found.confusion),
            ("total", found.total),
            ("rate", found.rate()),
        ] {
            let expected = case[name].as_f64().unwrap();
            assert!((value - expected).abs() < 1e-9, "{}: {name} is {value}, not {expected}", case["name"]);
        }
    }
}

#[test]
fn rttm_and_stm_are_read() {
    let turns = read_rttm("SPEAKER call 1 6.690 0.430 <NA> <NA> speaker90 <NA> <NA>\n");
    assert_eq!((turns[0].speaker.as_str(), turns[0].start), ("speaker90", 6.69));
    assert!((turns[0].end - 7.12).abs() < 1e-9);
    let words = read_stm("call 1 Diane 6.68 7.16 Oh, hello?\ncall 1 Sheila 7.6 8.1 I didn't - know.\n");
    let words: Vec<(&str, &str)> = words.iter().map(|(word, who)| (word.as_str(), who.as_str())).collect();
    let expected =
        [("oh", "Diane"), ("hello", "Diane"), ("i", "Sheila"), ("didnt", "Sheila"), ("know", "Sheila")];
    assert_eq!(words, expected);
}

#[test]
fn only_words_in_both_texts_are_compared() {
    let words = |text: &str| -> Vec<Attributed> {
        text.split(' ')
            .map(|word| word.split_once('/').unwrap())
            .map(|(word, who)| (word.into(), who.into()))
            .collect()
    };
    let truth = words("good/a day/a how/b are/b you/b");
    assert_eq!(word_accuracy(&truth, &words("good/X day/X how/Y are/Y you/Y")), 1.0);
    assert_eq!(word_accuracy(&truth, &words("good/Y day/Y how/X are/X you/Y")), 0.8);
    // One word is missing, one is misrecognized and one is added. None of them affects the accuracy of speakers.
    assert_eq!(word_accuracy(&truth, &words("good/X how/Y um/X our/Y you/Y")), 1.0);
}
