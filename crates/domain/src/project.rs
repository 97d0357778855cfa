//! Projects, their balances and their API keys.

use rand::RngExt;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use strum::{EnumString, IntoStaticStr};

use crate::id::{KeyId, ProjectId};
use crate::money::Usd;
use crate::time::Timestamp;

const KEY_PREFIX: &str = "sk-";
const RANDOM_CHARACTERS: usize = 42;
const CHECKSUM_CHARACTERS: usize = 6;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The owner of jobs, API keys and webhook endpoints. A caller sees only those of its own project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub id: ProjectId,
    pub name: String,
    pub plan: String,
    /// `None` if the project does not prepay; then its spending has no limit.
    pub balance: Option<Balance>,
    pub limits: ProjectLimits,
    pub created_at: Timestamp,
}

/// The prepaid money of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Balance {
    pub total: Usd,
    /// The part that is held for requests in progress: the most that they may still cost.
    pub held: Usd,
}

impl Balance {
    /// The most that a new request may cost.
    pub fn available(self) -> Usd {
        self.total - self.held
    }
}

/// Limits of a project, shared by its keys. `None` uses the server's setting; 0 means unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProjectLimits {
    pub requests_per_minute: Option<u32>,
    pub concurrent_transcriptions: Option<u32>,
}

/// What a key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Scope {
    Read,
    Write,
}

impl Scope {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The record of a key. The key itself is never stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    pub id: KeyId,
    pub project_id: ProjectId,
    pub name: String,
    pub scopes: Vec<Scope>,
    /// The first characters of the key, so that a person can identify it.
    pub hint: String,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub revoked_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
}

impl ApiKey {
    pub fn allows(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }

    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|expiry| expiry <= now)
    }
}

/// An API key in plain text. It does not implement `Debug`, so that it cannot be logged.
#[derive(Clone)]
pub struct KeySecret(String);

impl KeySecret {
    pub fn generate() -> Self {
        let mut random = rand::rng();
        let body: String = (0..RANDOM_CHARACTERS)
            .map(|_| char::from(ALPHABET[random.random_range(0..ALPHABET.len())]))
            .collect();
        Self(format!("{KEY_PREFIX}{body}{}", checksum(&body)))
    }

    /// Reads a key from a request. `None` if its form or checksum is wrong: such a key cannot exist and needs no query.
    pub fn parse(text: &str) -> Option<Self> {
        let body = text.strip_prefix(KEY_PREFIX)?;
        if body.len() != RANDOM_CHARACTERS + CHECKSUM_CHARACTERS
            || !body.bytes().all(|byte| byte.is_ascii_alphanumeric())
        {
            return None;
        }
        let (random, sum) = body.split_at(RANDOM_CHARACTERS);
        (checksum(random) == sum).then(|| Self(text.to_owned()))
    }

    /// The stored form of the key. A fast hash is enough, because 42 random characters cannot be guessed.
    pub fn hash(&self) -> String {
        Sha256::digest(self.0.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether this key has the stored hash. The comparison takes the same time for every hash, so that timing reveals
    /// nothing.
    pub fn has_hash(&self, stored: &str) -> bool {
        let hash = self.hash();
        let differences = hash.bytes().zip(stored.bytes()).fold(0, |sum, (one, other)| sum | (one ^ other));
        hash.len() == stored.len() && std::hint::black_box(differences) == 0
    }

    pub fn hint(&self) -> String {
        self.0[..KEY_PREFIX.len() + 4].to_owned()
    }

    /// The key itself. It is shown once, when it is created.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

fn checksum(body: &str) -> String {
    let digest = Sha256::digest(body.as_bytes());
    digest
        .iter()
        .take(CHECKSUM_CHARACTERS)
        .map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_key_has_51_characters_and_can_be_parsed() {
        let key = KeySecret::generate();
        assert_eq!(key.reveal().len(), 51);
        assert_eq!(KeySecret::parse(key.reveal()).unwrap().hash(), key.hash());
    }

    #[test]
    fn a_key_matches_only_its_own_hash() {
        let key = KeySecret::generate();
        assert!(key.has_hash(&key.hash()));
        assert!(!key.has_hash(&KeySecret::generate().hash()));
        assert!(!key.has_hash(&key.hash()[1..]));
    }

    #[test]
    fn the_checksum_detects_a_typo() {
        let key = KeySecret::generate();
        let changed = if key.reveal().as_bytes()[10] == b'a' { 'b' } else { 'a' };
        let mut text = key.reveal().to_owned();
        text.replace_range(10..11, &changed.to_string());
        assert!(KeySecret::parse(&text).is_none());
        assert!(KeySecret::parse("sk-short").is_none());
        assert!(KeySecret::parse("").is_none());
    }
}
