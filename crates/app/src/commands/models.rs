//! `auris models`: the catalogue, and which models are installed.

use anyhow::bail;
use auris_service::operator::{ModelLibrary, ModelRecord};

use super::listing::{Cell, Listing};
use super::{print, print_json, table};
use crate::cli::{Models, Shape};
use crate::config::Config;
use crate::{model_setup, wiring};

pub(crate) async fn run(command: Models, config: &Config) -> anyhow::Result<()> {
    let models = wiring::models(config)?;
    match command {
        Models::List { json } => list(&models, json),
        Models::Pull { ids } => pull(&models, &ids).await,
        Models::Remove { ids } => remove(&models, &ids),
        Models::Prices { shape } => prices(&models, shape),
        Models::Verify { json } => verify(&models, json),
    }
}

fn list(models: &ModelLibrary, as_json: bool) -> anyhow::Result<()> {
    let records = models.list();
    if as_json {
        return print_json(&records);
    }
    let rows: Vec<Vec<String>> = records.iter().map(row).collect();
    print(&table::render(&["ID", "NAME", "DOES", "SIZE", "STATE"], &rows))
}

fn prices(models: &ModelLibrary, shape: Shape) -> anyhow::Result<()> {
    let mut listing = Listing::new(&["MODEL", "CAPABILITY", "UNIT", "PRICE_USD", "PLAN"]);
    for price in models.prices() {
        let row = vec![
            Cell::text(&price.model),
            Cell::text(price.capability.as_str()),
            Cell::text(price.native_unit.as_str()),
            Cell::text(price.price_per_unit_usd),
            Cell::or(price.required_plan.as_deref(), "any"),
        ];
        listing.add(row, &price)?;
    }
    listing.print(shape)
}

async fn pull(models: &ModelLibrary, ids: &[String]) -> anyhow::Result<()> {
    for id in ids {
        model_setup::pull(models, id).await?;
        eprintln!("installed {id}");
    }
    Ok(())
}

fn remove(models: &ModelLibrary, ids: &[String]) -> anyhow::Result<()> {
    for id in ids {
        let removed = models.remove(id)?;
        print(&if removed { format!("removed {id}") } else { format!("{id} was not installed") })?;
    }
    Ok(())
}

/// Fails if a file is damaged, so that scripts can rely on the exit code.
fn verify(models: &ModelLibrary, as_json: bool) -> anyhow::Result<()> {
    let verified = models.verify();
    if as_json {
        print_json(&verified)?;
    } else {
        for model in &verified {
            let result =
                if model.ok { "ok".to_owned() } else { format!("damaged {}", model.damaged.join(", ")) };
            print(&format!("{}: {result}", model.id))?;
        }
    }
    let damaged = verified.iter().filter(|model| !model.ok).count();
    if damaged > 0 {
        bail!(
            "{damaged} models are damaged; repair each with `auris models remove ID` and `auris models pull ID`"
        );
    }
    Ok(())
}

fn row(model: &ModelRecord) -> Vec<String> {
    let mut capabilities: Vec<&str> =
        model.capabilities.iter().map(|rate| rate.capability.as_str()).collect();
    capabilities.dedup();
    vec![
        model.id.clone(),
        model.display_name.clone(),
        capabilities.join(","),
        size(model.bytes),
        model.state.as_str().into(),
    ]
}

fn size(bytes: u64) -> String {
    match bytes {
        0 => "-".into(),
        bytes => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}
