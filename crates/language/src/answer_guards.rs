//! What is wrong with the text of an answer although its form is right: it repeats itself, or ends in mid-sentence.

use std::collections::{HashMap, HashSet};

use auris_engine_core::repetition::periodic_tail;

/// Maximum length of a repeated phrase, in words.
const MAX_PHRASE: usize = 40;
/// Repetitions in a row that make a loop.
const MIN_REPEATS: usize = 3;
/// Minimum length of a loop, in words: "very, very, very" is not one.
const MIN_LOOP: usize = 12;
/// Minimum words of a sentence that is not written twice.
const MIN_SENTENCE: usize = 4;

/// The text without loops: of words that are repeated again and again, only the first ones are kept, and nothing after
/// them. Sentences that were written before are left out. The same text if there is nothing to leave out.
pub(crate) fn without_repetition(text: &str) -> String {
    let kept = match loop_start(text) {
        Some(end) => text[..end].trim_end_matches([' ', ',', ';']),
        None => text,
    };
    let mut written = HashSet::new();
    let is_new = |sentence: &&str| {
        let words = plain_words(sentence);
        words.len() < MIN_SENTENCE || written.insert(words)
    };
    let sentences: String = sentences(kept).into_iter().filter(is_new).collect();
    sentences.trim().to_owned()
}

/// Whether the text repeats itself.
pub(crate) fn repeats(text: &str) -> bool {
    without_repetition(text) != text.trim()
}

/// The byte at which the first repetition of a loop begins.
fn loop_start(text: &str) -> Option<usize> {
    let mut ids = HashMap::new();
    let mut tokens: Vec<u32> = Vec::new();
    let mut starts = Vec::new();
    for word in text.split_whitespace() {
        let next = ids.len() as u32;
        tokens.push(*ids.entry(word.to_lowercase()).or_insert(next));
        starts.push(word.as_ptr() as usize - text.as_ptr() as usize);
        let looped = (1..=MAX_PHRASE).find_map(|period| {
            let tail = periodic_tail(&tokens, period);
            (tail >= (MIN_REPEATS * period).max(MIN_LOOP)).then_some(tokens.len() - tail + period)
        });
        if let Some(second) = looped {
            return starts.get(second).copied();
        }
    }
    None
}

fn plain_words(text: &str) -> Vec<String> {
    let plain = |word: &str| word.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>();
    text.split_whitespace().map(|word| plain(word).to_lowercase()).filter(|word| !word.is_empty()).collect()
}

/// The text up to the end of its last sentence; `None` if it has no whole sentence. A text whose writing has no marks
/// at the end of sentences is whole.
pub(crate) fn whole_sentences(text: &str) -> Option<&str> {
    let text = text.trim();
    if has_no_marks(text) {
        return Some(text);
    }
    let sentences = sentences(text);
    let whole: usize = match sentences.split_last() {
        Some((last, before)) if !is_marked(last) => before.iter().map(|sentence| sentence.len()).sum(),
        Some(_) | None => text.len(),
    };
    (whole > 0).then(|| text[..whole].trim_end())
}

/// The sentences with the spaces after them.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (position, character) in text.char_indices() {
        let ends = character.is_whitespace() && ends_sentence(&text[start..position]);
        let next = position + character.len_utf8();
        if ends || is_wide_stop(character) {
            sentences.push(&text[start..next]);
            start = next;
        }
    }
    sentences.extend((start < text.len()).then(|| &text[start..]));
    sentences
}

/// Whether a sentence ends here: with its mark, and not with an abbreviation.
fn ends_sentence(text: &str) -> bool {
    is_marked(text) && !ends_with_abbreviation(unquoted(text))
}

/// Whether the text ends with the mark of a sentence, perhaps in quotes or brackets.
fn is_marked(text: &str) -> bool {
    let text = unquoted(text);
    text.ends_with(['.', '!', '?', '…', '।', '؟', '։', '።']) || text.ends_with(is_wide_stop)
}

fn unquoted(text: &str) -> &str {
    text.trim_end().trim_end_matches(['"', '\'', ')', ']', '”', '’', '»'])
}

/// Stops of scripts that put no space after them.
fn is_wide_stop(character: char) -> bool {
    matches!(character, '。' | '！' | '？')
}

/// Whether the last word is an initial ("J.") or a title.
fn ends_with_abbreviation(text: &str) -> bool {
    let Some(word) = text.strip_suffix('.').and_then(|text| text.split_whitespace().next_back()) else {
        return false;
    };
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase) && word != "I";
    is_initial || ["Mr", "Mrs", "Ms", "Dr", "Prof", "St", "No", "vs", "e.g", "i.e"].contains(&word)
}

/// Whether most letters are of a script without marks at the end of sentences: Thai, Lao, Khmer, Burmese, Tibetan.
fn has_no_marks(text: &str) -> bool {
    let letters = || text.chars().filter(|character| character.is_alphabetic());
    let unmarked =
        letters().filter(|letter| matches!(letter, '\u{0E00}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'));
    2 * unmarked.count() > letters().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_cut_and_ordinary_repetition_is_not() {
        let looped = format!("Dana calls. {}", "She wants a flight, and she ".repeat(9));
        assert_eq!(without_repetition(&looped), "Dana calls. She wants a flight, and she");
        assert!(repeats(&looped) && repeats(&"no ".repeat(30)));
        for ordinary in ["It is very, very, very far. He agrees.", "No. No. Yes, no!", "A b c a b c.", ""] {
            assert!(!repeats(ordinary), "{ordinary}");
        }
    }

    #[test]
    fn a_sentence_is_kept_once() {
        let twice = "They talk about the fee. Dana takes it off. They talk about the fee. B says thanks.";
        assert_eq!(without_repetition(twice), "They talk about the fee. Dana takes it off. B says thanks.");
    }

    #[test]
    fn a_text_that_ends_in_mid_sentence_is_cut_to_its_last_whole_one() {
        for (text, whole) in [
            ("Dana calls. She wants to", Some("Dana calls.")),
            ("Dana calls. She asks \"why?\" ", Some("Dana calls. She asks \"why?\"")),
            ("They meet at 3.5 km from Dr. Smith and then", None),
            ("It costs 4.50. Then Mr. J. Smith", Some("It costs 4.50.")),
            ("她打电话。她想", Some("她打电话。")),
            ("เธอโทรมาเพื่อเปลี่ยนเที่ยวบิน", Some("เธอโทรมาเพื่อเปลี่ยนเที่ยวบิน")),
            ("", None),
        ] {
            assert_eq!(whole_sentences(text), whole, "{text}");
        }
    }
}
