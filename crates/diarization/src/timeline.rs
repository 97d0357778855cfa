//! Who speaks in each frame: the windows that contain a frame vote, with more weight if it is in their middle.

use super::embedding::{Voice, similarity};
use super::overlap::add_second_voices;
use super::segmentation::FRAMES;
use super::slot_owners::SlotOwners;
use super::speech_span::{LONG, SpeechSpan};
use super::stretches::{AnalyzedWindow, Stretch};
use super::windows::HOP;

/// A person with a smaller share of the votes of a frame does not speak in it.
const LEAST_VOTE: f32 = 0.05;

/// The model estimates how many voices a frame has, as a fraction. Above the first number, one person speaks, above the
/// second two, and above the third three. The second is below 1.5, because the model misses overlapped speech more often
/// than it invents it.
const VOICES: [f32; 3] = [0.5, 1.35, 2.5];

/// A cluster is not a person if it has less than 1 % (one part in this many) of all speech, and its spans are shorter than
/// `MIN_MEAN_SPAN_FRAMES` on average. Such clusters come from overlapped speech: in hours of audio, two people who often
/// speak at the same time produce the same mixed voice again and again.
const MIN_SHARE_DIVISOR: usize = 100;
/// One second, in frames.
const MIN_MEAN_SPAN_FRAMES: usize = 3 * LONG;

/// The clusters that are people.
pub(super) fn real_people(spoken: &[SpeechSpan], people: usize) -> impl Iterator<Item = usize> {
    let frames =
        |spoken: &[&SpeechSpan]| spoken.iter().map(|spoken| spoken.end - spoken.begin).sum::<usize>();
    let all = frames(&spoken.iter().collect::<Vec<_>>());
    (0..people).filter(move |person| {
        let own: Vec<&SpeechSpan> = spoken.iter().filter(|spoken| spoken.person == *person).collect();
        let spoken = frames(&own);
        spoken == 0 || spoken * MIN_SHARE_DIVISOR >= all || spoken >= own.len() * MIN_MEAN_SPAN_FRAMES
    })
}

/// All windows, and the person of each stretch.
pub(super) struct Timeline {
    windows: Vec<AnalyzedWindow>,
    /// The person of each stretch, by window.
    persons: Vec<Vec<usize>>,
    /// Spans that are assigned to a person regardless of the vote.
    claims: Vec<SpeechSpan>,
}

impl Timeline {
    /// Assigns each stretch to the person with the most similar voice.
    pub(super) fn new(windows: Vec<AnalyzedWindow>, people: &[Voice]) -> Self {
        let person = |stretch: &Stretch| nearest(&stretch.voice, people);
        let persons = windows.iter().map(|window| window.stretches.iter().map(person).collect()).collect();
        Self { windows, persons, claims: vec![] }
    }

    /// Assigns the stretches again to fewer people.
    pub(super) fn among(self, people: &[Voice]) -> Self {
        Self::new(self.windows, people)
    }

    /// The spans of all people, ordered by person and then by time.
    pub(super) fn spans(&self, people: usize) -> Vec<SpeechSpan> {
        let frames = if self.windows.is_empty() { 0 } else { (self.windows.len() - 1) * HOP + FRAMES };
        let mut owners = SlotOwners::new(&self.windows, &self.persons);
        let mut spoken = Tracks::new(people);
        let mut overlaps = Tracks::new(people);
        for frame in 0..frames {
            let speaking = self.speaking(frame, &mut owners);
            spoken.push(&speaking.people);
            let alone = if speaking.lacks_one { &speaking.people[..] } else { &[] };
            overlaps.push(alone);
        }
        let mut spans = spoken.finish();
        add_second_voices(&mut spans, &overlaps.finish(), people);
        spans
    }

