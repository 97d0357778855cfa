//! Recordings in every supported container and codec, made with ffmpeg.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::ffmpeg;

/// How much of the sound a format loses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Nothing: the samples are the same.
    None,
    /// Details that are not audible.
    Little,
    /// Half of the spectrum, or what an encoder for speech drops at a low bit rate.
    Telephone,
}

/// File name, encoder arguments and loss of each format.
pub const FORMATS: &[(&str, &[&str], Loss)] = &[
    ("pcm16.wav", &["-c:a", "pcm_s16le"], Loss::None),
    ("pcm24.wav", &["-c:a", "pcm_s24le", "-ar", "44100"], Loss::Little),
    ("pcm8.wav", &["-c:a", "pcm_u8"], Loss::Little),
    ("float.wav", &["-c:a", "pcm_f32le", "-ar", "48000"], Loss::Little),
    ("alaw.wav", &["-c:a", "pcm_alaw", "-ar", "8000"], Loss::Telephone),
    ("mulaw.wav", &["-c:a", "pcm_mulaw", "-ar", "8000"], Loss::Telephone),
    ("ima.wav", &["-c:a", "adpcm_ima_wav"], Loss::Little),
    ("ms.wav", &["-c:a", "adpcm_ms"], Loss::Little),
    ("stereo.wav", &["-ac", "2", "-ar", "22050"], Loss::Little),
    ("a.mp3", &["-c:a", "libmp3lame", "-b:a", "64k"], Loss::Little),
    ("vbr.mp3", &["-c:a", "libmp3lame", "-q:a", "5", "-ar", "44100", "-ac", "2"], Loss::Little),
    ("aac.m4a", &["-c:a", "aac", "-b:a", "96k", "-ar", "44100"], Loss::Little),
    ("alac.m4a", &["-c:a", "alac"], Loss::None),
    ("aac.aac", &["-c:a", "aac", "-ar", "44100", "-f", "adts"], Loss::Little),
    ("a.flac", &["-c:a", "flac"], Loss::None),
    ("flac.ogg", &["-c:a", "flac", "-f", "ogg"], Loss::None),
    ("vorbis.ogg", &["-c:a", "libvorbis", "-ar", "44100"], Loss::Little),
    ("opus.ogg", &["-c:a", "libopus", "-b:a", "24k"], Loss::Telephone),
    ("celt.opus", &["-c:a", "libopus", "-b:a", "96k", "-ac", "2", "-application", "lowdelay"], Loss::Little),
    ("opus.webm", &["-c:a", "libopus", "-b:a", "32k"], Loss::Little),
    ("live.webm", &["-c:a", "libopus", "-b:a", "32k", "-live", "1", "-f", "webm"], Loss::Little),
    ("vorbis.webm", &["-c:a", "libvorbis"], Loss::Little),
    ("opus.mka", &["-c:a", "libopus"], Loss::Little),
    ("pcm.mov", &["-c:a", "pcm_s16le"], Loss::None),
    ("a.aiff", &["-c:a", "pcm_s16be"], Loss::None),
    ("a.caf", &["-c:a", "pcm_s16le"], Loss::None),
    ("mp2.mp2", &["-c:a", "mp2", "-ar", "44100"], Loss::Little),
    // Decoded with ffmpeg.
    ("gsm.wav", &["-c:a", "libgsm_ms", "-ar", "8000"], Loss::Telephone),
    ("speex.ogg", &["-c:a", "libspeex", "-ar", "16000"], Loss::Telephone),
    ("a.wma", &["-c:a", "wmav2"], Loss::Little),
    ("a.ac3", &["-c:a", "ac3"], Loss::Little),
    ("ac3.mkv", &["-c:a", "ac3"], Loss::Little),
    ("a.au", &["-c:a", "pcm_s16be"], Loss::None),
];

/// The first seconds of a recording.
pub struct Clip<'a> {
    pub recording: &'a Path,
    pub seconds: u32,
}

impl Clip<'_> {
    /// Writes the clip in another format to the file `name` in the folder.
    pub fn packed(&self, folder: &Path, name: &str, arguments: &[&str]) -> PathBuf {
        let path = folder.join(name);
        let mut all: Vec<OsString> =
            vec!["-t".into(), self.seconds.to_string().into(), "-i".into(), self.recording.into()];
        all.extend(arguments.iter().map(Into::into));
        all.push(path.clone().into_os_string());
        ffmpeg(&all);
        path
    }

    /// Writes a small video with the clip as its sound to the file `name` in the folder.
    pub fn filmed(&self, folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        let mut all: Vec<OsString> =
            ["-f", "lavfi", "-i", "testsrc=s=64x64:r=5", "-i"].map(Into::into).to_vec();
        all.extend([self.recording.into(), "-t".into(), self.seconds.to_string().into()]);
        all.extend(["-c:a", "aac", "-b:a", "96k"].map(Into::into));
        all.push(path.clone().into_os_string());
        ffmpeg(&all);
        path
    }
}
