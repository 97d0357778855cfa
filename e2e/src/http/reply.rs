//! An answer that follows the contract.

use reqwest::header::HeaderMap;
use serde_json::Value;

/// A complete answer.
#[derive(Clone, Debug)]
pub struct Reply {
    pub request: String,
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

/// The fields of an error body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorBody {
    pub kind: String,
    pub code: String,
    pub param: Option<String>,
    pub message: String,
}

impl Reply {
    /// The same reply if it has that status; otherwise panics and shows the body.
    #[track_caller]
    pub fn expect_status(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self}");
        self
    }

    /// The error body of an answer with that status and code; panics if they differ.
    #[track_caller]
    pub fn expect_error(self, status: u16, code: &str) -> ErrorBody {
        assert_eq!(self.status, status, "expected {status} {code}: {self}");
        let error = self.error();
        assert_eq!(error.code, code, "{self}");
        error
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self}"))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The value of a header; empty if it is absent.
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default()
    }

    #[track_caller]
    pub fn error(&self) -> ErrorBody {
        let body = self.json();
        let text = |name: &str| body["error"][name].as_str().map(str::to_owned);
        ErrorBody {
            kind: text("type").unwrap_or_default(),
            code: text("code").unwrap_or_default(),
            param: text("param"),
            message: text("message").unwrap_or_default(),
        }
    }

    /// The `id` of the resource in the body.
    #[track_caller]
    pub fn id(&self) -> String {
        let body = self.json();
        let id = body["id"].as_str();
        id.unwrap_or_else(|| panic!("the body has no id: {self}")).to_owned()
    }
}

impl std::fmt::Display for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let body: String = self.text().chars().take(2_000).collect();
        write!(f, "{} -> {} {body}", self.request, self.status)
    }
}
