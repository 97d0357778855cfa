//! Compares the diarization errors with `pyannote.metrics`. `scripts/diarize-reference` computes the reference values.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "in a test a broken expectation is a failed test"
)]

use auris_evaluation::{Turn, diarization_errors};
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
    let reference: Value =
        serde_json::from_str(include_str!("../../engine-testing/data/diarize.json")).unwrap();
    let cases = reference["scores"].as_array().expect("cases");
    assert!(cases.len() > 10);
    for case in cases {
        let found = diarization_errors(&turns(&case["reference"]), &turns(&case["hypothesis"]));
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
