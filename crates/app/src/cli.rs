//! The words of the command line.

mod keys;
mod projects;
pub(crate) mod webhooks;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use keys::{Keys, ScopeName};
pub(crate) use projects::{LimitWords, Projects, UsageBy};

/// Voice AI on your own machine: transcripts and what is in them, over an HTTP API.
#[derive(Parser)]
#[command(name = "auris", version = VERSION, arg_required_else_help = true, after_help = "Example:\n  auris serve")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The version and the kind of build.
const VERSION: &str = if cfg!(debug_assertions) {
    concat!(env!("CARGO_PKG_VERSION"), " (debug build)")
} else {
    concat!(env!("CARGO_PKG_VERSION"), " (release build)")
};

#[derive(Args)]
pub(crate) struct Global {
    /// The folder that holds the database, the content and the master key [default: the platform's data folder]
    #[arg(long, global = true, env = "AURIS_DATA", value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// A file with settings (config.default.toml lists them all)
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Tell more
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Tell only what went wrong
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// No colours (NO_COLOR in the environment does the same)
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
}

/// How a list is printed: a table for people, unless a program reads it.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Shape {
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    #[arg(long)]
    pub(crate) csv: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run the service
    ///
    /// The first start makes the data folder, the master key, the project `default` and its first API key, which is
    /// printed once.
    #[command(after_help = "Example:\n  auris serve --listen 0.0.0.0:8080 --data /var/lib/auris")]
    Serve {
        /// Where to listen [default: 127.0.0.1:8080]
        #[arg(long, value_name = "HOST:PORT")]
        listen: Option<String>,
        /// What this process does
        #[arg(long, value_enum, default_value_t = Role::All)]
        role: Role,
    },
    /// Transcribe files without a server
    #[command(
        after_help = "Examples:\n  auris transcribe interview.mp3\n  auris transcribe --format srt --output subtitles *.mp4\n  auris transcribe --diarize --max-speakers 4 meeting.m4a\n  ffmpeg -i film.avi -f wav - | auris transcribe -"
    )]
    Transcribe(Transcribe),
    /// Tell what is in a recording or a transcript, without a server
    ///
    /// Without the name of a stage, all of them run.
    #[command(
        after_help = "Examples:\n  auris analyze call.mp3\n  auris analyze call.mp3 --diarize --summary bullets --sentiment utterance\n  auris analyze --transcript minutes.txt --chapters --entities --json\n  auris analyze call.mp3 --task \"Which follow-ups were agreed?\""
    )]
    Analyze(Analyze),
    /// Install and remove models
    #[command(subcommand)]
    Models(Models),
    /// Issue, list, rotate and revoke API keys
    #[command(subcommand)]
    Keys(Keys),
    /// Projects, their plans, their money and what they used
    #[command(subcommand)]
    Projects(Projects),
    /// See and send webhook deliveries, and rotate their secrets
    #[command(subcommand)]
    Webhooks(webhooks::Webhooks),
    /// Bring the database's schema up to date; `auris serve` does so too, unless `database.migrate` is false
    #[command(after_help = "Example:\n  AURIS_DATABASE__URL=postgres://db/auris auris migrate")]
    Migrate {
        #[arg(long)]
        json: bool,
    },
    /// Look at everything that the service stands on, and say what to do where something is wrong
    ///
    /// Database, collation, clock, master key, rights in the bucket, models, disk. Exits with 1 when there is a problem.
    #[command(after_help = "Example:\n  auris doctor --json")]
    Doctor {
        #[arg(long)]
        json: bool,
    },
    /// Write the whole installation into one file: jobs, projects, keys, endpoints, content
    ///
    /// It holds what your callers sent, so guard it. Secrets in it open only with the master key, which is not in it.
    #[command(after_help = "Example:\n  auris export auris.tar --data /var/lib/auris")]
    Export {
        /// A tar file; it must not exist yet
        file: PathBuf,
        /// Take a snapshot of a running service; what it accepts afterwards is not in the file
        #[arg(long)]
        live: bool,
        #[arg(long)]
        json: bool,
    },
    /// Read what `auris export` wrote into an empty installation, on any database and any store of blobs
    #[command(
        after_help = "Example:\n  AURIS_DATABASE__URL=postgres://db/auris AURIS_BLOBS__URL=s3://recordings/auris \\\n  AURIS_SECURITY__MASTER_KEY=$(cat master.key) auris import auris.tar"
    )]
    Import {
        file: PathBuf,
        #[arg(long)]
        json: bool,
    },
    /// Print a completion script for your shell
    #[command(
        after_help = "Example:\n  auris completions bash > ~/.local/share/bash-completion/completions/auris"
    )]
    Completions { shell: clap_complete::Shell },
}

