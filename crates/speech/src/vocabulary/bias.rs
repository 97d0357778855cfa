//! The bonus for the terms of a vocabulary while one text is decoded.

use std::sync::Arc;

use auris_kernels::argmax;

use super::trie::Vocabulary;

/// The bonus of a token that begins a term, in nats. Small, because a term that breaks off cannot be taken back. With 3,
/// fifty names that nobody says add 99 wrong words to the 298 of Moonshine tiny in 2,419 words; with 1.5 or 2, none.
const BEGIN_BONUS: f32 = 1.5;
/// The bonus of the second token of a term, of the third, and of all others: the longer the match, the more likely the
/// term.
const CONTINUE_BONUSES: [f32; 3] = [3.0, 3.5, 4.0];
/// A token that is further below the best one gets no bonus, in nats: the audio says something else.
const MARGIN: f32 = 6.0;
/// Maximum terms that are followed at the same time.
const MAX_MATCHES: usize = 16;

/// How far a text has come in the terms of a vocabulary. Every decoding has its own.
#[derive(Debug, Clone)]
pub(crate) struct BiasState {
    vocabulary: Arc<Vocabulary>,
    /// The place in the trie and the number of tokens of each term that is begun.
    matches: Vec<(u32, usize)>,
    at_start: bool,
}

impl BiasState {
    /// At the beginning of a text.
    pub(crate) fn new(vocabulary: &Arc<Vocabulary>) -> Self {
        Self { vocabulary: vocabulary.clone(), matches: Vec::new(), at_start: true }
    }

    /// Raises the scores of the tokens that continue or begin a term, if they are close enough to the best score.
    pub(crate) fn apply(&self, scores: &mut [f32]) {
        if self.vocabulary.is_empty() || scores.is_empty() {
            return;
        }
        let best = scores[argmax(scores)];
        for (token, bonus) in self.bonuses(|token| is_close(scores, token, best)) {
            scores[token as usize] += bonus;
        }
    }

    /// Takes note of the token that was chosen.
    pub(crate) fn accept(&mut self, token: u32) {
        let begun = self.vocabulary.roots(self.at_start).iter().map(|root| (*root, 0));
        let matches = self.matches.iter().copied().chain(begun);
        let after = matches.filter_map(|(place, length)| {
            self.vocabulary.after(place, token).map(|place| (place, length + 1))
        });
        self.matches = after.take(MAX_MATCHES).collect();
        self.at_start = false;
    }

    /// The bonus of each token that passes the filter: the largest, if several terms go on with it.
    fn bonuses(&self, filter: impl Fn(u32) -> bool) -> Vec<(u32, f32)> {
        let begun = self.matches.iter().map(|(place, length)| (*place, continue_bonus(*length)));
        let roots = self.vocabulary.roots(self.at_start).iter().map(|root| (*root, BEGIN_BONUS));
        let mut bonuses: Vec<(u32, f32)> = Vec::new();
        for (place, bonus) in begun.chain(roots) {
            for token in self.vocabulary.next_tokens(place).filter(|token| filter(*token)) {
                match bonuses.iter_mut().find(|(known, _)| *known == token) {
                    Some((_, known)) => *known = known.max(bonus),
                    None => bonuses.push((token, bonus)),
                }
            }
        }
        bonuses
    }
}

fn continue_bonus(length: usize) -> f32 {
    CONTINUE_BONUSES[length.saturating_sub(1).min(CONTINUE_BONUSES.len() - 1)]
}

fn is_close(scores: &[f32], token: u32, best: f32) -> bool {
    scores.get(token as usize).is_some_and(|score| *score > best - MARGIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `[1, 2, 3]` and `[5]` inside a text, `[4, 2]` only at its beginning.
    fn state() -> BiasState {
        BiasState::new(&Arc::new(Vocabulary::of_tokens(&[&[1, 2, 3], &[5]], &[&[4, 2]])))
    }

    /// The tokens whose scores were changed, by how much, if all had the score of zero.
    fn raised(state: &BiasState) -> Vec<(usize, f32)> {
        let mut scores = [0.0; 10];
        state.apply(&mut scores);
        scores.into_iter().enumerate().filter(|(_, score)| *score != 0.0).collect()
    }

    #[test]
    fn the_bonus_grows_along_a_term_and_ends_with_it() {
        let mut state = state();
        state.accept(9);
        assert_eq!(raised(&state), [(1, BEGIN_BONUS), (5, BEGIN_BONUS)]);
        state.accept(1);
        assert_eq!(raised(&state), [(1, BEGIN_BONUS), (2, CONTINUE_BONUSES[0]), (5, BEGIN_BONUS)]);
        state.accept(2);
        assert_eq!(raised(&state), [(1, BEGIN_BONUS), (3, CONTINUE_BONUSES[1]), (5, BEGIN_BONUS)]);
        state.accept(3);
        assert_eq!(raised(&state), [(1, BEGIN_BONUS), (5, BEGIN_BONUS)]);
    }

    #[test]
    fn a_term_that_breaks_off_has_no_bonus() {
        let mut state = state();
        [9, 1, 7].into_iter().for_each(|token| state.accept(token));
        assert_eq!(raised(&state), [(1, BEGIN_BONUS), (5, BEGIN_BONUS)]);
    }

    #[test]
    fn terms_without_a_space_begin_only_a_text() {
        let mut state = state();
        assert_eq!(raised(&state), [(1, BEGIN_BONUS), (4, BEGIN_BONUS), (5, BEGIN_BONUS)]);
        state.accept(4);
        assert_eq!(raised(&state), [(1, BEGIN_BONUS), (2, CONTINUE_BONUSES[0]), (5, BEGIN_BONUS)]);
    }

    #[test]
    fn a_confident_choice_is_never_overridden() {
        let mut state = state();
        [9, 1, 2].into_iter().for_each(|token| state.accept(token));
        let mut scores = [0.0; 10];
        scores[7] = MARGIN;
        state.apply(&mut scores);
        assert_eq!(scores.iter().sum::<f32>(), MARGIN);
    }

    #[test]
    fn forbidden_tokens_and_short_rows_of_scores_are_left_alone() {
        let state = state();
        let mut scores = [f32::NEG_INFINITY; 3];
        state.apply(&mut scores);
        assert_eq!(scores, [f32::NEG_INFINITY; 3]);
    }

    #[test]
    fn texts_that_are_decoded_side_by_side_do_not_disturb_each_other() {
        let vocabulary = Arc::new(Vocabulary::of_tokens(&[&[1, 2, 3]], &[]));
        let (mut one, other) = (BiasState::new(&vocabulary), BiasState::new(&vocabulary));
        one.accept(1);
        assert_eq!(raised(&other), [(1, BEGIN_BONUS)]);
        assert_eq!(raised(&one), [(1, BEGIN_BONUS), (2, CONTINUE_BONUSES[0])]);
    }

    #[test]
    fn overlapping_terms_are_followed_at_once() {
        let vocabulary = Vocabulary::of_tokens(&[&[1, 2, 3], &[2, 4], &[2, 3]], &[]);
        let mut state = BiasState::new(&Arc::new(vocabulary));
        [1, 2].into_iter().for_each(|token| state.accept(token));
        let expected = [BEGIN_BONUS, BEGIN_BONUS, CONTINUE_BONUSES[1], CONTINUE_BONUSES[0]];
        assert_eq!(raised(&state), [1, 2, 3, 4].into_iter().zip(expected).collect::<Vec<_>>());
    }
}
