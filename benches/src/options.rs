//! The words of the command line.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};

use crate::bare_sender::Orders;

/// What is to be measured, or served to be measured against.
pub(crate) enum Bench {
    Api(Options),
    List(Options),
    Queue(Options),
    Streams(Options),
    Webhooks(Options),
    /// The bare handler, in a process of its own; its answers lie in the folder.
    Bare {
        folder: PathBuf,
    },
    /// The bare sender of webhooks, in a process of its own.
    Sender(Orders),
}

pub(crate) struct Options {
    pub(crate) json: bool,
    /// How long each loop of the api bench runs in each round.
    pub(crate) round: Duration,
    /// The larger of the two sizes of the list and the queue bench.
    pub(crate) jobs: u64,
    /// How many streams are open at once in the streams bench.
    pub(crate) streams: usize,
    /// How many deliveries wait in the webhooks bench.
    pub(crate) deliveries: u64,
}

pub(crate) fn read(words: impl Iterator<Item = String>) -> anyhow::Result<Bench> {
    let mut words = words;
    let bench = words.next().context("name a bench: `api`, `list`, `queue`, `streams` or `webhooks`")?;
    match bench.as_str() {
        "api" => Ok(Bench::Api(read_options(words)?)),
        "list" => Ok(Bench::List(read_options(words)?)),
        "queue" => Ok(Bench::Queue(read_options(words)?)),
        "streams" => Ok(Bench::Streams(read_options(words)?)),
        "webhooks" => Ok(Bench::Webhooks(read_options(words)?)),
        "bare" => Ok(Bench::Bare { folder: words.next().context("the folder of the answers")?.into() }),
        "sender" => Ok(Bench::Sender(Orders::read(words)?)),
        unknown => {
            bail!("unknown bench `{unknown}`; there are `api`, `list`, `queue`, `streams` and `webhooks`")
        }
    }
}

fn read_options(mut words: impl Iterator<Item = String>) -> anyhow::Result<Options> {
    let mut options = Options {
        json: false,
        round: Duration::from_millis(1500),
        jobs: 1_000_000,
        streams: 10_000,
        deliveries: 100_000,
    };
    while let Some(word) = words.next() {
        let mut number = || -> anyhow::Result<u64> {
            let value = words.next().with_context(|| format!("`{word}` needs a number"))?;
            value.parse().with_context(|| format!("`{word} {value}`"))
        };
        match word.as_str() {
            "--json" => options.json = true,
            "--round-ms" => options.round = Duration::from_millis(number()?.clamp(100, 10_000)),
            "--streams" => options.streams = number()?.clamp(10, 15_000) as usize,
            "--jobs" => options.jobs = number()?.clamp(2_000, 5_000_000),
            "--deliveries" => options.deliveries = number()?.clamp(1_000, 1_000_000),
            unknown => bail!("unknown option `{unknown}`"),
        }
    }
    Ok(options)
}
