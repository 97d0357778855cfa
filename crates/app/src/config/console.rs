//! The settings of the console.

use anyhow::bail;

use super::raw::RawConsole;

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
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let public_url = given(self.public_url.trim_end_matches('/'));
        if let Some(url) = &public_url
            && !is_origin(url)
        {
            bail!(
                "the setting `console.public_url` is `{url}`; it must be a URL such as https://auris.example.com"
            );
        }
        Ok(ConsoleConfig { enabled: self.enabled, listen: given(&self.listen), public_url })
    }
}

/// Whether the text is a scheme and a host, without a path: the console's pages are at the root.
fn is_origin(url: &str) -> bool {
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ']))
}

impl ConsoleConfig {
    /// Whether browsers reach the console by https only.
    pub(crate) fn is_https(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.starts_with("https://"))
    }

    /// The address of a page for a sign-in with a link's secret. The secret is in the fragment, which browsers do not
    /// send, so that it is in no log.
    pub(crate) fn sign_in_url(&self, address: &str, secret: &str) -> String {
        let base = self.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
        format!("{base}/sign-in#link={secret}")
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
    fn a_public_url_is_a_scheme_and_a_host() {
        for url in ["auris.example.com", "ftp://a", "https://", "https://a/b", "https://a?b", "https://u@a"] {
            assert!(raw(url).checked().is_err(), "{url}");
        }
    }
}
