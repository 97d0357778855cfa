//! The progress of an installation: a bar for each file on a terminal, warnings anywhere.

use std::fmt::Write;
use std::io::IsTerminal;
use std::time::Duration;

use auris_engines::install::PullSink;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// Before this nobody can tell how long it will take: the first guess of a minute is hours.
const GUESSED_AFTER: Duration = Duration::from_secs(3);

#[derive(Default)]
pub(super) struct PullProgress(Option<ProgressBar>);

impl PullProgress {
    pub(super) fn end(&mut self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}

fn time_left(state: &ProgressState, out: &mut dyn Write) {
    if state.elapsed() > GUESSED_AFTER {
        // Writing into the line of the bar does not fail.
        let _ = write!(out, ", {} left", HumanDuration(state.eta()));
    }
}

impl PullSink for PullProgress {
    fn file(&mut self, model: &str, file: &str, bytes: u64) {
        self.end();
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(bytes), target).with_message(format!("{model}/{file}"));
        // The template is a constant that parses; the plain bar would do as well.
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {bytes} of {total_bytes}{left}") {
            bar.set_style(style.with_key("left", time_left));
        }
        self.0 = Some(bar);
    }

    fn progress(&mut self, bytes_done: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(bytes_done);
        }
    }

    fn warning(&mut self, message: &str) {
        eprintln!("auris: {message}");
    }
}
