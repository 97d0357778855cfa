//! The requests that create and replace keys, and that install a model.

use crate::error::Checked;
use crate::id::NodeId;
use crate::project::Scope;
use crate::raw_json::RawJson;
use crate::request::check::{Object, Path};
use crate::request::read::{integer, list, nullable, string, text};

const MAX_NAME: usize = 64;
/// A hundred years.
const MAX_SECONDS: i64 = 100 * 366 * 86_400;
const DEFAULT_GRACE_SECONDS: i64 = 86_400;

/// A checked `POST /operator/v1/projects/{project}/keys`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKeyRequest {
    pub name: String,
    pub scopes: Vec<Scope>,
    pub lifetime_seconds: Option<i64>,
}

/// A checked `POST /operator/v1/keys`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOperatorKeyRequest {
    pub name: String,
    pub lifetime_seconds: Option<i64>,
}

/// A checked request that replaces a key or a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RotateRequest {
    /// For how long the old one keeps working.
    pub grace_seconds: i64,
}

/// A checked request for work on a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PullRequest {
    /// The node whose models are changed; `None` for the one that answers.
    pub node: Option<NodeId>,
}

impl NewKeyRequest {
    pub fn parse(body: RawJson<'_>) -> Checked<Self> {
        let mut object = Object::read(&Path::Root, body)?;
        let request = Self {
            name: object.optional("name", text(0..=MAX_NAME))?.unwrap_or_default(),
            scopes: object
                .optional("scopes", list(1..=2, scope))?
                .unwrap_or_else(|| vec![Scope::Read, Scope::Write]),
            lifetime_seconds: object
                .optional("lifetime_seconds", nullable(integer(1..=MAX_SECONDS)))?
                .flatten(),
        };
        object.finish()?;
        Ok(request)
    }
}

impl NewOperatorKeyRequest {
    pub fn parse(body: RawJson<'_>) -> Checked<Self> {
        let mut object = Object::read(&Path::Root, body)?;
        let request = Self {
            name: object.required("name", text(1..=MAX_NAME))?,
            lifetime_seconds: object
                .optional("lifetime_seconds", nullable(integer(1..=MAX_SECONDS)))?
                .flatten(),
        };
        object.finish()?;
        Ok(request)
    }
}

impl RotateRequest {
    pub fn parse(body: RawJson<'_>) -> Checked<Self> {
        let mut object = Object::read(&Path::Root, body)?;
        let grace = object.optional("grace_seconds", integer(0..=MAX_SECONDS))?;
        object.finish()?;
        Ok(Self { grace_seconds: grace.unwrap_or(DEFAULT_GRACE_SECONDS) })
    }
}

impl PullRequest {
    pub fn parse(body: RawJson<'_>) -> Checked<Self> {
        let mut object = Object::read(&Path::Root, body)?;
        let node = object.optional("node", nullable(node))?.flatten();
        object.finish()?;
        Ok(Self { node })
    }
}

fn scope(path: &Path<'_>, value: RawJson<'_>) -> Checked<Scope> {
    string(path, value)?.parse().map_err(|_| path.invalid("one of `read`, `write`"))
}

fn node(path: &Path<'_>, value: RawJson<'_>) -> Checked<NodeId> {
    string(path, value)?.parse().map_err(|_| path.invalid("the id of a node"))
}
