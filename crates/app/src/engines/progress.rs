//! The progress of an installation: a bar for each file on a terminal, warnings anywhere.

use std::io::IsTerminal;

use auris_engines::install::PullSink;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

#[derive(Default)]
pub(super) struct PullProgress(Option<ProgressBar>);

impl PullProgress {
    pub(super) fn end(&mut self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
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
        if let Ok(style) =
            ProgressStyle::with_template("{msg} {wide_bar} {bytes} of {total_bytes}, {eta} left")
        {
            bar.set_style(style);
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
