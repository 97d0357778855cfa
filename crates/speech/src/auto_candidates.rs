//! Which of the installed models `auto` uses for a language.

use auris_models::CatalogModel;

/// Seconds of audio per second from which a model is fast enough to be chosen for its accuracy.
const MIN_SPEED: f64 = 2.0;

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
/// the first one that is not too slow, unless one that was measured to be fast enough has fewer word errors. If all are
/// too slow, it is the fastest one. `None` if no candidate knows the language.
pub(crate) fn best_for<'a>(candidates: &'a [Candidate], language: Option<&str>) -> Option<&'a CatalogModel> {
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
    let is_better = |one: &&&Candidate| errors(one) < errors(first);
    Some(&most_accurate.filter(is_better).unwrap_or(first).entry)
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
            "large word_errors = { en = 4.0, other = 10.0 }",
            "small word_errors = { en = 8.0, de = 9.0, other = 20.0 }",
        ];
        let candidates: Vec<Candidate> =
            texts.into_iter().zip(speeds).map(|(text, speed)| candidate(text, speed)).collect();
        best_for(&candidates, language).map(|entry| entry.model.id.clone()).unwrap_or_default()
    }

    #[test]
    fn without_measurements_the_order_of_the_catalogue_counts() {
        let none = [None; 3];
        assert_eq!((chosen(none, Some("en")), chosen(none, Some("de"))), ("english".into(), "large".into()));
        assert_eq!(chosen(none, None), "english");
        assert_eq!(chosen(none, Some("xx")), "");
    }

    #[test]
    fn a_model_with_fewer_errors_is_chosen_if_it_is_at_least_twice_as_fast_as_speech() {
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
    fn a_model_that_is_too_slow_is_passed_over_unless_all_are() {
        assert_eq!(chosen([None, Some(1.0), None], Some("de")), "small");
        assert_eq!(chosen([None, Some(1.0), Some(1.9)], Some("de")), "small");
        assert_eq!(chosen([Some(0.5), Some(1.9), Some(1.0)], Some("en")), "large");
    }
}
