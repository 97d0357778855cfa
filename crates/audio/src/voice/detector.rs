//! Voice activity detection: the probability of speech for each 32 ms of audio, with Silero VAD.

use std::sync::OnceLock;

use super::net::{CONTEXT, FRAME, VoiceNet, VoiceState};
use crate::EngineError;

/// The model is small: it is loaded once and never unloaded.
fn voice_net() -> Result<&'static VoiceNet, EngineError> {
    static NET: OnceLock<Result<VoiceNet, EngineError>> = OnceLock::new();
    NET.get_or_init(|| VoiceNet::load().map_err(EngineError::internal)).as_ref().map_err(Clone::clone)
}

/// Detects speech in a stream of samples.
pub(super) struct VoiceDetector {
    /// `None` before the first frame.
    state: Option<VoiceState>,
    /// The context, followed by samples that do not fill a frame yet.
    waiting: Vec<f32>,
}

impl VoiceDetector {
    pub(super) fn new() -> Self {
        Self { state: None, waiting: vec![0.0; CONTEXT] }
    }

    /// The probabilities of all frames that `samples` completes.
    pub(super) fn push(&mut self, samples: &[f32]) -> Result<Vec<f32>, EngineError> {
        self.waiting.extend_from_slice(samples);
        let net = voice_net()?;
        let state = self.state.get_or_insert_with(|| net.state());
        let probabilities = net.probabilities(&self.waiting, state);
        self.waiting.drain(..probabilities.len() * FRAME);
        Ok(probabilities)
    }

    /// The probability of the last frame, padded with silence; empty if there is none.
    pub(super) fn finish(&mut self) -> Result<Vec<f32>, EngineError> {
        let left = self.waiting.len() - CONTEXT;
        if left == 0 { Ok(Vec::new()) } else { self.push(&vec![0.0; FRAME - left]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AudioSource, AudioStream};

    /// The probabilities that ONNX Runtime 1.31 computes with the published graph: a line for `speech`, one for `noise`.
    const REFERENCE: &str = include_str!("../../tests/data/voice_probabilities.txt");
    const SPEECH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/inaugural.wav");

    fn probabilities(samples: &[f32], piece: usize) -> Vec<f32> {
        let mut detector = VoiceDetector::new();
        let mut found = Vec::new();
        for piece in samples.chunks(piece) {
            found.extend(detector.push(piece).unwrap());
        }
        found.extend(detector.finish().unwrap());
        found
    }

    #[test]
    fn a_tone_and_silence_are_not_speech() {
        let tone: Vec<f32> = (0..32_000).map(|n| (n as f32 * 0.172_787_6).sin() * 0.5).collect();
        for samples in [tone, vec![0.0; 32_000]] {
            assert!(probabilities(&samples, 8_000).iter().all(|probability| *probability < 0.2));
        }
    }

    #[test]
    fn the_chunk_size_does_not_change_the_result() {
        let samples: Vec<f32> = (0..20_000).map(|n| ((n * n) as f32 * 0.001).sin() * 0.3).collect();
        let one = probabilities(&samples, 20_000);
        let other = probabilities(&samples, 777);
        assert_eq!(one.len(), 40);
        assert!(one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-4));
    }

    fn speech() -> Vec<f32> {
        let mut stream = AudioStream::open(&AudioSource::new(SPEECH, 60.0)).unwrap();
        let mut samples = Vec::new();
        while let Some(block) = stream.next_block().unwrap() {
            samples.extend(block);
        }
        samples
    }

    /// Three seconds of noise that becomes louder.
    fn noise() -> Vec<f32> {
        let mut state = 1u32;
        let mut next = |at: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 8) as f32 / (1 << 23) as f32 - 1.0) * at as f32 / 48_000.0
        };
        (0..48_000).map(&mut next).collect()
    }

    #[test]
    fn probabilities_equal_those_of_the_published_graph() {
        assert_eq!(REFERENCE.lines().count(), 2);
        for (line, samples) in REFERENCE.lines().zip([speech(), noise()]) {
            let expected: Vec<f32> = line.split(' ').map(|number| number.parse().unwrap()).collect();
            for piece in [samples.len(), 24_000, 1_000] {
                let found = probabilities(&samples, piece);
                assert_eq!(found.len(), expected.len());
                let worst = found.iter().zip(&expected).map(|(one, other)| (one - other).abs());
                let worst = worst.fold(0.0, f32::max);
                assert!(worst < 1e-3, "with pieces of {piece} samples the largest difference is {worst}");
            }
        }
    }
}
