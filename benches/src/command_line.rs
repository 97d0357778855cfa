//! The command line: one subcommand per bench, each with its own options and help.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::api::ApiOptions;
use crate::cpu::CpuOptions;
use crate::engines::diarization::DiarizationRun;
use crate::engines::language::LanguageRun;
use crate::engines::speech::SpeechRun;
use crate::engines::text::TextRun;
use crate::list::ListOptions;
use crate::queue::QueueOptions;
use crate::streams::StreamsOptions;
use crate::webhooks::WebhooksOptions;
use crate::webhooks::client_baseline::Target;

#[derive(Parser)]
#[command(name = "bench", disable_help_subcommand = true)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) bench: Bench,
}

#[derive(Subcommand)]
pub(crate) enum Bench {
    /// Job creations, job reads, step transitions and events per second, next to a bare axum handler and bare SQL
    Api(ApiOptions),
    /// CPU time per request of two builds of the server, measured in turns
    Cpu(CpuOptions),
    /// Latency of a page of jobs and of a claim, in a small and in a large database
    List(ListOptions),
    /// Jobs per second from creation to completion, next to bare SQL and graphile_worker
    Queue(QueueOptions),
    /// Memory of an idle event stream, and how soon an event reaches all of them
    Streams(StreamsOptions),
    /// Webhook deliveries per second over TLS, next to a bare loop of the HTTP client
    Webhooks(WebhooksOptions),
    /// The process that the api bench compares the server with; it serves the answers in the folder
    #[command(hide = true)]
    AxumBaseline { folder: PathBuf },
    /// The process that the webhooks bench compares the server with
    #[command(hide = true)]
    ClientBaseline(Target),
    /// One run of the diarizer, for `scripts/bench diarization`
    #[command(hide = true)]
    EngineDiarization(DiarizationRun),
    /// One run of a language model, for `scripts/bench language`
    #[command(hide = true)]
    EngineLanguage(LanguageRun),
    /// One run of a speech model, for `scripts/bench speech` and `scripts/accuracy`
    #[command(hide = true)]
    EngineSpeech(SpeechRun),
    /// One run of a built-in text stage, for `scripts/bench text`
    #[command(hide = true)]
    EngineText(TextRun),
}
