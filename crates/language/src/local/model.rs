//! A language model in memory.

use std::path::Path;
use std::sync::Arc;

use auris_engine_core::EngineError;

use super::constraint::Constraints;
use super::net::Net;
use super::prefix_cache::PrefixCache;
use super::tokenizer::LocalTokenizer;
use super::vocabulary::Vocabulary;

/// Memory limit for the cached prefixes of a model, in bytes.
const PREFIX_BYTES: usize = 512 << 20;

/// A model in memory.
pub(super) struct LocalModel {
    pub(super) net: Net,
    pub(super) tokenizer: Arc<LocalTokenizer>,
    pub(super) vocabulary: Arc<Vocabulary>,
    pub(super) constraints: Constraints,
    pub(super) prefixes: PrefixCache,
}

impl LocalModel {
    /// Loads the GGUF file at `path`, whose tokenizer was read before, to compute on this many threads.
    pub(super) fn load(
        path: &Path,
        tokenizer: Arc<LocalTokenizer>,
        threads: usize,
    ) -> Result<Self, EngineError> {
        let net = Net::read(path, threads)?;
        let vocabulary = Arc::clone(&tokenizer.vocabulary);
        let constraints = Constraints::new(&vocabulary)?;
        let prefixes = PrefixCache::new(PREFIX_BYTES / net.config.cache_bytes().max(1));
        Ok(Self { net, tokenizer, vocabulary, constraints, prefixes })
    }
}
