//! What the console needs beside the service.

use std::net::SocketAddr;
use std::sync::Arc;

use auris_service::operator::doctor::Report;
use auris_service::operator::{ModelLibrary, Operator, OverviewSource};
use futures::future::BoxFuture;
use serde::Serialize;

/// Runs the checks of `auris doctor`.
pub type Examine = Arc<dyn Fn() -> BoxFuture<'static, Report> + Send + Sync>;

/// One setting in force. The value of a secret is masked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    pub name: String,
    pub value: String,
    /// Where it was set: `default`, `file` or `environment`.
    pub source: &'static str,
}

/// The parts that the console is built from.
pub struct ConsoleParts {
    pub operator: Operator,
    pub overview: OverviewSource,
    pub examine: Examine,
    pub settings: Vec<Setting>,
    /// Whether browsers reach the console by https only.
    pub is_https: bool,
    /// The URL at which callers reach `/v1`, if it is configured.
    pub api_public_url: Option<String>,
    /// Where `/v1` listens, if that is not the console's address.
    pub api_address: Option<SocketAddr>,
}

/// The parts, shared by all requests. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ConsoleState(Arc<ConsoleParts>);

impl ConsoleState {
    pub(crate) fn new(parts: ConsoleParts) -> Self {
        Self(Arc::new(parts))
    }
}

impl ConsoleState {
    /// The models of this node, with those that were added since the start.
    pub(crate) fn models(&self) -> ModelLibrary {
        self.overview.node.library()
    }
}

impl std::ops::Deref for ConsoleState {
    type Target = ConsoleParts;

    fn deref(&self) -> &ConsoleParts {
        &self.0
    }
}
