//! The scorer itself, against `pyannote.metrics` (scripts/diarize-reference computes its figures anew).
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "in a test a broken expectation is a failed test"
)]

use auris_engine_testing::score::{Attributed, Said, errors, read_rttm, read_stm, word_accuracy};
use serde_json::Value;

fn turns(value: &Value) -> Vec<Said> {
    let turns = value.as_array().expect("a list").iter();
    turns
        .map(|turn| {
            Said::new(turn[0].as_str().unwrap(), turn[1].as_f64().unwrap(), turn[2].as_f64().unwrap())
        })
        .collect()
}

#[test]
fn the_scorer_finds_what_pyannote_metrics_finds() {
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
fn words_are_compared_where_both_texts_have_them() {
    let said = |text: &str| -> Vec<Attributed> {
        text.split(' ')
            .map(|word| word.split_once('/').unwrap())
            .map(|(word, who)| (word.into(), who.into()))
            .collect()
    };
    let truth = said("good/a day/a how/b are/b you/b");
    assert_eq!(word_accuracy(&truth, &said("good/X day/X how/Y are/Y you/Y")), 1.0);
    assert_eq!(word_accuracy(&truth, &said("good/Y day/Y how/X are/X you/Y")), 0.8);
    // One word is lost, one is heard wrong and one is invented: none of them says anything about speakers.
    assert_eq!(word_accuracy(&truth, &said("good/X how/Y um/X our/Y you/Y")), 1.0);
}
