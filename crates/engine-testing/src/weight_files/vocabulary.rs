//! The tokens of a byte-level `tokenizer.json`, as files of whisper.cpp store them.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// The bytes of each token that is a part of a text, by id. Special tokens are not in the list.
pub fn read_vocabulary(tokenizer: &Path) -> Vec<Vec<u8>> {
    let file: Value = serde_json::from_str(&fs::read_to_string(tokenizer).unwrap()).unwrap();
    let special: Vec<u64> =
        file["added_tokens"].as_array().unwrap().iter().map(|token| token["id"].as_u64().unwrap()).collect();
    let vocabulary = file["model"]["vocab"].as_object().unwrap();
    let mut tokens: Vec<(u64, Vec<u8>)> =
        vocabulary.iter().map(|(token, id)| (id.as_u64().unwrap(), bytes_of(token))).collect();
    tokens.retain(|(id, _)| !special.contains(id));
    tokens.sort();
    assert!(tokens.iter().enumerate().all(|(at, (id, _))| at as u64 == *id), "the ids have no gaps");
    tokens.into_iter().map(|(_, bytes)| bytes).collect()
}

/// Bytes that are not printable are written as letters from U+0100 on, in their order.
fn bytes_of(token: &str) -> Vec<u8> {
    let is_printable = |byte: &u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    let others: Vec<u8> = (0..=255u8).filter(|byte| !is_printable(byte)).collect();
    let byte = |letter: char| match u32::from(letter).checked_sub(256) {
        Some(at) => others[at as usize],
        None => letter as u8,
    };
    token.chars().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_become_the_bytes_that_they_stand_for() {
        assert_eq!(bytes_of("Ġthe"), b" the");
        assert_eq!(bytes_of("Ã©"), "é".as_bytes());
    }
}
