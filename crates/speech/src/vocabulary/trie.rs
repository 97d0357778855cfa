//! The terms as a trie over token ids, in every form in which a model may write them.

use super::terms::terms;
use crate::tokenizer::Tokenizer;

/// Maximum tokens of a term; a longer one is ignored.
const MAX_TOKENS: usize = 40;

/// The place in the trie before the first token of a term.
const ROOT: u32 = 0;
/// The same for terms without a space before them, which only begin a text.
const TEXT_ROOT: u32 = 1;

/// The terms of a prompt for one model. Shared by all segments of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Vocabulary {
    /// For each place its next tokens in order, and the places after them.
    places: Vec<Vec<(u32, u32)>>,
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self { places: vec![Vec::new(); 2] }
    }
}

impl Vocabulary {
    /// The terms of a prompt. Empty if it has none.
    pub(crate) fn from_prompt(prompt: &str, tokenizer: &Tokenizer) -> Self {
        let mut vocabulary = Self::default();
        let encode = |text: &str| tokenizer.encode(text).unwrap_or_default();
        // A word that the model writes as one token is an ordinary one.
        let is_common = |word: &str| encode(&format!(" {word}")).len() <= 1;
        for term in terms(prompt, &is_common) {
            for form in [capitalised(&term), term] {
                let spaced = if writes_without_spaces(&form) { form.clone() } else { format!(" {form}") };
                vocabulary.insert(ROOT, &encode(&spaced));
                vocabulary.insert(TEXT_ROOT, &encode(&form));
            }
        }
        vocabulary
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.places.iter().all(Vec::is_empty)
    }

    /// The places at which a term can begin.
    pub(super) fn roots(&self, at_start: bool) -> &'static [u32] {
        if at_start { &[ROOT, TEXT_ROOT] } else { &[ROOT] }
    }

    /// The tokens that continue a term from this place.
    pub(super) fn next_tokens(&self, place: u32) -> impl Iterator<Item = u32> {
        self.places[place as usize].iter().map(|(token, _)| *token)
    }

    /// The place after a token, if it continues a term.
    pub(super) fn after(&self, place: u32, token: u32) -> Option<u32> {
        let next = &self.places[place as usize];
        next.binary_search_by_key(&token, |(token, _)| *token).ok().map(|at| next[at].1)
    }

    fn insert(&mut self, root: u32, tokens: &[u32]) {
        if tokens.len() > MAX_TOKENS {
            return;
        }
        let mut place = root;
        for token in tokens {
            let new = self.places.len() as u32;
            let next = &mut self.places[place as usize];
            place = match next.binary_search_by_key(token, |(token, _)| *token) {
                Ok(at) => next[at].1,
                Err(at) => {
                    next.insert(at, (*token, new));
                    self.places.push(Vec::new());
                    new
                }
            };
        }
    }
}

/// The term with a capital at its beginning, as it begins a sentence.
fn capitalised(term: &str) -> String {
    let mut letters = term.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether the script of a term has no spaces between words: Thai, Lao, Khmer, Japanese, Chinese.
fn writes_without_spaces(term: &str) -> bool {
    let is_such = |letter: char| matches!(letter, '\u{0e00}'..='\u{0eff}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
    term.chars().any(is_such)
}

#[cfg(test)]
impl Vocabulary {
    /// Terms inside a text, and terms that only begin one.
    pub(crate) fn of_tokens(inside: &[&[u32]], beginning: &[&[u32]]) -> Self {
        let mut vocabulary = Self::default();
        inside.iter().for_each(|tokens| vocabulary.insert(ROOT, tokens));
        beginning.iter().for_each(|tokens| vocabulary.insert(TEXT_ROOT, tokens));
        vocabulary
    }
}

#[cfg(test)]
mod tests {
    use auris_engine_testing::asset;

    use super::*;

    /// The `tokenizer.json` of Moonshine and of the multilingual Whisper models.
    const MOONSHINE: &str = "108bb985f67ca2f49f4cf88e2d1426daf9ab5920f88d85542704f927f604a7c1";
    const WHISPER: &str = "27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1a566";

    /// The place after these tokens.
    fn walk(vocabulary: &Vocabulary, root: u32, tokens: &[u32]) -> Option<u32> {
        tokens.iter().try_fold(root, |place, token| vocabulary.after(place, *token))
    }

    #[test]
    fn terms_are_spelled_in_the_tokens_of_the_model() {
        for hash in [MOONSHINE, WHISPER] {
            let tokenizer = Tokenizer::load(&asset(hash)).unwrap();
            let vocabulary = Vocabulary::from_prompt("Ms Okonkwo, kubernetes", &tokenizer);
            let is_known = |root: u32, text: &str| {
                let tokens = tokenizer.encode(text).unwrap();
                let bytes: Vec<u8> =
                    tokens.iter().flat_map(|token| tokenizer.bytes(*token)).copied().collect();
                assert_eq!(String::from_utf8_lossy(&bytes), text);
                walk(&vocabulary, root, &tokens).is_some()
            };
            let inside = [" Ms Okonkwo", " Okonkwo", " kubernetes", " Kubernetes"];
            assert!(inside.into_iter().all(|text| is_known(ROOT, text)), "{hash}");
            let beginning = ["Ms Okonkwo", "Okonkwo", "kubernetes", "Kubernetes"];
            assert!(beginning.into_iter().all(|text| is_known(TEXT_ROOT, text)), "{hash}");
            assert!(!is_known(ROOT, "Okonkwo") && !is_known(ROOT, " okonkwo"), "{hash}");
        }
    }

    #[test]
    fn a_prompt_without_terms_is_an_empty_vocabulary() {
        let tokenizer = Tokenizer::load(&asset(MOONSHINE)).unwrap();
        let prompt = "Please call back as soon as you can, and do not forget the time of the day.";
        assert!(Vocabulary::from_prompt(prompt, &tokenizer).is_empty());
        assert!(Vocabulary::from_prompt("", &tokenizer).is_empty());
    }

    #[test]
    fn terms_share_their_beginning() {
        let vocabulary = Vocabulary::of_tokens(&[&[1, 2, 3], &[1, 2, 4], &[1, 2]], &[]);
        assert_eq!(vocabulary.places.len(), 6);
        let after_two = walk(&vocabulary, ROOT, &[1, 2]).unwrap();
        assert_eq!(vocabulary.next_tokens(after_two).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(walk(&vocabulary, ROOT, &[1, 3]), None);
        assert_eq!(walk(&vocabulary, TEXT_ROOT, &[1]), None);
    }

    #[test]
    fn an_endless_term_is_ignored() {
        let tokens: Vec<u32> = (0..=MAX_TOKENS as u32).collect();
        assert!(Vocabulary::of_tokens(&[&tokens], &[]).is_empty());
        assert!(!Vocabulary::of_tokens(&[&tokens[1..]], &[]).is_empty());
    }

    #[test]
    fn a_term_gets_a_capital_where_a_sentence_begins() {
        assert_eq!(capitalised("élan vital"), "Élan vital");
        assert_eq!(capitalised(""), "");
    }
}
