//! Finds the files of a model in a folder.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::config::{Family, ModelConfig};
use crate::error::WeightsError;
use crate::ggml::GgmlFile;
use crate::onnx::OnnxModel;
use crate::safetensors::{SafetensorsFile, SafetensorsModel, family_of_config};
use crate::source::TensorSource;

/// How a file of whisper.cpp starts.
const GGML_MAGIC: [u8; 4] = *b"lmgg";

/// The files of weights of one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelFiles {
    /// The two files of an ONNX export.
    Onnx { encoder: PathBuf, decoder: PathBuf },
    /// A file of whisper.cpp.
    Ggml { file: PathBuf },
    /// A folder of Hugging Face with `config.json`.
    Safetensors { folder: PathBuf },
}

impl ModelFiles {
    /// Finds the weights in a folder, or recognizes a single file of whisper.cpp. If a folder has several kinds,
    /// safetensors come first, because they are the least quantized, then GGML, then ONNX.
    pub fn find(path: &Path) -> Result<Self, WeightsError> {
        if !path.is_dir() {
            return Self::single(path);
        }
        let mut names = Vec::new();
        for entry in fs::read_dir(path).map_err(|error| WeightsError::io(path, error))? {
            let entry = entry.map_err(|error| WeightsError::io(path, error))?;
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        if names.iter().any(|name| name == "model.safetensors" || name == "model.safetensors.index.json") {
            return Ok(Self::Safetensors { folder: path.to_owned() });
        }
        let mut ggml = names.iter().filter(|name| name.ends_with(".bin")).map(|name| path.join(name));
        if let Some(file) = ggml.find(|path| is_ggml(path)) {
            return Ok(Self::Ggml { file });
        }
        let onnx = |prefix: &str| onnx_file(&names, prefix).map(|name| path.join(name));
        if let Some((encoder, decoder)) = onnx("encoder_model").zip(onnx("decoder_model")) {
            return Ok(Self::Onnx { encoder, decoder });
        }
        Err(WeightsError::unsupported(format!(
            "`{}` has neither `model.safetensors` nor a `ggml-*.bin` of whisper.cpp nor `encoder_model*.onnx` with \
             `decoder_model_merged*.onnx`",
            path.display()
        )))
    }

    fn single(path: &Path) -> Result<Self, WeightsError> {
        path.metadata().map_err(|error| WeightsError::io(path, error))?;
        if is_ggml(path) {
            return Ok(Self::Ggml { file: path.to_owned() });
        }
        Err(WeightsError::unsupported(format!(
            "`{}` is not a file of whisper.cpp (`ggml-*.bin`); safetensors are added as a folder with their \
             `config.json`",
            path.display()
        )))
    }

    /// Which kind of net the weights are for.
    pub fn family(&self) -> Result<Family, WeightsError> {
        match self {
            Self::Ggml { .. } => Ok(Family::Whisper),
            Self::Safetensors { folder } => family_of_config(folder),
            Self::Onnx { encoder, decoder } => {
                // Only Moonshine has a third convolution.
                let model = OnnxModel::open(encoder, decoder, Family::Moonshine)?;
                let is_moonshine = model.contains("model.encoder.conv3.weight");
                Ok(if is_moonshine { Family::Moonshine } else { Family::Whisper })
            }
        }
    }

    /// Every file that the model depends on.
    pub fn paths(&self) -> Result<Vec<PathBuf>, WeightsError> {
        match self {
            Self::Onnx { encoder, decoder } => Ok(vec![encoder.clone(), decoder.clone()]),
            Self::Ggml { file } => Ok(vec![file.clone()]),
            Self::Safetensors { folder } => {
                let mut paths = SafetensorsFile::files(folder)?;
                paths.push(folder.join("config.json"));
                Ok(paths)
            }
        }
    }

    /// Opens the files. Fails if they are damaged or of another family.
    pub(crate) fn open(&self, family: Family) -> Result<(Box<dyn TensorSource>, ModelConfig), WeightsError> {
        match (self, family) {
            (Self::Onnx { encoder, decoder }, _) => {
                let model = OnnxModel::open(encoder, decoder, family)?;
                let config = model.config()?;
                Ok((Box::new(model), config))
            }
            (Self::Safetensors { folder }, _) => {
                let model = SafetensorsModel::open(folder, family)?;
                let config = *model.config();
                Ok((Box::new(model), config))
            }
            (Self::Ggml { file }, Family::Whisper) => {
                let model = GgmlFile::open(file)?;
                let config = *model.config();
                Ok((Box::new(model), config))
            }
            (Self::Ggml { file }, Family::Moonshine) => {
                let what = "files of whisper.cpp are Whisper models, not Moonshine";
                Err(WeightsError::unsupported(what).of_file(file))
            }
        }
    }
}

/// The file to use of those with this prefix: quantized before plain, merged before simple. A decoder that only works
/// with a cache of earlier keys lacks the products for the audio.
fn onnx_file(names: &[String], prefix: &str) -> Option<String> {
    let fits =
        |name: &&String| name.starts_with(prefix) && name.ends_with(".onnx") && !name.contains("with_past");
    let rank = |name: &&String| (!name.contains("merged"), !name.contains("quantized"), name.len());
    names.iter().filter(fits).min_by_key(rank).cloned()
}

fn is_ggml(path: &Path) -> bool {
    let mut magic = [0; 4];
    let is_file = path.metadata().is_ok_and(|metadata| metadata.is_file());
    is_file
        && File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok()
        && magic == GGML_MAGIC
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            fs::write(folder.path().join(name), content).unwrap();
        }
        folder
    }

    #[test]
    fn each_kind_of_model_is_found_by_its_files() {
        let onnx = folder(&[
            ("decoder_model_merged.onnx", b""),
            ("decoder_model_merged_quantized.onnx", b""),
            ("decoder_with_past_model.onnx", b""),
            ("encoder_model.onnx", b""),
            ("tokenizer.json", b""),
        ]);
        let path = |name: &str| onnx.path().join(name);
        assert_eq!(
            ModelFiles::find(onnx.path()).unwrap(),
            ModelFiles::Onnx {
                encoder: path("encoder_model.onnx"),
                decoder: path("decoder_model_merged_quantized.onnx")
            }
        );
        let ggml = folder(&[("a.bin", b"PK\x03\x04"), ("ggml-tiny.bin", b"lmgg rest")]);
        let file = ggml.path().join("ggml-tiny.bin");
        assert_eq!(ModelFiles::find(ggml.path()).unwrap(), ModelFiles::Ggml { file: file.clone() });
        assert_eq!(ModelFiles::find(&file).unwrap(), ModelFiles::Ggml { file });
        let hugging_face = folder(&[("model.safetensors", b""), ("ggml.bin", b"lmgg")]);
        let found = ModelFiles::find(hugging_face.path()).unwrap();
        assert_eq!(found, ModelFiles::Safetensors { folder: hugging_face.path().to_owned() });
    }

    #[test]
    fn a_folder_without_weights_says_what_it_should_have() {
        let empty = folder(&[("encoder_model.onnx", b""), ("pytorch_model.bin", b"PK")]);
        let error = ModelFiles::find(empty.path()).unwrap_err().to_string();
        assert!(error.contains("ggml-*.bin"), "{error}");
        let error = ModelFiles::find(&empty.path().join("pytorch_model.bin")).unwrap_err().to_string();
        assert!(error.contains("not a file of whisper.cpp"), "{error}");
        assert!(matches!(ModelFiles::find(&empty.path().join("none")), Err(WeightsError::Io { .. })));
    }
}
