//! HTTP in, service calls, HTTP out. Every response leaves through `error` or `view`.

mod error;
mod extract;
mod handlers;
mod incoming;
mod middleware;
mod multipart;
mod room;
mod routes;
mod server;
mod sse;
mod state;
mod view;

pub use routes::Surface;
pub use server::serve;
pub use state::{ApiState, RenderMetrics};
