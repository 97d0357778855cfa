//! A net and tasks that compute nothing, and a record of what the queue asked of them.

use std::collections::HashSet;
use std::sync::Arc;
use std::thread::ThreadId;

use auris_engine_core::EngineError;
use parking_lot::{Condvar, Mutex};

use crate::net::{Feed, Net, NetInput, Pause, PlannedWindow, StepOutput, StepState};
use crate::task::{Next, SegmentTask, Window};

/// Pauses of an encoding, and parts of a step.
const LAYERS: usize = 3;

/// Gets the number of the part of a step, and the labels of the tasks that share it.
type OnPart = Box<dyn FnMut(usize, &[u32]) + Send>;

/// What happened, in order.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Event {
    EncodingStarted(u32, ThreadId),
    Encoded(u32),
    /// The labels of the tasks that shared a step.
    Stepped(Vec<u32>),
}

/// The record, and the points at which the net waits.
#[derive(Default)]
pub(super) struct Log {
    events: Mutex<Vec<Event>>,
    changed: Condvar,
    /// Labels whose encodings wait after their beginning.
    held: Mutex<HashSet<u32>>,
    released: Condvar,
    /// Steps wait until this number of encodings ended.
    step_after: Mutex<usize>,
    /// The number of tokens that were fed in each step.
    fed: Mutex<Vec<usize>>,
    /// Called in the middle of each part of a step.
    on_part: Mutex<Option<OnPart>>,
    /// Every sequence holds it.
    sequences: Arc<()>,
}

impl Log {
    pub(super) fn hold_encoding(&self, label: u32) {
        self.held.lock().insert(label);
    }

    pub(super) fn release_encodings(&self) {
        self.held.lock().clear();
        self.released.notify_all();
    }

    pub(super) fn step_after_encodings(&self, count: usize) {
        *self.step_after.lock() = count;
    }

    pub(super) fn events(&self) -> Vec<Event> {
        self.events.lock().clone()
    }

    /// The labels in the order in which they were encoded.
    pub(super) fn encoded(&self) -> Vec<u32> {
        let label = |event: &Event| if let Event::Encoded(label) = event { Some(*label) } else { None };
        self.events().iter().filter_map(label).collect()
    }

    /// The tasks of each step.
    pub(super) fn steps(&self) -> Vec<Vec<u32>> {
        let labels = |event: Event| if let Event::Stepped(labels) = event { Some(labels) } else { None };
        self.events().into_iter().filter_map(labels).collect()
    }

    /// Waits until an event of this kind is recorded.
    pub(super) fn wait_for(&self, is_it: impl Fn(&Event) -> bool) {
        let mut events = self.events.lock();
        while !events.iter().any(&is_it) {
            self.changed.wait(&mut events);
        }
    }

    /// The number of tokens that were fed in each step.
    pub(super) fn fed(&self) -> Vec<usize> {
        self.fed.lock().clone()
    }

    pub(super) fn on_part(&self, called: impl FnMut(usize, &[u32]) + Send + 'static) {
        *self.on_part.lock() = Some(Box::new(called));
    }

    /// The number of sequences that exist.
    pub(super) fn sequences(&self) -> usize {
        Arc::strong_count(&self.sequences) - 1
    }

    fn record(&self, event: Event) {
        self.events.lock().push(event);
        self.changed.notify_all();
    }

    fn wait_while_held(&self, label: u32) {
        let mut held = self.held.lock();
        while held.contains(&label) {
            self.released.wait(&mut held);
        }
    }

    fn wait_for_encodings(&self) {
        let count = *self.step_after.lock();
        let is_encoded = |event: &&Event| matches!(event, Event::Encoded(_));
        let mut events = self.events.lock();
        while events.iter().filter(is_encoded).count() < count {
            self.changed.wait(&mut events);
        }
    }
}

/// The first sample of a window is the label of its task.
pub(super) struct FakeNet {
    pub(super) log: Arc<Log>,
    /// The bytes of each row of a slot.
    pub(super) slot_bytes: u64,
}

/// A task with this label makes the net panic when it is encoded ...
pub(super) const PANICS_ENCODING: u32 = 1_000_001;
/// ... and with this one when it is decoded.
pub(super) const PANICS_STEPPING: u32 = 1_000_002;

/// A task with this label panics when it gets its scores.
pub(super) const PANICS_CHOOSING: u32 = 1_000_003;

/// A decoding: its label, the number of tokens fed, and the tokens as the digits of a number.
#[derive(Clone)]
pub(super) struct FakeSequence {
    label: u32,
    fed: usize,
    digits: f32,
    _counted: Arc<()>,
}

impl Net for FakeNet {
    type Audio = u32;
    type Sequence = FakeSequence;
    /// The next part of a step.
    type Workspace = usize;

    fn encode(&self, input: NetInput<'_>, _: &mut usize, pause: Pause<'_>) -> Result<u32, EngineError> {
        let label = input.samples[0] as u32;
        self.log.record(Event::EncodingStarted(label, std::thread::current().id()));
        assert_ne!(label, PANICS_ENCODING, "as planned");
        self.log.wait_while_held(label);
        (0..LAYERS).try_for_each(|_| pause())?;
        self.log.record(Event::Encoded(label));
        Ok(label)
    }

