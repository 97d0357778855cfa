//! Signatures of the Standard Webhooks specification, so that its libraries can verify our messages.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rand::RngExt;
use ring::hmac;

const PREFIX: &str = "whsec_";

/// A signing secret. It has no `Debug`, so that it cannot appear in a log.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningSecret(Vec<u8>);

impl SigningSecret {
    pub fn generate() -> Self {
        Self(rand::rng().random::<[u8; 32]>().to_vec())
    }

    /// Parses the form that `reveal` returns.
    pub fn parse(text: &str) -> Option<Self> {
        STANDARD.decode(text.strip_prefix(PREFIX)?).ok().map(Self)
    }

    /// The secret in the form that the libraries expect.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&self.0))
    }

    fn sign(&self, parts: [&str; 2]) -> String {
        let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, &self.0));
        for part in parts {
            context.update(part.as_bytes());
        }
        format!("v1,{}", STANDARD.encode(context.sign()))
    }
}

/// The `webhook-signature` header: one signature per secret. A receiver needs to know one of the secrets.
pub fn signature(secrets: &[SigningSecret], id: &str, timestamp: i64, body: &str) -> String {
    let head = format!("{id}.{timestamp}.");
    let signatures: Vec<String> = secrets.iter().map(|secret| secret.sign([&head, body])).collect();
    signatures.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification's libraries.
    #[test]
    fn the_published_example_has_the_published_signature() {
        let secret = SigningSecret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let header =
            signature(&[secret], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(header, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn two_secrets_make_two_signatures() {
        let secrets = [SigningSecret::generate(), SigningSecret::generate()];
        let header = signature(&secrets, "evt_1", 1, "{}");
        let parts: Vec<&str> = header.split(' ').collect();
        assert_eq!(parts.len(), 2);
        assert_eq!(parts[0], signature(&secrets[..1], "evt_1", 1, "{}"));
        assert_eq!(parts[1], signature(&secrets[1..], "evt_1", 1, "{}"));
    }

    #[test]
    fn a_revealed_secret_can_be_parsed() {
        let secret = SigningSecret::generate();
        assert!(SigningSecret::parse(&secret.reveal()).unwrap() == secret);
        assert!(SigningSecret::parse("whsec_!").is_none());
        assert!(SigningSecret::parse("abc").is_none());
    }
}
