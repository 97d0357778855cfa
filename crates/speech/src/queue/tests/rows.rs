//! Tasks that decode several rows side by side.

use super::*;
use crate::net::ScoredRow;
use crate::task::{Next, NextRow, Window};

/// The rows after each step: the row that each continues, and its token.
const PLAN: [&[(usize, u32)]; 3] =
    [&[(0, 1), (0, 2), (0, 3)], &[(2, 4), (0, 5), (2, 6)], &[(1, 7), (0, 8), (1, 9)]];
/// What the rows of each step were fed, as digits.
const READ: [&[f32]; 4] =
    [&[78.0], &[781.0, 782.0, 783.0], &[7_834.0, 7_815.0, 7_836.0], &[78_157.0, 78_348.0, 78_159.0]];

/// Follows the plan, and notes what its rows were fed.
struct BranchingTask {
    samples: Vec<f32>,
    is_encoded: bool,
    /// Whether the last rows go on for ever.
    is_endless: bool,
    read: Vec<Vec<f32>>,
}

impl BranchingTask {
    fn new(label: u32, is_endless: bool) -> Self {
        Self { samples: vec![label as f32; 4], is_encoded: false, is_endless, read: Vec::new() }
    }
}

impl SegmentTask for BranchingTask {
    type Output = Vec<Vec<f32>>;

    fn window(&mut self) -> Option<Window> {
        let window = Window { rows: 3, ..Window::of(0..4) };
        (!std::mem::replace(&mut self.is_encoded, true)).then_some(window)
    }

    fn samples(&self) -> &[f32] {
        &self.samples
    }

    fn start(&mut self) -> Vec<u32> {
        vec![7, 8]
    }

    fn next(&mut self, scores: &mut [f32], attention: &[Vec<f32>]) -> Next {
        self.next_rows(&mut [ScoredRow { scores, attention }])
    }

    fn next_rows(&mut self, rows: &mut [ScoredRow<'_>]) -> Next {
        for row in rows.iter() {
            assert_eq!((row.scores[0], row.attention[0][0]), (self.samples[0], self.samples[0]));
        }
        let row = |(parent, token): (usize, u32)| NextRow { parent, token };
        if self.is_endless && self.read.len() == PLAN.len() {
            return Next::Rows((0..rows.len()).map(|nth| row((nth, 1))).collect());
        }
        let planned = PLAN.get(self.read.len());
        self.read.push(rows.iter().map(|row| row.scores[2]).collect());
        planned.map_or(Next::Done, |rows| Next::Rows(rows.iter().copied().map(row).collect()))
    }

    fn finish(self: Box<Self>) -> Vec<Vec<f32>> {
        self.read
    }
}

#[test]
fn rows_continue_their_parents_whatever_shares_the_step() {
    let setup = Setup::new(1);
    let admission = setup.admission(&background("p", "j"));
    let alone = setup.queue.submit(BranchingTask::new(1, false), &admission);
    assert_eq!(alone.wait().unwrap(), READ);
    assert_eq!(setup.log.steps(), [vec![1], vec![1; 3], vec![1; 3], vec![1; 3]]);

    let occupied = setup.occupy();
    let branching: Vec<_> =
        (2..12).map(|label| setup.queue.submit(BranchingTask::new(label, false), &admission)).collect();
    let single = setup.submit(&background("q", "j"), &[(20, 3), (21, 9)]);
    drop(occupied);
    branching.into_iter().for_each(|ticket| assert_eq!(ticket.wait().unwrap(), READ));
    for (ticket, steps) in single.into_iter().zip([3, 9]) {
        assert_eq!(ticket.wait().unwrap(), fed(steps));
    }
}

#[test]
fn rows_count_towards_the_slots_and_the_memory() {
    let setup = Setup::with_memory(1, 10, 10_000);
    let slots = MAX_SLOTS.div_ceil(3);
    let endless = background("p", "endless");
    let admission = setup.admission(&endless);
    let occupied = setup.occupy();
    let tickets: Vec<_> = (0..MAX_SLOTS as u32)
        .map(|label| setup.queue.submit(BranchingTask::new(label, true), &admission))
        .collect();
    drop(occupied);
    setup.log.wait_for(|event| matches!(event, Event::Stepped(labels) if labels.len() == 3 * slots));
    assert_eq!(setup.runtime.loaded.memory().free(), 10_000 - 10 * 3 * slots as u64);
    assert_eq!(setup.log.steps().iter().map(Vec::len).max(), Some(3 * slots));
    endless.cancel.cancel();
    tickets.into_iter().for_each(|ticket| assert!(matches!(ticket.wait(), Err(EngineError::Cancelled))));
}

#[test]
fn a_cancelled_task_frees_all_of_its_rows() {
    let setup = Setup::with_memory(1, 10, 10_000);
    let endless = background("p", "endless");
    let ticket = setup.queue.submit(BranchingTask::new(1, true), &setup.admission(&endless));
    setup.log.wait_for(|event| *event == Event::Stepped(vec![1; 3]));
    assert!(setup.log.sequences() > 1);
    endless.cancel.cancel();
    let next = setup.submit(&background("q", "next"), &[(2, 1)]).remove(0);
    assert_eq!(next.wait().unwrap(), fed(1));
    assert!(matches!(ticket.wait(), Err(EngineError::Cancelled)));
    assert_eq!((setup.log.sequences(), setup.runtime.loaded.memory().free()), (0, 10_000));
}
