//! The named entity recognition of spaCy's `en_core_web_md`: its tokenizer, its net and its transitions, with the same
//! results.

mod encoder;
mod msgpack;
mod string_ids;
mod tensors;
mod tokenizer;
mod transitions;
mod word_features;
mod word_vectors;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use auris_engine_core::EngineError;
use auris_weights::WeightsError;
use parking_lot::Mutex;

use encoder::Encoder;
use tensors::ModelNodes;
use tokenizer::{NetTokenizer, is_space};
use transitions::{Transitions, WordPlace};
use word_features::{Norms, WordFeatures};

/// Words after which a batch of sentences ends. Each needs about 5 kB while the net runs.
const BATCH_WORDS: usize = 2_000;

/// The loaded net.
pub(crate) struct EntityNet {
    tokenizer: NetTokenizer,
    norms: Norms,
    encoder: Encoder,
    transitions: Transitions,
}

/// An entity that the net found: its bytes in the text, and its label in OntoNotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NetEntity<'a> {
    pub(crate) range: Range<usize>,
    pub(crate) label: &'a str,
}

impl EntityNet {
    /// Loads the net from its folder. Fails with the name of the file that is missing or damaged.
    pub(crate) fn load(folder: &Path) -> Result<Self, WeightsError> {
        let read = |name: &str| {
            let path = folder.join(name);
            std::fs::read(&path).map_err(|error| WeightsError::Io { path, error })
        };
        let of = |name: &str| {
            let path = folder.join(name);
            move |error| damaged_file(&path, error)
        };
        let model = read("ner-model")?;
        let nodes = ModelNodes::read(&model).map_err(of("ner-model"))?;
        Ok(Self {
            tokenizer: NetTokenizer::read(&read("tokenizer")?).map_err(of("tokenizer"))?,
            norms: Norms::read(&read("lookups")?).map_err(of("lookups"))?,
            encoder: Encoder::read(&nodes, &read("vectors")?, &read("key2row")?).map_err(of("vectors"))?,
            transitions: Transitions::read(&nodes, &read("ner-moves")?).map_err(of("ner-moves"))?,
        })
    }

    /// The entities of consecutive sentences of a text. None reaches over the end of a sentence.
    pub(crate) fn entities(&self, text: &str, sentences: &[Range<usize>]) -> Vec<NetEntity<'_>> {
        let mut found = Vec::new();
        let mut batch = Batch::default();
        for sentence in sentences {
            self.add(text, sentence, &mut batch);
            if batch.words.len() >= BATCH_WORDS {
                found.extend(self.run(&std::mem::take(&mut batch)));
            }
        }
        found.extend(self.run(&batch));
        found
    }

    /// Adds the words of a sentence to a batch.
    fn add(&self, text: &str, sentence: &Range<usize>, batch: &mut Batch) {
        let part = &text[sentence.clone()];
        for (nth, token) in self.tokenizer.tokens(part).into_iter().enumerate() {
            let word = &part[token.range.clone()];
            batch.words.push(self.norms.features(word, token.norm));
            let is_space = word.chars().all(is_space);
            batch.places.push(WordPlace { is_space, starts_sentence: nth == 0 });
            batch.ranges.push(sentence.start + token.range.start..sentence.start + token.range.end);
        }
    }

    fn run(&self, batch: &Batch) -> Vec<NetEntity<'_>> {
        let vectors = self.encoder.encode(&batch.words);
        let range = |words: Range<usize>| batch.ranges[words.start].start..batch.ranges[words.end - 1].end;
        let found = self.transitions.entities(&vectors, &batch.places).into_iter();
        found.map(|(words, label)| NetEntity { range: range(words), label }).collect()
    }
}

/// Words that go through the net together.
#[derive(Default)]
struct Batch {
    words: Vec<WordFeatures>,
    places: Vec<WordPlace>,
    ranges: Vec<Range<usize>>,
}

fn damaged_file(path: &Path, error: WeightsError) -> WeightsError {
    WeightsError::Damaged { what: format!("`{}`: {error}", path.display()) }
}

/// The net of this process, loaded on first use.
pub struct EntityNetSlot {
    /// The id of the model whose files these are.
    model: String,
    folder: PathBuf,
    loaded: Mutex<Option<Arc<EntityNet>>>,
}

