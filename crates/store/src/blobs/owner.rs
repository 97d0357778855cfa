//! The id of the installation that the blobs belong to. It is stored as a blob beside them, and is not listed.

use bytes::Bytes;
use object_store::path::Path as Key;
use object_store::{ObjectStoreExt, PutPayload};

use super::Blobs;
use crate::error::StoreError;

/// No artifact has this key.
pub(super) const OWNER: &str = "installation";

impl Blobs {
    /// The id of the installation that the blobs belong to; `None` if none was stored.
    pub async fn owner(&self) -> Result<Option<String>, StoreError> {
        let stored = self.get_bytes(OWNER).await?;
        let id = stored.map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned());
        Ok(id.filter(|id| !id.is_empty()))
    }

    /// Makes the blobs belong to an installation.
    pub async fn set_owner(&self, id: &str) -> Result<(), StoreError> {
        let bytes = Bytes::from(format!("{id}\n"));
        // Not with `put_bytes`: another node must not read half of it.
        self.store.put(&Key::from(OWNER), PutPayload::from_bytes(bytes)).await?;
        self.make_private(OWNER)
    }
}
