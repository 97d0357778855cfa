//! `auris migrate`: brings the database's schema up to date, before nodes of a new version start.

use anyhow::Context;
use auris_store::Store;
use serde_json::json;

use super::{print, print_json};
use crate::config::Config;
use crate::data;

pub(crate) async fn run(as_json: bool, config: &Config) -> anyhow::Result<()> {
    let store = data::connect(config).await?;
    let before = store.schema_version().await?;
    let ran = store.migrate().await.context("cannot bring the database up to date")?;
    let schema = store.schema_version().await?;
    store.close().await;
    if as_json {
        let known = Store::known_schema();
        return print_json(&json!({"before": before, "schema": schema, "known": known, "ran": ran}));
    }
    print(&match ran {
        0 => format!("The database has schema {schema}; there was nothing to do."),
        _ => format!("The database has schema {schema} now; it had {before}."),
    })
}
