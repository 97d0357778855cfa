//! Command-line arguments of `auris`, with their help texts.

#[cfg(test)]
mod documents;
mod evaluate;
mod keys;
mod models;
mod named_value;
mod operator;
mod projects;
#[cfg(test)]
mod tests;
pub(crate) mod webhooks;

use std::path::PathBuf;

use auris_domain::step::spec::{Granularity, SummaryType};
use clap::{Args, Parser, Subcommand, ValueEnum};

use named_value::named;

pub(crate) use evaluate::Evaluate;
pub(crate) use keys::Keys;
pub(crate) use models::{AddModel, Models};
pub(crate) use operator::{Operator, OperatorKeys, OperatorSessions};
pub(crate) use projects::{LimitArgs, Projects};

/// Speech-to-text and transcript analysis on your own machine, as an HTTP service or on the command line
#[derive(Parser)]
#[command(
    name = "auris",
    version = VERSION,
    arg_required_else_help = true,
    after_help = "Examples:\n  auris serve\n  auris transcribe interview.mp3"
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Version number and build profile, printed by `auris --version`.
const VERSION: &str = if cfg!(debug_assertions) {
    concat!(env!("CARGO_PKG_VERSION"), " (debug build)")
} else {
    concat!(env!("CARGO_PKG_VERSION"), " (release build)")
};

#[derive(Args)]
pub(crate) struct Global {
    /// Data folder: database, stored content and master key [default: the data folder of your platform]
    #[arg(long, global = true, env = "AURIS_DATA", value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file; `config.default.toml` lists every setting
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Print more log messages
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Print errors only
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Print without colors; the environment variable `NO_COLOR` does the same
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
}

/// Output format of a list; a table unless one of the flags is given.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Shape {
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print CSV with a header line
    #[arg(long)]
    pub(crate) csv: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run the service
    ///
    /// The first start creates the data folder, the master key, the project `default` and its first API key. It prints
    /// the key once, on a terminal with a link to the web console, and downloads the default models in the background.
    #[command(
        after_help = "Examples:\n  auris serve\n  auris serve --listen 0.0.0.0:8080 --data /var/lib/auris"
    )]
    Serve {
        /// Address to listen on; port 0 picks a free port [default: 127.0.0.1:8080]
        #[arg(long, value_name = "HOST:PORT")]
        listen: Option<String>,
        /// Which parts of the service this process runs
        #[arg(long, value_enum, default_value_t = Role::All)]
        role: Role,
    },
    /// Transcribe files without a server
    #[command(
        after_help = "Examples:\n  auris transcribe interview.mp3\n  auris transcribe --format srt --output subtitles *.mp4\n  auris transcribe --diarize --max-speakers 4 meeting.m4a\n  ffmpeg -i film.avi -f wav - | auris transcribe -"
    )]
    Transcribe(Transcribe),
    /// Analyze a recording or a transcript without a server
    ///
    /// Runs every stage unless you name the stages you want.
    #[command(
        after_help = "Examples:\n  auris analyze call.mp3\n  auris analyze call.mp3 --diarize --summary bullets --sentiment utterance\n  auris analyze --transcript minutes.txt --chapters --entities --json\n  auris analyze call.mp3 --task \"Which follow-ups were agreed?\""
    )]
    Analyze(Analyze),
    /// Compare speech models on your own recordings
    ///
    /// Transcribes every recording of a folder that has a reference text with each model, and prints word errors, word
    /// times, speakers and speed. docs/models.md describes the files and figures.
    #[command(
        after_help = "Examples:\n  auris evaluate calls\n  auris evaluate calls --models whisper-base,whisper-small --html report.html\n  auris evaluate calls --json > report.json\n  auris evaluate calls --transcripts other=texts-of-another-program"
    )]
    Evaluate(Evaluate),
    /// List, install, add, measure, verify and remove models
    #[command(
        subcommand,
        after_help = "Examples:\n  auris models list\n  auris models pull whisper-small\n  auris models add ggml-large-v3-turbo.bin\n  auris models add Qwen3-4B-Q4_K_M.gguf\n  auris models bench"
    )]
    Models(Models),
    /// Create, list, rotate and revoke API keys
    #[command(
        subcommand,
        after_help = "Examples:\n  auris keys create --name laptop --expires 90d\n  auris keys list\n  auris keys revoke key_0mhzw1v7u3k9d2qpx4ab"
    )]
    Keys(Keys),
    /// Manage projects: plans, limits, balances and usage
    #[command(
        subcommand,
        after_help = "Examples:\n  auris projects create support --plan pro --credit 50\n  auris projects usage support --by day,model"
    )]
    Projects(Projects),
    /// Inspect and resend webhook deliveries, manage endpoints and signing secrets
    #[command(
        subcommand,
        after_help = "Examples:\n  auris webhooks deliveries --status failed\n  auris webhooks resend --failed\n  auris webhooks test https://example.com/hooks/auris"
    )]
    Webhooks(webhooks::Webhooks),
    /// Print a link that opens the web console
    ///
    /// Opening the link signs in as an operator. It works once, within ten minutes.
    #[command(after_help = "Example:\n  auris console")]
    Console {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Manage the keys and sessions of operators, for the web console and the operator API
    #[command(
        subcommand,
        after_help = "Examples:\n  auris operator keys create --name anna --expires 90d\n  auris operator keys list\n  auris operator keys revoke opk_0mhzw1v7u3k9d2qpx4ab\n  auris operator sessions list"
    )]
    Operator(Operator),
    /// Apply pending database migrations
    ///
    /// `auris serve` does the same at start unless `database.migrate` is false.
    #[command(after_help = "Example:\n  AURIS_DATABASE__URL=postgres://db/auris auris migrate")]
    Migrate {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check everything the service depends on, and print how to fix each problem
    ///
    /// Checks the database, its collation, the clock, the master key, permissions on the bucket, whether all stored
    /// content is complete, models and disk space. Exits with 1 if there is a problem.
    #[command(after_help = "Example:\n  auris doctor --json")]
    Doctor {
        /// Before the checks, assign the blobs to this database, even if they belong to another one
        ///
        /// Use it only if the other database is lost. Blobs that this database does not know are deleted after a week.
        #[arg(long)]
        adopt_blobs: bool,
        /// Before the checks, allow the service to delete many blobs that the database does not know, for a day
        ///
        /// The service asks for this in its log if it finds more of them than crashes leave. Do not use it on a copy of
        /// the database that uses the blobs of the original.
        #[arg(long)]
        delete_orphans: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Export the whole installation to one tar file: jobs, projects, keys, endpoints and content
    ///
    /// The file contains your users' recordings and transcripts, so store it safely. It also contains encrypted secrets,
    /// but not the master key that decrypts them.
    #[command(after_help = "Example:\n  auris export auris.tar --data /var/lib/auris")]
    Export {
        /// Tar file to create; it must not exist yet
        file: PathBuf,
        /// Export while the service is running; jobs accepted after the snapshot are not in the file
        #[arg(long)]
        live: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Import a file made by `auris export` into an empty installation
    ///
    /// The database and the blob store may be of another kind than those of the export. The master key must be the one
    /// the exporting installation used.
    #[command(
        after_help = "Example:\n  AURIS_DATABASE__URL=postgres://db/auris AURIS_BLOBS__URL=s3://recordings/auris \\\n  AURIS_SECURITY__MASTER_KEY=$(head -n 1 master.key) auris import auris.tar"
    )]
    Import {
        /// Tar file made by `auris export`
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a shell completion script
    #[command(
        after_help = "Example:\n  auris completions bash > ~/.local/share/bash-completion/completions/auris"
    )]
    Completions {
        /// Shell to generate the script for
        shell: clap_complete::Shell,
    },
}

