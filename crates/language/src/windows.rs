//! Splits a long transcript into windows that fit the model. Windows end with a line.

use std::ops::Range;

use auris_engine_core::EngineError;

use super::chat::ChatModel;
use super::lines::{Lines, written};

/// The lines of one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) lines: Range<usize>,
    pub(crate) text: String,
}

/// Splits the lines into windows of at most `tokens` tokens and `max_lines` lines. A window ends between two turns if it is
/// then at least half full. A line with more tokens gets its own window.
pub(crate) fn cut(
    lines: &Lines,
    model: &dyn ChatModel,
    tokens: usize,
    max_lines: usize,
) -> Result<Vec<Window>, EngineError> {
    let costs = costs(lines, model)?;
    let mut windows = Vec::new();
    let mut start = 0;
    while start < lines.all.len() {
        let end = end_of(&costs, start, tokens, max_lines);
        let end = if end < lines.all.len() { before_turn(lines, start, end) } else { end };
        windows.push(Window { lines: start..end, text: lines.written(start..end) });
        start = end;
    }
    Ok(windows)
}

/// The tokens of each line. The joined text has about as many.
fn costs(lines: &Lines, model: &dyn ChatModel) -> Result<Vec<usize>, EngineError> {
    lines.all.iter().enumerate().map(|(number, line)| model.count_tokens(&written(number, line))).collect()
}

fn end_of(costs: &[usize], start: usize, tokens: usize, max_lines: usize) -> usize {
    let mut sum = 0;
    let fit = costs[start..].iter().take(max_lines).take_while(|cost| {
        sum += **cost;
        sum <= tokens
    });
    start + fit.count().max(1)
}

/// Where the turn begins that a cut at `end` would split.
fn before_turn(lines: &Lines, start: usize, end: usize) -> usize {
    let speaker = |line: usize| lines.all[line].speaker.as_deref();
    let changes = |line: &usize| speaker(*line) != speaker(*line - 1);
    let half = start + (end - start) / 2;
    if speaker(end).is_none() {
        return end;
    }
    (half.max(start + 1)..=end).rev().find(changes).unwrap_or(end)
}
