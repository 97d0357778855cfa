//! Estimates what a pattern costs before it is compiled: the size of the compiled pattern, and the work to translate it.
//!
//! jsonschema limits the size of one compiled pattern, but it learns that size only by compiling. A few characters such
//! as `\p{L}{40}` compile to megabytes, so the sizes of all patterns are added up before any of them is compiled.

use std::str::Chars;

/// Compiled size of one byte of text, forward and backward.
const BYTE: u64 = 64;
/// Compiled size of a class that reaches beyond ASCII, such as `.` or `[^"]`.
const WIDE_CLASS: u64 = 1_024;
/// Compiled size of the digits of all scripts.
const DIGITS: u64 = 8 * 1_024;
/// Compiled size of the letters of all scripts: 64 patterns `^[\p{L}X]{30}$` to `{44}` took 144 MB, which is 61 KB for
/// each letter.
const LETTERS: u64 = 64 * 1_024;
/// Characters that replace `\s` in a translated pattern, and `\d` or `\w`.
const TRANSLATED_SPACE: u64 = 170;
const TRANSLATED_WORD: u64 = 14;
/// Maximum bytes between two braces that are looked at. A count or the name of a property is shorter.
const BRACED: usize = 64;
/// jsonschema does not translate patterns with these, so their `\w` and `\d` have the letters and digits of all scripts.
const LOOK_AROUND: [&str; 4] = ["(?=", "(?!", "(?<=", "(?<!"];

/// The estimated cost of a pattern.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PatternCost {
    /// The compiled size.
    pub(super) bytes: u64,
    /// Characters that are read to translate the pattern: all of them again for each `\d`, `\s` and `\w`.
    pub(super) characters: u64,
}

/// Estimates the cost of a pattern, in time that is proportional to its length. Invalid patterns have a cost too.
pub(super) fn cost(pattern: &str) -> PatternCost {
    let is_translated = !LOOK_AROUND.iter().any(|opening| pattern.contains(opening)) && !refers_back(pattern);
    let mut scan = PatternScan {
        rest: pattern.chars(),
        is_translated,
        outer: Vec::new(),
        current: Group::default(),
        translations: 0,
        translated: pattern.len() as u64,
    };
    scan.run();
    let open = scan.outer.iter().fold(scan.current.bytes, |sum, group| sum.saturating_add(group.bytes));
    PatternCost { bytes: open, characters: (scan.translations + 1).saturating_mul(scan.translated) }
}

fn refers_back(pattern: &str) -> bool {
    pattern.as_bytes().windows(2).any(|pair| pair[0] == b'\\' && pair[1].is_ascii_digit())
}

/// A group of a pattern, or the whole pattern.
#[derive(Default)]
struct Group {
    bytes: u64,
    /// The part that a count such as `{40}` repeats.
    last: u64,
}

impl Group {
    fn add(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
        self.last = bytes;
    }

    fn repeat(&mut self, times: u64) {
        let copies = self.last.saturating_add(BYTE).saturating_mul(times.saturating_sub(1));
        self.bytes = self.bytes.saturating_add(copies);
        self.last = self.last.saturating_add(copies);
    }
}

struct PatternScan<'a> {
    rest: Chars<'a>,
    is_translated: bool,
    /// The groups around the current one, the outermost first.
    outer: Vec<Group>,
    current: Group,
    /// How many classes are translated, each in its own pass.
    translations: u64,
    /// The length of the translated pattern.
    translated: u64,
}

