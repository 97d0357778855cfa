//! Arguments that are enums of other crates: each value is written as the name of its variant.

use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use strum::{ParseError, VariantArray};

/// Accepts the names of the variants. The help and the message about another value list them.
pub(super) fn named<T>() -> impl TypedValueParser<Value = T>
where
    T: VariantArray + Copy + Into<&'static str> + FromStr<Err = ParseError> + Send + Sync + 'static,
{
    let names = T::VARIANTS.iter().map(|variant| -> &'static str { (*variant).into() });
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}
