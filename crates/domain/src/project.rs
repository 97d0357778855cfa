//! Projects and their API keys: who may do what, and what a key looks like.

use rand::RngExt;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::id::{KeyId, ProjectId};
use crate::money::Usd;
use crate::time::Timestamp;

const KEY_PREFIX: &str = "sk-";
const RANDOM_CHARACTERS: usize = 42;
const CHECKSUM_CHARACTERS: usize = 6;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The owner of everything that a caller can see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub id: ProjectId,
    pub name: String,
    pub plan: String,
    /// `None`: no prepaid balance, so nothing to run out of.
    pub balance: Option<Balance>,
    pub limits: ProjectLimits,
    pub created_at: Timestamp,
}

/// What a project has paid ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Balance {
    pub total: Usd,
    /// The part of it that requests under way may yet cost.
    pub held: Usd,
}

impl Balance {
    /// What a further request may cost at most.
    pub fn available(self) -> Usd {
        self.total - self.held
    }
}

/// Limits of a project as a whole; `None` takes the server's setting, 0 is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProjectLimits {
    pub requests_per_minute: Option<u32>,
    pub concurrent_transcriptions: Option<u32>,
}

/// What a key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    Read,
    Write,
}

impl Scope {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Read, Self::Write].into_iter().find(|scope| scope.as_str() == text)
    }
}

/// The record of a key; the key itself is never kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    pub id: KeyId,
    pub project_id: ProjectId,
    pub name: String,
    pub scopes: Vec<Scope>,
    /// The first characters, so that a person can tell keys apart.
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

/// A key in clear, on its way to its owner. It has no `Debug`, so that no log can hold it.
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

    /// Reads what a caller sent; a wrong length or checksum is no key of ours, and needs no look-up to know.
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

    /// What is stored. 42 random characters need no slow hash.
    pub fn hash(&self) -> String {
        Sha256::digest(self.0.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether this is the key with the stored hash, in a time that does not tell how much of it is right.
    pub fn has_hash(&self, stored: &str) -> bool {
        let own = self.hash();
        let differs = own.bytes().zip(stored.bytes()).fold(0, |seen, (one, other)| seen | (one ^ other));
        own.len() == stored.len() && std::hint::black_box(differs) == 0
    }

    pub fn hint(&self) -> String {
        self.0[..KEY_PREFIX.len() + 4].to_owned()
    }

    /// The key itself, to be shown once.
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
    fn a_new_key_has_51_characters_and_reads_back() {
        let key = KeySecret::generate();
        assert_eq!(key.reveal().len(), 51);
        assert_eq!(KeySecret::parse(key.reveal()).unwrap().hash(), key.hash());
    }

    #[test]
    fn a_key_knows_its_own_hash_and_no_other() {
        let key = KeySecret::generate();
        assert!(key.has_hash(&key.hash()));
        assert!(!key.has_hash(&KeySecret::generate().hash()));
        assert!(!key.has_hash(&key.hash()[1..]));
    }

    #[test]
    fn a_typo_is_caught_by_the_checksum() {
        let key = KeySecret::generate();
        let changed = if key.reveal().as_bytes()[10] == b'a' { 'b' } else { 'a' };
        let mut text = key.reveal().to_owned();
        text.replace_range(10..11, &changed.to_string());
        assert!(KeySecret::parse(&text).is_none());
        assert!(KeySecret::parse("sk-short").is_none());
        assert!(KeySecret::parse("").is_none());
    }
}
