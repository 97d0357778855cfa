//! The capabilities of an added model, and what they cost.

use auris_domain::model::{Capability, NativeUnit, Rate};
use auris_domain::money::Usd;

use super::error::InstallError;
use super::own_weights::OwnKind;

/// The prices of an added model for each unit. One that is `None` is zero.
#[derive(Debug, Clone, Copy, Default)]
pub struct UnitPrices {
    /// Only for speech models.
    pub audio_second: Option<Usd>,
    /// Only for language models, as is the next one.
    pub input_token: Option<Usd>,
    pub output_token: Option<Usd>,
}

impl UnitPrices {
    /// What a model of this kind does, with the prices. Fails if there is a price that such a model does not have.
    pub(super) fn rates(&self, kind: &OwnKind) -> Result<Vec<Rate>, InstallError> {
        match kind {
            OwnKind::Speech(_) if self.input_token.or(self.output_token).is_some() => Err(InstallError::new(
                "`--input-price` and `--output-price` are for language models; the price of a speech model is for a \
                     second of audio: use `--price`",
            )),
            OwnKind::Speech(_) => {
                Ok(vec![rate(Capability::Transcription, NativeUnit::AudioSecond, self.audio_second)])
            }
            OwnKind::Language { .. } if self.audio_second.is_some() => Err(InstallError::new(
                "`--price` is for a second of audio; the prices of a language model are for tokens: use `--input-price` \
                 and `--output-price`",
            )),
            OwnKind::Language { .. } => Ok(self.language_rates()),
        }
    }

    /// The rates of everything that language models do.
    fn language_rates(&self) -> Vec<Rate> {
        let by_tokens = |capability| {
            [
                rate(capability, NativeUnit::InputToken, self.input_token),
                rate(capability, NativeUnit::OutputToken, self.output_token),
            ]
        };
        let capabilities = Capability::TEXT_STAGES.into_iter().chain([Capability::Task]);
        capabilities.flat_map(by_tokens).collect()
    }
}

fn rate(capability: Capability, native_unit: NativeUnit, price: Option<Usd>) -> Rate {
    Rate { capability, native_unit, price_per_unit_usd: price.unwrap_or(Usd::ZERO) }
}
