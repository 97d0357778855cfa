//! Where transcripts go: to standard output, or each to a file of its own in a folder.

use std::path::{Path, PathBuf};

use anyhow::Context;
use auris_domain::transcript::{Transcript, plain, srt, vtt};
use serde_json::Value;

use crate::cli::{Format, Transcribe};
use crate::commands::print;

/// What came of a recording.
pub(super) struct Heard {
    pub(super) transcript: Transcript,
    /// Who spoke when, where that was asked for.
    pub(super) diarization: Option<Value>,
}

impl Heard {
    /// The transcript, with who spoke when beside it.
    fn document(&self) -> Value {
        let mut document = self.transcript.document();
        if let Some(diarization) = &self.diarization {
            document["diarization"] = diarization.clone();
        }
        document
    }
}

pub(super) struct Output {
    format: Format,
    folder: Option<PathBuf>,
    /// Several texts on one output are told apart by their names.
    several: bool,
}

impl Output {
    pub(super) fn new(words: &Transcribe) -> anyhow::Result<Self> {
        if let Some(folder) = &words.output {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder `{}`", folder.display()))?;
        }
        let several = words.files.len() > 1;
        Ok(Self { format: words.format, folder: words.output.clone(), several })
    }

    pub(super) fn write(&self, name: &str, heard: &Heard) -> anyhow::Result<()> {
        let text = self.render(heard);
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

    fn render(&self, heard: &Heard) -> String {
        let text = match self.format {
            Format::Txt => plain(&heard.transcript),
            Format::Json => heard.document().to_string(),
            Format::Srt => srt(&heard.transcript),
            Format::Vtt => vtt(&heard.transcript),
        };
        text.trim_end().to_owned()
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
