//! Values that all nodes share, such as which master key is in use: the first node sets a value, the others read it.

use crate::error::StoreError;
use crate::sql::{args, statements};
use crate::store::Store;

/// The name of the id of the installation, which is also stored beside the blobs.
pub(crate) const INSTALLATION: &str = "installation.id";

statements! {
    SET_ONCE = "INSERT INTO agreements (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    VALUE = "SELECT value FROM agreements WHERE name = $1";
    REPLACE = "UPDATE agreements SET value = $3 WHERE name = $1 AND value = $2";
}

impl Store {
    /// The shared value with this name.
    pub async fn shared_value(&self, name: &str) -> Result<Option<String>, StoreError> {
        let row = self.database().row(&VALUE, args![name]).await?;
        row.map(|row| row.text("value")).transpose()
    }

    /// Sets a value unless another node has set it before; returns the value that is stored.
    pub async fn set_shared_value_once(&self, name: &str, value: &str) -> Result<String, StoreError> {
        self.database().write(&SET_ONCE, args![name, value]).await?;
        self.shared_value(name)
            .await?
            .ok_or_else(|| StoreError::internal("a shared value was deleted while it was set"))
    }

    /// The id of the installation that this database belongs to; `None` before the first start.
    pub async fn installation(&self) -> Result<Option<String>, StoreError> {
        self.shared_value(INSTALLATION).await
    }

    /// Sets the id of the installation unless it has one; returns the id that is stored.
    pub async fn set_installation_once(&self, id: &str) -> Result<String, StoreError> {
        self.set_shared_value_once(INSTALLATION, id).await
    }

    /// Replaces the value `from` by `to`; returns false if the stored value is not `from`.
    pub async fn replace_shared_value(&self, name: &str, from: &str, to: &str) -> Result<bool, StoreError> {
        Ok(self.database().write(&REPLACE, args![name, from, to]).await? == 1)
    }
}
