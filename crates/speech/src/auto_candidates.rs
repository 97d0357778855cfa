//! Which of the installed models `auto` uses for a language, and when another one gives a second opinion.

use auris_models::CatalogModel;

/// Seconds of audio per second from which a model is fast enough to be chosen for its accuracy.
const MIN_SPEED: f64 = 2.0;
/// A model for one language is kept beside a more accurate one for all languages if it makes at most this many times as
/// many errors: it is several times as fast, and with second opinions of the other one it is about as accurate.
const CLOSE: f64 = 1.5;
/// The mean probability of tokens below which a segment of a model for one language may be in another language. In
/// English, 5 of 100 segments are below it; in German and Dutch, all are.
const SURE_OF_LANGUAGE: f32 = 0.85;
/// The same if the other model makes fewer errors in the language: the segment may also be hard to understand.
/// docs/models.md says what this gains.
const SURE_OF_TEXT: f32 = 0.93;

/// A model that `auto` may use.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub entry: CatalogModel,
    /// Seconds of audio per second on this machine; `None` if it was not measured.
    pub speed: Option<f64>,
}

impl Candidate {
    fn is_slow(&self) -> bool {
        self.speed.is_some_and(|speed| speed < MIN_SPEED)
    }

    fn is_fast(&self) -> bool {
        self.speed.is_some_and(|speed| speed >= MIN_SPEED)
    }
}

/// The model for a language, of candidates in the order of the catalogue; without a language, for most languages. It is
/// the first one that is not too slow, unless one that was measured to be fast enough has fewer word errors (for a model
/// for one language: clearly fewer). If all are too slow, it is the fastest one. `None` if no candidate knows the language.
pub(crate) fn best_for<'a>(candidates: &'a [Candidate], language: Option<&str>) -> Option<&'a Candidate> {
    let knows = |one: &&Candidate| language.is_none_or(|code| one.entry.knows_language(code));
    let errors = |one: &Candidate| one.entry.word_errors_in(language);
    let able: Vec<&Candidate> = candidates.iter().filter(knows).collect();
    let fastest = || able.iter().rev().max_by(|one, other| speed(one).total_cmp(&speed(other)));
    let first = able.iter().find(|one| !one.is_slow()).or_else(fastest)?;
    let fast = able.iter().filter(|one| one.is_fast() && errors(one).is_some());
    let most_accurate = fast.rev().min_by(|one, other| {
        let percent = |one: &Candidate| errors(one).unwrap_or(f64::INFINITY);
        percent(one).total_cmp(&percent(other))
    });
    let margin = if first.entry.languages.len() == 1 { CLOSE } else { 1.0 };
    let is_better = |one: &&&Candidate| errors(one).map(|percent| percent * margin) < errors(first);
    Some(most_accurate.filter(is_better).unwrap_or(first))
}

/// If the mean probability of the tokens of a segment is below this value, the second model transcribes the segment too,
/// because the text or the language may be wrong. `None` if that would not help: the language of the recording is known,
/// and the second model does not make fewer errors in it.
pub(crate) fn sure_from(chosen: &CatalogModel, second: &Candidate, language: Language<'_>) -> Option<f32> {
    let (Language::Known(code) | Language::Expected(code)) = language;
    if second.is_fast() && makes_fewer_errors(&second.entry, chosen, code) {
        return Some(SURE_OF_TEXT);
    }
    matches!(language, Language::Expected(_)).then_some(SURE_OF_LANGUAGE)
}

