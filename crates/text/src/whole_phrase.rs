//! Completes a phrase that is mostly said with the same words beside it: `level apprenticeships` in `higher level
//! apprenticeships`, `Department` in `Department of Health`.

use std::collections::HashMap;

use super::phrases::is_phrase;
use super::stop_words::is_stop_word;
use super::words::{Kind, Token};

/// Minimum share of the occurrences that have the same word beside them.
const SHARE: f64 = 0.6;
/// Minimum number of occurrences with this word.
const MIN_COUNT: usize = 2;

/// The phrase with the words that belong to it in most of its occurrences in the sentences, or the phrase itself.
pub(super) fn whole_phrase(text: &str, sentences: &[Vec<Token>], phrase: &str) -> String {
    let wanted: Vec<String> = phrase.split(' ').map(str::to_lowercase).collect();
    let mut beside = Beside::default();
    sentences.iter().for_each(|sentence| beside.add(text, sentence, &wanted));
    let before = beside.usual(&beside.before).map(|word| format!("{word} {phrase}"));
    let after = || beside.usual(&beside.after).map(|word| format!("{phrase} of {word}"));
    before.filter(|longer| is_phrase(longer)).or_else(after).unwrap_or_else(|| phrase.to_owned())
}

/// Words by their lower case: how often each occurs, and how it is written.
type Words = HashMap<String, (usize, String)>;

/// The words beside the occurrences of a phrase.
#[derive(Default)]
struct Beside {
    occurrences: usize,
    before: Words,
    /// The nouns after `of`.
    after: Words,
}

impl Beside {
    fn add(&mut self, text: &str, tokens: &[Token], wanted: &[String]) {
        let matches =
            |at: &usize| tokens[*at..].iter().take(wanted.len()).map(|token| &token.lower).eq(wanted.iter());
        let is_noun = |token: &&Token| token.kind == Kind::Word && !is_stop_word(&token.lower);
        for at in (0..tokens.len()).filter(matches) {
            self.occurrences += 1;
            if let Some(before) = at.checked_sub(1).map(|nth| &tokens[nth]).filter(is_noun) {
                count(&mut self.before, text, before);
            }
            let end = at + wanted.len();
            let of = tokens.get(end).is_some_and(|token| token.is("of"));
            let noun = tokens.get(end + 1).filter(is_noun).filter(|_| of);
            if let Some(noun) = noun.filter(|noun| is_phrase(&text[noun.range.clone()])) {
                count(&mut self.after, text, noun);
            }
        }
    }

    /// The word that is beside most of the occurrences.
    fn usual<'a>(&self, words: &'a Words) -> Option<&'a str> {
        let (_, (count, written)) =
            words.iter().max_by(|one, other| one.1.0.cmp(&other.1.0).then(other.0.cmp(one.0)))?;
        (*count >= MIN_COUNT && *count as f64 >= SHARE * self.occurrences as f64).then_some(written)
    }
}

fn count(words: &mut Words, text: &str, token: &Token) {
    let (count, written) = words.entry(token.lower.clone()).or_default();
    *count += 1;
    // Only a name always has its capital.
    if *count == 1 || !token.capital {
        *written = text[token.range.clone()].to_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::tokens;

    fn whole(text: &str, phrase: &str) -> String {
        whole_phrase(text, &[tokens(text, 0..text.len())], phrase)
    }

    #[test]
    fn words_that_are_usually_said_with_a_phrase_complete_it() {
        let text = "Higher level apprenticeships grow. The higher level apprenticeships are new. \
            The Department of Health paid. Our Department of Health agreed. A shop in the town.";
        assert_eq!(whole(text, "level apprenticeships"), "higher level apprenticeships");
        assert_eq!(whole(text, "Department"), "Department of Health");
        assert_eq!(whole(text, "shop"), "shop");
    }
}
