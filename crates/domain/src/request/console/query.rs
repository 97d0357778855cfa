//! Queries: every parameter is known and is given once.

use std::str::FromStr;

use crate::error::{ApiError, Checked, ErrorCode};

/// The parameters of a query that were not read yet.
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    pub(super) fn read(query: &str) -> Self {
        Self(url::form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    pub(super) fn text(&mut self, name: &str) -> Checked<Option<String>> {
        let Some(index) = self.0.iter().position(|(given, _)| given == name) else { return Ok(None) };
        let (_, value) = self.0.remove(index);
        if self.0.iter().any(|(given, _)| given == name) {
            let message = format!("`{name}` was given more than once.");
            return Err(ApiError::new(ErrorCode::InvalidValue, message).at(name));
        }
        Ok(Some(value))
    }

    /// A value that can be parsed; `expected` completes the sentence "`name` must be …".
    pub(super) fn parsed<T: FromStr>(&mut self, name: &str, expected: &str) -> Checked<Option<T>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        text.parse().map(Some).map_err(|_| invalid(name, expected))
    }

    /// Refuses parameters that were not read.
    pub(super) fn finish(self) -> Checked<()> {
        match self.0.first() {
            None => Ok(()),
            Some((name, _)) => {
                let message = format!("`{name}` is not a parameter of this request.");
                Err(ApiError::new(ErrorCode::UnknownParameter, message).at(name))
            }
        }
    }
}

pub(super) fn invalid(name: &str, expected: &str) -> ApiError {
    ApiError::new(ErrorCode::InvalidValue, format!("`{name}` must be {expected}.")).at(name)
}
