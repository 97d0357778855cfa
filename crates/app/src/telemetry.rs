//! Logs and metrics of a running service.

mod error_layer;

use std::io::IsTerminal;
use std::sync::Arc;

use anyhow::Context;
use auris_api::RenderMetrics;
use auris_service::operator::RecentErrors;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, fmt};

use self::error_layer::ErrorLayer;
use crate::cli::Global;
use crate::config::{Config, LogFormat};

/// Histogram buckets in seconds, from a cached read to a long transcription.
const BUCKETS: [f64; 12] = [0.001, 0.005, 0.02, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0, 300.0, 1800.0];

/// Writes one line per event to standard error, and keeps the last errors for the console.
pub(crate) fn start_logs(config: &Config, global: &Global) -> anyhow::Result<()> {
    let level = match (global.quiet, global.verbose) {
        (true, _) => "warn",
        (false, true) => "debug",
        (false, false) => &config.log_level,
    };
    let filter =
        EnvFilter::try_new(format!("{level},sqlx=warn,hyper=warn,h2=warn,rustls=warn,symphonia=off"))
            .context("the setting `logs.level`")?;
    let terminal = std::io::stderr().is_terminal();
    let kept = tracing_subscriber::registry().with(filter).with(ErrorLayer(RecentErrors::of_process()));
    let json = match config.log_format {
        LogFormat::Json => true,
        LogFormat::Text => false,
        LogFormat::Auto => !terminal,
    };
    if json {
        kept.with(fmt::layer().json().flatten_event(true).with_writer(std::io::stderr)).init();
    } else {
        let plain = global.no_color || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let lines = fmt::layer().with_writer(std::io::stderr).with_ansi(terminal && !plain);
        kept.with(lines.with_target(false)).init();
    }
    Ok(())
}

/// Starts to collect metrics. The result renders them.
pub(crate) fn start_metrics() -> anyhow::Result<RenderMetrics> {
    let handle = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), &BUCKETS)?
        .install_recorder()
        .context("cannot start to collect metrics")?;
    Ok(Arc::new(move || handle.render()))
}