/// The language of a recording.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Language<'a> {
    /// The caller named it.
    Known(&'a str),
    /// It was detected in the beginning; other segments may be in another one.
    Expected(&'a str),
}

/// Whether a model was measured to make fewer errors in a language than another one.
fn makes_fewer_errors(one: &CatalogModel, other: &CatalogModel, language: &str) -> bool {
    let errors = |entry: &CatalogModel| entry.word_errors_in(Some(language));
    errors(one).zip(errors(other)).is_some_and(|(one, other)| one < other)
}

fn speed(candidate: &Candidate) -> f64 {
    candidate.speed.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use auris_models::Catalog;

    use super::*;

    /// A model and its speed: `id`, languages, word errors.
    fn candidate(text: &str, speed: Option<f64>) -> Candidate {
        let (id, rest) = text.split_once(' ').unwrap();
        let model = format!(
            "[[models]]\nid = \"{id}\"\ndisplay_name = \"\"\nengine = \"whisper\"\ncapabilities = []\n{rest}"
        );
        Candidate { entry: Catalog::parse(&model).unwrap().models.remove(0), speed }
    }

    fn chosen(speeds: [Option<f64>; 3], language: Option<&str>) -> String {
        let texts = [
            "english languages = [\"en\"]\nword_errors = { en = 6.0 }",
            "large word_errors = { en = 3.9, other = 10.0 }",
            "small word_errors = { en = 8.0, de = 9.0, other = 20.0 }",
        ];
        let candidates: Vec<Candidate> =
            texts.into_iter().zip(speeds).map(|(text, speed)| candidate(text, speed)).collect();
        best_for(&candidates, language).map(|one| one.entry.model.id.clone()).unwrap_or_default()
    }

    #[test]
    fn without_measurements_the_order_of_the_catalogue_counts() {
        let none = [None; 3];
        assert_eq!((chosen(none, Some("en")), chosen(none, Some("de"))), ("english".into(), "large".into()));
        assert_eq!(chosen(none, None), "english");
        assert_eq!(chosen(none, Some("xx")), "");
    }

    #[test]
    fn a_model_with_clearly_fewer_errors_is_chosen_if_it_is_at_least_twice_as_fast_as_speech() {
        let english = |large: Option<f64>| chosen([Some(50.0), large, Some(9.0)], Some("en"));
        assert_eq!(
            (english(Some(2.5)), english(Some(1.5)), english(None)),
            ("large".into(), "english".into(), "english".into())
        );
        // By the figures of the language, the small model is better in German.
        assert_eq!(chosen([None, Some(4.0), Some(9.0)], Some("de")), "small");
        assert_eq!(chosen([None, Some(4.0), Some(9.0)], Some("fr")), "large");
    }

    #[test]
    fn a_model_for_one_language_is_kept_beside_a_slightly_better_one_which_then_checks_its_text() {
        let fast = Some(10.0);
        let english = candidate("english languages = [\"en\"]\nword_errors = { en = 6.0 }", fast);
        let close = |speed| candidate("close word_errors = { en = 5.0, other = 10.0 }", speed);
        let worse = candidate("worse word_errors = { en = 7.0, other = 10.0 }", fast);
        let candidates = [english.clone(), close(fast)];
        let id = |language| best_for(&candidates, Some(language)).map(|one| one.entry.model.id.as_str());
        assert_eq!((id("en"), id("de")), (Some("english"), Some("close")));

        let known = |second: &Candidate| sure_from(&english.entry, second, Language::Known("en"));
        let expected = |second: &Candidate| sure_from(&english.entry, second, Language::Expected("en"));
        assert_eq!((known(&close(fast)), expected(&close(fast))), (Some(SURE_OF_TEXT), Some(SURE_OF_TEXT)));
        for second in [worse, close(Some(1.0)), close(None)] {
            assert_eq!((known(&second), expected(&second)), (None, Some(SURE_OF_LANGUAGE)));
        }
    }

    #[test]
    fn a_model_that_is_too_slow_is_passed_over_unless_all_are() {
        assert_eq!(chosen([None, Some(1.0), None], Some("de")), "small");
        assert_eq!(chosen([None, Some(1.0), Some(1.9)], Some("de")), "small");
        assert_eq!(chosen([Some(0.5), Some(1.9), Some(1.0)], Some("en")), "large");
    }
}
