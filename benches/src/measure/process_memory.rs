//! The memory of a process, as Linux reports it.

use std::fs;

use anyhow::Context;

/// A size from `/proc/PROCESS/status`, such as VmRSS or VmHWM, in bytes. The process is a number or `self`.
pub(crate) fn bytes(process: &str, field: &str) -> anyhow::Result<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find(|line| line.starts_with(field));
    let kibibytes = line.and_then(|line| line.split_whitespace().nth(1));
    let kibibytes = kibibytes.with_context(|| format!("/proc/{process}/status has no `{field}`"))?;
    Ok(kibibytes.parse::<u64>()? * 1024)
}
