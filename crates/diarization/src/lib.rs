//! Who spoke when, with models in this process: overlapping windows are analyzed in parallel, then the voices are
//! clustered into speakers.

mod clusters;
mod embedding;
mod fbank;
mod group;
mod merging;
mod nets;
mod overlap;
#[cfg(test)]
mod reference;
mod segmentation;
mod slot_owners;
mod speaker_turns;
mod speech_span;
mod stretches;
mod timeline;
mod windows;

use std::sync::{Arc, Weak};

use auris_audio::pipeline::{self, Consumer, Feeder, Pending, Position};
use auris_audio::{AudioSource, SAMPLE_RATE};
use auris_domain::step::output::Diarization;
use auris_domain::step::spec::DiarizationSpec;
use auris_engine_core::diarization::DiarizedAudio;
use auris_engine_core::{Admission, CallContext, Diarizer, EngineError, ProgressSink, Scheduler};
use parking_lot::Mutex;

use clusters::Clusters;
use embedding::Voice;
use segmentation::{SHIFT, WINDOW};
use stretches::{AnalyzedWindow, DiarizerNets};
use timeline::Timeline;
use windows::{HOP, Window, Windows};

/// Half-second blocks decoded at once: the hop from one window to the next.
const BLOCKS: usize = 10;

/// The built-in diarizer. Its models are part of the binary.
pub struct LocalDiarizer {
    pub scheduler: Arc<Scheduler>,
}

impl Diarizer for LocalDiarizer {
    fn diarize(
        &self,
        audio: &AudioSource,
        spec: &DiarizationSpec,
        sink: &mut dyn ProgressSink,
        context: &CallContext,
    ) -> Result<DiarizedAudio, EngineError> {
        let admission = self.scheduler.admit(context)?;
        let feeder = Feeder::open(audio, Windows::default(), BLOCKS)?;
        let mut analysis = Analysis { nets: nets()?, sink, windows: vec![], clusters: Clusters::default() };
        let ahead = 2 * self.scheduler.threads();
        let duration_seconds = pipeline::run(feeder, &mut analysis, &admission, ahead)?;
        analysis.sink.progress(duration_seconds, Some(duration_seconds));
        let Analysis { windows, clusters, .. } = analysis;
        let spec = *spec;
        let assigned =
            admission.submit(move |_| Ok(assign_speakers(windows, clusters, &spec, duration_seconds)));
        Ok(DiarizedAudio { diarization: assigned.wait()?, duration_seconds })
    }
}

/// The models, shared by all diarizations that run at the same time and unloaded after the last of them.
fn nets() -> Result<Arc<DiarizerNets>, EngineError> {
    static SHARED: Mutex<Weak<DiarizerNets>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock();
    if let Some(nets) = shared.upgrade() {
        return Ok(nets);
    }
    let nets = Arc::new(DiarizerNets::load()?);
    *shared = Arc::downgrade(&nets);
    Ok(nets)
}

/// The windows analyzed so far.
struct Analysis<'a> {
    nets: Arc<DiarizerNets>,
    sink: &'a mut dyn ProgressSink,
    windows: Vec<AnalyzedWindow>,
    clusters: Clusters,
}

impl Consumer<Window> for Analysis<'_> {
    type Output = AnalyzedWindow;

    fn submit(
        &mut self,
        window: Window,
        admission: &Admission,
    ) -> Result<Pending<AnalyzedWindow>, EngineError> {
        let nets = self.nets.clone();
        let ticket = admission.submit(move |worker| nets.analyze(&window, &|| worker.pause()));
        Ok(Pending::Ticket(ticket))
    }

    fn receive(&mut self, window: AnalyzedWindow, position: Position) {
        self.clusters.push(&window.stretches);
        self.windows.push(window);
        let samples = (self.windows.len() - 1) * HOP * SHIFT + WINDOW;
        let seconds = samples as f64 / f64::from(SAMPLE_RATE);
        self.sink.progress(seconds.min(position.decoded), position.total);
    }
}

/// Assigns the stretches of all windows to speakers.
fn assign_speakers(
    windows: Vec<AnalyzedWindow>,
    clusters: Clusters,
    spec: &DiarizationSpec,
    duration_seconds: f64,
) -> Diarization {
    let mut people = clusters.people(spec);
    let mut timeline = Timeline::new(windows, &people);
    let mut spans = timeline.spans(people.len());
    let least = spec.min_speakers.unwrap_or(0).min(people.len() as u32) as usize;
    let real: Vec<Voice> = timeline::real_people(&spans, people.len()).map(|person| people[person]).collect();
    if (least.max(1)..people.len()).contains(&real.len()) {
        people = real;
        timeline = timeline.among(&people);
        spans = timeline.spans(people.len());
    }
    let speaks = |person: &usize| spans.iter().any(|span| span.person == *person && span.is_long());
    let silent: Vec<usize> = (0..people.len()).filter(|person| !speaks(person)).collect();
    if people.len() - silent.len() < least {
        silent.into_iter().for_each(|person| timeline.claim(person, &people[person]));
        spans = timeline.spans(people.len());
    }
    speaker_turns::diarization(&spans, duration_seconds)
}
