//! The two ONNX files of a speech model as one source, with the names that this program uses.

use std::path::Path;

use crate::config::{Family, ModelConfig};
use crate::error::WeightsError;
use crate::matrix::Matrix;
use crate::names::hugging_face_name;
use crate::onnx::config::config_from_shapes;
use crate::onnx::file::OnnxFile;
use crate::source::TensorSource;

/// Encoder and decoder of a model, exported as two files, quantized or not.
#[derive(Debug)]
pub struct OnnxModel {
    encoder: OnnxFile,
    decoder: OnnxFile,
    family: Family,
}

impl OnnxModel {
    pub fn new(encoder: OnnxFile, decoder: OnnxFile, family: Family) -> Self {
        Self { encoder, decoder, family }
    }

    /// Maps both files.
    pub fn open(encoder: &Path, decoder: &Path, family: Family) -> Result<Self, WeightsError> {
        Ok(Self::new(OnnxFile::open(encoder)?, OnnxFile::open(decoder)?, family))
    }

    /// The sizes of the model, from the shapes of its tensors.
    pub fn config(&self) -> Result<ModelConfig, WeightsError> {
        config_from_shapes(self, self.family)
    }

    /// The file that has the tensor, and its name there.
    fn find(&self, name: &str) -> Result<(&OnnxFile, String), WeightsError> {
        self.locate(name).ok_or_else(|| WeightsError::missing(name))
    }

    fn locate(&self, name: &str) -> Option<(&OnnxFile, String)> {
        let exported = hugging_face_name(self.family, name)?;
        let (_, rest) = exported.strip_prefix("model.")?.split_once('.')?;
        let is_encoder = exported.starts_with("model.encoder.");
        let (file, side) = if is_encoder { (&self.encoder, "encoder") } else { (&self.decoder, "decoder") };
        for rest in other_names(rest, is_encoder) {
            // An encoder is exported alone, so that its names have no prefix; a decoder is not.
            let names = [format!("model.{side}.{rest}"), rest.clone(), format!("{side}.{rest}")];
            if let Some(name) = names.into_iter().find(|name| file.contains(name)) {
                return Some((file, name));
            }
        }
        Some((file, folded_norm(file, rest)?))
    }
}

/// Earlier versions of Moonshine have other names for three products.
fn other_names(rest: &str, is_encoder: bool) -> Vec<String> {
    let mut names = vec![rest.to_owned(), rest.replace(".o_proj.", ".dense.")];
    if !is_encoder {
        names.push(rest.replace(".mlp.fc1.", ".mlp.up_proj.").replace(".mlp.fc2.", ".mlp.down_proj."));
    }
    names.dedup();
    names
}

/// The exporter writes Moonshine's group norm as a multiplication and an addition with anonymous tensors.
fn folded_norm(file: &OnnxFile, name: &str) -> Option<String> {
    let node = match name {
        "groupnorm.weight" => "groupnorm/Mul",
        "groupnorm.bias" => "groupnorm/Add",
        _ => return None,
    };
    let node = file.nodes().iter().find(|known| known.name.trim_start_matches('/') == node)?;
    node.inputs.iter().find(|input| file.contains(input)).cloned()
}

impl TensorSource for OnnxModel {
    fn contains(&self, name: &str) -> bool {
        self.locate(name).is_some()
    }

    fn shape(&self, name: &str) -> Result<Vec<usize>, WeightsError> {
        let (file, exported) = self.find(name)?;
        file.shape(&exported)
    }

    fn floats(&self, name: &str) -> Result<Vec<f32>, WeightsError> {
        let (file, exported) = self.find(name)?;
        file.floats(&exported)
    }

    fn matrix(&self, name: &str) -> Result<Matrix, WeightsError> {
        let (file, exported) = self.find(name)?;
        file.matrix(&exported)
    }
}
