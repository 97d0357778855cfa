//! `auris operator keys` and `auris operator sessions`.

use anyhow::Context;
use auris_domain::id::{OperatorKeyId, SessionId};
use auris_domain::time::Timestamp;
use auris_service::operator::{NewOperatorKey, OperatorKeyRecord, OperatorSessionRecord};

use super::keys::seconds;
use super::listing::{Cell, Listing};
use super::{print, print_json};
use crate::cli::{Operator, OperatorKeys, OperatorSessions};
use crate::config::Config;
use crate::wiring;

const KEY_HEADINGS: [&str; 7] = ["ID", "NAME", "KEY", "STATE", "CREATED", "EXPIRES", "LAST_USED"];
const SESSION_HEADINGS: [&str; 4] = ["ID", "KEY", "CREATED", "EXPIRES"];

pub(crate) async fn run(command: Operator, config: &Config) -> anyhow::Result<()> {
    match command {
        Operator::Keys(command) => keys(command, config).await,
        Operator::Sessions(command) => sessions(command, config).await,
    }
}

async fn keys(command: OperatorKeys, config: &Config) -> anyhow::Result<()> {
    match command {
        OperatorKeys::Create { name, expires, json } => {
            let lifetime_seconds = expires.as_deref().map(seconds).transpose()?;
            let new = NewOperatorKey { name, lifetime_seconds };
            let created = wiring::operator(config).await?.create_operator_key(new).await?;
            if json { print_json(&created) } else { print(&created.key) }
        }
        OperatorKeys::List { shape } => {
            let mut listing = Listing::new(&KEY_HEADINGS);
            for key in wiring::operator(config).await?.list_operator_keys().await? {
                listing.add(key_row(&key), &key)?;
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

async fn sessions(command: OperatorSessions, config: &Config) -> anyhow::Result<()> {
    match command {
        OperatorSessions::List { shape } => {
            let mut listing = Listing::new(&SESSION_HEADINGS);
            for session in wiring::operator(config).await?.list_operator_sessions().await? {
                listing.add(session_row(&session), &session)?;
            }
            listing.print(shape)
        }
        OperatorSessions::End { id, json } => {
            let id: SessionId = id.parse().with_context(|| {
                format!("`{id}` is not the id of a session; `auris operator sessions list` lists the ids")
            })?;
            let ended = wiring::operator(config).await?.end_operator_session(&id).await?;
            if json { print_json(&ended) } else { print(&format!("ended {id}")) }
        }
    }
}

fn session_row(session: &OperatorSessionRecord) -> Vec<Cell> {
    vec![
        Cell::text(&session.id),
        Cell::or(session.key_name.as_ref(), "(link)"),
        Cell::text(session.created_at.to_rfc3339()),
        Cell::text(session.expires_at.to_rfc3339()),
    ]
}

fn key_row(key: &OperatorKeyRecord) -> Vec<Cell> {
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
