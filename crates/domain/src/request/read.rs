//! Readers of single values, so that every rule of a request is one line.

use std::ops::RangeInclusive;

use serde_json::Value;

use super::check::{Path, shown};
use crate::error::{Checked, ErrorCode};

/// A string of so many characters (Unicode scalar values).
pub(super) fn text(characters: RangeInclusive<usize>) -> impl Fn(&Path<'_>, Value) -> Checked<String> {
    move |path, value| {
        let text = string(path, value)?;
        check_length(path, &text, &characters)?;
        Ok(text)
    }
}

pub(super) fn string(path: &Path<'_>, value: Value) -> Checked<String> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(path.wrong_type("a string", &other)),
    }
}

pub(super) fn check_length(path: &Path<'_>, text: &str, characters: &RangeInclusive<usize>) -> Checked<()> {
    let (least, most) = (*characters.start(), *characters.end());
    // A text of n bytes has at most n characters, so that most texts need no counting.
    if text.len() > most && text.chars().count() > most {
        let message = format!("`{path}` is too long: at most {most} characters are allowed.");
        return Err(path.refuse(ErrorCode::ValueTooLong, message));
    }
    if text.len() < least || (least > 1 && text.chars().count() < least) {
        let message = format!("`{path}` is too short: at least {least} characters are needed.");
        return Err(path.refuse(ErrorCode::ValueTooShort, message));
    }
    Ok(())
}

pub(super) fn boolean(path: &Path<'_>, value: Value) -> Checked<bool> {
    match value {
        Value::Bool(given) => Ok(given),
        other => Err(path.wrong_type("a boolean", &other)),
    }
}

/// An integer as JSON Schema has it: 3.0 is one.
pub(super) fn integer(range: RangeInclusive<i64>) -> impl Fn(&Path<'_>, Value) -> Checked<i64> {
    move |path, value| {
        let whole = value.as_f64().filter(|number| number.fract() == 0.0);
        let Some(whole) = whole else {
            return Err(path.wrong_type("an integer", &value));
        };
        // Beyond 2^53 the float is only near, but far outside every range here.
        let number = value.as_i64().unwrap_or(whole as i64);
        if range.contains(&number) {
            return Ok(number);
        }
        Err(path.invalid(&format!("from {} to {}", range.start(), range.end())))
    }
}

pub(super) fn number(range: RangeInclusive<f64>) -> impl Fn(&Path<'_>, Value) -> Checked<f64> {
    move |path, value| {
        let number = value.as_f64().ok_or_else(|| path.wrong_type("a number", &value))?;
        if range.contains(&number) {
            return Ok(number);
        }
        Err(path.invalid(&format!("from {} to {}", range.start(), range.end())))
    }
}

/// One of the named values.
pub(super) fn one_of<T: Copy>(values: &[(&'static str, T)]) -> impl Fn(&Path<'_>, Value) -> Checked<T> {
    move |path, value| {
        let text = string(path, value)?;
        choose(path, &text, values)
    }
}

pub(super) fn choose<T: Copy>(path: &Path<'_>, text: &str, values: &[(&'static str, T)]) -> Checked<T> {
    if let Some((_, value)) = values.iter().find(|(name, _)| *name == text) {
        return Ok(*value);
    }
    let names: Vec<String> = values.iter().map(|(name, _)| format!("`{name}`")).collect();
    Err(path.invalid(&format!("one of {}, not `{}`", names.join(", "), shown(text))))
}

pub(super) fn nullable<T>(
    read: impl Fn(&Path<'_>, Value) -> Checked<T>,
) -> impl Fn(&Path<'_>, Value) -> Checked<Option<T>> {
    move |path, value| match value {
        Value::Null => Ok(None),
        other => read(path, other).map(Some),
    }
}

/// An array of so many items, each read in the same way.
pub(super) fn list<T>(
    items: RangeInclusive<usize>,
    read: impl Fn(&Path<'_>, Value) -> Checked<T>,
) -> impl Fn(&Path<'_>, Value) -> Checked<Vec<T>> {
    move |path, value| {
        let values = match value {
            Value::Array(values) => values,
            other => return Err(path.wrong_type("an array", &other)),
        };
        check_count(path, values.len(), &items)?;
        let indexed = values.into_iter().enumerate();
        indexed.map(|(index, value)| read(&path.item(index), value)).collect()
    }
}

fn check_count(path: &Path<'_>, count: usize, items: &RangeInclusive<usize>) -> Checked<()> {
    let (least, most) = (*items.start(), *items.end());
    if count > most {
        let message = format!("`{path}` has {count} items; at most {most} are allowed.");
        return Err(path.refuse(ErrorCode::TooManyItems, message));
    }
    if count < least {
        let message = format!("`{path}` has {count} items; at least {least} are needed.");
        return Err(path.refuse(ErrorCode::ValueTooShort, message));
    }
    Ok(())
}
