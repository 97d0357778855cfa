//! The real models on real recordings.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod support;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::thread;

use auris_domain::step::spec::TranscriptionSpec;
use auris_domain::transcript::Segment;
use auris_engine_testing::music::music;
use auris_engine_testing::words::{word_errors, words};
use auris_engine_testing::{asset, ffmpeg, recording, write_wav};
use auris_engines::{CallContext, EngineError, Engines, Ignore, ProgressSink, SpeechSink, Transcription};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use support::engines;
use support::recordings::{Recording, Recordings};

/// Percentage points by which the word error rate of a model may exceed that of the reference engine.
const MARGIN: f64 = 0.5;
/// Recordings of one speaker who speaks clearly.
const CLEAR: [&str; 3] = ["jfk", "beckett", "two_cities"];

static ENGINES: LazyLock<(TempDir, Engines)> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let engines = engines(folder.path());
    (folder, engines)
});

fn transcribe_file(
    model: &str,
    path: &Path,
    options: &TranscriptionSpec,
) -> Result<Transcription, EngineError> {
    let engines = &ENGINES.1;
    let transcriber = engines.transcriber(model).unwrap();
    transcriber.transcribe(&engines.source(path), options, &mut Ignore, &CallContext::alone())
}

fn transcribe(model: &str, hash: &str) -> Transcription {
    transcribe_file(model, &asset(hash), &TranscriptionSpec::default()).unwrap()
}

/// The number of word errors in a recording, and the number of its words.
fn errors(model: &str, recording: &Recording) -> (usize, usize) {
    let transcription = transcribe(model, &recording.sha256);
    let language = Some(recording.language.as_str());
    assert_eq!(
        (transcription.transcript.language.as_deref(), transcription.resolved_model.as_str()),
        (language, model)
    );
    (word_errors(&recording.text, &transcription.transcript.text), words(&recording.text).len())
}

/// Checks the word error rate over all recordings in the model's languages against that of the reference engine, which
/// uses the same weights. A recording in `CLEAR` may have at most `clear` word errors.
fn is_as_accurate_as_the_reference(model: &str, clear: usize) {
    let recordings = Recordings::read();
    let english_only = model.ends_with("-en");
    let results: Vec<_> = recordings
        .recording
        .iter()
        .filter(|recording| !english_only || recording.language == "en")
        .map(|recording| (recording.name.as_str(), errors(model, recording)))
        .collect();
    let sum =
        |part: fn(&(usize, usize)) -> usize| results.iter().map(|(_, counts)| part(counts)).sum::<usize>();
    let rate = sum(|counts| counts.0) as f64 * 100.0 / sum(|counts| counts.1) as f64;
    let peer = recordings.peers[model];
    assert!(rate <= peer + MARGIN, "{model}: {rate:.2} %, reference {peer:.2} %: {results:?}");
    let unclear = results.iter().find(|(name, counts)| CLEAR.contains(name) && counts.0 > clear);
    assert_eq!(unclear, None, "{model}: {results:?}");
}

#[test]
fn moonshine_base_is_as_accurate_as_the_reference() {
    is_as_accurate_as_the_reference("moonshine-base-en", 2);
}

#[test]
fn moonshine_tiny_is_as_accurate_as_the_reference() {
    is_as_accurate_as_the_reference("moonshine-tiny-en", 3);
}

#[test]
fn whisper_small_transcribes_clear_speech_without_errors() {
    let recordings = Recordings::read();
    let clear = recordings.recording.iter().find(|recording| recording.name == CLEAR[0]).unwrap();
    assert_eq!(errors("whisper-small", clear).0, 0);
}

/// All recordings, for `scripts/soak --long`: they take minutes.
#[test]
fn whisper_small_is_as_accurate_as_the_reference_soak() {
    if std::env::var_os("AURIS_SOAK_CONVERSATIONS").is_some() {
        is_as_accurate_as_the_reference("whisper-small", 0);
    }
}

#[test]
fn whisper_base_is_as_accurate_as_the_reference() {
    is_as_accurate_as_the_reference("whisper-base", 2);
}

#[test]
fn whisper_tiny_is_as_accurate_as_the_reference() {
    is_as_accurate_as_the_reference("whisper-tiny", 11);
}

