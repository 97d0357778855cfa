//! The report as text for people.

use auris_evaluation::{
    Change, Difference, Evaluation, LanguageReport, ModelReport, WordTimeErrors, WorstPassage,
};

use super::super::table;

/// Recordings that were left out are listed up to this number.
const MAX_LEFT_OUT: usize = 10;

/// The tables, what is sure about them, and the worst passages of the best model.
pub(super) fn report(report: &Evaluation) -> String {
    let parts = [
        models(report),
        languages(report),
        differences(report),
        diarization(report),
        left_out(report),
        worst(report),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// A column of the table of models.
type Column = (&'static str, fn(&ModelReport) -> Option<String>);

const COLUMNS: [Column; 11] = [
    ("MODEL", |model| Some(printable(&model.model))),
    ("ERRORS", |model| model.error_percent.map(|percent| format!("{percent:.2} %"))),
    ("PUT IN", |model| Some(model.counts.inserted.to_string())),
    ("LEFT OUT", |model| Some(model.counts.deleted.to_string())),
    ("SWAPPED", |model| Some(model.counts.substituted.to_string())),
    ("OF", |model| Some(format!("{} {}", model.counts.words, model.unit()))),
    ("RECORDINGS", |model| Some(model.recordings.to_string())),
    ("WORD START", |model| times(model, |times| (times.start_median_ms, times.start_p90_ms))),
    ("WORD END", |model| times(model, |times| (times.end_median_ms, times.end_p90_ms))),
    ("RIGHT SPEAKER", |model| Some(format!("{:.1} %", model.speakers?.percent()?))),
    ("SPEED", |model| {
        let speed = model.speed?;
        Some(format!(
            "{:.1}× ({:.1}× per core)",
            speed.audio_seconds_per_second, speed.audio_seconds_per_cpu_second
        ))
    }),
];

fn times(model: &ModelReport, of: fn(&WordTimeErrors) -> (f64, f64)) -> Option<String> {
    let (median, p90) = of(&model.word_times.or(model.segment_times)?);
    Some(format!("{median:.0} / {p90:.0} ms"))
}

/// The models, without columns in which no model has a figure.
fn models(report: &Evaluation) -> String {
    let used = COLUMNS.iter().filter(|(_, cell)| report.models.iter().any(|model| cell(model).is_some()));
    let used: Vec<&Column> = used.collect();
    let headings: Vec<&str> = used.iter().map(|(heading, _)| *heading).collect();
    let row = |model: &ModelReport| -> Vec<String> {
        used.iter().map(|(_, cell)| cell(model).unwrap_or_else(|| "-".to_owned())).collect()
    };
    table::render(&headings, &report.models.iter().map(row).collect::<Vec<_>>())
}

/// The languages of each model, if there are several.
fn languages(report: &Evaluation) -> String {
    if report.models.iter().all(|model| model.languages.len() < 2) {
        return String::new();
    }
    let row = |model: &ModelReport, language: &LanguageReport| {
        vec![
            printable(&model.model),
            language.language.as_deref().map_or_else(|| "other".to_owned(), printable),
            format!("{:.2} %", language.error_percent),
            format!("{} {}", language.counts.words, if language.characters { "characters" } else { "words" }),
            language.recordings.to_string(),
        ]
    };
    let models = report.models.iter();
    let rows = models.flat_map(|model| model.languages.iter().map(move |language| row(model, language)));
    table::render(&["MODEL", "LANGUAGE", "ERRORS", "OF", "RECORDINGS"], &rows.collect::<Vec<_>>())
}

/// Every model compared with the best one on the same recordings.
fn differences(report: &Evaluation) -> String {
    let Some(best) = report.models.first() else { return String::new() };
    let line = |difference: &Difference| {
        let Difference { points, low, high, words, .. } = difference;
        let sure = if difference.is_sure() { "" } else { "; that may be chance" };
        format!(
            "{} has {points:+.2} points compared with {} on the same {words} words (95 % of draws: {low:+.2} to {high:+.2}{sure})",
            printable(&difference.model),
            printable(&difference.other)
        )
    };
    let compared = report.differences.iter().filter(|difference| difference.other == best.model);
    compared.map(line).collect::<Vec<_>>().join("\n")
}

fn diarization(report: &Evaluation) -> String {
    let Some(diarization) = &report.diarization else { return String::new() };
    let seconds = &diarization.seconds;
    let share = |part: f64| format!("{:.1} %", 100.0 * part / seconds.total.max(f64::EPSILON));
    let row = vec![
        diarization.model.clone(),
        diarization.error_percent.map_or_else(|| "-".to_owned(), |percent| format!("{percent:.1} %")),
        share(seconds.missed),
        share(seconds.false_alarm),
        share(seconds.confusion),
        format!("{} of {}", diarization.right_speaker_count, diarization.recordings),
        diarization
            .speed
            .map_or_else(|| "-".to_owned(), |speed| format!("{:.1}×", speed.audio_seconds_per_second)),
    ];
    let headings = ["SPEAKERS", "ERROR RATE", "MISSED", "FALSE ALARM", "CONFUSED", "RIGHT NUMBER", "SPEED"];
    table::render(&headings, &[row])
}

fn left_out(report: &Evaluation) -> String {
    let mut lines: Vec<String> = Vec::new();
    for model in report.models.iter().filter(|model| model.other_language > 0) {
        let count = model.other_language;
        lines.push(format!("{} does not know the language of {count} recordings", printable(&model.model)));
    }
    for one in report.left_out.iter().take(MAX_LEFT_OUT) {
        lines.push(format!("left out {}: {}", printable(&one.file), printable(&one.reason)));
    }
    if report.left_out.len() > MAX_LEFT_OUT {
        lines.push(format!(
            "left out {} more recordings; `--json` lists them",
            report.left_out.len() - MAX_LEFT_OUT
        ));
    }
    lines.join("\n")
}

/// The passages with the most errors of the best model. The other models are in the JSON and in the page.
fn worst(report: &Evaluation) -> String {
    let Some(best) = report.models.first().filter(|model| !model.worst.is_empty()) else {
        return String::new();
    };
    let passage = |worst: &WorstPassage| {
        let counts = &worst.passage.counts;
        let at = worst.passage.start.map_or_else(String::new, |start| format!(" at {start:.1} s"));
        let title =
            format!("{}{at}, {} errors in {} words", printable(&worst.file), counts.errors(), counts.words);
        let side = |of: fn(&Change) -> &str| -> String {
            let changes = worst.passage.changes.iter().filter(|change| !of(change).is_empty());
            let marked = changes.map(|change| match change.same {
                true => printable(of(change)),
                false => format!("[{}]", printable(of(change))),
            });
            marked.collect::<Vec<_>>().join(" ")
        };
        let reference = side(|change| &change.reference);
        let found = side(|change| &change.found);
        format!("{title}\n  reference: {reference}\n  found:     {found}")
    };
    let passages: Vec<String> = best.worst.iter().map(passage).collect();
    format!("The worst passages of {}:\n{}", printable(&best.model), passages.join("\n"))
}

/// A text of a file without characters that control a terminal.
fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}
