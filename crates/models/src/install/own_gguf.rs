//! Recognizes a language model of the operator in a GGUF file, and checks what the file says about itself.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use auris_weights::{GgufFile, WeightsError};

use super::error::InstallError;

/// How a GGUF file starts.
const MAGIC: [u8; 4] = *b"GGUF";

/// What `auris-language` runs. The trial finds everything else that it does not support.
const ARCHITECTURES: [&str; 3] = ["llama", "qwen2", "qwen3"];
const TOKENIZER: &str = "gpt2";

/// Longest name for people that is taken from a file, in characters. Longer ones do not fit into a list.
const MAX_NAME: usize = 60;

/// Whether a file is a GGUF file, whatever its name is.
pub(super) fn is_gguf(path: &Path) -> bool {
    let mut magic = [0; 4];
    let is_file = path.metadata().is_ok_and(|metadata| metadata.is_file());
    is_file && File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == MAGIC
}

/// Reads the metadata and the list of tensors, but not the weights. Returns the name that the file has for people, if it
/// is short and plain. Fails if the file is damaged, or if the model cannot run here.
pub(super) fn inspect(path: &Path) -> Result<Option<String>, InstallError> {
    let file = GgufFile::open(path).map_err(|error| refusal(&error))?;
    check(&file).map_err(|reason| InstallError::new(format!("`{}` {reason}", path.display())))?;
    Ok(file.text("general.name").and_then(plain_name))
}

/// The reason continues a sentence that begins with the file.
fn check(file: &GgufFile) -> Result<(), String> {
    if let Some(parts) = file.number("split.count").filter(|parts| *parts > 1) {
        return Err(format!(
            "is one of {parts} parts of a model; join them with `llama-gguf-split --merge`, and add the result"
        ));
    }
    let architecture = file.text("general.architecture").unwrap_or("unknown");
    if !ARCHITECTURES.contains(&architecture) {
        let supported = ARCHITECTURES.join(", ");
        return Err(format!("has the architecture `{architecture}`; supported are {supported}"));
    }
    let tokenizer = file.text("tokenizer.ggml.model").unwrap_or("unknown");
    if tokenizer != TOKENIZER {
        return Err(format!(
            "has a tokenizer of the kind `{tokenizer}`; only byte-level BPE (`{TOKENIZER}`) is supported"
        ));
    }
    if file.text("tokenizer.chat_template").is_none_or(|template| template.trim().is_empty()) {
        return Err(
            "has no chat template (`tokenizer.chat_template`), so it cannot answer questions; use the \
                    variant of the model for chats, often named `Instruct`"
                .to_owned(),
        );
    }
    Ok(())
}

/// Some files have a path or a web address for a name.
fn plain_name(name: &str) -> Option<String> {
    let name = name.trim();
    let is_plain = |letter: char| letter.is_alphanumeric() || " .,-_+()".contains(letter);
    let is_short = (1..=MAX_NAME).contains(&name.chars().count());
    (is_short && name.starts_with(char::is_alphanumeric) && name.chars().all(is_plain))
        .then(|| name.to_owned())
}

/// What is wrong, and what to do.
fn refusal(error: &WeightsError) -> InstallError {
    InstallError::new(match error {
        WeightsError::Damaged { .. } | WeightsError::Missing { .. } => format!("{error}; download it again"),
        // The message says what is supported instead.
        WeightsError::Io { .. } | WeightsError::Unsupported { .. } => error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_short_and_plain_name_is_for_people() {
        assert_eq!(plain_name(" Qwen3 4B (Instruct) ").as_deref(), Some("Qwen3 4B (Instruct)"));
        assert_eq!(plain_name("Modèle 2.5").as_deref(), Some("Modèle 2.5"));
        assert!(plain_name(&"x".repeat(MAX_NAME)).is_some());
        for name in
            ["", "  ", "/raid/models/x", "C:\\models", "https://example.com", ".", "a\nb", &"x".repeat(61)]
        {
            assert_eq!(plain_name(name), None, "{name}");
        }
    }
}
