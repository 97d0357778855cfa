//! Benchmarks of the real server beside bare parts of it: `scripts/bench` builds and runs this.

mod api;
mod bare;
mod bare_sender;
mod captured;
mod database;
mod fill;
mod home;
mod http_work;
mod list;
mod list_report;
mod load;
mod options;
mod queue;
mod report;
mod server;
mod sql;
mod sql_baseline;
mod sql_work;
mod streams;
mod tls_receiver;
mod webhooks;
mod webhooks_report;

use std::process::ExitCode;

use options::Bench;

#[tokio::main]
async fn main() -> ExitCode {
    // An interrupted bench is dropped, and with it go its servers, its folders and its databases.
    let outcome = tokio::select! {
        outcome = run() => outcome,
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

async fn run() -> anyhow::Result<()> {
    match options::read(std::env::args().skip(1))? {
        Bench::Api(options) => api::run(&options).await,
        Bench::List(options) => list::run(&options).await,
        Bench::Queue(options) => queue::run(&options).await,
        Bench::Streams(options) => streams::run(&options).await,
        Bench::Webhooks(options) => webhooks::run(&options).await,
        Bench::Bare { folder } => bare::serve(&folder).await,
        Bench::Sender(orders) => orders.follow(webhooks::AT_ONCE).await,
    }
}
