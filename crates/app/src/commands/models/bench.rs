//! `auris models bench`: how fast the installed models are on this machine.

use anyhow::bail;
use auris_service::local::{LocalEngines, Measurement};
use auris_service::operator::{ModelLibrary, SpeedRecord};

use super::super::transcribe::cancelled_by_interrupt;
use super::super::{print, print_json, table};
use super::speed;
use crate::config::Config;
use crate::progress_bar::Spinner;
use crate::wiring;

/// Measures the models one after the other and keeps the results. A model that fails does not stop the others. True if
/// Ctrl-C ended it.
pub(super) async fn run(
    models: &ModelLibrary,
    ids: &[String],
    as_json: bool,
    config: &Config,
) -> anyhow::Result<bool> {
    let ids = models.measurable(ids)?;
    let engines = wiring::local_engines(config, cancelled_by_interrupt())?;
    let mut speeds = Vec::new();
    for id in &ids {
        match measure(&engines, id).await {
            Ok(measured) => {
                keep(models, &measured);
                speeds.push(SpeedRecord::from(&measured));
            }
            Err(_) if engines.is_cancelled() => return Ok(true),
            Err(error) => eprintln!("auris: {id}: {error:#}"),
        }
    }
    print_speeds(&speeds, as_json)?;
    let failed = ids.len() - speeds.len();
    if failed > 0 {
        bail!(
            "{failed} of {} models could not be measured; `auris models verify` finds damaged files",
            ids.len()
        );
    }
    Ok(false)
}

fn print_speeds(speeds: &[SpeedRecord], as_json: bool) -> anyhow::Result<()> {
    if as_json {
        return print_json(&speeds);
    }
    let rows: Vec<Vec<String>> = speeds.iter().map(row).collect();
    print(&table::render(&["ID", "SPEED", "PER CORE", "THREADS", "LOAD", "MEMORY", "KERNELS"], &rows))
}

async fn measure(engines: &LocalEngines, id: &str) -> anyhow::Result<Measurement> {
    let _spinner = Spinner::new(&format!("measuring {id}"));
    Ok(engines.measure(id).await?)
}

/// A folder that cannot be written, such as a shared one, does not make the measurement worthless.
fn keep(models: &ModelLibrary, measurement: &Measurement) {
    if let Err(error) = models.keep_measurement(measurement) {
        eprintln!("auris: `auris models list` will not show the speed of {}: {error}", measurement.model);
    }
}

fn row(measured: &SpeedRecord) -> Vec<String> {
    let unknown = || "-".to_owned();
    vec![
        measured.model.clone(),
        speed::text(measured),
        speed::per_core(measured),
        measured.threads.to_string(),
        measured.load_milliseconds.map_or_else(unknown, |time| format!("{time} ms")),
        measured.memory_bytes.map_or_else(unknown, |bytes| format!("{} MB", bytes.div_ceil(1_000_000))),
        measured.kernels.clone(),
    ]
}
