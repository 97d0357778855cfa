//! The limit of open files: raised at the start, and divided between connections and everything else.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Minimum number of files that connections leave to the database, uploads, blobs and outgoing webhooks.
const RESERVED: u64 = 256;
/// Connections leave one in this many files.
const RESERVED_SHARE: u64 = 4;
/// Minimum number of connections, even if there are hardly any files.
const LEAST_CONNECTIONS: u64 = 16;
/// A console with a separate address gets one in this many connections.
const CONSOLE_SHARE: usize = 8;
/// Maximum number of connections of a console with a separate address. A browser opens about six.
const MOST_CONSOLE_CONNECTIONS: usize = 256;
/// Minimum number of event streams that one key may have, even if there are few connections.
const LEAST_STREAMS: usize = 16;
/// Open files to ask for if the system sets no limit.
const ENOUGH_FILES: u64 = 1 << 20;

/// Raises the limit of open files as far as the system allows, and returns it.
pub(super) fn raise_limit() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.unwrap_or(ENOUGH_FILES);
    if limit.current.is_some_and(|current| current < wanted) {
        let raised = Rlimit { current: Some(wanted), maximum: limit.maximum };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, wanted, "cannot raise the limit of open files");
        }
    }
    getrlimit(Resource::Nofile).current.unwrap_or(ENOUGH_FILES)
}

/// How the open files are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileShares {
    /// Maximum number of connections of the server's address.
    pub(super) connections: usize,
    /// Maximum number of connections of the console's address, if it has a separate one.
    pub(super) console: usize,
    /// Maximum number of uploads of all keys together.
    pub(super) uploads: usize,
}

impl FileShares {
    /// Divides the files. 0 requests as many connections as possible.
    pub(super) fn of(files: u64, requested: usize, has_console_address: bool) -> Self {
        let all = connections(files, requested);
        let console = if has_console_address { console_connections(all) } else { 0 };
        Self { connections: all.saturating_sub(console).max(1), console, uploads: uploads(files) }
    }
}

/// The most connections that this limit of open files allows.
fn possible_connections(files: u64) -> u64 {
    let reserved = RESERVED.max(files / RESERVED_SHARE);
    files.saturating_sub(reserved).max(LEAST_CONNECTIONS)
}

/// How many uploads may be open with this limit of open files: half of the files that connections leave. The other half
/// is for the database, blobs and webhooks, which uploads of many keys must not stop.
fn uploads(files: u64) -> usize {
    let reserved = files.saturating_sub(possible_connections(files));
    usize::try_from(reserved / 2).unwrap_or(usize::MAX).max(1)
}

/// How many connections may be open with this limit of open files. 0 requests as many as possible.
fn connections(files: u64, requested: usize) -> usize {
    let possible = usize::try_from(possible_connections(files)).unwrap_or(usize::MAX);
    if requested > possible {
        tracing::warn!(
            requested,
            possible,
            files,
            "server.max_connections is more than the open files allow"
        );
    }
    if requested == 0 { possible } else { requested.min(possible) }
}

/// The connections of a console with a separate address, which are taken from those of the API. A console needs few.
fn console_connections(connections: usize) -> usize {
    (connections / CONSOLE_SHARE).clamp(1, MOST_CONSOLE_CONNECTIONS)
}

/// How many event streams one key may have with this maximum number of connections. 0 requests half of them, so that
/// one key cannot use all connections.
pub(super) fn streams_of_a_key(connections: usize, requested: u32) -> u32 {
    let half = LEAST_STREAMS.max(connections / 2);
    if requested == 0 { u32::try_from(half).unwrap_or(u32::MAX) } else { requested }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_raised_to_the_maximum() {
        let before = getrlimit(Resource::Nofile);
        let maximum = before.maximum.unwrap_or(ENOUGH_FILES);
        // By one file only, because other tests run in this process.
        let lowered = Rlimit { current: Some(maximum - 1), maximum: before.maximum };
        setrlimit(Resource::Nofile, lowered).unwrap();
        assert_eq!(raise_limit(), maximum);
        assert_eq!(getrlimit(Resource::Nofile).current, Some(maximum));
    }

    #[test]
    fn a_quarter_of_the_files_is_not_for_connections() {
        assert_eq!(connections(65_536, 0), 49_152);
        assert_eq!(connections(1_000, 0), 744);
        assert_eq!(connections(100, 0), 16);
        assert_eq!(connections(65_536, 20), 20);
        assert_eq!(connections(1_000, 5_000), 744);
    }

    #[test]
    fn uploads_leave_half_of_the_reserved_files() {
        assert_eq!(uploads(65_536), 8_192);
        assert_eq!(uploads(1_000), 128);
        assert_eq!(uploads(100), 42);
        assert_eq!(uploads(10), 1);
    }

    #[test]
    fn a_console_with_a_separate_address_gets_a_small_part_of_the_connections() {
        let shares = |files, requested, has_console_address| {
            let shares = FileShares::of(files, requested, has_console_address);
            (shares.connections, shares.console)
        };
        assert_eq!(shares(65_536, 0, true), (49_152 - 256, 256));
        assert_eq!(shares(1_000, 0, true), (744 - 93, 93));
        assert_eq!(shares(1_000, 20, true), (18, 2));
        assert_eq!(shares(1_000, 1, true), (1, 1));
        assert_eq!(shares(1_000, 0, false), (744, 0));
    }

    #[test]
    fn the_event_streams_of_a_key_leave_half_of_the_connections() {
        assert_eq!(streams_of_a_key(49_152, 0), 24_576);
        assert_eq!(streams_of_a_key(20, 0), 16);
        assert_eq!(streams_of_a_key(49_152, 2), 2);
    }
}
