//! The requests that create and change projects.

use crate::error::{ApiError, Checked, ErrorCode};
use crate::money::Usd;
use crate::raw_json::RawJson;
use crate::request::check::{Object, Path, missing};
use crate::request::read::{boolean, integer, nullable, string, text};

const MAX_NAME: usize = 64;
const MAX_PLAN: usize = 100;
const MAX_LIMIT: i64 = 1_000_000;

/// A checked `POST /operator/v1/projects`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectRequest {
    pub name: String,
    pub plan: Option<String>,
    pub credit_usd: Option<Usd>,
    pub requests_per_minute: LimitRequest,
    pub concurrent_transcriptions: LimitRequest,
}

/// A checked `PATCH /operator/v1/projects/{project}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectChanges {
    pub plan: Option<String>,
    pub requests_per_minute: LimitRequest,
    pub concurrent_transcriptions: LimitRequest,
}

/// What becomes of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitRequest {
    /// The field was not sent.
    Keep,
    /// Null: the server's setting applies.
    Default,
    /// 0 for no limit.
    Set(u32),
}

/// A checked `POST /operator/v1/projects/{project}/credit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CreditRequest {
    /// Negative to take credit away.
    Add(Usd),
    /// The project spends without limit from now on.
    Remove,
}

impl ProjectRequest {
    pub fn parse(body: RawJson<'_>) -> Checked<Self> {
        let mut object = Object::read(&Path::Root, body)?;
        let request = Self {
            name: object.required("name", text(1..=MAX_NAME))?,
            plan: object.optional("plan", text(1..=MAX_PLAN))?,
            credit_usd: object.optional("credit_usd", nullable(amount))?.flatten(),
            requests_per_minute: limit(&mut object, "requests_per_minute")?,
            concurrent_transcriptions: limit(&mut object, "concurrent_transcriptions")?,
        };
        object.finish()?;
        Ok(request)
    }
}

impl ProjectChanges {
    pub fn parse(body: RawJson<'_>) -> Checked<Self> {
        let mut object = Object::read(&Path::Root, body)?;
        let changes = Self {
            plan: object.optional("plan", text(1..=MAX_PLAN))?,
            requests_per_minute: limit(&mut object, "requests_per_minute")?,
            concurrent_transcriptions: limit(&mut object, "concurrent_transcriptions")?,
        };
        object.finish()?;
        Ok(changes)
    }
}

impl CreditRequest {
    pub fn parse(body: RawJson<'_>) -> Checked<Self> {
        let mut object = Object::read(&Path::Root, body)?;
        let add = object.optional("add_usd", signed_amount)?;
        let remove = object.optional("remove", boolean)?;
        object.finish()?;
        match (add, remove) {
            (Some(amount), None | Some(false)) => Ok(Self::Add(amount)),
            (None, Some(true)) => Ok(Self::Remove),
            (None, None | Some(false)) => Err(missing(&Path::Root.field("add_usd"))),
            (Some(_), Some(true)) => {
                let message = "Send either `add_usd` or `remove`, not both.";
                Err(ApiError::new(ErrorCode::InvalidCombination, message).at("remove"))
            }
        }
    }
}

fn limit(object: &mut Object<'_>, name: &str) -> Checked<LimitRequest> {
    Ok(match object.optional(name, nullable(integer(0..=MAX_LIMIT)))? {
        None => LimitRequest::Keep,
        Some(None) => LimitRequest::Default,
        Some(Some(number)) => LimitRequest::Set(number as u32),
    })
}

fn amount(path: &Path<'_>, value: RawJson<'_>) -> Checked<Usd> {
    string(path, value)?.parse().map_err(|_| path.invalid("an amount in USD, such as `10` or `2.50`"))
}

fn signed_amount(path: &Path<'_>, value: RawJson<'_>) -> Checked<Usd> {
    let text = string(path, value)?;
    Usd::parse_signed(&text).map_err(|_| path.invalid("an amount in USD, such as `10` or `-2.50`"))
}
