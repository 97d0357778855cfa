//! Token ids to text and, for prompts, text to token ids: from a `tokenizer.json`, or from a list of tokens.

mod byte_pairs;

use std::path::Path;

use auris_engine_core::{EngineError, byte_level};
use byte_pairs::BytePairs;
use tokenizers::{Model, ModelWrapper, OffsetType, PreTokenizedString, PreTokenizer};

/// The vocabulary of a model.
pub(crate) struct Tokenizer {
    encoder: Encoder,
    /// The bytes of each token; empty for markers such as `<|startoftranscript|>`.
    tokens: Vec<Vec<u8>>,
}

enum Encoder {
    File(Box<tokenizers::Tokenizer>),
    BytePairs(BytePairs),
}

impl Tokenizer {
    pub(crate) fn load(path: &Path) -> Result<Self, EngineError> {
        let tokenizer = tokenizers::Tokenizer::from_file(path);
        let broken = |error| EngineError::internal(format!("cannot read `{}`: {error}", path.display()));
        tokenizer.map(Self::new).map_err(broken)
    }

    fn new(tokenizer: tokenizers::Tokenizer) -> Self {
        let bytes_of = if has_byte_fallback(tokenizer.get_model()) {
            sentence_piece_bytes
        } else {
            byte_level::bytes_of
        };
        let vocabulary = tokenizer.get_model().get_vocab();
        let markers = tokenizer.get_added_tokens_decoder();
        let ids = vocabulary.values().chain(markers.keys());
        let mut tokens = vec![Vec::new(); ids.max().map_or(0, |id| *id as usize + 1)];
        for (token, id) in vocabulary.iter().filter(|(_, id)| !markers.contains_key(id)) {
            tokens[*id as usize] = bytes_of(token);
        }
        Self { encoder: Encoder::File(Box::new(tokenizer)), tokens }
    }

    /// The vocabulary of a file that has no merges: the bytes of each token, by id. Markers are empty.
    pub(crate) fn from_tokens(tokens: Vec<Vec<u8>>) -> Self {
        Self { encoder: Encoder::BytePairs(BytePairs::new(&tokens)), tokens }
    }

    /// The bytes of a token: a part of the text, possibly only a part of a character.
    pub(crate) fn bytes(&self, id: u32) -> &[u8] {
        self.tokens.get(id as usize).map_or(&[], Vec::as_slice)
    }

    /// The tokens of a caller's text. Markers in the text are not recognized: they are encoded letter by letter.
    pub(crate) fn encode(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        let tokens = match &self.encoder {
            Encoder::File(tokenizer) => encode_text(tokenizer, text),
            Encoder::BytePairs(pairs) => pairs.encode(text),
        };
        tokens.map_err(EngineError::internal)
    }
}

fn encode_text(tokenizer: &tokenizers::Tokenizer, text: &str) -> tokenizers::Result<Vec<u32>> {
    let piece_text = has_byte_fallback(tokenizer.get_model()).then(|| text.replace(' ', "▁"));
    let mut words = PreTokenizedString::from(piece_text.as_deref().unwrap_or(text));
    if let Some(pre_tokenizer) = tokenizer.get_pre_tokenizer() {
        pre_tokenizer.pre_tokenize(&mut words)?;
    }
    words.tokenize(|word| tokenizer.get_model().tokenize(word.get()))?;
    Ok(words.into_encoding(None, 0, OffsetType::Byte)?.get_ids().to_vec())
}

/// Whether the vocabulary is SentencePiece's, which writes unknown characters as bytes.
fn has_byte_fallback(model: &ModelWrapper) -> bool {
    matches!(model, ModelWrapper::BPE(model) if model.byte_fallback)
}

