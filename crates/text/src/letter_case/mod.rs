//! Restores capitals in texts that are all in lower case or all in capitals, by rules for names and abbreviations.

mod abbreviations;
mod line;
mod pairs;
mod people;
mod rules;

use std::ops::Range;

use super::words::tokens;
use line::{LowerLine, Names, Writing};
use pairs::Pairs;

/// Minimum letters of a text in capitals.
const MIN_LETTERS: usize = 20;
/// Minimum capitals for each small letter of a text in capitals: for the net, which reads tables and names in capitals
/// better as they are, and for people.
const LOUD_FOR_NET: usize = 9;
const LOUD_TO_READ: usize = 2;

/// Maximum letters before a sentence that are looked at for the end of the one before: more white space and brackets are
/// not between two sentences.
const LOOK_BACK: usize = 32;

/// The text with the capitals of every likely name and the same bytes otherwise; `None` if it has both cases already.
pub(super) fn restored_for_net(text: &str, sentences: &[Range<usize>]) -> Option<String> {
    let plain = in_lower_case(text, LOUD_FOR_NET)?;
    let mut restored = plain.clone().into_bytes();
    for sentence in sentences {
        write(&plain, sentence, Names::Likely, &mut restored);
        raise_first(&mut restored, sentence);
    }
    String::from_utf8(restored).ok()
}

/// The text as people would write it, as far as that is sure, with the same bytes otherwise; `None` if it has both cases
/// already.
pub(super) fn restored_to_read<'a>(
    text: &str,
    sentences: impl Iterator<Item = &'a Range<usize>> + Clone,
) -> Option<String> {
    let plain = in_lower_case(text, LOUD_TO_READ)?;
    let mut pairs = Pairs::default();
    sentences.clone().for_each(|sentence| pairs.add(&tokens(&plain, sentence.clone())));
    let mut restored = plain.clone().into_bytes();
    for sentence in sentences {
        write(&plain, sentence, Names::Sure(&pairs), &mut restored);
        if begins(text, sentence) && !begins_with_address(&text[sentence.clone()]) {
            raise_first(&mut restored, sentence);
        }
    }
    String::from_utf8(restored).ok()
}

/// The text in lower case, if almost all of it has the same case.
fn in_lower_case(text: &str, loud: usize) -> Option<String> {
    let lower = text.bytes().filter(u8::is_ascii_lowercase).count();
    let upper = text.bytes().filter(u8::is_ascii_uppercase).count();
    if lower + upper >= MIN_LETTERS && upper > loud * lower {
        return Some(text.chars().map(small).collect());
    }
    // Some first words have a capital in transcripts without names in capitals too. `I` says nothing.
    (capitals_in_words(text) * 250 <= lower).then(|| text.to_owned())
}

/// The letter in lower case, if that has the same number of bytes.
fn small(letter: char) -> char {
    let mut small = letter.to_lowercase();
    match (small.next(), small.next()) {
        (Some(small), None) if small.len_utf8() == letter.len_utf8() => small,
        _ => letter,
    }
}

/// The capitals beside another letter.
fn capitals_in_words(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    let is_in_word = |at: &usize| is_letter(at + 1) || at.checked_sub(1).is_some_and(is_letter);
    (0..bytes.len()).filter(|at| bytes[*at].is_ascii_uppercase()).filter(is_in_word).count()
}

/// Writes the capitals of a sentence.
fn write(plain: &str, sentence: &Range<usize>, names: Names<'_>, restored: &mut [u8]) {
    let tokens = tokens(plain, sentence.clone());
    let line = LowerLine { tokens: &tokens, names };
    for (token, written) in tokens.iter().zip(line.writing()) {
        match written {
            Writing::Lower => {}
            Writing::Capital => restored[token.range.start].make_ascii_uppercase(),
            Writing::Capitals => restored[token.range.clone()].make_ascii_uppercase(),
        }
    }
}

fn raise_first(restored: &mut [u8], sentence: &Range<usize>) {
    if let Some(first) = restored.get_mut(sentence.start) {
        first.make_ascii_uppercase();
    }
}

/// Whether a sentence begins here, and not the rest of one that was divided because of its length.
fn begins(text: &str, sentence: &Range<usize>) -> bool {
    let mut before = text[..sentence.start].chars().rev().take(LOOK_BACK);
    let last = before.find(|letter| !letter.is_whitespace() && !"\"'”’)]»".contains(*letter));
    last.is_none_or(|last| matches!(last, '.' | '!' | '?' | '…'))
}

