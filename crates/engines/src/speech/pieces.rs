//! Cuts a recording where nobody speaks into pieces that a net can take, never inside a word.

use std::ops::Range;

use super::vad::{FRAME, VoiceDetector};
use crate::EngineError;
use crate::audio::SAMPLE_RATE;

/// Speech begins at this probability and ends below the other.
const BEGIN: f32 = 0.5;
const END: f32 = 0.35;
/// Frames kept before and after speech, so that no consonant is lost.
const LEAD: usize = 8;
const TAIL: usize = 8;
/// A pause of so many frames ends a stretch of speech.
const PAUSE: usize = 10;
/// Fewer frames of speech than this are a click, not a word.
const WORD: usize = 4;
/// With so many frames of speech in a piece, a net that hears nothing is wrong.
const SURELY_SPOKEN: usize = 32;

/// How long pieces may be, in seconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PieceLimits {
    /// A piece is never longer.
    pub(crate) longest: f64,
    /// From here on the next pause ends it.
    pub(crate) enough: f64,
    /// A pause of this length ends it in any case.
    pub(crate) pause: f64,
}

/// A stretch of the recording with speech in it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Piece {
    /// Where it begins in the recording, in seconds.
    pub(crate) start: f64,
    pub(crate) samples: Vec<f32>,
    /// The probability of speech in each frame.
    pub(crate) voice: Vec<f32>,
}

impl Piece {
    pub(crate) fn seconds(&self) -> f64 {
        self.samples.len() as f64 / f64::from(SAMPLE_RATE)
    }

