//! British spellings in American form. A rule may also change a word that has only one spelling, because both texts are
//! changed in the same way and the result is not shown.

/// Beginnings of `-our` words that end in `-or` in American English.
const OUR: [&str; 33] = [
    "arb",
    "ard",
    "arm",
    "behavi",
    "cand",
    "clam",
    "col",
    "demean",
    "enam",
    "endeav",
    "fav",
    "ferv",
    "flav",
    "glam",
    "harb",
    "hon",
    "hum",
    "lab",
    "neighb",
    "od",
    "parl",
    "ranc",
    "rig",
    "rum",
    "sav",
    "savi",
    "splend",
    "succ",
    "tum",
    "val",
    "vap",
    "vig",
    "misdemean",
];

/// Beginnings of `-re` words that end in `-er` in American English.
const RE: [&str; 17] = [
    "calib", "cent", "centilit", "centimet", "fib", "kilomet", "lit", "lust", "meag", "met", "millilit",
    "millimet", "sab", "somb", "spect", "theat", "epicent",
];

/// Words whose last letter is doubled before an ending in British English.
const SINGLE_L: [&str; 28] = [
    "cancel", "channel", "counsel", "dial", "duel", "equal", "fuel", "funnel", "grovel", "initial", "jewel",
    "label", "level", "marvel", "model", "panel", "pencil", "quarrel", "rival", "shovel", "signal", "spiral",
    "swivel", "total", "travel", "tunnel", "unravel", "wool",
];

/// Endings with `s` for `z`, and the rest of them.
const ISE: [&str; 18] = [
    "ise",
    "ises",
    "ised",
    "ising",
    "iser",
    "isers",
    "isation",
    "isations",
    "isable",
    "yse",
    "yses",
    "ysed",
    "ysing",
    "yser",
    "ysers",
    "isational",
    "isingly",
    "isements",
];

/// Parts of words.
const PARTS: [(&str, &str); 18] = [
    ("logue", "log"),
    ("defence", "defense"),
    ("offence", "offense"),
    ("licence", "license"),
    ("pretence", "pretense"),
    ("practis", "practic"),
    ("anaesth", "anesth"),
    ("paed", "ped"),
    ("haem", "hem"),
    ("anaem", "anem"),
    ("gynaec", "gynec"),
    ("archaeo", "archeo"),
    ("foet", "fet"),
    ("oestro", "estro"),
    ("manoeuvre", "maneuver"),
    ("sceptic", "skeptic"),
    ("aluminium", "aluminum"),
    ("moustache", "mustache"),
];

/// Whole words.
const WORDS: [(&str, &str); 25] = [
    ("grey", "gray"),
    ("tyre", "tire"),
    ("tyres", "tires"),
    ("plough", "plow"),
    ("programme", "program"),
    ("programmes", "programs"),
    ("cheque", "check"),
    ("cheques", "checks"),
    ("cosy", "cozy"),
    ("pyjamas", "pajamas"),
    ("mould", "mold"),
    ("storey", "story"),
    ("storeys", "stories"),
    ("draught", "draft"),
    ("judgement", "judgment"),
    ("acknowledgement", "acknowledgment"),
    ("ageing", "aging"),
    ("maths", "math"),
    ("jewellery", "jewelry"),
    ("enrol", "enroll"),
    ("fulfil", "fulfill"),
    ("skilful", "skillful"),
    ("instalment", "installment"),
    ("yoghurt", "yogurt"),
    ("kerb", "curb"),
];

/// A word in American spelling.
pub(super) fn american(word: &str) -> String {
    if let Some((_, american)) = WORDS.iter().find(|(british, _)| *british == word) {
        return (*american).to_owned();
    }
    let mut text = word.to_owned();
    for (british, american) in PARTS {
        if text.contains(british) {
            text = text.replacen(british, american, 1);
        }
    }
    if text.contains("our") && OUR.iter().any(|begin| text.contains(&format!("{begin}our"))) {
        text = text.replacen("our", "or", 1);
    }
    if text.contains("ll")
        && let Some(begin) = SINGLE_L.iter().find(|begin| text.contains(&format!("{begin}l")))
    {
        text = text.replacen(&format!("{begin}l"), begin, 1);
    }
    with_z(with_er(text))
}

/// `centre` and `centred` become `center` and `centered`.
fn with_er(text: String) -> String {
    for (ending, american) in [("re", "er"), ("res", "ers"), ("red", "ered")] {
        if let Some(begin) = text.strip_suffix(ending).filter(|begin| RE.contains(begin)) {
            return format!("{begin}{american}");
        }
    }
    text
}

/// `organised` becomes `organized`. Short words such as `wise` have no other spelling.
fn with_z(text: String) -> String {
    const SHORTEST: usize = 6;
    let ending = ISE.iter().filter(|ending| text.ends_with(*ending)).max_by_key(|ending| ending.len());
    match ending {
        Some(ending) if text.chars().count() >= SHORTEST => {
            let begin = text.len() - ending.len();
            format!("{}{}", &text[..begin], ending.replacen('s', "z", 1))
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_have_one_form() {
        for (british, us) in [
            ("colourful", "colorful"),
            ("neighbours", "neighbors"),
            ("organisation", "organization"),
            ("analysed", "analyzed"),
            ("centred", "centered"),
            ("kilometres", "kilometers"),
            ("travelling", "traveling"),
            ("jewellery", "jewelry"),
            ("dialogue", "dialog"),
            ("defences", "defenses"),
            ("grey", "gray"),
            ("practised", "practiced"),
        ] {
            assert_eq!(american(british), american(us), "{british}");
        }
        for word in ["four", "hour", "your", "tour", "wise", "more", "here", "fire", "all"] {
            assert_eq!(american(word), word);
        }
    }
}