    fn begin(&self, audio: Arc<u32>) -> FakeSequence {
        FakeSequence { label: *audio, fed: 0, digits: 0.0, _counted: self.log.sequences.clone() }
    }

    fn fork(&self, sequence: &FakeSequence) -> FakeSequence {
        sequence.clone()
    }

    fn begin_step(&self, feeds: &mut [Feed<'_, FakeSequence>], part: &mut usize, output: &mut StepOutput) {
        self.log.wait_for_encodings();
        assert!(feeds.iter().all(|feed| feed.sequence.label != PANICS_STEPPING), "as planned");
        self.log.fed.lock().push(feeds.iter().map(|feed| feed.tokens.len()).sum());
        *part = 0;
        let attention = |feed: &Feed<'_, FakeSequence>| {
            vec![vec![feed.sequence.label as f32]; usize::from(feed.with_attention)]
        };
        output.attention = feeds.iter().map(attention).collect();
    }

    /// The scores are the label, the number of tokens fed and their digits.
    fn continue_step(
        &self,
        feeds: &mut [Feed<'_, FakeSequence>],
        part: &mut usize,
        output: &mut StepOutput,
    ) -> StepState {
        let labels: Vec<u32> = feeds.iter().map(|feed| feed.sequence.label).collect();
        if let Some(called) = &mut *self.log.on_part.lock() {
            called(*part, &labels);
        }
        *part += 1;
        if *part < LAYERS {
            return StepState::Unfinished;
        }
        output.vocabulary = 3;
        output.scores.clear();
        for Feed { sequence, tokens, .. } in feeds {
            sequence.fed += tokens.len();
            tokens.iter().for_each(|token| sequence.digits = sequence.digits * 10.0 + *token as f32);
            output.scores.extend([sequence.label as f32, sequence.fed as f32, sequence.digits]);
        }
        self.log.record(Event::Stepped(labels));
        StepState::Done
    }

    fn leave_step(&self, kept: &[bool], _: &mut usize, output: &mut StepOutput) {
        output.keep(kept);
    }

    /// As if each token of a prompt occupied as much as a row.
    fn memory(&self, planned: PlannedWindow) -> u64 {
        self.slot_bytes * (planned.sequences + planned.prompt) as u64
    }
}

/// Takes a number of steps for each of its windows. Its result is the number of tokens fed in each step.
pub(super) struct FakeTask {
    samples: Vec<f32>,
    windows: usize,
    /// The rows that its last window may have.
    last_rows: usize,
    /// Tokens that are fed before the first ones.
    prompt: usize,
    steps: usize,
    /// Steps of the current decoding.
    taken: usize,
    restarts: usize,
    fed: Vec<usize>,
}

impl FakeTask {
    pub(super) fn new(label: u32, steps: usize) -> Self {
        let samples = vec![label as f32; 4];
        Self { samples, windows: 1, last_rows: 1, prompt: 0, steps, taken: 0, restarts: 0, fed: vec![] }
    }

    pub(super) fn endless(label: u32) -> Self {
        Self::new(label, usize::MAX)
    }

    pub(super) fn with_windows(self, windows: usize) -> Self {
        Self { windows, ..self }
    }

    pub(super) fn with_last_rows(self, last_rows: usize) -> Self {
        Self { last_rows, ..self }
    }

    pub(super) fn with_prompt(self, prompt: usize) -> Self {
        Self { prompt, ..self }
    }

    pub(super) fn with_restart(self) -> Self {
        Self { restarts: 1, ..self }
    }
}

impl SegmentTask for FakeTask {
    type Output = Vec<usize>;

    fn window(&mut self) -> Option<Window> {
        self.windows = self.windows.checked_sub(1)?;
        let rows = if self.windows == 0 { self.last_rows } else { 1 };
        Some(Window { rows, prompt: self.prompt, ..Window::of(self.windows..self.samples.len()) })
    }

    fn samples(&self) -> &[f32] {
        &self.samples
    }

    fn start(&mut self) -> Vec<u32> {
        self.taken = 0;
        [vec![1; self.prompt], vec![7, 8]].concat()
    }

    fn next(&mut self, scores: &mut [f32], attention: &[Vec<f32>]) -> Next {
        // The scores and the attention are those of this task.
        assert_eq!((scores[0], attention[0][0]), (self.samples[0], self.samples[0]));
        assert_ne!(scores[0], PANICS_CHOOSING as f32, "as planned");
        self.taken += 1;
        self.fed.push(scores[1] as usize);
        if self.taken < self.steps {
            return Next::Feed(vec![9]);
        }
        match self.restarts {
            0 => Next::Done,
            _ => {
                self.restarts -= 1;
                Next::Restart
            }
        }
    }

    fn finish(self: Box<Self>) -> Vec<usize> {
        self.fed
    }
}
