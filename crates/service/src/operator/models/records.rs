//! Models as they are listed.

use auris_domain::model::{Capability, NativeUnit, Rate};
use auris_domain::money::Usd;
use auris_engines::CatalogModel;
use auris_engines::install::PackedCopyState;
use serde::Serialize;

use crate::local::Measurement;

/// A model of the catalogue as it is listed.
#[derive(Debug, Clone, Serialize)]
pub struct ModelRecord {
    pub id: String,
    pub display_name: String,
    pub required_plan: Option<String>,
    pub capabilities: Vec<Rate>,
    pub languages: Vec<String>,
    pub bytes: u64,
    pub source: ModelSource,
    /// Whether nobody has compared the model's words with a reference in this engine.
    pub untested: bool,
    pub state: ModelState,
    /// Its speed on this machine; `None` if it was not measured.
    pub speed: Option<SpeedRecord>,
}

/// Where a model is described.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelSource {
    Catalogue,
    /// The operator added it on this machine.
    Local,
}

impl ModelSource {
    pub(super) fn of(entry: &CatalogModel) -> Self {
        if entry.local { Self::Local } else { Self::Catalogue }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Catalogue => "catalogue",
            Self::Local => "local",
        }
    }
}

/// Whether a model can be used on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum ModelState {
    #[serde(rename = "built in")]
    BuiltIn,
    /// It picks another model for each recording.
    #[serde(rename = "chooses")]
    Chooses,
    #[serde(rename = "remote")]
    Remote,
    #[serde(rename = "installed")]
    Installed,
    #[serde(rename = "not installed")]
    NotInstalled,
}

impl ModelState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BuiltIn => "built in",
            Self::Chooses => "chooses",
            Self::Remote => "remote",
            Self::Installed => "installed",
            Self::NotInstalled => "not installed",
        }
    }
}

/// The measured speed of a model on this machine.
#[derive(Debug, Clone, Serialize)]
pub struct SpeedRecord {
    pub model: String,
    /// Seconds of audio, or tokens of answers.
    pub unit: NativeUnit,
    pub units_per_second: f64,
    pub units_per_cpu_second: f64,
    /// Threads that worked on it.
    pub threads: usize,
    pub load_milliseconds: Option<u64>,
    pub memory_bytes: Option<u64>,
    pub cpu: String,
    pub kernels: String,
}

impl From<&Measurement> for SpeedRecord {
    fn from(measurement: &Measurement) -> Self {
        let tenths = |value: f64| (value * 10.0).round() / 10.0;
        Self {
            model: measurement.model.clone(),
            unit: measurement.unit,
            units_per_second: tenths(measurement.units_per_second()),
            units_per_cpu_second: tenths(measurement.units_per_cpu_second()),
            threads: measurement.threads,
            load_milliseconds: measurement.load_milliseconds,
            memory_bytes: measurement.memory_bytes,
            cpu: measurement.machine.cpu.clone(),
            kernels: measurement.machine.kernels.clone(),
        }
    }
}

/// The price of one capability of a model in one unit. A model charged by two units has two prices for a capability.
#[derive(Debug, Clone, Serialize)]
pub struct PriceRecord {
    pub model: String,
    pub capability: Capability,
    pub native_unit: NativeUnit,
    pub price_per_unit_usd: Usd,
    pub required_plan: Option<String>,
}

/// A model that was removed, or was to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RemovedModel {
    pub id: String,
    /// False if it was not installed.
    pub removed: bool,
}

/// A model whose files were compared with the catalogue.
#[derive(Debug, Clone, Serialize)]
pub struct VerifiedModel {
    pub id: String,
    /// Whether it can be used: its files are intact, and no damaged packed copy is in the way.
    pub ok: bool,
    /// The files that are missing or have another SHA-256.
    pub damaged: Vec<String>,
    pub packed_copy: PackedCopyState,
    pub source: ModelSource,
}
