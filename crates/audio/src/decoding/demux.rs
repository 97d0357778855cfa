//! Containers: detects the format, selects the audio track and reads its packets.

use std::fs::File;

use symphonia::core::codecs::CodecParameters;
use symphonia::core::codecs::audio::{AudioCodecParameters, CODEC_ID_NULL_AUDIO};
use symphonia::core::errors::Error;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::well_known::FORMAT_ID_ISOMP4;
use symphonia::core::formats::{FormatId, FormatReader, Track, TrackType};
use symphonia::core::io::MediaSourceStream;
use symphonia::core::packet::Packet;
use symphonia::core::units::TimeBase;

use super::fragments::{self, Mp4};

/// The audio track that is read.
#[derive(Clone)]
pub(super) struct TrackInfo {
    id: u32,
    pub(super) format: FormatId,
    pub(super) parameters: AudioCodecParameters,
    pub(super) time_base: Option<TimeBase>,
    /// The duration in the header, which may be wrong.
    pub(super) declared_seconds: Option<f64>,
}

/// Why the built-in demuxer cannot read a file.
#[derive(Debug)]
pub(super) enum DemuxError {
    /// The format is unknown, or the file is too damaged to open.
    Unknown,
    /// The container is known but has no audio.
    NoAudio,
    /// The codec of the audio is unknown.
    UnknownCodec,
}

/// The next element of the container.
pub(super) enum Next {
    Packet(Packet),
    /// The next part of a chained stream starts and needs a new decoder.
    Restart(Box<TrackInfo>),
    End,
}

/// An open container.
pub(super) struct Demuxer {
    reader: Box<dyn FormatReader>,
    track: TrackInfo,
}

impl Demuxer {
    pub(super) fn open(mut file: File) -> Result<Self, DemuxError> {
        let mp4 = fragments::check(&mut file).map_err(|_| DemuxError::Unknown)?;
        if mp4 == Mp4::Implausible {
            return Err(DemuxError::Unknown);
        }
        let stream = MediaSourceStream::new(Box::new(file), Default::default());
        let reader = symphonia::default::get_probe()
            .probe(&Hint::new(), stream, Default::default(), Default::default())
            .map_err(|_| DemuxError::Unknown)?;
        if reader.format_info().format == FORMAT_ID_ISOMP4 && mp4 == Mp4::No {
            return Err(DemuxError::Unknown);
        }
        let track = audio_track(reader.as_ref())?;
        Ok(Self { reader, track })
    }

    pub(super) fn track(&self) -> &TrackInfo {
        &self.track
    }

    pub(super) fn container(&self) -> &'static str {
        self.reader.format_info().short_name
    }

    /// The next packet of the track. A damaged container ends where the damage begins.
    pub(super) fn next(&mut self) -> Next {
        loop {
            match self.reader.next_packet() {
                Ok(Some(packet)) if packet.track_id == self.track.id => return Next::Packet(packet),
                Ok(Some(_)) => {}
                Err(Error::ResetRequired) => return self.restart(),
                Ok(None) | Err(_) => return Next::End,
            }
        }
    }

    fn restart(&mut self) -> Next {
        match audio_track(self.reader.as_ref()) {
            Ok(track) => {
                self.track = track.clone();
                Next::Restart(Box::new(track))
            }
            Err(_) => Next::End,
        }
    }
}

fn audio_track(reader: &dyn FormatReader) -> Result<TrackInfo, DemuxError> {
    let Some(track) = reader.default_track(TrackType::Audio).or_else(|| reader.first_track(TrackType::Audio))
    else {
        let unnamed = reader.tracks().iter().any(|track| track.codec_params.is_none());
        return Err(if unnamed { DemuxError::UnknownCodec } else { DemuxError::NoAudio });
    };
    let Some(CodecParameters::Audio(parameters)) = &track.codec_params else {
        return Err(DemuxError::NoAudio);
    };
    if parameters.codec == CODEC_ID_NULL_AUDIO {
        return Err(DemuxError::UnknownCodec);
    }
    Ok(TrackInfo {
        id: track.id,
        format: reader.format_info().format,
        parameters: parameters.clone(),
        time_base: track.time_base,
        declared_seconds: declared_seconds(track),
    })
}

fn declared_seconds(track: &Track) -> Option<f64> {
    let seconds = track.time_base?.calc_duration(track.duration?)?.as_secs_f64();
    (seconds.is_finite() && seconds > 0.0).then_some(seconds)
}