#[derive(Args)]
pub(crate) struct Transcribe {
    /// Audio or video files in any common format; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Speech model, as listed by `auris models list`
    #[arg(long, default_value = "auto")]
    pub(crate) model: String,
    /// Spoken language, for example `en` or `de` [default: detected]
    #[arg(long)]
    pub(crate) language: Option<String>,
    /// Names and terms likely to occur, to guide their spelling
    #[arg(long, value_name = "TEXT")]
    pub(crate) prompt: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Txt)]
    pub(crate) format: Format,
    /// Write one file per recording to this folder instead of standard output
    #[arg(long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Label the speakers A, B, … in the output
    #[arg(long)]
    pub(crate) diarize: bool,
    /// Minimum number of speakers
    #[arg(long, value_name = "N", requires = "diarize", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) min_speakers: Option<u32>,
    /// Maximum number of speakers
    #[arg(long, value_name = "N", requires = "diarize", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) max_speakers: Option<u32>,
}

#[derive(Args)]
pub(crate) struct Analyze {
    /// Audio or video file in any common format; `-` reads standard input
    #[arg(value_name = "FILE", required_unless_present = "transcript", conflicts_with = "transcript")]
    pub(crate) file: Option<String>,
    /// Analyze this transcript instead of a recording: plain text, or JSON from `auris transcribe` or the API
    #[arg(long, value_name = "FILE", conflicts_with = "diarize")]
    pub(crate) transcript: Option<String>,
    /// Summarize; the type is brief if you omit it
    #[arg(long, value_parser = named::<SummaryType>(), value_name = "TYPE", num_args = 0..=1, default_missing_value = "brief")]
    pub(crate) summary: Option<SummaryType>,
    /// Divide into chapters where the subject changes
    #[arg(long)]
    pub(crate) chapters: bool,
    /// Find people, places, organizations, dates, amounts, phone numbers and addresses
    #[arg(long)]
    pub(crate) entities: bool,
    /// Find only entities of these types, for example person,location,money
    #[arg(long, value_name = "TYPES", value_delimiter = ',', requires = "entities")]
    pub(crate) entity_types: Vec<String>,
    /// List the key phrases
    #[arg(long)]
    pub(crate) key_phrases: bool,
    /// Rate the sentiment of the whole transcript (the default) or of each utterance
    #[arg(long, value_parser = named::<Granularity>(), value_name = "OF", num_args = 0..=1, default_missing_value = "document")]
    pub(crate) sentiment: Option<Granularity>,
    /// List the topics
    #[arg(long)]
    pub(crate) topics: bool,
    /// Format the text: paragraphs, sentence case, and numbers, dates and amounts in digits
    #[arg(long)]
    pub(crate) formatting: bool,
    /// Identify the speakers
    #[arg(long)]
    pub(crate) diarize: bool,
    /// Give a language model your own instruction; can be repeated
    #[arg(long, value_name = "TEXT")]
    pub(crate) task: Vec<String>,
    /// Speech model, as listed by `auris models list`
    #[arg(long, default_value = "auto")]
    pub(crate) model: String,
    /// Model for tasks and for every stage it supports [default: the default model of each stage]
    #[arg(long, value_name = "ID")]
    pub(crate) text_model: Option<String>,
    /// Spoken language, for example `en` or `de` [default: detected]
    #[arg(long)]
    pub(crate) language: Option<String>,
    /// Print the whole result document as JSON
    #[arg(long)]
    pub(crate) json: bool,
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

/// Parts of the service that one process runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// HTTP API and worker in one process
    All,
    /// HTTP API, including synchronous transcriptions
    Api,
    /// Runs job steps, delivers webhooks and deletes expired content; serves only health checks and metrics
    Worker,
}
