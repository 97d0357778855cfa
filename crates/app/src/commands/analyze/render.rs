//! The result of an analysis as text for people.

use std::fmt::Write;

use auris_domain::result::ResultDocument;
use auris_domain::step::StageOutput;
use auris_domain::step::output::{
    Chapter, Entity, Sentiment, SentimentLabel, SentimentScore, Summary, UtteranceSentiment,
};
use auris_domain::transcript::TextTranscript;

/// Every part of the document under its own heading.
pub(super) fn text(document: &ResultDocument) -> String {
    let transcript = document.text_transcript();
    let stages = document.stages.iter().map(|(_, output)| stage(output, &transcript));
    let tasks = document.tasks.iter().map(|(id, task)| section(id, &task.text));
    let parts: Vec<String> = stages.chain(tasks).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "nothing was found".into() } else { parts.join("\n\n") }
}

fn stage(output: &StageOutput, transcript: &TextTranscript) -> String {
    match output {
        StageOutput::Summary(part) => section("Summary", &summary(part)),
        StageOutput::Chapters(part) => section("Chapters", &lines(part.chapters.iter().map(chapter))),
        StageOutput::Topics(part) => {
            let topics = part.topics.iter().map(|topic| scored(topic.score, &topic.label, 1));
            section("Topics", &lines(topics))
        }
        StageOutput::KeyPhrases(part) => {
            let phrases =
                part.key_phrases.iter().map(|phrase| scored(phrase.score, &phrase.text, phrase.count));
            section("Key phrases", &lines(phrases))
        }
        StageOutput::Entities(part) => section("Entities", &entities(&part.entities)),
        StageOutput::Sentiment(part) => section("Sentiment", &sentiment(part, transcript)),
        StageOutput::Formatting(part) => section("Formatted", &part.text),
    }
}

/// An empty part has no heading.
fn section(title: &str, body: &str) -> String {
    let body = body.trim_end();
    if body.is_empty() { String::new() } else { format!("{title}\n{}\n{body}", "-".repeat(title.len())) }
}

fn lines(items: impl Iterator<Item = String>) -> String {
    items.map(|line| line + "\n").collect()
}

fn summary(summary: &Summary) -> String {
    match summary.bullets.is_empty() {
        true => summary.text.clone(),
        false => lines(summary.bullets.iter().map(|bullet| format!("- {bullet}"))),
    }
}

fn chapter(chapter: &Chapter) -> String {
    let start = chapter.start.map_or(String::new(), |seconds| clock(seconds) + "  ");
    format!("{start}{}\n    {}", chapter.title, chapter.summary)
}

fn clock(seconds: f64) -> String {
    let whole = seconds as u64;
    let hours = whole / 3600;
    let minutes = whole / 60 % 60;
    let seconds = whole % 60;
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

fn scored(score: f64, text: &str, count: usize) -> String {
    format!("{score:.2}  {}", counted(text, count))
}

fn counted(text: &str, count: usize) -> String {
    if count > 1 { format!("{text} ({count} times)") } else { text.to_owned() }
}

/// Grouped by type, each text once.
fn entities(entities: &[Entity]) -> String {
    let mut kinds: Vec<(&str, Vec<(&str, usize)>)> = Vec::new();
    for entity in entities {
        let index = kinds.iter().position(|(kind, _)| *kind == entity.kind).unwrap_or_else(|| {
            kinds.push((&entity.kind, Vec::new()));
            kinds.len() - 1
        });
        let texts = &mut kinds[index].1;
        match texts.iter_mut().find(|(text, _)| *text == entity.text) {
            Some((_, count)) => *count += 1,
            None => texts.push((&entity.text, 1)),
        }
    }
    let mut lines = String::new();
    for (kind, texts) in kinds {
        let texts: Vec<String> = texts.iter().map(|(text, count)| counted(text, *count)).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{kind:<14}{}", texts.join(", "));
    }
    lines
}

fn sentiment(sentiment: &Sentiment, transcript: &TextTranscript) -> String {
    let utterances = sentiment
        .utterances
        .iter()
        .map(|part| format!("{}  {}", rated(&part.score), spoken(part, transcript)));
    format!("{}  as a whole\n{}", rated(&sentiment.document), lines(utterances))
}

fn rated(score: &SentimentScore) -> String {
    let label = match score.label {
        SentimentLabel::Positive => "positive",
        SentimentLabel::Neutral => "neutral",
        SentimentLabel::Negative => "negative",
    };
    format!("{label:<9}{:+.2}", score.score)
}

/// The text of an utterance, or of a sentence if the transcript has no utterances.
fn spoken(part: &UtteranceSentiment, transcript: &TextTranscript) -> String {
    if !transcript.utterances.is_empty() {
        return transcript.utterances.get(part.index).map(|said| said.text.clone()).unwrap_or_default();
    }
    let start = part.start_char.unwrap_or_default();
    let end = part.end_char.unwrap_or_default();
    transcript.text.chars().skip(start).take(end.saturating_sub(start)).collect()
}

#[cfg(test)]
mod tests {
    use auris_domain::step::output::{Chapters, Entities};
    use auris_domain::step::spec::{Granularity, SummaryType};
    use auris_domain::transcript::SourceTranscript;

    use super::*;

    fn anna() -> Entity {
        Entity {
            text: "Anna".into(),
            kind: "person".into(),
            start_char: 3,
            end_char: 7,
            confidence: None,
            start: None,
        }
    }

    fn greeting() -> Chapter {
        let (title, summary) = ("Greetings".into(), "Hi.".into());
        Chapter { title, summary, start: Some(61.0), end: None, start_char: 0, end_char: 8 }
    }

    fn friendly() -> Sentiment {
        let score = |label, score| SentimentScore { label, score };
        let utterance = UtteranceSentiment {
            index: 0,
            score: score(SentimentLabel::Positive, 0.5),
            start_char: Some(0),
            end_char: Some(8),
        };
        let document = score(SentimentLabel::Neutral, 0.0);
        Sentiment { granularity: Granularity::Utterance, document, utterances: vec![utterance] }
    }

    #[test]
    fn every_part_has_a_heading_and_absent_parts_have_none() {
        let source = SourceTranscript { text: "Hi Anna. Hi Anna.".into(), ..SourceTranscript::default() };
        let mut document = ResultDocument::new(Some(source), Vec::new());
        let summary =
            Summary { kind: SummaryType::Bullets, text: "One.".into(), bullets: vec!["One.".into()] };
        for output in [
            StageOutput::Summary(summary),
            StageOutput::Chapters(Chapters { chapters: vec![greeting()] }),
            StageOutput::Entities(Entities { entities: vec![anna(), anna()] }),
            StageOutput::Sentiment(friendly()),
        ] {
            document.stages.push((String::new(), output));
        }
        let text = text(&document);
        for wanted in [
            "Summary\n-------\n- One.",
            "1:01  Greetings\n    Hi.",
            "Anna (2 times)",
            "positive +0.50  Hi Anna.",
        ] {
            assert!(text.contains(wanted), "`{wanted}` in\n{text}");
        }
        assert!(!text.contains("Topics"));
    }
}
