//! One of the two programs: its servers, its databases and the jobs that are read.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::ensure;
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::{Value, json};

use crate::fixture::{self, Fixture, Role, ServerProcess};

/// Utterances of the large job: a phone call of about 20 minutes.
const UTTERANCES: usize = 240;
/// Jobs that are created at the same time while the database is filled.
const FILL_CONCURRENCY: usize = 8;
/// How long the server may take to complete what is queued.
const QUEUE_DEADLINE: Duration = Duration::from_secs(600);

pub(super) struct Contender {
    /// Runs jobs.
    pub(super) whole: Side,
    /// Serves HTTP only, so that creations can be measured without the steps that follow them.
    pub(super) api_only: Side,
    pub(super) small_job: String,
    pub(super) large_job: String,
}

/// A server and what it runs on. The server is declared first, so that it stops before its folder is removed.
pub(super) struct Side {
    pub(super) server: ServerProcess,
    pub(super) fixture: Fixture,
}

impl Contender {
    /// Starts the program and completes one large job and the given number of small ones.
    pub(super) async fn prepare(binary: &Path, jobs: u64) -> anyhow::Result<Self> {
        ensure!(binary.is_file(), "`{}` is not a file", binary.display());
        let whole = Side::start(binary, Role::All).await?;
        let api_only = Side::start(binary, Role::Api).await?;
        let (large_job, _) = fixture::submit(&whole.fixture, &whole.server, &long_call()).await?;
        let small = fixture::analysis();
        let (small_job, _) = fixture::submit(&whole.fixture, &whole.server, &small).await?;
        let fill = (1..jobs).map(|_| fixture::submit(&whole.fixture, &whole.server, &small));
        stream::iter(fill).buffer_unordered(FILL_CONCURRENCY).try_collect::<Vec<_>>().await?;
        whole.queue_is_empty().await?;
        fixture::completed(&whole.fixture, &whole.server, &large_job).await?;
        Ok(Self { whole, api_only, small_job, large_job })
    }
}

impl Side {
    async fn start(binary: &Path, role: Role) -> anyhow::Result<Self> {
        let fixture = Fixture::of_program(binary).await?;
        let server = ServerProcess::start(&fixture, role).await?;
        Ok(Self { server, fixture })
    }

    /// Waits until no job is queued or running. Reads the database directly: a request would cost the server CPU time.
    pub(super) async fn queue_is_empty(&self) -> anyhow::Result<()> {
        let mut connection = self.fixture.database.connect().await?;
        let unfinished = "SELECT COUNT(*) FROM jobs WHERE status IN ('queued', 'in_progress')";
        let started = Instant::now();
        while connection.number(unfinished).await? > 0 {
            ensure!(started.elapsed() < QUEUE_DEADLINE, "the queue did not become empty");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(())
    }
}

/// An analysis of a long call with every stage that works on text.
fn long_call() -> Value {
    let said = [
        "Thanks for calling the billing department, my name is Anna. How can I help you today?",
        "My invoice from March is wrong, I was charged twice for the broadband contract in Berlin.",
        "I am sorry to hear that. Could you give me the number in the upper right corner, please?",
        "Sure, it is four seven one one, and the amount is ninety-nine dollars and fifty cents.",
    ];
    let utterance = |number: usize| {
        let text = said[number % said.len()];
        let start = number as f64 * 5.0;
        json!({"speaker": if number.is_multiple_of(2) { "A" } else { "B" }, "start": start, "end": start + 4.8,
            "text": text, "words": words(text, start)})
    };
    let utterances: Vec<Value> = (0..UTTERANCES).map(utterance).collect();
    let text: Vec<&str> = (0..UTTERANCES).map(|number| said[number % said.len()]).collect();
    json!({
        "transcript": {"text": text.join(" "), "language": "en", "duration_seconds": "1200",
            "segments": utterances, "utterances": utterances},
        "processing": {"chapters": {}, "entities": {}, "formatting": {}, "key_phrases": {}, "sentiment": {},
            "summary": {}, "topics": {}},
        "metadata": {"source": "bench"},
    })
}

fn words(text: &str, start: f64) -> Vec<Value> {
    let word = |(index, word): (usize, &str)| {
        let begin = start + index as f64 * 0.3;
        json!({"word": word, "start": begin, "end": begin + 0.25})
    };
    text.split(' ').enumerate().map(word).collect()
}
