//! The numbers that spaCy uses for strings: a hash, or the fixed number of a symbol.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The symbols, each with its number before it. A text with the name of a symbol has that number, even if the text is
/// an ordinary word such as `mark`.
static SYMBOLS: LazyLock<HashMap<&str, u64>> = LazyLock::new(|| {
    let lines = include_str!("../../data/string_symbols.txt").lines();
    lines
        .filter_map(|line| {
            let (number, name) = line.split_once(' ')?;
            Some((name, number.parse().ok()?))
        })
        .collect()
});

/// The number of a string.
pub(super) fn string_id(text: &str) -> u64 {
    SYMBOLS.get(text).copied().unwrap_or_else(|| murmur_64a(text.as_bytes(), 1))
}

/// MurmurHash64A.
fn murmur_64a(bytes: &[u8], seed: u64) -> u64 {
    const FACTOR: u64 = 0xc6a4_a793_5bd1_e995;
    let mut hash = seed ^ (bytes.len() as u64).wrapping_mul(FACTOR);
    let mut words = bytes.chunks_exact(8);
    for word in words.by_ref() {
        let mut mixed = little_endian(word).wrapping_mul(FACTOR);
        mixed ^= mixed >> 47;
        hash = (hash ^ mixed.wrapping_mul(FACTOR)).wrapping_mul(FACTOR);
    }
    if !words.remainder().is_empty() {
        hash = (hash ^ little_endian(words.remainder())).wrapping_mul(FACTOR);
    }
    hash = (hash ^ hash >> 47).wrapping_mul(FACTOR);
    hash ^ hash >> 47
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The four rows of a table of `rows` rows that a number is embedded by: MurmurHash3 of 128 bits.
pub(super) fn table_rows(id: u64, seed: u64, rows: usize) -> [usize; 4] {
    let finish = |mut hash: u64| {
        hash = (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash = (hash ^ hash >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        hash ^ hash >> 33
    };
    let mixed = id.wrapping_mul(0x87c3_7b91_1142_53d5).rotate_left(31).wrapping_mul(0x4cf5_ad43_2745_937f);
    let mut second = seed ^ 8;
    let mut first = (mixed ^ seed ^ 8).wrapping_add(second);
    second = second.wrapping_add(first);
    first = finish(first);
    second = finish(second);
    first = first.wrapping_add(second);
    second = second.wrapping_add(first);
    [first, first >> 32, second, second >> 32].map(|hash| hash as u32 as usize % rows.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From `spacy.strings.hash_string` and `thinc.api.NumpyOps().hash`.
    #[test]
    fn numbers_are_those_of_spacy() {
        assert_eq!(string_id("apple"), 8566208034543834098);
        assert_eq!(string_id("Xd"), 15730013249183797834);
        assert_eq!(string_id("a"), 11901859001352538922);
        assert_eq!(string_id("international"), 6392893036165415004);
        assert_eq!(string_id("Zürich"), 9452955988637137518);
        assert_eq!(string_id("mark"), 423);
        assert_eq!(string_id("ORG"), 383);
        assert_eq!(table_rows(8_566_208_034_543_834_098, 8, 5000), [3934, 1080, 901, 472]);
    }
}