#[test]
fn whisper_small_detects_russian() {
    let transcription = transcribe("whisper-small", recording::RUSSIAN);
    assert_eq!(transcription.transcript.language.as_deref(), Some("ru"));
    assert_eq!(
        words(&transcription.transcript.text),
        words("Привет, это проверка распознавания русской речи.")
    );
}

#[test]
fn auto_uses_the_best_model_for_the_language() {
    let english = transcribe("auto", recording::BECKETT);
    assert_eq!(
        (english.resolved_model.as_str(), english.transcript.language.as_deref()),
        ("moonshine-base-en", Some("en"))
    );
    let russian = transcribe("auto", recording::RUSSIAN);
    assert_eq!(
        (russian.resolved_model.as_str(), russian.transcript.language.as_deref()),
        ("whisper-small", Some("ru"))
    );
    let options = TranscriptionSpec { language: Some("en-GB".into()), prompt: None };
    let british = transcribe_file("auto", &asset(recording::BECKETT), &options).unwrap();
    assert_eq!(british.resolved_model, "moonshine-base-en");
}

#[test]
fn an_unsupported_language_is_refused() {
    let german = TranscriptionSpec { language: Some("de".into()), prompt: None };
    let refused = transcribe_file("moonshine-tiny-en", &asset(recording::JFK), &german);
    assert!(matches!(refused, Err(EngineError::UnsupportedLanguage { .. })));
    let invented = TranscriptionSpec { language: Some("xx".into()), prompt: None };
    for model in ["auto", "whisper-tiny"] {
        let refused = transcribe_file(model, &asset(recording::JFK), &invented);
        assert!(matches!(refused, Err(EngineError::UnsupportedLanguage { .. })), "{model}");
    }
}

#[test]
fn a_prompt_biases_the_spelling() {
    let prompt = "and so my fellow amerikans, amerikans, my fellow amerikans";
    let hinted = TranscriptionSpec { language: Some("en".into()), prompt: Some(prompt.into()) };
    let transcription = transcribe_file("whisper-base", &asset(recording::JFK), &hinted).unwrap();
    assert!(transcription.transcript.text.contains("amerikans"), "{}", transcription.transcript.text);
}

/// Concatenates two recordings, with this many milliseconds of silence between them.
fn concatenated(folder: &Path, recordings: [&str; 2], pause: u32) -> PathBuf {
    let path = folder.join("row.wav");
    let format = "aresample=16000,aformat=channel_layouts=mono";
    let graph =
        format!("[0:a]{format}[one];[1:a]{format},adelay={pause}[other];[one][other]concat=n=2:v=0:a=1");
    let [first, second] = recordings.map(|hash| asset(hash).into_os_string());
    let inputs: [OsString; 4] = ["-i".into(), first, "-i".into(), second];
    ffmpeg(&[&inputs[..], &["-filter_complex".into(), graph.into(), path.clone().into_os_string()]].concat());
    path
}

#[test]
fn a_sentence_after_a_click_and_silence_is_transcribed() {
    let folder = TempDir::new().unwrap();
    let path = concatenated(folder.path(), [recording::TWO_CITIES, recording::JFK], 0);
    for model in ["moonshine-tiny-en", "moonshine-base-en"] {
        let text = transcribe_file(model, &path, &TranscriptionSpec::default()).unwrap().transcript.text;
        assert!(text.contains("fellow Americans") && text.contains("your country can do for you"), "{text}");
    }
}

#[test]
fn a_recording_that_changes_its_language_is_transcribed_in_both() {
    let recordings = Recordings::read();
    let text = |hash: &str| &recordings.recording.iter().find(|one| one.sha256 == hash).unwrap().text;
    let expected = format!("{} {}", text(recording::JFK), text(recording::RUSSIAN));
    let folder = TempDir::new().unwrap();
    let path = concatenated(folder.path(), [recording::JFK, recording::RUSSIAN], 4_000);
    for model in ["auto", "whisper-small"] {
        let transcript = transcribe_file(model, &path, &TranscriptionSpec::default()).unwrap().transcript;
        assert!(word_errors(&expected, &transcript.text) <= 1, "{model}: {}", transcript.text);
        assert_eq!(transcript.language.as_deref(), Some("en"), "{model}: most of it is English");
    }
}

