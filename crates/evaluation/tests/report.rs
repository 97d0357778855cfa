//! The report of an evaluation, as figures and as a page.
#![expect(clippy::unwrap_used, reason = "in a test a broken expectation is a failed test")]

use auris_evaluation::reference::read_ctm;
use auris_evaluation::{
    DiarizationErrors, DiarizationReport, DiarizedRecording, Evaluation, LeftOut, MachineReport, Page,
    RecordingOutcome, RecordingReport, Resampled, ScoredRecording, Scorer, SpokenWord, TimedParts,
    Transcriptions, evaluation, page,
};

const REFERENCE: &str = "the quick brown fox jumps";

fn recording(nth: usize) -> RecordingReport {
    RecordingReport {
        file: format!("<{nth}> & \"x\".wav"),
        language: Some("en".into()),
        words: Some(5),
        characters: false,
        times: Some(TimedParts::Words),
        speakers: None,
    }
}

/// Words that begin `late` seconds after those of the reference.
fn words(text: &str, late: f64) -> Vec<SpokenWord> {
    let word = |(nth, text): (usize, &str)| {
        let start = nth as f64 + late;
        SpokenWord { start: Some(start), end: Some(start + 0.5), ..SpokenWord::new(text) }
    };
    text.split(' ').enumerate().map(word).collect()
}

fn transcriptions(model: &str, texts: &[&str]) -> Transcriptions {
    let lines = REFERENCE.split(' ').enumerate().map(|(nth, word)| format!("r 1 {nth} 0.5 {word}\n"));
    let scorer = Scorer::new(&read_ctm(&lines.collect::<String>(), "r").unwrap(), "en");
    let scored = |(recording, text): (usize, &&str)| {
        let score = Box::new(scorer.score(&words(text, 0.04)).unwrap());
        let text = (*text).to_owned();
        let outcome =
            RecordingOutcome::Scored { score, text, audio_seconds: 10.0, seconds: 2.0, cpu_seconds: 4.0 };
        ScoredRecording { recording, outcome }
    };
    Transcriptions {
        model: model.into(),
        given: false,
        recordings: texts.iter().enumerate().map(scored).collect(),
    }
}

fn example() -> Evaluation {
    let worse = transcriptions(
        "worse",
        &["the quick fox jumps <script>alert(1)</script>", "a quick brown fox jumps"],
    );
    let mut better = transcriptions("better", &[REFERENCE, "the quick brown box jumps"]);
    better
        .recordings
        .push(ScoredRecording { recording: 2, outcome: RecordingOutcome::Failed("it is damaged".into()) });
    let machine = MachineReport { cpu: "CPU".into(), kernels: "avx2".into(), threads: 2 };
    let recordings = (0..3).map(recording).collect();
    let mut report = evaluation("calls", machine, recordings, vec![worse, better]);
    report.left_out.push(LeftOut { file: "notes.mp3".into(), reason: "no reference".into() });
    report
}

#[test]
fn figures_are_summed_and_models_are_ordered() {
    let report = example();
    let [better, worse] = &report.models[..] else { panic!("two models") };
    assert_eq!((better.model.as_str(), better.recordings, better.failed), ("better", 2, 1));
    assert_eq!((better.counts.words, better.counts.errors(), better.error_percent), (10, 1, Some(10.0)));
    assert_eq!(worse.counts.errors(), 1 + 1 + 1, "one left out, one put in, one swapped");
    assert_eq!((worse.counts.deleted, worse.counts.inserted, worse.counts.substituted), (1, 1, 1));
    let speed = better.speed.unwrap();
    assert_eq!((speed.audio_seconds_per_second, speed.audio_seconds_per_cpu_second), (5.0, 2.5));
    let times = better.word_times.unwrap();
    assert_eq!((times.starts, times.start_median_ms, times.start_p90_ms), (9, 40.0, 40.0));
    assert_eq!(better.results[2].error.as_deref(), Some("it is damaged"));
    assert_eq!(worse.worst[0].passage.counts.errors(), 2);

    let difference = &report.differences[0];
    assert_eq!((difference.model.as_str(), difference.other.as_str()), ("worse", "better"));
    assert_eq!(
        (difference.points, difference.recordings, difference.resampled),
        (20.0, 2, Resampled::Passages)
    );
    assert!(difference.low <= 20.0 && difference.high >= 20.0 && !difference.is_sure(), "{difference:?}");
}

#[test]
fn the_page_has_no_markup_of_texts_and_names() {
    let report = example();
    let links: Vec<String> = report.recordings.iter().map(|one| format!("../calls/{}", one.file)).collect();
    let html = page(&Page { evaluation: &report, links: &links });
    assert!(!html.contains("<script") && !html.contains("<0>"), "{html}");
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(html.contains("src=\"../calls/%3C0%3E%20%26%20%22x%22.wav\""), "{html}");
    assert!(html.contains("src=\"../calls/%3C0%3E%20%26%20%22x%22.wav#t=0.0,5.0\""), "{html}");
    assert!(html.contains("<del>brown</del>") && html.contains("<ins>a</ins>"), "{html}");
    assert!(html.contains("it is damaged") && html.contains("notes.mp3: no reference"));
    assert!(!html.contains("http://") && !html.contains("https://"), "nothing comes from elsewhere");
    let (_, recordings) = html.split_once("Recordings, worst first").unwrap();
    assert!(recordings.find("&lt;0&gt;").unwrap() < recordings.find("&lt;2&gt;").unwrap());
}

#[test]
fn the_report_is_json_without_missing_figures() {
    let json = serde_json::to_value(example()).unwrap();
    assert_eq!(json["models"][0]["error_percent"], 10.0);
    assert_eq!(json["models"][1]["worst"][0]["changes"][0]["reference"], "the quick");
    assert_eq!(json["models"][0]["results"][2]["error"], "it is damaged");
    assert!(json["diarization"].is_null());
}

#[test]
fn diarization_errors_are_summed_over_the_recordings() {
    let result = |errors: Option<DiarizationErrors>, found| DiarizedRecording {
        file: "a.wav".into(),
        speakers: 2,
        found,
        errors,
        error_percent: None,
        audio_seconds: 30.0,
        seconds: 1.0,
        cpu_seconds: 1.0,
        error: None,
    };
    let one = DiarizationErrors { missed: 1.0, false_alarm: 2.0, confusion: 3.0, total: 40.0 };
    let two = DiarizationErrors { missed: 0.0, false_alarm: 0.0, confusion: 2.0, total: 40.0 };
    let report = DiarizationReport::new(
        "m",
        vec![result(Some(one), Some(2)), result(Some(two), Some(3)), result(None, None)],
    );
    assert_eq!((report.recordings, report.failed, report.right_speaker_count), (2, 1, 1));
    assert_eq!(report.error_percent, Some(10.0));
}
