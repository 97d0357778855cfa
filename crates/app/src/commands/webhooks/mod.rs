//! `auris webhooks`.

mod show;

use anyhow::{Context, bail};
use auris_domain::id::{DeliveryId, EndpointId, JobId};
use auris_service::operator::{DeliveryQuery, Operator, TestResult, TestTarget};
use auris_service::webhooks::secrets::Previous;
use serde_json::json;

use super::{print, print_json, table};
use crate::cli::webhooks::Webhooks;
use crate::config::Config;
use crate::wiring;

const ENDPOINT_HEADINGS: [&str; 5] = ["ID", "STATUS", "URL", "CREATED", "NOTE"];
const DELIVERY_HEADINGS: [&str; 7] = ["ID", "STATUS", "ATTEMPTS", "LAST ANSWER", "NEXT", "JOB", "URL"];

pub(crate) async fn run(command: Webhooks, config: &Config) -> anyhow::Result<()> {
    let commands = WebhookCommands { config, operator: wiring::operator(config).await? };
    match command {
        Webhooks::List { project, json } => commands.list(&project, json).await,
        Webhooks::Deliveries { id: Some(id), project, json, .. } => {
            commands.show_delivery(&id, &project, json).await
        }
        Webhooks::Deliveries { id: None, project, status, job, endpoint, limit, json } => {
            let query = DeliveryQuery {
                status,
                job: job.as_deref().map(job_id).transpose()?,
                endpoint: endpoint.as_deref().map(endpoint_id).transpose()?,
                limit,
                after: None,
            };
            commands.list_deliveries(&project, query, json).await
        }
        Webhooks::Resend { ids, failed, project, json } => {
            commands.resend(&ids, failed, &project, json).await
        }
        Webhooks::Test { target, project, json } => commands.test(&target, &project, json).await,
        Webhooks::Secret { project } => commands.show_secret(&project).await,
        Webhooks::Rotate { endpoint, now, project } => {
            commands.rotate(endpoint.as_deref(), now, &project).await
        }
        Webhooks::Enable { endpoint, project, json } => commands.enable(&endpoint, &project, json).await,
        Webhooks::Reseal { new_key, forget_old, json } => commands.reseal(new_key, forget_old, json).await,
    }
}

struct WebhookCommands<'a> {
    config: &'a Config,
    operator: Operator,
}

