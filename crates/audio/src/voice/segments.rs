//! Cuts a recording into segments with speech. Cuts are in pauses, not inside words.

use std::ops::Range;

use super::detector::VoiceDetector;
use super::net::FRAME;
use crate::pipeline::Cutter;
use crate::{EngineError, Leveler, SAMPLE_RATE};

/// Speech begins at this probability ...
const BEGIN: f32 = 0.5;
/// ... and ends below this one.
const END: f32 = 0.35;
/// Frames kept before and after speech, so that no consonant is lost.
const LEAD: usize = 8;
const TAIL: usize = 8;
/// Minimum frames of a pause.
const PAUSE: usize = 10;
/// Minimum frames of speech in a segment; fewer are a click, not a word.
const WORD: usize = 4;
/// Frames of speech from which a segment certainly contains words.
const SURELY_SPOKEN: usize = 32;

/// A recording of up to this many frames, three seconds, may be a single word ...
const SHORT_RECORDING: usize = 94;
/// ... for which fewer frames of a lower probability suffice, if no other speech was found in it.
const WEAK: f32 = 0.2;
const WEAK_FRAMES: usize = 2;

/// The lengths of segments, in seconds.
#[derive(Debug, Clone, Copy)]
pub struct SegmentLimits {
    /// Maximum length.
    pub longest: f64,
    /// From this length on, the next pause ends the segment.
    pub enough: f64,
    /// A pause of this length always ends the segment.
    pub pause: f64,
}

/// A part of the recording with speech in it.
#[derive(Debug, Clone, PartialEq)]
pub struct VoiceSegment {
    /// Where it begins in the recording, in seconds.
    pub start: f64,
    pub samples: Vec<f32>,
    /// The probability of speech in each frame.
    pub voice: Vec<f32>,
}

impl VoiceSegment {
    pub fn seconds(&self) -> f64 {
        self.samples.len() as f64 / f64::from(SAMPLE_RATE)
    }

    /// The length of the frames in which somebody speaks, in seconds.
    pub fn speech_seconds(&self) -> f64 {
        seconds(self.voice.iter().filter(|frame| **frame >= BEGIN).count())
    }

    /// The two parts before and after the longest pause, for a model that found no words although somebody speaks: a click
    /// and a second of silence before the first word can make it stop. Empty if there is little speech or no pause.
    pub fn parts(&self) -> Vec<Self> {
        let spoken =
            |range: &Range<usize>| self.voice[range.clone()].iter().filter(|frame| **frame >= END).count();
        let all = 0..self.voice.len();
        let pause = pauses(&self.voice).into_iter().max_by_key(Range::len);
        let Some(pause) = pause.filter(|pause| pause.len() >= PAUSE && spoken(&all) >= SURELY_SPOKEN) else {
            return Vec::new();
        };
        let parts = [0..all.end.min(pause.start + TAIL), pause.end.saturating_sub(LEAD)..all.end];
        parts.into_iter().filter(|part| spoken(part) >= WORD).map(|part| self.part(part)).collect()
    }

    fn part(&self, frames: Range<usize>) -> Self {
        let samples = frames.start * FRAME..(frames.end * FRAME).min(self.samples.len());
        Self {
            start: self.start + seconds(frames.start),
            samples: self.samples[samples].to_vec(),
            voice: self.voice[frames].to_vec(),
        }
    }
}

/// The ranges of frames without speech.
fn pauses(voice: &[f32]) -> Vec<Range<usize>> {
    let runs = voice.chunk_by(|one, next| (*one < END) == (*next < END));
    let placed = runs.scan(0, |at, run| {
        let start = std::mem::replace(at, *at + run.len());
        Some((start..*at, run[0] < END))
    });
    placed.filter(|(_, quiet)| *quiet).map(|(range, _)| range).collect()
}

/// Receives samples and returns segments.
pub struct SegmentCutter {
    limits: SegmentLimits,
    level: Leveler,
    detector: VoiceDetector,
    /// Samples and probabilities from `first_frame` on.
    samples: Vec<f32>,
    voice: Vec<f32>,
    first_frame: usize,
    /// Whether the last frame was speech.
    speaking: bool,
    /// Whether no segment was returned yet.
    nothing_found: bool,
    /// The current segment, in frames from `first_frame` on.
    open: Option<Open>,
}

#[derive(Clone, Copy)]
struct Open {
    begin: usize,
    /// One past the last frame of speech.
    end: usize,
    spoken: usize,
}

impl SegmentCutter {
    pub fn new(limits: SegmentLimits) -> Self {
        Self {
            limits,
            level: Leveler::default(),
            detector: VoiceDetector::new(),
            samples: Vec::new(),
            voice: Vec::new(),
            first_frame: 0,
            speaking: false,
            nothing_found: true,
            open: None,
        }
    }

