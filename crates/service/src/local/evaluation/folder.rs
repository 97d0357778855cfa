//! The recordings of a folder, and what is known about each.

use std::fs;
use std::path::{Path, PathBuf};

use auris_evaluation::reference::{ManifestEntry, read_manifest};
use auris_evaluation::{LeftOut, Reference, counts_characters, guess};

use super::reference_files::{self, read_text};
use super::{EvaluationError, Result};

/// The name of a file that lists the recordings.
const MANIFEST: &str = "manifest.jsonl";

/// Ends of the names of audio and video files.
const AUDIO: [&str; 20] = [
    "wav", "flac", "mp3", "ogg", "oga", "opus", "m4a", "mp4", "aac", "webm", "mkv", "mka", "mov", "aiff",
    "aif", "caf", "wma", "amr", "3gp", "m4v",
];

/// Most folders inside of each other, in case links make a circle.
const MAX_DEPTH: usize = 16;

/// A recording with a reference.
#[derive(Debug)]
pub(super) struct EvaluatedRecording {
    /// The path relative to the folder.
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// What the caller, the manifest or a folder says. The engine detects it otherwise.
    pub(super) given_language: Option<String>,
    /// The given language, or a guess at that of the reference.
    pub(super) language: Option<String>,
    pub(super) reference: Reference,
}

/// What a folder contains.
#[derive(Debug, Default)]
pub(super) struct RecordingFolder {
    pub(super) recordings: Vec<EvaluatedRecording>,
    pub(super) left_out: Vec<LeftOut>,
}

impl EvaluatedRecording {
    /// The language for counting errors; an unknown one has no rules of spelling.
    pub(super) fn counted_language(&self) -> &str {
        self.language.as_deref().unwrap_or("und")
    }

    pub(super) fn counts_characters(&self) -> bool {
        counts_characters(self.counted_language())
    }
}

impl RecordingFolder {
    /// Reads the references of all recordings. A broken one leaves its recording out.
    pub(super) fn read(folder: &Path, language: Option<&str>) -> Result<Self> {
        let failed = |error| EvaluationError::Folder { path: folder.to_owned(), error };
        let manifest = folder.join(MANIFEST);
        let entries = if manifest.is_file() {
            let text = read_text(&manifest)
                .map_err(|problem| failed(std::io::Error::other(format!("{MANIFEST}: {problem}"))))?;
            read_manifest(&text).map_err(|error| EvaluationError::Manifest { path: manifest, error })?
        } else {
            let mut names = Vec::new();
            audio_files(folder, Path::new(""), &mut names).map_err(failed)?;
            names.sort();
            let entry =
                |name: String| ManifestEntry { language: folder_language(&name), file: name, text: None };
            names.into_iter().map(entry).collect()
        };
        let Some(first) = entries.first() else {
            return Err(EvaluationError::NoRecordings(folder.to_owned()));
        };
        let example = first.file.clone();
        let mut found = Self::default();
        entries.into_iter().for_each(|entry| found.add(folder, entry, language));
        if found.recordings.is_empty() && found.left_out.iter().all(|one| one.reason == NO_REFERENCE) {
            let stem = Path::new(&example).with_extension("").display().to_string();
            return Err(EvaluationError::NoReferences { folder: folder.to_owned(), example, stem });
        }
        Ok(found)
    }

    fn add(&mut self, folder: &Path, entry: ManifestEntry, language: Option<&str>) {
        let path = folder.join(&entry.file);
        let reference = match &entry.text {
            _ if !path.is_file() => Err("the file does not exist".to_owned()),
            // The files beside the recording may know speakers and times.
            Some(text) => reference_files::beside(&path)
                .map(|beside| Reference::from_text(text).join(beside.unwrap_or_default())),
            None => {
                reference_files::beside(&path).and_then(|found| found.ok_or_else(|| NO_REFERENCE.to_owned()))
            }
        };
        match reference {
            Ok(reference) => {
                let given_language = entry.language.or(language.map(str::to_owned));
                let language = given_language.clone().or_else(|| guessed(&reference));
                self.recordings.push(EvaluatedRecording {
                    name: entry.file,
                    path,
                    given_language,
                    language,
                    reference,
                });
            }
            Err(reason) => self.left_out.push(LeftOut { file: entry.file, reason }),
        }
    }
}

/// Why most recordings are left out.
const NO_REFERENCE: &str = "there is no reference text beside it";

