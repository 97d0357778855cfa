//! What a reader needs to judge a figure: the machine, the build, the commit and the command.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Serialize;

/// CPU features that the engines have separate code for.
const FEATURES: [&str; 3] = ["avx2", "avx512_vnni", "amx_int8"];

#[derive(Debug, Serialize)]
pub(super) struct Environment {
    cpu: String,
    cores: usize,
    cpu_features: Vec<&'static str>,
    /// Processes that wanted to run in the last minute, on average, when the bench ended.
    load_average: String,
    build: &'static str,
    /// Short hash and committer date of the checkout.
    commit: Option<String>,
    command: String,
}

impl Environment {
    pub(super) fn read() -> anyhow::Result<Self> {
        let cpu_info = fs::read_to_string("/proc/cpuinfo")?;
        let load = fs::read_to_string("/proc/loadavg")?;
        Ok(Self {
            cpu: field(&cpu_info, "model name").to_owned(),
            cores: std::thread::available_parallelism()?.get(),
            cpu_features: features(field(&cpu_info, "flags")),
            load_average: load.split(' ').next().unwrap_or_default().to_owned(),
            build: build_profile(),
            commit: commit(),
            command: command(std::env::args()),
        })
    }
}

/// The profile of this build; `scripts/bench` builds the server with the same one.
pub(crate) fn build_profile() -> &'static str {
    if cfg!(debug_assertions) { "dev" } else { "release" }
}

fn field<'a>(cpu_info: &'a str, name: &str) -> &'a str {
    let line = cpu_info.lines().find(|line| line.starts_with(name));
    line.and_then(|line| line.split_once(':')).map_or("", |(_, value)| value.trim())
}

fn features(flags: &str) -> Vec<&'static str> {
    FEATURES.into_iter().filter(|feature| flags.split(' ').any(|flag| flag == *feature)).collect()
}

fn commit() -> Option<String> {
    let output = Command::new("git").args(["log", "-1", "--format=%h %cI"]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// The command without the folders of this machine: results are committed.
fn command(arguments: impl Iterator<Item = String>) -> String {
    let names = arguments.map(|argument| {
        let name = Path::new(&argument).file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or(argument)
    });
    names.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_names_no_folder() {
        let words = ["/home/anna/target/auris-bench", "cpu", "--old", "/tmp/auris", "--turns", "3"];
        assert_eq!(
            command(words.iter().map(|word| (*word).to_owned())),
            "auris-bench cpu --old auris --turns 3"
        );
    }

    #[test]
    fn a_flag_is_found_by_its_whole_name() {
        assert_eq!(features("fpu avx2 avx512_vnni_more"), ["avx2"]);
    }
}
