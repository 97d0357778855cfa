//! Formatting: paragraphs, sentences, and numbers and dates in their written form. The words stay the same.

mod capitals;
mod edges;
mod paragraphs;
mod sentence;
pub(crate) mod written;

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use auris_domain::step::output::{Formatting, Paragraph};
use auris_engine_core::EngineError;

use super::parsed_transcript::ParsedTranscript;
use super::windowed_work::WindowedWork;
use sentence::TextStyle;

/// Bytes of text in one work item.
const WINDOW: usize = 32_768;

pub(super) fn run(
    parsed: &Arc<ParsedTranscript>,
    work: &mut WindowedWork<'_>,
) -> Result<Formatting, EngineError> {
    let style = TextStyle::of(parsed.text());
    let windows = group_by_size(parsed, paragraphs::split(parsed));
    let shared = parsed.clone();
    let write = move |window: Vec<Range<usize>>| {
        Ok(window.into_iter().map(|sentences| paragraph(&shared, sentences, style)).collect::<Vec<_>>())
    };
    let mut formatting = Formatting::default();
    work.for_each(windows, write, |written: Vec<Paragraph>| {
        written.into_iter().for_each(|paragraph| append(paragraph, &mut formatting));
        ControlFlow::Continue(())
    })?;
    Ok(formatting)
}

fn append(paragraph: Paragraph, formatting: &mut Formatting) {
    if !formatting.paragraphs.is_empty() {
        formatting.text.push_str("\n\n");
    }
    formatting.text.push_str(&paragraph.text);
    formatting.paragraphs.push(paragraph);
}

/// Groups paragraphs into work items.
fn group_by_size(parsed: &ParsedTranscript, paragraphs: Vec<Range<usize>>) -> Vec<Vec<Range<usize>>> {
    let mut windows: Vec<Vec<Range<usize>>> = Vec::new();
    let mut bytes = 0;
    for paragraph in paragraphs {
        let length = range_of(parsed, &paragraph).len();
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

fn range_of(parsed: &ParsedTranscript, sentences: &Range<usize>) -> Range<usize> {
    parsed.sentences[sentences.start].range.start..parsed.sentences[sentences.end - 1].range.end
}

fn paragraph(parsed: &ParsedTranscript, sentences: Range<usize>, style: TextStyle) -> Paragraph {
    let range = range_of(parsed, &sentences);
    let written = sentences.map(|nth| sentence::write(parsed, nth, style));
    Paragraph {
        text: written.collect::<Vec<_>>().join(" "),
        start_char: parsed.character(range.start),
        end_char: parsed.character(range.end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use auris_engine_core::text::{TextTranscript, TextUtterance};

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
        let parsed =
            ParsedTranscript::new(Arc::new(TextTranscript { text: text.into(), language: None, utterances }));
        let style = TextStyle::of(parsed.text());
        paragraphs::split(&parsed).into_iter().map(|range| paragraph(&parsed, range, style).text).collect()
    }

    #[test]
    fn numbers_and_dates_get_their_written_form() {
        let text = "so i paid twenty five dollars on june fifth. it was ten percent more than in nineteen ninety nine.";
        let wanted = "So I paid $25 on June 5. It was 10% more than in 1999.";
        assert_eq!(formatted(text, &[]), [wanted]);
    }

    #[test]
    fn each_turn_is_a_paragraph_and_ends_with_a_full_stop() {
        let turns =
            ["hello this is diane in new jersey", "i'm sheila in texas i call on monday at three thirty pm"];
        assert_eq!(
            formatted(&turns.join(" "), &turns),
            ["Hello this is Diane in New Jersey.", "I'm Sheila in Texas I call on Monday at 3:30 PM."]
        );
    }

    #[test]
    fn formatted_text_stays_as_it_is() {
        let text = "Dr. Smith said: \"I don't know.\" We met at 3:30 PM, and iPhones cost $999.99!";
        assert_eq!(formatted(text, &[]), [text]);
    }

    #[test]
    fn text_in_capitals_gets_normal_case() {
        let text = "PLEASE CALL ME ON TUESDAY. I AM IN THE OFFICE FROM NINE A M.";
        assert_eq!(formatted(text, &[]), ["Please call me on Tuesday. I am in the office from 9 AM."]);
    }
}
