//! Reads a recording, cuts it into units of work and collects the results in order.
//!
//! Decoding and the work on the units run on the scheduler's threads; the calling thread only waits.

use std::collections::VecDeque;

use auris_engine_core::{Admission, AudioSource, EngineError, Ticket, Worker};

use crate::AudioStream;

/// Cuts samples into units of work.
pub trait Cutter: Send + 'static {
    type Unit: Send + 'static;

    /// Takes the next samples and returns the units that they complete.
    fn push(&mut self, samples: &[f32]) -> Result<Vec<Self::Unit>, EngineError>;

    /// Ends the recording and returns the last units.
    fn finish(&mut self) -> Result<Vec<Self::Unit>, EngineError>;
}

/// A recording that is being decoded. It moves into each decoding job and back.
pub struct Feeder<C> {
    stream: AudioStream,
    cutter: C,
    /// Half-second blocks decoded in one go.
    blocks: usize,
    ended: bool,
}

impl<C: Cutter> Feeder<C> {
    /// Opens a recording. Each decoding job reads `blocks` half-second blocks.
    pub fn open(audio: &AudioSource, cutter: C, blocks: usize) -> Result<Self, EngineError> {
        Ok(Self { stream: AudioStream::open(audio)?, cutter, blocks, ended: false })
    }

    /// Decodes until this number of units is complete, and returns them; fewer if the recording has fewer.
    pub fn first_units(mut self, count: usize, admission: &Admission) -> Result<Vec<C::Unit>, EngineError> {
        let mut first = Vec::new();
        while !self.ended && first.len() < count {
            let (feeder, units) = self.submit(admission).wait()?;
            self = feeder;
            first.extend(units);
        }
        first.truncate(count);
        Ok(first)
    }

    /// Queues a decoding job. It returns the feeder and the units that the decoded samples complete.
    fn submit(self, admission: &Admission) -> Ticket<(Self, Vec<C::Unit>)> {
        admission.submit(move |worker| self.feed(worker))
    }

    /// Pauses between two blocks, so that a recording of a job does not delay a synchronous call.
    fn feed(mut self, worker: &Worker) -> Result<(Self, Vec<C::Unit>), EngineError> {
        let mut samples = Vec::new();
        for _ in 0..self.blocks {
            worker.pause()?;
            match self.stream.next_block()? {
                Some(block) => samples.extend(block),
                None => {
                    self.ended = true;
                    break;
                }
            }
        }
        worker.pause()?;
        let mut units = self.cutter.push(&samples)?;
        if self.ended {
            units.extend(self.cutter.finish()?);
        }
        Ok((self, units))
    }

    fn position(&self) -> Position {
        let decoded = self.stream.seconds();
        let total = if self.ended { Some(decoded) } else { self.stream.declared_seconds() };
        Position { decoded, total }
    }
}

/// How much of a recording was decoded, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Position {
    pub decoded: f64,
    /// `None` if the duration is unknown until the whole file is decoded.
    pub total: Option<f64>,
}

/// The result of a unit, or a ticket for one that may need further work.
pub enum Pending<T> {
    Ticket(Ticket<T>),
    Done(T),
}

/// Works on units.
pub trait Consumer<U> {
    type Output: Send + 'static;

    /// Starts the work on a unit.
    fn submit(&mut self, unit: U, admission: &Admission) -> Result<Pending<Self::Output>, EngineError>;

    /// Called as soon as the result of a ticket is available, even if earlier units are unfinished. May start further work
    /// on the unit.
    fn complete(
        &mut self,
        output: Self::Output,
        _place: &Admission,
    ) -> Result<Pending<Self::Output>, EngineError> {
        Ok(Pending::Done(output))
    }

    /// Receives the results in the order of the units.
    fn receive(&mut self, output: Self::Output, position: Position);
}

