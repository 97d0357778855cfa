//! What all nodes must agree on, such as which master key is in use: the first says it, the others are told.

use crate::db::args;
use crate::error::StoreError;
use crate::statements::statements;
use crate::store::Store;

statements! {
    AGREE = "INSERT INTO agreements (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    AGREEMENT = "SELECT value FROM agreements WHERE name = $1";
    CHANGE_AGREEMENT = "UPDATE agreements SET value = $3 WHERE name = $1 AND value = $2";
}

impl Store {
    /// What stands under this name.
    pub async fn agreement(&self, name: &str) -> Result<Option<String>, StoreError> {
        let row = self.database().row(&AGREEMENT, args![name]).await?;
        row.map(|row| row.text("value")).transpose()
    }

    /// Says it unless it was said already; returns what stands.
    pub async fn agree(&self, name: &str, value: &str) -> Result<String, StoreError> {
        self.database().write(&AGREE, args![name, value]).await?;
        self.agreement(name)
            .await?
            .ok_or_else(|| StoreError::internal("an agreement vanished while it was made"))
    }

    /// Puts another value in the place of one that is known; false where that no longer stands.
    pub async fn change_agreement(&self, name: &str, from: &str, to: &str) -> Result<bool, StoreError> {
        Ok(self.database().write(&CHANGE_AGREEMENT, args![name, from, to]).await? == 1)
    }
}
