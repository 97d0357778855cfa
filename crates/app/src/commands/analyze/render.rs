//! The document of an analysis as text to read.

use std::fmt::Write;

use serde_json::Value;

/// Every part that is there, under a heading of its own.
pub(super) fn text(document: &Value) -> String {
    let mut parts = vec![
        section("Summary", summary(&document["summary"])),
        section("Chapters", list(&document["chapters"]["chapters"], chapter)),
        section("Topics", list(&document["topics"]["topics"], |topic| scored(topic, "label"))),
        section(
            "Key phrases",
            list(&document["key_phrases"]["key_phrases"], |phrase| scored(phrase, "text")),
        ),
        section("Entities", entities(&document["entities"]["entities"])),
        section("Sentiment", sentiment(document)),
        section("Formatted", word(&document["formatting"]["text"]).to_owned()),
    ];
    for (id, task) in document["tasks"].as_object().into_iter().flatten() {
        parts.push(section(id, word(&task["text"]).to_owned()));
    }
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "nothing was found".into() } else { parts.join("\n\n") }
}

fn section(title: &str, body: String) -> String {
    let body = body.trim_end();
    if body.is_empty() { String::new() } else { format!("{title}\n{}\n{body}", "-".repeat(title.len())) }
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(items: &Value, line: impl Fn(&Value) -> String) -> String {
    items.as_array().into_iter().flatten().map(|item| line(item) + "\n").collect()
}

fn summary(summary: &Value) -> String {
    let bullets = list(&summary["bullets"], |bullet| format!("- {}", word(bullet)));
    if bullets.is_empty() { word(&summary["text"]).to_owned() } else { bullets }
}

fn chapter(chapter: &Value) -> String {
    let at = chapter["start"].as_f64().map_or(String::new(), |seconds| clock(seconds) + "  ");
    format!("{at}{}\n    {}", word(&chapter["title"]), word(&chapter["summary"]))
}

fn clock(seconds: f64) -> String {
    let whole = seconds as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

fn scored(item: &Value, name: &str) -> String {
    let often = item["count"]
        .as_u64()
        .filter(|count| *count > 1)
        .map_or(String::new(), |count| format!(" ({count} times)"));
    format!("{:.2}  {}{often}", item["score"].as_f64().unwrap_or_default(), word(&item[name]))
}

/// Grouped by type, each text once.
fn entities(entities: &Value) -> String {
    let mut kinds: Vec<(&str, Vec<(&str, usize)>)> = Vec::new();
    for entity in entities.as_array().into_iter().flatten() {
        let (kind, text) = (word(&entity["type"]), word(&entity["text"]));
        let place = kinds.iter().position(|(known, _)| *known == kind);
        let texts = match place {
            Some(place) => &mut kinds[place].1,
            None => {
                kinds.push((kind, vec![]));
                let last = kinds.len() - 1;
                &mut kinds[last].1
            }
        };
        match texts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, count)) => *count += 1,
            None => texts.push((text, 1)),
        }
    }
    let mut lines = String::new();
    for (kind, texts) in kinds {
        let told =
            texts.iter().map(
                |(text, count)| {
                    if *count > 1 { format!("{text} ({count} times)") } else { (*text).to_owned() }
                },
            );
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{kind:<14}{}", told.collect::<Vec<_>>().join(", "));
    }
    lines
}

fn sentiment(document: &Value) -> String {
    let sentiment = &document["sentiment"];
    if sentiment.is_null() {
        return String::new();
    }
    let told = |part: &Value| {
        format!("{:<9}{:+.2}", word(&part["label"]), part["score"].as_f64().unwrap_or_default())
    };
    let pieces = |name: &str| document["transcript"][name].as_array().filter(|pieces| !pieces.is_empty());
    let pieces = pieces("utterances").or_else(|| pieces("segments"));
    let letters: Vec<char> =
        if pieces.is_none() { word(&document["transcript"]["text"]).chars().collect() } else { vec![] };
    let said = |part: &Value| match pieces {
        Some(pieces) => word(&pieces[part["index"].as_u64().unwrap_or_default() as usize]["text"]).to_owned(),
        None => {
            let place = |name: &str| (part[name].as_u64().unwrap_or_default() as usize).min(letters.len());
            letters[place("start_char").min(place("end_char"))..place("end_char")].iter().collect()
        }
    };
    let lines = list(&sentiment["utterances"], |part| format!("{}  {}", told(part), said(part)));
    format!("{}  as a whole\n{lines}", told(&sentiment["document"]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_part_has_its_heading_and_what_is_absent_has_none() {
        let document = json!({
            "transcript": {"text": "Hi Anna. Hi Anna."},
            "summary": {"type": "bullets", "text": "One.", "bullets": ["One."]},
            "chapters": {"chapters": [{"title": "Greetings", "summary": "Hi.", "start": 61.0}]},
            "entities": {"entities": [{"text": "Anna", "type": "person"}, {"text": "Anna", "type": "person"}]},
            "sentiment": {"document": {"label": "neutral", "score": 0.0},
                "utterances": [{"index": 0, "label": "positive", "score": 0.5, "start_char": 0, "end_char": 8}]},
        });
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