/// Whether the first word is an address, which keeps its letters: `anna@example.com`.
fn begins_with_address(sentence: &str) -> bool {
    let first = sentence.split_whitespace().next().unwrap_or_default();
    first.contains('@') || first.trim_end_matches('.').contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn for_net(text: &str) -> Option<String> {
        restored_for_net(text, std::slice::from_ref(&(0..text.len())))
    }

    fn to_read(text: &str) -> String {
        restored_to_read(text, std::iter::once(&(0..text.len()))).unwrap()
    }

    #[test]
    fn a_text_in_lower_case_and_one_in_capitals_become_the_same() {
        let wanted = "In the US, Anna Smith flew to Western Europe in May with COVID.";
        assert_eq!(for_net(&wanted.to_lowercase()).as_deref(), Some(wanted));
        assert_eq!(for_net(&wanted.to_uppercase()).as_deref(), Some(wanted));
        assert_eq!(for_net(wanted), None);
    }

    #[test]
    fn a_text_in_lower_case_may_have_the_pronoun_in_capitals() {
        let text = "then I said that I'm sure and I think I can ask anna in berlin";
        assert_eq!(for_net(text).unwrap(), "Then I said that I'm sure and I think I can ask Anna in Berlin");
    }

    #[test]
    fn abbreviations_are_in_capitals() {
        assert_eq!(
            to_read("the ceo of ubs told us about covid-19, ai, dna, hr, the nhs, an mri and the cdc."),
            "The CEO of UBS told us about COVID-19, AI, DNA, HR, the NHS, an MRI and the CDC."
        );
        assert_eq!(
            to_read("sales in the us and the u.s. grew, mr. vega."),
            "Sales in the US and the U.S. grew, Mr. Vega."
        );
        assert_eq!(to_read("hmm, that is 3 km, dr smith."), "Hmm, that is 3 km, Dr Smith.");
    }

    #[test]
    fn words_and_units_that_look_like_abbreviations_are_words_where_people_read_them() {
        let text = "Wait a sec, we fed the dog at nine p.m. after 24 hr with ten mg and hearing aids.";
        assert_eq!(to_read(&text.to_lowercase()), text);
    }

    #[test]
    fn directions_and_words_of_organizations_belong_to_names() {
        assert_eq!(to_read("go west to southern spain."), "Go west to Southern Spain.");
        assert_eq!(
            to_read("he left barclays capital in the northeast for the university of wisconsin."),
            "He left Barclays Capital in the Northeast for the University of Wisconsin."
        );
    }

    #[test]
    fn months_and_names_that_are_words_need_their_context() {
        assert_eq!(to_read("it may snow in may or march 3."), "It may snow in May or March 3.");
        assert_eq!(to_read("thank you mark, you hit the mark."), "Thank you Mark, you hit the mark.");
        assert_eq!(to_read("then steve noted it."), "Then Steve noted it.");
        let text = "I met two French people in Germany last May and we may march on Monday in August";
        assert_eq!(to_read(&text.to_lowercase()), text);
    }

    #[test]
    fn a_surname_follows_a_title_an_introduction_or_a_role_or_is_said_again() {
        assert_eq!(to_read("john thinks dr patel is right."), "John thinks Dr Patel is right.");
        assert_eq!(
            to_read("i'm karen holloway and mayor linda torres is here."),
            "I'm Karen Holloway and mayor Linda Torres is here."
        );
        assert_eq!(to_read("anna lives here, and anna lives well."), "Anna lives here, and Anna lives well.");
        assert_eq!(
            to_read("daniel craig came. i like daniel craig."),
            "Daniel Craig came. I like Daniel Craig."
        );
        assert_eq!(to_read("i saw daniel yesterday."), "I saw Daniel yesterday.");
    }

    #[test]
    fn written_addresses_stay() {
        let text = "mail anna@example.com or see www.berlin.de/us.";
        assert_eq!(to_read(text), "Mail anna@example.com or see www.berlin.de/us.");
        let text = "anna@example.com is the address of anna.";
        assert_eq!(to_read(text), "anna@example.com is the address of Anna.");
    }

    #[test]
    fn a_text_of_nothing_but_quotation_marks_is_read_in_time() {
        let text = "”".repeat(1_000_000);
        let parts: Vec<Range<usize>> = (0..text.len() / 360).map(|nth| nth * 360..(nth + 1) * 360).collect();
        assert_eq!(restored_to_read(&text, parts.iter()).as_deref(), Some(text.as_str()));
    }

    #[test]
    fn the_rest_of_a_long_sentence_does_not_begin_with_a_capital() {
        let text = "we talked about it and then we left";
        let parts = [0..18, 19..text.len()];
        assert_eq!(restored_to_read(text, parts.iter()).unwrap(), "We talked about it and then we left");
    }
}
