//! What the words beside a number show about it.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::spoken::{SpokenLine, is_number_word, month, ordinal};
use crate::words::Kind;

/// Words that are not counted: after one of them, a number before it is complete.
static FUNCTION_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "a about after again ago all also although always am an and any are around as at away back be because been before \
     being between both but by can cause could did didn't do does doesn't doing don't done down during each either \
     else ever every except for from get gets given going gonna got had has have having he he'd he'll he's her here \
     hers him his how i i'd i'll i'm i've if in instead into is isn't it it'd it'll it's its just last later less let \
     let's like made make makes may maybe me might mine more most must my near never next no nobody none not nothing \
     now of off ok okay on once only onto or our ours out over per perhaps plus please right said same say saying says \
     she she'd she'll she's should since so some something still such than thank thanks that that'll that's the their \
     theirs them then there there's these they they'd they'll they're they've this those though through till to \
     together tomorrow tonight today too toward towards uh um under unless until up upon us very via versus was wasn't \
     we we'd we'll we're we've well went were weren't what what's when where whereas whether which while who who's \
     whose why will with within without won't would yeah yes yesterday yet you you'd you'll you're you've your yours"
        .split_whitespace()
        .collect()
});

/// Words that may begin a spoken form, beside numbers and months.
const BEGINNINGS: [&str; 10] =
    ["a", "an", "catch", "double", "half", "minus", "negative", "point", "quarter", "triple"];

/// Plural nouns that do not end in `s`.
const PLURALS: [&str; 12] = [
    "people", "men", "women", "children", "feet", "percent", "folks", "kids", "guys", "police", "staff",
    "teeth",
];

pub(super) fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.contains(word)
}

/// Whether a spoken form may begin here. Rules out most words of a text at once.
pub(super) fn may_begin(line: SpokenLine<'_>, at: usize) -> bool {
    let word = line.word(at);
    is_number(line, at) || BEGINNINGS.contains(&word) || month(word).is_some()
}

/// Whether a number in words or digits begins here, or an ordinal.
pub(super) fn is_number(line: SpokenLine<'_>, at: usize) -> bool {
    line.is_digits(at) || is_number_word(line.word(at)) || ordinal(line, at).is_some()
}

/// Whether a number that ends here is complete: nothing that it could count follows.
pub(super) fn is_open(line: SpokenLine<'_>, at: usize) -> bool {
    let Some(token) = line.get(at) else { return true };
    match token.kind {
        Kind::Sign => !matches!(token.lower.as_str(), "%" | "$" | "€" | "£" | "°") && !line.touches(at + 1),
        Kind::Word => is_function_word(&token.lower),
        Kind::Digits => false,
    }
}

/// Whether things in the plural follow, which a number before them could count: `people`, `young people`.
pub(super) fn counts(line: SpokenLine<'_>, at: usize) -> bool {
    let noun = |at: usize| {
        line.get(at).is_some_and(|token| token.kind == Kind::Word && !is_function_word(&token.lower))
    };
    noun(at) && (is_plural(line.word(at)) || noun(at + 1) && is_plural(line.word(at + 1)))
}

fn is_plural(word: &str) -> bool {
    let regular = word.len() > 3
        && word.ends_with('s')
        && !["ss", "us", "is", "'s"].iter().any(|end| word.ends_with(end));
    regular || PLURALS.contains(&word)
}

/// The words before a token, the nearest first.
pub(super) fn words_before<'a>(line: SpokenLine<'a>, at: usize) -> impl Iterator<Item = &'a str> {
    (0..at).rev().map(move |before| line.word(before))
}
