//! The id of an added model: what it may look like, and the one that it gets if the operator names none.

use std::ffi::OsStr;
use std::path::Path;

use auris_weights::Family;

use super::error::InstallError;
use super::file_names;
use super::own_weights::OwnKind;
use crate::catalog::Catalog;

/// Longest id, in characters. It is the name of a folder and a value in requests.
const MAX_LENGTH: usize = 64;

/// Ends the id of an added model if the catalogue has a model with the id that it would get.
const SUFFIX: &str = "-local";

/// Fails if the id cannot be the name of a model and of its folder.
pub(super) fn check(id: &str) -> Result<(), InstallError> {
    let is_plain =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "._-".contains(letter);
    let is_valid = id.len() <= MAX_LENGTH
        && id.starts_with(|first: char| first.is_ascii_alphanumeric())
        && id.chars().all(is_plain)
        && ![file_names::LOCAL_CATALOG, file_names::BENCH].contains(&id);
    if is_valid {
        return Ok(());
    }
    Err(InstallError::new(format!(
        "`{id}` cannot be the id of a model; use up to {MAX_LENGTH} lowercase letters, digits, `.`, `_` and `-`, and \
         begin with a letter or a digit"
    )))
}

/// The id for a file or folder.
pub(super) fn default_for(path: &Path, kind: &OwnKind, catalog: &Catalog) -> String {
    let id = match kind {
        OwnKind::Speech(family) => speech_id(path, *family),
        OwnKind::Language { name } => language_id(path, name.as_deref()),
    };
    let is_taken = catalog.find(&id).is_some_and(|entry| !entry.local);
    if is_taken { id + SUFFIX } else { id }
}

/// `ggml-large-v3-turbo-q8_0.bin` becomes `whisper-large-v3-turbo-q8_0`.
fn speech_id(path: &Path, family: Family) -> String {
    let file = lowercase_name(path);
    let stem = file.strip_suffix(".bin").unwrap_or(&file);
    let name = with_plain_letters(stem.strip_prefix("ggml-").unwrap_or(stem), "._");
    let word = word(family);
    shortened(if name.contains(word) { name } else { format!("{word}-{name}") })
}

/// `Qwen3-4B-Q4_K_M.gguf` becomes `qwen3-4b-q4-k-m`. `name` is the name that the file has for people.
fn language_id(path: &Path, name: Option<&str>) -> String {
    let file = lowercase_name(path);
    let stem = file.strip_suffix(".gguf").unwrap_or(&file);
    // Ollama names its files after their content.
    let name = name.filter(|_| stem.starts_with("sha256-")).map(str::to_lowercase);
    let id = with_plain_letters(name.as_deref().unwrap_or(stem), ".");
    shortened(if id.is_empty() { "language-model".to_owned() } else { id })
}

fn lowercase_name(path: &Path) -> String {
    // `.` has no name itself, but the folder has one.
    let folder = if path.file_name().is_none() { path.canonicalize().ok() } else { None };
    let name = folder.as_deref().unwrap_or(path).file_name().map(OsStr::to_string_lossy);
    name.unwrap_or_default().to_lowercase()
}

/// The name with `-` instead of everything except letters, digits and the `kept` signs.
fn with_plain_letters(name: &str, kept: &str) -> String {
    let plain = |letter: char| match letter {
        'a'..='z' | '0'..='9' => letter,
        _ if kept.contains(letter) => letter,
        _ => '-',
    };
    let name: String = name.chars().map(plain).collect();
    name.trim_matches(['-', '.', '_']).to_owned()
}

/// Leaves room for the suffix.
fn shortened(id: String) -> String {
    let id: String = id.chars().take(MAX_LENGTH - SUFFIX.len()).collect();
    id.trim_end_matches('-').to_owned()
}

/// The name of an added model for people.
pub(super) fn display_name(id: &str, kind: &OwnKind) -> String {
    match kind {
        OwnKind::Speech(family) => speech_name(id, *family),
        OwnKind::Language { name } => name.clone().unwrap_or_else(|| id.to_owned()),
    }
}

