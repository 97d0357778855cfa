//! Where a value stands in a request, and objects whose fields are read one by one.

use std::fmt;

use serde_json::{Map, Value};

use crate::error::{ApiError, Checked, ErrorCode};

const SHOWN_CHARACTERS: usize = 64;

/// Where in a request a value stands. Linked, so that a good value costs no text.
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

    /// A refusal of the value at this place.
    pub(super) fn refuse(&self, code: ErrorCode, message: impl Into<String>) -> ApiError {
        let error = ApiError::new(code, message);
        match self {
            Self::Root => error,
            Self::Field(..) | Self::Item(..) => error.at(self.to_string()),
        }
    }

    /// How a message names the place.
    fn label(&self) -> String {
        match self {
            Self::Root => "The body".into(),
            Self::Field(..) | Self::Item(..) => format!("`{self}`"),
        }
    }

    pub(super) fn wrong_type(&self, expected: &str, value: &Value) -> ApiError {
        let message = format!("{} must be {expected}, not {}.", self.label(), kind(value));
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

/// What a caller sent, short enough to be put into a message.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// An object whose fields are read one by one; what is left over was not known.
pub(super) struct Object<'a> {
    path: &'a Path<'a>,
    fields: Map<String, Value>,
}

impl<'a> Object<'a> {
    pub(super) fn read(path: &'a Path<'a>, value: Value) -> Checked<Self> {
        match value {
            Value::Object(fields) => Ok(Self { path, fields }),
            other => Err(path.wrong_type("an object", &other)),
        }
    }

    /// The field, if it is there. Null is no absence: a field that may be null says so with its reader.
    pub(super) fn optional<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&Path<'_>, Value) -> Checked<T>,
    ) -> Checked<Option<T>> {
        let value = self.fields.shift_remove(name);
        value.map(|value| read(&self.path.field(name), value)).transpose()
    }

    pub(super) fn required<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&Path<'_>, Value) -> Checked<T>,
    ) -> Checked<T> {
        let found = self.optional(name, read)?;
        found.ok_or_else(|| missing(&self.path.field(name)))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.keys().map(String::as_str)
    }

    /// The fields that were not read, for an object that may have more.
    pub(super) fn rest(self) -> Map<String, Value> {
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
                    format!("`{path}` is no parameter of this request."),
                ))
            }
        }
    }
}

pub(super) fn missing(path: &Path<'_>) -> ApiError {
    path.refuse(ErrorCode::MissingRequiredParameter, format!("`{path}` is required."))
}
