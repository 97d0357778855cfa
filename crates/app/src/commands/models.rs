//! `auris models`: the catalogue, and what of it is installed.

use anyhow::{Context, bail};
use auris_engines::install::{is_installed, is_ready};
use auris_engines::{Catalog, CatalogModel, EngineKind};
use serde_json::{Value, json};

use super::listing::{Cell, Listing};
use super::{print, print_json, table};
use crate::cli::{Models, Shape};
use crate::config::Config;
use crate::engines;

pub(crate) async fn run(command: Models, config: &Config) -> anyhow::Result<()> {
    let catalog = engines::catalog(config)?;
    match command {
        Models::List { json } => list(config, &catalog, json),
        Models::Pull { ids } => pull(config, catalog, ids).await,
        Models::Remove { ids } => remove(config, &catalog, &ids),
        Models::Prices { shape } => prices(&catalog, shape),
        Models::Verify { json } => verify(config, &catalog, json),
    }
}

fn list(config: &Config, catalog: &Catalog, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        return print_json(&catalog.models.iter().map(|entry| record(config, catalog, entry)).collect());
    }
    let rows: Vec<Vec<String>> = catalog.models.iter().map(|entry| row(config, catalog, entry)).collect();
    print(&table::render(&["ID", "NAME", "DOES", "SIZE", "STATE"], &rows))
}

/// One line a rate: a model charged by two units has two for one capability.
fn prices(catalog: &Catalog, shape: Shape) -> anyhow::Result<()> {
    let mut listing = Listing::new(&["MODEL", "CAPABILITY", "UNIT", "PRICE_USD", "PLAN"]);
    for model in catalog.models.iter().map(|entry| &entry.model) {
        for rate in &model.capabilities {
            let plan = model.required_plan.as_deref();
            listing.add(
                vec![
                    Cell::text(&model.id),
                    Cell::text(rate.capability.as_str()),
                    Cell::text(rate.native_unit.as_str()),
                    Cell::text(rate.price_per_unit_usd),
                    Cell::or(plan, "any"),
                ],
                json!({
                    "model": model.id,
                    "capability": rate.capability,
                    "native_unit": rate.native_unit,
                    "price_per_unit_usd": rate.price_per_unit_usd,
                    "required_plan": plan,
                }),
            );
        }
    }
    listing.print(shape)
}

async fn pull(config: &Config, catalog: Catalog, ids: Vec<String>) -> anyhow::Result<()> {
    for id in ids {
        engines::pull(config, &catalog, &id).await?;
        eprintln!("installed {id}");
    }
    Ok(())
}

fn remove(config: &Config, catalog: &Catalog, ids: &[String]) -> anyhow::Result<()> {
    let installer = engines::installer(config);
    for id in ids {
        catalog.find(id).with_context(|| engines::unknown(id))?;
        let removed = installer.remove(id)?;
        print(&if removed { format!("removed {id}") } else { format!("{id} was not installed") })?;
    }
    Ok(())
}

/// Reads every installed file again; what is damaged is told, and makes the command fail.
fn verify(config: &Config, catalog: &Catalog, as_json: bool) -> anyhow::Result<()> {
    let installer = engines::installer(config);
    let installed = catalog.models.iter().filter(|entry| is_installed(&config.models.dir, entry));
    let checked: Vec<(String, Vec<String>)> =
        installed.map(|entry| (entry.model.id.clone(), installer.verify(entry))).collect();
    let damaged = checked.iter().filter(|(_, wrong)| !wrong.is_empty()).count();
    if as_json {
        let records =
            checked.iter().map(|(id, wrong)| json!({"id": id, "ok": wrong.is_empty(), "damaged": wrong}));
        print_json(&records.collect())?;
    } else {
        for (id, wrong) in &checked {
            print(&if wrong.is_empty() {
                format!("{id}: ok")
            } else {
                format!("{id}: damaged {}", wrong.join(", "))
            })?;
        }
    }
    if damaged > 0 {
        bail!("{damaged} models are damaged; `auris models remove ID` and `auris models pull ID` mend one");
    }
    Ok(())
}

fn row(config: &Config, catalog: &Catalog, entry: &CatalogModel) -> Vec<String> {
    let mut abilities: Vec<&str> =
        entry.model.capabilities.iter().map(|rate| rate.capability.as_str()).collect();
    abilities.dedup();
    vec![
        entry.model.id.clone(),
        entry.model.display_name.clone(),
        abilities.join(","),
        size(entry),
        state(config, catalog, entry).into(),
    ]
}

fn size(entry: &CatalogModel) -> String {
    match entry.files.iter().map(|file| file.bytes).sum::<u64>() {
        0 => "-".into(),
        bytes => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}

fn state(config: &Config, catalog: &Catalog, entry: &CatalogModel) -> &'static str {
    match entry.engine {
        EngineKind::Fake | EngineKind::Diarizer => "built in",
        EngineKind::Auto => "chooses",
        EngineKind::Remote => "remote",
        EngineKind::Analyst if entry.files.is_empty() && entry.pulls.is_empty() => "built in",
        EngineKind::Moonshine | EngineKind::Whisper | EngineKind::Analyst | EngineKind::Gguf => {
            if is_ready(&config.models.dir, catalog, entry) { "installed" } else { "not installed" }
        }
    }
}

fn record(config: &Config, catalog: &Catalog, entry: &CatalogModel) -> Value {
    json!({
        "id": entry.model.id,
        "display_name": entry.model.display_name,
        "required_plan": entry.model.required_plan,
        "capabilities": entry.model.capabilities,
        "languages": entry.languages,
        "bytes": entry.files.iter().map(|file| file.bytes).sum::<u64>(),
        "state": state(config, catalog, entry),
    })
}