impl PatternScan<'_> {
    fn run(&mut self) {
        while let Some(letter) = self.rest.next() {
            match letter {
                '\\' => {
                    let escaped = self.rest.clone().next();
                    let bytes = self.escape();
                    self.count_translation(escaped);
                    self.current.add(bytes);
                }
                '[' => {
                    let bytes = self.class();
                    self.current.add(bytes);
                }
                '.' => self.current.add(WIDE_CLASS),
                '(' => self.open(),
                ')' => self.close(),
                // What comes before stays the last part: `a+{40}` repeats `a+`.
                '*' | '+' | '?' => self.current.bytes = self.current.bytes.saturating_add(BYTE),
                '{' => match self.count() {
                    Some(times) => self.current.repeat(times),
                    None => self.current.add(BYTE),
                },
                literal => self.current.add(BYTE * literal.len_utf8() as u64),
            }
        }
    }

    fn open(&mut self) {
        self.outer.push(std::mem::take(&mut self.current));
        // The `?` of `(?:` is not a count of what comes before.
        if self.rest.as_str().starts_with('?') {
            self.rest.next();
        }
    }

    fn close(&mut self) {
        match self.outer.pop() {
            Some(outer) => {
                let inner = std::mem::replace(&mut self.current, outer);
                self.current.add(inner.bytes.saturating_add(2 * BYTE));
            }
            None => self.current.add(BYTE),
        }
    }

    /// The size of what follows a backslash.
    fn escape(&mut self) -> u64 {
        match self.rest.next() {
            Some('p' | 'P') => {
                if self.rest.as_str().starts_with('{') {
                    self.skip_braces();
                } else {
                    self.rest.next();
                }
                LETTERS
            }
            Some('w' | 'd') if self.is_translated => 4 * BYTE,
            Some('W' | 'D' | 's' | 'S') if self.is_translated => WIDE_CLASS,
            Some('w' | 'W') => LETTERS,
            Some('d' | 'D') => DIGITS,
            Some('s' | 'S') => WIDE_CLASS,
            Some('x' | 'u' | 'U') => {
                self.skip_braces();
                WIDE_CLASS
            }
            Some(_) | None => BYTE,
        }
    }

    /// Classes in brackets are translated in one pass, so only those outside are counted.
    fn count_translation(&mut self, escaped: Option<char>) {
        let added = match escaped {
            Some('s' | 'S') => TRANSLATED_SPACE,
            Some('d' | 'D' | 'w' | 'W') => TRANSLATED_WORD,
            Some(_) | None => return,
        };
        if self.is_translated {
            self.translations += 1;
            self.translated = self.translated.saturating_add(added);
        }
    }

    /// The size of a class in brackets: at most the sum of its items.
    fn class(&mut self) -> u64 {
        let mut bytes = BYTE;
        if self.rest.as_str().starts_with('^') {
            self.rest.next();
            bytes += WIDE_CLASS;
        }
        // A bracket at the beginning is one of the items.
        let mut is_first = true;
        while let Some(letter) = self.rest.next() {
            let item = match letter {
                ']' if !is_first => break,
                '\\' => self.escape(),
                ascii if ascii.is_ascii() => BYTE,
                _ => WIDE_CLASS,
            };
            bytes = bytes.saturating_add(item);
            is_first = false;
        }
        bytes
    }

    /// The most repetitions of a count such as `{3}`, `{3,}` or `{3,9}`; `None` if the brace is text.
    fn count(&mut self) -> Option<u64> {
        let rest = self.rest.as_str();
        let end = rest.bytes().take(BRACED).position(|byte| byte == b'}')?;
        let (low, high) = rest[..end].split_once(',').unwrap_or((&rest[..end], &rest[..end]));
        let number = |text: &str| text.trim().parse::<u64>().ok();
        let low = if low.trim().is_empty() { Some(0) } else { number(low) }?;
        let times = if high.trim().is_empty() { low.saturating_add(1) } else { number(high)? };
        self.rest = rest[end + 1..].chars();
        Some(times.max(1))
    }

    fn skip_braces(&mut self) {
        let rest = self.rest.as_str();
        let end = rest.bytes().take(BRACED).position(|byte| byte == b'}');
        if let Some(end) = end.filter(|_| rest.starts_with('{')) {
            self.rest = rest[end + 1..].chars();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(pattern: &str) -> u64 {
        cost(pattern).bytes
    }

    #[test]
    fn ordinary_patterns_are_cheap() {
        for pattern in [
            r"^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,253}\.[A-Za-z]{2,24}$",
            r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$",
            r"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z\d]{8,64}$",
            r"^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
            r"^.{1,500}$",
        ] {
            assert!(bytes(pattern) < 1_000_000, "{pattern}: {}", bytes(pattern));
            assert!(cost(pattern).characters < 10_000, "{pattern}: {:?}", cost(pattern));
        }
    }

    #[test]
    fn letters_of_all_scripts_count_for_each_repetition() {
        let one = bytes(r"\p{L}");
        assert!((60_000..70_000).contains(&one), "{one}");
        for pattern in [
            r"^[\w\d\p{L}X]{40}$",
            r"(?:\p{L}x){1,40}",
            r"((\p{Lu}{5}){2}){4}",
            r"\p{L}+{40}",
            r"[]\p{L}]{39,}",
            r"(?=a)\w{40}",
            r"(\pL){40}",
            r"\P{Lu}{ 1 , 40 }",
        ] {
            assert!(bytes(pattern) >= 40 * one, "{pattern}: {}", bytes(pattern));
            assert!(bytes(pattern) < 80 * one, "{pattern}: {}", bytes(pattern));
        }
    }

    #[test]
    fn counts_that_multiply_do_not_overflow() {
        assert_eq!(bytes(&format!("{}a{}", "(".repeat(40), "{99999999}){99999999}".repeat(40))), u64::MAX);
    }

    #[test]
    fn braces_that_are_not_counts_are_text() {
        for pattern in [r"\x{100000}", r"a{", r"a{b}", r"{,}", r"\u{110000}", r"a{9999999999999999999999}"] {
            assert!(bytes(pattern) < 5_000, "{pattern}: {}", bytes(pattern));
        }
    }

    #[test]
    fn each_class_outside_of_brackets_reads_the_whole_pattern_again() {
        assert!(cost(&r"\s".repeat(1_000)).characters > 100_000_000);
        assert!(cost(&r"[\s\d]".repeat(1_000)).characters < 10_000);
    }

    #[test]
    fn a_long_pattern_of_open_braces_is_read_once() {
        assert!(bytes(&format!("{}}}", "{".repeat(200_000))) < 20_000_000);
    }
}
