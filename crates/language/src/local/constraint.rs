//! Constrains answers to a JSON Schema: before each token, only the tokens that keep the answer valid are allowed.

use std::sync::Arc;

use auris_domain::step::SchemaText;
use auris_engine_core::EngineError;
use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::{TokEnv, TokRxInfo, TokTrie, TokenId, TokenizerEnv};
use llguidance::{Matcher, ParserFactory};
use serde_json::{Value, json};

use super::vocabulary::Vocabulary;

/// Creates constraints for one vocabulary.
pub(super) struct Constraints {
    factory: ParserFactory,
}

/// The state of one answer's constraint.
pub(super) struct Constraint {
    matcher: Matcher,
}

/// The vocabulary as the grammar reads it.
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

    /// The constraint of a schema, or the reason why it cannot be a constraint.
    pub(super) fn of(&self, schema: &SchemaText) -> Result<Constraint, String> {
        let schema = schema.read().map_err(|error| error.to_string())?;
        let grammar = TopLevelGrammar::from_json_schema(with_options(schema));
        let mut matcher = Matcher::new(self.factory.create_parser(grammar));
        match matcher.get_error() {
            Some(error) => Err(error.lines().next().unwrap_or_default().to_owned()),
            None if matcher.compute_mask_or_eos().is_err() => Err(matcher.get_error().unwrap_or_default()),
            None => Ok(Constraint { matcher }),
        }
    }
}

/// Markers are distinguished from text by a byte that does not occur in text.
fn word(vocabulary: &Vocabulary, token: u32) -> Vec<u8> {
    let bytes = vocabulary.bytes(token);
    if !bytes.is_empty() {
        return bytes.to_vec();
    }
    let mut marked = vec![TokTrie::SPECIAL_TOKEN_MARKER];
    marked.extend_from_slice(vocabulary.name(token).as_bytes());
    marked
}

/// Adds options to the schema. White space is fixed, because a small model fills its answer with it otherwise. Keywords that
/// a grammar cannot express are ignored here and checked when the answer is validated.
fn with_options(schema: Value) -> Value {
    let options = json!({"whitespace_flexible": false, "item_separator": ", ", "key_separator": ": ", "lenient": true, "coerce_one_of": true});
    let mut schema = match schema {
        Value::Object(fields) => fields,
        _ => serde_json::Map::new(),
    };
    schema.insert("x-guidance".into(), options);
    Value::Object(schema)
}

impl Constraint {
    /// The tokens that may come next.
    pub(super) fn allowed(&mut self) -> Result<Vec<u32>, EngineError> {
        let mask = self.matcher.compute_mask_or_eos().map_err(EngineError::internal)?;
        Ok(mask.to_list())
    }

    /// Consumes a token and returns the tokens that must follow it.
    pub(super) fn advance(&mut self, token: u32) -> Result<Vec<u32>, EngineError> {
        self.matcher.consume_token(token).map_err(EngineError::internal)?;
        Ok(if self.matcher.is_stopped() { vec![] } else { self.matcher.consume_ff_tokens() })
    }

    /// Whether the answer is complete.
    pub(super) fn is_complete(&self) -> bool {
        self.matcher.is_stopped()
    }
}
