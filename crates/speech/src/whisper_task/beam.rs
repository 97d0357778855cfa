//! Beam search: the most probable texts of a window are decoded side by side, and the best one is kept.
//!
//! The rules are those of OpenAI's Whisper: the search ends when as many texts have ended as the beam is wide, and the
//! best text is the one with the highest mean log probability of its tokens.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::MAX_TOKENS;
use super::decoded_window::DecodedWindow;
use super::rules::WhisperRules;
use super::timestamps::constrain;
use crate::alignment::Attention;
use crate::net::ScoredRow;
use crate::repetition_guards::loop_start;
use crate::task::NextRow;
use crate::token_choice::most_probable;
use crate::vocabulary::BiasState;
use crate::words::ChosenToken;

/// The texts of one window.
pub(super) struct Beam {
    width: usize,
    /// The number of frames of the audio.
    frames: usize,
    /// Where the speech ends, in seconds.
    speech_end: f64,
    /// The texts that have not ended, one for each row of the task, best first.
    open: Vec<Hypothesis>,
    finished: Vec<Hypothesis>,
}

/// A text, or the beginning of one.
#[derive(Clone)]
struct Hypothesis {
    chosen: Vec<ChosenToken>,
    /// Of each token of a word. Texts with the same beginning share it.
    attention: Vec<Arc<Attention>>,
    bias: Option<BiasState>,
    /// The sum of all tokens, with the end token.
    log_probability: f32,
}

/// A text with one token more.
struct Branch {
    /// The number of the text in `open`.
    parent: usize,
    token: ChosenToken,
    /// Of the text with the token.
    log_probability: f32,
}

/// What comes after a step.
pub(super) enum BeamStep {
    Continue(Vec<NextRow>),
    /// The best text repeats itself.
    Loop,
    /// The best text. The probability of silence is not set.
    Done(DecodedWindow),
}

impl Beam {
    /// A beam for audio of this number of frames, whose speech ends after `speech_end` seconds, before the first token.
    pub(super) fn new(width: usize, frames: usize, speech_end: f64, bias: Option<BiasState>) -> Self {
        let empty = Hypothesis { chosen: Vec::new(), attention: Vec::new(), bias, log_probability: 0.0 };
        Self { width, frames, speech_end, open: vec![empty], finished: Vec::new() }
    }

    /// Continues with the scores of all open texts. A text that repeats itself is dropped, unless it is the best of all.
    pub(super) fn advance(&mut self, rows: &mut [ScoredRow<'_>], rules: &WhisperRules) -> BeamStep {
        let attention: Vec<_> = rows.iter().map(|row| self.mean_attention(row)).collect();
        let mut open = Vec::new();
        let mut next = Vec::new();
        for branch in self.branches(rows, rules) {
            if open.len() == self.width || self.finished.len() == self.width {
                break;
            }
            let mut text = self.open[branch.parent].clone();
            text.log_probability = branch.log_probability;
            if branch.token.id == rules.tokens.end {
                self.finished.push(text);
                continue;
            }
            text.push(branch.token, &attention[branch.parent], rules);
            if text.is_loop(rules) {
                if open.is_empty() && self.finished.iter().all(|other| other.mean() < text.mean()) {
                    return BeamStep::Loop;
                }
                continue;
            }
            next.push(NextRow { parent: branch.parent, token: branch.token.id });
            open.push(text);
        }
        self.open = open;
        if self.has_ended() { BeamStep::Done(self.best()) } else { BeamStep::Continue(next) }
    }

    fn mean_attention(&self, row: &ScoredRow<'_>) -> Arc<Attention> {
        let mut attention = Attention::new(self.frames);
        attention.push(row.attention);
        Arc::new(attention)
    }

    /// The tokens that may continue the open texts, the most probable text first. One more for each text than the beam is
    /// wide, because one may be the end token.
    fn branches(&self, rows: &mut [ScoredRow<'_>], rules: &WhisperRules) -> Vec<Branch> {
        let mut branches = Vec::new();
        for (parent, (text, row)) in self.open.iter().zip(rows).enumerate() {
            constrain(row.scores, &text.ids(), self.speech_end, rules);
            for (token, added) in most_probable(row.scores, text.bias.as_ref(), self.width + 1) {
                branches.push(Branch { parent, token, log_probability: text.log_probability + added });
            }
        }
        branches.sort_by(|one, other| other.log_probability.total_cmp(&one.log_probability));
        branches
    }

    fn has_ended(&self) -> bool {
        let is_long = self.open.first().is_none_or(|text| text.chosen.len() >= MAX_TOKENS);
        is_long || self.finished.len() == self.width
    }

    /// The best text. If too few have ended, the best open ones count too.
    fn best(&mut self) -> DecodedWindow {
        let missing = self.width - self.finished.len();
        let texts = self.finished.drain(..).chain(self.open.drain(..).take(missing));
        let best = texts.max_by(|one, other| one.mean().total_cmp(&other.mean()));
        let mut window = DecodedWindow { attention: Attention::new(self.frames), ..DecodedWindow::default() };
        if let Some(best) = best {
            best.attention.iter().for_each(|token| window.attention.append(token));
            window.chosen = best.chosen;
        }
        window
    }
}

impl Hypothesis {
    fn ids(&self) -> Vec<u32> {
        self.chosen.iter().map(|token| token.id).collect()
    }

    /// The mean log probability of its tokens.
    fn mean(&self) -> f32 {
        self.log_probability / self.chosen.len().max(1) as f32
    }

    fn is_loop(&self, rules: &WhisperRules) -> bool {
        loop_start(&rules.words_only(&self.ids())).is_some()
    }

    fn push(&mut self, token: ChosenToken, attention: &Arc<Attention>, rules: &WhisperRules) {
        self.chosen.push(token);
        if !rules.is_timestamp(token.id) {
            self.attention.push(attention.clone());
            if let Some(bias) = &mut self.bias {
                bias.accept(token.id);
            }
        }
    }
}
