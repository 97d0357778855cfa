//! The recordings with their texts, worst first, and the worst passages.

use super::{Page, escape};
use crate::passages::{Change, Passage};
use crate::report::{ModelReport, RecordingResult};

/// Recordings on a page. With more, a browser becomes slow.
const MAX_RECORDINGS: usize = 300;

/// Seconds that are played before and after a passage.
const MARGIN: f64 = 0.5;

/// The ten worst passages of each model.
pub(super) fn worst_passages(page: &Page) -> String {
    let models = page.evaluation.models.iter().filter(|model| !model.worst.is_empty());
    let section = |model: &ModelReport| {
        let passages = model.worst.iter().map(|worst| {
            let recording = page.evaluation.recordings.iter().position(|one| one.file == worst.file);
            let player =
                recording.map_or_else(String::new, |at| player(&page.links[at], Some(&worst.passage)));
            let counts = &worst.passage.counts;
            let note = format!("{} errors, {} words", counts.errors(), counts.words);
            format!(
                "<h3>{} <span class=\"note\">{note}</span></h3>\n{player}{}",
                escape::text(&worst.file),
                texts(&model.model, std::slice::from_ref(&worst.passage))
            )
        });
        let passages: String = passages.collect();
        format!("<details>\n<summary>{}</summary>\n{passages}</details>\n", escape::text(&model.model))
    };
    let sections: String = models.map(section).collect();
    if sections.is_empty() { sections } else { format!("<h2>The worst passages</h2>\n{sections}") }
}

/// Every recording with the texts of all models, those with the most errors in a hundred words first.
pub(super) fn recordings(page: &Page) -> String {
    let all = &page.evaluation.recordings;
    let results = |file: &str| -> Vec<(&ModelReport, &RecordingResult)> {
        let models = page.evaluation.models.iter();
        models
            .filter_map(|model| Some((model, model.results.iter().find(|result| result.file == file)?)))
            .collect()
    };
    let mut order: Vec<(usize, f64)> =
        all.iter().enumerate().map(|(at, one)| (at, mean_percent(&results(&one.file)))).collect();
    order.sort_by(|one, other| other.1.total_cmp(&one.1));
    let mut html = String::from("<h2>Recordings, worst first</h2>\n");
    if order.len() > MAX_RECORDINGS {
        html += &format!("<p class=\"note\">The worst {MAX_RECORDINGS} of {} recordings.</p>\n", order.len());
    }
    for (at, _) in order.into_iter().take(MAX_RECORDINGS) {
        html += &format!("<h3>{}</h3>\n{}", escape::text(&all[at].file), player(&page.links[at], None));
        for (model, result) in results(&all[at].file) {
            html += &recording_texts(model, result);
        }
    }
    html
}

fn mean_percent(results: &[(&ModelReport, &RecordingResult)]) -> f64 {
    let percents: Vec<f64> = results.iter().filter_map(|(_, result)| result.error_percent).collect();
    percents.iter().sum::<f64>() / percents.len().max(1) as f64
}

fn recording_texts(model: &ModelReport, result: &RecordingResult) -> String {
    match (&result.error, result.error_percent) {
        (Some(error), _) => {
            format!("<p class=\"note\">{}: {}</p>\n", escape::text(&model.model), escape::text(error))
        }
        (None, percent) => {
            let title = format!("{}, {:.1} %", model.model, percent.unwrap_or_default());
            texts(&title, &result.passages)
        }
    }
}

/// The reference above the text of a model, with what differs marked in both.
fn texts(title: &str, passages: &[Passage]) -> String {
    let side = |tag: &str, of: fn(&Change) -> &str| -> String {
        let changes =
            passages.iter().flat_map(|passage| &passage.changes).filter(|change| !of(change).is_empty());
        let marked = changes.map(|change| match change.same {
            true => escape::text(of(change)),
            false => format!("<{tag}>{}</{tag}>", escape::text(of(change))),
        });
        marked.collect::<Vec<_>>().join(" ")
    };
    format!(
        "<table class=\"texts\">\n<tr><td>reference</td><td>{}</td></tr>\n<tr><td>{}</td><td>{}</td></tr>\n</table>\n",
        side("del", |change| &change.reference),
        escape::text(title),
        side("ins", |change| &change.found)
    )
}

/// A player for a recording, or for a passage of it.
fn player(link: &str, passage: Option<&Passage>) -> String {
    let part = passage.and_then(|passage| passage.start.zip(passage.end));
    let part = part.map_or_else(String::new, |(start, end)| {
        format!("#t={:.1},{:.1}", (start - MARGIN).max(0.0), end + MARGIN)
    });
    format!("<audio controls preload=\"none\" src=\"{}{part}\"></audio>\n", escape::path(link))
}
