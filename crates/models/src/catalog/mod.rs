//! The model catalogue: which models there are, their capabilities and prices, and the sources of their files.

mod error;
mod model;
mod raw;

use std::collections::BTreeMap;

use auris_domain::model::{Capability, Model, Models};

pub use error::CatalogError;
pub use model::{BeamSearch, CatalogModel, EngineKind, ModelFile, RemoteModel};

use raw::{CheckedCatalog, RawCatalog};

const BUILT_IN: &str = include_str!("../../../../models/catalog.toml");
const FAKE: &str = include_str!("../../../../models/fake.toml");

/// All models that the operator offers, installed or not.
#[derive(Debug, Clone)]
pub struct Catalog {
    /// Ordered by id.
    pub models: Vec<CatalogModel>,
    pub defaults: BTreeMap<Capability, String>,
    /// From the lowest to the highest.
    pub plans: Vec<String>,
}

impl Catalog {
    /// The catalogue in the binary.
    pub fn built_in() -> Result<Self, CatalogError> {
        Self::parse(BUILT_IN)
    }

    /// Parses an operator's catalogue.
    pub fn parse(text: &str) -> Result<Self, CatalogError> {
        let raw: RawCatalog = toml::from_str(text).map_err(|error| CatalogError(error.to_string()))?;
        let CheckedCatalog { models, defaults, plans } = raw.check()?;
        Ok(Self { models, defaults, plans })
    }

    /// Adds the fake models, which have every capability, and makes them the defaults of capabilities without one.
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

    /// The catalogue with the models of `local.toml`, which is in the same format but has only models. A local model
    /// replaces a model with the same id.
    pub fn with_local(mut self, local: &str) -> Result<Self, CatalogError> {
        let raw: RawCatalog = toml::from_str(local).map_err(|error| CatalogError(error.to_string()))?;
        let CheckedCatalog { models: mut added, .. } = raw.only_models(&self.plans)?.check()?;
        added.iter_mut().for_each(|entry| entry.local = true);
        self.models.retain(|entry| added.iter().all(|local| local.model.id != entry.model.id));
        self.models.extend(added);
        self.models.sort_by(|one, other| one.model.id.cmp(&other.model.id));
        Ok(self)
    }

    pub fn find(&self, id: &str) -> Option<&CatalogModel> {
        self.models.iter().find(|entry| entry.model.id == id)
    }

    /// The description for callers of the models that are `usable`.
    pub fn models(&self, usable: impl Fn(&CatalogModel) -> bool) -> Models {
        // Models without capabilities, such as the embedding model of the text stages, are not shown.
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
    fn a_local_model_replaces_one_with_its_id_and_may_require_a_plan_of_the_catalogue() {
        let model = |id: &str, rest: &str| {
            format!(
                "[[models]]\nid = \"{id}\"\ndisplay_name = \"Mine\"\nengine = \"whisper\"\ncapabilities = []\n{rest}\n"
            )
        };
        let local = model("whisper-tiny", "required_plan = \"pro\"") + &model("calls", "untested = true");
        let built_in = Catalog::built_in().unwrap();
        let count = built_in.models.len();
        let merged = built_in.clone().with_local(&local).unwrap();
        assert_eq!(merged.models.len(), count + 1);
        let tiny = merged.find("whisper-tiny").unwrap();
        assert!(tiny.local && tiny.model.display_name == "Mine" && !tiny.untested);
        assert!(merged.find("calls").unwrap().untested && !merged.find("whisper-base").unwrap().local);
        assert!(merged.models.is_sorted_by_key(|entry| entry.model.id.clone()));
        let error = built_in.with_local(&model("calls", "required_plan = \"gold\"")).unwrap_err();
        assert!(error.to_string().contains("`gold`"), "{error}");
        assert!(Catalog::built_in().unwrap().with_local("plans = [\"gold\"]").is_err());
    }

    #[test]
    fn an_added_whisper_has_a_second_pass_unless_its_entry_says_otherwise() {
        let beam = |engine: &str, line: &str| {
            let text = format!(
                "[[models]]\nid = \"calls\"\ndisplay_name = \"Mine\"\nengine = \"{engine}\"\ncapabilities = []\n{line}\n"
            );
            Catalog::built_in().unwrap().with_local(&text).unwrap().find("calls").unwrap().beam
        };
        assert_eq!(beam("whisper", ""), BeamSearch::ADDED);
        assert!(BeamSearch::ADDED.has_second_pass() && BeamSearch::ADDED.width == 1);
        assert!(!beam("whisper", "beam = 1").has_second_pass());
        assert!(!beam("whisper", "beam_below = 0.0").has_second_pass());
        assert_eq!(beam("whisper", "beam_below = 0.5"), BeamSearch { width: 1, below: 0.5 });
        assert_eq!(beam("whisper", "beam = 5"), BeamSearch { width: 5, below: BeamSearch::USUAL_BELOW });
        assert!(!beam("moonshine", "").has_second_pass() && !beam("gguf", "").has_second_pass());
    }

    #[test]
    fn a_local_model_cannot_lead_to_another_server_or_choose_other_models() {
        let remote = "engine = \"remote\"\nremote = { base_url = \"https://example.com\", model = \"m\", key_env = \"HOME\" }";
        for engine in [
            remote,
            "engine = \"auto\"\ncandidates = []",
            "engine = \"fake\"",
            "engine = \"built_in_text\"",
            "engine = \"analyst\"",
        ] {
            let text =
                format!("[[models]]\nid = \"calls\"\ndisplay_name = \"Mine\"\ncapabilities = []\n{engine}\n");
            assert!(Catalog::parse(&text).is_ok(), "{engine}");
            let error = Catalog::built_in().unwrap().with_local(&text).unwrap_err().to_string();
            assert!(error.contains("`calls`") && error.contains("`models.catalog`"), "{error}");
        }
    }

    #[test]
    fn models_that_nobody_has_tried_are_marked_and_auto_does_not_choose_them() {
        let catalog = Catalog::built_in().unwrap();
        let in_files_of_whisper_cpp =
            |entry: &&CatalogModel| entry.files.iter().any(|file| file.name.starts_with("ggml-"));
        let untested: Vec<&CatalogModel> = catalog.models.iter().filter(in_files_of_whisper_cpp).collect();
        assert!(!untested.is_empty() && untested.iter().all(|entry| entry.untested));
        let chosen = catalog.models.iter().flat_map(|entry| entry.candidates.iter().chain(&entry.pulls));
        assert!(chosen.filter_map(|id| catalog.find(id)).all(|entry| !entry.untested));
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
            assert_eq!(any.all_languages().len(), 99, "{engine}");
        }
        assert_eq!(english.all_languages(), ["en"]);
        let unlimited = model("fake", "");
        assert!(unlimited.knows_language("tlh") && unlimited.all_languages().is_empty());
    }