    /// Assigns the most similar stretch to a person who loses the vote in every frame but must appear in the result.
    pub(super) fn claim(&mut self, person: usize, voice: &Voice) {
        let claimed = |window: usize, stretch: &Stretch| {
            let spoken = longest(window, stretch, person);
            self.claims.iter().any(|claim| claim.begin < spoken.end && spoken.begin < claim.end)
        };
        let stretches = self.windows.iter().enumerate();
        let stretches =
            stretches.flat_map(|(at, window)| window.stretches.iter().map(move |stretch| (at, stretch)));
        let free = stretches.filter(|(window, stretch)| !claimed(*window, stretch));
        let best = free.max_by(|one, other| {
            similarity(&one.1.voice, voice).total_cmp(&similarity(&other.1.voice, voice))
        });
        if let Some((window, stretch)) = best {
            let claim = longest(window, stretch, person);
            self.claims.push(claim);
        }
    }

    fn speaking(&self, frame: usize, owners: &mut SlotOwners<'_>) -> Speaking {
        if let Some(claim) = self.claims.iter().find(|claim| (claim.begin..claim.end).contains(&frame)) {
            return Speaking { people: vec![claim.person], lacks_one: false };
        }
        let mut votes: Vec<(usize, f32)> = Vec::new();
        let mut voices = 0.0;
        let mut weights = 0.0;
        for window in windows_at(frame, self.windows.len()) {
            let inside = frame - window * HOP;
            let weight = (inside + 1).min(FRAMES - inside) as f32;
            weights += weight;
            for (slot, probability) in self.windows[window].probability[inside].iter().enumerate() {
                let share = weight * f32::from(*probability) / 255.0;
                voices += share;
                if let Some(person) = owners.of(window)[inside][slot] {
                    vote(&mut votes, person, share);
                }
            }
        }
        votes.retain(|(_, share)| *share > LEAST_VOTE * weights);
        votes.sort_by(|one, other| other.1.total_cmp(&one.1));
        let count = VOICES.iter().filter(|least| voices / weights > **least).count();
        let people: Vec<usize> = votes.into_iter().take(count).map(|(person, _)| person).collect();
        Speaking { lacks_one: people.len() == 1 && count > 1, people }
    }
}

fn vote(votes: &mut Vec<(usize, f32)>, person: usize, share: f32) {
    match votes.iter_mut().find(|(other, _)| *other == person) {
        Some((_, sum)) => *sum += share,
        None => votes.push((person, share)),
    }
}

/// The windows that contain a frame.
fn windows_at(frame: usize, windows: usize) -> std::ops::Range<usize> {
    let first = (frame + 1).saturating_sub(FRAMES).div_ceil(HOP);
    first..(frame / HOP + 1).min(windows)
}

fn nearest(voice: &Voice, people: &[Voice]) -> usize {
    let likes = people.iter().map(|person| similarity(voice, person)).enumerate();
    likes.max_by(|one, other| one.1.total_cmp(&other.1)).map_or(0, |(person, _)| person)
}

fn longest(window: usize, stretch: &Stretch, person: usize) -> SpeechSpan {
    let run = stretch.runs.iter().max_by_key(|run| run.1 - run.0).copied().unwrap_or((0, 0));
    let start = window * HOP;
    SpeechSpan { person, begin: start + usize::from(run.0), end: start + usize::from(run.1) }
}

/// Who speaks in a frame.
struct Speaking {
    people: Vec<usize>,
    /// Whether a second person speaks who could not be identified.
    lacks_one: bool,
}

/// Builds spans from frames, which are added one after the other.
struct Tracks {
    /// The first frame of each person's open span.
    open: Vec<Option<usize>>,
    spans: Vec<SpeechSpan>,
    frame: usize,
}

impl Tracks {
    fn new(people: usize) -> Self {
        Self { open: vec![None; people], spans: vec![], frame: 0 }
    }

    fn push(&mut self, speaking: &[usize]) {
        for (person, open) in self.open.iter_mut().enumerate() {
            match (*open, speaking.contains(&person)) {
                (None, true) => *open = Some(self.frame),
                (Some(begin), false) => {
                    self.spans.push(SpeechSpan { person, begin, end: self.frame });
                    *open = None;
                }
                (None, false) | (Some(_), true) => {}
            }
        }
        self.frame += 1;
    }

