//! The model catalogue: which models there are, what they can do and cost, and where their files come from.

use std::collections::{BTreeMap, BTreeSet};

use auris_domain::model::{Capability, Model, Models, NativeUnit, Rate};
use auris_domain::money::Usd;
use auris_engine_core::language_code;
use serde::Deserialize;

const BUILT_IN: &str = include_str!("../../../models/catalog.toml");
const FAKE: &str = include_str!("../../../models/fake.toml");

/// Every model that the operator offers, installed or not.
#[derive(Debug, Clone)]
pub struct Catalog {
    /// Ordered by id.
    pub models: Vec<CatalogModel>,
    pub defaults: BTreeMap<Capability, String>,
    /// From the least to the greatest.
    pub plans: Vec<String>,
}

/// One model: what callers see of it, and what runs it.
#[derive(Debug, Clone)]
pub struct CatalogModel {
    pub model: Model,
    pub engine: EngineKind,
    /// ISO 639-1 codes that it knows; empty where it knows them all or reads no speech.
    pub languages: Vec<String>,
    /// Other models that it hands over to, best first, as `auto` does.
    pub candidates: Vec<String>,
    /// What a pull of this model installs in its place.
    pub pulls: Vec<String>,
    pub files: Vec<ModelFile>,
    pub remote: Option<RemoteModel>,
    pub license: Option<String>,
}

impl CatalogModel {
    /// The size of all its files together.
    pub fn file_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// Whether the model supports the language of this ISO 639-1 code or BCP 47 tag.
    pub fn knows_language(&self, tag: &str) -> bool {
        let code = language_code::primary(tag);
        if !self.languages.is_empty() {
            return self.languages.iter().any(|known| language_code::primary(known) == code);
        }
        match self.engine {
            EngineKind::Moonshine | EngineKind::Whisper => {
                language_code::WHISPER.contains(&code.as_str())
            }
            EngineKind::Fake
            | EngineKind::Auto
            | EngineKind::Diarizer
            | EngineKind::BuiltInText
            | EngineKind::Gguf
            | EngineKind::Remote => true,
        }
    }
}

/// The code that runs a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineKind {
    Fake,
    Auto,
    Moonshine,
    Whisper,
    /// Who spoke when: the two nets in the binary.
    Diarizer,
    /// The built-in text stages: rules, lexicons and the embedding model.
    #[serde(rename = "analyst")]
    BuiltInText,
    /// A language model in a GGUF file.
    Gguf,
    Remote,
}

/// One file of a model. The hash decides what it is, whatever source it came from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    pub name: String,
    pub sha256: String,
    pub bytes: u64,
    /// Tried in order.
    pub sources: Vec<String>,
}

/// A model served by an OpenAI-compatible server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoteModel {
    pub base_url: String,
    /// The model's name over there.
    pub model: String,
    /// The environment variable that holds the key; absent where the server wants none.
    pub key_env: Option<String>,
    #[serde(default = "default_timeout_seconds")]
    pub timeout_seconds: u64,
    /// Whether the server streams its answers.
    #[serde(default)]
    pub streams: bool,
    /// Whether the server holds its answers to a JSON Schema. One that refuses to is noticed and asked in words.
    #[serde(default = "default_json_schema")]
    pub json_schema: bool,
    /// Whether the model reasons and takes `reasoning_effort`.
    #[serde(default)]
    pub reasons: bool,
    /// What a text model over there reads and writes at once; longer texts are sent in windows.
    #[serde(default = "default_context_tokens")]
    pub context_tokens: usize,
}

fn default_json_schema() -> bool {
    true
}

fn default_context_tokens() -> usize {
    8_192
}

fn default_timeout_seconds() -> u64 {
    600
}

/// The catalogue file is wrong; the message says where and how.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CatalogError(String);

impl Catalog {
    /// The catalogue in the binary.
    pub fn built_in() -> Result<Self, CatalogError> {
        Self::parse(BUILT_IN)
    }

    /// Reads an operator's catalogue.
    pub fn parse(text: &str) -> Result<Self, CatalogError> {
        let raw: RawCatalog = toml::from_str(text).map_err(|error| CatalogError(error.to_string()))?;
        raw.check()
    }

