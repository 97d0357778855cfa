//! Languages by their ISO 639-1 codes, in the order of Whisper's language tokens.

/// The languages that Whisper knows.
pub const WHISPER: [&str; 99] = [
    "en", "zh", "de", "es", "ru", "ko", "fr", "ja", "pt", "tr", "pl", "ca", "nl", "ar", "sv", "it", "id",
    "hi", "fi", "vi", "he", "uk", "el", "ms", "cs", "ro", "da", "hu", "ta", "no", "th", "ur", "hr", "bg",
    "lt", "la", "mi", "ml", "cy", "sk", "te", "fa", "lv", "bn", "sr", "az", "sl", "kn", "et", "mk", "br",
    "eu", "is", "hy", "ne", "mn", "bs", "kk", "sq", "sw", "gl", "mr", "pa", "si", "km", "sn", "yo", "so",
    "af", "oc", "ka", "be", "tg", "sd", "gu", "am", "yi", "lo", "uz", "fo", "ht", "ps", "tk", "nn", "mt",
    "sa", "lb", "my", "bo", "tl", "mg", "as", "tt", "haw", "ln", "ha", "ba", "jw", "su",
];

/// The first part of a BCP 47 tag, in the spelling of the table.
pub fn primary(tag: &str) -> String {
    let primary = tag.split(['-', '_']).next().unwrap_or_default().trim().to_ascii_lowercase();
    match primary.as_str() {
        "iw" => "he".into(),
        "nb" => "no".into(),
        "jv" => "jw".into(),
        "fil" => "tl".into(),
        "cmn" | "yue" => "zh".into(),
        _ => primary,
    }
}

/// Whether words of this language are written without spaces between them.
pub fn writes_without_spaces(language: &str) -> bool {
    matches!(language, "zh" | "ja" | "th" | "lo" | "my" | "km" | "bo")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_part_of_a_tag_counts() {
        assert_eq!(primary("en-GB"), "en");
        assert_eq!(primary("PT_br"), "pt");
        assert_eq!(primary("nb-NO"), "no");
    }
}