fn guessed(reference: &Reference) -> Option<String> {
    let words = reference.words.as_ref()?;
    let text: Vec<&str> = words.iter().take(1000).map(|word| word.text.as_str()).collect();
    guess(&text.join(" ")).map(str::to_owned)
}

/// The name of the top folder if it is a language code of two letters: `de/call.wav`.
fn folder_language(name: &str) -> Option<String> {
    let (top, _) = name.split_once('/')?;
    (top.len() == 2 && top.bytes().all(|letter| letter.is_ascii_lowercase())).then(|| top.to_owned())
}

/// The audio files in a folder and the folders in it, as paths relative to the first one.
fn audio_files(root: &Path, inside: &Path, names: &mut Vec<String>) -> std::io::Result<()> {
    if inside.components().count() > MAX_DEPTH {
        return Ok(());
    }
    for entry in fs::read_dir(root.join(inside))? {
        let name = entry?.file_name();
        let relative = inside.join(&name);
        // A name that is not UTF-8 cannot be shown in a report.
        let Some(text) = relative.to_str().filter(|_| !name.to_string_lossy().starts_with('.')) else {
            continue;
        };
        let path = root.join(&relative);
        if path.is_dir() {
            audio_files(root, &relative, names)?;
        } else if path.is_file() && is_audio(&path) {
            names.push(text.to_owned());
        }
    }
    Ok(())
}

fn is_audio(path: &Path) -> bool {
    let end = path.extension().map(|end| end.to_string_lossy().to_lowercase());
    end.is_some_and(|end| AUDIO.contains(&end.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn recordings_are_found_with_their_references_and_languages() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["de/a.wav", "b.MP3", "c.wav", "d.ogg", "e.wav", ".hidden.wav"] {
            write(root, name, "");
        }
        write(root, "de/a.txt", "Guten Tag");
        write(root, "b.txt", "And so it is");
        write(root, "b.rttm", "SPEAKER b 1 0 1 <NA> <NA> anna");
        write(root, "c.srt", "1\nbroken --> times\nHello\n");
        write(root, "e.rttm", "SPEAKER e 1 0 1 <NA> <NA> anna");
        let found = RecordingFolder::read(root, None).unwrap();
        let names: Vec<&str> = found.recordings.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["b.MP3", "de/a.wav", "e.wav"]);
        assert_eq!(found.recordings[0].language.as_deref(), Some("en"));
        assert_eq!(found.recordings[0].given_language, None, "a guess does not bind the model");
        assert!(found.recordings[0].reference.turns.is_some());
        assert_eq!(found.recordings[1].given_language.as_deref(), Some("de"));
        assert!(found.recordings[2].reference.words.is_none());
        let reasons: Vec<&str> = found.left_out.iter().map(|one| one.reason.as_str()).collect();
        assert_eq!(found.left_out.len(), 2, "{reasons:?}");
        assert!(reasons[0].starts_with("c.srt: line 2: "), "{reasons:?}");
        assert_eq!(reasons[1], NO_REFERENCE);
    }

    #[test]
    fn a_manifest_lists_the_recordings() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "x/a.wav", "");
        let line = "{\"file\": \"x/a.wav\", \"text\": \"Bonjour\", \"language\": \"fr\"}\n{\"file\": \"gone.wav\", \"text\": \"\"}\n";
        write(folder.path(), MANIFEST, line);
        let found = RecordingFolder::read(folder.path(), Some("en")).unwrap();
        assert_eq!(found.recordings[0].given_language.as_deref(), Some("fr"));
        assert_eq!(found.left_out[0].reason, "the file does not exist");
        write(folder.path(), MANIFEST, "{}");
        assert!(
            RecordingFolder::read(folder.path(), None)
                .unwrap_err()
                .to_string()
                .contains("line 1: missing field `file`")
        );
    }

    #[test]
    fn a_folder_without_recordings_or_references_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let error = RecordingFolder::read(folder.path(), None).unwrap_err().to_string();
        assert!(error.starts_with("there are no recordings in"), "{error}");
        write(folder.path(), "call.wav", "");
        let error = RecordingFolder::read(folder.path(), None).unwrap_err().to_string();
        assert!(error.contains("into `call.txt`"), "{error}");
        let missing = RecordingFolder::read(&folder.path().join("none"), None).unwrap_err().to_string();
        assert!(missing.starts_with("cannot read the folder"), "{missing}");
    }
}