    /// Adds the fake models, which serve every capability, and makes them the defaults where there is no other.
    pub fn with_fake(mut self) -> Result<Self, CatalogError> {
        let fake = Self::parse(FAKE)?;
        self.models.extend(fake.models);
        self.models.sort_by(|one, other| one.model.id.cmp(&other.model.id));
        for (capability, id) in fake.defaults {
            self.defaults.entry(capability).or_insert(id);
        }
        let missing = fake.plans.into_iter().filter(|plan| !self.plans.contains(plan)).collect::<Vec<_>>();
        self.plans.extend(missing);
        Ok(self)
    }

    pub fn find(&self, id: &str) -> Option<&CatalogModel> {
        self.models.iter().find(|entry| entry.model.id == id)
    }

    /// What callers see, of the models that `usable` lets through.
    pub fn models(&self, usable: impl Fn(&CatalogModel) -> bool) -> Models {
        // What does nothing by itself, such as the net that others read with, is no model to a caller.
        let shown = |entry: &&CatalogModel| !entry.model.capabilities.is_empty() && usable(entry);
        let models: Vec<Model> = self.models.iter().filter(shown).map(|entry| entry.model.clone()).collect();
        let defaults = self.defaults.iter().filter(|(_, id)| models.iter().any(|model| &model.id == *id));
        Models {
            defaults: defaults.map(|(of, id)| (*of, id.clone())).collect(),
            models,
            plans: self.plans.clone(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCatalog {
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
    files: Vec<ModelFile>,
    remote: Option<RemoteModel>,
    license: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRate {
    capability: Capability,
    native_unit: NativeUnit,
    price_per_unit_usd: Option<String>,
}

impl RawCatalog {
    fn check(self) -> Result<Catalog, CatalogError> {
        let plans = self.plans;
        let mut models =
            self.models.into_iter().map(|raw| raw.check(&plans)).collect::<Result<Vec<_>, _>>()?;
        models.sort_by(|one, other| one.model.id.cmp(&other.model.id));
        check_references(&models, &self.defaults)?;
        Ok(Catalog { models, defaults: self.defaults, plans })
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
                "the default for `{capability}` is `{id}`, which is no model that can do it"
            )));
        }
    }
    for entry in models {
        if let Some(unknown) =
            entry.candidates.iter().chain(&entry.pulls).find(|id| !ids.contains(id.as_str()))
        {
            return Err(CatalogError(format!(
                "model `{}`: the model `{unknown}` that it names is not in the catalogue",
                entry.model.id
            )));
        }
    }
    Ok(())
}

impl RawModel {
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
        for file in &self.files {
            check_file(&id, file)?;
        }
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
            files: self.files,
            remote: self.remote,
            license: self.license,
        })
    }
}

/// A rate that never counts, or counts twice, would be a price that nobody pays or that nobody saw.
fn check_rates(model: &str, rates: &[Rate]) -> Result<(), CatalogError> {
    for (index, rate) in rates.iter().enumerate() {
        let (capability, unit) = (rate.capability, rate.native_unit);
        let named = format!("model `{model}`: `{}` by `{}`", capability.as_str(), unit.as_str());
        if !unit.measures(capability) {
            return Err(CatalogError(format!("{named}: that work is not measured in this unit")));
        }
        let same = |other: &Rate| (other.capability, other.native_unit) == (capability, unit);
        if rates[..index].iter().any(same) {
            return Err(CatalogError(format!("{named} has two prices")));
        }
    }
    Ok(())
}

