//! Written forms are spoken by `speaker.rs` in a fixed order; what comes back is the written form, or the words.

use super::speaker::{MONTHS, Random, below_hundred, cardinal, digits, grouped, nth, ordinal, year};
use super::written;

/// Forms of each class.
const FORMS: usize = 400;
/// Text before and after a form, which does not change its meaning.
const CARRIERS: [(&str, &str); 6] = [
    ("", ""),
    ("i think it was ", ""),
    ("so it was ", " and then we went home"),
    ("Well, it's ", ", I believe."),
    ("is it really ", "?"),
    ("they said ", " but that was not true"),
];

/// A written form and how it is spoken.
type Form = (String, String);
type Class = (&'static str, fn(&mut Random) -> Form);

const CLASSES: [Class; 19] = [
    ("cardinal", whole),
    ("round", round),
    ("decimal", decimal),
    ("negative", negative),
    ("ordinal", nth_of),
    ("percent", percent),
    ("range", range),
    ("dollars", dollars),
    ("euros", euros),
    ("pounds", pounds),
    ("millions", millions),
    ("year", a_year),
    ("decade", decade),
    ("date", date),
    ("day first", day_first),
    ("time", time),
    ("phone", phone),
    ("address", address),
    ("measure", measure),
];

fn whole(random: &mut Random) -> Form {
    let limit = random.pick(&[100, 1_000, 100_000, 10_000_000]);
    let value = random.between(10, limit);
    // 2001 to 2029 may be a year.
    let value = if (1_100..2_100).contains(&value) { value + 1_000 } else { value };
    let value = if value >= 1_000_000 && value.is_multiple_of(1_000_000) { value + 1 } else { value };
    (grouped(value), cardinal(value, random))
}

fn round(random: &mut Random) -> Form {
    let value = random.between(1, 999);
    let name = random.pick(&["million", "billion", "trillion"]);
    (format!("{value} {name}"), format!("{} {name}", cardinal(value, random)))
}

fn decimal(random: &mut Random) -> Form {
    let (value, rest) = (random.between(0, 1_000), random.below(1_000).to_string());
    (format!("{value}.{rest}"), format!("{} point {}", cardinal(value, random), plain_digits(&rest)))
}

fn plain_digits(text: &str) -> String {
    let mut random = Random::new(0);
    let one = |digit: char| cardinal(u64::from(digit.to_digit(10).unwrap()), &mut random);
    text.chars().map(one).collect::<Vec<_>>().join(" ")
}

fn negative(random: &mut Random) -> Form {
    let value = random.between(1, 1_000);
    let sign = random.pick(&["minus", "negative"]);
    (format!("-{value}"), format!("{sign} {}", cardinal(value, random)))
}

fn nth_of(random: &mut Random) -> Form {
    let value = random.between(10, 1_000);
    // `hundredth` may be a fraction.
    let value = if value.is_multiple_of(100) { value + 1 } else { value };
    (format!("the {}", nth(value)), format!("the {}", ordinal(value, random)))
}

fn percent(random: &mut Random) -> Form {
    let (value, rest) = (random.between(0, 200), random.below(100).to_string());
    let name = random.pick(&["percent", "per cent"]);
    if random.chance() {
        return (format!("{value}%"), format!("{} {name}", cardinal(value, random)));
    }
    let spoken = format!("{} point {} {name}", cardinal(value, random), plain_digits(&rest));
    (format!("{value}.{rest}%"), spoken)
}

fn range(random: &mut Random) -> Form {
    let from = random.between(1, 50);
    let to = from + random.between(1, 40);
    let (unit, after) = random.pick(&[("percent", "%"), ("kilometers", " km"), ("miles", " miles")]);
    let spoken = format!("{} to {} {unit}", below_hundred(from, random), below_hundred(to, random));
    (format!("{from} to {to}{after}"), spoken)
}

fn dollars(random: &mut Random) -> Form {
    let limit = random.pick(&[20, 1_000, 100_000]);
    let (value, cents) = (random.between(2, limit), random.between(1, 100));
    let spoken = cardinal(value, random);
    match random.below(4) {
        0 => (format!("${}", grouped(value)), format!("{spoken} dollars")),
        1 if cents >= 10 => (
            format!("${}.{cents}", grouped(value)),
            format!("{spoken} dollars {}", below_hundred(cents, random)),
        ),
        2 => (
            format!("${}.{cents:02}", grouped(value)),
            format!("{spoken} dollars {} cents", below_hundred(cents, random)),
        ),
        _ => (
            format!("${}.{cents:02}", grouped(value)),
            format!("{spoken} dollars and {} cents", below_hundred(cents, random)),
        ),
    }
}

fn euros(random: &mut Random) -> Form {
    let (value, cents) = (random.between(2, 1_000), random.between(10, 100));
    let spoken = cardinal(value, random);
    if random.chance() {
        return (format!("€{value}"), format!("{spoken} euros"));
    }
    (format!("€{value}.{cents}"), format!("{spoken} euros {}", below_hundred(cents, random)))
}

fn pounds(random: &mut Random) -> Form {
    let (value, pence) = (random.between(2, 1_000), random.between(10, 100));
    let (joined, end) = random.pick(&[("", ""), ("and ", " pence"), ("", " pence")]);
    // A number below 16 alone may be ounces.
    let pence = if end.is_empty() && pence < 16 { pence + 10 } else { pence };
    let spoken = format!("{} pounds {joined}{}{end}", cardinal(value, random), below_hundred(pence, random));
    (format!("£{value}.{pence}"), spoken)
}

fn millions(random: &mut Random) -> Form {
    let (value, tenth) = (random.between(1, 100), random.between(1, 10));
    let scale = random.pick(&["million", "billion"]);
    let spoken =
        format!("{} point {} {scale} dollars", below_hundred(value, random), below_hundred(tenth, random));
    (format!("${value}.{tenth} {scale}"), spoken)
}

fn a_year(random: &mut Random) -> Form {
    let value = random.between(1_600, 2_060);
    (format!("in {value}"), format!("in {}", year(value, random)))
}

fn decade(random: &mut Random) -> Form {
    let names =
        ["twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties"];
    let (century, tens) = (random.between(16, 20), random.below(8));
    let spoken = format!("the {} {}", below_hundred(century, random), names[tens as usize]);
    (format!("the {}{}0s", century, tens + 2), spoken)
}

fn month(random: &mut Random) -> (String, &'static str) {
    let name = random.pick(&MONTHS);
    (name[..1].to_uppercase() + &name[1..], name)
}

fn date(random: &mut Random) -> Form {
    let (title, name) = month(random);
    let (day, of_year) = (random.between(1, 32), random.between(1_700, 2_050));
    let year = year(of_year, random);
    match random.below(4) {
        // `you may first look`.
        0 if !matches!(name, "may" | "march") => {
            (format!("{title} {day}"), format!("{name} {}", ordinal(day, random)))
        }
        1 => (format!("{title} {of_year}"), format!("{name} {year}")),
        2 => (format!("{title} {day}, {of_year}"), format!("{name} the {} {year}", ordinal(day, random))),
        _ => (format!("{title} {day}, {of_year}"), format!("{name} {} {year}", ordinal(day, random))),
    }
}

fn day_first(random: &mut Random) -> Form {
    let (title, name) = month(random);
    let (day, of_year) = (random.between(1, 32), random.between(1_700, 2_050));
    let spoken = format!("the {} of {name}", ordinal(day, random));
    if random.chance() {
        return (format!("the {} of {title}", nth(day)), spoken);
    }
    (format!("the {} of {title} {of_year}", nth(day)), format!("{spoken} {}", year(of_year, random)))
}

fn time(random: &mut Random) -> Form {
    let (hour, minute) = (random.between(1, 13), random.between(1, 60));
    let (half, spoken_half) = random.pick(&[("AM", "a m"), ("PM", "p m"), ("AM", "am"), ("PM", "pm")]);
    let spoken_hour = below_hundred(hour, random);
    let minutes = below_hundred(minute, random);
    match (random.below(4), minute) {
        (0, _) => (format!("{hour} {half}"), format!("{spoken_hour} {spoken_half}")),
        (1, 15) => (format!("{hour}:15 {half}"), format!("quarter past {spoken_hour} {spoken_half}")),
        (1, 30..60) => (format!("{hour}:30"), format!("half past {spoken_hour}")),
        (2, 1..10) => (format!("{hour}:{minute:02}"), format!("{minutes} minutes past {spoken_hour}")),
        (_, 1..10) => {
            (format!("{hour}:{minute:02} {half}"), format!("{spoken_hour} oh {minutes} {spoken_half}"))
        }
        _ => (format!("{hour}:{minute} {half}"), format!("{spoken_hour} {minutes} {spoken_half}")),
    }
}

fn phone(random: &mut Random) -> Form {
    let (area, first, last) = (random.between(200, 1_000), random.between(200, 1_000), random.below(10_000));
    let short = random.chance();
    let text = if short { format!("{first}-{last:04}") } else { format!("{area}-{first}-{last:04}") };
    let spoken = digits(&text, random);
    (text, spoken)
}

fn address(random: &mut Random) -> Form {
    let name = random.pick(&["anna", "bob", "carla", "help", "sales"]);
    let (sign, spoken_sign) = random.pick(&[(".", "dot"), ("_", "underscore"), ("-", "dash")]);
    let last = random.pick(&["smith", "lee", "garcia"]);
    let host = random.pick(&["example", "acme", "contoso"]);
    let (domain, spoken) =
        random.pick(&[("com", "com"), ("org", "org"), ("co.uk", "co dot uk"), ("io", "io")]);
    match random.below(3) {
        0 => (format!("{name}@{host}.{domain}"), format!("{name} at {host} dot {spoken}")),
        1 => (
            format!("{name}{sign}{last}@{host}.{domain}"),
            format!("{name} {spoken_sign} {last} at {host} dot {spoken}"),
        ),
        _ => (format!("www.{host}.{domain}/{last}"), format!("w w w dot {host} dot {spoken} slash {last}")),
    }
}

fn measure(random: &mut Random) -> Form {
    let units = [
        ("kilometers", "km"),
        ("miles per hour", "mph"),
        ("degrees celsius", "°C"),
        ("kilograms", "kg"),
        ("megabytes", "MB"),
        ("miles", "miles"),
        ("liters", "L"),
        ("square feet", "square feet"),
    ];
    let (name, symbol) = random.pick(&units);
    let value = random.between(2, 1_000);
    if random.chance() {
        return (format!("{value} {symbol}"), format!("{} {name}", cardinal(value, random)));
    }
    let rest = random.between(1, 100).to_string();
    let spoken = format!("{} point {} {name}", cardinal(value, random), plain_digits(&rest));
    (format!("{value}.{rest} {symbol}"), spoken)
}

#[test]
fn a_spoken_form_becomes_its_written_form_or_stays_in_words() {
    let mut random = Random::new(11);
    for (class, form) in CLASSES {
        let mut right = 0;
        for _ in 0..FORMS {
            let (wanted, spoken) = form(&mut random);
            for (before, after) in CARRIERS {
                let text = format!("{before}{spoken}{after}");
                let found = written(&text);
                let is_right = found == format!("{before}{wanted}{after}");
                assert!(is_right || found == text, "{class}: `{text}` gave `{found}`, not `{wanted}`");
                right += usize::from(is_right);
            }
        }
        let all = FORMS * CARRIERS.len();
        // After `really`, `anna at example dot org` may be more than an address.
        let least = if class == "address" { 75 } else { 97 };
        assert!(right * 100 >= all * least, "{class}: only {right} of {all} were written");
    }
}

#[test]
fn a_form_with_a_number_left_over_stays_in_words() {
    let mut random = Random::new(12);
    let unclear = ["cardinal", "percent", "dollars", "euros", "measure", "decimal", "millions"];
    for (class, form) in CLASSES.into_iter().filter(|(class, _)| unclear.contains(class)) {
        for _ in 0..FORMS {
            let (_, spoken) = form(&mut random);
            for before in ["one ", "seven ", "twenty five ", "i have forty three ", "2 "] {
                let text = format!("{before}{spoken}");
                let joined = ["hundred", "thousand", "million", "billion"].iter();
                // `twenty five thousand` and `seven zero` would be other numbers.
                let other =
                    joined.clone().any(|scale| spoken.starts_with(scale)) || spoken.starts_with("zero");
                let found = written(&text);
                assert!(found == text || other, "{class}: `{text}` gave `{found}`");
            }
        }
    }
}
