//! The settings of webhooks.

use std::time::Duration;

use anyhow::Context;
use auris_service::WebhookSettings;
use auris_service::webhooks::guard::parse_network;
use serde::Deserialize;

use super::values::{at_least, given};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawWebhooks {
    deliver: bool,
    allowed_networks: Vec<String>,
    ca_file: String,
    timeout_seconds: u64,
    connect_timeout_seconds: u64,
    concurrency: usize,
    per_endpoint: usize,
}

impl RawWebhooks {
    pub(super) fn checked(&self) -> anyhow::Result<WebhookSettings> {
        at_least("webhooks.timeout_seconds", self.timeout_seconds, 1)?;
        at_least("webhooks.connect_timeout_seconds", self.connect_timeout_seconds, 1)?;
        at_least("webhooks.concurrency", self.concurrency as u64, 1)?;
        at_least("webhooks.per_endpoint", self.per_endpoint as u64, 1)?;
        let networks = self.allowed_networks.iter().map(|text| {
            let wrong = || format!("the setting `webhooks.allowed_networks` contains `{text}`, which is not a network; write it as 10.0.0.0/8 or fd00::/8");
            parse_network(text).with_context(wrong)
        });
        let certificates = given(&self.ca_file).map(|path| {
            let wrong = || format!("the setting `webhooks.ca_file`: cannot read `{}`", path.display());
            std::fs::read(&path).with_context(wrong)
        });
        Ok(WebhookSettings {
            deliver: self.deliver,
            allowed_networks: networks.collect::<anyhow::Result<_>>()?,
            extra_certificates: certificates.transpose()?,
            timeout: Duration::from_secs(self.timeout_seconds),
            connect_timeout: Duration::from_secs(self.connect_timeout_seconds),
            concurrency: self.concurrency,
            per_endpoint: self.per_endpoint,
        })
    }
}
