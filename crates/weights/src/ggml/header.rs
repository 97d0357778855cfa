//! What precedes the tensors: sizes, mel filters and vocabulary.

use crate::config::{Family, ModelConfig};
use crate::element::ElementType;
use crate::error::WeightsError;
use crate::ggml::reader::Reader;
use crate::tensor::Tensor;

const MAGIC: u32 = 0x6767_6D6C;
/// Whisper has 51,866. The vocabulary itself is checked later, with the other sizes.
const MAX_TOKENS: usize = 1 << 20;
/// The longest token of Whisper has 256 bytes.
const MAX_TOKEN: usize = 1 << 16;

#[derive(Debug)]
pub(super) struct Header {
    /// Without the widths of the feed-forward parts, which are only in the shapes.
    pub(super) config: ModelConfig,
    /// Mel band × frequency.
    pub(super) mel_filters: Tensor,
    pub(super) vocabulary: Vec<Vec<u8>>,
}

impl Header {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, WeightsError> {
        if reader.number().ok() != Some(MAGIC) {
            return Err(WeightsError::damaged(
                "it is not a file of whisper.cpp: it does not start with `lmgg`",
            ));
        }
        let config = read_config(reader)?;
        let mel_filters = read_filters(reader)?;
        if mel_filters.shape.first() != Some(&config.mel_bins) {
            let bands = &mel_filters.shape[..1];
            let bins = config.mel_bins;
            return Err(WeightsError::damaged(format!("it has {bands:?} mel filters and {bins} mel bands")));
        }
        let vocabulary = read_vocabulary(reader, config.vocabulary)?;
        Ok(Self { config, mel_filters, vocabulary })
    }
}

/// The sizes of the encoder or the decoder.
struct CoderSizes {
    positions: usize,
    width: usize,
    heads: usize,
    layers: usize,
}

impl CoderSizes {
    fn read(reader: &mut Reader<'_>, positions: &str) -> Result<Self, WeightsError> {
        Ok(Self {
            positions: reader.size(positions)?,
            width: reader.size("width")?,
            heads: reader.size("number of heads")?,
            layers: reader.size("number of layers")?,
        })
    }
}

fn read_config(reader: &mut Reader<'_>) -> Result<ModelConfig, WeightsError> {
    let vocabulary = reader.size("vocabulary")?;
    let encoder = CoderSizes::read(reader, "number of audio positions")?;
    let decoder = CoderSizes::read(reader, "number of text positions")?;
    let mel_bins = reader.size("number of mel bands")?;
    let _file_type = reader.number()?;
    if encoder.width != decoder.width || encoder.heads != decoder.heads || encoder.heads == 0 {
        return Err(WeightsError::unsupported(format!(
            "encoder and decoder of Whisper have the same width and heads; here they have {} and {}, {} and {}",
            encoder.width, decoder.width, encoder.heads, decoder.heads
        )));
    }
    Ok(ModelConfig {
        family: Family::Whisper,
        width: encoder.width,
        encoder_layers: encoder.layers,
        decoder_layers: decoder.layers,
        heads: encoder.heads,
        head_width: encoder.width / encoder.heads,
        encoder_feed_forward: 0,
        decoder_feed_forward: 0,
        mel_bins,
        vocabulary,
        audio_positions: encoder.positions,
        text_positions: decoder.positions,
        rotary_width: 0,
        rotary_base: 0.0,
    })
}

fn read_filters(reader: &mut Reader<'_>) -> Result<Tensor, WeightsError> {
    let shape = vec![reader.size("number of mel filters")?, reader.size("width of a mel filter")?];
    let length = shape.iter().try_fold(4usize, |length, size| length.checked_mul(*size));
    let length = length.ok_or_else(|| WeightsError::damaged("the mel filters are too large"))?;
    Tensor::new(shape, ElementType::F32, reader.take(length)?)
}

fn read_vocabulary(reader: &mut Reader<'_>, most: usize) -> Result<Vec<Vec<u8>>, WeightsError> {
    let count = reader.size("number of tokens")?;
    if count > most.min(MAX_TOKENS) {
        return Err(WeightsError::damaged(format!("it has {count} tokens and a vocabulary of {most}")));
    }
    // Not reserved at once: the file may be shorter than its numbers claim.
    let mut vocabulary = Vec::new();
    for _ in 0..count {
        let length = reader.size("length of a token")?;
        if length > MAX_TOKEN {
            return Err(WeightsError::damaged(format!("a token has {length} bytes")));
        }
        vocabulary.push(reader.take(length)?.as_ref().to_vec());
    }
    Ok(vocabulary)
}
