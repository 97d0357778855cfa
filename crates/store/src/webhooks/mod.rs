//! Webhook endpoints, deliveries to them, and the attempts of each delivery.

pub(crate) mod attempts;
pub(crate) mod claim;
pub(crate) mod deliveries;
pub(crate) mod endpoints;

pub use self::attempts::{AttemptRecord, Verdict};
pub use self::claim::{ClaimedDeliveries, ReceiverClaim, WaitingReceiver};
pub use self::deliveries::{Attempt, Delivery, DeliveryFilter, DeliveryStatus};
pub(crate) use self::deliveries::{TerminalEvent, addresses, insert_deliveries};
pub use self::endpoints::{EndpointCreation, EndpointDetails, NewEndpoint};