impl EntityNetSlot {
    pub fn new(model: String, folder: PathBuf) -> Self {
        Self { model, folder, loaded: Mutex::default() }
    }

    /// The id of the net's model.
    pub fn model(&self) -> &str {
        &self.model
    }

    pub(crate) fn get(&self) -> Result<Arc<EntityNet>, EngineError> {
        let mut loaded = self.loaded.lock();
        if let Some(net) = loaded.as_ref() {
            return Ok(net.clone());
        }
        let net = Arc::new(EntityNet::load(&self.folder).map_err(EngineError::internal)?);
        *loaded = Some(net.clone());
        Ok(net)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From `models/catalog.toml`.
    const FILES: [(&str, &str); 6] = [
        ("key2row", "1a1825f75ae9d691024317632021a49970ce61bcc007bc176f77ca429c3bcf5c"),
        ("lookups", "fce9c883c56165f29573cc938c2a1c9d417ac61bd8f56b671dd5f7996de70682"),
        ("ner-model", "7454af3a8d841f9724f932f95b06591a13da659e0f99dd44ebbb2be804739d6d"),
        ("ner-moves", "d82b13473ebd33e0396004dd22f00c71fe3c1251742bf1f7c4554f23fd3b0af4"),
        ("tokenizer", "b014e8bba4958b120af2d0c1c63eabb7c00379f2bacaf10df7c5325efd2ea467"),
        ("vectors", "22d102290ba09bb681c5a2e6063e9b4cea4c41dec9517565181a907b6ba6a830"),
    ];

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::TempDir::new().unwrap();
        for (name, hash) in FILES {
            std::os::unix::fs::symlink(auris_engine_testing::asset(hash), folder.path().join(name)).unwrap();
        }
        folder
    }

    /// `reference.txt` has sentences, each with the tokens and the entities of spaCy 3.8 in the next two lines.
    #[test]
    fn tokens_and_entities_are_those_of_spacy() {
        let net = EntityNet::load(folder().path()).unwrap();
        let lines: Vec<&str> = include_str!("reference.txt").lines().collect();
        for lines in lines.chunks(3) {
            let sentence = lines[0];
            let tokens = net.tokenizer.tokens(sentence);
            let texts: Vec<&str> = tokens.iter().map(|token| &sentence[token.range.clone()]).collect();
            assert_eq!(texts.join(" | "), lines[1].trim());
            let whole = 0..sentence.len();
            let found = net.entities(sentence, std::slice::from_ref(&whole)).into_iter();
            let found = found.map(|entity| format!("{} {}", entity.label, &sentence[entity.range]));
            assert_eq!(found.collect::<Vec<_>>().join(" | "), lines[2].trim());
        }
    }

    #[test]
    fn no_entity_reaches_over_the_end_of_a_sentence() {
        let net = EntityNet::load(folder().path()).unwrap();
        let text = "I met Anna in New York City yesterday.";
        let one = 0..text.len();
        let found = net.entities(text, std::slice::from_ref(&one));
        assert!(found.iter().any(|entity| &text[entity.range.clone()] == "New York City"), "{found:?}");
        let found = net.entities(text, &[0..17, 18..text.len()]);
        assert!(found.iter().all(|entity| entity.range.end <= 17 || entity.range.start >= 18), "{found:?}");
        let blank: Vec<_> = std::iter::once(0..1).collect();
        assert!(net.entities("", &[]).is_empty() && net.entities(" ", &blank).is_empty());
    }

    #[test]
    fn a_truncated_file_is_an_error_with_its_name() {
        for (name, hash) in FILES {
            let folder = folder();
            let whole = std::fs::read(auris_engine_testing::asset(hash)).unwrap();
            std::fs::remove_file(folder.path().join(name)).unwrap();
            std::fs::write(folder.path().join(name), &whole[..whole.len() / 2]).unwrap();
            let error = EntityNet::load(folder.path()).err().unwrap().to_string();
            let file = if name == "key2row" { "vectors" } else { name };
            assert!(error.contains(file), "{name}: {error}");
        }
    }
}
