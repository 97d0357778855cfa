//! The tokenizer of a GGUF file: converts text to tokens and tokens to bytes.

use auris_engine_core::EngineError;
use auris_engine_core::byte_level::bytes_of;
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

/// The patterns that split text before the merges, by their names in GGUF files.
const QWEN: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// Values of `tokenizer.ggml.token_type` that are not text: unknown, control, user-defined, unused.
const NOT_TEXT: [i64; 4] = [2, 3, 4, 5];

/// The tokens of a model.
pub(crate) struct Vocabulary {
    /// Recognizes markers such as `<|im_start|>`.
    marked: Tokenizer,
    /// Treats everything as text, for content from outside.
    plain: Tokenizer,
    /// The bytes of each token; empty for markers.
    bytes: Vec<Vec<u8>>,
    names: Vec<String>,
    /// The tokens that are text.
    pub(super) words: Vec<u32>,
    pub(super) first: Option<u32>,
    /// The tokens that end an answer; the first one is the end token of the file.
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

    /// The tokens of a trusted text, in which markers are recognized.
    pub(super) fn encode_marked(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        encode(&self.marked, text)
    }

    /// The tokens of any text, in which markers are ordinary text.
    pub(super) fn encode(&self, text: &str) -> Result<Vec<u32>, EngineError> {
        encode(&self.plain, text)
    }

    /// The bytes of a token; empty for a marker.
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
    (0..names.len()).map(|id| kinds.get(id).is_some_and(|kind| NOT_TEXT.contains(kind))).collect()
}

/// The end tokens of the file, and the usual tokens that end a turn.
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
    if ends.is_empty() { Err(file.broken("it has no token that ends an answer")) } else { Ok(ends) }
}

fn tokenizer(file: &Gguf, names: &[String], special: &[bool]) -> Result<Tokenizer, EngineError> {
    let vocabulary: Vocab = names.iter().enumerate().map(|(id, name)| (name.clone(), id as u32)).collect();
    let pair = |merge: &String| match merge.split_once(' ') {
        Some((left, right)) => Ok((left.to_owned(), right.to_owned())),
        None => Err(file.broken(format!("the merge `{merge}` is not a pair"))),
    };
    let texts = file.texts("tokenizer.ggml.merges")?;
    let merges = texts.iter().map(pair).collect::<Result<Vec<_>, _>>()?;
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
            "its tokenizer splits text as `{other}`; supported are qwen2, llama-bpe, smollm and gpt-2"
        ))),
    }
}
