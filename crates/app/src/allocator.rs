//! The allocator of the process, and the thread that returns freed memory to the system.

use std::time::Duration;

/// Compared with the system's allocator (glibc): a small job needs 12 % less CPU time, three transcripts of 10,000,000
/// characters need 209 MiB at most instead of 346, and 18 seconds later 66 instead of 140. An idle server needs 37 MiB
/// instead of 20.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The time between two returns of memory.
const INTERVAL: Duration = Duration::from_secs(2);

/// Starts a thread that returns freed memory for as long as the process lives. By itself mimalloc returns memory only
/// while it allocates: after a body of 240 MB, an idle server would keep 550 MB until the next request.
pub(crate) fn return_freed_memory() -> std::io::Result<()> {
    let thread = std::thread::Builder::new().name("auris-memory".to_owned());
    thread.spawn(|| {
        loop {
            std::thread::sleep(INTERVAL);
            collect();
        }
    })?;
    Ok(())
}

/// Returns the memory that was freed more than a second ago.
fn collect() {
    #[expect(unsafe_code, reason = "a C function that may be called from any thread at any time")]
    unsafe {
        libmimalloc_sys::mi_collect(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK_BYTES: usize = 8 << 20;

    /// Resident memory of this process in bytes.
    fn resident() -> usize {
        let pages = std::fs::read_to_string("/proc/self/statm").expect("statm");
        let resident = pages.split_whitespace().nth(1).and_then(|pages| pages.parse::<usize>().ok());
        resident.expect("the second number") * 4096
    }

    #[test]
    fn freed_memory_is_returned_without_further_allocations() {
        let blocks: Vec<Vec<u8>> = (0..24).map(|_| vec![1; BLOCK_BYTES]).collect();
        let in_use = resident();
        drop(blocks);
        let is_returned = (0..200).any(|_| {
            collect();
            std::thread::sleep(Duration::from_millis(50));
            resident() + 12 * BLOCK_BYTES < in_use
        });
        assert!(is_returned, "{} of {in_use} bytes are still resident", resident());
    }
}
