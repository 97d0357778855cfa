//! What the reader of a form needs of the service, without a database, a disk or other callers.

use auris_domain::error::ApiError;

/// Largest piece of a file that is in memory at once: twice what the reader passes to the form's parser at a time.
const PIECE_LIMIT: usize = 2 * 64 * 1024;

#[derive(Debug)]
pub enum ServiceError {
    Refused(ApiError),
    Internal(String),
}

impl From<ApiError> for ServiceError {
    fn from(error: ApiError) -> Self {
        Self::Refused(error)
    }
}

pub struct Caller;
pub struct Service;
pub struct UploadSlot;
pub struct FileSlot;
pub struct SpoolWriter(Spool);

/// Only the length of a file.
#[derive(Default)]
pub struct Spool {
    pub bytes: u64,
}

impl Service {
    pub async fn begin_upload(&self, _caller: &Caller) -> Result<UploadSlot, ApiError> {
        Ok(UploadSlot)
    }

    pub async fn open_spool(&self) -> Result<SpoolWriter, ServiceError> {
        Ok(SpoolWriter(Spool::default()))
    }
}

impl UploadSlot {
    pub fn received(self) -> FileSlot {
        FileSlot
    }
}

impl SpoolWriter {
    pub fn bytes(&self) -> u64 {
        self.0.bytes
    }

    pub async fn write(&mut self, piece: &[u8]) -> Result<(), ServiceError> {
        assert!(piece.len() <= PIECE_LIMIT, "{} bytes of a file were in memory at once", piece.len());
        self.0.bytes += piece.len() as u64;
        Ok(())
    }

    pub async fn finish(self) -> Result<Spool, ServiceError> {
        Ok(self.0)
    }
}

impl Spool {
    pub fn count(&mut self, _slot: FileSlot) {}
}
