//! Webhooks: endpoints are registered, and deliveries are claimed per receiver, signed, sent through the guarded client
//! and recorded.

mod attempt_recorder;
pub mod client;
mod deliverer;
mod delivery_context;
mod endpoints;
pub mod guard;
mod receivers;
pub mod secrets;
mod send_attempt;
mod senders;
pub mod sign;
mod test_message;
mod url_check;

pub use deliverer::Deliverer;
pub use test_message::{TestOutcome, send_test_message};

use client::{ClientSettings, GuardedClient, Names, SendError};
use guard::Guard;

use crate::WebhookSettings;

/// The client that these settings describe.
pub fn client(settings: &WebhookSettings) -> Result<GuardedClient, SendError> {
    GuardedClient::new(ClientSettings {
        guard: Guard::new(settings.allowed_networks.clone()),
        names: Names::System,
        extra_certificates: settings.extra_certificates.clone(),
        connect_timeout: settings.connect_timeout,
        timeout: settings.timeout,
    })
}
