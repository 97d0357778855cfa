//! The language of a transcript: the declared one, or the one that `whatlang` detects.

use auris_engine_core::language_code::primary;
use auris_engine_core::text::TextTranscript;
use whatlang::{Info, Lang, Script};

/// Bytes of the text that are used for detection.
const SAMPLE: usize = 20_000;

/// The ISO 639-1 code of a transcript's language; `None` if it is not declared and the text is too short to detect it.
pub(crate) fn language_of(transcript: &TextTranscript) -> Option<String> {
    match transcript.language.as_deref().map(str::trim).filter(|declared| !declared.is_empty()) {
        Some(declared) => Some(primary(declared)),
        None => detect(&transcript.text).map(str::to_owned),
    }
}

fn detect(text: &str) -> Option<&'static str> {
    let end = text.floor_char_boundary(SAMPLE);
    let info = whatlang::detect(&text[..end]).filter(is_certain)?;
    Some(iso_639_1(info.lang()))
}

/// Accepts an uncertain language only if its script is not the Latin one: then it is at least not English.
fn is_certain(info: &Info) -> bool {
    info.is_reliable() || info.script() != Script::Latin
}

/// The two-letter code of the languages that have many speakers; the three-letter code of the others.
fn iso_639_1(language: Lang) -> &'static str {
    match language {
        Lang::Eng => "en",
        Lang::Deu => "de",
        Lang::Fra => "fr",
        Lang::Spa => "es",
        Lang::Ita => "it",
        Lang::Por => "pt",
        Lang::Nld => "nl",
        Lang::Swe => "sv",
        Lang::Dan => "da",
        Lang::Nob => "no",
        Lang::Fin => "fi",
        Lang::Pol => "pl",
        Lang::Ces => "cs",
        Lang::Hun => "hu",
        Lang::Ron => "ro",
        Lang::Tur => "tr",
        Lang::Rus => "ru",
        Lang::Ukr => "uk",
        Lang::Bul => "bg",
        Lang::Ell => "el",
        Lang::Heb => "he",
        Lang::Ara => "ar",
        Lang::Hin => "hi",
        Lang::Tha => "th",
        Lang::Jpn => "ja",
        Lang::Kor => "ko",
        Lang::Cmn => "zh",
        Lang::Vie => "vi",
        Lang::Ind => "id",
        other => other.code(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_enough_to_detect_its_language() {
        let english =
            "So I told them that the order was not what we had asked for, and they said it is on its way.";
        let german = "Ich habe ihnen gesagt, dass die Bestellung nicht das ist, was wir wollten, und sie ist auf dem Weg.";
        let spanish =
            "Les dije que el pedido no era lo que habíamos pedido y que no está en camino por ahora.";
        assert_eq!([detect(english), detect(german), detect(spanish)], [Some("en"), Some("de"), Some("es")]);
    }

    #[test]
    fn another_script_is_detected_and_a_short_text_is_not() {
        assert_eq!(detect("Привет, это проверка."), Some("ru"));
        assert_eq!(detect("これはテストです"), Some("ja"));
        assert_eq!((detect("Hello?"), detect("")), (None, None));
    }

    #[test]
    fn small_talk_is_not_taken_for_another_language() {
        for text in ["Okay. Yeah, I know. Well, let me check that for you.", "Hi this is Diane in New Jersey"]
        {
            assert!(matches!(detect(text), None | Some("en")), "{text}");
        }
    }

    #[test]
    fn the_declared_language_counts() {
        let transcript = TextTranscript {
            text: "the the the the".into(),
            language: Some("de-AT".into()),
            ..Default::default()
        };
        assert_eq!(language_of(&transcript).as_deref(), Some("de"));
    }
}
