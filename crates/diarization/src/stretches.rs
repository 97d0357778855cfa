//! The stretches of a window in which one voice speaks alone, and the embedding of that voice.
//!
//! A slot of the segmentation model is not always one person: in a window with many turns it may contain two. So each
//! long stretch gets its own embedding, and the clustering joins them. That costs no more, because the cost of an
//! embedding grows with its seconds. Windows overlap, but only the frames that belong to a window are used, so that
//! every second is embedded once.

use std::ops::Range;

use auris_audio::SAMPLE_RATE;
use auris_engine_core::EngineError;

use super::embedding::{EmbeddingNet, Voice};
use super::fbank::{self, filterbanks};
use super::segmentation::{Activity, FIRST, SHIFT, SLOTS, SegmentationNet};
use super::windows::Window;

/// Frames of a stretch that gets its own embedding: two thirds of a second.
const LONG: usize = 2 * SAMPLE_RATE as usize / SHIFT / 3;
/// With fewer frames without overlap than this, a slot's overlapped frames are used too: 0.3 s.
const FEW: usize = 3 * SAMPLE_RATE as usize / SHIFT / 10;
/// Minimum filterbank frames for an embedding: 0.2 s.
const TOO_SHORT: usize = 20;

/// A range of frames of the window; the end is exclusive.
pub(crate) type FrameRange = (u16, u16);

/// Speech of one voice in a window.
#[derive(Debug, Clone)]
pub(crate) struct Stretch {
    pub(crate) slot: u8,
    /// Where it is in the window.
    pub(crate) runs: Vec<FrameRange>,
    /// The length of all runs.
    pub(crate) seconds: f32,
    pub(crate) voice: Voice,
}

/// The result of one window.
pub(crate) struct AnalyzedWindow {
    /// For each frame and slot the probability of speech, in 255ths.
    pub(crate) probability: Vec<[u8; SLOTS]>,
    pub(crate) stretches: Vec<Stretch>,
}

/// The two models.
pub(crate) struct DiarizerNets {
    pub(crate) segmentation: SegmentationNet,
    pub(crate) embedding: EmbeddingNet,
}

impl DiarizerNets {
    pub(crate) fn load() -> Result<Self, EngineError> {
        Ok(Self { segmentation: SegmentationNet::load()?, embedding: EmbeddingNet::load()? })
    }

    /// Analyzes one window; `pause` is called between two runs of a model.
    pub(crate) fn analyze(
        &self,
        window: &Window,
        pause: &dyn Fn() -> Result<(), EngineError>,
    ) -> Result<AnalyzedWindow, EngineError> {
        let activity = self.segmentation.analyze(&window.samples);
        let groups: Vec<(u8, Vec<FrameRange>)> =
            (0..SLOTS).flat_map(|slot| groups(&activity, &window.own, slot)).collect();
        let features = if groups.is_empty() { vec![] } else { filterbanks(&window.samples) };
        let mut stretches = Vec::with_capacity(groups.len());
        for (slot, runs) in groups {
            pause()?;
            let frames: Vec<_> =
                runs.iter().flat_map(|run| &features[span(*run, features.len())]).copied().collect();
            if frames.len() >= TOO_SHORT {
                let seconds = frames.len() as f32 * fbank::SHIFT as f32 / SAMPLE_RATE as f32;
                stretches.push(Stretch { slot, runs, seconds, voice: self.embedding.voice(&frames)? });
            }
        }
        Ok(AnalyzedWindow { probability: activity.probability, stretches })
    }
}

/// The filterbank frames whose middles are in a run.
fn span(run: FrameRange, limit: usize) -> Range<usize> {
    let at = |frame: u16| {
        let edge = (usize::from(frame) * SHIFT + FIRST - SHIFT / 2).saturating_sub(fbank::LENGTH / 2);
        edge.div_ceil(fbank::SHIFT).min(limit)
    };
    at(run.0)..at(run.1)
}

