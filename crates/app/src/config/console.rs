//! The settings of the console.

use std::net::SocketAddr;

use super::raw::RawConsole;
use super::values::public_url;

/// Where the console is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConsoleConfig {
    pub(crate) enabled: bool,
    /// Its own address; `None` for that of the server.
    pub(crate) listen: Option<String>,
    /// The URL at which browsers reach it, without a slash at the end.
    pub(crate) public_url: Option<String>,
}

impl RawConsole {
    pub(super) fn checked(&self) -> anyhow::Result<ConsoleConfig> {
        Ok(ConsoleConfig {
            enabled: self.enabled,
            listen: Some(self.listen.clone()).filter(|listen| !listen.is_empty()),
            public_url: public_url("console.public_url", &self.public_url)?,
        })
    }
}

impl ConsoleConfig {
    /// Whether browsers reach the console by https only.
    pub(crate) fn is_https(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.starts_with("https://"))
    }

    /// The address of a page for a sign-in with a link's secret. The secret is in the fragment, which browsers do not
    /// send, so that it is in no log.
    pub(crate) fn sign_in_url(&self, address: &str, secret: &str) -> String {
        let base = self.public_url.clone().unwrap_or_else(|| format!("http://{}", reachable(address)));
        format!("{base}/sign-in#link={secret}")
    }
}

/// The address that a browser on this machine can open. A server that listens on all addresses (`0.0.0.0`, `[::]`) is
/// reached as `localhost`; only there, and not at `0.0.0.0`, browsers also allow the microphone over plain http.
pub(crate) fn reachable(address: &str) -> String {
    match address.parse::<SocketAddr>() {
        Ok(socket) if socket.ip().is_unspecified() => format!("localhost:{}", socket.port()),
        Ok(_) | Err(_) => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(public_url: &str) -> RawConsole {
        RawConsole { enabled: true, listen: String::new(), public_url: public_url.into() }
    }

    #[test]
    fn links_begin_with_the_public_url() {
        let console = raw("https://auris.example.com/").checked().unwrap();
        assert!(console.is_https());
        let url = console.sign_in_url("127.0.0.1:8080", "sl-1");
        assert_eq!(url, "https://auris.example.com/sign-in#link=sl-1");
        let console = raw("").checked().unwrap();
        assert_eq!(console.sign_in_url("127.0.0.1:8080", "sl-1"), "http://127.0.0.1:8080/sign-in#link=sl-1");
    }

    #[test]
    fn a_server_on_all_addresses_is_reached_as_localhost() {
        let console = raw("").checked().unwrap();
        for listen in ["0.0.0.0:8080", "[::]:8080"] {
            assert_eq!(console.sign_in_url(listen, "sl-1"), "http://localhost:8080/sign-in#link=sl-1");
        }
        for listen in ["10.0.0.1:8080", "[::1]:8080", "auris.internal:8080"] {
            assert_eq!(console.sign_in_url(listen, "sl-1"), format!("http://{listen}/sign-in#link=sl-1"));
        }
    }

    #[test]
    fn a_public_url_is_checked() {
        assert!(raw("https://auris.example.com/console").checked().is_err());
    }
}
