//! `manifest.jsonl`: one recording on each line.

use serde::Deserialize;

use super::{ReferenceError, Result};

/// A line of a manifest. Other fields are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ManifestEntry {
    /// The recording, relative to the folder of the manifest.
    #[serde(alias = "audio_filepath")]
    pub file: String,
    /// What is said. Without it, the reference is in a file beside the recording.
    pub text: Option<String>,
    /// The language as an ISO 639-1 code or a BCP 47 tag.
    pub language: Option<String>,
}

/// Reads the recordings of a manifest.
pub fn read_manifest(text: &str) -> Result<Vec<ManifestEntry>> {
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let entry = |(index, line): (usize, &str)| {
        serde_json::from_str::<ManifestEntry>(line)
            .map_err(|error| ReferenceError::line(index, error.to_string()))
    };
    let entries = lines.map(entry).collect::<Result<Vec<_>>>()?;
    if entries.is_empty() { Err(ReferenceError::Empty("recordings")) } else { Ok(entries) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_a_file_and_may_have_a_text_and_a_language() {
        let text = "{\"file\": \"a.wav\", \"language\": \"de\", \"text\": \"Guten Tag\", \"source\": \"x\"}\n\n\
                    {\"audio_filepath\": \"b.wav\", \"duration\": 1.5}\n";
        let entries = read_manifest(text).unwrap();
        assert_eq!(
            (entries[0].text.as_deref(), entries[0].language.as_deref()),
            (Some("Guten Tag"), Some("de"))
        );
        assert_eq!((entries[1].file.as_str(), &entries[1].text), ("b.wav", &None));
    }

    #[test]
    fn a_broken_line_is_named() {
        let error = read_manifest("{\"file\": \"a.wav\"}\n{\"text\": \"no file\"}").unwrap_err();
        assert!(error.to_string().starts_with("line 2: missing field `file`"), "{error}");
        assert_eq!(read_manifest(""), Err(ReferenceError::Empty("recordings")));
    }
}
