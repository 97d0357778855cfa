//! The server is killed again and again at random moments while jobs run.

use std::time::{Duration, Instant};

use auris_e2e::{
    Client, DatabaseKind, SeededRandom, Server, WebhookReceiver, both_databases, count_from_environment,
};

use super::workload::{
    Workload, check_all_jobs, delivering_options, every_transcription_is_delivered, start,
};

both_databases! {
    async fn soak_heavy_a_hundred_kills_lose_nothing_and_repeat_nothing(database: DatabaseKind) {
        let receiver = WebhookReceiver::start(|_, _| 204).await;
        let mut server = start(delivering_options(database)).await;
        let client = server.client();
        // Every third job is a transcription and has the webhook.
        let mut workload = Workload::new(&client).await.with_webhook(&receiver.url());
        let mut random = SeededRandom::new("kills");
        let mut accepted = Vec::new();
        let mut kills = 0;
        for _ in 0..count_from_environment("AURIS_SOAK_KILLS", 100) {
            let client = server.reconnect(&client);
            let time = Duration::from_millis(random.below(250) as u64);
            accepted.extend(send_for(time, &client, &mut workload).await);
            server.kill();
            kills += 1 + start_again(&mut server, &mut random).await;
        }
        let client = server.reconnect(&client);
        let tally = check_all_jobs(&server, &client, &accepted).await;
        let delivered = every_transcription_is_delivered(&server, &client, &receiver).await;
        let requests = receiver.received().len();
        eprintln!("{} accepted, {tally:?}, {delivered} delivered by {requests} requests", accepted.len());
        assert!(tally.completed > 0);
        eprintln!("SOAK faults=0 kills={kills} test=random_kills_on_{database:?}");
    }
}

async fn send_for(time: Duration, client: &Client, workload: &mut Workload) -> Vec<String> {
    let started = Instant::now();
    let mut accepted = Vec::new();
    while started.elapsed() < time {
        let reply = tokio::time::timeout(time, workload.send(client)).await;
        if let Ok(Some(reply)) = reply {
            accepted.push(reply.expect_status(202).id());
        }
    }
    accepted
}

/// Sometimes the server is killed once more before it listens. Returns how often.
async fn start_again(server: &mut Server, random: &mut SeededRandom) -> usize {
    let is_killed_again = random.below(5) == 0;
    if is_killed_again {
        server.spawn();
        let startup = Duration::from_millis(random.below(60) as u64);
        let _ = tokio::time::timeout(startup, server.listening()).await;
        server.kill();
    }
    server.restart().await;
    usize::from(is_killed_again)
}
