//! The error body: exactly four fields.

use serde::Serialize;

use super::JsonText;
use crate::error::{ApiError, ErrorType};

#[derive(Serialize)]
struct Body<'a> {
    error: Detail<'a>,
}

#[derive(Serialize)]
struct Detail<'a> {
    message: &'a str,
    #[serde(rename = "type")]
    kind: ErrorType,
    param: Option<&'a str>,
    code: &'static str,
}

pub fn error(error: &ApiError) -> JsonText {
    JsonText::of(&Body {
        error: Detail {
            message: &error.message,
            kind: error.code.kind(),
            param: error.param.as_deref(),
            code: error.code.as_str(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;

    #[test]
    fn a_body_has_exactly_the_four_fields() {
        let body = error(&ApiError::new(ErrorCode::InvalidValue, "no").at("limit"));
        let expected = concat!(
            r#"{"error":{"message":"no","type":"invalid_request_error","#,
            r#""param":"limit","code":"invalid_value"}}"#
        );
        assert_eq!(body.as_str(), expected);
    }
}