/// The stretches of a slot: each long run with the short ones nearest to it, or all short ones together.
fn groups(activity: &Activity, own: &Range<usize>, slot: usize) -> Vec<(u8, Vec<FrameRange>)> {
    let runs = clean_runs(activity, own, slot);
    let mut groups: Vec<Vec<FrameRange>> =
        runs.iter().filter(|run| frames(run) >= LONG).map(|run| vec![*run]).collect();
    if groups.is_empty() {
        groups.push(vec![]);
    }
    for run in runs.into_iter().filter(|run| frames(run) < LONG) {
        let near = |group: &&mut Vec<FrameRange>| group.first().map_or(0, |long| distance(*long, run));
        if let Some(group) = groups.iter_mut().min_by_key(near) {
            group.push(run);
        }
    }
    groups.into_iter().filter(|runs| !runs.is_empty()).map(|runs| (slot as u8, runs)).collect()
}

/// Where the slot speaks alone or, if that is too little, where it speaks at all.
fn clean_runs(activity: &Activity, own: &Range<usize>, slot: usize) -> Vec<FrameRange> {
    let alone = |speaks: &[bool; SLOTS]| speaks[slot] && speaks.iter().filter(|speaks| **speaks).count() == 1;
    let clean = runs(activity, own, alone);
    let enough = clean.iter().map(frames).sum::<usize>() >= FEW;
    if enough { clean } else { runs(activity, own, |speaks| speaks[slot]) }
}

fn runs(activity: &Activity, own: &Range<usize>, active: impl Fn(&[bool; SLOTS]) -> bool) -> Vec<FrameRange> {
    let mut found: Vec<FrameRange> = Vec::new();
    let frames = activity.speaks.iter().enumerate().take(own.end).skip(own.start);
    for (frame, _) in frames.filter(|(_, speaks)| active(speaks)) {
        let frame = frame as u16;
        match found.last_mut() {
            Some(last) if last.1 == frame => last.1 += 1,
            Some(_) | None => found.push((frame, frame + 1)),
        }
    }
    found
}

fn frames(run: &FrameRange) -> usize {
    usize::from(run.1 - run.0)
}

/// Frames between two runs.
fn distance(one: FrameRange, other: FrameRange) -> u16 {
    one.0.saturating_sub(other.1).max(other.0.saturating_sub(one.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Activity from text, ten frames per letter: `a` and `b` are one voice, `x` is both, anything else is silence.
    fn activity(text: &str) -> Activity {
        let speaks = |letter: char| [matches!(letter, 'a' | 'x'), matches!(letter, 'b' | 'x'), false];
        let speaks: Vec<_> = text.chars().flat_map(|letter| [speaks(letter); 10]).collect();
        Activity { probability: vec![[0; SLOTS]; speaks.len()], speaks }
    }

    #[test]
    fn a_short_run_joins_the_nearest_long_one() {
        let found = groups(&activity("aaaaaaa.a....aaaaaaaa..b"), &(0..240), 0);
        assert_eq!(found, [(0, vec![(0, 70), (80, 90)]), (0, vec![(130, 210)])]);
    }

    #[test]
    fn overlap_is_used_only_if_there_is_nothing_else() {
        assert_eq!(groups(&activity("aaaaaaaxx.bbbbbbxx"), &(0..180), 1), [(1, vec![(100, 160)])]);
        assert_eq!(groups(&activity("aaaaaaaxx"), &(0..90), 1), [(1, vec![(70, 90)])]);
        assert!(groups(&activity("aaaaaaa"), &(0..70), 2).is_empty());
    }

    #[test]
    fn only_the_frames_of_the_window_are_used() {
        assert_eq!(groups(&activity("aaaaaaaaaaaaaaaaa"), &(50..130), 0), [(0, vec![(50, 130)])]);
    }

    #[test]
    fn spans_of_adjacent_runs_do_not_overlap() {
        let one = span((0, 100), 998);
        let other = span((100, 589), 998);
        assert_eq!((one.start, one.end), (1, other.start));
        assert_eq!(other.end, 995);
    }
}
