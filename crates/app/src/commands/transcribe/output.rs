//! Where transcripts go: to standard output, or each to its own file in a folder.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use auris_domain::result::{DocumentTranscript, ResultDocument};
use auris_domain::step::output::Diarization;
use auris_domain::transcript::{Transcript, plain, srt, vtt};
use serde::Serialize;

use crate::cli::{Format, Transcribe};
use crate::commands::print;

/// The JSON of a recording: its transcript, and the diarization if there is one.
#[derive(Serialize)]
struct TranscriptJson<'a> {
    #[serde(flatten)]
    transcript: &'a Transcript,
    #[serde(skip_serializing_if = "Option::is_none")]
    diarization: Option<&'a Diarization>,
}

pub(super) struct Output {
    format: Format,
    folder: Option<PathBuf>,
    /// If several texts go to one output, each gets a heading with its name.
    several: bool,
}

impl Output {
    pub(super) fn new(args: &Transcribe) -> anyhow::Result<Self> {
        if let Some(folder) = &args.output {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot create the folder `{}`", folder.display()))?;
        }
        let several = args.files.len() > 1;
        Ok(Self { format: args.format, folder: args.output.clone(), several })
    }

    pub(super) fn write(&self, name: &str, document: &ResultDocument) -> anyhow::Result<()> {
        let text = self.render(document)?;
        let Some(folder) = &self.folder else { return self.print(name, &text) };
        let path = folder.join(file_name(name, self.format.extension()));
        std::fs::write(&path, text + "\n").with_context(|| format!("cannot write `{}`", path.display()))?;
        eprintln!("{}", path.display());
        Ok(())
    }

    fn print(&self, name: &str, text: &str) -> anyhow::Result<()> {
        if self.several && self.format != Format::Json {
            print(&format!("==> {name} <=="))?;
        }
        print(text)
    }

    fn render(&self, document: &ResultDocument) -> anyhow::Result<String> {
        let Some(DocumentTranscript::Recognised(transcript)) = &document.transcript else {
            bail!("there is no transcript");
        };
        let text = match self.format {
            Format::Txt => plain(transcript),
            Format::Json => {
                let diarization = document.diarization.as_ref();
                serde_json::to_string(&TranscriptJson { transcript, diarization })?
            }
            Format::Srt => srt(transcript),
            Format::Vtt => vtt(transcript),
        };
        Ok(text.trim_end().to_owned())
    }
}

fn file_name(name: &str, extension: &str) -> String {
    let stem = Path::new(name)
        .file_stem()
        .filter(|_| name != "-")
        .map_or("stdin".into(), |stem| stem.to_string_lossy());
    format!("{stem}.{extension}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_is_named_after_its_recording() {
        assert_eq!(file_name("calls/monday.mp3", "srt"), "monday.srt");
        assert_eq!(file_name("-", "txt"), "stdin.txt");
    }
}
