//! Where the tests find their recordings, and how they make others of them.

#![allow(dead_code, clippy::allow_attributes, reason = "each test binary uses some of this")]

pub(crate) mod file_server;
pub(crate) mod formats;
pub(crate) mod music;
pub(crate) mod recordings;
pub(crate) mod words;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use auris_engines::audio::AudioStream;
use auris_engines::{AudioSource, Catalog, EngineSettings, Engines, Tuning};

pub(crate) mod recording {
    pub(crate) const JFK: &str = "59dfb9a4acb36fe2a2affc14bacbee2920ff435cb13cc314a08c13f66ba7860e";
    pub(crate) const TWO_CITIES: &str = "f3348494d77cb74a02862f5e685ed09faf3e75832c5cc5c80703282c2cd8b52e";
    pub(crate) const BECKETT: &str = "e5a26b3d29e5b0bc8dbd72c11d16a3808a4ec0ac45b21f12a27d2a2fe5c5ae61";
    pub(crate) const RUSSIAN: &str = "12ea331ebce2c2f5a0aabeb96998caf7c76a74459c5e11b1b1cda57b66624c45";
}

/// The folder that `scripts/fetch-assets` fills.
pub(crate) fn assets() -> PathBuf {
    let cache = std::env::var_os("AURIS_CACHE").map(PathBuf::from);
    let cache = cache.or_else(|| std::env::home_dir().map(|home| home.join(".cache/auris")));
    cache.expect("a home folder").join("assets")
}

/// A recording by its hash.
pub(crate) fn asset(hash: &str) -> PathBuf {
    let path = assets().join(hash);
    assert!(path.exists(), "{} is missing: run scripts/fetch-assets", path.display());
    path
}

/// Runs `ffmpeg` with these arguments, which must work.
pub(crate) fn ffmpeg<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) {
    let output = Command::new("ffmpeg")
        .args(["-nostdin", "-y", "-v", "error"])
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("ffmpeg is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Everything that our decoder makes of a file.
pub(crate) fn decode(path: &Path) -> Result<(Vec<f32>, f64), auris_engines::EngineError> {
    let mut stream = AudioStream::open(&AudioSource::new(path, 36_000.0))?;
    let mut samples = Vec::new();
    while let Some(block) = stream.next_block()? {
        samples.extend(block);
    }
    Ok((samples, stream.seconds()))
}

/// Engines with every model of the catalogue whose files were fetched, in a folder of links.
pub(crate) fn engines(folder: &Path) -> Engines {
    tuned_engines(folder, &Tuning::default())
}

pub(crate) fn tuned_engines(folder: &Path, tuning: &Tuning) -> Engines {
    let catalog = Catalog::built_in().unwrap();
    // The large language model is fetched for the soak only.
    let fetched = |sha256: &str| assets().join(sha256).exists();
    for entry in catalog.models.iter().filter(|entry| entry.files.iter().all(|file| fetched(&file.sha256))) {
        let target = folder.join(&entry.model.id);
        std::fs::create_dir_all(&target).unwrap();
        for file in &entry.files {
            std::os::unix::fs::symlink(asset(&file.sha256), target.join(&file.name)).unwrap();
        }
    }
    let settings = EngineSettings { models_dir: folder.to_owned(), max_audio_seconds: 36_000.0 };
    Engines::tuned(catalog, settings, tuning)
}

/// Writes 16 kHz mono samples as a 16-bit WAV file.
pub(crate) fn write_wav(path: &Path, samples: &[f32]) -> PathBuf {
    let bytes = samples.len() as u32 * 2;
    let mut file = b"RIFF".to_vec();
    file.extend((36 + bytes).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data");
    file.extend(bytes.to_le_bytes());
    file.extend(samples.iter().flat_map(|sample| ((sample * 32_767.0) as i16).to_le_bytes()));
    std::fs::write(path, file).unwrap();
    path.to_owned()
}
