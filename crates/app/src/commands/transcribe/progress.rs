//! A progress bar for each file, on a terminal only.

use std::io::IsTerminal;

use auris_domain::transcript::Segment;
use auris_engines::{ProgressSink, SpeechSink};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn new(name: &str) -> Self {
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(0), target).with_message(name.to_owned());
        // The template is a constant that parses; the plain bar would do as well.
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos} of {len} s, {eta} left") {
            bar.set_style(style);
        }
        Self(bar)
    }

    pub(super) fn end(&self) {
        self.0.finish_and_clear();
    }
}

impl ProgressSink for Progress {
    fn progress(&mut self, seconds_done: f64, seconds_total: Option<f64>) {
        if let Some(total) = seconds_total {
            self.0.set_length(total.ceil() as u64);
        }
        self.0.set_position(seconds_done as u64);
    }
}

impl SpeechSink for Progress {
    fn delta(&mut self, _: &str) {}

    fn segment(&mut self, _: &Segment) {}
}
