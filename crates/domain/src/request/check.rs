//! The path of a value in a request, and objects whose fields are read one by one.

use std::borrow::Cow;
use std::fmt;

use crate::error::{ApiError, Checked, ErrorCode};
use crate::raw_json::RawJson;

/// Maximum characters of a caller's text in a message.
const SHOWN_CHARACTERS: usize = 64;

/// The path of a value in a request. A linked list, so that no text is built for valid values.
#[derive(Clone, Copy)]
pub(super) enum Path<'a> {
    Root,
    Field(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    pub(super) fn field(&'a self, name: &'a str) -> Self {
        Self::Field(self, name)
    }

    pub(super) fn item(&'a self, index: usize) -> Self {
        Self::Item(self, index)
    }

    /// An error about the value at this path.
    pub(super) fn refuse(&self, code: ErrorCode, message: impl Into<String>) -> ApiError {
        let error = ApiError::new(code, message);
        match self {
            Self::Root => error,
            Self::Field(..) | Self::Item(..) => error.at(self.to_string()),
        }
    }

    /// How a message names the value.
    fn label(&self) -> String {
        match self {
            Self::Root => "The body".into(),
            Self::Field(..) | Self::Item(..) => format!("`{self}`"),
        }
    }

    pub(super) fn wrong_type(&self, expected: &str, value: RawJson<'_>) -> ApiError {
        let message = format!("{} must be {expected}, not {}.", self.label(), value.kind());
        self.refuse(ErrorCode::InvalidType, message)
    }

    pub(super) fn invalid(&self, expected: &str) -> ApiError {
        self.refuse(ErrorCode::InvalidValue, format!("{} must be {expected}.", self.label()))
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(Self::Root, name) => f.write_str(&shown(name)),
            Self::Field(parent, name) => write!(f, "{parent}.{}", shown(name)),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// A text of the caller, shortened for a message.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Maximum number of fields that are kept of an object. Every object that is read this way has far fewer known fields,
/// so one with more is refused in any case.
const KEPT_FIELDS: usize = 1_000;

/// An object whose fields are read one by one. Fields that are left over are unknown.
pub(super) struct Object<'a> {
    path: &'a Path<'a>,
    fields: Vec<(Cow<'a, str>, RawJson<'a>)>,
    /// The number of all fields.
    count: usize,
}

impl<'a> Object<'a> {
    pub(super) fn read(path: &'a Path<'a>, value: RawJson<'a>) -> Checked<Self> {
        if !value.is_object() {
            return Err(path.wrong_type("an object", value));
        }
        let mut object = Self { path, fields: Vec::new(), count: 0 };
        value.for_each_field(|name, field| {
            object.add(name, field);
            Ok(())
        })?;
        Ok(object)
    }

    /// An object without fields yet.
    pub(super) fn empty(path: &'a Path<'a>) -> Self {
        Self { path, fields: Vec::new(), count: 0 }
    }

    pub(super) fn add(&mut self, name: Cow<'a, str>, value: RawJson<'a>) {
        self.count += 1;
        if self.fields.len() < KEPT_FIELDS {
            self.fields.push((name, value));
        }
    }

    /// The field, if it is present. Null is not the same as absent: a field that may be null needs a reader that
    /// accepts null.
    pub(super) fn optional<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&Path<'_>, RawJson<'a>) -> Checked<T>,
    ) -> Checked<Option<T>> {
        let Some(index) = self.fields.iter().position(|(own, _)| own == name) else { return Ok(None) };
        let (_, value) = self.fields.remove(index);
        read(&self.path.field(name), value).map(Some)
    }

    pub(super) fn required<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&Path<'_>, RawJson<'a>) -> Checked<T>,
    ) -> Checked<T> {
        let found = self.optional(name, read)?;
        found.ok_or_else(|| missing(&self.path.field(name)))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(name, _)| &**name)
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The fields that were not read, for objects with names of the caller's choice.
    pub(super) fn rest(self) -> Vec<(Cow<'a, str>, RawJson<'a>)> {
        self.fields
    }

    /// Refuses fields that were not read.
    pub(super) fn finish(self) -> Checked<()> {
        match self.names().next() {
            None => Ok(()),
            Some(name) => {
                let path = self.path.field(name);
                Err(path.refuse(
                    ErrorCode::UnknownParameter,
                    format!("`{path}` is not a parameter of this request."),
                ))
            }
        }
    }
}

pub(super) fn missing(path: &Path<'_>) -> ApiError {
    path.refuse(ErrorCode::MissingRequiredParameter, format!("`{path}` is required."))
}
