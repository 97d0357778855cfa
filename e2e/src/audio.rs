//! Small recordings made in memory.

const SAMPLES_PER_SECOND: u32 = 16_000;

/// A WAV file of `milliseconds` of a tone: 16 kHz, mono, 16 bits.
pub fn wav(milliseconds: u32) -> Vec<u8> {
    recording(milliseconds, |index| {
        // 440 Hz, well below full scale.
        let phase = f64::from(index) * 440.0 / f64::from(SAMPLES_PER_SECOND);
        ((phase * std::f64::consts::TAU).sin() * 8_000.0) as i16
    })
}

/// A WAV file of `milliseconds` of nothing.
pub fn silent_wav(milliseconds: u32) -> Vec<u8> {
    recording(milliseconds, |_| 0)
}

fn recording(milliseconds: u32, sample: impl Fn(u32) -> i16) -> Vec<u8> {
    let samples = SAMPLES_PER_SECOND / 1_000 * milliseconds;
    let mut file = header(samples * 2);
    for index in 0..samples {
        file.extend_from_slice(&sample(index).to_le_bytes());
    }
    file
}

fn header(data_bytes: u32) -> Vec<u8> {
    let mut header = Vec::with_capacity(44 + data_bytes as usize);
    header.extend_from_slice(b"RIFF");
    header.extend_from_slice(&(36 + data_bytes).to_le_bytes());
    header.extend_from_slice(b"WAVEfmt ");
    header.extend_from_slice(&16_u32.to_le_bytes());
    for word in [1_u16, 1] {
        header.extend_from_slice(&word.to_le_bytes());
    }
    header.extend_from_slice(&SAMPLES_PER_SECOND.to_le_bytes());
    header.extend_from_slice(&(SAMPLES_PER_SECOND * 2).to_le_bytes());
    for word in [2_u16, 16] {
        header.extend_from_slice(&word.to_le_bytes());
    }
    header.extend_from_slice(b"data");
    header.extend_from_slice(&data_bytes.to_le_bytes());
    header
}
