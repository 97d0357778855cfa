//! A stack that is deep enough for any schema within the bounds, wherever the caller runs.

use std::thread;

use super::SchemaFault;

/// jsonschema calls itself for every level of a schema, of an answer and of a chain of references. Measured in a debug
/// build, the worst that the bounds let through needs 10 MiB, and the worst chain of the largest size, if the bounds
/// missed it, 70 MiB; a thread of the runtime has 2 MiB. Only what is touched takes memory.
const STACK_BYTES: usize = 128 * 1024 * 1024;

/// Does the work on a thread of its own. A panic of the library is the schema's fault, not the caller's end.
pub(super) fn run<T: Send>(work: impl FnOnce() -> Result<T, SchemaFault> + Send) -> Result<T, SchemaFault> {
    thread::scope(|scope| {
        let named = thread::Builder::new().name("json-schema".into()).stack_size(STACK_BYTES);
        let thread = named.spawn_scoped(scope, work).map_err(|_| SchemaFault::NoThread)?;
        thread.join().unwrap_or_else(|_| Err(SchemaFault::Unusable("it could not be compiled".into())))
    })
}
