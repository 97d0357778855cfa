//! Text and subtitle files of a transcript: plain text, SubRip and WebVTT.

use super::Transcript;
use super::cues::{Cue, cues, has_speakers};

/// The text; if speakers are known, one line for each utterance.
pub fn plain(transcript: &Transcript) -> String {
    if !has_speakers(transcript) {
        return transcript.text.clone();
    }
    let lines = transcript.utterances.iter();
    lines.map(|utterance| with_speaker(utterance.speaker.as_deref(), &utterance.text) + "\n").collect()
}

/// A SubRip file; empty if nothing was said.
pub fn srt(transcript: &Transcript) -> String {
    let cue = |(index, cue): (usize, Cue)| {
        let times = format!("{} --> {}", cue_time(cue.start, ','), cue_time(cue.end, ','));
        let text = with_speaker(cue.speaker.as_deref(), &cue_text(&cue.text));
        format!("{}\n{times}\n{text}\n\n", index + 1)
    };
    cues(transcript).into_iter().enumerate().map(cue).collect()
}

/// A WebVTT file. Speakers are written as voice tags.
pub fn vtt(transcript: &Transcript) -> String {
    let cues = cues(transcript).into_iter().map(|cue| {
        let times = format!("{} --> {}", cue_time(cue.start, '.'), cue_time(cue.end, '.'));
        let voice = cue.speaker.map(|speaker| format!("<v {}>", escape(&speaker))).unwrap_or_default();
        format!("{times}\n{voice}{}\n\n", escape(&cue_text(&cue.text)))
    });
    std::iter::once("WEBVTT\n\n".to_owned()).chain(cues).collect()
}

fn with_speaker(speaker: Option<&str>, text: &str) -> String {
    speaker.map_or_else(|| text.to_owned(), |speaker| format!("{speaker}: {text}"))
}

/// The text without blank lines, which would end the cue.
fn cue_text(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn cue_time(seconds: f64, separator: char) -> String {
    let ms = (seconds.max(0.0) * 1000.0).round() as u64;
    let hours = ms / 3_600_000;
    let minutes = ms / 60_000 % 60;
    let seconds = ms / 1000 % 60;
    format!("{hours:02}:{minutes:02}:{seconds:02}{separator}{:03}", ms % 1000)
}

#[cfg(test)]
mod tests {
    use super::super::{Segment, Utterance, Word};
    use super::*;

    fn segment(start: f64, end: f64, text: &str) -> Segment {
        let count = text.split_whitespace().count() as f64;
        let times = (0..).map(|at| start + (end - start) * f64::from(at) / count);
        let words = text.split_whitespace().zip(times).map(|(word, start)| Word {
            word: word.into(),
            start,
            end: start + 0.1,
            confidence: 1.0,
        });
        Segment { id: 0, start, end, text: text.into(), words: words.collect() }
    }

    fn transcript(segments: &[Segment]) -> Transcript {
        let text = segments.iter().map(|segment| segment.text.as_str()).collect::<Vec<_>>().join(" ");
        Transcript {
            text,
            language: None,
            duration_seconds: "9".into(),
            segments: segments.to_vec(),
            utterances: vec![],
        }
    }

    /// Two segments. Speaker B begins in the middle of the second.
    fn conversation() -> Transcript {
        let mut made = transcript(&[segment(0.0, 2.0, "Good day."), segment(3.0, 5.0, "Hello! And you?")]);
        let words = made.words();
        let utterance = |speaker: &str, text: &str, words: &[Word]| Utterance {
            speaker: Some(speaker.into()),
            start: words[0].start,
            end: words[words.len() - 1].end,
            text: text.into(),
            words: words.to_vec(),
        };
        made.utterances =
            vec![utterance("A", "Good day. Hello!", &words[..3]), utterance("B", "And you?", &words[3..])];
        made
    }

    #[test]
    fn srt_numbers_cues_and_writes_commas() {
        let file = srt(&transcript(&[segment(0.0, 2.5, "Hello."), segment(3_661.0, 3_662.25, "Later.")]));
        assert_eq!(
            file,
            "1\n00:00:00,000 --> 00:00:02,500\nHello.\n\n2\n01:01:01,000 --> 01:01:02,250\nLater.\n\n"
        );
    }

    #[test]
    fn vtt_escapes_markup_and_removes_blank_lines() {
        let file = vtt(&transcript(&[segment(0.0, 1.0, "a < b\n\n& c")]));
        assert_eq!(file, "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\na &lt; b\n&amp; c\n\n");
    }

    #[test]
    fn cues_are_divided_where_the_speaker_changes() {
        let file = srt(&conversation());
        let texts: Vec<&str> = file.split("\n\n").filter_map(|cue| cue.lines().nth(2)).collect();
        assert_eq!(texts, ["A: Good day.", "A: Hello!", "B: And you?"]);
        let file = vtt(&conversation());
        assert!(file.contains("\n<v A>Good day.\n") && file.contains("\n<v B>And you?\n"), "{file}");
    }

    #[test]
    fn the_plain_text_has_a_line_for_each_utterance_if_speakers_are_known() {
        assert_eq!(plain(&conversation()), "A: Good day. Hello!\nB: And you?\n");
        let without_speakers = Transcript { utterances: vec![], ..conversation() };
        assert_eq!(plain(&without_speakers), "Good day. Hello! And you?");
    }
}
