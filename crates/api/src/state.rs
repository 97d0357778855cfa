//! State that all handlers share.

use std::sync::Arc;

use auris_service::Service;

use crate::body_memory::BodyMemory;
use crate::body_turns::BodyTurns;
use crate::console_parts::{ConsoleParts, ConsoleState};

/// Renders this process's metrics in the Prometheus text format.
pub type RenderMetrics = Arc<dyn Fn() -> String + Send + Sync>;

/// The service, the metrics of this process, and the limits on request bodies. Cheap to clone.
#[derive(Clone)]
pub struct ApiState {
    pub(crate) service: Service,
    pub(crate) render_metrics: RenderMetrics,
    pub(crate) body_memory: BodyMemory,
    pub(crate) body_turns: BodyTurns,
    pub(crate) console: Option<ConsoleState>,
}

impl ApiState {
    pub fn new(service: Service, render_metrics: RenderMetrics) -> Self {
        Self {
            service,
            render_metrics,
            body_memory: BodyMemory::default(),
            body_turns: BodyTurns::default(),
            console: None,
        }
    }

    /// The same state with what the console needs.
    pub fn with_console(self, parts: ConsoleParts) -> Self {
        Self { console: Some(ConsoleState::new(parts)), ..self }
    }
}