    #[test]
    fn a_beam_is_one_by_default_and_only_whisper_has_a_wider_one() {
        let beam = |engine: &str, line: &str| {
            let model = format!(
                "[[models]]\nid = \"m\"\ndisplay_name = \"M\"\nengine = \"{engine}\"\ncapabilities = []\n{line}"
            );
            Catalog::parse(&model).map(|catalog| catalog.models[0].beam)
        };
        let of = |width, below| Ok(BeamSearch { width, below });
        assert_eq!((beam("moonshine", ""), beam("whisper", "")), (of(1, 0.0), of(1, 0.0)));
        assert_eq!(
            (beam("whisper", "beam = 1"), beam("whisper", "beam_below = 0.5")),
            (of(1, 0.0), of(1, 0.5))
        );
        for (line, has_second_pass) in [("", false), ("beam = 2", true), ("beam_below = 0.5", true)] {
            assert_eq!(beam("whisper", line).unwrap().has_second_pass(), has_second_pass, "{line}");
        }
        assert_eq!(beam("whisper", "beam = 5"), of(5, 0.6));
        assert_eq!(beam("whisper", "beam = 5\nbeam_below = 0.78"), of(5, 0.78));
        for (engine, line, said) in [
            ("whisper", "beam = 0", "`beam` is 0"),
            ("whisper", "beam = 17", "from 1 to 16"),
            ("whisper", "beam_below = 1.5", "from 0 to 1"),
            ("moonshine", "beam = 2", "`whisper`"),
            ("moonshine", "beam_below = 0.5", "`whisper`"),
        ] {
            let error = beam(engine, line).unwrap_err().to_string();
            assert!(error.contains("model `m`") && error.contains(said), "{error}");
        }
    }

    #[test]
    fn word_errors_are_percentages_by_language() {
        let errors = |figures: &str| {
            let model = format!(
                "[[models]]\nid = \"m\"\ndisplay_name = \"M\"\nengine = \"whisper\"\ncapabilities = []\n{figures}"
            );
            Catalog::parse(&model).map(|mut catalog| catalog.models.remove(0))
        };
        let model = errors("word_errors = { en = 6.35, other = 20.0 }").unwrap();
        assert_eq!(
            (model.word_errors_in(Some("en")), model.word_errors_in(Some("de"))),
            (Some(6.35), Some(20.0))
        );
        assert_eq!(model.word_errors_in(None), Some(20.0));
        assert_eq!(errors("").unwrap().word_errors_in(Some("en")), None);
        for (figures, said) in [
            ("word_errors = { english = 6.0 }", "`english`"),
            ("word_errors = { en = -1.0 }", "`en` is -1"),
            ("word_errors = { en = nan }", "NaN"),
        ] {
            let error = errors(figures).unwrap_err().to_string();
            assert!(error.contains("model `m`") && error.contains(said), "{error}");
        }
    }

    #[test]
    fn every_model_that_auto_chooses_from_has_word_errors() {
        let catalog = Catalog::built_in().unwrap();
        let chosen: Vec<&String> = catalog.models.iter().flat_map(|entry| &entry.candidates).collect();
        assert!(!chosen.is_empty());
        for entry in chosen.into_iter().filter_map(|id| catalog.find(id)) {
            assert!(entry.word_errors_in(Some("en")).is_some(), "{}", entry.model.id);
            assert!(
                !entry.languages.is_empty() || entry.word_errors_in(None).is_some(),
                "{}",
                entry.model.id
            );
        }
    }

    #[test]
    fn a_default_that_cannot_do_the_work_is_refused() {
        let error = Catalog::parse("[defaults]\nsummary = \"nobody\"").unwrap_err();
        assert!(error.to_string().contains("`nobody`"));
    }

    #[test]
    fn a_default_whose_model_is_not_usable_is_left_out() {
        let catalog = Catalog::built_in().unwrap().with_fake().unwrap();
        let models = catalog.models(|entry| entry.model.id == "fake-text");
        assert!(models.defaults.iter().all(|(_, id)| id == "fake-text"));
        assert_eq!(models.models.len(), 1);
    }
}
