//! Runs work on a thread whose stack is deep enough for every schema within the limits.

use std::thread;

use super::SchemaFault;

/// jsonschema is recursive: over the levels of a schema, the levels of an answer and chains of references. In a debug
/// build the worst schema within the limits needs 10 MiB; the worst chain of the maximum size, if the limits missed it,
/// would need 70 MiB. Threads of the runtime have only 2 MiB. Only the part of the stack that is touched uses memory.
const STACK_BYTES: usize = 128 * 1024 * 1024;

/// Runs the work on its own thread. A panic in the library becomes an error of the schema.
pub(super) fn run<T: Send>(work: impl FnOnce() -> Result<T, SchemaFault> + Send) -> Result<T, SchemaFault> {
    thread::scope(|scope| {
        let named = thread::Builder::new().name("json-schema".into()).stack_size(STACK_BYTES);
        let thread = named.spawn_scoped(scope, work).map_err(|_| SchemaFault::NoThread)?;
        thread.join().unwrap_or_else(|_| Err(SchemaFault::Unusable("it could not be compiled".into())))
    })
}
