//! Reads a recording, cuts it into units of work and collects the results in order.
//!
//! Decoding and the work on the units run on the scheduler's threads; the calling thread only waits.

use std::collections::VecDeque;

use auris_engine_core::{AudioSource, EngineError, Place, Ticket};

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

    /// Decodes until the first unit is complete; `None` if the recording has none.
    pub fn first_unit(mut self, place: &Place) -> Result<Option<C::Unit>, EngineError> {
        while !self.ended {
            let (feeder, units) = place.submit(move |_| self.feed()).wait()?;
            self = feeder;
            if let Some(unit) = units.into_iter().next() {
                return Ok(Some(unit));
            }
        }
        Ok(None)
    }

    /// Decodes some more and returns the units that this completes.
    fn feed(mut self) -> Result<(Self, Vec<C::Unit>), EngineError> {
        let mut samples = Vec::new();
        for _ in 0..self.blocks {
            match self.stream.next_block()? {
                Some(block) => samples.extend(block),
                None => {
                    self.ended = true;
                    break;
                }
            }
        }
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

/// The result of a unit, or the promise of one.
pub enum Pending<T> {
    Ticket(Ticket<T>),
    Done(T),
}

impl<T> Pending<T> {
    fn wait(self) -> Result<T, EngineError> {
        match self {
            Self::Ticket(ticket) => ticket.wait(),
            Self::Done(result) => Ok(result),
        }
    }
}

/// Works on units.
pub trait Consumer<U> {
    type Output;

    /// Starts the work on a unit.
    fn submit(&mut self, unit: U, place: &Place) -> Result<Pending<Self::Output>, EngineError>;

    /// Receives the results in the order of the units.
    fn receive(&mut self, output: Self::Output, position: Position);
}

/// Runs the whole recording through `consumer` and returns its duration in seconds. At most `ahead` units are submitted
/// ahead of the result that is received next.
pub fn run<C: Cutter, W: Consumer<C::Unit>>(
    mut feeder: Feeder<C>,
    consumer: &mut W,
    place: &Place,
    ahead: usize,
) -> Result<f64, EngineError> {
    let mut pending = VecDeque::new();
    loop {
        while pending.len() < ahead && !feeder.ended {
            let (fed, units) = place.submit(move |_| feeder.feed()).wait()?;
            feeder = fed;
            for unit in units {
                pending.push_back(consumer.submit(unit, place)?);
            }
        }
        let Some(next) = pending.pop_front() else { return Ok(feeder.stream.seconds()) };
        consumer.receive(next.wait()?, feeder.position());
    }
}
