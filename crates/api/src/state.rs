//! What handlers share.

use std::sync::Arc;

use auris_service::Service;

use crate::room::Room;

/// Renders the metrics in Prometheus' text form.
pub type RenderMetrics = Arc<dyn Fn() -> String + Send + Sync>;

/// The service, how this process tells its metrics, and what all requests together may take.
#[derive(Clone)]
pub struct ApiState {
    pub(crate) service: Service,
    pub(crate) metrics: RenderMetrics,
    pub(crate) bodies: Room,
}

impl ApiState {
    pub fn new(service: Service, metrics: RenderMetrics) -> Self {
        Self { service, metrics, bodies: Room::new() }
    }
}
