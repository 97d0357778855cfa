//! Every container and codec comes out like ffmpeg's own decoding of the same file.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod support;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use auris_audio as audio;
use auris_audio::{AudioProblem, AudioSource, EngineError};
use auris_engine_testing::formats::{Clip, FORMATS};
use auris_engine_testing::{asset, ffmpeg, recording};
use tempfile::TempDir;

use support::decode;

fn make(folder: &Path, name: &str, arguments: &[&str]) -> PathBuf {
    Clip { recording: &asset(recording::JFK), seconds: 5 }.packed(folder, name, arguments)
}

fn reference(path: &Path, arguments: &[&str]) -> Vec<f32> {
    let raw = path.with_extension("raw");
    // ffmpeg's own Opus decoder strays a little from the reference decoder, so that one is asked.
    let decoder: &[&str] = if arguments.contains(&"libopus") { &["-c:a", "libopus"] } else { &[] };
    let mut all: Vec<OsString> = decoder.iter().map(Into::into).collect();
    all.extend(["-i".into(), path.into()]);
    all.extend(["-map", "0:a:0", "-ac", "1", "-ar", "16000", "-f", "f32le"].map(Into::into));
    all.push(raw.clone().into_os_string());
    ffmpeg(&all);
    let bytes = std::fs::read(raw).unwrap();
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect()
}

/// How much of the reference is in ours, at no shift: 1 is all of it.
fn likeness(ours: &[f32], theirs: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    dot(ours, theirs) / (dot(ours, ours) * dot(theirs, theirs)).sqrt()
}

#[test]
fn every_format_decodes_like_ffmpeg() {
    let folder = TempDir::new().unwrap();
    let mut wrong = Vec::new();
    for (name, arguments, _) in FORMATS {
        let path = make(folder.path(), name, arguments);
        let theirs = reference(&path, arguments);
        match decode(&path) {
            Err(error) => wrong.push(format!("{name}: {error}")),
            Ok((ours, seconds)) => {
                let like = likeness(&ours, &theirs);
                let info = audio::probe(&AudioSource::new(&path, 36_000.0)).unwrap();
                let off = (ours.len() as f64 - theirs.len() as f64) / 16_000.0;
                if like < 0.999 || off.abs() > 0.06 || (info.duration_seconds - seconds).abs() > 0.15 {
                    wrong.push(format!(
                        "{name}: likeness {like}, {off} s longer, probed {info:?}, decoded {seconds}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_chained_ogg_is_read_to_its_end() {
    let folder = TempDir::new().unwrap();
    for codec in ["libopus", "libvorbis"] {
        let one = std::fs::read(make(folder.path(), "one.ogg", &["-c:a", codec])).unwrap();
        let chained = folder.path().join("chained.ogg");
        std::fs::write(&chained, [one.as_slice(), one.as_slice()].concat()).unwrap();
        let (_, seconds) = decode(&chained).unwrap();
        assert!((seconds - 10.0).abs() < 0.2, "{codec}: {seconds}");
    }
}

#[test]
fn a_cut_recording_is_read_as_far_as_it_goes() {
    let folder = TempDir::new().unwrap();
    for (name, arguments) in
        [("a.mp3", ["-c:a", "libmp3lame"]), ("a.ogg", ["-c:a", "libopus"]), ("a.wav", ["-c:a", "pcm_s16le"])]
    {
        let path = make(folder.path(), name, &arguments);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let (_, seconds) = decode(&path).unwrap();
        assert!((1.0..4.0).contains(&seconds), "{name}: {seconds}");
    }
}

fn problem(path: &Path) -> Option<AudioProblem> {
    match decode(path) {
        Err(EngineError::BadAudio { problem, .. }) => Some(problem),
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    }
}

#[test]
fn what_is_no_audio_is_told_apart() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let text = write("text.mp3", b"This is no audio at all, whatever its name says. ".repeat(50).as_slice());
    assert_eq!(problem(&text), Some(AudioProblem::UnsupportedAudio));
    let picture = write("picture.wav", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01");
    assert_eq!(problem(&picture), Some(AudioProblem::UnsupportedAudio));
    let empty = write(
        "empty.wav",
        b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data\0\0\0\0",
    );
    assert_eq!(problem(&empty), Some(AudioProblem::NoAudioStream));
    for name in ["video.mp4", "video.mkv", "video.webm", "video.avi"] {
        let video = folder.path().join(name);
        let source = ["-f", "lavfi", "-i", "testsrc=d=1:s=64x64:r=5"].map(OsString::from);
        ffmpeg(&[source.as_slice(), &[video.clone().into_os_string()]].concat());
        assert_eq!(problem(&video), Some(AudioProblem::NoAudioStream), "{name}");
    }
}

#[test]
fn the_sound_of_a_video_is_heard() {
    let folder = TempDir::new().unwrap();
    for name in ["a.mp4", "a.mov", "a.mkv"] {
        let path = Clip { recording: &asset(recording::JFK), seconds: 5 }.filmed(folder.path(), name);
        let (ours, _) = decode(&path).unwrap();
        assert!(likeness(&ours, &reference(&path, &[])) > 0.99, "{name}");
    }
}

#[test]
fn a_recording_over_the_limit_is_refused_by_both() {
    let source = AudioSource::new(asset(recording::JFK), 10.0);
    let too_long = |error| matches!(error, EngineError::BadAudio { problem: AudioProblem::AudioTooLong, .. });
    assert!(too_long(audio::probe(&source).unwrap_err()));
    let mut stream = audio::AudioStream::open(&source).unwrap();
    let error = loop {
        match stream.next_block() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("it ended in peace"),
            Err(error) => break error,
        }
    };
    assert!(too_long(error));
}

#[test]
fn amr_goes_through_ffmpeg() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("silence.amr");
    // Debian's ffmpeg reads AMR but does not write it: 50 frames of 12.2 kbit/s are one second.
    let frames = [[0x3c].as_slice(), &[0; 31]].concat().repeat(50);
    std::fs::write(&path, [b"#!AMR\n".as_slice(), &frames].concat()).unwrap();
    let (_, seconds) = decode(&path).unwrap();
    assert!((seconds - 1.0).abs() < 0.1, "{seconds}");
}

/// ffmpeg itself reads these a little late, so they are held against the recording.
#[test]
fn opus_and_fragments_in_mp4_start_in_time() {
    let folder = TempDir::new().unwrap();
    let source = decode(&asset(recording::JFK)).unwrap().0;
    let fragmented: &[&str] = &["-c:a", "aac", "-b:a", "128k", "-movflags", "frag_keyframe+empty_moov"];
    for (name, arguments) in
        [("opus.mp4", ["-c:a", "libopus", "-b:a", "96k"].as_slice()), ("fragmented.mp4", fragmented)]
    {
        let (ours, _) = decode(&make(folder.path(), name, arguments)).unwrap();
        let like = likeness(&ours, &source[..ours.len()]);
        assert!(like > 0.98, "{name}: {like}");
    }
}
