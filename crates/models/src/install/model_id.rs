//! The id of an added model: what it may look like, and the one that it gets if the operator names none.

use std::ffi::OsStr;
use std::path::Path;

use auris_weights::Family;

use super::error::InstallError;
use super::file_names;
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

/// The id for a file or folder: `ggml-large-v3-turbo-q8_0.bin` becomes `whisper-large-v3-turbo-q8_0`.
pub(super) fn default_for(path: &Path, family: Family, catalog: &Catalog) -> String {
    let id = named_after(path, family);
    let is_taken = catalog.find(&id).is_some_and(|entry| !entry.local);
    if is_taken { id + SUFFIX } else { id }
}

fn named_after(path: &Path, family: Family) -> String {
    // `.` has no name itself, but the folder has one.
    let folder = if path.file_name().is_none() { path.canonicalize().ok() } else { None };
    let name = folder.as_deref().unwrap_or(path).file_name().map(OsStr::to_string_lossy);
    let name = name.unwrap_or_default().to_lowercase();
    let name = name.strip_suffix(".bin").unwrap_or(&name);
    let name = name.strip_prefix("ggml-").unwrap_or(name);
    let plain = |letter: char| match letter {
        'a'..='z' | '0'..='9' | '.' | '_' => letter,
        _ => '-',
    };
    let name: String = name.chars().map(plain).collect();
    let name = name.trim_matches(['-', '.', '_']);
    let word = word(family);
    let id = if name.contains(word) { name.to_owned() } else { format!("{word}-{name}") };
    let id: String = id.chars().take(MAX_LENGTH - SUFFIX.len()).collect();
    id.trim_end_matches('-').to_owned()
}

/// The name of an added model for people.
pub(super) fn display_name(id: &str, family: Family) -> String {
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
        named_after(Path::new(path), Family::Whisper)
    }

    #[test]
    fn an_id_is_named_after_the_file_and_the_family() {
        assert_eq!(named("/x/ggml-large-v3-turbo-q8_0.bin"), "whisper-large-v3-turbo-q8_0");
        assert_eq!(named("ggml-tiny.en.bin"), "whisper-tiny.en");
        assert_eq!(named("Our Calls (2026)"), "whisper-our-calls--2026");
        assert_eq!(named("distil-whisper-large"), "distil-whisper-large");
        assert_eq!(named_after(Path::new("korean"), Family::Moonshine), "moonshine-korean");
        assert_eq!(named(""), "whisper");
        let here = std::env::current_dir().unwrap();
        assert_eq!(named("."), named(&here.display().to_string()));
        assert_ne!(named("."), "whisper");
        for path in ["ggml-a.bin", "Ünï", "---", "", &"x".repeat(300)] {
            check(&format!("{}{SUFFIX}", named(path))).unwrap();
        }
    }

    #[test]
    fn an_id_of_the_catalogue_is_not_taken() {
        let catalog = Catalog::built_in().unwrap();
        let id = default_for(Path::new("ggml-tiny.bin"), Family::Whisper, &catalog);
        assert_eq!(id, "whisper-tiny-local");
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
        assert_eq!(display_name("whisper-large-v3", Family::Whisper), "Whisper large-v3");
        assert_eq!(display_name("calls", Family::Moonshine), "Moonshine calls");
    }
}
