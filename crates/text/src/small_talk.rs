//! Leaves out of a sentence what only opens, keeps up or ends a conversation: greetings, thanks, introductions.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::gazetteer::is_first_name;
use super::words::{Kind, Token, tokens};

/// Maximum words after a name that belong to an introduction, as in `this is Anna from the support team`.
const INTRODUCTION_WORDS: usize = 6;
/// Words after which a name continues as an introduction.
const AFTER_NAME: [&str; 7] = ["from", "at", "with", "speaking", "calling", "here", "again"];
const INTRODUCTIONS: [&[&str]; 4] = [&["my", "name", "is"], &["my", "name's"], &["this", "is"], &["i", "am"]];
/// Words before a surname.
const TITLES: [&str; 7] = ["mr", "mrs", "ms", "miss", "dr", "professor", "mister"];

/// The phrases of small talk by their first word, the longest first.
static PHRASES: LazyLock<HashMap<&str, Vec<Vec<&str>>>> = LazyLock::new(|| {
    let mut phrases: HashMap<&str, Vec<Vec<&str>>> = HashMap::new();
    for line in include_str!("data/small_talk.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        phrases.entry(words[0]).or_default().push(words);
    }
    phrases.values_mut().for_each(|of| of.sort_by_key(|words| std::cmp::Reverse(words.len())));
    phrases
});

/// The words of a sentence without small talk and without the names of people, in lower case.
pub(super) fn without_small_talk(sentence: &str) -> Vec<String> {
    let all = tokens(sentence, 0..sentence.len());
    let mut kept = Vec::new();
    let mut at = 0;
    while at < all.len() {
        let skipped = phrase(&all[at..]).max(introduction(&all[at..])).max(name(&all[at..]));
        if skipped == 0 && all[at].kind == Kind::Word {
            kept.push(all[at].lower.clone());
        }
        at += skipped.max(1);
    }
    kept
}

/// The number of tokens of the longest phrase of small talk at the start.
fn phrase(tokens: &[Token]) -> usize {
    let phrases = PHRASES.get(tokens[0].lower.as_str()).into_iter().flatten();
    phrases.into_iter().find(|words| starts_with(tokens, words)).map_or(0, Vec::len)
}

fn starts_with(tokens: &[Token], words: &[&str]) -> bool {
    tokens.len() >= words.len() && tokens.iter().zip(words).all(|(token, word)| token.is(word))
}

/// The number of tokens of an introduction at the start, such as `my name is Anna Smith`.
fn introduction(tokens: &[Token]) -> usize {
    let Some(opening) = INTRODUCTIONS.iter().find(|words| starts_with(tokens, words)) else { return 0 };
    let rest = &tokens[opening.len()..];
    let named = rest.first().map_or(0, |_| name(rest));
    let named = if named == 0 && opening[0] == "my" { 1 } else { named };
    if named == 0 {
        return 0;
    }
    let after = &rest[named.min(rest.len())..];
    let goes_on = after.first().is_some_and(|token| token.is_one_of(&AFTER_NAME));
    let is_end = |token: &Token| token.kind == Kind::Sign || token.is("and");
    let clause = after.iter().take(INTRODUCTION_WORDS).take_while(|token| !is_end(token)).count();
    opening.len() + named.min(rest.len()) + if goes_on { clause } else { 0 }
}

/// The number of tokens of a person's name at the start: a first name or a title, and a surname after it.
fn name(tokens: &[Token]) -> usize {
    let is_title = tokens[0].is_one_of(&TITLES);
    if !is_title && !is_first_name(&tokens[0].lower, true) {
        return 0;
    }
    let stop = usize::from(is_title && tokens.get(1).is_some_and(|token| token.is(".")));
    let surname = tokens.get(1 + stop).is_some_and(|token| token.kind == Kind::Word && token.capital);
    1 + stop + usize::from(surname)
}

/// The surnames of a text in lower case: words with a capital after a first name or a title.
pub(super) fn surnames(text: &str) -> Vec<String> {
    let all = tokens(text, 0..text.len());
    let surname = |at: usize| {
        let last = &all[at + name(&all[at..]).checked_sub(1)?];
        (last.capital && !is_first_name(&last.lower, true) && last.kind == Kind::Word)
            .then(|| last.lower.clone())
    };
    (0..all.len()).filter_map(surname).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_remains_of_small_talk() {
        for sentence in [
            "Good morning everyone, this is Anna from the support team.",
            "Hello, Mr. Brown, nice to meet you!",
            "My name is Zbigniew.",
            "Hi, how are you doing today?",
            "have a nice day",
        ] {
            assert_eq!(without_small_talk(sentence), Vec::<String>::new(), "{sentence}");
        }
    }

    #[test]
    fn what_is_said_beside_a_greeting_remains() {
        let rest = |sentence: &str| without_small_talk(sentence).join(" ");
        assert_eq!(rest("Good morning Anna, the invoice is wrong."), "the invoice is wrong");
        assert_eq!(rest("This is Diane in New Jersey."), "in new jersey");
        assert_eq!(rest("This is the budget."), "this is the budget");
        assert_eq!(rest("My name is Anna and I lost my card."), "and i lost my card");
    }

    #[test]
    fn surnames_follow_first_names_and_titles() {
        assert_eq!(surnames("Anna Smith met Mr. Sun in Berlin. Peter left."), ["smith", "sun"]);
    }
}
