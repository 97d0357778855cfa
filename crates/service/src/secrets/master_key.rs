//! The master key: encrypts stored secrets and signs the URLs of artifacts.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use rand::RngExt;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;

/// The context that an encrypted stored answer is bound to.
pub(crate) const SEALED_ANSWER: &str = "idempotent answer";

/// 32 secret bytes that every node of an installation shares. It has no `Debug`, so that it cannot appear in a log.
#[derive(Clone)]
pub struct MasterKey([u8; 32]);

/// A key or an encrypted text is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error("a master key must be 32 bytes in base64")]
    InvalidKey,
    #[error("cannot decrypt a stored secret; it was encrypted with another master key")]
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

    /// Distinguishes keys without revealing them.
    pub fn fingerprint(&self) -> String {
        hex::encode(&self.derive("fingerprint")[..8])
    }

    /// Encrypts a secret. `context` binds it to its row, so that it cannot be moved to another one.
    pub fn seal(&self, context: &str, secret: &[u8]) -> Result<String, SealError> {
        let nonce: [u8; NONCE_LEN] = rand::rng().random();
        let mut sealed = secret.to_vec();
        self.cipher("seal")?
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(context), &mut sealed)
            .map_err(|_| SealError::InvalidKey)?;
        Ok(STANDARD.encode([nonce.as_slice(), &sealed].concat()))
    }

    /// Decrypts what `seal` encrypted in the same context.
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

    /// Signs a message. The signature can be part of a URL.
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

    /// A separate key for each purpose, so that a signature can never decrypt anything.
    fn derive(&self, purpose: &str) -> [u8; 32] {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        let mut derived = [0; 32];
        derived.copy_from_slice(hmac::sign(&key, purpose.as_bytes()).as_ref());
        derived
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_decrypted_only_in_its_context_and_with_its_key() {
        let key = MasterKey::generate();
        let sealed = key.seal("whk_1", b"secret").unwrap();
        assert!(!sealed.contains("secret"));
        assert_eq!(key.open("whk_1", &sealed).unwrap(), b"secret");
        assert_eq!(key.open("whk_2", &sealed), Err(SealError::CannotOpen));
        assert_eq!(MasterKey::generate().open("whk_1", &sealed), Err(SealError::CannotOpen));
        assert_eq!(key.open("whk_1", "short"), Err(SealError::CannotOpen));
    }

    #[test]
    fn a_signature_is_valid_only_for_its_message() {
        let key = MasterKey::generate();
        let signature = key.sign("/files/a");
        assert!(key.verify("/files/a", &signature));
        assert!(!key.verify("/files/b", &signature));
        assert!(!key.verify("/files/a", "!"));
    }

    #[test]
    fn a_key_can_be_parsed_from_its_text() {
        let key = MasterKey::generate();
        assert!(MasterKey::from_base64(&key.to_base64()).is_ok());
        assert_eq!(MasterKey::from_base64("abc").err(), Some(SealError::InvalidKey));
    }
}
