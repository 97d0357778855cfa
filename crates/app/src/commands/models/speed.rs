//! The speed of a model in words.

use auris_domain::model::NativeUnit;
use auris_service::operator::SpeedRecord;

/// How much faster than real time a model is, or how many tokens it writes in a second.
pub(super) fn text(speed: &SpeedRecord) -> String {
    in_units(speed.units_per_second, speed.unit)
}

/// The same for a second of one processor core.
pub(super) fn per_core(speed: &SpeedRecord) -> String {
    in_units(speed.units_per_cpu_second, speed.unit)
}

fn in_units(value: f64, unit: NativeUnit) -> String {
    let decimals = if value < 10.0 { 1 } else { 0 };
    match unit {
        NativeUnit::AudioSecond => format!("{value:.decimals$}× real time"),
        NativeUnit::InputToken | NativeUnit::OutputToken => format!("{value:.decimals$} tokens/s"),
        NativeUnit::Character => format!("{value:.decimals$} characters/s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_figures_have_a_decimal_and_large_ones_none() {
        assert_eq!(in_units(58.4, NativeUnit::AudioSecond), "58× real time");
        assert_eq!(in_units(0.84, NativeUnit::AudioSecond), "0.8× real time");
        assert_eq!(in_units(7.25, NativeUnit::OutputToken), "7.2 tokens/s");
    }
}
