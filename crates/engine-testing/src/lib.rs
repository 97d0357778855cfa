//! Shared by the tests of the engine crates: recordings, other formats of them, a file server,
//! weights in other formats, and scores.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot continue should panic")]

pub mod file_server;
pub mod formats;
pub mod music;
pub mod score;
pub mod weight_files;
pub mod words;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Recordings by their SHA-256.
pub mod recording {
    pub const JFK: &str = "59dfb9a4acb36fe2a2affc14bacbee2920ff435cb13cc314a08c13f66ba7860e";
    pub const TWO_CITIES: &str = "f3348494d77cb74a02862f5e685ed09faf3e75832c5cc5c80703282c2cd8b52e";
    pub const BECKETT: &str = "e5a26b3d29e5b0bc8dbd72c11d16a3808a4ec0ac45b21f12a27d2a2fe5c5ae61";
    pub const RUSSIAN: &str = "12ea331ebce2c2f5a0aabeb96998caf7c76a74459c5e11b1b1cda57b66624c45";
}

/// The folder that `scripts/fetch-assets` fills.
pub fn assets() -> PathBuf {
    let cache = std::env::var_os("AURIS_CACHE").map(PathBuf::from);
    let cache = cache.or_else(|| std::env::home_dir().map(|home| home.join(".cache/auris")));
    cache.expect("a home folder").join("assets")
}

/// The file with this SHA-256.
pub fn asset(hash: &str) -> PathBuf {
    let path = assets().join(hash);
    assert!(path.exists(), "{} is missing: run scripts/fetch-assets", path.display());
    path
}

/// Runs `ffmpeg` with these arguments and panics if it fails.
pub fn ffmpeg<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) {
    let output = Command::new("ffmpeg")
        .args(["-nostdin", "-y", "-v", "error"])
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("ffmpeg is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Writes 16 kHz mono samples as a 16-bit WAV file.
pub fn write_wav(path: &Path, samples: &[f32]) -> PathBuf {
    let bytes = samples.len() as u32 * 2;
    let mut file = b"RIFF".to_vec();
    file.extend((36 + bytes).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data");
    file.extend(bytes.to_le_bytes());
    file.extend(samples.iter().flat_map(|sample| ((sample * 32_767.0) as i16).to_le_bytes()));
    std::fs::write(path, file).unwrap();
    path.to_owned()
}
