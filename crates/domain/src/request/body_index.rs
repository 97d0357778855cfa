//! Where the large values of a body are. They are found in one pass over its text: if each level of a body that is nested
//! deeply were read by itself, the innermost values would be read once for each level.

use std::collections::HashMap;

use crate::raw_json::{RawJson, string_length};

/// The large objects and arrays of a text that is known to be JSON, by where they begin.
pub(super) struct BodyIndex<'a> {
    text: &'a str,
    large: HashMap<usize, LargeValue>,
}

/// An object or array.
#[derive(Default)]
pub(super) struct LargeValue {
    end: usize,
    /// The number of its fields or items.
    count: usize,
    /// The fields of an object, in the order of the text.
    fields: Vec<Position>,
}

/// Where a field is in the text. It takes eight bytes, less than a field, so that the lists of all objects take less
/// memory than the body. A body is shorter than 4 GiB.
#[derive(Clone, Copy)]
pub(super) struct Position {
    /// Where its name begins, with the quotation mark.
    pub(super) start: u32,
    /// Where its value ends.
    pub(super) end: u32,
}

impl<'a> BodyIndex<'a> {
    /// Finds the values of more than `small_bytes`. `None` if the text is longer than 4 GiB.
    pub(super) fn of(text: &'a str, small_bytes: usize) -> Option<Self> {
        u32::try_from(text.len()).ok()?;
        let mut walk = Walk { small_bytes, ..Walk::default() };
        walk.read(text);
        Some(Self { text, large: walk.large })
    }

    /// Removes and returns the fields of an object of the text, if it is large.
    pub(super) fn take_fields(&mut self, object: RawJson<'a>) -> Option<Vec<Position>> {
        let start = self.start_of(object);
        self.large.get_mut(&start).map(|large| std::mem::take(&mut large.fields))
    }

    /// The number of items of an array of the text.
    pub(super) fn count(&self, array: RawJson<'a>) -> usize {
        match self.large.get(&self.start_of(array)) {
            Some(large) => large.count,
            None => {
                let mut items = self.items(array);
                std::iter::from_fn(|| items.next(self)).count()
            }
        }
    }

    /// The items of an array of the text. Large objects and arrays among them are not read.
    pub(super) fn items(&self, array: RawJson<'a>) -> Items {
        Items { next: self.start_of(array) + 1 }
    }

    /// Where a piece of the text begins.
    fn start_of(&self, piece: RawJson<'a>) -> usize {
        piece.as_str().as_ptr().addr() - self.text.as_ptr().addr()
    }
}

/// The items of an array that have not been read.
pub(super) struct Items {
    next: usize,
}

impl Items {
    pub(super) fn next<'a>(&mut self, index: &BodyIndex<'a>) -> Option<RawJson<'a>> {
        let text = index.text;
        let rest = text.get(self.next..)?.trim_start_matches([',', ' ', '\n', '\r', '\t']);
        if rest.is_empty() || rest.starts_with(']') {
            return None;
        }
        let start = text.len() - rest.len();
        self.next = index.large.get(&start).map_or_else(|| start + value_length(rest), |large| large.end);
        text.get(start..self.next).map(RawJson::of_piece)
    }
}

/// The length of the value at the beginning of a text.
fn value_length(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => at += string_length(&text[at + 1..]),
            b'{' | b'[' => depth += 1,
            b',' | b' ' | b'\n' | b'\r' | b'\t' | b'}' | b']' if depth == 0 => return at,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    at
}

/// An object or array whose end was not reached.
struct Open {
    start: usize,
    is_object: bool,
    value: LargeValue,
    /// The field or item that is being read: where it begins, and the end of what was read of it so far.
    part: Option<(usize, usize)>,
}

#[derive(Default)]
struct Walk {
    small_bytes: usize,
    open: Vec<Open>,
    large: HashMap<usize, LargeValue>,
    /// Empty lists, to be used again: most objects are small.
    spare: Vec<Vec<Position>>,
}

impl Walk {
    fn read(&mut self, text: &str) {
        let mut at = 0;
        while let Some(byte) = text.as_bytes().get(at) {
            let start = at;
            at += 1;
            match byte {
                b'"' => {
                    at += string_length(&text[at..]);
                    self.extend_part(start, at);
                }
                b'{' | b'[' => self.begin(start, *byte == b'{'),
                b'}' | b']' => self.end(at),
                b',' => self.end_part(),
                b':' | b' ' | b'\n' | b'\r' | b'\t' => {}
                _ => self.extend_part(start, at),
            }
        }
    }

    fn begin(&mut self, start: usize, is_object: bool) {
        let fields = self.spare.pop().unwrap_or_default();
        let value = LargeValue { fields, ..LargeValue::default() };
        self.open.push(Open { start, is_object, value, part: None });
    }

    fn end(&mut self, end: usize) {
        self.end_part();
        let Some(Open { start, mut value, .. }) = self.open.pop() else { return };
        if end - start > self.small_bytes {
            value.fields.shrink_to_fit();
            self.large.insert(start, LargeValue { end, ..value });
        } else {
            value.fields.clear();
            self.spare.push(value.fields);
        }
        self.extend_part(start, end);
    }

    fn extend_part(&mut self, start: usize, end: usize) {
        if let Some(open) = self.open.last_mut() {
            open.part = Some((open.part.map_or(start, |(first, _)| first), end));
        }
    }

    fn end_part(&mut self) {
        let Some(open) = self.open.last_mut() else { return };
        let Some((start, end)) = open.part.take() else { return };
        open.value.count += 1;
        if open.is_object {
            open.value.fields.push(Position { start: start as u32, end: end as u32 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        r#"{"a" : [ 1,-2.5e3 ,{"x":[]} , "]\"," , [ ] ,null] , "b\"": {"":{ },"c":true} ,"d":[]}"#;

    fn piece(start: &str) -> RawJson<'static> {
        let start = TEXT.find(start).unwrap();
        RawJson::of_piece(&TEXT[start..start + value_length(&TEXT[start..])])
    }

    fn items(small_bytes: usize, array: &str) -> (usize, Vec<&'static str>) {
        let index = BodyIndex::of(TEXT, small_bytes).unwrap();
        let array = piece(array);
        let mut items = index.items(array);
        let items = std::iter::from_fn(|| items.next(&index)).map(RawJson::as_str);
        (index.count(array), items.collect())
    }

    #[test]
    fn an_array_has_its_items_whether_they_are_large_or_small() {
        let expected = ["1", "-2.5e3", r#"{"x":[]}"#, r#""]\",""#, "[ ]", "null"];
        for small_bytes in [0, 5, 1_000] {
            assert_eq!(items(small_bytes, "[ 1"), (6, expected.to_vec()), "{small_bytes}");
            assert_eq!(items(small_bytes, "[ ]"), (0, vec![]), "{small_bytes}");
        }
    }

    #[test]
    fn a_large_object_has_its_fields_and_a_small_one_is_not_kept() {
        let mut index = BodyIndex::of(TEXT, 10).unwrap();
        let fields = |fields: Vec<Position>| -> Vec<&str> {
            fields.iter().map(|field| &TEXT[field.start as usize..field.end as usize]).collect()
        };
        assert_eq!(fields(index.take_fields(piece(r#"{"":"#)).unwrap()), [r#""":{ }"#, r#""c":true"#]);
        let root = index.take_fields(RawJson::of_piece(TEXT)).unwrap();
        assert_eq!(fields(root).len(), 3);
        assert!(index.take_fields(piece(r#"{"x""#)).is_none());
    }
}
