//! Contractions and abbreviations in full.

/// Whole words that are written in several ways.
const WORDS: [(&str, &str); 49] = [
    ("won't", "will not"),
    ("can't", "can not"),
    ("cannot", "can not"),
    ("shan't", "shall not"),
    ("ain't", "aint"),
    ("let's", "let us"),
    ("y'all", "you all"),
    ("ma'am", "madam"),
    ("o'clock", "oclock"),
    ("em", "them"),
    ("wanna", "want to"),
    ("gonna", "going to"),
    ("gotta", "got to"),
    ("i'ma", "i am going to"),
    ("imma", "i am going to"),
    ("gimme", "give me"),
    ("lemme", "let me"),
    ("kinda", "kind of"),
    ("sorta", "sort of"),
    ("outta", "out of"),
    ("dunno", "do not know"),
    ("woulda", "would have"),
    ("coulda", "could have"),
    ("shoulda", "should have"),
    ("cuz", "because"),
    ("mr", "mister"),
    ("mrs", "missus"),
    ("dr", "doctor"),
    ("st", "saint"),
    ("prof", "professor"),
    ("capt", "captain"),
    ("lt", "lieutenant"),
    ("col", "colonel"),
    ("gen", "general"),
    ("sgt", "sergeant"),
    ("gov", "governor"),
    ("sen", "senator"),
    ("rep", "representative"),
    ("rev", "reverend"),
    ("jr", "junior"),
    ("sr", "senior"),
    ("esq", "esquire"),
    ("vs", "versus"),
    ("etc", "et cetera"),
    ("ok", "okay"),
    ("alright", "all right"),
    ("&", "and"),
    ("asst", "assistant"),
    ("dept", "department"),
];

/// Words that `'s` means `is` or `has` after; after others it marks a possessive.
const SUBJECTS: [&str; 19] = [
    "it",
    "he",
    "she",
    "that",
    "this",
    "what",
    "who",
    "where",
    "when",
    "why",
    "how",
    "there",
    "here",
    "everything",
    "something",
    "nothing",
    "everybody",
    "nobody",
    "one",
];

/// Words before which `'s` means `has` and `'d` means `had`.
const PARTICIPLES: [&str; 7] = ["been", "gone", "done", "got", "had", "become", "better"];

const ENDINGS: [(&str, &str); 6] =
    [("n't", " not"), ("'re", " are"), ("'ll", " will"), ("'ve", " have"), ("'m", " am"), ("'t", " not")];

/// A word in full. `next` is the word after it.
pub(super) fn expanded(word: &str, next: &str) -> String {
    if let Some((_, full)) = WORDS.iter().find(|(short, _)| *short == word) {
        return (*full).to_owned();
    }
    if !word.contains('\'') {
        return word.to_owned();
    }
    if let Some((stem, full)) =
        ENDINGS.iter().find_map(|(ending, full)| Some((word.strip_suffix(ending)?, full)))
    {
        return stem.to_owned() + full;
    }
    let is_past = PARTICIPLES.contains(&next);
    if let Some(stem) = word.strip_suffix("'d") {
        return format!("{stem} {}", if is_past { "had" } else { "would" });
    }
    match word.strip_suffix("'s").filter(|stem| SUBJECTS.contains(stem)) {
        Some(stem) => format!("{stem} {}", if is_past { "has" } else { "is" }),
        None => word.replace('\'', ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_apostrophe_stands_for_a_word_or_for_nothing() {
        assert_eq!(expanded("didn't", ""), "did not");
        assert_eq!(expanded("they'd", "gone"), "they had");
        assert_eq!(expanded("they'd", "go"), "they would");
        assert_eq!(expanded("he's", "here"), "he is");
        assert_eq!(expanded("anna's", "house"), "annas");
        assert_eq!(expanded("o'neill", ""), "oneill");
        assert_eq!(expanded("dr", ""), "doctor");
    }
}
