//! The person of each slot and frame of a window.
//!
//! In each frame, a slot belongs to the person of the nearest stretch of speech in that slot. The stretches of the
//! overlapping windows count too; each is assigned to the slot of this window that is active in most of its frames. So
//! windows that contain the same speech vote for the same person.

use super::segmentation::{FRAMES, SLOTS};
use super::stretches::AnalyzedWindow;
use super::windows::HOP;

/// The probability, in 255ths, from which a slot counts as active.
const ACTIVE: u8 = 128;

/// The person of each slot, by frame.
pub(super) type Owners = Vec<[Option<usize>; SLOTS]>;

/// The owners for the few windows around the current frame.
pub(super) struct SlotOwners<'a> {
    windows: &'a [AnalyzedWindow],
    /// The person of each stretch, by window.
    persons: &'a [Vec<usize>],
    /// The owners of the windows from `first` on.
    made: Vec<Owners>,
    first: usize,
}

impl<'a> SlotOwners<'a> {
    pub(super) fn new(windows: &'a [AnalyzedWindow], persons: &'a [Vec<usize>]) -> Self {
        Self { windows, persons, made: vec![], first: 0 }
    }

    /// The owners in this window. Windows are requested in order, with the few before them.
    pub(super) fn of(&mut self, window: usize) -> &Owners {
        while self.first + self.made.len() <= window {
            let next = self.first + self.made.len();
            self.made.push(owners(&self.seen(next)));
            // A window is not needed any more once two later ones were requested.
            if self.made.len() > FRAMES.div_ceil(HOP) + 1 {
                self.made.remove(0);
                self.first += 1;
            }
        }
        &self.made[window - self.first]
    }

    /// The stretches of this window and of the windows that overlap with it.
    fn seen(&self, window: usize) -> Vec<SeenStretch> {
        let near = window.saturating_sub(1)..(window + 2).min(self.windows.len());
        let mut seen = Vec::new();
        for other in near {
            for (stretch, person) in self.windows[other].stretches.iter().zip(&self.persons[other]) {
                let shift = (other as i32 - window as i32) * HOP as i32;
                let runs =
                    stretch.runs.iter().map(|run| (i32::from(run.0) + shift, i32::from(run.1) + shift));
                let runs: Vec<(i32, i32)> = runs.collect();
                let own = other == window;
                let slot =
                    if own { Some(usize::from(stretch.slot)) } else { self.active_slot(window, &runs) };
                seen.extend(slot.map(|slot| SeenStretch { slot, runs, person: *person }));
            }
        }
        seen
    }

    /// The slot of this window that is active in most frames of a stretch of another one; `None` if none is active in
    /// half of them.
    fn active_slot(&self, window: usize, runs: &[(i32, i32)]) -> Option<usize> {
        let inside = |run: &(i32, i32)| run.0.max(0)..run.1.min(FRAMES as i32);
        let mut active = [0; SLOTS];
        for frame in runs.iter().flat_map(inside) {
            for (count, probability) in
                active.iter_mut().zip(self.windows[window].probability[frame as usize])
            {
                *count += i32::from(probability >= ACTIVE);
            }
        }
        let all: i32 = runs.iter().map(|run| run.1 - run.0).sum();
        let best = active.iter().enumerate().max_by_key(|(_, count)| **count)?;
        (2 * best.1 >= all).then_some(best.0)
    }
}

/// A stretch as a window sees it: in the slots and frames of that window. Some of the frames may be outside of it.
struct SeenStretch {
    slot: usize,
    runs: Vec<(i32, i32)>,
    person: usize,
}

fn owners(seen: &[SeenStretch]) -> Owners {
    let owner = |frame: i32, slot: usize| {
        let here = seen.iter().filter(|stretch| stretch.slot == slot);
        here.min_by_key(|stretch| distance(&stretch.runs, frame)).map(|stretch| stretch.person)
    };
    (0..FRAMES as i32).map(|frame| std::array::from_fn(|slot| owner(frame, slot))).collect()
}

/// The number of frames between a frame and the nearest run.
fn distance(runs: &[(i32, i32)], frame: i32) -> i32 {
    runs.iter().map(|run| (run.0 - frame).max(frame + 1 - run.1).max(0)).min().unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::embedding::SIZE;
    use super::super::stretches::Stretch;
    use super::*;

    fn window(active: std::ops::Range<usize>, stretches: Vec<Stretch>) -> AnalyzedWindow {
        let speaks = |frame: usize| if active.contains(&frame) { 255 } else { 0 };
        AnalyzedWindow { probability: (0..FRAMES).map(|frame| [speaks(frame), 0, 0]).collect(), stretches }
    }

    fn stretch(slot: u8, begin: u16, end: u16) -> Stretch {
        Stretch { slot, runs: vec![(begin, end)], seconds: 1.0, voice: [0.0; SIZE] }
    }

    #[test]
    fn a_slot_belongs_to_the_person_of_the_nearest_stretch_of_any_window() {
        let first = window(300..FRAMES, vec![stretch(0, 300, 440)]);
        let second = window(0..FRAMES, vec![stretch(2, 146, 400)]);
        let windows = [first, second];
        let persons = [vec![0], vec![1]];
        let mut owners = SlotOwners::new(&windows, &persons);
        let of_first = owners.of(0);
        assert_eq!((of_first[320][0], of_first[439][0]), (Some(0), Some(0)));
        assert_eq!(of_first[443][0], Some(1), "the second window's stretch begins in this frame");
        assert_eq!(of_first[443][2], None);
        let of_second = owners.of(1);
        assert_eq!((of_second[100][0], of_second[200][2]), (Some(0), Some(1)));
    }
}
