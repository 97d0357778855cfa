//! The master key: seals secrets at rest and signs the addresses of artifacts. While it is changed there are several.

use std::sync::{Arc, PoisonError, RwLock};

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use rand::RngExt;

/// What the seal on a remembered answer is bound to.
pub(crate) const SEALED_ANSWER: &str = "idempotent answer";

/// 32 secret bytes that every node of an installation shares. No `Debug`, so that no log can hold them.
#[derive(Clone)]
pub struct MasterKey([u8; 32]);

/// The key or a sealed text is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error("a master key is 32 bytes in base64")]
    InvalidKey,
    #[error("the sealed secret cannot be opened; is this the master key it was sealed with?")]
    CannotOpen,
}

impl MasterKey {
    pub fn generate() -> Self {
        Self(rand::rng().random())
    }

    pub fn from_base64(text: &str) -> Result<Self, SealError> {
        let bytes = STANDARD.decode(text.trim()).map_err(|_| SealError::InvalidKey)?;
        bytes.try_into().map(Self).map_err(|_| SealError::InvalidKey)
    }

    pub fn to_base64(&self) -> String {
        STANDARD.encode(self.0)
    }

    /// Tells keys apart and tells nothing of the key.
    pub fn fingerprint(&self) -> String {
        self.derive("fingerprint")[..8].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Seals a secret; `context` binds it to its place, so that it cannot be moved to another row.
    pub fn seal(&self, context: &str, secret: &[u8]) -> Result<String, SealError> {
        let nonce: [u8; NONCE_LEN] = rand::rng().random();
        let mut sealed = secret.to_vec();
        self.cipher("seal")?
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(context), &mut sealed)
            .map_err(|_| SealError::InvalidKey)?;
        Ok(STANDARD.encode([nonce.as_slice(), &sealed].concat()))
    }

    pub fn open(&self, context: &str, sealed: &str) -> Result<Vec<u8>, SealError> {
        let mut bytes = STANDARD.decode(sealed).map_err(|_| SealError::CannotOpen)?;
        if bytes.len() < NONCE_LEN {
            return Err(SealError::CannotOpen);
        }
        let mut body = bytes.split_off(NONCE_LEN);
        let nonce = Nonce::try_assume_unique_for_key(&bytes).map_err(|_| SealError::CannotOpen)?;
        let secret = self.cipher("seal")?.open_in_place(nonce, Aad::from(context), &mut body);
        secret.map(|secret| secret.to_vec()).map_err(|_| SealError::CannotOpen)
    }

    /// A signature over `message`, fit for a URL.
    pub fn sign(&self, message: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.derive("sign"));
        URL_SAFE_NO_PAD.encode(hmac::sign(&key, message.as_bytes()))
    }

    /// Checks a signature in constant time.
    pub fn verify(&self, message: &str, signature: &str) -> bool {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.derive("sign"));
        URL_SAFE_NO_PAD
            .decode(signature)
            .is_ok_and(|signature| hmac::verify(&key, message.as_bytes(), &signature).is_ok())
    }

    fn cipher(&self, purpose: &str) -> Result<LessSafeKey, SealError> {
        let key = UnboundKey::new(&AES_256_GCM, &self.derive(purpose)).map_err(|_| SealError::InvalidKey)?;
        Ok(LessSafeKey::new(key))
    }

    /// One key a purpose, so that a signature can never be used as a seal.
    fn derive(&self, purpose: &str) -> [u8; 32] {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        let mut derived = [0; 32];
        derived.copy_from_slice(hmac::sign(&key, purpose.as_bytes()).as_ref());
        derived
    }
}

/// The current master key, and those before it that still open what they sealed. Cheap to clone.
#[derive(Clone)]
pub struct MasterKeys(Arc<Ring>);

type Reload = Box<dyn Fn() -> Option<Vec<MasterKey>> + Send + Sync>;

struct Ring {
    /// The first is the current one.
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

    /// Keys that are read again from where they are kept: a rotation reaches a running process so. `None` of an empty list.
    pub fn reloading(keys: Vec<MasterKey>, reload: Reload) -> Option<Self> {
        if keys.is_empty() {
            return None;
        }
        Some(Self(Arc::new(Ring { keys: RwLock::new(keys), reload: Some(reload) })))
    }

    /// Reads the keys again, where they are kept in a file.
    pub fn refresh(&self) {
        let fresh = self.0.reload.as_ref().and_then(|reload| reload());
        if let Some(fresh) = fresh.filter(|keys| !keys.is_empty()) {
            *self.0.keys.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        }
    }

    pub fn seal(&self, context: &str, secret: &[u8]) -> Result<String, SealError> {
        self.keys().first().ok_or(SealError::InvalidKey)?.seal(context, secret)
    }

    /// Opens with whichever key fits; a key that came since this process started is read now.
    pub fn open(&self, context: &str, sealed: &str) -> Result<Vec<u8>, SealError> {
        let opened = |keys: Vec<MasterKey>| keys.iter().find_map(|key| key.open(context, sealed).ok());
        let found = opened(self.keys()).or_else(|| {
            self.refresh();
            opened(self.keys())
        });
        found.ok_or(SealError::CannotOpen)
    }

    pub fn sign(&self, message: &str) -> String {
        self.keys().first().map(|key| key.sign(message)).unwrap_or_default()
    }

    pub fn verify(&self, message: &str, signature: &str) -> bool {
        self.keys().iter().any(|key| key.verify(message, signature))
    }

    fn keys(&self) -> Vec<MasterKey> {
        self.0.keys.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_secret_opens_only_in_its_place_and_with_its_key() {
        let key = MasterKey::generate();
        let sealed = key.seal("whk_1", b"secret").unwrap();
        assert!(!sealed.contains("secret"));
        assert_eq!(key.open("whk_1", &sealed).unwrap(), b"secret");
        assert_eq!(key.open("whk_2", &sealed), Err(SealError::CannotOpen));
        assert_eq!(MasterKey::generate().open("whk_1", &sealed), Err(SealError::CannotOpen));
        assert_eq!(key.open("whk_1", "short"), Err(SealError::CannotOpen));
    }

    #[test]
    fn a_signature_holds_for_its_own_message_only() {
        let key = MasterKey::generate();
        let signature = key.sign("/files/a");
        assert!(key.verify("/files/a", &signature));
        assert!(!key.verify("/files/b", &signature));
        assert!(!key.verify("/files/a", "!"));
    }

    #[test]
    fn a_ring_seals_with_its_first_key_and_opens_with_each() {
        let (old, new) = (MasterKey::generate(), MasterKey::generate());
        let sealed = old.seal("a", b"secret").unwrap();
        let ring = MasterKeys::new(new.clone(), vec![old.clone()]);
        assert_eq!(ring.open("a", &sealed).unwrap(), b"secret");
        assert!(ring.verify("/files/a", &old.sign("/files/a")));
        assert_eq!(new.open("a", &ring.seal("a", b"x").unwrap()).unwrap(), b"x");
        assert_eq!(MasterKeys::from(new).open("a", &sealed), Err(SealError::CannotOpen));
    }

    #[test]
    fn a_key_that_came_later_is_read_when_it_is_needed() {
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

    #[test]
    fn a_key_reads_back_from_its_text() {
        let key = MasterKey::generate();
        assert!(MasterKey::from_base64(&key.to_base64()).is_ok());
        assert_eq!(MasterKey::from_base64("abc").err(), Some(SealError::InvalidKey));
    }
}
