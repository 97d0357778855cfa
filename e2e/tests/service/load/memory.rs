//! Whether the memory of the server grows over a run.

const MEBIBYTE: u64 = 1_048_576;
/// Memory by which the last third of a long run may exceed the middle one. The first third fills caches. What the server
/// works on at the time is included: in a run of 30 minutes, the samples were between 199 and 418 MiB and the medians of
/// the thirds between 232 and 266.
const GROWTH: u64 = 48 * MEBIBYTE;
/// Samples without which a third says nothing.
const FEWEST_SAMPLES: usize = 6;

/// Sizes of the server in bytes, one after each turn.
#[derive(Default)]
pub(super) struct MemorySamples(Vec<u64>);

impl MemorySamples {
    pub(super) fn add(&mut self, bytes: u64) {
        self.0.push(bytes);
    }

    /// Panics if the server grew from the middle third of the samples to the last one. Few samples prove nothing.
    pub(super) fn check_flat(&self) {
        let mebibytes: Vec<u64> = self.0.iter().map(|bytes| bytes / MEBIBYTE).collect();
        eprintln!("memory after each turn in MiB: {mebibytes:?}");
        if self.0.len() < FEWEST_SAMPLES {
            return;
        }
        let third = self.0.len() / 3;
        let (rest, last) = self.0.split_at(self.0.len() - third);
        let middle = &rest[rest.len() - third..];
        let [middle, last] = [middle, last].map(median);
        assert!(last <= middle + GROWTH, "it grew from {} to {} MiB", middle / MEBIBYTE, last / MEBIBYTE);
    }
}

fn median(samples: &[u64]) -> u64 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(mebibytes: impl IntoIterator<Item = u64>) -> MemorySamples {
        MemorySamples(mebibytes.into_iter().map(|size| size * MEBIBYTE).collect())
    }

    #[test]
    fn caches_may_fill_and_one_sample_may_be_high() {
        samples([100, 150, 180, 185, 186, 184, 188, 400, 190]).check_flat();
        samples([100, 900]).check_flat();
    }

    #[test]
    #[should_panic(expected = "it grew from 250 to 310 MiB")]
    fn a_leak_is_found() {
        samples((0..30).map(|turn| 160 + 6 * turn)).check_flat();
    }
}
