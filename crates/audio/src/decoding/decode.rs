//! Reads a recording as a stream of 16 kHz mono blocks, in constant memory.

use std::fs::File;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};

use symphonia::core::codecs::audio::well_known::CODEC_ID_OPUS;

use super::demux::{DemuxError, Demuxer, Next, TrackInfo};
use super::ffmpeg::{self, Ffmpeg};
use super::packets::{Decoded, PacketDecoder};
use super::resample::Resampler;
use super::samples::SAMPLE_RATE;
use super::sniff::{self, FfmpegFormat};
use crate::{AudioSource, EngineError};

/// Samples of a block: half a second, short enough for progress reports and long enough that its overhead is negligible.
const BLOCK: usize = SAMPLE_RATE as usize / 2;
/// Packets without audio after which decoding stops: such a file is noise with a header.
const MAX_EMPTY_PACKETS: u32 = 2_000;
/// Bytes that are read to identify the format.
const HEAD_BYTES: u64 = 64 * 1024;

/// An open recording.
pub struct AudioStream {
    source: Source,
    max_seconds: f64,
    seconds: f64,
    ended: bool,
}

enum Source {
    Native(Box<Native>),
    Ffmpeg { stream: Ffmpeg, format: FfmpegFormat },
}

impl AudioStream {
    /// Opens a recording. The format is detected from its bytes; the file name is ignored.
    pub fn open(audio: &AudioSource) -> Result<Self, EngineError> {
        let source = guarded(|| open(audio))?;
        Ok(Self { source, max_seconds: audio.max_seconds, seconds: 0.0, ended: false })
    }

    /// The next samples, about half a second; `None` at the end. A recording without samples is an error.
    pub fn next_block(&mut self) -> Result<Option<Vec<f32>>, EngineError> {
        let mut block = Vec::with_capacity(2 * BLOCK);
        while block.len() < BLOCK && !self.ended {
            self.ended = !guarded(|| self.source.pull(&mut block))?;
        }
        self.seconds = self.source.seconds(self.seconds, block.len());
        if self.seconds > self.max_seconds {
            return Err(EngineError::too_long(self.max_seconds));
        }
        if self.ended && block.is_empty() && self.seconds == 0.0 {
            return Err(self.source.no_samples_error());
        }
        Ok(if block.is_empty() { None } else { Some(block) })
    }

    /// The duration decoded so far; at the end the duration of the recording, exact to the sample.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The duration in the header. It may be wrong and is used for progress only.
    pub fn declared_seconds(&self) -> Option<f64> {
        match &self.source {
            Source::Native(native) => native.demuxer.track().declared_seconds,
            Source::Ffmpeg { .. } => None,
        }
    }

    pub fn container(&self) -> &'static str {
        match &self.source {
            Source::Native(native) => native.demuxer.container(),
            Source::Ffmpeg { format, .. } => format.demuxer,
        }
    }

    pub fn codec(&self) -> &'static str {
        match &self.source {
            Source::Native(native) => codec_name(native.demuxer.track()),
            Source::Ffmpeg { format, .. } => format.name,
        }
    }
}

impl Source {
    fn pull(&mut self, block: &mut Vec<f32>) -> Result<bool, EngineError> {
        match self {
            Self::Native(native) => native.pull(block),
            Self::Ffmpeg { stream, .. } => stream.pull(block),
        }
    }

    fn seconds(&self, before: f64, samples: usize) -> f64 {
        match self {
            Self::Native(native) => native.seconds(),
            Self::Ffmpeg { .. } => before + samples as f64 / f64::from(SAMPLE_RATE),
        }
    }

    fn no_samples_error(&mut self) -> EngineError {
        match self {
            Self::Native(native) if native.empty_packets == 0 => EngineError::no_audio(),
            Self::Native(native) => {
                let codec = codec_name(native.demuxer.track());
                EngineError::unsupported(format!(
                    "The {codec} audio cannot be decoded; the file may be damaged."
                ))
            }
            Self::Ffmpeg { stream, format } => stream.no_samples_error(format.name),
        }
    }
}

/// The built-in path: demuxer, decoder, resampler.
struct Native {
    demuxer: Demuxer,
    decoder: PacketDecoder,
    resampler: Option<Resampler>,
    /// The duration of the parts with earlier sample rates.
    earlier_seconds: f64,
    /// Frames with the current sample rate.
    frames: u64,
    empty_packets: u32,
}

