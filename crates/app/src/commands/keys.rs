//! `auris keys`.

use anyhow::{Context, bail};
use auris_domain::id::KeyId;
use auris_domain::project::{ApiKey, KeySecret, Scope};
use auris_domain::time::{Clock, Timestamp};
use serde_json::{Value, json};

use super::listing::{Cell, Listing};
use super::{print, print_json};
use crate::cli::{Keys, ScopeName, Shape};
use crate::config::Config;
use crate::data::{self, NewKey};

pub(crate) async fn run(command: Keys, config: &Config) -> anyhow::Result<()> {
    match command {
        Keys::Create { project, name, scopes, expires, json } => {
            let now = Clock::System.now().timestamp();
            let expires_at = expires.map(|text| expiry(&text, now)).transpose()?;
            if expires_at.is_some_and(|expiry| expiry <= now) {
                bail!("a key that expires at once is of no use; give it a time, such as 90d");
            }
            let scopes = scopes.into_iter().map(scope).collect();
            create(config, &project, NewKey { name, scopes, expires_at }, json).await
        }
        Keys::List { project, shape } => list(config, &project, shape).await,
        Keys::Revoke { id, project, json } => revoke(config, &id, &project, json).await,
        Keys::Rotate { id, project, grace, json } => rotate(config, (&id, &project), &grace, json).await,
    }
}

async fn create(config: &Config, project: &str, new: NewKey, as_json: bool) -> anyhow::Result<()> {
    let store = data::open_store(config).await?;
    let project = data::project(&store, project, Clock::System.now()).await?;
    let (key, secret) = data::create_key(&store, &project, new).await?;
    show(&key, &secret, as_json)
}

/// Shows a new key, this once.
fn show(key: &ApiKey, secret: &KeySecret, as_json: bool) -> anyhow::Result<()> {
    if !as_json {
        return print(secret.reveal());
    }
    let mut record = record(key);
    record["key"] = json!(secret.reveal());
    print_json(&record)
}

async fn rotate(
    config: &Config,
    (id, project): (&str, &str),
    grace: &str,
    as_json: bool,
) -> anyhow::Result<()> {
    let id = key_id(id)?;
    let store = data::open_store(config).await?;
    let now = Clock::System.now();
    let project = data::project(&store, project, now).await?;
    let keys = store.keys(&project.id).await?;
    let missing =
        || format!("the project `{}` has no key `{id}`; `auris keys list` shows them", project.name);
    let old = keys.into_iter().find(|key| key.id == id).with_context(missing)?;
    let now = now.timestamp();
    let new = NewKey {
        name: old.name.clone(),
        scopes: old.scopes.clone(),
        expires_at: old.expires_at.map(|end| now.plus_seconds(end.0 - old.created_at.0)),
    };
    let (key, secret) = data::new_key(&project, new);
    if !store.rotate_key(&id, expiry(grace, now)?, &key, &secret).await? {
        bail!("the key `{id}` works no more; make a new one with `auris keys create`");
    }
    show(&key, &secret, as_json)
}

async fn list(config: &Config, project: &str, shape: Shape) -> anyhow::Result<()> {
    let store = data::open_store(config).await?;
    let project = data::project(&store, project, Clock::System.now()).await?;
    let keys = store.keys(&project.id).await?;
    let now = Clock::System.now().timestamp();
    let headings = ["ID", "NAME", "KEY", "SCOPES", "STATE", "CREATED", "EXPIRES", "LAST_USED"];
    let mut listing = Listing::new(&headings);
    for key in &keys {
        listing.add(row(key, now), record(key));
    }
    listing.print(shape)
}

async fn revoke(config: &Config, id: &str, project: &str, as_json: bool) -> anyhow::Result<()> {
    let id = key_id(id)?;
    let store = data::open_store(config).await?;
    let now = Clock::System.now();
    let project = data::project(&store, project, now).await?;
    if !store.revoke_key(&project.id, &id, now).await? {
        bail!("the project `{}` has no key `{id}`; `auris keys list` shows them", project.name);
    }
    if as_json { print_json(&json!({"id": id, "revoked": true})) } else { print(&format!("revoked {id}")) }
}

fn key_id(text: &str) -> anyhow::Result<KeyId> {
    text.parse().with_context(|| format!("`{text}` is no key id; `auris keys list` shows them"))
}

fn scope(name: ScopeName) -> Scope {
    match name {
        ScopeName::Read => Scope::Read,
        ScopeName::Write => Scope::Write,
    }
}

/// `90d` from now.
fn expiry(text: &str, now: Timestamp) -> anyhow::Result<Timestamp> {
    let invalid = || format!("`{text}` is no time span; write it as 12h, 90d or 4w");
    let unit = text.chars().last().with_context(invalid)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 7 * 86_400,
        _ => bail!(invalid()),
    };
    let count: i64 = text[..text.len() - unit.len_utf8()].parse().with_context(invalid)?;
    let span = count.checked_mul(seconds).filter(|span| *span >= 0).with_context(invalid)?;
    Ok(now.plus_seconds(span))
}

fn row(key: &ApiKey, now: Timestamp) -> Vec<Cell> {
    let moment = |at: Option<Timestamp>| Cell::or(at.map(Timestamp::to_rfc3339), "never");
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    vec![
        Cell::text(&key.id),
        Cell::text(&key.name),
        Cell::text(format!("{}…", key.hint)),
        Cell::text(scopes.join(",")),
        Cell::text(state(key, now)),
        Cell::text(key.created_at.to_rfc3339()),
        moment(key.expires_at),
        moment(key.last_used_at),
    ]
}

fn state(key: &ApiKey, now: Timestamp) -> &'static str {
    if key.revoked_at.is_some() {
        "revoked"
    } else if key.is_expired(now) {
        "expired"
    } else {
        "active"
    }
}

fn record(key: &ApiKey) -> Value {
    json!({
        "id": key.id,
        "project_id": key.project_id,
        "name": key.name,
        "hint": key.hint,
        "scopes": key.scopes,
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "last_used_at": key.last_used_at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_spans_are_read_in_minutes_hours_days_and_weeks() {
        assert_eq!(expiry("90d", Timestamp(0)).unwrap(), Timestamp(90 * 86_400));
        assert_eq!(expiry("2w", Timestamp(1)).unwrap(), Timestamp(14 * 86_400 + 1));
        assert_eq!(expiry("0s", Timestamp(7)).unwrap(), Timestamp(7));
        for text in ["", "d", "-1d", "5", "5y", "9999999999999999999d", "1é"] {
            assert!(expiry(text, Timestamp(0)).is_err(), "{text}");
        }
    }
}
