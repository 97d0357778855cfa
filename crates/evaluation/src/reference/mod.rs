//! Reference texts, word times and speakers, in the formats that are common for them.

mod ctm;
mod manifest;
mod rttm;
mod stm;
mod subtitles;

use crate::diarization::{Turn, speaker_count};
use crate::spoken_word::SpokenWord;
use crate::word_times::TimedParts;

pub use ctm::read_ctm;
pub use manifest::{ManifestEntry, read_manifest};
pub use rttm::read_rttm;
pub use stm::read_stm;
pub use subtitles::{read_srt, read_vtt};

/// Maximum seconds of a time. A larger one is a mistake of units.
const MAX_SECONDS: f64 = 1e7;

/// Maximum number of speakers in a recording. Assigning more of them takes too long.
const MAX_SPEAKERS: usize = 1000;

/// Why a reference cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    #[error("line {line}: {problem}")]
    Line { line: usize, problem: String },
    #[error("it has more than {MAX_SPEAKERS} speakers")]
    TooManySpeakers,
    #[error("it has no {0}")]
    Empty(&'static str),
}

impl ReferenceError {
    fn line(index: usize, problem: impl Into<String>) -> Self {
        Self::Line { line: index + 1, problem: problem.into() }
    }
}

type Result<T> = std::result::Result<T, ReferenceError>;

/// A part of a reference with its times: a subtitle, a line of an STM file.
#[derive(Debug, Clone, PartialEq)]
pub struct Cue {
    pub start: f64,
    pub end: f64,
    pub speaker: Option<String>,
    pub text: String,
}

/// What is known about a recording.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reference {
    /// `None` if only the speakers are known. Empty if nothing is said.
    pub words: Option<Vec<SpokenWord>>,
    /// What the times of the words are times of; `None` if there are none.
    pub times: Option<TimedParts>,
    /// `None` if it is not known who speaks when.
    pub turns: Option<Vec<Turn>>,
}

impl Reference {
    pub fn from_text(text: &str) -> Self {
        Self { words: Some(SpokenWord::list(text)), ..Self::default() }
    }

    /// Text, times and, if every part has a speaker, speakers.
    pub fn from_cues(cues: &[Cue]) -> Result<Self> {
        let words = cues.iter().flat_map(cue_words).collect();
        let turn = |cue: &Cue| cue.speaker.as_ref().map(|name| Turn::new(name, cue.start, cue.end));
        let turns: Option<Vec<Turn>> = cues.iter().map(turn).collect();
        let turns = turns.filter(|turns| !turns.is_empty());
        check_speakers(turns.as_deref().unwrap_or_default())?;
        Ok(Self { words: Some(words), times: Some(TimedParts::Segments), turns })
    }

    /// Words with times.
    pub fn from_timed_words(words: Vec<SpokenWord>) -> Self {
        Self { words: Some(words), times: Some(TimedParts::Words), turns: None }
    }

    pub fn from_turns(turns: Vec<Turn>) -> Self {
        Self { turns: Some(turns), ..Self::default() }
    }

    /// Adds what another reference of the same recording knows better: times of words instead of segments, and speakers.
    pub fn join(mut self, other: Self) -> Self {
        let better_times = other.times == Some(TimedParts::Words) && self.times != Some(TimedParts::Words);
        if self.words.is_none() || better_times {
            self.words = other.words.or(self.words);
            self.times = other.times;
        }
        self.turns = other.turns.or(self.turns);
        self
    }
}

fn check_speakers(turns: &[Turn]) -> Result<()> {
    if speaker_count(turns) > MAX_SPEAKERS { Err(ReferenceError::TooManySpeakers) } else { Ok(()) }
}

fn cue_words(cue: &Cue) -> Vec<SpokenWord> {
    let mut words = SpokenWord::list(&cue.text);
    if let Some(first) = words.first_mut() {
        first.start = Some(cue.start);
    }
    if let Some(last) = words.last_mut() {
        last.end = Some(cue.end);
    }
    words.iter_mut().for_each(|word| word.speaker.clone_from(&cue.speaker));
    words
}

/// A number of seconds in a file.
fn seconds(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| (0.0..=MAX_SECONDS).contains(value))
}

/// The beginning of a text, for messages.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_words_replace_those_of_segments_and_speakers_are_added() {
        let cue = Cue { start: 1.0, end: 3.0, speaker: None, text: "Good day.".into() };
        let cues = Reference::from_cues(&[cue]).unwrap();
        let words = cues.words.as_ref().unwrap();
        assert_eq!((words[0].start, words[0].end), (Some(1.0), None));
        assert_eq!((words[1].start, words[1].end), (None, Some(3.0)));
        let timed = Reference::from_timed_words(SpokenWord::list("good day"));
        let turns = Reference::from_turns(vec![Turn::new("a", 1.0, 3.0)]);
        let all = cues.clone().join(timed).join(turns);
        assert_eq!((all.times, all.turns.as_ref().map(Vec::len)), (Some(TimedParts::Words), Some(1)));
        assert_eq!(all.words.unwrap()[0].text, "good");
        let same = cues.clone().join(Reference::from_text("other"));
        assert_eq!(same, cues);
    }

    #[test]
    fn times_must_be_plausible_numbers() {
        assert_eq!(seconds("1.25"), Some(1.25));
        for text in ["NaN", "inf", "-1", "1e300", "", "one"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
