//! The connections to PostgreSQL are cut at each statement of a job's life: before the statement reaches the server, and
//! after the server has run it but before the answer arrives.

use auris_e2e::infrastructure::{Cut, PostgresServer, StatementProxy};
use auris_e2e::requests::transcription_form;
use auris_e2e::settings::CONSOLE_ENABLED;
use auris_e2e::{Client, DatabaseKind, Form, ObjectStore, Server, WebhookReceiver};

use super::fault_points::{check_reached, points};
use super::job_life::{JobLife, event_ids};
use super::workload::{check_all_jobs, delivering_options, give_credit};

/// Points of each kind unless `AURIS_SOAK_FAULTS` is set.
const POINTS: usize = 4;
const KINDS: [(&str, Cut); 2] = [("before", Cut::BeforeStatement), ("answer", Cut::BeforeAnswer)];

/// A server whose statements pass through the proxy.
struct Proxied {
    server: Server,
    client: Client,
    form: Form,
    receiver: WebhookReceiver,
    jobs: Vec<String>,
    refused: usize,
    proxy: StatementProxy,
    postgres: PostgresServer,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn soak_heavy_a_connection_cut_at_any_statement_loses_nothing_and_repeats_nothing() {
    let mut proxied = Proxied::start().await;
    // The first life prepares the statements. They are counted in the second.
    proxied.live(None).await;
    proxied.live(None).await;
    let statements = proxied.proxy.statements();
    assert!(statements > 20, "the proxy has seen only {statements} statements");
    let points = points(&KINDS, statements, POINTS);
    if points.is_empty() {
        return;
    }
    for (cut, statement) in &points {
        eprintln!("{cut:?} {statement}");
        proxied.live(Some((*cut, *statement))).await;
    }
    let cuts = proxied.proxy.cuts() as usize;
    proxied.check_all().await;
    let points = points.len();
    let kinds = KINDS.len();
    let refused = proxied.refused;
    eprintln!(
        "fault points: {points} of {statements} statements in {kinds} kinds, {cuts} reached, {refused} refusals"
    );
    eprintln!(
        "SOAK faults={cuts} kills=0 points={points} of operations={statements} in kinds={kinds} test=every_statement"
    );
    check_reached(cuts, points);
}

impl Proxied {
    async fn start() -> Self {
        let postgres = PostgresServer::start().await;
        let proxy = StatementProxy::to(postgres.address()).await;
        let url = postgres.url(proxy.address());
        let options = delivering_options(DatabaseKind::Postgres).with(CONSOLE_ENABLED, false);
        let mut server = options.prepare_beside(url, ObjectStore::of_this_run());
        server.restart().await;
        give_credit(&server);
        let client = server.client();
        let receiver = WebhookReceiver::start(|_, _| 204).await;
        let form = transcription_form(&client).await.text("async", "true");
        let form = form.text("webhook_url", receiver.url());
        Self { server, client, form, receiver, jobs: Vec::new(), refused: 0, proxy, postgres }
    }

    /// One job's life, with a cut at the statement of that number.
    async fn live(&mut self, cut: Option<(Cut, usize)>) {
        let key = format!("life-{}", self.jobs.len());
        let mut life = JobLife::new(&mut self.server, &self.client, self.form.clone(), &key);
        self.proxy.count_from_here(cut);
        let id = life.live(&self.receiver).await;
        assert!(!life.has_died, "a lost connection must not end the server");
        self.refused += life.refused;
        self.jobs.push(id);
    }

    /// Checks all jobs on new connections, none of which is cut.
    async fn check_all(&mut self) {
        self.proxy.count_from_here(None);
        self.server.terminate().await;
        self.server.restart().await;
        let client = self.client.at(&self.server.base());
        let tally = check_all_jobs(&self.server, &client, &self.jobs).await;
        assert_eq!((tally.completed, tally.failed), (self.jobs.len(), 0), "one job for each life");
        for job in &self.jobs {
            assert_eq!(event_ids(&self.receiver, job).len(), 1, "one event, however often it was delivered");
        }
        self.receiver.check_signatures(&self.server.webhook_secret());
        let booked = self.postgres.query("SELECT COUNT(*) FROM ledger WHERE step_id IS NOT NULL");
        assert_eq!(booked, [self.jobs.len().to_string()], "each job was charged once");
    }
}