    /// Takes the next samples at their level.
    fn detect(&mut self, samples: &[f32]) -> Result<Vec<VoiceSegment>, EngineError> {
        self.samples.extend_from_slice(samples);
        let voice = self.detector.push(samples)?;
        Ok(self.process(voice))
    }

    fn process(&mut self, voice: Vec<f32>) -> Vec<VoiceSegment> {
        let mut segments = Vec::new();
        for probability in voice {
            self.voice.push(probability);
            self.speaking = probability >= if self.speaking { END } else { BEGIN };
            segments.extend(self.advance());
        }
        self.forget();
        segments
    }

    /// Processes the last frame.
    fn advance(&mut self) -> Option<VoiceSegment> {
        let here = self.voice.len();
        if self.speaking {
            let open = self.open.get_or_insert(Open {
                begin: (here - 1).saturating_sub(LEAD),
                end: here,
                spoken: 0,
            });
            open.end = here;
            open.spoken += 1;
        }
        let open = self.open?;
        let length = seconds(open.end - open.begin);
        let pause = here - open.end;
        if seconds(here - open.begin) >= self.limits.longest {
            return self.split(open);
        }
        let over = pause >= PAUSE && length >= self.limits.enough;
        if over || (seconds(pause) >= self.limits.pause && pause > TAIL) { self.close() } else { None }
    }

    /// Cuts a segment that is too long at the quietest frame of its last third.
    fn split(&mut self, open: Open) -> Option<VoiceSegment> {
        let here = self.voice.len();
        let from = open.begin + (here - open.begin) * 2 / 3;
        let quietest = (from..here).min_by(|one, other| self.voice[*one].total_cmp(&self.voice[*other]))?;
        let segment = self.cut(open.begin, quietest + 1, open.spoken);
        let rest = (quietest + 1..here).filter(|frame| self.voice[*frame] >= END).count();
        self.open =
            (rest > 0).then_some(Open { begin: quietest + 1, end: open.end.max(quietest + 2), spoken: rest });
        segment
    }

    fn close(&mut self) -> Option<VoiceSegment> {
        let open = self.open.take()?;
        self.cut(open.begin, (open.end + TAIL).min(self.voice.len()), open.spoken)
    }

    fn cut(&mut self, begin: usize, end: usize, spoken: usize) -> Option<VoiceSegment> {
        if spoken < WORD {
            return None;
        }
        let last = (end * FRAME).min(self.samples.len());
        let samples = self.samples.get(begin * FRAME..last)?.to_vec();
        let start = seconds(self.first_frame + begin);
        self.nothing_found = false;
        Some(VoiceSegment { start, samples, voice: self.voice[begin..end].to_vec() })
    }

    /// The whole of a short recording in which something is almost speech.
    fn weak_word(&mut self) -> Option<VoiceSegment> {
        let weak = self.voice.iter().filter(|voice| **voice >= WEAK).count();
        let is_word = self.nothing_found && self.first_frame == 0 && weak >= WEAK_FRAMES;
        if is_word { self.cut(0, self.voice.len(), WORD) } else { None }
    }

    /// Drops the frames that no segment can need any more.
    fn forget(&mut self) {
        if self.nothing_found && self.first_frame == 0 && self.voice.len() <= SHORT_RECORDING {
            return;
        }
        let needed = self.open.map_or(self.voice.len().saturating_sub(LEAD), |open| open.begin);
        self.samples.drain(..(needed * FRAME).min(self.samples.len()));
        self.voice.drain(..needed);
        self.first_frame += needed;
        if let Some(open) = &mut self.open {
            open.begin -= needed;
            open.end -= needed;
        }
    }
}

impl Cutter for SegmentCutter {
    type Unit = VoiceSegment;

    fn push(&mut self, samples: &[f32]) -> Result<Vec<VoiceSegment>, EngineError> {
        let samples = self.level.push(samples);
        self.detect(&samples)
    }

    fn finish(&mut self) -> Result<Vec<VoiceSegment>, EngineError> {
        let samples = self.level.finish();
        let mut segments = self.detect(&samples)?;
        let voice = self.detector.finish()?;
        segments.extend(self.process(voice));
        segments.extend(self.close());
        segments.extend(self.weak_word());
        Ok(segments)
    }
}

