//! Leases are times of day. A lease that ends too far in the future has expired too: the clock was set back since.

use auris_domain::time::Millis;

/// A lease that ends later than this from now was granted before the clock was set back: none is granted for longer, and
/// clocks of nodes differ by less.
const LONGEST_LEASE_MS: i64 = 600_000;

/// A lease that ends after this has expired.
pub(crate) fn latest_end(now: Millis) -> Millis {
    now.plus_ms(LONGEST_LEASE_MS)
}