/// A file's name becomes a path and its hash the proof of what it is, so both are checked here.
fn check_file(model: &str, file: &ModelFile) -> Result<(), CatalogError> {
    let name_is_plain =
        !file.name.is_empty() && !file.name.starts_with('.') && !file.name.contains(['/', '\\']);
    let hash_is_whole = file.sha256.len() == 64 && file.sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
    if name_is_plain && hash_is_whole {
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
                "model `{model}`: `{capability}` has no `price_per_unit_usd`; write \"0\" where it is free"
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

    fn with_price(price: &str) -> Result<Catalog, CatalogError> {
        Catalog::parse(&format!(
            "[[models]]\nid = \"m\"\ndisplay_name = \"M\"\nengine = \"fake\"\n\
             capabilities = [{{ capability = \"task\", native_unit = \"input_token\"{price} }}]"
        ))
    }

    #[test]
    fn the_catalogues_in_the_binary_are_right() {
        let catalog = Catalog::built_in().unwrap().with_fake().unwrap();
        assert!(catalog.find("fake-text").unwrap().model.can(Capability::Summary));
        assert_eq!(catalog.find("fake-text").unwrap().model.rates(Capability::Task).len(), 2);
        assert!(catalog.models.is_sorted_by_key(|entry| entry.model.id.clone()));
    }

    #[test]
    fn a_missing_price_names_the_model_and_a_zero_is_fine() {
        assert!(
            with_price("").unwrap_err().to_string().contains("model `m`: `task` has no `price_per_unit_usd`")
        );
        assert!(with_price(", price_per_unit_usd = \"0\"").is_ok());
    }

    #[test]
    fn a_price_of_eleven_decimals_is_refused() {
        assert!(with_price(", price_per_unit_usd = \"0.0000000001\"").is_ok());
        assert!(with_price(", price_per_unit_usd = \"0.00000000001\"").is_err());
    }

    #[test]
    fn a_unit_that_is_not_measured_or_priced_twice_names_the_model() {
        let catalog = |rates: &str| {
            Catalog::parse(&format!(
                "[[models]]\nid = \"m\"\ndisplay_name = \"M\"\nengine = \"fake\"\ncapabilities = [{rates}]"
            ))
        };
        let rate = |capability: &str, unit: &str| {
            format!(
                "{{ capability = \"{capability}\", native_unit = \"{unit}\", price_per_unit_usd = \"1\" }},"
            )
        };
        let both = [rate("task", "input_token"), rate("task", "output_token")].concat();
        assert_eq!(catalog(&both).unwrap().models[0].model.rates(Capability::Task).len(), 2);
        for (wrong, said) in [
            (rate("transcription", "character"), "`transcription` by `character`"),
            (rate("summary", "audio_second"), "`summary` by `audio_second`"),
            (rate("task", "input_token").repeat(2), "two prices"),
        ] {
            let error = catalog(&wrong).unwrap_err().to_string();
            assert!(error.contains("model `m`") && error.contains(said), "{error}");
        }
    }

    #[test]
    fn a_listed_language_is_known_and_an_empty_list_means_all_of_the_engine() {
        let model = |engine: &str, languages: &str| {
            let text = format!(
                "[[models]]\nid = \"m\"\ndisplay_name = \"M\"\nengine = \"{engine}\"\n\
                 languages = [{languages}]\ncapabilities = []"
            );
            Catalog::parse(&text).unwrap().models.remove(0)
        };
        let english = model("whisper", "\"en\"");
        assert!(english.knows_language("en-GB") && !english.knows_language("de"));
        let norwegian = model("whisper", "\"nb\"");
        assert!(norwegian.knows_language("no") && norwegian.knows_language("nb-NO"));
        for engine in ["whisper", "moonshine"] {
            let any = model(engine, "");
            assert!(any.knows_language("de") && !any.knows_language("tlh"), "{engine}");
        }
        assert!(model("fake", "").knows_language("tlh"));
    }

    #[test]
    fn a_default_that_cannot_do_the_work_is_refused() {
        let error = Catalog::parse("[defaults]\nsummary = \"nobody\"").unwrap_err();
        assert!(error.to_string().contains("`nobody`"));
    }

    #[test]
    fn a_file_name_that_leaves_its_folder_is_refused() {
        let file = ModelFile { name: "../x".into(), sha256: "a".repeat(64), bytes: 1, sources: vec![] };
        assert!(check_file("m", &file).is_err());
        assert!(check_file("m", &ModelFile { name: "x.onnx".into(), ..file }).is_ok());
    }

    #[test]
    fn a_default_whose_model_is_not_usable_is_left_out() {
        let catalog = Catalog::built_in().unwrap().with_fake().unwrap();
        let models = catalog.models(|entry| entry.model.id == "fake-text");
        assert!(models.defaults.iter().all(|(_, id)| id == "fake-text"));
        assert_eq!(models.models.len(), 1);
    }
}