/// SentencePiece writes a space as `▁` and a byte as `<0x41>`.
fn sentence_piece_bytes(token: &str) -> Vec<u8> {
    let byte = token.strip_prefix("<0x").and_then(|rest| rest.strip_suffix('>'));
    match byte.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
        Some(byte) => vec![byte],
        None => token.replace('▁', " ").into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use auris_engine_testing::asset;

    use super::*;

    /// The `tokenizer.json` of the multilingual Whisper models.
    const WHISPER: &str = "27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1a566";

    /// A byte-level tokenizer with these tokens, numbered from 0, and merges.
    fn tokenizer(tokens: &[&str], merges: &[&str]) -> Tokenizer {
        let vocabulary: serde_json::Map<String, serde_json::Value> =
            tokens.iter().enumerate().map(|(id, token)| ((*token).to_owned(), id.into())).collect();
        let marker = serde_json::json!({
            "id": tokens.len(), "content": "<|end|>", "special": false, "single_word": false,
            "lstrip": false, "rstrip": false, "normalized": false,
        });
        let json = serde_json::json!({
            "version": "1.0", "added_tokens": [marker], "normalizer": null, "post_processor": null,
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true},
            "decoder": null,
            "model": {"type": "BPE", "vocab": vocabulary, "merges": merges},
        });
        Tokenizer::new(json.to_string().parse().unwrap())
    }

    fn texts(tokenizer: &Tokenizer, text: &str) -> Vec<String> {
        let tokens = tokenizer.encode(text).unwrap();
        tokens.iter().map(|id| String::from_utf8_lossy(tokenizer.bytes(*id)).into_owned()).collect()
    }

    #[test]
    fn words_are_split_as_gpt2_does() {
        let letters = ["i", "t", "'", "s", "Ġ", "it", "Ġit", "'s", "ĠĠ", "Ġs"];
        let tokenizer = tokenizer(&letters, &["i t", "Ġ it", "' s", "Ġ Ġ", "Ġ s"]);
        assert_eq!(texts(&tokenizer, " it's"), [" it", "'s"]);
        assert_eq!(texts(&tokenizer, "it  s"), ["it", " ", " s"]);
    }

    #[test]
    fn a_marker_in_the_text_is_encoded_as_text() {
        let tokenizer = tokenizer(&["<", "|", "e", "n", "d", ">"], &[]);
        assert_eq!(texts(&tokenizer, "<|end|>").concat(), "<|end|>");
        assert!(tokenizer.bytes(6).is_empty());
    }

    #[test]
    fn merges_are_applied_by_rank() {
        let tokenizer = tokenizer(&["a", "b", "c", "bc", "abc"], &["b c", "a bc"]);
        assert_eq!(tokenizer.encode("abc").unwrap(), [4]);
        assert_eq!((tokenizer.bytes(4), tokenizer.bytes(5)), (b"abc".as_slice(), b"".as_slice()));
    }

    #[test]
    fn a_list_of_tokens_encodes_as_its_file_does() {
        let file = Tokenizer::load(&asset(WHISPER)).unwrap();
        let listed = Tokenizer::from_tokens(file.tokens.clone());
        for text in [
            " and so my fellow amerikans, ask not what  your country can do.",
            "It's we'll \u{1F3B5}  Müller's café\n\t10,000 km/h (2026) --- ♪♪",
            "Привет, это проверка распознавания русской речи.",
            "東京の天気は<|endoftext|>晴れです",
            "",
        ] {
            assert_eq!(listed.encode(text).unwrap(), file.encode(text).unwrap(), "{text}");
        }
        assert_eq!(listed.bytes(220), b" ");
        let endless = "ä".repeat(4_000);
        let tokens = listed.encode(&endless).unwrap();
        let bytes: Vec<u8> = tokens.iter().flat_map(|id| listed.bytes(*id)).copied().collect();
        assert_eq!(bytes, endless.as_bytes());
    }

    #[test]
    fn sentence_piece_tokens_become_bytes() {
        assert_eq!(sentence_piece_bytes("▁tea"), b" tea");
        assert_eq!(sentence_piece_bytes("<0xE9>"), [0xE9]);
    }
}
