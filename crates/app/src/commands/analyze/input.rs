//! The transcript to analyze: plain text, or JSON that this service writes.

use std::io::Read;

use anyhow::{Context, bail};
use auris_domain::transcript::SourceTranscript;
use serde_json::Value;

/// Where a transcript is found in a document: in itself, in a result, or in a job.
const PLACES: [&str; 3] = ["", "/transcript", "/result/transcript"];

/// Reads the transcript in a file, or from standard input as `-`.
pub(super) fn transcript(name: &str, language: Option<&str>) -> anyhow::Result<SourceTranscript> {
    let Ok(text) = String::from_utf8(read(name)?) else {
        bail!("`{name}` is not text; to analyze a recording, leave out --transcript");
    };
    let mut transcript = parse(&text).with_context(|| format!("the transcript in `{name}`"))?;
    if let Some(language) = language {
        transcript.language = Some(language.to_owned());
    }
    if transcript.text.trim().is_empty() {
        bail!("`{name}` contains no text");
    }
    Ok(transcript)
}

fn read(name: &str) -> anyhow::Result<Vec<u8>> {
    if name != "-" {
        return std::fs::read(name).with_context(|| format!("cannot read `{name}`"));
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
    Ok(bytes)
}

/// A transcript, or a result or job that contains one. Anything else is plain text.
fn parse(text: &str) -> anyhow::Result<SourceTranscript> {
    let document: Value = serde_json::from_str(text).unwrap_or_default();
    let has_text = |found: &&Value| found.get("text").is_some_and(Value::is_string);
    let found = PLACES.iter().filter_map(|place| document.pointer(place)).find(has_text);
    match found {
        Some(found) => Ok(SourceTranscript::from_json(&found.to_string())?),
        None => {
            let text = text.trim_start_matches('\u{feff}').trim_end().to_owned();
            Ok(SourceTranscript { text, ..SourceTranscript::default() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_and_every_document_with_a_transcript_are_read() {
        for (file, text) in [
            ("Hello.\n", "Hello."),
            ("{\"text\": \"Hi\", \"segments\": []}", "Hi"),
            ("{\"transcript\": {\"text\": \"Hi\"}}", "Hi"),
            ("{\"id\": \"job\", \"result\": {\"transcript\": {\"text\": \"Hi\"}}}", "Hi"),
            ("[1, 2]", "[1, 2]"),
        ] {
            assert_eq!(parse(file).unwrap().text, text, "{file}");
        }
    }
}
