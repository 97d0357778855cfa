//! `auris keys`.

use anyhow::{Context, bail};
use auris_domain::id::KeyId;
use auris_domain::time::Timestamp;
use auris_service::operator::{CreatedKey, KeyRecord, NewKey, RotateKey};

use super::listing::{Cell, Listing};
use super::{print, print_json};
use crate::cli::Keys;
use crate::config::Config;
use crate::wiring;

const HEADINGS: [&str; 8] = ["ID", "NAME", "KEY", "SCOPES", "STATE", "CREATED", "EXPIRES", "LAST_USED"];

pub(crate) async fn run(command: Keys, config: &Config) -> anyhow::Result<()> {
    match command {
        Keys::Create { project, name, scopes, expires, json } => {
            let lifetime_seconds = expires.as_deref().map(seconds).transpose()?;
            let new = NewKey { name, scopes, lifetime_seconds };
            show(&wiring::operator(config).await?.create_key(&project, new).await?, json)
        }
        Keys::List { project, shape } => {
            let mut listing = Listing::new(&HEADINGS);
            for key in wiring::operator(config).await?.list_keys(&project).await? {
                listing.add(row(&key), &key)?;
            }
            listing.print(shape)
        }
        Keys::Revoke { id, project, json } => {
            let id = key_id(&id)?;
            let revoked = wiring::operator(config).await?.revoke_key(&project, &id).await?;
            if json { print_json(&revoked) } else { print(&format!("revoked {id}")) }
        }
        Keys::Rotate { id, project, grace, json } => {
            let rotate = RotateKey { id: key_id(&id)?, grace_seconds: seconds(&grace)? };
            show(&wiring::operator(config).await?.rotate_key(&project, &rotate).await?, json)
        }
    }
}

/// Prints a new key. It cannot be printed again.
fn show(created: &CreatedKey, as_json: bool) -> anyhow::Result<()> {
    if as_json { print_json(created) } else { print(&created.key) }
}

fn key_id(text: &str) -> anyhow::Result<KeyId> {
    text.parse().with_context(|| format!("`{text}` is not the id of a key; `auris keys list` lists the ids"))
}

/// The seconds of a time span such as `90d`.
pub(super) fn seconds(text: &str) -> anyhow::Result<i64> {
    let invalid = || format!("`{text}` is not a time span; write it as 12h, 90d or 4w");
    let unit = text.chars().last().with_context(invalid)?;
    let unit_seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 7 * 86_400,
        _ => bail!(invalid()),
    };
    let count: i64 = text[..text.len() - unit.len_utf8()].parse().with_context(invalid)?;
    count.checked_mul(unit_seconds).filter(|span| *span >= 0).with_context(invalid)
}

fn row(key: &KeyRecord) -> Vec<Cell> {
    let moment = |at: Option<Timestamp>| Cell::or(at.map(Timestamp::to_rfc3339), "never");
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    vec![
        Cell::text(&key.id),
        Cell::text(&key.name),
        Cell::text(format!("{}…", key.hint)),
        Cell::text(scopes.join(",")),
        Cell::text(key.state.as_str()),
        Cell::text(key.created_at.to_rfc3339()),
        moment(key.expires_at),
        moment(key.last_used_at),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_spans_are_seconds_minutes_hours_days_or_weeks() {
        assert_eq!(seconds("90d").unwrap(), 90 * 86_400);
        assert_eq!(seconds("2w").unwrap(), 14 * 86_400);
        assert_eq!(seconds("0s").unwrap(), 0);
        for text in ["", "d", "-1d", "5", "5y", "9999999999999999999d", "1é"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
