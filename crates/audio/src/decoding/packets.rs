//! Decodes the packets of one track to mono samples at the track's sample rate.

use symphonia::core::audio::GenericAudioBufferRef;
use symphonia::core::codecs::audio::well_known::{CODEC_ID_AAC, CODEC_ID_OPUS};
use symphonia::core::codecs::audio::{AudioCodecParameters, AudioDecoder, AudioDecoderOptions};
use symphonia::core::errors::Error;
use symphonia::core::formats::well_known::{FORMAT_ID_ISOMP4, FORMAT_ID_OGG};
use symphonia::core::packet::Packet;

use super::demux::TrackInfo;
use super::opus::{self, OpusHead, OpusPackets};
use super::samples::sanitized;
use crate::EngineError;

/// Frames that AAC encoders add at the start. MP4 declares them in an edit list, which the demuxer ignores.
const AAC_PRIMING: u64 = 1_024;

enum Codec {
    Symphonia(Box<dyn AudioDecoder>),
    Opus(OpusPackets),
}

/// A decoder for the packets of one track.
pub(super) struct PacketDecoder {
    codec: Codec,
    /// Frames still to be dropped at the start: the encoder's priming.
    skip: u64,
    /// Whether packets declare frames to drop at their end, as in Ogg.
    trims_packets: bool,
    planes: Vec<Vec<f32>>,
}

/// The samples of one packet.
pub(super) struct Decoded {
    pub(super) rate: u32,
    pub(super) mono: Vec<f32>,
}

impl PacketDecoder {
    /// Fails if there is no decoder for the codec.
    pub(super) fn new(track: &TrackInfo) -> Result<Self, EngineError> {
        let parameters = &track.parameters;
        let (codec, skip) = if parameters.codec == CODEC_ID_OPUS {
            let big_endian = track.format == FORMAT_ID_ISOMP4;
            let head = OpusHead::parse(parameters.extra_data.as_deref(), big_endian)?;
            (Codec::Opus(OpusPackets::new(&head)?), head.pre_skip)
        } else {
            let primed = parameters.codec == CODEC_ID_AAC && track.format == FORMAT_ID_ISOMP4;
            (Codec::Symphonia(symphonia_decoder(parameters)?), if primed { AAC_PRIMING } else { 0 })
        };
        let trims_packets = track.format == FORMAT_ID_OGG && parameters.codec == CODEC_ID_OPUS;
        Ok(Self { codec, skip, trims_packets, planes: Vec::new() })
    }

    /// Decodes one packet; `None` if it is damaged. Later packets may still be readable.
    pub(super) fn decode(&mut self, packet: &Packet) -> Result<Option<Decoded>, EngineError> {
        let mut mono = Vec::new();
        let rate = match &mut self.codec {
            Codec::Opus(decoder) => {
                decoder.decode(&packet.data, &mut mono);
                opus::RATE
            }
            Codec::Symphonia(decoder) => match decoder.decode(packet) {
                Ok(buffer) => mix(&buffer, &mut self.planes, &mut mono),
                Err(Error::DecodeError(_) | Error::IoError(_)) => return Ok(None),
                Err(Error::ResetRequired) => {
                    decoder.reset();
                    return Ok(None);
                }
                Err(error) => {
                    return Err(EngineError::unsupported(format!("The audio cannot be decoded: {error}.")));
                }
            },
        };
        if self.trims_packets {
            mono.truncate(mono.len().saturating_sub(packet.trim_end.get() as usize));
        }
        self.drop_priming(&mut mono);
        Ok(Some(Decoded { rate, mono }))
    }

    fn drop_priming(&mut self, mono: &mut Vec<f32>) {
        let dropped = self.skip.min(mono.len() as u64);
        self.skip -= dropped;
        mono.drain(..dropped as usize);
    }
}

fn symphonia_decoder(parameters: &AudioCodecParameters) -> Result<Box<dyn AudioDecoder>, EngineError> {
    symphonia::default::get_codecs()
        .make_audio_decoder(parameters, &AudioDecoderOptions::default())
        .map_err(|error| EngineError::unsupported(format!("The audio codec is not supported: {error}.")))
}

/// Averages the channels; returns the rate.
fn mix(buffer: &GenericAudioBufferRef<'_>, planes: &mut Vec<Vec<f32>>, mono: &mut Vec<f32>) -> u32 {
    buffer.copy_to_vecs_planar(planes);
    if let Some((first, others)) = planes.split_first() {
        mono.extend_from_slice(first);
        for plane in others {
            mono.iter_mut().zip(plane).for_each(|(sum, sample)| *sum += sample);
        }
    }
    let scale = 1.0 / planes.len().max(1) as f32;
    mono.iter_mut().for_each(|sample| *sample = sanitized(*sample * scale));
    buffer.spec().rate()
}
