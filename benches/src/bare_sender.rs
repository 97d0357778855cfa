//! The bare sender: the HTTP client in a process of its own, as the server is one, sending the same request over and over.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::Context;
use reqwest::{Certificate, Client};
use tokio::task::JoinSet;

use crate::tls_receiver::TlsReceiver;

const BODY: &str = "body.json";

/// The process, from the side of the bench; it sends until it is dropped.
pub(crate) struct BareSender(Child);

impl BareSender {
    pub(crate) fn start(receiver: &TlsReceiver, body: &str, folder: &Path) -> anyhow::Result<Self> {
        let file = folder.join(BODY);
        std::fs::write(&file, body)?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("sender").arg(receiver.url()).arg(receiver.authority()).arg(file);
        Ok(Self(command.stdin(Stdio::null()).spawn()?))
    }
}

impl Drop for BareSender {
    fn drop(&mut self) {
        // It may have ended already; either way it is gone afterwards.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What the process is told.
pub(crate) struct Orders {
    pub(crate) url: String,
    pub(crate) authority: PathBuf,
    pub(crate) body: PathBuf,
}

impl Orders {
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut next = |what| words.next().with_context(|| format!("the sender needs {what}"));
        Ok(Self {
            url: next("an address")?,
            authority: next("an authority")?.into(),
            body: next("a body")?.into(),
        })
    }

    /// The process itself: so many loops that do nothing else, until it is killed.
    pub(crate) async fn follow(&self, loops: usize) -> anyhow::Result<()> {
        let authority = Certificate::from_pem(&std::fs::read(&self.authority)?)?;
        let client = Client::builder().no_proxy().tls_certs_merge([authority]).build()?;
        let body = std::fs::read_to_string(&self.body)?;
        let mut senders = JoinSet::new();
        for _ in 0..loops {
            senders.spawn(send(client.clone(), self.url.clone(), body.clone()));
        }
        // They end only where the receiver is gone.
        senders.join_next().await.context("no loop at all")??
    }
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
