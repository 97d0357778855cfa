//! The files of the console's pages, which `scripts/console` built.

use std::io::Write;
use std::sync::OnceLock;

use flate2::Compression;
use flate2::write::GzEncoder;

/// The document that shows every page.
pub(crate) const DOCUMENT: &str = "index.html";

/// A file of the console.
pub(crate) struct ConsoleFile {
    pub(crate) path: &'static str,
    pub(crate) content_type: &'static str,
    /// Whether the name contains a hash of the content, so that browsers may keep it for ever.
    pub(crate) is_immutable: bool,
    pub(crate) bytes: &'static [u8],
}

include!("../../../console/dist/files.rs");

/// The compressed bytes of a file. All files are compressed at the first request, which takes some milliseconds, so that
/// the repository has no compressed copies that depend on the compressor's version.
pub(crate) fn gzipped(index: usize) -> Option<&'static [u8]> {
    static COMPRESSED: OnceLock<Vec<Option<Vec<u8>>>> = OnceLock::new();
    let all = COMPRESSED.get_or_init(|| FILES.iter().map(|file| gzip(file.bytes).ok()).collect());
    all.get(index)?.as_deref()
}

fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_list_has_a_type_and_the_document_exists() {
        assert!(FILES.iter().any(|file| file.path == DOCUMENT && !file.is_immutable));
        for file in FILES {
            assert!(!file.bytes.is_empty(), "{}", file.path);
            assert!(file.content_type.contains('/'), "{}", file.path);
        }
    }
}
