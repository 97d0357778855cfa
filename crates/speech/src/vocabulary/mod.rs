//! Custom vocabulary: the terms of a prompt get a bonus while a model decodes, so that it spells them as the caller does.

mod bias;
mod terms;
mod trie;

pub(crate) use bias::BiasState;
pub(crate) use trie::Vocabulary;
