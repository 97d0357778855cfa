//! Says numbers in words, each time in another way. Has its own lists of words: with those of the reader, a misspelled
//! word would not be found.

const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 10] =
    ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const ORDINALS: [&str; 20] = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];
pub(super) const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// A generator of pseudo-random numbers with a fixed seed.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    pub(super) fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.below(to - from)
    }

    pub(super) fn chance(&mut self) -> bool {
        self.below(2) == 0
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

pub(super) fn below_hundred(value: u64, random: &mut Random) -> String {
    let value = value as usize;
    if value < 20 {
        return SMALL[value].to_owned();
    }
    let unit = if value.is_multiple_of(10) { "" } else { SMALL[value % 10] };
    let between = if random.below(4) == 0 { "-" } else { " " };
    if unit.is_empty() { TENS[value / 10].to_owned() } else { format!("{}{between}{unit}", TENS[value / 10]) }
}

pub(super) fn cardinal(value: u64, random: &mut Random) -> String {
    let scales = [(1_000_000_000, "billion"), (1_000_000, "million"), (1_000, "thousand"), (100, "hundred")];
    let Some((scale, name)) = scales.into_iter().find(|(scale, _)| value >= *scale) else {
        return below_hundred(value, random);
    };
    let rest = value % scale;
    let head = format!("{} {name}", cardinal(value / scale, random));
    match rest {
        0 => head,
        1..100 if random.chance() && scale <= 1_000 => format!("{head} and {}", cardinal(rest, random)),
        _ => format!("{head} {}", cardinal(rest, random)),
    }
}

pub(super) fn ordinal(value: u64, random: &mut Random) -> String {
    if value < 20 {
        return ORDINALS[value as usize].to_owned();
    }
    if value < 100 && value.is_multiple_of(10) {
        let tens = TENS[(value / 10) as usize];
        return format!("{}ieth", tens.trim_end_matches('y'));
    }
    let (head, rest) =
        if value < 100 { (value / 10 * 10, value % 10) } else { (value / 100 * 100, value % 100) };
    format!("{} {}", cardinal(head, random), ordinal(rest, random))
}

/// Digits one by one, with `oh` and `double` now and then.
pub(super) fn digits(text: &str, random: &mut Random) -> String {
    let zero = random.pick(&["oh", "zero"]);
    let doubles = random.chance();
    let letters: Vec<char> = text.chars().filter(char::is_ascii_digit).collect();
    let mut words = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let value = letters[at].to_digit(10).unwrap() as usize;
        let word = if value == 0 && at > 0 { zero } else { SMALL[value] };
        if doubles && letters.get(at + 1) == Some(&letters[at]) {
            words.push(format!("double {word}"));
            at += 1;
        } else {
            words.push(word.to_owned());
        }
        at += 1;
    }
    words.join(" ")
}

pub(super) fn year(value: u64, random: &mut Random) -> String {
    let (century, rest) = (value / 100, value % 100);
    match (century, rest) {
        (20, 0..10) => cardinal(value, random),
        (_, 0) => format!("{} hundred", below_hundred(century, random)),
        (_, 1..10) => format!("{} oh {}", below_hundred(century, random), SMALL[rest as usize]),
        _ => format!("{} {}", below_hundred(century, random), below_hundred(rest, random)),
    }
}

/// `12,345`.
pub(super) fn grouped(value: u64) -> String {
    if value < 1_000 { value.to_string() } else { format!("{},{:03}", grouped(value / 1_000), value % 1_000) }
}

pub(super) fn nth(value: u64) -> String {
    let suffix = match (value % 10, value % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        _ => "th",
    };
    format!("{}{suffix}", grouped(value))
}
