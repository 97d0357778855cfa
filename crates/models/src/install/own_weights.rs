//! Recognizes the operator's own weights, and checks them before they are copied.

use std::path::{Path, PathBuf};

use auris_weights::{Family, ModelFiles, WeightsError};

use super::error::InstallError;
use super::own_gguf;
use crate::catalog::ModelFile;

/// Tokens of Whisper's vocabulary for English alone. All others have tokens for languages.
const ENGLISH_VOCABULARY: usize = 51_864;

const ACCEPTED: &str = "`auris models add` reads a GGUF file with a language model, a `ggml-*.bin` file of \
                        whisper.cpp, or a Hugging Face folder with `config.json`, `tokenizer.json` and \
                        `model.safetensors`";

/// Needed next to the safetensors.
const TOKENIZER: &str = "tokenizer.json";

/// Copied if the folder has them: the list of several files of weights, and settings that some engines read.
const OPTIONAL: [&str; 3] =
    ["model.safetensors.index.json", "generation_config.json", "preprocessor_config.json"];

/// Weights that can be added.
pub(super) struct OwnWeights {
    pub(super) kind: OwnKind,
    /// ISO 639-1 codes of the supported languages; empty if it supports all languages of its engine.
    pub(super) languages: Vec<String>,
    /// The weights first.
    pub(super) files: Vec<OwnFile>,
}

/// What weights are for.
pub(super) enum OwnKind {
    Speech(Family),
    Language {
        /// The name that the file has for people.
        name: Option<String>,
    },
}

/// A file of the operator, and its name in the folder of the model.
pub(super) struct OwnFile {
    pub(super) path: PathBuf,
    pub(super) name: String,
}

impl OwnFile {
    /// A file of whisper.cpp.
    fn ggml(path: PathBuf) -> Self {
        Self::single(path, ".bin", "ggml-model.bin")
    }

    fn gguf(path: PathBuf) -> Self {
        Self::single(path, ".gguf", "model.gguf")
    }

    /// The engine finds the file by the end of its name, which may be anything where it comes from.
    fn single(path: PathBuf, end: &str, otherwise: &str) -> Self {
        let name = name_of(&path);
        let is_usual = ModelFile::is_plain_name(&name) && name.ends_with(end);
        Self { path, name: if is_usual { name } else { otherwise.to_owned() } }
    }

    /// A file of a Hugging Face folder, which keeps its name.
    fn of_folder(path: PathBuf) -> Result<Self, InstallError> {
        let name = name_of(&path);
        if ModelFile::is_plain_name(&name) {
            return Ok(Self { path, name });
        }
        Err(InstallError::new(format!(
            "`{}` cannot be copied; rename it to begin with a letter",
            path.display()
        )))
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

impl OwnWeights {
    /// Reads the sizes and the list of tensors, but not the weights. Fails if something is missing or does not fit.
    pub(super) fn inspect(path: &Path) -> Result<Self, InstallError> {
        if own_gguf::is_gguf(path) {
            let kind = OwnKind::Language { name: own_gguf::inspect(path)? };
            return Ok(Self { kind, languages: Vec::new(), files: vec![OwnFile::gguf(path.to_owned())] });
        }
        let found = ModelFiles::find(path).map_err(|error| refusal(&error))?;
        let files = match &found {
            ModelFiles::Ggml { file } => vec![OwnFile::ggml(file.clone())],
            ModelFiles::Safetensors { folder } => {
                // First, because the other files do not matter for a model of another kind.
                found.family().map_err(|error| refusal(&error))?;
                let mut paths = found.paths().map_err(|error| refusal(&error))?;
                paths.extend(beside_the_weights(folder)?);
                paths.into_iter().map(OwnFile::of_folder).collect::<Result<_, _>>()?
            }
            ModelFiles::Onnx { .. } => {
                let message = format!("`{}` is an ONNX export. {ACCEPTED}", path.display());
                return Err(InstallError::new(message));
            }
        };
        let config = auris_weights::inspect(path).map_err(|error| refusal(&error))?;
        let languages = languages(config.family, config.vocabulary);
        Ok(Self { kind: OwnKind::Speech(config.family), languages, files })
    }
}

/// The other files of a Hugging Face folder that are copied.
fn beside_the_weights(folder: &Path) -> Result<Vec<PathBuf>, InstallError> {
    let tokenizer = folder.join(TOKENIZER);
    if !tokenizer.is_file() {
        return Err(InstallError::new(format!(
            "`{}` is missing; copy it from the source of the weights",
            tokenizer.display()
        )));
    }
    let optional = OPTIONAL.iter().map(|name| folder.join(name)).filter(|path| path.is_file());
    Ok(std::iter::once(tokenizer).chain(optional).collect())
}

fn languages(family: Family, vocabulary: usize) -> Vec<String> {
    let only_english = match family {
        Family::Moonshine => true,
        Family::Whisper => vocabulary == ENGLISH_VOCABULARY,
    };
    if only_english { vec!["en".to_owned()] } else { Vec::new() }
}

/// What is wrong, and what to do.
fn refusal(error: &WeightsError) -> InstallError {
    InstallError::new(match error {
        WeightsError::Io { .. } => error.to_string(),
        WeightsError::Damaged { .. } | WeightsError::Missing { .. } => {
            format!("{error}; download or convert it again")
        }
        WeightsError::Unsupported { .. } => format!("{error}. {ACCEPTED}"),
    })
}
