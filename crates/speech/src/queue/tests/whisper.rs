//! How soon a real Whisper stops when a call is cancelled in the middle of its work.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use auris_audio::voice::{FRAME, VoiceSegment};
use auris_engine_testing::{asset, recording};
use auris_models::Catalog;
use auris_weights::{CopyPolicy, Family, open_model};

use super::*;
use crate::net::{Feed, NetInput, Pause, PlannedWindow, StepOutput, StepState};
use crate::nets::WhisperNet;
use crate::speech_model::{Hints, Prompt};
use crate::tokenizer::Tokenizer;
use crate::whisper_task::{WhisperRules, WhisperTask};

/// The tokens of a prompt. With those before and after it, they are fed in seven steps.
const PROMPT: usize = 200;

/// Counts the parts of the work of one call, between two checks of the encoder or of a step. Cancels the call in the middle
/// of one of them.
#[derive(Default)]
struct Watch {
    parts: AtomicUsize,
    most_tokens: AtomicUsize,
    /// The number of the part, and the call.
    cancel: Mutex<Option<(usize, CallContext)>>,
    /// When the current part began, and how long each part took.
    began: Mutex<Option<Instant>>,
    durations: Mutex<Vec<Duration>>,
}

impl Watch {
    fn begin_part(&self) {
        let part = self.parts.fetch_add(1, Ordering::SeqCst) + 1;
        if let Some((at, call)) = &*self.cancel.lock()
            && *at == part
        {
            call.cancel.cancel();
        }
        *self.began.lock() = Some(Instant::now());
    }

    fn end_part(&self) {
        let took = self.began.lock().take().map(|began| began.elapsed());
        self.durations.lock().extend(took);
    }
}

/// Whisper, watched while it works on windows of more than a second.
struct WatchedNet {
    net: WhisperNet,
    watch: Arc<Watch>,
}

/// Whether the audio of this sequence is watched, too.
struct Watched<T> {
    inner: T,
    is_watched: bool,
}

type AudioOf<N> = Arc<<N as Net>::Audio>;

impl Net for WatchedNet {
    type Audio = Watched<AudioOf<WhisperNet>>;
    type Sequence = Watched<<WhisperNet as Net>::Sequence>;
    type Workspace = <WhisperNet as Net>::Workspace;

    fn encode(
        &self,
        input: NetInput<'_>,
        work: &mut Self::Workspace,
        pause: Pause<'_>,
    ) -> Result<Self::Audio, EngineError> {
        let is_watched = input.samples.len() > 16_000;
        let watched_pause = || {
            self.watch.end_part();
            pause()?;
            self.watch.begin_part();
            Ok(())
        };
        let encoded = self.net.encode(input, work, if is_watched { &watched_pause } else { pause });
        self.watch.end_part();
        Ok(Watched { inner: Arc::new(encoded?), is_watched })
    }

    fn begin(&self, audio: Arc<Self::Audio>) -> Self::Sequence {
        Watched { inner: self.net.begin(audio.inner.clone()), is_watched: audio.is_watched }
    }

    fn fork(&self, sequence: &Self::Sequence) -> Self::Sequence {
        Watched { inner: self.net.fork(&sequence.inner), is_watched: sequence.is_watched }
    }

