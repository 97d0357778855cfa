//! The master keys of a node. There are several while the master key is being replaced.

use std::sync::Arc;

use parking_lot::RwLock;

use super::master_key::{MasterKey, SealError};

/// The current master key, and previous ones that still decrypt what they encrypted. Cheap to clone.
#[derive(Clone)]
pub struct MasterKeys(Arc<Ring>);

type Reload = Box<dyn Fn() -> Option<Vec<MasterKey>> + Send + Sync>;

struct Ring {
    /// The first is the current key.
    keys: RwLock<Vec<MasterKey>>,
    reload: Option<Reload>,
}

impl From<MasterKey> for MasterKeys {
    fn from(key: MasterKey) -> Self {
        Self::new(key, Vec::new())
    }
}

impl MasterKeys {
    pub fn new(current: MasterKey, others: Vec<MasterKey>) -> Self {
        let keys = std::iter::once(current).chain(others).collect();
        Self(Arc::new(Ring { keys: RwLock::new(keys), reload: None }))
    }

    /// Keys that are read again when needed, so that a running process learns of a rotation. `None` if `keys` is empty.
    pub fn reloading(keys: Vec<MasterKey>, reload: Reload) -> Option<Self> {
        if keys.is_empty() {
            return None;
        }
        Some(Self(Arc::new(Ring { keys: RwLock::new(keys), reload: Some(reload) })))
    }

    /// Reads the keys again, if they can be reloaded.
    pub fn refresh(&self) {
        let fresh = self.0.reload.as_ref().and_then(|reload| reload());
        if let Some(fresh) = fresh.filter(|keys| !keys.is_empty()) {
            *self.0.keys.write() = fresh;
        }
    }

    /// Encrypts with the current key.
    pub fn seal(&self, context: &str, secret: &[u8]) -> Result<String, SealError> {
        self.keys().first().ok_or(SealError::InvalidKey)?.seal(context, secret)
    }

    /// Decrypts with the key that fits. If none does, the keys are reloaded first, because a new one may have been added.
    pub fn open(&self, context: &str, sealed: &str) -> Result<Vec<u8>, SealError> {
        let opened = |keys: Vec<MasterKey>| keys.iter().find_map(|key| key.open(context, sealed).ok());
        let found = opened(self.keys()).or_else(|| {
            self.refresh();
            opened(self.keys())
        });
        found.ok_or(SealError::CannotOpen)
    }

    /// Signs with the current key.
    pub fn sign(&self, message: &str) -> String {
        self.keys().first().map(|key| key.sign(message)).unwrap_or_default()
    }

    /// Whether one of the keys made the signature.
    pub fn verify(&self, message: &str, signature: &str) -> bool {
        self.keys().iter().any(|key| key.verify(message, signature))
    }

    fn keys(&self) -> Vec<MasterKey> {
        self.0.keys.read().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_key_encrypts_and_every_key_decrypts() {
        let (old, new) = (MasterKey::generate(), MasterKey::generate());
        let sealed = old.seal("a", b"secret").unwrap();
        let ring = MasterKeys::new(new.clone(), vec![old.clone()]);
        assert_eq!(ring.open("a", &sealed).unwrap(), b"secret");
        assert!(ring.verify("/files/a", &old.sign("/files/a")));
        assert_eq!(new.open("a", &ring.seal("a", b"x").unwrap()).unwrap(), b"x");
        assert_eq!(MasterKeys::from(new).open("a", &sealed), Err(SealError::CannotOpen));
    }

    #[test]
    fn a_key_added_later_is_loaded_when_it_is_needed() {
        let (old, new) = (MasterKey::generate(), MasterKey::generate());
        let kept = vec![new.clone(), old.clone()];
        let ring = MasterKeys::reloading(vec![old], Box::new(move || Some(kept.clone()))).unwrap();
        let sealed = new.seal("a", b"secret").unwrap();
        assert_eq!(ring.open("a", &sealed).unwrap(), b"secret");
        assert_eq!(
            new.open("a", &ring.seal("a", b"x").unwrap()).unwrap(),
            b"x",
            "and is the current one now"
        );
    }
}
