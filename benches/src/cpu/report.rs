//! The figures of the cpu bench: microseconds of CPU time per request, and the ratio of the two programs.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use serde::Serialize;

use crate::measure::{median, quantile};
use crate::report::Report;

use super::CpuOptions;

/// One measure of both programs. Ratios are new / old; below 1 the new program needs less CPU time.
#[derive(Debug, Serialize)]
pub(super) struct CpuComparison {
    measure: &'static str,
    requests_per_turn: u64,
    old_microseconds: Vec<f64>,
    new_microseconds: Vec<f64>,
}

/// The figures with the versions of the two programs.
#[derive(Serialize)]
struct Measures {
    old_program: String,
    new_program: String,
    comparisons: Vec<Summary>,
}

#[derive(Serialize)]
struct Summary {
    #[serde(flatten)]
    comparison: CpuComparison,
    old_median_microseconds: f64,
    new_median_microseconds: f64,
    ratio: f64,
    lowest_ratio: f64,
    highest_ratio: f64,
}

impl CpuComparison {
    pub(super) fn new(measure: &'static str, requests_per_turn: u64) -> Self {
        Self { measure, requests_per_turn, old_microseconds: Vec::new(), new_microseconds: Vec::new() }
    }

    pub(super) fn add(&mut self, old: f64, new: f64) {
        self.old_microseconds.push(old);
        self.new_microseconds.push(new);
    }

    fn summary(self) -> Summary {
        let pairs = self.old_microseconds.iter().zip(&self.new_microseconds);
        let ratios: Vec<f64> = pairs.map(|(old, new)| new / old).collect();
        let old = median(&self.old_microseconds);
        let new = median(&self.new_microseconds);
        Summary {
            old_median_microseconds: old,
            new_median_microseconds: new,
            ratio: new / old,
            lowest_ratio: quantile(&ratios, 0.0),
            highest_ratio: quantile(&ratios, 1.0),
            comparison: self,
        }
    }
}

pub(super) fn publish(comparisons: Vec<CpuComparison>, options: &CpuOptions) -> anyhow::Result<()> {
    let comparisons: Vec<Summary> = comparisons.into_iter().map(CpuComparison::summary).collect();
    let table = table(&comparisons, options)?;
    let old_program = version(&options.old)?;
    let new_program = version(&options.new)?;
    let measures = Measures { old_program, new_program, comparisons };
    Report { bench: "cpu", table, measures }.publish(&options.output)
}

/// What the program prints for `--version`, such as its number and its build profile.
fn version(program: &Path) -> anyhow::Result<String> {
    let output = Command::new(program).arg("--version").output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn table(measures: &[Summary], options: &CpuOptions) -> anyhow::Result<String> {
    let mut table = format!(
        "CPU microseconds per request, SQLite, {} connections, {} jobs; medians of {} turns; ratio = new / old\n",
        options.connections, options.jobs, options.turns
    );
    writeln!(
        table,
        "{:<34} {:>9} {:>9} {:>6} {:>13} {:>14}",
        "measure", "old", "new", "ratio", "turns", "requests/turn"
    )?;
    for one in measures {
        writeln!(
            table,
            "{:<34} {:>9.1} {:>9.1} {:>6.2} {:>13} {:>14}",
            one.comparison.measure,
            one.old_median_microseconds,
            one.new_median_microseconds,
            one.ratio,
            format!("{:.2}-{:.2}", one.lowest_ratio, one.highest_ratio),
            one.comparison.requests_per_turn,
        )?;
    }
    Ok(table)
}
