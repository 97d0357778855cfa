//! The tokenizer that a GGUF file describes: text to tokens, and tokens back to bytes.

use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::normalizers::unicode::NFC;
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::tokenizer::SplitDelimiterBehavior;
use tokenizers::{AddedToken, Tokenizer};

use super::gguf::Gguf;
use crate::EngineError;

/// How texts are cut before their pieces are merged, by the names that GGUF files use.
const QWEN: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// Kinds of token in `tokenizer.ggml.token_type` that are no text: unknown, control, user-defined, unused.
const NO_TEXT: [i64; 4] = [2, 3, 4, 5];

/// The tokens of a model.
pub(crate) struct Vocabulary {
    /// Takes `<|im_start|>` and the like for what they are.
    marked: Tokenizer,
    /// Takes every character for text: for what comes from outside.
    plain: Tokenizer,
    /// What each token stands for; empty for those that are no text.
    bytes: Vec<Vec<u8>>,
    names: Vec<String>,
    /// The tokens that are text.
    pub(super) words: Vec<u32>,
    pub(super) first: Option<u32>,
    /// Any of these ends an answer; the first is the one that the file names.
    pub(super) ends: Vec<u32>,
}

impl Vocabulary {
    pub(super) fn read(file: &Gguf) -> Result<Self, EngineError> {
        let kind = file.required_text("tokenizer.ggml.model")?;
        if kind != "gpt2" {
            return Err(file.broken(format!(
                "its tokenizer is of the kind `{kind}`; only byte-level BPE (`gpt2`) is supported"
            )));
        }
        let names = file.texts("tokenizer.ggml.tokens")?;
        let special = special(file, &names);
        let marked = tokenizer(file, &names, &special)?;
        let mut plain = marked.clone();
        plain.set_encode_special_tokens(true);
        let bytes = names.iter().zip(&special);
        let bytes: Vec<Vec<u8>> =
            bytes.map(|(name, special)| if *special { vec![] } else { bytes_of(name) }).collect();
        let words = (0..bytes.len() as u32).filter(|token| !bytes[*token as usize].is_empty()).collect();
        let adds_first = file.flag("tokenizer.ggml.add_bos_token").unwrap_or(false);
        let first = file.number("tokenizer.ggml.bos_token_id").filter(|_| adds_first);
        let ends = ends(file, &names)?;
        Ok(Self { marked, plain, bytes, names, words, first: first.map(|id| id as u32), ends })
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// Tokens of the service's own words, in which markers are markers.
    pub(super) fn encode_marked(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        encode(&self.marked, text)
    }

    /// Tokens of anybody's text, in which nothing is a marker.
    pub(super) fn encode(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        encode(&self.plain, text)
    }

    /// What a token stands for; nothing where it is a marker.
    pub(super) fn bytes(&self, token: u32) -> &[u8] {
        self.bytes.get(token as usize).map_or(&[], Vec::as_slice)
    }

    pub(super) fn name(&self, token: u32) -> &str {
        self.names.get(token as usize).map_or("", String::as_str)
    }

    pub(super) fn find(&self, name: &str) -> Option<u32> {
        self.names.iter().position(|token| token == name).map(|id| id as u32)
    }
}

fn encode(tokenizer: &Tokenizer, text: &str) -> Result<Vec<u32>, EngineError> {
    let encoding = tokenizer.encode_fast(text, false).map_err(EngineError::internal)?;
    Ok(encoding.get_ids().to_vec())
}

fn special(file: &Gguf, names: &[String]) -> Vec<bool> {
    let kinds = file.numbers("tokenizer.ggml.token_type").unwrap_or_default();
    (0..names.len()).map(|id| kinds.get(id).is_some_and(|kind| NO_TEXT.contains(kind))).collect()
}

/// The token that the file names as the end, and those that end a turn by common custom.
fn ends(file: &Gguf, names: &[String]) -> Result<Vec<u32>, EngineError> {
    let named = ["tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"];
    let mut ends: Vec<u32> =
        named.iter().filter_map(|key| file.number(key)).filter_map(|id| id.try_into().ok()).collect();
    let custom = ["<|im_end|>", "<|eot_id|>", "<|end_of_text|>", "<|endoftext|>"];
    let found = custom.iter().filter_map(|end| names.iter().position(|name| name == end));
    ends.extend(found.map(|id| id as u32));
    ends.retain(|id| (*id as usize) < names.len());
    let mut seen = std::collections::HashSet::new();
    ends.retain(|id| seen.insert(*id));
    if ends.is_empty() { Err(file.broken("it names no token that ends an answer")) } else { Ok(ends) }
}

fn tokenizer(file: &Gguf, names: &[String], special: &[bool]) -> Result<Tokenizer, EngineError> {
    let vocabulary: Vocab = names.iter().enumerate().map(|(id, name)| (name.clone(), id as u32)).collect();
    let merges = file.texts("tokenizer.ggml.merges")?;
    let merges = merges.iter().map(|merge| match merge.split_once(' ') {
        Some((left, right)) => Ok((left.to_owned(), right.to_owned())),
        None => Err(file.broken(format!("the merge `{merge}` is no pair"))),
    });
    let merges = merges.collect::<Result<Vec<_>, _>>()?;
    let model = BPE::builder().vocab_and_merges(vocabulary, merges).build();
    let mut tokenizer = Tokenizer::new(model.map_err(|error| file.broken(error))?);
    let cut = file.text("tokenizer.ggml.pre").unwrap_or("default");
    tokenizer.with_pre_tokenizer(Some(pre_tokenizer(file, cut)?));
    if cut == "qwen2" {
        tokenizer.with_normalizer(Some(NFC)).map_err(|error| file.broken(error))?;
    }
    let markers = names.iter().zip(special).filter(|(_, special)| **special);
    let markers: Vec<AddedToken> =
        markers.map(|(name, _)| AddedToken::from(name.clone(), true).normalized(false)).collect();
    tokenizer.add_special_tokens(markers).map_err(|error| file.broken(error))?;
    Ok(tokenizer)
}

fn pre_tokenizer(file: &Gguf, cut: &str) -> Result<PreTokenizerWrapper, EngineError> {
    let whole = ByteLevel::new(false, true, true);
    let pieces = ByteLevel::new(false, true, false);
    let split = |pattern: &str| {
        let pattern = SplitPattern::Regex(pattern.to_owned());
        let split = Split::new(pattern, SplitDelimiterBehavior::Isolated, false);
        split.map(|split| Sequence::new(vec![split.into(), pieces.into()]).into())
    };
    match cut {
        "qwen2" | "deepseek-r1-qwen" => split(QWEN).map_err(|error| file.broken(error)),
        "llama-bpe" | "llama3" | "llama-v3" | "smaug-bpe" => {
            split(LLAMA3).map_err(|error| file.broken(error))
        }
        "smollm" => Ok(Sequence::new(vec![Digits::new(true).into(), whole.into()]).into()),
        "default" | "gpt-2" | "gpt2" => Ok(whole.into()),
        other => Err(file.broken(format!(
            "its tokenizer cuts texts as `{other}`; known are qwen2, llama-bpe, smollm and gpt-2"
        ))),
    }
}

/// Byte-level vocabularies write each byte as a printable character; this undoes it.
fn bytes_of(name: &str) -> Vec<u8> {
    name.chars()
        .flat_map(|character| byte_of(character).map_or_else(|| written(character), |byte| vec![byte]))
        .collect()
}

fn written(character: char) -> Vec<u8> {
    character.to_string().into_bytes()
}

/// Printable bytes stand for themselves; the others were given, in order, the characters from U+0100.
fn byte_of(character: char) -> Option<u8> {
    let code = character as u32;
    match code {
        0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff => Some(code as u8),
        0x100..=0x120 => Some((code - 0x100) as u8),
        0x121..=0x142 => Some((code - 0x121 + 0x7f) as u8),
        0x143 => Some(0xad),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_its_character() {
        let characters = (0x21u32..=0x143).filter_map(char::from_u32);
        let mut bytes: Vec<u8> = characters.filter_map(byte_of).collect();
        bytes.sort_unstable();
        assert_eq!(bytes, (0..=255).collect::<Vec<u8>>());
        assert_eq!(bytes_of("ĠcafÃ©Ċ"), " café\n".as_bytes());
    }
}
