//! What this process has used: processor time and memory.

use std::fs;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The processor time of all threads since the start.
pub(super) fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// Forgets the peak of the memory so far, and returns what is occupied now; `None` if the system does not say.
pub(super) fn reset_peak_memory() -> Option<u64> {
    // Without this permission, the peak includes what was before.
    let _ = fs::write("/proc/self/clear_refs", "5");
    status("VmRSS:")
}

/// The most memory that was occupied at a time since the last reset.
pub(super) fn peak_memory() -> Option<u64> {
    status("VmHWM:")
}

/// A size in the status of this process.
fn status(field: &str) -> Option<u64> {
    size(&fs::read_to_string("/proc/self/status").ok()?, field)
}

fn size(status: &str, field: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_read_from_the_status() {
        let text = "Name:\tauris\nVmHWM:\t   2048 kB\nVmRSS:\t  1024 kB\n";
        assert_eq!((size(text, "VmHWM:"), size(text, "VmSwap:")), (Some(2 << 20), None));
    }

    #[test]
    fn computing_uses_processor_time() {
        let before = cpu_time();
        while cpu_time() == before {
            std::hint::spin_loop();
        }
    }
}
