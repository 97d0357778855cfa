//! `auris webhooks`.

mod show;

use anyhow::{Context, bail};
use auris_domain::id::{DeliveryId, EndpointId};
use auris_domain::project::Project;
use auris_domain::time::Clock;
use auris_domain::webhook::EndpointStatus;
use auris_service::webhooks::secrets::{Previous, WebhookSecrets};
use auris_service::webhooks::{self, Trial};
use auris_store::{DeliveryFilter, DeliveryStatus, Store};
use serde_json::json;

use super::{print, print_json, table};
use crate::cli::webhooks::{StatusName, Webhooks};
use crate::config::Config;
use crate::{data, master_key};

pub(crate) async fn run(command: Webhooks, config: &Config) -> anyhow::Result<()> {
    let store = data::open_store(config).await?;
    let desk = Desk { config, store };
    match command {
        Webhooks::List { project, json } => desk.list(&project, json).await,
        Webhooks::Deliveries { id: Some(id), project, json, .. } => desk.delivery(&id, &project, json).await,
        Webhooks::Deliveries { id: None, project, status, job, endpoint, limit, json } => {
            let filter = filter(status, job.as_deref(), endpoint.as_deref())?;
            desk.deliveries(&project, &filter, limit, json).await
        }
        Webhooks::Resend { ids, failed: false, project, json } => desk.resend(&ids, &project, json).await,
        Webhooks::Resend { failed: true, project, json, .. } => desk.resend_failed(&project, json).await,
        Webhooks::Test { target, project, json } => desk.test(&target, &project, json).await,
        Webhooks::Secret { project } => desk.secret(&project).await,
        Webhooks::Rotate { endpoint, now, project } => desk.rotate(endpoint.as_deref(), now, &project).await,
        Webhooks::Enable { endpoint, project, json } => desk.enable(&endpoint, &project, json).await,
        Webhooks::Reseal { new_key, forget_old, json } => desk.reseal(new_key, forget_old, json).await,
    }
}

/// What the commands work with.
struct Desk<'a> {
    config: &'a Config,
    store: Store,
}