    fn begin_step(
        &self,
        feeds: &mut [Feed<'_, Self::Sequence>],
        work: &mut Self::Workspace,
        output: &mut StepOutput,
    ) {
        let tokens = feeds.iter().map(|feed| feed.tokens.len()).sum();
        self.watch.most_tokens.fetch_max(tokens, Ordering::SeqCst);
        self.net.begin_step(&mut inner(feeds), work, output);
    }

    fn continue_step(
        &self,
        feeds: &mut [Feed<'_, Self::Sequence>],
        work: &mut Self::Workspace,
        output: &mut StepOutput,
    ) -> StepState {
        if feeds.iter().any(|feed| feed.sequence.is_watched) {
            self.watch.begin_part();
        }
        let state = self.net.continue_step(&mut inner(feeds), work, output);
        self.watch.end_part();
        state
    }

    fn leave_step(&self, kept: &[bool], work: &mut Self::Workspace, output: &mut StepOutput) {
        self.net.leave_step(kept, work, output);
    }

    fn memory(&self, planned: PlannedWindow) -> u64 {
        self.net.memory(planned)
    }
}

/// The same feeds, of the sequences that are watched.
fn inner<'a, S>(feeds: &'a mut [Feed<'_, Watched<S>>]) -> Vec<Feed<'a, S>> {
    let inner = |feed: &'a mut Feed<'_, Watched<S>>| {
        let Feed { sequence, tokens, with_attention } = feed;
        Feed { sequence: &mut sequence.inner, tokens, with_attention: *with_attention }
    };
    feeds.iter_mut().map(inner).collect()
}

/// The samples of a recording of 16 kHz, 16 bits and one channel.
fn samples(hash: &str) -> Vec<f32> {
    let file = std::fs::read(asset(hash)).unwrap();
    let data = file.windows(4).position(|four| four == b"data").unwrap() + 8;
    let sample = |two: &[u8]| f32::from(i16::from_le_bytes([two[0], two[1]])) / 32_768.0;
    file[data..].chunks_exact(2).map(sample).collect()
}

/// A model of the catalogue in a queue of its own, on one thread.
struct WatchedQueue {
    queue: SegmentQueue<WatchedNet>,
    rules: Arc<WhisperRules>,
    runtime: Runtime,
    watch: Arc<Watch>,
}

impl WatchedQueue {
    fn new(model: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files = Catalog::built_in().unwrap().find(model).unwrap().files.clone();
        let path = |name: &str| -> PathBuf { folder.path().join(name) };
        for file in &files {
            std::os::unix::fs::symlink(asset(&file.sha256), path(&file.name)).unwrap();
        }
        let net =
            WhisperNet::load(&mut *open_model(folder.path(), Family::Whisper, CopyPolicy::Ignore).unwrap())
                .unwrap();
        let tokenizer = Tokenizer::load(&path("tokenizer.json")).unwrap();
        let rules = Arc::new(WhisperRules::new(net.special_tokens().unwrap(), tokenizer).unwrap());
        let runtime = Runtime {
            models_dir: Default::default(),
            loaded: LoadedModels::new(UnloadPolicy { idle: None, bytes: u64::MAX }),
            scheduler: Arc::new(Scheduler::new(1, 64)),
        };
        let watch = Arc::new(Watch::default());
        let net = WatchedNet { net, watch: watch.clone() };
        let queue = SegmentQueue::new(net, model, 30.0, &runtime);
        Self { queue, rules, runtime, watch }
    }

    fn task(&self, samples: Vec<f32>, prompt: usize) -> WhisperTask {
        let voice = vec![0.9; samples.len() / FRAME];
        let context = self.rules.tokenizer.encode(" my fellow Americans").unwrap();
        let context = context.into_iter().cycle().take(prompt).collect();
        let prompt = Arc::new(Prompt { context, ..Prompt::default() });
        let hints = Hints { language: Some("en".into()), prompt, ..Hints::default() };
        WhisperTask::new(self.rules.clone(), VoiceSegment { start: 0.0, samples, voice }, &hints)
    }

    /// Transcribes a segment with a prompt and cancels it in this part of its work. Returns the parts of all work on it.
    fn parts_when_cancelled(&self, samples: &[f32], at: usize) -> usize {
        let call = background("p", "cancelled");
        self.watch.parts.store(0, Ordering::SeqCst);
        *self.watch.cancel.lock() = Some((at, call.clone()));
        let admission = self.runtime.scheduler.admit(&call).unwrap();
        let ticket = self.queue.submit(self.task(samples.to_vec(), PROMPT), &admission);
        let result = ticket.wait();
        assert_eq!(result.is_ok(), at == usize::MAX, "{:?}", result.err());
        // The slot is free when the next task is done.
        let admission = self.runtime.scheduler.admit(&background("p", "next")).unwrap();
        self.queue.submit(self.task(samples[..8_000].to_vec(), 0), &admission).wait().unwrap();
        assert_eq!(self.runtime.loaded.memory().free(), u64::MAX);
        self.watch.parts.load(Ordering::SeqCst)
    }
}

/// Cancels in every part of this stride, of this number of seconds.
fn stops_at_the_next_check(model: &str, seconds: usize, stride: usize) {
    let queue = WatchedQueue::new(model);
    let recording = samples(recording::JFK);
    let samples: Vec<f32> = recording.into_iter().cycle().take(seconds * 16_000).collect();
    let all = queue.parts_when_cancelled(&samples, usize::MAX);
    assert!(all > 100, "{all} parts");
    let mut durations = std::mem::take(&mut *queue.watch.durations.lock());
    durations.sort_unstable();
    for at in (1..all).step_by(stride) {
        let parts = queue.parts_when_cancelled(&samples, at);
        assert_eq!(parts, at, "no work after the cancelled part, of {all}");
    }
    assert!(queue.watch.most_tokens.load(Ordering::SeqCst) <= 32);
    let longest: Vec<u128> = durations.iter().rev().take(9).map(Duration::as_millis).collect();
    eprintln!("{model}: {all} parts of {seconds} seconds; the longest took {longest:?} ms");
}

#[test]
fn whisper_stops_at_the_next_check_when_a_call_is_cancelled() {
    stops_at_the_next_check("whisper-tiny", 11, 97);
}

/// A larger model, for `scripts/soak --long`: prints how long the longest parts take.
#[test]
fn whisper_stops_at_the_next_check_soak() {
    if std::env::var_os("AURIS_SOAK_CONVERSATIONS").is_some() {
        stops_at_the_next_check("whisper-small", 29, 997);
    }
}
