//! The `auris` binary: parses the command line and runs the command.

mod allocator;
mod cli;
mod commands;
mod config;
mod folders;
mod master_key;
mod model_setup;
mod progress_bar;
mod serve;
mod telemetry;
mod wiring;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use cli::{Cli, Command, Global};
use config::Config;

/// The exit code after Ctrl-C.
const INTERRUPTED: u8 = 130;

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
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let code = runtime.block_on(dispatch(cli.command, &cli.global, config));
    // Engine work that was cancelled may still run on a blocking thread; the process does not wait for it.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    code
}

async fn dispatch(command: Command, global: &Global, config: Config) -> anyhow::Result<ExitCode> {
    match command {
        Command::Serve { listen, role } => {
            telemetry::start_logs(&config, global)?;
            allocator::return_freed_memory()?;
            let interrupted = serve::run(config, listen, role).await?;
            return Ok(if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS });
        }
        Command::Transcribe(args) => {
            let interrupted = commands::transcribe::run(args, &config).await?;
            return Ok(if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS });
        }
        Command::Analyze(args) => {
            let interrupted = commands::analyze::run(args, &config).await?;
            return Ok(if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS });
        }
        Command::Evaluate(args) => {
            let interrupted = commands::evaluate::run(args, &config).await?;
            return Ok(if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS });
        }
        Command::Models(command) => {
            let interrupted = commands::models::run(command, &config).await?;
            return Ok(if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS });
        }
        Command::Keys(command) => commands::keys::run(command, &config).await?,
        Command::Console { json } => commands::console::run(json, &config).await?,
        Command::Operator(command) => commands::operator::run(command, &config).await?,
        Command::Projects(command) => commands::projects::run(command, &config).await?,
        Command::Migrate { json } => commands::migrate::run(json, &config).await?,
        Command::Doctor { adopt_blobs, json } => commands::doctor::run(adopt_blobs, json, &config).await?,
        Command::Export { file, live, json } => commands::export::run(&file, live, json, &config).await?,
        Command::Import { file, json } => commands::import::run(&file, json, &config).await?,
        Command::Webhooks(command) => commands::webhooks::run(command, &config).await?,
        Command::Completions { .. } => {}
    }
    Ok(ExitCode::SUCCESS)
}
