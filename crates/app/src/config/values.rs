//! Checks of single settings.

use std::path::PathBuf;

use anyhow::bail;

pub(super) fn at_least(name: &str, value: u64, least: u64) -> anyhow::Result<()> {
    if value < least {
        bail!("the setting `{name}` is {value}; it must be at least {least}");
    }
    Ok(())
}

/// The URL under which a proxy publishes the server or the console, without a slash at the end; `None` if it is empty.
pub(super) fn public_url(name: &str, value: &str) -> anyhow::Result<Option<String>> {
    let url = value.trim_end_matches('/');
    if url.is_empty() {
        return Ok(None);
    }
    if !is_origin(url) {
        bail!("the setting `{name}` is `{url}`; it must be a URL such as https://auris.example.com");
    }
    Ok(Some(url.to_owned()))
}

/// Whether the text is a scheme and a host, without a path: the API and the pages of the console are at the root.
fn is_origin(url: &str) -> bool {
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ']))
}

pub(super) fn given(path: &str) -> Option<PathBuf> {
    (!path.is_empty()).then(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_url_is_a_scheme_and_a_host() {
        let checked = |url: &str| public_url("server.public_url", url);
        assert_eq!(checked("").unwrap(), None);
        assert_eq!(checked("https://a.example:8443/").unwrap().as_deref(), Some("https://a.example:8443"));
        for url in ["auris.example.com", "ftp://a", "https://", "https://a/b", "https://a?b", "https://u@a"] {
            let error = checked(url).unwrap_err().to_string();
            assert!(error.contains("`server.public_url`"), "{error}");
        }
    }
}
