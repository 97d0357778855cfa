//! Byte-pair encoding with a vocabulary whose ids are the ranks of its merges, as GPT-2's and Whisper's are.

use std::collections::HashMap;

use auris_engine_core::byte_level;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::{OffsetReferential, OffsetType, PreTokenizedString, PreTokenizer};

/// Maximum bytes that are encoded as one word. The time grows with the square of the length, and a caller may send a
/// prompt that is one word.
const MAX_WORD: usize = 256;

/// Encodes text without a list of merges: of all neighbors that are a token together, those with the lowest id are
/// merged first.
pub(super) struct BytePairs {
    ids: HashMap<Vec<u8>, u32>,
}

impl BytePairs {
    /// For tokens by their ids. Empty tokens, which stand for markers, are never used.
    pub(super) fn new(tokens: &[Vec<u8>]) -> Self {
        let mut ids = HashMap::with_capacity(tokens.len());
        for (id, token) in tokens.iter().enumerate().filter(|(_, token)| !token.is_empty()) {
            ids.entry(token.clone()).or_insert(id as u32);
        }
        Self { ids }
    }

    pub(super) fn encode(&self, text: &str) -> tokenizers::Result<Vec<u32>> {
        let mut words = PreTokenizedString::from(text);
        ByteLevel::new(false, true, true).pre_tokenize(&mut words)?;
        let words = words.get_splits(OffsetReferential::Original, OffsetType::None);
        let mut tokens = Vec::new();
        for (word, ..) in words {
            let bytes = byte_level::bytes_of(word);
            tokens.extend(bytes.chunks(MAX_WORD).flat_map(|part| self.encode_word(part)));
        }
        Ok(tokens)
    }

    /// The tokens of a word. A byte that is not in the vocabulary is left out.
    fn encode_word(&self, word: &[u8]) -> Vec<u32> {
        // The bounds of the parts; at first each byte is one.
        let mut bounds: Vec<usize> = (0..=word.len()).collect();
        while let Some(part) = self.next_merge(word, &bounds) {
            bounds.remove(part + 1);
        }
        bounds.windows(2).filter_map(|part| self.ids.get(&word[part[0]..part[1]]).copied()).collect()
    }

    /// The part that is merged with the one after it; `None` if no two are a token together.
    fn next_merge(&self, word: &[u8], bounds: &[usize]) -> Option<usize> {
        let pairs = bounds.windows(3).enumerate();
        let merges = pairs.filter_map(|(part, pair)| Some((*self.ids.get(&word[pair[0]..pair[2]])?, part)));
        merges.min().map(|(_, part)| part)
    }
}
