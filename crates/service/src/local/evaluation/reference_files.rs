//! The files beside a recording that say what is said, when, and by whom.

use std::fs;
use std::path::Path;

use auris_evaluation::reference::{Cue, read_ctm, read_rttm, read_srt, read_stm, read_vtt};
use auris_evaluation::{Reference, ReferenceError};

/// Maximum size of a file with a reference: hundreds of hours of speech.
const MAX_BYTES: u64 = 64 << 20;

/// Ends of the names of references, in the order in which they are joined. The first one with a text is the text.
const KINDS: [&str; 6] = ["stm", "srt", "vtt", "txt", "ctm", "rttm"];

/// What the files beside a recording say; `None` if there is none. Fails with a message that names the file.
pub(super) fn beside(recording: &Path) -> Result<Option<Reference>, String> {
    let name = recording.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut joined: Option<Reference> = None;
    for kind in KINDS {
        let path = recording.with_extension(kind);
        if path == recording || !path.is_file() {
            continue;
        }
        let found =
            read_text(&path).and_then(|text| read(kind, &text, &name).map_err(|error| error.to_string()));
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let found = found.map_err(|problem| format!("{file}: {problem}"))?;
        joined = Some(match joined {
            Some(reference) => reference.join(found),
            None => found,
        });
    }
    Ok(joined)
}

/// The text of a file.
pub(super) fn read_text(path: &Path) -> Result<String, String> {
    let length = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if length > MAX_BYTES {
        return Err(format!("it has more than {} MiB", MAX_BYTES >> 20));
    }
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}

fn read(kind: &str, text: &str, name: &str) -> Result<Reference, ReferenceError> {
    let cues = |cues: Vec<Cue>| Reference::from_cues(&cues);
    match kind {
        "stm" => cues(read_stm(text, name)?),
        "srt" => cues(read_srt(text)?),
        "vtt" => cues(read_vtt(text)?),
        "ctm" => Ok(Reference::from_timed_words(read_ctm(text, name)?)),
        "rttm" => Ok(Reference::from_turns(read_rttm(text, name)?)),
        _ => Ok(Reference::from_text(text.trim_start_matches('\u{feff}'))),
    }
}
