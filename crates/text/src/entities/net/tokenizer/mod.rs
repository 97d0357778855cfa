//! Divides a text into tokens as spaCy does for English: at spaces, then at signs around and inside words, except for
//! the special cases of the tokenizer's file, such as `don't` and `U.S.`.

mod affixes;
mod char_classes;
mod icons;
mod special_cases;
mod web_addresses;

use std::ops::Range;

use auris_weights::WeightsError;

use super::msgpack::{Reader, damaged};
use affixes::{infixes, prefix_length, suffix_length};
pub(super) use char_classes::is_space;
use icons::Icons;
use special_cases::SpecialCases;
use web_addresses::is_address;

/// A token of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NetToken {
    pub(super) range: Range<usize>,
    /// The number of the normal form, if a special case sets it.
    pub(super) norm: Option<u64>,
}

/// The rules and special cases.
pub(super) struct NetTokenizer {
    icons: Icons,
    special: SpecialCases,
}

impl NetTokenizer {
    /// Reads the tokenizer's file.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, WeightsError> {
        let mut reader = Reader::new(bytes);
        let mut icons = None;
        let mut special = None;
        for _ in 0..reader.map()? {
            match reader.text()? {
                "prefix_search" => icons = Some(Icons::of_pattern(reader.text()?)?),
                "exceptions" => special = Some(SpecialCases::read(&mut reader)?),
                _ => reader.skip()?,
            }
        }
        let missing = || damaged("the file of the tokenizer is incomplete");
        let icons = icons.ok_or_else(missing)?;
        let special = special.ok_or_else(missing)?;
        let mut tokenizer = Self { icons, special };
        tokenizer.prepare_merges();
        Ok(tokenizer)
    }

    /// Special cases that the rules divide are put together again after the rules: `:)` in `hi:)`.
    fn prepare_merges(&mut self) {
        let is_divided = |word: &&str| {
            prefix_length(word, &self.icons) > 0
                || suffix_length(word, &self.icons) > 0
                || !infixes(word, &self.icons).is_empty()
        };
        let words: Vec<String> = self.special.words().filter(is_divided).map(str::to_owned).collect();
        for word in words {
            let mut tokens = Vec::new();
            self.divide(&word, Specials::Ignored, &mut tokens);
            self.special.merge(&word, tokens.iter().map(|token| token.range.end).collect());
        }
    }

    /// The tokens of a text. Runs of white space are tokens, except single spaces.
    pub(super) fn tokens(&self, text: &str) -> Vec<NetToken> {
        let mut tokens = Vec::new();
        let mut begin = 0;
        let mut in_space = text.chars().next().is_some_and(is_space);
        for (at, letter) in text.char_indices() {
            if is_space(letter) != in_space {
                self.chunk(text, begin..at, &mut tokens);
                begin = at + usize::from(letter == ' ');
                in_space = !in_space;
            }
        }
        self.chunk(text, begin..text.len(), &mut tokens);
        tokens
    }

    /// The tokens between two changes from letters to space or back.
    fn chunk(&self, text: &str, range: Range<usize>, tokens: &mut Vec<NetToken>) {
        let word = &text[range.clone()];
        let mut found = Vec::new();
        if !word.is_empty() && !self.special.append(word, 0, &mut found) {
            self.divide(word, Specials::Used, &mut found);
        }
        self.special.put_together(word, &mut found);
        let moved = |token: NetToken| NetToken {
            range: range.start + token.range.start..range.start + token.range.end,
            ..token
        };
        tokens.extend(found.into_iter().map(moved));
    }

    /// Divides a word by the rules.
    fn divide(&self, word: &str, specials: Specials, tokens: &mut Vec<NetToken>) {
        let is_special = |part: &str| specials == Specials::Used && self.special.contains(part);
        let mut core = 0..word.len();
        let mut suffixes = Vec::new();
        loop {
            let part = &word[core.clone()];
            if part.is_empty() || is_special(part) {
                break;
            }
            let prefix = prefix_length(part, &self.icons);
            let has_special_rest = prefix > 0 && prefix < part.len() && is_special(&part[prefix..]);
            let suffix = if has_special_rest { 0 } else { suffix_length(&part[prefix..], &self.icons) };
            if prefix + suffix == 0 {
                break;
            }
            // A special case in front of the suffix keeps the prefix.
            let keeps_prefix = suffix > 0 && suffix < part.len() && is_special(&part[..part.len() - suffix]);
            if prefix > 0 && !keeps_prefix {
                push(tokens, core.start..core.start + prefix);
                core.start += prefix;
            }
            if suffix > 0 {
                suffixes.push(core.end - suffix..core.end);
                core.end -= suffix;
            }
        }
        if !(specials == Specials::Used && self.special.append(&word[core.clone()], core.start, tokens)) {
            self.divide_core(word, core, tokens);
        }
        suffixes.into_iter().rev().for_each(|suffix| push(tokens, suffix));
    }

    /// Divides what is left of a word at the signs inside.
    fn divide_core(&self, word: &str, core: Range<usize>, tokens: &mut Vec<NetToken>) {
        let part = &word[core.clone()];
        let mut begin = core.start;
        if !is_address(part) {
            for infix in infixes(part, &self.icons).into_iter().filter(|infix| infix.start > 0) {
                push(tokens, begin..core.start + infix.start);
                push(tokens, core.start + infix.start..core.start + infix.end);
                begin = core.start + infix.end;
            }
        }
        push(tokens, begin..core.end);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Specials {
    Used,
    Ignored,
}

fn push(tokens: &mut Vec<NetToken>, range: Range<usize>) {
    if !range.is_empty() {
        tokens.push(NetToken { range, norm: None });
    }
}
