//! What a recording is, and how long, without decoding all of it.

use std::fs::File;

use super::AudioSource;
use super::decode::{AudioStream, guarded};
use super::demux::{Demuxer, Next};
use crate::EngineError;

/// What is known of a recording before it is transcribed.
#[derive(Debug, Clone, PartialEq)]
pub struct AudioInfo {
    /// By the packets, not by the header, which may lie. Decoding may differ by a fraction of a second.
    pub duration_seconds: f64,
    pub codec: String,
    pub container: String,
}

/// Opens the recording, decodes its beginning and measures the rest by its packets.
pub fn probe(audio: &AudioSource) -> Result<AudioInfo, EngineError> {
    let mut stream = AudioStream::open(audio)?;
    let first = stream.next_block()?;
    let (codec, container) = (stream.codec().to_owned(), stream.container().to_owned());
    let duration_seconds = match guarded(|| Ok(packet_seconds(audio)))? {
        Some(seconds) if first.is_some() => seconds.max(stream.seconds()),
        Some(_) | None => decoded_seconds(stream)?,
    };
    if duration_seconds > audio.max_seconds {
        return Err(EngineError::too_long(audio.max_seconds));
    }
    Ok(AudioInfo { duration_seconds, codec, container })
}

fn decoded_seconds(mut stream: AudioStream) -> Result<f64, EngineError> {
    while stream.next_block()?.is_some() {}
    Ok(stream.seconds())
}

/// The sum of the packets' lengths; `None` where the container does not tell them.
fn packet_seconds(audio: &AudioSource) -> Option<f64> {
    let mut demuxer = Demuxer::open(File::open(&audio.path).ok()?).ok()?;
    let mut seconds = 0.0;
    let mut tick = tick_seconds(&demuxer);
    loop {
        match demuxer.next() {
            Next::Packet(packet) if packet.dur.get() == 0 => return None,
            Next::Packet(packet) => seconds += packet.dur.get() as f64 * tick?,
            Next::Restart(_) => tick = tick_seconds(&demuxer),
            Next::End => return (seconds > 0.0).then_some(seconds),
        }
    }
}

fn tick_seconds(demuxer: &Demuxer) -> Option<f64> {
    demuxer.track().time_base.map(f64::from)
}
