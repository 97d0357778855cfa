//! Identifiers: a prefix and 20 base-36 characters. Nine encode the time, so that ids sort by creation; the others
//! are random.

use std::fmt;
use std::str::FromStr;

use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::time::Millis;

const ALPHABET: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
const TIME_CHARACTERS: usize = 9;
const BODY_CHARACTERS: usize = 20;

/// The text does not match the pattern of its kind of identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an identifier of this kind is `{prefix}` followed by 20 characters from a-z and 0-9")]
pub struct InvalidId {
    pub prefix: &'static str,
}

macro_rules! identifiers {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            pub const PREFIX: &'static str = $prefix;

            /// A new identifier. It sorts after identifiers from earlier milliseconds.
            pub fn generate(now: Millis) -> Self {
                Self(format!("{}{}", $prefix, new_body(now)))
            }

            /// The smallest identifier of a millisecond. Identifiers from earlier milliseconds sort before it.
            pub fn first_of(moment: Millis) -> Self {
                Self(format!("{}{}", $prefix, body_with(moment, |_| b'0')))
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                match text.strip_prefix($prefix) {
                    Some(body) if is_body(body) => Ok(Self(text.to_owned())),
                    Some(_) | None => Err(InvalidId { prefix: $prefix }),
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidId;

            fn try_from(text: String) -> Result<Self, InvalidId> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

identifiers! {
    /// One job.
    JobId = "job_";
    /// One step of a job.
    StepId = "stp_";
    /// One piece of retained content.
    ArtifactId = "art_";
    /// A registered webhook endpoint.
    EndpointId = "whk_";
    /// One event of a job; also the `webhook-id` of its deliveries.
    EventId = "evt_";
    /// The owner of keys, jobs and endpoints.
    ProjectId = "prj_";
    /// The record of an API key; not the key itself.
    KeyId = "key_";
    /// One webhook delivery.
    DeliveryId = "dlv_";
    /// One line of the ledger.
    EntryId = "led_";
    /// One HTTP request, returned as `x-request-id`.
    RequestId = "req_";
    /// The record of an operator's key; not the key itself.
    OperatorKeyId = "opk_";
    /// One sign-in to the console.
    SessionId = "ses_";
    /// One running process.
    NodeId = "nod_";
    /// Work on a model of one node.
    ModelTaskId = "mtk_";
}

fn new_body(now: Millis) -> String {
    let mut random = rand::rng();
    body_with(now, |_| ALPHABET[random.random_range(0..36)])
}

fn body_with(now: Millis, fill: impl FnMut(usize) -> u8) -> String {
    let mut body = [b'0'; BODY_CHARACTERS];
    let mut time = now.0.max(0) as u64;
    for place in body[..TIME_CHARACTERS].iter_mut().rev() {
        *place = ALPHABET[(time % 36) as usize];
        time /= 36;
    }
    let tail = (TIME_CHARACTERS..BODY_CHARACTERS).map(fill);
    for (place, letter) in body[TIME_CHARACTERS..].iter_mut().zip(tail) {
        *place = letter;
    }
    body.iter().map(|byte| char::from(*byte)).collect()
}

fn is_body(body: &str) -> bool {
    body.len() == BODY_CHARACTERS
        && body.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_id_can_be_parsed() {
        let id = JobId::generate(Millis(1_763_200_000_000));
        assert_eq!(id.as_str().len(), 24);
        assert_eq!(id.as_str().parse::<JobId>(), Ok(id));
    }

    #[test]
    fn ids_sort_by_the_millisecond_of_their_creation() {
        let earlier = StepId::generate(Millis(1_763_200_000_000));
        let later = StepId::generate(Millis(1_763_200_000_001));
        assert!(earlier < later);
    }

    #[test]
    fn the_first_id_of_a_millisecond_sorts_between_earlier_and_later_ids() {
        let first = EntryId::first_of(Millis(1_763_200_000_000));
        assert!(EntryId::generate(Millis(1_763_199_999_999)) < first);
        assert!(first <= EntryId::generate(Millis(1_763_200_000_000)));
    }

    #[test]
    fn other_prefixes_lengths_and_letters_are_refused() {
        for text in [
            "",
            "job_",
            "job_ABCDEFGHIJKLMNOPQRST",
            "stp_aaaaaaaaaaaaaaaaaaaa",
            "job_aaaaaaaaaaaaaaaaaaa",
            "job_aaaaaaaaaaaaaaaaaaaaa",
        ] {
            assert!(text.parse::<JobId>().is_err(), "{text}");
        }
    }
}
