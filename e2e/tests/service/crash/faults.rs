//! An operation on the server's files fails, is torn, or is forgotten by a power cut: at each operation of a job's life,
//! from the start of the server to its stop.

use std::panic::AssertUnwindSafe;

use auris_e2e::requests::transcription_form;
use auris_e2e::settings::CONSOLE_ENABLED;
use auris_e2e::{Client, DatabaseKind, FaultReport, FileFault, Form, Server, WebhookReceiver, data_folder};
use futures::{FutureExt, StreamExt};

use super::fault_points::{check_reached, points};
use super::job_life::{JobLife, event_ids};
use super::workload::{check_all_jobs, delivering_options, start};

/// Points of each kind unless `AURIS_SOAK_FAULTS` is set.
const POINTS: usize = 5;
/// Lives at the same time. They mostly wait.
const CONCURRENT_LIVES: usize = 3;

type Point = (FileFault, usize);

/// The data that each life begins with: a project with a key and a balance.
struct Prepared {
    server: Server,
    client: Client,
    form: Form,
}

/// What happened in a life that was right in the end.
struct Lived {
    report: FaultReport,
    has_died: bool,
    refused: usize,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn soak_heavy_a_fault_at_any_write_loses_nothing_and_repeats_nothing() {
    let prepared = Prepared::new().await;
    let without_fault = prepared.live(None).await;
    assert!(!without_fault.has_died && without_fault.refused == 0);
    let operations = without_fault.report.operations;
    assert!(operations > 100, "the layer has seen only {operations} operations");
    let kinds = FileFault::ALL.map(|kind| (kind.name(), kind));
    let points = points(&kinds, operations, POINTS);
    if points.is_empty() {
        return;
    }
    let lives = points.into_iter().map(|point| prepared.try_live(point));
    let lives: Vec<(Point, Option<Lived>)> =
        futures::stream::iter(lives).buffer_unordered(CONCURRENT_LIVES).collect().await;
    report(&lives, operations);
}

/// Prints what happened, and panics if a life was not right in the end or too few points were reached.
fn report(lives: &[(Point, Option<Lived>)], operations: usize) {
    let lived: Vec<&Lived> = lives.iter().filter_map(|(_, lived)| lived.as_ref()).collect();
    let reached = lived.iter().filter(|lived| lived.report.struck).count();
    let deaths = lived.iter().filter(|lived| lived.has_died).count();
    let refused: usize = lived.iter().map(|lived| lived.refused).sum();
    let points = lives.len();
    let kinds = FileFault::ALL.len();
    eprintln!(
        "fault points: {points} of {operations} operations in {kinds} kinds, {reached} reached, {deaths} deaths, {refused} refusals"
    );
    eprintln!(
        "SOAK faults={reached} kills={deaths} points={points} of operations={operations} in kinds={kinds} test=every_write"
    );
    let failed: Vec<String> =
        lives.iter().filter(|(_, lived)| lived.is_none()).map(|(point, _)| name(*point)).collect();
    assert!(failed.is_empty(), "repeat them one by one with AURIS_SOAK_POINT: {failed:?}");
    check_reached(reached, points);
}

impl Prepared {
    async fn new() -> Self {
        let mut server = start(delivering_options(DatabaseKind::Sqlite).with(CONSOLE_ENABLED, false)).await;
        let client = server.client();
        let form = transcription_form(&client).await.text("async", "true");
        assert!(server.terminate().await.success());
        Self { server, client, form }
    }

    /// `None` if something was wrong. The other points are tried nevertheless.
    async fn try_live(&self, point: Point) -> (Point, Option<Lived>) {
        let lived = AssertUnwindSafe(self.live(Some(point))).catch_unwind().await;
        if lived.is_err() {
            eprintln!("failed: {}", name(point));
        }
        (point, lived.ok())
    }

    /// One job's life on a copy of the data, with a fault at the point, and all checks.
    async fn live(&self, point: Option<Point>) -> Lived {
        let receiver = WebhookReceiver::start(|_, _| 204).await;
        let form = self.form.clone().text("webhook_url", receiver.url());
        let mut server = self.server.unstarted_copy();
        server.load_fault_layer(point);
        server.spawn();
        // If it dies while it starts, the client starts it again.
        server.listening().await;
        let mut life = JobLife::new(&mut server, &self.client, form, "life");
        let id = life.live(&receiver).await;
        life.stop().await;
        let has_died = life.has_died;
        let refused = life.refused;
        let report = server.fault_report();
        data_folder::is_whole(&server.data());
        data_folder::content_is_removed(&server.data());
        self.check_restarted(server, &receiver, id).await;
        if let Some((FileFault::Crash | FileFault::Torn | FileFault::LostFsync, _)) = point {
            assert_eq!(has_died, report.struck, "the fault ends the process, and nothing else does");
        }
        Lived { report, has_died, refused }
    }

    /// Checks that the service starts again without faults, and that the job was done once.
    async fn check_restarted(&self, mut server: Server, receiver: &WebhookReceiver, id: String) {
        server.unload_fault_layer();
        server.restart().await;
        let client = self.client.at(&server.base());
        let tally = check_all_jobs(&server, &client, std::slice::from_ref(&id)).await;
        assert_eq!((tally.completed, tally.failed), (1, 0), "there is one job, and it is completed");
        assert_eq!(event_ids(receiver, &id).len(), 1, "one event, however often it was delivered");
        receiver.check_signatures(&server.webhook_secret());
    }
}

fn name((kind, operation): Point) -> String {
    format!("{}:{operation}", kind.name())
}
