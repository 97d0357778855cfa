//! Names of downloads: that of the uploaded file, with the ending of what is downloaded.
//!
//! The name is the uploader's, so nothing of it may leave a folder, hide its ending or break out of a header.

use auris_domain::artifact::{Artifact, Purpose};
use auris_domain::metadata::Metadata;

/// The entry of a job's metadata in which the console keeps the name of the uploaded file.
const UPLOADED_FILE: &str = "file";
/// Maximum length of a name without its ending, in characters. File systems allow 255 bytes for both.
const MAX_STEM: usize = 60;

/// The name of a download; `None` if nothing usable is left of the uploaded file's name.
pub(super) fn download_name(metadata: &[Metadata], artifact: &Artifact) -> Option<String> {
    let uploaded = metadata.iter().filter_map(|metadata| metadata.0.get(UPLOADED_FILE));
    let stem = uploaded.map(|name| stem(name)).find(|stem| !stem.is_empty())?;
    Some(format!("{stem}.{}", ending(artifact)))
}

/// The last part of a path without its ending, with `_` for every character that a file system or a reader could take
/// for something else.
fn stem(uploaded: &str) -> String {
    let name = uploaded.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = match name.rsplit_once('.') {
        Some((stem, ending)) if is_ending(ending) => stem,
        Some(_) | None => name,
    };
    let shown: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).take(MAX_STEM).collect();
    shown.trim_matches(|c: char| c == '.' || c.is_whitespace()).to_owned()
}

/// Whether the text after the last dot says what the file is: `mp3`, and not the 2026 of a date.
fn is_ending(text: &str) -> bool {
    (1..=5).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn is_plain(character: char) -> bool {
    let is_reserved = matches!(character, '"' | '*' | ':' | '<' | '>' | '?' | '|');
    // Invisible characters, and those that turn the direction of the text around.
    let is_hidden = matches!(character, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}');
    !character.is_control() && !is_reserved && !is_hidden
}

fn ending(artifact: &Artifact) -> &'static str {
    match artifact.purpose {
        Purpose::InputAudio => audio_ending(&artifact.media_type),
        Purpose::InputTranscript => "input.json",
        Purpose::TranscriptJson => "json",
        Purpose::TranscriptTxt => "txt",
        Purpose::TranscriptSrt => "srt",
        Purpose::TranscriptVtt => "vtt",
        Purpose::AnalysisJson => "analysis.json",
    }
}

fn audio_ending(media_type: &str) -> &'static str {
    match media_type {
        "audio/wav" => "wav",
        "audio/mpeg" => "mp3",
        "audio/flac" => "flac",
        "audio/ogg" => "ogg",
        "audio/mp4" => "m4a",
        "audio/webm" => "webm",
        "audio/x-matroska" => "mka",
        "audio/aiff" => "aiff",
        "audio/x-caf" => "caf",
        "audio/aac" => "aac",
        _ => "bin",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_is_dropped_and_a_date_is_kept() {
        for (uploaded, expected) in [
            ("call.mp3", "call"),
            ("Gespräch mit Zoë.m4a", "Gespräch mit Zoë"),
            ("Meeting 18.11.2026", "Meeting 18.11.2026"),
            ("a.b.wav", "a.b"),
            ("recording", "recording"),
        ] {
            assert_eq!(stem(uploaded), expected);
        }
    }

    #[test]
    fn nothing_of_a_name_leaves_its_folder_or_hides_what_it_is() {
        for (uploaded, expected) in [
            ("../../etc/passwd", "passwd"),
            ("C:\\Windows\\call.wav", "call"),
            ("..", ""),
            (".wav", ""),
            ("a\r\nSet-Cookie: b=c.wav", "a__Set-Cookie_ b=c"),
            ("\"quoted\"; filename=\"evil.exe\".wav", "_quoted_; filename=_evil.exe_"),
            ("<script>alert(1).wav", "_script_alert(1)"),
            ("photo\u{202E}gpj.exe", "photo_gpj"),
            (" . hidden . ", "hidden"),
        ] {
            assert_eq!(stem(uploaded), expected, "{uploaded:?}");
        }
        assert_eq!(stem(&"ä".repeat(600)).chars().count(), MAX_STEM);
    }
}
