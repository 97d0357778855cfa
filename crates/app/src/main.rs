//! The `auris` binary: parses the command line and runs the command.

mod allocator;
mod cli;
mod commands;
mod config;
mod model_setup;
mod progress_bar;
mod serve;
mod telemetry;
mod wiring;

use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory, Parser};

use cli::{Cli, Command, Global};
use config::Config;

/// The exit code after Ctrl-C.
const INTERRUPTED: u8 = 130;
/// How long a thread for blocking work stays without work. Short, because the allocator returns what such a thread freed
/// only when the thread ends.
const IDLE_THREAD: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("auris: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    if let Command::Completions { shell } = cli.command {
        clap_complete::generate(shell, &mut Cli::command(), "auris", &mut std::io::stdout());
        return Ok(ExitCode::SUCCESS);
    }
    let config = Config::load(cli.global.data.as_deref(), cli.global.config.as_deref())?;
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.enable_all().thread_keep_alive(IDLE_THREAD).build()?;
    let code = runtime.block_on(dispatch(cli.command, &cli.global, config));
    // Engine work that was cancelled may still run on a blocking thread; the process does not wait for it.
    runtime.shutdown_timeout(Duration::from_secs(1));
    code
}

async fn dispatch(command: Command, global: &Global, config: Config) -> anyhow::Result<ExitCode> {
    let was_interrupted = match command {
        Command::Serve { listen, role } => {
            telemetry::start_logs(&config, global)?;
            allocator::return_freed_memory()?;
            serve::run(config, listen, role).await?
        }
        Command::Transcribe(args) => commands::transcribe::run(args, &config).await?,
        Command::Analyze(args) => commands::analyze::run(args, &config).await?,
        Command::Evaluate(args) => commands::evaluate::run(args, &config).await?,
        Command::Models(command) => commands::models::run(command, &config).await?,
        Command::Keys(command) => whole(commands::keys::run(command, &config)).await?,
        Command::Console { json } => whole(commands::console::run(json, &config)).await?,
        Command::Operator(command) => whole(commands::operator::run(command, &config)).await?,
        Command::Projects(command) => whole(commands::projects::run(command, &config)).await?,
        Command::Migrate { json } => whole(commands::migrate::run(json, &config)).await?,
        Command::Doctor { adopt_blobs, delete_orphans, json } => {
            let repairs = commands::doctor::Repairs { adopt_blobs, delete_orphans };
            whole(commands::doctor::run(repairs, json, &config)).await?
        }
        Command::Export { file, live, json } => {
            whole(commands::export::run(&file, live, json, &config)).await?
        }
        Command::Import { file, json } => whole(commands::import::run(&file, json, &config)).await?,
        Command::Webhooks(command) => whole(commands::webhooks::run(command, &config)).await?,
        Command::Completions { .. } => false,
    };
    Ok(if was_interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// A command that does not handle Ctrl-C itself: if it returns, it was not interrupted.
async fn whole(command: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<bool> {
    command.await.map(|()| false)
}
