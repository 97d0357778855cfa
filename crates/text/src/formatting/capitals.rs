//! Words that have capitals wherever they are: days, months, nationalities, titles, abbreviations.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::gazetteer;
use crate::spoken::{is_calendar_word, title};
use crate::words::Token;

/// Nationalities, languages, religions and holidays that are not also other words (as `polish` is).
static PROPER: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "african africans albanian american americans arab arabic arabs argentinian armenian asian asians australian \
     australians austrian bavarian belgian bengali brazilian british bulgarian californian canadian canadians \
     catalan caucasian chilean chinese christian christianity christians christmas colombian croatian cuban czech \
     danish dutch egyptian english estonian ethiopian european europeans filipino finnish french georgian german \
     germans greek greeks halloween hanukkah hawaiian hebrew hindi hindu hindus hispanic hungarian icelandic \
     indian indians indonesian iranian iraqi irish islam islamic israeli israelis italian italians jamaican \
     japanese jewish jews kenyan korean koreans kurdish latin latino latinos latvian lebanese lithuanian \
     malaysian mandarin mexican mexicans moroccan muslim muslims nigerian norwegian pakistani palestinian \
     palestinians persian peruvian portuguese ramadan romanian russian russians scandinavian scottish serbian \
     sicilian slovak somali spanish sudanese swahili swedish swiss syrian taiwanese texan thai tibetan tunisian \
     turkish ukrainian ukrainians venezuelan victorian vietnamese welsh mr mrs ms dr"
        .split_whitespace()
        .collect()
});
/// Abbreviations that are written in capitals.
const ABBREVIATIONS: [&str; 24] = [
    "atm", "bbc", "ceo", "cfo", "cia", "cnn", "cto", "dvd", "eu", "faq", "fbi", "gdp", "gps", "hiv", "html",
    "irs", "nasa", "nato", "pdf", "tv", "uk", "url", "usa", "usb",
];
/// Words before `may` and `march` by which they are months.
const BEFORE_MONTHS: [&str; 9] = ["in", "last", "next", "since", "until", "early", "late", "mid", "of"];

/// The word with its capitals, if it has any. In a text in one case, names have no capitals of their own.
pub(super) fn capitalised(word: &str, tokens: &[Token], at: usize, uncased: bool) -> Option<String> {
    let lower = tokens[at].lower.as_str();
    let always = is_pronoun(tokens, at) || is_calendar_word(lower);
    if uncased && ABBREVIATIONS.contains(&lower) {
        return Some(word.to_uppercase());
    }
    let proper = || PROPER.contains(lower.strip_suffix("'s").unwrap_or(lower));
    let named = || proper() || is_month(tokens, at) || gazetteer::has_capital(tokens, at);
    (always || uncased && named()).then(|| title(word))
}

/// `i` and `i'm`, but not the letter in a word that is spelled out.
fn is_pronoun(tokens: &[Token], at: usize) -> bool {
    let letter = |at: usize| {
        let lower = tokens.get(at).map_or("", |token| token.lower.as_str());
        lower.len() == 1 && lower.starts_with(char::is_alphabetic) && lower != "i"
    };
    let spelled = at > 0 && letter(at - 1) && letter(at + 1);
    let lower = tokens[at].lower.as_str();
    lower.starts_with("i'") || lower == "i" && !spelled
}

fn is_month(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| tokens[before].lower.as_str());
    match tokens[at].lower.as_str() {
        "august" => true,
        "may" | "march" => BEFORE_MONTHS.contains(&before),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::tokens;

    fn cased(text: &str) -> String {
        let tokens = tokens(text, 0..text.len());
        let words = tokens.iter().enumerate().map(|(at, token)| {
            capitalised(&token.lower, &tokens, at, true).unwrap_or_else(|| token.lower.clone())
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_of_days_months_languages_and_countries_have_capitals() {
        let text = "i met two french people in germany last may and we may march on monday in august";
        let wanted = "I met two French people in Germany last May and we may march on Monday in August";
        assert_eq!(cased(text), wanted);
        assert_eq!(cased("he is british and speaks english on tv"), "he is British and speaks English on TV");
        assert_eq!(cased("polish the shoes in march"), "polish the shoes in March");
    }

    #[test]
    fn a_spelled_letter_is_not_a_pronoun() {
        assert_eq!(cased("m a i l and i i'm here"), "m a i l and I I'm here");
    }
}
