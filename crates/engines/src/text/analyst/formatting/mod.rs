//! Formatting: the same words in paragraphs and sentences, numbers and dates as people write them.

mod paragraphs;
mod sentence;

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Value, json};

use super::desk::Desk;
use super::reading::Reading;
use crate::EngineError;
use sentence::Manner;

/// Text formatted in one piece of work, in bytes.
const WINDOW: usize = 32_768;

/// One paragraph: its new text, and where the old one stands.
struct Paragraph {
    text: String,
    range: Range<usize>,
}

pub(super) fn run(reading: &Arc<Reading>, desk: &mut Desk<'_>) -> Result<Value, EngineError> {
    let manner = Manner::of(reading.text());
    let windows = together(reading, paragraphs::split(reading));
    let pages = reading.clone();
    let written = desk.each(windows, move |window| {
        Ok(window.into_iter().map(|sentences| paragraph(&pages, sentences, manner)).collect::<Vec<_>>())
    })?;
    let written: Vec<Paragraph> = written.into_iter().flatten().collect();
    let text = written.iter().map(|paragraph| paragraph.text.as_str()).collect::<Vec<_>>().join("\n\n");
    let listed: Vec<Value> = written
        .iter()
        .map(|paragraph| {
            json!({
                "text": paragraph.text,
                "start_char": reading.character(paragraph.range.start),
                "end_char": reading.character(paragraph.range.end),
            })
        })
        .collect();
    Ok(json!({"text": text, "paragraphs": listed}))
}

fn together(reading: &Reading, paragraphs: Vec<Range<usize>>) -> Vec<Vec<Range<usize>>> {
    let mut windows: Vec<Vec<Range<usize>>> = Vec::new();
    let mut bytes = 0;
    for paragraph in paragraphs {
        let length = range_of(reading, &paragraph).len();
        match windows.last_mut().filter(|_| bytes + length <= WINDOW) {
            Some(window) => {
                bytes += length;
                window.push(paragraph);
            }
            None => {
                bytes = length;
                windows.push(vec![paragraph]);
            }
        }
    }
    windows
}

fn range_of(reading: &Reading, sentences: &Range<usize>) -> Range<usize> {
    reading.sentences[sentences.start].range.start..reading.sentences[sentences.end - 1].range.end
}

fn paragraph(reading: &Reading, sentences: Range<usize>, manner: Manner) -> Paragraph {
    let range = range_of(reading, &sentences);
    let written = sentences.map(|nth| sentence::write(reading, nth, manner));
    Paragraph { text: written.collect::<Vec<_>>().join(" "), range }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{TextTranscript, TextUtterance};

    fn formatted(text: &str, utterances: &[&str]) -> Vec<String> {
        let speaker = |nth: usize| Some(if nth.is_multiple_of(2) { "A".to_owned() } else { "B".to_owned() });
        let utterances = utterances.iter().enumerate();
        let utterances = utterances
            .map(|(nth, text)| TextUtterance {
                text: (*text).into(),
                speaker: speaker(nth),
                ..TextUtterance::default()
            })
            .collect();
        let reading =
            Reading::new(Arc::new(TextTranscript { text: text.into(), language: None, utterances }));
        let manner = Manner::of(reading.text());
        paragraphs::split(&reading).into_iter().map(|range| paragraph(&reading, range, manner).text).collect()
    }

    #[test]
    fn numbers_dates_and_sentences_are_written_properly() {
        let text = "so i paid twenty five dollars on june fifth. it was ten percent more than in nineteen ninety nine.";
        let wanted = "So I paid $25 on June 5. It was 10% more than in 1999.";
        assert_eq!(formatted(text, &[]), [wanted]);
    }

    #[test]
    fn each_turn_of_a_speaker_is_a_paragraph_and_ends_with_a_full_stop() {
        let turns =
            ["hello this is diane in new jersey", "i'm sheila in texas i call on monday at three thirty pm"];
        assert_eq!(
            formatted(&turns.join(" "), &turns),
            ["Hello this is Diane in New Jersey.", "I'm Sheila in Texas I call on Monday at 3:30 PM."]
        );
    }

    #[test]
    fn proper_text_stays_as_it_is() {
        let text = "Dr. Smith said: \"I don't know.\" We met at 3:30 PM, and iPhones cost $999.99!";
        assert_eq!(formatted(text, &[]), [text]);
    }

    #[test]
    fn shouting_is_calmed_down() {
        let text = "PLEASE CALL ME ON TUESDAY. I AM IN THE OFFICE FROM NINE A M.";
        assert_eq!(formatted(text, &[]), ["Please call me on Tuesday. I am in the office from 9 AM."]);
    }
}