/// Runs the whole recording through `consumer` and returns its duration in seconds. At most `ahead` units, and those of
/// one decoding job, are submitted ahead of the result that is received next.
///
/// While the units of one decoding job are worked on, the next job decodes already, so that no model waits for samples.
pub fn run<C: Cutter, W: Consumer<C::Unit>>(
    feeder: Feeder<C>,
    consumer: &mut W,
    admission: &Admission,
    ahead: usize,
) -> Result<f64, EngineError> {
    let mut units_in_order = InOrder { consumer, pending: VecDeque::new() };
    let mut decoding = Some(feeder.submit(admission));
    let mut duration_seconds = 0.0;
    while let Some(ticket) = decoding.take() {
        let (feeder, units) = ticket.wait()?;
        let position = feeder.position();
        duration_seconds = position.decoded;
        decoding = (!feeder.ended).then(|| feeder.submit(admission));
        units_in_order.submit(units, admission)?;
        let limit = if decoding.is_some() { ahead } else { 0 };
        units_in_order.receive(limit, position, admission)?;
    }
    Ok(duration_seconds)
}

/// How a ticket is waited for: its result, or the ticket again.
type Wait<T> = fn(Ticket<T>) -> Result<Result<T, EngineError>, Ticket<T>>;

/// Units that were submitted, and whose results are received in order.
struct InOrder<'a, U, W: Consumer<U>> {
    consumer: &'a mut W,
    pending: VecDeque<Pending<<W as Consumer<U>>::Output>>,
}

