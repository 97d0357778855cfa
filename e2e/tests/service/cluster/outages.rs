//! Three nodes, their database, their object store, the connections between them, and outages of each.

use std::time::Duration;

use auris_e2e::infrastructure::{PostgresServer, S3Server, TcpProxy};
use auris_e2e::settings::{LEASE_SECONDS, SWEEP_SECONDS};
use auris_e2e::{DatabaseKind, SeededRandom, Server, ServerOptions};
use tokio::sync::watch;

const NODES: usize = 3;

pub(crate) struct Cluster {
    pub(crate) postgres: PostgresServer,
    s3: S3Server,
    to_postgres: TcpProxy,
    to_s3: TcpProxy,
    pub(crate) nodes: Vec<Server>,
    addresses: watch::Sender<Vec<String>>,
    pub(crate) outages: Tally,
}

/// How often each outage happened.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    nodes: usize,
    databases: usize,
    stores: usize,
    paused: usize,
    cut: usize,
}

impl Tally {
    /// Processes that were killed.
    pub(crate) fn kills(&self) -> usize {
        self.nodes + self.databases + self.stores
    }

    /// Outages of connections.
    pub(crate) fn faults(&self) -> usize {
        self.paused + self.cut
    }
}

impl Cluster {
    pub(crate) async fn start(settings: &[(&str, String)]) -> Self {
        let (postgres, s3) = tokio::join!(PostgresServer::start(), S3Server::start());
        let to_postgres = TcpProxy::to(postgres.address()).await;
        let to_s3 = TcpProxy::to(s3.address()).await;
        let mut options =
            ServerOptions::new(DatabaseKind::Postgres).with(LEASE_SECONDS, 5).with(SWEEP_SECONDS, 2);
        for (name, value) in settings {
            options = options.with(name, value);
        }
        let store = s3.store().at(&format!("http://{}", to_s3.address()));
        let mut first = options.prepare_beside(postgres.url(to_postgres.address()), store);
        first.restart().await;
        let mut nodes = vec![first];
        while nodes.len() < NODES {
            let mut node = nodes[0].unstarted_node();
            node.restart().await;
            nodes.push(node);
        }
        let addresses = watch::Sender::new(nodes.iter().map(Server::base).collect());
        Self { postgres, s3, to_postgres, to_s3, nodes, addresses, outages: Tally::default() }
    }

    pub(crate) fn addresses(&self) -> watch::Receiver<Vec<String>> {
        self.addresses.subscribe()
    }

    /// Causes one outage and repairs it.
    pub(crate) async fn outage(&mut self, random: &mut SeededRandom) {
        let duration = Duration::from_millis(100 + random.below(2_500) as u64);
        match random.below(20) {
            0..10 => self.lose_node(random.below(NODES), duration).await,
            10..13 => {
                self.outages.databases += 1;
                self.postgres.kill();
                tokio::time::sleep(duration).await;
                self.postgres.restart().await;
            }
            13..16 => {
                self.outages.stores += 1;
                self.s3.kill();
                tokio::time::sleep(duration).await;
                self.s3.restart().await;
            }
            16..18 => {
                self.outages.paused += 1;
                self.to_postgres.pause(duration).await;
            }
            18 => {
                self.outages.paused += 1;
                self.to_s3.pause(duration).await;
            }
            _ => {
                self.outages.cut += 1;
                self.to_postgres.cut();
                self.to_s3.cut();
            }
        }
    }

    async fn lose_node(&mut self, index: usize, duration: Duration) {
        self.outages.nodes += 1;
        self.nodes[index].kill();
        tokio::time::sleep(duration / 4).await;
        self.nodes[index].restart().await;
        self.addresses.send_replace(self.nodes.iter().map(Server::base).collect());
    }
}
