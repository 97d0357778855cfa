//! `auris evaluate`: which model is best for a folder of recordings.

mod page_file;
mod text;

use anyhow::{Context, bail};
use auris_evaluation::Evaluation;
use auris_service::local::{EvaluationEvent, EvaluationRequest, GivenTranscripts};

use super::transcribe::cancelled_by_interrupt;
use super::{print, print_json};
use crate::cli::Evaluate;
use crate::config::Config;
use crate::progress_bar::AudioBar;
use crate::wiring;
use page_file::PageFile;

/// Evaluates the models and prints the report. True if Ctrl-C ended it.
pub(crate) async fn run(args: Evaluate, config: &Config) -> anyhow::Result<bool> {
    for (_, folder) in &args.transcripts {
        std::fs::read_dir(folder)
            .with_context(|| format!("cannot read the folder `{}`", folder.display()))?;
    }
    // Opened now, so that a file that cannot be written does not waste the work.
    let page = args.html.as_deref().map(PageFile::create).transpose()?;
    let engines = wiring::local_engines(config, cancelled_by_interrupt())?;
    let mut progress = Progress::default();
    let report = match engines.evaluate(&request(&args), |event| progress.show(event)).await {
        Err(_) if engines.is_cancelled() => return Ok(true),
        report => report?,
    };
    drop(progress);
    if let Some(page) = page {
        page.write(&report, &args.folder)?;
    }
    if args.json {
        print_json(&report)?
    } else {
        print(&text::report(&report))?
    }
    check(&report)?;
    Ok(false)
}

fn request(args: &Evaluate) -> EvaluationRequest {
    let given = |(name, folder): &(String, std::path::PathBuf)| GivenTranscripts {
        name: name.clone(),
        folder: folder.clone(),
    };
    EvaluationRequest {
        folder: args.folder.clone(),
        models: args.models.clone(),
        language: args.language.clone(),
        speakers: !args.no_speakers,
        transcripts: args.transcripts.iter().map(given).collect(),
    }
}

/// Fails if a recording could not be transcribed, so that scripts can rely on the exit code.
fn check(report: &Evaluation) -> anyhow::Result<()> {
    let failed: usize = report.models.iter().map(|model| model.failed).sum();
    let failed = failed + report.diarization.as_ref().map_or(0, |diarization| diarization.failed);
    if failed > 0 {
        bail!(
            "{failed} results are missing because of the errors above; the figures are of the other recordings"
        );
    }
    Ok(())
}

/// The bar of the recording that is being transcribed.
#[derive(Default)]
struct Progress {
    title: String,
    bar: Option<AudioBar>,
}

impl Progress {
    fn show(&mut self, event: EvaluationEvent) {
        match event {
            EvaluationEvent::Position { model, file, position } => {
                let title = format!("{model}: {file}");
                if self.title != title {
                    // The old bar disappears before the new one is drawn.
                    self.bar = None;
                    self.bar = Some(AudioBar::new(&title));
                    self.title = title;
                }
                if let Some(bar) = &self.bar {
                    bar.show(position);
                }
            }
            EvaluationEvent::Failed { model, file, reason } => {
                self.bar = None;
                self.title.clear();
                eprintln!("auris: {file}, {model}: {reason}");
            }
        }
    }
}
