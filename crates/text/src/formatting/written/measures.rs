//! Units of measurement.

use super::amounts::Amount;
use crate::spoken::SpokenLine;

/// A unit and how it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Measure {
    /// A symbol after a space: `5 km`.
    Symbol(&'static str),
    /// The words stay: `5 miles`.
    Words(&'static str),
}

use Measure::{Symbol, Words};

/// Units by their words. A longer name comes before a shorter one with the same beginning.
const UNITS: &[(&str, Measure)] = &[
    ("degrees celsius", Symbol("°C")),
    ("degree celsius", Symbol("°C")),
    ("degrees centigrade", Symbol("°C")),
    ("celsius", Symbol("°C")),
    ("fahrenheit", Symbol("°F")),
    ("degrees fahrenheit", Symbol("°F")),
    ("degree fahrenheit", Symbol("°F")),
    ("degrees", Words("degrees")),
    ("degree", Words("degree")),
    ("kilometers per hour", Symbol("km/h")),
    ("kilometres per hour", Symbol("km/h")),
    ("kilometers an hour", Symbol("km/h")),
    ("kilometers", Symbol("km")),
    ("kilometres", Symbol("km")),
    ("kilometer", Symbol("km")),
    ("kilometre", Symbol("km")),
    ("meters per second", Symbol("m/s")),
    ("metres per second", Symbol("m/s")),
    ("meters", Symbol("m")),
    ("metres", Symbol("m")),
    ("meter", Symbol("m")),
    ("metre", Symbol("m")),
    ("centimeters", Symbol("cm")),
    ("centimetres", Symbol("cm")),
    ("centimeter", Symbol("cm")),
    ("centimetre", Symbol("cm")),
    ("millimeters", Symbol("mm")),
    ("millimetres", Symbol("mm")),
    ("millimeter", Symbol("mm")),
    ("millimetre", Symbol("mm")),
    ("nanometers", Symbol("nm")),
    ("miles per hour", Symbol("mph")),
    ("miles an hour", Symbol("mph")),
    ("miles per gallon", Symbol("mpg")),
    ("mile per hour", Symbol("mph")),
    ("miles", Words("miles")),
    ("mile", Words("mile")),
    ("square miles", Words("square miles")),
    ("square feet", Words("square feet")),
    ("square foot", Words("square foot")),
    ("square meters", Words("square meters")),
    ("square metres", Words("square metres")),
    ("square kilometers", Words("square kilometers")),
    ("square kilometres", Words("square kilometres")),
    ("square inches", Words("square inches")),
    ("cubic feet", Words("cubic feet")),
    ("cubic meters", Words("cubic meters")),
    ("cubic centimeters", Words("cubic centimeters")),
    ("feet", Words("feet")),
    ("foot", Words("foot")),
    ("inches", Words("inches")),
    ("inch", Words("inch")),
    ("yards", Words("yards")),
    ("yard", Words("yard")),
    ("acres", Words("acres")),
    ("hectares", Words("hectares")),
    ("kilograms", Symbol("kg")),
    ("kilogrammes", Symbol("kg")),
    ("kilogram", Symbol("kg")),
    ("kilos", Symbol("kg")),
    ("milligrams", Symbol("mg")),
    ("milligram", Symbol("mg")),
    ("micrograms", Symbol("µg")),
    ("grams", Symbol("g")),
    ("gram", Symbol("g")),
    ("stone", Words("stone")),
    ("tons", Words("tons")),
    ("tonnes", Words("tonnes")),
    ("ton", Words("ton")),
    ("ounces", Words("ounces")),
    ("ounce", Words("ounce")),
    ("pounds", Words("pounds")),
    ("pound", Words("pound")),
    ("liters", Symbol("L")),
    ("litres", Symbol("L")),
    ("liter", Symbol("L")),
    ("litre", Symbol("L")),
    ("milliliters", Symbol("mL")),
    ("millilitres", Symbol("mL")),
    ("milliliter", Symbol("mL")),
    ("gallons", Words("gallons")),
    ("gallon", Words("gallon")),
    ("quarts", Words("quarts")),
    ("pints", Words("pints")),
    ("kilobytes", Symbol("KB")),
    ("kilobyte", Symbol("KB")),
    ("megabytes", Symbol("MB")),
    ("megabyte", Symbol("MB")),
    ("gigabytes", Symbol("GB")),
    ("gigabyte", Symbol("GB")),
    ("gigs", Words("gigs")),
    ("terabytes", Symbol("TB")),
    ("terabyte", Symbol("TB")),
    ("petabytes", Symbol("PB")),
    ("kilobits per second", Symbol("kbps")),
    ("megabits per second", Symbol("Mbps")),
    ("gigabits per second", Symbol("Gbps")),
    ("megabits", Words("megabits")),
    ("gigabits", Words("gigabits")),
    ("megapixels", Words("megapixels")),
    ("megapixel", Words("megapixel")),
    ("hertz", Symbol("Hz")),
    ("kilohertz", Symbol("kHz")),
    ("megahertz", Symbol("MHz")),
    ("gigahertz", Symbol("GHz")),
    ("kilowatt hours", Symbol("kWh")),
    ("kilowatt hour", Symbol("kWh")),
    ("megawatt hours", Symbol("MWh")),
    ("kilowatts", Symbol("kW")),
    ("kilowatt", Symbol("kW")),
    ("megawatts", Symbol("MW")),
    ("megawatt", Symbol("MW")),
    ("gigawatts", Symbol("GW")),
    ("watts", Symbol("W")),
    ("watt", Symbol("W")),
    ("volts", Symbol("V")),
    ("volt", Symbol("V")),
    ("amps", Words("amps")),
    ("amp", Words("amp")),
    ("decibels", Symbol("dB")),
    ("horsepower", Words("horsepower")),
    ("calories", Words("calories")),
    ("milliseconds", Symbol("ms")),
    ("basis points", Words("basis points")),
    ("percentage points", Words("percentage points")),
];

/// The unit at a token, and the token after it.
pub(super) fn read(line: SpokenLine<'_>, at: usize) -> Option<(Measure, usize)> {
    let at = line.past_hyphen(at);
    let first = line.word(at);
    let named = UNITS.iter().filter(|(name, _)| name.starts_with(first) && !first.is_empty());
    named.into_iter().find_map(|(name, measure)| {
        let words = name.split(' ');
        let end = at + words.clone().count();
        words.zip(at..end).all(|(word, at)| line.word(at) == word).then_some((*measure, end))
    })
}

impl Measure {
    pub(super) fn after(self, amount: &Amount) -> String {
        match self {
            Symbol(name) => format!("{} {name}", amount.written()),
            Words(name) => format!("{} {name}", amount.alone()),
        }
    }

    /// `two feet` may be those of a person, `one mile` is as good in words, and `six foot` a height.
    pub(super) fn is_ambiguous(self, line: SpokenLine<'_>, amount: &Amount, end: usize) -> bool {
        let Words(name) = self else { return false };
        let small = amount.spoken && amount.fraction.is_none() && !amount.negative && amount.mixed.is_none();
        let vague = amount.vague && amount.spoken;
        let feet = small && name == "feet" && (amount.value < 3 || line.word(end) == "under");
        vague || feet || small && amount.value == 1 && amount.round.is_none()
    }
}
