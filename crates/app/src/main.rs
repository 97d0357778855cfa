//! The `auris` binary: reads the command line and does what it says.

mod cli;
mod commands;
mod config;
mod data;
mod engines;
mod master_key;
mod serve;
mod telemetry;
mod threads;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use cli::{Cli, Command, Global};
use config::Config;

/// The process was told to stop by Ctrl-C.
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
    threads::tell(config.engines.threads);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let code = runtime.block_on(dispatch(cli.command, &cli.global, config));
    // Blocking engine work that nobody waits for must not hold the process back.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    code
}

async fn dispatch(command: Command, global: &Global, config: Config) -> anyhow::Result<ExitCode> {
    match command {
        Command::Serve { listen, role } => {
            telemetry::start_logs(&config, global)?;
            let interrupted = serve::run(config, listen, role).await?;
            return Ok(if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS });
        }
        Command::Transcribe(words) => {
            let interrupted = commands::transcribe::run(words, &config).await?;
            return Ok(if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS });
        }
        Command::Analyze(words) => {
            let interrupted = commands::analyze::run(words, &config).await?;
            return Ok(if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS });
        }
        Command::Models(command) => commands::models::run(command, &config).await?,
        Command::Keys(command) => commands::keys::run(command, &config).await?,
        Command::Projects(command) => commands::projects::run(command, &config).await?,
        Command::Migrate { json } => commands::migrate::run(json, &config).await?,
        Command::Doctor { json } => commands::doctor::run(json, &config).await?,
        Command::Export { file, live, json } => {
            commands::transfer::export(&file, live, json, &config).await?
        }
        Command::Import { file, json } => commands::transfer::import(&file, json, &config).await?,
        Command::Webhooks(command) => commands::webhooks::run(command, &config).await?,
        Command::Completions { .. } => {}
    }
    Ok(ExitCode::SUCCESS)
}
