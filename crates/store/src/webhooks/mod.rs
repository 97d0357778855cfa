//! Webhook endpoints, deliveries to them, and the attempts of each delivery.

mod attempts;
mod claim;
mod deliveries;
mod endpoints;

pub use self::attempts::{AttemptRecord, Verdict};
pub use self::claim::{ClaimedDeliveries, ReceiverClaim, WaitingReceiver};
pub use self::deliveries::{Attempt, Delivery, DeliveryFilter, DeliveryStatus};
pub(crate) use self::deliveries::{TerminalEvent, destinations, insert_deliveries};
pub use self::endpoints::{EndpointCreation, EndpointDetails, NewEndpoint};
use crate::sql::ListedStatement;

pub(crate) const STATEMENTS: &[&[ListedStatement]] =
    &[attempts::STATEMENTS, claim::STATEMENTS, deliveries::STATEMENTS, endpoints::STATEMENTS];
