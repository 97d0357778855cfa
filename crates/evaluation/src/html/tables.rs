//! The tables of figures.

use super::escape;
use crate::report::{Evaluation, ModelReport, SpeedReport};
use crate::word_times::WordTimeErrors;

/// A table with right-aligned figures after the first column. The cells are HTML.
pub(super) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let cells = |tag: &str, cells: Vec<&str>| {
        let cell = |(column, cell): (usize, &&str)| {
            let class = if column > 0 { " class=\"number\"" } else { "" };
            format!("<{tag}{class}>{cell}</{tag}>")
        };
        format!("<tr>{}</tr>\n", cells.iter().enumerate().map(cell).collect::<String>())
    };
    let body: String = rows.iter().map(|row| cells("td", row.iter().map(String::as_str).collect())).collect();
    format!("<table>\n{}{body}</table>\n", cells("th", head.to_vec()))
}

pub(super) fn models(evaluation: &Evaluation) -> String {
    let head = [
        "model",
        "errors",
        "95 % of draws",
        "put in",
        "left out",
        "swapped",
        "words",
        "recordings",
        "start, median / p90",
        "end, median / p90",
        "right speaker",
        "speed",
        "per core",
    ];
    let rows: Vec<Vec<String>> = evaluation.models.iter().map(row).collect();
    let machine = &evaluation.machine;
    let note = format!(
        "Errors per hundred words (characters in languages without spaces): words put in, left out and swapped. Speed in \
         seconds of audio per second with {} threads on {} ({}).",
        machine.threads,
        escape::text(&machine.cpu),
        escape::text(&machine.kernels)
    );
    format!("{}<p class=\"note\">{note}</p>\n", table(&head, &rows))
}

fn row(model: &ModelReport) -> Vec<String> {
    let none = || "-".to_owned();
    let times = model.word_times.or(model.segment_times);
    let pair = |of: fn(&WordTimeErrors) -> (f64, f64)| {
        times.as_ref().map_or_else(none, |times| format!("{:.0} / {:.0} ms", of(times).0, of(times).1))
    };
    let speed = |of: fn(&SpeedReport) -> f64| {
        model.speed.as_ref().map_or_else(none, |speed| format!("{:.1}×", of(speed)))
    };
    vec![
        escape::text(&model.model),
        model.error_percent.map_or_else(none, |percent| format!("<b>{percent:.2} %</b>")),
        model.error_interval.map_or_else(none, |(low, high)| format!("{low:.2} to {high:.2}")),
        model.counts.inserted.to_string(),
        model.counts.deleted.to_string(),
        model.counts.substituted.to_string(),
        model.counts.words.to_string(),
        model.recordings.to_string(),
        pair(|times| (times.start_median_ms, times.start_p90_ms)),
        pair(|times| (times.end_median_ms, times.end_p90_ms)),
        model
            .speakers
            .and_then(|speakers| speakers.percent())
            .map_or_else(none, |percent| format!("{percent:.1} %")),
        speed(|speed| speed.audio_seconds_per_second),
        speed(|speed| speed.audio_seconds_per_cpu_second),
    ]
}

pub(super) fn differences(evaluation: &Evaluation) -> String {
    if evaluation.differences.is_empty() {
        return String::new();
    }
    let row = |difference: &crate::report::Difference| {
        vec![
            format!("{} − {}", escape::text(&difference.model), escape::text(&difference.other)),
            format!("{:+.2}", difference.points),
            format!("{:+.2} to {:+.2}", difference.low, difference.high),
            if difference.is_sure() { "yes" } else { "no" }.to_owned(),
            difference.words.to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = evaluation.differences.iter().map(row).collect();
    let head = ["difference", "points", "95 % of draws", "sure", "words"];
    format!(
        "<h2>Differences</h2>\n{}<p class=\"note\">A difference is sure if 95 % of the draws of recordings (or of passages, \
         if there are fewer than 20 recordings) have its sign.</p>\n",
        table(&head, &rows)
    )
}

pub(super) fn diarization(evaluation: &Evaluation) -> String {
    let Some(diarization) = &evaluation.diarization else { return String::new() };
    let share = |seconds: f64| match diarization.seconds.total > 0.0 {
        true => format!("{:.1} %", 100.0 * seconds / diarization.seconds.total),
        false => "-".to_owned(),
    };
    let row = vec![
        escape::text(&diarization.model),
        diarization.error_percent.map_or_else(|| "-".to_owned(), |percent| format!("<b>{percent:.1} %</b>")),
        share(diarization.seconds.missed),
        share(diarization.seconds.false_alarm),
        share(diarization.seconds.confusion),
        format!("{} of {}", diarization.right_speaker_count, diarization.recordings),
        diarization
            .speed
            .map_or_else(|| "-".to_owned(), |speed| format!("{:.1}×", speed.audio_seconds_per_second)),
    ];
    let head =
        ["model", "error rate", "missed", "false alarms", "confused", "right number of speakers", "speed"];
    format!("<h2>Speakers</h2>\n{}", table(&head, &[row]))
}

pub(super) fn left_out(evaluation: &Evaluation) -> String {
    let failed = evaluation.models.iter().flat_map(|model| {
        let failed = model.results.iter().filter_map(|result| Some((&result.file, result.error.as_ref()?)));
        failed.map(|(file, error)| {
            format!("{}, {}: {}", escape::text(file), escape::text(&model.model), escape::text(error))
        })
    });
    let files = evaluation.left_out.iter();
    let files = files.map(|one| format!("{}: {}", escape::text(&one.file), escape::text(&one.reason)));
    let lines: String = files.chain(failed).map(|line| format!("<li>{line}</li>\n")).collect();
    if lines.is_empty() { lines } else { format!("<h2>Left out</h2>\n<ul>\n{lines}</ul>\n") }
}
