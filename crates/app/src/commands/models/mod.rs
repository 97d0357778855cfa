//! `auris models`: the catalogue, and which models are installed.

mod bench;
mod speed;

use anyhow::bail;
use auris_service::operator::{CachedCopy, ModelLibrary, ModelRecord, ModelSource, NewModel, VerifiedModel};

use super::listing::{Cell, Listing};
use super::{print, print_json, table};
use crate::cli::{AddModel, Models, Shape};
use crate::config::Config;
use crate::{model_setup, wiring};

/// Runs a command. True if Ctrl-C ended it.
pub(crate) async fn run(command: Models, config: &Config) -> anyhow::Result<bool> {
    let models = wiring::models(config)?;
    match command {
        Models::List { json } => list(&models, json)?,
        Models::Pull { ids } => pull(&models, &ids).await?,
        Models::Add(arguments) => add(&models, arguments).await?,
        Models::Remove { ids } => remove(&models, &ids)?,
        Models::Prices { shape } => prices(&models, shape)?,
        Models::Bench { ids, json } => return bench::run(&models, &ids, json, config).await,
        Models::Verify { json } => verify(&models, json)?,
    }
    Ok(false)
}

fn list(models: &ModelLibrary, as_json: bool) -> anyhow::Result<()> {
    let records = models.list();
    if as_json {
        return print_json(&records);
    }
    let rows: Vec<Vec<String>> = records.iter().map(row).collect();
    print(&table::render(&["ID", "NAME", "DOES", "SIZE", "SPEED", "SOURCE", "STATE"], &rows))
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

async fn add(models: &ModelLibrary, arguments: AddModel) -> anyhow::Result<()> {
    let AddModel { file, id, price, json } = arguments;
    let new = NewModel { path: file, id, price_per_audio_second: price };
    let added = model_setup::add(models, new).await?;
    if json {
        return print_json(&added);
    }
    print(&format!("added {}", added.id))
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
            print(&format!("{}: {}", model.id, condition(model)))?;
        }
    }
    let damaged: Vec<&VerifiedModel> = verified.iter().filter(|model| !model.ok).collect();
    if damaged.is_empty() {
        return Ok(());
    }
    let again = match damaged.iter().all(|model| model.source == ModelSource::Local) {
        true => "`auris models add FILE --id ID`",
        false => "`auris models pull ID` (for your own models, `auris models add FILE --id ID`)",
    };
    bail!("{} models are damaged; repair each with `auris models remove ID` and {again}", damaged.len())
}

fn condition(model: &VerifiedModel) -> String {
    match (model.ok, model.cached_copy) {
        (false, _) => format!("damaged {}", model.damaged.join(", ")),
        (true, CachedCopy::Damaged) => "ok; its cached copy is damaged, the next load replaces it".to_owned(),
        (true, CachedCopy::Absent | CachedCopy::Intact) => "ok".to_owned(),
    }
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
        model.speed.as_ref().map_or_else(|| "-".into(), speed::text),
        model.source.as_str().into(),
        state(model),
    ]
}

fn state(model: &ModelRecord) -> String {
    let untested = if model.untested { ", untested" } else { "" };
    format!("{}{untested}", model.state.as_str())
}

fn size(bytes: u64) -> String {
    match bytes {
        0 => "-".into(),
        bytes => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}