#[derive(Args)]
pub(crate) struct Transcribe {
    /// Recordings of any usual format; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// A model of `auris models list`
    #[arg(long, default_value = "auto")]
    pub(crate) model: String,
    /// The language spoken, as `en` or `de` [default: detected]
    #[arg(long)]
    pub(crate) language: Option<String>,
    /// Names and words that are spelled in a way of their own
    #[arg(long, value_name = "TEXT")]
    pub(crate) prompt: Option<String>,
    #[arg(long, value_enum, default_value_t = Format::Txt)]
    pub(crate) format: Format,
    /// Write a file for each recording into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Tell who speaks: A, B, … in every format
    #[arg(long)]
    pub(crate) diarize: bool,
    /// At least so many people speak
    #[arg(long, value_name = "N", requires = "diarize", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) min_speakers: Option<u32>,
    /// At most so many people speak
    #[arg(long, value_name = "N", requires = "diarize", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) max_speakers: Option<u32>,
}

#[derive(Args)]
pub(crate) struct Analyze {
    /// A recording of any usual format; `-` reads standard input
    #[arg(value_name = "FILE", required_unless_present = "transcript", conflicts_with = "transcript")]
    pub(crate) file: Option<String>,
    /// A transcript instead of a recording: plain text, or JSON as `auris transcribe` and the API write it
    #[arg(long, value_name = "FILE", conflicts_with = "diarize")]
    pub(crate) transcript: Option<String>,
    /// Summarise
    #[arg(long, value_enum, value_name = "TYPE", num_args = 0..=1, default_missing_value = "brief")]
    pub(crate) summary: Option<SummaryType>,
    /// Find where the subject changes
    #[arg(long)]
    pub(crate) chapters: bool,
    /// Find people, places, organisations, dates, amounts and addresses
    #[arg(long)]
    pub(crate) entities: bool,
    /// Only entities of these types, as person,location,money
    #[arg(long, value_name = "TYPES", value_delimiter = ',', requires = "entities")]
    pub(crate) entity_types: Vec<String>,
    /// List the phrases that stand out
    #[arg(long)]
    pub(crate) key_phrases: bool,
    /// Judge the mood
    #[arg(long, value_enum, value_name = "OF", num_args = 0..=1, default_missing_value = "document")]
    pub(crate) sentiment: Option<SentimentOf>,
    /// Tell what it is about
    #[arg(long)]
    pub(crate) topics: bool,
    /// Write it in paragraphs and sentences, numbers as people write them
    #[arg(long)]
    pub(crate) formatting: bool,
    /// Tell the speakers apart
    #[arg(long)]
    pub(crate) diarize: bool,
    /// Ask something in your own words; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub(crate) task: Vec<String>,
    /// The speech model
    #[arg(long, default_value = "auto")]
    pub(crate) model: String,
    /// The model for tasks, and for the stages that it can do [default: the catalogue's for each]
    #[arg(long, value_name = "ID")]
    pub(crate) text_model: Option<String>,
    /// The language spoken, as `en` or `de` [default: detected]
    #[arg(long)]
    pub(crate) language: Option<String>,
    /// The whole result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SummaryType {
    Brief,
    Bullets,
    Detailed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SentimentOf {
    Document,
    Utterance,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Txt,
    Json,
    Srt,
    Vtt,
}

impl Format {
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Txt => "txt",
            Self::Json => "json",
            Self::Srt => "srt",
            Self::Vtt => "vtt",
        }
    }
}

/// Everything in one process, or one half of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// HTTP, steps and webhooks
    All,
    /// HTTP only
    Api,
    /// Steps and webhooks only
    Worker,
}

#[derive(Subcommand)]
pub(crate) enum Models {
    /// List the catalogue and what of it is installed
    #[command(after_help = "Example:\n  auris models list")]
    List {
        #[arg(long)]
        json: bool,
    },
    /// Install models; what is there already is left alone
    #[command(after_help = "Example:\n  auris models pull moonshine-base-en whisper-small")]
    Pull {
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Remove installed models
    #[command(after_help = "Example:\n  auris models remove whisper-small")]
    Remove {
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Tell what each model costs, and which plan it needs
    #[command(after_help = "Example:\n  auris models prices --csv")]
    Prices {
        #[command(flatten)]
        shape: Shape,
    },
    /// Read every installed file again and compare it with the catalogue
    #[command(after_help = "Example:\n  auris models verify")]
    Verify {
        #[arg(long)]
        json: bool,
    },
}
