//! `auris models`: the catalogue, and which models are installed.

mod bench;
mod speed;
mod verify;

use auris_domain::model::Capability;
use auris_service::operator::{ModelLibrary, ModelRecord, NewModel, UnitPrices};

use super::listing::{Cell, Listing};
use super::transcribe::cancelled_by_interrupt;
use super::{print, print_json, table};
use crate::cli::{AddModel, Models, Shape};
use crate::config::Config;
use crate::{model_setup, wiring};

/// Runs a command. True if Ctrl-C ended it.
pub(crate) async fn run(command: Models, config: &Config) -> anyhow::Result<bool> {
    let models = wiring::models(config)?;
    match command {
        Models::List { json } => list(&models, json)?,
        Models::Pull { ids, json } => return pull(&models, &ids, json, config).await,
        Models::Add(arguments) => return add(&models, arguments).await,
        Models::Remove { ids, json } => remove(&models, &ids, json)?,
        Models::Prices { shape } => prices(&models, shape)?,
        Models::Bench { ids, json } => return bench::run(&models, &ids, json, config).await,
        Models::Verify { json } => verify::run(&models, json)?,
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

/// Installs models, and measures those that `auto` could now choose. True if Ctrl-C ended it.
async fn pull(models: &ModelLibrary, ids: &[String], as_json: bool, config: &Config) -> anyhow::Result<bool> {
    let mut pulled = Vec::new();
    for id in ids {
        pulled.push(model_setup::pull(models, id).await?);
        eprintln!("installed {id}");
    }
    let engines = wiring::local_engines(config, cancelled_by_interrupt())?;
    model_setup::measure_new(&engines).await;
    if as_json {
        print_json(&pulled)?;
    }
    Ok(engines.is_cancelled())
}

/// True if Ctrl-C ended it.
async fn add(models: &ModelLibrary, arguments: AddModel) -> anyhow::Result<bool> {
    let AddModel { file, id, price, input_price, output_price, json } = arguments;
    let prices = UnitPrices { audio_second: price, input_token: input_price, output_token: output_price };
    let new = NewModel { path: file, id, prices };
    let cancel = cancelled_by_interrupt();
    let added = match model_setup::add(models, new, &cancel).await {
        Err(_) if cancel.is_cancelled() => return Ok(true),
        added => added?,
    };
    if json {
        print_json(&added)?;
        return Ok(false);
    }
    print(&format!("added {}", added.id))?;
    eprintln!("try it with `{}`", first_command(&added));
    Ok(false)
}

/// How to use an added model.
fn first_command(model: &ModelRecord) -> String {
    let id = &model.id;
    if model.capabilities.iter().any(|rate| rate.capability == Capability::Transcription) {
        format!("auris transcribe --model {id} FILE")
    } else {
        format!("auris analyze FILE --text-model {id} --task \"What is it about?\"")
    }
}

fn remove(models: &ModelLibrary, ids: &[String], as_json: bool) -> anyhow::Result<()> {
    let mut removed = Vec::new();
    for id in ids {
        let model = models.remove(id)?;
        if !as_json {
            let outcome =
                if model.removed { format!("removed {id}") } else { format!("{id} was not installed") };
            print(&outcome)?;
        }
        removed.push(model);
    }
    if as_json { print_json(&removed) } else { Ok(()) }
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
        bytes => format!("{:.0} MB", (bytes as f64 / 1e6).max(1.0)),
    }
}