    /// What is before its longest pause and what comes after, for a net that heard nothing although somebody speaks: a
    /// click and a second of silence before the first word can be enough to make one think that all is said. Nothing
    /// where there is little speech, or no pause.
    pub(crate) fn parts(&self) -> Vec<Self> {
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

/// Where nobody speaks.
fn pauses(voice: &[f32]) -> Vec<Range<usize>> {
    let runs = voice.chunk_by(|one, next| (*one < END) == (*next < END));
    let placed = runs.scan(0, |at, run| {
        let start = std::mem::replace(at, *at + run.len());
        Some((start..*at, run[0] < END))
    });
    placed.filter(|(_, quiet)| *quiet).map(|(range, _)| range).collect()
}

/// The cutter: samples in, pieces out.
pub(crate) struct Cutter {
    limits: PieceLimits,
    detector: VoiceDetector,
    /// Samples and probabilities from `first_frame` on.
    samples: Vec<f32>,
    voice: Vec<f32>,
    first_frame: usize,
    /// Frames looked at so far, and whether the last was speech.
    seen: usize,
    speaking: bool,
    /// The piece in the making, as frames counted from `first_frame`.
    open: Option<Open>,
}

#[derive(Clone, Copy)]
struct Open {
    begin: usize,
    /// One past the last frame of speech.
    end: usize,
    spoken: usize,
}

impl Cutter {
    pub(crate) fn new(limits: PieceLimits) -> Self {
        Self {
            limits,
            detector: VoiceDetector::new(),
            samples: Vec::new(),
            voice: Vec::new(),
            first_frame: 0,
            seen: 0,
            speaking: false,
            open: None,
        }
    }

    /// Takes samples and gives the pieces that are complete.
    pub(crate) fn push(&mut self, samples: &[f32]) -> Result<Vec<Piece>, EngineError> {
        self.samples.extend_from_slice(samples);
        let voice = self.detector.push(samples)?;
        Ok(self.look(voice))
    }

    /// Ends the recording and gives the last piece.
    pub(crate) fn finish(&mut self) -> Result<Vec<Piece>, EngineError> {
        let voice = self.detector.finish()?;
        let mut pieces = self.look(voice);
        pieces.extend(self.close());
        Ok(pieces)
    }

    fn look(&mut self, voice: Vec<f32>) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for probability in voice {
            self.voice.push(probability);
            self.seen += 1;
            self.speaking = probability >= if self.speaking { END } else { BEGIN };
            pieces.extend(self.advance());
        }
        self.forget();
        pieces
    }

    /// Takes the frame just looked at into account.
    fn advance(&mut self) -> Option<Piece> {
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
        let (length, pause) = (seconds(open.end - open.begin), here - open.end);
        if seconds(here - open.begin) >= self.limits.longest {
            return self.split(open);
        }
        let over = pause >= PAUSE && length >= self.limits.enough;
        if over || (seconds(pause) >= self.limits.pause && pause > TAIL) { self.close() } else { None }
    }

    /// Too long without a pause: cut at the quietest frame of the last third.
    fn split(&mut self, open: Open) -> Option<Piece> {
        let here = self.voice.len();
        let from = open.begin + (here - open.begin) * 2 / 3;
        let quietest = (from..here).min_by(|one, other| self.voice[*one].total_cmp(&self.voice[*other]))?;
        let piece = self.cut(open.begin, quietest + 1, open.spoken);
        let rest = (quietest + 1..here).filter(|frame| self.voice[*frame] >= END).count();
        self.open =
            (rest > 0).then_some(Open { begin: quietest + 1, end: open.end.max(quietest + 2), spoken: rest });
        piece
    }

    fn close(&mut self) -> Option<Piece> {
        let open = self.open.take()?;
        self.cut(open.begin, (open.end + TAIL).min(self.voice.len()), open.spoken)
    }

    fn cut(&self, begin: usize, end: usize, spoken: usize) -> Option<Piece> {
        if spoken < WORD {
            return None;
        }
        let last = (end * FRAME).min(self.samples.len());
        let samples = self.samples.get(begin * FRAME..last)?.to_vec();
        let start = seconds(self.first_frame + begin);
        Some(Piece { start, samples, voice: self.voice[begin..end].to_vec() })
    }

    /// Lets go of what no piece can need any more.
    fn forget(&mut self) {
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

fn seconds(frames: usize) -> f64 {
    (frames * FRAME) as f64 / f64::from(SAMPLE_RATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: PieceLimits = PieceLimits { longest: 20.0, enough: 10.0, pause: 1.0 };

    /// Feeds probabilities, one a frame, with samples that count up.
    fn cut(voice: &[f32]) -> Vec<Piece> {
        let mut cutter = Cutter::new(LIMITS);
        let mut pieces = Vec::new();
        for (frame, probability) in voice.iter().enumerate() {
            cutter.samples.extend(vec![frame as f32; FRAME]);
            pieces.extend(cutter.look(vec![*probability]));
        }
        pieces.extend(cutter.close());
        pieces
    }

    fn frames(pattern: &[(usize, f32)]) -> Vec<f32> {
        pattern.iter().flat_map(|(count, probability)| vec![*probability; *count]).collect()
    }

    #[test]
    fn silence_gives_no_piece_and_a_click_neither() {
        assert!(cut(&frames(&[(500, 0.1)])).is_empty());
        assert!(cut(&frames(&[(100, 0.1), (2, 0.9), (100, 0.1)])).is_empty());
    }

    #[test]
    fn a_word_keeps_its_margins_and_its_place() {
        let pieces = cut(&frames(&[(50, 0.1), (20, 0.9), (50, 0.1)]));
        assert_eq!(pieces.len(), 1);
        assert_eq!(pieces[0].start, seconds(50 - LEAD));
        assert_eq!(pieces[0].voice.len(), LEAD + 20 + TAIL);
        assert_eq!(pieces[0].samples[0], (50 - LEAD) as f32);
        assert_eq!(pieces[0].samples.len(), pieces[0].voice.len() * FRAME);
    }

    #[test]
    fn a_short_pause_keeps_a_piece_together_and_a_long_one_ends_it() {
        assert_eq!(cut(&frames(&[(30, 0.9), (15, 0.1), (30, 0.9), (40, 0.1)])).len(), 1);
        assert_eq!(cut(&frames(&[(30, 0.9), (40, 0.1), (30, 0.9), (40, 0.1)])).len(), 2);
    }

    #[test]
    fn after_enough_speech_a_short_pause_ends_the_piece() {
        let pieces = cut(&frames(&[(400, 0.9), (12, 0.1), (100, 0.9), (40, 0.1)]));
        assert_eq!(pieces.len(), 2);
    }

    #[test]
    fn a_piece_is_parted_at_its_longest_pause() {
        let pattern = [(4, 0.9), (25, 0.1), (60, 0.9), (15, 0.1), (30, 0.9)];
        let pieces = cut(&frames(&pattern));
        let parts = pieces[0].parts();
        assert_eq!(parts.len(), 2);
        assert_eq!(parts[0].voice.len(), 4 + TAIL);
        assert_eq!(parts[1].start, seconds(29 - LEAD));
        assert_eq!(parts[1].samples[0], (29 - LEAD) as f32);
        assert_eq!(parts[1].samples.len(), parts[1].voice.len() * FRAME);
        assert_eq!(parts[1].parts().len(), 2, "at the next pause");
    }

    #[test]
    fn little_speech_or_speech_without_a_pause_is_not_parted() {
        for pattern in [&[(20, 0.9), (20, 0.1), (8, 0.9)][..], &[(60, 0.9), (5, 0.1), (60, 0.9)]] {
            assert!(cut(&frames(pattern))[0].parts().is_empty());
        }
        let quiet_start =
            Piece { start: 3.0, samples: vec![0.0; 80 * FRAME], voice: frames(&[(40, 0.1), (40, 0.9)]) };
        let parts = quiet_start.parts();
        assert_eq!((parts.len(), parts[0].start), (1, 3.0 + seconds(40 - LEAD)));
        assert!(parts[0].parts().is_empty(), "what is left is all speech");
    }

    #[test]
    fn endless_speech_is_cut_at_its_quietest_frame_with_nothing_lost() {
        let mut voice = vec![0.9; 1_500];
        voice[500] = 0.4;
        let pieces = cut(&voice);
        assert!(pieces.iter().all(|piece| piece.seconds() <= 20.0));
        assert_eq!(pieces[0].voice.len(), 501);
        assert_eq!(pieces.iter().map(|piece| piece.voice.len()).sum::<usize>(), 1_500);
    }
}
