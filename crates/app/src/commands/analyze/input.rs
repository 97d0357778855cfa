//! A transcript to analyse: plain text, or the JSON that this service writes.

use std::io::Read;

use anyhow::{Context, bail};
use serde_json::{Value, json};

/// The transcript in a file, or on standard input as `-`.
pub(super) fn transcript(name: &str, language: Option<&str>) -> anyhow::Result<Value> {
    let bytes = if name == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
        bytes
    } else {
        std::fs::read(name).with_context(|| format!("cannot read `{name}`"))?
    };
    let Ok(text) = String::from_utf8(bytes) else {
        bail!("`{name}` is no text; a recording is named without --transcript");
    };
    let mut transcript = parse(&text);
    if let Some(language) = language {
        transcript["language"] = json!(language);
    }
    if transcript["text"].as_str().is_none_or(|text| text.trim().is_empty()) {
        bail!("`{name}` has no words in it");
    }
    Ok(transcript)
}

/// A transcript, a result or a job that holds one, else plain text.
fn parse(text: &str) -> Value {
    let plain = || json!({"text": text.trim_start_matches('\u{feff}').trim_end()});
    let Ok(document) = serde_json::from_str::<Value>(text) else { return plain() };
    let places = ["", "/transcript", "/result/transcript"];
    let found =
        places.iter().filter_map(|place| document.pointer(place)).find(|found| found["text"].is_string());
    found.cloned().unwrap_or_else(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_and_every_document_with_a_transcript_are_read() {
        assert_eq!(parse("Hello.\n"), json!({"text": "Hello."}));
        assert_eq!(parse("{\"text\": \"Hi\", \"segments\": []}")["segments"], json!([]));
        assert_eq!(parse("{\"transcript\": {\"text\": \"Hi\"}}"), json!({"text": "Hi"}));
        assert_eq!(
            parse("{\"id\": \"job\", \"result\": {\"transcript\": {\"text\": \"Hi\"}}}"),
            json!({"text": "Hi"})
        );
        assert_eq!(parse("[1, 2]"), json!({"text": "[1, 2]"}));
    }
}
