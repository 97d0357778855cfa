//! Limits of a connection and of the head of a request.

use std::time::Duration;

/// How long a client may take to send the head of a request, and how long an idle connection stays open. Longer than
/// the 60 seconds of common load balancers, so that they close idle connections and never use one that we have closed.
pub(super) const HEAD_TIMEOUT: Duration = Duration::from_secs(75);
/// Maximum number of headers of an HTTP/1 request. `parse_errors` answers a request with more.
pub(super) const HEADERS: usize = 100;
/// Maximum bytes of the head of an HTTP/1 request. `parse_errors` answers a request with more.
pub(super) const HEAD_BYTES: usize = 400 * 1024;
/// Maximum bytes of the headers of an HTTP/2 request, where each header counts 32 bytes more than its text.
pub(super) const HEADER_LIST_BYTES: u32 = 256 * 1024;
/// How often an HTTP/2 connection is pinged. A client that does not reply is gone, although its connection looks open.
pub(super) const PING_INTERVAL: Duration = Duration::from_secs(30);