impl Desk<'_> {
    async fn list(&self, project: &str, as_json: bool) -> anyhow::Result<()> {
        let project = self.project(project).await?;
        let endpoints = self.store.endpoint_details(&project.id).await?;
        if as_json {
            return print_json(&endpoints.iter().map(show::endpoint_record).collect());
        }
        let rows: Vec<Vec<String>> = endpoints.iter().map(show::endpoint_row).collect();
        print(&table::render(&["ID", "STATUS", "URL", "CREATED", "NOTE"], &rows))
    }

    async fn deliveries(
        &self,
        project: &str,
        filter: &DeliveryFilter,
        limit: u32,
        as_json: bool,
    ) -> anyhow::Result<()> {
        let project = self.project(project).await?;
        let deliveries = self.store.deliveries(&project.id, filter, limit).await?;
        let mut last = Vec::with_capacity(deliveries.len());
        for delivery in &deliveries {
            last.push(self.store.last_attempt(&delivery.id).await?);
        }
        let both = deliveries.iter().zip(&last);
        if as_json {
            let record = |(delivery, last)| show::delivery_record(delivery, Option::as_slice(last));
            return print_json(&both.map(record).collect());
        }
        let now = Clock::System.now();
        let rows: Vec<Vec<String>> =
            both.map(|(delivery, last)| show::delivery_row(delivery, last.as_ref(), now)).collect();
        print(&table::render(&["ID", "STATUS", "ATTEMPTS", "LAST ANSWER", "NEXT", "JOB", "URL"], &rows))
    }

    async fn delivery(&self, id: &str, project: &str, as_json: bool) -> anyhow::Result<()> {
        let (id, project) = (delivery_id(id)?, self.project(project).await?);
        let delivery = self.store.delivery(&project.id, &id).await?;
        let delivery = delivery.with_context(|| no_delivery(&project, &id))?;
        let attempts = self.store.attempts(&id).await?;
        if as_json {
            return print_json(&show::delivery_record(&delivery, &attempts));
        }
        print(&show::delivery_text(&delivery, &attempts, Clock::System.now()))
    }

    async fn resend(&self, ids: &[String], project: &str, as_json: bool) -> anyhow::Result<()> {
        let project = self.project(project).await?;
        let ids: anyhow::Result<Vec<DeliveryId>> = ids.iter().map(|id| delivery_id(id)).collect();
        let ids = ids?;
        for id in &ids {
            self.refuse_unheard(&project, id).await?;
            if !self.store.resend_delivery(&project.id, id, Clock::System.now()).await? {
                bail!(no_delivery(&project, id));
            }
        }
        told_resent(ids.len() as u64, as_json)
    }

    /// An endpoint that is disabled or gone would hear nothing.
    async fn refuse_unheard(&self, project: &Project, id: &DeliveryId) -> anyhow::Result<()> {
        let delivery = self.store.delivery(&project.id, id).await?;
        let Some(endpoint) = delivery.and_then(|delivery| delivery.endpoint_id) else {
            return Ok(());
        };
        let endpoints = self.store.endpoints(&project.id).await?;
        match endpoints.iter().find(|known| known.id == endpoint).map(|known| known.status) {
            Some(EndpointStatus::Enabled) => Ok(()),
            Some(EndpointStatus::Disabled) => {
                bail!("its endpoint is disabled; `auris webhooks enable {endpoint}` first")
            }
            None => bail!("its endpoint {endpoint} was deleted"),
        }
    }

    async fn resend_failed(&self, project: &str, as_json: bool) -> anyhow::Result<()> {
        let project = self.project(project).await?;
        let count = self.store.resend_failed(&project.id, Clock::System.now()).await?;
        told_resent(count, as_json)
    }

    async fn test(&self, target: &str, project: &str, as_json: bool) -> anyhow::Result<()> {
        let project = self.project(project).await?;
        let (url, signing) = match target.parse::<EndpointId>() {
            Ok(id) => {
                let endpoints = self.store.endpoints(&project.id).await?;
                let endpoint = endpoints.into_iter().find(|endpoint| endpoint.id == id);
                let endpoint = endpoint.with_context(|| no_endpoint(&project, &id))?;
                let signing = self.secrets()?.of_endpoint_id(&id).await?;
                (endpoint.url, signing.with_context(|| no_endpoint(&project, &id))?)
            }
            Err(_) if target.starts_with("https://") || target.starts_with("http://") => {
                (target.to_owned(), self.secrets()?.of_project(&project.id).await?)
            }
            Err(_) => bail!(
                "`{target}` is no address that begins with `https://` or `http://`, and no endpoint's id; \
                 `auris webhooks list` shows those"
            ),
        };
        let client = webhooks::client(&self.config.service.webhooks)?;
        let trial = webhooks::try_out(&client, &url, &signing, &Clock::System).await;
        if as_json {
            print_json(&show::trial_record(&trial))?
        } else {
            print(&show::trial_text(&trial))?
        }
        verdict_of(&trial)
    }

    async fn secret(&self, project: &str) -> anyhow::Result<()> {
        let project = self.project(project).await?;
        let secrets = self.secrets()?.of_project(&project.id).await?;
        print(&secrets.first().context("a project has a secret")?.reveal())
    }

    async fn rotate(&self, endpoint: Option<&str>, now: bool, project: &str) -> anyhow::Result<()> {
        let project = self.project(project).await?;
        let previous = if now { Previous::Dropped } else { Previous::SignsForADay };
        let secret = match endpoint {
            Some(text) => {
                let id = endpoint_id(text)?;
                let secret = self.secrets()?.rotate_endpoint(&project.id, &id, previous).await?;
                secret.with_context(|| no_endpoint(&project, &id))?
            }
            None => self.secrets()?.rotate_project(&project.id, previous).await?,
        };
        print(&secret.reveal())
    }

    async fn enable(&self, endpoint: &str, project: &str, as_json: bool) -> anyhow::Result<()> {
        let (id, project) = (endpoint_id(endpoint)?, self.project(project).await?);
        if !self.store.enable_endpoint(&project.id, &id).await? {
            bail!(no_endpoint(&project, &id));
        }
        if as_json {
            return print_json(&json!({"id": id, "status": "enabled"}));
        }
        print(&format!("enabled {id}"))
    }

    async fn reseal(&self, new_key: bool, forget_old: bool, as_json: bool) -> anyhow::Result<()> {
        if new_key {
            master_key::renew(self.config)?;
        }
        let resealed = self.secrets()?.reseal().await.context("nothing was forgotten")?;
        let forgotten = if forget_old { master_key::forget_old(self.config)? } else { 0 };
        if as_json {
            return print_json(&json!({"resealed": resealed, "forgotten_keys": forgotten}));
        }
        print(&format!("sealed {resealed} secrets anew, forgot {forgotten} old keys"))
    }

    async fn project(&self, name: &str) -> anyhow::Result<Project> {
        data::project(&self.store, name, Clock::System.now()).await
    }

    fn secrets(&self) -> anyhow::Result<WebhookSecrets> {
        Ok(WebhookSecrets::new(self.store.clone(), master_key::load(self.config)?, Clock::System))
    }
}

fn filter(
    status: Option<StatusName>,
    job: Option<&str>,
    endpoint: Option<&str>,
) -> anyhow::Result<DeliveryFilter> {
    Ok(DeliveryFilter {
        status: status.map(|status| match status {
            StatusName::Pending => DeliveryStatus::Pending,
            StatusName::Delivered => DeliveryStatus::Delivered,
            StatusName::Failed => DeliveryStatus::Failed,
        }),
        job: job.map(|text| text.parse().with_context(|| format!("`{text}` is no job id"))).transpose()?,
        endpoint: endpoint.map(endpoint_id).transpose()?,
    })
}

fn told_resent(count: u64, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        return print_json(&json!({"resent": count}));
    }
    print(&format!("{count} to be sent again; `auris webhooks deliveries` shows what becomes of them"))
}

fn verdict_of(trial: &Trial) -> anyhow::Result<()> {
    if trial.succeeded() {
        return Ok(());
    }
    match &trial.outcome {
        Ok(reply) => bail!("the receiver answered {}; only 2xx is success", reply.status),
        Err(error) => bail!("the receiver was not reached: {error}"),
    }
}

fn delivery_id(text: &str) -> anyhow::Result<DeliveryId> {
    text.parse()
        .with_context(|| format!("`{text}` is no delivery id; `auris webhooks deliveries` shows them"))
}

fn endpoint_id(text: &str) -> anyhow::Result<EndpointId> {
    text.parse().with_context(|| format!("`{text}` is no endpoint id; `auris webhooks list` shows them"))
}

fn no_delivery(project: &Project, id: &DeliveryId) -> String {
    format!("the project `{}` has no delivery `{id}`; `auris webhooks deliveries` shows them", project.name)
}

fn no_endpoint(project: &Project, id: &EndpointId) -> String {
    format!("the project `{}` has no endpoint `{id}`; `auris webhooks list` shows them", project.name)
}
