//! A signed URL of this service: which file, until when, and the signature of both.

use crate::error::{ApiError, Checked, ErrorCode};
use crate::id::ArtifactId;

/// The parts of a signed URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedAddress {
    pub artifact: ArtifactId,
    /// Unix seconds.
    pub expires: i64,
    pub signature: String,
}

impl SignedAddress {
    /// Reads the query of a URL. The signature is not checked here.
    pub fn parse(artifact: ArtifactId, query: &str) -> Checked<Self> {
        let value = |name: &str| {
            let mut pairs = url::form_urlencoded::parse(query.as_bytes());
            pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
        };
        let invalid = || ApiError::new(ErrorCode::SignatureInvalid, "This service did not sign this URL.");
        let expires = value("expires").and_then(|text| text.parse().ok()).ok_or_else(invalid)?;
        Ok(Self { artifact, expires, signature: value("signature").ok_or_else(invalid)? })
    }

    /// The text that is signed.
    pub fn signed_text(artifact: &ArtifactId, expires: i64) -> String {
        format!("artifact\n{artifact}\n{expires}")
    }

    /// The path and the query, as `parse` reads them. Signatures are in URL-safe base64.
    pub fn path(&self) -> String {
        let Self { artifact, expires, signature } = self;
        format!("/files/{artifact}?expires={expires}&signature={signature}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Millis;

    #[test]
    fn a_signed_path_is_read_back() {
        let artifact = ArtifactId::generate(Millis(1));
        let address = SignedAddress { artifact: artifact.clone(), expires: 17, signature: "a-_9".to_owned() };
        let path = address.path();
        let (_, query) = path.split_once('?').unwrap();
        assert_eq!(SignedAddress::parse(artifact.clone(), query).unwrap(), address);
        let escaped = SignedAddress::parse(artifact, "expires=17&signature=%61-_9");
        assert_eq!(escaped.unwrap(), address);
    }

    #[test]
    fn a_query_without_a_part_or_with_a_date_that_is_no_number_is_refused() {
        for query in ["", "expires=1", "signature=a", "expires=x&signature=a", "expires=1&Signature=a"] {
            let refused = SignedAddress::parse(ArtifactId::generate(Millis(1)), query);
            assert_eq!(refused.unwrap_err().code, ErrorCode::SignatureInvalid, "{query}");
        }
    }
}
