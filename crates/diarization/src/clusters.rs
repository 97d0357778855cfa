//! Clusters stretches into people: average-linkage clustering with a bounded number of groups.
//!
//! The similarity of two groups is the mean similarity of their members, which needs only the sum of each group's
//! voices. So a group can be formed early and its members dropped: when there are too many groups, the most similar
//! ones are merged. That keeps memory constant and time linear for hours of audio.

use auris_domain::step::spec::DiarizationSpec;

use super::embedding::{Voice, normalized};
use super::group::{Conflict, Group};
use super::merging::{Agglomeration, Merge};
use super::stretches::Stretch;

/// Maximum number of groups at any time.
const LIMIT: usize = 512;
/// Groups with this similarity are certainly one person; they are merged first when there are too many groups.
const SURE: f32 = 0.75;
/// Groups with less similarity than this are two people.
const THRESHOLD: f32 = 0.56;
/// Minimum seconds of a stretch that is clear enough to distinguish people.
const CLEAR_SECONDS: f32 = 0.8;
/// Minimum seconds of a person; a group with less is noise. In longer recordings more noise is alike, so the minimum grows
/// with the square root of the speech: 0.8 s in half a minute, 4 s in ten minutes, 16 s in three hours.
const PERSON_SECONDS: f32 = 0.5;
const PERSON_ROOT: f32 = 0.15;

/// The stretches so far.
#[derive(Default)]
pub(crate) struct Clusters {
    clear: Pool,
    /// Short stretches, used only if there are not enough clear ones.
    short: Pool,
}

impl Clusters {
    /// Adds the stretches of one window.
    pub(crate) fn push(&mut self, stretches: &[Stretch]) {
        let (clear, short) = stretches.iter().partition(|stretch| stretch.seconds >= CLEAR_SECONDS);
        self.clear.push(clear);
        self.short.push(short);
    }

    /// The voices of the people: as many as the bounds allow, and never more than there are stretches.
    pub(crate) fn people(mut self, spec: &DiarizationSpec) -> Vec<Voice> {
        let least = spec.min_speakers.unwrap_or(1).max(1) as usize;
        let most = spec.max_speakers.map_or(usize::MAX, |most| most as usize).max(1);
        if self.clear.groups.len() < least {
            self.clear.absorb(self.short);
        }
        self.clear.people(least, most)
    }
}

#[derive(Default)]
struct Pool {
    groups: Vec<Group>,
    conflicts: Vec<Conflict>,
}

impl Pool {
    fn push(&mut self, stretches: Vec<&Stretch>) {
        let first = self.groups.len();
        for (at, one) in stretches.iter().enumerate() {
            for (earlier, other) in stretches[..at].iter().enumerate() {
                if one.slot != other.slot {
                    self.conflicts.push(Conflict { groups: (first + earlier, first + at), windows: 1.0 });
                }
            }
        }
        self.groups.extend(stretches.into_iter().map(Group::of));
        if self.groups.len() >= LIMIT {
            self.shrink();
        }
    }

    fn absorb(&mut self, other: Self) {
        let first = self.groups.len();
        self.groups.extend(other.groups);
        let moved = other.conflicts.into_iter().map(|conflict| {
            let (one, other) = conflict.groups;
            Conflict { groups: (first + one, first + other), ..conflict }
        });
        self.conflicts.extend(moved);
    }

    /// Merges groups that are certainly one person, and more if that is not enough.
    fn shrink(&mut self) {
        let mut merging = Agglomeration::new(&self.groups, &self.conflicts);
        while let Some(next) = merging.best() {
            if next.similarity < SURE && merging.left() <= LIMIT / 2 {
                break;
            }
            merging.merge(next);
        }
        (self.groups, self.conflicts) = merging.finish();
    }

    fn people(self, least: usize, most: usize) -> Vec<Voice> {
        let mut merging = Agglomeration::new(&self.groups, &self.conflicts);
        let mut steps = Vec::new();
        while let Some(next) = merging.best() {
            merging.merge(next);
            steps.push(next);
        }
        let (cut, person) = choose(&self.groups, &steps, least, most);
        let mut groups: Vec<Option<Group>> = self.groups.into_iter().map(Some).collect();
        for step in &steps[..cut] {
            if let Some(from) = groups[step.from].take()
                && let Some(into) = &mut groups[step.into]
            {
                into.absorb(&from);
            }
        }
        groups
            .into_iter()
            .flatten()
            .filter(|group| group.seconds >= person)
            .map(|group| normalized(group.sum))
            .collect()
    }
}

/// The number of merges, and the minimum seconds of a person.
fn choose(groups: &[Group], steps: &[Merge], least: usize, most: usize) -> (usize, f32) {
    let natural = steps.iter().take_while(|step| step.similarity >= THRESHOLD).count();
    let speech: f32 = groups.iter().map(|group| group.seconds).sum();
    let person = PERSON_SECONDS.max(PERSON_ROOT * speech.sqrt());
    // The smaller values apply if more people are requested.
    for person in [person, person / 2.0, 0.0] {
        let people = people_after(groups, steps, person);
        let wanted = people[natural].clamp(least, most.max(least));
        let off = |cut: &usize| (people[*cut].abs_diff(wanted), cut.abs_diff(natural));
        if let Some(cut) = (0..people.len()).min_by_key(off).filter(|cut| people[*cut] == wanted) {
            return (cut, person);
        }
    }
    // More people are requested than there are groups: each group is a person.
    (0, 0.0)
}

