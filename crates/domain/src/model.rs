//! Models in the API: their capabilities, prices and required plans.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use crate::error::{ApiError, Checked, ErrorCode};
use crate::money::Usd;

/// A kind of work that a model can do.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Capability {
    Transcription,
    Diarization,
    Chapters,
    Entities,
    Formatting,
    KeyPhrases,
    Sentiment,
    Summary,
    Topics,
    Task,
}

impl Capability {
    /// The stages that read text, in the order of the catalogue.
    pub const TEXT_STAGES: [Self; 7] = [
        Self::Chapters,
        Self::Entities,
        Self::Formatting,
        Self::KeyPhrases,
        Self::Sentiment,
        Self::Summary,
        Self::Topics,
    ];

    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether the work reads the transcript's text rather than the audio.
    pub fn reads_text(self) -> bool {
        match self {
            Self::Transcription | Self::Diarization => false,
            Self::Chapters
            | Self::Entities
            | Self::Formatting
            | Self::KeyPhrases
            | Self::Sentiment
            | Self::Summary
            | Self::Topics
            | Self::Task => true,
        }
    }
}

/// The unit in which a model's work is counted and priced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum NativeUnit {
    AudioSecond,
    Character,
    InputToken,
    OutputToken,
}

impl NativeUnit {
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether the work is measured in this unit, so that it can be charged by it.
    pub fn measures(self, capability: Capability) -> bool {
        capability.reads_text() == (self != Self::AudioSecond)
    }
}

/// One item of a model's `capabilities`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    pub capability: Capability,
    pub native_unit: NativeUnit,
    pub price_per_unit_usd: Usd,
}

/// One entry of `GET /v1/models`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    pub id: String,
    pub display_name: String,
    pub required_plan: Option<String>,
    pub capabilities: Vec<Rate>,
}

impl Model {
    /// What `capability` costs on this model; empty if the model does not have it.
    pub fn rates(&self, capability: Capability) -> Vec<Rate> {
        self.capabilities.iter().filter(|rate| rate.capability == capability).cloned().collect()
    }

    pub fn can(&self, capability: Capability) -> bool {
        self.capabilities.iter().any(|rate| rate.capability == capability)
    }
}

/// The models that can be used now, the defaults per capability and the order of plans.
#[derive(Debug, Clone, Default)]
pub struct Models {
    /// Ordered by id.
    pub models: Vec<Model>,
    pub defaults: Vec<(Capability, String)>,
    /// From the lowest to the highest.
    pub plans: Vec<String>,
}

impl Models {
    pub fn find(&self, id: &str) -> Option<&Model> {
        self.models.iter().find(|model| model.id == id)
    }

    /// The model that serves `capability`: the requested one, or the default.
    pub fn resolve(&self, capability: Capability, requested: Option<&str>, param: &str) -> Checked<&Model> {
        let Some(id) = requested.or_else(|| self.default_for(capability)) else {
            let message = format!(
                "This server has no default model for `{}`; name a model from `GET /v1/models`.",
                capability.as_str()
            );
            return Err(ApiError::new(ErrorCode::ModelNotFound, message).at(param));
        };
        let model = self.find(id).ok_or_else(|| unknown_model(id, param))?;
        if model.can(capability) {
            Ok(model)
        } else {
            let message = format!(
                "The model `{id}` does not support `{}`; `GET /v1/models` lists the capabilities of each model.",
                capability.as_str()
            );
            Err(ApiError::new(ErrorCode::ModelCapabilityMismatch, message).at(param))
        }
    }

    fn default_for(&self, capability: Capability) -> Option<&str> {
        self.defaults.iter().find(|(of, _)| *of == capability).map(|(_, id)| id.as_str())
    }

    /// Refuses a model that needs a higher plan than the project's.
    pub fn check_plan(&self, model: &Model, project_plan: &str, param: &str) -> Checked<()> {
        let Some(required) = &model.required_plan else {
            return Ok(());
        };
        let rank = |plan: &str| self.plans.iter().position(|known| known == plan);
        // A plan that is no longer in the catalogue counts as the lowest.
        if rank(required).is_some_and(|needed| rank(project_plan).unwrap_or(0) >= needed) {
            return Ok(());
        }
        let message = format!(
            "The model `{}` needs the plan `{required}`; this project is on `{project_plan}`.",
            model.id
        );
        Err(ApiError::new(ErrorCode::PlanRequired, message).at(param))
    }
}

fn unknown_model(id: &str, param: &str) -> ApiError {
    let message = format!(
        "The model `{id}` does not exist or is not available here; `GET /v1/models` lists the available models."
    );
    ApiError::new(ErrorCode::ModelNotFound, message).at(param)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn models() -> Models {
        let rate = |capability| Rate {
            capability,
            native_unit: NativeUnit::Character,
            price_per_unit_usd: Usd::ZERO,
        };
        let model = |id: &str, plan: Option<&str>, capability| Model {
            id: id.into(),
            display_name: id.into(),
            required_plan: plan.map(Into::into),
            capabilities: vec![rate(capability)],
        };
        Models {
            models: vec![
                model("basic", None, Capability::Summary),
                model("best", Some("pro"), Capability::Task),
            ],
            defaults: vec![(Capability::Summary, "basic".into())],
            plans: vec!["free".into(), "pro".into()],
        }
    }

    #[test]
    fn the_default_model_is_used_if_none_is_named() {
        assert_eq!(models().resolve(Capability::Summary, None, "p").unwrap().id, "basic");
    }

    #[test]
    fn unknown_and_incapable_models_have_different_codes() {
        let models = models();
        let unknown = models.resolve(Capability::Summary, Some("x"), "p").unwrap_err();
        let unable = models.resolve(Capability::Summary, Some("best"), "p").unwrap_err();
        assert_eq!(
            (unknown.code, unable.code),
            (ErrorCode::ModelNotFound, ErrorCode::ModelCapabilityMismatch)
        );
    }

    #[test]
    fn a_lower_plan_is_refused_and_a_higher_one_is_not() {
        let models = models();
        let best = models.find("best").unwrap();
        assert_eq!(models.check_plan(best, "free", "p").unwrap_err().code, ErrorCode::PlanRequired);
        assert_eq!(models.check_plan(best, "unknown", "p").unwrap_err().code, ErrorCode::PlanRequired);
        assert!(models.check_plan(best, "pro", "p").is_ok());
        let least = Model { required_plan: Some("free".into()), ..best.clone() };
        assert!(models.check_plan(&least, "unknown", "p").is_ok());
    }
}
