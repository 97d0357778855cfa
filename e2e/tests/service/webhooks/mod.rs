//! Webhooks: verified by the published libraries, managed on the command line, and never lost by a kill.

mod commands;
mod delivery;
mod kills;
mod libraries;
mod streams;

use auris_e2e::settings::DELIVER;
use auris_e2e::{DatabaseKind, ServerOptions};

/// A server that delivers.
fn delivering(database: DatabaseKind) -> ServerOptions {
    ServerOptions::new(database).with(DELIVER, true)
}
