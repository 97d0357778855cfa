//! Decodes Opus packets to mono samples at 48 kHz, because Symphonia has no Opus decoder.
//!
//! Uses `ropus`: its output equals the reference decoder's, while `opus-decoder` overflowed on speech at 24 kbit/s.

use ropus::{DecodeMode, Decoder, OpusMSDecoder};

use crate::EngineError;

pub(super) const RATE: u32 = 48_000;
/// Frames of the longest packet: 120 ms.
const MAX_FRAMES: usize = 5_760;

/// The `OpusHead` header of a stream.
#[derive(Debug, PartialEq)]
pub(super) struct OpusHead {
    channels: usize,
    pub(super) pre_skip: u64,
    gain: f32,
    streams: usize,
    coupled: usize,
    mapping: Vec<u8>,
}

impl OpusHead {
    /// Parses the header. A stream without a header is treated as stereo. MP4 stores the numbers as `big_endian`.
    pub(super) fn parse(bytes: Option<&[u8]>, big_endian: bool) -> Result<Self, EngineError> {
        let Some(bytes) = bytes.filter(|bytes| bytes.starts_with(b"OpusHead") && bytes.len() >= 19) else {
            return Ok(Self {
                channels: 2,
                pre_skip: 0,
                gain: 1.0,
                streams: 1,
                coupled: 1,
                mapping: vec![0, 1],
            });
        };
        let channels = usize::from(bytes[9]);
        let number = |at: usize| {
            let pair = [bytes[at], bytes[at + 1]];
            if big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
        };
        let pre_skip = u64::from(number(10));
        let decibels = f32::from(number(16).cast_signed()) / 256.0;
        let gain = 10f32.powf(decibels / 20.0);
        let (streams, coupled, mapping) = match bytes[18] {
            0 => (1, usize::from(channels == 2), (0..channels as u8).collect()),
            _ => (
                usize::from(*bytes.get(19).unwrap_or(&0)),
                usize::from(*bytes.get(20).unwrap_or(&0)),
                bytes.get(21..21 + channels).unwrap_or_default().to_vec(),
            ),
        };
        if channels == 0 || mapping.len() != channels || streams == 0 {
            return Err(EngineError::unsupported("The Opus header of the file is damaged."));
        }
        Ok(Self { channels, pre_skip, gain, streams, coupled, mapping })
    }
}

enum Stream {
    Plain(Box<Decoder>),
    Surround(Box<OpusMSDecoder>),
}

/// A decoder of one Opus stream.
pub(super) struct OpusPackets {
    stream: Stream,
    channels: usize,
    gain: f32,
    samples: Vec<i16>,
}

impl OpusPackets {
    pub(super) fn new(head: &OpusHead) -> Result<Self, EngineError> {
        let stream = if head.channels <= 2 && head.streams == 1 {
            let channels = if head.channels == 1 { ropus::Channels::Mono } else { ropus::Channels::Stereo };
            Decoder::new(RATE, channels).ok().map(|decoder| Stream::Plain(Box::new(decoder)))
        } else {
            let channels = head.channels as i32;
            let streams = head.streams as i32;
            let coupled = head.coupled as i32;
            let decoder = OpusMSDecoder::new(RATE as i32, channels, streams, coupled, &head.mapping);
            decoder.ok().map(|decoder| Stream::Surround(Box::new(decoder)))
        };
        let stream =
            stream.ok_or_else(|| EngineError::unsupported("The Opus header of the file is damaged."))?;
        Ok(Self {
            stream,
            channels: head.channels,
            gain: head.gain,
            samples: vec![0; MAX_FRAMES * head.channels],
        })
    }

    /// Decodes one packet and appends its frames, mixed to one channel. A damaged packet adds nothing.
    pub(super) fn decode(&mut self, packet: &[u8], mono: &mut Vec<f32>) {
        if packet.is_empty() {
            return;
        }
        let count = match &mut self.stream {
            Stream::Plain(decoder) => {
                decoder.decode(packet, &mut self.samples, DecodeMode::Normal).unwrap_or(0)
            }
            Stream::Surround(decoder) => decoder
                .decode(Some(packet), packet.len() as i32, &mut self.samples, MAX_FRAMES as i32, false)
                .map_or(0, |frames| frames as usize),
        };
        let scale = self.gain / 32_768.0 / self.channels as f32;
        let frames = self.samples[..count * self.channels].chunks_exact(self.channels);
        mono.extend(frames.map(|frame| frame.iter().map(|&sample| f32::from(sample)).sum::<f32>() * scale));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(channels: u8, family: u8, table: &[u8]) -> Vec<u8> {
        let mut bytes = b"OpusHead\x01".to_vec();
        bytes.extend([channels, 0x38, 0x01, 0x80, 0xBB, 0, 0, 0, 0, family]);
        bytes.extend(table);
        bytes
    }

    #[test]
    fn a_stereo_header_is_read() {
        let head = OpusHead::parse(Some(&head(2, 0, &[])), false).unwrap();
        assert_eq!((head.channels, head.pre_skip, head.streams, head.coupled), (2, 312, 1, 1));
    }

    #[test]
    fn a_surround_header_is_read() {
        let head = OpusHead::parse(Some(&head(6, 1, &[4, 2, 0, 4, 1, 2, 3, 5])), false).unwrap();
        assert!(OpusPackets::new(&head).is_ok());
    }

    #[test]
    fn damaged_headers_are_refused() {
        assert!(OpusHead::parse(Some(&head(0, 0, &[])), false).is_err());
        assert!(OpusHead::parse(Some(&head(6, 1, &[4])), false).is_err());
    }
}
