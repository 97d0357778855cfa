//! Reads the names and signs of an address that is spoken word by word or letter by letter.

use super::context;
use super::runs::Run;
use crate::spoken::SpokenLine;

/// Top-level domains.
const DOMAINS: &[&str] = &[
    "ai", "app", "at", "au", "be", "biz", "br", "ca", "ch", "cloud", "cn", "co", "com", "de", "dev", "edu",
    "es", "eu", "fm", "fr", "gov", "ie", "in", "info", "int", "io", "it", "jp", "me", "mil", "net", "nl",
    "no", "nz", "online", "org", "pl", "ru", "se", "shop", "store", "tech", "tv", "uk", "us", "xyz", "za",
];
/// Top-level domains that are also ordinary words.
pub(super) const ORDINARY: &[&str] =
    &["app", "at", "be", "cloud", "in", "it", "me", "no", "online", "shop", "store", "tech", "us"];

/// Whether a word is a top-level domain and not also an ordinary word.
pub(crate) fn is_sure_domain(word: &str) -> bool {
    DOMAINS.contains(&word) && !ORDINARY.contains(&word)
}

/// Reads the pieces of an address.
pub(super) struct Address<'a> {
    pub(super) line: SpokenLine<'a>,
    pub(super) at: usize,
    pub(super) text: String,
}

impl Address<'_> {
    /// One word, or letters that are spelled out, with digits.
    fn name(&mut self) -> bool {
        let start = self.at;
        while self.is_letter() || self.at > start && Run::read(self.line, self.at).is_some() {
            if !self.is_letter() && !self.number() {
                return false;
            }
            if self.is_letter() {
                self.push_word();
            }
        }
        let after = self.at + 1;
        let number_end = Run::read(self.line, after).map_or(after, |run| run.tokens.end);
        let joined = matches!(self.line.word(number_end), "at" | "dot" | "underscore" | "dash" | "hyphen");
        if (self.at == start || joined) && self.is_word() {
            self.push_word();
        }
        self.number() || self.at > start
    }

    /// Digits spoken one by one, or a number below 100.
    fn number(&mut self) -> bool {
        let Some(run) = Run::read(self.line, self.at) else { return false };
        let single = run.single().is_some_and(|numeral| numeral.value < 100);
        let digits = if single { run.figures() } else { run.digits() };
        let Some(digits) = digits.filter(|_| run.whole) else { return false };
        self.text.push_str(&digits);
        self.at = run.tokens.end;
        true
    }

    fn is_letter(&self) -> bool {
        let word = self.line.word(self.at);
        word.len() == 1 && word.as_bytes()[0].is_ascii_lowercase()
    }

    fn is_word(&self) -> bool {
        let word = self.line.word(self.at);
        let reserved = matches!(word, "dot" | "at" | "underscore" | "dash" | "hyphen" | "slash" | "oh");
        let letters = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        letters && !reserved && !context::is_number(self.line, self.at)
    }

    fn push_word(&mut self) {
        self.text.push_str(self.line.word(self.at));
        self.at += 1;
    }

    /// Reads one of the spoken signs.
    fn sign(&mut self, signs: &[(&str, char)]) -> bool {
        let Some((_, sign)) = signs.iter().find(|(word, _)| *word == self.line.word(self.at)) else {
            return false;
        };
        self.text.push(*sign);
        self.at += 1;
        true
    }

    /// Names joined by signs.
    pub(super) fn names(&mut self, signs: &[(&str, char)]) -> bool {
        if !self.name() {
            return false;
        }
        while self.sign(signs) {
            if !self.name() {
                return false;
            }
        }
        true
    }

    /// A domain that ends in a known top-level domain.
    pub(super) fn domain(&mut self) -> bool {
        const SIGNS: [(&str, char); 3] = [("dot", '.'), ("dash", '-'), ("hyphen", '-')];
        let start = self.text.len();
        if self.line.word(self.at) == "triple" && self.line.word(self.at + 1) == "w" {
            self.text.push_str("ww");
            self.at += 1;
        }
        // Some recognizers write `g mail`.
        if self.line.word(self.at) == "g" && self.line.word(self.at + 1) == "mail" {
            self.text.push('g');
            self.at += 1;
        }
        if !self.names(&SIGNS) {
            return false;
        }
        let domain = &self.text[start..];
        domain.contains('.') && domain.rsplit('.').next().is_some_and(|last| DOMAINS.contains(&last))
    }

    /// The path of a web address. Returns `false` if it may go on with the next word.
    pub(super) fn path(&mut self) -> bool {
        const SIGNS: [(&str, char); 4] = [("dot", '.'), ("dash", '-'), ("hyphen", '-'), ("underscore", '_')];
        let mut has_path = false;
        loop {
            let forward = usize::from(self.line.word(self.at) == "forward");
            if self.line.word(self.at + forward) != "slash" {
                break;
            }
            self.at += forward + 1;
            self.text.push('/');
            has_path = true;
            if !self.names(&SIGNS) {
                return context::is_open(self.line, self.at);
            }
        }
        !has_path || context::is_open(self.line, self.at)
    }
}
