//! Overlapping speech whose second voice is never alone: it is given to the person who speaks nearest in time.

use super::speech_span::SpeechSpan;

/// Maximum frames to that person's speech: five seconds.
const NEAR: usize = 296;

/// Adds the second voices. `overlaps` has the frames in which two voices were detected but only one person was.
pub(super) fn add_second_voices(spans: &mut Vec<SpeechSpan>, overlaps: &[SpeechSpan], people: usize) {
    let by_person: Vec<Vec<SpeechSpan>> = (0..people)
        .map(|person| spans.iter().filter(|span| span.person == person).copied().collect())
        .collect();
    for overlap in overlaps {
        let others = (0..people).filter(|person| *person != overlap.person);
        let distances = others.filter_map(|person| Some((distance(&by_person[person], overlap)?, person)));
        if let Some((_, person)) = distances.min().filter(|(distance, _)| *distance <= NEAR) {
            spans.push(SpeechSpan { person, ..*overlap });
        }
    }
    spans.sort_by_key(|span| (span.person, span.begin));
}

/// Frames from an overlap to the nearest of a person's spans, which are in order and do not overlap each other.
fn distance(spans: &[SpeechSpan], overlap: &SpeechSpan) -> Option<usize> {
    let next = spans.partition_point(|span| span.end <= overlap.begin);
    let after = spans.get(next).map(|span| span.begin.saturating_sub(overlap.end));
    let before = next.checked_sub(1).map(|last| overlap.begin - spans[last].end);
    after.into_iter().chain(before).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(person: usize, begin: usize, end: usize) -> SpeechSpan {
        SpeechSpan { person, begin, end }
    }

    #[test]
    fn a_second_voice_belongs_to_the_person_who_speaks_nearest() {
        let mut spans = vec![span(0, 100, 900), span(1, 0, 80), span(2, 950, 1_000)];
        add_second_voices(&mut spans, &[span(0, 200, 220), span(0, 880, 900)], 3);
        assert_eq!(
            spans,
            [span(0, 100, 900), span(1, 0, 80), span(1, 200, 220), span(2, 880, 900), span(2, 950, 1_000)]
        );
    }

    #[test]
    fn a_second_voice_far_from_all_others_is_left_out() {
        let mut spans = vec![span(0, 0, 2_000), span(1, 0, 80)];
        add_second_voices(&mut spans, &[span(0, 1_000, 1_020)], 2);
        assert_eq!(spans.len(), 2);
        add_second_voices(&mut spans, &[], 2);
        assert_eq!(spans.len(), 2);
    }
}
