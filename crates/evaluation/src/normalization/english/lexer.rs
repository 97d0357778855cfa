//! Divides written words into words, numbers and signs.

/// Signs that are spoken.
const SIGNS: [char; 6] = ['$', '€', '£', '¢', '%', '&'];

/// The lexemes of a text in lower case: words with their apostrophes, numbers with their point, and signs.
pub(super) fn lexemes(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut lexer = Lexer { letters: &letters, at: 0, found: Vec::new() };
    while let Some(letter) = lexer.peek(0) {
        if letter.is_ascii_digit() {
            lexer.number();
        } else if letter.is_alphanumeric() {
            lexer.word();
        } else {
            if SIGNS.contains(&letter) {
                lexer.found.push(letter.to_string());
            }
            lexer.at += 1;
        }
    }
    lexer.found
}

struct Lexer<'a> {
    letters: &'a [char],
    at: usize,
    found: Vec<String>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.letters.get(self.at + ahead).copied()
    }

    fn is_letter(&self, ahead: usize) -> bool {
        self.peek(ahead).is_some_and(|letter| letter.is_alphanumeric() && !letter.is_ascii_digit())
    }

    fn is_digit(&self, ahead: usize) -> bool {
        self.peek(ahead).is_some_and(|letter| letter.is_ascii_digit())
    }

    fn take_while(&mut self, accepted: impl Fn(&Self) -> bool) -> String {
        let from = self.at;
        while self.peek(0).is_some() && accepted(self) {
            self.at += 1;
        }
        self.letters[from..self.at].iter().collect()
    }

    /// A word, or an acronym with points (`u.s.`).
    fn word(&mut self) {
        let mut acronym = String::new();
        while self.is_letter(0) && self.peek(1) == Some('.') && !self.is_letter_run(2) {
            acronym.extend(self.peek(0));
            self.at += 2;
        }
        if acronym.chars().count() > 0 {
            if self.is_letter(0) && !self.is_letter(1) && acronym.chars().count() > 1 {
                acronym.extend(self.peek(0));
                self.at += 1;
            }
            return self.found.push(acronym);
        }
        let word = self
            .take_while(|lexer| lexer.is_letter(0) || (lexer.peek(0) == Some('\'') && lexer.is_letter(1)));
        self.found.push(word);
    }

    /// Whether two letters follow, so that a point ends a sentence.
    fn is_letter_run(&self, ahead: usize) -> bool {
        self.is_letter(ahead) && self.is_letter(ahead + 1)
    }

    /// A number with a decimal point and an ending (`3rd`, `1980s`), or several numbers (`7:30`).
    fn number(&mut self) {
        let digits = self.take_while(|lexer| {
            lexer.is_digit(0) || (matches!(lexer.peek(0), Some(',' | '.' | ':')) && lexer.is_digit(1))
        });
        let ending = self.take_while(|lexer| lexer.is_letter(0));
        let mut parts = parts(&digits);
        match (ending.as_str(), parts.last_mut()) {
            ("st" | "nd" | "rd" | "th" | "s", Some(last)) => last.push_str(&ending),
            ("", _) => {}
            _ => parts.push(ending),
        }
        self.found.extend(parts);
    }
}

/// The numbers in digits with separators.
fn parts(digits: &str) -> Vec<String> {
    if let Some(hour) = digits.strip_suffix(":00") {
        return vec![hour.to_owned()];
    }
    let mut parts = Vec::new();
    for part in digits.split(':') {
        let plain = without_thousands(part);
        match plain.matches('.').count() {
            0 | 1 if !plain.contains(',') => parts.push(plain),
            _ => parts.extend(plain.split([',', '.']).map(str::to_owned)),
        }
    }
    parts
}

/// The number without commas between groups of three digits.
fn without_thousands(number: &str) -> String {
    let mut groups = number.split('.').next().unwrap_or_default().split(',').skip(1);
    if groups.all(|group| group.len() == 3) { number.replace(',', "") } else { number.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_signs_are_divided() {
        assert_eq!(lexemes("don't-stop"), ["don't", "stop"]);
        assert_eq!(lexemes("$1,234.50!"), ["$", "1234.50"]);
        assert_eq!(lexemes("u.s.a."), ["usa"]);
        assert_eq!(lexemes("end.next"), ["end", "next"]);
        assert_eq!(lexemes("(3rd)"), ["3rd"]);
        assert_eq!(lexemes("7:30pm"), ["7", "30", "pm"]);
        assert_eq!(lexemes("7:00"), ["7"]);
        assert_eq!(lexemes("1.2.3"), ["1", "2", "3"]);
        assert_eq!(lexemes("'tis'"), ["tis"]);
        assert_eq!(lexemes("—"), Vec::<String>::new());
    }
}
