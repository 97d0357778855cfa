//! Who spoke when, on nets of this process: overlapping windows are listened to side by side, then voices become people.

mod clusters;
mod embedding;
mod fbank;
mod merging;
#[cfg(test)]
mod reference;
mod segmentation;
mod stretches;
mod timeline;
mod turns;
mod windows;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use self::clusters::Clusters;
use self::embedding::Voice;
use self::segmentation::{SHIFT, WINDOW};
use self::stretches::{DiarizerNets, Heard};
use self::timeline::Timeline;
use self::windows::{HOP, Window, Windows};
use crate::audio::{AudioSource, AudioStream, SAMPLE_RATE};
use crate::scheduler::{Place, Scheduler, Ticket};
use crate::{CallContext, Diarization, DiarizationOptions, Diarizer, EngineError, ProgressSink};

/// Half-second blocks decoded in one piece of work: what one window adds.
const BLOCKS: usize = 10;

/// The built-in diarizer. Its nets are in the binary.
pub(crate) struct LocalDiarizer {
    pub(crate) scheduler: Arc<Scheduler>,
}

impl Diarizer for LocalDiarizer {
    fn diarize(
        &self,
        audio: &AudioSource,
        options: &DiarizationOptions,
        sink: &mut dyn ProgressSink,
        context: &CallContext,
    ) -> Result<Diarization, EngineError> {
        let place = self.scheduler.admit(context)?;
        let feeder = Feeder { stream: AudioStream::open(audio)?, windows: Windows::default(), ended: false };
        let ahead = 2 * self.scheduler.threads();
        let mut run = Run {
            place: &place,
            nets: nets()?,
            ahead,
            pending: VecDeque::new(),
            heard: vec![],
            clusters: Clusters::default(),
        };
        let duration_seconds = run.all(feeder, sink)?;
        let (heard, clusters, options) = (run.heard, run.clusters, *options);
        place.submit(move |_| Ok(conclude(heard, clusters, &options, duration_seconds))).wait()
    }
}

/// The nets, shared by all that listen at the same time; they go with the last of them.
fn nets() -> Result<Arc<DiarizerNets>, EngineError> {
    static SHARED: Mutex<Weak<DiarizerNets>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(nets) = shared.upgrade() {
        return Ok(nets);
    }
    let nets = Arc::new(DiarizerNets::load()?);
    *shared = Arc::downgrade(&nets);
    Ok(nets)
}

/// The recording on its way into windows; it travels into each piece of decoding work and back.
struct Feeder {
    stream: AudioStream,
    windows: Windows,
    ended: bool,
}

impl Feeder {
    /// Decodes some more and gives the windows that it completes.
    fn feed(mut self) -> Result<(Self, Vec<Window>), EngineError> {
        let mut windows = Vec::new();
        for _ in 0..BLOCKS {
            match self.stream.next_block()? {
                Some(block) => windows.extend(self.windows.push(&block)),
                None => {
                    self.ended = true;
                    windows.extend(self.windows.finish());
                    break;
                }
            }
        }
        Ok((self, windows))
    }

    fn total_seconds(&self) -> Option<f64> {
        if self.ended { Some(self.stream.seconds()) } else { self.stream.declared_seconds() }
    }
}

/// One diarization under way.
struct Run<'a> {
    place: &'a Place,
    nets: Arc<DiarizerNets>,
    /// How many windows may wait or run at once.
    ahead: usize,
    pending: VecDeque<Ticket<Heard>>,
    heard: Vec<Heard>,
    clusters: Clusters,
}

impl Run<'_> {
    /// Listens to everything and answers with the length of the recording.
    fn all(&mut self, mut feeder: Feeder, sink: &mut dyn ProgressSink) -> Result<f64, EngineError> {
        loop {
            while self.pending.len() < self.ahead && !feeder.ended {
                let (fed, windows) = self.place.submit(move |_| feeder.feed()).wait()?;
                feeder = fed;
                windows.into_iter().for_each(|window| self.listen(window));
            }
            let Some(ticket) = self.pending.pop_front() else { break };
            let heard = ticket.wait()?;
            self.clusters.push(&heard.stretches);
            self.heard.push(heard);
            sink.progress(self.seconds_done(&feeder), feeder.total_seconds());
        }
        let seconds = feeder.stream.seconds();
        sink.progress(seconds, Some(seconds));
        Ok(seconds)
    }

    fn listen(&mut self, window: Window) {
        let nets = self.nets.clone();
        let work = move |worker: &crate::scheduler::Worker| nets.listen(&window, &|| worker.pause());
        self.pending.push_back(self.place.submit(work));
    }

    fn seconds_done(&self, feeder: &Feeder) -> f64 {
        let samples = self.heard.len().saturating_sub(1) * HOP * SHIFT + WINDOW;
        (samples as f64 / f64::from(SAMPLE_RATE)).min(feeder.stream.seconds())
    }
}

fn conclude(
    heard: Vec<Heard>,
    clusters: Clusters,
    options: &DiarizationOptions,
    duration_seconds: f64,
) -> Diarization {
    let mut people = clusters.people(options);
    let mut timeline = Timeline::new(heard, &people);
    let mut spoken = timeline.spoken(people.len());
    let least = options.min_speakers.unwrap_or(0).min(people.len() as u32) as usize;
    let real: Vec<Voice> =
        timeline::real_people(&spoken, people.len()).map(|person| people[person]).collect();
    if (least.max(1)..people.len()).contains(&real.len()) {
        people = real;
        timeline = timeline.among(&people);
        spoken = timeline.spoken(people.len());
    }
    let is_heard = |person: &usize| spoken.iter().any(|spoken| spoken.person == *person && spoken.is_long());
    let unheard: Vec<usize> = (0..people.len()).filter(|person| !is_heard(person)).collect();
    if people.len() - unheard.len() < least {
        unheard.into_iter().for_each(|person| timeline.claim(person, &people[person]));
        spoken = timeline.spoken(people.len());
    }
    let (speakers, turns) = turns::turns(&spoken, duration_seconds);
    Diarization { speakers, turns, duration_seconds }
}
