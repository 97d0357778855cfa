//! Progress bars on a terminal. Elsewhere they are hidden.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::LazyLock;
use std::time::Duration;

use auris_service::engine_tasks::AudioPosition;
use auris_service::operator::PullSink;
use indicatif::{
    HumanDuration, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle,
};

/// The remaining time of a download is shown only after this long; before, the estimate is far too high.
const ESTIMATE_AFTER: Duration = Duration::from_secs(3);

/// All bars that are shown, one below the other.
static BARS: LazyLock<MultiProgress> = LazyLock::new(|| {
    let is_terminal = std::io::stderr().is_terminal();
    MultiProgress::with_draw_target(match is_terminal {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    })
});

/// Hides all bars while something is printed.
pub(crate) fn hidden<T>(print: impl FnOnce() -> T) -> T {
    BARS.suspend(print)
}

fn bar(length: u64, name: &str, template: &str) -> ProgressBar {
    let bar = BARS.add(ProgressBar::new(length)).with_message(name.to_owned());
    // The templates are constants that parse. If one did not, the default bar would do.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.with_key("left", time_left));
    }
    bar
}

fn time_left(state: &ProgressState, out: &mut dyn Write) {
    if state.elapsed() > ESTIMATE_AFTER {
        // Writing to the text of the bar cannot fail.
        let _ = write!(out, ", {} left", HumanDuration(state.eta()));
    }
}

/// How much of a recording is done. The bar disappears when it is dropped.
pub(crate) struct AudioBar(ProgressBar);

impl AudioBar {
    pub(crate) fn new(name: &str) -> Self {
        Self(bar(0, name, "{msg} {wide_bar} {pos} of {len} s, {eta} left"))
    }

    pub(crate) fn show(&self, position: AudioPosition) {
        if let Some(total) = position.seconds_total {
            self.0.set_length(total.ceil() as u64);
        }
        self.0.set_position(position.seconds_done as u64);
    }
}

impl Drop for AudioBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// How much of a stage or task is done. The bar disappears when it is dropped.
pub(crate) struct StageBar(ProgressBar);

impl StageBar {
    pub(crate) fn new(stage: &str) -> Self {
        Self(bar(100, stage, "{msg} {wide_bar} {percent} %"))
    }

    pub(crate) fn show(&self, share: f64) {
        self.0.set_position((share * 100.0) as u64);
    }
}

impl Drop for StageBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// The installation of a model: one bar per file. Warnings are printed without a terminal too.
#[derive(Default)]
pub(crate) struct PullBars(Option<ProgressBar>);

impl PullBars {
    fn end(&mut self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for PullBars {
    fn drop(&mut self) {
        self.end();
    }
}

impl PullSink for PullBars {
    fn file(&mut self, model: &str, file: &str, bytes: u64) {
        self.end();
        let name = format!("{model}/{file}");
        self.0 = Some(bar(bytes, &name, "{msg} {wide_bar} {bytes} of {total_bytes}{left}"));
    }

    fn progress(&mut self, bytes_done: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(bytes_done);
        }
    }

    fn warning(&mut self, message: &str) {
        eprintln!("auris: {message}");
    }

    fn trial(&mut self, model: &str) {
        self.end();
        self.0 = Some(spinner(&format!("trying {model}")));
    }
}

/// Work of unknown length. The spinner disappears when it is dropped.
pub(crate) struct Spinner(ProgressBar);

impl Spinner {
    pub(crate) fn new(text: &str) -> Self {
        Self(spinner(text))
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn spinner(text: &str) -> ProgressBar {
    let spinner = bar(0, text, "{spinner} {msg}, {elapsed}");
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}
