//! Benchmarks of the real server next to its bare parts. `scripts/bench` builds and runs this program.

mod api;
mod command_line;
mod cpu;
mod engines;
mod fixture;
mod http;
mod list;
mod measure;
mod queue;
mod report;
mod sql;
mod streams;
mod webhooks;

use std::process::ExitCode;

use clap::Parser;

use command_line::{Bench, CommandLine};

#[tokio::main]
async fn main() -> ExitCode {
    // Interrupting a bench drops it, and dropping it removes its servers, folders and databases.
    let outcome = tokio::select! {
        outcome = run(CommandLine::parse().bench) => outcome,
        _ = tokio::signal::ctrl_c() => Err(anyhow::anyhow!("interrupted")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(bench: Bench) -> anyhow::Result<()> {
    match bench {
        Bench::Api(options) => api::run(&options).await,
        Bench::Cpu(options) => cpu::run(&options).await,
        Bench::List(options) => list::run(&options).await,
        Bench::Queue(options) => queue::run(&options).await,
        Bench::Streams(options) => streams::run(&options).await,
        Bench::Webhooks(options) => webhooks::run(&options).await,
        Bench::AxumBaseline { folder } => http::axum_baseline::serve(&folder).await,
        Bench::EngineDiarization(run) => engines::diarization::run(&run),
        Bench::EngineLanguage(run) => engines::language::run(&run),
        Bench::EngineSpeech(run) => engines::speech::run(&run),
        Bench::EngineText(run) => engines::text::run(&run),
        Bench::ClientBaseline(target) => webhooks::client_baseline::send_forever(&target).await,
    }
}
