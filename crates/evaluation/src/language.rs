//! Languages: which are counted in characters, and a guess at the language of a text.

/// Languages that are written without spaces between words.
const CHARACTER_LANGUAGES: [&str; 11] =
    ["zh", "ja", "th", "lo", "km", "my", "bo", "yue", "wuu", "cmn", "nan"];

/// Frequent English words that are rare in other languages that use Latin letters.
const ENGLISH: [&str; 40] = [
    "the", "and", "of", "to", "is", "that", "it", "you", "for", "with", "was", "this", "are", "have", "be",
    "not", "they", "at", "your", "what", "he", "she", "we", "my", "there", "i'm", "it's", "do", "would",
    "which", "had", "yes", "okay", "know", "from", "by", "his", "been", "has", "their",
];

/// Words at the beginning of a text that its language is guessed from.
const GUESS_WORDS: usize = 1000;

/// Of this many words, one must be frequent in English for the text to be English.
const ENGLISH_ONE_OF: usize = 8;

/// Ranges of letters and the language that is most often written with them.
const SCRIPTS: [(char, char, &str); 15] = [
    ('\u{3040}', '\u{30ff}', "ja"),
    ('\u{4e00}', '\u{9fff}', "zh"),
    ('\u{ac00}', '\u{d7af}', "ko"),
    ('\u{0e00}', '\u{0e7f}', "th"),
    ('\u{0e80}', '\u{0eff}', "lo"),
    ('\u{1780}', '\u{17ff}', "km"),
    ('\u{1000}', '\u{109f}', "my"),
    ('\u{0f00}', '\u{0fff}', "bo"),
    ('\u{0400}', '\u{04ff}', "ru"),
    ('\u{0370}', '\u{03ff}', "el"),
    ('\u{0600}', '\u{06ff}', "ar"),
    ('\u{0590}', '\u{05ff}', "he"),
    ('\u{0900}', '\u{097f}', "hi"),
    ('\u{10a0}', '\u{10ff}', "ka"),
    ('\u{0530}', '\u{058f}', "hy"),
];

/// The first part of a language tag in lower case: `pt` of `pt-BR`.
pub(crate) fn primary(tag: &str) -> String {
    tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase()
}

/// Whether errors in this language are counted in characters, because it has no spaces between words.
pub fn counts_characters(tag: &str) -> bool {
    CHARACTER_LANGUAGES.contains(&primary(tag).as_str())
}

/// The likely language of a text by its letters, and English by its frequent words; `None` for others.
pub fn guess(text: &str) -> Option<&'static str> {
    if let Some(language) = by_script(text) {
        return Some(language);
    }
    let words: Vec<String> =
        text.split_whitespace().take(GUESS_WORDS).map(|word| plain(word).to_lowercase()).collect();
    let english = words.iter().filter(|word| ENGLISH.contains(&word.as_str())).count();
    (english > 0 && english * ENGLISH_ONE_OF >= words.len()).then_some("en")
}

fn plain(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_alphanumeric())
}

/// The language of the script that most letters have, if it is not the Latin one.
fn by_script(text: &str) -> Option<&'static str> {
    let letters = text.chars().filter(|letter| letter.is_alphabetic()).take(GUESS_WORDS * 5);
    let mut counts = [0usize; SCRIPTS.len()];
    let mut latin = 0;
    for letter in letters {
        match SCRIPTS.iter().position(|(first, last, _)| (*first..=*last).contains(&letter)) {
            Some(script) => counts[script] += 1,
            None => latin += 1,
        }
    }
    // Japanese is mostly written with Chinese characters, but never without its own.
    if counts[0] * 10 > counts[1] && counts[0] > 0 {
        counts[0] += counts[1];
        counts[1] = 0;
    }
    let (script, count) = counts.iter().enumerate().max_by_key(|(_, count)| **count)?;
    (*count > latin).then_some(SCRIPTS[script].2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_without_spaces_are_counted_in_characters() {
        assert!(counts_characters("zh-TW") && counts_characters("JA") && counts_characters("th"));
        assert!(!counts_characters("ko") && !counts_characters("en") && !counts_characters(""));
    }

    #[test]
    fn a_language_is_guessed_by_letters_and_english_by_words() {
        assert_eq!(guess("And so my fellow Americans ask not what your country can do"), Some("en"));
        assert_eq!(guess("Was hast du um zehn Uhr gemacht, als der Regen kam?"), None);
        assert_eq!(guess("Привет, это проверка"), Some("ru"));
        assert_eq!(guess("今天天气很好"), Some("zh"));
        assert_eq!(guess("今日は天気がいい"), Some("ja"));
        assert_eq!(guess("สวัสดีครับ"), Some("th"));
        assert_eq!(guess(""), None);
    }
}
