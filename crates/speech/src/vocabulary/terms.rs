//! The terms of a prompt: the items of a list, and the names inside sentences.

/// Maximum terms; the rest of a prompt is ignored.
const MAX_TERMS: usize = 500;
/// Maximum words of a term.
const MAX_WORDS: usize = 5;
/// Maximum letters of an abbreviation before its full stop, as in `Prof. Okonkwo`.
const MAX_ABBREVIATION: usize = 4;
/// Words that may come between two capitalized words of a name, as in `Bank of England`.
const PARTICLES: [&str; 13] =
    ["of", "de", "del", "der", "den", "di", "da", "du", "la", "le", "van", "von", "y"];

/// The terms of a prompt in order, each once. `is_common` returns whether a word in lower case is an ordinary one, whose
/// capital at the beginning of a sentence means nothing.
pub(super) fn terms(prompt: &str, is_common: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut found = Terms { terms: Vec::new(), is_common, capitalised: capitalised_inside(prompt) };
    for line in prompt.lines() {
        found.line(line);
    }
    found.terms
}

struct Terms<'a> {
    terms: Vec<String>,
    is_common: &'a dyn Fn(&str) -> bool,
    /// Words that are capitalized inside a sentence.
    capitalised: Vec<&'a str>,
}

impl Terms<'_> {
    /// Adds the short items of a line, or its names if it is a sentence.
    fn line(&mut self, line: &str) {
        let items: Vec<&str> = line.split([',', ';', '、', '，', '；']).collect();
        let is_short = |item: &str| item.split_whitespace().count() <= MAX_WORDS;
        let is_sentence =
            !items.iter().all(|item| is_short(item)) && line.trim_end().ends_with(['.', '?', '!']);
        let mut starts_sentence = true;
        for item in items {
            let term = without_label(item);
            if is_short(term) && !is_sentence {
                self.add(bare(term));
            } else {
                self.sentence_names(item, starts_sentence);
            }
            starts_sentence = false;
        }
    }

    /// Adds the capitalized words and runs of them in a part of a text that is not a term as a whole.
    fn sentence_names(&mut self, text: &str, mut is_first: bool) {
        let mut run: Vec<&str> = Vec::new();
        for word in text.split_whitespace() {
            let name = bare(word);
            let belongs = is_capitalised(name) && !(is_first && self.may_be_ordinary(name));
            let is_particle = !run.is_empty() && PARTICLES.contains(&word);
            if belongs || is_particle {
                run.push(if ends_abbreviation(word) { word } else { name });
            }
            is_first = ends_sentence(word);
            if !(belongs || is_particle) || ends_run(word) {
                self.add_run(&mut run);
            }
        }
        self.add_run(&mut run);
    }

    fn add_run(&mut self, run: &mut Vec<&str>) {
        while run.last().is_some_and(|word| PARTICLES.contains(word)) {
            run.pop();
        }
        if run.len() <= MAX_WORDS {
            self.add(&run.join(" "));
        }
        run.clear();
    }

    /// Whether the capital of a first word may be that of the sentence only.
    fn may_be_ordinary(&self, word: &str) -> bool {
        (self.is_common)(&word.to_lowercase()) && !self.capitalised.contains(&word)
    }

    /// Adds a term and, if it has several words, the unusual names in it: people are also called by one of their names.
    fn add(&mut self, term: &str) {
        self.add_one(term);
        if term.contains(' ') {
            let names = term.split(' ').map(bare).filter(|name| is_capitalised(name));
            let unusual = names.filter(|name| !(self.is_common)(&name.to_lowercase()));
            unusual.collect::<Vec<_>>().into_iter().for_each(|name| self.add_one(name));
        }
    }

    fn add_one(&mut self, term: &str) {
        let has_letters = term.chars().any(char::is_alphanumeric);
        if has_letters && self.terms.len() < MAX_TERMS && !self.terms.iter().any(|known| known == term) {
            self.terms.push(term.to_owned());
        }
    }
}

/// The words with a capital that do not begin a sentence.
fn capitalised_inside(prompt: &str) -> Vec<&str> {
    let mut is_first = true;
    let mut inside = Vec::new();
    for word in prompt.lines().flat_map(str::split_whitespace) {
        if !is_first && is_capitalised(bare(word)) {
            inside.push(bare(word));
        }
        is_first = ends_sentence(word);
    }
    inside
}

