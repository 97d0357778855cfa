//! The limits that bound the memory of a stage, whatever the text. docs/analysis.md lists them.
//!
//! A recording of ten hours has about 600,000 characters, so that it reaches none of them.

/// Maximum sentences that are divided at full stops. The rest of the text is divided by length only, into pieces of
/// several hundred bytes, because a text of stops would have one sentence for each second character.
pub(super) const SENTENCES: usize = 500_000;
/// Maximum entities of a transcript; the first ones are returned.
pub(super) const ENTITIES: usize = 200_000;
/// Maximum paragraphs that begin at a new speaker, an empty line or a pause. The rest is divided by length only.
pub(super) const PARAGRAPHS: usize = 200_000;
/// Maximum sentences with their own sentiment, in a transcript without utterances and segments; the first ones are
/// returned. Utterances are not limited here, because a request limits them.
pub(super) const SENTIMENT_SENTENCES: usize = 200_000;
/// Maximum pieces of a transcript whose sentiment the network judges; the lexicon judges the rest. Ten hours of
/// speech have about that many. More would make long transcripts slow.
pub(super) const SENTIMENT_NETWORK_PIECES: usize = 8_192;
/// Maximum characters of a speaker's name in a summary, which repeats it. The rest of the name is left out.
pub(super) const SPEAKER_CHARACTERS: usize = 200;
/// Maximum windows of one stage that are computed at the same time. Each needs a few megabytes, so that more would
/// need memory in proportion to the processor cores.
pub(super) const WINDOWS_AT_ONCE: usize = 8;
