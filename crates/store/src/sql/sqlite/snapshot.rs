//! Reading whole tables as of one moment.

use std::sync::Arc;

use futures::stream::{self, BoxStream, StreamExt};
use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::{Reader, Readers, SqliteRow, on_blocking_thread};
use crate::error::StoreError;

/// Rows that are read ahead of the caller.
const READ_AHEAD: usize = 64;

/// A reading connection with an open transaction, which ends when the value is dropped.
pub(crate) struct Snapshot {
    reader: Arc<Mutex<Reader>>,
}

impl Readers {
    pub(crate) async fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let reader = self.take().await?;
        let begin = move || {
            // The transaction shows the state at its first read.
            reader.connection()?.script("BEGIN; SELECT 1 FROM sqlite_master")?;
            Ok(Snapshot { reader: Arc::new(Mutex::new(reader)) })
        };
        on_blocking_thread(begin).await?
    }
}

impl Snapshot {
    /// Reads on another thread, no further ahead than the caller needs.
    pub(crate) fn rows(&mut self, text: String) -> BoxStream<'_, Result<SqliteRow, StoreError>> {
        let (sender, mut receiver) = mpsc::channel(READ_AHEAD);
        let reader = Arc::clone(&self.reader);
        tokio::task::spawn_blocking(move || {
            let reader = reader.lock();
            let read = reader.connection().and_then(|connection| {
                // A row that cannot be sent means that the caller wants no more.
                Ok(connection.each_row(&text, &[], |row| sender.blocking_send(Ok(row)).is_ok())?)
            });
            if let Err(error) = read {
                let _ = sender.blocking_send(Err(error));
            }
        });
        stream::poll_fn(move |context| receiver.poll_recv(context)).boxed()
    }
}
