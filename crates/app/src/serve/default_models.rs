//! Starts the installation of the default models in the background, while the service already answers.

use auris_service::operator::{DefaultModels, ThisNode};
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::progress_bar::PullBars;

/// Starts to install the default models that are missing, if the configuration allows it, and to measure speech models
/// whose speed is not known, until `stop`. A failure is only logged.
pub(super) fn install(config: &Config, node: &ThisNode, stop: &CancellationToken) {
    if !config.models.pull {
        return;
    }
    let models = DefaultModels::of(node.clone());
    let stop = stop.clone();
    tokio::spawn(stop.clone().run_until_cancelled_owned(async move {
        models.install_missing(PullBars::default).await;
        models.measure_new(stop).await;
    }));
}

/// The model in the example of a first request.
pub(super) fn first_to_try(config: &Config, node: &ThisNode) -> String {
    let first = DefaultModels::of(node.clone()).first_to_try(config.models.pull);
    first.unwrap_or_else(|| "MODEL".into())
}
