//! `auris migrate`: applies pending database migrations, before nodes of a new version start.

use auris_service::operator::Migration;

use super::{print, print_json};
use crate::config::Config;
use crate::wiring;

pub(crate) async fn run(as_json: bool, config: &Config) -> anyhow::Result<()> {
    let operator = wiring::operator_of(&wiring::connect(config).await?);
    let migration = operator.migrate().await?;
    operator.close().await;
    if as_json { print_json(&migration) } else { print(&describe(&migration)) }
}

fn describe(migration: &Migration) -> String {
    let Migration { before, schema, ran, .. } = migration;
    match ran {
        0 => format!("The database is up to date at schema {schema}."),
        _ => format!("The database was migrated from schema {before} to {schema}."),
    }
}
