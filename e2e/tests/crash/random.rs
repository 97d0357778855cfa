//! A server that is killed again and again at random moments while jobs run.

use std::time::{Duration, Instant};

use auris_e2e::{Client, DatabaseKind, Dice, Server, both_databases, count_from_environment};

use crate::workload::{Workload, everything_ended_well, options, start};

both_databases! {
    async fn soak_heavy_nothing_is_lost_or_doubled_by_a_hundred_kills(database: DatabaseKind) {
        let mut server = start(options(database)).await;
        let client = server.client();
        let mut workload = Workload::new(&client).await;
        let mut dice = Dice::new("kills");
        let mut accepted = Vec::new();
        for _ in 0..count_from_environment("AURIS_SOAK_KILLS", 100) {
            let client = server.reconnect(&client);
            let life = Duration::from_millis(dice.below(250) as u64);
            accepted.extend(work_for(life, &client, &mut workload).await);
            server.kill();
            start_again(&mut server, &mut dice).await;
        }
        let client = server.reconnect(&client);
        let tally = everything_ended_well(&server, &client, &accepted).await;
        eprintln!("{} accepted, {tally:?}", accepted.len());
        assert!(tally.completed > 0);
    }
}

async fn work_for(life: Duration, client: &Client, workload: &mut Workload) -> Vec<String> {
    let started = Instant::now();
    let mut accepted = Vec::new();
    while started.elapsed() < life {
        let reply = tokio::time::timeout(life, workload.send(client)).await;
        if let Ok(Some(reply)) = reply {
            accepted.push(reply.expect_status(202).id());
        }
    }
    accepted
}

// Now and then it is killed again before it listens.
async fn start_again(server: &mut Server, dice: &mut Dice) {
    if dice.below(5) == 0 {
        server.spawn();
        let startup = Duration::from_millis(dice.below(60) as u64);
        let _ = tokio::time::timeout(startup, server.listening()).await;
        server.kill();
    }
    server.restart().await;
}
