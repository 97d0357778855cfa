//! A bare HTTP client in a separate process that sends the same webhook request again and again.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::Context;
use clap::Args;
use reqwest::{Certificate, Client};
use tokio::task::JoinSet;

use super::DELIVERIES_AT_ONCE;
use super::tls_receiver::TlsReceiver;

const BODY: &str = "body.json";

/// The running process; killed when dropped.
pub(super) struct ClientBaseline(Child);

/// What the process sends, and where.
#[derive(Args)]
pub(crate) struct Target {
    url: String,
    /// The certificate authority to trust.
    authority: PathBuf,
    body: PathBuf,
}

impl ClientBaseline {
    pub(super) fn start(receiver: &TlsReceiver, body: &str, folder: &Path) -> anyhow::Result<Self> {
        let file = folder.join(BODY);
        std::fs::write(&file, body)?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("client-baseline").arg(receiver.url()).arg(receiver.authority()).arg(file);
        Ok(Self(command.stdin(Stdio::null()).spawn()?))
    }
}

impl Drop for ClientBaseline {
    fn drop(&mut self) {
        // Errors mean that the process has already ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs in the separate process: as many loops as the server has deliveries at once, until it is killed.
pub(crate) async fn send_forever(target: &Target) -> anyhow::Result<()> {
    let authority = Certificate::from_pem(&std::fs::read(&target.authority)?)?;
    auris_tls::use_ring();
    let client = Client::builder().no_proxy().tls_certs_merge([authority]).build()?;
    let body = std::fs::read_to_string(&target.body)?;
    let mut senders = JoinSet::new();
    for _ in 0..DELIVERIES_AT_ONCE {
        senders.spawn(send(client.clone(), target.url.clone(), body.clone()));
    }
    // A loop ends only when the receiver is gone.
    senders.join_next().await.context("at least one loop")??
}

async fn send(client: Client, url: String, body: String) -> anyhow::Result<()> {
    loop {
        let request = client.post(&url).header("content-type", "application/json");
        let request = request
            .header("webhook-id", "evt_0mwh2r9w8k3m5x7c1v6b")
            .header("webhook-timestamp", "1794701207");
        let signature = "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=";
        let request = request.header("webhook-signature", signature).body(body.clone());
        request.send().await?.error_for_status()?.bytes().await?;
    }
}
