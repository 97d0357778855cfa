//! Secrets that callers send: API keys, operator keys, sessions and sign-in links. Each is a prefix, 42 random characters
//! and a checksum, and is stored only as a hash.

use rand::RngExt;
use sha2::{Digest, Sha256};

const RANDOM_CHARACTERS: usize = 42;
const CHECKSUM_CHARACTERS: usize = 6;
const HINT_CHARACTERS: usize = 4;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

macro_rules! secrets {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        /// It does not implement `Debug`, so that it cannot be logged.
        #[derive(Clone)]
        pub struct $name(String);

        impl $name {
            pub fn generate() -> Self {
                Self(generate($prefix))
            }

            /// Reads a secret from a request. `None` if its form or checksum is wrong: such a secret cannot exist and
            /// needs no query.
            pub fn parse(text: &str) -> Option<Self> {
                is_well_formed($prefix, text).then(|| Self(text.to_owned()))
            }

            /// The stored form. A fast hash is enough, because 42 random characters cannot be guessed.
            pub fn hash(&self) -> String {
                hash(&self.0)
            }

            /// Whether this secret has the stored hash. The comparison takes the same time for every hash, so that
            /// timing reveals nothing.
            pub fn has_hash(&self, stored: &str) -> bool {
                are_equal(&self.hash(), stored)
            }

            /// The first characters, so that a person can identify the secret.
            pub fn hint(&self) -> String {
                self.0[..$prefix.len() + HINT_CHARACTERS].to_owned()
            }

            /// The secret itself. It is shown once, when it is created.
            pub fn reveal(&self) -> &str {
                &self.0
            }
        }
    )*};
}

secrets! {
    /// An API key in plain text.
    KeySecret = "sk-";
    /// An operator's key in plain text.
    OperatorKeySecret = "ok-";
    /// What the cookie of a signed-in browser contains.
    SessionSecret = "cs-";
    /// What a sign-in link contains.
    LinkSecret = "sl-";
}

fn generate(prefix: &str) -> String {
    let mut random = rand::rng();
    let body: String = (0..RANDOM_CHARACTERS)
        .map(|_| char::from(ALPHABET[random.random_range(0..ALPHABET.len())]))
        .collect();
    format!("{prefix}{body}{}", checksum(&body))
}

fn is_well_formed(prefix: &str, text: &str) -> bool {
    let Some(body) = text.strip_prefix(prefix) else { return false };
    if body.len() != RANDOM_CHARACTERS + CHECKSUM_CHARACTERS
        || !body.bytes().all(|byte| byte.is_ascii_alphanumeric())
    {
        return false;
    }
    let (random, sum) = body.split_at(RANDOM_CHARACTERS);
    checksum(random) == sum
}

fn hash(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

fn are_equal(hash: &str, stored: &str) -> bool {
    let differences = hash.bytes().zip(stored.bytes()).fold(0, |sum, (one, other)| sum | (one ^ other));
    hash.len() == stored.len() && std::hint::black_box(differences) == 0
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

    #[test]
    fn a_secret_of_one_kind_is_not_one_of_another() {
        let key = OperatorKeySecret::generate();
        assert!(KeySecret::parse(key.reveal()).is_none());
        assert!(SessionSecret::parse(key.reveal()).is_none());
        assert!(LinkSecret::parse(SessionSecret::generate().reveal()).is_none());
        assert_eq!(key.hint().len(), 7);
    }
}