impl WebhookCommands<'_> {
    async fn list(&self, project: &str, as_json: bool) -> anyhow::Result<()> {
        let endpoints = self.operator.list_endpoints(project).await?;
        if as_json {
            return print_json(&endpoints);
        }
        let rows: Vec<Vec<String>> = endpoints.iter().map(show::endpoint_row).collect();
        print(&table::render(&ENDPOINT_HEADINGS, &rows))
    }

    async fn list_deliveries(
        &self,
        project: &str,
        query: DeliveryQuery,
        as_json: bool,
    ) -> anyhow::Result<()> {
        let deliveries = self.operator.list_deliveries(project, query).await?.deliveries;
        if as_json {
            return print_json(&deliveries);
        }
        let rows: Vec<Vec<String>> = deliveries.iter().map(show::delivery_row).collect();
        print(&table::render(&DELIVERY_HEADINGS, &rows))
    }

    async fn show_delivery(&self, id: &str, project: &str, as_json: bool) -> anyhow::Result<()> {
        let delivery = self.operator.read_delivery(project, &delivery_id(id)?).await?;
        if as_json { print_json(&delivery) } else { print(&show::delivery_text(&delivery)) }
    }

    async fn resend(&self, ids: &[String], failed: bool, project: &str, as_json: bool) -> anyhow::Result<()> {
        let resent = if failed {
            self.operator.resend_failed_deliveries(project).await?
        } else {
            let ids: anyhow::Result<Vec<DeliveryId>> = ids.iter().map(|id| delivery_id(id)).collect();
            self.operator.resend_deliveries(project, &ids?).await?
        };
        if as_json {
            return print_json(&json!({"resent": resent}));
        }
        print(&format!(
            "{resent} deliveries will be sent again; follow them with `auris webhooks deliveries`"
        ))
    }

    async fn test(&self, target: &str, project: &str, as_json: bool) -> anyhow::Result<()> {
        let target = test_target(target)?;
        let keys = wiring::master_keys(self.config)?.load()?;
        let settings = &self.config.service.webhooks;
        let result = self.operator.test_webhook(project, target, settings, &keys).await?;
        if as_json {
            print_json(&result)?;
        } else {
            print(&show::test_text(&result))?;
        }
        check_success(&result)
    }

    async fn show_secret(&self, project: &str) -> anyhow::Result<()> {
        print(&self.operator.project_secret(project, &wiring::master_keys(self.config)?.load()?).await?)
    }

    async fn rotate(&self, endpoint: Option<&str>, now: bool, project: &str) -> anyhow::Result<()> {
        let previous = if now { Previous::Dropped } else { Previous::SignsForADay };
        let keys = wiring::master_keys(self.config)?.load()?;
        let secret = match endpoint {
            Some(text) => {
                let id = endpoint_id(text)?;
                self.operator.rotate_endpoint_secret(project, &id, previous, &keys).await?
            }
            None => self.operator.rotate_project_secret(project, previous, &keys).await?,
        };
        print(&secret)
    }

    async fn enable(&self, endpoint: &str, project: &str, as_json: bool) -> anyhow::Result<()> {
        let id = endpoint_id(endpoint)?;
        self.operator.enable_endpoint(project, &id).await?;
        if as_json {
            return print_json(&json!({"id": id, "status": "enabled"}));
        }
        print(&format!("enabled {id}"))
    }

    async fn reseal(&self, new_key: bool, forget_old: bool, as_json: bool) -> anyhow::Result<()> {
        let source = wiring::master_keys(self.config)?;
        if new_key {
            source.create_new()?;
        }
        let keys = source.load()?;
        let resealed = self.operator.reseal_secrets(&keys).await.context("no old key was removed")?.resealed;
        let forgotten = if forget_old { source.forget_old()? } else { 0 };
        if as_json {
            return print_json(&json!({"resealed": resealed, "forgotten_keys": forgotten}));
        }
        print(&format!("re-encrypted {resealed} secrets, removed {forgotten} old keys"))
    }
}

/// A URL or the id of an endpoint.
fn test_target(text: &str) -> anyhow::Result<TestTarget> {
    if let Ok(id) = text.parse::<EndpointId>() {
        return Ok(TestTarget::Endpoint(id));
    }
    if text.starts_with("https://") || text.starts_with("http://") {
        return Ok(TestTarget::Url(text.to_owned()));
    }
    bail!(
        "`{text}` is neither a URL that starts with `https://` or `http://` nor the id of an endpoint; \
         `auris webhooks list` lists the endpoints"
    )
}

fn check_success(result: &TestResult) -> anyhow::Result<()> {
    match (result.success, result.status, &result.error) {
        (true, _, _) => Ok(()),
        (false, Some(status), _) => bail!("the receiver answered {status}; only 2xx counts as success"),
        (false, None, Some(error)) => bail!("cannot reach the receiver: {error}"),
        (false, None, None) => bail!("the receiver did not answer"),
    }
}

fn delivery_id(text: &str) -> anyhow::Result<DeliveryId> {
    let invalid =
        || format!("`{text}` is not the id of a delivery; `auris webhooks deliveries` lists the ids");
    text.parse().with_context(invalid)
}

fn endpoint_id(text: &str) -> anyhow::Result<EndpointId> {
    let invalid = || format!("`{text}` is not the id of an endpoint; `auris webhooks list` lists the ids");
    text.parse().with_context(invalid)
}

fn job_id(text: &str) -> anyhow::Result<JobId> {
    text.parse().with_context(|| format!("`{text}` is not the id of a job"))
}