/// An item without the heading before it, as in `Names: Okonkwo`.
fn without_label(item: &str) -> &str {
    item.rsplit_once(": ").map_or(item, |(_, rest)| rest).trim()
}

/// A word or term without quotes, brackets, bullets and closing punctuation around it.
fn bare(text: &str) -> &str {
    let text = text.trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let closing = |letter: char| {
        letter.is_whitespace()
            || (letter.is_ascii_punctuation() && !matches!(letter, '+' | '#' | '%'))
            || "”’»…".contains(letter)
    };
    text.trim_end_matches(closing)
}

/// Whether a word has a capital and is not the pronoun `I`.
fn is_capitalised(word: &str) -> bool {
    let pronoun = word == "I" || word.starts_with("I'") || word.starts_with("I’");
    word.chars().nth(1).is_some() && word.chars().any(char::is_uppercase) && !pronoun
}

fn ends_abbreviation(word: &str) -> bool {
    let letters = word.strip_suffix('.').unwrap_or_default();
    is_capitalised(letters) && letters.chars().count() <= MAX_ABBREVIATION
}

fn ends_sentence(word: &str) -> bool {
    let word = word.trim_end_matches(['"', '\'', '”', '’', ')']);
    word.ends_with(['.', '?', '!', ':']) && !ends_abbreviation(word)
}

/// Whether a name cannot go on after this word.
fn ends_run(word: &str) -> bool {
    word.ends_with(|letter: char| !letter.is_alphanumeric()) && !ends_abbreviation(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(prompt: &str) -> Vec<String> {
        const COMMON: &str = "the we please call new york customers ask bank of met names in well ms dr";
        terms(prompt, &|word| COMMON.split(' ').any(|common| common == word))
    }

    #[test]
    fn items_of_a_list_are_terms() {
        assert_eq!(found("Auris, Ms Okonkwo; IBAN"), ["Auris", "Ms Okonkwo", "Okonkwo", "IBAN"]);
        assert_eq!(found("kubernetes\n- C++\n\"stand-up\""), ["kubernetes", "C++", "stand-up"]);
        assert_eq!(found("Names: Auris, Zephyr."), ["Auris", "Zephyr"]);
        assert_eq!(found("東京、大阪"), ["東京", "大阪"]);
    }

    #[test]
    fn a_long_item_is_no_term() {
        assert_eq!(found("one two three four five six"), [""; 0]);
        assert_eq!(found("one two three four five"), ["one two three four five"]);
    }

    #[test]
    fn names_inside_sentences_are_terms() {
        assert_eq!(
            found("Yesterday we met Anna Kowalska from the Bank of England in a small room."),
            ["Yesterday", "Anna Kowalska", "Anna", "Kowalska", "Bank of England", "England"]
        );
        assert_eq!(
            found("The caller said that Dr. Obi, I think, would ring again soon."),
            ["Dr. Obi", "Obi"]
        );
    }

    #[test]
    fn the_first_word_of_a_sentence_counts_only_if_it_is_a_name() {
        assert_eq!(found("Please call back as soon as you can. We are here until six."), [""; 0]);
        assert_eq!(found("Kowalska will call back as soon as she can today."), ["Kowalska"]);
        assert_eq!(found("Customers of the shop should always ask the Customers desk."), ["Customers"]);
    }

    #[test]
    fn a_list_inside_a_sentence_gives_only_names() {
        let prompt = "In the meeting, well, there was Okonkwo, and nobody else was in the room.";
        assert_eq!(found(prompt), ["Okonkwo"]);
    }

    #[test]
    fn nothing_and_punctuation_have_no_terms() {
        assert_eq!(found(""), [""; 0]);
        assert_eq!(found(" , ;\n ... - \n"), [""; 0]);
    }

    #[test]
    fn the_number_of_terms_is_limited() {
        let prompt: Vec<String> = (0..2_000).map(|nth| format!("term{nth}")).collect();
        assert_eq!(found(&prompt.join(", ")).len(), MAX_TERMS);
    }
}
