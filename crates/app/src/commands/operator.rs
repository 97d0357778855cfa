//! `auris operator keys`.

use anyhow::Context;
use auris_domain::id::OperatorKeyId;
use auris_domain::time::Timestamp;
use auris_service::operator::{NewOperatorKey, OperatorKeyRecord};

use super::keys::seconds;
use super::listing::{Cell, Listing};
use super::{print, print_json};
use crate::cli::{Operator, OperatorKeys};
use crate::config::Config;
use crate::wiring;

const HEADINGS: [&str; 7] = ["ID", "NAME", "KEY", "STATE", "CREATED", "EXPIRES", "LAST_USED"];

pub(crate) async fn run(command: Operator, config: &Config) -> anyhow::Result<()> {
    let Operator::Keys(command) = command;
    match command {
        OperatorKeys::Create { name, expires, json } => {
            let lifetime_seconds = expires.as_deref().map(seconds).transpose()?;
            let new = NewOperatorKey { name, lifetime_seconds };
            let created = wiring::operator(config).await?.create_operator_key(new).await?;
            if json { print_json(&created) } else { print(&created.key) }
        }
        OperatorKeys::List { shape } => {
            let mut listing = Listing::new(&HEADINGS);
            for key in wiring::operator(config).await?.list_operator_keys().await? {
                listing.add(row(&key), &key)?;
            }
            listing.print(shape)
        }
        OperatorKeys::Revoke { id, json } => {
            let id: OperatorKeyId = id.parse().with_context(|| {
                format!("`{id}` is not the id of an operator key; `auris operator keys list` lists the ids")
            })?;
            let revoked = wiring::operator(config).await?.revoke_operator_key(&id).await?;
            if json { print_json(&revoked) } else { print(&format!("revoked {id}")) }
        }
    }
}

fn row(key: &OperatorKeyRecord) -> Vec<Cell> {
    let moment = |at: Option<Timestamp>| Cell::or(at.map(Timestamp::to_rfc3339), "never");
    vec![
        Cell::text(&key.id),
        Cell::text(&key.name),
        Cell::text(format!("{}…", key.hint)),
        Cell::text(key.state.as_str()),
        Cell::text(key.created_at.to_rfc3339()),
        moment(key.expires_at),
        moment(key.last_used_at),
    ]
}
