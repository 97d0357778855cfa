//! Arguments of `auris evaluate`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
pub(crate) struct Evaluate {
    /// Folder of recordings, each with its reference beside it (NAME.txt, .srt, .vtt, .stm, .ctm or .rttm), or with a
    /// manifest.jsonl
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// Speech models to compare [default: `auto` and all installed ones that run on this machine]
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub(crate) models: Vec<String>,
    /// Spoken language, for example `en` or `de`, where neither manifest.jsonl nor a folder (de/NAME.wav) names one
    /// [default: detected]
    #[arg(long)]
    pub(crate) language: Option<String>,
    /// Do not evaluate the speakers, even if references have them
    #[arg(long)]
    pub(crate) no_speakers: bool,
    /// Also score the texts of another program: a name, and a folder with a text for each recording; can be repeated
    #[arg(long, value_name = "NAME=DIR", value_parser = transcripts)]
    pub(crate) transcripts: Vec<(String, PathBuf)>,
    /// Write a report with the audio and the marked texts to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn transcripts(argument: &str) -> Result<(String, PathBuf), String> {
    match argument.split_once('=') {
        Some((name, folder)) if !name.is_empty() && !folder.is_empty() => {
            Ok((name.to_owned(), folder.into()))
        }
        _ => Err("write it as NAME=DIR".to_owned()),
    }
}