fn speech_name(id: &str, family: Family) -> String {
    let name = match family {
        Family::Moonshine => "Moonshine",
        Family::Whisper => "Whisper",
    };
    match id.strip_prefix(word(family)).and_then(|rest| rest.strip_prefix('-')) {
        Some(rest) => format!("{name} {rest}"),
        None => format!("{name} {id}"),
    }
}

/// The family in an id.
fn word(family: Family) -> &'static str {
    match family {
        Family::Moonshine => "moonshine",
        Family::Whisper => "whisper",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(path: &str) -> String {
        speech_id(Path::new(path), Family::Whisper)
    }

    #[test]
    fn an_id_is_named_after_the_file_and_the_family() {
        assert_eq!(named("/x/ggml-large-v3-turbo-q8_0.bin"), "whisper-large-v3-turbo-q8_0");
        assert_eq!(named("ggml-tiny.en.bin"), "whisper-tiny.en");
        assert_eq!(named("Our Calls (2026)"), "whisper-our-calls--2026");
        assert_eq!(named("distil-whisper-large"), "distil-whisper-large");
        assert_eq!(speech_id(Path::new("korean"), Family::Moonshine), "moonshine-korean");
        assert_eq!(named(""), "whisper");
        let here = std::env::current_dir().unwrap();
        assert_eq!(named("."), named(&here.display().to_string()));
        assert_ne!(named("."), "whisper");
        for path in ["ggml-a.bin", "Ünï", "---", "", &"x".repeat(300)] {
            check(&format!("{}{SUFFIX}", named(path))).unwrap();
        }
    }

    #[test]
    fn the_id_of_a_language_model_is_the_name_of_its_file() {
        let named = |path: &str| language_id(Path::new(path), Some("Qwen3 4B"));
        assert_eq!(named("/x/Qwen3-4B-Q4_K_M.gguf"), "qwen3-4b-q4-k-m");
        assert_eq!(named("Qwen2.5-0.5B-Instruct.Q8_0.GGUF"), "qwen2.5-0.5b-instruct.q8-0");
        assert_eq!(named("/x/blobs/sha256-163553aea1b1"), "qwen3-4b");
        assert_eq!(language_id(Path::new("sha256-163553aea1b1"), None), "sha256-163553aea1b1");
        assert_eq!(named("---.gguf"), "language-model");
        for path in [".gguf", "Ünï.gguf", &"x".repeat(300)] {
            check(&format!("{}{SUFFIX}", named(path))).unwrap();
        }
    }

    #[test]
    fn an_id_of_the_catalogue_is_not_taken() {
        let catalog = Catalog::built_in().unwrap();
        let id = default_for(Path::new("ggml-tiny.bin"), &OwnKind::Speech(Family::Whisper), &catalog);
        assert_eq!(id, "whisper-tiny-local");
        let language = OwnKind::Language { name: None };
        let id = default_for(Path::new("SmolLM2-135M-Instruct.gguf"), &language, &catalog);
        assert_eq!(id, "smollm2-135m-instruct-local");
    }

    #[test]
    fn an_id_that_would_leave_the_folder_or_hide_a_file_is_refused() {
        for id in ["", ".", "..", "../x", "a/b", ".hidden", "Calls", "ä", "local.toml", "bench.json", "a b"]
        {
            let error = check(id).unwrap_err().to_string();
            assert!(error.contains(&format!("`{id}`")), "{error}");
        }
        assert!(check(&"a".repeat(MAX_LENGTH)).is_ok() && check(&"a".repeat(MAX_LENGTH + 1)).is_err());
        assert!(check("qwen2.5-1_b").is_ok());
    }

    #[test]
    fn people_see_the_family_once() {
        assert_eq!(speech_name("whisper-large-v3", Family::Whisper), "Whisper large-v3");
        assert_eq!(speech_name("calls", Family::Moonshine), "Moonshine calls");
    }

    #[test]
    fn a_language_model_has_the_name_of_its_file_for_people_or_its_id() {
        let named = |name: Option<&str>| {
            display_name("qwen3-4b", &OwnKind::Language { name: name.map(str::to_owned) })
        };
        assert_eq!((named(Some("Qwen3 4B")), named(None)), ("Qwen3 4B".to_owned(), "qwen3-4b".to_owned()));
    }
}
