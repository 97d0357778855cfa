//! The request that signs in.

use crate::error::{ApiError, Checked, ErrorCode};
use crate::raw_json::RawJson;
use crate::request::check::{Object, Path, missing};
use crate::request::read::text;

/// Maximum characters of a key or of a link's secret. Real ones are shorter.
const MAX_SECRET: usize = 200;

/// A checked `POST /console/v1/session`.
pub enum SignInRequest {
    Key(String),
    Link(String),
}

impl SignInRequest {
    pub fn parse(body: RawJson<'_>) -> Checked<Self> {
        let mut object = Object::read(&Path::Root, body)?;
        let key = object.optional("key", text(1..=MAX_SECRET))?;
        let link = object.optional("link", text(1..=MAX_SECRET))?;
        object.finish()?;
        match (key, link) {
            (Some(key), None) => Ok(Self::Key(key)),
            (None, Some(link)) => Ok(Self::Link(link)),
            (None, None) => Err(missing(&Path::Root.field("key"))),
            (Some(_), Some(_)) => {
                let message = "Send either `key` or `link`, not both.";
                Err(ApiError::new(ErrorCode::InvalidCombination, message).at("link"))
            }
        }
    }
}
