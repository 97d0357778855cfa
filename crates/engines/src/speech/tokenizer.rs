//! Token ids to text and, for prompts, text to token ids, from a `tokenizer.json`.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;

use crate::EngineError;

/// The words of a model.
pub(crate) struct Tokenizer {
    /// The bytes of each token; empty for those that are no text.
    tokens: Vec<Vec<u8>>,
    ids: HashMap<Vec<u8>, u32>,
    ranks: HashMap<(u32, u32), (usize, u32)>,
}

#[derive(Deserialize)]
struct File {
    added_tokens: Vec<Added>,
    model: Bpe,
}

#[derive(Deserialize)]
struct Added {
    id: u32,
}

#[derive(Deserialize)]
struct Bpe {
    vocab: HashMap<String, u32>,
    merges: Vec<Merge>,
    #[serde(default)]
    byte_fallback: bool,
}

/// Older files write a merge as one string.
#[derive(Deserialize)]
#[serde(untagged)]
enum Merge {
    Joined(String),
    Pair(String, String),
}

impl Tokenizer {
    pub(crate) fn load(path: &Path) -> Result<Self, EngineError> {
        let text = std::fs::read(path).map_err(|error| broken(path, error))?;
        let file: File = serde_json::from_slice(&text).map_err(|error| broken(path, error))?;
        Ok(Self::build(file))
    }

    fn build(file: File) -> Self {
        let spell: &dyn Fn(&str) -> Vec<u8> =
            if file.model.byte_fallback { &sentence_piece } else { &byte_level() };
        let largest = file.model.vocab.values().chain(file.added_tokens.iter().map(|added| &added.id)).max();
        let mut tokens = vec![Vec::new(); largest.map_or(0, |id| *id as usize + 1)];
        for (piece, id) in &file.model.vocab {
            tokens[*id as usize] = spell(piece);
        }
        for added in &file.added_tokens {
            tokens[added.id as usize].clear();
        }
        let ids = file.model.vocab.iter().map(|(piece, id)| (spell(piece), *id)).collect();
        let ranks = ranks(&file.model);
        Self { tokens, ids, ranks }
    }

    /// The bytes of a token: part of a text, perhaps part of a character.
    pub(crate) fn bytes(&self, id: u32) -> &[u8] {
        self.tokens.get(id as usize).map_or(&[], Vec::as_slice)
    }

    /// Byte-level byte-pair encoding, as Whisper's prompt wants it.
    pub(crate) fn encode(&self, text: &str) -> Vec<u32> {
        split_words(text).into_iter().flat_map(|word| self.encode_word(word)).collect()
    }

    fn encode_word(&self, word: &str) -> Vec<u32> {
        let mut parts: Vec<u32> =
            word.bytes().filter_map(|byte| self.ids.get(&vec![byte])).copied().collect();
        while let Some((at, joined)) = self.best_merge(&parts) {
            parts[at] = joined;
            parts.remove(at + 1);
        }
        parts
    }

    fn best_merge(&self, parts: &[u32]) -> Option<(usize, u32)> {
        let merges = parts.windows(2).enumerate().filter_map(|(at, pair)| {
            let (rank, joined) = self.ranks.get(&(pair[0], pair[1]))?;
            Some((*rank, at, *joined))
        });
        merges.min().map(|(_, at, joined)| (at, joined))
    }
}

fn broken(path: &Path, error: impl std::fmt::Display) -> EngineError {
    EngineError::internal(format!("cannot read `{}`: {error}", path.display()))
}

fn ranks(model: &Bpe) -> HashMap<(u32, u32), (usize, u32)> {
    let pair = |merge: &Merge| match merge {
        Merge::Joined(text) => text.split_once(' ').map(|(left, right)| (left.to_owned(), right.to_owned())),
        Merge::Pair(left, right) => Some((left.clone(), right.clone())),
    };
    let rank = |(rank, merge): (usize, &Merge)| {
        let (left, right) = pair(merge)?;
        let joined = *model.vocab.get(&format!("{left}{right}"))?;
        Some(((*model.vocab.get(&left)?, *model.vocab.get(&right)?), (rank, joined)))
    };
    model.merges.iter().enumerate().filter_map(rank).collect()
}

/// `▁` is a space and `<0x41>` a byte.
fn sentence_piece(piece: &str) -> Vec<u8> {
    let byte = piece.strip_prefix("<0x").and_then(|rest| rest.strip_suffix('>'));
    match byte.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
        Some(byte) => vec![byte],
        None => piece.replace('▁', " ").into_bytes(),
    }
}

/// GPT-2's alphabet: printable bytes stand for themselves, the others for the letters from U+0100 on.
fn byte_level() -> impl Fn(&str) -> Vec<u8> {
    let printable = |byte: &u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    let mut bytes: HashMap<char, u8> =
        (0..=255).filter(printable).map(|byte| (char::from(byte), byte)).collect();
    let hidden = (0..=255u8).filter(|byte| !printable(byte));
    bytes
        .extend(hidden.enumerate().filter_map(|(nth, byte)| Some((char::from_u32(256 + nth as u32)?, byte))));
    move |piece| piece.chars().filter_map(|letter| bytes.get(&letter)).copied().collect()
}

/// Words with the space before them, numbers and punctuation apart: what byte-pair merges never cross.
fn split_words(text: &str) -> Vec<&str> {
    let kind = |letter: char| match letter {
        _ if letter.is_whitespace() => 0,
        _ if letter.is_alphabetic() => 1,
        _ if letter.is_numeric() => 2,
        _ => 3,
    };
    let mut words = Vec::new();
    let mut begin = 0;
    let mut before: Option<(usize, char)> = None;
    for (at, letter) in text.char_indices() {
        if let Some((last, previous)) = before {
            // One space belongs to the word after it.
            let joins = kind(previous) == kind(letter) || (previous == ' ' && last == begin);
            if !joins {
                words.push(&text[begin..at]);
                begin = at;
            }
        }
        before = Some((at, letter));
    }
    words.extend((begin < text.len()).then(|| &text[begin..]));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_the_space_before_them() {
        assert_eq!(
            split_words("Hello world, it's 42!"),
            ["Hello", " world", ",", " it", "'", "s", " 42", "!"]
        );
    }

    #[test]
    fn both_spellings_give_bytes() {
        let byte_level = byte_level();
        assert_eq!(byte_level("Ġtea"), b" tea");
        assert_eq!(byte_level("Ã©"), "é".as_bytes());
        assert_eq!(sentence_piece("▁tea"), b" tea");
        assert_eq!(sentence_piece("<0xE9>"), [0xE9]);
    }

    #[test]
    fn merges_are_made_by_rank() {
        let json = r#"{"added_tokens": [{"id": 5}], "model": {"vocab": {"a": 0, "b": 1, "c": 2, "bc": 3, "abc": 4, "<x>": 5},
            "merges": ["b c", "a bc"]}}"#;
        let tokenizer = Tokenizer::build(serde_json::from_str(json).unwrap());
        assert_eq!(tokenizer.encode("abc"), [4]);
        assert_eq!((tokenizer.bytes(4), tokenizer.bytes(5)), (b"abc".as_slice(), b"".as_slice()));
    }
}
