//! Answers that are JSON of a schema by construction: before each token, only those that can go on are allowed.

use std::sync::Arc;

use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::{TokEnv, TokRxInfo, TokTrie, TokenId, TokenizerEnv};
use llguidance::{Matcher, ParserFactory};
use serde_json::{Value, json};

use super::vocabulary::Vocabulary;
use crate::EngineError;

/// Makes constraints for one vocabulary.
pub(super) struct Constraints {
    factory: ParserFactory,
}

/// One answer's constraint, as far as it has come.
pub(super) struct Constraint {
    matcher: Matcher,
}

/// The vocabulary as the grammar sees it.
struct Tokens {
    vocabulary: Arc<Vocabulary>,
    tree: TokTrie,
}

impl TokenizerEnv for Tokens {
    fn tok_trie(&self) -> &TokTrie {
        &self.tree
    }

    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<TokenId> {
        let encode = |text: &str| self.vocabulary.encode(text).unwrap_or_default();
        self.tree.tokenize_with_greedy_fallback(bytes, encode)
    }
}

impl Constraints {
    pub(super) fn new(vocabulary: &Arc<Vocabulary>) -> Result<Self, EngineError> {
        let words: Vec<Vec<u8>> = (0..vocabulary.len() as u32).map(|token| word(vocabulary, token)).collect();
        let information = TokRxInfo::new(words.len() as u32, vocabulary.ends[0]);
        let tree = TokTrie::from(&information, &words).with_eos_tokens(&vocabulary.ends);
        let tokens: TokEnv = Arc::new(Tokens { vocabulary: vocabulary.clone(), tree });
        let mut factory = ParserFactory::new_simple(&tokens).map_err(EngineError::internal)?;
        factory.quiet();
        Ok(Self { factory })
    }

    /// A constraint for this schema, or what of it cannot be constrained.
    pub(super) fn of(&self, schema: &Value) -> Result<Constraint, String> {
        let grammar = TopLevelGrammar::from_json_schema(with_manners(schema));
        let mut matcher = Matcher::new(self.factory.create_parser(grammar));
        match matcher.get_error() {
            Some(error) => Err(error.lines().next().unwrap_or_default().to_owned()),
            None if matcher.compute_mask_or_eos().is_err() => Err(matcher.get_error().unwrap_or_default()),
            None => Ok(Constraint { matcher }),
        }
    }
}

/// Markers are told from text by a byte that no text has.
fn word(vocabulary: &Vocabulary, token: u32) -> Vec<u8> {
    let bytes = vocabulary.bytes(token);
    if !bytes.is_empty() {
        return bytes.to_vec();
    }
    let mut marked = vec![TokTrie::SPECIAL_TOKEN_MARKER];
    marked.extend_from_slice(vocabulary.name(token).as_bytes());
    marked
}

/// Spaces only where people write them, or a small model fills its answer with them; keywords that no grammar can
/// express are left to the validation of the whole answer.
fn with_manners(schema: &Value) -> Value {
    let manners = json!({"whitespace_flexible": false, "item_separator": ", ", "key_separator": ": ", "lenient": true, "coerce_one_of": true});
    let mut schema = match schema {
        Value::Object(fields) => fields.clone(),
        _ => serde_json::Map::new(),
    };
    schema.insert("x-guidance".into(), manners);
    Value::Object(schema)
}

impl Constraint {
    /// The tokens that may come now.
    pub(super) fn allowed(&mut self) -> Result<Vec<u32>, EngineError> {
        let mask = self.matcher.compute_mask_or_eos().map_err(EngineError::internal)?;
        Ok(mask.to_list())
    }

    /// Goes on by a token; gives those that then follow without a choice.
    pub(super) fn advance(&mut self, token: u32) -> Result<Vec<u32>, EngineError> {
        self.matcher.consume_token(token).map_err(EngineError::internal)?;
        Ok(if self.matcher.is_stopped() { vec![] } else { self.matcher.consume_ff_tokens() })
    }

    /// Whether the answer is whole and nothing can follow.
    pub(super) fn is_complete(&self) -> bool {
        self.matcher.is_stopped()
    }
}
