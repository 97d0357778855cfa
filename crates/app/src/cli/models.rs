//! Arguments of `auris models`.

use std::path::PathBuf;

use auris_domain::money::Usd;
use clap::{Args, Subcommand};

use super::Shape;

#[derive(Subcommand)]
pub(crate) enum Models {
    /// List the models of the catalogue and your own: which are installed, and how fast they are here
    #[command(after_help = "Example:\n  auris models list")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Download and install models; skips files that are already installed
    #[command(after_help = "Example:\n  auris models pull moonshine-base-en whisper-small")]
    Pull {
        /// Models to install
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Add your own language model, Whisper or Moonshine from a file or folder
    ///
    /// The weights are checked, copied to `models.dir` and tried: a speech model transcribes a short recording, a
    /// language model answers a question. A running server offers the model at once, under its id.
    #[command(
        after_help = "Examples:\n  auris models add ggml-large-v3-turbo.bin\n  auris models add ggml-medium.en-q5_0.bin --id court-recordings --price 0.0001\n  auris models add ./whisper-small-finetuned --id support-calls\n  auris models add Qwen3-4B-Q4_K_M.gguf\n  auris models add Qwen3-4B-Q4_K_M.gguf --id qwen3-4b --input-price 0.0000002 --output-price 0.0000008"
    )]
    Add(AddModel),
    /// Remove installed models; your own are removed from the list too
    ///
    /// Work that is running keeps the model until it ends. Jobs that have not started fail with `model_not_found`.
    #[command(after_help = "Example:\n  auris models remove whisper-small")]
    Remove {
        /// Models to remove
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List the price of each model and the plan it requires
    #[command(after_help = "Example:\n  auris models prices --csv")]
    Prices {
        #[command(flatten)]
        shape: Shape,
    },
    /// Measure how fast the installed models are on this machine
    ///
    /// Speech models and the diarizer process a sample recording for some seconds, language models write one answer.
    /// `auris models list` shows the result. Measure while the machine does nothing else.
    #[command(after_help = "Examples:\n  auris models bench\n  auris models bench moonshine-base-en --json")]
    Bench {
        /// Models to measure [default: all installed models for speech, speakers and tasks]
        #[arg(value_name = "ID")]
        ids: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check the SHA-256 of every installed file against the catalogue
    ///
    /// Also checks the packed copies, which make the next load fast, and deletes damaged ones. Exits with 1 if a file is
    /// damaged or a file of your own models is missing.
    #[command(after_help = "Example:\n  auris models verify")]
    Verify {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args)]
pub(crate) struct AddModel {
    /// A GGUF file with a language model, a whisper.cpp file (`ggml-*.bin`), or a Hugging Face folder with
    /// `config.json`, `tokenizer.json` and `model.safetensors`
    pub(crate) file: PathBuf,
    /// Id of the model in requests [default: named after the file]
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// Price of one second of audio, in US dollars; for a speech model [default: 0]
    #[arg(
        long,
        value_name = "USD",
        allow_hyphen_values = true,
        conflicts_with_all = ["input_price", "output_price"]
    )]
    pub(crate) price: Option<Usd>,
    /// Price of one token that is read, in US dollars; for a language model [default: 0]
    #[arg(long, value_name = "USD", allow_hyphen_values = true)]
    pub(crate) input_price: Option<Usd>,
    /// Price of one token that is written, in US dollars; for a language model [default: 0]
    #[arg(long, value_name = "USD", allow_hyphen_values = true)]
    pub(crate) output_price: Option<Usd>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
