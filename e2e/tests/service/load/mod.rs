//! Honest callers beside hostile ones: no request of those who keep the rules is refused, and nothing is left behind.

mod honest;
mod hostile;
mod latencies;

use std::time::Duration;

use auris_e2e::balances::command_json;
use auris_e2e::{
    DatabaseKind, Server, ServerOptions, count_from_environment, eventually, eventually_within, leases,
};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::Instant;

use honest::{HonestCaller, Shared};
use latencies::Latencies;

const MEBIBYTE: u64 = 1_048_576;
/// Projects of the honest callers. Each caller belongs to one.
const PROJECTS: usize = 8;
/// Memory by which a server may grow from the warm-up to the end.
const GROWTH: u64 = 128 * MEBIBYTE;
/// How long the queue may take to empty, in addition to the time in which it was filled.
const EMPTYING: Duration = Duration::from_secs(60);

/// The longest turn with hostile callers. Turns with and without them alternate, so that both see the same machine, which
/// is not equally fast all the time.
const LONGEST_TURN: Duration = Duration::from_secs(60);
/// A turn without hostile callers takes this part of the time of one with them.
const ALONE: u32 = 3;

/// The size of a run: `AURIS_SOAK_CALLERS` callers, one in ten of them hostile, for `AURIS_SOAK_LOAD_SECONDS`
/// in all turns with hostile callers.
#[derive(Clone, Copy)]
struct Size {
    honest: usize,
    hostile: usize,
    time: Duration,
}

impl Size {
    fn from_environment() -> Self {
        let callers = count_from_environment("AURIS_SOAK_CALLERS", 40);
        let hostile = callers.div_ceil(10);
        let seconds = count_from_environment("AURIS_SOAK_LOAD_SECONDS", 3);
        Self { honest: callers - hostile, hostile, time: Duration::from_secs(seconds as u64) }
    }

    /// How long a hostile caller keeps up one attack.
    fn patience(self) -> Duration {
        if self.time > LONGEST_TURN { hostile::LONG_PATIENCE } else { hostile::SHORT_PATIENCE }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn soak_heavy_honest_callers_are_served_beside_hostile_ones() {
    let size = Size::from_environment();
    let server = ServerOptions::new(DatabaseKind::Sqlite).start().await;
    let shared = prepare(&server).await;
    let warm_up = call_for(size.time.min(LONGEST_TURN) / 8, size.honest, &shared).await;
    assert!(warm_up.count() > 0);
    let before = server.memory("VmRSS");
    let (mut alone, mut beside) = (Latencies::default(), Latencies::default());
    let keys: Vec<String> = (0..size.hostile).map(|number| hostile_key(&server, number)).collect();
    let mut left = size.time;
    while !left.is_zero() {
        let turn = left.min(LONGEST_TURN);
        left -= turn;
        beside.add(call_beside(&keys, turn, &server, (size, &shared)).await);
        alone.add(call_for(turn / ALONE, size.honest, &shared).await);
    }
    nothing_is_left(&server, &shared, size.time + EMPTYING).await;
    let is_flat = || async { (server.memory("VmRSS") < before + GROWTH).then_some(()) };
    eventually("the memory to be returned", is_flat).await;
    eprintln!("memory: {} MiB before, {} MiB after", before / MEBIBYTE, server.memory("VmRSS") / MEBIBYTE);
    eprintln!("without hostile callers\n{alone}\nwith {} hostile callers\n{beside}", size.hostile);
    let ratio = beside.p99() / alone.p99();
    eprintln!("SOAK requests={} p99_ratio={ratio:.2} test=load", alone.count() + beside.count());
}

/// Lets the honest callers call beside hostile ones, one for each key. The hostile ones have a thread of their own: the
/// response times are those of the server, not of callers that wait for their attackers' turn to compute.
async fn call_beside(
    keys: &[String],
    time: Duration,
    server: &Server,
    (size, shared): (Size, &Shared),
) -> Latencies {
    let (end, ended) = oneshot::channel();
    let patience = size.patience();
    let attack = |(number, key): (usize, &String)| {
        hostile::attack(number, server.address().to_owned(), key.clone(), patience)
    };
    let attacks = keys.iter().enumerate().map(attack).collect();
    let attacking = std::thread::spawn(move || attack_until(ended, attacks));
    let latencies = call_for(time, size.honest, shared).await;
    drop(end);
    attacking.join().expect("the attacks end");
    latencies
}

/// Runs all attacks on this thread until the sender is dropped.
fn attack_until(ended: oneshot::Receiver<()>, attacks: Vec<impl Future<Output = ()> + Send + 'static>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut attackers: JoinSet<()> = attacks.into_iter().collect();
        // Nothing is sent: it ends when the sender is dropped.
        let _ = ended.await;
        attackers.shutdown().await;
    });
}

/// Projects with a balance and a finished job each.
async fn prepare(server: &Server) -> Shared {
    let mut clients = Vec::new();
    for number in 0..PROJECTS {
        let project = format!("honest-{number}");
        let client = server.client_of_new_project(&project);
        server.auris(&["projects", "credit", &project, "100000"]);
        clients.push(client);
    }
    Shared::new(server, clients).await
}

fn hostile_key(server: &Server, number: usize) -> String {
    let project = format!("hostile-{number}");
    server.client_of_new_project(&project).key().to_owned()
}

/// Lets the honest callers call until the time is over, and returns how long their requests took.
async fn call_for(time: Duration, callers: usize, shared: &Shared) -> Latencies {
    let end = Instant::now() + time;
    let mut running = JoinSet::new();
    for number in 0..callers {
        running.spawn(HonestCaller::new(number, shared.clone()).call_until(end));
    }
    let mut all = Latencies::default();
    while let Some(done) = running.join_next().await {
        all.add(done.expect("no honest caller is refused"));
    }
    all
}

/// Waits until every job has ended, nothing is leased or held, and the spool is empty.
async fn nothing_is_left(server: &Server, shared: &Shared, limit: Duration) {
    for client in shared.clients() {
        eventually_within(limit, "all jobs to end", || async {
            let page = client.get("/v1/jobs?limit=100").send().await.expect_status(200).json();
            let jobs = page["data"].as_array().cloned().unwrap_or_default();
            let open = |status: &str| ["queued", "in_progress", "cancelling"].contains(&status);
            let is_open = jobs.iter().any(|job| open(job["status"].as_str().unwrap_or_default()));
            (!is_open).then_some(())
        })
        .await;
    }
    leases::are_released(&server.data(), limit).await;
    eventually("the spool to be empty", || async {
        let files = std::fs::read_dir(server.data().join("spool"));
        (files.into_iter().flatten().count() == 0).then_some(())
    })
    .await;
    let projects = command_json(server, &["projects", "list", "--json"]);
    for project in projects.as_array().into_iter().flatten() {
        let held = project["held_usd"].as_str().unwrap_or("0");
        assert_eq!(held, "0", "{project}");
    }
}