    /// The spans, ordered by person and then by time.
    fn finish(mut self) -> Vec<SpeechSpan> {
        self.push(&[]);
        self.spans.sort_by_key(|span| (span.person, span.begin));
        self.spans
    }
}

#[cfg(test)]
mod tests {
    use super::super::embedding::SIZE;
    use super::super::segmentation::SLOTS;
    use super::*;

    fn voice(person: usize) -> Voice {
        std::array::from_fn(|at| if at == person { 1.0 } else { 0.0 })
    }

    /// A window with these slots: the person, the first frame and the end frame of each.
    fn window(slots: &[(usize, u16, u16)]) -> AnalyzedWindow {
        let mut probability = vec![[0; SLOTS]; FRAMES];
        let mut stretches = Vec::new();
        for (slot, (person, begin, end)) in slots.iter().enumerate() {
            (*begin..*end).for_each(|frame| probability[usize::from(frame)][slot] = 255);
            stretches.push(Stretch {
                slot: slot as u8,
                runs: vec![(*begin, *end)],
                seconds: 1.0,
                voice: voice(*person),
            });
        }
        AnalyzedWindow { probability, stretches }
    }

    fn spoken(person: usize, begin: usize, end: usize) -> SpeechSpan {
        SpeechSpan { person, begin, end }
    }

    #[test]
    fn a_frame_is_in_every_window_around_it() {
        assert_eq!(windows_at(0, 9), 0..1);
        assert_eq!(windows_at(HOP, 9), 0..2);
        assert_eq!(windows_at(FRAMES - 1, 9), 0..2);
        assert_eq!(windows_at(FRAMES, 9), 1..2);
        assert_eq!(windows_at(2 * HOP, 2), 1..2);
    }

    #[test]
    fn a_mixture_of_two_voices_is_not_a_person_and_a_rare_guest_is() {
        let mut all = vec![spoken(0, 0, 60_000), spoken(1, 60_000, 100_000)];
        all.extend((0..10).map(|index| spoken(2, index * 1_000, index * 1_000 + 40)));
        all.push(spoken(3, 70_000, 70_200));
        assert_eq!(real_people(&all, 5).collect::<Vec<_>>(), [0, 1, 3, 4]);
    }

    #[test]
    fn windows_that_number_their_voices_differently_agree_on_the_people() {
        let people = [voice(0), voice(1)];
        let first = window(&[(0, 0, 400), (1, 350, 589)]);
        let second = window(&[(1, 54, 300), (0, 0, 104)]);
        let timeline = Timeline::new(vec![first, second], &people);
        assert_eq!(timeline.spans(2), [spoken(0, 0, 400), spoken(1, 350, HOP + 300)]);
    }

    #[test]
    fn a_slot_that_holds_two_people_is_divided_between_them() {
        let mut shared = window(&[(0, 0, 100)]);
        let mut other = window(&[(1, 200, 300)]).stretches.remove(0);
        other.slot = 0;
        shared.stretches.push(other);
        (200..300).for_each(|frame| shared.probability[frame][0] = 255);
        let timeline = Timeline::new(vec![shared], &[voice(0), voice(1)]);
        assert_eq!(timeline.spans(2), [spoken(0, 0, 100), spoken(1, 200, 300)]);
    }

    #[test]
    fn a_person_who_has_to_appear_gets_the_most_similar_stretch() {
        let analyzed = window(&[(0, 0, 100), (1, 200, 300)]);
        let people =
            [voice(0), voice(1), std::array::from_fn::<f32, SIZE, _>(|at| if at == 1 { 0.9 } else { 0.0 })];
        let mut timeline = Timeline::new(vec![analyzed], &people);
        timeline.claim(2, &people[2]);
        assert!(timeline.spans(3).contains(&spoken(2, 200, 300)));
    }
}