/// The number of people after 0, 1, 2, … merges.
fn people_after(groups: &[Group], steps: &[Merge], person: f32) -> Vec<usize> {
    let mut seconds: Vec<f32> = groups.iter().map(|group| group.seconds).collect();
    let mut people = seconds.iter().filter(|seconds| **seconds >= person).count();
    let mut after = vec![people];
    for step in steps {
        let into = seconds[step.into];
        let from = seconds[step.from];
        people -= usize::from(into >= person) + usize::from(from >= person);
        seconds[step.into] += from;
        people += usize::from(seconds[step.into] >= person);
        after.push(people);
    }
    after
}

#[cfg(test)]
mod tests {
    use super::super::embedding::{SIZE, similarity};
    use super::*;

    /// A stretch whose voice is close to the axis of its person, with a small variation per window.
    fn stretch(window: u32, slot: u8, person: usize, seconds: f32) -> Stretch {
        let mut voice = [0.0; SIZE];
        voice[person] = 1.0;
        voice[100 + (window as usize * 7 + person * 31) % 90] = 0.4;
        Stretch { slot, runs: vec![], seconds, voice: normalized(voice) }
    }

    fn bounds(least: u32, most: u32) -> DiarizationSpec {
        DiarizationSpec { min_speakers: Some(least), max_speakers: Some(most) }
    }

    fn people(windows: u32, persons: usize, spec: &DiarizationSpec) -> Vec<usize> {
        let mut clusters = Clusters::default();
        for window in 0..windows {
            let first = window as usize % persons;
            clusters.push(&[stretch(window, 0, first, 3.0), stretch(window, 1, (first + 1) % persons, 2.0)]);
        }
        let found = clusters.people(spec).into_iter();
        found
            .map(|voice| (0..SIZE).max_by(|one, other| voice[*one].total_cmp(&voice[*other])).unwrap())
            .collect()
    }

    #[test]
    fn the_right_number_of_people_is_found() {
        let mut found = people(12, 4, &DiarizationSpec::default());
        found.sort_unstable();
        assert_eq!(found, [0, 1, 2, 3]);
    }

    #[test]
    fn hours_of_windows_need_few_groups() {
        let mut found = people(8_000, 5, &DiarizationSpec::default());
        found.sort_unstable();
        assert_eq!(found, [0, 1, 2, 3, 4]);
        let mut pool = Pool::default();
        for window in 0..3_000 {
            // All voices differ.
            pool.push(vec![&stretch(window, 0, window as usize % 90, 3.0)]);
            assert!(pool.groups.len() < LIMIT);
        }
    }

    #[test]
    fn the_requested_bounds_override_the_voices() {
        assert_eq!(people(12, 4, &bounds(2, 2)).len(), 2);
        assert_eq!(people(12, 4, &bounds(1, 3)).len(), 3);
        assert_eq!(people(12, 2, &bounds(5, 5)).len(), 5);
    }

    #[test]
    fn there_are_never_more_people_than_stretches() {
        assert_eq!(people(3, 2, &bounds(100, 100)).len(), 6);
        assert!(Clusters::default().people(&bounds(2, 100)).is_empty());
    }

    #[test]
    fn similar_voices_in_different_slots_of_a_window_are_two_people() {
        let mut clusters = Clusters::default();
        let mut twin = stretch(0, 1, 0, 3.0);
        for window in 0..6 {
            let one = stretch(window, 0, 0, 3.0);
            twin.voice =
                normalized(std::array::from_fn(|at| one.voice[at] + if at == 1 { 0.9 } else { 0.0 }));
            assert!(similarity(&one.voice, &twin.voice) > THRESHOLD);
            clusters.push(&[one, twin.clone()]);
        }
        assert_eq!(clusters.people(&DiarizationSpec::default()).len(), 2);
    }

    #[test]
    fn a_single_short_stretch_is_a_person_if_there_is_no_other() {
        let mut clusters = Clusters::default();
        clusters.push(&[stretch(0, 0, 3, 0.4)]);
        assert_eq!(clusters.people(&DiarizationSpec::default()).len(), 1);
    }

    #[test]
    fn a_brief_guest_is_a_person_in_a_short_recording_and_noise_in_a_long_one() {
        let people = |windows: u32| {
            let mut clusters = Clusters::default();
            (0..windows).for_each(|window| clusters.push(&[stretch(window, 0, 0, 3.0)]));
            clusters.push(&[stretch(0, 0, 5, 1.0)]);
            clusters.people(&DiarizationSpec::default()).len()
        };
        assert_eq!((people(8), people(1_000)), (2, 1));
    }
}
