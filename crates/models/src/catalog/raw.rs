//! The catalogue file, and its checks.

use std::collections::{BTreeMap, BTreeSet};

use auris_domain::model::{Capability, Model, NativeUnit, Rate};
use auris_domain::money::Usd;
use auris_engine_core::language_code;
use serde::Deserialize;

use super::error::CatalogError;
use super::model::{BeamSearch, CatalogModel, EngineKind, ModelFile, OTHER_LANGUAGES, RemoteModel};

/// The widest beam. A wider one takes more time and hardly finds better texts.
const MAX_BEAM: usize = 16;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawCatalog {
    #[serde(default)]
    plans: Vec<String>,
    #[serde(default)]
    defaults: BTreeMap<Capability, String>,
    #[serde(default)]
    models: Vec<RawModel>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawModel {
    id: String,
    display_name: String,
    required_plan: Option<String>,
    engine: EngineKind,
    capabilities: Vec<RawRate>,
    #[serde(default)]
    languages: Vec<String>,
    #[serde(default)]
    candidates: Vec<String>,
    #[serde(default)]
    pulls: Vec<String>,
    #[serde(default)]
    upgrades: Vec<String>,
    #[serde(default)]
    files: Vec<ModelFile>,
    remote: Option<RemoteModel>,
    license: Option<String>,
    beam: Option<usize>,
    beam_below: Option<f64>,
    #[serde(default)]
    word_errors: BTreeMap<String, f64>,
    #[serde(default)]
    untested: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRate {
    capability: Capability,
    native_unit: NativeUnit,
    price_per_unit_usd: Option<String>,
}

/// A catalogue without contradictions.
pub(super) struct CheckedCatalog {
    /// Ordered by id.
    pub(super) models: Vec<CatalogModel>,
    pub(super) defaults: BTreeMap<Capability, String>,
    pub(super) plans: Vec<String>,
}

impl RawCatalog {
    /// The same models in a catalogue with these plans. Fails if the file has more than models that run on this machine:
    /// everybody who may write to the folder of the models could send recordings and API keys to another server.
    pub(super) fn only_models(self, plans: &[String]) -> Result<Self, CatalogError> {
        if !self.plans.is_empty() || !self.defaults.is_empty() {
            let message = "`plans` and `[defaults]` belong to the catalogue; this file has only models";
            return Err(CatalogError(message.into()));
        }
        if let Some(other) = self.models.iter().find(|model| !model.runs_from_files()) {
            return Err(CatalogError(format!(
                "model `{}`: this file has only models of the engines `moonshine`, `whisper` and `gguf`; put others into \
                 your own catalogue (`models.catalog`)",
                other.id
            )));
        }
        let models = self.models.into_iter().map(RawModel::with_second_pass).collect();
        Ok(Self { plans: plans.to_vec(), models, ..self })
    }

    pub(super) fn check(self) -> Result<CheckedCatalog, CatalogError> {
        let plans = self.plans;
        let mut models =
            self.models.into_iter().map(|raw| raw.check(&plans)).collect::<Result<Vec<_>, _>>()?;
        models.sort_by(|one, other| one.model.id.cmp(&other.model.id));
        check_references(&models, &self.defaults)?;
        Ok(CheckedCatalog { models, defaults: self.defaults, plans })
    }
}

fn check_references(
    models: &[CatalogModel],
    defaults: &BTreeMap<Capability, String>,
) -> Result<(), CatalogError> {
    let ids: BTreeSet<&str> = models.iter().map(|entry| entry.model.id.as_str()).collect();
    if ids.len() != models.len() {
        return Err(CatalogError("two models of the catalogue have the same `id`".into()));
    }
    for (capability, id) in defaults {
        let able = models.iter().any(|entry| &entry.model.id == id && entry.model.can(*capability));
        if !able {
            let capability = capability.as_str();
            return Err(CatalogError(format!(
                "the default for `{capability}` is `{id}`, which is not a model with that capability"
            )));
        }
    }
    for entry in models {
        let mut others = entry.candidates.iter().chain(&entry.pulls).chain(&entry.upgrades);
        if let Some(unknown) = others.find(|id| !ids.contains(id.as_str())) {
            return Err(CatalogError(format!(
                "model `{}`: it refers to the model `{unknown}`, which is not in the catalogue",
                entry.model.id
            )));
        }
    }
    Ok(())
}

impl RawModel {
    /// Whether its engine runs files of weights on this machine.
    fn runs_from_files(&self) -> bool {
        match self.engine {
            EngineKind::Moonshine | EngineKind::Whisper | EngineKind::Gguf => true,
            EngineKind::Fake
            | EngineKind::Auto
            | EngineKind::Diarizer
            | EngineKind::BuiltInText
            | EngineKind::Remote => false,
        }
    }

    /// The same model. A Whisper model whose entry says nothing about a second pass gets that of added models.
    fn with_second_pass(self) -> Self {
        let is_silent = self.beam.is_none() && self.beam_below.is_none();
        if self.engine != EngineKind::Whisper || !is_silent {
            return self;
        }
        Self { beam_below: Some(BeamSearch::ADDED.below), ..self }
    }

    fn check(self, plans: &[String]) -> Result<CatalogModel, CatalogError> {
        let id = self.id;
        if let Some(plan) = self.required_plan.as_ref().filter(|plan| !plans.contains(plan)) {
            return Err(CatalogError(format!("model `{id}`: the plan `{plan}` is not in `plans`")));
        }
        if self.engine == EngineKind::Remote && self.remote.is_none() {
            return Err(CatalogError(format!(
                "model `{id}`: the engine `remote` needs a table `remote` with `base_url` and `model`"
            )));
        }
        check_files(&id, &self.files)?;
        let beam = check_beam(&id, self.engine, self.beam, self.beam_below)?;
        check_word_errors(&id, &self.word_errors)?;
        let capabilities: Vec<Rate> =
            self.capabilities.into_iter().map(|rate| rate.check(&id)).collect::<Result<_, _>>()?;
        check_rates(&id, &capabilities)?;
        let model =
            Model { id, display_name: self.display_name, required_plan: self.required_plan, capabilities };
        Ok(CatalogModel {
            model,
            engine: self.engine,
            languages: self.languages,
            candidates: self.candidates,
            pulls: self.pulls,
            upgrades: self.upgrades,
            files: self.files,
            remote: self.remote,
            license: self.license,
            beam,
            word_errors: self.word_errors,
            untested: self.untested,
            local: false,
        })
    }
}

/// The beam of a model, by default of one text and without a second pass. Only Whisper has another one.
fn check_beam(
    model: &str,
    engine: EngineKind,
    width: Option<usize>,
    below: Option<f64>,
) -> Result<BeamSearch, CatalogError> {
    let refused = |reason: String| Err(CatalogError(format!("model `{model}`: {reason}")));
    if engine != EngineKind::Whisper && (width.is_some() || below.is_some()) {
        return refused("only the engine `whisper` has a `beam`".into());
    }
    let width = width.unwrap_or(BeamSearch::default().width);
    let usual = if width > 1 { BeamSearch::USUAL_BELOW } else { BeamSearch::default().below };
    let beam = BeamSearch { width, below: below.unwrap_or(usual) };
    if !(1..=MAX_BEAM).contains(&beam.width) {
        return refused(format!("`beam` is {}; it must be from 1 to {MAX_BEAM}", beam.width));
    }
    if !(0.0..=1.0).contains(&beam.below) {
        return refused(format!("`beam_below` is {}; it must be from 0 to 1", beam.below));
    }
    Ok(beam)
}

/// Rejects figures of unknown languages, and those that are not percentages.
fn check_word_errors(model: &str, figures: &BTreeMap<String, f64>) -> Result<(), CatalogError> {
    let is_language = |code: &str| code == OTHER_LANGUAGES || language_code::WHISPER.contains(&code);
    for (language, percent) in figures {
        if !is_language(language) {
            return Err(CatalogError(format!(
                "model `{model}`: `word_errors` has the language `{language}`; use an ISO 639-1 code or \
                 `{OTHER_LANGUAGES}`"
            )));
        }
        if !(0.0..=100.0).contains(percent) {
            return Err(CatalogError(format!(
                "model `{model}`: `word_errors` for `{language}` is {percent}; it must be a percentage from 0 to 100"
            )));
        }
    }
    Ok(())
}

/// Rejects rates that would never be charged or would be charged twice.
fn check_rates(model: &str, rates: &[Rate]) -> Result<(), CatalogError> {
    for (index, rate) in rates.iter().enumerate() {
        let capability = rate.capability;
        let unit = rate.native_unit;
        let named = format!("model `{model}`: `{}` by `{}`", capability.as_str(), unit.as_str());
        if !unit.measures(capability) {
            return Err(CatalogError(format!("{named}: this capability is not measured in this unit")));
        }
        let same = |other: &Rate| (other.capability, other.native_unit) == (capability, unit);
        if rates[..index].iter().any(same) {
            return Err(CatalogError(format!("{named} has two prices")));
        }
    }
    Ok(())
}

/// Checks the files, and the id of a model that has some: it is the name of their folder.
fn check_files(model: &str, files: &[ModelFile]) -> Result<(), CatalogError> {
    if !files.is_empty() && !ModelFile::is_plain_name(model) {
        return Err(CatalogError(format!(
            "model `{model}`: the id of a model with files is the name of a folder; leave out `/` and `\\`, and begin with \
             another character than `.`"
        )));
    }
    files.iter().try_for_each(|file| check_file(model, file))
}

/// Checks the name of a file, which becomes a path, and its hash, which identifies its content.
fn check_file(model: &str, file: &ModelFile) -> Result<(), CatalogError> {
    let is_sha256 = file.sha256.len() == 64 && file.sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
    if ModelFile::is_plain_name(&file.name) && is_sha256 {
        return Ok(());
    }
    Err(CatalogError(format!(
        "model `{model}`: file `{}` needs a plain name and a `sha256` of 64 hexadecimal digits",
        file.name
    )))
}

impl RawRate {
    fn check(self, model: &str) -> Result<Rate, CatalogError> {
        let capability = self.capability.as_str();
        let price = self.price_per_unit_usd.ok_or_else(|| {
            CatalogError(format!(
                "model `{model}`: `{capability}` has no `price_per_unit_usd`; write \"0\" if it is free"
            ))
        })?;
        let price_per_unit_usd = price.parse::<Usd>().map_err(|error| {
            CatalogError(format!("model `{model}`: the price `{price}` of `{capability}`: {error}"))
        })?;
        Ok(Rate { capability: self.capability, native_unit: self.native_unit, price_per_unit_usd })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_that_leaves_its_folder_is_refused() {
        let file = ModelFile { name: "../x".into(), sha256: "a".repeat(64), bytes: 1, sources: vec![] };
        assert!(check_file("m", &file).is_err());
        assert!(check_file("m", &ModelFile { name: "x.onnx".into(), ..file }).is_ok());
    }

    #[test]
    fn an_id_that_is_not_the_name_of_a_folder_is_refused_for_a_model_with_files() {
        let file = ModelFile { name: "x".into(), sha256: "a".repeat(64), bytes: 1, sources: vec![] };
        for id in ["", "..", "../x", "a/b", "a\\b", ".hidden"] {
            let error = check_files(id, std::slice::from_ref(&file)).unwrap_err().to_string();
            assert!(error.contains(&format!("model `{id}`")), "{error}");
        }
        assert!(check_files("whisper-tiny.en", std::slice::from_ref(&file)).is_ok());
        // The model of a remote server may have any id.
        assert!(check_files("owner/model", &[]).is_ok());
    }
}
