//! Which master key the database was set up with: all nodes must have the same one, or they could not decrypt each
//! other's secrets.

use super::{MasterKeySource, Operator, OperatorError, Result};
use crate::secrets::{MasterKey, MasterKeys};

/// Under which name the database stores the fingerprint of the master key in use.
const FINGERPRINT: &str = "master_key.fingerprint";

impl Operator {
    /// Loads the master keys of this node and checks that they match the ones that the database was set up with.
    pub async fn agreed_master_keys(&self, source: &MasterKeySource) -> Result<MasterKeys> {
        if let MasterKeySource::File(path) = source
            && source.existing()?.is_empty()
            && self.expected_master_key().await?.is_some()
        {
            let folder = path.parent().unwrap_or(path).display();
            return Err(OperatorError::conflict(format!(
                "this database was set up with a master key that this node does not have; set \
                 AURIS_SECURITY__MASTER_KEY to that key, or copy the other node's `master.key` to `{folder}`"
            )));
        }
        let keys = source.load()?;
        self.agree_on_master_key(&source.existing()?).await?;
        Ok(keys)
    }

    /// The fingerprint of the master key that the database was set up with; `None` before the first start.
    pub async fn expected_master_key(&self) -> Result<Option<String>> {
        Ok(self.store.shared_value(FINGERPRINT).await?)
    }

    /// Checks this node's keys, the current one first, against the database. The first node stores its key's
    /// fingerprint. A node that has the stored key as a previous one introduces its current key.
    pub async fn agree_on_master_key(&self, keys: &[MasterKey]) -> Result<()> {
        let own: Vec<String> = keys.iter().map(MasterKey::fingerprint).collect();
        let Some(current) = own.first() else {
            return Err(OperatorError::not_found("there is no master key"));
        };
        let agreed = self.store.set_shared_value_once(FINGERPRINT, current).await?;
        if !own.contains(&agreed) {
            return Err(OperatorError::conflict(format!(
                "the master key of this node ({current}) differs from the one that the database was set up with \
                 ({agreed}). All nodes share one master key: set AURIS_SECURITY__MASTER_KEY to the key of the other \
                 nodes, or copy their `master.key`"
            )));
        }
        if agreed != *current {
            self.store.replace_shared_value(FINGERPRINT, &agreed, current).await?;
        }
        Ok(())
    }
}
