//! Damaged, cut and random files: an error of the API or some audio, never a panic that escapes, never a hang.

mod support;

use std::path::Path;
use std::time::{Duration, Instant};

use auris_audio::{AudioProblem, EngineError};
use auris_engine_testing::{asset, ffmpeg, recording};
use tempfile::TempDir;

use support::decode;

/// Far more than any of these small files needs, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A small generator of repeatable noise.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// One of five kinds of harm.
fn harm(bytes: &mut Vec<u8>, kind: usize, noise: &mut Noise) {
    let length = bytes.len();
    match kind {
        0 => bytes.truncate(noise.below(length)),
        1 => (0..20).for_each(|_| bytes[noise.below(length)] = noise.next() as u8),
        // The header, where the parsers live.
        2 => (0..8).for_each(|_| bytes[noise.below(256.min(length))] = noise.next() as u8),
        3 => {
            let at = noise.below(length);
            bytes.drain(at..(at + 500).min(length));
        }
        _ => bytes[length / 3..].fill_with(|| noise.next() as u8),
    }
}

fn is_an_answer(path: &Path, name: &str) {
    let started = Instant::now();
    match decode(path) {
        Ok((samples, seconds)) => {
            assert!(samples.iter().all(|sample| sample.is_finite()) && seconds > 0.0, "{name}")
        }
        Err(EngineError::BadAudio { problem, .. }) => {
            assert_ne!(problem, AudioProblem::AudioTooLong, "{name}")
        }
        Err(other) => panic!("{name}: {other}"),
    }
    assert!(started.elapsed() < PATIENCE, "{name} took {:?}", started.elapsed());
}

#[test]
fn two_hundred_damaged_files_are_answered() {
    let folder = TempDir::new().unwrap();
    let mut noise = Noise(0x2545_F491_4F6C_DD1D);
    let formats = ["wav", "mp3", "m4a", "flac", "ogg", "opus", "webm", "aiff", "caf", "mp4"];
    for format in formats {
        let whole = folder.path().join(format!("whole.{format}"));
        let source = asset(recording::JFK);
        ffmpeg(&["-t".as_ref(), "3".as_ref(), "-i".as_ref(), source.as_os_str(), whole.as_os_str()]);
        let bytes = std::fs::read(&whole).unwrap();
        for case in 0..20 {
            let mut damaged = bytes.clone();
            harm(&mut damaged, case % 5, &mut noise);
            let path = folder.path().join("damaged");
            std::fs::write(&path, damaged).unwrap();
            is_an_answer(&path, &format!("{format} {case}"));
        }
    }
}

#[test]
fn random_bytes_are_answered() {
    let folder = TempDir::new().unwrap();
    let mut noise = Noise(0x9E37_79B9_7F4A_7C15);
    let magics: [&[u8]; 8] = [
        b"",
        b"RIFF\xff\xff\xff\xffWAVEfmt ",
        b"OggS",
        b"fLaC",
        b"\x1a\x45\xdf\xa3",
        b"\0\0\0\x18ftypM4A ",
        b"ID3",
        b"\xff\xfb",
    ];
    for case in 0..40 {
        let mut bytes = magics[case % magics.len()].to_vec();
        bytes.extend((0..noise.below(20_000)).map(|_| noise.next() as u8));
        let path = folder.path().join("random");
        std::fs::write(&path, bytes).unwrap();
        is_an_answer(&path, &format!("random {case}"));
    }
}

/// Found by fuzzing: finite samples that overflow in the resampler.
#[test]
fn samples_without_measure_stay_numbers() {
    let folder = TempDir::new().unwrap();
    for loud in [f32::MAX, -f32::MAX, f32::INFINITY, f32::NAN] {
        let samples: Vec<u8> =
            (0..8_000).flat_map(|n| (if n % 3 == 0 { loud } else { 0.1 }).to_le_bytes()).collect();
        let mut file =
            b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x03\0\x01\0\x40\x1f\0\0\0\x7d\0\0\x04\0\x20\0data".to_vec();
        file.extend((samples.len() as u32).to_le_bytes());
        file.extend(samples);
        let path = folder.path().join("loud.wav");
        std::fs::write(&path, file).unwrap();
        let (samples, seconds) = decode(&path).unwrap();
        assert_eq!(seconds, 1.0);
        assert!(samples.iter().all(|sample| sample.is_finite()), "{loud}");
    }
}

/// Found by the fuzzer. A hundred runs of 4,294,967,295 samples each, in 5 KB: counted one by one they take minutes.
#[test]
fn an_mp4_that_claims_more_samples_than_it_has_bytes_is_refused_at_once() {
    is_an_answer(Path::new("tests/data/claims.mp4"), "claims.mp4");
}
