//! The process is killed again and again while it delivers webhooks: every delivery arrives.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use auris_e2e::requests::transcription_form;
use auris_e2e::settings::{LEASE_SECONDS, WEBHOOK_TIMEOUT_SECONDS};
use auris_e2e::{
    Client, DatabaseKind, Form, Received, SeededRandom, WebhookReceiver, both_databases,
    count_from_environment, eventually_within,
};
use futures::StreamExt;

use super::delivering;

const RECEIVERS: usize = 10;
const SENDERS: usize = 8;

both_databases! {
    async fn soak_heavy_every_delivery_arrives_although_the_process_is_killed(database: DatabaseKind) {
        let jobs = count_from_environment("AURIS_SOAK_WEBHOOK_JOBS", 120);
        let kills = count_from_environment("AURIS_SOAK_WEBHOOK_KILLS", 3);
        let options = delivering(database).with(LEASE_SECONDS, 3).with(WEBHOOK_TIMEOUT_SECONDS, 5);
        let mut server = options.start().await;
        let client = server.client();
        let mut receivers = Vec::new();
        for _ in 0..RECEIVERS {
            receivers.push(WebhookReceiver::start(fails_one_in_ten).await);
        }
        let form = transcription_form(&client).await.text("async", "true");
        let forms: Vec<Form> =
            receivers.iter().map(|receiver| form.clone().text("webhook_url", receiver.url())).collect();
        let mut random = SeededRandom::new("webhook kills");
        let mut accepted = BTreeSet::new();
        for round in 0..=kills {
            let client = server.reconnect(&client);
            let numbers = jobs * round / (kills + 1)..jobs * (round + 1) / (kills + 1);
            accepted.extend(submit_all(&client, &forms, numbers).await);
            if round < kills {
                // At least one of these deliveries has arrived by then, and many have not.
                let wanted = arrived(&receivers).len() + 1 + random.below(SENDERS);
                deliveries_reach(&receivers, wanted.min(accepted.len())).await;
                server.kill();
                server.restart().await;
            }
        }
        assert_eq!(accepted.len(), jobs);
        deliveries_reach(&receivers, jobs).await;
        let arrived = arrived(&receivers);
        assert_eq!(arrived.keys().cloned().collect::<BTreeSet<_>>(), accepted);
        receivers.iter().for_each(|receiver| receiver.check_signatures(&server.webhook_secret()));
        let sent: usize = receivers.iter().map(|receiver| receiver.received().len()).sum();
        eprintln!("{jobs} jobs, {kills} kills, {sent} requests");
        assert!(sent > jobs, "some deliveries were sent again");
        eprintln!("SOAK faults=0 kills={kills} test=webhook_kills_on_{database:?}");
    }
}

/// Waits until deliveries of that many jobs have arrived.
async fn deliveries_reach(receivers: &[WebhookReceiver], jobs: usize) {
    // Long enough for a busy machine and for retries after failed deliveries.
    let deadline = Duration::from_secs(480 + jobs as u64 / 5);
    eventually_within(deadline, "the deliveries", || async {
        (arrived(receivers).len() >= jobs).then_some(())
    })
    .await;
}

/// Refuses one of ten events at the first attempt.
fn fails_one_in_ten(received: &Received, before: usize) -> u16 {
    let mut hasher = DefaultHasher::new();
    received.id.hash(&mut hasher);
    if hasher.finish().is_multiple_of(10) && before == 0 { 500 } else { 204 }
}

async fn submit_all(client: &Client, forms: &[Form], numbers: std::ops::Range<usize>) -> Vec<String> {
    let submissions = numbers.map(|number| async move {
        let call = client.post("/v1/audio/transcriptions").form(&forms[number % forms.len()]);
        call.idempotency_key(&format!("job-{number}")).send().await.expect_status(202).id()
    });
    futures::stream::iter(submissions).buffer_unordered(SENDERS).collect().await
}

/// The accepted event of each job. An event that arrives twice must have the same body.
fn arrived(receivers: &[WebhookReceiver]) -> BTreeMap<String, String> {
    let mut bodies: BTreeMap<String, String> = BTreeMap::new();
    let mut events: BTreeMap<String, String> = BTreeMap::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for received in receivers.iter().flat_map(WebhookReceiver::received) {
        let first = bodies.entry(received.id.clone()).or_insert_with(|| received.body.clone());
        assert_eq!(*first, received.body, "the body is the same at each attempt");
        let before = seen.entry(received.id.clone()).or_insert(0);
        if fails_one_in_ten(&received, *before) == 204 {
            let event = events.entry(received.job()).or_insert_with(|| received.id.clone());
            assert_eq!(*event, received.id, "a job has one terminal event");
        }
        *before += 1;
    }
    events
}
