//! Three nodes, their database, their object store and the wires between, and what can happen to each.

use std::time::Duration;

use auris_e2e::machines::{OwnPostgres, OwnS3, Wire};
use auris_e2e::settings::{LEASE_SECONDS, SWEEP_SECONDS};
use auris_e2e::{DatabaseKind, Dice, Server, ServerOptions};
use tokio::sync::watch;

const NODES: usize = 3;

pub(crate) struct Machines {
    pub(crate) postgres: OwnPostgres,
    s3: OwnS3,
    to_postgres: Wire,
    to_s3: Wire,
    pub(crate) nodes: Vec<Server>,
    addresses: watch::Sender<Vec<String>>,
    pub(crate) told: Tally,
}

/// How often each thing happened.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    nodes: usize,
    databases: usize,
    stores: usize,
    held: usize,
    cut: usize,
}

impl Machines {
    pub(crate) async fn start(settings: &[(&str, String)]) -> Self {
        let (postgres, s3) = tokio::join!(OwnPostgres::start(), OwnS3::start());
        let to_postgres = Wire::to(postgres.address()).await;
        let to_s3 = Wire::to(s3.address()).await;
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
        Self { postgres, s3, to_postgres, to_s3, nodes, addresses, told: Tally::default() }
    }

    pub(crate) fn addresses(&self) -> watch::Receiver<Vec<String>> {
        self.addresses.subscribe()
    }

    /// One thing goes wrong, and is set right again.
    pub(crate) async fn disaster(&mut self, dice: &mut Dice) {
        let moment = Duration::from_millis(100 + dice.below(2_500) as u64);
        match dice.below(20) {
            0..10 => self.lose_node(dice.below(NODES), moment).await,
            10..13 => {
                self.told.databases += 1;
                self.postgres.kill();
                tokio::time::sleep(moment).await;
                self.postgres.restart().await;
            }
            13..16 => {
                self.told.stores += 1;
                self.s3.kill();
                tokio::time::sleep(moment).await;
                self.s3.restart().await;
            }
            16..18 => {
                self.told.held += 1;
                self.to_postgres.hold(moment).await;
            }
            18 => {
                self.told.held += 1;
                self.to_s3.hold(moment).await;
            }
            _ => {
                self.told.cut += 1;
                self.to_postgres.cut();
                self.to_s3.cut();
            }
        }
    }

    async fn lose_node(&mut self, index: usize, moment: Duration) {
        self.told.nodes += 1;
        self.nodes[index].kill();
        tokio::time::sleep(moment / 4).await;
        self.nodes[index].restart().await;
        self.addresses.send_replace(self.nodes.iter().map(Server::base).collect());
    }
}
