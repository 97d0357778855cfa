//! A language model in memory.

use std::path::Path;
use std::sync::Arc;

use auris_engine_core::EngineError;

use super::constraint::Constraints;
use super::gguf::Gguf;
use super::net::Net;
use super::prefix_cache::PrefixCache;
use super::template::ChatTemplate;
use super::vocabulary::Vocabulary;

/// Memory limit for the cached prefixes of a model, in bytes.
const PREFIX_BYTES: usize = 512 << 20;
/// Maximum tokens of a conversation, even if the model supports more: longer ones need too much memory and time.
const MAX_CONTEXT: usize = 16_384;

/// A model in memory.
pub(super) struct LocalModel {
    pub(super) net: Net,
    pub(super) vocabulary: Arc<Vocabulary>,
    pub(super) template: ChatTemplate,
    pub(super) constraints: Constraints,
    pub(super) prefixes: PrefixCache,
    /// The token that ends the reasoning, if the model reasons.
    pub(super) end_of_reasoning: Option<u32>,
}

impl LocalModel {
    /// Loads the GGUF file at `path`.
    pub(super) fn load(path: &Path) -> Result<Self, EngineError> {
        let mut file = Gguf::open(path)?;
        let net = Net::read(&mut file)?;
        let vocabulary = Arc::new(Vocabulary::read(&file)?);
        let template = ChatTemplate::new(file.required_text("tokenizer.chat_template")?, &vocabulary)?;
        let constraints = Constraints::new(&vocabulary)?;
        let prefixes = PrefixCache::new(PREFIX_BYTES / net.config.cache_bytes().max(1));
        let end_of_reasoning = vocabulary.find("</think>").filter(|_| template.reasons);
        Ok(Self { net, vocabulary, template, constraints, prefixes, end_of_reasoning })
    }

    /// The maximum number of tokens of a prompt and its answer.
    pub(super) fn context(&self) -> usize {
        self.net.config.context.min(MAX_CONTEXT)
    }
}
