//! Lists of known names: first names, places and organizations.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::words::{Kind, Token};

/// Names of one kind by their first word, the longest first. A `*` in the file marks names that are also ordinary words.
struct Names(HashMap<&'static str, Vec<Name>>);

struct Name {
    words: Vec<&'static str>,
    ordinary: bool,
}

static PLACES: LazyLock<Names> = LazyLock::new(|| Names::read(include_str!("data/places.txt")));
static ORGANIZATIONS: LazyLock<Names> = LazyLock::new(|| Names::read(include_str!("data/organizations.txt")));
/// First names, and first names that are also ordinary words.
static FIRST_NAMES: LazyLock<(HashSet<&str>, HashSet<&str>)> = LazyLock::new(|| {
    let (ordinary, plain): (Vec<&str>, Vec<&str>) =
        include_str!("data/first_names.txt").split_whitespace().partition(|name| name.starts_with('*'));
    (plain.into_iter().collect(), ordinary.into_iter().map(|name| &name[1..]).collect())
});

impl Names {
    fn read(file: &'static str) -> Self {
        let mut names: HashMap<&str, Vec<Name>> = HashMap::new();
        for line in file.lines() {
            let (ordinary, name) = line.strip_prefix('*').map_or((false, line), |name| (true, name));
            let words: Vec<&str> = name.split([' ', '&']).collect();
            names.entry(words[0]).or_default().push(Name { words, ordinary });
        }
        names.values_mut().for_each(|of| of.sort_by_key(|name| std::cmp::Reverse(name.words.len())));
        Self(names)
    }

    /// Where the name that starts at `at` ends.
    fn at(&self, tokens: &[Token], at: usize) -> Option<usize> {
        let names = self.0.get(word_of(tokens.get(at)?))?;
        names.iter().find_map(|name| name.matches(tokens, at))
    }
}

impl Name {
    fn matches(&self, tokens: &[Token], at: usize) -> Option<usize> {
        let mut next = at;
        for word in &self.words {
            // Skips the sign of `AT&T` and the full stop of `St. Louis`.
            if next > at && tokens.get(next).is_some_and(|token| token.is("&") || token.is(".")) {
                next += 1;
            }
            let token = tokens.get(next).filter(|token| word_of(token) == *word)?;
            if self.ordinary && !token.capital {
                return None;
            }
            next += 1;
        }
        // `Nice.` and `Nice, thanks.` are answers.
        let is_answer =
            self.ordinary && at == 0 && tokens.get(next).is_none_or(|token| token.kind == Kind::Sign);
        (!is_answer).then_some(next)
    }
}

/// The word of a token, without the `'s` of a possessive.
fn word_of(token: &Token) -> &str {
    if token.kind != Kind::Word {
        return "";
    }
    token.lower.strip_suffix("'s").unwrap_or(&token.lower)
}

pub(super) fn place_at(tokens: &[Token], at: usize) -> Option<usize> {
    PLACES.at(tokens, at)
}

pub(super) fn organization_at(tokens: &[Token], at: usize) -> Option<usize> {
    let whole = |token: &&Token| !token.lower.contains('\'') || token.lower.ends_with("'s");
    tokens.get(at).filter(whole).and_then(|_| ORGANIZATIONS.at(tokens, at)).or_else(|| apostrophe(tokens, at))
}

/// A name that contains its `'s`, such as `McDonald's`.
fn apostrophe(tokens: &[Token], at: usize) -> Option<usize> {
    let names = ORGANIZATIONS.0.get(tokens.get(at)?.lower.as_str())?;
    names.iter().any(|name| name.words.len() == 1 && !name.ordinary).then_some(at + 1)
}

/// Whether this is a first name; `surely` excludes names that are also ordinary words.
pub(super) fn is_first_name(word: &str, surely: bool) -> bool {
    FIRST_NAMES.0.contains(word) || !surely && FIRST_NAMES.1.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::tokens;

    #[test]
    fn the_longest_name_is_found_and_ordinary_words_need_their_capital() {
        let found = |text: &str| place_at(&tokens(text, 0..text.len()), 0);
        assert_eq!(
            (found("new york city is big"), found("New York."), found("new things")),
            (Some(3), Some(2), None)
        );
        assert_eq!(
            (found("turkey is dry"), found("Turkey is dry"), found("Chicago's best")),
            (None, Some(1), Some(1))
        );
        let text = "AT&T and McDonald's";
        let of = tokens(text, 0..text.len());
        assert_eq!((organization_at(&of, 0), organization_at(&of, 4)), (Some(3), Some(5)));
        assert!(
            is_first_name("sheila", true) && !is_first_name("will", true) && is_first_name("will", false)
        );
    }
}
