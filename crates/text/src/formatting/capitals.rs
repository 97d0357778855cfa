//! Words that have a capital in every text: the pronoun `I` and days and months.

use crate::spoken::is_calendar_word;
use crate::words::Token;

/// Whether a word has a capital wherever it is. `crate::letter_case` knows the names in a text without capitals.
pub(super) fn has_capital(tokens: &[Token], at: usize) -> bool {
    is_pronoun(tokens, at) || is_calendar_word(&tokens[at].lower)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::tokens;

    #[test]
    fn a_spelled_letter_is_not_a_pronoun() {
        let text = "m a i l and i i'm here on monday";
        let tokens = tokens(text, 0..text.len());
        let capital = |at: &usize| has_capital(&tokens, *at);
        let found: Vec<&str> =
            (0..tokens.len()).filter(capital).map(|at| tokens[at].lower.as_str()).collect();
        assert_eq!(found, ["i", "i'm", "monday"]);
    }
}
