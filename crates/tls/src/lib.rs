//! The cryptography of TLS connections.
//!
//! HTTP clients are built without a provider, because the one that they would bring takes 104 of the CPU
//! seconds of a clean release build, five times as much as ring.

/// Makes ring the provider of all TLS connections of this process. Call it before an HTTP client is built; every call
/// after the first one has no effect.
pub fn use_ring() {
    // An error means that a provider was already installed, which is what is wanted.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_installed_however_often_it_is_asked_for() {
        use_ring();
        use_ring();
        assert!(rustls::crypto::CryptoProvider::get_default().is_some());
    }
}
