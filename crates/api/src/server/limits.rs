//! Limits of a connection and of the head of a request.

use std::time::Duration;

use crate::minimum_rate::MinimumRate;
use crate::routes::Surface;

/// What a server serves, and its limits that can be configured.
#[derive(Debug, Clone, Copy)]
pub struct ServerSettings {
    pub surface: Surface,
    /// Maximum number of open connections.
    pub connections: usize,
    /// How long a client may accept no bytes of a response, or keep us waiting beyond the minimum rate.
    pub write_timeout: Duration,
}

/// How long a client may take to send the head of a request, from its first byte. For the first request of a connection
/// the time begins when it connects.
pub(super) const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// How long an idle connection stays open after a request. Longer than the 60 seconds of common load balancers, so that
/// they close idle connections and never use one that we have closed.
pub(super) const IDLE_TIMEOUT: Duration = Duration::from_secs(75);
/// Maximum number of headers of a request. `parse_errors` or `head_size` answers a request with more.
pub(super) const HEADERS: usize = 100;
/// Maximum bytes of the head of a request. `parse_errors` or `head_size` answers a request with more.
pub(super) const HEAD_BYTES: usize = 64 * 1024;
/// Maximum bytes of the headers of an HTTP/2 request that the HTTP library accepts, where each header counts 32 bytes
/// more than its text. The library answers a request with more with 431 and no body, and has no option to change that.
/// So this is far more than `HEAD_BYTES`, which `head_size` checks.
pub(super) const HEADER_LIST_BYTES: u32 = 256 * 1024;
/// How often an HTTP/2 connection is pinged. A client that does not reply is gone, although its connection looks open.
pub(super) const PING_INTERVAL: Duration = Duration::from_secs(30);
/// Maximum bytes of a response that are passed to a slow client's connection at once.
pub(super) const PIECE_BYTES: usize = 16 * 1024;
/// Maximum bytes of one HTTP/2 response that the HTTP library keeps for a slow connection.
pub(super) const SEND_BUFFER_BYTES: usize = 64 * 1024;
/// Maximum number of open requests of an HTTP/2 connection. Nothing else limits the memory of responses to requests without
/// a key. Clients and proxies with more requests wait or open another connection.
pub(super) const HTTP2_STREAMS: u32 = 32;
/// The slowest rate at which a response may be read. As for a form, because a phone's line may be slow. At this rate, a
/// response of 20 MiB stays in memory for 85 minutes, so the memory of all responses is limited too (`response_memory`).
pub(super) const RESPONSE_RATE: MinimumRate = MinimumRate::kib_per_second(4);
