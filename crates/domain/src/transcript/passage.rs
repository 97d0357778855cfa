//! Segments and utterances of a transcript from a caller. They are kept unchanged and read only if needed.

use std::borrow::Cow;
use std::convert::Infallible;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Segment, Utterance, Word};
use crate::json_text::JsonText;
use crate::raw_json::{RawJson, compact};

/// A JSON object with a `text`. Its other fields can be anything and are returned unchanged, so it is kept as text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Passage(JsonText);

/// An utterance or segment as the text stages read it. A field of an unexpected type counts as absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextUtterance {
    pub text: String,
    pub speaker: Option<String>,
    pub start: Option<f64>,
    pub end: Option<f64>,
}

impl Passage {
    /// Keeps an object that was checked to have a `text`.
    pub fn of_checked(object: RawJson<'_>) -> Self {
        let mut text = String::with_capacity(object.as_str().len());
        compact(object.as_str(), &mut text);
        Self(JsonText::from_checked(text))
    }

    pub fn of_segment(segment: &Segment) -> Self {
        Self(JsonText::of(segment))
    }

    pub fn of_utterance(utterance: &Utterance) -> Self {
        Self(JsonText::of(utterance))
    }

    /// All fields of a segment or an utterance; `None` if one is absent or of another type.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        RawJson::of_piece(self.as_str()).read()
    }

    pub(super) fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The known fields. Values of other types are skipped without building them: they can have any size.
    pub fn view(&self) -> TextUtterance {
        let mut view = TextUtterance::default();
        self.for_each_field(|name, value| match name {
            "text" => view.text = value.string().map(Cow::into_owned).unwrap_or_default(),
            "speaker" => view.speaker = value.string().map(Cow::into_owned),
            "start" => view.start = value.read(),
            "end" => view.end = value.read(),
            _ => {}
        });
        view
    }

    /// The words that have a position in the audio.
    pub fn timed_words(&self) -> Vec<Word> {
        let mut timed = Vec::new();
        self.for_each_field(|name, value| {
            if name == "words" {
                let Ok(()) = value.for_each_item(|_, word| {
                    timed.extend(word.read::<Word>());
                    Ok::<(), Infallible>(())
                });
            }
        });
        timed
    }

    fn for_each_field(&self, mut take: impl FnMut(&str, RawJson<'_>)) {
        let Ok(object) = RawJson::whole(self.as_str()) else { return };
        let Ok(()) = object.for_each_field(|name, value| {
            take(&name, value);
            Ok::<(), Infallible>(())
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(json: &str) -> Passage {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn fields_of_unexpected_types_count_as_absent_and_are_kept() {
        let json = r#"{"start":"00:01","text":"Hi","end":2,"speaker":7,"note":{"a":[1.50]}}"#;
        let passage = passage(json);
        let expected = TextUtterance { text: "Hi".into(), end: Some(2.0), ..TextUtterance::default() };
        assert_eq!(passage.view(), expected);
        assert_eq!(serde_json::to_string(&passage).unwrap(), json);
    }

    #[test]
    fn only_words_with_a_position_are_timed() {
        let words = r#"[{"word":"a","start":0,"end":1,"confidence":1,"more":2},{"word":"b"},"c"]"#;
        let timed = passage(&format!(r#"{{"text":"a b c","words":{words}}}"#)).timed_words();
        assert_eq!(timed, [Word { word: "a".into(), start: 0.0, end: 1.0, confidence: 1.0 }]);
        assert!(passage(r#"{"text":"","words":"none"}"#).timed_words().is_empty());
    }
}
