//! Honest callers beside hostile ones: no request of those who keep the rules is refused, and nothing is left behind.

mod attacks;
mod honest;
mod hostile;
mod latencies;
mod memory;

use std::sync::Arc;
use std::time::Duration;

use auris_e2e::balances::command_json;
use auris_e2e::requests::post_analysis;
use auris_e2e::{
    DatabaseKind, Server, ServerOptions, count_from_environment, eventually, eventually_within, leases,
};
use serde_json::json;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::Instant;

use attacks::{Attack, Attacks};
use honest::{HonestCaller, Shared};
use hostile::{Attacker, LONG_PATIENCE};
use latencies::Latencies;
use memory::MemorySamples;

const MEBIBYTE: u64 = 1_048_576;
/// Projects of the honest callers. Each caller belongs to one.
const PROJECTS: usize = 8;
/// Memory by which a server may grow from the warm-up to the end.
const GROWTH: u64 = 128 * MEBIBYTE;
/// Mebibytes of address space of the server: what it reserves, and far less than what an attack must not make it use.
const ADDRESS_SPACE: u32 = 4096;
/// Characters of the text whose output hostile callers request; the output has twice as many.
const LARGE_CHARACTERS: usize = 2_000_000;
/// How long the queue may take to empty, in addition to the time in which it was filled.
const EMPTYING: Duration = Duration::from_secs(60);

/// The longest turn with hostile callers. Turns with and without them alternate, so that both see the same machine, which
/// is not equally fast all the time.
const LONGEST_TURN: Duration = Duration::from_secs(60);
/// A turn without hostile callers takes this part of the time of one with them.
const ALONE: u32 = 3;
/// How much slower the slowest requests may be beside hostile callers: the ratio of the 99th percentiles.
const SLOWER: f64 = 2.0;

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

    /// Whether times and sizes are compared. In a run as short as that of CI, they depend on what else the machine does.
    fn is_long(self) -> bool {
        self.time > LONGEST_TURN
    }

    /// How long a hostile caller keeps up one attack: short enough for all of them to make each attack twice.
    fn patience(self) -> Duration {
        let each_twice = self.time * self.hostile as u32 / (2 * Attack::ALL.len() as u32);
        LONG_PATIENCE.min(self.time / 4).min(each_twice)
    }
}

/// What was measured in all turns.
#[derive(Default)]
struct Measured {
    alone: Latencies,
    beside: Latencies,
    memory: MemorySamples,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn soak_heavy_honest_callers_are_served_beside_hostile_ones() {
    let size = Size::from_environment();
    let server = ServerOptions::new(DatabaseKind::Sqlite).with_memory(ADDRESS_SPACE).start().await;
    let shared = prepare(&server).await;
    let warm_up = call_for(size.time.min(LONGEST_TURN) / 8, size.honest, &shared).await;
    assert!(warm_up.count() > 0);
    let hostile = Hostile::new(&server, size).await;
    let before = server.memory("VmRSS");
    let measured = take_turns(&server, &hostile, (size, &shared)).await;
    nothing_is_left(&server, &shared, size.time + EMPTYING).await;
    let is_flat = || async { (server.memory("VmRSS") < before + GROWTH).then_some(()) };
    eventually("the memory to be returned", is_flat).await;
    let [after, peak] = ["VmRSS", "VmPeak"].map(|field| server.memory(field) / MEBIBYTE);
    eprintln!("memory: {} MiB before, {after} MiB after; address space: {peak} MiB", before / MEBIBYTE);
    measured.report(size);
    hostile.check_all_made();
}

/// Turns with and without hostile callers.
async fn take_turns(server: &Server, hostile: &Hostile, (size, shared): (Size, &Shared)) -> Measured {
    let mut measured = Measured::default();
    let mut left = size.time;
    while !left.is_zero() {
        let turn = left.min(LONGEST_TURN);
        left -= turn;
        measured.beside.add(hostile.beside(call_for(turn, size.honest, shared)).await);
        measured.alone.add(call_for(turn / ALONE, size.honest, shared).await);
        measured.memory.add(server.memory("VmRSS"));
    }
    measured
}

impl Measured {
    /// Prints everything. In a long run, hostile callers must not make the others much slower or the server grow.
    fn report(&self, size: Size) {
        let Self { alone, beside, memory } = self;
        eprintln!("without hostile callers\n{alone}\nwith {} hostile callers\n{beside}", size.hostile);
        let ratio = beside.p99() / alone.p99();
        eprintln!("SOAK requests={} p99_ratio={ratio:.2} test=load", alone.count() + beside.count());
        if size.is_long() {
            assert!(
                ratio < SLOWER,
                "beside hostile callers, the 99th percentile is {ratio:.2} times as high"
            );
            memory.check_flat();
        }
    }
}

/// The hostile callers.
struct Hostile {
    address: String,
    /// The key of each, and the path of steps with large outputs.
    keys: Vec<(String, String)>,
    patience: Duration,
    attacks: Arc<Attacks>,
}

impl Hostile {
    async fn new(server: &Server, size: Size) -> Self {
        let mut keys = Vec::new();
        for number in 0..size.hostile {
            let client = server.client_of_new_project(&format!("hostile-{number}"));
            let text = "word ".repeat(LARGE_CHARACTERS / 5);
            let body = json!({"transcript": {"text": text}, "processing": {"formatting": {}}});
            let job = post_analysis(&client, &body).await.expect_status(202).id();
            server.finished(&client, &job).await;
            keys.push((client.key().to_owned(), format!("/v1/jobs/{job}/steps")));
        }
        Self {
            address: server.address().to_owned(),
            keys,
            patience: size.patience(),
            attacks: Arc::default(),
        }
    }

    /// Attacks until the honest callers have ended. The hostile ones have a thread of their own: the response times are
    /// those of the server, not of callers that wait for their attackers' turn to compute.
    async fn beside(&self, honest: impl Future<Output = Latencies>) -> Latencies {
        let (end, ended) = oneshot::channel();
        let attacks = self.keys.iter().map(|(key, steps)| self.attacker(key, steps).attack()).collect();
        let attacking = std::thread::spawn(move || attack_until(ended, attacks));
        let latencies = honest.await;
        drop(end);
        attacking.join().expect("the attacks end");
        latencies
    }

    fn attacker(&self, key: &str, large_steps: &str) -> Attacker {
        Attacker {
            address: self.address.clone(),
            key: key.to_owned(),
            large_steps: large_steps.to_owned(),
            patience: self.patience,
            attacks: Arc::clone(&self.attacks),
        }
    }

    fn check_all_made(&self) {
        let made = self.attacks.made();
        eprintln!("attacks: {made:?}");
        assert!(made.iter().all(|(_, times)| *times > 0), "an attack was never made: {made:?}");
    }
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
