//! The address that a connection came from.

use std::net::IpAddr;

/// Attached to every request by the server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientAddress(pub(crate) Option<IpAddr>);

impl ClientAddress {
    /// The address as a name for limits. All connections without one share a limit.
    pub(crate) fn name(self) -> String {
        self.0.map_or_else(|| "unknown".to_owned(), |address| address.to_string())
    }
}
