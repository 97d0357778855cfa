//! The format and duration of a recording, without decoding all of it.

use std::fs::File;

use super::decode::{AudioStream, guarded};
use super::demux::{Demuxer, Next};
use crate::{AudioSource, EngineError};

/// The format and duration of a recording.
#[derive(Debug, Clone, PartialEq)]
pub struct AudioInfo {
    /// Computed from the packets, because the header may be wrong. Decoding may differ by a fraction of a second.
    pub duration_seconds: f64,
    pub codec: String,
    pub container: String,
}

/// Opens the recording, decodes its beginning and sums the durations of its packets.
pub fn probe(audio: &AudioSource) -> Result<AudioInfo, EngineError> {
    let mut stream = AudioStream::open(audio)?;
    let first = stream.next_block()?;
    let codec = stream.codec().to_owned();
    let container = stream.container().to_owned();
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

/// The sum of the packets' durations; `None` if the container does not declare them.
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