fn seconds(frames: usize) -> f64 {
    (frames * FRAME) as f64 / f64::from(SAMPLE_RATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: SegmentLimits = SegmentLimits { longest: 20.0, enough: 10.0, pause: 1.0 };

    /// Feeds one probability per frame, with samples that count up.
    fn cut(voice: &[f32]) -> Vec<VoiceSegment> {
        let mut cutter = SegmentCutter::new(LIMITS);
        let mut segments = Vec::new();
        for (frame, probability) in voice.iter().enumerate() {
            cutter.samples.extend(vec![frame as f32; FRAME]);
            segments.extend(cutter.process(vec![*probability]));
        }
        segments.extend(cutter.close());
        segments.extend(cutter.weak_word());
        segments
    }

    fn frames(pattern: &[(usize, f32)]) -> Vec<f32> {
        pattern.iter().flat_map(|(count, probability)| vec![*probability; *count]).collect()
    }

    #[test]
    fn silence_and_clicks_give_no_segment() {
        assert!(cut(&frames(&[(500, 0.1)])).is_empty());
        assert!(cut(&frames(&[(100, 0.1), (2, 0.9), (100, 0.1)])).is_empty());
    }

    #[test]
    fn a_short_recording_with_almost_speech_is_a_segment() {
        let segments = cut(&frames(&[(5, 0.1), (3, 0.3), (5, 0.1)]));
        assert_eq!((segments.len(), segments[0].start, segments[0].voice.len()), (1, 0.0, 13));
        assert!(cut(&frames(&[(5, 0.1), (1, 0.3), (5, 0.1)])).is_empty());
        assert!(cut(&frames(&[(100, 0.1), (3, 0.3), (5, 0.1)])).is_empty(), "a longer recording");
        assert_eq!(cut(&frames(&[(5, 0.3), (20, 0.9), (40, 0.1)])).len(), 1, "the speech alone");
    }

    #[test]
    fn a_word_keeps_its_margins_and_its_position() {
        let segments = cut(&frames(&[(50, 0.1), (20, 0.9), (50, 0.1)]));
        assert_eq!(segments.len(), 1);
        assert_eq!(segments[0].start, seconds(50 - LEAD));
        assert_eq!(segments[0].voice.len(), LEAD + 20 + TAIL);
        assert_eq!(segments[0].samples[0], (50 - LEAD) as f32);
        assert_eq!(segments[0].samples.len(), segments[0].voice.len() * FRAME);
    }

    #[test]
    fn a_long_pause_ends_a_segment_and_a_short_one_does_not() {
        assert_eq!(cut(&frames(&[(30, 0.9), (15, 0.1), (30, 0.9), (40, 0.1)])).len(), 1);
        assert_eq!(cut(&frames(&[(30, 0.9), (40, 0.1), (30, 0.9), (40, 0.1)])).len(), 2);
    }

    #[test]
    fn after_enough_speech_a_short_pause_ends_the_segment() {
        let segments = cut(&frames(&[(400, 0.9), (12, 0.1), (100, 0.9), (40, 0.1)]));
        assert_eq!(segments.len(), 2);
    }

    #[test]
    fn a_segment_is_divided_at_its_longest_pause() {
        let pattern = [(4, 0.9), (25, 0.1), (60, 0.9), (15, 0.1), (30, 0.9)];
        let segments = cut(&frames(&pattern));
        let parts = segments[0].parts();
        assert_eq!(parts.len(), 2);
        assert_eq!(parts[0].voice.len(), 4 + TAIL);
        assert_eq!(parts[1].start, seconds(29 - LEAD));
        assert_eq!(parts[1].samples[0], (29 - LEAD) as f32);
        assert_eq!(parts[1].samples.len(), parts[1].voice.len() * FRAME);
        assert_eq!(parts[1].parts().len(), 2, "at the next pause");
    }

    #[test]
    fn little_speech_or_speech_without_a_pause_is_not_divided() {
        for pattern in [&[(20, 0.9), (20, 0.1), (8, 0.9)][..], &[(60, 0.9), (5, 0.1), (60, 0.9)]] {
            assert!(cut(&frames(pattern))[0].parts().is_empty());
        }
        let quiet_start = VoiceSegment {
            start: 3.0,
            samples: vec![0.0; 80 * FRAME],
            voice: frames(&[(40, 0.1), (40, 0.9)]),
        };
        let parts = quiet_start.parts();
        assert_eq!((parts.len(), parts[0].start), (1, 3.0 + seconds(40 - LEAD)));
        assert!(parts[0].parts().is_empty(), "what is left is all speech");
    }

    #[test]
    fn speech_without_a_pause_is_cut_at_its_quietest_frame_without_loss() {
        let mut voice = vec![0.9; 1_500];
        voice[500] = 0.4;
        let segments = cut(&voice);
        assert!(segments.iter().all(|segment| segment.seconds() <= 20.0));
        assert_eq!(segments[0].voice.len(), 501);
        assert_eq!(segments.iter().map(|segment| segment.voice.len()).sum::<usize>(), 1_500);
    }
}
