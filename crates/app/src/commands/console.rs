//! `auris console`: a link that opens the web console.

use anyhow::bail;
use serde::Serialize;

use super::{print, print_json};
use crate::config::Config;
use crate::{serve, wiring};

#[derive(Serialize)]
struct Link {
    url: String,
    expires_in_seconds: i64,
}

pub(crate) async fn run(json: bool, config: &Config) -> anyhow::Result<()> {
    if !config.console.enabled {
        bail!("the console is off; set `console.enabled` to true and start the server again");
    }
    let running = serve::running_address(&config.data).await;
    if running.is_none() && config.console.public_url.is_none() {
        eprintln!(
            "auris: no server runs on this data folder; start it with `auris serve` before you open the link"
        );
    }
    let address = config.console.listen.clone().or(running).unwrap_or_else(|| config.listen.clone());
    let secret = wiring::operator(config).await?.create_sign_in_link().await?;
    let url = config.console.sign_in_url(&address, secret.reveal());
    match json {
        true => print_json(&Link { url, expires_in_seconds: auris_domain::session::LINK_SECONDS }),
        false => print(&url),
    }
}
