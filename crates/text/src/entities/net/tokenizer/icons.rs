//! Emoji and other symbols, which are always separate tokens. The ranges come from the tokenizer's file.

use auris_weights::WeightsError;

use super::super::msgpack::damaged;

/// Ranges of characters, in order.
#[derive(Debug)]
pub(super) struct Icons(Vec<(u32, u32)>);

impl Icons {
    /// Reads the class of characters at the end of the pattern for prefixes: `…|^[\u00A6\u0BF3-\u0BF8…]`.
    pub(super) fn of_pattern(pattern: &str) -> Result<Self, WeightsError> {
        let class = pattern.rsplit_once("|^[").and_then(|(_, class)| class.strip_suffix(']'));
        let class = class.ok_or_else(|| damaged("the pattern for prefixes does not end in a class"))?;
        let mut ranges = class.split('\\').skip(1).peekable();
        let mut icons: Vec<(u32, u32)> = Vec::new();
        while let Some(item) = ranges.next() {
            let (start, is_range) = code_point(item)?;
            let end = match ranges.next_if(|_| is_range) {
                Some(end) => code_point(end)?.0,
                None => start,
            };
            icons.push((start, end));
        }
        icons.sort_unstable();
        Ok(Self(icons))
    }

    pub(super) fn contains(&self, letter: char) -> bool {
        let code = u32::from(letter);
        let after = self.0.partition_point(|(start, _)| *start <= code);
        after.checked_sub(1).is_some_and(|at| self.0[at].1 >= code)
    }
}

/// `u00A6` or `U0001F300`, and whether a range begins with it.
fn code_point(item: &str) -> Result<(u32, bool), WeightsError> {
    let digits = item.trim_start_matches(['u', 'U']).trim_end_matches('-');
    let code = u32::from_str_radix(digits, 16);
    Ok((code.map_err(|_| damaged("a class of the tokenizer cannot be read"))?, item.ends_with('-')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_characters_and_ranges_are_read() {
        let icons = Icons::of_pattern(r"^%|^[\u00A6\u00A9\u2600-\u266E\U0001F300-\U0001F3FA]").unwrap();
        assert!(['©', '☀', '🌍'].into_iter().all(|icon| icons.contains(icon)));
        assert!(['a', '¨', '♯'].into_iter().all(|other| !icons.contains(other)));
        assert!(Icons::of_pattern("^%").is_err() && Icons::of_pattern(r"^%|^[\uXY]").is_err());
    }
}
