//! The classes of characters that the rules of the tokenizer use.

const PUNCTUATION: &str = "…,:;!?¿؟¡()[]{}<>_#*&。？！，、；：～·।،۔؛٪";
const QUOTES: &str = "'\"”“`‘´’‚,„»«「」『』（）〔〕【】《》〈〉〈〉⟦⟧";
const CURRENCIES: &str = "$£€¥฿₽﷼₴₠₡₢₣₤₥₦₧₨₩₪₫₭₮₯₰₱₲₳₵₶₷₸₹₺₻₼₾₿";

/// Signs that are split off at both ends of a word.
pub(super) fn is_punctuation(letter: char) -> bool {
    PUNCTUATION.contains(letter)
}

pub(super) fn is_quote(letter: char) -> bool {
    QUOTES.contains(letter)
}

pub(super) fn is_currency(letter: char) -> bool {
    CURRENCIES.contains(letter)
}

/// Whether a full stop after this character ends a sentence.
pub(super) fn precedes_full_stop(letter: char) -> bool {
    letter.is_ascii_digit()
        || is_lower(letter)
        || is_punctuation(letter)
        || is_quote(letter)
        || "%²-+|".contains(letter)
}

/// Letters; those below `À` that are not ASCII, such as `µ`, do not count.
pub(super) fn is_alpha(letter: char) -> bool {
    letter.is_ascii_alphabetic() || letter >= 'À' && letter.is_alphabetic()
}

/// Letters of a lower case, and of scripts without case.
pub(super) fn is_lower(letter: char) -> bool {
    is_alpha(letter) && !letter.is_uppercase()
}

/// Letters of an upper case, and of scripts without case.
pub(super) fn is_upper(letter: char) -> bool {
    is_alpha(letter) && !letter.is_lowercase()
}

/// Space as in Python, which counts the separators of records too.
pub(in super::super) fn is_space(letter: char) -> bool {
    letter.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&letter)
}