/// A recording at a level at which speech has about -55 decibels of full scale, with a click in each second if asked for.
fn quiet(folder: &Path, hash: &str, with_clicks: bool) -> PathBuf {
    let path = folder.join(format!("{with_clicks}.wav"));
    let clicks = if with_clicks { "+0.9*lt(mod(t,1),0.0003)" } else { "" };
    let filter = format!("aresample=16000,aformat=channel_layouts=mono,aeval='val(0)*0.0126{clicks}'");
    let input = asset(hash).into_os_string();
    ffmpeg(&["-i".into(), input, "-af".into(), filter.into(), path.clone().into_os_string()] as &[OsString]);
    path
}

#[test]
fn quiet_speech_is_transcribed_as_well_as_loud_speech() {
    let recordings = Recordings::read();
    let jfk = recordings.recording.iter().find(|recording| recording.name == "jfk").unwrap();
    let folder = TempDir::new().unwrap();
    for with_clicks in [false, true] {
        let path = quiet(folder.path(), recording::JFK, with_clicks);
        for model in ["moonshine-tiny-en", "moonshine-base-en", "whisper-base"] {
            let text = transcribe_file(model, &path, &TranscriptionSpec::default()).unwrap().transcript.text;
            assert!(word_errors(&jfk.text, &text) <= 2, "{model}, clicks {with_clicks}: {text}");
        }
    }
}

/// Twenty clips of real recordings, of different lengths.
fn clips(folder: &Path) -> Vec<PathBuf> {
    let jfk = (0..4).map(|nth| (recording::JFK, 2 * nth, 4));
    let beckett = (0..3).map(|nth| (recording::BECKETT, 2 * nth, 5));
    let two_cities = (0..13).map(|nth| (recording::TWO_CITIES, 3 * nth, 4 + nth % 5));
    let clip = |(nth, (hash, start, seconds)): (usize, (&str, u32, u32))| {
        let path = folder.join(format!("{nth}.wav"));
        let (start, seconds) = (start.to_string(), seconds.to_string());
        let input = asset(hash).into_os_string();
        let arguments: [OsString; 6] =
            ["-ss".into(), start.into(), "-t".into(), seconds.into(), "-i".into(), input];
        ffmpeg(&[&arguments[..], &[path.clone().into_os_string()]].concat());
        path
    };
    jfk.chain(beckett).chain(two_cities).enumerate().map(clip).collect()
}

fn transcribe_in_background(model: &str, path: &Path) -> Transcription {
    let engines = &ENGINES.1;
    let job = path.display().to_string();
    let context = CallContext::background("project", &job, CancellationToken::new());
    let transcriber = engines.transcriber(model).unwrap();
    let options = TranscriptionSpec::default();
    transcriber.transcribe(&engines.source(path), &options, &mut Ignore, &context).unwrap()
}

#[test]
fn a_clip_has_the_same_transcript_alone_and_beside_others() {
    let folder = TempDir::new().unwrap();
    let clips = clips(folder.path());
    for model in ["moonshine-tiny-en", "whisper-tiny"] {
        let alone: Vec<_> = clips.iter().map(|clip| transcribe_in_background(model, clip)).collect();
        let together: Vec<_> = thread::scope(|scope| {
            let start = |clip: &'_ PathBuf| {
                let clip = clip.clone();
                scope.spawn(move || transcribe_in_background(model, &clip))
            };
            let running: Vec<_> = clips.iter().map(start).collect();
            running.into_iter().map(|running| running.join().unwrap()).collect()
        });
        assert_eq!(alone.len(), 20);
        assert!(alone.iter().any(|one| one.transcript.text.contains("country")));
        for (one, other) in alone.iter().zip(&together) {
            assert_eq!(format!("{one:?}"), format!("{other:?}"), "{model}");
        }
    }
}

