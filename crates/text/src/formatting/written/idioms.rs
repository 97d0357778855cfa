//! Fixed expressions whose number words stay.

use super::{Reading, suffixes};
use crate::spoken::SpokenLine;

const IDIOMS: &[&str] = &[
    "catch twenty two",
    "eleventh hour",
    "fifteen minutes of fame",
    "fifty cent",
    "fifty fifty",
    "fifty first dates",
    "fifty first state",
    "forty niners",
    "forty winks",
    "hundred and ten percent",
    "million dollar question",
    "million to one",
    "nine eleven",
    "nine times out of ten",
    "nine yards",
    "one in a million",
    "seven eleven",
    "six of one half a dozen of the other",
    "ten to one",
    "thousand and one nights",
    "three score and ten",
    "twenty four seven",
    "twenty twenty hindsight",
    "twenty twenty vision",
    "two and a half men",
];

pub(super) fn find(line: SpokenLine<'_>, at: usize) -> Option<Reading> {
    let at = at + usize::from(matches!(line.word(at), "a" | "an"));
    let first = line.word(at);
    let same = IDIOMS.iter().filter(|idiom| !first.is_empty() && idiom.starts_with(first));
    same.into_iter().find_map(|idiom| {
        let mut next = at;
        for word in idiom.split(' ') {
            let here = line.past_hyphen(next);
            if line.word(here) != word {
                return None;
            }
            next = here + 1;
        }
        // `seven eleven dollars` is not the shop.
        suffixes::read(line, next).is_none().then_some(Reading::Words(next))
    })
}
