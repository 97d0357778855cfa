//! A long transcript in windows that fit the model, cut where a line ends.

use std::ops::Range;

use super::chat::ChatModel;
use super::lines::{Lines, written};
use crate::EngineError;

/// Lines that fit into one question together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) lines: Range<usize>,
    pub(crate) text: String,
}

/// Cuts all lines into windows of at most `tokens` tokens and `lines_at_most` lines. A speaker's turn is kept whole
/// where that leaves the window more than half full. A line that is longer by itself is a window of its own.
pub(crate) fn cut(
    lines: &Lines,
    model: &dyn ChatModel,
    tokens: usize,
    lines_at_most: usize,
) -> Result<Vec<Window>, EngineError> {
    let costs = costs(lines, model)?;
    let mut windows = Vec::new();
    let mut start = 0;
    while start < lines.all.len() {
        let end = end_of(&costs, start, tokens, lines_at_most);
        let end = if end < lines.all.len() { before_turn(lines, start, end) } else { end };
        windows.push(Window { lines: start..end, text: lines.written(start..end) });
        start = end;
    }
    Ok(windows)
}

/// The tokens of each line. Joined they may be a few fewer, never more by much.
fn costs(lines: &Lines, model: &dyn ChatModel) -> Result<Vec<usize>, EngineError> {
    lines.all.iter().enumerate().map(|(number, line)| model.count_tokens(&written(number, line))).collect()
}

fn end_of(costs: &[usize], start: usize, tokens: usize, lines_at_most: usize) -> usize {
    let mut sum = 0;
    let fit = costs[start..].iter().take(lines_at_most).take_while(|cost| {
        sum += **cost;
        sum <= tokens
    });
    start + fit.count().max(1)
}

/// The start of the turn that a cut at `end` would go through.
fn before_turn(lines: &Lines, start: usize, end: usize) -> usize {
    let speaker = |line: usize| lines.all[line].speaker.as_deref();
    let changes = |line: &usize| speaker(*line) != speaker(*line - 1);
    let half = start + (end - start) / 2;
    if speaker(end).is_none() {
        return end;
    }
    (half.max(start + 1)..=end).rev().find(changes).unwrap_or(end)
}
