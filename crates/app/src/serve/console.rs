//! The console of a server: where it is served, with what, and the link of the first start.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::sync::Arc;

use auris_api::{ConsoleParts, Setting, Surface};
use auris_service::operator::doctor;
use auris_service::operator::{Operator, OverviewSource};

use super::Process;
use crate::cli::Role;
use crate::config::{Config, SettingInForce};
use crate::wiring;

/// What the server's own address serves.
pub(super) fn main_surface(role: Role, config: &Config) -> Surface {
    match role {
        Role::Worker => Surface::Health,
        Role::All | Role::Api if config.console.enabled && config.console.listen.is_none() => Surface::Whole,
        Role::All | Role::Api => Surface::WithoutConsole,
    }
}

/// The second address, if the console has a separate one.
pub(super) fn own_address(role: Role, config: &Config) -> Option<&str> {
    match role {
        Role::Worker => None,
        Role::All | Role::Api => config.console.listen.as_deref().filter(|_| config.console.enabled),
    }
}

/// What the console needs. `address` is that of the server.
pub(super) fn parts(
    process: &Process,
    overview: OverviewSource,
    address: SocketAddr,
) -> anyhow::Result<ConsoleParts> {
    let config = Arc::clone(&process.config);
    let settings = config.in_force.iter().cloned();
    let settings = settings.map(|SettingInForce { name, value, source }| Setting { name, value, source });
    Ok(ConsoleParts {
        operator: wiring::operator_of(&process.store),
        overview,
        settings: settings.collect(),
        is_https: config.console.is_https(),
        api_public_url: config.public_url.clone(),
        api_address: own_address(process.role, &config).map(|_| address),
        examine: Arc::new(move || {
            let config = Arc::clone(&config);
            Box::pin(async move {
                let installation = wiring::installation(&config).await;
                let report = doctor::examine(&installation).await;
                installation.close().await;
                report
            })
        }),
    })
}

/// A sign-in link for the terminal of the first start. In a log it would be a secret, so it is printed nowhere else.
pub(super) async fn first_link(
    config: &Config,
    operator: &Operator,
    address: &str,
) -> anyhow::Result<Option<String>> {
    if !config.console.enabled || !std::io::stdout().is_terminal() {
        return Ok(None);
    }
    let address = config.console.listen.as_deref().unwrap_or(address);
    let secret = operator.create_sign_in_link().await?;
    Ok(Some(config.console.sign_in_url(address, secret.reveal())))
}
