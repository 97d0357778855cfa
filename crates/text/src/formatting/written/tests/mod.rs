//! The table of spoken forms, and the round trip from written forms to spoken ones and back.

mod round_trip;
mod speaker;

use super::rewrites;
use crate::spoken::SpokenLine;
use crate::words::tokens;

/// The text with every rewrite.
fn written(text: &str) -> String {
    let tokens = tokens(text, 0..text.len());
    let mut result = String::new();
    let mut done = 0;
    for rewrite in rewrites(SpokenLine { tokens: &tokens }) {
        result.push_str(&text[done..tokens[rewrite.tokens.start].range.start]);
        result.push_str(&rewrite.text);
        done = tokens[rewrite.tokens.end - 1].range.end;
    }
    result + &text[done..]
}

#[test]
fn every_form_of_the_table_is_written_or_stays_as_it_says() {
    let lines = include_str!("../spoken_forms.txt").lines().filter_map(|line| line.split_once(" => "));
    let cases: Vec<(&str, &str)> = lines.collect();
    assert!(cases.len() > 1_200, "only {} cases", cases.len());
    let differ = |(spoken, wanted): &&(&str, &str)| written(spoken) != *wanted;
    let wrong: Vec<String> = cases
        .iter()
        .filter(differ)
        .map(|(spoken, wanted)| format!("`{spoken}` gave `{}`, not `{wanted}`", written(spoken)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn written_forms_stay_as_they_are() {
    let lines = include_str!("../spoken_forms.txt").lines().filter_map(|line| line.split_once(" => "));
    for (_, form) in lines {
        assert_eq!(written(form), form);
    }
}

#[test]
fn a_long_line_of_number_words_stays_in_words() {
    for words in ["five ", "twenty ", "hundred and ", "dot com ", "five to ", "double "] {
        let text = words.repeat(20_000);
        assert_eq!(written(&text).len(), text.len(), "{words}");
    }
}