/// One minute each of silence, noise, very quiet noise and hum, a tone and music.
fn noises(folder: &Path) -> Vec<(&'static str, PathBuf)> {
    let mut seed = 0x2545_F491_4F6C_DD1Du64;
    let mut noise = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 40) as f32 / (1u64 << 24) as f32 * 0.6 - 0.3
    };
    let minute = 0..60 * 16_000;
    let hum = |n: usize| {
        let turns = n as f32 / 16_000.0 * 50.0 * std::f32::consts::TAU;
        (1..9).map(|harmonic| (turns * harmonic as f32).sin() / harmonic as f32).sum::<f32>() * 0.001
    };
    let sounds: [(&str, Vec<f32>); 6] = [
        ("silence", vec![0.0; minute.len()]),
        ("noise", minute.clone().map(|_| noise()).collect()),
        ("quiet noise", minute.clone().map(|_| noise() * 0.006).collect()),
        ("quiet hum", minute.clone().map(hum).collect()),
        ("tone", minute.map(|n| (n as f32 / 16_000.0 * 440.0 * std::f32::consts::TAU).sin() * 0.5).collect()),
        ("music", music(60)),
    ];
    sounds.map(|(name, samples)| (name, write_wav(&folder.join(name), &samples))).to_vec()
}

#[test]
fn no_model_finds_words_in_silence_noise_hum_a_tone_or_music() {
    let folder = TempDir::new().unwrap();
    for (name, path) in noises(folder.path()) {
        for model in [
            "auto",
            "moonshine-tiny-en",
            "moonshine-base-en",
            "whisper-tiny",
            "whisper-base",
            "whisper-small",
        ] {
            let transcription = transcribe_file(model, &path, &TranscriptionSpec::default()).unwrap();
            assert_eq!(
                (transcription.transcript.text.as_str(), transcription.transcript.segments.len()),
                ("", 0),
                "{model}: {name}"
            );
            assert_eq!((transcription.duration_seconds, transcription.transcript.language), (60.0, None));
        }
    }
}

#[derive(Default)]
struct Recorder {
    text: String,
    segments: Vec<Segment>,
    progress: Vec<f64>,
    cancel: Option<CallContext>,
}

impl ProgressSink for Recorder {
    fn progress(&mut self, seconds_done: f64, _: Option<f64>) {
        self.progress.push(seconds_done);
    }
}

impl SpeechSink for Recorder {
    fn delta(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn segment(&mut self, segment: &Segment) {
        self.segments.push(segment.clone());
        if let Some(context) = &self.cancel {
            context.cancel.cancel();
        }
    }
}

#[test]
fn the_segments_reported_while_running_are_those_of_the_result() {
    for model in ["moonshine-tiny-en", "whisper-tiny"] {
        let engines = &ENGINES.1;
        let mut recorder = Recorder::default();
        let source = engines.source(&asset(recording::TWO_CITIES));
        let transcriber = engines.transcriber(model).unwrap();
        let options = TranscriptionSpec::default();
        let transcription =
            transcriber.transcribe(&source, &options, &mut recorder, &CallContext::alone()).unwrap();
        assert_eq!(recorder.text, transcription.transcript.text);
        assert_eq!(recorder.segments, transcription.transcript.segments);
        assert!(recorder.progress.is_sorted());
        assert_eq!(*recorder.progress.last().unwrap(), transcription.duration_seconds);
        times_are_in_order(&transcription);
    }
}

fn times_are_in_order(transcription: &Transcription) {
    let mut before = 0.0;
    for segment in &transcription.transcript.segments {
        assert_eq!(
            segment.text,
            segment.words.iter().map(|word| word.word.as_str()).collect::<Vec<_>>().join(" ")
        );
        for word in &segment.words {
            assert!(word.start >= before - 0.05 && word.end >= word.start, "{word:?} after {before}");
            assert!(
                word.start >= segment.start - 0.01 && word.end <= segment.end + 0.01,
                "{word:?} in {segment:?}"
            );
            assert!((0.0..=1.0).contains(&word.confidence));
            before = word.start;
        }
        assert!(segment.end <= transcription.duration_seconds + 0.1);
    }
}

#[test]
fn a_cancelled_call_ends_early() {
    let engines = &ENGINES.1;
    let context = CallContext::alone();
    let mut recorder = Recorder { cancel: Some(context.clone()), ..Recorder::default() };
    let source = engines.source(&asset(recording::TWO_CITIES));
    let transcriber = engines.transcriber("moonshine-tiny-en").unwrap();
    let ended = transcriber.transcribe(&source, &TranscriptionSpec::default(), &mut recorder, &context);
    assert!(matches!(ended, Err(EngineError::Cancelled)));
}
