//! The reading connections: opened when they are needed, and kept.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{ACQUIRE_TIMEOUT, Connection, closed, on_blocking_thread, timed_out};
use crate::error::StoreError;

pub(crate) struct Readers {
    path: String,
    pool: Arc<Pool>,
}

struct Pool {
    /// One permit for each connection that may be in use.
    permits: Arc<Semaphore>,
    idle: Mutex<Vec<Connection>>,
}

/// A connection in use; dropping it makes it available again.
pub(crate) struct Reader {
    /// `None` only while it is dropped.
    connection: Option<Connection>,
    pool: Arc<Pool>,
    _permit: OwnedSemaphorePermit,
}

impl Readers {
    pub(super) fn new(path: String, limit: usize) -> Self {
        let pool = Pool { permits: Arc::new(Semaphore::new(limit)), idle: Mutex::default() };
        Self { path, pool: Arc::new(pool) }
    }

    pub(crate) async fn take(&self) -> Result<Reader, StoreError> {
        let permit = tokio::time::timeout(ACQUIRE_TIMEOUT, Arc::clone(&self.pool.permits).acquire_owned());
        let permit = permit.await.map_err(|_| timed_out())?.map_err(|_| closed())?;
        let idle = self.pool.idle.lock().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => {
                let path = self.path.clone();
                on_blocking_thread(move || Connection::open_for_reading(&path)).await??
            }
        };
        Ok(Reader { connection: Some(connection), pool: Arc::clone(&self.pool), _permit: permit })
    }

    /// Closes the idle connections. Those in use are closed when they are dropped.
    pub(crate) fn close(&self) {
        self.pool.permits.close();
        self.pool.idle.lock().clear();
    }
}

impl Reader {
    pub(crate) fn connection(&self) -> Result<&Connection, StoreError> {
        self.connection.as_ref().ok_or_else(closed)
    }

    /// Runs work that may take long on a thread that is meant for it.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        on_blocking_thread(move || Ok(work(self.connection()?)?)).await?
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        // An open transaction would go on reading the past. If it cannot be ended, the connection is closed.
        let is_ready = !connection.is_in_transaction() || connection.script("ROLLBACK").is_ok();
        let mut idle = self.pool.idle.lock();
        if is_ready && !self.pool.permits.is_closed() {
            idle.push(connection);
        }
    }
}