impl Native {
    fn pull(&mut self, block: &mut Vec<f32>) -> Result<bool, EngineError> {
        match self.demuxer.next() {
            Next::Packet(packet) => match self.decoder.decode(&packet)? {
                Some(decoded) if !decoded.mono.is_empty() => self.take(&decoded, block).map(|()| true),
                Some(_) | None => {
                    self.empty_packets += 1;
                    Ok(self.empty_packets < MAX_EMPTY_PACKETS || self.seconds() > 0.0)
                }
            },
            Next::Restart(track) => {
                self.decoder = PacketDecoder::new(&track)?;
                Ok(true)
            }
            Next::End => self.change_rate(None, block).map(|()| false),
        }
    }

    fn take(&mut self, decoded: &Decoded, block: &mut Vec<f32>) -> Result<(), EngineError> {
        if self.resampler.as_ref().is_none_or(|resampler| resampler.rate() != decoded.rate) {
            self.change_rate(Some(decoded.rate), block)?;
        }
        self.frames += decoded.mono.len() as u64;
        match &mut self.resampler {
            Some(resampler) => resampler.push(&decoded.mono, block),
            None => Ok(()),
        }
    }

    fn change_rate(&mut self, rate: Option<u32>, block: &mut Vec<f32>) -> Result<(), EngineError> {
        if let Some(resampler) = &mut self.resampler {
            resampler.finish(block)?;
        }
        self.earlier_seconds = self.seconds();
        self.frames = 0;
        self.resampler = rate.map(Resampler::new).transpose()?;
        Ok(())
    }

    fn seconds(&self) -> f64 {
        let current =
            self.resampler.as_ref().map_or(0.0, |resampler| self.frames as f64 / f64::from(resampler.rate()));
        self.earlier_seconds + current
    }
}

fn open(audio: &AudioSource) -> Result<Source, EngineError> {
    let head = read_head(audio)?;
    if let Some(format) = sniff::ffmpeg_format(&head) {
        return through_ffmpeg(audio, format);
    }
    let file = File::open(&audio.path).map_err(EngineError::internal)?;
    let demuxer = match Demuxer::open(file) {
        Ok(demuxer) => demuxer,
        Err(DemuxError::NoAudio) if sniff::codec_hint(&head).is_none() => return Err(EngineError::no_audio()),
        Err(DemuxError::NoAudio | DemuxError::UnknownCodec | DemuxError::Unknown) => {
            return fall_back(audio, &head);
        }
    };
    match PacketDecoder::new(demuxer.track()) {
        Ok(decoder) => {
            let native = Native {
                demuxer,
                decoder,
                resampler: None,
                earlier_seconds: 0.0,
                frames: 0,
                empty_packets: 0,
            };
            Ok(Source::Native(Box::new(native)))
        }
        Err(_) => fall_back(audio, &head),
    }
}

/// Tries `ffmpeg` for a known container that the built-in demuxer cannot read.
fn fall_back(audio: &AudioSource, head: &[u8]) -> Result<Source, EngineError> {
    match sniff::container_of(head) {
        Some(demuxer) => {
            let name = sniff::codec_hint(head).unwrap_or(demuxer);
            through_ffmpeg(audio, FfmpegFormat { demuxer, name })
        }
        None => Err(EngineError::unsupported(
            "The file is not a recording in a known format; send mp3, m4a, mp4, wav, flac, ogg, webm or a similar format.",
        )),
    }
}

fn through_ffmpeg(audio: &AudioSource, format: FfmpegFormat) -> Result<Source, EngineError> {
    if !ffmpeg::available() {
        let message =
            format!("The {} audio of the file is not supported; send mp3, m4a, wav or flac.", format.name);
        return Err(EngineError::unsupported(message));
    }
    let stream = Ffmpeg::open(&audio.path, format.demuxer, audio.max_seconds)?;
    Ok(Source::Ffmpeg { stream, format })
}

fn read_head(audio: &AudioSource) -> Result<Vec<u8>, EngineError> {
    let mut head = Vec::new();
    let file = File::open(&audio.path).map_err(EngineError::internal)?;
    file.take(HEAD_BYTES).read_to_end(&mut head).map_err(EngineError::internal)?;
    Ok(head)
}

fn codec_name(track: &TrackInfo) -> &'static str {
    if track.parameters.codec == CODEC_ID_OPUS {
        return "opus";
    }
    let registered = symphonia::default::get_codecs().get_audio_decoder(track.parameters.codec);
    registered.map_or("unknown", |decoder| decoder.codec.info.short_name)
}

/// Turns a panic of a decoder on a malformed file into an error.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, EngineError>) -> Result<T, EngineError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(EngineError::unsupported("The audio cannot be decoded; the file may be damaged."))
    })
}
