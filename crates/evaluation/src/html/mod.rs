//! The report as one HTML page: no scripts, no files from elsewhere, audio from the folder of the recordings.

mod escape;
mod recordings;
mod tables;

use crate::report::Evaluation;

const STYLE: &str = include_str!("page.css");

/// What a page is made from.
pub struct Page<'a> {
    pub evaluation: &'a Evaluation,
    /// The path of each recording of the evaluation, relative to the page.
    pub links: &'a [String],
}

/// The page.
pub fn page(page: &Page) -> String {
    let evaluation = page.evaluation;
    let title = format!("Models on {}", escape::text(&evaluation.folder));
    let policy = "default-src 'none'; style-src 'unsafe-inline'; media-src 'self' file:";
    let parts = [
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" \
             content=\"{policy}\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        ),
        tables::models(evaluation),
        tables::differences(evaluation),
        tables::diarization(evaluation),
        tables::left_out(evaluation),
        recordings::worst_passages(page),
        recordings::recordings(page),
        "</body>\n</html>\n".to_owned(),
    ];
    parts.concat()
}