impl<U, W: Consumer<U>> InOrder<'_, U, W> {
    fn submit(&mut self, units: Vec<U>, admission: &Admission) -> Result<(), EngineError> {
        for unit in units {
            self.pending.push_back(self.consumer.submit(unit, admission)?);
        }
        Ok(())
    }

    /// Receives what is ready, and waits while more than `limit` units are pending.
    fn receive(
        &mut self,
        limit: usize,
        position: Position,
        admission: &Admission,
    ) -> Result<(), EngineError> {
        loop {
            for unit in std::mem::take(&mut self.pending) {
                let unit = self.advanced(unit, Ticket::try_wait, admission)?;
                self.pending.push_back(unit);
            }
            while let Some(output) = self.pending.pop_front_if(|unit| matches!(unit, Pending::Done(_))) {
                // The receiver of the result before may have cancelled the call.
                admission.context().check()?;
                if let Pending::Done(output) = output {
                    self.consumer.receive(output, position);
                }
            }
            if self.pending.len() <= limit {
                return Ok(());
            }
            // Only a moment: further work on the other units should not wait for the first one.
            if let Some(first) = self.pending.pop_front() {
                let first = self.advanced(first, Ticket::wait_briefly, admission)?;
                self.pending.push_front(first);
            }
        }
    }

    /// If the result of the unit is available, passes it to `complete`. Otherwise returns the unit unchanged.
    fn advanced(
        &mut self,
        unit: Pending<W::Output>,
        wait: Wait<W::Output>,
        admission: &Admission,
    ) -> Result<Pending<W::Output>, EngineError> {
        let Pending::Ticket(ticket) = unit else { return Ok(unit) };
        match wait(ticket) {
            Ok(output) => self.consumer.complete(output?, admission),
            Err(unfinished) => Ok(Pending::Ticket(unfinished)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::Duration;

    use auris_engine_core::{CallContext, Priority, Scheduler};
    use auris_engine_testing::write_wav;

    use super::*;

    /// Counts the units that were cut.
    struct Halves(Arc<AtomicUsize>);

    impl Cutter for Halves {
        type Unit = usize;

        fn push(&mut self, samples: &[f32]) -> Result<Vec<usize>, EngineError> {
            let units = if samples.is_empty() { vec![] } else { vec![self.0.fetch_add(1, Ordering::SeqCst)] };
            Ok(units)
        }

        fn finish(&mut self) -> Result<Vec<usize>, EngineError> {
            Ok(vec![])
        }
    }

    /// Remembers the order of results, and how far decoding was ahead of them.
    struct Recorder {
        cut: Arc<AtomicUsize>,
        received: Vec<usize>,
        furthest_ahead: usize,
    }

    impl Consumer<usize> for Recorder {
        type Output = usize;

        fn submit(&mut self, unit: usize, admission: &Admission) -> Result<Pending<usize>, EngineError> {
            Ok(Pending::Ticket(admission.submit(move |_| Ok(unit))))
        }

        fn receive(&mut self, unit: usize, position: Position) {
            let ahead = self.cut.load(Ordering::SeqCst) - self.received.len();
            self.furthest_ahead = self.furthest_ahead.max(ahead);
            assert!(position.decoded >= (unit + 1) as f64 * 0.5);
            self.received.push(unit);
        }
    }

    #[test]
    fn results_arrive_in_order_and_decoding_is_ahead_by_a_bounded_number_of_units() {
        let folder = tempfile::tempdir().unwrap();
        let path = write_wav(&folder.path().join("silence.wav"), &[0.0; 20 * 8_000]);
        let scheduler = Scheduler::new(2, 1);
        let admission = scheduler.admit(&CallContext::alone()).unwrap();
        let cut = Arc::new(AtomicUsize::new(0));
        let feeder = Feeder::open(&AudioSource::new(path, 60.0), Halves(cut.clone()), 1).unwrap();
        let mut recorder = Recorder { cut, received: vec![], furthest_ahead: 0 };
        let seconds = run(feeder, &mut recorder, &admission, 3).unwrap();
        assert_eq!(seconds, 10.0);
        assert_eq!(recorder.received, (0..20).collect::<Vec<_>>());
        assert!(recorder.furthest_ahead <= 3 + 2, "{} units", recorder.furthest_ahead);
    }

    /// The first unit ends only when further work on the second one has started.
    struct TwoStages {
        started: Option<Sender<()>>,
        start: Option<Receiver<()>>,
        received: Vec<(usize, bool)>,
    }

    impl Consumer<usize> for TwoStages {
        /// A unit, and whether the further work on it is done.
        type Output = (usize, bool);

        fn submit(
            &mut self,
            unit: usize,
            admission: &Admission,
        ) -> Result<Pending<(usize, bool)>, EngineError> {
            let held = self.start.take();
            Ok(Pending::Ticket(admission.submit(move |_| {
                let long = Duration::from_secs(60);
                held.map_or(Ok(()), |held| held.recv_timeout(long).map_err(EngineError::internal))?;
                Ok((unit, false))
            })))
        }

        fn complete(
            &mut self,
            (unit, done): (usize, bool),
            admission: &Admission,
        ) -> Result<Pending<(usize, bool)>, EngineError> {
            if done {
                return Ok(Pending::Done((unit, done)));
            }
            if unit == 1
                && let Some(started) = self.started.take()
            {
                started.send(()).unwrap();
            }
            Ok(Pending::Ticket(admission.submit(move |_| Ok(unit)).map(|unit| (unit, true))))
        }

        fn receive(&mut self, output: (usize, bool), _: Position) {
            self.received.push(output);
        }
    }

    #[test]
    fn further_work_on_a_unit_does_not_wait_for_an_earlier_unit() {
        let folder = tempfile::tempdir().unwrap();
        let path = write_wav(&folder.path().join("silence.wav"), &[0.0; 3 * 8_000]);
        let scheduler = Scheduler::new(2, 1);
        let admission = scheduler.admit(&CallContext::alone()).unwrap();
        let cutter = Halves(Arc::new(AtomicUsize::new(0)));
        let feeder = Feeder::open(&AudioSource::new(path, 60.0), cutter, 1).unwrap();
        let (started, start) = channel();
        let mut stages = TwoStages { started: Some(started), start: Some(start), received: vec![] };
        run(feeder, &mut stages, &admission, 3).unwrap();
        assert_eq!(stages.received, [(0, true), (1, true), (2, true)]);
    }

    #[test]
    fn a_synchronous_item_passes_a_background_recording_that_is_being_decoded() {
        let folder = tempfile::tempdir().unwrap();
        let path = write_wav(&folder.path().join("silence.wav"), &[0.0; 8_000]);
        let scheduler = Scheduler::new(1, 1);
        let background = CallContext { priority: Priority::Background, ..CallContext::alone() };
        let cut = Arc::new(AtomicUsize::new(0));
        let feeder = Feeder::open(&AudioSource::new(path, 60.0), Halves(cut.clone()), 2).unwrap();
        let (started, running) = channel();
        let (release, held) = channel::<()>();
        let decoding = scheduler.admit(&background).unwrap().submit(move |worker| {
            started.send(()).map_err(EngineError::internal)?;
            held.recv().map_err(EngineError::internal)?;
            feeder.feed(worker).map(|(_, units)| units)
        });
        running.recv().unwrap();
        let short = scheduler.admit(&CallContext::alone()).unwrap();
        let cut_before = short.submit(move |_| Ok(cut.load(Ordering::SeqCst)));
        release.send(()).unwrap();
        assert_eq!(cut_before.wait().unwrap(), 0);
        assert_eq!(decoding.wait().unwrap(), [0]);
    }
}
