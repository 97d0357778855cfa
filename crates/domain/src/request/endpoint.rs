//! The request that registers a webhook endpoint.

use super::check::{Object, Path};
use super::read::string;
use super::webhook_url::{self, Schemes};
use crate::error::Checked;
use crate::raw_json::RawJson;

/// A checked `POST /v1/webhook_endpoints`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointRequest {
    pub url: String,
}

impl EndpointRequest {
    pub fn parse(body: RawJson<'_>) -> Checked<Self> {
        let mut object = Object::read(&Path::Root, body)?;
        let url = object
            .required("url", |path, value| webhook_url::check(path, string(path, value)?, Schemes::Https))?;
        object.finish()?;
        Ok(Self { url })
    }
}
