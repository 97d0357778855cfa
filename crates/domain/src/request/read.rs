//! Readers of single values, so that each rule of a request is one line.

use std::ops::RangeInclusive;

use super::check::{Path, shown};
use crate::error::{Checked, ErrorCode};
use crate::raw_json::RawJson;

/// A string whose length, in Unicode scalar values, is in the range.
pub(super) fn text(characters: RangeInclusive<usize>) -> impl Fn(&Path<'_>, RawJson<'_>) -> Checked<String> {
    move |path, value| {
        let text = value.string().ok_or_else(|| path.wrong_type("a string", value))?;
        check_length(path, &text, &characters)?;
        Ok(text.into_owned())
    }
}

pub(super) fn string(path: &Path<'_>, value: RawJson<'_>) -> Checked<String> {
    match value.string() {
        Some(text) => Ok(text.into_owned()),
        None => Err(path.wrong_type("a string", value)),
    }
}

pub(super) fn check_length(path: &Path<'_>, text: &str, characters: &RangeInclusive<usize>) -> Checked<()> {
    let minimum = *characters.start();
    let maximum = *characters.end();
    // A text of n bytes has at most n characters, so most texts need not be counted.
    if text.len() > maximum && text.chars().count() > maximum {
        let message = format!("`{path}` is too long: at most {maximum} characters are allowed.");
        return Err(path.refuse(ErrorCode::ValueTooLong, message));
    }
    if text.len() < minimum || (minimum > 1 && text.chars().count() < minimum) {
        let message = format!("`{path}` is too short: at least {minimum} characters are needed.");
        return Err(path.refuse(ErrorCode::ValueTooShort, message));
    }
    Ok(())
}

pub(super) fn boolean(path: &Path<'_>, value: RawJson<'_>) -> Checked<bool> {
    value.read().ok_or_else(|| path.wrong_type("a boolean", value))
}

/// An integer as JSON Schema defines it, so 3.0 is also an integer.
pub(super) fn integer(range: RangeInclusive<i64>) -> impl Fn(&Path<'_>, RawJson<'_>) -> Checked<i64> {
    move |path, value| {
        let whole = value.read::<f64>().filter(|number| number.fract() == 0.0);
        let Some(whole) = whole else {
            return Err(path.wrong_type("an integer", value));
        };
        // Above 2^53 the float is not exact, but such numbers are outside every range here.
        let number = value.read().unwrap_or(whole as i64);
        if range.contains(&number) {
            return Ok(number);
        }
        Err(path.invalid(&format!("from {} to {}", range.start(), range.end())))
    }
}

pub(super) fn number(range: RangeInclusive<f64>) -> impl Fn(&Path<'_>, RawJson<'_>) -> Checked<f64> {
    move |path, value| {
        let number = value.read::<f64>().ok_or_else(|| path.wrong_type("a number", value))?;
        if range.contains(&number) {
            return Ok(number);
        }
        Err(path.invalid(&format!("from {} to {}", range.start(), range.end())))
    }
}

/// One of an enum's values, by its name.
pub(super) fn one_of_variants<T>(path: &Path<'_>, value: RawJson<'_>) -> Checked<T>
where
    T: Copy + strum::VariantArray + Into<&'static str>,
{
    let named: Vec<(&'static str, T)> =
        T::VARIANTS.iter().map(|variant| ((*variant).into(), *variant)).collect();
    choose(path, &string(path, value)?, &named)
}

pub(super) fn choose<T: Copy>(path: &Path<'_>, text: &str, values: &[(&'static str, T)]) -> Checked<T> {
    if let Some((_, value)) = values.iter().find(|(name, _)| *name == text) {
        return Ok(*value);
    }
    let names: Vec<String> = values.iter().map(|(name, _)| format!("`{name}`")).collect();
    Err(path.invalid(&format!("one of {}, not `{}`", names.join(", "), shown(text))))
}

pub(super) fn nullable<T>(
    read: impl Fn(&Path<'_>, RawJson<'_>) -> Checked<T>,
) -> impl Fn(&Path<'_>, RawJson<'_>) -> Checked<Option<T>> {
    move |path, value| match value.is_null() {
        true => Ok(None),
        false => read(path, value).map(Some),
    }
}

/// An array whose number of items is in the range, each read in the same way.
pub(super) fn list<T>(
    items: RangeInclusive<usize>,
    read: impl Fn(&Path<'_>, RawJson<'_>) -> Checked<T>,
) -> impl Fn(&Path<'_>, RawJson<'_>) -> Checked<Vec<T>> {
    move |path, value| {
        if !value.is_array() {
            return Err(path.wrong_type("an array", value));
        }
        // Counted first: an array of millions is refused before anything of it is kept.
        let mut count = 0;
        value.for_each_item(|_, _| {
            count += 1;
            Ok(())
        })?;
        check_count(path, count, &items)?;
        let mut values = Vec::with_capacity(count);
        value.for_each_item(|index, item| {
            values.push(read(&path.item(index), item)?);
            Ok(())
        })?;
        Ok(values)
    }
}

fn check_count(path: &Path<'_>, count: usize, items: &RangeInclusive<usize>) -> Checked<()> {
    let minimum = *items.start();
    let maximum = *items.end();
    if count > maximum {
        let message = format!("`{path}` has {count} items; at most {maximum} are allowed.");
        return Err(path.refuse(ErrorCode::TooManyItems, message));
    }
    if count < minimum {
        let message = format!("`{path}` has {count} items; at least {minimum} are needed.");
        return Err(path.refuse(ErrorCode::ValueTooShort, message));
    }
    Ok(())
}
